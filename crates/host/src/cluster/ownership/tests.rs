//! Each rule by itself. The simulation of a cluster drives the same code against a model of the database.

use std::sync::Arc;

use super::*;

/// A commit takes longer than records gather.
const COMMIT_MS: u64 = 5;

fn game(number: u8) -> GameId {
    GameId::from_random([number; 12])
}

fn member(number: u64) -> Member {
    Member { name: format!("n{number}"), run: RunId(number), address: String::new() }
}

fn node_row(number: u64, renewal: u64) -> NodeRow {
    NodeRow { member: member(number), renewal, is_draining: false }
}

fn row(game: GameId, run: u64, epoch: u64) -> GameRow {
    GameRow { game, run: RunId(run), epoch: Epoch(epoch), is_over: false }
}

/// A node, the number 1, with a clock and the statements that it has not got an answer to.
struct Node {
    it: Ownership,
    now: Timestamp,
    sent: Vec<Statement>,
    events: Vec<NodeEvent>,
    renewal: u64,
    others: Vec<NodeRow>,
}

impl Node {
    fn new() -> Self {
        let now = Timestamp(1_000);
        let it = Ownership::new(now, member(1));
        let mut node = Self { it, now, sent: vec![], events: vec![], renewal: 0, others: vec![] };
        node.drain();
        let first = node.batch().unwrap();
        node.commit(&first, Appended::Yes);
        node
    }

    fn drain(&mut self) {
        self.it.handle_timeout(self.now);
        while let Some(statement) = self.it.poll_statement(self.now) {
            self.sent.push(statement);
        }
        self.events.extend(std::iter::from_fn(|| self.it.poll_event()));
    }

    fn answer(&mut self, statement: &Statement, answer: Option<Answer>) {
        self.it.handle_answer(self.now, statement, answer);
        self.drain();
    }

    /// The first statement like this that was sent.
    fn take(&mut self, is_it: impl Fn(&Statement) -> bool) -> Option<Statement> {
        let at = self.sent.iter().position(is_it)?;
        Some(self.sent.remove(at))
    }

    fn batch(&mut self) -> Option<Arc<Batch>> {
        match self.take(|statement| matches!(statement, Statement::Commit(_)))? {
            Statement::Commit(batch) => Some(batch),
            _ => None,
        }
    }

    /// Answers a batch with this result for all its games, after a while.
    fn commit(&mut self, batch: &Arc<Batch>, what: Appended) {
        self.now = self.now.after(COMMIT_MS);
        self.renewal += u64::from(batch.is_renewal);
        let games = batch.entries.iter().map(|entry| (entry.game, what)).collect();
        let answer = Answer::Committed(BatchAnswer { has_lease: true, games });
        self.answer(&Statement::Commit(Arc::clone(batch)), Some(answer));
    }

    /// Some time passes in which commits are answered, and the other nodes are seen like this.
    fn live(&mut self, ms: u64, others: &[NodeRow]) {
        self.others = others.to_vec();
        let end = self.now.after(ms);
        while self.now < end {
            self.now = self.now.after(50);
            self.drain();
            while let Some(batch) = self.batch() {
                self.commit(&batch, Appended::Yes);
            }
            self.look(others);
        }
    }

    fn look(&mut self, others: &[NodeRow]) {
        if let Some(scan) = self.take(|statement| *statement == Statement::ScanNodes) {
            let rows = [node_row(1, self.renewal)].into_iter().chain(others.iter().cloned());
            self.answer(&scan, Some(Answer::Nodes(rows.collect())));
        }
    }

    fn read_games(&mut self, games: &[GameRow], runs: &[u64]) {
        self.now = self.now.after(1_000);
        self.live(100, &self.others.clone());
        let runs = runs.iter().map(|run| RunId(*run)).collect();
        let scan = self.take(|statement| *statement == Statement::ScanGames).expect("a scan");
        self.answer(&scan, Some(Answer::Games { games: games.to_vec(), runs }));
    }

    fn create(&mut self, game: GameId) {
        self.it.handle_creating(game);
        self.it.handle_created(game, Epoch(1));
    }

    fn claims(&mut self) -> Vec<GameId> {
        let mut claims = Vec::new();
        while let Some(Statement::Claim(row)) =
            self.take(|statement| matches!(statement, Statement::Claim(_)))
        {
            claims.push(row.game);
        }
        claims
    }

    fn events(&mut self) -> Vec<NodeEvent> {
        std::mem::take(&mut self.events)
    }
}

fn journal(rows: u64) -> JournalRows {
    let bytes = vec![b'j'; usize::try_from(rows).unwrap()];
    JournalRows { rows, last_epoch: Epoch(1), bytes, meta: None }
}

#[test]
fn a_lease_expires_while_ours_is_seen_to_grow_and_a_stall_expires_nobody() {
    let mut node = Node::new();
    let other = [node_row(2, 7)];
    node.live(900, &other);
    assert_eq!(node.it.living().count(), 1);
    // The database answers nothing for a minute, then the first look comes before anyone could renew.
    node.now = node.now.after(60_000);
    node.drain();
    node.look(&other);
    assert_eq!(node.it.living().count(), 1);
    node.live(3_000, &other);
    assert_eq!(node.it.living().count(), 0);
    node.live(300, &[node_row(2, 8)]);
    assert_eq!(node.it.living().count(), 1, "it renews again");
}

#[test]
fn a_node_that_is_gone_for_an_hour_is_removed() {
    let mut node = Node::new();
    let gone = [node_row(2, 7)];
    let removal = Statement::RemoveGoneNode(node_row(2, 7));
    node.live(3_500_000, &gone);
    assert_eq!(node.take(|it| *it == removal), None);
    node.live(1_000_000, &gone);
    assert_eq!(node.take(|it| *it == removal), Some(removal));
}

#[test]
fn a_look_counts_only_if_it_sees_a_renewal_of_ours_that_was_answered() {
    // The primary is an old one: it shows an old renewal, or has one that was committed with a warning and that nothing else has.
    for is_answered in [true, false] {
        let mut node = Node::new();
        node.live(600, &[node_row(2, 7)]);
        for _ in 0..40 {
            node.now = node.now.after(250);
            node.drain();
            while let Some(batch) = node.batch().filter(|_| is_answered) {
                node.commit(&batch, Appended::Yes);
            }
            node.renewal = if is_answered { 1 } else { node.renewal + 1 };
            node.look(&[node_row(2, 7)]);
        }
        assert_eq!(node.it.living().count(), 1, "{is_answered}");
    }
}

#[test]
fn a_lease_that_was_renewed_during_our_pause_is_not_taken_for_expired() {
    let mut node = Node::new();
    node.live(3_000, &[node_row(2, 7), node_row(3, 7)]);
    assert_eq!(node.it.living().count(), 0);
    node.now = node.now.after(60_000);
    node.drain();
    let scan = node.take(|statement| *statement == Statement::ScanGames).expect("a scan");
    let (games, runs) = (vec![row(game(100), 2, 1)], [1, 2].map(RunId).into());
    node.answer(&scan, Some(Answer::Games { games, runs }));
    node.live(3_000, &[node_row(2, 8), node_row(3, 7)]);
    assert_eq!(node.claims(), [], "the last look was before the pause");
}

#[test]
fn an_owner_that_is_seen_alive_before_its_game_is_claimed_keeps_it() {
    let mut node = Node::new();
    node.live(3_000, &[node_row(2, 7), node_row(3, 1)]);
    // The order for these games differs, so some of them are claimed later.
    let games: Vec<GameRow> = (0..16).map(|number| row(game(number), 2, 1)).collect();
    node.live(300, &[node_row(2, 7), node_row(3, 2)]);
    node.read_games(&games, &[1, 2, 3]);
    let at_once = node.claims().len();
    assert!((1..16).contains(&at_once), "{at_once}");
    node.live(3_000, &[node_row(2, 8), node_row(3, 3)]);
    assert_eq!(node.claims(), []);
}

#[test]
fn the_games_of_a_node_that_is_gone_are_spread_over_the_living() {
    let mut node = Node::new();
    let games: Vec<GameRow> = (0..32).map(|number| row(game(number), 9, 3)).collect();
    node.live(600, &[node_row(2, 1)]);
    node.read_games(&games, &[1, 2]);
    let at_once = node.claims().len();
    assert!((6..27).contains(&at_once), "{at_once}");
    node.live(1_000, &[node_row(2, 5)]);
    assert_eq!(node.claims().len() + at_once, 32, "no other node has claimed them");
}

#[test]
fn nothing_is_claimed_while_our_commits_are_unanswered_and_no_time_is_wasted_on_it() {
    let mut node = Node::new();
    node.live(300, &[]);
    node.now = node.now.after(1_500);
    node.drain();
    let scan = node.take(|statement| *statement == Statement::ScanGames).unwrap();
    let games = vec![row(game(100), 9, 3)];
    node.answer(&scan, Some(Answer::Games { games, runs: [RunId(1)].into() }));
    assert_eq!(node.claims(), []);
    assert!(node.it.poll_timeout(node.now).is_none_or(|due| due > node.now));
    node.live(100, &[]);
    assert_eq!(node.claims(), [game(100)]);
}

#[test]
fn an_unanswered_batch_is_sent_again_byte_for_byte_before_anything_else() {
    let mut node = Node::new();
    node.create(game(100));
    node.it.append(game(100), Epoch(1), b"one");
    node.drain();
    let batch = node.batch().unwrap();
    node.it.append(game(100), Epoch(1), b"two");
    node.drain();
    assert_eq!(node.batch(), None, "one is in flight");
    for _ in 0..5 {
        node.answer(&Statement::Commit(Arc::clone(&batch)), None);
        node.now = node.now.after(600);
        node.drain();
        assert_eq!(node.batch().as_ref(), Some(&batch));
    }
    node.commit(&batch, Appended::Yes);
    let next = node.batch().unwrap();
    let entry = BatchEntry {
        game: game(100),
        epoch: Epoch(1),
        row: 1,
        predecessor: Epoch(1),
        bytes: b"two".to_vec(),
    };
    assert_eq!(next.entries, [entry]);
}

#[test]
fn an_idle_node_commits_at_once_and_a_busy_one_gathers() {
    let mut node = Node::new();
    node.create(game(100));
    node.it.append(game(100), Epoch(1), b"one");
    node.drain();
    let batch = node.batch().expect("at once");
    let games = vec![(game(100), Appended::Yes)];
    let answer = Answer::Committed(BatchAnswer { has_lease: true, games });
    node.answer(&Statement::Commit(batch), Some(answer));
    node.it.append(game(100), Epoch(1), b"two, ");
    node.drain();
    assert_eq!(node.batch(), None, "the last batch was just begun");
    node.it.append(game(100), Epoch(1), b"three");
    node.now = node.it.poll_timeout(node.now).unwrap();
    node.drain();
    assert_eq!(node.batch().unwrap().entries[0].bytes, b"two, three");
}

#[test]
fn each_game_of_a_batch_has_its_own_result() {
    let mut node = Node::new();
    let games: Vec<GameId> = (0..4).map(game).collect();
    for id in &games {
        node.create(*id);
        node.it.append(*id, Epoch(1), b"record");
    }
    node.drain();
    let batch = node.batch().unwrap();
    let results = [Appended::Yes, Appended::Skipped, Appended::Superseded, Appended::Lost];
    let games_of = games.iter().copied().zip(results).collect();
    let answer = Answer::Committed(BatchAnswer { has_lease: true, games: games_of });
    node.now = node.now.after(COMMIT_MS);
    node.answer(&Statement::Commit(Arc::clone(&batch)), Some(answer));
    let expected = [
        NodeEvent::Stored { game: games[0], batch: batch.number },
        NodeEvent::Close { game: games[2], why: Closing::Superseded },
        NodeEvent::Close { game: games[3], why: Closing::Reopened },
    ];
    assert_eq!(node.events(), expected);
    let next = node.batch().unwrap();
    assert_eq!(next.entries, [batch.entries[1].clone()], "the skipped one goes again");
    let game = games[3];
    let claim = Statement::Claim(row(game, 1, 1));
    assert_eq!(node.take(|statement| *statement == claim), Some(claim.clone()));
    node.answer(&claim, Some(Answer::Claimed(Some(Epoch(2)))));
    let read = Statement::ReadJournal { game, epoch: Epoch(2) };
    assert_eq!(node.take(|statement| *statement == read), Some(read.clone()));
    node.answer(&read, Some(Answer::Journal(journal(2))));
    let why = Opening::RecordsLost;
    let open = NodeEvent::Open { game, epoch: Epoch(2), journal: journal(2), why };
    assert_eq!(node.events(), [open]);
}

#[test]
fn a_game_is_handed_over_after_its_last_record() {
    let mut node = Node::new();
    node.create(game(100));
    node.live(600, &[node_row(2, 1)]);
    node.it.append(game(100), Epoch(1), b"last");
    node.it.leave();
    node.drain();
    assert!(!node.it.may_act(node.now, game(100)));
    assert_eq!(node.take(|it| matches!(it, Statement::Release { .. })), None);
    let batch = node.batch().unwrap();
    node.commit(&batch, Appended::Yes);
    let successor = member(2);
    let to = Some(successor.clone());
    let release = Statement::Release { game: game(100), epoch: Epoch(1), to };
    assert_eq!(node.take(|statement| *statement == release), Some(release.clone()));
    node.events();
    node.answer(&release, Some(Answer::Released(true)));
    let expected = [
        NodeEvent::Close { game: game(100), why: Closing::HandedOver },
        NodeEvent::CallTakeOver { game: game(100), epoch: Epoch(2), successor },
    ];
    assert_eq!(node.events(), expected);
    node.answer(&Statement::RemoveNode, Some(Answer::Done));
    assert_eq!(node.events(), [NodeEvent::Stopped]);
}

#[test]
fn a_node_without_descriptors_gives_its_games_away_and_claims_none() {
    let mut node = Node::new();
    node.create(game(100));
    node.it.handle_descriptors(false);
    node.live(600, &[]);
    assert_eq!(node.events(), [], "nobody else lives");
    node.live(600, &[node_row(2, 1)]);
    node.it.handle_descriptors(false);
    node.live(100, &[node_row(2, 2)]);
    let release = node.take(|it| matches!(it, Statement::Release { .. })).expect("a release");
    node.answer(&release, Some(Answer::Released(true)));
    node.live(3_000, &[node_row(2, 2)]);
    node.read_games(&[row(game(100), 2, 2)], &[1, 2]);
    node.live(3_000, &[node_row(2, 2)]);
    assert_eq!(node.claims(), []);
    node.it.handle_descriptors(true);
    node.live(100, &[node_row(2, 2)]);
    assert_eq!(node.claims(), [game(100)]);
}

#[test]
fn a_game_that_is_handed_over_is_not_claimed_from_its_last_owner() {
    let mut node = Node::new();
    node.it.handle_descriptors(false);
    node.read_games(&[row(game(100), 9, 1)], &[1]);
    node.it.handle_take_over(game(100), Epoch(2));
    node.it.handle_descriptors(true);
    node.live(1_000, &[]);
    assert_eq!((node.claims(), node.events()), (vec![], vec![]));
    assert_eq!(node.it.epoch(game(100)), Some(Epoch(2)));
}

#[test]
fn a_claim_whose_answer_was_lost_or_late_is_found_by_the_next_look() {
    let mut node = Node::new();
    node.read_games(&[row(game(100), 9, 3)], &[1]);
    assert_eq!(node.claims(), [game(100)]);
    node.read_games(&[row(game(100), 1, 4)], &[1]);
    let read = Statement::ReadJournal { game: game(100), epoch: Epoch(4) };
    node.answer(&read, Some(Answer::Journal(journal(1))));
    assert_eq!(node.events().len(), 1);
    node.answer(&Statement::Claim(row(game(100), 9, 3)), Some(Answer::Claimed(Some(Epoch(4)))));
    assert_eq!(node.events(), [], "it runs already");
    assert!(node.it.may_act(node.now, game(100)));
}

#[test]
fn a_game_that_is_being_created_is_not_forgotten_by_a_look() {
    let mut node = Node::new();
    node.it.handle_creating(game(100));
    node.read_games(&[row(game(100), 1, 1)], &[1]);
    assert_eq!(node.it.epoch(game(100)), None);
    node.it.handle_created(game(100), Epoch(1));
    assert!(node.it.may_act(node.now, game(100)));
}

#[test]
fn a_game_that_cant_be_opened_is_released_and_left_to_others_for_a_while() {
    let mut node = Node::new();
    node.it.handle_take_over(game(100), Epoch(2));
    node.drain();
    let read = Statement::ReadJournal { game: game(100), epoch: Epoch(2) };
    node.answer(&read, Some(Answer::Journal(journal(1))));
    node.it.handle_open_failed(game(100));
    node.drain();
    let release = Statement::Release { game: game(100), epoch: Epoch(2), to: None };
    assert_eq!(node.take(|statement| *statement == release), Some(release));
    node.read_games(&[row(game(100), 0, 3)], &[1]);
    node.live(5_000, &[]);
    assert_eq!(node.claims(), []);
    node.live(6_000, &[]);
    assert_eq!(node.claims(), [game(100)], "no other node could");
}

#[test]
fn nothing_acts_after_a_pause_until_a_commit_proves_the_epoch() {
    let mut node = Node::new();
    node.create(game(100));
    node.live(600, &[]);
    assert!(node.it.may_act(node.now, game(100)));
    node.now = node.now.after(5_000);
    node.drain();
    assert!(!node.it.may_act(node.now, game(100)));
    while let Some(batch) = node.batch().filter(|batch| batch.entries.is_empty()) {
        node.commit(&batch, Appended::Yes);
        assert!(!node.it.may_act(node.now, game(100)), "the lease proves nothing about the game");
        if let Some(proof) = node.batch() {
            assert_eq!(proof.entries[0].bytes, b"");
            node.commit(&proof, Appended::Yes);
            assert!(node.it.may_act(node.now, game(100)));
            return;
        }
    }
    panic!("no proof was asked for");
}

#[test]
fn a_game_that_the_database_gives_back_after_it_lost_a_claim_is_claimed_again() {
    let mut node = Node::new();
    node.create(game(100));
    node.read_games(&[row(game(100), 2, 2)], &[1, 2]);
    let close = NodeEvent::Close { game: game(100), why: Closing::Superseded };
    assert_eq!(node.events().last(), Some(&close));
    node.read_games(&[row(game(100), 1, 1)], &[1, 2]);
    assert_eq!(node.claims(), [], "an old look may say so, too");
    node.live(4_000, &[]);
    assert_eq!(node.claims(), [game(100)]);
}

#[test]
fn a_node_without_descriptors_lets_go_of_a_game_that_the_database_gives_back() {
    let mut node = Node::new();
    node.create(game(100));
    node.it.handle_finished(game(100));
    node.it.handle_descriptors(false);
    // The database has lost the results.
    node.read_games(&[row(game(100), 1, 1), row(game(101), 9, 1)], &[1]);
    node.live(4_000, &[]);
    assert_eq!(node.claims(), []);
    let release = Statement::Release { game: game(100), epoch: Epoch(1), to: None };
    assert_eq!(node.take(|it| matches!(it, Statement::Release { .. })), Some(release));
    assert_eq!(node.take(|it| matches!(it, Statement::Release { .. })), None);
}

#[test]
fn a_claim_that_the_database_has_lost_is_made_again() {
    let mut node = Node::new();
    node.it.handle_take_over(game(100), Epoch(2));
    let read = Statement::ReadJournal { game: game(100), epoch: Epoch(2) };
    node.drain();
    node.answer(&read, None);
    node.read_games(&[row(game(100), 1, 1)], &[1]);
    assert_eq!(node.claims(), [], "an old look may say so, too");
    node.live(4_000, &[]);
    assert_eq!(node.claims(), [game(100)]);
    let close = NodeEvent::Close { game: game(100), why: Closing::Reopened };
    assert_eq!(node.events(), [close]);
    let claim = Statement::Claim(row(game(100), 1, 1));
    node.answer(&claim, Some(Answer::Claimed(Some(Epoch(2)))));
    assert_eq!(node.claims(), [game(100)], "that epoch was used before");
    let claim = Statement::Claim(row(game(100), 1, 2));
    node.answer(&claim, Some(Answer::Claimed(Some(Epoch(3)))));
    assert_eq!(node.it.epoch(game(100)), Some(Epoch(3)));
}
