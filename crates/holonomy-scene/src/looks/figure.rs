//! Who a rig is: colours, girth, and the features of its head.

use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};

use super::Color;
use super::solids::{Solid, ellipsoid, limb};

/// Who a rig is, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Figure {
    /// Limbs and a head in the body's colour.
    #[default]
    Plain,
    /// A person in a bathing suit and cap.
    Diver,
    /// A person in a white suit with helmet and backpack.
    Astronaut,
    /// Ears and a muzzle.
    Cat,
}

const SKIN: Color = [0.86, 0.62, 0.47];
const BATHING: Color = [0.10, 0.28, 0.50];
const CAP: Color = [0.78, 0.20, 0.18];
const SUIT: Color = [0.90, 0.90, 0.88];
const VISOR: Color = [0.16, 0.20, 0.30];
const TRIM: Color = [0.87, 0.45, 0.18];
const FUR: Color = [0.80, 0.48, 0.22];
const WHITE: Color = [0.95, 0.92, 0.87];
const EYE: Color = [0.13, 0.13, 0.12];

impl Figure {
    /// How much thicker its limbs are than flesh alone.
    pub(super) fn girth(self) -> f64 {
        match self {
            Figure::Astronaut => 1.35, // a suit
            Figure::Cat => 1.2,        // fur
            Figure::Plain | Figure::Diver => 1.0,
        }
    }

    /// The colour of most of it, if that is not the body's.
    pub(super) fn color(self) -> Option<Color> {
        match self {
            Figure::Plain => None,
            Figure::Diver => Some(SKIN),
            Figure::Astronaut => Some(SUIT),
            Figure::Cat => Some(FUR),
        }
    }

    /// The limb of the bone that ends at the joint called `end`: from the origin of `at` along its +Y, with the radii at both ends, metres.
    pub(super) fn limb(self, end: &str, at: &Pose, length: f64, radii: [f64; 2]) -> Vec<(Solid, Option<Color>)> {
        let plain = || limb(at, length, radii, [1.0, 1.0]);
        let girth = radii[1];
        let on = |x: f64, y: f64, z: f64| Pose { translation: at.act(&Vector3::new(x * girth, y * length, z * girth)), ..*at };
        let torso = || ellipsoid(&on(0.0, 0.75, 0.0), [2.0 * girth, 0.85 * length, 1.3 * girth]);
        match (self, end) {
            (Figure::Diver, "Chest") => vec![(torso(), Some(BATHING))],
            (Figure::Diver, "LeftHip" | "RightHip") => vec![(plain(), Some(BATHING))],
            (Figure::Astronaut, "Chest") => {
                let pack = limb(&on(0.0, 0.3, -1.55), 0.85 * length, [0.9 * girth; 2], [1.6, 0.75]);
                vec![(torso(), Some(SUIT)), (pack, Some(SUIT))]
            }
            (Figure::Astronaut, "LeftHand" | "RightHand" | "LeftToe" | "RightToe") => vec![(plain(), Some(TRIM))],
            (Figure::Cat, "Loin" | "Back" | "Withers" | "Chest" | "Belly" | "Flank" | "Croup" | "Pelvis") => {
                vec![(limb(at, length, radii, [1.15, 1.35]), Some(FUR))]
            }
            (Figure::Cat, paw) if paw.ends_with("paw") => vec![(plain(), Some(WHITE))],
            _ => vec![(plain(), self.color())],
        }
    }

    /// The head: an ellipsoid, `half` its length along the Y of `skull` and `wide` across, and what is on it by the axes of `face`
    /// (left, up, ahead), both centred on the head; metres.
    pub(super) fn head(self, skull: &Pose, face: &Pose, wide: f64, half: f64) -> Vec<(Solid, Option<Color>)> {
        let bare = (ellipsoid(skull, [wide, half, wide]), self.color());
        let at = |x: f64, y: f64, z: f64| Pose { translation: face.act(&(Vector3::new(x, y, z) * wide)), ..*face };
        let egg = |at: Pose, half: [f64; 3]| ellipsoid(&at, half.map(|h| h * wide));
        match self {
            Figure::Plain => vec![bare],
            Figure::Diver => vec![
                bare,
                (egg(at(0.0, 0.34, -0.13), [1.04, 1.06, 1.0]), Some(CAP)),
                (egg(at(0.0, -0.12, 0.98), [0.13, 0.2, 0.16]), Some(SKIN)),
            ],
            Figure::Astronaut => {
                vec![(egg(at(0.0, 0.05, 0.0), [1.5, 1.5, 1.5]), Some(SUIT)), (egg(at(0.0, 0.12, 0.36), [1.32, 1.1, 1.28]), Some(VISOR))]
            }
            Figure::Cat => {
                let mut parts = vec![
                    (egg(at(0.0, 0.0, 0.0), [1.0, 0.86, 0.92]), Some(FUR)),
                    (egg(at(0.0, -0.28, 0.72), [0.5, 0.36, 0.42]), Some(WHITE)),
                ];
                parts.push((egg(at(0.0, -0.12, 1.1), [0.13, 0.09, 0.09]), Some(EYE)));
                for side in [1.0, -1.0] {
                    let mut ear = at(0.5 * side, 0.5, -0.05);
                    ear.rotation *= UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -0.35 * side);
                    parts.push((limb(&ear, 0.85 * wide, [0.36 * wide, 0.04 * wide], [1.0, 0.45]), Some(FUR)));
                    parts.push((egg(at(0.4 * side, 0.16, 0.78), [0.13, 0.13, 0.1]), Some(EYE)));
                }
                parts
            }
        }
    }
}
