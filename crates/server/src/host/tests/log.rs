//! The content of the log and its quota.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level as TracingLevel, Metadata, Subscriber};

use super::*;

/// Collects the log lines down to a level.
struct Lines {
    max_level: TracingLevel,
    written: Arc<Mutex<Vec<String>>>,
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.max_level
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let line = format!("{} {}", event.metadata().level(), message.0);
        self.written.lock().unwrap().push(line);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Returns the log lines that this conversation with a room writes.
fn log(max_level: TracingLevel, talk: impl FnOnce(&mut Talk)) -> Vec<String> {
    let written = Arc::new(Mutex::new(Vec::new()));
    let lines = Lines { max_level, written: Arc::clone(&written) };
    tracing::subscriber::with_default(lines, || {
        let host = Host::new(Room::new(&setup()).unwrap(), MemoryStorage::default());
        talk(&mut Talk::new(host, MemoryTransport::default()));
    });
    let written = written.lock().unwrap();
    written.clone()
}

#[test]
fn each_line_has_its_level_and_names_the_peer() {
    let lines = log(TracingLevel::TRACE, |talk| {
        talk.hear('a', b"PLAY Ann");
        talk.hear('z', b"nonsense");
        talk.hear('z', b"KEY l");
        talk.host.finish_log();
    });
    assert_eq!(lines[0], "INFO A joins from peer 97: \"Ann\"");
    assert!(lines[1].starts_with("WARN malformed message: "), "{}", lines[1]);
    assert!(lines[2].starts_with("DEBUG ") && lines[2].contains("peer 122"), "{}", lines[2]);
    assert_eq!(lines.len(), 3, "{lines:?}");
}

#[test]
fn lines_beyond_the_quota_are_counted_after_a_second_and_at_the_end() {
    let lines = log(TracingLevel::TRACE, |talk| {
        for _ in 0..203 {
            talk.hear('z', b"nonsense");
        }
        talk.now = talk.now.after(1_000);
        for _ in 0..51 {
            talk.hear('z', b"nonsense");
        }
        talk.host.finish_log();
        talk.host.finish_log();
    });
    assert_eq!(lines[200], "WARN 3 more lines were left out of the log");
    assert_eq!(lines[251..], ["WARN 1 more line was left out of the log"]);
}

#[test]
fn lines_that_the_log_does_not_show_do_not_use_up_its_quota() {
    let lines = log(TracingLevel::INFO, |talk| {
        for _ in 0..1_000 {
            talk.hear('z', b"KEY l");
        }
        talk.hear('a', b"PLAY Ann");
        talk.host.finish_log();
    });
    assert_eq!(lines, ["INFO A joins from peer 97: \"Ann\""]);
}
