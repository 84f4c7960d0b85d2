//! Watchers and streams that are driven by the host.

use nuggets_record::Recording;

use super::*;
use crate::Delivery;

fn hosted(delivery: Delivery) -> Talk {
    let options = RoomOptions { reliability: Reliability::default(), ..RoomOptions::default() };
    let mut talk = Talk::recorded(options, Hosting::default());
    talk.transport.delivery = delivery;
    talk
}

#[test]
fn watchers_are_sent_messages_but_not_stored() {
    let mut talk = hosted(Delivery::Datagram);
    talk.hear('a', b"PLAY Ann");
    let stored = talk.host.storage().journal.clone();
    talk.host.handle_watch(peer('w'), Viewer::Spectator).unwrap();
    let sent = talk.flush();
    assert!(sent.iter().all(|text| text.starts_with("w> ")), "{sent:?}");
    assert_eq!(sent.len(), 3, "GRID, GOLD and DISPLAY");
    talk.host.handle_disconnect(&mut talk.transport, peer('w'));
    assert_eq!(talk.flush(), [""; 0]);
    assert_eq!(talk.host.storage().journal, stored);
    let reading = Recording::read(&stored).unwrap();
    let room = Room::resume(&reading, MemoryTransport::restore).unwrap();
    assert_eq!((room.seat_count(), room.watcher_count()), (1, 0));
}

#[test]
fn the_transport_decides_which_seats_get_resends() {
    for (delivery, resends) in [(Delivery::Datagram, 3), (Delivery::Stream, 0)] {
        let mut talk = hosted(delivery);
        talk.hear('a', b"PLAY Ann");
        assert_eq!(talk.wait(10_000).len(), resends, "{delivery:?}");
    }
}

#[test]
fn a_player_who_comes_back_over_a_stream_gets_no_more_resends() {
    let mut talk = hosted(Delivery::Datagram);
    talk.hear('a', b"PLAY Ann");
    talk.host.handle_disconnect(&mut talk.transport, peer('a'));
    talk.transport.delivery = Delivery::Stream;
    talk.host.handle_reconnect(&mut talk.transport, peer('a'));
    let sent = talk.flush();
    assert_eq!((sent.len(), &sent[0][..]), (4, "a> OK A"), "everything is sent again");
    assert_eq!(talk.wait(10_000), [] as [Vec<String>; 0]);
}
