//! What falls through the air: leaves, maple seeds, paper copters.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::scene::quantity::{Angle, BodyMass, Count, Length, Lift, Share, SignedShare, SurfaceDensity};

recipe! {
    /// A leaf with a stalk, curled and twisted, its tip along +Z.
    pub struct Leaf for models::Leaf {
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

recipe! {
    /// A maple seed: a nut and a wing with a heavy rib at its leading edge. It turns as it falls.
    pub struct MapleSeed for models::MapleSeed {
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

recipe! {
    /// A strip of paper cut into two blades above a folded stem, with a paper clip below. It turns as it falls.
    pub struct PaperCopter for models::PaperCopter {
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
