//! What water does to a box, patch by patch, in the box's own frame.
//!
//! ```text
//! normal           f = −ρ_w max(0, n·u)(n·u) n A            Fang 2015, Sec. 5.2
//! lift and drag    f = −½ ρ_w |u| (n·u) n A                 Soliman 2024, Eq. 6 with S5 of docs/ERRATA.md
//! ```
//!
//! u is the velocity of the patch's middle relative to the water. A box that goes along a normal feels the same by both, ρ_w A u²: by the first law all of it in front, by the second half of it
//! behind. At an angle the second is larger, by |u|/(n·u). Both only ever take energy: −f·u ≥ 0.

use nalgebra::Vector3;

use crate::lie::{Twist, Wrench};

/// A box in water, in its own frame.
pub(super) struct ImmersedBox {
    pub size: Vector3<f64>,
    pub patches: usize,
    /// Whether the faces at −x and +x are covered.
    pub covered: [bool; 2],
    /// Relative to the water, of its middle.
    pub twist: Twist,
    /// How high its middle is above the surface, metres, and what a step along its axes adds.
    pub height: f64,
    pub up: Vector3<f64>,
}

/// The laws, as the compiler is told them.
pub(super) const NORMAL: u8 = 0;
pub(super) const LIFT_AND_DRAG: u8 = 1;

impl ImmersedBox {
    /// Force and torque about the middle, and the rate of work, of water of unit density.
    pub fn drag<const LAW: u8>(&self) -> (Wrench, f64) {
        let (mut load, mut rate) = (Wrench::default(), 0.0);
        for (end, side) in [-1.0, 1.0].into_iter().enumerate() {
            if !self.covered[end] {
                rate += self.drag_on::<LAW, 0, 1, 2>(side, &mut load);
            }
            rate += self.drag_on::<LAW, 1, 2, 0>(side, &mut load);
            rate += self.drag_on::<LAW, 2, 0, 1>(side, &mut load);
        }
        (load, rate)
    }

    /// The same of one face, across AXIS, with U and W the next ones.
    #[inline(always)]
    fn drag_on<const LAW: u8, const AXIS: usize, const U: usize, const W: usize>(&self, side: f64, load: &mut Wrench) -> f64 {
        let (size, spin, count) = (&self.size, &self.twist.angular, self.patches as f64);
        let ahead = side * self.twist.linear[AXIS];
        // No corner of it goes outward.
        if LAW == NORMAL && ahead + 0.5 * ((spin[U] * size[W]).abs() + (spin[W] * size[U]).abs()) <= 0.0 {
            return 0.0;
        }
        let (step_u, step_w) = (size[U] / count, size[W] / count);
        let (area, band) = (step_u * step_w, count / size.y);
        let reach = 0.5 * side * size[AXIS];
        let height = self.height + reach * self.up[AXIS];
        // Of the face's middle, along itself.
        let slip = [self.twist.linear[U] + spin[W] * reach, self.twist.linear[W] - spin[U] * reach];
        let (mut push, mut along_u, mut along_w, mut rate) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..self.patches {
            let u = (i as f64 + 0.5) * step_u - 0.5 * size[U];
            for k in 0..self.patches {
                let w = (k as f64 + 0.5) * step_w - 0.5 * size[W];
                // The component along the axis of ω × r + v.
                let mut outward = ahead + side * (spin[U] * w - spin[W] * u);
                let wet = (0.5 - (height + self.up[U] * u + self.up[W] * w) * band).clamp(0.0, 1.0);
                let force = if LAW == NORMAL {
                    outward = outward.max(0.0);
                    wet * area * outward * outward
                } else {
                    let [slip_u, slip_w] = [slip[0] - spin[AXIS] * w, slip[1] + spin[AXIS] * u];
                    let speed = (outward * outward + slip_u * slip_u + slip_w * slip_w).sqrt();
                    0.5 * wet * area * speed * outward
                };
                push += force;
                along_u += force * u;
                along_w += force * w;
                rate += force * outward;
            }
        }
        // r × (−side · force · axis).
        load.linear[AXIS] -= side * push;
        load.angular[U] -= side * along_w;
        load.angular[W] += side * along_u;
        rate
    }
}
