//! Pictures of a motion, drawn in-process: the stroboscopic still and the animation. No GPU, browser or font file.
//!
//! The way of a picture: a [`Subject`] gives triangle meshes at each frame ([`looks`](crate::looks), [`mesh`]); [`ghosts`] picks the times
//! to show; [`camera`] frames them; [`scene`] is what is drawn; [`raster`] decides which triangle each sample sees; [`light`]
//! says how bright it is there; [`paint`] colours values; [`overlay`] and [`text`] add the scale bar and the labels; [`encode`] writes the file.
//!
//! Lengths are metres in world coordinates (+Y up); colours are sRGB, 0 to 1, at the interface and linear inside.

pub mod animate;
pub mod backdrop;
pub mod camera;
pub mod encode;
pub mod ghosts;
pub mod glyphs;
pub mod ground_shade;
pub mod light;
pub mod mesh;
pub mod overlay;
pub mod paint;
pub mod raster;
pub mod render;
pub mod scene;
pub mod shadow;
pub mod still;
pub mod subject;
pub mod text;

pub use animate::{Animation, AnimationOptions, CameraMode, animate};
pub use backdrop::Backdrop;
pub use camera::{Camera, View};
pub use encode::Picture;
pub use ghosts::GhostCount;
pub use mesh::PosedMesh;
pub use scene::{Ghost, PathLine, SceneGeometry};
pub use still::{Labels, Layout, PathPoint, Placing, Still, StillOptions, still};
pub use subject::{BodiesInMotion, Drawn, Subject};

/// From linear light to an sRGB byte.
pub(crate) fn to_byte(linear: f32) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (s * 255.0 + 0.5) as u8
}
