//! Symmetric compositions of the variational step: higher order from steps forth and back (Hairer, Lubich and Wanner 2006, Sec. V.3).

use super::{Coupled, RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose};

/// A free body that goes by a symmetric composition of [`Coupled`] steps, which keeps what that step keeps.
#[derive(Debug, Clone, Copy)]
pub struct Composition<const STAGES: usize> {
    base: Coupled,
    /// Their sizes, seconds.
    stages: [f64; STAGES],
}

impl Composition<5> {
    /// Order 4: five stages (Suzuki 1990).
    pub fn suzuki(body: &RigidBody, start: &State, time_step: f64) -> Composition<5> {
        let outer = 1.0 / (4.0 - 4.0_f64.cbrt());
        let shares = [outer, outer, 1.0 - 4.0 * outer, outer, outer];
        Composition { base: Coupled::new(body, start, time_step), stages: shares.map(|share| share * time_step) }
    }
}

impl Composition<9> {
    /// Order 6: nine stages (Kahan and Li 1997).
    pub fn kahan_li(body: &RigidBody, start: &State, time_step: f64) -> Composition<9> {
        let [a, b, c, d] = KAHAN_LI;
        let shares = [a, b, c, d, 1.0 - 2.0 * (a + b + c + d), d, c, b, a];
        Composition { base: Coupled::new(body, start, time_step), stages: shares.map(|share| share * time_step) }
    }
}

/// The first four stages; the others mirror them about the middle one.
const KAHAN_LI: [f64; 4] = [0.392_161_444_007_314_1, 0.332_599_136_789_359_44, -0.706_246_172_557_639_4, 0.082_213_596_293_550_8];

impl<const STAGES: usize> Stepper for Composition<STAGES> {
    #[inline]
    fn step(&mut self) {
        self.stages.iter().for_each(|&h| self.base.step_by(h));
    }

    fn pose(&self) -> Pose {
        self.base.pose()
    }

    fn momentum(&self) -> Momentum {
        self.base.momentum()
    }
}
