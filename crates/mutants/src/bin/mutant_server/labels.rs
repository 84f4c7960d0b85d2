//! Which letter everybody is shown as. It is the room's own, unless the fault is about letters.

use nuggets_game::{Game, Letter, Player};

use crate::fault::Fault;

/// The letter of every player, by the room's own letter.
#[derive(Debug, Default)]
pub(crate) struct Labels(Vec<u8>);

impl Labels {
    /// Gives a letter to whoever is new.
    pub(crate) fn give(&mut self, fault: Fault, game: &Game) {
        for player in &game.players()[self.0.len()..] {
            self.0.push(self.choose(fault, game, player));
        }
    }

    fn choose(&self, fault: Fault, game: &Game, player: &Player) -> u8 {
        let index = player.letter().index();
        let nth = |index| Letter::nth(index % Letter::COUNT).map_or(b'A', Letter::as_char);
        match fault {
            Fault::LettersFromB => nth(index + 1),
            Fault::LettersSkip => nth(2 * index + index / 13),
            Fault::LettersReused => {
                let gone = game.players().iter().filter(|other| other.at().is_none());
                let given_up = gone.map(|other| self.of(other.letter()));
                given_up.into_iter().find(|label| !self.in_use(game, *label)).unwrap_or(nth(index))
            }
            Fault::LettersByName => {
                let first = player.name().as_str().bytes().find(u8::is_ascii_alphabetic);
                let wanted = first.map(|byte| byte.to_ascii_uppercase());
                let mut choices = wanted.into_iter().chain(b'A'..=b'Z');
                choices.find(|label| !self.0.contains(label)).unwrap_or(nth(index))
            }
            _ => nth(index),
        }
    }

    fn in_use(&self, game: &Game, label: u8) -> bool {
        let here = game.players().iter().zip(&self.0).filter(|(player, _)| player.at().is_some());
        here.into_iter().any(|(_, used)| *used == label)
    }

    /// The letter that this player is shown as.
    pub(crate) fn of(&self, letter: Letter) -> u8 {
        self.0.get(letter.index()).copied().unwrap_or(letter.as_char())
    }

    /// The same for a letter as it is drawn; everything else stays.
    pub(crate) fn drawn(&self, drawn: u8) -> u8 {
        Letter::from_char(drawn).map_or(drawn, |letter| self.of(letter))
    }
}
