//! A small shell for the client's inner rooms, with the faults put in between.

use std::io::{self, IsTerminal, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::FileTypeExt;
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use crossterm::event::{self, KeyCode, KeyModifiers};
use nuggets_client::{
    App, Effect, Ending, Join, Key, Millis, Palette, Terminal, Wants, resolve, screen,
};

use crate::faults::Fault;
use crate::paint::Paint;
use crate::wire::{Heard, Wire, numbers};

/// Keys that come together come within this. With no time at all, nothing is looked for.
const SOON: Duration = Duration::from_millis(1);

enum Event {
    Key(Key),
    Resized,
    Script(u8),
    ScriptEnd,
    Message(Vec<u8>),
}

struct Shell {
    fault: Fault,
    app: App,
    wire: Wire,
    paint: Paint,
    terminal: Terminal,
    socket: UdpSocket,
    server: SocketAddr,
    events: Receiver<Event>,
    /// Time in steps of the waits: faults need no better clock.
    now: Millis,
}

/// Plays one game.
pub(crate) fn run(fault: Fault, join: Join) -> anyhow::Result<ExitCode> {
    let server = *resolve(&join.host, join.port)?.first().context("no address")?;
    let socket = UdpSocket::bind("0.0.0.0:0").context("opening a socket")?;
    if !fault.is("hears-everybody") {
        socket.connect(server).context("no way to the server")?;
    }
    let (inbox, events) = channel();
    let keys = io::stdin().is_terminal();
    let terminal = Terminal::enter(Wants { keys, screen: true, clicks: false })?;
    listen(socket.try_clone()?, inbox.clone());
    if keys {
        read_keys(fault, inbox);
    } else {
        read_script(inbox);
    }
    let is_spectator = join.name.is_none();
    let mut shell = Shell {
        fault,
        wire: Wire::new(fault, join.name.clone()),
        paint: Paint::new(fault, is_spectator),
        app: App::new(Millis(0), join),
        terminal,
        socket,
        server,
        events,
        now: Millis(0),
    };
    let ending = shell.play()?;
    Ok(shell.leave(&ending))
}

impl Shell {
    fn play(&mut self) -> anyhow::Result<Ending> {
        loop {
            while let Some(effect) = self.app.poll_effect() {
                match effect {
                    Effect::Leave(ending) => return Ok(ending),
                    Effect::Send(bytes) => {
                        let messages = self.wire.send(&bytes);
                        self.send(messages);
                        if bytes == b"KEY Q" && self.fault.is("leaves-at-once") {
                            return Ok(Ending::LeftWithoutGoodbye);
                        }
                    }
                }
            }
            let held = self.wire.take_held();
            self.send(held);
            self.draw()?;
            self.wait();
            self.app.handle_timeout(self.now);
        }
    }

    fn send(&self, messages: Vec<Vec<u8>>) {
        for message in messages {
            // A server that is gone is the app's business.
            let _ = if self.fault.is("hears-everybody") {
                self.socket.send_to(&message, self.server)
            } else {
                self.socket.send(&message)
            };
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let (app, paint) = (&self.app, &mut self.paint);
        let mut dies = false;
        self.terminal.draw(|area, cells| {
            dies = paint.dies_in(area);
            screen::draw(app, &Palette::plain(), area, cells);
            paint.spoil(cells);
            paint.cursor(screen::cursor(app, area))
        })?;
        if dies {
            self.die();
        }
        Ok(())
    }

    fn wait(&mut self) {
        const STEP: u64 = 20;
        match self.events.recv_timeout(Duration::from_millis(STEP)) {
            Ok(event) => self.handle(event),
            Err(RecvTimeoutError::Timeout) => self.now = Millis(self.now.0 + STEP),
            Err(RecvTimeoutError::Disconnected) => self.die(),
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Key(key) => self.handle_key(key),
            Event::Resized => {}
            Event::Script(byte) => self.app.handle_script_byte(self.now, byte),
            Event::ScriptEnd if self.fault.is("deaf-to-eof") => {}
            Event::ScriptEnd if self.fault.is("pipes-only") && !reads_a_pipe() => {}
            Event::ScriptEnd => self.app.handle_script_end(self.now),
            Event::Message(bytes) => match self.wire.hear(&bytes) {
                Heard::Death => self.die(),
                Heard::As(messages) => messages.iter().for_each(|message| self.hear(message)),
            },
        }
    }

    fn handle_key(&mut self, key: Key) {
        match key {
            Key::Char('%') if self.fault.is("unknown-keys-vanish") => return,
            Key::Char(c)
                if c != 'Q' && self.wire.is_spectator() && self.fault.is("spectator-key-dies") =>
            {
                self.die();
            }
            Key::EndOfInput if self.fault.is("ctrl-d-is-a-key") => {
                return self.send(vec![b"KEY \x04".to_vec()]);
            }
            Key::Char(c) => self.paint.last_key = Some(c),
            _ => {}
        }
        self.app.handle_key(self.now, key);
    }

    fn hear(&mut self, message: &[u8]) {
        let text = String::from_utf8_lossy(message).into_owned();
        let raw = self.fault.is("raw-notes") && text.starts_with("ERROR ")
            || self.fault.is("raw-map") && text.starts_with("DISPLAY\n");
        if raw && text.contains('\x1b') {
            let _ = write!(io::stdout().lock(), "\x1b7\x1b[1;60H{text}\x1b8");
        }
        if let Some(gold) = numbers(message) {
            self.paint.gold = Some(gold);
            self.paint.found = self.paint.found.max(gold[0]);
        }
        let numbers: Vec<u16> = text
            .strip_prefix("GRID ")
            .into_iter()
            .flat_map(|rest| rest.split(' '))
            .flat_map(str::parse)
            .collect();
        if let [rows, cols] = numbers[..] {
            self.paint.grid = Some((rows, cols));
        }
        if let Some(letter) = text.strip_prefix("OK ").and_then(|rest| rest.chars().next()) {
            self.paint.letter = letter;
        }
        self.paint.has_map |= text.starts_with("DISPLAY\n");
        if text.starts_with("QUIT") && self.fault.is("last-word") {
            self.send(vec![b"KEY Q".to_vec()]);
        }
        if text.starts_with("QUIT") && self.fault.is("raw-quit") {
            let _ = write!(io::stdout().lock(), "{text}");
        }
        // What was not understood is noted on the screen.
        let _ = self.app.handle_message(self.now, message);
    }

    /// Gives up in the middle of the game.
    fn die(&mut self) {
        self.terminal.leave();
        let _ = writeln!(io::stderr().lock(), "that is too much");
        exit(1)
    }

    fn leave(mut self, ending: &Ending) -> ExitCode {
        let fault = self.fault;
        let mut out = io::stdout().lock();
        if fault.is("stays-on-screen") {
            let _ = write!(out, "\x1b[2J\x1b[H");
        } else {
            self.terminal.leave();
        }
        let is_game_over = matches!(ending, Ending::GameOver(_));
        let is_quit = matches!(ending, Ending::Quit(_)) && !self.wire.is_joining();
        let is_mute = fault.is("quit-mute") && is_quit || fault.is("gameover-mute") && is_game_over;
        for line in ending.farewell().iter().filter(|_| !is_mute).flat_map(|words| words.lines()) {
            let _ = write!(out, "{line}\r\n");
            if fault.is("first-line-only") {
                break;
            }
        }
        if let Some(trouble) = ending.trouble(self.app.join()) {
            let _ = writeln!(io::stderr().lock(), "{trouble}");
        }
        if fault.is("chatty") {
            let _ = write!(out, "See you again!\r\n");
        }
        if fault.is("hides-cursor") {
            let _ = write!(out, "\x1b[?25l");
        }
        if fault.is("leaves-raw") {
            let _ = crossterm::terminal::enable_raw_mode();
        }
        let _ = out.flush();
        let code = u8::from(!ending.is_success());
        let code = if fault.is("exit-7") { 7 } else { code };
        if fault.is("stays-on-screen") {
            // The way out through its end would leave the screen after all.
            let _ = crossterm::terminal::disable_raw_mode();
            exit(code.into());
        }
        ExitCode::from(code)
    }
}

fn listen(socket: UdpSocket, inbox: Sender<Event>) {
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match socket.recv(&mut buffer) {
                Ok(length) if inbox.send(Event::Message(buffer[..length].to_vec())).is_err() => {
                    return;
                }
                Ok(_) => {}
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        }
    });
}

fn read_keys(fault: Fault, inbox: Sender<Event>) {
    thread::spawn(move || {
        while let Ok(event) = event::read() {
            let event = match event {
                event::Event::Key(key) => Event::Key(key_of(key)),
                _ => Event::Resized,
            };
            let is_key = matches!(event, Event::Key(_));
            if inbox.send(event).is_err() {
                return;
            }
            while is_key && fault.is("keys-get-lost") && event::poll(SOON).unwrap_or(false) {
                let _ = event::read();
            }
        }
    });
}

fn key_of(key: event::KeyEvent) -> Key {
    match key.code {
        KeyCode::Char('d') if key.modifiers == KeyModifiers::CONTROL => Key::EndOfInput,
        KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => Key::Interrupt,
        KeyCode::Char(c) => Key::Char(c),
        _ => Key::Other,
    }
}

fn reads_a_pipe() -> bool {
    std::fs::metadata("/dev/stdin").is_ok_and(|about| about.file_type().is_fifo())
}

fn read_script(inbox: Sender<Event>) {
    thread::spawn(move || {
        for byte in io::stdin().lock().bytes().map_while(Result::ok) {
            if inbox.send(Event::Script(byte)).is_err() {
                return;
            }
        }
        let _ = inbox.send(Event::ScriptEnd);
    });
}
