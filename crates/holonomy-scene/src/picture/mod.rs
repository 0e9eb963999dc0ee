//! Pictures of a motion, drawn in-process: the stroboscopic still and the animation. No GPU, browser or font file.
//!
//! The way of a picture: a [`Subject`] gives triangle meshes at each frame ([`looks`](crate::looks), `mesh`); [`ghosts`] picks the times
//! to show; `camera` frames them, and `props` says what of the scenery; `scene` is what is drawn; [`raster`] decides which triangle each sample sees; `light`
//! says how bright it is there, and `water` how that mirrors it; `paint` colours values; `overlay` and [`text`] add the scale bar and the labels; `encode` makes the file, `frames` many numbered ones.
//!
//! Lengths are metres in world coordinates (+Y up); colours are sRGB, 0 to 1, at the interface and linear inside.

mod animate;
mod backdrop;
mod camera;
mod clip;
mod encode;
mod frames;
pub mod ghosts;
pub mod glyphs;
mod ground_shade;
mod light;
mod mesh;
mod overlay;
pub(crate) mod paint;
mod props;
pub mod raster;
mod render;
mod scene;
mod shadow;
mod still;
mod subject;
pub mod text;
mod watch;
mod water;

pub use animate::{Animation, AnimationOptions, CameraMode, Drawing, Progress, animate};
pub use backdrop::Backdrop;
pub use camera::{Camera, View};
pub use encode::Picture;
pub use frames::NumberedFrames;
pub use ghosts::{GhostCount, MOST_GHOSTS};
pub use mesh::PosedMesh;
pub use props::{Prop, PropKind};
pub use scene::{Ghost, PathLine, SceneGeometry};
pub(crate) use still::shadow_texels;
pub use still::{LARGEST_SIDE, Labels, Layout, PathPoint, Placing, SMALLEST_SIDE, Still, StillOptions, still, still_unless_stopped};
pub use subject::{BodiesInMotion, Drawn, Subject};
pub use watch::GoesOn;

use crate::looks::channel_to_srgb;

/// From linear light to an sRGB byte.
pub(crate) fn to_byte(linear: f32) -> u8 {
    (channel_to_srgb(linear) * 255.0 + 0.5) as u8
}
