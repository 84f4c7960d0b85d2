//! Tests of a stream and its readers in virtual time.

use super::*;
use crate::wire::Stage;

const START: Timestamp = Timestamp(1_000);
const DELAY_MS: u64 = 30_000;

/// Returns a picture of one row with a player at this column.
fn picture(col: usize) -> Vec<u8> {
    let mut row = vec![b'.'; 400];
    row[col % 400] = b'@';
    row.push(b'\n');
    row
}

fn stream(delay_ms: u64) -> ViewStream {
    ViewStream::new(START, "map-1", Snapshot::new(&picture(0), 400), delay_ms)
}

fn step(stream: &mut ViewStream, now: Timestamp, col: usize) {
    let set = stream.current().changes(&picture(col));
    assert!(stream.publish(now, &mut StreamLine { set, ..StreamLine::default() }.into()));
}

fn at(seq: u64) -> Position {
    Position { seq: Some(seq) }
}

fn notice(words: &str) -> StreamLine {
    StreamLine { notice: Some(words.into()), ..StreamLine::default() }
}

/// Parses the lines of a text.
fn lines(read: &StreamText) -> Vec<StreamLine> {
    read.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn shown(read: &StreamText) -> Vec<String> {
    let mut shown = Snapshot::default();
    for line in lines(read) {
        shown.apply(&line);
    }
    shown.rows()
}

fn row(col: usize) -> Vec<String> {
    vec![String::from_utf8(picture(col)).unwrap().trim_end().to_owned()]
}

#[test]
fn a_new_reader_gets_a_whole_picture_and_then_each_change_once() {
    let mut stream = stream(0);
    let first = stream.read(Position::default(), START, Audience::Player).unwrap();
    assert_eq!(shown(&first), row(0));
    assert_eq!(stream.read(first.position, START, Audience::Player), None);

    step(&mut stream, START, 1);
    let second = stream.read(first.position, START, Audience::Player).unwrap();
    assert_eq!(second.text.as_str(), r#"{"seq":2,"set":[[0,".@"]]}"#);
    assert_eq!(stream.read(second.position, START, Audience::Player), None);
}

#[test]
fn a_reader_that_comes_back_gets_exactly_what_it_missed_in_one_text() {
    let mut stream = stream(0);
    (1..=5).for_each(|col| step(&mut stream, START, col));
    let since = Since { stream: "map-1".into(), seq: 3 };
    let position = stream.position(Some(&since));
    let missed = stream.read(position, START, Audience::Player).unwrap();
    let numbers: Vec<u64> = lines(&missed).iter().map(|line| line.seq).collect();
    assert_eq!(numbers, [4, 5, 6]);
    assert!(lines(&missed).iter().all(|line| line.whole.is_none()));
    assert_eq!(missed.position, at(6));
}

#[test]
fn numbers_of_another_stream_or_of_the_future_mean_nothing() {
    let mut stream = stream(0);
    step(&mut stream, START, 1);
    for (name, seq) in [("map-0", 2), ("map-1", 3)] {
        let since = Since { stream: name.into(), seq };
        let position = stream.position(Some(&since));
        assert_eq!(position, Position::default());
        assert_eq!(shown(&stream.read(position, START, Audience::Player).unwrap()), row(1));
    }
}

#[test]
fn a_position_that_is_too_old_gets_a_whole_picture() {
    let mut stream = stream(0);
    (1..=1000).for_each(|col| step(&mut stream, START, col));
    let read = stream.read(at(1), START, Audience::Player).unwrap();
    assert_eq!((lines(&read).len(), read.position), (1, at(1001)));
    assert_eq!(shown(&read), row(1000));
}

#[test]
fn a_slow_reader_gets_at_most_about_a_picture() {
    let mut stream = stream(0);
    let whole = stream.read(Position::default(), START, Audience::Player).unwrap().text.len();
    let mut position = at(1);
    let mut col = 0;
    for burst in 0..300 {
        for _ in 0..burst {
            col += 1;
            step(&mut stream, START, col);
        }
        if let Some(read) = stream.read(position, START, Audience::Player) {
            assert!(read.text.len() <= whole + USUAL_DIFFERENCE, "{} bytes", read.text.len());
            position = read.position;
        }
        assert!(stream.lines.len() <= MAX_LINES && stream.bytes <= whole + USUAL_DIFFERENCE);
    }
}

/// Tolerance of the estimated size of a whole line: digits of `seq`, and the facts that the estimate counts.
const USUAL_DIFFERENCE: usize = 130;

#[test]
fn a_whole_picture_has_the_last_notice_that_the_reader_missed() {
    let mut stream = stream(0);
    stream.publish(START, &mut notice("first").into());
    stream.publish(START, &mut notice("second").into());
    (1..=1000).for_each(|col| step(&mut stream, START, col));
    let notice_of = |stream: &mut ViewStream, position| {
        let read = stream.read(position, START, Audience::Player).unwrap();
        lines(&read)[0].notice.clone()
    };
    assert_eq!(notice_of(&mut stream, at(1)).as_deref(), Some("second"));
    assert_eq!(notice_of(&mut stream, at(3)), None, "it has had it");
    assert_eq!(notice_of(&mut stream, Position::default()), None, "it is new here");
}

#[test]
fn what_a_view_knows_already_is_not_said_again() {
    let mut stream = stream(0);
    let line = StreamLine {
        gold: Some([0, 5, 245]),
        stage: Some(Stage::Playing),
        ..StreamLine::default()
    };
    assert!(stream.publish(START, &mut line.clone().into()));
    assert!(!stream.publish(START, &mut line.into()));
    let found = StreamLine { gold: Some([5, 5, 245]), ..StreamLine::default() };
    let mut publish = |line: StreamLine| stream.publish(START, &mut line.into());
    assert!(publish(found.clone()) && publish(found));
    assert_eq!(stream.current().facts().gold, Some([0, 5, 245]), "found once, not again");
}

#[test]
fn watchers_are_behind_by_the_delay_and_players_are_not() {
    let mut stream = stream(DELAY_MS);
    for col in 1..=60 {
        step(&mut stream, START.after(col * 1000), usize::try_from(col).unwrap());
    }
    let read = |stream: &mut ViewStream, second: u64, audience| {
        let now = START.after(second * 1000);
        stream.read(Position::default(), now, audience).as_ref().map(shown)
    };
    assert_eq!(read(&mut stream, 60, Audience::Player), Some(row(60)));
    let mut late = stream;
    assert_eq!(read(&mut late, 60, Audience::Watcher), Some(row(30)), "also the first picture");
    assert_eq!(read(&mut late, 61, Audience::Watcher), Some(row(31)));
    let next = late.read(at(32), START.after(63_500), Audience::Watcher).unwrap();
    assert_eq!(next.position, at(34));
    assert!(lines(&next).iter().all(|line| line.whole.is_none()), "changes only");
    assert_eq!(read(&mut late, 200, Audience::Watcher), Some(row(60)), "the end comes, too");
}

#[test]
fn watchers_wait_for_a_stream_that_is_younger_than_the_delay() {
    let mut stream = stream(DELAY_MS);
    step(&mut stream, START.after(10), 1);
    let almost = START.after(DELAY_MS - 1);
    assert_eq!(stream.read(Position::default(), almost, Audience::Watcher), None);
    let first = stream.read(Position::default(), START.after(DELAY_MS), Audience::Watcher);
    assert_eq!(shown(&first.unwrap()), row(0));
}

#[test]
fn a_player_who_becomes_a_watcher_never_sees_history_go_backwards() {
    let mut stream = stream(DELAY_MS);
    for col in 1..=10 {
        step(&mut stream, START.after(col * 1000), usize::try_from(col).unwrap());
    }
    assert_eq!(stream.read(at(8), START.after(35_000), Audience::Watcher), None);
    let read = stream.read(at(8), START.after(39_000), Audience::Watcher).unwrap();
    assert_eq!(lines(&read).iter().map(|line| line.seq).collect::<Vec<_>>(), [9, 10]);
}

#[test]
fn a_flood_of_moves_skips_pictures_of_watchers_but_never_shortens_the_delay() {
    let mut stream = stream(DELAY_MS);
    let mut now = START;
    let mut last = 0;
    for col in 0..150_000 {
        now = now.after(1);
        let mut set = TextRuns::default();
        set.push(0, &format!("{col:0>400}"));
        stream.publish(now, &mut StreamLine { set, ..StreamLine::default() }.into());
        assert!(stream.bytes <= delayed::MAX_PENDING_BYTES + 1000);
        if col % 1000 == 0
            && let Some(read) = stream.read(Position::default(), now, Audience::Watcher)
        {
            let drawn: u64 = shown(&read)[0].trim_start_matches(['.', '@']).parse().unwrap_or(0);
            assert!(last <= drawn && START.after(drawn + 1 + DELAY_MS) <= now);
            last = drawn;
        }
    }
    let read = stream.read(Position::default(), now.after(DELAY_MS), Audience::Watcher);
    assert!(shown(&read.unwrap())[0].ends_with("149999"));
}

#[test]
fn changes_at_any_columns_make_the_new_picture() {
    for cols in 1..=27 {
        let old = vec![b'.'; cols];
        let before = Snapshot::new(&old, cols);
        for (from, to) in (0..cols).flat_map(|from| (from..cols).map(move |to| (from, to))) {
            let mut new = old.clone();
            (new[from], new[to]) = (b'A', b'B');
            let set = before.changes(&new);
            let is_short = |(_, text): (u32, &str)| text.len() <= to - from + 1;
            assert!(set.iter().count() <= 2 && set.iter().all(is_short));
            let mut shown = before.clone();
            shown.apply(&StreamLine { set, ..StreamLine::default() });
            assert_eq!(shown.rows().concat().as_bytes(), new, "columns {from} and {to} of {cols}");
        }
        assert!(before.changes(&old).is_empty());
    }
}

#[test]
fn a_copy_has_the_same_lines_and_never_goes_back() {
    let mut copy = ViewStream::copy_of("s");
    let read = |copy: &mut ViewStream, seq| {
        copy.read(Position { seq }, Timestamp(0), Audience::Watcher)
            .map(|read| read.text.to_string())
    };
    assert_eq!(copy.follow(r#"{"seq":4,"steps":1}"#), Err(Gap), "a picture comes first");
    assert_eq!(read(&mut copy, None), None);
    let whole = r#"{"seq":7,"whole":["|@..|"],"gold":[0,0,9]}"#;
    copy.follow(whole).unwrap();
    assert_eq!(read(&mut copy, None).as_deref(), Some(whole));
    let since = Since { stream: "s".into(), seq: 8 };
    assert_eq!(copy.position(Some(&since)).seq, Some(8), "a client that was at a faster node");
    assert_eq!(read(&mut copy, Some(8)), None);
    let lines = [r#"{"seq":8,"steps":1, "new":1}"#, r#"{"seq":9,"steps":2}"#];
    for line in lines {
        copy.follow(line).unwrap();
    }
    assert_eq!(read(&mut copy, Some(7)), Some(lines.join("\n")), "unchanged");
    assert_eq!(read(&mut copy, Some(8)).as_deref(), Some(lines[1]));
    assert_eq!(copy.follow(r#"{"seq":11,"steps":3}"#), Err(Gap));
    copy.follow(r#"{"seq":20,"whole":["|.@.|"]}"#).unwrap();
    assert!(read(&mut copy, Some(9)).unwrap().starts_with(r#"{"seq":20,"whole""#));
}
