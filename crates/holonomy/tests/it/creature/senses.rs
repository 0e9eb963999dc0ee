//! Smells and trails.

use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::senses::{Food, Pheromone, Smell, unreachable};

use crate::meshes::below;

#[test]
fn smell_fades_with_the_square_and_its_gradient_is_its_slope() {
    let foods = [(1.0, 0.3), (-0.5, 0.8), (0.2, -1.0)].map(|(x, z)| Food { place: Vector3::new(x, 0.0, z), strength: 2.0 });
    let at = |place: &Vector3<f64>| Smell::of(&foods, place, |_| true);
    let only = Smell::of(&foods, &(foods[0].place + Vector3::y() * 4.0), |k| k == 0);
    below((only.intensity - 2.0 / 16.0).abs(), 1e-15); // measured 0
    let (place, h) = (Vector3::new(0.3, 0.1, 0.2), 1e-5);
    let slope = Vector3::from_fn(|i, _| {
        let step = Vector3::ith(i, h);
        (at(&(place + step)).intensity - at(&(place - step)).intensity) / (2.0 * h)
    });
    below((slope - at(&place).gradient).norm(), 1e-7); // measured 3.9e-9
    assert!(at(&foods[0].place).intensity.is_finite());
}

#[test]
fn food_inside_of_an_obstacle_is_named() {
    let column = Obstacle::Cylinder { from: -Vector3::y(), to: Vector3::y(), radius: 0.1 };
    let food = |x: f64| Food { place: Vector3::new(x, 0.0, 0.0), strength: 1.0 };
    assert_eq!(unreachable(&[food(0.5), food(0.05), food(-0.3)], &[column]), [1]);
}

/// Nothing of a trail is lost but what fades, and it spreads as heat does.
#[test]
fn trails_spread_and_fade() {
    let mut trail = Pheromone::new([2.0, 2.0], 0.02, 0.5, 1e-3).unwrap();
    trail.deposit(&Vector3::new(0.013, 5.0, -0.007), 3.0);
    trail.deposit(&Vector3::new(50.0, 0.0, 0.0), 3.0);
    below((trail.total() - 3.0).abs(), 1e-12); // measured 0
    let start = trail.clone();
    (0..100).for_each(|_| trail.step(0.05));
    below((trail.total() / (3.0 * (-2.5_f64).exp()) - 1.0).abs(), 1e-12); // measured 6.3e-15
    // Mean squared distance grows by 4 D t.
    let spread = |trail: &Pheromone| {
        let (mut sum, mut mass) = (0.0, 0.0);
        for (i, k) in (0..101).flat_map(|i| (0..101).map(move |k| (i, k))) {
            let place = Vector3::new(-1.0 + 0.02 * i as f64, 0.0, -1.0 + 0.02 * k as f64);
            let here = trail.sense(&place);
            sum += here * ((place.x - 0.013).powi(2) + (place.z + 0.007).powi(2));
            mass += here;
        }
        sum / mass
    };
    below(((spread(&trail) - spread(&start)) / (4.0 * 1e-3 * 5.0) - 1.0).abs(), 1e-6); // measured 1.9e-15
    assert_eq!(trail.sense(&Vector3::new(f64::NAN, 0.0, 0.0)), 0.0);
    assert!(Pheromone::new([1.0, 1.0], 0.0, 0.1, 0.1).is_err());
    assert!(Pheromone::new([1.0, 1.0], 1e-9, 0.1, 0.1).is_err());
    // A huge step is no reason to blow up.
    trail.step(1e9);
    assert!(trail.total() >= 0.0 && trail.total() < 1e-6);
}
