use holonomy::lie::*;
use holonomy::medium::*;
use holonomy::models::*;
use holonomy::nalgebra::*;
use holonomy::systems::Flow;
use holonomy::systems::flow::*;
use std::ops::ControlFlow;
struct R(u64);
impl R {
    fn u(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as f64) / (1u64 << 31) as f64
    }
    fn r(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.u()
    }
}
fn main() {
    let mut r = R(std::env::args().nth(1).unwrap().parse().unwrap());
    let count: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    for _ in 0..50 {
        r.u();
    }
    for _ in 0..count {
        let d = MapleSeed::default();
        let m = MapleSeed {
            pitch: r.r(-0.15, 0.2),
            twist: r.r(-0.25, 0.25),
            camber: r.r(-0.08, 0.08),
            coning: r.r(-0.15, 0.3),
            rib_surface_density: r.r(0.1, 0.5),
            membrane_surface_density: r.r(0.03, 0.07),
            nut_mass: r.r(30e-6, 90e-6),
            nut_position: r.r(-0.1, 0.6),
            cells: [14, 6],
            ..d
        };
        let Ok(body) = m.body() else { continue };
        let substance = Substance::Parts { labels: body.labels().to_vec(), materials: body.materials().to_vec() };
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.0, 0.3));
        let mut job = Flow {
            start: Pose { rotation, translation: Vector3::zeros() },
            cycles: 240,
            ..Flow::new(substance, Fluid { density: 1.225, viscosity: 0.0 })
        };
        job.stepping.substeps = Substeps::Fixed(10);
        let clip = body.clip(60.0).unwrap();
        let mo = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        if mo.frames() < 241 {
            continue;
        }
        let s = |n: &str| mo.series.iter().find(|s| s.name == n).unwrap().values[180..].to_vec();
        let st = |v: &[f64]| {
            let m = v.iter().sum::<f64>() / v.len() as f64;
            let hi = v.iter().cloned().fold(f64::MIN, f64::max);
            let lo = v.iter().cloned().fold(f64::MAX, f64::min);
            (m, (hi - lo) / m)
        };
        let (f, w) = (st(&s("fall_speed")), st(&s("turn_rate")));
        println!(
            "{:.3} {:.3} {:.1} {:.3} | pitch {:.3} twist {:.3} camber {:.3} coning {:.3} rib {:.3} mem {:.3} nut {:.1}e-6 pos {:.3} mass {:.1}e-6",
            f.0,
            f.1,
            w.0,
            w.1,
            m.pitch,
            m.twist,
            m.camber,
            m.coning,
            m.rib_surface_density,
            m.membrane_surface_density,
            m.nut_mass * 1e6,
            m.nut_position,
            body.inertia().unwrap().mass * 1e6
        );
    }
}
