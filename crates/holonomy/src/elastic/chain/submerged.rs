//! The part of a box that is under water, and where its middle is: what buoyancy acts on.
//!
//! With k the axis of the box that is nearest to the vertical, and u, w the other two, the surface stands at s = z − a u − b w along k. Where it meets neither of the two faces across k,
//!
//! ```text
//! V = A (z + H),   ∫u = −a A U²/12,   ∫w = −b A W²/12,   ∫k = ½A (z² + (a²U² + b²W²)/12 − H²)          A = U W
//! ```
//!
//! exactly: ∫u is what rights a ship (Bouguer 1746: U²/12 over the draught is the height of the metacentre above the centre of buoyancy). Else the box is cut as any mesh is
//! ([`Displaced`]).
//!
//! | symbol | is |
//! |---|---|
//! | U, W, 2H | sides of the box along u, w, k, metres |
//! | z | height of the surface above the box's middle along k, metres |
//! | a, b | slope of the surface along u and w |

use nalgebra::{UnitQuaternion, Vector3};

use crate::lie::Pose;
use crate::medium::buoyancy::Displaced;

/// Corners by the bits of their number, x first; outward.
const FACES: [[u32; 3]; 12] =
    [[0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6]];

/// Share of the box's volume that is under water, and from the box's middle to the middle of that part, metres, box frame. `up` is +Y in the box's frame, `height` that of its middle
/// above the surface, metres; `rotation` that of the box.
pub(super) fn submerged(
    size: &Vector3<f64>,
    up: &Vector3<f64>,
    height: f64,
    rotation: impl FnOnce() -> UnitQuaternion<f64>,
) -> (f64, Vector3<f64>) {
    if height.abs() >= 0.5 * up.abs().dot(size) {
        return (if height < 0.0 { 1.0 } else { 0.0 }, Vector3::zeros());
    }
    let k = up.iamax();
    let (u, w) = ((k + 1) % 3, (k + 2) % 3);
    let (steep, half) = (up[k].abs(), 0.5 * size[k]);
    let (level, a, b) = (-height / steep, up[u] / steep, up[w] / steep);
    if level.abs() + 0.5 * ((a * size[u]).abs() + (b * size[w]).abs()) <= half {
        let (along_u, along_w, draught) = (a * size[u] * size[u] / 12.0, b * size[w] * size[w] / 12.0, level + half);
        let mut middle = Vector3::zeros();
        middle[u] = -along_u / draught;
        middle[w] = -along_w / draught;
        middle[k] = up[k].signum() * 0.5 * (level * level + a * along_u + b * along_w - half * half) / draught;
        return (draught / size[k], middle);
    }
    let corners = std::array::from_fn::<_, 8, _>(|n| Vector3::from_fn(|axis, _| size[axis] * (((n >> axis) & 1) as f64 - 0.5)));
    let pose = Pose::from_rotation_translation(rotation(), Vector3::new(0.0, height, 0.0));
    let part = Displaced::below(0.0, &pose, &corners, &FACES);
    // Not so of a corner that is lost in round-off.
    if part.volume > 0.0 { (part.volume / size.product(), part.moment / part.volume) } else { (0.0, Vector3::zeros()) }
}
