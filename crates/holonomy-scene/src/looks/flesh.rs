//! What is seen of a rig: the skin it brings, or else a tapered limb around each bone, a head, and what tells a cat or an astronaut from a
//! stick figure.
//!
//! Made once, with the joints at rest (without a skin: as in frame 0); every corner then follows one joint, or two (linear blend skinning). The file and the still both show it, so that they look alike.
//! A bone's radius is that of a round-ended limb of its length and mass with the density of water. Neighbours meet at the mean of their
//! radii, and ends are slimmer. Where a bone changes its length or swings about its own joint a limb would come apart at the far end: there
//! a slender octahedron runs from ball to ball.

use std::f64::consts::PI;

use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Bone, Clip, Influence, Rig, Skin};

use super::joints::joint_poses;
use super::mesh::Painted;
use super::solids::{Solid, ball, bone};
use super::{Color, Figure, Looks};
use crate::picture::PosedMesh;

/// Density of a body, kg/m³.
const DENSITY: f64 = 1000.0;
/// A far end that strays from its place by less than this share of the body's size does not move against its bone.
const STEADY: f64 = 2e-3;
/// Frames looked at to tell whether bones are steady.
const LOOKED_AT: usize = 200;

/// Triangles that follow the joints of a rig.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flesh {
    /// In the body's frame, with the joints at rest.
    pub solid: Solid,
    /// Per corner: the joints it follows.
    pub follows: Vec<Influence>,
    /// Per corner: its colour, if the figure gives it one and it has not the body's.
    pub colors: Vec<Option<Color>>,
    /// Per joint: from the body's frame to the joint's own at rest.
    pub unbind: Vec<Pose>,
    /// Largest radius of a limb, metres.
    pub reach: f64,
}

impl Flesh {
    /// The flesh of `rig`, whose joints are the vertices of `clip`, a body of `size` metres.
    pub fn new(clip: &Clip, rig: &Rig, size: f64, looks: &Looks) -> Flesh {
        if let Some(skin) = &rig.skin {
            return Flesh::of_skin(skin);
        }
        let Looks { figure, thickness, .. } = *looks;
        let at: Vec<Pose> = joint_poses(clip, rig, 0);
        let bones = if rig.bones.is_empty() { massless_bones(rig) } else { rig.bones.clone() };
        let radii: Vec<f64> = bones.iter().map(|bone| radius(bone, &at, size, thickness) * figure.girth()).collect();
        let joints = joint_radii(&bones, &radii, at.len(), thickness.is_some());
        let steady = steady_bones(clip, rig, &bones, size);
        let mut flesh = Flesh { unbind: at.iter().map(Pose::inverse).collect(), ..Flesh::default() };
        let mut balls = vec![false; at.len()];
        for (i, b) in bones.iter().enumerate() {
            let (from, to) = (at[b.from].translation, at[b.to].translation);
            if !steady[i] {
                flesh.octahedron(b, &from, &to, figure.color());
                (balls[b.from], balls[b.to]) = (true, true);
            } else if is_head(rig, &bones, b) {
                flesh.head(b, &at, radii[i] / figure.girth(), figure);
            } else {
                let along = Pose { rotation: onto(&(to - from)), translation: from };
                // A little slimmer at the near end: two round ends of one size in one place would flicker.
                let radii = [0.98 * joints[b.from], joints[b.to]];
                for (solid, color) in figure.limb(&rig.joints[b.to].name, &along, (to - from).norm(), radii) {
                    flesh.add(&solid, b.from, color);
                }
            }
        }
        for j in (0..at.len()).filter(|&j| balls[j]) {
            let mut solid = Solid::default();
            solid.append(&ball(1), joints[j], &at[j].translation);
            flesh.add(&solid, j, figure.color());
        }
        flesh.reach = joints.iter().copied().fold(0.0, f64::max);
        flesh
    }

    /// The triangles that a rig brings, smooth but for its creases.
    fn of_skin(skin: &Skin) -> Flesh {
        let (mesh, sources) = PosedMesh::creased(&skin.points, &skin.faces, [0.0; 3], skin.crease.cos());
        let colors: Vec<Color> = skin.finishes.iter().map(|&finish| skin.palette[usize::from(finish)]).collect();
        let painted = Painted::new(&mesh.triangles, &colors);
        let sources: Vec<u32> = painted.spread(&sources);
        let influence = |&v: &u32| skin.influences[v as usize];
        let reach = |(point, influence): (&Vector3<f64>, &Influence)| (point - skin.rest[influence.joints[0]].translation).norm();
        Flesh {
            follows: sources.iter().map(influence).collect(),
            reach: skin.points.iter().zip(&skin.influences).map(reach).fold(0.0, f64::max),
            solid: Solid { positions: painted.spread(&mesh.positions), normals: painted.spread(&mesh.normals), faces: painted.faces },
            colors: painted.colors.into_iter().map(Some).collect(),
            unbind: skin.rest.iter().map(Pose::inverse).collect(),
        }
    }

    /// Corners and unit normals when the joints stand at `poses`.
    pub fn posed(&self, poses: &[Pose]) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
        let moved: Vec<Pose> = poses.iter().zip(&self.unbind).map(|(pose, unbind)| *pose * *unbind).collect();
        let blend = |influence: &Influence, of: &dyn Fn(&Pose) -> Vector3<f64>| {
            let [a, b] = influence.joints.map(|j| of(&moved[j]));
            if influence.weights[1] == 0.0 { a } else { a * influence.weights[0] + b * influence.weights[1] }
        };
        let follows = || self.follows.iter();
        let corners = follows().zip(&self.solid.positions).map(|(follows, p)| blend(follows, &|pose| pose.act(p))).collect();
        let turned = |(follows, n): (&Influence, &Vector3<f64>)| {
            let sum = blend(follows, &|pose| pose.rotation * n);
            // Opposite turns may cancel out.
            sum.try_normalize(1e-9).unwrap_or_else(|| moved[follows.joints[0]].rotation * n)
        };
        (corners, follows().zip(&self.solid.normals).map(turned).collect())
    }

    fn add(&mut self, solid: &Solid, follows: usize, color: Option<Color>) {
        self.solid.append(solid, 1.0, &Vector3::zeros());
        self.follows.resize(self.solid.positions.len(), Influence::of(follows));
        self.colors.resize(self.solid.positions.len(), color);
    }

    fn octahedron(&mut self, b: &Bone, from: &Vector3<f64>, to: &Vector3<f64>, color: Option<Color>) {
        if let Some((solid, tips)) = bone(from, to) {
            self.add(&solid, b.from, color);
            let first = self.follows.len() - tips.len();
            self.follows[first..].iter_mut().zip(tips).filter(|(_, tip)| *tip).for_each(|(follows, _)| *follows = Influence::of(b.to));
        }
    }

    /// An ellipsoid from end to end of the bone, and what the figure wears or grows on it. `radius` is that of a limb of its mass.
    fn head(&mut self, b: &Bone, at: &[Pose], radius: f64, figure: Figure) {
        let (from, to) = (at[b.from].translation, at[b.to].translation);
        let length = (to - from).norm();
        let volume = PI * radius * radius * (length + 4.0 / 3.0 * radius);
        let half = (0.5 * length).max(0.9 * (0.75 * volume / PI).cbrt());
        let wide = (0.75 * volume / (PI * half)).sqrt();
        let center = from.lerp(&to, 0.5);
        let skull = Pose { rotation: onto(&(to - from)), translation: center };
        // Features go by the joint's own axes: up, ahead and to the left are +Y, +Z and +X there, whichever way the bone runs.
        let face = Pose { rotation: at[b.from].rotation, translation: center };
        for (solid, color) in figure.head(&skull, &face, wide, half) {
            self.add(&solid, b.from, color);
        }
    }
}

/// Bones of a rig that tells none: from every joint to its children.
fn massless_bones(rig: &Rig) -> Vec<Bone> {
    let tree = rig.joints.iter().enumerate().filter_map(|(to, joint)| joint.parent.map(|from| (from, to)));
    tree.map(|(from, to)| Bone { from, to, mass: 0.0, center: 0.5, gyration: 0.0, longitudinal_gyration: 0.0 }).collect()
}

/// Radius of a round-ended limb of this bone's mass and length: π r² (length + 4/3 r) = mass/density, by Newton's method, which comes down
/// to it from the ball of that mass; at most a tenth of the body's size. A bone without mass is slender.
fn radius(bone: &Bone, at: &[Pose], size: f64, thickness: Option<f64>) -> f64 {
    let length = (at[bone.to].translation - at[bone.from].translation).norm();
    let volume = bone.mass / DENSITY;
    if let Some(thickness) = thickness {
        return 0.5 * thickness;
    }
    if volume <= 0.0 {
        return (0.07 * length).clamp(0.004 * size, 0.02 * size);
    }
    let mut r = (0.75 * volume / PI).cbrt();
    for _ in 0..40 {
        r -= (PI * r * r * (length + 4.0 / 3.0 * r) - volume) / (PI * r * (2.0 * length + 4.0 * r));
    }
    r.clamp(0.002 * size, 0.1 * size)
}

/// At each joint the mean radius of the bones there; less at the end of a chain.
fn joint_radii(bones: &[Bone], radii: &[f64], joints: usize, even: bool) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0, false); joints];
    for (bone, radius) in bones.iter().zip(radii) {
        for j in [bone.from, bone.to] {
            sums[j].0 += radius;
            sums[j].1 += 1.0;
        }
        sums[bone.from].2 = true;
    }
    let mean = |(sum, count, goes_on): (f64, f64, bool)| {
        if goes_on || even { sum / f64::max(count, 1.0) } else { 0.8 * sum / f64::max(count, 1.0) }
    };
    sums.into_iter().map(mean).collect()
}

/// Whether each bone's far end keeps its place in the frame of its near end.
fn steady_bones(clip: &Clip, rig: &Rig, bones: &[Bone], size: f64) -> Vec<bool> {
    let stride = clip.frames().div_ceil(LOOKED_AT).max(1);
    let first = joint_poses(clip, rig, 0);
    let mut steady = vec![true; bones.len()];
    for k in (0..clip.frames()).step_by(stride) {
        let now = joint_poses(clip, rig, k);
        for (steady, bone) in steady.iter_mut().zip(bones) {
            let end = |poses: &[Pose]| poses[bone.from].inverse().act(&poses[bone.to].translation);
            *steady &= (end(&now) - end(&first)).norm() <= STEADY * size;
        }
    }
    steady
}

/// Whether a bone is a head: one of its ends is called so, and nothing hangs on it.
fn is_head(rig: &Rig, bones: &[Bone], bone: &Bone) -> bool {
    let called = |j: usize| rig.joints[j].name.to_ascii_lowercase().contains("head");
    (called(bone.from) || called(bone.to)) && !bones.iter().any(|other| other.from == bone.to)
}

/// The smallest rotation from +Y to `direction`.
fn onto(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    let half_turn = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
    UnitQuaternion::rotation_between(&Vector3::y(), direction).unwrap_or_else(half_turn)
}
