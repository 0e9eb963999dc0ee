//! What a body looks like: its colour, and the triangles that show it. The glTF file and the picture take them from here, so that a still
//! shows what the file holds; the picture only cuts round things finer ([`Detail`]).
//!
//! | shape | what is seen |
//! |---|---|
//! | rig | its skin, or a limb per bone and a head (`flesh.rs`, `figure.rs`, `joints.rs`) |
//! | curve | a tube ([`tube`], `taper.rs`) |
//! | surface | its own triangles ([`mesh`]) |
//! | points | small balls ([`mesh`], `solids.rs`) |
//!
//! What stands still around the bodies is in `scenery.rs`, water and food in `around.rs`; what vehicles are made of, in `finish.rs`.

use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Topology, diagonal};

use mesh::{MovingMesh, PointsMesh, SurfaceMesh};
use tube::Tube;

pub(crate) mod around;
mod figure;
pub(crate) mod finish;
pub(crate) mod flesh;
pub(crate) mod joints;
pub mod mesh;
pub(crate) mod scenery;
mod solids;
mod taper;
pub mod tube;

pub use figure::Figure;
pub use taper::Taper;

/// A colour, sRGB, each channel 0 to 1.
pub type Color = [f64; 3];

/// Colours that go well together and with the light background, in the order in which bodies should take them.
pub const PALETTE: [Color; 6] =
    [[0.14, 0.44, 0.62], [0.87, 0.45, 0.18], [0.25, 0.55, 0.36], [0.66, 0.27, 0.42], [0.44, 0.38, 0.66], [0.62, 0.52, 0.22]];

/// A colour in linear light (IEC 61966-2-1).
pub(crate) fn linear(color: Color) -> [f32; 3] {
    color.map(|channel| {
        let c = channel.clamp(0.0, 1.0);
        (if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
    })
}

/// The colour of linear light: back from [`linear`].
pub(crate) fn to_srgb(light: [f32; 3]) -> Color {
    light.map(channel_to_srgb)
}

/// One channel of [`to_srgb`].
pub(crate) fn channel_to_srgb(light: f32) -> f64 {
    let c = f64::from(light.clamp(0.0, 1.0));
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// How a body looks. Nothing here changes the physics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Looks {
    /// Colour in a still: sRGB red, green, blue, each 0 to 1. The glTF has it lighter ([`Looks::lit_color`]).
    pub color: Color,
    /// Greatest diameter of a curve's tube, diameter of a point's ball or of a rig's limbs, metres; `None` picks one: from the body's
    /// size or, for limbs, from their masses.
    pub thickness: Option<f64>,
    /// How the thickness of a curve changes from its first vertex (the head) to its last (the tail).
    pub taper: Taper,
    /// Who a rig is.
    pub figure: Figure,
}

impl Looks {
    /// The default looks of body `index` of a scene: neighbours differ in colour.
    pub fn of_body(index: usize) -> Self {
        Looks { color: PALETTE[index % PALETTE.len()], thickness: None, taper: Taper::default(), figure: Figure::default() }
    }

    /// The colour for viewers, lighter than in a still: they show it on dark ground too.
    pub fn lit_color(&self) -> Color {
        self.color.map(|channel| channel + LIGHTER * (1.0 - channel))
    }
}

impl Default for Looks {
    fn default() -> Self {
        Looks::of_body(0)
    }
}

/// Share of the way to white by which a colour is lighter for viewers.
const LIGHTER: f64 = 0.35;

/// The colour that [`Looks::lit_color`] came from.
pub(crate) fn unlit(color: Color) -> Color {
    color.map(|channel| ((channel - LIGHTER) / (1.0 - LIGHTER)).clamp(0.0, 1.0))
}

/// How finely round things are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// For a file, which holds every corner many times over.
    File,
    /// For a picture, in which every edge shows.
    Picture,
}

/// What is seen of a body that is not a rig, `size` metres large.
pub(crate) fn moving_mesh<'a>(clip: &'a Clip, looks: &Looks, size: f64, detail: Detail) -> Box<dyn MovingMesh + 'a> {
    match clip.topology() {
        Topology::Curve { closed } if clip.vertices() > 1 => {
            Box::new(Tube::new(clip, *closed, radius(clip, looks, size), looks.taper, detail))
        }
        Topology::Surface { faces } if !faces.is_empty() => Box::new(SurfaceMesh::new(clip, faces)),
        _ => Box::new(PointsMesh::new(clip, radius(clip, looks, size), detail)),
    }
}

/// Greatest radius of a curve's tube, or that of a point's ball, metres.
pub(crate) fn radius(clip: &Clip, looks: &Looks, size: f64) -> f64 {
    let usual = || match clip.topology() {
        // A snake is some 28 times as long as thick; a coil or knot must not fill its own gaps.
        Topology::Curve { .. } if clip.vertices() > 1 => (0.036 * clip.body_length()).min(0.05 * size),
        _ => (0.7 * typical_gap(clip.frame(0))).min(0.12 * size),
    };
    let diameter = looks.thickness.unwrap_or_else(usual);
    0.5 * if diameter > 0.0 { diameter } else { 0.04 * size }
}

/// Bounding-box diagonal at its greatest over the frames, metres; 1 if the body never has any extent.
pub fn body_size(clip: &Clip) -> f64 {
    let greatest = (0..clip.frames()).map(|k| diagonal(clip.frame(k))).fold(0.0, f64::max);
    if greatest > 0.0 { greatest } else { 1.0 }
}

/// A typical distance from a point to its nearest neighbour (median over at most 200 of them), metres.
fn typical_gap(points: &[Vector3<f64>]) -> f64 {
    let stride = points.len().div_ceil(200).max(1);
    let mut gaps: Vec<f64> = (0..points.len())
        .step_by(stride)
        .map(|i| {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, q)| (q - points[i]).norm()).fold(f64::INFINITY, f64::min)
        })
        .filter(|gap| gap.is_finite() && *gap > 0.0)
        .collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}
