//! Playing: keys, notes and help.

use super::*;
use nuggets_atlas::Direction;

/// Returns the note after each of these inputs, one input a second.
fn notes(mut app: App, inputs: &[In]) -> Vec<Option<String>> {
    let mut ms = 0;
    let note = |&input: &In| {
        ms += 1_000;
        feed(&mut app, ms, input);
        app.note().map(str::to_owned)
    };
    inputs.iter().map(note).collect()
}

#[test]
fn keys_are_mapped_and_sent() {
    check(
        playing(),
        &[
            (1, Type('l'), &["KEY l"]),
            (2, Type('L'), &["KEY L"]),
            (3, Press(Key::Step(Direction::UpLeft)), &["KEY y"]),
            (4, Press(Key::Sprint(Direction::Down)), &["KEY J"]),
            (5, Type('3'), &["KEY n"]),
            (6, Type('5'), &["KEY 5"]),
            (7, Type(' '), &["KEY  "]),
            (8, Type('~'), &["KEY ~"]),
            (9, Type('é'), &[]),
            (10, Press(Key::Other), &[]),
        ],
    );
}

#[test]
fn of_a_spectators_keys_only_q_is_sent() {
    let mut app = spectator();
    for message in ["GRID 3 5", "GOLD 0 0 250", MAP] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(effects(&mut app), ["SPECTATE"]);
    for input in [Type('h'), Type('L'), Type('5'), Pipe("l")] {
        feed(&mut app, 1, input);
        assert_eq!(effects(&mut app), [""; 0], "{input:?}");
        assert_eq!(app.note(), Some("a spectator can only press Q"));
    }
    feed(&mut app, 2, Type('Q'));
    assert_eq!(effects(&mut app), ["KEY Q"]);
}

#[test]
fn events_that_are_noted() {
    for (input, note) in [
        (Hear("GOLD 39 39 211"), Some("GOLD received: 39")),
        (Hear("GOLD 0 39 200"), None),
        (Hear("ERROR you can't"), Some("you can't")),
        (Hear("NO you can't"), Some("you can't")),
        (Hear("NO"), Some("NO")),
        (Hear("ERROR"), Some("ERROR")),
        (Hear("ERROR \x1b[2Jboo\n"), Some("?[2Jboo")),
        (Hear("HELLO"), Some("malformed message")),
        (Hear(""), Some("malformed message")),
        (Hear("GOLD 1 2"), Some("malformed message")),
        (Hear("DISPLAY\n"), Some("malformed message")),
        (Hear("DISPLAY\n|@|\n"), Some("malformed message")),
        (Press(Key::Other), Some("unknown keystroke")),
        (Type('é'), Some("unknown keystroke")),
        (PortClosed, Some("server not answering; Q leaves")),
        (Type('l'), None),
    ] {
        let expected = note.map(str::to_owned);
        assert_eq!(notes(playing(), &[input]), [expected], "{input:?}");
    }
}

#[test]
fn a_note_lasts_until_the_next_key() {
    let gold = Some("GOLD received: 5".to_owned());
    assert_eq!(
        notes(playing(), &[Hear("GOLD 5 5 245"), Hear(MAP), Type('l')]),
        [gold.clone(), gold, None]
    );
}

#[test]
fn a_note_lasts_five_seconds() {
    let mut app = playing();
    feed(&mut app, 100, Hear("HELLO"));
    assert_eq!(app.poll_timeout(), Some(Timestamp(5_100)));
    app.handle_timeout(Timestamp(5_099));
    assert_eq!(app.note(), Some("malformed message"));
    app.handle_timeout(Timestamp(5_100));
    assert_eq!((app.note(), app.poll_timeout()), (None, None));
}

#[test]
fn help_opens_with_its_key_and_any_key_but_an_interrupt_only_closes_it() {
    for closing in [Key::Char('l'), Key::Char('Q'), Key::EndOfInput, Key::Other] {
        let mut app = playing();
        feed(&mut app, 1, Type('?'));
        assert!(app.help_is_open);
        feed(&mut app, 2, Hear("GOLD 0 7 243"));
        assert!(app.help_is_open, "messages are handled meanwhile");
        feed(&mut app, 3, Press(closing));
        assert!(!app.help_is_open);
        assert_eq!((effects(&mut app).len(), app.note()), (0, None));
    }
    check(playing(), &[(1, Type('?'), &[]), (2, Press(Key::Interrupt), &["KEY Q"])]);
}

#[test]
fn each_kind_of_malformed_message_is_noted_once() {
    let mut app = playing();
    for (message, note) in [
        ("HELLO 1", Some("malformed message")),
        ("HELLO 2", None),
        ("GOLD 1", Some("malformed message")),
        ("BYE", Some("malformed message")),
        ("GOLD 2", None),
    ] {
        feed(&mut app, 1, Hear(message));
        assert_eq!(app.note(), note, "{message}");
        // A key clears the note.
        feed(&mut app, 2, Type('l'));
    }
}

#[test]
fn a_message_with_a_plain_meaning_in_a_wrong_form_is_used_and_noted_once() {
    let mut app = player();
    let joined = [Hear("OK c"), Hear("GRID  3 5"), Hear("GOLD 0 0 250")];
    assert_eq!(
        notes(app.clone(), &joined),
        [
            Some("server sends a lower-case letter in OK".to_owned()),
            Some("server sends wrong whitespace between words".to_owned()),
            Some("server sends wrong whitespace between words".to_owned()),
        ]
    );
    for message in joined {
        feed(&mut app, 1, message);
    }
    let picture = "DISPLAY \n+---+\n|@.*|\n+---+\n";
    feed(&mut app, 2, Hear(picture));
    assert_eq!(app.note(), Some("server sends blanks after the word DISPLAY"));
    assert_eq!(app.scene().letter(), Some('C'));
    assert_eq!(app.scene().picture().unwrap().cells(), b"+---+|@.*|+---+");
    feed(&mut app, 3, Type('l'));
    feed(&mut app, 4, Hear(picture));
    assert_eq!(app.note(), None, "it was noted before");
}

#[test]
fn a_picture_of_another_size_than_the_grid_is_shown_and_noted_once() {
    let mut app = player();
    for message in ["OK A", "GRID 3 5", "GOLD 0 0 250", "DISPLAY\n+--\n|.@*|\n"] {
        feed(&mut app, 1, Hear(message));
    }
    assert_eq!(app.note(), Some("map is 2x5, GRID 3x5"));
    let picture = app.scene().picture().unwrap();
    assert_eq!((picture.cells(), picture.you()), (&b"+--  |.@*|     "[..], Some(Point::new(1, 2))));
    feed(&mut app, 2, Type('l'));
    feed(&mut app, 3, Hear("DISPLAY\n+--\n|..@|\n"));
    assert_eq!(app.note(), None);
}

#[test]
fn house_rules_are_noted_and_kept_and_are_no_error() {
    for message in ["ERROR House rules: vision 5,\tsteal", "NO House rules: vision 5,\tsteal\n"] {
        let mut app = playing();
        feed(&mut app, 1, Hear(message));
        assert_eq!(app.note(), Some("House rules: vision 5, steal"));
        feed(&mut app, 2, Type('l'));
        assert_eq!(
            (app.note(), app.house_rules.as_deref()),
            (None, Some("House rules: vision 5, steal"))
        );
        feed(&mut app, 3, Hear(message));
        effects(&mut app);
        feed(&mut app, 4, Hear("QUIT"));
        assert_eq!(effects(&mut app), ["KEY Q"], "no reason was given");
    }
}

#[test]
fn a_hint_is_a_note_like_any_other() {
    let mut app = playing();
    app.handle_hint(Timestamp(0), "? for help");
    assert_eq!(app.note(), Some("? for help"));
    app.handle_key(Timestamp(1), Key::Char('l'));
    assert_eq!(app.note(), None);
    let mut early = player();
    early.handle_hint(Timestamp(0), "? for help");
    assert_eq!(early.note(), None);
}
