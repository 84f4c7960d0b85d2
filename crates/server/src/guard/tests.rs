//! The limits, one by one.

mod flood;
mod properties;

use super::*;

const START: Millis = Millis(5_000);
const PICTURE: usize = 1700;

fn guard() -> Guard {
    Guard::new(Limits::default(), [7; 16])
}

fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

/// The nth port of a host somewhere in the world.
fn far(port: u16) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, 7], port))
}

/// Takes a seat as the room would give it.
fn join(guard: &mut Guard, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
    guard.may_join(now, from)?;
    guard.seat_player(now, from);
    Ok(())
}

fn watch(guard: &mut Guard, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
    guard.may_watch(now, from)?;
    guard.seat_spectator(now, from);
    Ok(())
}

/// Presses keys slowly until it is taken to listen; tells when.
fn prove(guard: &mut Guard, now: Millis, from: SocketAddr) -> Millis {
    for step in 1..=5 {
        assert!(!guard.has_proven(from));
        guard.note_key(now.after(step * 400), from);
    }
    assert!(guard.has_proven(from));
    now.after(2000)
}

/// How many pictures get through before the first that doesn't.
fn pictures(guard: &mut Guard, now: Millis, to: SocketAddr) -> usize {
    (0..1_000_000).take_while(|_| guard.may_send(now, to, PICTURE)).count()
}

#[test]
fn two_join_from_one_address_in_a_second() {
    let mut guard = guard();
    assert_eq!(join(&mut guard, START, far(1)), Ok(()));
    assert_eq!(join(&mut guard, START, far(2)), Ok(()));
    assert_eq!(join(&mut guard, START.after(499), far(3)), Err(Refusal::TooFast));
    assert_eq!(join(&mut guard, START.after(499), at("203.0.113.8:3")), Ok(()));
    assert_eq!(join(&mut guard, START.after(500), far(3)), Ok(()));
}

#[test]
fn four_play_from_one_address_over_the_whole_game() {
    let mut guard = guard();
    for port in 1..=4 {
        let now = START.after(u64::from(port) * 1000);
        assert_eq!(join(&mut guard, now, far(port)), Ok(()));
    }
    let later = START.after(86_400_000);
    assert_eq!(join(&mut guard, later, far(5)), Err(Refusal::NoSeatLeft));
    assert_eq!(join(&mut guard, later, at("203.0.113.8:5")), Ok(()));
    // Whoever wants to watch may.
    assert_eq!(watch(&mut guard, later, far(5)), Ok(()));
}

#[test]
fn an_ipv6_network_counts_as_one_address() {
    let mut guard = guard();
    for (step, ip) in (0_u64..).zip(["2001:db8::1", "2001:db8::2", "2001:db8::3:4", "2001:db8::9"])
    {
        assert_eq!(join(&mut guard, START.after(step * 1000), at(&format!("[{ip}]:1"))), Ok(()));
    }
    let later = START.after(60_000);
    assert_eq!(join(&mut guard, later, at("[2001:db8::77]:1")), Err(Refusal::NoSeatLeft));
    assert_eq!(join(&mut guard, later, at("[2001:db8:0:1::77]:1")), Ok(()));
}

#[test]
fn a_refused_join_costs_nothing() {
    let mut guard = guard();
    for _ in 0..1000 {
        assert_eq!(guard.may_join(START, far(1)), Ok(()), "the room found no seat for it");
    }
}

#[test]
fn a_player_is_welcomed_again_twice_in_a_second() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    assert_eq!(guard.may_join(START, far(1)), Ok(()));
    assert_eq!(guard.may_join(START, far(1)), Ok(()));
    assert_eq!(guard.may_join(START, far(1)), Err(Refusal::TooFast));
    assert_eq!(guard.may_join(START.after(500), far(1)), Ok(()));
    // That is its own affair.
    assert_eq!(join(&mut guard, START, far(2)), Ok(()));
}

#[test]
fn the_spectators_seat_changes_hands_five_times_in_a_second() {
    let mut guard = guard();
    let host = |n: u8| SocketAddr::from(([203, 0, 113, n], 9));
    assert!((0..5).all(|n| watch(&mut guard, START, host(n)) == Ok(())));
    assert_eq!(watch(&mut guard, START, host(5)), Err(Refusal::TooFast));
    assert_eq!(join(&mut guard, START, host(5)), Ok(()), "playing is another thing");
    assert_eq!(watch(&mut guard, START.after(200), host(6)), Ok(()));
}

#[test]
fn addresses_that_no_answer_reaches_stay_out() {
    let mut guard = Guard::new(Limits::none(), [0; 16]);
    for nobody in ["0.0.0.0:9", "8.8.8.8:0", "224.0.0.1:9", "255.255.255.255:9", "[ff02::1]:9"] {
        assert_eq!(guard.may_join(START, at(nobody)), Err(Refusal::NoAddress));
        assert_eq!(guard.may_watch(START, at(nobody)), Err(Refusal::NoAddress));
        assert!(!guard.may_send(START, at(nobody), 1));
    }
}

#[test]
fn keys_beyond_the_rate_are_left_unread_and_complained_of_once_in_a_second() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    // 1,000 a second, for ten seconds.
    let (mut read, mut told) = (0, 0);
    for step in 0..10_000 {
        match guard.hear(START.after(step), far(1)) {
            Heard::Yes => read += 1,
            Heard::TooFast { say_so } => told += u32::from(say_so),
        }
    }
    assert!((1190..=1200).contains(&read), "{read}: 100 a second and 200 at once");
    assert!((9..=10).contains(&told), "{told}");
    // The others don't feel it.
    join(&mut guard, START.after(10_000), far(2)).unwrap();
    assert_eq!(guard.hear(START.after(10_000), far(2)), Heard::Yes);
}

#[test]
fn a_steady_hundred_keys_a_second_are_all_read() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    assert!((0..5000).all(|n| guard.hear(START.after(n * 10), far(1)) == Heard::Yes));
}

#[test]
fn a_player_who_has_not_shown_that_it_listens_is_sent_32_kb_in_all() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    assert_eq!(pictures(&mut guard, START, far(1)), 19);
    let rest = 32 * 1024 - 19 * PICTURE;
    assert!(guard.may_send(START, far(1), rest));
    for later in [1, 1000, 86_400_000, u64::MAX] {
        assert!(!guard.may_send(START.after(later), far(1), 1), "in all");
    }
}

#[test]
fn keys_over_time_show_that_somebody_listens() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    // Many at once are one.
    for _ in 0..100 {
        guard.note_key(START.after(400), far(1));
    }
    assert!(!guard.has_proven(far(1)));
    let later = START.after(400);
    for step in 1..=4 {
        assert!(!guard.has_proven(far(1)));
        guard.note_key(later.after(step * 400), far(1));
    }
    assert!(guard.has_proven(far(1)));
    let free = (0..100_000).all(|_| guard.may_send(START.after(2000), far(1), PICTURE));
    assert!(free, "from then on nothing is counted");
    assert!(!guard.has_proven(far(2)), "another port is another address");
}

#[test]
fn keys_of_strangers_show_nothing() {
    let mut guard = guard();
    for step in 0..100 {
        guard.note_key(START.after(step * 1000), far(1));
    }
    assert!(!guard.has_proven(far(1)));
    join(&mut guard, START.after(100_000), far(1)).unwrap();
    prove(&mut guard, START.after(100_000), far(1));
}

#[test]
fn a_spectator_may_show_that_it_listens_too() {
    let mut guard = guard();
    watch(&mut guard, START, far(1)).unwrap();
    assert_eq!(pictures(&mut guard, START, far(1)), 19);
    let now = prove(&mut guard, START, far(1));
    assert!(guard.may_send(now, far(1), PICTURE));
    guard.unseat_spectator();
    assert!(!guard.has_proven(far(1)));
}

#[test]
fn watching_again_does_not_bring_the_32_kb_again() {
    let mut guard = guard();
    let mut sent = 0;
    for step in 0..100 {
        let now = START.after(step * 1000);
        for port in [1, 2] {
            watch(&mut guard, now, far(port)).unwrap();
            sent += PICTURE * usize::from(guard.may_send(now, far(port), PICTURE));
        }
    }
    assert!(sent <= 33 * 1024, "{sent} bytes, with what is forgiven in 100 s");
    // Nor does playing.
    join(&mut guard, START.after(100_000), far(1)).unwrap();
    assert!(pictures(&mut guard, START.after(100_000), far(1)) <= 1);
}

#[test]
fn a_stranger_is_sent_4_kb_in_an_hour_and_leaves_the_rest_to_its_player() {
    let mut guard = guard();
    let complaints = (0..1000).filter(|_| guard.may_send(START, far(1), 40)).count();
    assert_eq!(complaints, 4096 / 40);
    assert!(!guard.may_send(START, far(2), 40), "another port is the same source");
    join(&mut guard, START, far(1)).unwrap();
    assert_eq!(pictures(&mut guard, START, far(1)), (32 * 1024 - 4080) / PICTURE);
    assert!(guard.may_send(START.after(3_700_000), far(2), 4096), "an hour later");
}

#[test]
fn all_who_have_not_shown_that_they_listen_share_4_mbit_a_second() {
    let mut guard = guard();
    let mut sent = 0;
    for n in 0..100_000_u32 {
        let [_, a, b, c] = n.to_be_bytes();
        let to = SocketAddr::from(([45, a, b, c], 9));
        // Ten seconds.
        sent += 1500 * u64::from(guard.may_send(START.after(u64::from(n / 10)), to, 1500));
    }
    let most = 10 * 500_000 + 250_000;
    assert!((4_900_000..=most).contains(&sent), "{sent} bytes in ten seconds");
}

#[test]
fn strangers_leave_something_to_those_with_a_seat() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    for n in 0..10_000_u16 {
        let [a, b] = n.to_be_bytes();
        guard.may_send(START, SocketAddr::from(([45, 0, a, b], 9)), 1000);
    }
    assert!(!guard.may_send(START, at("46.0.0.1:9"), 100), "strangers have had their part");
    assert_eq!(pictures(&mut guard, START, far(1)), 19);
}

#[test]
fn this_machine_and_private_networks_are_free() {
    let mut guard = guard();
    for ip in ["127.0.0.1", "[::1]", "10.1.2.3", "192.168.0.9", "[fd00::1]", "[::ffff:10.0.0.1]"] {
        let host = at(&format!("{ip}:9"));
        for _ in 0..1000 {
            assert_eq!(guard.may_join(START, host), Ok(()));
            assert_eq!(guard.may_watch(START, host), Ok(()));
            assert!(guard.may_send(START, host, 60_000));
        }
    }
    for port in 1..=26 {
        let host = SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(join(&mut guard, START, host), Ok(()));
        assert!((0..1000).all(|_| guard.hear(START, host) == Heard::Yes));
    }
}

#[test]
fn private_networks_can_be_held_to_the_limits() {
    let limits = Limits { trust_private: false, ..Limits::default() };
    let mut guard = Guard::new(limits, [7; 16]);
    let host = at("127.0.0.1:9");
    join(&mut guard, START, host).unwrap();
    assert_eq!(pictures(&mut guard, START, host), 19);
}

#[test]
fn without_limits_everything_is_free() {
    let mut guard = Guard::new(Limits::none(), [7; 16]);
    for port in 1..=26 {
        assert_eq!(join(&mut guard, START, far(port)), Ok(()));
        assert_eq!(watch(&mut guard, START, far(100 + port)), Ok(()));
        assert!((0..1000).all(|_| guard.hear(START, far(port)) == Heard::Yes));
        assert!((0..1000).all(|_| guard.may_send(START, far(port), 60_000)));
    }
}
