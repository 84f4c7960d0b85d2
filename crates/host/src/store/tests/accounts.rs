//! Guests, names, passwords and sessions.

use super::*;

fn guest(place: &Place, name: Option<&str>) -> Result<Account, AccountError> {
    let created = place.store().create_guest(name.map(str::to_owned), NOW).wait();
    created.map(|(account, _)| account)
}

async fn claimed(place: &Place, name: &str) -> Account {
    let (account, _) = place.store().create_guest(Some(name.into()), NOW).await.unwrap();
    place.store().claim(account.id, "correct horse".into()).await.unwrap()
}

#[test]
fn a_guest_gets_a_pleasant_name_and_keeps_it_by_its_token() {
    for mut place in both() {
        let (account, token) = place.store().create_guest(None, NOW).wait().unwrap();
        assert_eq!(account.name.split(' ').count(), 2, "{}", account.name);
        assert!(!account.claimed);
        place.reopen(NOW);
        assert_eq!(place.store().session(&token, NOW).wait().unwrap(), Some(account));
    }
}

#[test]
fn a_guest_may_choose_and_change_the_name() {
    for place in both() {
        let account = guest(&place, Some("  Ann\u{1b}  Onymous ")).unwrap();
        assert_eq!(account.name, "Ann_ Onymous");
        let renamed = place.store().rename(account.id, "Bob".into()).wait().unwrap();
        assert_eq!(renamed, Account { name: "Bob".into(), ..account.clone() });
        assert!(matches!(
            place.store().rename(account.id, " ".into()).wait(),
            Err(AccountError::BlankName)
        ));
        let unknown = place.store().rename(PlayerId(99), "Bob".into()).wait();
        assert!(matches!(unknown, Err(AccountError::UnknownAccount)));
        assert_eq!(
            place.store().accounts(vec![account.id, PlayerId(99)]).wait().unwrap(),
            [renamed]
        );
    }
}

#[test]
fn guests_may_have_the_same_name() {
    for place in both() {
        assert_ne!(guest(&place, Some("Ann")).unwrap().id, guest(&place, Some("Ann")).unwrap().id);
    }
}

#[tokio::test]
async fn a_claimed_name_is_used_from_elsewhere_with_its_password() {
    for place in both() {
        let ann = claimed(&place, "Ann").await;
        assert!(ann.claimed);
        let log_in =
            |name: &str, password: &str| place.store().log_in(name.into(), password.into(), NOW);
        let (account, token) = log_in(" ann", "correct horse").await.unwrap();
        assert_eq!(account, ann);
        assert_eq!(place.store().session(&token, NOW).await.unwrap(), Some(ann));
        for (name, password) in [("Ann", "wrong horse"), ("Bob", "correct horse"), ("Ann", "")] {
            let rejected = log_in(name, password).await;
            assert!(matches!(rejected, Err(AccountError::WrongPassword)), "{name} {password}");
        }
        let long = log_in("Ann", &"x".repeat(1 << 20)).await;
        assert!(matches!(long, Err(AccountError::WrongPassword)));
    }
}

#[tokio::test]
async fn a_claimed_name_can_not_be_used_by_others() {
    for place in both() {
        let ann = claimed(&place, "Ann").await;
        let (bob, _) = place.store().create_guest(Some("Bob".into()), NOW).await.unwrap();
        for alike in ["Ann", "ANN", " ann ", "A.n_n"] {
            let created = place.store().create_guest(Some(alike.into()), NOW).await;
            assert!(matches!(created, Err(AccountError::NameTaken)), "{alike}");
            let renamed = place.store().rename(bob.id, alike.into()).await;
            assert!(matches!(renamed, Err(AccountError::NameTaken)), "{alike}");
        }
        let own = place.store().rename(ann.id, "ANN".into()).await.unwrap();
        assert_eq!(
            (own.name.as_str(), own.claimed),
            ("ANN", true),
            "its owner may write it otherwise"
        );
        place.store().rename(ann.id, "Eve".into()).await.unwrap();
        assert!(
            place.store().rename(bob.id, "Ann".into()).await.is_ok(),
            "the old name is free again"
        );
        let taken = place.store().rename(bob.id, "eve".into()).await;
        assert!(matches!(taken, Err(AccountError::NameTaken)));
    }
}

#[tokio::test]
async fn guests_lose_a_name_that_another_claims() {
    for place in both() {
        let (guest, token) = place.store().create_guest(Some("ann".into()), NOW).await.unwrap();
        let ann = claimed(&place, "Ann").await;
        let renamed = place.store().session(&token, NOW).await.unwrap().unwrap();
        assert_eq!(renamed.id, guest.id);
        assert_ne!(renamed.name.to_lowercase(), "ann");
        assert_eq!(place.store().accounts(vec![ann.id]).await.unwrap()[0].name, "Ann");
    }
}

#[tokio::test]
async fn a_name_is_claimed_once() {
    for place in both() {
        let ann = claimed(&place, "Ann").await;
        let again = place.store().claim(ann.id, "another horse".into()).await;
        assert!(matches!(again, Err(AccountError::AlreadyClaimed)));
        let unknown = place.store().claim(PlayerId(99), "another horse".into()).await;
        assert!(matches!(unknown, Err(AccountError::UnknownAccount)));
        let (bob, _) = place.store().create_guest(Some("Bob".into()), NOW).await.unwrap();
        let short = place.store().claim(bob.id, "short".into()).await;
        assert!(matches!(short, Err(AccountError::ShortPassword)));
    }
}

#[test]
fn a_session_ends_after_a_year_without_use() {
    for place in both() {
        let token = || place.store().create_guest(None, NOW).wait().unwrap().1;
        let is_alive =
            |token: &SessionToken, now| place.store().session(token, now).wait().unwrap().is_some();
        let unused = token();
        assert!(!is_alive(&unused, NOW + 366 * DAY));
        assert!(!is_alive(&unused, NOW), "it has ended");

        let used = token();
        assert!(is_alive(&used, NOW + 300 * DAY));
        assert!(is_alive(&used, NOW + 600 * DAY), "each use is the beginning of another year");
    }
}

#[test]
fn who_logs_out_needs_to_log_in_again() {
    for place in both() {
        let (_, token) = place.store().create_guest(None, NOW).wait().unwrap();
        place.store().log_out(&token).wait().unwrap();
        assert_eq!(place.store().session(&token, NOW).wait().unwrap(), None);
    }
}

#[test]
fn a_person_has_a_bounded_number_of_sessions() {
    for place in both() {
        let ann = block_on(claimed(&place, "Ann"));
        let add = |day| {
            let token = SessionToken::from_random(random::bytes());
            let (id, hash, at) = (ann.id, token.hash(), NOW + day * DAY);
            let add =
                move |sql: &mut dyn Sql| super::super::accounts::create_session(sql, id, &hash, at);
            place.store().transaction(add).wait().unwrap();
            token
        };
        let tokens: Vec<SessionToken> = (1..=60).map(add).collect();
        assert_eq!(place.rows("sessions").len(), 50);
        let now = NOW + 60 * DAY;
        let first = place.store().session(&tokens[0], now).wait().unwrap();
        let last = place.store().session(&tokens[59], now).wait().unwrap();
        assert_eq!((first, last), (None, Some(ann)), "the longest unused end first");
    }
}

#[tokio::test]
async fn neither_tokens_nor_passwords_are_in_the_folder() {
    let place = Place::new();
    let (account, token) = place.store().create_guest(None, NOW).await.unwrap();
    place.store().claim(account.id, "correct horse battery".into()).await.unwrap();
    let text = token.secret_text();
    let bytes: Vec<u8> =
        (0..32).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect();
    let secrets: [&[u8]; 3] = [&bytes, text.as_bytes(), b"correct horse battery"];
    for file in fs::read_dir(place.folder()).unwrap() {
        let Ok(stored) = fs::read(file.unwrap().path()) else { continue };
        for secret in secrets {
            assert!(!stored.windows(secret.len()).any(|window| window == secret));
        }
    }
}

#[test]
fn guests_who_can_not_come_back_are_removed_unless_they_played() {
    for mut place in both() {
        let (played, gone) = (place.guest("Ann"), place.guest("Bob"));
        place.finish(&TestGame::new(1, &[played], 2));
        place.reopen(NOW + 300 * DAY);
        assert_eq!(place.store().accounts(vec![played, gone]).wait().unwrap().len(), 2);
        place.reopen(NOW + 400 * DAY);
        let left = place.store().accounts(vec![played, gone]).wait().unwrap();
        assert_eq!(left.iter().map(|account| account.id).collect::<Vec<_>>(), [played]);
        assert!(place.guest("Eve") > gone, "an id is never used twice");
    }
}

#[tokio::test]
async fn the_claimed_names_are_known_at_once_and_after_a_restart() {
    for mut place in both() {
        let is_claimed = |place: &Place, name: &str| place.store().claimed_names().contains(name);
        place.store().create_guest(Some("Bob".into()), NOW).await.unwrap();
        let ann = claimed(&place, "Ann").await;
        assert_eq!(["ANN!", "Bob"].map(|name| is_claimed(&place, name)), [true, false]);
        place.store().rename(ann.id, "Eve".into()).await.unwrap();
        assert_eq!(["Ann", "Eve"].map(|name| is_claimed(&place, name)), [false, true]);
        place.reopen(NOW);
        assert_eq!(["Ann", "Eve"].map(|name| is_claimed(&place, name)), [false, true]);
    }
}
