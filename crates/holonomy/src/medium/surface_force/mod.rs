//! Lift and drag on a surface, face by face, and the torque and force they sum to.
//!
//! Soliman 2024, Prop. 1, Eq. 6 and Alg. 2 with S5 and S6 of docs/ERRATA.md; all in the body frame. At the barycentre x of each face:
//!
//! ```text
//! u = ω×x + v + γ' − Rᵀ U(R x + b)
//! f = −s ½ ρ A |u| (u·n) n − s (3 η / 2a) A (6/7 u + 3/7 (u·n) n)
//! ```
//!
//! The first term is a plate's lift and drag together (c_l = sin 2α, c_d = 2 sin² α). The second is viscous drag, for small bodies: linear in u,
//! and fixed by two exact laws of Stokes flow. A sphere of radius a must feel 6πη a u, and a face must resist motion along its normal 3/2
//! times as much as motion along itself, as a disk does (Happel and Brenner 1965, Sec. 5-9); a is the radius of the sphere of equal area, which
//! approximates the electric capacity that sets the mean drag of convex bodies (Hubbard and Douglas 1993). Both terms simply add: for a sphere
//! the drag coefficient is 24/Re + 4/3, so the terms are equal at Re = 18.
//!
//! Limits. No face knows of any other: no wake, no shielding, no circulation. Viscous drag on a disk is 7 % high in both directions. A turning
//! sphere should feel 8πη a³ ω and feels 3/7 of it; a slender rod resists across 5/4 times as much as along itself, where theory says up to 2.
//!
//! | symbol | here | is |
//! |---|---|---|
//! | s | [`Sides`] | 1 for a closed surface, 2 for a sheet whose faces stand for both sides |
//! | A, n, x | `spread` = √(s A) n, `center` | area, normal, barycentre of a face |
//! | γ', U | `drift` = γ' − Rᵀ U | velocity of the shape in its own frame; flow of the fluid, world frame ([`FlowField`]) |
//! | ρ, η | [`Fluid`] | density and viscosity |

pub(crate) mod faces;
mod kernel;
mod secant;

use nalgebra::Vector3;

use super::{FlowField, Load};
use crate::Error;
use crate::lie::{Pose, Twist, Wrench};
use crate::shape::Pieces;
use crate::shape::lanes::FOUR;
use faces::{Faces, Measured, Shape, Sinks};
use kernel::{Answer, Block, Lanes, Question};

pub use secant::{Secant, SecantStep};

/// What a fluid is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// kg/m³.
    pub density: f64,
    /// Dynamic viscosity, Pa s. Zero leaves out viscous drag, as Soliman 2024 does.
    pub viscosity: f64,
}

/// Which fluid is where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fluids {
    /// The same everywhere.
    One(Fluid),
    /// Two, with a horizontal surface between them.
    Layered {
        /// Height of the surface, metres, world frame.
        level: f64,
        /// Water, mostly.
        below: Fluid,
        /// Air, mostly.
        above: Fluid,
    },
}

impl Fluids {
    /// The fluid at a place, world frame.
    pub fn at(&self, place: &Vector3<f64>) -> Fluid {
        match *self {
            Fluids::One(fluid) => fluid,
            Fluids::Layered { level, below, above } => {
                if place.y < level {
                    below
                } else {
                    above
                }
            }
        }
    }
}

/// Share of a triangle's area that lies below height zero, given the heights of its corners.
pub(crate) fn share_below(mut heights: [f64; 3]) -> f64 {
    heights.sort_by(f64::total_cmp);
    let [low, middle, high] = heights;
    match () {
        () if high <= 0.0 => 1.0,
        () if low >= 0.0 => 0.0,
        () if middle > 0.0 => (low / (middle - low)) * (low / (high - low)),
        () => 1.0 - (high / (high - low)) * (high / (high - middle)),
    }
}

/// What a face of the mesh stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// One side: the mesh is closed and has another face behind this one.
    One,
    /// Both sides of a sheet.
    Both,
}

/// Lift and drag of one body. Use: a shape ([`SurfaceForce::set_shape`], [`SurfaceForce::set_shape_with_velocities`]) once, or once per step; then
/// [`SurfaceForce::immerse`] once per step; then [`SurfaceForce::load`] for as many twists as the solver asks. No step allocates after the first.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceForce {
    faces: Faces,
    /// The faces in blocks of four, the last filled up with faces without area.
    blocks: Vec<Block>,
    /// γ' at the barycentres; empty for a rigid shape.
    shape_rate: Vec<[Lanes; 3]>,
    /// a, metres.
    radius: f64,
    /// Set by `immerse`: −Rᵀ U where it is the same for all faces.
    wind: Vector3<f64>,
    /// Set by `immerse`: γ' − Rᵀ U where U differs between faces, else empty.
    drift: Vec<[Lanes; 3]>,
    /// Set by `immerse`: density and viscosity where they differ between faces, else empty.
    media: Vec<[Lanes; 2]>,
    /// Set by `immerse`: where there is one fluid only.
    fluid: Fluid,
    /// Set by `immerse_by_share`: of faces that the surface between two fluids cuts, the part in the upper one; all else is about the part in the lower.
    cut: Cut,
}

/// Some faces once more, with what is true of the part of them above the surface.
#[derive(Debug, Clone, PartialEq, Default)]
struct Cut {
    /// Which faces.
    faces: Vec<usize>,
    /// As of all faces, the last block filled up with faces without area.
    blocks: Vec<Block>,
    drift: Vec<[Lanes; 3]>,
    media: Vec<[Lanes; 2]>,
}

impl Cut {
    fn clear(&mut self) {
        self.faces.clear();
        self.blocks.clear();
        self.drift.clear();
        self.media.clear();
    }
}

impl SurfaceForce {
    /// A surface with these faces, at rest in nothing.
    pub fn new(faces: Vec<[u32; 3]>, sides: Sides) -> SurfaceForce {
        let count = match sides {
            Sides::One => 1.0,
            Sides::Both => 2.0,
        };
        SurfaceForce::with_faces(Faces::new(&faces, |_| count))
    }

    /// A surface of solids and sheets, at rest in nothing.
    pub fn of_pieces(pieces: &Pieces) -> SurfaceForce {
        SurfaceForce::with_faces(Faces::new(&pieces.faces, |face| pieces.wet_sides(face as u32)))
    }

    fn with_faces(faces: Faces) -> SurfaceForce {
        let blocks = vec![Block::default(); faces.blocks()];
        let fluid = Fluid { density: 0.0, viscosity: 0.0 };
        let (shape_rate, drift, media, cut) = Default::default();
        SurfaceForce { faces, blocks, shape_rate, radius: 1.0, wind: Vector3::zeros(), drift, media, fluid, cut }
    }

    /// Gives it a rigid shape, metres.
    ///
    /// # Errors
    /// A face names a vertex that does not exist.
    pub fn set_shape(&mut self, points: &[Vector3<f64>]) -> Result<(), Error> {
        self.place(Shape::Rigid(points))
    }

    fn place(&mut self, shape: Shape) -> Result<(), Error> {
        let faces = std::mem::take(&mut self.faces);
        let measured = faces.measure(shape, self.sinks(&shape));
        self.faces = faces;
        self.set_size(&measured?);
        Ok(())
    }

    /// Where it wants to be told of a shape; [`SurfaceForce::set_size`] ends what this begins.
    pub(crate) fn sinks(&mut self, shape: &Shape) -> Sinks<'_> {
        match shape {
            Shape::Rigid(_) => self.shape_rate.clear(),
            Shape::Moving(..) => self.shape_rate.resize(self.blocks.len(), [[0.0; FOUR]; 3]),
        }
        Sinks { blocks: &mut self.blocks, rates: &mut self.shape_rate, ..Sinks::default() }
    }

    /// Refuses the faces of another surface, as far as numbers can tell.
    pub(crate) fn check_faces(&self, faces: &Faces) -> Result<(), Error> {
        let (expected, found) = (faces.len(), self.faces.len());
        if expected == found { Ok(()) } else { Err(Error::Length { what: "faces of the surface with lift and drag", expected, found }) }
    }

    /// Gives it a shape whose vertices move with `velocities`, m/s in the shape's frame.
    ///
    /// # Errors
    /// There is not one velocity per point, or a face names a vertex that does not exist.
    pub fn set_shape_with_velocities(&mut self, points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> Result<(), Error> {
        self.place(Shape::Moving(points, velocities))
    }

    pub(crate) fn set_size(&mut self, measured: &Measured) {
        let radius = (measured.area / (4.0 * std::f64::consts::PI)).sqrt();
        self.radius = if radius > 0.0 { radius } else { 1.0 };
    }

    /// Puts it into fluids that flow; a face is in the fluid that its barycentre is in. To second order in the time step, `pose` and `time` are those in
    /// the middle of the step.
    pub fn immerse(&mut self, fluids: &Fluids, flow: &FlowField, pose: &Pose, time: f64) {
        self.immerse_by(fluids, flow, pose, time, None);
    }

    /// The same, where of each face the share `wet` of its area is in the lower fluid: both push on a face that is cut, each with its own flow. Without
    /// shares, as [`immerse`](SurfaceForce::immerse).
    pub(crate) fn immerse_by_share(&mut self, wet: &[f64], fluids: &Fluids, flow: &FlowField, pose: &Pose, time: f64) {
        self.immerse_by(fluids, flow, pose, time, Some(wet).filter(|wet| wet.len() == self.faces.len()));
    }

    fn immerse_by(&mut self, fluids: &Fluids, flow: &FlowField, pose: &Pose, time: f64, wet: Option<&[f64]>) {
        let back = pose.rotation.inverse();
        let uniform = flow.uniform();
        let share = |block: usize, lane: usize, center: &Vector3<f64>| match (fluids, wet) {
            (Fluids::One(_), _) => 1.0,
            (_, Some(wet)) => wet.get(block * FOUR + lane).copied().unwrap_or(1.0),
            (Fluids::Layered { level, .. }, None) => f64::from(u8::from(pose.act(center).y < *level)),
        };
        self.wind = uniform.map_or_else(Vector3::zeros, |velocity| back * -velocity);
        self.drift.clear();
        self.media.clear();
        self.cut.clear();
        if uniform.is_none() {
            self.drift.extend_from_slice(&self.shape_rate);
            self.drift.resize(self.blocks.len(), [[0.0; FOUR]; 3]);
            for (b, (drift, block)) in self.drift.iter_mut().zip(&self.blocks).enumerate() {
                for lane in 0..FOUR {
                    let center = block.center(lane);
                    let flow = if wet.is_some() { flow.layer(share(b, lane, &center) > 0.0) } else { flow };
                    let flow = back * flow.velocity(&pose.act(&center), time);
                    (0..3).for_each(|axis| drift[axis][lane] -= flow[axis]);
                }
            }
        }
        let Fluids::Layered { below, above, .. } = *fluids else {
            if let Fluids::One(fluid) = *fluids {
                self.fluid = fluid;
            }
            return;
        };
        let dilute = |fluid: Fluid, share: f64| Fluid { density: fluid.density * share, viscosity: fluid.viscosity * share };
        for (b, block) in self.blocks.iter().enumerate() {
            let fluid: [Fluid; FOUR] = std::array::from_fn(|lane| match share(b, lane, &block.center(lane)) {
                0.0 => above,
                share => dilute(below, share),
            });
            self.media.push([fluid.map(|f| f.density), fluid.map(|f| f.viscosity)]);
        }
        for (face, &wet) in wet.unwrap_or_default().iter().enumerate().filter(|(_, wet)| **wet > 0.0 && **wet < 1.0) {
            let (of, lane, to) = (face / FOUR, face % FOUR, self.cut.faces.len() % FOUR);
            let Cut { faces, blocks, drift, media } = &mut self.cut;
            if to == 0 {
                blocks.push(Block::default());
                drift.push([[0.0; FOUR]; 3]);
                media.push([[0.0; FOUR]; 2]);
            }
            faces.push(face);
            let (Some(copy), Some(drift), Some([density, viscosity])) = (blocks.last_mut(), drift.last_mut(), media.last_mut()) else {
                continue;
            };
            let block = &self.blocks[of];
            let flow = back * flow.layer(false).velocity(&pose.act(&block.center(lane)), time);
            for axis in 0..3 {
                (copy.center[axis][to], copy.spread[axis][to]) = (block.center[axis][lane], block.spread[axis][lane]);
                let rate = self.shape_rate.get(of).map_or(0.0, |rate| rate[axis][lane]);
                drift[axis][to] = if uniform.is_none() { rate - flow[axis] } else { rate };
            }
            let dry = dilute(above, 1.0 - wet);
            (density[to], viscosity[to]) = (dry.density, dry.viscosity);
        }
    }

    /// Torque about the body's origin and force, body frame, of a body with this twist.
    pub fn wrench(&self, twist: &Twist) -> Wrench {
        self.ask::<false>(twist, &mut []).wrench
    }

    /// The wrench and its derivative by the twist: three times the work of the wrench alone. The derivative changes slowly; on a large mesh
    /// a solver that asks often is better served by a [`Secant`].
    pub fn load(&self, twist: &Twist) -> Load {
        let Answer { wrench, by_twist } = self.ask::<true>(twist, &mut []);
        Load { wrench, by_twist }
    }

    /// The force on each face, body frame, N, in the order of the faces.
    pub fn face_forces(&self, twist: &Twist, out: &mut Vec<Vector3<f64>>) {
        out.clear();
        out.resize(self.faces.len(), Vector3::zeros());
        self.ask::<false>(twist, out);
    }

    /// Reynolds number of a body whose middle is its origin and moves with this twist: speed against the fluid, twice the radius of equal area.
    /// Infinite without viscosity.
    pub fn reynolds(&self, twist: &Twist, fluid: &Fluid) -> f64 {
        match fluid.viscosity {
            0.0 => f64::INFINITY,
            viscosity => fluid.density * (twist.linear + self.wind).norm() * 2.0 * self.radius / viscosity,
        }
    }

    fn ask<const DERIVATIVE: bool>(&self, twist: &Twist, forces: &mut [Vector3<f64>]) -> Answer {
        let factors = [0.5, 1.5 / self.radius];
        let twist = Twist::new(twist.angular, twist.linear + self.wind);
        let fluid = [self.fluid.density * factors[0], self.fluid.viscosity * factors[1]];
        let drift = if self.drift.is_empty() { &self.shape_rate } else { &self.drift };
        let asked = !forces.is_empty();
        let whole = Question { blocks: &self.blocks, twist, drift, fluid, media: &self.media, factors, forces: &mut *forces };
        let mut sum = whole.answer::<DERIVATIVE>();
        let Cut { faces, blocks, drift, media } = &self.cut;
        if faces.is_empty() {
            return sum;
        }
        if !asked {
            return sum + Question { blocks, twist, drift, fluid, media, factors, forces: &mut [] }.answer::<DERIVATIVE>();
        }
        for (i, some) in faces.chunks(FOUR).enumerate() {
            let (mut of_block, one) = ([Vector3::zeros(); FOUR], i..i + 1);
            let question = Question {
                blocks: &blocks[one.clone()],
                twist,
                drift: &drift[one.clone()],
                fluid,
                media: &media[one],
                factors,
                forces: &mut of_block,
            };
            sum = sum + question.answer::<DERIVATIVE>();
            some.iter().zip(of_block).for_each(|(&face, force)| forces[face] += force);
        }
        sum
    }
}
