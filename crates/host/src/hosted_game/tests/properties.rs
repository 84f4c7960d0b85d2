//! Properties that hold for all inputs: a stream shows exactly what the room shows that view, in few bytes.

use nuggets_game::{Lifetime, Tile};
use proptest::prelude::*;

use super::*;

/// The next event of a random game.
#[derive(Clone, Debug)]
enum Step {
    /// This player presses a key.
    Key(usize, char),
    /// This client reads.
    Read(usize),
    /// This client reconnects at its last position.
    Reconnect(usize),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop::sample::select("hjklyubnHJKLYUBN".chars().collect::<Vec<_>>());
    let key = prop_oneof![40 => key, 1 => Just('Q')];
    let step = prop_oneof![
        12 => (0..4_usize, key).prop_map(|(who, key)| Step::Key(who, key)),
        4 => (0..6_usize).prop_map(Step::Read),
        1 => (0..6_usize).prop_map(Step::Reconnect),
        2 => (0..2000_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..200)
}

fn rules() -> impl Strategy<Value = Rules> {
    let vision = prop_oneof![Just(None), (1..9_u16).prop_map(Some)];
    let lifetime = prop_oneof![Just(None), Just(Some(Lifetime { steps: 60, food: 4 }))];
    (vision, any::<bool>(), any::<bool>(), lifetime).prop_map(
        |(vision, steal, drop_on_quit, lifetime)| Rules {
            vision,
            steal,
            drop_on_quit,
            lifetime,
            ..Rules::default()
        },
    )
}

/// Four players, a watcher of the second and one of the whole map.
fn clients(world: &mut World) -> Vec<Client> {
    let mut clients: Vec<Client> = (1..=4).map(|person| world.play(person, person)).collect();
    clients.push(world.watch(5, Some('B')));
    clients.push(world.watch(6, None));
    clients
}

/// Reads, and checks that every change is part of the classic picture of that view as it is now.
fn check(world: &World, client: &mut Client) {
    let view = client.attached.hello.view;
    client.read(world.now);
    let letter = view.map(|letter| Letter::from_byte(u8::try_from(letter).unwrap()).unwrap());
    let has_left = letter.is_some_and(|letter| world.game.has_left(letter));
    let picture = world.picture(view);
    if !has_left {
        assert_eq!(client.shown.rows(), picture, "the view of {view:?}");
        assert_eq!(in_sight(&client.shown), sees(world, letter), "in sight of {view:?}");
    }
    assert_eq!(client.shown.facts().purses.is_some(), view.is_none());
    let game = world.game.host.room().game();
    let purse = letter.map_or(0, |letter| game.player(letter).purse());
    if !has_left {
        assert_eq!(client.shown.facts().gold, Some([0, purse, game.remaining()]));
    }
}

fn in_sight(shown: &Snapshot) -> Vec<usize> {
    shown.in_sight().iter().collect()
}

/// Returns the cells that a player sees, except rock; nothing for a watcher of the whole map.
fn sees(world: &World, letter: Option<Letter>) -> Vec<usize> {
    let Some(letter) = letter else { return vec![] };
    let game = world.game.host.room().game();
    let is_rock = |at: &usize| game.map().tiles()[*at] == Tile::Rock;
    game.player(letter).sees().iter().filter(|at| !is_rock(at)).collect()
}

/// Checks that everything sent since the last read was in the classic picture of that view at some time.
fn check_sent(client: &Client, shown: &[Vec<String>]) {
    for (offset, text) in client.last.iter().flat_map(|line| line.set.iter()) {
        let was_shown = shown.iter().any(|rows| {
            let cells = rows.concat();
            cells[offset as usize..].starts_with(text)
        });
        assert!(was_shown, "{text:?} at {offset} was never in the picture");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_stream_shows_what_the_room_shows_and_nothing_else(
        (rules, bots, steps) in (rules(), 0..3_u8, steps()),
    ) {
        let meta = GameMeta { bots: super::bots(bots), ..meta() };
        let mut world = World::open(meta, Setup { rules, ..setup() }, None);
        let mut clients = clients(&mut world);
        let views: Vec<Option<char>> = clients.iter().map(|c| c.attached.hello.view).collect();
        // The classic pictures of each client's view since it read last.
        let mut pictures: Vec<Vec<Vec<String>>> = vec![Vec::new(); clients.len()];
        for step in steps {
            match step {
                Step::Key(who, key) => world.key(&clients[who], key),
                Step::Wait(ms) => wait_and_note(&mut world, ms, &views, &mut pictures),
                Step::Read(who) => {
                    check(&world, &mut clients[who]);
                    check_sent(&clients[who], &std::mem::take(&mut pictures[who]));
                }
                Step::Reconnect(who) => reconnect(&mut world, &mut clients[who], who),
            }
            note(&world, &views, &mut pictures);
        }
        for client in &mut clients {
            check(&world, client);
        }
    }
}

fn note(world: &World, views: &[Option<char>], pictures: &mut [Vec<Vec<String>>]) {
    for (view, shown) in views.iter().zip(pictures) {
        let picture = world.picture(*view);
        if shown.last() != Some(&picture) {
            shown.push(picture);
        }
    }
}

fn wait_and_note(
    world: &mut World,
    ms: u64,
    views: &[Option<char>],
    pictures: &mut [Vec<Vec<String>>],
) {
    let until = world.now.after(ms);
    while let Some(due) = world.game.poll_timeout().filter(|due| *due <= until) {
        world.wait(due.since(world.now).max(1));
        note(world, views, pictures);
    }
    world.now = world.now.max(until);
}

/// Drops the connection and reconnects at its last position, unless its player has left.
fn reconnect(world: &mut World, client: &mut Client, who: usize) {
    world.handle(GameCommand::Detach(client.id));
    let person = u64::try_from(who + 1).unwrap();
    let role = match client.attached.hello.letter {
        Some(_) => AttachRole::Play,
        None => AttachRole::Watch(client.attached.hello.view),
    };
    match world.attach(person, person, role) {
        Ok(again) => {
            assert_eq!(again.attached.hello, client.attached.hello);
            client.attached = again.attached;
        }
        Err(why) => assert_eq!(why, AttachError::HasLeft),
    }
}

#[test]
fn the_median_of_bytes_per_key_and_player_is_at_most_a_twentieth_of_classic() {
    let classic = 8 + 21 * 80;
    let mut world = World::new(GameMeta { bots: bots(18), ..meta() });
    let mut clients: Vec<Client> = (1..=8).map(|person| world.play(person, person)).collect();
    for client in &mut clients {
        client.read(world.now);
    }
    let mut bytes: Vec<usize> = Vec::new();
    let keys = "lkjhyubnLKJHYUBN".chars().cycle().take(400);
    for (index, key) in keys.enumerate() {
        let before: Vec<usize> = clients.iter().map(|client| client.bytes).collect();
        world.key(&clients[index % 8], key);
        for (client, before) in clients.iter_mut().zip(before) {
            client.read(world.now);
            bytes.push(client.bytes - before);
        }
        world.wait(250);
        for client in &mut clients {
            client.read(world.now);
        }
    }
    bytes.retain(|bytes| *bytes > 0);
    bytes.sort_unstable();
    let median = bytes[bytes.len() / 2];
    println!("median of those who are sent anything: {median} bytes of {classic}");
    assert!(median * 20 <= classic, "{median} bytes, classic {classic}");
}
