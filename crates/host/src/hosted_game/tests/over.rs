//! The end of a game, and its state afterwards.

use nuggets_record::{Recording, RecordingEnd, verify};

use super::*;
use crate::Rated;
use crate::wire::Stage;

#[test]
fn bots_play_a_game_to_its_end_and_everybody_gets_the_table() {
    let mut world = World::new(GameMeta { bots: bots(3), ..meta() });
    let mut ann = world.play(1, 1);
    let mut wall = world.watch(2, None);
    while world.game.over_at.is_none() {
        world.wait(1000);
        wall.read(world.now);
    }
    ann.read(world.now);
    for client in [&mut ann, &mut wall] {
        client.read(world.now);
        let facts = client.shown.facts();
        assert_eq!(facts.stage, Some(Stage::Over));
        let over = facts.over.clone().unwrap();
        assert_eq!(over.iter().map(|row| row.purse).sum::<u32>(), 250);
        assert!(over.is_sorted_by(|a, b| a.purse >= b.purse), "the richest first");
    }
    assert_eq!(ann.shown.rows(), world.picture(Some('D')));
    assert_eq!(world.reports.last(), Some(&GameReport::Over));
    let joined = world.reports.iter().filter_map(|report| match report {
        GameReport::Joined(seated) => Some(seated.who.clone()),
        _ => None,
    });
    let bot = Some(Rated::Bot("scout".into()));
    let person = Some(Rated::Player(PlayerId(1)));
    assert_eq!(joined.collect::<Vec<_>>(), [bot.clone(), bot.clone(), bot, person]);
    assert!(world.reports.contains(&GameReport::GoldLeft(0)));
    assert_eq!(world.attach(3, 3, AttachRole::Play).err(), Some(AttachError::Over));
    let mut back = world.play(4, 1);
    back.read(world.now);
    assert!(back.shown.facts().over.is_some(), "who played still finds the table");
}

/// Ends the game and returns its recording. The storage is released with the last record, so that others can read the journal.
fn end(world: &mut World) -> Recording {
    let journal = world.journal();
    world.handle(GameCommand::End);
    assert!(world.game.host.storage().is_none());
    Recording::read(&journal).unwrap().recording
}

#[test]
fn a_game_that_is_ended_early_has_a_table_too() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    world.key(&ann, 'L');
    let recording = end(&mut world);
    assert_eq!(verify(&recording).unwrap().game.players().len(), 1);
    ann.read(world.now);
    assert_eq!(ann.shown.facts().stage, Some(Stage::Over));
    assert_eq!(ann.shown.facts().over.as_ref().map(Vec::len), Some(1));
    assert_eq!(world.reports.last(), Some(&GameReport::Over));
    world.key(&ann, 'K');
    assert_eq!(ann.read(world.now), []);
}

/// A storage whose content stays readable after the game has closed it.
#[derive(Clone, Debug, Default)]
struct Kept(std::rc::Rc<std::cell::RefCell<MemoryStorage>>);

impl Storage for Kept {
    fn append(
        &mut self,
        kind: nuggets_server::RecordKind,
        bytes: &[u8],
    ) -> std::io::Result<nuggets_server::Stored> {
        self.0.borrow_mut().append(kind, bytes)
    }
}

#[test]
fn the_journal_of_an_ended_game_says_that_nothing_is_to_be_resumed() {
    let kept = Kept::default();
    let from = OpenGame::new(meta(), setup(), kept.clone());
    let mut game = HostedGame::open(Timestamp(0), from).unwrap();
    let read = || Recording::read(&kept.0.borrow().journal).unwrap();
    assert!(!is_finished(&read()));
    game.handle(Timestamp(10), GameCommand::End);
    let reading = read();
    assert!(is_finished(&reading));
    assert_eq!(reading.recording.end(), Some(RecordingEnd::ByHost));
}

#[test]
fn a_game_that_is_over_stays_for_those_who_come_back() {
    let mut world = World::new(meta());
    let ann = world.play(1, 1);
    world.handle(GameCommand::End);
    let minute = 60_000;
    assert!(!world.game.is_gone(world.now.after(59 * minute)), "she is still here");
    world.handle(GameCommand::Detach(ann.id));
    assert!(!world.game.is_gone(world.now.after(9 * minute)));
    assert!(world.game.is_gone(world.now.after(10 * minute)));
    assert!(world.game.poll_timeout() <= Some(world.now.after(10 * minute)));
}
