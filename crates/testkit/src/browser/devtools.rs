//! The `DevTools` protocol: JSON messages over a pair of pipes, each ended by a NUL byte. It knows nothing about pages.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::waiting::LIMIT;

pub(super) struct DevTools {
    requests: RefCell<ChildStdin>,
    messages: Receiver<Value>,
    last_id: Cell<u64>,
    events: RefCell<Vec<Value>>,
}

impl DevTools {
    pub(super) fn new(requests: ChildStdin, messages: ChildStdout) -> Self {
        let (sender, receiver) = channel();
        // The thread ends when the browser closes its pipe.
        thread::spawn(move || {
            for message in BufReader::new(messages).split(0) {
                let Ok(message) = message else { return };
                let Ok(message) = serde_json::from_slice(&message) else { return };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            requests: RefCell::new(requests),
            messages: receiver,
            last_id: Cell::new(0),
            events: RefCell::default(),
        }
    }

    /// Calls a method, of a page if a session is given, and waits for its result.
    pub(super) fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value, String> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let mut request = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            request["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&request).expect("JSON can be written");
        bytes.push(0);
        self.requests.borrow_mut().write_all(&bytes).map_err(|why| why.to_string())?;
        loop {
            let message = self.messages.recv_timeout(LIMIT);
            let mut message = message.map_err(|why| format!("no answer to {method}: {why}"))?;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(message["result"].take()),
                };
            }
            if message.get("id").is_none() {
                self.events.borrow_mut().push(message);
            }
        }
    }

    /// Takes the events since the last call.
    pub(super) fn take_events(&self) -> Vec<Value> {
        self.events.take()
    }
}
