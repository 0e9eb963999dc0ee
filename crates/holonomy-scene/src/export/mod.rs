//! Results out: a new glTF for shapes that have no glTF source, the CSV table, the JSON summary, and safe file writing.
//!
//! [`gltf::build`] makes one `.glb` of any number of bodies. How a shape's change is stored depends on what it is:
//!
//! | shape | geometry | shape change |
//! |---|---|---|
//! | rig | a limb per bone, a head (`flesh.rs`, `figure.rs`) | joints and a skin |
//! | curve | a tube ([`tube`]) | morph targets ([`morph`]) |
//! | surface | its own triangles ([`mesh`]) | morph targets |
//! | points | small balls ([`mesh`]) | morph targets |
//!
//! World motion is on a node above the geometry. Nothing here lets NaN or infinity out: such a result is an [`Error`](crate::Error).

use crate::picture::PALETTE;

pub mod csv;
mod figure;
pub mod files;
pub(crate) mod flesh;
mod glb;
pub mod gltf;
pub mod mesh;
pub mod morph;
pub mod page;
mod principal;
pub(crate) mod rig;
mod solids;
pub mod summary;
pub mod tube;

pub use figure::Figure;

/// How a body looks. Nothing here changes the physics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Looks {
    /// Colour in a still: sRGB red, green, blue, each 0 to 1. The glTF has it lighter ([`Looks::lit_color`]).
    pub color: [f64; 3],
    /// Greatest diameter of a curve's tube, diameter of a point's ball or of a rig's limbs, metres; `None` picks one: from the body's
    /// size or, for limbs, from their masses.
    pub thickness: Option<f64>,
    /// How the thickness of a curve changes from its first vertex (the head) to its last (the tail).
    pub taper: Taper,
    /// Who a rig is.
    pub figure: Figure,
}

/// Thickness of an open curve along its length. A closed curve is always uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Taper {
    /// A head at vertex 0, a slight neck, a body, and a tail that thins out at the last vertex.
    #[default]
    Snake,
    /// The same thickness everywhere, rounded ends.
    Uniform,
    /// A long round head on the first tenth, then a thin tail that gets thinner still.
    Tadpole,
}

impl Looks {
    /// The default looks of body `index` of a scene: neighbours differ in colour.
    pub fn of_body(index: usize) -> Self {
        Looks { color: PALETTE[index % PALETTE.len()], thickness: None, taper: Taper::default(), figure: Figure::default() }
    }

    /// The colour for viewers, lighter than in a still: they show it on dark ground too.
    pub fn lit_color(&self) -> [f64; 3] {
        self.color.map(|channel| channel + 0.35 * (1.0 - channel))
    }
}

impl Default for Looks {
    fn default() -> Self {
        Looks::of_body(0)
    }
}

/// What the file says about itself.
#[derive(Debug, Clone, Default)]
pub struct ExportMeta {
    /// The scene's name; the animation gets it.
    pub scene: String,
    /// Everything needed to run this again; stored in `animation.extras`.
    pub parameters: serde_json::Value,
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
