//! What legs do to shallow water (Fang 2015, Sec. 6.2): thin upright rods that stir it.

use nalgebra::Vector3;

use super::grid::{Kept, SOLID};
use super::{Drops, FARTHEST, Water, WaterState};
use crate::Error;

/// The end of a thin leg in the water. It stirs if it is under the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ripple {
    /// Where it ends, metres, world.
    pub place: Vector3<f64>,
    /// Its radius, metres.
    pub radius: f64,
    /// How it moves, m/s, world.
    pub velocity: Vector3<f64>,
}

impl Water {
    /// Lets legs stir the water for `duration` seconds; the volume is kept, and the water does nothing to them.
    ///
    /// Sideways a leg gives the water around it the momentum that an upright rod loses, ½ ρ C |v| v per area, C = 1 and v relative to the water there: smoothly over
    /// a cell, or over its radius if that is more. Water gets no faster than the leg. Up and down it draws its own volume in or pushes it out of a ring
    /// around.
    ///
    /// # Errors
    /// The state is of other water, a number that is not finite or a radius or duration that is negative.
    pub fn stir(&self, state: &mut WaterState, legs: &[Ripple], duration: f64) -> Result<(), Error> {
        self.check(state)?;
        Error::unless_zero_or_more("time of stirring", duration)?;
        for leg in legs {
            for value in leg.place.iter().chain(&leg.velocity) {
                Error::unless(value.abs() <= FARTHEST, "ripple of a leg", *value, "a finite number")?;
            }
            Error::unless((0.0..=FARTHEST).contains(&leg.radius), "radius of a leg", leg.radius, "zero or more metres")?;
        }
        for leg in legs {
            if !state.is_under(&leg.place) {
                continue;
            }
            self.push_aside(state, leg, duration);
            let volume = std::f64::consts::PI * leg.radius.powi(2) * leg.velocity.y * duration;
            state.bump([leg.place.x, leg.place.z], leg.radius, volume, Drops::Neutral)?;
        }
        Ok(())
    }

    fn push_aside(&self, state: &mut WaterState, leg: &Ripple, duration: f64) {
        let there = [leg.place.x, leg.place.z];
        let flow = state.velocity(there[0], there[1]);
        let relative = [leg.velocity.x - flow[0], leg.velocity.z - flow[1]];
        let reach = leg.radius.max(self.cell);
        let weight =
            |place: [f64; 2]| (1.0 - ((place[0] - there[0]).powi(2) + (place[1] - there[1]).powi(2)) / (reach * reach)).max(0.0).powi(2);
        for (k, kept) in [Kept::AlongX, Kept::AlongZ].into_iter().enumerate() {
            let step = if k == 0 { 1 } else { state.grid.stride };
            let center = |(i, j): (isize, isize), state: &WaterState| {
                let mut middle = state.middle(i, j);
                middle[k] -= 0.5 * self.cell;
                middle
            };
            let around = state.around(there, reach + self.cell);
            let total: f64 = around.clone().map(|cell| weight(center(cell, state))).sum();
            if total <= 0.0 {
                continue;
            }
            // ½ C 2r |v| v Δt, spread over the area of the weights; no more than the whole of v.
            let share = leg.radius * relative[0].hypot(relative[1]) * duration / (total * self.cell * self.cell);
            for cell in around {
                let (place, face) = (state.grid.at(cell.0, cell.1), state.grid.face(kept, cell.0, cell.1));
                if state.bed[place].max(state.bed[place - step]) < SOLID {
                    let change = (share * weight(center(cell, state))).min(1.0) * relative[k];
                    state.faces[face] += change;
                    state.note_speed(k, state.faces[face]);
                }
            }
        }
    }
}
