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

mod kernel;

use nalgebra::Vector3;

use super::{FlowField, Load};
use crate::Error;
use crate::lie::{Pose, Twist, Wrench};
use crate::shape::Pieces;
use kernel::{Block, LANES, Lanes, Sums};

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
    /// Two, with a horizontal surface between them. A face is in the fluid its barycentre is in.
    Layered {
        /// Height of the surface, metres, world frame.
        level: f64,
        /// Water, mostly.
        below: Fluid,
        /// Air, mostly.
        above: Fluid,
    },
}

/// What a face of the mesh stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// One side: the mesh is closed and has another face behind this one.
    One,
    /// Both sides of a sheet.
    Both,
}

/// Lift and drag of one body. Use: a shape ([`SurfaceForce::set_shape`], [`SurfaceForce::set_moving_shape`]) once, or once per step; then
/// [`SurfaceForce::immerse`] once per step; then [`SurfaceForce::load`] for as many twists as the solver asks. No step allocates after the first.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceForce {
    faces: Vec<[u32; 3]>,
    /// s of each face.
    sides: Vec<f64>,
    /// The faces in groups of [`LANES`], the last filled up with faces without area.
    blocks: Vec<Block>,
    /// γ' at the barycentres; empty for a rigid shape.
    shape_rate: Vec<[Lanes; 3]>,
    /// a, metres.
    radius: f64,
    /// Set by `immerse`: −Rᵀ U where it is the same for all faces.
    wind: Vector3<f64>,
    /// Set by `immerse`: γ' − Rᵀ U, or empty where that is zero for all.
    drift: Vec<[Lanes; 3]>,
    /// Set by `immerse`: density and viscosity where they differ between faces, else empty.
    media: Vec<[Lanes; 2]>,
    /// Set by `immerse`: where there is one fluid only.
    fluid: Fluid,
}

impl SurfaceForce {
    /// A surface with these faces, at rest in nothing.
    pub fn new(faces: Vec<[u32; 3]>, sides: Sides) -> SurfaceForce {
        let count = match sides {
            Sides::One => 1.0,
            Sides::Both => 2.0,
        };
        let sides = vec![count; faces.len()];
        SurfaceForce::with_sides(faces, sides)
    }

    /// A surface of solids and sheets, at rest in nothing.
    pub fn of_pieces(pieces: &Pieces) -> SurfaceForce {
        SurfaceForce::with_sides(pieces.faces.clone(), (0..pieces.faces.len() as u32).map(|face| pieces.wet_sides(face)).collect())
    }

    fn with_sides(faces: Vec<[u32; 3]>, sides: Vec<f64>) -> SurfaceForce {
        let blocks = vec![Block::default(); faces.len().div_ceil(LANES)];
        let fluid = Fluid { density: 0.0, viscosity: 0.0 };
        let (shape_rate, drift, media) = Default::default();
        SurfaceForce { faces, sides, blocks, shape_rate, radius: 1.0, wind: Vector3::zeros(), drift, media, fluid }
    }

    /// Gives it a rigid shape, metres.
    ///
    /// # Errors
    /// A face names a vertex that does not exist.
    pub fn set_shape(&mut self, points: &[Vector3<f64>]) -> Result<(), Error> {
        self.shape_rate.clear();
        self.place_faces(points.len(), |v| points[v])
    }

    /// Gives it the shape half way between two, and their difference over `time_step` as its velocity.
    ///
    /// # Errors
    /// The shapes have different numbers of vertices, or a face names one that does not exist.
    pub fn set_moving_shape(&mut self, old: &[Vector3<f64>], new: &[Vector3<f64>], time_step: f64) -> Result<(), Error> {
        if old.len() != new.len() {
            return Err(Error::Length { what: "vertices of the next shape", expected: old.len(), found: new.len() });
        }
        self.place_faces(old.len(), |v| (old[v] + new[v]) * 0.5)?;
        self.shape_rate.resize(self.blocks.len(), [[0.0; LANES]; 3]);
        let third = 1.0 / (3.0 * time_step);
        for (face, (i, lane)) in self.faces.iter().zip(slots()) {
            let rate = face.iter().map(|&v| new[v as usize] - old[v as usize]).sum::<Vector3<f64>>() * third;
            put(&mut self.shape_rate[i], lane, &rate);
        }
        Ok(())
    }

    /// Puts it into fluids that flow. To second order in the time step, `pose` and `time` are those in the middle of the step.
    pub fn immerse(&mut self, fluids: &Fluids, flow: &FlowField, pose: &Pose, time: f64) {
        let back = pose.rotation.inverse();
        let uniform = flow.uniform();
        self.wind = uniform.map_or_else(Vector3::zeros, |velocity| back * -velocity);
        self.drift.clear();
        self.drift.extend_from_slice(&self.shape_rate);
        if uniform.is_none() {
            self.drift.resize(self.blocks.len(), [[0.0; LANES]; 3]);
            for (drift, block) in self.drift.iter_mut().zip(&self.blocks) {
                for lane in 0..LANES {
                    let flow = back * flow.velocity(&pose.act(&block.center(lane)), time);
                    (0..3).for_each(|axis| drift[axis][lane] -= flow[axis]);
                }
            }
        }
        self.media.clear();
        match *fluids {
            Fluids::One(fluid) => self.fluid = fluid,
            Fluids::Layered { level, below, above } => self.media.extend(self.blocks.iter().map(|block| {
                let fluid: [Fluid; LANES] = std::array::from_fn(|lane| if pose.act(&block.center(lane)).y < level { below } else { above });
                [fluid.map(|f| f.density), fluid.map(|f| f.viscosity)]
            })),
        }
    }

    /// Torque about the body's origin and force, body frame, of a body with this twist.
    pub fn wrench(&self, twist: &Twist) -> Wrench {
        self.sum::<false>(twist, |_, _| ()).wrench()
    }

    /// The wrench and its derivative by the twist: three times the work of the wrench alone. The derivative changes slowly: on a large mesh
    /// it pays to keep it for some steps and to ask for the wrench only.
    pub fn load(&self, twist: &Twist) -> Load {
        let sums = self.sum::<true>(twist, |_, _| ());
        Load { wrench: sums.wrench(), by_twist: sums.by_twist() }
    }

    /// The force on each face, body frame, N, in the order of the faces.
    pub fn face_forces(&self, twist: &Twist, out: &mut Vec<Vector3<f64>>) {
        out.clear();
        out.resize(self.blocks.len() * LANES, Vector3::zeros());
        self.sum::<false>(twist, |i, force| {
            for lane in 0..LANES {
                out[i * LANES + lane] = Vector3::new(force[0][lane], force[1][lane], force[2][lane]);
            }
        });
        out.truncate(self.faces.len());
    }

    /// Reynolds number at this twist: speed of the body's origin against the fluid, twice the radius of equal area. Infinite without viscosity.
    pub fn reynolds(&self, twist: &Twist, fluid: &Fluid) -> f64 {
        fluid.density * (twist.linear + self.wind).norm() * 2.0 * self.radius / fluid.viscosity
    }

    fn place_faces(&mut self, vertices: usize, point: impl Fn(usize) -> Vector3<f64>) -> Result<(), Error> {
        let mut area = 0.0;
        for ((index, face), (i, lane)) in self.faces.iter().enumerate().zip(slots()) {
            if let Some(&vertex) = face.iter().find(|&&v| v as usize >= vertices) {
                return Err(Error::VertexOutOfRange { what: "face", index, vertex: vertex as usize, vertices });
            }
            let [a, b, c] = face.map(|v| point(v as usize));
            let normal = (b - a).cross(&(c - a)) * 0.5;
            let size = normal.norm();
            area += self.sides[index] * size;
            let spread = if size > 0.0 { normal * (self.sides[index] / size).sqrt() } else { Vector3::zeros() };
            put(&mut self.blocks[i].center, lane, &((a + b + c) / 3.0));
            put(&mut self.blocks[i].spread, lane, &spread);
        }
        let radius = (area / (4.0 * std::f64::consts::PI)).sqrt();
        self.radius = if radius > 0.0 { radius } else { 1.0 };
        Ok(())
    }

    fn sum<const DERIVATIVE: bool>(&self, twist: &Twist, each: impl FnMut(usize, &[Lanes; 3])) -> Sums {
        let twist = Twist::new(twist.angular, twist.linear + self.wind);
        let inertial = 0.5;
        let viscous = 1.5 / self.radius;
        let still = [[0.0; LANES]; 3];
        let one = ([inertial * self.fluid.density; LANES], [viscous * self.fluid.viscosity; LANES]);
        let local = |i: usize| match self.media.get(i) {
            Some([density, viscosity]) => (density.map(|x| x * inertial), viscosity.map(|x| x * viscous)),
            None => one,
        };
        let blocks = &self.blocks;
        match (self.drift.is_empty(), self.media.is_empty()) {
            (true, true) if self.fluid.viscosity == 0.0 => {
                kernel::sum::<DERIVATIVE, false>(blocks, &twist, |_| (still, one.0, one.1), each)
            }
            (true, _) => kernel::sum::<DERIVATIVE, true>(blocks, &twist, |i| (still, local(i).0, local(i).1), each),
            (false, true) if self.fluid.viscosity == 0.0 => {
                kernel::sum::<DERIVATIVE, false>(blocks, &twist, |i| (self.drift[i], one.0, one.1), each)
            }
            (false, _) => kernel::sum::<DERIVATIVE, true>(blocks, &twist, |i| (self.drift[i], local(i).0, local(i).1), each),
        }
    }
}

/// Block and lane of face 0, 1, 2, ….
fn slots() -> impl Iterator<Item = (usize, usize)> {
    (0..).map(|face: usize| (face / LANES, face % LANES))
}

fn put(lanes: &mut [Lanes; 3], lane: usize, vector: &Vector3<f64>) {
    (0..3).for_each(|axis| lanes[axis][lane] = vector[axis]);
}
