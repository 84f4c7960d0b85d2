//! Pictures of a game as its viewers see it, as sent to clients.

use std::fmt;

use crate::{Game, Letter, Map, Point, Tile};

/// A viewer of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// A player sees what is visible now and remembers the map that was visible before.
    Player(Letter),
    /// The spectator sees everything.
    Spectator,
}

/// A picture of the game, drawn on demand.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Game,
    viewer: Viewer,
}

impl<'a> View<'a> {
    pub(crate) fn new(game: &'a Game, viewer: Viewer) -> Self {
        Self { game, viewer }
    }

    /// Appends the picture to `out`: every row with a newline.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        match self.viewer {
            Viewer::Spectator => {
                self.draw_rock(out);
                self.draw_tiles(&mut out[start..], 0..self.game.map().tiles().len());
                self.draw_occupants(&mut out[start..], |_| true);
            }
            Viewer::Player(letter) => self.draw_for(letter, out),
        }
    }

    fn draw_for(&self, letter: Letter, out: &mut Vec<u8>) {
        let start = out.len();
        let player = self.game.player(letter);
        let map = self.game.map();
        self.draw_rock(out);
        self.draw_tiles(&mut out[start..], player.known.iter());
        if let Some(at) = player.at {
            self.draw_occupants(&mut out[start..], |spot| player.sees.contains(map.index(spot)));
            out[start + offset(map, at)] = b'@';
        }
    }

    /// Appends a blank picture.
    fn draw_rock(&self, out: &mut Vec<u8>) {
        let map = self.game.map();
        for _ in 0..map.rows() {
            out.resize(out.len() + usize::from(map.cols()), Tile::Rock.as_byte());
            out.push(b'\n');
        }
    }

    fn draw_tiles(&self, picture: &mut [u8], known: impl Iterator<Item = usize>) {
        let map = self.game.map();
        let cols = usize::from(map.cols());
        for index in known {
            picture[index + index / cols] = map.tiles()[index].as_byte();
        }
    }

    fn draw_occupants(&self, picture: &mut [u8], is_seen: impl Fn(Point) -> bool) {
        let map = self.game.map();
        let piles = self.game.piles().map(|(at, _)| (at, b'*'));
        let food = self.game.food().iter().map(|at| (*at, b'%'));
        let players = self.game.players().iter();
        let players = players.filter_map(|player| Some((player.at?, player.letter.as_byte())));
        for (at, drawn) in piles.chain(food).chain(players).filter(|(at, _)| is_seen(*at)) {
            picture[offset(map, at)] = drawn;
        }
    }
}

/// The index of a gridpoint in a picture: each row has a newline.
fn offset(map: &Map, at: Point) -> usize {
    map.index(at) + usize::from(at.row)
}

impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut picture = Vec::new();
        self.write_to(&mut picture);
        f.write_str(std::str::from_utf8(&picture).expect("pictures are ASCII"))
    }
}
