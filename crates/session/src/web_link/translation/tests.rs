//! Dialogues: lines of the server in, classic messages out, and back.

use super::*;

const HELLO: &str = r#"{"hello":{"game":"abc","letter":"A","view":"A","name":"Ann","rows":2,"cols":3,"stream":"s1","token":"t1"}}"#;
const WHOLE: &str = r#"{"seq":1,"whole":["+-+","|@|"],"gold":[0,0,250],"players":[{"letter":"A","name":"Ann"}],"stage":"playing"}"#;

fn messages(translation: &mut Translation) -> Vec<String> {
    let next = || translation.poll_message();
    std::iter::from_fn(next).map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

fn lines(translation: &mut Translation) -> Vec<String> {
    std::iter::from_fn(|| translation.poll_line()).collect()
}

/// Feeds a text from the server and returns the messages for the session.
fn told(translation: &mut Translation, text: &str) -> Vec<String> {
    translation.handle_text(text).unwrap();
    messages(translation)
}

fn joined() -> Translation {
    let mut translation = Translation::default();
    translation.handle_classic(b"PLAY Ann");
    translation.handle_connected();
    told(&mut translation, &format!("{HELLO}\n{WHOLE}"));
    lines(&mut translation);
    translation
}

#[test]
fn a_player_joins_with_the_four_messages_of_the_specification() {
    let mut translation = Translation::default();
    translation.handle_classic(b"PLAY Ann");
    assert!(lines(&mut translation).is_empty(), "not connected yet");
    translation.handle_connected();
    translation.handle_classic(b"PLAY Ann");
    assert_eq!(
        lines(&mut translation),
        [r#"{"join":{"name":"Ann","token":null,"since":null}}"#],
        "a retry sends nothing"
    );
    assert!(!translation.is_seated());
    assert_eq!(
        told(&mut translation, &format!("{HELLO}\n{WHOLE}\n")),
        ["OK A", "GRID 2 3", "GOLD 0 0 250", "DISPLAY\n+-+\n|@|\n"]
    );
    assert!(translation.is_seated());
}

#[test]
fn names_are_cleaned_as_servers_do() {
    for (play, name) in [(&b"PLAY \xff\"\x01x"[..], r#"_\"_x"#), (b"PLAY  ", "")] {
        let mut translation = Translation::default();
        translation.handle_connected();
        translation.handle_classic(play);
        let line = format!(r#"{{"join":{{"name":"{name}","token":null,"since":null}}}}"#);
        assert_eq!(lines(&mut translation), [line]);
    }
}

#[test]
fn a_watcher_sees_the_whole_map_and_leaves_by_itself() {
    let mut translation = Translation::default();
    translation.handle_connected();
    translation.handle_classic(b"SPECTATE");
    assert_eq!(lines(&mut translation), [r#"{"watch":{"view":null,"since":null}}"#]);
    let hello = r#"{"hello":{"game":"abc","letter":null,"view":null,"name":null,"rows":1,"cols":3,"stream":"all"}}"#;
    let whole = r#"{"seq":9,"whole":["A*."],"gold":[0,0,17],"purses":[233]}"#;
    assert_eq!(
        told(&mut translation, &format!("{hello}\n{whole}")),
        ["GRID 1 3", "GOLD 0 0 17", "DISPLAY\nA*.\n"]
    );
    translation.handle_classic(b"KEY Q");
    assert_eq!(messages(&mut translation), ["QUIT Thanks for watching!"]);
    assert!(lines(&mut translation).is_empty() && translation.has_ended());
}

#[test]
fn changes_become_whole_pictures_one_for_each_burst() {
    let mut translation = joined();
    translation.handle_classic(b"KEY l");
    assert_eq!(lines(&mut translation), [r#"{"key":"l"}"#]);
    assert_eq!(
        told(&mut translation, r#"{"seq":2,"set":[[0,"ab"],[5,"!"]],"gold":[3,3,247]}"#),
        ["GOLD 3 3 247", "DISPLAY\nab+\n|@!\n"]
    );
    let burst = "{\"seq\":3,\"set\":[[0,\"x\"]]}\n{\"seq\":4,\"set\":[[3,\"yz\"]]}";
    assert_eq!(told(&mut translation, burst), ["DISPLAY\nxb+\nyz!\n"]);
}

#[test]
fn a_gap_asks_once_for_the_whole_picture_and_old_lines_are_dropped() {
    let mut translation = joined();
    assert!(told(&mut translation, r#"{"seq":1,"set":[[0,"?"]]}"#).is_empty());
    assert!(lines(&mut translation).is_empty());
    let gap = "{\"seq\":5,\"set\":[[0,\"?\"]]}\n{\"seq\":6,\"set\":[[0,\"?\"]]}";
    assert!(told(&mut translation, gap).is_empty());
    assert_eq!(lines(&mut translation), [r#""whole""#]);
    assert_eq!(
        told(&mut translation, r#"{"seq":6,"whole":["abc","def"]}"#),
        ["DISPLAY\nabc\ndef\n"]
    );
    assert_eq!(told(&mut translation, r#"{"seq":7,"set":[[1,"?"]]}"#), ["DISPLAY\na?c\ndef\n"]);
}

#[test]
fn it_comes_back_with_token_and_position() {
    let mut translation = joined();
    translation.handle_classic(b"KEY l");
    assert_eq!(translation.handle_closed(None), Ending::Reconnect);
    translation.handle_classic(b"KEY j");
    translation.handle_connected();
    assert_eq!(
        lines(&mut translation),
        [r#"{"join":{"name":"Ann","token":"t1","since":{"stream":"s1","seq":1}}}"#],
        "keys are not sent again"
    );
    assert_eq!(
        told(&mut translation, &format!("{HELLO}\n{{\"seq\":2,\"set\":[[4,\".\"]]}}")),
        ["OK A", "GRID 2 3", "DISPLAY\n+-+\n|.|\n"]
    );
    // A restarted host begins a new stream.
    translation.handle_closed(Some(1012));
    translation.handle_connected();
    lines(&mut translation);
    let hello = HELLO.replace("s1", "s2");
    assert_eq!(told(&mut translation, &hello), ["OK A", "GRID 2 3"]);
    assert!(told(&mut translation, r#"{"seq":3,"set":[[0,"?"]]}"#).is_empty());
    assert_eq!(lines(&mut translation), [r#""whole""#], "numbers of another stream mean nothing");
}

#[test]
fn the_final_table_is_in_the_order_of_letters() {
    let mut translation = joined();
    let over = r#"{"seq":2,"set":[[0,"."]],"gold":[0,4,0],"stage":"over","over":[{"letter":"B","name":"Bob","purse":246},{"letter":"A","name":"Ann","purse":4}]}"#;
    assert_eq!(
        told(&mut translation, over),
        [
            "GOLD 0 4 0",
            "DISPLAY\n.-+\n|@|\n",
            "QUIT GAME OVER:\nA          4 Ann\nB        246 Bob"
        ]
    );
    assert_eq!(translation.handle_closed(None), Ending::Final);
    assert!(messages(&mut translation).is_empty());
}

#[test]
fn leaving_and_being_removed_end_with_different_words() {
    let left = r#"{"seq":2,"players":[{"letter":"A","name":"Ann","left":true}]}"#;
    let mut translation = joined();
    translation.handle_classic(b"KEY Q");
    assert_eq!(lines(&mut translation), [r#"{"key":"Q"}"#]);
    assert_eq!(told(&mut translation, left), ["QUIT Thanks for playing!"]);

    let mut translation = joined();
    assert_eq!(told(&mut translation, left), ["QUIT You are no longer in the game."]);
    let mut translation = joined();
    told(&mut translation, r#"{"error":"You were removed from this game."}"#);
    assert_eq!(told(&mut translation, left), ["QUIT You were removed from this game."]);
    let mut translation = joined();
    translation.handle_classic(b"KEY Q");
    assert_eq!(translation.handle_closed(Some(1000)), Ending::Final);
    assert_eq!(messages(&mut translation), ["QUIT Thanks for playing!"]);

    let mut translation = joined();
    let error = r#"{"error":"You were removed by the host."}"#;
    assert_eq!(told(&mut translation, error), ["ERROR You were removed by the host."]);
    assert_eq!(translation.handle_closed(Some(1008)), Ending::Final);
    assert_eq!(messages(&mut translation), ["QUIT You were removed by the host."]);
}

#[test]
fn waiting_for_the_start_is_noted() {
    let mut translation = joined();
    let waiting = r#"{"seq":2,"stage":{"waiting":{"missing":2}}}"#;
    assert_eq!(
        told(&mut translation, waiting),
        ["ERROR Notice: the game begins with 2 more players"]
    );
    assert!(translation.is_waiting());
    let playing = r#"{"seq":3,"stage":"playing","notice":"Good luck"}"#;
    assert_eq!(
        told(&mut translation, playing),
        ["ERROR Notice: the game has begun", "ERROR Notice: Good luck"]
    );
    assert!(!translation.is_waiting());
}

#[test]
fn words_of_the_host_to_one_connection_are_a_notice() {
    let mut translation = joined();
    let stopping = r#"{"notice":"The host restarts"}"#;
    assert_eq!(told(&mut translation, stopping), ["ERROR Notice: The host restarts"]);
    assert_eq!(translation.handle_closed(Some(1012)), Ending::Reconnect);
}

#[test]
fn house_rules_are_sent_once() {
    let mut translation = Translation::default();
    translation.handle_classic(b"PLAY Ann");
    translation.handle_connected();
    let hello = HELLO.replace(r#""token""#, r#""rules":["Steal.","Vision 5."],"token""#);
    assert_eq!(
        told(&mut translation, &hello),
        ["OK A", "GRID 2 3", "ERROR House rules: Steal. Vision 5."]
    );
    translation.handle_closed(None);
    translation.handle_connected();
    assert_eq!(told(&mut translation, &hello), ["OK A", "GRID 2 3"]);
}

#[test]
fn malformed_lines_change_nothing() {
    for text in [
        "[",
        r#"{"seq":2,"whole":["short"]}"#,
        r#"{"seq":2,"whole":["+-+","|ä"]}"#,
        r#"{"seq":2,"set":[[2,"ab"]]}"#,
        r#"{"seq":2,"set":[[6,"a"]]}"#,
        r#"{"seq":2,"set":[[4294967295,"a"]]}"#,
        r#"{"seq":2,"set":[[0,"ä"]]}"#,
        r#"{"seq":-2}"#,
        &HELLO.replace(":2", ":0"),
        &HELLO.replace(":2", ":65535").replace(":3", ":65535"),
    ] {
        let mut translation = joined();
        translation.handle_text(text).unwrap_err();
        assert!(messages(&mut translation).is_empty(), "{text}");
        let next = r#"{"seq":2,"set":[[4,"."]]}"#;
        assert_eq!(told(&mut translation, next), ["DISPLAY\n+-+\n|.|\n"], "{text}");
    }
    let mut translation = joined();
    for text in ["", "\n\n", r#"{"news":1}"#, r#"{"pong":7}"#, r#"{"seq":2,"weather":"fine"}"#] {
        assert!(told(&mut translation, text).is_empty(), "{text}");
    }
}
