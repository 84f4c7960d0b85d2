//! One page of the browser: its content, as people and assistive technology see it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Browser;
use crate::waiting::wait_for;

/// A page, which assistive technology sees as a tree of elements.
pub struct BrowserPage<'b> {
    browser: &'b Browser,
    session: String,
}

/// The size and kind of a window.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// The size in CSS pixels.
    pub width: u32,
    /// The size in CSS pixels.
    pub height: u32,
    /// Screen pixels per CSS pixel.
    pub pixel_ratio: f64,
    /// True for a touch screen.
    pub is_touch: bool,
}

/// A phone.
pub const PHONE: Device = Device { width: 390, height: 844, pixel_ratio: 3.0, is_touch: true };
/// A laptop.
pub const LAPTOP: Device = Device { width: 1366, height: 768, pixel_ratio: 1.0, is_touch: false };
/// A projector.
pub const PROJECTOR: Device =
    Device { width: 1920, height: 1080, pixel_ratio: 1.0, is_touch: false };

/// An element of the accessibility tree.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its role, such as `button`.
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// Its value, if it is a control.
    pub value: String,
    id: u64,
    /// Its other properties.
    pub properties: Value,
}

impl<'b> BrowserPage<'b> {
    pub(super) fn new(browser: &'b Browser, session: String) -> Self {
        let page = Self { browser, session };
        for domain in ["Page", "Runtime", "Log", "DOM", "Accessibility", "Network"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.set_device(LAPTOP);
        // A page that is not in front would be throttled.
        page.call("Emulation.setFocusEmulationEnabled", &json!({"enabled": true}));
        page
    }

    /// Calls a method of the `DevTools` protocol.
    pub fn try_call(&self, method: &str, params: &Value) -> Result<Value, String> {
        self.browser.call_page(&self.session, method, params)
    }

    /// Calls a method of the `DevTools` protocol. Panics if it fails.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|why| panic!("{why}"))
    }

    /// Opens an address and waits until the page has been loaded completely.
    pub fn open(&self, url: &str) {
        let opened = self.call("Page.navigate", &json!({"url": url}));
        assert!(opened.get("errorText").is_none(), "{url}: {opened}");
        self.wait_until_loaded();
    }

    /// Loads the page again.
    pub fn reload(&self) {
        // This mark is gone when the new document has been loaded.
        self.eval("window.isOld = true");
        self.call("Page.reload", &json!({}));
        self.wait_until("!window.isOld");
        self.wait_until_loaded();
    }

    fn wait_until_loaded(&self) {
        self.wait_until("document.readyState === 'complete'");
    }

    /// Waits until the page has drawn twice, so that pending changes are on the screen.
    pub fn settle(&self) {
        // A page behind another one does not draw.
        self.call("Page.bringToFront", &json!({}));
        self.eval(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
        );
    }

    /// Returns the path of the address.
    pub fn path(&self) -> String {
        self.text("location.pathname")
    }

    /// Evaluates a JavaScript expression, which may be a promise.
    pub fn eval(&self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|why| panic!("{expression}\n{why}"))
    }

    /// Evaluates an expression whose value is a string.
    pub fn text(&self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    fn try_eval(&self, expression: &str) -> Result<Value, String> {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.try_call("Runtime.evaluate", &params)?;
        match result.get("exceptionDetails") {
            Some(details) => Err(details.to_string()),
            None => Ok(result["result"]["value"].take()),
        }
    }

    /// Waits until a JavaScript expression is true, even across a navigation.
    pub fn wait_until(&self, expression: &str) -> Value {
        wait_for(&format!("{expression} on {}", self.title()), || {
            let value = self.try_eval(expression).ok()?;
            let is_true = match &value {
                Value::Null => false,
                Value::Bool(value) => *value,
                Value::Number(value) => value.as_f64() != Some(0.0),
                Value::String(value) => !value.is_empty(),
                Value::Array(_) | Value::Object(_) => true,
            };
            is_true.then_some(value)
        })
    }

    fn title(&self) -> String {
        self.try_eval("location.href + ' ' + document.title")
            .map(|title| title.to_string())
            .unwrap_or_default()
    }

    /// Returns the accessibility tree of the page, in document order.
    pub fn accessibility_tree(&self) -> Vec<Element> {
        let Ok(tree) = self.try_call("Accessibility.getFullAXTree", &json!({})) else {
            return vec![];
        };
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let by_id: BTreeMap<&str, &Value> =
            nodes.iter().filter_map(|node| Some((node["nodeId"].as_str()?, node))).collect();
        let mut found = vec![];
        let mut rest: Vec<&Value> = nodes.first().into_iter().collect();
        while let Some(node) = rest.pop() {
            let children = node["childIds"].as_array().into_iter().flatten().rev();
            rest.extend(children.filter_map(|id| by_id.get(id.as_str()?)));
            if node["ignored"] != true {
                found.extend(element(node));
            }
        }
        found
    }

    /// Returns the elements with this role whose name contains this.
    pub fn all(&self, role: &str, name: &str) -> Vec<Element> {
        let tree = self.accessibility_tree();
        tree.into_iter().filter(|one| one.role == role && one.name.contains(name)).collect()
    }

    /// Waits for an element with this role whose name contains this.
    pub fn find(&self, role: &str, name: &str) -> Element {
        let found = |page: &Self| page.all(role, name).into_iter().next();
        wait_for(&format!("the {role} {name:?} on {}", self.title()), || found(self))
    }

    /// Returns the element that has the focus.
    pub fn focused(&self) -> Option<Element> {
        let params = json!({"expression": "document.activeElement"});
        let active = self.try_call("Runtime.evaluate", &params).ok()?;
        let params = json!({"objectId": active["result"]["objectId"], "fetchRelatives": false});
        let tree = self.try_call("Accessibility.getPartialAXTree", &params).ok()?;
        element(tree["nodes"].get(0)?)
    }

    /// Returns the middle of an element in the window; scrolls to it if needed.
    pub fn middle(&self, element: &Element) -> Option<(f64, f64)> {
        let node = json!({"backendNodeId": element.id});
        self.try_call("DOM.scrollIntoViewIfNeeded", &node).ok()?;
        let quads = self.try_call("DOM.getContentQuads", &node).ok()?;
        let corners: Vec<f64> =
            quads["quads"].get(0)?.as_array()?.iter().filter_map(Value::as_f64).collect();
        let mean = |first: usize| corners.iter().skip(first).step_by(2).sum::<f64>() / 4.0;
        Some((mean(0), mean(1)))
    }

    /// Moves the focus to an element.
    pub fn focus(&self, element: &Element) {
        self.call("DOM.focus", &json!({"backendNodeId": element.id}));
    }

    /// Changes the size and kind of the window.
    pub fn set_device(&self, device: Device) {
        let Device { width, height, pixel_ratio, is_touch } = device;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": pixel_ratio, "mobile": is_touch}),
        );
        let touch = json!({"enabled": is_touch, "maxTouchPoints": if is_touch { 5 } else { 1 }});
        self.call("Emulation.setTouchEmulationEnabled", &touch);
    }

    /// Sets media features, such as `("prefers-color-scheme", "dark")`.
    pub fn set_media(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Returns a picture of the window, as a PNG file.
    pub fn screenshot(&self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        from_base64(shot["data"].as_str().expect("a picture"))
    }

    /// Creates a game through the API, as the person of this page; returns its id.
    pub fn create_game(&self, spec: &Value) -> String {
        let created = self.eval(&format!(
            "fetch('/api/games', {{method: 'POST', headers: {{'content-type': 'application/json'}},
                body: JSON.stringify({spec})}}).then((response) => response.json())"
        ));
        created["id"]
            .as_str()
            .unwrap_or_else(|| panic!("{spec} makes no game: {created}"))
            .to_owned()
    }

    /// Takes the messages received over WebSockets since the last call.
    pub fn take_messages(&self) -> Vec<String> {
        self.browser.take_messages(&self.session)
    }
}

fn element(node: &Value) -> Option<Element> {
    let text = |value: &Value| match &value["value"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let mut properties = json!({});
    for property in node["properties"].as_array().into_iter().flatten() {
        properties[property["name"].as_str()?] = property["value"]["value"].clone();
    }
    Some(Element {
        role: text(&node["role"]),
        name: text(&node["name"]),
        value: text(&node["value"]),
        id: node["backendDOMNodeId"].as_u64()?,
        properties,
    })
}

/// Decodes base64 as the browser writes it: standard alphabet, with padding.
pub(super) fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
