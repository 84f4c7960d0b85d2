//! Tests of pages and their files over HTTP.

use serde_json::json;

use crate::client::TestHost;

#[test]
fn people_get_error_pages_and_programs_json() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    for path in ["/none", "/g/abcdefghjkmn", "/g/%3Cscript%3E", "/players/77", "/static/none.js"] {
        let page = ann.get(path);
        assert_eq!(page.status, 404, "{path}");
        assert!(page.header("content-type").unwrap().starts_with("text/html"), "{path}");
        assert!(page.text().contains("To the games"), "{path}");
        assert!(!page.text().contains("<script>"), "{path}");
    }
    for path in ["/api/none", "/api/games/x", "/api/games/abcdefghjkmn/replay"] {
        let answer = ann.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.json()["error"].is_null(), "{path}");
    }
    assert!(!ann.send("DELETE", "/api/games", &[], b"").json()["error"].is_null());
}

#[test]
fn files_are_compressed_and_sent_once() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    let plain = ann.get("/static/style.css");
    assert_eq!(plain.header("content-type"), Some("text/css; charset=utf-8"));
    let packed = ann.send("GET", "/static/style.css", &[("accept-encoding", "gzip")], b"");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.bytes.len() < plain.bytes.len() / 2);
    let tag = packed.header("etag").unwrap().to_owned();
    let again = ann.send("GET", "/static/style.css", &[("if-none-match", &tag)], b"");
    assert_eq!((again.status, again.bytes.len()), (304, 0));
}

#[test]
fn a_guest_keeps_its_name_and_can_claim_it() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    assert_eq!(ann.get("/api/me").json()["name"], json!(null), "looking around needs no account");
    assert_eq!(ann.cookies, []);
    ann.get("/account");
    let guest = ann.get("/api/me").json()["name"].as_str().unwrap().to_owned();
    assert!(ann.get("/").text().contains(&guest));
    assert_eq!(ann.post("/api/me/name", &json!({"name":"Ann"})).json()["name"], json!("Ann"));
    let short = ann.post("/api/me/claim", &json!({"password":"short"}));
    assert_eq!((short.status, &short.json()["field"]), (422, &json!("password")));
    let password = json!({"password":"a long password"});
    assert_eq!(ann.post("/api/me/claim", &password).json()["claimed"], json!(true));

    let mut elsewhere = host.visitor();
    assert_eq!(elsewhere.post("/api/me/name", &json!({"name":"ann"})).status, 409);
    let login = json!({"name":"Ann","password":"a long password"});
    assert_eq!(elsewhere.post("/api/login", &login).status, 200);
    assert_eq!(elsewhere.get("/api/me").json(), ann.get("/api/me").json());
    let old = elsewhere.cookies.clone();
    assert_eq!(elsewhere.post("/api/logout", &json!({})).status, 200);
    elsewhere.cookies = old;
    assert_eq!(elsewhere.get("/api/me").json()["name"], json!(null), "the session is gone");
}

#[test]
fn maps_are_listed_drawn_and_checked() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    let maps = ann.get("/api/maps").json();
    assert_eq!(maps[0]["name"], json!("main"));
    let drawn = ann.get("/api/maps/random?seed=7").json();
    assert_eq!(drawn, ann.get("/api/maps/random?seed=7").json());
    let good = ann.post("/api/maps/check", &json!({ "text": drawn["text"] }));
    assert_eq!(good.json()["complaints"], json!([]));
    let bad = ann.post("/api/maps/check", &json!({"text":"+-+\n|?|\n+-+\n"}));
    let complaints = bad.json()["complaints"].as_array().unwrap().clone();
    assert!(complaints.iter().any(|complaint| complaint["line"] == json!(2)), "{complaints:?}");
    assert_eq!(ann.get("/api/maps/random?seed=x").status, 400);
}
