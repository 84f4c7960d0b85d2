//! Pictures from the owner of a game to the edges: one stream per view, published once for all edges that ask for it and
//! fanned out by each to its watchers.
//!
//! A picture says how much of the log it shows. So an edge never shows less than it has shown before, whoever sends it.

use std::collections::BTreeMap;

use nuggets_time::Timestamp;

use crate::codec::{Decoder, Encoder};
use crate::{DecodeError, Epoch, Instance};

/// An edge asks for a view again after this time.
pub const SUBSCRIBE_MS: u64 = 1_000;
/// A view is published for an edge for this long after it was last asked for.
pub const SUBSCRIBED_FOR_MS: u64 = 3_500;
/// An edge that needs a whole picture asks again after this time.
pub const ASK_WHOLE_MS: u64 = 300;
/// The most views of a game: 26 players, and the whole map; more are ignored.
const MAX_VIEWS: usize = 64;
/// The most edges of a view; more are ignored.
const MAX_EDGES: usize = 1_024;

/// One message of the stream of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The epoch of the owner that sends it.
    pub epoch: Epoch,
    /// Counts the messages of this view in this epoch.
    pub number: u64,
    /// How many records of the log it shows.
    pub index: u64,
    /// True if it can be shown without the one before it.
    pub is_whole: bool,
    /// What the clients are sent.
    pub bytes: Vec<u8>,
}

const PICTURE: u8 = 1;

impl Picture {
    /// The picture as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let out = Encoder::with_tag(PICTURE).epoch(self.epoch).number(self.number);
        out.number(self.index).flag(self.is_whole).bytes(&self.bytes).finish()
    }

    /// Reads a picture.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        if from.byte()? != PICTURE {
            return Err(DecodeError);
        }
        let read = Self {
            epoch: from.epoch()?,
            number: from.number()?,
            index: from.number()?,
            is_whole: from.flag()?,
            bytes: from.bytes()?.to_vec(),
        };
        from.finish()?;
        Ok(read)
    }
}

/// The views of one game, at its owner.
#[derive(Debug)]
pub struct Outlet {
    epoch: Epoch,
    views: BTreeMap<Vec<u8>, OutletView>,
    /// All pictures so far. A view that is asked for again counts on from here, never from a number that it had before.
    count: u64,
}

#[derive(Debug, Default)]
struct OutletView {
    number: u64,
    edges: BTreeMap<Instance, Timestamp>,
    needs_whole: bool,
}

impl Outlet {
    /// Nobody has asked for anything yet.
    pub fn new(epoch: Epoch) -> Self {
        Self { epoch, views: BTreeMap::new(), count: 0 }
    }

    /// An edge asks for a view.
    pub fn subscribe(&mut self, now: Timestamp, edge: &Instance, view: &[u8], needs_whole: bool) {
        if self.views.len() >= MAX_VIEWS && !self.views.contains_key(view) {
            return;
        }
        let number = self.count;
        let new = || OutletView { number, ..OutletView::default() };
        let outlet = self.views.entry(view.to_vec()).or_insert_with(new);
        if outlet.edges.len() >= MAX_EDGES && !outlet.edges.contains_key(edge) {
            return;
        }
        outlet.needs_whole |= outlet.edges.insert(edge.clone(), now).is_none() || needs_whole;
    }

    /// The views that edges read now; those that nobody asks for any more are dropped.
    pub fn wanted(&mut self, now: Timestamp) -> impl Iterator<Item = (&[u8], NextPicture)> {
        for outlet in self.views.values_mut() {
            outlet.edges.retain(|_, asked_at| now.since(*asked_at) < SUBSCRIBED_FOR_MS);
        }
        self.views.retain(|_, outlet| !outlet.edges.is_empty());
        self.views.iter().map(|(view, outlet)| {
            let next = if outlet.needs_whole { NextPicture::Whole } else { NextPicture::Change };
            (&view[..], next)
        })
    }

    /// The edges that show a view.
    pub fn edges(&self, view: &[u8]) -> impl Iterator<Item = &Instance> {
        self.views.get(view).into_iter().flat_map(|outlet| outlet.edges.keys())
    }

    /// Numbers a picture that shows `index` records of the log; it must be sent to all edges, in this order.
    pub fn publish(
        &mut self,
        view: &[u8],
        index: u64,
        kind: NextPicture,
        bytes: Vec<u8>,
    ) -> Option<Picture> {
        let outlet = self.views.get_mut(view)?;
        outlet.number += 1;
        self.count += 1;
        let is_whole = kind == NextPicture::Whole;
        outlet.needs_whole &= !is_whole;
        Some(Picture { epoch: self.epoch, number: outlet.number, index, is_whole, bytes })
    }
}

/// What the next picture of a view must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPicture {
    /// A whole one: an edge has missed something.
    Whole,
    /// What has changed is enough.
    Change,
}

/// One view at an edge.
#[derive(Debug)]
pub struct ViewFeed {
    shown: Shown,
    needs_whole: bool,
    asked_at: Option<Timestamp>,
}

/// The last picture that was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shown {
    epoch: Epoch,
    number: u64,
    index: u64,
}

impl ViewFeed {
    /// A view that nothing was shown of yet, or only the first `index` records of the log, to clients that were at another
    /// edge before.
    pub fn new(index: u64) -> Self {
        let shown = Shown { index, ..Shown::default() };
        Self { shown, needs_whole: true, asked_at: None }
    }

    /// How many records of the log are shown.
    pub fn index(&self) -> u64 {
        self.shown.index
    }

    /// True if this picture is to be shown. It is dropped if it is older than what was shown, or a change of something
    /// that was missed.
    #[must_use]
    pub fn handle_picture(&mut self, picture: &Picture) -> bool {
        let Picture { epoch, number, index, is_whole, .. } = *picture;
        let is_next = epoch == self.shown.epoch && number == self.shown.number + 1;
        let is_newer = (epoch, number) > (self.shown.epoch, self.shown.number);
        let is_good =
            is_newer && index >= self.shown.index && (is_whole || is_next && !self.needs_whole);
        if is_good {
            self.shown = Shown { epoch, number, index };
        }
        if is_newer {
            self.needs_whole = !is_good;
        }
        is_good
    }

    /// A new owner: it must be asked, and begins with a whole picture.
    pub fn handle_owner(&mut self) {
        self.needs_whole = true;
        self.asked_at = None;
    }

    /// Whether the owner is to be asked now, and for a whole picture.
    pub fn poll_subscribe(&mut self, now: Timestamp) -> Option<NextPicture> {
        if self.timeout() > now {
            return None;
        }
        self.asked_at = Some(now);
        Some(if self.needs_whole { NextPicture::Whole } else { NextPicture::Change })
    }

    /// When to call `poll_subscribe`.
    pub fn timeout(&self) -> Timestamp {
        let interval_ms = if self.needs_whole { ASK_WHOLE_MS } else { SUBSCRIBE_MS };
        self.asked_at.map_or(Timestamp(0), |at| at.after(interval_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    fn edge(name: &str) -> Instance {
        Instance { node: NodeId::new(name).unwrap(), incarnation: 1 }
    }

    fn picture(epoch: u64, number: u64, index: u64, is_whole: bool) -> Picture {
        Picture { epoch: Epoch(epoch), number, index, is_whole, bytes: vec![] }
    }

    fn wanted(outlet: &mut Outlet, now: u64) -> Vec<NextPicture> {
        outlet.wanted(Timestamp(now)).map(|(_, next)| next).collect()
    }

    #[test]
    fn a_view_is_published_while_an_edge_asks_for_it() {
        let mut outlet = Outlet::new(Epoch(1));
        assert_eq!(outlet.publish(b"map", 1, NextPicture::Whole, vec![]), None);
        outlet.subscribe(Timestamp(0), &edge("a"), b"map", false);
        assert_eq!(wanted(&mut outlet, 0), [NextPicture::Whole], "an edge that is new");
        assert_eq!(outlet.publish(b"map", 1, NextPicture::Whole, vec![]).unwrap().number, 1);
        assert_eq!(wanted(&mut outlet, 0), [NextPicture::Change]);
        outlet.subscribe(Timestamp(0), &edge("a"), b"map", true);
        assert_eq!(wanted(&mut outlet, 0), [NextPicture::Whole], "one that has missed something");
        assert_eq!(wanted(&mut outlet, SUBSCRIBED_FOR_MS), []);
    }

    #[test]
    fn a_view_that_is_asked_for_again_does_not_count_from_the_start() {
        let mut outlet = Outlet::new(Epoch(1));
        for now in [0, 10_000] {
            assert_eq!(wanted(&mut outlet, now), []);
            outlet.subscribe(Timestamp(now), &edge("a"), b"map", false);
            assert_eq!(wanted(&mut outlet, now), [NextPicture::Whole]);
            let number = outlet.publish(b"map", 1, NextPicture::Whole, vec![]).unwrap().number;
            assert_eq!(number, 1 + now / 10_000);
        }
    }

    #[test]
    fn an_edge_shows_changes_in_order_and_asks_for_a_whole_picture_after_a_gap() {
        let mut feed = ViewFeed::new(0);
        assert_eq!(feed.poll_subscribe(Timestamp(0)), Some(NextPicture::Whole));
        assert!(!feed.handle_picture(&picture(1, 4, 4, false)), "a change of nothing");
        assert!(feed.handle_picture(&picture(1, 5, 5, true)));
        assert!(feed.handle_picture(&picture(1, 6, 6, false)));
        assert!(!feed.handle_picture(&picture(1, 6, 6, false)), "the same again");
        assert!(!feed.handle_picture(&picture(1, 8, 8, false)), "a gap");
        assert!(!feed.handle_picture(&picture(1, 9, 9, false)), "behind the gap");
        assert_eq!(feed.poll_subscribe(Timestamp(ASK_WHOLE_MS)), Some(NextPicture::Whole));
        assert!(feed.handle_picture(&picture(1, 10, 9, true)));
        assert_eq!(feed.poll_subscribe(Timestamp(ASK_WHOLE_MS + 1)), None);
    }

    #[test]
    fn an_edge_never_shows_less_of_the_log_than_before() {
        let mut feed = ViewFeed::new(3);
        assert!(!feed.handle_picture(&picture(1, 1, 2, true)), "a client has seen more elsewhere");
        assert!(feed.handle_picture(&picture(1, 2, 7, true)));
        assert!(feed.handle_picture(&picture(2, 1, 8, true)), "a new owner");
        assert!(!feed.handle_picture(&picture(1, 3, 9, false)), "the former owner");
        assert!(!feed.handle_picture(&picture(1, 4, 9, true)), "the former owner");
        assert!(!feed.handle_picture(&picture(3, 1, 7, true)), "less than was shown");
        assert_eq!(feed.index(), 8);
    }

    #[test]
    fn a_picture_is_read_as_it_was_written() {
        let picture = Picture { bytes: b"rows".to_vec(), ..picture(3, 300, 20, true) };
        assert_eq!(Picture::decode(&picture.encode()), Ok(picture));
    }
}
