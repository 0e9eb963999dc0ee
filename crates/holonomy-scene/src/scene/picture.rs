//! `[picture]`: how the still is taken.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Angle, Coordinate, Count, Duration, Height};
use super::system::{Surroundings, System};
use crate::picture::{self, GhostCount, LARGEST_SIDE, MOST_GHOSTS, SMALLEST_SIDE, StillOptions};

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
    pub ghosts: Option<Count<1, MOST_GHOSTS>>,
    /// Until when the body is shown, such as `"1 s"`. If absent, or beyond the end, to the end.
    pub until: Option<Duration>,
    /// Where the body stands at those times. Default: `auto`.
    pub placing: Placing,
    /// How many times its size the body is drawn: for what is small on a long way. Default: `1`.
    pub magnify: Count<1, 100>,
    /// What the colours of the body show. Default: `body`.
    pub colors: Colors,
    /// Width in pixels. Default: `1280`.
    pub width: Count<SMALLEST_SIDE, LARGEST_SIDE>,
    /// Height in pixels. Default: `720`.
    pub height: Count<SMALLEST_SIDE, LARGEST_SIDE>,
    /// What the motion happens on. Default: `auto`.
    pub backdrop: Backdrop,
    /// Height of the ground or the water. If absent, that of the `ground` or the `water` of the system if it has one; else the ground lies under the
    /// lowest point, the water just above the body.
    pub backdrop_height: Option<Coordinate>,
}

impl Default for Picture {
    fn default() -> Self {
        let (azimuth, elevation, ghosts, until, backdrop_height) = Default::default();
        let (view, placing, colors, backdrop) = Default::default();
        let (magnify, width, height) = (Count(1), Count(1280), Count(720));
        Picture { view, azimuth, elevation, ghosts, until, placing, magnify, colors, width, height, backdrop, backdrop_height }
    }
}

impl Picture {
    /// What the renderer needs to know, for a scene with this `system`.
    pub fn options(&self, system: &System) -> StillOptions {
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
        let Surroundings { ground, water, on_ground } = system.settings().surroundings();
        let backdrop = match self.backdrop {
            Backdrop::Auto if water.is_some() => Backdrop::Water,
            Backdrop::Auto if on_ground || ground.is_some() => Backdrop::Ground,
            Backdrop::Auto => Backdrop::None,
            told => told,
        };
        let known = if backdrop == Backdrop::Water { water } else { ground };
        let height = self.backdrop_height.map(Coordinate::si).or(known.map(Height::si));
        let backdrop = match backdrop {
            Backdrop::Auto | Backdrop::Ground => picture::Backdrop::Ground { height },
            Backdrop::Water => picture::Backdrop::Water { height },
            Backdrop::None => picture::Backdrop::None,
        };
        let ghosts = self.ghosts.map_or(GhostCount::Auto, |count| GhostCount::Exactly(count.get()));
        let placing = match self.placing {
            Placing::Auto => picture::Placing::Auto,
            Placing::World => picture::Placing::World,
            Placing::SideBySide => picture::Placing::SideBySide,
        };
        let (width, height) = (self.width.get() as u32, self.height.get() as u32);
        let magnify = self.magnify.get() as f64;
        StillOptions { width, height, view, ghosts, backdrop, placing, magnify, ..StillOptions::default() }
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

/// Where the body stands at the times shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placing {
    /// Where it was, or side by side if it hardly leaves its place.
    #[default]
    Auto,
    /// Where it was.
    World,
    /// From left to right as time goes on, at the height where it was.
    SideBySide,
}

/// What the colours of the body show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Colors {
    /// The body, and nothing else.
    #[default]
    Body,
    /// Where the motion comes from: red pushes the body on its way, blue holds it back. Only where there is drag.
    Thrust,
    /// Where physics was not met: red are the forces that would be missing. Only of soft bodies in a loop.
    MissingForce,
}

/// What the motion happens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backdrop {
    /// Water where the system has `water`; ground where it has `ground`, and under all shape change; else nothing.
    #[default]
    Auto,
    /// Level ground with a grid.
    Ground,
    /// The surface of water.
    Water,
    /// Nothing.
    None,
}
