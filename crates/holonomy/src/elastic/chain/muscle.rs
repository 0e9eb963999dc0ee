//! Muscles: the rest shape of a block, morphed (Fang 2015, Sec. 5.1).
//!
//! A node of the initial shape at (x₀, y₀, z₀) from the middle of a block of size (l_x, l_y, l_z) rests at (x₀ φ(y₀, z₀), y₀, z₀):
//!
//! ```text
//! φ = [l_left (½ − z₀/l_z) + l_right (½ + z₀/l_z)]/l_x · [l_bottom (½ − y₀/l_y) + l_top (½ + y₀/l_y)]/l_x
//! ```
//!
//! The first factor is Eq. 5.1 with left and right as they are in a right-handed frame (ERRATA F7). The second is the same along y, which the thesis has as future work; as a product, so that
//! left and right alone are Eq. 5.1, and lines along x stay straight and parallel.
//! Deformation is measured from the morphed shape, with its volume; masses and damping stay those of the initial one.

use super::kernel::LANES;
use super::{Chain, ChainState, Lane, lane_of};
use crate::Error;

/// Lengths along x of a block's rest shape at the middle of its four sides when the other pair is at its initial length, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Muscles {
    /// At −z.
    pub left: f64,
    /// At +z.
    pub right: f64,
    /// At +y.
    pub top: f64,
    /// At −y.
    pub bottom: f64,
}

impl Muscles {
    /// At rest: the initial shape of a block of that length.
    pub fn rest(length: f64) -> Muscles {
        Muscles { left: length, right: length, top: length, bottom: length }
    }
}

/// The rest shapes of all blocks, as the kernel reads them; see [`Rest`](super::kernel::Rest). `[group][…]`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RestShapes {
    pub lines: Vec<[Lane; 2]>,
    pub leans: [Vec<Lane>; 2],
}

impl Chain {
    /// The initial shapes.
    pub(super) fn rest_shapes(&self) -> RestShapes {
        let (groups, [y, z]) = (self.sizes.len(), self.grid.leans());
        let mut rest = RestShapes {
            lines: vec![[[0.0; LANES]; 2]; groups * self.grid.layer()],
            leans: [vec![[0.0; LANES]; groups * y], vec![[0.0; LANES]; groups * z]],
        };
        for block in 0..groups * LANES {
            self.write_rest(&mut rest, block, &Muscles::rest(self.block_size(block).x));
        }
        rest
    }

    /// Sets the lengths that the muscles of a block strive for. Costs nothing where they are what they were.
    ///
    /// # Errors
    /// No such block; a length that is not positive.
    pub fn set_muscles(&self, state: &mut ChainState, block: usize, muscles: &Muscles) -> Result<(), Error> {
        let Some(old) = state.muscles.get_mut(block) else {
            return Err(Error::Length { what: "soft blocks of a chain", expected: block + 1, found: self.settings.blocks.len() });
        };
        if old == muscles {
            return Ok(());
        }
        for length in [muscles.left, muscles.right, muscles.top, muscles.bottom] {
            Error::unless(length.is_finite() && length > 0.0, "length of a muscle (m)", length, "a positive number")?;
        }
        *old = *muscles;
        state.muscle_factors[block] = self.write_rest(&mut state.rest, block, muscles);
        Ok(())
    }

    /// What a block's muscles strive for; `None` if there is no such block.
    pub fn muscles(&self, state: &ChainState, block: usize) -> Option<Muscles> {
        state.muscles.get(block).copied()
    }

    /// Writes the rest shape of a block. By what factor the largest time step is less than that of the initial shape: with masses as they were, stiffness along x goes
    /// with 1/φ and across with φ.
    fn write_rest(&self, rest: &mut RestShapes, block: usize, muscles: &Muscles) -> f64 {
        let ((g, lane), grid, [y_edges, z_edges]) = (lane_of(block), &self.grid, self.grid.leans());
        let (size, step) = (self.block_size(block), self.spacing(block));
        let [cx, cy, cz] = grid.cells;
        let (per_y, per_z, per_square) = (1.0 / cy as f64, 1.0 / cz as f64, 1.0 / (size.x * size.x));
        // Both factors are linear, so that along y and along z φ changes evenly.
        let (tilt_y, tilt_z) = ((muscles.top - muscles.bottom) * per_square / size.y, (muscles.right - muscles.left) * per_square / size.z);
        let mut least = 1.0_f64;
        for j in 0..=cy {
            let y = j as f64 * per_y;
            let ends = muscles.bottom * (1.0 - y) + muscles.top * y;
            for k in 0..=cz {
                let z = k as f64 * per_z;
                let sides = muscles.left * (1.0 - z) + muscles.right * z;
                let length = step.x * (sides * ends * per_square);
                let inverse = 1.0 / length;
                least = least.min(length / step.x).min(step.x * inverse);
                let line = &mut rest.lines[g * grid.layer() + j * (cz + 1) + k];
                line[0][lane] = -inverse;
                line[1][lane] = length;
                for i in 0..=cx {
                    let x = 0.5 * size.x - i as f64 * step.x;
                    if j < cy {
                        rest.leans[0][g * y_edges + grid.lean_y([i, j, k])][lane] = x * sides * tilt_y;
                    }
                    if k < cz {
                        rest.leans[1][g * z_edges + grid.lean_z([i, j, k])][lane] = x * ends * tilt_z;
                    }
                }
            }
        }
        least.sqrt()
    }
}
