//! What a creature smells: food, and the trails of others.
//!
//! Fang 2015, Sec. 3.6: food is a point whose smell fades with the square of the distance, intensity Σ s/r². Trails are ours: a substance on a grid in the plane of x and z, laid
//! down, spreading and fading.

use nalgebra::Vector3;

use crate::Error;
use crate::medium::obstacle::Obstacle;

/// A source of food.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Food {
    /// Where it lies, metres, world.
    pub place: Vector3<f64>,
    /// s, m²: its smell at one metre. None is left of what is 0.
    pub strength: f64,
}

/// Smell at a place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Smell {
    /// Σ s/r².
    pub intensity: f64,
    /// Its derivative by the place, 1/m.
    pub gradient: Vector3<f64>,
}

impl Smell {
    /// Of those foods that `counts` lets through, at a place.
    pub fn of(foods: &[Food], place: &Vector3<f64>, counts: impl Fn(usize) -> bool) -> Smell {
        let mut smell = Smell::default();
        for (k, food) in foods.iter().enumerate() {
            if food.strength > 0.0 && counts(k) {
                let to = food.place - place;
                // On the food itself the smell is that of a place a micrometre off.
                let squared = to.norm_squared().max(1e-12);
                smell.intensity += food.strength / squared;
                smell.gradient += to * (2.0 * food.strength / (squared * squared));
            }
        }
        smell
    }
}

/// The foods that lie inside of an obstacle: nobody will reach them.
pub fn unreachable(foods: &[Food], obstacles: &[Obstacle]) -> Vec<usize> {
    (0..foods.len()).filter(|&k| buried(&foods[k], obstacles)).collect()
}

/// Whether a food lies inside of an obstacle.
pub(super) fn buried(food: &Food, obstacles: &[Obstacle]) -> bool {
    obstacles.iter().any(|obstacle| obstacle.distance(&food.place).value < 0.0)
}

/// A substance on the ground, as amounts on a grid in the plane of x and z; none outside of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pheromone {
    origin: [f64; 2],
    spacing: f64,
    counts: [usize; 2],
    /// Amount per square metre, x running faster.
    values: Vec<f64>,
    before: Vec<f64>,
    /// At which it fades, 1/s.
    decay: f64,
    /// At which it spreads, m²/s.
    diffusion: f64,
}

impl Pheromone {
    /// An empty field over a rectangle of `size` metres centred at the origin, `spacing` metres between its nodes; it fades at the rate `decay`, 1/s, and spreads with
    /// `diffusion`, m²/s.
    ///
    /// # Errors
    /// A size or spacing that is not positive, more than 16 million nodes, or a rate that is negative.
    pub fn new(size: [f64; 2], spacing: f64, decay: f64, diffusion: f64) -> Result<Pheromone, Error> {
        Error::unless(spacing.is_finite() && spacing > 0.0, "spacing of a trail's grid", spacing, "greater than 0 metres")?;
        for side in size {
            Error::unless(side.is_finite() && side > 0.0, "size of a trail's grid", side, "greater than 0 metres")?;
        }
        Error::unless_zero_or_more("decay of a trail", decay)?;
        Error::unless_zero_or_more("diffusion of a trail", diffusion)?;
        let counts = size.map(|side| (side / spacing - 1e-9).ceil().max(1.0) as usize + 1);
        let nodes = counts[0].saturating_mul(counts[1]);
        Error::unless(nodes <= 1 << 24, "nodes of a trail's grid", nodes as f64, "16 million or fewer: take a larger spacing")?;
        let origin = counts.map(|count| -0.5 * (count - 1) as f64 * spacing);
        Ok(Pheromone { origin, spacing, counts, values: vec![0.0; nodes], before: vec![0.0; nodes], decay, diffusion })
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.values.iter().sum::<f64>() * self.spacing * self.spacing
    }

    /// The rate at which it fades, 1/s.
    pub fn decay(&self) -> f64 {
        self.decay
    }

    /// Whether what is laid there is kept.
    pub fn covers(&self, place: &Vector3<f64>) -> bool {
        self.taps(place).is_some()
    }

    /// Lays down an amount. What is laid outside of the grid is lost.
    pub fn deposit(&mut self, place: &Vector3<f64>, amount: f64) {
        if let (Some(taps), true) = (self.taps(place), amount.is_finite()) {
            for (node, weight) in taps {
                self.values[node] += amount * weight / (self.spacing * self.spacing);
            }
        }
    }

    /// How much there is, per square metre.
    pub fn sense(&self, place: &Vector3<f64>) -> f64 {
        self.taps(place).map_or(0.0, |taps| taps.iter().map(|&(node, weight)| weight * self.values[node]).sum())
    }

    /// Lets it spread and fade for a while. Nothing leaves through the edge of the grid.
    pub fn step(&mut self, time_step: f64) {
        if !(time_step.is_finite() && time_step > 0.0) {
            return;
        }
        let number = self.diffusion * time_step / (self.spacing * self.spacing);
        // Explicit steps are stable up to a quarter; more than a thousand would have made it even long since.
        let steps = (number / 0.2).ceil().clamp(1.0, 1000.0);
        let (share, kept) = ((number / steps).min(0.25), (-self.decay * time_step / steps).exp());
        for _ in 0..steps as usize {
            self.spread(share, kept);
        }
    }

    fn spread(&mut self, share: f64, kept: f64) {
        std::mem::swap(&mut self.values, &mut self.before);
        let [columns, rows] = self.counts;
        for row in 0..rows {
            for column in 0..columns {
                let at = row * columns + column;
                let here = self.before[at];
                // Beyond the edge it is as at the edge.
                let left = if column > 0 { self.before[at - 1] } else { here };
                let right = if column + 1 < columns { self.before[at + 1] } else { here };
                let near = if row > 0 { self.before[at - columns] } else { here };
                let far = if row + 1 < rows { self.before[at + columns] } else { here };
                self.values[at] = kept * (here + share * (left + right + near + far - 4.0 * here));
            }
        }
    }

    /// The four nodes around a place with their weights.
    fn taps(&self, place: &Vector3<f64>) -> Option<[(usize, f64); 4]> {
        let x = (place.x - self.origin[0]) / self.spacing;
        let z = (place.z - self.origin[1]) / self.spacing;
        let within = |cells: f64, count: usize| cells >= 0.0 && cells <= (count - 1) as f64;
        if !(within(x, self.counts[0]) && within(z, self.counts[1])) {
            return None;
        }
        let (column, row) = ((x as usize).min(self.counts[0] - 2), (z as usize).min(self.counts[1] - 2));
        let (u, w) = (x - column as f64, z - row as f64);
        let at = row * self.counts[0] + column;
        let below = at + self.counts[0];
        Some([(at, (1.0 - u) * (1.0 - w)), (at + 1, u * (1.0 - w)), (below, (1.0 - u) * w), (below + 1, u * w)])
    }
}
