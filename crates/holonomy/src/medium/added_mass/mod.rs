//! Added mass: the fluid that a body has to move along with itself (Kirchhoff 1870; Soliman 2024, Sec. 4.2 and Algs. 5, 6).
//!
//! A body that moves with the twist Y while its shape changes with the velocity γ' gives the fluid the momentum `K_f Y + μ_f` and the kinetic
//! energy `½ Yᵀ K_f Y + μ_f·Y + E⁰`. Three models give these, from cheap to exact:
//!
//! | model | what it is | cost |
//! |---|---|---|
//! | [`AddedMass::Local`] | Soliman's: a layer of fluid of depth δ moves with the surface, δ = area / total mean curvature of the whole body | one pass |
//! | [`AddedMass::Parts`] | the same with a depth for each connected piece | one pass |
//! | [`AddedMass::BoundaryElement`] | the potential flow around the body, solved | faces² |
//!
//! A surface is split into connected pieces. A closed piece has fluid outside; an open one is a sheet with fluid on both sides. What had to be
//! decided or mended to get there is told in [`Note`]s.
//!
//! ```
//! use holonomy::medium::added_mass::{AddedMass, FluidDensity};
//! use holonomy::nalgebra::Vector3;
//!
//! // A plate of one square metre in water, from two triangles: Soliman 2024, Table 1 gives 2a²b²/(π(a + b)) across it.
//! let points = [(0., 0.), (1., 0.), (1., 1.), (0., 1.)].map(|(x, y)| Vector3::new(x, y, 0.));
//! let mut state = AddedMass::Local.prepare(&points, &[[0, 1, 2], [0, 2, 3]])?;
//! let fluid = state.evaluate(&points, None, FluidDensity::Uniform(1000.0))?;
//! assert!((fluid.tensor[(5, 5)] - 1000.0 / std::f64::consts::PI).abs() < 1e-9);
//! # Ok::<(), holonomy::Error>(())
//! ```

mod boundary_element;
mod conjugate_gradient;
mod local;
mod panel;
mod rim;

use nalgebra::{Matrix6, Vector3, Vector6};

pub use crate::shape::Note;

use self::boundary_element::BoundaryElementState;
use self::local::LocalState;
use crate::Error;
use crate::lie::{Momentum, Twist};
use crate::medium::SurfaceForce;
use crate::shape::Pieces;

/// Which model of the added mass to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddedMass {
    /// One depth for the whole body, as Soliman 2024. Exact for a sphere and across a long cylinder; within a factor of two for plates.
    #[default]
    Local,
    /// A depth for each connected piece of the body.
    Parts,
    /// The exact Kirchhoff tensor of the mesh, up to discretisation. Time grows with the square of the number of faces, memory as well.
    BoundaryElement,
}

/// Density of the fluid, kg/m³.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FluidDensity<'a> {
    /// The same everywhere.
    Uniform(f64),
    /// At each face: a body partly in water, partly in air.
    PerFace(&'a [f64]),
}

/// What the fluid adds to a body, in the shape's frame about its origin, order (angular, linear).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidInertia {
    /// K_f: kg m², kg m, kg. Symmetric, positive semi-definite.
    pub tensor: Matrix6<f64>,
    /// μ_f: momentum of the fluid when only the shape changes.
    pub momentum: Momentum,
    /// E⁰: kinetic energy of the fluid when only the shape changes, J.
    pub energy: f64,
}

/// A model made ready for one surface: keeps its connectivity and its memory from shape to shape.
#[derive(Debug, Clone)]
pub struct AddedMassState {
    model: Model,
    vertices: usize,
    faces: usize,
    notes: Vec<Note>,
}

#[derive(Debug, Clone)]
enum Model {
    Local(LocalState),
    BoundaryElement(BoundaryElementState),
}

impl AddedMass {
    /// Makes the model ready for the surface `faces`, which `points` show in its first shape.
    ///
    /// # Errors
    /// There are no faces with area, a face names a vertex that is not there, a position is not finite, or the surface does not suit the model.
    pub fn prepare(&self, points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<AddedMassState, Error> {
        let (pieces, notes) = Pieces::of(points, faces)?;
        let model = match self {
            AddedMass::Local => Model::Local(LocalState::whole(pieces)),
            AddedMass::Parts => Model::Local(LocalState::by_piece(pieces)),
            AddedMass::BoundaryElement => Model::BoundaryElement(BoundaryElementState::new(pieces, &notes)?),
        };
        Ok(AddedMassState { model, vertices: points.len(), faces: faces.len(), notes })
    }
}

impl AddedMassState {
    /// The added mass of the shape `points`, whose vertices move with `velocities` (m/s, in the shape's frame; `None` for a rigid shape).
    ///
    /// # Errors
    /// The lists do not fit the surface, a number is not finite, a density is negative, or the shape has lost its area.
    pub fn evaluate(
        &mut self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
    ) -> Result<FluidInertia, Error> {
        self.find(points, velocities, density, None)
    }

    /// The same, and gives `force` the shape as well: cheaper than one after the other, for both need the corners of all faces. `force` must
    /// be of the same faces ([`SurfaceForce::of_pieces`]).
    ///
    /// # Errors
    /// As [`evaluate`](AddedMassState::evaluate); or `force` has another number of faces.
    pub fn evaluate_with(
        &mut self,
        force: &mut SurfaceForce,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
    ) -> Result<FluidInertia, Error> {
        self.find(points, velocities, density, Some(force))
    }

    fn find(
        &mut self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
        force: Option<&mut SurfaceForce>,
    ) -> Result<FluidInertia, Error> {
        self.check(points, velocities, density)?;
        let fluid = match &mut self.model {
            Model::Local(state) => state.evaluate(points, velocities, density, force, &mut self.notes)?,
            Model::BoundaryElement(state) => {
                match (force, velocities) {
                    (Some(force), Some(velocities)) => force.set_shape_with_velocities(points, velocities)?,
                    (Some(force), None) => force.set_shape(points)?,
                    (None, _) => {}
                }
                state.evaluate(points, velocities, density, &mut self.notes)?
            }
        };
        match fluid.is_finite() {
            true => Ok(fluid),
            false => Err(Error::Degenerate { frame: 0, reason: "the added mass is too large for a number; check the unit of the shape" }),
        }
    }

    /// What had to be decided or mended so far.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn check(&self, points: &[Vector3<f64>], velocities: Option<&[Vector3<f64>]>, density: FluidDensity) -> Result<(), Error> {
        let fits = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        fits("positions of vertices", self.vertices, points.len())?;
        velocities.map_or(Ok(()), |velocities| fits("velocities of vertices", self.vertices, velocities.len()))?;
        let given = match &density {
            FluidDensity::Uniform(density) => std::slice::from_ref(density),
            FluidDensity::PerFace(densities) => {
                fits("densities of the fluid at faces", self.faces, densities.len())?;
                densities
            }
        };
        let bad = |list: &[Vector3<f64>]| match all_finite(list) {
            true => None,
            false => list.iter().position(|p| !p.iter().all(|x| x.is_finite())),
        };
        if let Some(vertex) = bad(points) {
            return Err(Error::NonFinitePosition { frame: 0, vertex, value: points[vertex].into() });
        }
        if let Some(vertex) = velocities.and_then(bad) {
            let expected = "finite speeds in every direction; check the time step of the shape";
            return Err(Error::Parameter { name: "number of a vertex with a velocity", value: vertex as f64, expected });
        }
        given.iter().try_for_each(|&density| Error::unless_zero_or_more("density of the fluid", density))
    }
}

/// In one pass without branches: zero times what is not finite is not zero.
fn all_finite(list: &[Vector3<f64>]) -> bool {
    let mut sums = [0.0; 12];
    let (fours, rest) = list.as_chunks::<4>();
    for four in fours {
        for (i, p) in four.iter().enumerate() {
            for k in 0..3 {
                sums[3 * i + k] += 0.0 * p[k];
            }
        }
    }
    sums.iter().all(|sum| *sum == 0.0) && rest.iter().all(|p| p.iter().all(|x| x.is_finite()))
}

impl FluidDensity<'_> {
    /// The density where it is the same for all faces; 1 where each has its own.
    fn scale(&self) -> f64 {
        match self {
            FluidDensity::Uniform(density) => *density,
            FluidDensity::PerFace(_) => 1.0,
        }
    }

    #[inline]
    fn at(&self, face: usize) -> f64 {
        match self {
            FluidDensity::Uniform(density) => *density,
            FluidDensity::PerFace(densities) => densities[face],
        }
    }
}

impl FluidInertia {
    /// Kinetic energy of the fluid, J, with the body moving at `twist` while its shape changes: `½ Yᵀ K_f Y + μ_f·Y + E⁰`.
    pub fn energy_at(&self, twist: &Twist) -> f64 {
        let y = Vector6::from(*twist);
        0.5 * y.dot(&(self.tensor * y)) + self.momentum.pair(twist) + self.energy
    }

    /// It, less `times` another.
    pub(crate) fn less(&self, other: &FluidInertia, times: f64) -> FluidInertia {
        FluidInertia {
            tensor: self.tensor - other.tensor * times,
            momentum: self.momentum - other.momentum * times,
            energy: self.energy - other.energy * times,
        }
    }

    fn is_finite(&self) -> bool {
        let momentum = self.momentum.angular.iter().chain(&self.momentum.linear);
        self.tensor.iter().chain(momentum).chain([&self.energy]).all(|x| x.is_finite())
    }
}
