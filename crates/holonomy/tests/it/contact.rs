//! Contact with the ground, on the variational step: nothing sinks, nothing gains energy, Coulomb's law, momentum balance.

use holonomy::Error;
use holonomy::integrate::variational::{Advance, ForcePoint, Inertia, Retraction, State, Step, Variational};
use holonomy::lie::{Momentum, Pose, Twist, Wrench};
use holonomy::medium::{Contact, Ground, HeightField, Held, Hills, Load, Moving};
use holonomy::nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};

use crate::allocations;
use crate::random::{Random, octasphere};

const G: f64 = 9.81;
const FLOOR: Ground = Ground::Flat { height: 0.0 };

/// A rigid body about its centre of mass.
#[derive(Clone)]
struct Body {
    points: Vec<Vector3<f64>>,
    inertia: Inertia,
    mass: f64,
}

impl Body {
    fn new(points: Vec<Vector3<f64>>, mass: f64, moments: Vector3<f64>) -> Body {
        let diagonal = Vector6::new(moments.x, moments.y, moments.z, mass, mass, mass);
        Body { points, inertia: Inertia::rigid(Matrix6::from_diagonal(&diagonal)), mass }
    }

    /// A solid box with `n` by `n` points on each face.
    fn solid(size: Vector3<f64>, mass: f64, n: usize) -> Body {
        let at = |i: usize| i as f64 / (n - 1) as f64 - 0.5;
        let mut points = Vec::new();
        for (i, j, k) in (0..n * n * n).map(|m| (m % n, m / n % n, m / n / n)) {
            if [i, j, k].iter().any(|&x| x == 0 || x == n - 1) {
                points.push(Vector3::new(at(i), at(j), at(k)).component_mul(&size));
            }
        }
        let s = size.component_mul(&size);
        Body::new(points, mass, Vector3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 12.0))
    }

    fn cube() -> Body {
        Body::solid(Vector3::repeat(0.2), 2.0, 8)
    }

    fn rod() -> Body {
        Body::solid(Vector3::new(1.0, 0.04, 0.04), 0.5, 2)
    }

    fn ball() -> Body {
        Body::new(octasphere().0.iter().map(|p| p * 0.1).collect(), 1.0, Vector3::repeat(0.4 * 0.01))
    }

    fn size(&self) -> f64 {
        self.points.iter().map(|p| p.norm()).fold(0.0, f64::max)
    }
}

/// The example of a caller: a body that falls and lies on the ground.
struct Fall {
    rule: Variational,
    body: Body,
    ground: Ground,
    contact: Contact,
    state: State,
    twist: Twist,
    solutions: usize,
}

impl Fall {
    fn new(body: Body, ground: Ground, friction: f64, pose: Pose, twist: Twist) -> Fall {
        let rule = Variational { time_step: 0.005, retraction: Retraction::Exponential, force_point: ForcePoint::Middle };
        let state = State::moving(pose, &twist, &body.inertia);
        Fall { rule, body, ground, contact: Contact::new(friction).unwrap(), state, twist, solutions: 0 }
    }

    fn try_step(&mut self) -> Result<Held, Error> {
        let Fall { rule, body, state, .. } = self;
        let h = rule.time_step;
        let (pose, effective, twist) = (state.pose, body.inertia.tensor, self.twist);
        let moving = Moving { pose, before: &body.points, after: &body.points, effective, twist, time_step: h };
        let next = |twist: &Twist| state.pose * rule.retraction.pose(&(*twist * h));
        let weight = |pose: &Pose, _: &Twist| {
            Load::from(Wrench { angular: Vector3::zeros(), linear: pose.rotation.inverse() * Vector3::new(0.0, -body.mass * G, 0.0) })
        };
        let mut last: Option<Advance> = None;
        let mut solutions = 0;
        let held = self.contact.hold(&self.ground, &moving, next, |impulse| {
            solutions += 1;
            let start = State { momentum: state.momentum + *impulse, ..*state };
            match rule.step(&start, &body.inertia, weight) {
                Step::Advanced(advance) => Some(last.insert(advance).twist),
                Step::Stalled { .. } => None,
            }
        })?;
        self.solutions = solutions;
        if let Some(last) = last {
            (self.state, self.twist) = (last.state, last.twist);
        }
        Ok(held)
    }

    fn step(&mut self) -> Held {
        let held = self.try_step().unwrap();
        assert!(matches!(held, Held::Free | Held::Borne), "{held:?}");
        held
    }

    /// Kinetic and potential energy, J.
    fn energy(&self) -> f64 {
        let twist = self.body.inertia.twist(&self.state.momentum).unwrap();
        0.5 * self.state.momentum.pair(&twist) + self.body.mass * G * self.state.pose.translation.y
    }

    fn lowest(&self) -> f64 {
        self.body.points.iter().map(|p| self.ground.gap(&self.state.pose.act(p)).0).fold(f64::INFINITY, f64::min)
    }
}

fn slope(angle: f64) -> Ground {
    Ground::HeightField(HeightField::from_fn([60.0, 4.0], 0.5, |x, _| -x * angle.tan()).unwrap())
}

fn hills() -> Ground {
    Ground::HeightField(Hills { size: [12.0, 12.0], height: 0.6, width: 1.0, ..Hills::default() }.field().unwrap())
}

/// A block that lies on the slope, its long side along it.
fn block_on_slope(angle: f64, friction: f64) -> Fall {
    let body = Body::solid(Vector3::new(0.4, 0.1, 0.3), 3.0, 3);
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
    let pose = Pose::from_rotation_translation(rotation, rotation * Vector3::new(0.0, 0.05, 0.0));
    Fall::new(body, slope(angle), friction, pose, Twist::zero())
}

/// What a fall came to, as shares of the body's size and of its energy at the start.
#[derive(Default)]
struct Worst {
    depth: f64,
    /// Most energy gained in a step on the ground, and in one in the air.
    on_ground: f64,
    in_air: f64,
    /// Most energy above that at the start.
    above: f64,
    solutions: usize,
    /// Most that friction was off Coulomb's law, and in how many of how many steps by more than a millionth of the body's size.
    violation: f64,
    violated: usize,
    borne: usize,
}

/// Tumbling falls from random starts: a cube, a rod and a ball, with little, some and much friction.
fn tumble(ground: &Ground, force_point: ForcePoint, seed: u64) -> Worst {
    let mut random = Random(seed);
    let mut worst = Worst::default();
    let falls =
        [Body::cube(), Body::rod(), Body::ball()].into_iter().flat_map(|body| [0.0, 0.3, 0.9].map(|friction| (body.clone(), friction)));
    for (body, friction) in falls.flat_map(|fall| [fall.clone(), fall.clone(), fall]) {
        let rotation = UnitQuaternion::from_scaled_axis(random.vector() * 2.0);
        let pose = Pose::from_rotation_translation(rotation, Vector3::new(random.signed(), 2.2, random.signed()));
        let twist = Twist { angular: random.vector() * 6.0, linear: random.vector() };
        let mut fall = Fall::new(body, ground.clone(), friction, pose, twist);
        fall.rule.force_point = force_point;
        let first = fall.energy();
        for _ in 0..400 {
            let before = fall.energy();
            let held = fall.step();
            // A thin rod may come to spin faster than the step resolves.
            let resolved = 0.005 * fall.twist.angular.norm() < 0.2;
            let gain = if resolved { (fall.energy() - before) / first } else { 0.0 };
            let most = if held == Held::Borne { &mut worst.on_ground } else { &mut worst.in_air };
            *most = most.max(gain);
            worst.depth = worst.depth.max(-fall.lowest() / fall.body.size());
            worst.above = worst.above.max(fall.energy() / first - 1.0);
            worst.solutions = worst.solutions.max(fall.solutions);
            worst.violation = worst.violation.max(fall.contact.violation());
            worst.violated += usize::from(fall.contact.violation() > 1e-6);
            worst.borne += usize::from(friction > 0.0 && held == Held::Borne);
            for bearing in fall.contact.bearings() {
                assert!(bearing.push >= 0.0 && bearing.rub.norm() <= friction * bearing.push * (1.0 + 1e-7), "{bearing:?}");
            }
        }
        // Most of it is gone: nothing is kept up that should come down.
        assert!(fall.energy() < 0.7 * first, "{}", fall.energy() / first);
    }
    worst
}

#[test]
fn nothing_sinks_nothing_gains_energy_and_friction_is_coulombs() {
    let (mut violated, mut borne) = (0, 0);
    for (ground, force_point, seed) in
        [(FLOOR, ForcePoint::Start, 1), (FLOOR, ForcePoint::Middle, 2), (hills(), ForcePoint::Start, 3), (hills(), ForcePoint::Middle, 4)]
    {
        let worst = tumble(&ground, force_point, seed);
        assert!(worst.depth < 1e-9, "{}", worst.depth); // measured 1.7e-10
        // The step's own error, of second order in h |ω|, in the air as on the ground.
        assert!(worst.on_ground < 1e-3, "{}", worst.on_ground); // measured 2.1e-4
        assert!(worst.in_air < 3e-4, "{}", worst.in_air); // measured 6.4e-5
        assert!(worst.above < 1e-3, "{}", worst.above); // measured 2.9e-4
        assert!(worst.solutions <= 30, "{}", worst.solutions); // measured 28; more than 12 in 0.02 % of the steps
        violated += worst.violated;
        borne += worst.borne;
        assert!(worst.violation < 2e-3, "{}", worst.violation); // measured 1.1e-3, once
    }
    // Coulomb's law holds in all but 2 of 18 000 steps.
    assert!(violated <= 4 && borne > 15_000, "{violated} of {borne}");
}

#[test]
fn a_box_dropped_flat_comes_to_rest_and_stays() {
    for friction in [0.0, 0.5] {
        let body = Body::cube();
        let pose = Pose::from_rotation_translation(UnitQuaternion::identity(), Vector3::new(0.3, 0.5, -0.2));
        let mut fall = Fall::new(body, FLOOR, friction, pose, Twist::zero());
        let mut energy = fall.energy();
        for _ in 0..200 {
            fall.step();
            // Without rotation the step keeps energy to round-off, and contact takes it.
            assert!(fall.energy() <= energy + 1e-12, "{}", fall.energy() - energy);
            energy = fall.energy();
        }
        let rest = fall.state.pose;
        for _ in 0..200 {
            assert_eq!(fall.step(), Held::Borne);
            // It bears the weight, and no more.
            let push: f64 = fall.contact.bearings().iter().map(|b| b.push).sum();
            assert!((push / (fall.body.mass * G * 0.005) - 1.0).abs() < 1e-9, "{push}");
        }
        let drift = Vector6::from((rest.inverse() * fall.state.pose).log()).norm();
        assert!(drift < 1e-9, "{drift}"); // measured 0
        assert!((fall.state.pose.translation.y - 0.1).abs() < 1e-10);
    }
}

#[test]
fn a_block_slides_as_coulomb_says() {
    for (angle, friction) in [(0.5_f64, 0.0), (0.5, 0.2), (0.7, 0.4)] {
        let mut fall = block_on_slope(angle, friction);
        fall.rule.time_step = 0.002;
        for _ in 0..500 {
            fall.step();
        }
        let speed = fall.twist.linear.norm();
        let expected = G * (angle.sin() - friction * angle.cos()) * (1.0 - 0.001);
        assert!((speed / expected - 1.0).abs() < 1e-6, "{speed} {expected}"); // measured 3e-9
    }
}

/// What slips rubs with all it may, straight against its slip: as told by the bearings alone, in shares of the friction of a body that lies still.
#[test]
fn a_sliding_body_is_braked_in_full() {
    let pose = Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.3, 1.1)), Vector3::new(0.0, 0.6, 0.0));
    let twist = Twist { linear: Vector3::new(3.0, -1.0, 0.5), angular: Vector3::new(2.0, 1.0, 8.0) };
    let weight = Body::rod().mass * G * 0.005;
    let (mut slid, mut missing) = (0, 0.0_f64);
    for friction in [0.1, 0.3, 0.9] {
        let mut fall = Fall::new(Body::rod(), FLOOR, friction, pose, twist);
        for _ in 0..400 {
            let before = fall.state.pose;
            fall.step();
            for bearing in fall.contact.bearings() {
                let point = fall.body.points[bearing.vertex];
                let moved = fall.state.pose.act(&point) - before.act(&point);
                let slip = (moved - bearing.normal * bearing.normal.dot(&moved)) / 0.005;
                if slip.norm() > 1e-2 {
                    slid += 1;
                    let off = (bearing.rub + slip.normalize() * friction * bearing.push).norm();
                    missing = missing.max(off / (friction * weight));
                }
            }
        }
    }
    assert!(slid > 20, "{slid}");
    assert!(missing < 2e-4, "{missing}"); // measured 5.3e-5
}

#[test]
fn a_block_on_a_gentle_slope_sticks() {
    let mut fall = block_on_slope(0.3, 0.5);
    let start = fall.state.pose;
    for _ in 0..1000 {
        fall.step();
    }
    let drift = Vector6::from((start.inverse() * fall.state.pose).log()).norm();
    assert!(drift < 1e-8, "{drift}"); // measured 4e-10 after 5 seconds
}

#[test]
fn a_ball_rolls() {
    // A wheel with 512 corners with the moment of a ball, on a slope: 5/7 of the acceleration of sliding.
    let angle = 0.2_f64;
    let rim = |k: usize, z: f64| {
        let (s, c) = (std::f64::consts::TAU * k as f64 / 512.0).sin_cos();
        Vector3::new(0.1 * c, 0.1 * s, z)
    };
    let points = (0..512).flat_map(|k| [rim(k, -0.05), rim(k, 0.05)]).collect();
    let body = Body::new(points, 1.0, Vector3::repeat(0.4 * 0.01));
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
    let pose = Pose::from_rotation_translation(rotation, rotation * Vector3::new(0.0, 0.1, 0.0));
    let mut fall = Fall::new(body, slope(angle), 0.5, pose, Twist::zero());
    for _ in 0..200 {
        fall.step();
    }
    let expected = 5.0 / 7.0 * G * angle.sin() * (1.0 - 0.0025);
    let speed = fall.twist.linear.norm();
    assert!((speed / expected - 1.0).abs() < 0.02, "{speed} {expected}"); // measured -0.007
    assert!((fall.twist.angular.norm() * 0.1 / speed - 1.0).abs() < 2e-3); // measured 4.5e-4
}

#[test]
fn a_tilted_rod_tumbles_and_lies_down() {
    for friction in [0.0, 0.4] {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.2) * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.3);
        let pose = Pose::from_rotation_translation(rotation, Vector3::new(0.0, 0.8, 0.0));
        let mut fall = Fall::new(Body::rod(), FLOOR, friction, pose, Twist::zero());
        let mut turned = 0.0_f64;
        for _ in 0..1000 {
            fall.step();
            turned = turned.max(fall.twist.angular.norm());
        }
        let axis = fall.state.pose.rotation * Vector3::x();
        assert!(turned > 3.0);
        assert!(axis.y.abs() < 1e-9); // measured 2e-17
        assert!((fall.state.pose.translation.y - 0.02).abs() < 1e-9); // measured 0
        if friction > 0.0 {
            assert!(fall.twist.angular.norm() + fall.twist.linear.norm() < 1e-6);
        }
    }
}

#[test]
fn momentum_changes_by_the_impulse_and_the_weight() {
    let pose = Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.2, 0.9)), Vector3::new(0.1, 0.4, 0.0));
    let twist = Twist { angular: Vector3::new(1.0, 4.0, -2.0), linear: Vector3::new(0.5, 0.0, 0.3) };
    for (ground, friction) in [(FLOOR, 0.0), (FLOOR, 0.6), (hills(), 0.6)] {
        let up = Vector3::y() * (ground.highest() + 0.1);
        let pose = Pose { translation: pose.translation + up, ..pose };
        let mut fall = Fall::new(Body::cube(), ground, friction, pose, twist);
        fall.rule.force_point = ForcePoint::Start;
        let first = fall.state.momentum_world();
        let mut worst = 0.0_f64;
        for _ in 0..300 {
            let (before, at) = (fall.state.momentum_world(), fall.state.pose);
            let weight = Vector3::new(0.0, -fall.body.mass * G * 0.005, 0.0);
            fall.step();
            let mut given = Momentum::of_force_at(weight, &at.translation);
            for bearing in fall.contact.bearings() {
                given += Momentum::of_force_at(bearing.normal * bearing.push + bearing.rub, &bearing.place);
            }
            worst = worst.max(Vector6::from(fall.state.momentum_world() - before - given).norm());
        }
        assert!(worst < 1e-10, "{worst}"); // measured 2.4e-12
        if friction == 0.0 {
            let last = fall.state.momentum_world();
            assert!((last.linear.xz() - first.linear.xz()).norm() < 1e-12);
            assert!((last.angular.y - first.angular.y).abs() < 1e-12);
        }
    }
}

#[test]
fn a_body_far_away_is_solved_once_and_a_resting_one_makes_no_memory() {
    let pose = |y: f64| Pose::from_rotation_translation(UnitQuaternion::identity(), Vector3::new(0.0, y, 0.0));
    let mut far = Fall::new(Body::cube(), FLOOR, 0.5, pose(5.0), Twist::zero());
    assert_eq!(far.step(), Held::Free);
    assert_eq!(far.solutions, 1);
    assert_eq!(far.contact.impulse(), Momentum::zero());
    let mut near = Fall::new(Body::cube(), FLOOR, 0.5, pose(0.1), Twist { linear: Vector3::x(), ..Twist::zero() });
    near.step();
    near.step();
    let made = allocations::during(|| {
        for _ in 0..20 {
            near.step();
        }
    });
    assert_eq!(made, 0);
}

#[test]
fn absurd_input_is_refused_or_leaves_the_body_alone() {
    let pose = Pose::from_rotation_translation(UnitQuaternion::identity(), Vector3::new(0.0, 0.05, 0.0));
    let fall = |body: Body, ground: Ground| Fall::new(body, ground, 0.5, pose, Twist::zero());
    let refused = fall(Body::cube(), Ground::Flat { height: f64::NAN }).try_step().unwrap_err();
    assert!(refused.to_string().contains("floor height is NaN"), "{refused}");
    assert!(Contact::new(-1.0).is_err() && Contact::new(f64::NAN).is_err());
    assert_eq!(fall(Body { points: Vec::new(), ..Body::cube() }, FLOOR).try_step().unwrap(), Held::Free);
    // A single point at the centre of mass bears the body as a ball of no size.
    let mut point = fall(Body { points: vec![Vector3::zeros()], ..Body::cube() }, FLOOR);
    for _ in 0..100 {
        point.step();
    }
    assert!(point.state.pose.translation.y.abs() < 1e-9);
    let nowhere = Body { points: vec![Vector3::repeat(f64::NAN); 3], ..Body::cube() };
    assert_eq!(fall(nowhere, FLOOR).try_step().unwrap(), Held::Failed { depth: f64::INFINITY });
    // No mass: there is no impulse that moves it by a finite amount.
    let mut weightless = Contact::new(0.0).unwrap();
    let points = [Vector3::zeros()];
    let moving = Moving { pose, before: &points, after: &points, effective: Matrix6::zeros(), twist: Twist::zero(), time_step: 0.1 };
    let down = Twist { linear: Vector3::new(0.0, -1.0, 0.0), ..Twist::zero() };
    let next = |twist: &Twist| pose * Pose::exp(&(*twist * 0.1));
    assert!(matches!(weightless.hold(&FLOOR, &moving, next, |_| Some(down)), Ok(Held::Failed { .. })));
    assert_eq!(weightless.hold(&FLOOR, &moving, next, |_| None), Ok(Held::Stalled));
    assert!(weightless.hold(&FLOOR, &Moving { time_step: 0.0, ..moving }, next, |_| Some(down)).is_err());
    assert!(weightless.hold(&FLOOR, &Moving { before: &[], ..moving }, next, |_| Some(down)).is_err());
}

#[test]
fn a_height_field_keeps_planes_and_has_no_kinks() {
    let plane = HeightField::from_fn([4.0, 6.0], 0.25, |x, z| 0.3 + 0.2 * x - 0.5 * z).unwrap();
    assert!((plane.height(0.613, -1.77) - (0.3 + 0.2 * 0.613 + 0.5 * 1.77)).abs() < 1e-14);
    let ground = hills();
    let mut random = Random(3);
    let (mut slope_error, mut kink) = (0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        let place = random.vector() * 7.0;
        let (gap, normal) = ground.gap(&place);
        assert!(place.y <= ground.highest() || gap >= 0.0);
        assert!((normal.norm() - 1.0).abs() < 1e-14 && normal.y > 0.3);
        let Ground::HeightField(field) = &ground else { unreachable!() };
        let e = 1e-5;
        let along = (field.height(place.x + e, place.z) - field.height(place.x - e, place.z)) / (2.0 * e);
        slope_error = slope_error.max((along + normal.x / normal.y).abs());
        kink = kink.max((ground.gap(&(place + Vector3::x() * 1e-7)).1 - normal).norm());
    }
    assert!(slope_error < 1e-9, "{slope_error}"); // measured 6e-11
    assert!(kink < 1e-6, "{kink}"); // measured 2.3e-7
    // Beyond the edge it goes on level.
    let (far, normal) = ground.gap(&Vector3::new(1e9, 2.0, f64::MAX));
    assert!(far.is_finite() && normal == Vector3::y());
    assert_eq!(Hills::default().field(), Hills::default().field());
    assert_ne!(Hills::default().field(), Hills { seed: 2, ..Hills::default() }.field());
}

#[test]
fn bad_height_fields_are_refused() {
    let new = |spacing: f64, counts: [usize; 2], heights: Vec<f64>| HeightField::new([0.0, 0.0], spacing, counts, heights);
    assert!(new(1.0, [2, 2], vec![0.0; 4]).is_ok());
    assert!(new(0.0, [2, 2], vec![0.0; 4]).is_err());
    assert!(new(1.0, [1, 2], vec![0.0; 2]).is_err());
    assert!(new(1.0, [2, 2], vec![0.0; 5]).is_err());
    assert!(new(1.0, [2, 2], vec![0.0, f64::NAN, 0.0, 0.0]).is_err());
    assert!(new(1.0, [usize::MAX, usize::MAX], Vec::new()).is_err());
    assert!(HeightField::from_fn([f64::NAN, 1.0], 0.1, |_, _| 0.0).is_err());
    assert!(HeightField::from_fn([1e9, 1e9], 1e-9, |_, _| 0.0).is_err());
    assert!(Hills { width: 0.0, ..Hills::default() }.field().is_err());
}
