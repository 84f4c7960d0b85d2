//! Drawn scenes, and the miner's key in each.

use super::*;

/// Returns the miner's last key after it sees these pictures one after another.
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
        scene.handle_bytes(message.as_bytes()).unwrap();
    }
    miner.next_key(&scene).map_or(' ', |stroke| stroke.key().into())
}

#[test]
fn it_sprints_where_that_saves_keys_and_steps_where_it_does_not() {
    assert_eq!(last_key(&[&["+------+", "|@....*|", "+------+"]]), 'L');
    assert_eq!(last_key(&[&["+------+", "|@*....|", "+------+"]]), 'l');
    assert_eq!(
        last_key(&[&["+------+", "|@.*...|", "+------+"]]),
        'L',
        "gold on the path is taken"
    );
}

/// To the wall and back is two keys; step by step it would be five.
#[test]
fn a_sprint_past_the_goal_may_be_the_shortest_path() {
    let picture = ["+-------+", "|@......|", "+-----.-+", "|     .*|", "+-------+"];
    assert_eq!(last_key(&[&picture]), 'L');
}

#[test]
fn two_piles_on_one_path_are_better_than_one_as_near() {
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
    assert_eq!(last_key(&[&around_the_corner]), 'K', "without the memory it only explores");
    let mut miner = Miner::default();
    press(&mut miner, &room);
    press(&mut miner, &around_the_corner);
    assert_eq!(miner.memory.finds().len(), 1);
    press(&mut miner, &["+------+  ", "|@.....|  ", "|.+----+  ", "|.|       ", "+-+       "]);
    assert!(miner.memory.finds().is_empty(), "it would be seen from here");
}

#[test]
fn gold_under_another_player_is_gone() {
    let mut miner = Miner::default();
    press(&mut miner, &["|@....*.|"]);
    press(&mut miner, &["|@....B.|"]);
    assert!(miner.memory.finds().is_empty());
}

#[test]
fn gold_that_we_sprinted_over_is_gone_even_if_it_is_not_visible_from_the_end() {
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
fn gold_beside_a_rival_who_does_not_take_it_is_taken_in_the_end() {
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
    panic!("the rival keeps us away forever");
}

#[test]
fn gold_taken_by_others_makes_old_finds_less_likely() {
    let mut miner = Miner::default();
    press_with(&mut miner, &["|@..#*|"], "GOLD 0 0 200");
    press_with(&mut miner, &["|@..# |"], "GOLD 0 0 50");
    let find = miner.memory.finds()[0];
    assert_eq!(miner.memory.likelihood_percent(&find), 25);
    press_with(&mut miner, &["|@..# |"], "GOLD 0 50 0");
    assert_eq!(miner.memory.likelihood_percent(&find), 25, "what we took ourselves was elsewhere");
}

/// While the miner sprinted through the room, gold in it was not drawn.
#[test]
fn a_room_that_it_only_sprinted_through_is_observed() {
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

/// With a vision range of four, spots that it sprinted past do not count as observed.
#[test]
fn a_vision_range_is_noticed() {
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
    let mut miner = Miner::default();
    let first = wide(10, 5..15);
    let second = wide(30, 5..35);
    let rows =
        |picture: &[String]| picture.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    assert_eq!(press(&mut miner, &[&rows(&first)]), 'L');
    press(&mut miner, &[&rows(&second)]);
    assert!(miner.memory.has_unobserved());
}

#[test]
fn with_everything_known_it_patrols_every_spot_again_and_again() {
    let mut miner = Miner::default();
    let mut row = 1usize;
    let mut col = 1usize;
    let mut visited = [0; 12];
    let is_spot = |row: usize, col: usize| (1..4).contains(&row) && (1..5).contains(&col);
    for _ in 0..60 {
        let mut rows = ["+----+", "|....|", "|....|", "|....|", "+----+"].map(str::to_owned);
        rows[row].replace_range(col..=col, "@");
        let key = press(&mut miner, &rows.each_ref().map(String::as_str));
        let way = Direction::ALL.into_iter().find(|w| w.key() == key.to_ascii_lowercase() as u8);
        let (down, right) = way.expect("a movement key").offset();
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
fn another_map_resets_the_memory() {
    let mut miner = Miner::default();
    press(&mut miner, &["|@....*|"]);
    assert_eq!(press(&mut miner, &["|@.|"]), 'l');
    assert!(miner.memory.finds().is_empty());
}

#[test]
fn nowhere_to_go_gives_no_key() {
    assert_eq!(last_key(&[&["..."]]), ' ', "no player in the picture");
    assert_eq!(last_key(&[&["+-+", "|@|", "+-+"]]), ' ');
}

/// Otherwise it would sprint back and forth forever between two ends of the known map.
#[test]
fn spots_that_it_sprinted_over_are_known_even_if_no_picture_shows_them() {
    let mut miner = Miner::default();
    assert_eq!(press(&mut miner, &["@##       "]), 'L');
    press(&mut miner, &["###     #@"]);
    assert!((3..8).all(|col| miner.map.is_spot(Point::new(0, col))));
}
