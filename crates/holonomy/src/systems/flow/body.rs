//! A body as a fluid sees it: its surface between two frames, its inertia, and the fluid it moves and displaces.

use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};

use super::Flow;
use super::substance::Mass;
use super::way::Way;
use crate::Error;
use crate::integrate::variational::Inertia;
use crate::lie::{Momentum, Pose, Twist};
use crate::medium::buoyancy::{Displaced, Hull};
use crate::medium::surface_force::share_below;
use crate::medium::{AddedMass, AddedMassState, FlowField, Fluid, FluidDensity, FluidInertia, Fluids, Load, SurfaceForce};
use crate::shape::pieces::Kind;
use crate::shape::{MovingMass, Note, Pieces, TurningPart};

/// How a body lies in the surface between two fluids.
#[derive(Debug, Clone, Default)]
struct Lying {
    /// Share of each face that is below it; empty where there is one fluid.
    wet: Vec<f64>,
    /// The middle of the body's own surface above it, metres; and how the body is turned.
    height: f64,
    rotation: UnitQuaternion<f64>,
}

/// The energy of the fluid changes as the body turns in place and faces slide through the surface between two fluids: that is a torque, `½ Yᵀ (∂K_f/∂η) Y`
/// for each turn η. It is what keeps a ball from being turned: as if the wet part of it were a body of its own, `K_f Y` would turn along with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turning {
    /// Level, body frame.
    axes: [Vector3<f64>; 2],
    /// What K_f, μ_f and E⁰ change by, per radian about each.
    changes: [FluidInertia; 2],
}

impl Turning {
    /// Turn of the differences that the changes are taken from, radians to each side.
    const TURN: f64 = 1e-3;

    /// The torque, with the body moving at `twist`.
    pub fn load(&self, twist: &Twist) -> Load {
        let mut load = Load::none();
        for (axis, change) in self.axes.iter().zip(&self.changes) {
            load.wrench.angular += axis * change.energy_at(twist);
            let slope = change.tensor * Vector6::from(*twist) + Vector6::from(change.momentum);
            let mut rows = load.by_twist.fixed_rows_mut::<3>(0);
            rows += axis * slope.transpose();
        }
        load
    }
}

/// The body in its present shape. Memory is re-used from step to step.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub drag: SurfaceForce,
    added: AddedMassState,
    mass: Mass,
    /// Faces of solids: what displaces fluid.
    solid_faces: Vec<[u32; 3]>,
    /// What is displaced by a shape that does not change.
    hull: Option<Hull>,
    faces: Vec<[u32; 3]>,
    notes: Vec<Note>,
    parts: Vec<TurningPart>,
    way: Way,
    /// Its own moments in the middle shape.
    pub moving: MovingMass,
    /// The fluid that moves along.
    pub fluid: FluidInertia,
    /// How it lies in the surface between two fluids, and how it lay when last asked; without faces before it was asked.
    lies: Lying,
    lay: Lying,
    /// How the energy of the fluid changes as the body turns, where the surface cuts it.
    pub turning: Option<Turning>,
    /// Densities at the faces; how they change; shares of faces.
    densities: Vec<f64>,
    rates: Vec<f64>,
    shares: Vec<f64>,
    /// Forces on the faces.
    forces: Vec<Vector3<f64>>,
    /// Where the fluid is costly to find and the same everywhere: what was found halfway after each frame of the cycle, for when it comes again.
    per_frame: Option<Vec<Option<FluidInertia>>>,
}

impl Body {
    /// `changes` tells whether other shapes will follow.
    pub fn new(job: &Flow, base: &[Vector3<f64>], faces: &[[u32; 3]], changes: bool) -> Result<Body, Error> {
        let mut turned = base.to_vec();
        for (i, part) in job.parts.iter().enumerate() {
            part.validate(base.len())?;
            part.turn(0.0, base, &mut turned)?;
            let shares = |other: &TurningPart| other.vertices.start < part.vertices.end && part.vertices.start < other.vertices.end;
            if job.parts[..i].iter().any(shares) {
                let expected = "of its own: no vertex turns with two parts";
                return Err(Error::Parameter { name: "first vertex of a turning part", value: part.vertices.start as f64, expected });
            }
        }
        let (points, changes) = (turned.as_slice(), changes || !job.parts.is_empty());
        let (pieces, notes) = Pieces::of(points, faces)?;
        let kind = |f: usize| pieces.kind(f as u32);
        // A cavity is turned outwards like any closed piece; for the mass it is what is missing.
        let mass_faces: Vec<[u32; 3]> =
            pieces.faces.iter().enumerate().map(|(f, &[a, b, c])| if kind(f) == Kind::Cavity { [a, c, b] } else { [a, b, c] }).collect();
        let mass = job.substance.mass(points, &mass_faces, !changes)?;
        let mut added = job.added_mass.prepare(points, faces)?;
        let mut drag = SurfaceForce::of_pieces(&pieces);
        drag.set_shape(points)?;
        let solid = (0..faces.len()).filter(|&f| kind(f) == Kind::Closed).map(|f| pieces.faces[f]);
        let solid_faces: Vec<[u32; 3]> = solid.collect();
        let hull = (!changes).then(|| Hull::new(points.to_vec(), solid_faces.clone()));
        let still = vec![Vector3::zeros(); points.len()];
        let moving = mass.evaluate(points, &still);
        let density = if let Fluids::One(fluid) = job.fluids { fluid.density } else { 0.0 };
        let fluid = added.evaluate(points, None, FluidDensity::Uniform(density))?;
        Ok(Body {
            drag,
            added,
            mass,
            solid_faces,
            hull,
            faces: pieces.faces,
            notes,
            parts: job.parts.clone(),
            way: Way::new(base, points),
            moving,
            fluid,
            lies: Lying::default(),
            lay: Lying::default(),
            turning: None,
            densities: Vec::new(),
            rates: Vec::new(),
            shares: Vec::new(),
            forces: Vec::new(),
            per_frame: (changes
                && job.parts.is_empty()
                && job.added_mass == AddedMass::BoundaryElement
                && matches!(job.fluids, Fluids::One(_)))
            .then(Vec::new),
        })
    }

    /// Whether its shape may change.
    pub fn changes(&self) -> bool {
        self.hull.is_none()
    }

    /// Vertices.
    pub fn vertices(&self) -> usize {
        self.way.last.len()
    }

    /// Faces, in the order given; closed pieces look outwards.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The shape at the last frame.
    pub fn shape(&self) -> &[Vector3<f64>] {
        &self.way.last
    }

    /// What was decided or mended about the surface.
    pub fn notes(&self) -> Vec<Note> {
        let more = self.added.notes().iter().filter(|note| !self.notes.contains(note));
        self.notes.iter().chain(more).copied().collect()
    }

    /// The shape of the next frame.
    pub fn aim_for(&mut self, shape: Option<&[Vector3<f64>]>) {
        match shape {
            Some(shape) => self.way.next.copy_from_slice(shape),
            None if self.changes() => self.way.next.copy_from_slice(&self.way.last),
            None => {}
        }
    }

    /// Finds what is found once on the way to the next frame, `dt` seconds after `time`, which follows frame `frame` of a cycle if there is one.
    pub fn look_ahead(&mut self, time: f64, dt: f64, frame: Option<usize>, fluids: &Fluids) -> Result<(), Error> {
        let (Some(mut per_frame), Fluids::One(fluid)) = (self.per_frame.take(), fluids) else { return Ok(()) };
        let known = frame.and_then(|frame| per_frame.get(frame).copied().flatten());
        self.fluid = match known {
            Some(known) => known,
            None => {
                self.way.cut([0.0, 1.0], time, dt, &self.parts)?;
                self.fluid_inertia(FluidDensity::Uniform(fluid.density))?
            }
        };
        if let Some(frame) = frame {
            if per_frame.len() <= frame {
                per_frame.resize(frame + 1, None);
            }
            per_frame[frame] = Some(self.fluid);
        }
        self.per_frame = Some(per_frame);
        Ok(())
    }

    /// The next frame is reached.
    pub fn arrive(&mut self) {
        std::mem::swap(&mut self.way.last, &mut self.way.next);
    }

    /// The step from `share` to `until` of the way to the next frame, from `time` on, `h` seconds long.
    pub fn take(&mut self, share: f64, until: f64, time: f64, h: f64) -> Result<(), Error> {
        if !self.changes() {
            return Ok(());
        }
        self.way.cut([share, until], time, h, &self.parts)?;
        if self.per_frame.is_some() {
            self.shape_drag()?; // else it comes with the added mass
        }
        self.moving = self.mass.evaluate(&self.way.middle, &self.way.rates);
        Ok(())
    }

    /// Gives the shape taken to lift and drag.
    pub fn shape_drag(&mut self) -> Result<(), Error> {
        if self.changes() { self.drag.set_shape_with_velocities(&self.way.middle, &self.way.rates) } else { Ok(()) }
    }

    /// How fast its fastest part turns in the `dt` seconds after `time`, rad/s.
    pub fn part_rate(&self, time: f64, dt: f64) -> f64 {
        let rate = |part: &TurningPart| {
            let mean = (part.angle.angle(time + dt) - part.angle.angle(time)) / dt;
            [0.0, 0.5, 1.0]
                .map(|share| part.angle.rate(time + share * dt))
                .into_iter()
                .chain([mean])
                .fold(0.0, |most: f64, x| most.max(x.abs()))
        };
        self.parts.iter().map(rate).fold(0.0, f64::max)
    }

    /// The step last asked about is not taken: a body that was to leave a fluid has not left it, which moves with it as `fluid` says.
    pub fn take_back(&mut self, fluid: FluidInertia) {
        std::mem::swap(&mut self.lies, &mut self.lay);
        self.fluid = fluid;
    }

    /// Puts it into fluids that flow, as it lay when its inertia was last asked for.
    pub fn immerse(&mut self, fluids: &Fluids, flow: &FlowField, pose: &Pose, time: f64) {
        self.drag.immerse_by_share(&self.lies.wet, fluids, flow, pose, time);
    }

    /// Its points at both ends of the step, body frame.
    pub fn ends(&self) -> (&[Vector3<f64>], &[Vector3<f64>]) {
        (&self.way.from, &self.way.to)
    }

    /// K and μ⁰ of body and fluid in the shape taken, at `pose`; and the momentum that stays behind in fluid which the body has left since it was last
    /// asked, moving with `twist` in between.
    ///
    /// A body that enters a denser fluid sets it in motion: its momentum stays, its speed falls. One that leaves it does not take it along.
    pub fn inertia(&mut self, fluids: &Fluids, pose: &Pose, twist: &Twist) -> Result<(Inertia, Momentum), Error> {
        let mut left = Momentum::zero();
        match *fluids {
            Fluids::One(fluid) => {
                let known = if self.changes() { self.per_frame.is_some() } else { !self.densities.is_empty() };
                if !known {
                    self.densities.clear();
                    self.densities.push(fluid.density);
                    self.fluid = self.fluid_inertia(FluidDensity::Uniform(fluid.density))?;
                }
            }
            Fluids::Layered { level, below, above } => {
                std::mem::swap(&mut self.lies, &mut self.lay);
                let middle = self.surface_center();
                self.share(|p| pose.act(p).y - level);
                std::mem::swap(&mut self.lies.wet, &mut self.shares);
                (self.lies.height, self.lies.rotation) = (pose.act(&middle).y - level, pose.rotation);
                if self.changes() || self.lies.wet != self.lay.wet {
                    self.fluid = self.fluid_by([below, above], |body| &body.lies.wet)?;
                    left = self.left_behind([below, above], pose, level, twist)?;
                }
                self.turning = self.turning([below, above], pose, level, &middle)?;
            }
        }
        let tensor = self.moving.inertia.matrix() + self.fluid.tensor;
        Ok((Inertia { tensor, shape_momentum: self.moving.momentum + self.fluid.momentum }, left))
    }

    /// The momentum of fluid that moved along until the last step and does not any more, in three parts of the way:
    /// the shape changes, and faces that leave the fluid hand on what they moved to those that enter it, by energy; then it turns in place, which costs
    /// nothing ([`Turning`]); then it rises, and what its faces moved stays behind, or it sinks.
    fn left_behind(&mut self, fluids: [Fluid; 2], pose: &Pose, level: f64, twist: &Twist) -> Result<Momentum, Error> {
        let fewer = |now: &[f64], before: &[f64]| now.iter().zip(before).any(|(now, before)| now < before);
        let mut left = Momentum::zero();
        if !fewer(&self.lies.wet, &self.lay.wet) {
            return Ok(left);
        }
        let moved = |fluid: &FluidInertia| Momentum::from(fluid.tensor * Vector6::from(*twist)) + fluid.momentum;
        if self.changes() {
            let (middle, height, rotation) = (self.surface_center(), self.lay.height, self.lay.rotation);
            self.share(|p| height + (rotation * (p - middle)).y);
            if fewer(&self.shares, &self.lay.wet) {
                let was = self.fluid_by(fluids, |body| &body.lay.wet)?;
                let changed = self.fluid_by(fluids, |body| &body.shares)?;
                self.shares.iter_mut().zip(&self.lay.wet).for_each(|(now, before)| *now = now.min(*before));
                let rest = self.fluid_by(fluids, |body| &body.shares)?;
                let [goes, comes] = [&was, &changed].map(|fluid| fluid.energy_at(twist) - rest.energy_at(twist));
                let lost = if goes > 0.0 { (1.0 - comes / goes).clamp(0.0, 1.0) } else { 0.0 };
                left += (moved(&was) - moved(&rest)) * lost;
            }
        }
        let rise = self.lies.height - self.lay.height;
        if rise > 0.0 {
            self.share(|p| pose.act(p).y - level - rise);
            let turned = self.fluid_by(fluids, |body| &body.shares)?;
            left += moved(&turned) - moved(&self.fluid);
        }
        Ok(left)
    }

    /// How the energy of the fluid changes as the body turns about the middle of its surface; `None` where no face is cut.
    fn turning(&mut self, [below, above]: [Fluid; 2], pose: &Pose, level: f64, middle: &Vector3<f64>) -> Result<Option<Turning>, Error> {
        if self.lies.wet.iter().all(|&wet| wet == 0.0 || wet == 1.0) {
            return Ok(None);
        }
        let (center, back) = (pose.act(middle), pose.rotation.inverse());
        let whole = self.fluid_inertia(FluidDensity::Uniform(1.0))?;
        let mut rates = std::mem::take(&mut self.rates);
        let mut change = |axis: Vector3<f64>| {
            rates.clear();
            rates.resize(self.faces.len(), 0.0);
            for turn in [Turning::TURN, -Turning::TURN] {
                let lifted = |p: &Vector3<f64>| {
                    let place = pose.act(p);
                    place.y - level + turn * axis.cross(&(place - center)).y
                };
                self.share(lifted);
                let rate = (below.density - above.density) / (2.0 * turn);
                rates.iter_mut().zip(&self.shares).for_each(|(density, share)| *density += rate * share);
            }
            // No density is less than nothing: so much is added everywhere, and taken away again.
            let more = -rates.iter().fold(0.0_f64, |least, rate| least.min(*rate));
            rates.iter_mut().for_each(|rate| *rate += more);
            let raised = self.fluid_inertia(FluidDensity::PerFace(&rates))?;
            Ok(raised.less(&whole, more))
        };
        let changes: [Result<FluidInertia, Error>; 2] = [change(Vector3::x()), change(Vector3::z())];
        self.rates = rates;
        let [x, z] = changes;
        Ok(Some(Turning { axes: [back * Vector3::x(), back * Vector3::z()], changes: [x?, z?] }))
    }

    /// Finds of each face the share whose height, as `height` has it, is below zero, into `shares`.
    fn share(&mut self, height: impl Fn(&Vector3<f64>) -> f64) {
        let height = |v: u32| height(&self.way.middle[v as usize]);
        self.shares.clear();
        self.shares.extend(self.faces.iter().map(|face| share_below(face.map(height))));
    }

    /// The middle of its surface, body frame.
    fn surface_center(&self) -> Vector3<f64> {
        let (mut sum, mut area) = (Vector3::zeros(), 0.0);
        for face in &self.faces {
            let [a, b, c] = face.map(|v| self.way.middle[v as usize]);
            let twice = (b - a).cross(&(c - a)).norm();
            sum += (a + b + c) * twice;
            area += 3.0 * twice;
        }
        if area > 0.0 { sum / area } else { Vector3::zeros() }
    }

    /// The fluid that moves along with these shares of its faces in the first of two fluids.
    fn fluid_by(&mut self, [below, above]: [Fluid; 2], shares: impl Fn(&Body) -> &[f64]) -> Result<FluidInertia, Error> {
        let mut densities = std::mem::take(&mut self.densities);
        densities.clear();
        densities.extend(shares(self).iter().map(|wet| wet * below.density + (1.0 - wet) * above.density));
        let fluid = self.fluid_inertia(FluidDensity::PerFace(&densities));
        self.densities = densities;
        fluid
    }

    /// The fluid that moves along in each layer, with the flow there; all of it with the flow of one fluid.
    pub fn fluid_in_layers(&mut self, fluids: &Fluids) -> Result<[FluidInertia; 2], Error> {
        let none = FluidInertia { tensor: Matrix6::zeros(), momentum: Momentum::zero(), energy: 0.0 };
        let Fluids::Layered { above, .. } = *fluids else { return Ok([self.fluid, none]) };
        let upper = if self.lies.wet.iter().all(|&wet| wet == 0.0) {
            self.fluid
        } else if above.density == 0.0 || self.lies.wet.iter().all(|&wet| wet == 1.0) {
            none
        } else {
            let nothing = Fluid { density: 0.0, ..above };
            self.fluid_by([nothing, above], |body| &body.lies.wet)?
        };
        let lower = self.fluid.less(&upper, 1.0);
        Ok([lower, upper])
    }

    fn fluid_inertia(&mut self, density: FluidDensity) -> Result<FluidInertia, Error> {
        match self.hull {
            Some(_) => self.added.evaluate(&self.way.middle, None, density),
            None => self.added.evaluate_with(&mut self.drag, &self.way.middle, Some(&self.way.rates), density),
        }
    }

    /// The shape halfway through the step.
    pub fn middle(&self) -> &[Vector3<f64>] {
        &self.way.middle
    }

    /// What the body displaces of each fluid with the shape `points` at `pose`, with its density, kg/m³; nothing where nothing has weight.
    pub fn displaced(&self, points: &[Vector3<f64>], fluids: &Fluids, gravity: &Vector3<f64>, pose: &Pose) -> [(f64, Displaced); 2] {
        if *gravity == Vector3::zeros() {
            return Default::default();
        }
        match &self.hull {
            Some(hull) => hull.whole().by_fluid(fluids, |level| hull.below(level, pose)),
            None => {
                let whole = Displaced::whole_by_four(points, &self.solid_faces);
                whole.by_fluid(fluids, |level| Displaced::below(level, pose, points, &self.solid_faces))
            }
        }
    }

    /// How fast a vertex moves in the body frame, m/s.
    pub fn rate(&self, vertex: usize) -> Vector3<f64> {
        self.way.rates.get(vertex).copied().unwrap_or_default()
    }

    /// Power of lift and drag by the change of shape alone, W.
    pub fn power_of_drag(&mut self, twist: &Twist) -> f64 {
        if !self.changes() {
            return 0.0;
        }
        let mut forces = std::mem::take(&mut self.forces);
        self.drag.face_forces(twist, &mut forces);
        let rates = &self.way.rates;
        let power = |(force, face): (&Vector3<f64>, &[u32; 3])| face.iter().map(|&v| rates[v as usize].dot(force)).sum::<f64>() / 3.0;
        let sum = forces.iter().zip(&self.faces).map(power).sum();
        self.forces = forces;
        sum
    }

    /// The momentum of its masses in the last step, `h` seconds long, from where they are as it begins and ends with the body at these poses; and
    /// where their centre was meanwhile. About the origin of the poses.
    pub fn went(&self, [from, to]: [&Pose; 2], h: f64, memory: &mut [Vec<Vector3<f64>>; 2]) -> (Momentum, Vector3<f64>) {
        match &self.mass {
            Mass::Rigid(inertia) => {
                let center = inertia.first_moment / inertia.mass;
                let (start, end) = (from.act(&center), to.act(&center));
                let about = inertia.moved(&Pose { translation: -center, ..Pose::identity() }).matrix();
                let spin = (from.rotation.inverse() * to.rotation).scaled_axis() / h;
                let middle = from.rotation * UnitQuaternion::from_scaled_axis(spin * (0.5 * h));
                let own = Momentum::from(about * Vector6::from(Twist::new(spin, Vector3::zeros())));
                let (linear, place) = ((end - start) * (inertia.mass / h), (start + end) * 0.5);
                (Momentum::new(middle * own.angular, Vector3::zeros()) + Momentum::of_force_at(linear, &place), place)
            }
            Mass::Points(masses) => {
                let [places, speeds] = memory;
                let ends = || self.way.from.iter().map(|p| from.act(p)).zip(self.way.to.iter().map(|p| to.act(p)));
                places.clear();
                places.extend(ends().map(|(a, b)| (a + b) * 0.5));
                speeds.clear();
                speeds.extend(ends().map(|(a, b)| (b - a) / h));
                let went = masses.evaluate(places, speeds);
                (went.momentum, went.inertia.first_moment / went.inertia.mass)
            }
        }
    }

    /// Centre of mass of the shape at the end of the last step, metres, body frame.
    pub fn center(&self) -> Vector3<f64> {
        let moments = match &self.mass {
            Mass::Rigid(inertia) => *inertia,
            Mass::Points(masses) => masses.evaluate(&self.way.to, &self.way.rates).inertia,
        };
        moments.first_moment / moments.mass
    }
}
