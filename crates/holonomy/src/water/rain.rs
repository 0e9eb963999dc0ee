//! Rain, and bumps of water in general.

use super::grid::SOLID;
use super::{FARTHEST, WaterState};
use crate::Error;
use crate::random::Random;

/// What a drop leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drops {
    /// A bump within a hollow ring of the same volume: it ripples, and the pool does not fill up.
    #[default]
    Neutral,
    /// A bump: the pool has as much more water as fell.
    Adding,
}

/// Drops at random places, all alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Rain {
    /// Drops on the whole grid, per second.
    pub drops: f64,
    /// Volume of a bump, m³.
    pub volume: f64,
    /// Radius of a bump, metres; a cell at least.
    pub radius: f64,
    /// What they leave behind.
    pub kind: Drops,
    /// Which rain it is.
    pub seed: u64,
}

impl Default for Rain {
    fn default() -> Self {
        Rain { drops: 20.0, volume: 0.01, radius: 0.8, kind: Drops::Neutral, seed: 1 }
    }
}

/// How far the rain has come.
#[derive(Debug, Clone, PartialEq)]
pub struct RainState {
    random: u64,
    /// Drops that are due, a share of one.
    due: f64,
    /// Drops so far.
    pub fallen: u64,
    /// Volume that they added, m³.
    pub added: f64,
}

impl Rain {
    /// Rain that is about to begin.
    ///
    /// # Errors
    /// A number that is negative or not finite.
    pub fn start(&self) -> Result<RainState, Error> {
        for (name, value) in
            [("drops of rain per second", self.drops), ("volume of a drop", self.volume), ("radius of a drop", self.radius)]
        {
            Error::unless_zero_or_more(name, value)?;
        }
        Ok(RainState { random: self.seed, due: 0.0, fallen: 0, added: 0.0 })
    }

    /// What falls in `duration` seconds. Returns the volume that was added, m³: none if drops are neutral. Neutral drops do not fall on what is dry around.
    ///
    /// # Errors
    /// A number that is negative or not finite, or more than a million drops at once.
    pub fn fall(&self, rain: &mut RainState, water: &mut WaterState, duration: f64) -> Result<f64, Error> {
        self.start()?;
        Error::unless_zero_or_more("time of rain", duration)?;
        let due = rain.due + self.drops * duration;
        Error::unless(due <= 1e6, "drops of rain at once", due, "a million or fewer")?;
        rain.due = due.fract();
        let (mut random, mut added) = (Random(rain.random), 0.0);
        for _ in 0..due as usize {
            let [nx, nz] = water.grid.cells.map(|n| n as f64);
            let place = [water.origin[0] + nx * water.cell * random.unit(), water.origin[1] + nz * water.cell * random.unit()];
            added += water.bump(place, self.radius, self.volume, self.kind)?;
            rain.fallen += 1;
        }
        rain.random = random.0;
        rain.added += added;
        Ok(added)
    }
}

/// A cell of a bump, and its share.
type Share = (usize, f64);

impl WaterState {
    /// Adds a bump of `volume` m³ (a hollow, if that is negative) with `radius` metres, a cell at least, about a place x and z: smooth, (1 − r²/R²)². Neutral
    /// ones take their volume from a ring around, out to twice the radius. Where there is not so much water to take, the whole bump is smaller.
    /// Returns the volume that was added.
    ///
    /// # Errors
    /// A number that is not finite, or a radius that is negative.
    pub fn bump(&mut self, place: [f64; 2], radius: f64, volume: f64, kind: Drops) -> Result<f64, Error> {
        for value in [place[0], place[1], volume] {
            Error::unless(value.abs() <= FARTHEST, "bump of water", value, "a finite place and volume")?;
        }
        Error::unless((0.0..=FARTHEST).contains(&radius), "radius of a bump of water", radius, "zero or more metres")?;
        let radius = radius.max(self.cell);
        let middle = |r: f64| (1.0 - (r / radius).powi(2)).max(0.0).powi(2);
        let ring = |r: f64| (1.0 - (2.0 * r / radius - 3.0).powi(2)).max(0.0).powi(2);
        let mut shares = std::mem::take(&mut self.shares);
        shares.clear();
        let mut fraction = self.spread(place, radius, &middle, volume, &mut shares);
        if kind == Drops::Neutral {
            fraction = fraction.min(self.spread(place, 2.0 * radius, &ring, -volume, &mut shares));
        }
        for &(place, rise) in &shares {
            self.surface[place] += fraction * rise;
            self.note_depth(place);
        }
        self.shares = shares;
        Ok(if kind == Drops::Neutral { 0.0 } else { fraction * volume })
    }

    /// Spreads a volume over the cells within a reach, by weights of the distance. Returns the fraction of it that there is room or water for.
    fn spread(&self, place: [f64; 2], reach: f64, weight: &impl Fn(f64) -> f64, volume: f64, shares: &mut Vec<Share>) -> f64 {
        let first = shares.len();
        let mut total = 0.0;
        for (i, j) in self.around(place, reach) {
            let ([x, z], at) = (self.middle(i, j), self.grid.at(i, j));
            let share = weight((x - place[0]).hypot(z - place[1]));
            if share > 0.0 && self.bed[at] < SOLID {
                shares.push((at, share));
                total += share;
            }
        }
        let mut fraction = if total > 0.0 { 1.0 } else { 0.0 };
        for (at, share) in &mut shares[first..] {
            *share *= volume / (total * self.cell * self.cell);
            let depth = self.surface[*at] - self.floor[*at];
            if *share + depth < 0.0 {
                fraction = f64::min(fraction, depth / -*share);
            }
        }
        fraction
    }

    /// Cells whose middles may be within a reach of a place.
    pub(super) fn around(&self, place: [f64; 2], reach: f64) -> impl Iterator<Item = (isize, isize)> + Clone + use<> {
        let [x, z] = self.in_cells(place[0], place[1]);
        let cells = reach / self.cell;
        let [nx, nz] = self.grid.cells.map(|n| n as f64);
        let range = |at: f64, count: f64| {
            (at - cells - 0.5).ceil().clamp(0.0, count) as isize..(at + cells + 0.5).floor().clamp(0.0, count) as isize
        };
        let columns = range(x, nx);
        range(z, nz).flat_map(move |j| columns.clone().map(move |i| (i, j)))
    }
}
