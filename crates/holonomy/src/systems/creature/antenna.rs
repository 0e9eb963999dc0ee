//! Antennae: chains of links that search, wave, and draw back from what they touch.
//!
//! Fang 2015, Secs. 3.5 and 3.6, and "Update of the Antenna" of App. D. The root turns towards random goals, with sign and clamp (docs/ERRATA.md, F25); a wave runs out
//! along the links.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | θ, φ | index 0, 1 | turn outward and up, of the root against the head, of a link against the one before |
//! | ω_0 | `root_speed` | how fast the root turns |
//! | A, B, ω, λ | `amplitude`, `base`, `frequency`, `phase_step` | of the wave: angles of link i are A sin(ωt − λi) + B |

use nalgebra::Vector3;

use super::leg::Side;
use crate::Error;
use crate::lie::Pose;
use crate::medium::Terrain;
use crate::medium::obstacle::Obstacle;
use crate::random::Random;

/// Both antennae of a creature; each is the other's mirror image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Antennae {
    /// How many links each has.
    pub links: usize,
    /// Length of each, metres.
    pub length: f64,
    /// Root of the right one in the head's frame: forward, up, right, metres.
    pub root: [f64; 3],
    /// The middle of where the root points: outward and up, radians.
    pub rest: [f64; 2],
    /// How far random goals of the root lie from there at most, radians.
    pub range: [f64; 2],
    /// How fast the root turns, rad/s.
    pub root_speed: f64,
    /// Of the wave, per link: outward and up, radians.
    pub amplitude: [f64; 2],
    /// Bend of each link that the wave is about: outward and up, radians.
    pub base: [f64; 2],
    /// Of the wave, rad/s.
    pub frequency: f64,
    /// By how much each link is behind the one before it, radians.
    pub phase_step: f64,
    /// How many times as fast the root turns as it draws back.
    pub retreat_haste: f64,
}

/// One antenna as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct AntennaState {
    /// Of the root: outward and up, radians.
    pub root: [f64; 2],
    /// What the root turns to.
    pub goal: [f64; 2],
    /// Root, ends of links, tip; metres, world.
    pub joints: Vec<Vector3<f64>>,
    /// Whether it touches an obstacle.
    pub contact: bool,
    /// Whether it is drawing back.
    pub retreating: bool,
}

/// What an antenna meets in a tick.
pub struct Reach<'a> {
    /// The head.
    pub head: Pose,
    /// What may be touched.
    pub obstacles: &'a [Obstacle],
    /// What it must not sink into.
    pub terrain: &'a Terrain,
    /// Since the start, seconds.
    pub time: f64,
    /// Seconds.
    pub time_step: f64,
}

/// By how much the root turns away from what it touches, radians.
const RETREAT: f64 = 0.5;

/// The root stays within this of straight ahead, outward and inward, and of the horizontal, radians.
const OUTMOST: f64 = 1.5;
const INMOST: f64 = -0.3;
const STEEPEST: f64 = 1.2;

impl Antennae {
    /// Antennae of that length, on a head of that length and height; metres.
    pub fn of(head_length: f64, head_height: f64, length: f64) -> Antennae {
        Antennae {
            links: 10,
            length,
            root: [0.45 * head_length, 0.2 * head_height, 0.2 * head_length],
            rest: [0.45, 0.05],
            range: [0.25, 0.1],
            root_speed: 1.5,
            amplitude: [0.06, 0.03],
            base: [0.02, 0.0],
            frequency: 12.0,
            phase_step: 0.6,
            retreat_haste: 4.0,
        }
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless((1..=1000).contains(&self.links), "count of an antenna's links", self.links as f64, "1 to 1000")?;
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "greater than 0");
        positive("length of an antenna", self.length)?;
        positive("speed of an antenna's root", self.root_speed)?;
        positive("haste of an antenna that draws back", self.retreat_haste)?;
        let others = [self.rest, self.range, self.amplitude, self.base, [self.frequency, self.phase_step]];
        let mut numbers = self.root.iter().chain(others.iter().flatten());
        numbers.try_for_each(|&x| Error::unless(x.is_finite(), "number of an antenna", x, "finite"))
    }

    /// An antenna at rest.
    pub(super) fn start(&self) -> AntennaState {
        let joints = vec![Vector3::zeros(); self.links + 1];
        AntennaState { root: self.rest, goal: self.rest, joints, contact: false, retreating: false }
    }

    /// One tick: App. D, "Update of the Antenna", 1 to 3.
    pub(super) fn advance(&self, state: &mut AntennaState, side: Side, reach: &Reach, random: &mut Random) {
        self.turn_root(state, reach.time_step, random);
        self.place_links(state, side, reach);
        self.draw_back(state, side, reach);
        self.keep_above(state, side, reach);
    }

    /// Towards the goal, no further than it; then a new one.
    fn turn_root(&self, state: &mut AntennaState, time_step: f64, random: &mut Random) {
        let haste = if state.retreating { self.retreat_haste } else { 1.0 };
        let most = self.root_speed * haste * time_step;
        for axis in 0..2 {
            state.root[axis] += (state.goal[axis] - state.root[axis]).min(most).max(-most);
        }
        if state.root == state.goal {
            state.retreating = false;
            state.goal = [0, 1].map(|axis| self.rest[axis] + self.range[axis] * random.signed());
        }
    }

    /// Root, ends of links and tip of an antenna at a time (seconds) on a head that is there, metres.
    pub(super) fn joints(&self, root: [f64; 2], side: Side, head: &Pose, time: f64) -> impl Iterator<Item = Vector3<f64>> + use<> {
        let (antennae, head, axes) = (*self, *head, head.rotation.to_rotation_matrix());
        let step = self.length / self.links as f64;
        let mut place = Vector3::from(self.root);
        let [mut outward, mut up] = root;
        (0..=self.links).map(move |i| {
            let joint = axes * side.mirrored(&place) + head.translation;
            if i > 0 {
                let wave = (antennae.frequency * time - antennae.phase_step * i as f64).sin();
                outward += antennae.amplitude[0] * wave + antennae.base[0];
                up += antennae.amplitude[1] * wave + antennae.base[1];
            }
            place += direction(outward, up) * step;
            joint
        })
    }

    fn place_links(&self, state: &mut AntennaState, side: Side, reach: &Reach) {
        let places = self.joints(state.root, side, &reach.head, reach.time);
        state.joints.iter_mut().zip(places).for_each(|(joint, place)| *joint = place);
    }

    /// Away from what it touches most deeply, along that one's normal.
    fn draw_back(&self, state: &mut AntennaState, side: Side, reach: &Reach) {
        state.contact = false;
        let mut deepest = 0.0;
        for obstacle in reach.obstacles {
            // Out of reach as a whole.
            if obstacle.distance(&state.joints[0]).value > self.length {
                continue;
            }
            for joint in &state.joints[1..] {
                let found = obstacle.distance(joint);
                if found.value < deepest {
                    deepest = found.value;
                    state.contact = true;
                    state.goal = self.away(state, side.mirrored(&(reach.head.rotation.inverse() * found.gradient)));
                }
            }
        }
        state.retreating |= state.contact;
    }

    /// Where the root should point so that the antenna moves along `normal`, in the mirrored frame of the head.
    fn away(&self, state: &AntennaState, normal: Vector3<f64>) -> [f64; 2] {
        let (sin, cos) = state.root[0].sin_cos();
        let sideways = normal.z * cos - normal.x * sin;
        // Straight against a wall either side would do: outward.
        let outward = if sideways < -0.1 { -RETREAT } else { RETREAT };
        [(state.root[0] + outward).clamp(INMOST, OUTMOST), (state.root[1] + RETREAT * normal.y).clamp(-STEEPEST, STEEPEST)]
    }

    /// Ground is no obstacle: the root is lifted until the tip is out of it.
    fn keep_above(&self, state: &mut AntennaState, side: Side, reach: &Reach) {
        let Some(tip) = state.joints.last() else { return };
        let depth = -reach.terrain.contact(tip).distance;
        if depth > 0.0 && state.root[1] < STEEPEST {
            state.root[1] = (state.root[1] + 1.2 * depth / self.length).min(STEEPEST);
            state.goal[1] = state.goal[1].max(state.root[1]);
            self.place_links(state, side, reach);
        }
    }
}

/// Of a link, in the frame of the head, right side.
fn direction(outward: f64, up: f64) -> Vector3<f64> {
    let ((sin, cos), (rise, level)) = (outward.sin_cos(), up.sin_cos());
    Vector3::new(level * cos, rise, level * sin)
}
