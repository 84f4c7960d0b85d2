//! Tests of the browser itself, on pages that need no server.

use super::{Browser, PHONE};

/// A page that shows the input it receives.
const PAGE: &str = "data:text/html,<!doctype html><title>harness</title>\
    <meta name=viewport content='width=device-width'>\
    <button id=b>Go</button><input aria-label=Field><p id=log>-</p><script>\
    const log = document.getElementById('log');\
    b.onclick = event => log.textContent += ' ' + event.pointerType;\
    onkeydown = event => log.textContent += ' ' + event.key + (event.shiftKey ? '!' : '');\
    ontouchmove = event => log.textContent += ' move';\
    </script>";

#[test]
fn keys_mouse_and_touch_reach_the_page() {
    let browser = Browser::start();
    let page = browser.profile().page("harness");
    page.open(PAGE);
    page.click("button", "Go");
    page.press("ArrowLeft");
    page.press("L");
    page.wait_until("log.textContent === '- mouse ArrowLeft L!'");
    page.fill("textbox", "Field", "some text");
    assert_eq!(page.find("textbox", "Field").value, "some text");
    page.set_device(PHONE);
    page.open(PAGE);
    page.tap("button", "Go");
    page.wait_until("log.textContent === '- touch'");
    assert_eq!(page.tab_to("textbox", "Field").role, "textbox");
    assert_eq!(page.eval("[innerWidth, devicePixelRatio]"), serde_json::json!([390, 3]));
    assert!(page.screenshot().starts_with(b"\x89PNG"));
}

#[test]
#[should_panic(expected = "the pages logged errors")]
fn an_error_on_a_page_fails_the_test() {
    let browser = Browser::start();
    let page = browser.profile().page("harness");
    page.open("data:text/html,<script>undefinedFunction()</script>");
}
