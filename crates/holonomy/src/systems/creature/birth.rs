//! How creatures come into their world: bodies, and where they begin.

use nalgebra::{UnitQuaternion, Vector3};

use super::brain::Command;
use super::make_up::MakeUp;
use super::swim::VisionState;
use super::walk::{Support, Surroundings, Walker, WalkerState};
use super::world::{Creature, CreatureState, World};
use crate::Error;
use crate::elastic::chain::{Chain, ChainSettings, Damping, Segment};
use crate::elastic::material;
use crate::lie::{Pose, Wrench};

/// How long a creature that begins on the ground may take to find its feet before the start, ticks.
const FINDS_FEET: usize = 600;

impl World {
    pub(super) fn born(&self, creature: &Creature, (chain, walker): &(Chain, Walker)) -> Result<CreatureState, Error> {
        let count = creature.make_up.segments;
        let mut state = CreatureState {
            chain: chain.state(&Pose::identity())?,
            walker: walker.start(creature.seed),
            stroke: creature.stroke.start(count - 1),
            vision: VisionState::default(),
            order: None,
            caught: None,
            unreachable: Vec::new(),
            progress: Default::default(),
            submerged: vec![false; count],
            steps: 0,
            poses: vec![Pose::identity(); count],
            levels: vec![f64::NEG_INFINITY; count],
            flows: Vec::new(),
            loads: vec![Wrench::default(); count],
            ups: Vec::new(),
            near: vec![true; count],
            pushes: Vec::new(),
            received: Default::default(),
            around: self.settings.obstacles.clone(),
            prey: Vec::new(),
            eaten: None,
            righting: Default::default(),
            random: creature.seed ^ 0x5eed,
        };
        let row = if creature.afloat || !walker.walks() {
            straight(creature)
        } else {
            let mut row = walker.row(&self.settings.terrain, &creature.place, &creature.forward);
            for pose in &mut row {
                pose.translation += self.settings.terrain.nearest(&pose.translation).normal * creature.drop;
            }
            if creature.drop == 0.0 {
                self.find_feet(walker, &mut state.walker, &mut row)?;
            } else if creature.roll != 0.0 {
                let roll = UnitQuaternion::from_scaled_axis(Vector3::x() * creature.roll);
                row.iter_mut().for_each(|pose| pose.rotation *= roll);
            }
            row
        };
        chain.place(&mut state.chain, &row)?;
        Ok(state)
    }

    /// Before the start, a creature on the ground puts its feet down where it is: its segments stay until their legs bear them.
    fn find_feet(&self, walker: &Walker, state: &mut WalkerState, row: &mut [Pose]) -> Result<(), Error> {
        let still = Surroundings { command: Some(Command { speed: 0.0, turn: 0.0 }), ..Surroundings::bare(&self.settings.terrain) };
        for _ in 0..FINDS_FEET {
            walker.tick(state, &still, row, 1.0 / 300.0)?;
            for (pose, support) in row.iter_mut().zip(&state.supports) {
                if let Support::Carried(end) = support {
                    *pose = *end;
                }
            }
            if state.standing() == 2 * state.legs.len() {
                break;
            }
        }
        state.time = 0.0;
        Ok(())
    }
}

/// The body of a creature.
pub(super) fn body(creature: &Creature) -> Result<(Chain, Walker), Error> {
    let walker = Walker::new(creature.make_up.clone())?;
    let MakeUp { segments, gap, material, .. } = creature.make_up;
    let size = |segment: usize| Vector3::from(creature.make_up.size_of(segment));
    let rigid = |segment: usize| Segment { size: size(segment), mass: material.rigid_density * size(segment).product() };
    // A block is as high and wide as the smaller of its neighbours, less a little, so that plates stand out.
    let block = |block: usize| {
        let slim = size(block).inf(&size(block + 1)) * 0.9;
        Vector3::new(gap, slim.y, slim.z)
    };
    let chain = Chain::new(ChainSettings {
        segments: (0..segments).map(rigid).collect(),
        blocks: (0..segments - 1).map(block).collect(),
        cells: creature.cells,
        material: material::Material {
            density: material.soft_density,
            young: material.youngs_modulus,
            poisson: material.poissons_ratio,
            ..material::Material::JELLY
        },
        damping: Damping::RotationFree(material.damping_rate),
        patches: 2,
    })?;
    Ok((chain, walker))
}

/// The segments in a straight row, the head at its place.
fn straight(creature: &Creature) -> Vec<Pose> {
    let make_up = &creature.make_up;
    let ahead = creature.forward.normalize();
    let level = Vector3::y() - ahead * ahead.y;
    let up = level.try_normalize(1e-9).unwrap_or_else(Vector3::x);
    let rotation = UnitQuaternion::from_matrix(&nalgebra::Matrix3::from_columns(&[ahead, up, ahead.cross(&up)]));
    let mut place = creature.place + Vector3::y() * creature.drop;
    (0..make_up.segments)
        .map(|segment| {
            place -= ahead * make_up.link(segment);
            Pose { rotation, translation: place }
        })
        .collect()
}
