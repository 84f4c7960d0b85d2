//! `nuggets play`: a whole game in one command, with bots.

use nuggets_testkit::{ORDINARY, PseudoTerminal, lines, run};

use crate::starting::NUGGETS;

/// Waits for the table after a game, and leaves.
pub(crate) fn leave_end_screen(terminal: &mut PseudoTerminal) {
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    terminal.type_keys("q");
}

#[test]
fn watch_shows_the_bots_to_the_end() {
    let words = ["play", "--watch", "--bots", "4", "--brain", "miner,scout", "--pace", "1"];
    let mut terminal =
        PseudoTerminal::start(ORDINARY, NUGGETS, &[&words[..], &["--map", "narrow"]].concat());
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 0);
    let table: Vec<&String> = ended.lines.iter().skip_while(|line| *line != "GAME OVER:").collect();
    assert_eq!(table.len(), 5, "{:?}", ended.lines);
    let purses = table[1..].iter().map(|row| row[2..12].trim().parse::<u32>().unwrap());
    assert_eq!(purses.sum::<u32>(), 250);
    for name in ["miner 1", "scout 2", "miner 3", "scout 4"] {
        assert!(table.iter().any(|row| row.ends_with(name)), "{table:?}");
    }
}

#[test]
fn watch_ends_when_all_bots_have_run_out_of_steps() {
    let words = ["play", "--watch", "--bots", "2", "--pace", "1000", "--lifetime", "3"];
    let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &words);
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 0);
    assert_eq!(ended.lines.iter().skip_while(|line| *line != "GAME OVER:").count(), 3);
}

#[test]
fn a_player_among_bots_ends_the_game_by_quitting() {
    let words = ["play", "Ann", "--bots", "2", "--pace", "20", "--seed", "8", "--no-wait"];
    let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &words);
    terminal.wait_for(|screen| {
        let lines = lines(screen);
        let status = lines.first().filter(|status| status.starts_with("Player "));
        status.is_some_and(|status| !status.contains("(250 nuggets unclaimed)"))
    });
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 0);
    assert_eq!(ended.lines, ["Thanks for playing!"]);
}

#[test]
fn a_random_map_is_fixed_by_its_seed() {
    let words = ["play", "--watch", "--bots", "1", "--pace", "60000", "--map", "random"];
    let mut terminal =
        PseudoTerminal::start(ORDINARY, NUGGETS, &[&words[..], &["--seed", "12"]].concat());
    let drawn = run(NUGGETS, &["map", "new", "--seed", "12"]).stdout;
    let ground = |text: &str| text.replace(['*', 'A'], ".");
    terminal.wait_for(|screen| {
        let shown: Vec<String> = lines(screen).into_iter().skip(1).collect();
        let expected: Vec<&str> = drawn.lines().map(str::trim_end).collect();
        ground(&shown.join("\n")) == expected.join("\n").trim_end()
    });
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    terminal.wait_for_end();
}
