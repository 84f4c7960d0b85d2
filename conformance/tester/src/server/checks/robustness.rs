//! Floods, vanishing clients, long names: the server keeps running.

use std::time::Duration;

use super::NAMES;
use crate::server::test_client::has_word;
use crate::server::{ServerTest, TestClient};
use crate::{CheckTable, Verdict, ensure};

/// The number of random datagrams; they are the same in every run.
const RANDOM_DATAGRAMS: usize = 2000;
/// The limit of processor time for the first half of them; beyond that, no more are sent. A busy machine makes no
/// difference.
const MAX_PROCESSOR_TIME: Duration = Duration::from_secs(2);
/// The maximum number of snapshot requests to a server that is busy with a flood.
const MAX_FENCES: u32 = 20;

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("sturdy.long-name", |test| {
        let mut ann = test.start_with_ann()?;
        for length in [51, 100, 1000, 8000, 60_000] {
            let mut client = test.client("long")?;
            client.send(format!("PLAY {}", "x".repeat(length)).as_bytes());
            test.fence()?;
        }
        test.expect_can_move(&mut ann)
    }),
    ("sturdy.many-keys", |test| {
        test.ensure_letters_are_kept()?;
        let mut ann = test.start_with_ann()?;
        let mut bob = test.player("Bob")?;
        "hljkyubn!1".chars().cycle().take(3000).for_each(|key| ann.press(key));
        wait_until_settled(test, &mut ann)?;
        test.expect_can_move(&mut bob)
    }),
    ("sturdy.many-joins", |test| {
        let mut ann = test.start_with_ann()?;
        let mut crowd: Vec<TestClient> = vec![];
        for name in NAMES.iter().cycle().take(60) {
            let mut client = test.client("crowd")?;
            client.send(format!("PLAY {name}").as_bytes());
            crowd.push(client);
        }
        wait_until_settled(test, &mut ann)?;
        let players = test.snapshot()?.all(|cell| cell.is_ascii_uppercase()).len();
        ensure(players <= 26, "at most 26 players on the map", players.to_string())?;
        let mut accepted = 1;
        for client in &mut crowd {
            client.drain_socket();
            let is_accepted = client.received.iter().any(|it| has_word(&it.bytes, &["OK"]));
            accepted += usize::from(is_accepted);
        }
        ensure(accepted <= 26, "at most 26 players are sent OK", accepted.to_string())?;
        test.expect_can_move(&mut ann)
    }),
    ("sturdy.junk", |test| {
        // Random bytes won't complete these to a join. Keys from such addresses have their own check.
        const STARTS: [&[u8]; 5] = [b"", b"PLAY", b"SPECTATE ", b"OK ", b"QUIT"];
        let mut ann = test.start_with_ann()?;
        let mut others = vec![];
        for _ in 0..20 {
            others.push(test.client("outsider")?);
        }
        for number in 0..RANDOM_DATAGRAMS {
            let is_half = number == RANDOM_DATAGRAMS / 2;
            if is_half && test.processor_time().is_some_and(|used| used >= MAX_PROCESSOR_TIME) {
                break;
            }
            let mut message = STARTS[test.rng.index(STARTS.len())].to_vec();
            let length = 2 + test.rng.index(40);
            for _ in 0..length {
                message.push(u8::try_from(test.rng.below(256)).unwrap_or(0));
            }
            let index = number % others.len();
            others[index].send(&message);
            if number % 200 == 199 {
                wait_until_settled(test, &mut ann)?;
            }
        }
        test.expect_can_move(&mut ann)
    }),
    ("sturdy.vanished", |test| {
        test.ensure_letters_are_kept()?;
        let mut ann = test.start_with_ann()?;
        for name in ["Bob", "Cat", "Dan"] {
            drop(test.player(name)?);
        }
        for _ in 0..5 {
            test.expect_can_move(&mut ann)?;
        }
        Ok(())
    }),
];

/// Waits until the server has handled a flood. That may take a while, and datagrams that don't fit
/// into its receive buffer are lost, snapshots among them.
fn wait_until_settled(test: &mut ServerTest, client: &mut TestClient) -> Verdict {
    let mut last = Ok(());
    for _ in 0..MAX_FENCES {
        client.skip_received();
        last = test.fence();
        if last.is_ok() || test.has_exited() {
            break;
        }
    }
    last
}
