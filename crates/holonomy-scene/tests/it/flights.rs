//! Real jumps: shape and recorded momentum in, orientation out, against the recorded hips.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use holonomy::motion::Outcome;
use holonomy::nalgebra::Vector3;
use holonomy::systems::shape_change::{Law, ShapeChange};
use holonomy_scene::asset::ClipOptions;
use holonomy_scene::asset::bvh::{BvhAsset, CMU_UNIT};

fn mocap() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("HOLONOMY_DATA").map_or(beside, PathBuf::from).join("mocap");
    folder.is_dir().then_some(folder)
}

#[test]
fn airborne_people_turn_as_recorded() {
    let Some(folder) = mocap() else {
        eprintln!("skipped: no motion capture beside the repository (set HOLONOMY_DATA)");
        return;
    };
    let windows = std::fs::read_to_string(folder.join("flight_windows.csv")).unwrap();
    let mut flights = 0;
    for line in windows.lines().filter(|line| line.contains(".bvh")) {
        // file,motion,first,last,…: the motion may be quoted and hold commas.
        let fields: Vec<&str> = line.split(',').collect();
        let numbers: Vec<usize> = fields.iter().filter_map(|field| field.parse().ok()).collect();
        let (first, last) = (numbers[0], numbers[1]);
        let options = ClipOptions { unit: Some(CMU_UNIT), frames: Some((first, last)), ..ClipOptions::default() };
        let sampled = BvhAsset::open(folder.join(fields[0])).unwrap().sample(&options).unwrap();
        let recorded = sampled.recorded.unwrap();
        // Only the turn is compared, which gravity does not touch; and a wrong frame rate in the file cancels out of it.
        let mut job = ShapeChange { start: recorded[0], ..ShapeChange::new(Law::from_rest()) };
        let momentum = job.recorded_momentum(&sampled.clip, &recorded, &Vector3::zeros()).unwrap();
        job.law = Law::LeastAction { momentum, gravity: Vector3::zeros() };
        let motion = job.run(&sampled.clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(motion.outcome, Outcome::Done);
        let (predicted, actual) = (motion.tracks[0].poses.last().unwrap(), recorded.last().unwrap());
        let error = predicted.rotation.angle_to(&actual.rotation).to_degrees();
        let turned = recorded[0].rotation.angle_to(&actual.rotation).to_degrees();
        println!("{}: hips turned {turned:.0} deg, predicted to {error:.1} deg", fields[0]);
        // Bones have no inertia about their own length yet, which a trunk that spins upright would need: 83_62 shows it.
        assert!(error < 35.0, "{}: {error} degrees off", fields[0]);
        flights += 1;
    }
    assert_eq!(flights, 6);
}
