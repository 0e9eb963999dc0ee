//! Creatures of real sizes.

use super::antenna::Antennae;
use super::brain::Brain;
use super::make_up::{Legs, MakeUp, Material, Poses, Sides, Wave};
use super::targeter::Targeter;

/// A little lighter than water, as animals with air tubes are: it floats. Creatures that walk are stiffer: blocks that are soft beside their weight, E ≪ 200 ρ g L, sag where legs swing, and
/// the leg wave stumbles (Fang 2015 has 400 ρ g L).
const FLESH: Material =
    Material { soft_density: 950.0, youngs_modulus: 4000.0, poissons_ratio: 0.4, damping_rate: 50.0, rigid_density: 950.0 };

/// ADJUST is near the top of a leg's swing. Nearer to AEP, legs land ahead of those before them, and step again as these touch down: waves with gaps.
const LATE: f64 = 0.1;

/// The same in millipedes, where it is halfway down to AEP: the lag is about a tenth of the
/// period, a wave has some ten legs, and the feet of legs that swing keep clear of each other;
/// with `LATE`
/// they meet. Legs that land ahead of those that lead them are brought back sooner, by more haste
/// in ADJUST: a wave of 57 legs settles within some 10 s.
const HALFWAY: f64 = 0.5;
const HASTY: f64 = 8.0;

impl MakeUp {
    /// A giant centipede (Scolopendra), 0.2 m long: a head and 18 pairs of legs.
    pub fn centipede() -> MakeUp {
        MakeUp {
            segments: 19,
            segment: [7e-3, 5e-3, 10e-3],
            head: [9e-3, 4.5e-3, 9e-3],
            gap: 3.4e-3,
            taper: 0.8,
            tail: 12e-3,
            height: 7e-3,
            legs: Some(Legs {
                lengths: [6e-3, 7e-3, 5e-3],
                ankle: 0.4,
                root: [0.0, -1e-3],
                poses: Poses::new(0.6, [0.474, 1.224], 0.6, -0.6, LATE),
                speed: 24.0,
                adjust_haste: 3.0,
                wave: Wave::Retrograde,
                sides: Sides::Alternate,
            }),
            antennae: Some(Antennae::of(9e-3, 4.5e-3, 45e-3)),
            targeter: Targeter { follow_rate: 500.0, balance_rate: 40.0, turn_rate: 8.0 },
            brain: Brain { speed: 0.1, turn_rate: 2.0, ..Brain::default() },
            material: Material { youngs_modulus: 2e4, ..FLESH },
        }
    }

    /// A millipede of 0.15 m: a head and 57 pairs of short legs, slow, and waves of many legs. In
    /// real millipedes both legs of a pair step together; here by turns, as soft segments none of
    /// whose legs
    /// stands sag, some four in a row, and the wave stumbles over that.
    pub fn millipede() -> MakeUp {
        MakeUp {
            segments: 58,
            segment: [1.6e-3, 5e-3, 5e-3],
            head: [3e-3, 4.5e-3, 4.5e-3],
            gap: 0.9e-3,
            taper: 0.9,
            tail: 2e-3,
            height: 3.6e-3,
            legs: Some(Legs {
                lengths: [2e-3, 2.5e-3, 2e-3],
                ankle: 0.4,
                root: [0.0, -1e-3],
                poses: Poses::new(0.5, [0.491, 1.353], 0.5, -0.6, HALFWAY),
                speed: 16.0,
                adjust_haste: HASTY,
                wave: Wave::Direct,
                sides: Sides::Alternate,
            }),
            antennae: Some(Antennae::of(3e-3, 4.5e-3, 6e-3)),
            targeter: Targeter { follow_rate: 500.0, balance_rate: 40.0, turn_rate: 8.0 },
            brain: Brain { speed: 0.02, turn_rate: 1.5, ..Brain::default() },
            material: Material { youngs_modulus: 1500.0, ..FLESH },
        }
    }

    /// A robot of 1.2 m: a head and 11 pairs of legs.
    pub fn robot() -> MakeUp {
        MakeUp {
            segments: 12,
            segment: [70e-3, 50e-3, 100e-3],
            head: [90e-3, 50e-3, 100e-3],
            gap: 34e-3,
            taper: 1.0,
            tail: 0.0,
            height: 70e-3,
            legs: Some(Legs {
                lengths: [60e-3, 70e-3, 50e-3],
                ankle: 0.4,
                root: [0.0, -10e-3],
                poses: Poses::new(0.55, [0.524, 1.312], 0.5, -0.6, LATE),
                speed: 12.0,
                adjust_haste: 3.0,
                wave: Wave::Retrograde,
                sides: Sides::Together,
            }),
            antennae: Some(Antennae::of(90e-3, 50e-3, 0.4)),
            targeter: Targeter { follow_rate: 300.0, balance_rate: 20.0, turn_rate: 5.0 },
            brain: Brain { speed: 0.45, turn_rate: 1.2, ..Brain::default() },
            material: Material { youngs_modulus: 2e5, damping_rate: 50.0, ..FLESH },
        }
    }

    /// A house centipede (Scutigera): a short body of 42 mm on 15 pairs of long legs.
    pub fn house_centipede() -> MakeUp {
        MakeUp {
            segments: 16,
            segment: [1.6e-3, 2.5e-3, 3e-3],
            head: [2.5e-3, 2.5e-3, 3e-3],
            gap: 1.0e-3,
            taper: 0.8,
            tail: 5e-3,
            height: 11e-3,
            legs: Some(Legs {
                lengths: [10e-3, 14e-3, 12e-3],
                ankle: 0.4,
                root: [0.0, -1e-3],
                poses: Poses::new(0.35, [0.642, 1.188], 0.5, -0.5, LATE),
                speed: 30.0,
                adjust_haste: 3.0,
                wave: Wave::Direct,
                sides: Sides::Alternate,
            }),
            antennae: Some(Antennae::of(2.5e-3, 2.5e-3, 35e-3)),
            targeter: Targeter { follow_rate: 800.0, balance_rate: 40.0, turn_rate: 10.0 },
            brain: Brain { speed: 0.15, turn_rate: 3.0, ..Brain::default() },
            material: Material { youngs_modulus: 3000.0, ..FLESH },
        }
    }

    /// A swimmer of 0.18 m without legs, as in Fang 2015, Ch. 5 and App. C: twelve rigid segments and eleven muscles, cubes all of them.
    pub fn swimmer() -> MakeUp {
        MakeUp {
            segments: 12,
            segment: [8e-3, 8e-3, 8e-3],
            head: [8e-3, 8e-3, 8e-3],
            gap: 8e-3,
            taper: 1.0,
            tail: 0.0,
            height: 4e-3,
            legs: None,
            antennae: None,
            targeter: Targeter { follow_rate: 500.0, balance_rate: 40.0, turn_rate: 8.0 },
            brain: Brain::default(),
            material: FLESH,
        }
    }
}
