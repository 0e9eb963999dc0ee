//! Skins: what is seen of a rig that brings its own triangles. Each corner follows one joint, or two at once (linear blend skinning), as in
//! glTF 2.0, section 3.7.3: a corner x goes to Σ weight · (joint now) (joint at rest)⁻¹ x.

use nalgebra::{UnitQuaternion, Vector3};

use crate::Error;
use crate::lie::Pose;

/// Triangles that follow the joints of a rig. Nothing here changes the physics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skin {
    /// Where each joint is when the corners are at `points`: in the shape's own frame, metres. Frame 0 of a clip may differ.
    pub rest: Vec<Pose>,
    /// Corners at rest, in the shape's own frame, metres.
    pub points: Vec<Vector3<f64>>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// What each corner follows.
    pub influences: Vec<Influence>,
    /// The colour of each triangle: its number in `palette`.
    pub finishes: Vec<u8>,
    /// Colours: sRGB, each channel 0 to 1. The first stands for the whole where one colour has to do.
    pub palette: Vec<[f64; 3]>,
    /// Faces that meet at a larger angle than this keep an edge between them, radians, 0 to π.
    pub crease: f64,
}

/// The joints that a corner follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Two joints; the second does not count if its weight is zero.
    pub joints: [usize; 2],
    /// How much each of them counts: zero or more, together 1.
    pub weights: [f64; 2],
}

impl Influence {
    /// One joint alone.
    pub const fn of(joint: usize) -> Influence {
        Influence { joints: [joint, joint], weights: [1.0, 0.0] }
    }

    /// Between two joints: `share` of the second, 0 to 1.
    pub fn between(first: usize, second: usize, share: f64) -> Influence {
        let share = share.clamp(0.0, 1.0);
        Influence { joints: [first, second], weights: [1.0 - share, share] }
    }
}

/// Weights may miss 1 by this much: round-off.
const ROUND_OFF: f64 = 1e-9;

impl Skin {
    /// The corners when the joints stand at `joints` (as many as at rest), in the frame in which these are given, metres.
    pub fn posed(&self, joints: &[Pose]) -> Vec<Vector3<f64>> {
        let moved: Vec<Pose> = joints.iter().zip(&self.rest).map(|(now, rest)| *now * rest.inverse()).collect();
        let place = |(point, influence): (&Vector3<f64>, &Influence)| {
            let [a, b] = influence.joints.map(|j| moved[j].act(point));
            a * influence.weights[0] + b * influence.weights[1]
        };
        self.points.iter().zip(&self.influences).map(place).collect()
    }

    /// The same skin, `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Skin {
        let rest = self.rest.iter().map(|pose| Pose { translation: pose.translation * factor, ..*pose }).collect();
        Skin { rest, points: self.points.iter().map(|point| point * factor).collect(), ..self.clone() }
    }

    /// Checks a skin of a rig of so many joints.
    pub(super) fn validate(&self, joints: usize) -> Result<(), Error> {
        if self.faces.is_empty() {
            return Err(Error::Empty { what: "the triangles of the skin", fix: "give it at least one, or the rig no skin" });
        }
        let fits = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        fits("poses of joints at rest, of the skin", joints, self.rest.len())?;
        fits("influences of the skin", self.points.len(), self.influences.len())?;
        fits("finishes of the skin", self.faces.len(), self.finishes.len())?;
        let vertices = self.points.len();
        for (index, face) in self.faces.iter().enumerate() {
            if let Some(&vertex) = face.iter().find(|&&v| v as usize >= vertices) {
                return Err(Error::VertexOutOfRange { what: "face of the skin", index, vertex: vertex as usize, vertices });
            }
        }
        for (index, influence) in self.influences.iter().enumerate() {
            influence.validate(index, joints)?;
        }
        self.validate_numbers()
    }

    fn validate_numbers(&self) -> Result<(), Error> {
        let colors = self.palette.len() as f64;
        if let Some(&finish) = self.finishes.iter().find(|&&finish| usize::from(finish) >= self.palette.len()) {
            return Error::unless(
                f64::from(finish) < colors,
                "finish of the skin",
                f64::from(finish),
                "the number of a colour of its palette",
            );
        }
        for &channel in self.palette.as_flattened() {
            Error::unless((0.0..=1.0).contains(&channel), "colour of the skin", channel, "0 to 1")?;
        }
        Error::unless((0.0..=std::f64::consts::PI).contains(&self.crease), "crease of the skin", self.crease, "an angle from 0 to π")?;
        for &x in self.points.iter().flat_map(|point| point.iter()) {
            Error::unless(x.is_finite(), "coordinate of the skin", x, "a finite number of metres")?;
        }
        let unit = |rotation: &UnitQuaternion<f64>| (rotation.norm() - 1.0).abs() < ROUND_OFF;
        let bad = self.rest.iter().position(|pose| !(pose.is_finite() && unit(&pose.rotation)));
        bad.map_or(Ok(()), |joint| {
            Error::unless(false, "joint of the skin at rest", joint as f64, "finite, and turned by a unit quaternion")
        })
    }
}

impl Influence {
    fn validate(&self, index: usize, joints: usize) -> Result<(), Error> {
        if let Some(&vertex) = self.joints.iter().find(|&&joint| joint >= joints) {
            return Err(Error::VertexOutOfRange { what: "influence of the skin", index, vertex, vertices: joints });
        }
        let [a, b] = self.weights;
        let sound = a >= 0.0 && b >= 0.0 && (a + b - 1.0).abs() <= ROUND_OFF;
        Error::unless(sound, "weights of a corner of the skin, together", a + b, "1, and none of them negative")
    }
}
