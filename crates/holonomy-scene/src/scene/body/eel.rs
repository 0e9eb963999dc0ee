//! An eel.

use holonomy::models;
use holonomy::shape::Material;
use holonomy::systems::flow::Substance;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{BodyDensity, Count, Duration, Length, Pause, Share, Waves};

recipe! {
    /// An eel (Kern and Koumoutsakos 2006): a wave grows along its body towards the tail. It may glide between bursts of strokes.
    pub struct Eel for models::Eel {
        /// Length of the body, from head to tail. Default: `1 m`.
        pub length: Length,
        /// Number of cross-sections along the body. Default: `64`.
        pub rings: Count<4, 10_000>,
        /// Number of vertices around each. Default: `20`.
        pub around: Count<3, 10_000>,
        /// Largest half width of the body over its length. Default: `0.03`.
        pub width: Share,
        /// Largest half height of the body over its length. Default: `0.045`.
        pub height: Share,
        /// Sideways reach of the tail over the length. Default: `0.125`.
        pub amplitude: Share,
        /// Number of waves along the body. Default: `1`.
        pub waves: Waves,
        /// Time for one stroke. Default: `1 s`.
        pub period: Duration,
        /// Number of strokes in a burst, if it glides after them. Default: `3`.
        pub strokes: Count<1, 1_000_000>,
        /// Time it glides, straight, after each burst; 0: it swims on and on. Default: `0 s`.
        pub glide: Pause,
        /// Density, kg/m³, for [system.flow]. If absent, that of the fluid.
        pub density: Option<BodyDensity> = None,
    }
}

impl Procedural for Eel {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.loop_time() * fps, self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let substance = self.density.map(|density| Substance::Uniform(Material::Solid { density: density.si() }));
        Ok(Made { substance, ..Made::new(self.model().clip(fps)?, Looks { color: [0.24, 0.42, 0.38], ..Looks::default() }) })
    }
}

impl Eel {
    /// Seconds until the shapes repeat.
    fn loop_time(&self) -> f64 {
        let glide = self.glide.si();
        if glide > 0.0 { self.strokes.get() as f64 * self.period.si() + glide } else { self.period.si() }
    }
}
