//! Tournaments: the same for any number of jobs, fair, and not disturbed by a failing program.

mod brains;

use std::sync::Mutex;

use nuggets_bots::BrainKind;
use nuggets_game::{Lifetime, shipped};
use nuggets_record::{Recording, RecordingEnd, verify};

use super::*;

fn map(name: &str) -> MapSource {
    MapSource::Map(shipped::find(name).unwrap().map())
}

fn run(arena: &Arena, games: u64, jobs: usize) -> Standings {
    arena.run(games, jobs, &AtomicBool::new(false), |_| {}).unwrap()
}

fn brains(brains: &[BrainKind]) -> Vec<Entrant> {
    brains.iter().map(|brain| Entrant::brain(*brain, 2)).collect()
}

#[test]
fn the_same_seed_gives_the_same_standings_for_any_number_of_jobs() {
    let mut arena = Arena::new(brains(&BrainKind::ALL), vec![map("main"), map("narrow")]);
    arena.max_rounds = 300;
    let once = run(&arena, 12, 1);
    assert_eq!(once, run(&arena, 12, 5));
    arena.seed = Seed::new(2);
    assert_ne!(once, run(&arena, 12, 1));
}

#[test]
fn two_entrants_with_the_same_brain_do_equally_well() {
    let twins = vec![Entrant::brain(BrainKind::Scout, 2), Entrant::brain(BrainKind::Scout, 2)];
    let standings = run(&Arena::new(twins, vec![map("main")]), 60, 2);
    let [one, two] = &standings.rows[..] else { panic!("two rows") };
    assert!((one.mean_purse - two.mean_purse).abs() < 15.0, "{one:?} {two:?}");
    assert!((one.rating - two.rating).abs() < 3.0 * (one.deviation + two.deviation));
}

#[test]
fn the_stronger_brain_is_rated_higher_and_needs_fewer_moves() {
    let mut arena = Arena::new(brains(&[BrainKind::Scout, BrainKind::Miner]), vec![map("main")]);
    arena.max_rounds = 3_000;
    let standings = run(&arena, 20, 2);
    let [weak, strong] = &standings.rows[..] else { panic!("two rows") };
    assert!(strong.rating - strong.deviation > weak.rating + weak.deviation, "{standings:?}");
    assert!(strong.wins > weak.wins && strong.moves_per_nugget < weak.moves_per_nugget);
}

#[test]
fn gold_is_counted_to_the_last_nugget() {
    let arena = Arena::new(brains(&[BrainKind::Scout, BrainKind::Miner]), vec![map("main")]);
    let standings = run(&arena, 6, 2);
    assert_eq!((standings.games, standings.unfinished), (6, 0));
    let all: f64 = standings.rows.iter().map(|row| row.mean_purse * 2.0).sum();
    assert!((all - 250.0).abs() < 1e-9);
    assert!((standings.rows.iter().map(|row| row.wins).sum::<f64>() - 6.0).abs() < 1e-9);
    for row in &standings.rows {
        let last = row.curve.nuggets.last().unwrap();
        assert!((last - row.mean_purse).abs() < 1e-9, "the curve ends where the purses do");
        assert!(row.curve.nuggets.is_sorted(), "no purse shrinks without stealing");
    }
}

#[test]
fn a_game_with_too_many_rounds_is_stopped_and_counted_as_unfinished() {
    let mut arena = Arena::new(brains(&[BrainKind::Wanderer]), vec![map("main")]);
    arena.max_rounds = 10;
    let standings = run(&arena, 3, 1);
    assert_eq!((standings.games, standings.unfinished), (3, 3));
}

#[test]
fn variants_are_played_and_starved_players_are_out() {
    let mut arena = Arena::new(brains(&[BrainKind::Scout, BrainKind::Miner]), vec![map("main")]);
    arena.rules = Rules {
        steal: true,
        drop_on_quit: true,
        vision: Some(6),
        lifetime: Some(Lifetime { steps: 40, food: 10 }),
        max_players: 4,
        ..Rules::default()
    };
    let standings = run(&arena, 4, 2);
    assert_eq!((standings.games, standings.unfinished), (4, 0), "every player starves in the end");
}

#[test]
fn a_game_without_players_left_is_finished() {
    let mut arena = Arena::new(brains(&[BrainKind::Scout]), vec![map("main")]);
    arena.rules = Rules { lifetime: Some(Lifetime { steps: 3, food: 0 }), ..Rules::default() };
    let standings = run(&arena, 2, 1);
    assert_eq!((standings.games, standings.unfinished), (2, 0), "no round limit was reached");
}

#[test]
fn more_bots_than_letters_are_rejected() {
    let crowd = vec![Entrant::brain(BrainKind::Scout, 20), Entrant::brain(BrainKind::Miner, 7)];
    let arena = Arena::new(crowd, vec![map("main")]);
    let refused = arena.run(1, 1, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "27 bots can't play together: the rules allow 1 to 26. Enter fewer bots"
    );
}

#[test]
fn progress_is_reported_after_every_game_and_stop_ends_the_tournament() {
    let arena = Arena::new(brains(&[BrainKind::Miner]), vec![map("narrow")]);
    let reported = Mutex::new(vec![]);
    arena.run(5, 1, &AtomicBool::new(false), |done| reported.lock().unwrap().push(done)).unwrap();
    assert_eq!(*reported.lock().unwrap(), [1, 2, 3, 4, 5]);
    let stopped = arena.run(5, 2, &AtomicBool::new(true), |_| {}).unwrap();
    assert_eq!(stopped.games, 0);
}

/// Time limits that every program that answers at all meets.
const PATIENT: AnswerLimits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };

/// Plays a tournament between a scout and a program.
fn against(program: &str, games: u64, limits: AnswerLimits) -> StandingsRow {
    let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::command(program)];
    let mut arena = Arena::new(entrants, vec![map("narrow")]);
    arena.answer_limits = limits;
    let standings = run(&arena, games, 2);
    assert_eq!((standings.games, standings.unfinished), (games, 0), "{program} disturbed the game");
    standings.rows[1].clone()
}

/// A well-behaved program: answers every picture with a key, alternating between two directions.
const STEADY: &str = r#"echo "PLAY steady"; key=H; while read -r word rest; do
    case "$word" in
        DISPLAY*) echo "KEY $key"; if [ $key = H ]; then key=L; else key=H; fi;;
        QUIT*) exit;;
    esac; done"#;

#[test]
fn a_program_plays_by_lines() {
    let entrants = vec![Entrant::brain(BrainKind::Miner, 1), Entrant::command(STEADY)];
    let mut arena = Arena::new(entrants, vec![map("main")]);
    arena.answer_limits = PATIENT;
    let standings = run(&arena, 3, 2);
    assert_eq!((standings.games, standings.unfinished), (3, 0));
    let row = &standings.rows[1];
    assert_eq!((row.lost_turns, &row.first_fault), (0, &None));
}

/// A program that always goes right, and swaps back any player that tries to pass it in a dead end.
const STUBBORN: &str = r#"echo "PLAY stubborn"; while read -r word rest; do
    case "$word" in DISPLAY*) echo "KEY l";; QUIT*) exit;; esac; done"#;

#[test]
fn a_rival_that_blocks_a_passage_does_not_block_the_game() {
    for brain in [BrainKind::Scout, BrainKind::Miner] {
        let entrants = vec![Entrant::brain(brain, 1), Entrant::command(STUBBORN)];
        let mut arena = Arena::new(entrants, vec![map("main")]);
        arena.answer_limits = PATIENT;
        let standings = run(&arena, 4, 2);
        assert_eq!((standings.games, standings.unfinished), (4, 0), "{brain}");
    }
}

#[test]
fn a_program_that_hangs_loses_three_turns_and_is_removed() {
    let limits = AnswerLimits { turn_ms: 100, ..PATIENT };
    let row = against("echo 'PLAY slow'; sleep 1000", 1, limits);
    assert_eq!(row.lost_turns, 3);
    let (game, report) = row.first_fault.expect("it hangs");
    assert_eq!((game, report.fault), (1, ProgramFault::Silent { limit_ms: 100 }));
}

#[test]
fn stop_does_not_wait_for_a_hanging_program_and_counts_no_fault() {
    let stop = Arc::new(AtomicBool::new(false));
    for program in ["sleep 1000", "echo 'PLAY slow'; sleep 1000"] {
        let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::command(program)];
        let mut arena = Arena::new(entrants, vec![map("narrow")]);
        arena.answer_limits = AnswerLimits { start_ms: 3_600_000, turn_ms: 3_600_000 };
        stop.store(false, Ordering::Relaxed);
        let soon = Arc::clone(&stop);
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            soon.store(true, Ordering::Relaxed);
        });
        let standings = arena.run(9, 2, &stop, |_| {}).unwrap();
        assert_eq!(standings.games, 0, "{program}");
        assert!(standings.rows.iter().all(|row| row.first_fault.is_none()), "{program}");
    }
}

#[test]
fn a_program_that_never_reads_does_not_block_the_arena() {
    let row = against("echo 'PLAY deaf'; while :; do echo 'KEY h'; done", 1, PATIENT);
    assert_eq!(row.lost_turns, 0, "{row:?}");
}

#[test]
fn a_program_that_exits_or_sends_invalid_messages_is_reported() {
    let cases = [
        ("echo 'PLAY brief'; read a; exit 3", "exited during the game with code 3"),
        ("echo 'PLAY brief'; read a; kill -9 $$", "was killed during the game by signal 9"),
        ("echo 'PLAY odd'; while read -r a; do echo 'hello'; done", "\"hello\" instead of KEY"),
        ("echo 'PLAY odd'; while read -r a; do echo 'KEY x'; done", "\"KEY x\" instead of KEY"),
        ("echo 'hello?'; sleep 1000", "\"hello?\" instead of PLAY"),
        ("echo 'PLAY '; sleep 1000", "could not join"),
        ("no-such-program-anywhere", "code 127 (the command was not found: check --bot-cmd)"),
    ];
    for (program, reason) in cases {
        let (game, report) = against(program, 1, PATIENT).first_fault.expect(program);
        assert_eq!(game, 1);
        assert!(report.fault.to_string().contains(reason), "{program}: {report:?}");
    }
}

#[test]
fn the_end_of_a_programs_stderr_is_kept_with_its_fault() {
    let program = "echo 'PLAY brief'; read a; echo 'index out of range' >&2; exit 1";
    let row = against(program, 2, PATIENT);
    let (_, report) = row.first_fault.expect("it exits");
    assert_eq!(report.stderr, "index out of range");
}

#[test]
fn programs_are_known_by_the_names_they_play_under_and_two_alike_get_numbers() {
    let commands = ["echo PLAY monty", "echo PLAY monty; sleep 1000", "echo 'PLAY a\tb'"];
    let mut entrants: Vec<Entrant> = commands.into_iter().map(Entrant::command).collect();
    entrants.extend([Entrant::brain(BrainKind::Miner, 2), Entrant::brain(BrainKind::Scout, 1)]);
    entrants.push(Entrant::brain(BrainKind::Miner, 1));
    let mut arena = Arena::new(entrants, vec![map("main")]);
    arena.answer_limits.start_ms = PATIENT.start_ms;
    arena.introduce(&AtomicBool::new(false)).unwrap();
    let names: Vec<&str> = arena.entrants.iter().map(|entrant| &entrant.name[..]).collect();
    assert_eq!(names, ["monty 1", "monty 2", "a\tb", "miner 1", "scout", "miner 2"]);
    let standings = run(&arena, 1, 1);
    assert_eq!(standings.rows[1].name, "monty 2");
    assert_eq!(standings.rows[1].command.as_deref(), Some(commands[1]));
}

#[test]
fn a_program_that_does_not_introduce_itself_is_an_error_before_any_game() {
    for (command, reason) in [
        ("no-such-program-anywhere", "not found"),
        ("echo 'PLAY '", "PLAY without a name"),
        ("echo oops >&2; exit 1", "| oops"),
    ] {
        let entrants = vec![Entrant::brain(BrainKind::Miner, 1), Entrant::command(command)];
        let mut arena = Arena::new(entrants, vec![map("main")]);
        arena.answer_limits = PATIENT;
        let failure = arena.introduce(&AtomicBool::new(false)).unwrap_err();
        assert!(failure.to_string().contains(reason), "{failure}");
    }
}

/// Even a stopped game has a valid recording.
#[test]
fn every_recording_verifies_and_has_the_result_of_its_game() {
    let entrants = vec![
        Entrant::brain(BrainKind::Miner, 2),
        Entrant::brain(BrainKind::Scout, 1),
        Entrant::command("echo PLAY brief; read a; exit 1"),
    ];
    let mut arena = Arena::new(entrants, vec![map("main"), map("narrow")]);
    arena.answer_limits = PATIENT;
    for (max_rounds, ends) in [(10_000, RecordingEnd::Over), (20, RecordingEnd::Closed)] {
        arena.max_rounds = max_rounds;
        let mut kept = Vec::new();
        let no_stop = AtomicBool::new(false);
        let parallel = Parallel { jobs: 2, stop: &no_stop };
        let standings =
            arena.run_recorded(4, parallel, |_| {}, Some(&mut |game| kept.push(game))).unwrap();
        kept.sort_by_key(|game: &RecordedGame| game.number);
        assert_eq!(kept.iter().map(|game| game.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let mut sums = [0; 3];
        for game in &kept {
            let reading = Recording::read(&game.bytes).unwrap();
            let verified = verify(&reading.recording).unwrap();
            assert_eq!(reading.recording.end(), Some(ends));
            let purses: u32 = verified.game.players().iter().map(nuggets_game::Player::purse).sum();
            assert_eq!(purses, game.nuggets.iter().sum::<u32>());
            sums.iter_mut().zip(&game.nuggets).for_each(|(sum, nuggets)| *sum += nuggets);
        }
        assert!((f64::from(sums[0]) - standings.rows[0].mean_purse * 8.0).abs() < 1e-9);
        assert_eq!(standings, run(&arena, 4, 1), "recording changes nothing");
    }
}

#[test]
fn a_program_that_fails_in_every_game_is_not_started_again() {
    let row = against("exit 1", 40, PATIENT);
    assert_eq!(row.lost_turns, 40, "it loses a turn in every game");
}

#[test]
fn entrants_are_parsed_as_brain_and_number() {
    assert_eq!("miner:4".parse(), Ok(Entrant::brain(BrainKind::Miner, 4)));
    assert_eq!("scout".parse(), Ok(Entrant::brain(BrainKind::Scout, 1)));
    for (typed, reason) in
        [("genius:2", "no brain 'genius'"), ("miner:0", "'miner:0'"), ("miner:x", "1 to 26")]
    {
        let refused = typed.parse::<Entrant>().unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
}
