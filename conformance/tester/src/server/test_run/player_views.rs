//! The map as all players together see it, for servers that send spectators none. Gold out of all players' sight stays
//! as last seen; players are where they see themselves. Spots that no player was ever shown are `UNKNOWN`.

use std::sync::{Arc, Weak};
use std::time::Duration;

use nuggets_game::{Point, Sight, Tile};

use crate::server::picture::{ShownMap, UNKNOWN};
use crate::server::test_client::{Inbox, ReceivedDatagram, TestClient};

/// The players of a test run, and the gold that they have seen.
#[derive(Debug, Default)]
pub(crate) struct PlayerViews {
    players: Vec<TrackedPlayer>,
    /// The map with all gold seen up to now, without players. Spots that were never shown are unknown.
    gold: Option<ShownMap>,
    /// The last combined map.
    last: Option<ShownMap>,
}

#[derive(Debug)]
struct TrackedPlayer {
    letter: u8,
    inbox: Weak<Inbox>,
    /// The arrival time of the newest map whose gold is included.
    included_until: Duration,
}

/// The last map that one player was sent.
#[derive(Clone, Debug)]
struct ShownView {
    letter: u8,
    read_at: Duration,
    /// True if its gold is not included yet.
    is_new: bool,
    shown: ShownMap,
    at: Point,
}

impl PlayerViews {
    /// Includes the maps that this player is sent from now on.
    pub(crate) fn add(&mut self, client: &TestClient) {
        let inbox = Arc::downgrade(&client.inbox);
        let (letter, included_until) = (client.cell(), Duration::ZERO);
        self.players.push(TrackedPlayer { letter, inbox, included_until });
    }

    /// The number of players that have joined.
    pub(super) fn count(&self) -> usize {
        self.players.len()
    }

    /// Returns the last combined map.
    pub(super) fn last(&self) -> Option<&ShownMap> {
        self.last.as_ref()
    }

    /// Combines the map; `None` if no player was sent one with its own spot. The view of `newest` counts as the newest:
    /// the others may not have been sent its move yet.
    pub(super) fn compose(
        &mut self,
        sight: &Sight,
        newest: Option<&TestClient>,
    ) -> Option<ShownMap> {
        let mut views = self.views(sight);
        if views.is_empty() {
            return None;
        }
        let is_last = |view: &ShownView| newest.is_some_and(|newest| newest.cell() == view.letter);
        views.sort_by_key(|view| (is_last(view), view.read_at));
        let gold = self.gold.get_or_insert_with(|| bare_map(sight));
        views.iter().filter(|view| view.is_new).for_each(|view| view.add_gold(sight, gold));
        let mut map = gold.clone();
        add_players(&views, sight, &mut map);
        self.last = Some(map.clone());
        Some(map)
    }

    fn views(&mut self, sight: &Sight) -> Vec<ShownView> {
        let size = (sight.map().rows(), sight.map().cols());
        let view = |player: &mut TrackedPlayer| {
            let datagram = player.inbox.upgrade()?.last_display()?;
            let message = ReceivedDatagram::new(datagram.at, &datagram.bytes).bytes;
            let shown = ShownMap::parse(&message, size).ok()?;
            let at = shown.only(b'@')?;
            let is_new = datagram.at > player.included_until;
            player.included_until = datagram.at;
            Some(ShownView { letter: player.letter, read_at: datagram.at, is_new, shown, at })
        };
        self.players.iter_mut().filter_map(view).collect()
    }
}

impl ShownView {
    /// Takes over the gold in this player's sight. Gold drawn out of sight may no longer be there.
    fn add_gold(&self, sight: &Sight, gold: &mut ShownMap) {
        let visible = sight.visible_from(self.at);
        for (index, tile) in sight.map().tiles().iter().enumerate() {
            if visible.contains(index) && tile.is_spot() {
                match self.shown.cells[index] {
                    // Not shown, although it is in sight.
                    b' ' => {}
                    b'*' => gold.cells[index] = b'*',
                    _ => gold.cells[index] = tile.as_byte(),
                }
            }
        }
    }

    /// Adds the players in sight.
    fn add_others(&self, sight: &Sight, map: &mut ShownMap) {
        let visible = sight.visible_from(self.at);
        for (index, tile) in sight.map().tiles().iter().enumerate() {
            let is_shown = visible.contains(index) && self.shown.cells[index] != b' ';
            if is_shown && map.cells[index].is_ascii_uppercase() {
                map.cells[index] = tile.as_byte();
            }
        }
        for (index, cell) in self.shown.cells.iter().enumerate() {
            if visible.contains(index) && cell.is_ascii_uppercase() {
                place(map, sight.map().tiles(), *cell, index);
            }
        }
    }
}

/// Draws all players, the oldest view first. Each is where it sees itself, whatever others remember, unless another is
/// there by now: then it was swapped without being sent the new map, and others may have seen its new position.
fn add_players(views: &[ShownView], sight: &Sight, map: &mut ShownMap) {
    for view in views {
        view.add_others(sight, map);
    }
    for (index, view) in views.iter().enumerate() {
        if views[index + 1..].iter().all(|newer| newer.at != view.at) {
            place(map, sight.map().tiles(), view.letter, sight.map().index(view.at));
        }
    }
}

/// Draws a player here and nowhere else.
fn place(map: &mut ShownMap, tiles: &[Tile], letter: u8, here: usize) {
    for (cell, tile) in map.cells.iter_mut().zip(tiles) {
        if *cell == letter {
            *cell = tile.as_byte();
        }
    }
    map.cells[here] = letter;
}

/// Returns the map with only walls and rock known.
fn bare_map(sight: &Sight) -> ShownMap {
    let map = sight.map();
    let cell = |tile: &Tile| if tile.is_spot() { UNKNOWN } else { tile.as_byte() };
    let cells = map.tiles().iter().map(cell).collect();
    ShownMap { rows: map.rows(), cols: map.cols(), cells }
}

#[cfg(test)]
mod tests {
    use nuggets_game::{Map, SightRule};

    use super::*;

    const MAP: &str = "+---+ +---+\n|...###...|\n+---+ +---+\n";

    fn sight() -> Sight {
        Sight::new(Map::parse(MAP.as_bytes()).unwrap().map, SightRule::DarkPassages)
    }

    fn view(letter: u8, row: &str) -> ShownView {
        let text = format!("DISPLAY\n{:11}\n{row:11}\n{:11}\n", "", "");
        let shown = ShownMap::parse(text.as_bytes(), (3, 11)).unwrap();
        let at = shown.only(b'@').unwrap();
        ShownView { letter, read_at: Duration::ZERO, is_new: true, shown, at }
    }

    /// Returns the middle row of the map combined from these views.
    fn row(views: &[ShownView]) -> String {
        let mut map = bare_map(&sight());
        for view in views {
            view.add_gold(&sight(), &mut map);
        }
        add_players(views, &sight(), &mut map);
        let cells =
            map.cells[11..22].iter().map(|cell| if *cell == UNKNOWN { b'?' } else { *cell });
        String::from_utf8(cells.collect()).unwrap()
    }

    #[test]
    fn the_map_is_put_together_from_what_each_player_sees() {
        let west = view(b'A', "|@*.#");
        let east = view(b'B', "     ##@.C|");
        assert_eq!(row(&[west.clone(), east.clone()]), "|A*.#?#B.C|");
        assert_eq!(row(&[east, west]), "|A*.#?#B.C|");
    }

    #[test]
    fn gold_that_is_drawn_out_of_sight_is_not_believed() {
        assert_eq!(row(&[view(b'A', "|@..#  *")]), "|A..#?????|");
    }

    #[test]
    fn what_a_player_should_see_but_is_not_shown_is_unknown() {
        assert_eq!(row(&[view(b'A', "|@.")]), "|A.???????|");
    }

    #[test]
    fn the_newest_view_tells_where_a_player_is() {
        let before = view(b'B', "|A@.#");
        let after = view(b'A', "|B@.#");
        let swapped = row(&[before.clone(), after]);
        assert_eq!(swapped, "|BA.#?????|", "B was not sent that it was swapped");
        let gone = view(b'A', "|...#@#");
        assert_eq!(row(&[before.clone(), gone.clone()]), "|.B.#A#???|");
        assert_eq!(row(&[gone, before]), "|.B.#A#???|", "what B remembers of A does not count");
    }
}
