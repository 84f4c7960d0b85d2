//! Whatever addresses and times come, nothing panics and no bound is passed.

use std::net::IpAddr;

use proptest::prelude::*;

use super::*;

fn address() -> impl Strategy<Value = SocketAddr> {
    // A few addresses that come often, and any.
    let few = (0_u8..4, 0_u16..6).prop_map(|(n, port)| SocketAddr::from(([9, 9, 9, n], port)));
    let any = (any::<IpAddr>(), any::<u16>()).prop_map(SocketAddr::from);
    prop_oneof![3 => few, 1 => any]
}

fn moment() -> impl Strategy<Value = Millis> {
    prop_oneof![8 => 0_u64..5000, 1 => any::<u64>(), 1 => Just(u64::MAX)].prop_map(Millis)
}

fn limit() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), Just(Some(0)), Just(Some(u32::MAX)), (0_u32..100).prop_map(Some)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let some = (limit(), limit(), limit(), limit(), limit(), limit(), any::<bool>());
    some.prop_map(|(joins, seats, spectators, keys, bytes, bits, trust_private)| Limits {
        joins_per_s: joins,
        seats_per_source: seats,
        spectators_per_s: spectators,
        keys_per_s: keys,
        unproven_bytes: bytes,
        unproven_bits_per_s: bits,
        trust_private,
    })
}

/// Everything that can be done with a guard.
fn act(guard: &mut Guard, what: u8, now: Millis, who: SocketAddr, bytes: usize) {
    match what % 8 {
        0 => _ = join(guard, now, who),
        1 => _ = watch(guard, now, who),
        2 => guard.seat_player(now, who),
        3 => guard.seat_spectator(now, who),
        4 => guard.unseat_spectator(),
        5 => guard.note_key(now, who),
        6 => _ = guard.hear(now, who),
        _ => _ = guard.may_send(now, who, bytes),
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_memory_stays(
        limits in limits(),
        key in any::<[u8; 16]>(),
        acts in prop::collection::vec((any::<u8>(), moment(), address(), any::<usize>()), 0..200),
    ) {
        let mut guard = Guard::new(limits, key);
        let memory = guard.memory_bytes();
        for (what, now, who, bytes) in acts {
            act(&mut guard, what, now, who, bytes);
        }
        prop_assert_eq!(guard.memory_bytes(), memory);
    }

    #[test]
    fn no_source_gets_more_seats_than_it_may(
        tries in prop::collection::vec((moment(), address()), 0..200),
    ) {
        let mut guard = guard();
        for (now, who) in tries {
            join(&mut guard, now, who).ok();
        }
        for seat in &guard.players {
            let source = Source::of(seat.address);
            prop_assert!(guard.seats_of(source) <= 4 || guard.is_trusted(seat.address));
        }
    }

    #[test]
    fn while_time_stands_still_no_more_than_the_burst_goes_out(
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
