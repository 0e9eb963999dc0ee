//! An eel that weighs what it displaces, for swimming with lift and drag (Soliman 2024, Fig. 12).

use nalgebra::Vector3;

use super::assembly::Assembly;
use super::eel::Eel;
use super::gait;
use crate::Error;
use crate::lie::Pose;
use crate::shape::{Clip, Material, Topology};

/// An [`Eel`] of a density. The origin is the centre of mass of the first shape.
#[derive(Debug, Clone, PartialEq)]
pub struct SwimmingEel {
    /// Its shape and its gait.
    pub eel: Eel,
    /// kg/m³.
    pub density: f64,
}

impl Default for SwimmingEel {
    /// As heavy as the water that Soliman 2024 lets it swim in.
    fn default() -> Self {
        SwimmingEel { eel: Eel::default(), density: 998.0 }
    }
}

impl SwimmingEel {
    /// The body in its first shape. Its one part is solid.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        Ok(self.centred()?.0)
    }

    /// The gait, sampled as [`Eel::clip`] does. Vertices and faces are those of the body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        let (_, center) = self.centred()?;
        Ok(self.eel.clip(fps)?.moved_by(&Pose { translation: -center, ..Pose::identity() }))
    }

    fn centred(&self) -> Result<(Assembly, Vector3<f64>), Error> {
        gait::positive("density", self.density)?;
        gait::positive("period", self.eel.period)?;
        // The first shape is the same at any rate: the lowest will do.
        let clip = self.eel.clip(1.0 / self.eel.period)?;
        let mut body = Assembly::default();
        if let Topology::Surface { faces } = clip.topology() {
            body.add((clip.frame(0).to_vec(), faces.clone()), Material::Solid { density: self.density });
        }
        body.centred()
    }
}
