//! The page of the operator.

use std::collections::BTreeMap;

use axum::response::Html;

use super::{HttpError, SiteState, Visitor, frame, html};
use crate::pages::{self, AdminPage, ConnectedPerson};
use crate::service::ConnectedClient;
use crate::web::admin_token::Admin;
use crate::{Ban, LobbyRow, PlayerId, Source};

/// `GET /admin`
pub(in crate::web) async fn admin(
    visitor: Visitor,
    admin: Result<Admin, HttpError>,
) -> Html<String> {
    let (frame, app) = (frame(&visitor), &visitor.app);
    if admin.is_err() {
        return html(pages::admin_login(&frame));
    }
    let games = app.service.all_rows().await;
    let people = people(app.service.connected.all(), &games);
    let bans = bans(app).await;
    let nodes = match &app.service.cluster {
        Some(cluster) => cluster.nodes().await.ok(),
        None => None,
    };
    html(pages::admin(
        &frame,
        &AdminPage {
            load: &app.metrics.figures(app),
            games: &games,
            people: &people,
            bans: &bans,
            is_draining: app.service.lobby().is_draining(),
            nodes: nodes.as_deref(),
        },
    ))
}

/// Returns all bans, each with the name of the person or the source.
async fn bans(app: &SiteState) -> Vec<(Ban, String)> {
    let bans: Vec<Ban> = app.service.lobby().bans().collect();
    let people = bans.iter().filter_map(|ban| match ban {
        Ban::Person(id) => Some(*id),
        Ban::Source(_) => None,
    });
    let accounts = app.service.store.accounts(people.collect()).await.unwrap_or_default();
    let named = |ban: Ban| match ban {
        Ban::Source(source) => (ban, source.to_string()),
        Ban::Person(id) => {
            let account = accounts.iter().find(|account| account.id == id);
            (
                ban,
                account.map_or_else(|| format!("player {}", id.0), |account| account.name.clone()),
            )
        }
    };
    bans.into_iter().map(named).collect()
}

/// Returns one row for each person and source, sorted by id.
fn people(connections: Vec<ConnectedClient>, games: &[LobbyRow]) -> Vec<ConnectedPerson> {
    let mut rows: BTreeMap<(PlayerId, Source), ConnectedPerson> = BTreeMap::new();
    for ConnectedClient { account, source, plays, .. } in connections {
        let Some(account) = account else { continue };
        let row = rows.entry((account.id, source)).or_insert_with(|| ConnectedPerson {
            id: account.id,
            name: account.name.clone(),
            source,
            connections: 0,
            games: Vec::new(),
        });
        row.connections += 1;
        let seat = plays.and_then(|id| games.iter().find(|game| game.id == id));
        if let Some(seat) = seat.filter(|seat| row.games.iter().all(|(id, _)| *id != seat.id)) {
            row.games.push((seat.id, seat.map.clone()));
        }
    }
    rows.into_values().collect()
}
