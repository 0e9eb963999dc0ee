//! Where a sheet ends, the jump of the potential grows as the square root of the distance, which linear elements follow badly: they give the
//! flow around a sheet whose rim lies further in, by a share of the height of the faces at the rim. So the rim is moved out first, by as much.
//!
//! The share is that of even elements at a straight rim, and follows from them alone. Left in place, the rim would seem to lie 0.1151 heights
//! further in: `¼ − Σ k l_k` with the Fourier coefficients of `ln(σ/|2 sin(θ/2)|) = l_0 + 2 Σ l_k cos kθ`, where
//! `σ(θ) = Σ_k |θ_k| sinc⁴(θ_k/2)`, `θ_k = θ + 2πk`, is the symbol of the discrete operator (Wiener and Hopf's method; ¼ alone is the rule of vortex
//! lattices). Moving it out makes the last element longer, so that it takes 0.12995 to move it to where it belongs (the limit of many
//! elements across a strip, whose added mass πρa² is known).

use std::collections::BTreeMap;

use nalgebra::Vector3;

/// By how many heights of its faces a rim is moved out.
const SHARE: f64 = 0.129_95;

/// Corners sharper than this are not followed to their tip: 1 + cosine of the turn.
const SHARPEST: f64 = 0.5;

/// Copies `points` into `moved`, with the vertices of the rim edges `rims` (ends, face) moved out.
pub(super) fn move_out(points: &[Vector3<f64>], faces: &[[u32; 3]], rims: &[([u32; 2], u32)], moved: &mut Vec<Vector3<f64>>) {
    moved.clear();
    moved.extend_from_slice(points);
    // The two rim edges at each vertex: outward unit normals in their faces, and heights of these.
    let mut normals = BTreeMap::<u32, Vec<(Vector3<f64>, f64)>>::new();
    for &(ends, face) in rims {
        let Some((outward, height)) = outward(points, ends, faces[face as usize]) else { continue };
        ends.iter().for_each(|&v| normals.entry(v).or_default().push((outward, height)));
    }
    for (v, around) in normals {
        let sum: Vector3<f64> = around.iter().map(|(normal, _)| normal).sum();
        let height = around.iter().map(|(_, height)| height).sum::<f64>() / around.len() as f64;
        // Along the bisector of the two edges, as far as moves both by the height.
        let spread = (sum.norm_squared() / around.len() as f64).max(SHARPEST);
        moved[v as usize] += sum * (SHARE * height / spread);
    }
}

/// Direction out of the sheet across the edge `ends` of `face`, and the height of the face over it.
fn outward(points: &[Vector3<f64>], ends: [u32; 2], face: [u32; 3]) -> Option<(Vector3<f64>, f64)> {
    let [a, b] = ends.map(|v| points[v as usize]);
    let apex = points[*face.iter().find(|v| !ends.contains(v))? as usize];
    let along = (b - a).try_normalize(0.0)?;
    let inward = (apex - a) - along * along.dot(&(apex - a));
    let height = inward.norm();
    if height > 0.0 { Some((inward / -height, height)) } else { None }
}
