//! Lift and drag for a solver that asks for many twists: the derivative is learnt from the wrenches asked for anyway.
//!
//! Newton's method needs the wrench exactly, its derivative only roughly ([`Load::by_twist`]). The derivative costs three wrenches, and changes
//! little from one time step to the next. So it is kept, and corrected by each new wrench so that it explains the last change (Broyden 1965):
//!
//! ```text
//! B ← B + (ΔF − B ΔY) (S ΔY)ᵀ / (ΔYᵀ S ΔY)              S: rotations count by the speed they give at the radius of the body
//! ```

use nalgebra::{Matrix6, Vector6};

use super::SurfaceForce;
use crate::lie::{Twist, Wrench};
use crate::medium::Load;

/// ∂wrench/∂twist as known so far; kept from step to step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Secant {
    by_twist: Option<Matrix6<f64>>,
}

/// A [`Secant`] at work on one shape in its surroundings.
#[derive(Debug)]
pub struct SecantStep<'a> {
    secant: &'a mut Secant,
    surface: &'a SurfaceForce,
    last: Option<(Twist, Wrench)>,
}

/// A change of the wrench that is foreseen worse than this, as a share of it, has the derivative taken anew.
const FORESEEN: f64 = 0.1;

/// Changes of the twist smaller than this share of it teach nothing: rounding drowns them.
const NOTHING_NEW: f64 = 1e-8;

impl Secant {
    /// For the twists of one time step: while the shape and the surroundings of `surface` stay as they are.
    pub fn on<'a>(&'a mut self, surface: &'a SurfaceForce) -> SecantStep<'a> {
        SecantStep { secant: self, surface, last: None }
    }
}

impl SecantStep<'_> {
    /// The wrench, exact, and about how it changes with the twist.
    pub fn load(&mut self, twist: &Twist) -> Load {
        let Some(mut by_twist) = self.secant.by_twist else { return self.exact(twist) };
        let wrench = self.surface.wrench(twist);
        if let Some((last_twist, last_wrench)) = self.last {
            let (step, change) = (Vector6::from(*twist - last_twist), Vector6::from(wrench - last_wrench));
            let missed = change - by_twist * step;
            let a = self.surface.radius;
            let (weight, size) = (Vector6::new(a, a, a, 1.0, 1.0, 1.0), |v: &Vector6<f64>, a: f64| {
                v.fixed_rows::<3>(0).norm() * a + v.fixed_rows::<3>(3).norm()
            });
            if size(&step, a) > NOTHING_NEW * size(&Vector6::from(*twist), a) {
                if size(&missed, 1.0 / a) > FORESEEN * size(&change, 1.0 / a) {
                    return self.exact(twist);
                }
                let along = step.component_mul(&weight).component_mul(&weight);
                by_twist += missed * along.transpose() / along.dot(&step);
                self.secant.by_twist = Some(by_twist);
            }
        }
        self.last = Some((*twist, wrench));
        Load { wrench, by_twist }
    }

    fn exact(&mut self, twist: &Twist) -> Load {
        let load = self.surface.load(twist);
        // What is not finite must not be kept: the next shape may be sound again.
        self.secant.by_twist = load.by_twist.iter().all(|x| x.is_finite()).then_some(load.by_twist);
        self.last = Some((*twist, load.wrench));
        load
    }
}
