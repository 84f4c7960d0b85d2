//! What goes wrong with messages, on their way in and out.

use crate::faults::Fault;

/// What a faulty client remembers of its messages.
#[derive(Debug)]
pub(crate) struct Wire {
    fault: Fault,
    name: Option<Vec<u8>>,
    has_asked: bool,
    messages: usize,
    maps: Vec<Vec<u8>>,
    golds: usize,
    welcomes: usize,
    waiting_gold: Option<Vec<u8>>,
    /// A key was sent after the last map.
    has_pressed: bool,
    held_keys: Vec<Vec<u8>>,
}

/// What comes of a message.
pub(crate) enum Heard {
    /// These are heard in its place.
    As(Vec<Vec<u8>>),
    /// The client gives up.
    Death,
}

impl Wire {
    pub(crate) fn new(fault: Fault, name: Option<Vec<u8>>) -> Self {
        Self {
            fault,
            name,
            has_asked: false,
            messages: 0,
            maps: vec![],
            golds: 0,
            welcomes: 0,
            waiting_gold: None,
            has_pressed: false,
            held_keys: vec![],
        }
    }

    pub(crate) fn is_spectator(&self) -> bool {
        self.name.is_none()
    }

    /// Nothing but complaints has been heard so far.
    pub(crate) fn is_joining(&self) -> bool {
        self.welcomes == 0 && self.maps.is_empty()
    }

    /// What is sent in place of this.
    pub(crate) fn send(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        match message {
            [b'P', b'L', ..] | [b'S', ..] => self.ask(message),
            [b'K', b'E', b'Y', b' ', key] => self.press(*key),
            _ => vec![message.to_vec()],
        }
    }

    fn ask(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let fault = self.fault;
        let name = self.name.clone().unwrap_or_default();
        let play = |name: &[u8]| [b"PLAY ", name].concat();
        let asked = match self.is_spectator() {
            true if fault.is("spectate-blank") => b"SPECTATE ".to_vec(),
            false if fault.is("play-newline") => [message, b"\n"].concat(),
            false if fault.is("whole-name") => play(&name),
            false if fault.is("short-name") => play(&name[..name.len().min(20)]),
            false if fault.is("first-word-only") => {
                play(name.split(|&byte| byte == b' ').next().unwrap_or_default())
            }
            _ => message.to_vec(),
        };
        let twice = fault.is("asks-twice") && !std::mem::replace(&mut self.has_asked, true);
        vec![asked; if twice { 2 } else { 1 }]
    }

    fn press(&mut self, key: u8) -> Vec<Vec<u8>> {
        let fault = self.fault;
        let key = match key {
            b'y' if fault.is("y-for-u") => b'u',
            b'Q' if fault.is("small-q") => b'q',
            b'Q' if fault.is("spectator-stays") && self.is_spectator() => return vec![],
            b'A'..=b'P' | b'R'..=b'Z' if fault.is("sprints-walk") => key.to_ascii_lowercase(),
            _ => key,
        };
        let message = [b"KEY ", &[key][..]].concat();
        if fault.is("one-key-per-map") && std::mem::replace(&mut self.has_pressed, true) {
            self.held_keys.push(message);
            return vec![];
        }
        vec![message]
    }

    /// What has waited to be sent until now.
    pub(crate) fn take_held(&mut self) -> Vec<Vec<u8>> {
        if self.has_pressed { vec![] } else { std::mem::take(&mut self.held_keys) }
    }

    /// What is heard in place of this.
    pub(crate) fn hear(&mut self, message: &[u8]) -> Heard {
        self.messages += 1;
        if self.dies_of(message) {
            return Heard::Death;
        }
        let word = message.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
        let heard = match word {
            b"DISPLAY" => self.hear_map(message),
            b"GOLD" => self.hear_gold(message),
            b"OK" => self.hear_ok(message),
            b"QUIT" | b"GAMEOVER" => self.hear_quit(message),
            b"ERROR" | b"NO" => self.hear_complaint(message),
            b"GRID" => vec![message.to_vec()],
            _ if self.fault.is("unknown-unnoted") => vec![],
            _ if self.fault.is("quit-by-prefix") && message.starts_with(b"QUIT") => {
                vec![b"QUIT so be it".to_vec()]
            }
            _ => vec![message.to_vec()],
        };
        Heard::As(heard)
    }

    fn dies_of(&self, message: &[u8]) -> bool {
        let fault = self.fault;
        let words = message.split(|byte| b" \n".contains(byte)).filter(|word| !word.is_empty());
        let words: Vec<&[u8]> = words.collect();
        match words.first().copied().unwrap_or_default() {
            _ if fault.is("flood-dies") => self.messages > 100,
            _ if fault.is("dies-of-binary") => message.contains(&0),
            b"DISPLAY" if fault.is("dies-of-display") => words.len() < 2,
            b"DISPLAY" => false,
            _ if fault.is("dies-of-length") => message.len() > 60_000,
            _ if fault.is("dies-of-nothing") => message.is_empty(),
            b"PLAY" | b"KEY" => fault.is("dies-of-client-words"),
            b"OK" if fault.is("dies-of-ok") => words.len() < 2,
            b"OK" if fault.is("counts-welcomes") => self.welcomes >= 8,
            b"GOLD" if fault.is("dies-of-gold") => words.len() < 4,
            b"GOLD" if fault.is("strict-order") => {
                self.welcomes == 0 && !self.is_spectator() && numbers(message).is_some()
            }
            b"GRID" if fault.is("dies-of-grid") => words.len() < 3,
            b"HELLO" if fault.is("dies-early") => self.is_joining(),
            _ => false,
        }
    }

    fn hear_map(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let fault = self.fault;
        self.has_pressed = false;
        let blind = if self.is_spectator() { "spectator-blind" } else { "player-blind" };
        let is_new = self.maps.last().is_none_or(|last| last != message);
        if is_new {
            self.maps.push(message.to_vec());
        }
        if fault.is(blind)
            || fault.is("small-buffer") && message.len() > 60_000
            || fault.is("tires-of-maps") && self.maps.len() > 2
        {
            return vec![];
        }
        self.waiting_gold.take().into_iter().chain([message.to_vec()]).collect()
    }

    fn hear_gold(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let fault = self.fault;
        let Some([found, purse, left]) = numbers(message) else {
            return self.hear_malformed_gold(message);
        };
        self.golds += 1;
        if fault.is("gold-waits") && !self.maps.is_empty() {
            self.waiting_gold = Some(message.to_vec());
            return vec![];
        }
        if fault.is("status-sticks") && self.golds > 2 {
            return vec![];
        }
        let found = if fault.is("no-gold-note") { 0 } else { found };
        vec![format!("GOLD {found} {purse} {left}").into_bytes()]
    }

    fn hear_malformed_gold(&self, message: &[u8]) -> Vec<Vec<u8>> {
        let mut words: Vec<&[u8]> = message.split(|&byte| byte == b' ').skip(1).collect();
        if self.fault.is("malformed-unnoted") {
            return vec![];
        } else if self.fault.is("gold-words-are-zero") && words.len() == 3 {
            words.fill(b"0");
        } else if self.fault.is("gold-is-filled-up") && words.len() < 3 {
            words.retain(|word| !word.is_empty());
            words.resize(3, b"0");
        } else {
            return vec![message.to_vec()];
        }
        vec![[&b"GOLD"[..], words[0], words[1], words[2]].join(&b' ')]
    }

    fn hear_ok(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        self.welcomes += 1;
        vec![if self.fault.is("always-a") { b"OK A".to_vec() } else { message.to_vec() }]
    }

    fn hear_quit(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let fault = self.fault;
        let is_deaf = if self.is_joining() {
            fault.is("stays-when-full")
        } else {
            fault.is("never-quits") || fault.is("spectator-never-quits") && self.is_spectator()
        };
        if is_deaf { vec![] } else { vec![message.to_vec()] }
    }

    fn hear_complaint(&self, message: &[u8]) -> Vec<Vec<u8>> {
        let deaf = if self.is_joining() { "deaf-to-no" } else { "deaf-to-complaints" };
        if self.fault.is(deaf) { vec![] } else { vec![message.to_vec()] }
    }
}

/// The three numbers of a message about gold.
pub(crate) fn numbers(message: &[u8]) -> Option<[u32; 3]> {
    let text = std::str::from_utf8(message).ok()?.strip_prefix("GOLD ")?;
    let numbers: Vec<u32> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    numbers.try_into().ok()
}
