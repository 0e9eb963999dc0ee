//! Water that moves along with a chain: the local added mass of Soliman 2024 (Sec. 4.2, Alg. 5), and rigid segments that carry it (Kirchhoff 1870).
//!
//! A layer of water of depth δ moves with the normal velocity of the surface. A segment takes the layer on its own outer faces and on the adjoining halves of the blocks beside
//! it, as if these were rigid and straight: so the water of a straight chain that moves as one is that of its whole box, and soft nodes stay as light as they are. All in closed form:
//!
//! ```text
//! δ   = Σ A / Σ α ℓ = Σ 2l(h + w) + Σ_ends hw  over  Σ 2πl + Σ_ends π(h + w)        of the initial shape, straight; l, h, w of segments and blocks
//! K_f = δ Σ_f ∫ a aᵀ dA,   a(x) = (x × n, n)                                        of water of unit density
//! K   = K_b + σ K_f,   σ = ρ_w · the part under water
//! ```
//!
//! K is fixed to the segment and turns with it. With μ = K (Y − U) the momentum in the body's frame, U the water's flow, a step without forces is that of Soliman 2024, Thm. C.2 (Cayley map):
//!
//! ```text
//! dcay⁻¹(ΔtY)ᵀ K Y = μ,   g⁺ = g cay(ΔtY)
//! p⁺ = p,   L⁺ = L − (x⁺ − x) × p                                                   world axes, L about the centre of mass x
//! ```
//!
//! The last line is the same statement as μ⁺ = dcay⁻¹(−ΔtY)ᵀ K Y, kept in the world's axes: both momenta of body and water about the origin are conserved to round-off however well Y was found.
//! The moment of Munk 1924 is the second term. Added mass only lowers frequencies, so the largest step of the chain without it is safe.
//!
//! σ changes as a segment dips in and out. What enters keeps its momentum, which it then shares with the water (von Kármán 1929); what leaves keeps its velocity, and the water keeps its momentum.
//! Either way energy is lost, never won, and counts as work against the water.
//!
//! Limits. Steps between sections are left out, as they are of the force. 7 % above theory across a long square bar (4/π against 1.19 of ρh²; Newman 1977, Table 4.3), 19 % below for a thin plate (2/π against π/4).
//! Segments do not feel each other through the water, there is no wake; near the surface the layer is scaled, waves that would be made are not.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | δ | [`depth`] | depth of the layer, m |
//! | K_f | [`Body::water`] | of one segment in its principal frame, for unit density: m⁵, m⁴, m³ |
//! | σ | [`Added::density`] | density of the water times the part under it, kg/m³ |
//! | Y, U | `twist`, [`Added::flow`] | angular, linear |

use std::f64::consts::PI;

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::ChainSettings;
use super::segment::{Body, BodyState};
use crate::lie::{Momentum, Pose, Twist, Wrench};

/// The water that moves along with a segment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Added {
    /// σ.
    pub density: f64,
    /// Of the water, m/s, world frame.
    pub flow: Vector3<f64>,
    /// σ and flow as they are around the segment now; taken up as it moves.
    pub around: (f64, Vector3<f64>),
    /// K and its inverse, principal frame.
    inertia: Matrix6<f64>,
    inverse: Matrix6<f64>,
}

/// What water that moves along gave a segment in a step, beside what it takes to move it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FromWater {
    /// Energy lost as it was taken up or let go, J.
    pub lost: f64,
    /// About the world's origin, world axes: less what stays behind, and what the flow does.
    pub impulse: Momentum,
}

/// Steps of the fixed-point iteration: each gains a factor of the turn in one step, some hundredths at most in use.
const MOST_ITERATIONS: usize = 60;

/// Energy of what is left of the equation of a step, as a part of the segment's: a relative error of 1e-14 in its velocity.
const ENOUGH: f64 = 1e-28;

impl Added {
    /// None yet.
    pub fn none(body: &Body) -> Added {
        let zero = Vector3::zeros();
        let mut added = Added { density: 0.0, flow: zero, around: (0.0, zero), inertia: Matrix6::zeros(), inverse: Matrix6::zeros() };
        added.set(body, 0.0);
        added
    }

    /// σ; K and its inverse.
    fn set(&mut self, body: &Body, density: f64) {
        self.density = density;
        let (masses, moments) = (Vector3::repeat(body.mass), &body.moments);
        self.inertia = body.water * density;
        for k in 0..3 {
            self.inertia[(k, k)] += moments[k];
            self.inertia[(k + 3, k + 3)] += masses[k];
        }
        // The sum of one matrix that is positive definite and one that is semi-definite; the other branch is for numbers that are not finite.
        self.inverse = self.inertia.cholesky().map_or_else(|| Matrix6::repeat(f64::NAN), |factor| factor.inverse());
    }

    /// Of a segment with this velocity of its centre of mass: angular about that; world axes.
    pub fn momentum(&self, body: &Body, matrix: &Matrix3<f64>, twist: &Twist) -> Momentum {
        let carried = self.inertia * body_frame(matrix, &twist.angular, &(twist.linear - self.flow));
        world_momentum(matrix, &carried) + Momentum::new(Vector3::zeros(), self.flow * body.mass)
    }

    /// The velocity that goes with a momentum, world axes.
    pub fn twist(&self, body: &Body, matrix: &Matrix3<f64>, momentum: &Momentum) -> Twist {
        let twist = self.inverse * self.relative(body, matrix, momentum);
        let (angular, linear) = (twist.fixed_rows::<3>(0).into_owned(), twist.fixed_rows::<3>(3).into_owned());
        Twist::new(matrix * angular, matrix * linear + self.flow)
    }

    /// μ.
    fn relative(&self, body: &Body, matrix: &Matrix3<f64>, momentum: &Momentum) -> Vector6<f64> {
        body_frame(matrix, &momentum.angular, &(momentum.linear - self.flow * body.mass))
    }

    /// Of the segment, and of the water beside its flow, J.
    pub fn kinetic_energy(&self, body: &Body, state: &BodyState) -> f64 {
        let twist = body_frame(&state.matrix, &state.twist.angular, &(state.twist.linear - self.flow));
        // ½ m |v|² = ½ m |v − U|² + m (v − U)·U + ½ m |U|².
        let carried = body.mass * (state.twist.linear.dot(&self.flow) - 0.5 * self.flow.norm_squared());
        0.5 * twist.dot(&(self.inertia * twist)) + carried
    }

    /// Takes up what is around the segment now, as it is moved by its momentum.
    fn enter(&mut self, body: &Body, state: &mut BodyState) -> FromWater {
        let (density, flow) = self.around;
        // Above the water its flow does not matter.
        if (density, flow) == (self.density, self.flow) || density == 0.0 && self.density == 0.0 {
            return FromWater::default();
        }
        let (before, leaves) = (self.kinetic_energy(body, state), density < self.density);
        let mut impulse = Momentum::default();
        if leaves {
            // σ goes, and with it its momentum.
            let relative = body_frame(&state.matrix, &state.twist.angular, &(state.twist.linear - self.flow));
            let left = world_momentum(&state.matrix, &(body.water * relative * (density - self.density)));
            impulse = left.brought_from(&state.centre);
        }
        self.set(body, density);
        if leaves {
            state.momentum = self.momentum(body, &state.matrix, &state.twist);
        } else {
            state.twist = self.twist(body, &state.matrix, &state.momentum);
        }
        let lost = before - self.kinetic_energy(body, state);
        // A flow that changes pulls the segment along.
        self.flow = flow;
        state.twist = self.twist(body, &state.matrix, &state.momentum);
        FromWater { lost, impulse }
    }

    /// Takes up what is around the segment now, at the velocity it has.
    pub fn fill(&mut self, body: &Body, state: &mut BodyState) {
        if self.around != (self.density, self.flow) {
            self.flow = self.around.1;
            self.set(body, self.around.0);
        }
        state.momentum = self.momentum(body, &state.matrix, &state.twist);
    }

    /// A step of a segment by the forces on it.
    pub fn fly(&mut self, body: &Body, state: &mut BodyState, load: &Wrench, time_step: f64) -> Option<FromWater> {
        let mut given = self.enter(body, state);
        if self.density == 0.0 {
            return state.fly(body, load, time_step).map(|()| given);
        }
        state.momentum += *load * time_step;
        let increment = self.increment(&self.relative(body, &state.matrix, &state.momentum), time_step)?;
        let moved = Pose::from_rotation_translation(state.rotation, state.centre) * Pose::cay(&increment);
        let travel = moved.translation - state.centre;
        let linear = state.momentum.linear - self.flow * body.mass;
        state.momentum.angular -= travel.cross(&linear);
        // In the flow's frame both momenta are kept; it takes the origin of that along.
        given.impulse.angular += travel.cross(&(self.flow * body.mass)) + (self.flow * time_step).cross(&state.momentum.linear);
        state.rotation = moved.rotation;
        state.centre = moved.translation + self.flow * time_step;
        state.matrix = state.rotation.to_rotation_matrix().into_inner();
        state.twist = self.twist(body, &state.matrix, &state.momentum);
        Some(given)
    }

    /// ΔtY of a step; `None` where it is a quarter turn or more, or not finite.
    #[inline]
    fn increment(&self, momentum: &Vector6<f64>, time_step: f64) -> Option<Twist> {
        let mut twist = self.inverse * momentum;
        let enough = ENOUGH * twist.dot(momentum);
        for _ in 0..MOST_ITERATIONS {
            let carried = Momentum::from(self.inertia * twist);
            let left = momentum - Vector6::from(Twist::from(twist * time_step).dcay_inv_dual(&carried));
            let change = self.inverse * left;
            twist += change;
            if change.dot(&left) <= enough {
                break;
            }
        }
        let increment = Twist::from(twist * time_step);
        // Not so with NaN.
        (increment.angular.norm_squared() < 4.0).then_some(increment)
    }
}

/// World axes to body axes.
#[inline]
fn body_frame(matrix: &Matrix3<f64>, angular: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
    let (angular, linear) = (matrix.tr_mul(angular), matrix.tr_mul(linear));
    Vector6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
}

#[inline]
fn world_momentum(matrix: &Matrix3<f64>, momentum: &Vector6<f64>) -> Momentum {
    let momentum = Momentum::from(*momentum);
    Momentum::new(matrix * momentum.angular, matrix * momentum.linear)
}

/// K_f of a segment in the frame of its box, for unit density.
pub(super) fn layer(settings: &ChainSettings, segment: usize, depth: f64) -> Matrix6<f64> {
    let size = settings.segments[segment].size;
    let half = 0.5 * size.x;
    let mut sum = sides([-half, half], &size);
    match settings.blocks.get(segment) {
        Some(behind) => sum += sides([-half - 0.5 * behind.x, -half], behind),
        None => sum += end(&size),
    }
    match segment.checked_sub(1).and_then(|ahead| settings.blocks.get(ahead)) {
        Some(ahead) => sum += sides([half, half + 0.5 * ahead.x], ahead),
        None => sum += end(&size),
    }
    sum * depth
}

/// δ, metres.
pub(super) fn depth(settings: &ChainSettings) -> f64 {
    let sizes = settings.segments.iter().map(|segment| &segment.size).chain(&settings.blocks);
    let (mut area, mut bend) = (0.0, 0.0);
    for size in sizes {
        area += 2.0 * size.x * (size.y + size.z);
        bend += 2.0 * PI * size.x;
    }
    for size in settings.segments.first().into_iter().chain(settings.segments.last()).map(|segment| &segment.size) {
        area += size.y * size.z;
        bend += PI * (size.y + size.z);
    }
    area / bend
}

/// ∫ a aᵀ over the four sides along x of a box between two places.
fn sides([from, to]: [f64; 2], size: &Vector3<f64>) -> Matrix6<f64> {
    let [length, first, second] = [1, 2, 3].map(|power| (to.powi(power) - from.powi(power)) / f64::from(power));
    let (h, w) = (size.y, size.z);
    let mut sum = Matrix6::zeros();
    sum[(0, 0)] = length * (w.powi(3) + h.powi(3)) / 6.0;
    // At ±y a = ±(−z, 0, x, 0, 1, 0), at ±z a = ±(y, −x, 0, 0, 0, 1).
    (sum[(4, 4)], sum[(5, 5)]) = (2.0 * w * length, 2.0 * h * length);
    (sum[(2, 2)], sum[(1, 1)]) = (2.0 * w * second, 2.0 * h * second);
    (sum[(2, 4)], sum[(1, 5)]) = (2.0 * w * first, -2.0 * h * first);
    (sum[(4, 2)], sum[(5, 1)]) = (sum[(2, 4)], sum[(1, 5)]);
    sum
}

/// The same over one end: a = ±(0, z, −y, 1, 0, 0).
fn end(size: &Vector3<f64>) -> Matrix6<f64> {
    let (h, w) = (size.y, size.z);
    Matrix6::from_diagonal(&Vector6::new(0.0, h * w.powi(3) / 12.0, w * h.powi(3) / 12.0, h * w, 0.0, 0.0))
}
