//! The modules of the pages that need no server: exploring, applying lines, the place in the stream, keys, and what is
//! in sight. The game itself and the terminal's keys are what they are compared with.

use std::sync::Arc;

use nuggets_game::map::shipped;
use nuggets_game::{
    Direction, Game, Input, Letter, Map, Name, PointSet, Rules, Seed, Sight, SightRule, Stroke,
    Viewer,
};
use nuggets_host::embedded_text;
use nuggets_host::wire::runs_of;
use nuggets_testkit::{Browser, BrowserPage};
use nuggets_tui::Key;
use serde_json::{Value, json};

/// A page with modules of `web/` as global objects.
pub(crate) fn load(page: &BrowserPage, modules: &[&str]) {
    for module in modules {
        let source = json!(with_imports(&format!("{module}.js"), &mut vec![]));
        page.eval(&format!("import({source}).then((module) => {{ window.{module} = module; }})"));
    }
}

/// A module as a `data:` address, and within it the modules that it imports: such an address has no neighbours. The
/// same text is the same address, so a module that is imported twice is still one.
fn with_imports(name: &str, above: &mut Vec<String>) -> String {
    assert!(!above.contains(&name.to_owned()), "{name} imports itself: {above:?}");
    above.push(name.to_owned());
    let text = embedded_text(name).unwrap_or_else(|| panic!("no {name} in web/"));
    let inlined = text.split_inclusive('\n').map(|line| match line.split_once("from \"./") {
        Some((start, rest)) => {
            let (import, rest) = rest.split_once('"').unwrap();
            format!("{start}from \"{}\"{rest}", with_imports(import, above))
        }
        None => line.to_owned(),
    });
    let text: String = inlined.collect();
    above.pop();
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    format!("data:text/javascript;charset=utf-8,{}", text.bytes().map(encode).collect::<String>())
}

/// What a player is sent, as lines of the stream: a whole picture first, then one change per row.
pub(crate) struct Pictures {
    shown: Vec<String>,
    in_sight: PointSet,
    seq: u64,
}

impl Pictures {
    pub(crate) fn of(map: &Map) -> Self {
        Self { shown: vec![], in_sight: PointSet::empty(map.tiles().len()), seq: 0 }
    }

    pub(crate) fn next(&mut self, game: &Game, player: Letter) -> Value {
        let rows: Vec<String> =
            game.view(Viewer::Player(player)).to_string().lines().map(str::to_owned).collect();
        self.seq += 1;
        let sight = runs_of(self.in_sight.differing(game.player(player).sees()));
        self.in_sight = game.player(player).sees().clone();
        let line = if self.shown.is_empty() {
            json!({"seq": self.seq, "whole": rows, "sight": sight, "stage": "playing"})
        } else {
            let cols = rows[0].len();
            let changed =
                rows.iter().zip(&self.shown).enumerate().filter(|(_, (new, old))| new != old);
            let set: Vec<_> = changed.map(|(row, (new, _))| json!([row * cols, new])).collect();
            json!({"seq": self.seq, "set": set, "sight": sight})
        };
        self.shown = rows;
        line
    }
}

const START: &str = "window.game = new state.GameState();
    game.handleHello({rows: ROWS, cols: COLS, view: 'A', letter: 'A'});
    window.explorer = new explore.Explorer(game.ground)";

/// Applies a line; answers the key of the next step.
const STEP: &str = "(line) => {
    game.apply(line);
    return explorer.nextStep()?.key ?? '';
}";

fn game_on(name: &str) -> (Game, Arc<Sight>) {
    let map = shipped::find(name).unwrap().map();
    let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
    let mut game = Game::with_sight(Arc::clone(&sight), Rules::default(), Seed::new(7)).unwrap();
    game.apply(Input::Join(Name::new(b"explorer").unwrap()), &mut vec![]);
    (game, sight)
}

#[test]
fn the_explorer_finds_all_gold() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["state", "explore"]);
    for name in ["main", "narrow"] {
        let (mut game, sight) = game_on(name);
        let player = game.players()[0].letter();
        let map = sight.map();
        let start = START.replace("ROWS", &map.rows().to_string());
        page.eval(&start.replace("COLS", &map.cols().to_string()));
        let mut pictures = Pictures::of(map);
        for step in 0.. {
            let line = pictures.next(&game, player);
            let answer = page.eval(&format!("({STEP})({line})"));
            if game.end().is_some() {
                break;
            }
            assert!(step < 5_000, "{name}: still exploring");
            let key = answer.as_str().unwrap().bytes().next().expect("a step");
            let direction = Direction::ALL.into_iter().find(|it| it.key() == key).unwrap();
            game.apply(Input::Press(player, Stroke::Step(direction)), &mut vec![]);
        }
    }
}

/// Lines that a player is sent, each with the events that they tell of.
#[test]
fn lines_tell_of_gold_swaps_thefts_and_people() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["state"]);
    page.eval(
        "window.game = new state.GameState({gold: 100});
         game.handleHello({rows: 1, cols: 6, view: 'A', letter: 'A'})",
    );
    let ann = json!({"letter": "A", "name": "Ann"});
    let bob = json!({"letter": "B", "name": "Bob"});
    let cat = json!({"letter": "C", "name": "Cat"});
    for (line, events) in [
        (
            json!({"whole": ["@*.*B."], "gold": [0, 0, 100], "players": [ann, bob], "stage": "playing"}),
            json!([]),
        ),
        (
            json!({"set": [[0, ".@"]], "gold": [7, 7, 93]}),
            json!([{"kind": "gold", "who": "A", "nuggets": 7, "at": 1}]),
        ),
        (
            json!({"set": [[3, "B."]], "gold": [0, 7, 90]}),
            json!([{"kind": "gold", "who": "B", "nuggets": 3, "at": 3}]),
        ),
        (json!({"set": [[1, ".@B."]]}), json!([])),
        (
            json!({"set": [[2, "B@"]]}),
            json!([{"kind": "swap", "who": "A", "other": "B", "at": 2, "to": 3}]),
        ),
        (
            json!({"set": [[2, "@B"]], "gold": [0, 0, 90]}),
            json!([
                {"kind": "swap", "who": "B", "other": "A", "at": 2, "to": 3},
                {"kind": "theft", "who": "B", "other": "A", "nuggets": 7}
            ]),
        ),
        (json!({"players": [ann, bob, cat]}), json!([{"kind": "join", "who": "C"}])),
        (
            json!({"gold": [0, 0, 80]}),
            json!([{"kind": "gold", "who": null, "nuggets": 10, "at": -1}]),
        ),
        (
            json!({"stage": "over", "over": [{"letter": "B", "name": "Bob", "purse": 20}]}),
            json!([{"kind": "over"}]),
        ),
    ] {
        assert_eq!(page.eval(&format!("game.apply({line})")), events, "{line}");
    }
}

#[test]
fn a_rivals_purse_is_what_was_seen_of_it() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["state"]);
    page.eval(
        "window.game = new state.GameState({gold: 100});
         game.handleHello({rows: 1, cols: 6, view: 'A', letter: 'A'});
         for (const line of [
            {whole: ['@..*B.'], gold: [0, 0, 100], players: ['A', 'B', 'C'].map((letter) => ({letter, name: letter}))},
            {set: [[3, 'B.']], gold: [0, 0, 95]},
            {gold: [0, 0, 90]},
         ]) game.apply(line)",
    );
    let known = page.eval("['A', 'B', 'C'].map((letter) => game.knownPurse(letter))");
    let known_to = |nuggets: u32, is_exact: bool| json!({"nuggets": nuggets, "isExact": is_exact});
    assert_eq!(known, json!([known_to(0, true), known_to(5, false), known_to(0, false)]));
    assert_eq!(page.eval("game.rivalsTotal"), 10);
}

#[test]
fn a_gap_in_the_stream_is_noticed_and_a_repeated_line_is_skipped() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["socket"]);
    let taken = page.eval(
        "(() => {
            const place = new socket.Place();
            place.begin('a');
            const lines = [{seq: 4}, {seq: 7, whole: []}, {seq: 8}, {seq: 8}, {seq: 10}, {seq: 9}];
            const taken = lines.map((line) => place.take(line));
            const since = place.since;
            place.begin('b');
            return [taken, since, place.since];
        })()",
    );
    let expected = json!(["gap", "apply", "apply", "skip", "gap", "apply"]);
    assert_eq!(taken, json!([expected, {"stream": "a", "seq": 9}, null]));
    let waits = page.eval(
        "[0, 1, 9].map((attempt) => [0, 1].map((random) => socket.backoff(attempt, 2000, random)))",
    );
    assert_eq!(waits, json!([[150, 300], [300, 600], [1000, 2000]]));
    assert_eq!(
        page.eval("socket.parseLines('{\"seq\":1}\\n\\nnonsense\\n{\"seq\":2}\\n')"),
        json!([{"seq": 1}, {"seq": 2}])
    );
}

#[test]
fn keys_mean_what_they_mean_in_the_terminal() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["input"]);
    let names =
        ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "PageUp", "End", "PageDown"];
    for (name, direction) in names.into_iter().zip(Direction::ALL) {
        for (shift, key) in [(false, Key::Step(direction)), (true, Key::Sprint(direction))] {
            let wire = char::from(key.wire().unwrap());
            assert_eq!(
                page.eval(&format!("input.commandOf('{name}', {shift})")),
                json!({"key": wire})
            );
        }
    }
    for key in "hjklyubnHJKLYUBN12346789".chars() {
        let wire = char::from(Key::Char(key).wire().unwrap());
        assert_eq!(page.eval(&format!("input.commandOf('{key}', false)")), json!({"key": wire}));
    }
    assert_eq!(page.eval("input.commandOf('Q', true)"), json!({"do": "leave"}), "asks first");
    assert_eq!(page.eval("input.commandOf('x', false)"), Value::Null);
    let swipes = page.eval(
        "[[9, 9], [40, 0], [0, -40], [-30, 30], [0, 200]].map((by) => input.keyOfSwipe(...by))",
    );
    assert_eq!(swipes, json!([null, "l", "k", "b", "J"]));
}

#[test]
fn what_is_in_sight_is_listed_with_direction_and_distance() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["state", "insight"]);
    let listed = page.eval(
        "(() => {
            const game = new state.GameState();
            game.handleHello({rows: 5, cols: 9, view: 'A', letter: 'A'});
            game.apply({
                whole: ['+----+   ', '|@..B|   ', '|....####', '|..*.|   ', '+----+   '],
                sight: [0, 6, 3, 6, 3, 6, 3, 6, 3, 6],
                players: [{letter: 'A', name: 'Ann'}, {letter: 'B', name: 'Bob'}],
            });
            return insight.inSight(game.ground).map((thing) => insight.describe(thing, game));
        })()",
    );
    let expected = [
        "Gold: 2 right, 2 down (2 steps)",
        "Bob, B: 3 right (3 steps)",
        "Exit: 4 right, 1 down (4 steps)",
    ];
    assert_eq!(listed, json!(expected));
}

#[test]
fn players_slide_to_the_next_spot_unless_people_want_no_motion() {
    let browser = Browser::start();
    let page = browser.profile().page("modules");
    load(&page, &["map"]);
    let slides = || {
        page.eval(
            "(() => {
                const view = new map.MapView(document.createElement('canvas'));
                view.whole(['|@....B..|']);
                const sliding = (changes) => {
                    view.set(changes);
                    return [...view.slides].map(([code, {from, to}]) => [String.fromCharCode(code), from, to]);
                };
                const first = sliding([[1, '.@']]);
                const second = sliding([[2, '.@'], [5, 'B.']]);
                return [first, second, sliding([[3, '....@']])];
            })()",
        )
    };
    page.set_media(&[("prefers-reduced-motion", "no-preference")]);
    let [one, two] = [json!(["@", 1, 2]), json!(["@", 2, 3])];
    let rival = json!(["B", 6, 5]);
    assert_eq!(slides(), json!([[one], [two, rival], [rival]]), "a long way is a jump");
    page.set_media(&[("prefers-reduced-motion", "reduce")]);
    assert_eq!(slides(), json!([[], [], []]));
}
