//! Every picture of a game in both versions of the specification, as a test: where the player stands,
//! which keys bring it there, and what it then sees and knows.
//!
//! The drawings omit trailing blanks; so do the comparisons.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use nuggets_game::{
    Game, Input, Letter, Map, Name, Point, Rules, Seed, Setup, Stroke, Viewer, shipped,
};
use nuggets_protocol::Dialect;

struct Story {
    game: Game,
    player: Letter,
}

impl Story {
    /// A player on the example map at this place, with gold at these places.
    fn new(dialect: Dialect, at: (u16, u16), gold: &[(u16, u16)]) -> Self {
        let point = |&(row, col): &(u16, u16)| Point::new(row, col);
        let map = shipped::find("main").unwrap().map();
        let setup = Setup::new(map, Rules::default(), Seed::new(1), dialect);
        let piles = gold.iter().map(|place| (point(place), 10)).collect();
        let mut game = Game::arranged(&setup, piles, vec![point(&at)]);
        game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut vec![]);
        Self { game, player: Letter::nth(0).unwrap() }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.bytes() {
            let stroke = Stroke::from_key(key).unwrap();
            self.game.apply(Input::Press(self.player, stroke), &mut vec![]);
        }
    }

    /// The display is this drawing, whose first line is the map's line `top`, and blank elsewhere.
    fn shows(&self, top: usize, drawing: &str) {
        let view = self.game.view(Viewer::Player(self.player)).to_string();
        let mut expected = vec![""; 21];
        for (line, drawn) in drawing.trim_matches('\n').lines().enumerate() {
            expected[top + line] = drawn.trim_end();
        }
        let shown: Vec<&str> = view.lines().map(str::trim_end).collect();
        assert_eq!(shown.join("\n"), expected.join("\n"));
    }
}

#[test]
fn the_example_map() {
    let drawn = r"
  +----------+
  |..........|                 +---------+
  |..........####              |.........|                +-------+
  |..........|                 +-----#---+                |.......|
  +---------#+                       #              #######.......|
            #                        #              #     +---#---+
            #  +-----------+         #     +--------#+        #
            ####...........##############  |.........|        #
               |...........|            #  |.........|        #
               +-----------+            ####.........|        #
                                           +----#----+        #
                                                #    +--------#--+
     +---------------------------------+        #    |...........|
     |.................................|        ######...........|
     |.................................|        #    |...........|
     |......+---------------+..........|        #    |...........|
     |......|               |..........##########    +-----------+
     |......|               |..........|
     |......|               |..........|
     |......|               |..........|
     +------+               +----------+
";
    let map = Map::parse(shipped::find("main").unwrap().text.as_bytes()).unwrap().map;
    let lines: Vec<String> = map.to_string().lines().map(|l| l.trim_end().to_string()).collect();
    assert_eq!(lines.join("\n"), drawn.trim_matches('\n'));
    assert_eq!((map.rows(), map.cols()), (21, 79));
}

/// The walk of the 2021 specification, picture after picture.
#[test]
#[expect(clippy::too_many_lines, reason = "one walk with tall pictures")]
fn the_walk_of_2021() {
    let gold = [(13, 27), (14, 32), (16, 30), (4, 61)];
    let mut story = Story::new(Dialect::V2021, (13, 23), &gold);
    story.shows(
        12,
        r"
     +---------------------------------+
     |.................@...*...........|
     |..........................*......|
     |......+---------------+..........|
     |.                        ........#
                                  .....|
                                    ...|
                                       |
",
    );

    story.press("l");
    story.shows(
        12,
        r"
     +---------------------------------+
     |..................@..*...........|
     |..........................*......|
     |......+---------------+..........|
     |.                        ........#
                                 ......|
                                   ....|
                                     ..|
                                       +
",
    );

    story.press("lll");
    assert_eq!(story.game.player(story.player).purse(), 10, "picked up the first pile");
    story.shows(
        12,
        r"
     +---------------------------------+
     |.....................@...........|
     |..........................*......|
     |......+---------------+..........|
     |.                      .*........#
                              .........|
                              .........|
                               ........|
                               --------+
",
    );

    story.press("l");
    story.shows(
        12,
        r"
     +---------------------------------+
     |......................@..........|
     |..........................*......|
     |......+---------------+..........|
     |.                      .*........#
                             ..........|
                             ..........|
                             ..........|
                             ----------+
",
    );

    story.press("lllllllnnn");
    story.shows(
        12,
        r"
     +---------------------------------+
     |.................................|
     |..........................*......|
     |......+---------------+..........|
     |.                     |.*.......@#
                            |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );

    // The specification still draws the two piles here, but neither is visible by its own rule.
    story.press("ll");
    story.shows(
        12,
        r"
     +---------------------------------+
     |.................................|
     |.................................|
     |......+---------------+..........|
     |.                     |..........#@#
                            |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );

    story.press("LK");
    story.shows(
        6,
        r"
                                           +--------#+
                                           |....@....|
                                           |.........|
                                           #.........|
                                           +----#----+
                                                #
     +---------------------------------+        #
     |.................................|        ##
     |.................................|        #
     |......+---------------+..........|        #
     |.                     |..........##########
                            |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );

    story.press("lllu");
    story.press("Klllll");
    story.shows(
        3,
        r"
                                                          |
                                                    #####@#
                                                    #     +
                                           +--------#+
                                           |.........|
                                           |.........|
                                           #.........|
                                           +----#----+
                                                #
     +---------------------------------+        #
     |.................................|        ##
     |.................................|        #
     |......+---------------+..........|        #
     |.                     |..........##########
                            |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );

    story.press("l");
    story.shows(
        2,
        r"
                                                           -------+
                                                          |.......|
                                                    ######@..*....|
                                                    #     +---#---+
                                           +--------#+
                                           |.........|
                                           |.........|
                                           #.........|
                                           +----#----+
                                                #
     +---------------------------------+        #
     |.................................|        ##
     |.................................|        #
     |......+---------------+..........|        #
     |.                     |..........##########
                            |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );
}

/// The walk of the 2019 specification, picture after picture.
#[test]
#[expect(clippy::too_many_lines, reason = "one walk with tall pictures")]
fn the_walk_of_2019() {
    let gold = [(16, 35), (19, 29), (13, 9), (14, 15), (14, 19), (14, 24)];
    let mut story = Story::new(Dialect::V2019, (18, 33), &gold);
    story.shows(
        12,
        r"
                        ---------------+
                         ..............|
                           ............|
                            +..........|
                            |......*...#
                            |..........|
                            |....@.....|
                            |*.........|
                            +----------+
",
    );

    story.press("kkk");
    story.shows(
        12,
        r"
     +---------------------------------+
     |...*.............................|
     |.........*...*....*..............|
                            +....@.....|
                            |......*...##########
                            |..........|
                            |..........|
                            |*.........|
                            +----------+
",
    );

    story.press("k");
    story.press(&"h".repeat(18));
    assert_eq!(story.game.player(story.player).purse(), 30, "three piles on the path");
    story.shows(
        12,
        r"
     +---------------------------------+
     |...*.............................|
     |.........@.......................|
     |......+---------------+..........|
     |...                   |..........##########
     |                      |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );

    story.press(&"l".repeat(18));
    story.press("jjL");
    story.shows(
        6,
        r"
                                                -
                                                .
                                                .
                                                .
                                                #
                                                #
     +---------------------------------+        #
     |.................................|        #
     |.................................|        #
     |......+---------------+..........|        #
     |...                   |..........#########@
     |                      |..........|
                            |..........|
                            |..........|
                            +----------+
",
    );
}
