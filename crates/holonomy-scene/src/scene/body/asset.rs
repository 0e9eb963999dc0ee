//! Bodies from files.

use std::path::{Path, PathBuf};

use holonomy::shape::{Clip, Material};
use holonomy::systems::flow::Substance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::soft::Filling;
use crate::Error;
use crate::asset::{ClipOptions, RigMasses, Up};
use crate::physics::spread_by_area;
use crate::scene::quantity::{BodyDensity, BodyMass, FileUnit, FrameRange, FrameRate, SurfaceDensity};

/// An in-place clip from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Asset {
    /// The file, as seen from the folder of the scene file.
    pub file: PathBuf,
    /// Name of the clip in the file. If absent, one is chosen and named in the output.
    pub clip: Option<String>,
    /// Frames per second to sample the clip at. If absent, its own rate.
    pub fps: Option<FrameRate>,
    /// What one unit of the file is: `"cm"`, `"2.54 cm"` or a number of metres. If absent, what the format says.
    pub unit: Option<FileUnit>,
    /// The file's up axis. If absent, what the format says.
    pub up: Option<Up>,
    /// First and last frame to keep, both included, such as `[0, 40]`. If absent, all.
    pub frames: Option<FrameRange>,
    /// Masses of a rig's bones, for physics with inertia or weight; drag goes by the bones'
    /// lengths, whatever their masses. Default: `auto`.
    #[serde(default)]
    pub masses: RigMasses,
    /// Density of a solid body, kg/m³, for [system.flow]. If absent, and neither `surface-density` nor `mass` is given, that of the fluid.
    pub density: Option<BodyDensity>,
    /// Mass of a thin skin, kg/m², instead of `density`.
    pub surface_density: Option<SurfaceDensity>,
    /// Mass of the whole body, spread over its surface by area, instead of `density`.
    pub mass: Option<BodyMass>,
    /// What its first shape is filled with, for [system.loop]; its surface must be closed. If absent, it is not soft.
    pub soft: Option<Filling>,
}

impl Asset {
    /// What the body that begins as `clip` is made of, if the file says so.
    ///
    /// # Errors
    /// A mass was given for a body without a surface.
    pub fn substance(&self, clip: &Clip) -> Result<Option<Substance>, Error> {
        Ok(match (self.density, self.surface_density, self.mass) {
            (Some(density), ..) => Some(Substance::Uniform(Material::Solid { density: density.si() })),
            (_, Some(surface_density), _) => Some(Substance::Uniform(Material::Shell { surface_density: surface_density.si() })),
            (.., Some(mass)) => {
                let masses = spread_by_area(clip, mass.si());
                Some(masses.ok_or_else(|| Error::Choice("`mass` is spread by area, and the asset has no surface".into()))?)
            }
            _ => None,
        })
    }

    /// Where the file is, for a scene file in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }
    /// What the asset readers need to know, for a scene file in `folder`; a single shape does only for what is soft.
    pub fn clip_options(&self, folder: &Path) -> ClipOptions {
        ClipOptions {
            still: self.soft.is_some(),
            clip: self.clip.clone(),
            frames: self.frames.map(FrameRange::get),
            fps: self.fps.map(FrameRate::si),
            unit: self.unit.map(FileUnit::si),
            up: self.up,
            masses: match &self.masses {
                RigMasses::File(file) => RigMasses::File(folder.join(file)),
                other => other.clone(),
            },
        }
    }
}
