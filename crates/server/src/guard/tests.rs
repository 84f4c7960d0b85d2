//! The limits, one by one.

mod flood;
mod properties;

use super::*;

const START: Timestamp = Timestamp(5_000);
const PICTURE: usize = 1700;

/// With four seats for one source.
fn guard() -> Guard {
    Guard::new(Limits { seats_per_source: Some(4), ..Limits::default() }, [7; 16])
}

fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

/// A port of a host on a public network.
fn far(port: u16) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, 7], port))
}

/// Takes a seat as a room would grant it.
fn join(guard: &mut Guard, now: Timestamp, from: SocketAddr) -> Result<(), Refusal> {
    guard.admit(now, from, Admission::Join)?;
    guard.seat(now, from, Admission::Join);
    Ok(())
}

/// Takes the spectator's seat and releases the previous spectator.
fn watch(guard: &mut Guard, now: Timestamp, from: SocketAddr) -> Result<(), Refusal> {
    guard.admit(now, from, Admission::Watch)?;
    let spectators = guard.seats.iter().filter(|seat| seat.spectator_seats > 0);
    for last in spectators.map(|seat| seat.address).collect::<Vec<_>>() {
        guard.release(last, Admission::Watch);
    }
    guard.seat(now, from, Admission::Watch);
    Ok(())
}

/// Presses keys slowly until the address is proven; returns the time of the proof.
fn prove(guard: &mut Guard, now: Timestamp, from: SocketAddr) -> Timestamp {
    for step in 1..=5 {
        assert!(!guard.has_proven(from));
        guard.note_key(now.after(step * 400), from);
    }
    assert!(guard.has_proven(from));
    now.after(2000)
}

/// Counts the pictures that may be sent before the first that may not.
fn pictures(guard: &mut Guard, now: Timestamp, to: SocketAddr) -> usize {
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
    // This limit does not apply to watching.
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
        assert_eq!(
            guard.admit(START, far(1), Admission::Join),
            Ok(()),
            "the room found no seat for it"
        );
    }
}

#[test]
fn a_player_is_welcomed_again_twice_in_a_second() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    assert_eq!(guard.admit(START, far(1), Admission::JoinAgain), Ok(()));
    assert_eq!(guard.admit(START, far(1), Admission::JoinAgain), Ok(()));
    assert_eq!(guard.admit(START, far(1), Admission::JoinAgain), Err(Refusal::TooFast));
    assert_eq!(guard.admit(START.after(500), far(1), Admission::JoinAgain), Ok(()));
    // Other peers have their own limits.
    assert_eq!(join(&mut guard, START, far(2)), Ok(()));
}

#[test]
fn the_spectators_seat_changes_hands_five_times_in_a_second() {
    let mut guard = guard();
    let host = |n: u8| SocketAddr::from(([203, 0, 113, n], 9));
    assert!((0..5).all(|n| watch(&mut guard, START, host(n)) == Ok(())));
    assert_eq!(watch(&mut guard, START, host(5)), Err(Refusal::TooFast));
    assert_eq!(join(&mut guard, START, host(5)), Ok(()), "joins have another limit");
    assert_eq!(watch(&mut guard, START.after(200), host(6)), Ok(()));
}

#[test]
fn addresses_that_no_answer_can_reach_are_refused() {
    let mut guard = Guard::new(Limits::none(), [0; 16]);
    for nobody in ["0.0.0.0:9", "8.8.8.8:0", "224.0.0.1:9", "255.255.255.255:9", "[ff02::1]:9"] {
        assert_eq!(guard.admit(START, at(nobody), Admission::Join), Err(Refusal::NoAddress));
        assert_eq!(guard.admit(START, at(nobody), Admission::Watch), Err(Refusal::NoAddress));
        assert!(!guard.may_send(START, at(nobody), 1));
    }
}

#[test]
fn an_unproven_player_is_sent_32_kb_in_all() {
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
fn keys_over_time_prove_that_a_client_listens() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    // Many at once count as one.
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
    assert!(free, "a proven address has no byte budget");
    assert!(!guard.has_proven(far(2)), "another port is another address");
}

#[test]
fn keys_without_a_seat_prove_nothing() {
    let mut guard = guard();
    for step in 0..100 {
        guard.note_key(START.after(step * 1000), far(1));
    }
    assert!(!guard.has_proven(far(1)));
    join(&mut guard, START.after(100_000), far(1)).unwrap();
    prove(&mut guard, START.after(100_000), far(1));
}

#[test]
fn a_spectator_can_prove_that_it_listens() {
    let mut guard = guard();
    watch(&mut guard, START, far(1)).unwrap();
    assert_eq!(pictures(&mut guard, START, far(1)), 19);
    let now = prove(&mut guard, START, far(1));
    assert!(guard.may_send(now, far(1), PICTURE));
    guard.release(far(1), Admission::Watch);
    assert!(!guard.has_proven(far(1)));
}

#[test]
fn watching_again_does_not_refill_the_byte_budget() {
    let mut guard = guard();
    let mut sent = 0;
    for step in 0..100 {
        let now = START.after(step * 1000);
        for port in [1, 2] {
            watch(&mut guard, now, far(port)).unwrap();
            sent += PICTURE * usize::from(guard.may_send(now, far(port), PICTURE));
        }
    }
    assert!(sent <= 33 * 1024, "{sent} bytes, with what is refilled in 100 s");
    // Nor does joining.
    join(&mut guard, START.after(100_000), far(1)).unwrap();
    assert!(pictures(&mut guard, START.after(100_000), far(1)) <= 1);
}

#[test]
fn an_address_without_a_seat_is_sent_4_kb_per_hour() {
    let mut guard = guard();
    let complaints = (0..1000).filter(|_| guard.may_send(START, far(1), 40)).count();
    assert_eq!(complaints, 4096 / 40);
    assert!(!guard.may_send(START, far(2), 40), "another port is the same source");
    join(&mut guard, START, far(1)).unwrap();
    assert_eq!(pictures(&mut guard, START, far(1)), (32 * 1024 - 4080) / PICTURE);
    assert!(guard.may_send(START.after(3_700_000), far(2), 4096), "an hour later");
}

#[test]
fn all_unproven_addresses_share_4_mbit_per_second() {
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
fn addresses_without_a_seat_leave_bytes_to_those_with_one() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    for n in 0..10_000_u16 {
        let [a, b] = n.to_be_bytes();
        guard.may_send(START, SocketAddr::from(([45, 0, a, b], 9)), 1000);
    }
    assert!(
        !guard.may_send(START, at("46.0.0.1:9"), 100),
        "addresses without a seat have used their part"
    );
    assert_eq!(pictures(&mut guard, START, far(1)), 19);
}

#[test]
fn this_machine_and_private_networks_are_not_limited() {
    let mut guard = guard();
    for ip in ["127.0.0.1", "[::1]", "10.1.2.3", "192.168.0.9", "[fd00::1]", "[::ffff:10.0.0.1]"] {
        let host = at(&format!("{ip}:9"));
        for _ in 0..1000 {
            assert_eq!(guard.admit(START, host, Admission::Join), Ok(()));
            assert_eq!(guard.admit(START, host, Admission::Watch), Ok(()));
            assert!(guard.may_send(START, host, 60_000));
        }
    }
    for port in 1..=26 {
        let host = SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(join(&mut guard, START, host), Ok(()));
    }
}

#[test]
fn private_networks_can_be_limited() {
    let limits = Limits { trust_private: false, ..Limits::default() };
    let mut guard = Guard::new(limits, [7; 16]);
    let host = at("127.0.0.1:9");
    join(&mut guard, START, host).unwrap();
    assert_eq!(pictures(&mut guard, START, host), 19);
}

#[test]
fn without_limits_nothing_is_refused() {
    let mut guard = Guard::new(Limits::none(), [7; 16]);
    for port in 1..=26 {
        assert_eq!(join(&mut guard, START, far(port)), Ok(()));
        assert_eq!(watch(&mut guard, START, far(100 + port)), Ok(()));
        assert!((0..1000).all(|_| guard.may_send(START, far(port), 60_000)));
    }
}

#[test]
fn an_address_in_two_rooms_keeps_its_entry_until_both_have_released_it() {
    let mut guard = guard();
    join(&mut guard, START, far(1)).unwrap();
    let now = prove(&mut guard, START, far(1));
    join(&mut guard, now, far(1)).unwrap();
    watch(&mut guard, now.after(1_000), far(1)).unwrap();
    assert_eq!(guard.players_of(SourceKey::of(far(1))), 2, "the limit of seats is for all rooms");
    for admission in [Admission::Watch, Admission::Join] {
        guard.release(far(1), admission);
        assert!(guard.has_proven(far(1)), "{admission:?}");
    }
    assert_eq!(guard.players_of(SourceKey::of(far(1))), 1);
    guard.release(far(1), Admission::Join);
    assert!(!guard.has_proven(far(1)) && guard.seats.is_empty());
    guard.release(far(1), Admission::Join);
}

#[test]
fn a_guard_has_memory_for_all_seats_of_its_rooms_and_no_more() {
    let mut guard = Guard::new(Limits::none(), [7; 16]).with_rooms(3);
    for port in 1..=100 {
        guard.seat(START, far(port), Admission::Join);
    }
    assert_eq!(guard.seats.len(), 3 * 27);
}

#[test]
fn a_spectator_of_two_rooms_keeps_its_entry_until_both_have_released_it() {
    let mut guard = guard();
    for _ in 0..2 {
        guard.seat(START, far(1), Admission::Watch);
    }
    prove(&mut guard, START, far(1));
    guard.release(far(1), Admission::Watch);
    assert!(guard.has_proven(far(1)));
    guard.release(far(1), Admission::Watch);
    assert!(!guard.has_proven(far(1)));
}

/// Otherwise an attacker could target the buckets of another source.
#[test]
fn the_buckets_of_a_source_depend_on_the_key_and_on_their_use() {
    assert_ne!(derived([7; 16], b"bytes"), derived([8; 16], b"bytes"));
    assert_ne!(derived([7; 16], b"bytes"), derived([7; 16], b"joins"));
}

/// A class behind one router, or a home, needs fewer seats. The rest of the 26 letters are for others.
#[test]
fn one_address_has_at_most_20_seats_also_in_a_private_network_but_not_on_this_machine() {
    for text in ["203.0.113.7", "192.168.1.7", "fd00::7"] {
        let mut guard = Guard::new(Limits { joins_per_s: None, ..Limits::default() }, [7; 16]);
        let host = |port| SocketAddr::new(text.parse().unwrap(), port);
        for port in 1..=20 {
            assert_eq!(join(&mut guard, START, host(port)), Ok(()), "{text}");
        }
        assert_eq!(join(&mut guard, START, host(21)), Err(Refusal::NoSeatLeft), "{text}");
        assert_eq!(join(&mut guard, START, at("203.0.113.99:1")), Ok(()), "others may join");
    }
    let mut guard = Guard::new(Limits::default(), [7; 16]);
    for port in 1..=26 {
        assert_eq!(join(&mut guard, START, SocketAddr::from(([127, 0, 0, 1], port))), Ok(()));
    }
}

#[test]
fn allowed_networks_are_exempt_from_all_limits() {
    let allow = vec!["203.0.113.0/24".parse().unwrap()];
    let mut guard =
        Guard::new(Limits { allow, trust_private: false, ..Limits::default() }, [7; 16]);
    for port in 1..=26 {
        assert_eq!(join(&mut guard, START, far(port)), Ok(()));
        assert!(guard.may_send(START, far(port), 60_000));
    }
    assert!(guard.is_trusted(far(1)) && !guard.is_trusted(at("203.0.114.7:1")));
}

#[test]
fn a_banned_source_is_refused_whatever_it_asks_for_until_it_is_unbanned() {
    let mut guard = Guard::new(Limits::none(), [7; 16]);
    let host = at("[2001:db8:1:2::3]:9");
    assert!(guard.ban("2001:db8:1:2::4".parse().unwrap()), "the same network");
    for admission in
        [Admission::Join, Admission::Watch, Admission::JoinAgain, Admission::WatchAgain]
    {
        assert_eq!(guard.admit(START, host, admission), Err(Refusal::Banned));
        assert_eq!(guard.admit(START, far(1), admission), Ok(()));
    }
    assert!(guard.unban(host.ip()) && !guard.unban(host.ip()));
    assert_eq!(guard.admit(START, host, Admission::Join), Ok(()));
}

#[test]
fn the_number_of_bans_is_bounded() {
    let mut guard = guard();
    let address = |number: u32| IpAddr::from(number.to_be_bytes());
    let fits = u32::try_from(MAX_BANNED).unwrap();
    assert!((0..fits).all(|number| guard.ban(address(number))));
    assert!(!guard.ban(address(fits)));
    assert!(guard.ban(address(0)), "it is banned already");
}
