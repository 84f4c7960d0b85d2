//! The form *New game*: a complaint is found at once, also by people who don't see it.

use nuggets_testkit::{Browser, BrowserPage, LAPTOP, PHONE, WebHost};
use serde_json::{Value, json};

use crate::NUGGETS;

/// A wall is missing at the end of line 2.
const BAD: &str = "+---+\n|...\n+---+\n";

/// The control that has the focus: its id, whether it is marked as invalid, all texts that describe it, and whether
/// all of it is visible, also above the bar at the bottom.
const FOCUSED: &str = "(() => {
    const it = document.activeElement;
    const ids = (it.getAttribute('aria-describedby') ?? '').split(' ');
    const words = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
    const box = it.getBoundingClientRect();
    const bar = document.querySelector('.create-bar').getBoundingClientRect();
    const top = Math.min(box.top + 20, box.bottom);
    const isCovered = bar.top < top && getComputedStyle(document.querySelector('.create-bar')).position === 'sticky';
    const isVisible = box.top >= 0 && top <= innerHeight && !isCovered;
    return [it.id, it.getAttribute('aria-invalid'), words, isVisible];
})()";

/// The line and column of the cursor in the text of the map.
const CURSOR: &str = "(() => {
    const { value, selectionStart } = document.activeElement;
    const lines = value.slice(0, selectionStart).split('\\n');
    return `line ${lines.length}, column ${lines.at(-1).length + 1}`;
})()";
const FIRST_COMPLAINT: &str = "document.querySelector('#own-complaints .place').textContent";

/// Fills the form by a script, presses *Create* and returns what has the focus once a complaint is there.
fn complain(page: &BrowserPage<'_>, host: &WebHost, fill: &str) -> (String, String) {
    page.open(&host.url("/new"));
    page.eval(&format!(
        "(() => {{
            const set = (name, value) => {{
                const control = document.getElementById('new-game').elements.namedItem(name);
                if (typeof value === 'boolean') control.checked = value;
                else control.value = value;
                document.getElementById('new-game').dispatchEvent(new Event('change'));
                const target = control instanceof RadioNodeList ? control[0] : control;
                target.dispatchEvent(new Event('change', {{bubbles: true}}));
            }};
            {fill}
        }})()"
    ));
    page.click("button", "Create");
    page.wait_until("document.activeElement.getAttribute('aria-invalid') === 'true'");
    let focused = page.eval(FOCUSED);
    assert_eq!(focused[3], true, "the complaint is in view: {focused}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&focused[0]), text(&focused[2]))
}

#[test]
fn the_focus_goes_to_the_first_complaint_which_describes_its_field() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    // The browser reports rejected requests.
    browser.expect_error("status of 4");
    let page = browser.profile().page("creator");
    for device in [LAPTOP, PHONE] {
        page.set_device(device);
        let own = format!("set('map-kind', 'own'); set('map.own', {});", json!(BAD));
        let (id, words) = complain(&page, &host, &own);
        assert_eq!(id, "own-text");
        assert!(words.contains("The map has faults"), "{words}");
        assert_eq!(page.eval(CURSOR), page.eval(FIRST_COMPLAINT));

        let crowd =
            "set('start-kind', 'with_players'); set('bots.count', '20'); set('start', '26');";
        let (id, words) = complain(&page, &host, crowd);
        assert_eq!(id, "start-players");
        assert!(words.contains("only 6 seats are left"), "{words}");

        let (id, words) = complain(&page, &host, "set('seed', '7'); set('rated', true);");
        assert_eq!(id, "seed");
        assert!(words.contains("A rated game has a random seed"), "{words}");

        let (id, words) = complain(
            &page,
            &host,
            "set('rules.steal', true); set('rules.players', '1'); set('bots.count', '0');",
        );
        assert_eq!(id, "steal");
        assert!(words.len() > 20, "{words}");
    }
}
