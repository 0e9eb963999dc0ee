use holonomy::lie::*;
use holonomy::medium::*;
use holonomy::models::*;
use holonomy::nalgebra::*;
use holonomy::systems::Flow;
use holonomy::systems::flow::*;
use std::ops::ControlFlow;
fn main() {
    let a: Vec<f64> = std::env::args().skip(2).map(|x| x.parse().unwrap()).collect();
    let which = std::env::args().nth(1).unwrap();
    let body = match which.as_str() {
        "maple" => MapleSeed { pitch: a[3], twist: a[4], camber: a[5], coning: a[6], ..Default::default() }.body().unwrap(),
        _ => PaperCopter::default().body().unwrap(),
    };
    let substance = Substance::Parts { labels: body.labels().to_vec(), materials: body.materials().to_vec() };
    let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(a[0], a[1], a[2]));
    let secs = 4.0;
    let mut job = Flow {
        start: Pose { rotation, translation: Vector3::zeros() },
        cycles: (60.0 * secs) as usize,
        ..Flow::new(substance, Fluid { density: 1.225, viscosity: 0.0 })
    };
    if a.len() > 7 {
        job.stepping.substeps = Substeps::Fixed(a[7] as usize);
    }
    let clip = body.clip(60.0).unwrap();
    let t = std::time::Instant::now();
    let m = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    println!(
        "mass {:.3e} verts {} {:?} {:?} steps/s {:.0}",
        body.inertia().unwrap().mass,
        body.points().len(),
        m.outcome,
        t.elapsed(),
        0.0
    );
    let s = |n: &str| m.series.iter().find(|s| s.name == n).unwrap().values.clone();
    let (f, w, n) = (s("fall_speed"), s("turn_rate"), s("substeps"));
    for k in (0..f.len()).step_by(12) {
        let tw = m.tracks[0].twists[k];
        let up = m.tracks[0].poses[k].rotation.inverse() * Vector3::y();
        println!(
            "t {:.2} fall {:.3} turn {:.1} about up {:.1} up in body ({:.2} {:.2} {:.2}) n {} x {:.2} z {:.2}",
            k as f64 / 60.0,
            f[k],
            w[k],
            tw.angular.dot(&up),
            up.x,
            up.y,
            up.z,
            n[k],
            m.tracks[0].centers[k].x,
            m.tracks[0].centers[k].z
        );
    }
    for c in &m.checks {
        println!("{} {:.2e} {}", c.name, c.value, c.pass());
    }
}
