//! What falls through the air: leaves, maple seeds, paper copters.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::scene::quantity::{Angle, BodyMass, Count, Length, Lift, Share, SignedShare, SurfaceDensity};

/// A leaf with a stalk, curled and twisted, its tip along +Z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Leaf {
    /// Length of the blade. Default: `8 cm`.
    pub length: Length,
    /// Width of the blade at its widest. Default: `5 cm`.
    pub width: Length,
    /// Length of the stalk; 0: none. Default: `15 mm`.
    pub stalk: Lift,
    /// Mass, kg/m². Default: `0.08`.
    pub surface_density: SurfaceDensity,
    /// Turn of the midrib from base to tip; positive: both ends are bent up. Default: `0.5`.
    pub curl_along: Angle,
    /// Turn of the widest section from rim to rim; positive: both rims are bent up. Default: `0.7`.
    pub curl_across: Angle,
    /// Turn of the tip about the midrib, against the base. Default: `0`.
    pub twist: Angle,
    /// How much the seed changes outline, curl and twist. Default: `1`.
    pub variation: Share,
    /// Which leaf it is: another number, another leaf. Default: `1`.
    pub seed: Count<0, 1_000_000_000>,
}

impl Default for Leaf {
    fn default() -> Self {
        Leaf {
            length: Length(0.08),
            width: Length(0.05),
            stalk: Lift(0.015),
            surface_density: SurfaceDensity(0.08),
            curl_along: Angle(0.5),
            curl_across: Angle(0.7),
            twist: Angle(0.0),
            variation: Share(1.0),
            seed: Count(1),
        }
    }
}

/// Autumn: leaves of different seeds differ in colour.
const AUTUMN: [[f64; 3]; 6] =
    [[0.72, 0.22, 0.10], [0.85, 0.58, 0.12], [0.80, 0.38, 0.10], [0.58, 0.16, 0.12], [0.78, 0.66, 0.20], [0.62, 0.34, 0.14]];

impl Procedural for Leaf {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, AUTUMN[self.seed.get() % AUTUMN.len()]))
    }
}

impl Leaf {
    fn model(&self) -> models::Leaf {
        models::Leaf {
            length: self.length.si(),
            width: self.width.si(),
            stalk: self.stalk.si(),
            surface_density: self.surface_density.si(),
            curl_along: self.curl_along.si(),
            curl_across: self.curl_across.si(),
            twist: self.twist.si(),
            variation: self.variation.si(),
            seed: self.seed.get() as u64,
        }
    }
}

/// A maple seed: a nut and a wing with a heavy rib at its leading edge. It turns as it falls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MapleSeed {
    /// From the far end of the nut to the tip of the wing. Default: `38 mm`.
    pub span: Length,
    /// Width of the wing at its widest. Default: `11 mm`.
    pub chord: Length,
    /// Mass of the nut. Default: `50 mg`.
    pub nut_mass: BodyMass,
    /// Where the middle of the nut is, in chords behind the leading edge. Default: `0.2`.
    pub nut_position: SignedShare,
    /// Width of the rib over the chord. Default: `0.18`.
    pub rib_width: Share,
    /// Mass of the rib, kg/m². Default: `0.45`.
    pub rib_surface_density: SurfaceDensity,
    /// Mass of the membrane behind it, kg/m². Default: `0.035`.
    pub membrane_surface_density: SurfaceDensity,
    /// By how much the leading edge is lower than the trailing edge. Default: `0`.
    pub pitch: Angle,
    /// The same at the tip, less that at the root. Default: `0`.
    pub twist: Angle,
    /// Height of the middle of a section above its ends, over the chord. Default: `0.02`.
    pub camber: SignedShare,
    /// By how much the wing rises from root to tip. Default: `0.05`.
    pub coning: Angle,
}

impl Default for MapleSeed {
    fn default() -> Self {
        MapleSeed {
            span: Length(0.038),
            chord: Length(0.011),
            nut_mass: BodyMass(50e-6),
            nut_position: SignedShare(0.2),
            rib_width: Share(0.18),
            rib_surface_density: SurfaceDensity(0.45),
            membrane_surface_density: SurfaceDensity(0.035),
            pitch: Angle(0.0),
            twist: Angle(0.0),
            camber: SignedShare(0.02),
            coning: Angle(0.05),
        }
    }
}

impl Procedural for MapleSeed {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, [0.52, 0.36, 0.18]))
    }
}

impl MapleSeed {
    fn model(&self) -> models::MapleSeed {
        models::MapleSeed {
            span: self.span.si(),
            chord: self.chord.si(),
            nut_mass: self.nut_mass.si(),
            nut_position: self.nut_position.si(),
            rib_width: self.rib_width.si(),
            rib_surface_density: self.rib_surface_density.si(),
            membrane_surface_density: self.membrane_surface_density.si(),
            pitch: self.pitch.si(),
            twist: self.twist.si(),
            camber: self.camber.si(),
            coning: self.coning.si(),
            ..models::MapleSeed::default()
        }
    }
}

/// A strip of paper cut into two blades above a folded stem, with a paper clip below. It turns as it falls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PaperCopter {
    /// Width of the strip. Default: `4 cm`.
    pub width: Length,
    /// Length of the strip. Default: `16 cm`.
    pub length: Length,
    /// Mass of the strip. Default: `0.5 g`.
    pub paper_mass: BodyMass,
    /// How deep the upper end is cut into two blades. Default: `7 cm`.
    pub blade_length: Length,
    /// What is left between blades and stem at full width. Default: `1 cm`.
    pub band: Length,
    /// By how much the blades rise from fold to tip. Default: `0.35`.
    pub blade_angle: Angle,
    /// Mass of the paper clip. Default: `1 g`.
    pub clip_mass: BodyMass,
}

impl Default for PaperCopter {
    fn default() -> Self {
        PaperCopter {
            width: Length(0.04),
            length: Length(0.16),
            paper_mass: BodyMass(0.5e-3),
            blade_length: Length(0.07),
            band: Length(0.01),
            blade_angle: Angle(0.35),
            clip_mass: BodyMass(1e-3),
        }
    }
}

impl Procedural for PaperCopter {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, [0.82, 0.78, 0.66]))
    }
}

impl PaperCopter {
    fn model(&self) -> models::PaperCopter {
        models::PaperCopter {
            width: self.width.si(),
            length: self.length.si(),
            paper_mass: self.paper_mass.si(),
            blade_length: self.blade_length.si(),
            band: self.band.si(),
            blade_angle: self.blade_angle.si(),
            clip_mass: self.clip_mass.si(),
            ..models::PaperCopter::default()
        }
    }
}
