//! Tournaments: the same for any number of jobs, fair, and never spoiled by a program.

use std::sync::Mutex;

use nuggets_bots::BrainKind;
use nuggets_game::{Lifetime, shipped};

use super::*;

fn map(name: &str) -> Place {
    Place::Map(shipped::find(name).unwrap().map())
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
fn a_tournament_is_as_fair_to_twins_as_it_can_be() {
    let twins = vec![Entrant::brain(BrainKind::Scout, 2), Entrant::brain(BrainKind::Scout, 2)];
    let standings = run(&Arena::new(twins, vec![map("main")]), 60, 2);
    let [one, two] = &standings.rows[..] else { panic!("two rows") };
    assert!((one.mean_purse - two.mean_purse).abs() < 15.0, "{one:?} {two:?}");
    assert!((one.rating - two.rating).abs() < 3.0 * (one.deviation + two.deviation));
}

#[test]
fn each_brain_beats_the_one_before() {
    for (weaker, stronger) in
        [(BrainKind::Wanderer, BrainKind::Scout), (BrainKind::Scout, BrainKind::Miner)]
    {
        let mut arena = Arena::new(brains(&[weaker, stronger]), vec![map("main"), map("hole")]);
        arena.max_rounds = 3_000;
        let standings = run(&arena, 20, 2);
        let [weak, strong] = &standings.rows[..] else { panic!("two rows") };
        assert!(strong.mean_purse > 1.3 * weak.mean_purse, "{standings:?}");
        assert!(strong.rating - strong.deviation > weak.rating + weak.deviation);
        assert!(strong.wins > weak.wins);
        assert!(strong.moves_per_nugget < weak.moves_per_nugget);
    }
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
        assert!(row.curve.nuggets.is_sorted(), "no purse shrinks where nobody steals");
    }
}

#[test]
fn a_game_that_takes_too_long_is_stopped_and_counted_so() {
    let mut arena = Arena::new(brains(&[BrainKind::Wanderer]), vec![map("main")]);
    arena.max_rounds = 10;
    let standings = run(&arena, 3, 1);
    assert_eq!((standings.games, standings.unfinished), (3, 3));
}

#[test]
fn variants_are_played_too_and_whoever_starves_is_out() {
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
    assert_eq!((standings.games, standings.unfinished), (4, 0), "everybody starves in the end");
}

#[test]
fn a_game_whose_players_are_all_out_has_not_taken_too_long() {
    let mut arena = Arena::new(brains(&[BrainKind::Scout]), vec![map("main")]);
    arena.rules = Rules { lifetime: Some(Lifetime { steps: 3, food: 0 }), ..Rules::default() };
    let standings = run(&arena, 2, 1);
    assert_eq!((standings.games, standings.unfinished), (2, 0), "others could still join");
}

#[test]
fn more_bots_than_letters_are_refused() {
    let crowd = vec![Entrant::brain(BrainKind::Scout, 20), Entrant::brain(BrainKind::Miner, 7)];
    let arena = Arena::new(crowd, vec![map("main")]);
    let refused = arena.run(1, 1, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "27 bots can't play together: the rules allow 1 to 26. Enter fewer bots"
    );
}

#[test]
fn progress_is_told_game_by_game_and_a_stop_is_heeded() {
    let arena = Arena::new(brains(&[BrainKind::Miner]), vec![map("narrow")]);
    let told = Mutex::new(vec![]);
    arena.run(5, 1, &AtomicBool::new(false), |done| told.lock().unwrap().push(done)).unwrap();
    assert_eq!(*told.lock().unwrap(), [1, 2, 3, 4, 5]);
    let stopped = arena.run(5, 2, &AtomicBool::new(true), |_| {}).unwrap();
    assert_eq!(stopped.games, 0);
}

/// A tournament between a scout and a program, with little patience.
fn against(program: &str, games: u64) -> Row {
    let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::command(program)];
    let mut arena = Arena::new(entrants, vec![map("narrow")]);
    arena.patience = Patience { start_ms: 30_000, turn_ms: 100 };
    let standings = run(&arena, games, 2);
    assert_eq!((standings.games, standings.unfinished), (games, 0), "{program} spoiled it");
    standings.rows[1].clone()
}

/// Answers every picture with a key, first one way, then back; it is fine, if not clever.
const STEADY: &str = r#"echo "PLAY steady"; key=H; while read -r word rest; do
    case "$word" in
        DISPLAY*) echo "KEY $key"; if [ $key = H ]; then key=L; else key=H; fi;;
        QUIT*) exit;;
    esac; done"#;

#[test]
fn a_program_plays_by_lines() {
    let entrants = vec![Entrant::brain(BrainKind::Miner, 1), Entrant::command(STEADY)];
    let mut arena = Arena::new(entrants, vec![map("main")]);
    arena.patience = Patience { start_ms: 60_000, turn_ms: 60_000 };
    let standings = run(&arena, 3, 2);
    assert_eq!((standings.games, standings.unfinished), (3, 0));
    let row = &standings.rows[1];
    assert_eq!((row.lost_turns, &row.first_trouble), (0, &None));
}

/// It always goes right, and pushes back whoever wants to get past it in a dead end.
const STUBBORN: &str = r#"echo "PLAY stubborn"; while read -r word rest; do
    case "$word" in DISPLAY*) echo "KEY l";; QUIT*) exit;; esac; done"#;

#[test]
fn a_stubborn_rival_in_the_way_holds_nobody_up_for_ever() {
    for brain in [BrainKind::Scout, BrainKind::Miner] {
        let entrants = vec![Entrant::brain(brain, 1), Entrant::command(STUBBORN)];
        let mut arena = Arena::new(entrants, vec![map("main")]);
        arena.patience = Patience { start_ms: 60_000, turn_ms: 60_000 };
        let standings = run(&arena, 4, 2);
        assert_eq!((standings.games, standings.unfinished), (4, 0), "{brain}");
    }
}

#[test]
fn a_program_that_hangs_loses_its_turn_and_then_sits_out() {
    let row = against("echo 'PLAY slow'; sleep 1000", 1);
    assert_eq!(row.lost_turns, 3);
    assert_eq!(row.first_trouble, Some((1, Trouble::Silent { limit_ms: 100 })));
}

#[test]
fn a_stop_does_not_wait_for_a_program_that_hangs_and_blames_nobody() {
    let stop = Arc::new(AtomicBool::new(false));
    for program in ["sleep 1000", "echo 'PLAY slow'; sleep 1000"] {
        let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::command(program)];
        let mut arena = Arena::new(entrants, vec![map("narrow")]);
        arena.patience = Patience { start_ms: 3_600_000, turn_ms: 3_600_000 };
        stop.store(false, Ordering::Relaxed);
        let soon = Arc::clone(&stop);
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            soon.store(true, Ordering::Relaxed);
        });
        let standings = arena.run(9, 2, &stop, |_| {}).unwrap();
        assert_eq!(standings.games, 0, "{program}");
        assert!(standings.rows.iter().all(|row| row.first_trouble.is_none()), "{program}");
    }
}

#[test]
fn a_program_that_never_reads_does_not_block_the_arena() {
    let row = against("echo 'PLAY deaf'; while :; do echo 'KEY h'; done", 1);
    assert_eq!(row.lost_turns, 0, "{row:?}");
}

#[test]
fn a_program_that_dies_talks_nonsense_or_is_not_there_is_reported() {
    let cases = [
        ("echo 'PLAY brief'; read a; exit 3", "exit status: 3"),
        ("echo 'PLAY odd'; while read -r a; do echo 'hello'; done", "\"hello\" instead of KEY"),
        ("echo 'PLAY odd'; while read -r a; do echo 'KEY x'; done", "\"KEY x\" instead of KEY"),
        ("echo 'hello?'; sleep 1000", "\"hello?\" instead of PLAY"),
        ("echo 'PLAY '; sleep 1000", "it could not join"),
        ("no-such-program-anywhere", "exit status: 127"),
    ];
    for (program, reason) in cases {
        let (game, trouble) = against(program, 1).first_trouble.expect(program);
        assert_eq!(game, 1);
        assert!(trouble.to_string().contains(reason), "{program}: {trouble}");
    }
}

#[test]
fn a_program_that_spoils_game_after_game_is_not_asked_for_ever() {
    let row = against("exit 1", 40);
    assert_eq!(row.lost_turns, 40, "it is missing in every game");
}

#[test]
fn entrants_are_typed_as_brain_and_number() {
    assert_eq!("miner:4".parse(), Ok(Entrant::brain(BrainKind::Miner, 4)));
    assert_eq!("scout".parse(), Ok(Entrant::brain(BrainKind::Scout, 1)));
    for (typed, reason) in
        [("genius:2", "no brain 'genius'"), ("miner:0", "'miner:0'"), ("miner:x", "1 to 26")]
    {
        let refused = typed.parse::<Entrant>().unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
}
