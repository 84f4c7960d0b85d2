//! The mailbox of a connection, for everything outside its stream: a few lines of its game or the host, and the order to
//! close it. A connection that does not read costs no more than these.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use crate::locks::lock;
use crate::service::Dismissal;
use crate::wire::DirectLine;

/// The mailbox of one connection.
#[derive(Debug)]
pub(crate) struct Mailbox {
    max_lines: usize,
    content: Mutex<Content>,
}

#[derive(Debug)]
struct Content {
    lines: VecDeque<DirectLine>,
    dismissal: Option<Dismissal>,
    /// Wakes the task of the connection.
    waker: Waker,
}

/// One thing that is in a mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mail {
    /// A line to send.
    Line(DirectLine),
    /// The connection must be closed.
    Dismissal(Dismissal),
}

impl Mailbox {
    /// Creates a mailbox for at most this many lines.
    pub(crate) fn new(max_lines: usize) -> Self {
        let waker = Waker::noop().clone();
        let content = Content { lines: VecDeque::new(), dismissal: None, waker };
        Self { max_lines, content: Mutex::new(content) }
    }

    /// Adds a line, or drops it if the connection has not read those before.
    pub(crate) fn send(&self, line: DirectLine) {
        let mut content = lock(&self.content);
        if content.lines.len() < self.max_lines {
            content.lines.push_back(line);
            content.waker.wake_by_ref();
        }
    }

    /// Orders the connection to close. The last reason counts.
    pub(crate) fn dismiss(&self, why: Dismissal) {
        let mut content = lock(&self.content);
        content.dismissal = Some(why);
        content.waker.wake_by_ref();
    }

    /// Waits for the next line, or for a dismissal. Only one task may wait.
    pub(crate) async fn next(&self) -> Mail {
        poll_fn(|cx| {
            let mut content = lock(&self.content);
            if let Some(line) = content.lines.pop_front() {
                return Poll::Ready(Mail::Line(line));
            }
            if let Some(why) = content.dismissal {
                return Poll::Ready(Mail::Dismissal(why));
            }
            content.waker.clone_from(cx.waker());
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn lines_beyond_the_limit_are_dropped_and_a_dismissal_comes_after_the_others() {
        let mailbox = Mailbox::new(2);
        let line = |text: &str| DirectLine::Error(text.to_owned());
        assert_eq!(mailbox.next().now_or_never(), None);
        mailbox.dismiss(Dismissal::Stopping);
        for text in ["a", "b", "c"] {
            mailbox.send(line(text));
        }
        for expected in [Mail::Line(line("a")), Mail::Line(line("b"))] {
            assert_eq!(mailbox.next().await, expected);
        }
        mailbox.dismiss(Dismissal::Banned);
        assert_eq!(mailbox.next().await, Mail::Dismissal(Dismissal::Banned));
    }

    #[tokio::test]
    async fn who_waits_is_woken() {
        let mailbox = Mailbox::new(1);
        let (mail, ()) = tokio::join!(mailbox.next(), async {
            tokio::task::yield_now().await;
            mailbox.send(DirectLine::Pong(1));
        });
        assert_eq!(mail, Mail::Line(DirectLine::Pong(1)));
    }
}
