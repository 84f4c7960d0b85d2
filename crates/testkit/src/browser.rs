//! A running Chromium. Each [`Profile`] in it has its own cookies, like another person's browser.

mod axe;
mod devtools;
#[cfg(all(test, target_os = "linux"))]
mod harness;
mod input;
mod page;

use std::cell::RefCell;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

use devtools::DevTools;
pub use page::{BrowserPage, Device, Element, LAPTOP, PHONE, PROJECTOR};

/// The flags of Chromium: no connections to other hosts, and no sandbox, because it can't run as root with one.
const FLAGS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--disable-default-apps",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
];

/// A browser. Dropping it ends it, and panics with every error that a page has logged, unless the test has already failed
/// or expects the error.
pub struct Browser {
    tools: DevTools,
    child: Child,
    /// The session and the name of each page.
    pages: RefCell<Vec<(String, String)>>,
    errors: RefCell<Vec<String>>,
    /// The messages received over WebSockets, each with the session of its page.
    messages: RefCell<Vec<(String, String)>>,
    expected_errors: RefCell<Vec<String>>,
    /// The folder of the profiles, removed after the browser has ended.
    _folder: TempDir,
}

impl Browser {
    /// Starts a browser without a window.
    pub fn start() -> Self {
        let folder =
            TempDir::with_prefix("nuggets-browser-").expect("a scratch folder can be created");
        let mut command = Command::new("sh");
        // The browser communicates on the descriptors 3 and 4, and ends when they are closed.
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null 1>/dev/null"#, "sh", "chromium"]);
        command.args(FLAGS).arg(format!("--user-data-dir={}", folder.path().display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("HOME", folder.path()).process_group(0);
        let mut child = command.spawn().expect("there is a shell");
        let tools = DevTools::new(
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        let version = tools.call(None, "Browser.getVersion", &json!({}));
        assert!(
            version.is_ok(),
            "Chromium does not start ({version:?}): run `cargo xtask test`, which installs it"
        );
        Self {
            tools,
            child,
            pages: RefCell::default(),
            errors: RefCell::default(),
            messages: RefCell::default(),
            expected_errors: RefCell::default(),
            _folder: folder,
        }
    }

    /// Creates the browser of a new person, without cookies.
    pub fn profile(&self) -> Profile<'_> {
        let created = self.call("Target.createBrowserContext", &json!({}));
        Profile {
            browser: self,
            context: created["browserContextId"].as_str().expect("an id").to_owned(),
        }
    }

    /// Allows an error that contains this text, because the test causes it.
    pub fn expect_error(&self, part: &str) {
        self.expected_errors.borrow_mut().push(part.to_owned());
    }

    fn call_page(&self, session: &str, method: &str, params: &Value) -> Result<Value, String> {
        self.tools.call(Some(session), method, params)
    }

    /// Takes the messages that this page has received over WebSockets since the last call.
    fn take_messages(&self, session: &str) -> Vec<String> {
        self.read_events();
        let all = self.messages.take();
        let (taken, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(to, _)| to == session);
        self.messages.replace(rest);
        taken.into_iter().map(|(_, text)| text).collect()
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        self.tools.call(None, method, params).expect("the method exists")
    }

    /// Reads all events: logged errors and WebSocket messages.
    fn read_events(&self) {
        for event in self.tools.take_events() {
            if event["method"] == "Network.webSocketFrameReceived" {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let payload = &event["params"]["response"]["payloadData"];
                let message = (text(&event["sessionId"]), text(payload));
                self.messages.borrow_mut().push(message);
            }
            let Some(error) = logged_error(&event) else { continue };
            let session = event["sessionId"].as_str().unwrap_or_default();
            let pages = self.pages.borrow();
            let name = pages.iter().find(|(one, _)| one == session).map_or("?", |(_, name)| name);
            self.errors.borrow_mut().push(format!("{name}: {error}"));
        }
    }

    fn check_errors(&self) {
        self.read_events();
        let expected = self.expected_errors.borrow();
        let errors = self.errors.borrow();
        let unexpected: Vec<&String> = errors
            .iter()
            .filter(|error| !expected.iter().any(|part| error.contains(part)))
            .collect();
        assert!(unexpected.is_empty(), "the pages logged errors: {unexpected:#?}");
    }

    /// Writes pictures of all pages, which show why a test failed.
    fn save_pictures(&self) {
        let test = thread::current().name().unwrap_or("test").replace("::", "-");
        for (session, name) in &*self.pages.borrow() {
            let shot = self.tools.call(Some(session), "Page.captureScreenshot", &json!({}));
            let Ok(Some(data)) = shot.map(|shot| shot["data"].as_str().map(str::to_owned)) else {
                continue;
            };
            let file = failure_folder().join(format!("{test}-{name}.png"));
            let _ = std::fs::write(file, page::from_base64(&data));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let failed = thread::panicking();
        if failed {
            self.save_pictures();
            self.read_events();
            #[expect(clippy::print_stderr, reason = "helps to find out why a test failed")]
            {
                eprintln!("logged by the pages: {:#?}", self.errors.borrow());
                eprintln!("what they showed: {}", failure_folder().display());
            }
        }
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        if !failed {
            self.check_errors();
        }
    }
}

fn failure_folder() -> PathBuf {
    std::env::temp_dir()
}

/// Returns the text of an error that a page has logged: an exception, an error on the console, a violation of the content
/// security policy, or a file that could not be loaded.
fn logged_error(event: &Value) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            let details = &params["exceptionDetails"];
            Some(format!("{} {}", details["text"], details["exception"]["description"]))
        }
        "Runtime.consoleAPICalled" if params["type"] == "error" || params["type"] == "assert" => {
            Some(params["args"].to_string())
        }
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            Some(format!("{} {}", params["entry"]["text"], params["entry"]["url"]))
        }
        _ => None,
    }
}

/// The browser of one person.
pub struct Profile<'b> {
    browser: &'b Browser,
    context: String,
}

impl<'b> Profile<'b> {
    /// Opens a page. The name tells pages apart when a test fails.
    pub fn page(&self, name: &str) -> BrowserPage<'b> {
        let browser = self.browser;
        let created = browser.call(
            "Target.createTarget",
            &json!({"url": "about:blank", "browserContextId": self.context}),
        );
        let target = created["targetId"].as_str().expect("an id").to_owned();
        let attached =
            browser.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        let session = attached["sessionId"].as_str().expect("an id").to_owned();
        browser.pages.borrow_mut().push((session.clone(), name.to_owned()));
        BrowserPage::new(browser, session)
    }
}
