//! How the client shows the map.

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::Room;
use crate::client::stage::Start;
use crate::{Check, Dialects, Failure, Verdict};

const GRID: Chapter =
    Chapter { section: "Map", source: "Requirements, Client interface: Grid display" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    GRID.must(
        "grid.exact",
        "The map stands below the first line, every character where the server put it.",
        exact,
    ),
    GRID.must("grid.spectator", "The spectator sees the map just as it was sent.", spectator),
    GRID.must(
        "grid.blanks",
        "Blanks are part of the map: what is known only far from the upper left corner stands there.",
        blanks,
    ),
    GRID.must("grid.update", "Each DISPLAY is shown when it comes.", update)
        .said_in("Requirements, Client"),
    GRID.must(
        "grid.old",
        "Nothing of an older map is left where the new one is blank.",
        old,
    ),
    GRID.must("grid.swap", "Players who change places are shown at their new places.", swap),
    GRID.must("grid.letters", "Every letter, the gold and every part of the map are shown as they are.", letters),
    GRID.must("grid.large", "A map of 60 rows and 160 columns is shown in a window for it.", large)
        .said_in("Requirements, Client interface"),
    GRID.should("grid.largest", "Even the largest map that fits a message is shown.", largest)
        .said_in("Requirements, Valid maps"),
    GRID.must("grid.flood", "After 150 maps in a row the last one is shown.", flood)
        .said_in("Network protocol, Server to clients"),
    GRID.may("grid.cursor", "The cursor stands on the player.", cursor)
        .only_in(Dialects::Only2019)
        .said_in("Implementation of 2019, Client module"),
    GRID.may("grid.no-cursor", "The spectator's cursor is hidden.", no_cursor)
        .only_in(Dialects::Only2019)
        .said_in("Implementation of 2019, Client module"),
];

fn exact(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.expect_grid()
}

fn spectator(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    stage.expect_grid()
}

fn blanks(stage: &mut ClientStage) -> Verdict {
    let mut room = Room::large(20, 78);
    blank_out(&mut room, |row, col| row > 14 && col > 60);
    stage.room = room;
    stage.play()?;
    stage.expect_grid()
}

fn update(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    for _ in 0..3 {
        stage.fence()?;
        stage.expect_grid()?;
    }
    Ok(())
}

fn old(stage: &mut ClientStage) -> Verdict {
    stage.room = Room::large(20, 78);
    stage.play()?;
    blank_out(&mut stage.room, |row, col| row > 16 || (row == 2 && col == 5));
    show(stage)
}

fn swap(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let exchange = |cell: char| match cell {
        '@' => 'C',
        'C' => '@',
        other => other,
    };
    stage.room.rows =
        stage.room.rows.iter().map(|row| row.chars().map(exchange).collect()).collect();
    show(stage)
}

fn letters(stage: &mut ClientStage) -> Verdict {
    stage.room.rows = [
        "+--------------------------------------+",
        "|ABCDEFGHIJKLMNOPQRSTUVWXYZ@*.....*....|",
        "|......................................#",
        "+------------------------#-------------+",
        "                         #######        ",
    ]
    .map(str::to_owned)
    .to_vec();
    stage.play()?;
    stage.expect_grid()
}

fn large(stage: &mut ClientStage) -> Verdict {
    of_size(stage, (60, 160))
}

/// 8 bytes of head and 250 lines of 261 bytes: 65258, where 65507 are possible.
fn largest(stage: &mut ClientStage) -> Verdict {
    of_size(stage, (250, 260))
}

fn of_size(stage: &mut ClientStage, (rows, cols): (u16, u16)) -> Verdict {
    stage.room = Room::large(rows.into(), cols.into());
    stage.join(&Start { size: (rows + 3, cols + 5), ..Start::PLAYER })?;
    stage.expect_grid()
}

/// What doesn't fit into the client's socket is lost, so the last one is sent until it is seen.
fn flood(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    for _ in 0..150 {
        stage.room.stir();
        let display = stage.room.display();
        stage.say(&display);
    }
    // The last one is like none before.
    for row in &mut stage.room.rows {
        *row = row.replace('*', ".");
    }
    let display = stage.room.display();
    stage.say(&display);
    stage.until_again("the last of 150 maps is shown", ClientStage::shows_grid, |stage| {
        let display = stage.room.display();
        stage.say(&display);
    })
}

fn cursor(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let row = stage.room.rows.iter().position(|row| row.contains('@')).unwrap_or_default();
    let col = stage.room.rows[row].find('@').unwrap_or_default();
    let at = (row + 1, col);
    let wish = format!("a cursor in line {}, column {}, where the @ is", row + 2, col + 1);
    let is_there = |it: &ClientStage| it.cursor() == Some(at);
    stage.until(&wish, &[], is_there).map_err(|failure| {
        let failure = stage.settle(failure, is_there);
        let came = match stage.cursor() {
            Some((row, col)) => format!("it is in line {}, column {}", row + 1, col + 1),
            None => "it is hidden".to_owned(),
        };
        Failure { came, ..failure }
    })
}

fn no_cursor(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    let is_hidden = |it: &ClientStage| it.cursor().is_none();
    let hidden = stage.until("no cursor is seen", &[], is_hidden);
    hidden.map_err(|failure| stage.settle(failure, is_hidden))
}

fn show(stage: &mut ClientStage) -> Verdict {
    let display = stage.room.display();
    stage.say(&display);
    stage.expect_grid()
}

fn blank_out(room: &mut Room, stays: impl Fn(usize, usize) -> bool) {
    for (at, row) in room.rows.iter_mut().enumerate() {
        let cells = row.chars().enumerate();
        *row = cells.map(|(col, cell)| if stays(at, col) { cell } else { ' ' }).collect();
    }
}
