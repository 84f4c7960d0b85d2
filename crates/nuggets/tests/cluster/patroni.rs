//! Two servers that Patroni manages with etcd: it promotes the standby by itself, and starts the old primary again as
//! the new standby. Only by command, with the Debian packages patroni, python3-etcd and etcd-server, as root:
//!
//! `NUGGETS_PATRONI=1 cargo test -p nuggets --features host --test cluster patroni -- --nocapture`

use std::thread;
use std::time::Duration;

use nuggets_testkit::{Patroni, WebHost, now, wait_for, wait_until};

use crate::cluster::{NAMES, new_node};
use crate::http::{create_game, endless_game};
use crate::journals::Journals;
use crate::players::{Manner, Player};

const PLAYERS: usize = 6;
/// In the last round Patroni is killed with its server: the standby waits for the end of a lease of 20 s.
const ROUNDS: usize = 4;

fn seat(nodes: &[WebHost], game: &str, number: usize) -> Player {
    let mut addresses: Vec<_> = nodes.iter().map(WebHost::address).collect();
    addresses.rotate_left(number % nodes.len());
    let (name, seed) = (Some(format!("W{number}")), i64::try_from(number).unwrap());
    Player::on_the_web(addresses, game, Manner { name, patience: Duration::from_secs(2), seed })
}

#[test]
fn games_go_on_when_patroni_promotes_the_standby() {
    if std::env::var_os("NUGGETS_PATRONI").is_none() {
        return println!("skipped: by command only");
    }
    let mut patroni = Patroni::start();
    let mut nodes: Vec<WebHost> = NAMES.map(|name| new_node(name, &patroni.url())).into();
    nodes.iter_mut().for_each(WebHost::start_when_possible);
    let game = create_game(nodes[0].address(), &endless_game("main"));
    let mut players: Vec<Player> = (0..PLAYERS).map(|number| seat(&nodes, &game, number)).collect();
    let mut journals = Journals::of(std::slice::from_ref(&game));
    for round in 0..ROUNDS {
        thread::sleep(Duration::from_secs(2));
        let (at, old) = (now(), patroni.primary().unwrap());
        let with_patroni = round + 1 == ROUNDS;
        patroni.kill(old);
        if with_patroni {
            patroni.kill_manager(old);
        }
        wait_for("a new primary", || {
            patroni.psql("nuggets", "CREATE TEMPORARY TABLE probe (n INT)").map(|_| ())
        });
        let (away, promoted) = (at.elapsed(), now());
        wait_until("all players see the game move", || {
            players.iter().all(|player| player.has_news_since(promoted))
        });
        let pause = players.iter().map(|player| player.longest_pause(at, now())).max();
        println!("round {round}: Patroni needed {away:?}, longest pause {pause:?}");
        if with_patroni {
            patroni.run(old);
        }
        patroni.wait_for_standby();
        players.iter_mut().for_each(Player::collect);
        journals.read(|sql| patroni.query(sql));
        journals.find_shown(&mut players);
    }
    journals.check_unchanged(|sql| patroni.query(sql));
    let (rows, pictures) = journals.size();
    println!("{pictures} pictures found in {rows} rows");
}
