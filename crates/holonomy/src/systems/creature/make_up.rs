//! What a creature is made of: sizes, legs and their poses, antennae, material.
//!
//! Fang 2015, Ch. 3 (the body), Sec. 4.3.1 (the poses), Fig. 1.3 (the kinds). A creature is a row of rigid segments with soft blocks between them. Segment 0 is the
//! head, which has antennae and no legs; every other segment has a pair of legs, if the creature has any.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | AEP, PEP | `anterior`, `posterior` | where a stance starts and ends: (θ_M, α_S, β_S), (θ_m, α_S, β_S) |
//! | MUP, MDP | `up`, `down` | midway of the swing, leg straight: (0, α_M, 0), (0, α_m, 0) |
//! | h_T | `height` | of the middle of a segment above the ground |

use super::antenna::Antennae;
use super::brain::Brain;
use super::leg::{Leg, LegAngles};
use super::targeter::Targeter;
use crate::Error;

/// A creature, as it is made.
#[derive(Debug, Clone, PartialEq)]
pub struct MakeUp {
    /// How many rigid segments, the head included.
    pub segments: usize,
    /// Length, height and width of the first segment behind the head, metres.
    pub segment: [f64; 3],
    /// Length, height and width of the head, metres.
    pub head: [f64; 3],
    /// Length of the soft block between two segments, metres.
    pub gap: f64,
    /// Height and width of the last segment over those of the first; between them they change evenly.
    pub taper: f64,
    /// Length of the tail behind the last segment, metres; it is only seen.
    pub tail: f64,
    /// Height of the middle of a segment above the ground, metres.
    pub height: f64,
    /// The legs, all alike.
    pub legs: Option<Legs>,
    /// The antennae, both alike.
    pub antennae: Option<Antennae>,
    /// How fast segments go to their goals.
    pub targeter: Targeter,
    /// What the head decides by.
    pub brain: Brain,
    /// What it is made of.
    pub material: Material,
}

/// The legs of a creature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Legs {
    /// Lengths of the three links from the root on, metres.
    pub lengths: [f64; 3],
    /// γ: fixed bend downward at the second joint, radians.
    pub ankle: f64,
    /// Where the root is on the side of its segment: forward and up of the segment's middle, metres. Its distance sideways is half the segment's width.
    pub root: [f64; 2],
    /// What a leg goes to in each state.
    pub poses: Poses,
    /// How fast the joint that has the longest way turns, rad/s; the others arrive with it.
    pub speed: f64,
    /// How many times as fast it turns in ADJUST. The larger, the sooner neighbours find their phase lag: what is wrong with it is divided by this in a cycle.
    pub adjust_haste: f64,
    /// Which way the wave of touch-downs runs along the body.
    pub wave: Wave,
    /// How the left and the right leg of a pair go together.
    pub sides: Sides,
}

/// The direction in which touch-downs run along the legs of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wave {
    /// From head to tail: a leg lands after the one ahead of it. As in Fang 2015, and in
    /// Scolopendra.
    #[default]
    Retrograde,
    /// From tail to head: a leg lands after the one behind it. As in millipedes and house
    /// centipedes.
    Direct,
}

/// How the left and the right leg of a pair go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sides {
    /// In unison, as in Fang 2015, Sec. 4.3.3.
    #[default]
    Together,
    /// By turns, half a period apart, as in centipedes.
    Alternate,
}

impl Wave {
    /// The segment whose legs lead those of a segment; none for the pair that begins the wave.
    /// The head, segment 0, has no legs.
    pub(super) fn leader(self, segment: usize, segments: usize) -> Option<usize> {
        match self {
            Wave::Retrograde => segment.checked_sub(1).filter(|&ahead| ahead > 0),
            Wave::Direct => Some(segment + 1).filter(|&behind| behind < segments),
        }
    }
}

/// The poses between which a leg moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Poses {
    /// AEP, the anterior extreme: SF2 ends there, and a stance starts near it.
    pub anterior: LegAngles,
    /// PEP, the posterior extreme: a stance ends as the leg's sweep passes it.
    pub posterior: LegAngles,
    /// MUP, the middle up: SF1 ends there.
    pub up: LegAngles,
    /// MDP, the middle down: SB1 ends there.
    pub down: LegAngles,
    /// ADJUST ends there. The way from it to the ground is the phase lag of neighbouring legs: see [`MakeUp::expected_lag`].
    pub adjust: LegAngles,
    /// TUCKED: against the body, for swimming.
    pub tucked: LegAngles,
}

/// What bodies are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Of the soft blocks, kg/m³.
    pub soft_density: f64,
    /// Of the soft blocks, Pa.
    pub youngs_modulus: f64,
    /// Of the soft blocks.
    pub poissons_ratio: f64,
    /// At which the soft blocks lose motion, 1/s.
    pub damping_rate: f64,
    /// Of the rigid segments, kg/m³.
    pub rigid_density: f64,
}

impl Poses {
    /// The poses of Fang 2015, Sec. 4.3.1: `sweep` is θ_M = −θ_m, `stance` (α_S, β_S), `up` α_M, `down` α_m. ADJUST is `adjust` of the way from MUP to AEP, 0 to 1.
    pub fn new(sweep: f64, stance: [f64; 2], up: f64, down: f64, adjust: f64) -> Poses {
        let anterior = LegAngles::new(sweep, stance[0], stance[1]);
        let up = LegAngles::new(0.0, up, 0.0);
        Poses {
            anterior,
            posterior: LegAngles::new(-sweep, stance[0], stance[1]),
            up,
            down: LegAngles::new(0.0, down, 0.0),
            adjust: up.towards(&anterior, adjust),
            tucked: LegAngles::new(-1.35, 0.0, 0.2),
        }
    }

    fn all(&self) -> [LegAngles; 6] {
        [self.anterior, self.posterior, self.up, self.down, self.adjust, self.tucked]
    }
}

impl MakeUp {
    /// Length, height and width of a segment, metres.
    pub fn size_of(&self, segment: usize) -> [f64; 3] {
        if segment == 0 {
            return self.head;
        }
        let share = if self.segments > 2 { (segment - 1) as f64 / (self.segments - 2) as f64 } else { 0.0 };
        let scale = 1.0 + (self.taper - 1.0) * share;
        [self.segment[0], self.segment[1] * scale, self.segment[2] * scale]
    }

    /// From the middle of a segment to that of the one ahead of it, at rest, metres. The head has none: 0.
    pub fn link(&self, segment: usize) -> f64 {
        match segment.checked_sub(1) {
            Some(ahead) => 0.5 * (self.size_of(segment)[0] + self.size_of(ahead)[0]) + self.gap,
            None => 0.0,
        }
    }

    /// From the front of the head to the end of the last segment, at rest, metres.
    pub fn length(&self) -> f64 {
        self.head[0] + self.segments.saturating_sub(1) as f64 * (self.gap + self.segment[0])
    }

    /// The phase lag of neighbouring legs to be expected on flat ground, seconds: how long a leg takes from the ADJUST pose down to the ground, at its speed. It is the time from the
    /// touch-down of a leg to that of the neighbour that it leads: that one then enters ADJUST,
    /// and has its pose at once if the wave is steady. In a direct wave a leg hears of the one
    /// behind it a
    /// tick of control later, which comes on top. `None` without legs.
    pub fn expected_lag(&self) -> Option<f64> {
        let legs = self.legs?;
        let leg = Leg::new(legs.lengths, legs.ankle).ok()?;
        let Poses { adjust, anterior, .. } = legs.poses;
        let above = |share: f64| leg.tip(&adjust.towards(&anterior, share)).y + self.height + legs.root[1];
        let (mut air, mut ground) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (air + ground);
            if above(middle) > 0.0 { air = middle } else { ground = middle }
        }
        Some(ground * adjust.apart(&anterior) / legs.speed)
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless(
            (1..=10_000).contains(&self.segments),
            "count of segments",
            self.segments as f64,
            "1 to 10000: the head is one of them",
        )?;
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "greater than 0");
        self.segment.iter().try_for_each(|&side| positive("size of a segment", side))?;
        self.head.iter().try_for_each(|&side| positive("size of the head", side))?;
        positive("length of a soft block", self.gap)?;
        positive("taper", self.taper)?;
        Error::unless_zero_or_more("length of the tail", self.tail)?;
        positive("height of the body", self.height)?;
        self.targeter.validate()?;
        self.brain.validate()?;
        self.material.validate()?;
        self.antennae.iter().try_for_each(Antennae::validate)?;
        self.legs.iter().try_for_each(|legs| legs.validate(self.height))
    }
}

impl Legs {
    /// Refuses legs that cannot walk with roots that high.
    fn validate(&self, height: f64) -> Result<(), Error> {
        let leg = Leg::new(self.lengths, self.ankle)?;
        self.root.iter().try_for_each(|&x| Error::unless(x.is_finite(), "root of a leg", x, "a finite number of metres"))?;
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "greater than 0");
        positive("speed of a leg", self.speed)?;
        Error::unless(
            self.adjust_haste.is_finite() && self.adjust_haste >= 1.0,
            "haste of a leg in ADJUST",
            self.adjust_haste,
            "1 or more",
        )?;
        for pose in self.poses.all() {
            let furthest = pose.sweep.abs().max(pose.lift.abs()).max(pose.knee.abs());
            Error::unless(pose.is_finite() && furthest <= 3.2, "angle of a leg's pose", furthest, "at most half a turn, in radians")?;
        }
        let Poses { anterior, posterior, up, down, .. } = self.poses;
        let range = anterior.sweep - posterior.sweep;
        Error::unless(range > 0.05, "sweep of a leg from AEP to PEP", range, "0.05 radians or more: AEP is ahead of PEP")?;
        let root = height + self.root[1];
        Error::unless(root > 0.0, "height of a leg's root above the ground", root, "greater than 0: raise the body or the root")?;
        Error::unless(
            root < leg.range()[1],
            "height of a leg's root above the ground",
            root,
            "less than the leg reaches: lengthen the legs or lower the body",
        )?;
        let lowest = -leg.tip(&anterior).y.min(leg.tip(&down).y);
        Error::unless(
            lowest >= root,
            "depth to which AEP and MDP bring a leg's tip",
            lowest,
            "at least the height of the leg's root, or it never touches the ground",
        )?;
        let raised = -leg.tip(&up).y;
        Error::unless(
            raised < root,
            "depth of a leg's tip in MUP",
            raised,
            "less than the height of the leg's root, or it never leaves the ground",
        )
    }
}

impl Material {
    fn validate(&self) -> Result<(), Error> {
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "greater than 0");
        positive("density of soft blocks", self.soft_density)?;
        positive("Young's modulus of soft blocks", self.youngs_modulus)?;
        positive("density of rigid segments", self.rigid_density)?;
        Error::unless_zero_or_more("damping rate of soft blocks", self.damping_rate)?;
        Error::unless((0.0..0.5).contains(&self.poissons_ratio), "Poisson's ratio of soft blocks", self.poissons_ratio, "0 to below 0.5")
    }
}
