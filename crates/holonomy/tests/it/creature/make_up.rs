//! What a creature is made of.

use holonomy::Error;
use holonomy::medium::Terrain;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::walk::{Support, Surroundings, Walker};

use crate::meshes::below;

fn presets() -> [MakeUp; 4] {
    [MakeUp::centipede(), MakeUp::millipede(), MakeUp::robot(), MakeUp::house_centipede()]
}

#[test]
fn presets_are_of_real_sizes() {
    let [centipede, millipede, robot, house] = presets();
    assert_eq!([centipede.segments, millipede.segments, robot.segments, house.segments], [19, 58, 12, 16]);
    for (make_up, length) in [(&centipede, 0.196), (&millipede, 0.1455), (&robot, 1.234), (&house, 0.0415)] {
        make_up.validate().unwrap();
        below((make_up.length() - length).abs(), 1e-3); // measured 2e-4
        let links: f64 = (0..make_up.segments).map(|i| make_up.link(i)).sum();
        below((links + 0.5 * (make_up.head[0] + make_up.segment[0]) - make_up.length()).abs(), 1e-12); // measured 1.7e-16
    }
    assert_eq!(centipede.size_of(18)[2], 0.8 * centipede.segment[2]);
}

fn refused(change: impl Fn(&mut MakeUp)) -> String {
    let mut make_up = MakeUp::centipede();
    change(&mut make_up);
    let error = make_up.validate().unwrap_err();
    assert!(Walker::new(make_up).is_err());
    assert!(matches!(error, Error::Parameter { .. }));
    error.to_string()
}

#[test]
fn what_cannot_be_is_refused_with_the_fix() {
    assert!(refused(|m| m.segments = 0).contains("the head is one of them"));
    assert!(refused(|m| m.segment[1] = -0.01).contains("size of a segment"));
    assert!(refused(|m| m.head[0] = f64::NAN).contains("size of the head"));
    assert!(refused(|m| m.gap = 0.0).contains("soft block"));
    assert!(refused(|m| m.material.poissons_ratio = 0.5).contains("Poisson"));
    assert!(refused(|m| m.brain.speed = f64::INFINITY).contains("speed"));
    // Legs that do not reach the ground, that never find it, that never leave it.
    assert!(refused(|m| m.height = 0.05).contains("lengthen the legs or lower the body"));
    assert!(refused(|m| m.height = 0.0005).contains("raise the body or the root"));
    let legs = |m: &mut MakeUp, change: &dyn Fn(&mut holonomy::systems::creature::make_up::Legs)| change(m.legs.as_mut().unwrap());
    assert!(refused(|m| legs(m, &|l| (l.poses.anterior.lift, l.poses.down.lift) = (1.5, 0.5))).contains("never touches"));
    assert!(refused(|m| legs(m, &|l| l.poses.up.lift = -1.0)).contains("never leaves"));
    assert!(refused(|m| legs(m, &|l| l.poses.anterior.sweep = -0.6)).contains("AEP is ahead of PEP"));
    assert!(refused(|m| legs(m, &|l| l.lengths[1] = 0.0)).contains("length of a leg's link"));
    assert!(refused(|m| m.antennae.as_mut().unwrap().links = 0).contains("antenna"));
}

/// One segment, or none with legs: nothing walks, and it is said so.
#[test]
fn who_cannot_walk_says_so() {
    let terrain = Terrain::flat(0.0);
    let alone = MakeUp { segments: 1, ..MakeUp::centipede() };
    let legless = MakeUp { legs: None, antennae: None, ..MakeUp::centipede() };
    assert!(Walker::new(MakeUp::centipede()).unwrap().walks());
    assert_eq!(legless.expected_lag(), None);
    for make_up in [alone, legless] {
        let walker = Walker::new(make_up).unwrap();
        assert!(!walker.walks());
        let mut state = walker.start(1);
        let poses = walker.row(&terrain, &Vector3::zeros(), &Vector3::x());
        for _ in 0..10 {
            walker.tick(&mut state, &Surroundings::bare(&terrain), &poses, 0.003).unwrap();
        }
        assert!(state.supports.iter().all(|support| *support == Support::Free));
    }
}

#[test]
fn a_tick_refuses_what_it_cannot_use() {
    let terrain = Terrain::flat(0.0);
    let walker = Walker::new(MakeUp::centipede()).unwrap();
    let mut state = walker.start(1);
    let mut poses = walker.row(&terrain, &Vector3::zeros(), &Vector3::x());
    let around = Surroundings::bare(&terrain);
    let mut tick = |around: &Surroundings, poses: &[_], step: f64| walker.tick(&mut state, around, poses, step);
    assert!(matches!(tick(&around, &poses[1..], 0.003), Err(Error::Length { expected: 19, found: 18, .. })));
    assert!(matches!(tick(&Surroundings { levels: &[0.0], ..around }, &poses, 0.003), Err(Error::Length { .. })));
    assert!(matches!(tick(&around, &poses, 0.0), Err(Error::Parameter { .. })));
    assert!(matches!(tick(&around, &poses, f64::NAN), Err(Error::Parameter { .. })));
    poses[5].translation.y = f64::NAN;
    assert!(matches!(tick(&around, &poses, 0.003), Err(Error::BrokeDown { index: 5, .. })));
}
