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

    /// Masses of the vertices, kg, that move with the body as it bends: what lies between two rings is shared by the vertices of both.
    ///
    /// A bent eel cannot be seen whole from its middle, so that masses by area are the next best guess; they make the thin tail too heavy.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn masses(&self) -> Result<Vec<f64>, Error> {
        let (body, _) = self.centred()?;
        let (points, rings, around) = (body.points(), self.eel.rings, self.eel.around);
        let cone = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>| a.dot(&b.cross(c)) / 6.0;
        // Between tip and first ring, between rings, and so on: its own faces, and the sections at its ends.
        let mut slabs = vec![0.0; rings + 1];
        for strip in body.faces().chunks(2 * rings) {
            for (k, face) in strip.iter().enumerate() {
                let [a, b, c] = face.map(|v| &points[v as usize]);
                slabs[k.div_ceil(2)] += cone(a, b, c);
            }
        }
        for (r, ring) in points[1..points.len() - 1].chunks(around).enumerate() {
            let middle = ring.iter().sum::<Vector3<f64>>() / around as f64;
            let section: f64 = (0..around).map(|j| cone(&middle, &ring[j], &ring[(j + 1) % around])).sum();
            slabs[r] -= section;
            slabs[r + 1] += section;
        }
        let mut masses = vec![0.0; points.len()];
        let last = masses.len() - 1;
        // The centre of a cone is a quarter of its height above its base.
        (masses[0], masses[last]) = (0.25 * self.density * slabs[0], 0.25 * self.density * slabs[rings]);
        for (r, ring) in masses[1..last].chunks_mut(around).enumerate() {
            let [before, after] = [if r == 0 { 0.75 } else { 0.5 }, if r + 1 == rings { 0.75 } else { 0.5 }];
            ring.fill(self.density * (before * slabs[r] + after * slabs[r + 1]) / around as f64);
        }
        Ok(masses)
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
