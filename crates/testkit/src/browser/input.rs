//! The input of people: keys, mouse and touch.

use serde_json::json;

use super::page::{BrowserPage, Element};
use crate::waiting::wait_for;

impl BrowserPage<'_> {
    /// Clicks an element that is, or will be, on the page.
    pub fn click(&self, role: &str, name: &str) {
        let (x, y) = self.place(role, name);
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let params = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &params);
        }
    }

    /// Taps an element with a finger.
    pub fn tap(&self, role: &str, name: &str) {
        let (x, y) = self.place(role, name);
        self.tap_at(x, y);
    }

    /// Returns the middle of an element. Looks it up again if it was replaced meanwhile.
    fn place(&self, role: &str, name: &str) -> (f64, f64) {
        let place = || self.middle(&self.find(role, name));
        wait_for(&format!("the place of the {role} {name:?}"), place)
    }

    /// Taps a place in the window.
    pub fn tap_at(&self, x: f64, y: f64) {
        self.swipe((x, y), (x, y));
    }

    /// Moves a finger from one place to another.
    pub fn swipe(&self, from: (f64, f64), to: (f64, f64)) {
        let touch = |kind: &str, points: &[(f64, f64)]| {
            let points: Vec<_> = points.iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
            self.call("Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": points}));
        };
        touch("touchStart", &[from]);
        if from != to {
            for step in 1..=4 {
                let part = f64::from(step) / 4.0;
                let at = |from: f64, to: f64| from + (to - from) * part;
                touch("touchMove", &[(at(from.0, to.0), at(from.1, to.1))]);
            }
        }
        touch("touchEnd", &[]);
    }

    /// Presses a key by its name in JavaScript, such as `ArrowLeft`, `Enter` or `h`; a capital letter is pressed
    /// with Shift.
    pub fn press(&self, key: &str) {
        let is_shifted = key.len() == 1 && key.as_bytes()[0].is_ascii_uppercase();
        let mut params = json!({
            "key": key,
            "code": code(key),
            "windowsVirtualKeyCode": virtual_key(key),
            "modifiers": if is_shifted { 8 } else { 0 },
        });
        match key {
            "Enter" => params["text"] = "\r".into(),
            _ if key.len() == 1 => params["text"] = key.into(),
            _ => {}
        }
        params["type"] = if params.get("text").is_some() { "keyDown" } else { "rawKeyDown" }.into();
        self.call("Input.dispatchKeyEvent", &params);
        params["type"] = "keyUp".into();
        if let Some(params) = params.as_object_mut() {
            params.remove("text");
        }
        self.call("Input.dispatchKeyEvent", &params);
    }

    /// Replaces the content of a field.
    pub fn fill(&self, role: &str, name: &str, text: &str) {
        let field = self.find(role, name);
        self.focus(&field);
        self.eval("document.activeElement.select()");
        self.call("Input.insertText", &json!({"text": text}));
        self.eval("document.activeElement.dispatchEvent(new Event('change', {bubbles: true}))");
    }

    /// Presses Tab until an element has the focus.
    pub fn tab_to(&self, role: &str, name: &str) -> Element {
        let mut passed = vec![];
        for _ in 0..200 {
            self.press("Tab");
            let Some(focused) = self.focused() else { continue };
            if focused.role == role && focused.name.contains(name) {
                return focused;
            }
            passed.push(format!("{} {:?}", focused.role, focused.name));
        }
        panic!("Tab does not lead to the {role} {name:?}, but to {passed:#?}");
    }
}

/// Returns the physical position of a key, for keys where it matters.
fn code(key: &str) -> String {
    match key.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => format!("Key{}", key.to_ascii_uppercase()),
        [digit] if digit.is_ascii_digit() => format!("Digit{key}"),
        b" " => "Space".to_owned(),
        [_] => String::new(),
        _ => key.to_owned(),
    }
}

fn virtual_key(key: &str) -> u32 {
    match key {
        "Tab" => 9,
        "Enter" => 13,
        "Escape" => 27,
        "PageUp" => 33,
        "PageDown" => 34,
        "End" => 35,
        "Home" => 36,
        "ArrowLeft" => 37,
        "ArrowUp" => 38,
        "ArrowRight" => 39,
        "ArrowDown" => 40,
        _ => key.bytes().next().map_or(0, |byte| byte.to_ascii_uppercase().into()),
    }
}
