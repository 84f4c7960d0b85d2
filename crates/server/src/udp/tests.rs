//! Effects that show only when datagrams arrive close together.

use nuggets_game::{Letter, Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;

use super::*;
use crate::{Limits, NoStorage};

fn host() -> Host<NoStorage> {
    let map = shipped::find("main").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021);
    Host::new(Room::new(&setup).unwrap(), NoStorage)
}

/// A socket that reports ICMP messages.
fn socket() -> UdpSocket {
    let socket = bind(Some(Ipv4Addr::LOCALHOST.into()), 0).unwrap();
    report_unreachable(&socket).unwrap();
    socket
}

/// An address at which no socket listens any more.
fn closed() -> SocketAddr {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn shell<'a>(
    socket: &'a UdpSocket,
    host: &'a mut Host<NoStorage>,
    peers: &'a mut Peers,
) -> Shell<'a, NoStorage> {
    let transport = UdpTransport { socket, is_v6: false, peers, has_failed: false };
    Shell { host, transport, errors: 0, has_stopped: false }
}

/// The recipients of the next messages.
#[derive(Default)]
struct Receivers(Vec<Peer>);

impl Transport for Receivers {
    fn name(&self, peer: Peer) -> String {
        format!("{peer:?}")
    }

    fn token(&self, peer: Peer) -> PeerToken {
        PeerToken::new(&peer.0.to_le_bytes()).unwrap()
    }

    fn send(&mut self, _: Timestamp, transmit: Transmit<'_>) {
        self.0.push(transmit.to);
    }
}

#[test]
fn an_unreachable_client_is_disconnected_also_while_messages_are_batched() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::default();
    let listening = UdpSocket::bind("127.0.0.1:0").unwrap();
    let ann_address = closed();
    let ann = peers.enter(ann_address);
    let bob = peers.enter(listening.local_addr().unwrap());
    let mut shell = shell(&socket, &mut host, &mut peers);
    shell.host.handle_message(&mut shell.transport, ann, b"PLAY Ann");
    shell.host.handle_message(&mut shell.transport, bob, b"PLAY Bob");
    for key in [b"KEY L", b"KEY H"].into_iter().cycle().take(60_000) {
        shell.host.handle_message(&mut shell.transport, bob, key);
        let mut receivers = Receivers::default();
        shell.host.flush(&mut receivers).unwrap();
        if receivers.0.contains(&bob) && !receivers.0.contains(&ann) {
            return;
        }
        // This call may report that the previous datagram came back.
        let _ = socket.send_to(b"GOLD 0 0 250", ann_address);
        std::thread::sleep(Duration::from_millis(1));
        shell.receive_batch(&mut [0; 100]).unwrap();
    }
    panic!("she is never disconnected");
}

/// An attacker can forge ICMP messages with any reason and in any number.
#[test]
fn icmp_messages_never_end_a_game() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::default();
    let mut shell = shell(&socket, &mut host, &mut peers);
    let too_large = || io::Error::from(Errno::EMSGSIZE);
    let mut excused = 0;
    for _ in 0..60_000 {
        let _ = socket.send_to(b"GOLD 0 0 250", closed());
        let errors = shell.errors;
        shell.handle_receive_error(too_large()).unwrap();
        excused += u32::from(shell.errors == errors);
        shell.errors = 0;
        if excused > 2 * MAX_ERRORS_IN_A_ROW {
            return;
        }
    }
    panic!("nothing comes back");
}

#[test]
fn a_socket_that_only_fails_ends_the_game() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::default();
    let mut shell = shell(&socket, &mut host, &mut peers);
    let fails = || io::Error::from(Errno::EBADF);
    assert!((0..MAX_ERRORS_IN_A_ROW).all(|_| shell.handle_receive_error(fails()).is_ok()));
    assert!(shell.handle_receive_error(fails()).is_err());
}

#[test]
fn the_table_of_addresses_stays_small_under_spoofed_sources() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::default();
    let mut shell = shell(&socket, &mut host, &mut peers);
    let ann = SocketAddr::from(([127, 0, 0, 1], 4000));
    shell.handle_datagram(ann, b"PLAY Ann");
    for port in 5000..6000 {
        let spoofed = SocketAddr::from(([127, 0, 0, 1], port));
        for says in [&b"KEY l"[..], b"SPECTATE", b"nonsense"] {
            shell.handle_datagram(spoofed, says);
            shell.host.flush(&mut Receivers::default()).unwrap();
            shell.transport.peers.forget_unseated(shell.host.room());
        }
        assert!(shell.transport.peers.find(ann).is_some());
    }
    let seats = shell.host.room().seat_count();
    assert_eq!((seats, shell.transport.peers.len()), (2, 2), "Ann and the last spectator");
}

#[test]
fn an_ipv4_client_is_the_same_peer_over_an_ipv6_socket() {
    let mut peers = Peers::default();
    let plain = peers.enter("192.0.2.7:4000".parse().unwrap());
    assert_eq!(peers.enter("[::ffff:192.0.2.7]:4000".parse().unwrap()), plain);
    let token = token("192.0.2.7:4000".parse().unwrap());
    assert_eq!(peers.restore(&token), Some(plain));
    assert_ne!(peers.enter("192.0.2.7:4001".parse().unwrap()), plain);
}

/// All waiting datagrams are read before anything else is done, however many there are.
#[test]
fn all_messages_that_wait_are_handled_in_one_round() {
    let socket = socket();
    let to = socket.local_addr().unwrap();
    let clients: Vec<UdpSocket> =
        (0..26).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    for client in &clients {
        client.send_to(b"PLAY Eve", to).unwrap();
    }
    let mut host = host();
    let mut peers = Peers::default();
    let mut shell = shell(&socket, &mut host, &mut peers);
    shell.wait(&Control::new().unwrap()).unwrap();
    shell.receive_waiting(&mut [0; 100], |_| true).unwrap();
    assert_eq!(shell.host.room().game().players().len(), 26);
    assert_eq!(shell.receive_batch(&mut [0; 100]).unwrap(), 0, "and nothing is left");
}

#[test]
fn a_request_to_stop_wakes_a_server_that_waits_for_nothing_else() {
    let socket = socket();
    let mut host = host();
    let control = Control::new().unwrap();
    std::thread::scope(|scope| {
        let served =
            scope.spawn(|| serve(&socket, &mut host, &mut Peers::default(), &control, |_| {}));
        control.stop();
        served.join().unwrap().unwrap();
    });
    assert!(host.room().is_closed());
}

fn letter(text: &str) -> Letter {
    match format!("kick {text}").parse() {
        Ok(OperatorRequest::Kick(letter)) => letter,
        other => panic!("{other:?}"),
    }
}

/// A shell with players at these addresses, and a spectator at the last.
fn join_all(shell: &mut Shell<'_, NoStorage>, addresses: &[&str]) {
    for address in addresses {
        shell.handle_datagram(address.parse().unwrap(), b"PLAY Eve");
    }
    shell.handle_datagram(
        addresses.last().unwrap().replace(":1", ":2").parse().unwrap(),
        b"SPECTATE",
    );
}

fn playing(shell: &Shell<'_, NoStorage>) -> String {
    let players = shell.host.room().game().players().iter();
    players
        .filter(|player| player.at().is_some())
        .map(|player| player.letter().to_string())
        .collect()
}

#[test]
fn a_player_is_kicked_and_its_address_may_join_with_another_client() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::new(Some(Guard::new(Limits::none(), [7; 16])));
    let mut shell = shell(&socket, &mut host, &mut peers);
    join_all(&mut shell, &["127.0.0.2:1", "127.0.0.3:1", "127.0.0.4:1"]);
    shell.handle_request(OperatorRequest::Kick(letter("B"))).unwrap();
    assert_eq!(playing(&shell), "AC");
    for missing in ["B", "Z"] {
        let reply = shell.handle_request(OperatorRequest::Kick(letter(missing)));
        assert_eq!(reply, Err(format!("there is no player {missing}: nobody is removed")));
    }
    shell.handle_datagram("127.0.0.3:2".parse().unwrap(), b"PLAY Eve");
    assert_eq!(playing(&shell), "ACD");
}

#[test]
fn a_ban_removes_all_clients_of_the_address_and_rejects_new_ones() {
    for request in [
        OperatorRequest::BanPlayer(letter("C")),
        OperatorRequest::BanAddress([127, 0, 0, 4].into()),
    ] {
        let socket = socket();
        let mut host = host();
        let mut peers = Peers::new(Some(Guard::new(Limits::none(), [7; 16])));
        let mut shell = shell(&socket, &mut host, &mut peers);
        join_all(&mut shell, &["127.0.0.2:1", "127.0.0.4:3", "127.0.0.4:1"]);
        assert!(shell.host.room().spectator().is_some());
        shell.handle_request(request).unwrap();
        assert_eq!(playing(&shell), "A");
        assert_eq!(shell.host.room().spectator(), None);
        shell.handle_datagram("127.0.0.4:5".parse().unwrap(), b"PLAY Eve");
        shell.handle_datagram("127.0.0.4:6".parse().unwrap(), b"SPECTATE");
        assert_eq!(shell.host.room().seat_count(), 3, "nobody new");
        shell.handle_request(OperatorRequest::Unban([127, 0, 0, 4].into())).unwrap();
        shell.handle_datagram("127.0.0.4:5".parse().unwrap(), b"PLAY Eve");
        assert_eq!(playing(&shell), "AD");
    }
}

#[test]
fn requests_arrive_in_order_and_any_other_byte_stops() {
    let control = Control::new().unwrap();
    control.handle().unwrap().send(b"").unwrap();
    assert!(control.take_request().is_none(), "an empty message is a trial");
    let requests =
        [OperatorRequest::Kick(letter("A")), OperatorRequest::BanAddress([1, 2, 3, 4].into())];
    for request in &requests {
        control.send(request.clone());
    }
    control.handle().unwrap().send(b"X").unwrap();
    let taken = std::iter::from_fn(|| control.take_request()).map(|asked| asked.request);
    let expected: Vec<OperatorRequest> =
        requests.into_iter().chain([OperatorRequest::Stop]).collect();
    assert_eq!(taken.collect::<Vec<_>>(), expected);
}

#[test]
fn the_operator_is_answered_with_what_was_done_or_why_not() {
    let socket = socket();
    let mut host = host();
    let mut peers = Peers::new(Some(Guard::new(Limits::none(), [7; 16])));
    let mut shell = shell(&socket, &mut host, &mut peers);
    join_all(&mut shell, &["127.0.0.2:1", "127.0.0.3:1"]);
    shell.handle_datagram("127.0.0.2:1".parse().unwrap(), b"KEY Q");
    let control = Control::new().unwrap();
    let status = control.ask(OperatorRequest::Status);
    let start = control.ask(OperatorRequest::Start);
    while let Some(asked) = control.take_request() {
        shell.handle_asked(asked);
    }
    let expected = "playing, 1 player, 250 of 250 nuggets left\n\
                    A 'Eve' at 127.0.0.2:1, 0 nuggets, has left\n\
                    B 'Eve' at 127.0.0.3:1, 0 nuggets\n\
                    the spectator is at 127.0.0.3:2";
    assert_eq!(status.recv().unwrap(), Ok(expected.to_owned()));
    assert_eq!(start.recv().unwrap(), Err("there is no game that waits for its start".to_owned()));
    assert_eq!(shell.handle_request(OperatorRequest::End), Ok("the game ends".to_owned()));
    assert_eq!(
        shell.handle_request(OperatorRequest::End),
        Err("the game is already over".to_owned())
    );
}
