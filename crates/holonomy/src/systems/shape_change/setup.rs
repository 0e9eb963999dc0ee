//! Before the first step: what is refused, and the metrics of a law.

use super::{Drag, Freedom, Law, Pull, ShapeChange};
use crate::Error;
use crate::medium::Metric;
use crate::shape::mass::lumped_masses;
use crate::shape::{Clip, MassRule, Playback, Shape, Topology};

/// Sizes that a clip may have, metres.
const LENGTHS: std::ops::Range<f64> = 1e-60..1e60;

/// What a law makes of a body: computed once, used in every step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Physics {
    /// K; absent where friction rules.
    pub inertia: Option<Metric>,
    /// D; absent where nothing resists.
    pub drag: Option<Metric>,
    /// Mass of each vertex, kg, constant over time. Empty for rigs.
    pub masses: Vec<f64>,
    /// Mass of the body, kg.
    pub mass: f64,
    /// What a rig's bone masses are multiplied with.
    pub bone_scale: f64,
}

impl ShapeChange {
    pub(super) fn validate(&self, clip: &Clip) -> Result<(), Error> {
        let changes = clip.frames() >= 2 || clip.playback() != Playback::Once;
        Error::unless(changes, "number of frames", clip.frames() as f64, "at least 2, or a loop: with one shape, nothing changes")?;
        let largest = (0..clip.frames()).flat_map(|k| clip.frame(k)).map(|p| p.amax()).fold(0.0, f64::max);
        let expected = "between 1e-60 and 1e60 metres, so that areas and moments can be computed; check the unit";
        Error::unless(largest == 0.0 || LENGTHS.contains(&largest), "largest coordinate", largest, expected)?;
        Error::unless(self.steps != Some(0), "steps", 0.0, "at least 1")?;
        Ok(())
    }

    /// The metrics and masses of the law, for a body that starts as `shape`. Drag follows the shape from frame to frame; mass stays where
    /// it was in the first.
    pub(super) fn physics(&self, shape: &Shape) -> Result<Physics, Error> {
        self.validate_law()?;
        self.pull.validate(shape.topology, shape.points)?;
        let (masses, bone_scale) = self.body_masses(shape)?;
        let rig = matches!(**shape.topology, Topology::Rig(_));
        if rig && self.law.drag().is_none() && self.masses != MassRule::Natural {
            let reason = "the weights say how drag is spread over the bones of a rig, and this law has no drag: inertia goes by the masses of the \
                          bones; leave the weights at auto, and give the bones their masses";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        // A rig's inertia is that of its bones' masses; its drag is on their lengths, unless
        // weights are given.
        let weights = if rig { MassRule::Natural } else { self.masses.clone() };
        let dragged = if rig && self.masses == MassRule::Natural { MassRule::Length } else { self.masses.clone() };
        let inertia = |added: f64| match rig {
            true => Metric { along: bone_scale, across: bone_scale + added, weights: weights.clone(), masses: Vec::new() },
            false if added > 0.0 => Metric { along: 0.0, across: added, weights: weights.clone(), masses: masses.clone() },
            false => Metric::isotropic(MassRule::Given(masses.clone())),
        };
        let drag = |drag: Drag| Metric { along: drag.along, across: drag.across, weights: dragged.clone(), masses: Vec::new() };
        let inertia = match self.law {
            Law::LeastDissipation { .. } => None,
            Law::LeastAction { .. } => Some(inertia(0.0)),
            Law::IdealFluid { added_mass, .. } | Law::InertiaAndDrag { added_mass, .. } => Some(inertia(added_mass)),
        };
        let none = inertia.is_some() && self.law.drag() == Some(Drag::isotropic(0.0));
        let drag = self.law.drag().filter(|_| !none).map(drag);
        for metric in inertia.iter().chain(&drag) {
            metric.validate()?;
        }
        let bones =
            if let Topology::Rig(rig) = &**shape.topology { rig.bones.iter().map(|bone| bone.mass * bone_scale).sum() } else { 0.0 };
        let mass = masses.iter().sum::<f64>() + bones;
        Ok(Physics { inertia, drag, masses, mass, bone_scale })
    }

    fn validate_law(&self) -> Result<(), Error> {
        let mut numbers = Vec::from(<[f64; 6]>::from(nalgebra::Vector6::from(self.law.momentum())));
        if let Law::LeastAction { gravity, .. } = &self.law {
            numbers.extend(gravity.iter());
        }
        numbers.iter().try_for_each(|&x| Error::unless(x.is_finite(), "momentum or gravity", x, "finite numbers"))?;
        if let Some(Drag { along, across }) = self.law.drag() {
            [along, across].into_iter().try_for_each(|drag| Error::unless_zero_or_more("drag along or across the body", drag))?;
        }
        let some = self.law != (Law::LeastDissipation { drag: Drag::isotropic(0.0) });
        Error::unless(some, "drag along and across the body", 0.0, "above zero in one direction at least")?;
        if let Law::IdealFluid { added_mass, .. } | Law::InertiaAndDrag { added_mass, .. } = self.law {
            Error::unless_zero_or_more("added mass", added_mass)?;
        }
        self.validate_surroundings()
    }

    fn validate_surroundings(&self) -> Result<(), Error> {
        if let Some(mass) = self.mass {
            Error::unless(mass.is_finite() && mass > 0.0, "mass of the body", mass, "a finite number of kilograms above zero")?;
        }
        if let Some(floor) = &self.floor {
            floor.validate()?;
        }
        let constant = matches!(self.law, Law::LeastAction { .. } | Law::IdealFluid { .. });
        if constant && (self.pull != Pull::none() || self.floor.is_some()) {
            let reason = "least action and the ideal fluid keep their momentum, so they take no force from outside and no floor; use inertia and drag \
                          (the drag may be zero), or least dissipation";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        let reason = match self.freedom {
            Freedom::Full => return Ok(()),
            Freedom::Level if constant => {
                "least action and the ideal fluid keep their momentum in all directions, so nothing holds their bodies level; use inertia and drag \
                 (the drag may be zero), or least dissipation"
            }
            Freedom::Level if self.floor.is_some() => {
                "a body that keeps level neither sinks nor tips, so a floor has nothing to do; leave one of the two out"
            }
            Freedom::Level => return Ok(()),
        };
        Err(Error::Degenerate { frame: 0, reason })
    }

    /// Mass of each vertex of the first shape, kg, and what a rig's bone masses are multiplied with.
    fn body_masses(&self, shape: &Shape) -> Result<(Vec<f64>, f64), Error> {
        let (topology, points, weights) = (&**shape.topology, shape.points, shape.weights);
        if let Topology::Rig(rig) = topology {
            let total: f64 = rig.bones.iter().map(|bone| bone.mass).sum();
            return Ok((Vec::new(), self.mass.map_or(1.0, |mass| mass / total)));
        }
        let inertial = !matches!(self.law, Law::LeastDissipation { .. });
        if inertial && matches!(&self.masses, MassRule::Given(given) if given.len() > points.len()) {
            let reason = "masses that change over time do not keep momentum; give one mass per vertex, or use least dissipation, where weights may change";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        let mut masses = match (&self.mass_spread, weights) {
            (Some(spread), _) => lumped_masses(spread, topology, points)?,
            (None, Some(given)) => lumped_masses(&MassRule::Given(given.to_vec()), topology, points)?,
            (None, None) => lumped_masses(&self.masses, topology, points)?,
        };
        let total: f64 = masses.iter().sum();
        if let Some(mass) = self.mass
            && total > 0.0
        {
            masses.iter_mut().for_each(|m| *m *= mass / total);
        }
        Ok((masses, 1.0))
    }
}
