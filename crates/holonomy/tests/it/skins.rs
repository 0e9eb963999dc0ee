//! Skins of rigs: what is refused, how corners follow joints; and the myriapod's: sound, closed where it should be, and where its joints are.

use std::f64::consts::{FRAC_PI_2, PI};

use holonomy::Error;
use holonomy::lie::Pose;
use holonomy::models::myriapod::{Anatomy, Coat, Myriapod, Posture, Segment};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Influence, Joint, Playback, Rig, Skin, Topology};

use crate::random::Random;

type V = Vector3<f64>;
/// What is wrong, and how it comes about.
type Fault<T> = (&'static str, fn(&mut T));

fn about_y(angle: f64, translation: V) -> Pose {
    Pose { rotation: UnitQuaternion::from_axis_angle(&V::y_axis(), angle), translation }
}

/// One triangle on two joints, a metre apart.
fn triangle() -> Skin {
    Skin {
        rest: vec![Pose::identity(), about_y(0.0, V::x())],
        points: vec![V::zeros(), V::new(0.5, 0.0, 0.0), V::new(1.0, 0.0, 0.2)],
        faces: vec![[0, 1, 2]],
        influences: vec![Influence::of(0), Influence::between(0, 1, 0.25), Influence::of(1)],
        finishes: vec![1],
        palette: vec![[0.0; 3], [1.0, 0.5, 0.0]],
        crease: 1.0,
    }
}

fn clip_of(skin: Skin) -> Result<Clip, Error> {
    let joints = (0..2_usize).map(|i| Joint { name: format!("j{i}"), parent: i.checked_sub(1) }).collect();
    let rig = Rig { joints, bones: Vec::new(), skin: Some(skin) };
    Clip::new(Topology::Rig(rig), Playback::Once, 0.1, 2, vec![V::zeros(), V::x()])
}

#[test]
fn a_corner_between_two_joints_goes_to_the_mean_of_where_they_take_it() {
    let skin = triangle();
    assert_eq!(skin.posed(&skin.rest), skin.points);
    // The second joint turns by a right angle about its own place: x becomes −z.
    let posed = skin.posed(&[Pose::identity(), about_y(FRAC_PI_2, V::x())]);
    let expected = [V::zeros(), V::new(0.75 * 0.5 + 0.25, 0.0, 0.25 * 0.5), V::new(1.2, 0.0, 0.0)];
    for (found, expected) in posed.iter().zip(expected) {
        assert!((found - expected).norm() < 1e-15, "{found} {expected}"); // measured: none
    }
}

#[test]
fn unsound_skins_are_refused() {
    assert!(clip_of(triangle()).is_ok());
    let refused: [Fault<Skin>; 11] = [
        ("no triangles", |s| (s.faces, s.finishes) = (vec![], vec![])),
        ("a corner that is not there", |s| s.faces[0][2] = 3),
        ("an influence too few", |s| s.influences.truncate(2)),
        ("a joint that is not there", |s| s.influences[1].joints[1] = 2),
        ("weights that are more than 1", |s| s.influences[1].weights = [0.6, 0.6]),
        ("a negative weight", |s| s.influences[1].weights = [1.5, -0.5]),
        ("a finish too many", |s| s.finishes.push(0)),
        ("a colour that is not there", |s| s.finishes[0] = 2),
        ("a colour beyond 1", |s| s.palette[0][1] = 1.5),
        ("a point that is not finite", |s| s.points[0].y = f64::NAN),
        ("a joint too few", |s| s.rest.truncate(1)),
    ];
    for (what, spoil) in refused {
        let mut skin = triangle();
        spoil(&mut skin);
        assert!(clip_of(skin).is_err(), "{what}");
    }
}

#[test]
fn a_larger_clip_has_a_larger_skin() {
    let clip = clip_of(triangle()).unwrap().scaled(3.0);
    let Topology::Rig(Rig { skin: Some(skin), .. }) = clip.topology() else { panic!() };
    assert_eq!(skin.points[1], V::new(1.5, 0.0, 0.0));
    assert_eq!(skin.rest[1].translation, V::new(3.0, 0.0, 0.0));
}

/// A straight animal of `count` segments along −x, with legs on all but the head.
fn anatomy(count: usize) -> Anatomy {
    let half_size = V::new(0.005, 0.004, 0.007);
    let at = |i: usize| V::new(-0.013 * i as f64, 0.01, 0.0);
    let leg = |i: usize, side: f64| {
        [[0.0, 0.0, 0.006], [0.0, 0.004, 0.012], [0.0, 0.0, 0.018], [0.0, -0.01, 0.02]].map(|[x, y, z]| at(i) + V::new(x, y, side * z))
    };
    let chain = |from: V, step: V| (0..5).map(|k| from + step * k as f64).collect();
    let rest = Posture {
        segments: (0..count).map(|i| about_y(0.0, at(i))).collect(),
        legs: (1..count).map(|i| [leg(i, -1.0), leg(i, 1.0)]).collect(),
        antennae: [-1.0, 1.0].map(|side| chain(at(0) + V::new(0.005, 0.0, 0.003 * side), V::new(0.003, 0.001, 0.002 * side))).into(),
        tails: [-1.0, 1.0].map(|side| chain(at(count - 1) - V::new(0.005, 0.0, 0.003 * side), V::new(-0.004, 0.0, 0.001 * side))).into(),
    };
    let segments = (0..count).map(|i| Segment { half_size, has_legs: i > 0 }).collect();
    Anatomy { segments, leg_radius: 0.0011, antenna_radius: 0.0009, tail_radius: 0.001, rest }
}

fn skin_of(animal: &Myriapod) -> &Skin {
    animal.rig().skin.as_ref().unwrap()
}

#[test]
fn myriapods_are_moderate_and_sound_in_every_coat() {
    for (count, most) in [(19, 15_000), (58, 40_000)] {
        for coat in Coat::ALL {
            let animal = Myriapod::new(anatomy(count), coat).unwrap();
            let skin = skin_of(&animal);
            // The most measured: 14 516 and 31 788 triangles.
            assert!(skin.faces.len() < most, "{coat:?} of {count}: {} triangles", skin.faces.len());
            assert_eq!(animal.rig().joints.len(), count + 8 * (count - 1) + 20);
            let clip = animal.clip(Playback::Once, 0.1, &[anatomy(count).rest]).unwrap(); // which validates the skin
            assert_eq!(clip.vertices(), animal.rig().joints.len());
            // No face is a sliver without area.
            let degenerate = skin.faces.iter().filter(|face| {
                let [a, b, c] = face.map(|v| skin.points[v as usize]);
                (b - a).cross(&(c - a)).norm() < 1e-13
            });
            assert_eq!(degenerate.count(), 0, "{coat:?}");
        }
    }
}

/// Volume that closed triangles enclose; positive if they look outwards.
fn volume(skin: &Skin, of: impl Fn(usize) -> bool) -> f64 {
    let faces = skin.faces.iter().zip(&skin.finishes).filter(|(_, finish)| of(usize::from(**finish)));
    faces.map(|(face, _)| face.map(|v| skin.points[v as usize])).map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0).sum()
}

#[test]
fn soft_body_and_limbs_are_closed_and_look_outwards() {
    let count = 19;
    let animal = Myriapod::new(anatomy(count), Coat::Robot).unwrap();
    let skin = skin_of(&animal);
    // Soft matter: a tube of 0.74 times the half sizes over 18 pitches of 13 mm; its section fills more than an ellipse and less than a box.
    let (length, across) = (18.0 * 0.013, 0.74 * 0.74 * 0.004 * 0.007);
    let soft = volume(skin, |finish| finish == 1) / (length * across);
    assert!(soft > PI && soft < 4.0, "{soft}"); // measured 3.58
    // Boxes: 18 of 8 half sizes each, less their rounded edges.
    let boxes = volume(skin, |finish| finish == 0) / (18.0 * 8.0 * 0.005 * 0.004 * 0.007);
    assert!(boxes > 0.9 && boxes < 1.0, "{boxes}"); // measured 0.951
    assert!(volume(skin, |finish| finish == 2) > 0.0);
}

#[test]
fn joints_are_where_the_posture_says_and_links_keep_their_length() {
    let (count, mut random) = (9, Random(7));
    let animal = Myriapod::new(anatomy(count), Coat::Scolopendra).unwrap();
    // Everything moved as one body: every joint turns as it does.
    let motion = Pose { rotation: UnitQuaternion::from_euler_angles(0.3, -1.1, 0.7), translation: V::new(0.3, 0.1, -0.2) };
    let moved = moved_by(&anatomy(count).rest, &motion);
    let (rest, now) = (animal.joint_poses(&anatomy(count).rest).unwrap(), animal.joint_poses(&moved).unwrap());
    for (rest, now) in rest.iter().zip(&now) {
        let expected = motion * *rest;
        assert!((now.translation - expected.translation).norm() < 1e-15); // measured: none
        assert!(now.rotation.angle_to(&expected.rotation) < 1e-12); // measured 1.3e-14
    }
    // Tips moved about: each link's joint takes the place of its far end there from where it is at rest.
    let mut posture = moved;
    posture.legs.iter_mut().flatten().for_each(|leg| leg[2..].iter_mut().for_each(|place| *place += random.vector() * 0.002));
    let now = animal.joint_poses(&posture).unwrap();
    for (leg, first) in posture.legs.iter().flatten().zip((count..).step_by(4)) {
        for link in 0..3 {
            let direction = |poses: &[Pose]| (poses[first + link + 1].translation - poses[first + link].translation).normalize();
            let turned = now[first + link].rotation * rest[first + link].rotation.inverse() * direction(&rest);
            assert!((turned - direction(&now)).norm() < 1e-14); // measured 4.6e-16
            assert_eq!(now[first + link].translation, leg[link]);
        }
    }
}

fn moved_by(posture: &Posture, motion: &Pose) -> Posture {
    let chain = |chain: &Vec<V>| chain.iter().map(|place| motion.act(place)).collect();
    Posture {
        segments: posture.segments.iter().map(|pose| *motion * *pose).collect(),
        legs: posture.legs.iter().map(|pair| pair.map(|leg| leg.map(|place| motion.act(&place)))).collect(),
        antennae: posture.antennae.iter().map(chain).collect(),
        tails: posture.tails.iter().map(chain).collect(),
    }
}

#[test]
fn anatomies_and_postures_that_do_not_fit_are_refused() {
    let refused: [Fault<Anatomy>; 7] = [
        ("one segment", |a| {
            a.segments.truncate(1);
            a.rest.segments.truncate(1);
            a.rest.legs.clear();
        }),
        ("a size of zero", |a| a.segments[1].half_size.y = 0.0),
        ("a radius that is not a number", |a| a.leg_radius = f64::NAN),
        ("a pair of legs too few", |a| a.rest.legs.truncate(1)),
        ("an antenna of one place", |a| a.rest.antennae[0].truncate(1)),
        ("a place that is not finite", |a| a.rest.legs[0][1][3].z = f64::INFINITY),
        ("a segment too many", |a| a.rest.segments.push(Pose::identity())),
    ];
    for (what, spoil) in refused {
        let mut anatomy = anatomy(5);
        spoil(&mut anatomy);
        assert!(Myriapod::new(anatomy, Coat::default()).is_err(), "{what}");
    }
    let animal = Myriapod::new(anatomy(5), Coat::default()).unwrap();
    let mut posture = anatomy(5).rest;
    posture.antennae[1].pop();
    assert!(animal.joint_poses(&posture).is_err());
    // A link without length, or one that is turned right back, is no reason to fail.
    let mut posture = anatomy(5).rest;
    posture.legs[0][0][1] = posture.legs[0][0][0];
    let [_, knee, ankle, tip] = &mut posture.legs[1][0];
    (*ankle, *tip) = (2.0 * *knee - *ankle, 2.0 * *knee - *tip);
    assert!(animal.joint_poses(&posture).unwrap().iter().all(Pose::is_finite));
}
