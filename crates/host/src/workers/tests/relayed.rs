//! A game whose output is handed over instead of sent.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::*;
use crate::workers::relay::{GameOutput, RelayInput, RelayStorage};

const LIMIT: Duration = Duration::from_secs(60);

fn open(workers: &Workers) -> Receiver<GameOutput> {
    let (sender, outputs) = std::sync::mpsc::channel();
    open_with(workers, 1, move |output| drop(sender.send(output)));
    outputs
}

fn open_with(workers: &Workers, number: u8, sink: impl Fn(GameOutput) + Send + Sync + 'static) {
    let journal = RelayStorage::default();
    let storage = journal.storage();
    let relay = Some(Relay { epoch: 7, sink: Arc::new(sink), journal });
    workers.open_game(WorkerGame { storage, relay, ..game(number, Memory::default()) });
}

/// The output that answers this order; what the game did by itself before is passed over.
fn answer(outputs: &Receiver<GameOutput>, tag: u64) -> GameOutput {
    loop {
        let output = outputs.recv_timeout(LIMIT).unwrap();
        assert_eq!(output.epoch, 7);
        if output.tag == Some(tag) {
            return output;
        }
    }
}

fn order(workers: &Workers, tag: u64, what: RelayInput) {
    workers.relay(id(1), RelayOrder { tag, what });
}

#[test]
fn every_order_is_answered_with_all_that_it_did_and_nothing_is_reported() {
    let (workers, mut reports) = start();
    let outputs = open(&workers);
    let opened = outputs.recv_timeout(LIMIT).unwrap();
    assert!(!opened.journal.is_empty(), "the head of the journal");
    assert!(matches!(opened.reports[0], GameReport::Opened { .. }));
    let ann = ConnectionId(1);
    let attach = Attach {
        connection: ann,
        person: PlayerId(1),
        name: "Ann".into(),
        role: AttachRole::Play,
        is_creator: false,
    };
    order(&workers, 1, RelayInput::Attach(attach));
    let joined = answer(&outputs, 1);
    assert!(joined.attached.is_some_and(|attached| attached.is_ok()));
    assert!(!joined.journal.is_empty(), "the seat");
    assert!(joined.lines.is_empty(), "nobody shows a view");
    order(&workers, 2, RelayInput::Show(Some('A')));
    let shown = answer(&outputs, 2);
    assert!(matches!(&shown.lines[..], [lines] if lines.is_whole && lines.view == Some('A')));
    for (tag, key) in (3..).zip("hljkyubn".chars()) {
        order(&workers, tag, RelayInput::Key(ann, key));
        let pressed = answer(&outputs, tag);
        assert_eq!(pressed.journal.is_empty(), pressed.lines.is_empty(), "{pressed:?}");
        assert!(pressed.lines.iter().all(|lines| !lines.is_whole));
    }
    order(&workers, 20, RelayInput::Show(Some('A')));
    assert!(answer(&outputs, 20).lines[0].is_whole, "an edge has missed something");
    order(&workers, 21, RelayInput::Hide(Some('A')));
    order(&workers, 22, RelayInput::End);
    answer(&outputs, 21);
    assert!(answer(&outputs, 22).lines.is_empty(), "it is not shown any more");
    assert!(reports.try_recv().is_err(), "reports are part of the output");
}

#[test]
fn a_frozen_game_does_nothing_by_itself() {
    let (workers, _reports) = start();
    let (sender, outputs) = std::sync::mpsc::channel();
    let journal = RelayStorage::default();
    let storage = journal.storage();
    let sink = Arc::new(move |output: GameOutput| drop(sender.send(output)));
    let relay = Some(Relay { epoch: 7, sink, journal });
    let mut with_bots = WorkerGame { storage, relay, ..game(1, Memory::default()) };
    with_bots.meta.bots = Bots { count: 3, pace_ms: 100, ..Bots::default() };
    workers.open_game(with_bots);
    order(&workers, 1, RelayInput::Show(None));
    answer(&outputs, 1);
    let is_of_bot = |output: &GameOutput| output.tag.is_none() && !output.journal.is_empty();
    while !is_of_bot(&outputs.recv_timeout(LIMIT).unwrap()) {}
    order(&workers, 2, RelayInput::SetFrozen(true));
    answer(&outputs, 2);
    let by_itself = outputs.recv_timeout(Duration::from_secs(3));
    assert!(by_itself.is_err(), "the bots wait: {by_itself:?}");
    order(&workers, 3, RelayInput::SetFrozen(false));
    answer(&outputs, 3);
    while !is_of_bot(&outputs.recv_timeout(LIMIT).unwrap()) {}
}

#[test]
fn an_order_to_a_game_that_was_closed_does_not_reach_its_next_opening() {
    let (reports, _reported) = unbounded_channel();
    let workers = Workers::start(2, reports);
    let outputs = open(&workers);
    outputs.recv_timeout(LIMIT).unwrap();
    // The thread of the game is held by another one, so that the order waits there.
    open_with(&workers, 2, drop);
    let (held, holding) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    open_with(&workers, 3, move |output| {
        held.send(output.tag).unwrap();
        // The end of the test releases it, too.
        let _ = released.lock().unwrap().recv();
    });
    assert_eq!(holding.recv_timeout(LIMIT), Ok(None), "it was opened");
    order(&workers, 1, RelayInput::Notice("late".into()));
    workers.close_game(id(2));
    workers.close_game(id(1));
    let outputs = open(&workers);
    outputs.recv_timeout(LIMIT).unwrap();
    drop(release);
    workers.relay(id(3), RelayOrder { tag: 2, what: RelayInput::SetFrozen(true) });
    assert_eq!(holding.recv_timeout(LIMIT), Ok(Some(2)), "the order before it was brought");
    order(&workers, 3, RelayInput::SetFrozen(true));
    let tags = std::iter::from_fn(|| outputs.recv_timeout(LIMIT).ok()).filter_map(|it| it.tag);
    assert_eq!(tags.take(1).collect::<Vec<_>>(), [3]);
}
