//! What a game did, held until it is in the log, and how it is passed on then.

use std::net::SocketAddr;

use nuggets_cluster::{Instance, Mark, NextPicture};
use nuggets_time::Timestamp;

use super::{OwnedGame, outlet_view};
use crate::cluster::effect::Effect;
use crate::cluster::messages::{NodeMessage, Words};
use crate::wire::DirectLine;
use crate::workers::relay::{View, ViewLines};
use crate::{AttachError, Attached, ConnectionId, GameReport};

/// Output of a game.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) cause: Cause,
    pub(super) lines: Vec<ViewLines>,
    pub(super) direct: Vec<(ConnectionId, DirectLine)>,
    pub(super) datagrams: Vec<(SocketAddr, Vec<u8>)>,
    pub(super) reports: Vec<GameReport>,
    pub(super) attached: Option<Result<Attached, AttachError>>,
}

/// Why a game did something.
#[derive(Debug)]
pub(super) enum Cause {
    /// A timeout, a bot, a UDP client, or nothing that anybody waits for.
    Itself,
    Key(Mark),
    Attach(nuggets_cluster::ConnectionId),
    Order {
        from: Instance,
        id: u64,
    },
    Show(View),
    Freeze,
}

impl Held {
    /// No output.
    pub(super) fn of(cause: Cause) -> Self {
        let (lines, direct, datagrams, reports) = (vec![], vec![], vec![], vec![]);
        Self { cause, lines, direct, datagrams, reports, attached: None }
    }
}

impl OwnedGame {
    /// Passes on what is in the log.
    pub(super) fn release(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        while let Some(held) = self.gate.poll(self.journal.committed()) {
            self.release_one(now, held, effects);
        }
    }

    fn release_one(&mut self, now: Timestamp, held: Held, effects: &mut Vec<Effect>) {
        for lines in held.lines {
            self.publish(lines, effects);
        }
        for (to, line) in held.direct {
            self.send_direct(to, &line);
        }
        match held.cause {
            Cause::Key(mark) => {
                if let Some(doors) = &mut self.doors {
                    doors.inbox.answer(&mark.connection, mark.number);
                }
            }
            Cause::Attach(connection) => self.welcome(&connection, held.attached, effects),
            Cause::Order { from, id } => {
                effects.push(Effect::send(from, NodeMessage::Words(Words::Done { id })));
            }
            Cause::Show(view) => {
                self.whole_asked.remove(&view);
                self.refresh_views(now, effects);
            }
            Cause::Itself | Cause::Freeze => {}
        }
        if !held.datagrams.is_empty() {
            effects.push(Effect::Datagrams(self.game, held.datagrams));
        }
        if !held.reports.is_empty() {
            held.reports.iter().for_each(|report| self.note_report(report));
            effects.push(Effect::Reports(self.game, held.reports));
        }
    }

    /// One picture for each edge that shows the view.
    fn publish(&mut self, lines: ViewLines, effects: &mut Vec<Effect>) {
        let index = self.journal.last_index();
        let Some(doors) = &mut self.doors else { return };
        let view = outlet_view(lines.view);
        let kind = if lines.is_whole { NextPicture::Whole } else { NextPicture::Change };
        let Some(picture) = doors.outlet.publish(&view, index, kind, lines.text.into_bytes())
        else {
            return;
        };
        for edge in doors.outlet.edges(&view) {
            let message = NodeMessage::Picture(self.log.clone(), lines.view, picture.clone());
            effects.push(Effect::send(edge.clone(), message));
        }
    }

    fn send_direct(&mut self, to: ConnectionId, line: &DirectLine) {
        let connection = self.people.connection(to);
        if let (Some(doors), Some(connection)) = (&mut self.doors, connection)
            && let Ok(bytes) = serde_json::to_vec(line)
        {
            doors.inbox.send_direct(&connection, bytes);
        }
    }
}
