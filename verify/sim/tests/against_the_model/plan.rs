//! Random games: map, rules and datagrams.

use nuggets_game::{HouseRule, RuleChoices, Rules, shipped};
use nuggets_protocol::Dialect;
use proptest::prelude::*;
use proptest::sample::select;

/// One random game.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) map: String,
    pub(crate) dialect: Dialect,
    pub(crate) rules: Rules,
    pub(crate) changed_only: bool,
    pub(crate) seed: i64,
    pub(crate) datagrams: Vec<(u64, Vec<u8>)>,
}

/// Small, so that players meet often: corners, a pillar, passages that bend and fork, and one
/// that touches the edge.
const SMALL: [&str; 4] = [
    "\
+-----+      
|.....##     
|..+..|#+---+
|.....|##...|
+---#-+ |...|
    #####...|
        +---+
",
    "\
+--+##+--+
|..##.#..|
|..|#.|..|
+#-+..+-#+
 ########
",
    "\
..........
.........#
..........
",
    "\
#+-------+ +-----+#
##.......###.....##
 |.......| |.+-+.| 
 |.......###.| |.##
 +--#----+ +-+ +-+ 
    #######        
",
];

/// Any game; most are on small maps.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let shipped: Vec<String> = shipped::ALL.iter().map(|shipped| shipped.text.to_owned()).collect();
    let small: Vec<String> = SMALL.iter().map(|map| (*map).to_owned()).collect();
    let map = prop_oneof![3 => select(small), 1 => select(shipped)];
    let rules = prop_oneof![5 => rules(), 1 => Just(Rules::default())];
    let ground =
        (map, select(Dialect::ALL.to_vec()), rules, prop::bool::weighted(0.2), any::<i64>());
    (ground, datagrams()).prop_map(|((map, dialect, rules, changed_only, seed), datagrams)| {
        let rules = fitted(rules, &map);
        Plan { map, dialect, rules, changed_only, seed, datagrams }
    })
}

/// Smaller numbers where the map is too small.
fn fitted(mut rules: Rules, map: &str) -> Rules {
    let spots = map.matches('.').count();
    let third = u32::try_from(spots / 3).unwrap();
    rules.max_piles = rules.max_piles.min(third);
    rules.min_piles = rules.min_piles.min(third);
    if let Some(lifetime) = &mut rules.lifetime {
        lifetime.food = lifetime.food.min(third);
    }
    rules.max_players = rules.max_players.min(spots / 3);
    rules
}

/// A few peers join and quit; sometimes 30 join at the start, and sometimes 30 quit at the end.
fn datagrams() -> impl Strategy<Value = Vec<(u64, Vec<u8>)>> {
    let all_peers = |bytes: fn(u64) -> Vec<u8>| {
        move |present: bool| -> Vec<(u64, Vec<u8>)> {
            if present { (0..30).map(|peer| (peer, bytes(peer))).collect() } else { vec![] }
        }
    };
    let join = prop::bool::weighted(0.2).prop_map(all_peers(play));
    let quit = prop::bool::weighted(0.2).prop_map(all_peers(|_| b"KEY Q".to_vec()));
    let play_on = prop::collection::vec(datagram(), 1..120);
    (join, play_on, quit).prop_map(|(join, play_on, quit)| [join, play_on, quit].concat())
}

fn rules() -> impl Strategy<Value = Rules> {
    let gold = prop_oneof![
        2 => (1..40u32, 1..4u32, 0..4u32),
        1 => Just((9, 1, 0)),
        1 => Just((250, 10, 20)),
    ];
    let vision = prop::option::weighted(0.3, 1..8u32);
    let steps = prop_oneof![1..4u32, 1..30u32];
    let lifetime = prop::option::weighted(0.4, (steps, 0..4u32));
    let players = prop_oneof![4 => 1..6u32, 1 => Just(26)];
    let choices = any::<[bool; 4]>();
    (gold, vision, lifetime, players, choices).prop_map(
        |((nuggets, min_piles, more), vision, lifetime, max_players, choices)| {
            let is_alone = max_players == 1;
            let mut chosen = RuleChoices::default()
                .with(HouseRule::Gold, nuggets)
                .with(HouseRule::MinPiles, min_piles.min(nuggets))
                .with(HouseRule::MaxPiles, (min_piles + more).min(nuggets))
                .with(HouseRule::Players, max_players);
            chosen.set(HouseRule::Vision, vision);
            chosen.set(HouseRule::Steal, (choices[2] && !is_alone).then_some(1));
            chosen.set(HouseRule::DropOnQuit, (choices[3] && !is_alone).then_some(1));
            chosen.set(HouseRule::Lifetime, lifetime.map(|(steps, _)| steps));
            chosen.set(HouseRule::Food, lifetime.map(|(_, food)| food));
            let rules = chosen.rules().unwrap();
            Rules { sprint_stops: choices[0], end_when_empty: choices[1], ..rules }
        },
    )
}

/// Any datagram.
fn datagram() -> impl Strategy<Value = (u64, Vec<u8>)> {
    let peer = prop_oneof![4 => 0..4u64, 3 => 0..8u64, 1 => 0..32u64];
    let key = prop_oneof![
        12 => select(b"hjklyubnHJKLYUBN".to_vec()),
        1 => Just(b'Q'),
        1 => any::<u8>(),
    ];
    let name = prop_oneof![
        12 => Just(None),
        2 => prop::collection::vec(any::<u8>(), 0..60).prop_map(Some),
        1 => "[ \t\r\x0b]{0,60}[a-z]{0,12}".prop_map(|name| Some(name.into_bytes())),
    ];
    let content = prop_oneof![
        120 => key.prop_map(|key| vec![b'K', b'E', b'Y', b' ', key]).prop_map(DatagramContent::Same),
        15 => name.prop_map(DatagramContent::Play),
        3 => Just(DatagramContent::Same(b"SPECTATE".to_vec())),
        3 => malformed().prop_map(DatagramContent::Same),
    ];
    (peer, content).prop_map(|(peer, content)| match content {
        DatagramContent::Same(bytes) => (peer, bytes),
        DatagramContent::Play(Some(name)) => (peer, [b"PLAY ", &name[..]].concat()),
        DatagramContent::Play(None) => (peer, play(peer)),
    })
}

/// The usual message with which a peer joins.
pub(crate) fn play(peer: u64) -> Vec<u8> {
    format!("PLAY number {peer}").into_bytes()
}

#[derive(Clone, Debug)]
enum DatagramContent {
    /// These bytes, for any peer.
    Same(Vec<u8>),
    /// PLAY with this name, or with the usual one of the peer.
    Play(Option<Vec<u8>>),
}

fn malformed() -> impl Strategy<Value = Vec<u8>> {
    let heads =
        ["", "PLAY", "PLAY ", "SPECTATE", "KEY", "KEY ", "ERROR", "NO", "NO ", "QUIT", "key "];
    let tails = ["", " ", "\n", "\0", "h", "hh", " h", "\u{e9}", "\nh", "h\n", "h\0"];
    let near = (select(heads.to_vec()), select(tails.to_vec()));
    prop_oneof![
        8 => near.prop_map(|(head, tail)| format!("{head}{tail}").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}
