//! Rooms that are broken on purpose, to test that the faults are found.

use super::{RoomFault, RoomRun};
use crate::kit::Sabotage;

type Fault = Sabotage<RoomRun>;

/// The faults that can be put into the room.
pub(super) const ALL: &[Fault] = &[
    // The room sends nothing again.
    Fault::new("resends", |plan| plan.room_reliability.resends = false, is_mismatch),
    // The room plays by another rule than the model: sprints stop where they should not, or the reverse.
    Fault::new(
        "rules",
        |plan| plan.room_rules.sprint_stops = !plan.room_rules.sprint_stops,
        is_mismatch,
    ),
    // The room drops players after half of the idle timeout.
    Fault::new(
        "idle",
        |plan| {
            let halved = plan.room_reliability.idle_timeout_ms.map(|ms| ms / 2);
            plan.room_reliability.idle_timeout_ms = halved;
        },
        is_mismatch,
    ),
    // The room sends the end for half as long.
    Fault::new("linger", |plan| plan.room_reliability.linger_ms /= 2, is_mismatch),
];

fn is_mismatch(fault: &RoomFault) -> bool {
    matches!(fault, RoomFault::Room(_))
}
