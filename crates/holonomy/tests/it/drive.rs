//! Driving: by hand, frame by frame, and by what was recorded.

use std::ops::ControlFlow;
use std::sync::Mutex;

use holonomy::Error;
use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::driven::{Figure, Moment};
use holonomy::integrate::piloted::Piloted;
use holonomy::lie::{Pose, Twist};
use holonomy::motion::Outcome;
use holonomy::nalgebra::{SVector, Vector3};
use holonomy::shape::{Between, Channel, Clip, Playback, Topology};
use holonomy::systems::vehicle::{Car, CarState, Drive, Helicopter, PlanarBoat, Quadrotor, Snakeboard, Trailer};

/// A point, that remembers what it was shown.
#[derive(Default)]
struct Seen(Mutex<Vec<Moment>>);

impl Figure for Seen {
    fn shape(&self, moments: &[Moment], dt: f64) -> Result<Clip, Error> {
        *self.0.lock().unwrap() = moments.to_vec();
        Clip::new(Topology::Points, Playback::Once, dt, 1, vec![Vector3::zeros(); moments.len()])
    }
}

fn go(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn at_rest<V: Controlled<N, M>, const N: usize, const M: usize>(vehicle: &V) -> V::State {
    vehicle.at(&Pose::identity(), &Twist::zero())
}

fn rest<V: Controlled<N, M>, const N: usize, const M: usize>(vehicle: &V) -> SVector<f64, M> {
    let controls = vehicle.controls();
    SVector::from_fn(|i, _| controls[i].rest)
}

/// How far a vehicle gets that is left alone for ten seconds.
fn strays<V: Controlled<N, M> + Copy, const N: usize, const M: usize>(vehicle: V) -> f64 {
    let drive = Drive::by_hand(vehicle, at_rest(&vehicle));
    let mut state = drive.begin();
    for _ in 0..600 {
        assert!(drive.step(&mut state, &rest(&vehicle)));
    }
    assert!((state.time - 10.0).abs() < 1e-9);
    vehicle.difference(&drive.start, &state.state).amax()
}

#[test]
fn what_hovers_stays() {
    let off = [
        strays(Piloted::new(Helicopter::default()).unwrap()),
        strays(Piloted::new(Quadrotor::default()).unwrap()),
        strays(Car::default()),
        strays(Trailer::default()),
        strays(Snakeboard::default()),
    ];
    println!("left alone for 10 s: {off:?}");
    assert!(off.iter().all(|&off| off < 1e-11), "{off:?}");
}

#[test]
fn controls_are_kept_within_their_ranges() {
    let vehicle = Piloted::new(Helicopter::default()).unwrap();
    let drive = Drive::by_hand(vehicle, at_rest(&vehicle));
    let own: [_; 4] = Controlled::<12, 4>::controls(&vehicle);
    let after = |controls: SVector<f64, 4>| {
        let mut state = drive.begin();
        assert!((0..5).all(|_| drive.step(&mut state, &controls)));
        state
    };
    let highest = SVector::<f64, 4>::from_fn(|i, _| own[i].range[1]);
    let lowest = SVector::<f64, 4>::from_fn(|i, _| own[i].range[0]);
    assert_eq!(after(SVector::repeat(1e9)), after(highest));
    assert_eq!(after(SVector::repeat(f64::INFINITY)), after(highest));
    assert_eq!(after(SVector::repeat(f64::NEG_INFINITY)), after(lowest));
    assert_eq!(after(SVector::repeat(f64::NAN)), after(rest(&vehicle)));
    assert_ne!(after(highest), after(lowest));
    // One that is not a number leaves the others alone.
    let mut one = highest;
    one[2] = f64::NAN;
    assert_eq!(after(one), after(SVector::from([highest[0], highest[1], own[2].rest, highest[3]])));
}

#[test]
fn a_frame_that_cannot_be_leaves_all_as_it_was() {
    // Half a turn and more within a frame.
    let vehicle = Piloted::new(Helicopter::default()).unwrap();
    let spin = Twist::new(Vector3::new(1.0, 20.0, 3.0), Vector3::zeros());
    let mut drive = Drive::by_hand(vehicle, vehicle.at(&Pose::identity(), &spin));
    drive.dt = 0.5;
    let mut state = drive.begin();
    assert!(!drive.step(&mut state, &rest(&vehicle)));
    assert_eq!(state, drive.begin());
    // A shorter frame does; also as several steps of one.
    drive.substeps = 30;
    assert!(drive.step(&mut state, &rest(&vehicle)));
    assert!((state.time - 0.5).abs() < 1e-12);

    // A jackknife: backwards, until car and trailer touch.
    let trailer = Trailer::default();
    let mut start = at_rest(&trailer);
    (start.hitch, start.steering) = (1.0, 0.5);
    let drive = Drive::by_hand(trailer, start);
    let mut state = drive.begin();
    let back = SVector::from([-2.0, 0.0]);
    let frames = (0..600).take_while(|_| drive.step(&mut state, &back)).count();
    let stopped = state;
    assert!(!drive.step(&mut state, &back));
    println!("jackknifed after {frames} frames, hitch {}", state.state.hitch);
    assert_eq!(state, stopped);
    assert!(frames > 0 && frames < 600 && state.state.hitch.abs() <= trailer.hitch_limit);
}

#[test]
fn recorded_controls_are_driven() {
    let car = Car::default();
    let keys = |pairs: &[(f64, f64)]| Some(Channel::keys(pairs.to_vec(), Between::Linear).unwrap());
    let drive = Drive {
        vehicle: car,
        start: at_rest(&car),
        controls: vec![keys(&[(0.0, 0.0), (1.0, 5.0), (2.0, -1.0)]), keys(&[(0.0, 0.3)])],
        dt: 0.02,
        steps: 100,
        substeps: 3,
    };
    let seen = Seen::default();
    let motion = drive.run(&seen, &mut go).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert_eq!(motion.steps, 300);
    // By hand: the torque in the middle of each frame, no more than there is.
    let mut state = drive.begin();
    for k in 0..100 {
        let time = 0.02 * (f64::from(k) + 0.5);
        let asked = if time < 1.0 { 5.0 * time } else { 5.0 - 6.0 * (time - 1.0) };
        assert!(drive.step(&mut state, &SVector::from([asked.clamp(-car.torque, car.torque), 0.3])));
    }
    let end = motion.tracks[0].poses.last().unwrap();
    let off = (end.translation - car.pose(&state.state).translation).norm();
    println!("recorded and by hand end {off:.1e} m apart, at {:?}", end.translation);
    assert!(off < 1e-12 && end.translation.norm() > 1.0);
    let moments = seen.0.into_inner().unwrap();
    assert_eq!(moments.len(), 101);
    assert!(moments.iter().all(|moment| moment.controls.len() == 2 && moment.controls[0].abs() <= car.torque));
    assert!((moments[50].joints[0] - 0.3f64.atan()).abs() < 1e-12, "steered at 0.3 per second for a second: {}", moments[50].joints[0]);

    // No channel is at rest; a run that is stopped keeps its frames.
    let idle = Drive { controls: vec![None], ..drive.clone() };
    let stood = idle.run(&Seen::default(), &mut go).unwrap();
    assert_eq!(stood.tracks[0].poses.last().unwrap().translation, Vector3::zeros());
    let stopped = drive.run(&Seen::default(), &mut |frame, _| if frame < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
    let stopped = stopped.unwrap();
    assert!(matches!(stopped.outcome, Outcome::Interrupted { .. }), "{:?}", stopped.outcome);
    assert_eq!(stopped.tracks[0].poses[..], motion.tracks[0].poses[..stopped.tracks[0].poses.len()]);
}

#[test]
fn a_drive_that_makes_no_sense_is_refused() {
    let boat = PlanarBoat::default();
    let drive = Drive { steps: 3, ..Drive::by_hand(boat, at_rest(&boat)) };
    let refusal = |drive: Drive<PlanarBoat, 6, 2>| drive.run(&Seen::default(), &mut go).unwrap_err().to_string();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal(Drive { dt, ..drive.clone() }).contains("dt"));
    }
    let mut lost = drive.start;
    lost.pose.translation.x = f64::NAN;
    assert!(refusal(Drive { start: lost, ..drive.clone() }).contains("start"));
    assert!(refusal(Drive { vehicle: PlanarBoat { moment: 0.0, ..boat }, ..drive.clone() }).contains("moment"));
    // A frame that cannot be ends the run, and says so.
    let vehicle = Piloted::new(Helicopter::default()).unwrap();
    let spin = Twist::new(Vector3::new(1.0, 20.0, 3.0), Vector3::zeros());
    let start = vehicle.at(&Pose::identity(), &spin);
    let wild = Drive { dt: 0.5, steps: 4, ..Drive::by_hand(vehicle, start) };
    let motion = wild.run(&Seen::default(), &mut go).unwrap();
    assert!(matches!(motion.outcome, Outcome::NotConverged { .. }), "{:?}", motion.outcome);
    assert_eq!(motion.tracks[0].poses.len(), 1);
}

/// Twisting in time with the feet: nothing pushes the board from outside, and yet it goes.
#[test]
fn a_snakeboard_speeds_up_from_rest() {
    let board = Snakeboard::default();
    let drive = Drive::by_hand(board, at_rest(&board));
    let ridden = |feet: f64| {
        let mut state = drive.begin();
        let mut speeds = Vec::new();
        for k in 0..600 {
            let wave = (std::f64::consts::PI * f64::from(k) / 30.0).cos();
            assert!(drive.step(&mut state, &SVector::from([wave, feet * wave])));
            if k % 120 == 119 {
                speeds.push(board.twist(&state.state).linear.norm());
            }
        }
        speeds
    };
    let speeds = ridden(0.25);
    println!("speed every two seconds: {speeds:.3?}");
    assert!(speeds.windows(2).all(|pair| pair[1] > pair[0]), "{speeds:?}");
    assert!(speeds[4] > 0.5, "{speeds:?}"); // 0.562 m/s
    // Twisting alone does nothing.
    assert!(ridden(0.0).iter().all(|&speed| speed < 1e-12));
}

#[test]
fn wheels_turn_back_when_a_car_does() {
    let car = Car::default();
    let keys =
        Channel::keys(vec![(0.0, 1.0), (1.0, 1.0), (1.01, -1.0), (3.0, -1.0), (3.01, 1.0), (4.0, 1.0), (4.01, 0.0)], Between::Linear);
    let steer = Channel::keys(vec![(0.0, 0.4), (1.0, 0.4), (1.01, -0.4)], Between::Linear).unwrap();
    // Ahead for two seconds, back for two: in the end it stands.
    let drive = Drive { controls: vec![Some(keys.unwrap()), Some(steer)], steps: 250, dt: 0.02, ..Drive::by_hand(car, at_rest(&car)) };
    let seen = Seen::default();
    drive.run(&seen, &mut go).unwrap();
    let moments = seen.0.into_inner().unwrap();
    let most = moments.iter().map(|moment| moment.travelled).fold(0.0, f64::max);
    let off = moments.iter().map(|moment| (moment.travelled - car.wheel_radius * moment.joints[1]).abs()).fold(0.0, f64::max);
    println!("{most:.4} m ahead, {:.4} m in the end; off by {off:.1e} m from the wheels' own count", moments[250].travelled);
    assert!(most > 1.0 && moments[250].travelled < 0.2 * most);
    assert!(off < 1e-4, "{off}");
    // Backwards from the first frame on, and to a stop within one frame.
    let start = CarState { rate: -4.0, ..at_rest(&car) };
    let stop = -4.0 * -(car.wheel_inertia + car.mass * car.wheel_radius.powi(2));
    let drive = Drive { start, controls: vec![Channel::keys(vec![(0.0, stop)], Between::Linear).ok()], dt: 1.0, steps: 1, ..drive };
    let seen = Seen::default();
    drive.run(&seen, &mut go).unwrap();
    let moments = seen.0.into_inner().unwrap();
    println!("to a stop: {}", moments[1].travelled);
    assert!((moments[1].travelled + 0.6).abs() < 1e-9, "{}", moments[1].travelled);
}
