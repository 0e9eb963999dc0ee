//! What is seen of a creature at any time, for those who draw it themselves: its rig with its skin, and where its parts are.

use nalgebra::Vector3;

use super::leg::Side;
use super::make_up::MakeUp;
use super::walk::LegState;
use super::world::{CreatureState, World};
use crate::Error;
use crate::lie::Pose;
use crate::models::myriapod::{Anatomy, Coat, Myriapod, Posture, Segment};

/// Legs are no thicker than this part of their segment's length.
const SLIM: f64 = 0.16;

impl World {
    /// The rig and skin of a creature, at rest as it is in `one`. [`Myriapod::joint_poses`] of its [`World::posture`] moves them.
    ///
    /// # Errors
    /// There is no such creature, or its parts have no size.
    pub fn animal(&self, creature: usize, one: &CreatureState, coat: Coat) -> Result<Myriapod, Error> {
        let Some((_, walker)) = self.body(creature) else {
            return Err(Error::Length { what: "creatures", expected: creature.saturating_add(1), found: self.settings().creatures.len() });
        };
        let (make_up, legged) = (walker.make_up(), !one.walker.legs.is_empty());
        let segment = |i: usize| Segment { half_size: 0.5 * Vector3::from(make_up.size_of(i)), has_legs: i > 0 && legged };
        let anatomy = Anatomy {
            segments: (0..make_up.segments).map(segment).collect(),
            leg_radius: make_up.legs.map_or(0.0, |legs| 0.07 * legs.lengths.iter().sum::<f64>()).min(SLIM * make_up.segment[0]).max(1e-9),
            antenna_radius: 0.08 * make_up.head[2],
            tail_radius: 0.12 * make_up.size_of(make_up.segments - 1)[2],
            rest: self.posture(creature, one, &Pose::identity()),
        };
        Myriapod::new(anatomy, coat)
    }

    /// Where the parts of a creature are, seen from `from`; nowhere if there is no such creature.
    pub fn posture(&self, creature: usize, one: &CreatureState, from: &Pose) -> Posture {
        let Some((chain, walker)) = self.body(creature) else { return Posture::default() };
        if one.walker.legs.len() >= chain.segments() {
            return Posture::default(); // a state of another world
        }
        let back = from.inverse();
        let segments: Vec<Pose> = (0..chain.segments()).map(|segment| back * chain.pose(&one.chain, segment)).collect();
        let leg = |(i, pair): (usize, &[LegState; 2])| {
            [0, 1].map(|side| walker.joints(i + 1, Side::BOTH[side], &pair[side].angles).map(|joint| segments[i + 1].act(&joint)))
        };
        let legs = one.walker.legs.iter().enumerate().map(leg).collect();
        let antennae = walker.antennae(&one.walker, &segments[0]);
        Posture { tails: tails(walker.make_up(), segments.last()), segments, legs, antennae }
    }
}

/// Two appendages behind the last segment.
pub(super) fn tails(make_up: &MakeUp, last: Option<&Pose>) -> Vec<Vec<Vector3<f64>>> {
    let Some(last) = last.filter(|_| make_up.tail > 0.0) else { return Vec::new() };
    let [length, _, width] = make_up.size_of(make_up.segments - 1);
    let of = |side: f64| {
        let place = |share: f64| {
            last.act(&Vector3::new(-0.5 * length - share * make_up.tail, 0.0, side * (0.25 * width + 0.3 * share * make_up.tail)))
        };
        vec![place(0.0), place(0.5), place(1.0)]
    };
    vec![of(-1.0), of(1.0)]
}
