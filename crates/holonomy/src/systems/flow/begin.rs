//! From a job to a body that is ready to move.

use nalgebra::{Matrix6, Vector3};

use super::body::Body;
use super::state::{FlowState, Forces, Work};
use super::{Flow, Substeps};
use crate::Error;
use crate::integrate::variational::{Forecast, State};
use crate::lie::Twist;
use crate::medium::contact::Contact;
use crate::medium::{AddedMass, Fluids, Secant};
use crate::shape::{Clip, Playback, Topology};

/// More steps than this in a frame would be shorter than numbers can tell from nothing.
const MOST_FIXED: usize = 100_000;

impl Flow {
    /// A body at [`Flow::start`] whose shape may change; `shape` is its first, metres.
    ///
    /// # Errors
    /// It is no surface, a parameter is out of range, a position is not finite, or there is no mass.
    pub fn begin(&self, topology: &Topology, shape: &[Vector3<f64>]) -> Result<FlowState, Error> {
        self.begin_shape(topology, shape, true)
    }

    /// A body that keeps its shape: its inertia is found once.
    ///
    /// # Errors
    /// As [`Flow::begin`].
    pub fn begin_rigid(&self, topology: &Topology, shape: &[Vector3<f64>]) -> Result<FlowState, Error> {
        self.begin_shape(topology, shape, false)
    }

    pub(super) fn begin_clip(&self, clip: &Clip) -> Result<FlowState, Error> {
        self.begin_shape(clip.topology(), clip.frame(0), clip.frames() > 1)
    }

    fn begin_shape(&self, topology: &Topology, shape: &[Vector3<f64>], changes: bool) -> Result<FlowState, Error> {
        self.validate()?;
        let Topology::Surface { faces } = topology else {
            let reason = "a body in a flow needs a surface that the fluid can push on; give a triangle mesh, not a curve, points or bones";
            return Err(Error::Degenerate { frame: 0, reason });
        };
        Clip::new(topology.clone(), Playback::Once, 1.0, shape.len(), shape.to_vec())?;
        let mut body = Body::new(self, shape, faces, changes)?;
        let (inertia, _) = body.inertia(&self.fluids, &self.start, &Twist::zero())?;
        let center = body.moving.inertia.center()?;
        if inertia.tensor.cholesky().is_none() {
            let reason = "the body has mass but no extent: nothing resists its turning; give it some size or more masses";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        let back = self.start.rotation.inverse();
        let angular = back * self.velocity.angular;
        let stream = self.flow.steady();
        let twist = Twist::new(angular, back * (self.velocity.linear - stream) - angular.cross(&center));
        let mut state = FlowState {
            body,
            contact: Contact::new(self.friction)?,
            secant: Secant::default(),
            forecast: Forecast::default(),
            last_step: 0.0,
            before: State::moving(self.start, &twist, &inertia),
            stream,
            gusts: self.flow.unsteady(),
            node: State::moving(self.start, &twist, &inertia),
            arrived: inertia.momentum(&twist),
            twist,
            drag_by_twist: Matrix6::zeros(),
            inertia,
            time: 0.0,
            work: Work::default(),
            impulses: Forces::default(),
            first_energies: [0.0; 3],
            most_kinetic: 0.0,
        };
        state.first_energies = self.energies(&state, &self.start.act(&center));
        state.most_kinetic = state.kinetic_scale();
        if self.lift_and_drag {
            state.body.immerse(&self.fluids, &state.gusts, &self.start, 0.0);
            state.drag_by_twist = state.body.drag.load(&twist).by_twist;
        }
        Ok(state)
    }

    /// Checks the numbers.
    fn validate(&self) -> Result<(), Error> {
        if self.added_mass == AddedMass::BoundaryElement && matches!(self.fluids, Fluids::Layered { .. }) {
            let reason =
                "boundary elements know one fluid, and there is a water surface; take the added mass of the local model, or that by parts";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        let fluids = match self.fluids {
            Fluids::One(fluid) => [fluid; 2],
            Fluids::Layered { level, below, above } => {
                Error::unless(level.is_finite(), "level of the surface", level, "a finite number of metres")?;
                let aslant = self.gravity.x.hypot(self.gravity.z);
                Error::unless(aslant == 0.0, "gravity along the surface", aslant, "0 where one fluid lies on another")?;
                [below, above]
            }
        };
        for fluid in fluids {
            let sound = |x: f64| x.is_finite() && x >= 0.0;
            Error::unless(sound(fluid.density), "density of the fluid", fluid.density, "a finite number of kg/m³, zero or more")?;
            Error::unless(sound(fluid.viscosity), "viscosity of the fluid", fluid.viscosity, "a finite number of Pa s, zero or more")?;
        }
        self.flow.validate()?;
        let vectors = [("gravity", self.gravity), ("place of the start", self.start.translation)];
        let twists = [("velocity at the start", self.velocity.linear), ("angular velocity at the start", self.velocity.angular)];
        let thrust = [("thrust", self.thrust.linear), ("torque of the thrust", self.thrust.angular)];
        for (name, vector) in vectors.into_iter().chain(twists).chain(thrust) {
            vector.iter().try_for_each(|&x| Error::unless(x.is_finite(), name, x, "a finite number"))?;
        }
        match self.stepping.substeps {
            Substeps::Fixed(count) => Error::unless((1..=MOST_FIXED).contains(&count), "substeps", count as f64, "from 1 to 100000"),
            Substeps::Auto => Ok(()),
        }
    }
}
