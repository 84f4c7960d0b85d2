//! What must be stored before a game goes to another node, and what comes too late.

use super::*;

#[test]
fn a_game_is_handed_over_when_everything_is_stored() {
    let (mut bench, _created) = Bench::with_game("one");
    let condition = nuggets_cluster::Condition::Ready;
    bench.input(Input::Heartbeat(Heartbeat { from: node("two"), load: 0, condition }));
    bench.input(Input::Drain);
    for _ in 0..20 {
        bench.tick();
    }
    assert!(orders(&bench.take()).is_empty(), "the successor has not read the log");
    let prepared = NodeMessage::Words(Words::Prepared { game: game() });
    bench.input(Input::Message(node("two"), prepared));
    bench.tick();
    let asked = orders(&bench.take());
    let [RelayOrder { tag, what: RelayInput::SetFrozen(true) }] = &asked[..] else {
        panic!("{asked:?}");
    };
    let (tag, journal) = (Some(*tag), b"the last move".to_vec());
    bench.output(GameOutput { tag, journal, ..GameOutput::default() });
    bench.tick();
    let of_game = Some(log_of(game()));
    let is_append = |(log, _): &(Option<LogName>, EngineRequest)| *log == of_game;
    assert!(!bench.requests.is_empty() && bench.requests.iter().all(is_append));
    bench.answer_all();
    let record = bench.driver.node.ownership(&log_of(game())).unwrap();
    assert_eq!((&record.owner, record.epoch), (&node("two"), Epoch(2)));
    assert_eq!(bench.brokers.stored[&game_subject().to_string()].len(), 3, "with the move");
}

#[test]
fn what_a_game_did_in_an_earlier_epoch_is_dropped() {
    let (mut bench, _created) = Bench::with_game("one");
    let (game, journal) = (Some(game()), b"late".to_vec());
    bench.input(Input::Output(GameOutput { game, epoch: 0, journal, ..GameOutput::default() }));
    assert!(bench.requests.is_empty(), "nothing is appended: {:?}", bench.requests);
}
