//! The account of a person: the name, claiming it with a password, logging in from elsewhere. `web/account.js` sends
//! the forms.

use maud::{Markup, html};

use super::{PageFrame, SiteSection, Width, name, submit, visible};
use crate::{Account, MIN_PASSWORD_CHARS};

/// The page `/account`.
pub fn account_page(frame: &PageFrame<'_>, account: &Account) -> Markup {
    let body = html! {
        div.stack.loose {
            div.stack.tight {
                h1 { "You are " (name(&account.name)) }
                p.muted { (standing(account.claimed)) }
                p { a href={ "/players/" (account.id.0) } { "Your games and rating" } }
            }
            (rename(account))
            @if !account.claimed { (claim(account)) }
            @if !account.claimed { (login()) }
            (logout(account))
        }
    };
    frame.layout("Account", (SiteSection::Account, Width::Narrow), &body, &["account.js"])
}

fn standing(is_claimed: bool) -> &'static str {
    if is_claimed {
        "The name is yours: log in with its password from any device."
    } else {
        "You are a guest. This browser remembers you; claim the name to keep it everywhere."
    }
}

fn rename(account: &Account) -> Markup {
    html! {
        form.panel.stack #rename data-action="/api/me/name" novalidate {
            h2 { "Your name" }
            div.field {
                label for="name" { "Name" }
                input #name name="name" type="text" value=(visible(&account.name)) maxlength="50" required autocomplete="nickname" spellcheck="false"
                    aria-describedby="name-help name-error";
                p.help #name-help { "Others see it in games from now on. Letters, digits, blanks and signs of the ASCII set, up to 50." }
                p.error #name-error role="alert" data-error="name" {}
            }
            (submit("Change the name", ""))
        }
    }
}

fn claim(account: &Account) -> Markup {
    html! {
        form.panel.stack #claim data-action="/api/me/claim" novalidate {
            h2 { "Claim it" }
            p.muted { "Nobody else can use a claimed name, and your rating stays with it." }
            // For password managers only: without a name it is not sent.
            input type="text" autocomplete="username" value=(visible(&account.name)) hidden;
            div.field {
                label for="claim-password" { "Password" }
                input #claim-password name="password" type="password" minlength=(MIN_PASSWORD_CHARS) required autocomplete="new-password"
                    aria-describedby="claim-help claim-error";
                p.help #claim-help { "At least " (MIN_PASSWORD_CHARS) " characters. There is no mail to reset it: keep it well." }
                p.error #claim-error role="alert" data-error="password" {}
            }
            (submit("Claim the name", "primary"))
        }
    }
}

fn login() -> Markup {
    html! {
        form.panel.stack #login data-action="/api/login" novalidate {
            h2 { "You have a claimed name?" }
            div.fields {
                div.field {
                    label for="login-name" { "Name" }
                    input #login-name name="name" type="text" maxlength="50" required autocomplete="username" spellcheck="false" aria-describedby="login-name-error";
                    p.error #login-name-error role="alert" data-error="name" {}
                }
                div.field {
                    label for="login-password" { "Password" }
                    input #login-password name="password" type="password" required autocomplete="current-password" aria-describedby="login-error";
                    p.error #login-error role="alert" data-error="password" {}
                }
            }
            (submit("Log in", ""))
        }
    }
}

fn logout(account: &Account) -> Markup {
    html! {
        form.panel.stack #logout data-action="/api/logout" novalidate {
            h2 { "Leave this browser" }
            p.muted {
                @if account.claimed { "You can log in again with the password." }
                @else { "Without a password there is no way back: the name and its games stay, but they are nobody's." }
            }
            (submit("Log out", "danger"))
        }
    }
}
