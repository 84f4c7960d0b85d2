//! Drawn scenes: what the miner presses in each.

use nuggets_protocol::ServerMessage;

use super::*;

/// Shows the miner these pictures one after another; what it presses last.
fn last_key(pictures: &[&[&str]]) -> char {
    let mut miner = Miner::default();
    let keys = pictures.iter().map(|rows| press(&mut miner, rows));
    keys.last().expect("at least one picture")
}

fn press(miner: &mut Miner, rows: &[&str]) -> char {
    press_with(miner, rows, "GOLD 0 0 250")
}

fn press_with(miner: &mut Miner, rows: &[&str], gold: &str) -> char {
    let mut scene = Scene::default();
    for message in [gold.to_owned(), format!("DISPLAY\n{}\n", rows.join("\n"))] {
        scene.take(&ServerMessage::parse(message.as_bytes()).unwrap()).unwrap();
    }
    miner.next_key(&scene).map_or(' ', |stroke| stroke.key().into())
}

#[test]
fn it_sprints_where_that_saves_keys_and_steps_where_it_does_not() {
    assert_eq!(last_key(&[&["+------+", "|@....*|", "+------+"]]), 'L');
    assert_eq!(last_key(&[&["+------+", "|@*....|", "+------+"]]), 'l');
    assert_eq!(last_key(&[&["+------+", "|@.*...|", "+------+"]]), 'L', "gold on the way is taken");
}

/// To the wall and back is two keys; step by step it would be five.
#[test]
fn a_sprint_past_the_goal_may_be_the_shortest_way() {
    let picture = ["+-------+", "|@......|", "+-----.-+", "|     .*|", "+-------+"];
    assert_eq!(last_key(&[&picture]), 'L');
}

#[test]
fn two_piles_on_one_way_are_better_than_one_as_near() {
    assert_eq!(last_key(&[&["+---------+", "|*..@..*.*|", "+---------+"]]), 'L');
    assert_eq!(last_key(&[&["+---------+", "|*.*..@..*|", "+---------+"]]), 'H');
}

#[test]
fn a_cluster_is_better_than_a_single_pile_as_far_away() {
    let up = ["+-----+", "|*.*..|", "|.....|", "|@....|", "|.....|", "|*....|", "+-----+"];
    let mut down = up;
    down[1..6].reverse();
    assert!("KU".contains(last_key(&[&up])));
    assert!("JN".contains(last_key(&[&down])));
}

#[test]
fn gold_out_of_sight_is_remembered() {
    let room = ["+------+  ", "|@....*|  ", "|.+----+  ", "|.|       ", "+-+       "];
    let around_the_corner = ["+------+  ", "|......|  ", "|.+----+  ", "|@|       ", "+-+       "];
    assert_eq!(last_key(&[&room, &around_the_corner]), 'K');
    assert_eq!(last_key(&[&around_the_corner]), 'K', "else it only looks what is there");
    let mut miner = Miner::default();
    press(&mut miner, &room);
    press(&mut miner, &around_the_corner);
    assert_eq!(miner.memory.finds().len(), 1);
    press(&mut miner, &["+------+  ", "|@.....|  ", "|.+----+  ", "|.|       ", "+-+       "]);
    assert!(miner.memory.finds().is_empty(), "it would be seen from here");
}

#[test]
fn gold_that_somebody_stands_on_is_gone() {
    let mut miner = Miner::default();
    press(&mut miner, &["|@....*.|"]);
    press(&mut miner, &["|@....B.|"]);
    assert!(miner.memory.finds().is_empty());
}

#[test]
fn gold_that_we_ran_over_is_gone_though_the_end_of_the_run_is_dark() {
    let mut miner = Miner::default();
    assert_eq!(press(&mut miner, &["|@.*..##   "]), 'L');
    press(&mut miner, &["|.....###@  "]);
    assert!(miner.memory.finds().is_empty());
}

/// Both piles are three keys away.
#[test]
fn gold_that_a_nearer_rival_will_take_is_left_to_it() {
    let contested = |left: &str, right: &str| {
        let bend = format!("|{left}-----{right}|");
        last_key(&[&["+---------+", &bend, "|-.-----.-|", "|-...@...-|", "+---------+"]])
    };
    assert_eq!(contested("*B", ".*").to_ascii_lowercase(), 'l');
    assert_eq!(contested("*.", "B*").to_ascii_lowercase(), 'h');
}

#[test]
fn gold_beside_a_rival_who_does_not_want_it_is_taken_in_the_end() {
    let mut miner = Miner::default();
    let mut at = 5;
    for _ in 0..200 {
        let mut row = *b"|B*........|";
        row[at] = b'@';
        let key = press(&mut miner, &[str::from_utf8(&row).unwrap()]);
        match key {
            'h' => at -= 1,
            'l' => at += 1,
            'H' => at = 1,
            'L' => at = 10,
            _ => {}
        }
        if at <= 2 {
            return;
        }
    }
    panic!("the rival still keeps us away");
}

#[test]
fn what_others_have_taken_makes_old_memories_less_likely() {
    let mut miner = Miner::default();
    press_with(&mut miner, &["|@..#*|"], "GOLD 0 0 200");
    press_with(&mut miner, &["|@..# |"], "GOLD 0 0 50");
    let find = miner.memory.finds()[0];
    assert_eq!(miner.memory.chance_of(&find), 25);
    press_with(&mut miner, &["|@..# |"], "GOLD 0 50 0");
    assert_eq!(miner.memory.chance_of(&find), 25, "what we took ourselves was elsewhere");
}

/// While it ran through the room, gold in it was not drawn.
#[test]
fn a_room_that_it_only_ran_through_is_looked_at() {
    let before =
        ["       +---+  ", "       |   |  ", " @##   |   |  ", "       |   |  ", "       +---+  "];
    let after =
        ["       +---+  ", "       |...|  ", " ######.....#@", "       |...|  ", "       +---+  "];
    let mut miner = Miner::default();
    assert_eq!(press(&mut miner, &before), 'L');
    assert_eq!(press(&mut miner, &after), 'h', "one step back is enough");
}

#[test]
fn a_lost_key_is_pressed_again() {
    let picture = ["+------+", "|@....*|", "+------+"];
    assert_eq!(last_key(&[&picture, &picture, &picture]), 'L');
}

#[test]
fn food_is_taken_when_it_is_near_but_gold_comes_first() {
    assert_eq!(last_key(&[&["+--------+", "|...@.%..|", "+--------+"]]), 'L');
    assert_eq!(last_key(&[&["+--------+", "|*..@.%..|", "+--------+"]]), 'H');
}

/// In a hall where one sees only four spots far, what it ran past is not taken for looked at.
#[test]
fn a_short_sight_is_noticed() {
    let wide = |you: usize, known: std::ops::Range<usize>| {
        let mut rows = vec![vec![b' '; 40]; 15];
        for (row, cells) in rows.iter_mut().enumerate() {
            for (col, cell) in cells.iter_mut().enumerate() {
                if (3..12).contains(&row) && known.contains(&col) {
                    *cell = if col == known.start { b'|' } else { b'.' };
                }
            }
        }
        rows[7][you] = b'@';
        rows.into_iter().map(|row| String::from_utf8(row).unwrap()).collect::<Vec<_>>()
    };
    let (mut miner, first, second) = (Miner::default(), wide(10, 5..15), wide(30, 5..35));
    let rows =
        |picture: &[String]| picture.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    assert_eq!(press(&mut miner, &[&rows(&first)]), 'L');
    press(&mut miner, &[&rows(&second)]);
    assert!(miner.memory.has_unlooked());
}

#[test]
fn with_everything_known_it_walks_over_every_spot_again_and_again() {
    let mut miner = Miner::default();
    let (mut row, mut col) = (1usize, 1usize);
    let mut visited = [0; 12];
    let is_spot = |row: usize, col: usize| (1..4).contains(&row) && (1..5).contains(&col);
    for _ in 0..60 {
        let mut rows = ["+----+", "|....|", "|....|", "|....|", "+----+"].map(str::to_owned);
        rows[row].replace_range(col..=col, "@");
        let key = press(&mut miner, &rows.each_ref().map(String::as_str));
        let way = Direction::ALL.into_iter().find(|w| w.letter() == key.to_ascii_lowercase() as u8);
        let (down, right) = way.expect("it goes on").offset();
        loop {
            row = row.checked_add_signed(down.into()).unwrap();
            col = col.checked_add_signed(right.into()).unwrap();
            visited[(row - 1) * 4 + col - 1] += 1;
            let next =
                (row.wrapping_add_signed(down.into()), col.wrapping_add_signed(right.into()));
            if key.is_lowercase() || !is_spot(next.0, next.1) {
                break;
            }
        }
    }
    assert!(visited.iter().all(|&times| times >= 2), "{visited:?}");
}

#[test]
fn another_map_is_begun_from_nothing() {
    let mut miner = Miner::default();
    press(&mut miner, &["|@....*|"]);
    assert_eq!(press(&mut miner, &["|@.|"]), 'l');
    assert!(miner.memory.finds().is_empty());
}

#[test]
fn nowhere_to_go_gives_no_key() {
    assert_eq!(last_key(&[&["..."]]), ' ', "nobody in the picture");
    assert_eq!(last_key(&[&["+-+", "|@|", "+-+"]]), ' ');
}

/// Or else it would run to and fro for ever between two ends of what it knows.
#[test]
fn what_it_ran_over_is_known_to_be_a_way_even_if_no_picture_shows_it() {
    let mut miner = Miner::default();
    assert_eq!(press(&mut miner, &["@##       "]), 'L');
    press(&mut miner, &["###     #@"]);
    assert!((3..8).all(|col| miner.ground.is_spot(Point::new(0, col))));
}
