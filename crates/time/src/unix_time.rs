//! The only caller of `SystemTime::now`.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, as the system's clock has it. It can jump, so it is for what people read (dates, ages) and
/// for what must be compared after a restart; measure spans with a [`Clock`](crate::Clock).
pub fn unix_time_ms() -> u64 {
    let since_1970 = system_now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

#[expect(clippy::disallowed_methods, reason = "every other crate gets the time as an argument")]
fn system_now() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_milliseconds_since_1970() {
        const YEAR_MS: u64 = 365 * 24 * 3600 * 1000;
        let years = unix_time_ms() / YEAR_MS;
        assert!((50..500).contains(&years), "{years} years since 1970");
    }
}
