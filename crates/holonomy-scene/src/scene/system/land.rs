//! Land: heights over a plane, made up or read from a picture.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use holonomy::medium::Noise as EngineNoise;
use holonomy::medium::ground::{HeightField, Hills as EngineHills};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::quantity::{Count, Height, Length, Lift};
use crate::{Error, input, memory};

/// What land is like.
pub trait Land {
    /// The engine's land.
    ///
    /// # Errors
    /// A number is out of range.
    fn field(&self) -> Result<HeightField, holonomy::Error>;
}

/// Land that is seen from above, without overhangs; one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum OpenLand {
    /// Round hills in random places.
    Hills(Hills),
    /// Random bumps: dunes, rough ground.
    Noise(Noise),
    /// Land from a picture.
    Image(HeightImage),
    /// A slope down along +X from one height to another, with level ground before and behind it.
    Slope(Slope),
}

impl OpenLand {
    /// The engine's land. Files are looked for from `folder`.
    ///
    /// # Errors
    /// A number is out of range, or the picture cannot be read.
    pub(crate) fn field(&self, folder: &Path, refused: &dyn Fn(holonomy::Error) -> Error) -> Result<HeightField, Error> {
        match self {
            OpenLand::Hills(hills) => hills.field().map_err(refused),
            OpenLand::Noise(noise) => noise.field().map_err(refused),
            OpenLand::Image(image) => image.field(folder),
            OpenLand::Slope(slope) => slope.field().map_err(refused),
        }
    }

    /// The file that it comes from, if it does.
    pub(crate) fn file_mut(&mut self) -> Option<&mut PathBuf> {
        if let OpenLand::Image(image) = self { Some(&mut image.file) } else { None }
    }
}

/// Round hills in random places, around the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hills {
    /// Sides of the land along X and Z.
    pub size: [Length; 2],
    /// How many.
    pub count: Count<1, 10_000>,
    /// Height of the highest.
    pub height: Length,
    /// How wide each is.
    pub width: Length,
    /// Which land it is.
    pub seed: Count<0, 1_000_000_000>,
}

impl Land for Hills {
    fn field(&self) -> Result<HeightField, holonomy::Error> {
        let size = self.size.map(Length::si);
        let spacing = 0.25 * self.width.si();
        let hills = EngineHills {
            size,
            spacing,
            count: self.count.get(),
            height: self.height.si(),
            width: self.width.si(),
            seed: self.seed.get() as u64,
        };
        hills.field()
    }
}

/// A canyon that winds along +Z: a floor at height 0 between walls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Canyon {
    /// From its start at z = 0 to its end.
    pub length: Length,
    /// Of the floor, from foot to foot of the walls.
    pub width: Length,
    /// Of the walls.
    pub depth: Length,
    /// How far the middle of the floor swings to each side.
    pub swing: Lift,
    /// From one bend to the next of the same side.
    pub bend: Length,
}

impl Land for Canyon {
    fn field(&self) -> Result<HeightField, holonomy::Error> {
        let [length, width, depth, swing, bend] = [self.length.si(), self.width.si(), self.depth.si(), self.swing.si(), self.bend.si()];
        let side = swing + 2.0 * width;
        let spacing = 0.1 * width;
        let sides = [2.0 * side, length + 2.0 * width].map(|size| (size / spacing).ceil() + 1.0);
        if sides[0] * sides[1] > MOST_HEIGHTS as f64 {
            return Err(holonomy::Error::Parameter {
                name: "number of heights of a canyon, which are a tenth of its width apart",
                value: sides[0] * sides[1],
                expected: "16 million or fewer: make it wider or shorter",
            });
        }
        let counts = sides.map(|side| side as usize);
        let height = |x: f64, z: f64| {
            let middle = swing * (std::f64::consts::TAU * z / bend).sin();
            let off = ((x - middle).abs() / (0.5 * width) - 0.7) / 0.6;
            let wall = off.clamp(0.0, 1.0);
            // Walls are steep, not upright, and their tops are not level.
            depth * wall * wall * (3.0 - 2.0 * wall) * (1.0 + 0.12 * (1.7 * z / width + x / width).sin())
        };
        let mut heights = Vec::with_capacity(counts[0] * counts[1]);
        for k in 0..counts[1] {
            for i in 0..counts[0] {
                heights.push(height(i as f64 * spacing - side, k as f64 * spacing - width));
            }
        }
        HeightField::new([-side, -width], spacing, counts, heights)
    }
}

/// Land of random bumps around the origin: gradient noise, each octave half as wide and half as high as the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Noise {
    /// Sides of the land along X and Z.
    pub size: [Length; 2],
    /// No bump of the widest rises or falls by more than this.
    pub height: Length,
    /// Width of the widest bumps.
    pub wavelength: Length,
    /// How many octaves. Default: `3`.
    #[serde(default = "three")]
    pub octaves: Count<1, 12>,
    /// Which land it is. Default: `1`.
    #[serde(default = "first")]
    pub seed: Count<0, 1_000_000_000>,
}

fn three() -> Count<1, 12> {
    Count(3)
}

fn first() -> Count<0, 1_000_000_000> {
    Count(1)
}

/// The narrowest bumps have so many heights from one to the next.
const HEIGHTS_PER_BUMP: f64 = 8.0;

/// More heights than this are refused.
const MOST_HEIGHTS: u64 = 1 << 24;

impl Land for Noise {
    fn field(&self) -> Result<HeightField, holonomy::Error> {
        let size = self.size.map(Length::si);
        let octaves = self.octaves.get();
        let spacing = self.wavelength.si() * 0.5_f64.powi(octaves as i32 - 1) / HEIGHTS_PER_BUMP;
        // Land smaller than its narrowest bump needs no more than its corners.
        let spacing = spacing.min(size[0]).min(size[1]);
        let count = (size[0] / spacing + 1.0) * (size[1] / spacing + 1.0);
        if count > MOST_HEIGHTS as f64 {
            let expected = "16 million or fewer: take smaller land, a longer wavelength or fewer octaves";
            return Err(holonomy::Error::Parameter { name: "count of heights of the noise", value: count.ceil(), expected });
        }
        EngineNoise { size, spacing, wavelength: self.wavelength.si(), height: self.height.si(), octaves, seed: self.seed.get() as u64 }
            .field()
    }
}

/// A slope between two levels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Slope {
    /// Height of the upper level.
    pub top: Height,
    /// Height of the lower level.
    pub bottom: Height,
    /// Where along X the slope begins, and where it ends.
    pub between: [Height; 2],
    /// Where along X it rises again to the upper level, and where it has: the far shore. If absent, nowhere.
    #[serde(default)]
    pub far: Option<[Height; 2]>,
    /// Sides of the land along X and Z, around the origin.
    pub size: [Length; 2],
}

impl Land for Slope {
    fn field(&self) -> Result<HeightField, holonomy::Error> {
        let [from, to] = self.between.map(Height::si);
        let (top, bottom) = (self.top.si(), self.bottom.si());
        let size = self.size.map(Length::si);
        let spacing = (size[0].max(size[1]) / 400.0).max(1e-4);
        HeightField::from_fn(size, spacing, |x, _| {
            let down = ((x - from) / (to - from)).clamp(0.0, 1.0);
            let up = self.far.map_or(0.0, |far| ((x - far[0].si()) / (far[1].si() - far[0].si())).clamp(0.0, 1.0));
            top + (bottom - top) * (down - up)
        })
    }
}

/// Land around the origin from a picture, a PNG file: black is at height 0, and the brighter a pixel the higher the land. Of colours the luminance counts, of what is see-through the
/// colour. The right of the picture is along +X, its top along −Z: it is the map of the land.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeightImage {
    /// The file, as seen from the folder of the scene file. 16 bits a channel make finer steps than 8.
    pub file: PathBuf,
    /// Sides of the land along X and Z, from the middle of the first pixel to that of the last.
    pub size: [Length; 2],
    /// Height of what is white.
    pub height: Length,
}

/// Luminance of red, green and blue (ITU-R BT.709).
const LUMINANCE: [f64; 3] = [0.2126, 0.7152, 0.0722];

impl HeightImage {
    /// Where the file is, for a scene file in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }

    /// The land; between pixels heights are mixed.
    ///
    /// # Errors
    /// The file is not there, is no PNG, or has too few pixels or too many.
    pub fn field(&self, folder: &Path) -> Result<HeightField, Error> {
        let path = self.path(folder);
        let grey = Grey::read(&path)?;
        let (size, [columns, rows]) = (self.size.map(Length::si), grey.counts);
        let pitch = [size[0] / (columns - 1) as f64, size[1] / (rows - 1) as f64];
        let spacing = pitch[0].min(pitch[1]);
        let count = (size[0] / spacing + 1.0) * (size[1] / spacing + 1.0);
        if count > MOST_HEIGHTS as f64 {
            let sides = format!("{} × {} m of {columns} × {rows} pixels", size[0], size[1]);
            let fix = "take sides in the proportion of the picture's, or a picture of fewer pixels";
            return Err(Error::malformed(&path, "size", format!("{sides} are {count:.0} heights, more than {MOST_HEIGHTS}"), fix));
        }
        let height = |x: f64, z: f64| self.height.si() * grey.at([x / pitch[0], z / pitch[1]]);
        HeightField::from_fn(size, spacing, height).map_err(|source| Error::Engine { path, source })
    }
}

/// Grey values, 0 to 1, by rows from the top.
struct Grey {
    counts: [usize; 2],
    values: Vec<f32>,
}

impl Grey {
    fn read(path: &Path) -> Result<Grey, Error> {
        let no_png = |error: png::DecodingError| Error::malformed(path, "the picture", error.to_string(), "give a PNG file");
        let bytes = input::bytes(path, 1, "give a smaller picture")?;
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        // Palettes become colours, and 1 to 4 bits become 8; 16 bits stay.
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(no_png)?;
        let (width, height) = (reader.info().width, reader.info().height);
        let pixels = u64::from(width) * u64::from(height);
        if width < 2 || height < 2 || pixels > MOST_HEIGHTS {
            let fix = format!("give one of 2 pixels or more along each side, and {MOST_HEIGHTS} or fewer in all");
            return Err(Error::malformed(path, "the picture", format!("it has {width} × {height} pixels"), fix));
        }
        let length = reader.output_buffer_size().unwrap_or(usize::MAX);
        let needed = (length as u64).saturating_add(pixels.saturating_mul(4 + 8));
        memory::ensure(needed, || path.display().to_string(), "give a picture of fewer pixels")?;
        let mut data = vec![0; length];
        let info = reader.next_frame(&mut data).map_err(no_png)?;
        let (channels, wide) = (info.color_type.samples(), info.bit_depth == png::BitDepth::Sixteen);
        let sample = |bytes: &[u8]| match bytes {
            [high, low] => f64::from(u16::from_be_bytes([*high, *low])) / f64::from(u16::MAX),
            [byte, ..] => f64::from(*byte) / f64::from(u8::MAX),
            [] => 0.0,
        };
        let bytes = if wide { 2 } else { 1 };
        let luminance = |pixel: &[u8]| {
            let channel = |k: usize| sample(&pixel[k * bytes..(k + 1) * bytes]);
            let grey = if channels < 3 { channel(0) } else { (0..3).map(|k| LUMINANCE[k] * channel(k)).sum() };
            grey as f32
        };
        let values = data.chunks_exact(channels * bytes).map(luminance).collect();
        Ok(Grey { counts: [width as usize, height as usize], values })
    }

    /// The value at a place, in pixels from the middle of the picture, mixed from the four around it.
    fn at(&self, from_middle: [f64; 2]) -> f64 {
        let along = |axis: usize| {
            let last = (self.counts[axis] - 1) as f64;
            let place = (from_middle[axis] + 0.5 * last).clamp(0.0, last);
            let pixel = place.floor().min(last - 1.0);
            (pixel as usize, place - pixel)
        };
        let ((column, u), (row, w)) = (along(0), along(1));
        let value = |i: usize, k: usize| f64::from(self.values[(row + k) * self.counts[0] + column + i]);
        let mixed = |k: usize| value(0, k) + (value(1, k) - value(0, k)) * u;
        mixed(0) + (mixed(1) - mixed(0)) * w
    }
}
