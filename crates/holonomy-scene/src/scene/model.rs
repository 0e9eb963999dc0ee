//! What a scene file says: the one model behind the reader, the writer and the schema.
//!
//! Kinds of body and of system are the names of tables, `[body.snake]`, `[system.shape-change]`: that keeps the line of every
//! error (serde's other ways to write a choice lose it). A new kind is one more variant here.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Amplitude, Angle, Anisotropy, Count, Duration, FileUnit, FrameRange, FrameRate, Gravity, Length, Waves};
use super::table::table;
use crate::asset::gltf::Target;
use crate::asset::{ClipOptions, RigMasses, Up};
use crate::picture::{self, GhostCount, StillOptions};

/// A scene of Holonomy: a body whose shape changes, the physics it is subject to, and what to compute.
///
/// Numbers are in SI units (metres, seconds, kilograms, radians); text with a unit, such as "12 cm", will do too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scene {
    /// One line that says what is seen.
    pub title: String,
    /// More about it: the source, what to look at.
    pub description: Option<String>,
    /// The body and how its shape changes.
    pub body: Body,
    /// The physics that turns shape change into motion.
    pub system: System,
    /// How long and how finely.
    #[serde(default, deserialize_with = "table")]
    pub time: Time,
    /// What is written.
    #[serde(default, deserialize_with = "table")]
    pub output: Output,
    /// The still picture.
    #[serde(default, deserialize_with = "table")]
    pub picture: Picture,
    /// What `holonomy sweep` varies; a run takes the scene as it is.
    #[serde(default, deserialize_with = "table", skip_serializing_if = "Sweep::is_empty")]
    pub sweep: Sweep,
}

/// The body and how its shape changes; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Body {
    /// A snake on flat ground whose bends travel from head to tail.
    #[serde(deserialize_with = "table")]
    Snake(Snake),
    /// An in-place clip from a file: glTF, BVH, OBJ or a numbered OBJ sequence.
    #[serde(deserialize_with = "table")]
    Asset(Asset),
}

/// A snake as a serpenoid curve (Hirose 1993): its angle to the line of travel is a sine wave that runs from head to tail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Snake {
    /// Length of the body, from head to tail. Default: `1 m`.
    pub length: Length,
    /// Number of vertices along the body. Default: `60`.
    pub vertices: Count<2, 10_000_000>,
    /// Number of waves along the body. Default: `1.5`.
    pub waves: Waves,
    /// Largest angle between the body and the line it travels along. Default: `60 deg`.
    pub amplitude: Amplitude,
    /// Time for a bend to move one wavelength, after which the shapes repeat. Default: `1 s`.
    pub period: Duration,
    /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
    pub radius: Length,
}

impl Default for Snake {
    fn default() -> Self {
        Snake {
            length: Length(1.0),
            vertices: Count(60),
            waves: Waves(1.5),
            amplitude: Amplitude(60.0 * std::f64::consts::PI / 180.0),
            period: Duration(1.0),
            radius: Length(0.015),
        }
    }
}

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
    /// Masses of a rig's bones. Default: `auto`.
    #[serde(default)]
    pub masses: RigMasses,
}

impl Asset {
    /// Where the file is, for a scene file in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }
    /// What the asset readers need to know, for a scene file in `folder`.
    pub fn clip_options(&self, folder: &Path) -> ClipOptions {
        ClipOptions {
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

/// The physics that turns shape change into motion; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum System {
    /// Motion from shape change (Gross 2023), first order: no inertia but the law's own.
    #[serde(deserialize_with = "table")]
    ShapeChange(ShapeChange),
}

impl System {
    /// Its name, as in the scene file.
    pub fn name(&self) -> &'static str {
        match self {
            System::ShapeChange(_) => "shape-change",
        }
    }
}

/// Settings of motion from shape change (Gross 2023).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ShapeChange {
    /// What the motion makes least. Default: `least-dissipation`.
    pub law: Law,
    /// Drag along the body over drag across it; 1 is the same both ways. Only least dissipation uses it. Default: `0.05`.
    pub anisotropy: Anisotropy,
    /// How vertices are weighted. Default: `auto`.
    pub masses: Weights,
    /// The momentum that least action keeps. Default: `zero`.
    pub momentum: InitialMomentum,
    /// Acceleration of free fall under least action, downwards, m/s². Default: `0`.
    pub gravity: Gravity,
}

impl Default for ShapeChange {
    fn default() -> Self {
        let (law, masses, momentum) = Default::default();
        ShapeChange { law, anisotropy: Anisotropy(0.05), masses, momentum, gravity: Gravity(0.0) }
    }
}

/// The momentum that least action keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialMomentum {
    /// None: the body starts at rest.
    #[default]
    Zero,
    /// That of the motion the clip was recorded with.
    Clip,
}

/// What the motion makes least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Energy lost to drag, as in honey, mud or sand: the net force and torque of the drag vanish.
    #[default]
    LeastDissipation,
    /// Action, as in free fall or space: momentum is conserved.
    LeastAction,
}

/// How the vertices of a shape are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// What fits the shape: length for curves, area for surfaces, the bones' masses for rigs, unit for points.
    #[default]
    Auto,
    /// Half of the adjacent edges' lengths.
    Length,
    /// A third of the adjacent triangles' areas.
    Area,
    /// Share of the enclosed volume.
    Volume,
    /// All the same.
    Unit,
}

/// How long and how finely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Time {
    /// Frames per second of procedural bodies; an asset has its own. Default: `60`.
    pub fps: FrameRate,
    /// How many times a loop is played. Default: `1`.
    pub cycles: Count<1, 1_000_000>,
}

impl Default for Time {
    fn default() -> Self {
        Time { fps: FrameRate(60.0), cycles: Count(1) }
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Output {
    /// Whose root-motion convention the glTF follows. Default: `node`.
    pub target: Target,
}

/// What `holonomy sweep` varies when it is not told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Sweep {
    /// Fields and their values, each as after `--vary`, such as `"anisotropy=0.02..1:12log"`.
    pub vary: Vec<String>,
}

impl Sweep {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.vary.is_empty()
    }
}

/// The still picture: the body at several times along its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default, expecting = "a table")]
pub struct Picture {
    /// Where to look from. Default: `auto`.
    pub view: View,
    /// Direction to look from, around +Y from +Z towards +X; overrides `view`.
    pub azimuth: Option<Angle>,
    /// Direction to look from, above the horizon; overrides `view`.
    pub elevation: Option<Angle>,
    /// At how many times the body is shown. If absent, as many as overlap little.
    pub ghosts: Option<Count<1, 100>>,
    /// Width in pixels. Default: `1280`.
    pub width: Count<16, 8192>,
    /// Height in pixels. Default: `720`.
    pub height: Count<16, 8192>,
    /// What the motion happens on. Default: `ground`.
    pub backdrop: Backdrop,
}

impl Default for Picture {
    fn default() -> Self {
        let (azimuth, elevation, ghosts) = (None, None, None);
        Picture { view: View::Auto, azimuth, elevation, ghosts, width: Count(1280), height: Count(720), backdrop: Backdrop::Ground }
    }
}

impl Picture {
    /// What the renderer needs to know.
    pub fn options(&self) -> StillOptions {
        let oblique = 30_f64.to_radians();
        let view = match (self.azimuth, self.elevation, self.view) {
            (None, None, View::Auto) => picture::View::Auto,
            (None, None, View::Front) => picture::View::Front,
            (None, None, View::Side) => picture::View::Side,
            (None, None, View::Top) => picture::View::Top,
            (azimuth, elevation, _) => {
                picture::View::Orbit { azimuth: azimuth.map_or(oblique, Angle::si), elevation: elevation.map_or(oblique, Angle::si) }
            }
        };
        let backdrop = match self.backdrop {
            Backdrop::Ground => picture::Backdrop::Ground { height: None },
            Backdrop::Water => picture::Backdrop::Water { height: None },
            Backdrop::None => picture::Backdrop::None,
        };
        let ghosts = self.ghosts.map_or(GhostCount::Auto, |count| GhostCount::Exactly(count.get()));
        StillOptions { width: self.width.get() as u32, height: self.height.get() as u32, view, ghosts, backdrop, ..StillOptions::default() }
    }
}

/// Where to look from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Three-quarter view from above, turned so that the motion runs across the picture.
    #[default]
    Auto,
    /// From +Z, level.
    Front,
    /// From +X, level.
    Side,
    /// Straight down.
    Top,
}

/// What the motion happens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backdrop {
    /// Level ground with a grid.
    #[default]
    Ground,
    /// The surface of water.
    Water,
    /// Nothing.
    None,
}
