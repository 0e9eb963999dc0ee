//! Vehicles to look at: surfaces with parts that turn, such as rotors and wheels.
//!
//! Those that fly, dive and float look along +Z, with their left at +X and up at +Y, as the crafts of `systems::vehicle` do. Those on wheels go along +X, with their left
//! at −Z; their wheels touch y = 0. Each model is a few sizes, of which [`VehicleModel`] is made.

mod boat;
mod build;
mod car;
mod helicopter;
mod quadrotor;
mod snakeboard;
mod underwater;

use std::ops::Range;

use nalgebra::{Unit, UnitQuaternion, Vector3};

pub use boat::MotorBoat;
pub use car::{CarBody, TrailerBody};
pub use helicopter::HelicopterBody;
pub use quadrotor::QuadrotorBody;
pub use snakeboard::SnakeboardBody;
pub use underwater::UnderwaterBody;

use super::gait;
use crate::Error;
use crate::lie::Pose;
use crate::shape::{Clip, Playback, Topology};

/// What a face looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// Painted body.
    Paint,
    /// A second paint: stripes, decks.
    Accent,
    /// Windows.
    Glass,
    /// Bare metal.
    Metal,
    /// Rubber and other dark stuff.
    Rubber,
    /// Wood, skin and other warm stuff.
    Warm,
}

/// A part that turns about an axis, together with the parts that it carries.
#[derive(Debug, Clone, PartialEq)]
pub struct MovingPart {
    /// Its name, `kebab-case`.
    pub name: &'static str,
    /// The part that carries it, which comes before it in the list; `None`: the body.
    pub parent: Option<usize>,
    /// The vertices that turn with it, those of the parts that it carries included.
    pub vertices: Range<usize>,
    /// A point on the axis, at rest, metres.
    pub point: Vector3<f64>,
    /// The axis at rest, of unit length. Positive angles are counter-clockwise seen from where it points.
    pub axis: Vector3<f64>,
}

/// A vehicle's surface at rest and what of it turns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VehicleModel {
    /// Vertices, metres.
    pub points: Vec<Vector3<f64>>,
    /// Triangles, outwards.
    pub faces: Vec<[u32; 3]>,
    /// What each face looks like.
    pub finishes: Vec<Finish>,
    /// Carriers before what they carry.
    pub parts: Vec<MovingPart>,
}

impl VehicleModel {
    /// The place of a part in the list, by its name.
    pub fn part(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.name == name)
    }

    /// Writes the vertices of one frame, body frame: each part is turned by its angle (rad, in the order of [`VehicleModel::parts`]) after being carried by its parent.
    ///
    /// # Errors
    /// There is not one angle per part or not one place per vertex; an angle is not finite; or a part names vertices or a parent that are not there.
    pub fn place(&self, angles: &[f64], out: &mut [Vector3<f64>]) -> Result<(), Error> {
        let fits = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        fits("angles of moving parts", self.parts.len(), angles.len())?;
        fits("positions of vertices", self.points.len(), out.len())?;
        out.copy_from_slice(&self.points);
        let mut poses: Vec<Pose> = Vec::with_capacity(self.parts.len());
        for (index, (part, &angle)) in self.parts.iter().zip(angles).enumerate() {
            gait::finite("angle of a moving part", angle)?;
            let carrier = match part.parent {
                None => Pose::identity(),
                Some(parent) => match poses.get(parent) {
                    Some(pose) => *pose,
                    None => {
                        return Err(Error::Parameter {
                            name: "carrier of a moving part",
                            value: parent as f64,
                            expected: "a part before it",
                        });
                    }
                },
            };
            let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(part.axis), angle);
            let pose = carrier * Pose::from_rotation_translation(turn, part.point - turn * part.point);
            let vertices = self.points.len();
            let (Some(from), Some(to)) = (self.points.get(part.vertices.clone()), out.get_mut(part.vertices.clone())) else {
                let vertex = part.vertices.end.saturating_sub(1);
                return Err(Error::VertexOutOfRange { what: "moving part", index, vertex, vertices });
            };
            // Carriers come first, so what a part carries is written again after it.
            for (to, from) in to.iter_mut().zip(from) {
                *to = pose.act(from);
            }
            poses.push(pose);
        }
        Ok(())
    }

    /// At rest: a loop of one frame, `1 / fps` seconds long.
    ///
    /// # Errors
    /// `fps` is not a positive number.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("fps", fps)?;
        Clip::new(self.topology(), Playback::Loop, 1.0 / fps, self.points.len(), self.points.clone())
    }

    /// As its parts turn: a frame every `dt` seconds for each list of angles. It ends.
    ///
    /// # Errors
    /// As [`VehicleModel::place`]; or there are no frames, or `dt` is not a positive number.
    pub fn over_time(&self, dt: f64, angles: &[Vec<f64>]) -> Result<Clip, Error> {
        gait::positive("dt", dt)?;
        let vertices = self.points.len();
        let mut positions = vec![Vector3::zeros(); vertices * angles.len()];
        for (frame, out) in angles.iter().zip(positions.chunks_mut(vertices.max(1))) {
            self.place(frame, out)?;
        }
        Clip::new(self.topology(), Playback::Once, dt, vertices, positions)
    }

    fn topology(&self) -> Topology {
        Topology::Surface { faces: self.faces.clone() }
    }
}
