//! Values known in closed form or to 60 digits, groups inside groups, and the edges: half turns, gimbal lock, underflow.

use crate::random::Random;
use holonomy::lie::coefficients::{dexp, dexp_inverse, half_angle};
use holonomy::lie::{AngularVelocity, Momentum, Momentum2, Pose, Pose2, Rotation, Twist, Twist2, Wrench};
use holonomy::nalgebra::{Complex, Matrix2x3, Matrix3, Quaternion, UnitComplex, UnitQuaternion, Vector2, Vector3, Vector6};
use std::f64::consts::{FRAC_PI_2, PI};

/// (t, [a, b, da/dq, db/dq, k, dk/dq]) at q = t² as rounded to `f64`, computed with 80 digits.
#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as computed with 80 digits")]
const COEFFICIENTS: [(f64, [f64; 6]); 11] = [
    (1e-8, [0.499999999999999996, 0.166666666666666666, -0.0416666666666666664, -8.33333333333333329e-3, 0.0833333333333333335, 1.3888888888888889e-3]),
    (1e-3, [0.499999958333334722, 0.166666658333333532, -0.0416666638888889633, -8.33333293650794478e-3, 0.0833333347222222553, 1.38888895502645751e-3]),
    (0.1, [0.49958347219742339, 0.166583353171847693, -0.041638896328262891, -8.32936590598445568e-3, 0.0833472255299274575, 1.38955051264967102e-3]),
    (0.5, [0.489669752438509136, 0.164595691166375998, -0.040976855337224541, -8.23464212123771581e-3, 0.083682635354059895, 1.40557960554090776e-3]),
    (0.9375, [0.464435114561447816, 0.159493860907911553, -0.039281994132758625, -7.99087966565651531e-3, 0.0845801553352645112, 1.44899178830619326e-3]),
    (1.0, [0.459697694131860283, 0.158529015192103493, -0.0389622017279120293, -7.94467572222509872e-3, 0.0847561391437740404, 1.45759284561833251e-3]),
    (1.0625, [0.454697041758814489, 0.157508053237467269, -0.0386240705296558114, -7.89574774414940011e-3, 0.084944626822848838, 1.46683737368028361e-3]),
    (1.5, [0.413005688147687596, 0.148890374339539428, -0.0357810485687419786, -7.48120774909570846e-3, 0.0866357282613186582, 1.55127808702764098e-3]),
    (2.5, [0.288182978487509394, 0.121697782777346784, -0.0269581679466748953, -6.1528295875624767e-3, 0.0935453165490942865, 1.92448715235249794e-3]),
    (3.125, [0.204785904136364706, 0.101856316875428728, -0.0206982350212781099, -5.16009198028397964e-3, 0.101072557257141001, 2.38308612055216528e-3]),
    (5.0, [0.0286535125814709494, 0.0476713941973051078, -4.98183760191139185e-3, -2.28721340020888748e-3, 0.173864812830415136, 9.68259780045273569e-3]),
];

#[test]
fn coefficients_have_all_digits() {
    let (mut value, mut slope) = (0.0_f64, 0.0_f64);
    for (t, [a, b, da, db, k, dk]) in COEFFICIENTS {
        let (tangent, inverse) = (dexp(t * t), dexp_inverse(t * t));
        let error = |got: f64, exact: f64| (got / exact - 1.0).abs();
        let values = [error(tangent.linear, a), error(tangent.quadratic, b), error(inverse.quadratic, k)];
        let slopes = [error(tangent.linear_slope, da), error(tangent.quadratic_slope, db), error(inverse.quadratic_slope, dk)];
        value = values.into_iter().fold(value, f64::max);
        slope = slopes.into_iter().fold(slope, f64::max);
        let (cos_half, sinc_half) = half_angle(t * t);
        value = value.max(error(cos_half, (0.5 * t).cos())).max(error(sinc_half, (0.5 * t).sin() / t));
    }
    println!("coefficients: {value:.1e}, slopes: {slope:.1e}");
    assert!(value < 2e-15); // 5.6e-16
    assert!(slope < 1e-13); // 3.0e-14
}

/// exp and the tangents of one screw, from the matrix exponential and the series in ad with 80 digits.
#[test]
#[allow(clippy::excessive_precision, reason = "as computed with 80 digits")]
fn screw_matches_eighty_digits() {
    let twist = Twist::new(Vector3::new(0.5, -1.25, 0.75), Vector3::new(1.0, 2.0, -3.0));
    let pose = Pose::exp(&twist);
    #[rustfmt::skip]
    let rotation = Matrix3::new(
        0.131826519582470272, -0.741794883292722502, -0.657542485209517685,
        0.231104600694175604, 0.668051316310944516, -0.707317539944542876,
        0.963956654768645825, -0.0587178839532774719, 0.259499090232106997,
    );
    let translation = Vector3::new(1.2534313305555715, 3.00246890594261103, -1.49817271046602928);
    #[rustfmt::skip]
    let columns = [
        (twist.dexp().column(0).into_owned(),
         Vector6::new(0.685589165886921677, 0.213940394819987456, 0.566174547442031308, 1.27128523154346585, -1.07599976270972708, -0.527451509812925917)),
        (twist.dexp().column(4).into_owned(),
         Vector6::new(0.0, 0.0, 0.0, -0.398887944298268822, 0.879784092839117112, 0.0655654509307077347)),
        (twist.dexp_inv().column(0).into_owned(),
         Vector6::new(0.815485708340711487, -0.429268909311555445, -0.592438654413066733, 0.853085956070415036, 1.48658612290325202, 0.929901096849408948)),
        (twist.dexp_inv().column(2).into_owned(),
         Vector6::new(0.657561345586933267, 0.168596636032666832, 0.842620162996489209, -1.07009890315059105, 0.968299368158877034, 0.371372710814790021)),
    ];
    let group = (pose.rotation_matrix() - rotation).abs().max().max((pose.translation - translation).abs().max());
    let tangents = columns.iter().map(|(got, exact)| (got - exact).abs().max()).fold(0.0, f64::max);
    println!("screw: {group:.1e}, tangents: {tangents:.1e}");
    assert!(group < 1e-15); // 2.2e-16
    assert!(tangents < 1e-15); // 2.2e-16
}

/// The screw with ω = v = e_z advances by 1 under cay: the printed B without ω ωᵀ would give 0.8.
#[test]
fn cayley_screw_advances_by_one() {
    let pose = Pose::cay(&Twist::new(Vector3::z(), Vector3::z()));
    assert_eq!(pose.translation, Vector3::z());
    assert!((pose.log().angular - Vector3::z() * (2.0 * 0.5_f64.atan())).norm() < 1e-15); // 0
}

/// 1/(4+ω²) [[4-ω², -4ω, 4x-2ωy], [4ω, 4-ω², 4y+2ωx]], and ad = [[0,0,0],[y,0,-ω],[-x,ω,0]].
#[test]
fn planar_cayley_and_ad_as_written_out() {
    let (w, x, y) = (0.7, 1.5, -2.5);
    let twist = Twist2::new(w, Vector2::new(x, y));
    let pose = Pose2::cay(&twist);
    let (r, b) = (pose.rotation_matrix(), pose.translation);
    let got = Matrix2x3::new(r[(0, 0)], r[(0, 1)], b.x, r[(1, 0)], r[(1, 1)], b.y);
    let exact = Matrix2x3::new(4.0 - w * w, -4.0 * w, 4.0 * x - 2.0 * w * y, 4.0 * w, 4.0 - w * w, 4.0 * y + 2.0 * w * x) / (4.0 + w * w);
    assert!((got - exact).abs().max() < 1e-15); // 0
    assert_eq!(twist.ad(), Matrix3::new(0.0, 0.0, 0.0, y, 0.0, -w, -x, w, 0.0));
}

#[test]
fn quarter_turn_of_a_car() {
    let pose = Pose2::exp(&Twist2::new(FRAC_PI_2, Vector2::new(FRAC_PI_2, 0.0)));
    assert!((pose.translation - Vector2::new(1.0, 1.0)).norm() < 1e-15); // radius one: 1.1e-16
    assert!((pose.act(&Vector2::x()) - Vector2::new(1.0, 2.0)).norm() < 1e-15); // 2.2e-16
}

/// A force does the same work seen as a wrench on the body or as a push on the point that moves.
#[test]
fn wrench_of_a_force() {
    let mut random = Random(5);
    let (twist, force, x) = (Twist::from(random.column::<6>()), random.column::<3>(), random.column::<3>());
    let wrench = Wrench::of_force_at(force, &x);
    assert!((wrench.pair(&twist) - force.dot(&twist.velocity_at(&x))).abs() < 1e-15); // 2.2e-16
    let pose = Pose::exp(&twist);
    let world = Wrench::of_force_at(pose.rotation * force, &pose.act(&x));
    assert!((Vector6::from(pose.momentum_to_world(&wrench) - world)).norm() < 1e-15); // 8.3e-17
}

/// The plane inside space: every map of SE(2) is that of SE(3) about z.
#[test]
fn plane_lies_in_space() {
    const INDEX: [usize; 3] = [2, 3, 4];
    let mut random = Random(17);
    let mut worst = 0.0_f64;
    for _ in 0..100 {
        let flat = Twist2::from(random.column::<3>() * 3.0);
        let full = Twist::new(Vector3::z() * flat.angular, flat.linear.push(0.0));
        for (planar, spatial) in
            [(Pose2::exp(&flat), Pose::exp(&full)), (Pose2::cay(&flat), Pose::cay(&full)), (Pose2::ccsk(&flat), Pose::ccsk(&full))]
        {
            worst = worst.max((planar.act(&Vector2::x()).push(0.0) - spatial.act(&Vector3::x())).norm());
            worst = worst.max((planar.translation.push(0.0) - spatial.translation).norm());
        }
        let momentum = random.column::<3>();
        let (mu, nu) = (Momentum2::from(momentum), Momentum::new(Vector3::z() * momentum[0], Vector3::new(momentum[1], momentum[2], 0.0)));
        let jacobian = (flat.dcay_inv_dual_jacobian(&mu), full.dcay_inv_dual_jacobian(&nu));
        let pairs = [
            (flat.dexp(), full.dexp()),
            (flat.dexp_inv(), full.dexp_inv()),
            (flat.dcay(), full.dcay()),
            (flat.dcay_inv(), full.dcay_inv()),
            jacobian,
        ];
        for (planar, spatial) in pairs {
            let part = Matrix3::from_fn(|row, column| spatial[(INDEX[row], INDEX[column])]);
            worst = worst.max((planar - part).abs().max());
        }
    }
    println!("plane in space: {worst:.1e}");
    assert!(worst < 5e-15); // 2.0e-15
}

#[test]
fn half_turns_are_no_cayley_maps_but_have_logs() {
    let half = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.6, 0.0, 0.8));
    assert_eq!(Rotation(half).cay_inv(), None);
    assert_eq!(Pose::from_rotation_translation(half, Vector3::x()).cay_inv(), None);
    let planar = Pose2 { rotation: UnitComplex::new_unchecked(Complex::new(-1.0, 0.0)), translation: Vector2::x() };
    assert_eq!(planar.cay_inv(), None);
    assert!((Rotation(half).log().0 - Vector3::new(0.6, 0.0, 0.8) * PI).norm() < 1e-15); // 0
    assert_eq!(planar.log().angular, PI);
    assert!((Pose2::exp(&planar.log()).translation - Vector2::x()).norm() < 1e-15); // 6.1e-17
}

/// The two quaternions of one rotation have one logarithm.
#[test]
fn log_ignores_the_sign_of_the_quaternion() {
    let pose = Pose::exp(&Twist::new(Vector3::new(1.0, -2.0, 0.5), Vector3::x()));
    let other = Pose { rotation: UnitQuaternion::new_unchecked(-pose.rotation.into_inner()), ..pose };
    assert_eq!(pose.log(), other.log());
}

#[test]
fn gimbal_lock_has_no_inverse_tangent() {
    assert_eq!(AngularVelocity(Vector3::new(0.3, FRAC_PI_2, 0.1)).dccsk_inv(), None);
    assert!(AngularVelocity(Vector3::new(0.3, FRAC_PI_2 - 1e-6, 0.1)).dccsk_inv().is_some());
}

/// |ω|² underflows below 1e-154; the maps do not care.
#[test]
fn tiny_twists_survive() {
    for size in [1e-100, 1e-170, 1e-300] {
        let twist = Twist::new(Vector3::new(3.0, -2.0, 1.0) * size, Vector3::new(1.0, 2.0, 3.0) * size);
        assert!(Vector6::from(Pose::exp(&twist).log() - twist).norm() <= 4e-16 * 3.0 * size);
        assert!(Vector6::from(Pose::cay(&twist).cay_inv().unwrap_or_default() - twist).norm() <= 4e-16 * 3.0 * size);
        let planar = Twist2::new(3.0 * size, Vector2::new(1.0, 2.0) * size);
        assert!(Vector3::from(Pose2::exp(&planar).log() - planar).norm() <= 4e-16 * 3.0 * size);
    }
}
