//! Loops of elastic bodies.

use std::ops::ControlFlow;

use holonomy::elastic::body::{Body, BodySettings};
use holonomy::elastic::material::Material;
use holonomy::elastic::mesh::{Diagonals, Mesh};
use holonomy::elastic::path::Path;
use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::Vector3;
use holonomy::systems::loops::*;

/// A cloth that is held at one edge and swings down from where it is flat (Jia et al. 2023, Sec. 5.4.1), coarse.
#[test]
fn a_cloth_swings_back() {
    let level = Pose::exp(&Twist::new(Vector3::x() * std::f64::consts::FRAC_PI_2, Vector3::zeros()));
    let mesh = Mesh::cloth(1.0, 1.0, 3, 3, Diagonals::Alternating).unwrap().moved(&level);
    let mut settings = BodySettings::new(mesh, Material::COTTON);
    settings.hold(0..4, &Path::Still);
    let body = Body::new(settings).unwrap();
    let q = body.free(&body.settings().mesh.points);
    let still = vec![Vector3::zeros(); q.len()];
    let mut wanted = Loop { rule: Rule::Backward, guess: Guess::Forward, ..Loop::new(&body, 50, 1.6, q, still) };
    wanted.settings.max_iterations = 40;
    let found = wanted.solve(&mut |_| ControlFlow::Continue(())).unwrap();
    let (first, last) = (found.history[0], found.history[found.history.len() - 1]);
    // Measured 2007 to 8.5 in 40 iterations.
    assert!(last < 0.01 * first, "{first:e}, {last:e}");
    assert!(found.history.windows(2).all(|pair| pair[1] <= pair[0]));
    let seam = found.report.seam;
    assert!(seam.position <= seam.position_elsewhere && seam.velocity <= 1.5 * seam.velocity_elsewhere, "{seam:?}");
    assert!(found.positions.iter().all(|x| x.norm() < 2.0));
}
