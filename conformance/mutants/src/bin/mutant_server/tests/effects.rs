//! Faults with an indirect implementation: each has the effect that it describes.

use nuggets_game::{Direction, Point, Tile};
use nuggets_protocol::Dialect;

use super::script::{Script, scripts};
use super::{mutant, peer, play};
use crate::datagram::{GoldNumbers, Outbound};
use crate::fault::Fault;
use crate::movement::find_path;
use crate::mutant::{AfterMessage, Mutant};

const ANN: u16 = 1;
const BEN: u16 = 2;
const SPECTATOR: u16 = 100;

/// A mutant with Ann, Ben and a spectator.
fn with_three_clients(fault: Fault, map: &str, seed: i64) -> Mutant {
    let mut mutant = mutant(fault, Dialect::V2021, map, seed);
    for (client, message) in [(ANN, "PLAY Ann"), (BEN, "PLAY Ben"), (SPECTATOR, "SPECTATE")] {
        mutant.handle_message(peer(client), message.as_bytes());
    }
    mutant
}

fn spot(mutant: &Mutant, client: u16) -> Point {
    let letter = mutant.seats.letter(peer(client)).unwrap();
    mutant.room.game().player(letter).at().unwrap()
}

fn press(mutant: &mut Mutant, client: u16, key: u8) -> Vec<Outbound> {
    mutant.handle_message(peer(client), &[b"KEY ", &[key][..]].concat()).0
}

fn walk(mutant: &mut Mutant, client: u16, to: Point) -> Vec<Outbound> {
    let path = find_path(mutant, spot(mutant, client), to).expect("the map is connected");
    path.into_iter().fold(vec![], |_, key| press(mutant, client, key))
}

/// Returns the character that a client is shown at a gridpoint.
fn shown(mutant: &Mutant, sent: &[Outbound], client: u16, at: Point) -> u8 {
    let picture = sent.iter().rfind(|d| d.to == peer(client) && d.is("DISPLAY")).unwrap();
    picture.bytes[8 + mutant.map.index(at) + usize::from(at.row)]
}

fn whole_game() -> Script {
    scripts(Dialect::V2021).swap_remove(2)
}

/// Ann collects all reachable gold; returns her last `GOLD` and the next action of the program.
fn last_gold(fault: Fault) -> (GoldNumbers, AfterMessage) {
    let mut mutant = with_three_clients(fault, "main", 1);
    let mut last = None;
    let mut next = AfterMessage::Continue;
    while next == AfterMessage::Continue {
        let is_reachable = |at: &Point| mutant.map.tile(*at).is_some_and(Tile::is_spot);
        let pile = mutant.room.game().piles().map(|(at, _)| at).find(is_reachable);
        let Some(pile) = pile else { break };
        for key in find_path(&mutant, spot(&mutant, ANN), pile).expect("the map is connected") {
            let (sent, then) = mutant.handle_message(peer(ANN), &[b"KEY ", &[key][..]].concat());
            last = sent.iter().filter(|d| d.to == peer(ANN)).find_map(Outbound::gold).or(last);
            next = then;
        }
    }
    (last.unwrap(), next)
}

#[test]
fn the_game_ends_with_the_last_nugget_without_the_fault() {
    for (fault, remaining, after) in [
        (Fault::None, 0, AfterMessage::GameOver),
        (Fault::NeverOver, 0, AfterMessage::Continue),
        (Fault::OverTooEarly, 5, AfterMessage::GameOver),
        (Fault::TotalShort, 0, AfterMessage::GameOver),
    ] {
        let (gold, then) = last_gold(fault);
        assert_eq!((gold.remaining, then), (remaining, after), "{fault}");
    }
}

#[test]
fn lost_nuggets_are_missing_in_the_table() {
    let sum = |fault| -> u32 {
        let (_, summary) = play(fault, &whole_game());
        let rows = String::from_utf8(summary).unwrap();
        rows.lines().skip(1).map(|row| row[2..12].trim().parse::<u32>().unwrap()).sum()
    };
    let piles = mutant(Fault::None, Dialect::V2021, "main", 1).piles.len();
    assert_eq!(
        (sum(Fault::None), sum(Fault::NuggetLost)),
        (250, 250 - u32::try_from(piles).unwrap())
    );
}

#[test]
fn piles_have_the_number_size_and_place_of_the_fault() {
    let of = |fault| mutant(fault, Dialect::V2021, "main", 4);
    let right = of(Fault::None).piles;
    for (fault, piles, nuggets) in [
        (Fault::None, right.len(), 250),
        (Fault::TotalShort, right.len(), 249),
        (Fault::TotalOver, right.len(), 251),
        (Fault::NinePiles, 9, 250),
        (Fault::ThirtyOnePiles, 31, 250),
        (Fault::PileInPassage, right.len(), 250),
        (Fault::EmptyPile, right.len() + 1, 250),
    ] {
        let found = of(fault).piles;
        assert_eq!((found.len(), found.iter().map(|(_, n)| n).sum()), (piles, nuggets), "{fault}");
        let in_rooms = found.iter().all(|(at, _)| of(fault).map.room_spots().contains(at));
        assert_eq!(in_rooms, fault != Fault::PileInPassage, "{fault}");
        assert_eq!(found.iter().any(|(_, n)| *n == 0), fault == Fault::EmptyPile, "{fault}");
    }
}

#[test]
fn players_walk_on_walls_and_are_drawn_there() {
    let mut mutant = with_three_clients(Fault::WalksWalls, "main", 1);
    press(&mut mutant, ANN, b'H');
    let at = spot(&mutant, ANN);
    assert!(mutant.map.tile(at).unwrap().is_wall(), "a sprint ends on the wall");
    let sent = press(&mut mutant, ANN, b'k');
    let now = spot(&mutant, ANN);
    assert!(now != at && shown(&mutant, &sent, SPECTATOR, now) == b'A');
    assert_eq!(shown(&mutant, &sent, SPECTATOR, at), mutant.map.tile(at).unwrap().as_byte());
    assert_eq!(shown(&mutant, &sent, ANN, now), b'@');
}

#[test]
fn a_sprint_into_the_wall_ends_one_gridpoint_too_far() {
    let mut mutant = with_three_clients(Fault::SprintIntoWall, "main", 1);
    let sent = press(&mut mutant, ANN, b'H');
    let at = spot(&mutant, ANN);
    let is_spot = |at| mutant.map.tile(at).unwrap().is_spot();
    assert!(!is_spot(at) && is_spot(at.step(Direction::Right).unwrap()));
    assert_eq!(sent.iter().filter(|d| d.is("DISPLAY")).count(), 3, "one picture for each");
}

#[test]
fn a_sprint_skips_gold() {
    let mut mutant = with_three_clients(Fault::SprintSkipsGold, "hall", 2);
    let game = mutant.room.game();
    let (pile, _) = game
        .piles()
        .find(|(at, _)| {
            [Direction::Left, Direction::Right].iter().all(|direction| {
                let beside = game.map().spot_beside(*at, *direction);
                beside.is_some_and(|beside| game.symbol_at(beside) == b'.')
            })
        })
        .unwrap();
    walk(&mut mutant, ANN, pile.step(Direction::Left).unwrap());
    let sent = press(&mut mutant, ANN, b'L');
    assert!(spot(&mutant, ANN).col > pile.col && spot(&mutant, ANN).row == pile.row);
    assert_eq!(shown(&mutant, &sent, SPECTATOR, pile), b'*');
    assert!(sent.iter().all(|datagram| datagram.is("DISPLAY")) && sent.len() == 3);
}

#[test]
fn a_swapped_player_is_pushed_away() {
    let mut mutant = with_three_clients(Fault::SwapPushesAway, "hall", 2);
    let to = spot(&mutant, BEN);
    let path = find_path(&mutant, spot(&mutant, ANN), to).unwrap();
    let (last, first) = path.split_last().unwrap();
    for key in first {
        press(&mut mutant, ANN, *key);
    }
    let from = spot(&mutant, ANN);
    let sent = press(&mut mutant, ANN, *last);
    assert_eq!(spot(&mutant, ANN), to);
    assert!(spot(&mutant, BEN) != from && spot(&mutant, BEN) != to);
    assert_eq!(sent.len(), 6, "two rounds of pictures");
}

#[test]
fn two_players_on_one_spot_are_drawn_as_one() {
    let mut mutant = with_three_clients(Fault::SwapOnOneSpot, "hall", 2);
    let to = spot(&mutant, BEN);
    let sent = walk(&mut mutant, ANN, to);
    let picture = sent.iter().find(|d| d.to == peer(SPECTATOR)).unwrap();
    assert!(picture.bytes[8..].contains(&b'A') && !picture.bytes[8..].contains(&b'B'));
    assert_eq!(shown(&mutant, &sent, BEN, to), b'@');
}

#[test]
fn a_second_letter_goes_to_the_same_address() {
    let mut mutant = with_three_clients(Fault::SecondLetter, "main", 1);
    let (sent, _) = mutant.handle_message(peer(ANN), b"PLAY Ann");
    assert_eq!((sent[0].to, &*sent[0].bytes), (peer(ANN), &b"OK C"[..]));
    assert!(press(&mut mutant, ANN, b'Q').iter().any(|d| d.bytes == b"QUIT Thanks for playing!"));
    assert_eq!(mutant.room.game().players()[2].at(), None, "the newer one has quit");
}

#[test]
fn a_letter_is_used_again() {
    let mut mutant = with_three_clients(Fault::LettersReused, "main", 1);
    press(&mut mutant, ANN, b'Q');
    let (sent, _) = mutant.handle_message(peer(3), b"PLAY Cid");
    assert_eq!(sent[0].bytes, b"OK A");
    assert_eq!(
        mutant.summary(),
        b"GAME OVER:\nA          0 Ann\nB          0 Ben\nA          0 Cid"
    );
}

#[test]
fn a_sprint_with_a_display_for_each_step_ends_on_the_same_spot() {
    let ends = [Fault::None, Fault::SprintDisplaysEachStep].map(|fault| {
        let mut mutant = with_three_clients(fault, "main", 1);
        let pictures = press(&mut mutant, ANN, b'H').len();
        (spot(&mutant, ANN), pictures)
    });
    assert_eq!(ends[0].0, ends[1].0);
    assert!(ends[0].1 == 3 && ends[1].1 > 3);
}

/// Ann in a passage, one step to the left of its bend.
fn before_the_bend(fault: Fault) -> (Mutant, Point) {
    let mut mutant = mutant(fault, Dialect::V2021, "main", 1);
    mutant.handle_message(peer(ANN), b"PLAY Ann");
    let is_passage = |at: &Point| mutant.map.tile(*at) == Some(Tile::Passage);
    let open = |at: Point| {
        let beside = Direction::ALL.map(|direction| mutant.map.spot_beside(at, direction));
        beside.iter().flatten().count()
    };
    let bend = mutant.map.spots().into_iter().filter(is_passage).find(|at| {
        let right = mutant.map.spot_beside(*at, Direction::Right);
        let is_end = |at: &Point| mutant.map.spot_beside(*at, Direction::Right).is_none();
        right.filter(is_passage).filter(is_end).is_some_and(|corner| open(corner) == 2)
    });
    let bend = bend.expect("the map has a bend");
    walk(&mut mutant, ANN, bend);
    (mutant, bend)
}

#[test]
fn a_sprint_follows_a_bend_only_with_the_fault() {
    for (fault, turns) in [(Fault::None, false), (Fault::SprintFollowsBends, true)] {
        let (mut mutant, at) = before_the_bend(fault);
        let sent = press(&mut mutant, ANN, b'L');
        let corner = at.step(Direction::Right).unwrap();
        assert_eq!(spot(&mutant, ANN) != corner, turns, "{fault}");
        assert_eq!(sent.len(), 1, "one picture");
    }
}

#[test]
fn a_peer_with_the_name_of_a_player_becomes_that_player() {
    let mut mutant = with_three_clients(Fault::SameNameSamePlayer, "main", 1);
    let (sent, _) = mutant.handle_message(peer(50), b"PLAY Ben");
    assert_eq!((sent[0].to, &*sent[0].bytes), (peer(50), &b"OK B"[..]));
    let (sent, _) = mutant.handle_message(peer(51), b"PLAY Dan");
    let welcome = sent.iter().find(|d| d.to == peer(51)).unwrap();
    assert_eq!(welcome.bytes, b"OK C", "another name is another player");
}

#[test]
fn only_the_player_that_ends_the_game_is_sent_the_table() {
    let recipients = |fault| {
        let (played, _) = play(fault, &whole_game());
        let (last, _) = played.last().unwrap();
        let tables = last.iter().filter(|d| d.is_table());
        tables.map(|d| d.to).collect::<Vec<_>>()
    };
    let right = recipients(Fault::None);
    let wrong = recipients(Fault::TableOnlyToCollector);
    assert_eq!((right.len(), wrong.len()), (3, 2));
    assert!(wrong.contains(&peer(ANN)) && wrong.contains(&peer(101)));
}

#[test]
fn malformed_messages_quit_only_with_their_fault() {
    for (fault, quit) in [
        (Fault::UnknownWordQuits, &["HELLO world", "MOVE h"][..]),
        (Fault::ServerMessageQuits, &["OK B", "GOLD 5 5 5", "DISPLAY\n@\n", "QUIT no"]),
    ] {
        let all = ["HELLO world", "MOVE h", "OK B", "GOLD 5 5 5", "DISPLAY\n@\n", "QUIT no"];
        for words in all.iter().chain(&["QUIT", "KEYh", "key h", "PLAYBob", "", "KEY hh", "\x01"]) {
            let mut mutant = with_three_clients(fault, "main", 1);
            mutant.handle_message(peer(ANN), words.as_bytes());
            let is_gone = mutant.active(peer(ANN)).is_none();
            assert_eq!(is_gone, quit.contains(words), "{fault} {words:?}");
        }
    }
}
