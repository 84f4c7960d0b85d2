//! How bad a network is: drawn by chance, within bounds.

use std::fmt;

use nuggets_game::Chance;
use nuggets_server::Millis;

/// What a network does to datagrams. Shares are in percent.
///
/// ```
/// use nuggets_sim::net::Weather;
///
/// assert_eq!(Weather::calm().loss, 0);
/// assert!(Weather::calm().is_fair());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weather {
    /// So many are lost, each way.
    pub loss: u32,
    /// So many come twice.
    pub duplication: u32,
    /// The longest that one takes; each takes its own time.
    pub delay_ms: u32,
    /// Later ones may overtake earlier ones: 64 of them at most.
    pub reorder: bool,
    /// So many are cut short.
    pub truncation: u32,
    /// So many have a bit turned.
    pub flips: u32,
    /// When somebody can't be reached.
    pub partitions: Vec<Partition>,
    /// What is sent to nobody comes back as 'unreachable', unless that is lost.
    pub unreachable: bool,
}

/// Some clients are cut off for a while, both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// From when.
    pub since: Millis,
    /// Until when.
    pub until: Millis,
    /// Whom it cuts off, by their numbers.
    pub clients: Vec<usize>,
}

/// The most that is drawn.
const MOST_LOSS: u32 = 50;
const MOST_DUPLICATION: u32 = 20;
const MOST_DELAY_MS: u32 = 5_000;
const MOST_TRUNCATION: u32 = 1;
const MOST_FLIPS: u32 = 1;

impl Weather {
    /// A network that does nothing to anybody.
    pub fn calm() -> Self {
        Self {
            loss: 0,
            duplication: 0,
            delay_ms: 0,
            reorder: false,
            truncation: 0,
            flips: 0,
            partitions: Vec::new(),
            unreachable: false,
        }
    }

    /// Any weather, for so many clients and so long.
    pub fn draw(chance: &mut Chance, clients: usize, span_ms: u32) -> Self {
        let mut weather = Self {
            loss: one_of(chance, &[0, 10, 30, MOST_LOSS]),
            duplication: one_of(chance, &[0, 5, MOST_DUPLICATION]),
            delay_ms: one_of(chance, &[1, 50, 300, 300, 1_000, MOST_DELAY_MS]),
            reorder: chance.below(3) > 0,
            truncation: chance.below(MOST_TRUNCATION + 1),
            flips: chance.below(MOST_FLIPS + 1),
            partitions: Vec::new(),
            unreachable: chance.below(2) > 0,
        };
        for _ in 0..chance.below(6).saturating_sub(3) {
            weather.partitions.push(Partition::draw(chance, clients, span_ms));
        }
        weather
    }

    /// Losses up to this share and short delays, but nothing worse.
    pub fn draw_lossy(chance: &mut Chance, most_loss: u32) -> Self {
        Self {
            loss: one_of(chance, &[0, most_loss / 2, most_loss, most_loss]),
            duplication: one_of(chance, &[0, MOST_DUPLICATION]),
            delay_ms: one_of(chance, &[1, 50, FAIR_DELAY_MS]),
            reorder: chance.below(2) > 0,
            unreachable: chance.below(2) > 0,
            ..Self::calm()
        }
    }

    /// Whoever keeps speaking in it is heard and answered before a server has gone, and nobody is
    /// told what was never said.
    pub fn is_fair(&self) -> bool {
        let is_whole = self.truncation + self.flips == 0;
        self.loss <= 30 && self.delay_ms <= FAIR_DELAY_MS && is_whole
    }

    /// Is this client cut off now?
    pub fn cuts(&self, now: Millis, client: usize) -> bool {
        self.partitions.iter().any(|cut| cut.holds(now) && cut.clients.contains(&client))
    }

    /// Is this client cut off at any moment from then to then?
    pub fn cuts_between(&self, since: Millis, until: Millis, client: usize) -> bool {
        let meets = |cut: &Partition| cut.since <= until && since < cut.until;
        self.partitions.iter().any(|cut| meets(cut) && cut.clients.contains(&client))
    }
}

/// What is bad about it, in one line.
impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {} %, doubles {} %", self.loss, self.duplication)?;
        let order = if self.reorder { "out of order" } else { "in order" };
        write!(f, ", delays to {} ms, {order}", self.delay_ms)?;
        write!(f, ", cut short {} %, bits turned {} %", self.truncation, self.flips)?;
        match self.partitions.len() {
            0 => Ok(()),
            1 => f.write_str(", 1 partition"),
            more => write!(f, ", {more} partitions"),
        }
    }
}

/// A longer delay may be longer than a server lingers.
const FAIR_DELAY_MS: u32 = 300;

impl Partition {
    fn draw(chance: &mut Chance, clients: usize, span_ms: u32) -> Self {
        let since = Millis(chance.below(span_ms.max(1)).into());
        let until = since.after(u64::from(200 + chance.below(8_000)));
        let clients = (0..clients).filter(|_| chance.below(2) == 0).collect();
        Self { since, until, clients }
    }

    fn holds(&self, now: Millis) -> bool {
        self.since <= now && now < self.until
    }
}

/// None, all, or something between: the bounds are met often.
fn one_of(chance: &mut Chance, bounds: &[u32]) -> u32 {
    let bound = bounds[chance.index(bounds.len())];
    if chance.below(2) == 0 { bound } else { chance.below(bound + 1) }
}

#[cfg(test)]
mod tests {
    use nuggets_game::Seed;

    use super::*;

    #[test]
    fn it_is_told_in_one_line() {
        let cut = Partition { since: Millis(0), until: Millis(9), clients: vec![0] };
        let weather = Weather { loss: 30, partitions: vec![cut], ..Weather::calm() };
        let told = "loss 30 %, doubles 0 %, delays to 0 ms, in order, cut short 0 %, \
                    bits turned 0 %, 1 partition";
        assert_eq!(weather.to_string(), told);
    }

    #[test]
    fn every_kind_of_weather_comes_and_none_is_worse_than_promised() {
        let mut chance = Chance::new(Seed::new(1));
        let drawn: Vec<Weather> =
            (0..2_000).map(|_| Weather::draw(&mut chance, 8, 10_000)).collect();
        let most = |of: fn(&Weather) -> u32| drawn.iter().map(of).max();
        let least = |of: fn(&Weather) -> u32| drawn.iter().map(of).min();
        assert_eq!((least(|w| w.loss), most(|w| w.loss)), (Some(0), Some(50)));
        assert_eq!((least(|w| w.duplication), most(|w| w.duplication)), (Some(0), Some(20)));
        assert_eq!((least(|w| w.delay_ms), most(|w| w.delay_ms)), (Some(0), Some(5_000)));
        assert_eq!((least(|w| w.truncation), most(|w| w.truncation)), (Some(0), Some(1)));
        assert_eq!((least(|w| w.flips), most(|w| w.flips)), (Some(0), Some(1)));
        let count = |of: fn(&Weather) -> bool| drawn.iter().filter(|w| of(w)).count();
        for met in [
            count(|w| w.reorder),
            count(|w| w.unreachable),
            count(Weather::is_fair),
            count(|w| !w.partitions.is_empty()),
        ] {
            assert!((200..1_800).contains(&met), "{met} of 2000");
        }
    }
}
