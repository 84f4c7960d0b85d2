//! A picture that is drawn once and then updated only where something changed.
//!
//! It always equals what `View` would draw from scratch; a property test checks that.

use crate::{Changes, Game, Map, Player, Point, PointSet, Viewer};

/// One viewer's picture, ready to be sent: a prefix chosen by the caller, then the rows.
///
/// ```
/// # use nuggets_game::*;
/// # use nuggets_protocol::Dialect;
/// # let map = shipped::find("main").unwrap().map();
/// # let setup = Setup::new(map, Rules::default(), Seed::new(7), Dialect::V2021);
/// # let mut game = Game::new(&setup).unwrap();
/// let mut canvas = Canvas::new(&game, Viewer::Spectator, b"DISPLAY\n");
/// let (mut events, mut changes) = (Vec::new(), Changes::default());
/// game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut events);
/// changes.read(&events);
/// assert!(canvas.update(&game, &changes), "a player has appeared");
/// assert_eq!(canvas.bytes()[8..], *game.view(Viewer::Spectator).to_string().as_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct Canvas {
    viewer: Viewer,
    bytes: Vec<u8>,
    /// The length of the prefix.
    head: usize,
    /// The gridpoints that are drawn because the player knows them.
    drawn: PointSet,
    /// The gridpoints that were drawn since `forget_changes`; `None` if they are not tracked.
    changed: Option<Vec<u32>>,
}

impl Canvas {
    /// Draws the whole picture after the prefix `head`. A player must have joined.
    pub fn new(game: &Game, viewer: Viewer, head: &[u8]) -> Self {
        let map = game.map();
        let picture_len = usize::from(map.rows()) * (usize::from(map.cols()) + 1);
        // Exactly as large as it will ever be: a host keeps one for each player.
        let mut bytes = Vec::with_capacity(head.len() + picture_len);
        bytes.extend_from_slice(head);
        game.view(viewer).write_to(&mut bytes);
        let drawn = match viewer {
            Viewer::Player(letter) => game.player(letter).known.clone(),
            Viewer::Spectator => PointSet::empty(0),
        };
        Self { viewer, bytes, head: head.len(), drawn, changed: None }
    }

    /// The prefix and the picture.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The picture without the prefix.
    pub fn rows(&self) -> &[u8] {
        &self.bytes[self.head..]
    }

    /// Notes from now on which gridpoints are drawn again.
    pub fn track_changes(&mut self) {
        self.changed.get_or_insert_default();
    }

    /// Every gridpoint that looks different than at the last `forget_changes`, and perhaps others, by `Map::index` and in ascending
    /// order; none if they are not tracked.
    pub fn changed(&self) -> &[u32] {
        self.changed.as_deref().unwrap_or_default()
    }

    /// All who need to know have read `changed`.
    pub fn forget_changes(&mut self) {
        if let Some(changed) = &mut self.changed {
            changed.clear();
        }
    }

    /// Updates the picture after an input that caused these changes; true if it looks different now.
    /// It must be called after every input.
    pub fn update(&mut self, game: &Game, changes: &Changes) -> bool {
        let is_different = match self.viewer {
            Viewer::Spectator => self.redraw(game, changes, |_| true),
            Viewer::Player(letter) => self.update_player(game, game.player(letter), changes),
        };
        if let Some(changed) = &mut self.changed {
            changed.sort_unstable();
            changed.dedup();
        }
        is_different
    }

    fn update_player(&mut self, game: &Game, player: &Player, changes: &Changes) -> bool {
        let map = game.map();
        let Some(own) = player.at else { return false };
        if !changes.has_moved(player.letter) {
            return self.redraw(game, changes, |at| player.sees.contains(map.index(at)));
        }
        self.draw_known(map, &player.known);
        // Every occupant that is drawn stood on a touched gridpoint or still stands where it did.
        for at in changes.touched().iter().copied().chain(occupied(game)) {
            let index = map.index(at);
            if player.sees.contains(index) {
                self.set(map, at, game.symbol_at(at));
            } else if self.drawn.contains(index) {
                self.set(map, at, map.tiles()[index].as_byte());
            }
        }
        self.set(map, own, b'@');
        true
    }

    /// Draws the touched gridpoints that are visible.
    fn redraw(&mut self, game: &Game, changes: &Changes, sees: impl Fn(Point) -> bool) -> bool {
        let mut is_different = false;
        for &at in changes.touched().iter().filter(|at| sees(**at)) {
            is_different |= self.set(game.map(), at, game.symbol_at(at));
        }
        is_different
    }

    fn draw_known(&mut self, map: &Map, known: &PointSet) {
        let bytes = &mut self.bytes;
        let head = self.head;
        let cols = usize::from(map.cols());
        let changed = &mut self.changed;
        self.drawn.add_all_with(known, |index| {
            bytes[head + index + index / cols] = map.tiles()[index].as_byte();
            note(changed, index);
        });
    }

    fn set(&mut self, map: &Map, at: Point, drawn: u8) -> bool {
        let index = map.index(at);
        let place = &mut self.bytes[self.head + index + usize::from(at.row)];
        let is_different = std::mem::replace(place, drawn) != drawn;
        if is_different {
            note(&mut self.changed, index);
        }
        is_different
    }
}

fn note(changed: &mut Option<Vec<u32>>, index: usize) {
    if let Some(changed) = changed {
        changed.push(u32::try_from(index).expect("a map fits a datagram"));
    }
}

/// Every gridpoint with an occupant.
fn occupied(game: &Game) -> impl Iterator<Item = Point> + '_ {
    let gold_and_food = game.piles().map(|(at, _)| at).chain(game.food().iter().copied());
    gold_and_food.chain(game.players().iter().filter_map(Player::at))
}
