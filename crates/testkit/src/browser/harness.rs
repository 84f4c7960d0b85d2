//! A test of the browser itself, on a page that needs no server.

use super::Browser;

#[test]
#[should_panic(expected = "the pages logged errors")]
fn an_error_on_a_page_fails_the_test() {
    let browser = Browser::start();
    let page = browser.profile().page("harness");
    page.open("data:text/html,<script>undefinedFunction()</script>");
}
