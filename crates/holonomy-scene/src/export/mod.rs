//! Results out: a new glTF for shapes that have no glTF source, the CSV table, the JSON summary, and safe file writing.
//!
//! [`gltf::build`] makes one `.glb` of any number of bodies. How a shape's change is stored depends on what it is:
//!
//! | shape | geometry ([`looks`](crate::looks)) | shape change |
//! |---|---|---|
//! | rig | a limb per bone, a head | joints and a skin |
//! | curve | a tube | morph targets (`morph.rs`) |
//! | surface | its own triangles | morph targets |
//! | points | small balls | morph targets |
//!
//! World motion is on a node above the geometry. Nothing here lets NaN or infinity out: such a result is an [`Error`](crate::Error).

pub mod csv;
pub mod files;
mod glb;
pub mod gltf;
pub(crate) mod morph;
pub mod page;
mod principal;
mod rig;
pub mod summary;
pub(crate) mod temporary;

use crate::asset::gltf::Target;

/// What the file says about itself.
#[derive(Debug, Clone, Default)]
pub struct ExportMeta {
    /// The scene's name; the animation gets it.
    pub scene: String,
    /// Everything needed to run this again; stored in `animation.extras`.
    pub parameters: serde_json::Value,
    /// Who will play it: for some, a bone of the skeleton carries the motion.
    pub target: Target,
}

/// What was chosen and measured while exporting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportReport {
    /// One entry per body, in the order given.
    pub bodies: Vec<BodyReport>,
    /// What the user should know, such as an unusual number of morph targets.
    pub warnings: Vec<String>,
}

/// How the shape change of one body was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyReport {
    /// The body's name.
    pub name: String,
    /// Name of the node that carries its motion.
    pub node: String,
    /// How its shape change was stored.
    pub storage: ShapeStorage,
    /// The body's size: the greatest bounding-box diagonal over its frames, metres.
    pub size: f64,
    /// Greatest distance of any mesh vertex in any frame, as stored, from where it should be; a fraction of `size`.
    pub error: f64,
}

/// How a shape change is stored in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeStorage {
    /// The shape never changes.
    Still,
    /// Joints and a skin.
    Joints {
        /// How many.
        joints: usize,
    },
    /// A morph target for each distinct frame but the first.
    FrameTargets {
        /// How many targets.
        targets: usize,
    },
    /// Morph targets along principal components, and the target `offset` that all of them start from.
    PrincipalTargets {
        /// How many targets.
        targets: usize,
    },
}
