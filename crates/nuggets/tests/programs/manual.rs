//! Completions for every shell, and a manual page for every command.

use nuggets_testkit::run;

use crate::arguments::check;
use crate::maps::Scratch;
use crate::starting::NUGGETS;

fn completions(shell: &str) -> String {
    let ended = run(NUGGETS, &["completions", shell]);
    assert!(ended.status.success() && ended.stderr.is_empty());
    ended.stdout
}

#[test]
fn completions_for_every_shell_cover_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = completions(shell);
        for word in ["play", "server", "player", "map", "check", "drop-on-quit", "completions"] {
            assert!(script.contains(word), "{shell} knows no {word}");
        }
    }
}

#[test]
fn bash_accepts_its_completions() {
    let scratch = Scratch::new("completions");
    let script = scratch.file("nuggets.bash", completions("bash").as_bytes());
    let typed = "source \"$0\"; COMP_WORDS=(nuggets play --m); COMP_CWORD=2
        _nuggets nuggets --m play; echo \"${COMPREPLY[@]}\"";
    let ended = run("bash", &["-c", typed, &script]);
    assert_eq!(ended.stdout, "--map --min-piles --max-piles\n", "{:?}", ended.stderr);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let scratch = Scratch::new("manual");
    let dir = scratch.0.join("deep/man1");
    let ended = run(NUGGETS, &["man", dir.to_str().unwrap()]);
    assert!(ended.status.success(), "{ended:?}");
    let list = ended.stdout;
    for page in ["nuggets", "nuggets-play", "nuggets-server", "nuggets-map-check"] {
        let text = std::fs::read_to_string(dir.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME") && list.contains(&format!("  {page}.1\n")), "{list}");
    }
}

#[test]
fn an_unwritable_folder_and_an_unknown_shell_are_rejected() {
    check(
        NUGGETS,
        "man /dev/null/man1",
        1,
        "error: can't write manual pages into '/dev/null/man1': Not a directory (os error 20). Give \
         a folder you may write to\n",
    );
    check(
        NUGGETS,
        "completions tcsh",
        2,
        "error: invalid value 'tcsh' for '<SHELL>'\n  [possible values: bash, elvish, fish, \
         powershell, zsh]\n\n  tip: a similar value exists: 'zsh'\n\nFor more information, try \
         '--help'.\n",
    );
}
