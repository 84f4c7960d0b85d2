//! For any addresses and times nothing panics and no limit is exceeded.

use std::net::IpAddr;

use proptest::prelude::*;

use super::*;

fn address() -> impl Strategy<Value = SocketAddr> {
    // A few addresses that are drawn often, and arbitrary ones.
    let few = (0_u8..4, 0_u16..6).prop_map(|(n, port)| SocketAddr::from(([9, 9, 9, n], port)));
    let any = (any::<IpAddr>(), any::<u16>()).prop_map(SocketAddr::from);
    prop_oneof![3 => few, 1 => any]
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![8 => 0_u64..5000, 1 => any::<u64>(), 1 => Just(u64::MAX)].prop_map(Timestamp)
}

fn limit() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), Just(Some(0)), Just(Some(u32::MAX)), (0_u32..100).prop_map(Some)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let some = (limit(), limit(), limit(), limit(), limit(), any::<bool>());
    some.prop_map(|(joins, seats, spectators, bytes, bits, trust_private)| Limits {
        joins_per_s: joins,
        seats_per_source: seats,
        spectators_per_s: spectators,
        unproven_bytes: bytes,
        unproven_bits_per_s: bits,
        trust_private,
        allow: vec![],
    })
}

/// Performs one of all possible calls of a guard.
fn act(guard: &mut Guard, what: u8, now: Timestamp, who: SocketAddr, bytes: usize) {
    match what % 8 {
        0 => _ = join(guard, now, who),
        1 => _ = watch(guard, now, who),
        2 => guard.seat(now, who, Admission::Join),
        3 => guard.seat(now, who, Admission::Watch),
        4 => guard
            .release(who, if bytes.is_multiple_of(2) { Admission::Join } else { Admission::Watch }),
        5 => guard.note_key(now, who),
        6 => _ = guard.admit(now, who, Admission::JoinAgain),
        _ => _ = guard.may_send(now, who, bytes),
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_memory_is_bounded(
        limits in limits(),
        key in any::<[u8; 16]>(),
        acts in prop::collection::vec((any::<u8>(), any_time(), address(), any::<usize>()), 0..200),
    ) {
        let mut guard = Guard::new(limits, key);
        let memory = guard.memory_bytes();
        for (what, now, who, bytes) in acts {
            act(&mut guard, what, now, who, bytes);
        }
        prop_assert_eq!(guard.memory_bytes(), memory);
    }

    #[test]
    fn no_source_gets_more_seats_than_the_limit(
        tries in prop::collection::vec((any_time(), address()), 0..200),
    ) {
        let mut guard = guard();
        for (now, who) in tries {
            join(&mut guard, now, who).ok();
        }
        for seat in &guard.seats {
            let source = SourceKey::of(seat.address);
            prop_assert!(guard.players_of(source) <= 4 || seat.address.ip().to_canonical().is_loopback());
        }
    }

    #[test]
    fn without_time_passing_no_more_than_the_burst_is_sent(
        sends in prop::collection::vec((address(), 0_usize..65_536), 0..300),
    ) {
        let mut guard = guard();
        let mut sent = 0;
        for (to, bytes) in sends {
            if guard.may_send(START, to, bytes) && !guard.is_trusted(to) {
                sent += bytes;
            }
        }
        prop_assert!(sent <= 250_000);
    }
}
