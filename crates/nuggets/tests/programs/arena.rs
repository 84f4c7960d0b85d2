//! `nuggets arena` and the programs that it starts. Its outputs are in `transcripts/arena.console`.

use nuggets_testkit::{ORDINARY, PseudoTerminal, lines, run};

use crate::maps::Scratch;
use crate::starting::NUGGETS;

/// It has lowered the limit by which its program's processes are found, and has no environment, parent, group or
/// session in common with them.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_hides_from_its_program_ends_with_the_arena() {
    let scratch = Scratch::new("arena-orphan");
    let file = scratch.0.join("pid");
    let program = format!(
        "(env -i setsid sh -c 'ulimit -t 1000; echo $$ >{0}.new; mv {0}.new {0}; exec sleep 1000 <&- >&- 2>&-' &)
         until [ -e {0} ]; do sleep 0.01; done; echo PLAY hider; read -r a",
        file.display()
    );
    let words = ["arena", "--bots", "miner:1", "--bot-cmd", &program, "--bot-time", "60000"];
    run(NUGGETS, &[&words[..], &["--games", "1", "--max-rounds", "1"]].concat());
    let pid = std::fs::read_to_string(&file).expect("the program has started it");
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "{pid} still runs");
}

#[test]
fn a_progress_bar_is_shown_at_once_and_a_hanging_program_can_be_stopped() {
    let words = ["arena", "--bots", "miner:1", "--bot-cmd", "echo PLAY slow; sleep 1000"];
    let patient = ["--bot-time", "3600000", "--games", "7", "--jobs", "1"];
    let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &[&words[..], &patient].concat());
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line.contains(" 0/7 games ")));
    terminal.type_keys("\x03");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 1);
    assert!(ended.lines.iter().any(|line| line.ends_with("0 games of 7 (stopped), seed 1")));
}
