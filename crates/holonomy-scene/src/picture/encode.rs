//! Pictures as bytes: PNG, and animations as APNG and GIF.

use std::borrow::Cow;

use rayon::prelude::*;

use super::animate::{Animation, Drawing, Progress};
use crate::Error;

/// A picture: rows from the top, four bytes a pixel: red, green, blue (sRGB), opacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// The pixels.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// The pixels do not fit the size.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().map_err(png_error)?;
        writer.write_image_data(&self.crop([0, 0, self.width, self.height])).map_err(png_error)?;
        writer.finish().map_err(png_error)?;
        Ok(file)
    }

    /// The picture as a PNG file of at most 255 colours: less than half the size, and hardly to be told apart.
    ///
    /// # Errors
    /// The pixels do not fit the size.
    pub fn to_small_png(&self) -> Result<Vec<u8>, Error> {
        let mut palette = Palette::of(std::slice::from_ref(self), 0.6);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette.bytes());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header().map_err(png_error)?;
        writer.write_image_data(&palette.indices(self)).map_err(png_error)?;
        writer.finish().map_err(png_error)?;
        Ok(file)
    }

    /// Red, green and blue of the pixels in x, y, width, height.
    fn crop(&self, [x, y, width, height]: [u32; 4]) -> Vec<u8> {
        let row = |j: u32| (j as usize * self.width as usize + x as usize) * 4;
        let rows = (y..y + height).filter_map(|j| self.pixels.get(row(j)..row(j) + width as usize * 4));
        rows.flat_map(|row| row.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]])).collect()
    }

    /// The smallest x, y, width, height that holds every pixel that differs from `other`; one pixel if none does.
    fn changed(&self, other: &Picture) -> [u32; 4] {
        let (mut x0, mut y0, mut x1, mut y1) = (u32::MAX, u32::MAX, 0, 0);
        for (i, (a, b)) in self.pixels.chunks_exact(4).zip(other.pixels.chunks_exact(4)).enumerate() {
            if a != b {
                let (x, y) = (i as u32 % self.width, i as u32 / self.width);
                (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
            }
        }
        if x0 == u32::MAX { [0, 0, 1, 1] } else { [x0, y0, x1 - x0 + 1, y1 - y0 + 1] }
    }
}

impl Animation<'_> {
    /// Hands over every frame as a PNG file, in order, such as to [`NumberedFrames::add`](super::NumberedFrames::add).
    ///
    /// # Errors
    /// What `take` says.
    pub fn each_png(&self, progress: &mut Progress, mut take: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<Drawing, Error> {
        self.ensure_memory(self.at_once(), false)?;
        self.in_order(progress, |i| self.frame(i).to_png(), |_, png| take(&png?))
    }

    /// The animation as an APNG file that plays for ever: full colour, larger than a GIF. `None` if `progress` stops it.
    ///
    /// # Errors
    /// A frame the encoder refused.
    pub fn to_apng(&self, progress: &mut Progress) -> Result<Option<Vec<u8>>, Error> {
        self.ensure_memory(2, true)?;
        let mut file = Vec::new();
        let [width, height] = self.size();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_animated(self.len() as u32, 0).map_err(png_error)?;
        encoder.set_frame_delay((1000.0 / self.fps()).round().clamp(1.0, 65_000.0) as u16, 1000).map_err(png_error)?;
        let mut writer = encoder.write_header().map_err(png_error)?;
        let mut before: Option<Picture> = None;
        let drawing = self.in_order(
            progress,
            |i| self.frame(i),
            |i, picture| {
                let area = before.as_ref().map_or([0, 0, width, height], |before| picture.changed(before));
                if i > 0 {
                    // Back to the corner first: size and place are checked against each other.
                    writer.set_frame_position(0, 0).map_err(png_error)?;
                    writer.set_frame_dimension(area[2], area[3]).map_err(png_error)?;
                    writer.set_frame_position(area[0], area[1]).map_err(png_error)?;
                }
                writer.write_image_data(&picture.crop(area)).map_err(png_error)?;
                before = Some(picture);
                Ok(())
            },
        )?;
        if drawing == Drawing::Stopped {
            return Ok(None);
        }
        writer.finish().map_err(png_error)?;
        Ok(Some(file))
    }

    /// The animation as a GIF file that plays for ever, with one palette for all frames. `None` if `progress` stops it.
    ///
    /// # Errors
    /// A frame the encoder refused.
    pub fn to_gif(&self, progress: &mut Progress) -> Result<Option<Vec<u8>>, Error> {
        self.ensure_memory(PALETTE_FRAMES, true)?;
        let [width, height] = self.size();
        let sampled: [usize; PALETTE_FRAMES] = std::array::from_fn(|i| i * (self.len() - 1) / (PALETTE_FRAMES - 1));
        let mut samples: Vec<Picture> = Vec::with_capacity(PALETTE_FRAMES);
        for some in sampled.chunks(self.at_once()) {
            if progress(0, self.len()).is_break() {
                return Ok(None);
            }
            samples.par_extend(some.par_iter().map(|&i| self.frame(i)));
        }
        let mut palette = Palette::of(&samples, 0.4);
        let mut file = Vec::new();
        let mut encoder = gif::Encoder::new(&mut file, width as u16, height as u16, &palette.bytes()).map_err(gif_error)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(gif_error)?;
        let mut before: Option<Vec<u8>> = None;
        let mut add = |picture: &Picture| {
            let indices = palette.indices_after(picture, before.as_deref());
            let [x, y, cw, ch] = before.as_ref().map_or([0, 0, width as usize, height as usize], |b| changed(b, &indices, width as usize));
            // What did not change is left out: transparent, and outside the smallest rectangle.
            let mut buffer = Vec::with_capacity(cw * ch);
            for row in y..y + ch {
                for at in row * width as usize + x..row * width as usize + x + cw {
                    buffer.push(if before.as_ref().is_some_and(|b| b[at] == indices[at]) { TRANSPARENT } else { indices[at] });
                }
            }
            let frame = gif::Frame {
                delay: (100.0 / self.fps()).round().clamp(2.0, 60_000.0) as u16,
                dispose: gif::DisposalMethod::Keep,
                transparent: before.is_some().then_some(TRANSPARENT),
                left: x as u16,
                top: y as u16,
                width: cw as u16,
                height: ch as u16,
                buffer: Cow::Owned(buffer),
                ..Default::default()
            };
            before = Some(indices);
            encoder.write_frame(&frame).map_err(gif_error)
        };
        let drawing = self.in_order(progress, |i| self.frame(i), |_, picture| add(&picture))?;
        drop(encoder);
        Ok((drawing == Drawing::Done).then_some(file))
    }
}

/// Frames that the palette is taken from.
const PALETTE_FRAMES: usize = 5;
/// Difference in any channel that does not call for redrawing a pixel.
const NEAR_ENOUGH: u8 = 4;
/// What to do about a picture that an encoder refuses.
const SMALLER: &str = "make the picture smaller";
/// Palette entry kept for “as before”.
const TRANSPARENT: u8 = 255;

/// The smallest x, y, width, height in which two frames differ; one pixel if they do not.
fn changed(a: &[u8], b: &[u8], width: usize) -> [usize; 4] {
    let differs = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b).map(|(i, _)| (i % width, i / width));
    let (x0, y0, x1, y1) =
        differs.fold((usize::MAX, usize::MAX, 0, 0), |(x0, y0, x1, y1), (x, y)| (x0.min(x), y0.min(y), x1.max(x), y1.max(y)));
    if x0 == usize::MAX { [0, 0, 1, 1] } else { [x0, y0, x1 - x0 + 1, y1 - y0 + 1] }
}

/// At most 255 colours, and the nearest of them for any colour.
struct Palette {
    colors: Vec<[u8; 3]>,
    /// For each colour there is, one more than its nearest entry, or 0 if that is not known yet.
    known: Vec<u8>,
}

/// A box of colours that may be split.
struct Cube {
    /// Colours and how much each counts.
    colors: Vec<([u8; 3], f64)>,
    /// The channel in which it is widest.
    axis: usize,
    /// How much all of it counts.
    weight: f64,
    /// How badly one colour would stand for all.
    spread: f64,
}

impl Cube {
    fn new(colors: Vec<([u8; 3], f64)>) -> Cube {
        let (mut low, mut high) = ([u8::MAX; 3], [0; 3]);
        for (color, _) in &colors {
            (0..3).for_each(|i| (low[i], high[i]) = (low[i].min(color[i]), high[i].max(color[i])));
        }
        let span = |i: usize| high[i].saturating_sub(low[i]);
        // Green first, then red: the eye tells them apart best.
        let axis = [2, 0, 1].into_iter().max_by_key(|&i| span(i)).unwrap_or(1);
        let weight = colors.iter().map(|c| c.1).sum::<f64>();
        Cube { axis, weight, spread: f64::from(span(axis)) * weight.sqrt(), colors }
    }

    fn mean(&self) -> [u8; 3] {
        [0, 1, 2].map(|i| (self.colors.iter().map(|c| c.0[i] as f64 * c.1).sum::<f64>() / self.weight).round() as u8)
    }
}

impl Palette {
    /// Median cut (Heckbert 1982) over the colours of some pictures. A colour counts by its number to the power `fairness`: below 1,
    /// rare colours get more than their share.
    fn of(pictures: &[Picture], fairness: f64) -> Palette {
        let mut pixels: Vec<[u8; 3]> = Vec::with_capacity(pictures.iter().map(|p| p.pixels.len() / 4).sum());
        pixels.extend(pictures.iter().flat_map(|p| p.pixels.chunks_exact(4)).map(|p| [p[0], p[1], p[2]]));
        pixels.sort_unstable_by_key(packed);
        let mut cubes = vec![Cube::new(pixels.chunk_by(|a, b| a == b).map(|same| (same[0], (same.len() as f64).powf(fairness))).collect())];
        while cubes.len() < TRANSPARENT as usize {
            let several = (0..cubes.len()).filter(|&i| cubes[i].colors.len() > 1);
            let Some(worst) = several.max_by(|&a, &b| cubes[a].spread.total_cmp(&cubes[b].spread)) else { break };
            let Cube { mut colors, axis, weight, .. } = cubes.swap_remove(worst);
            colors.sort_unstable_by_key(|c| (c.0[axis], c.0));
            let mut sum = 0.0;
            let cut = colors.iter().position(|c| {
                sum += c.1;
                sum >= 0.5 * weight
            });
            let rest = colors.split_off(cut.unwrap_or(0).clamp(1, colors.len() - 1));
            cubes.extend([Cube::new(colors), Cube::new(rest)]);
        }
        Palette { colors: cubes.iter().map(Cube::mean).collect(), known: vec![0; 1 << 24] }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colors.iter().flatten().copied().collect();
        bytes.resize(256 * 3, 0);
        bytes
    }

    /// As [`Palette::indices`], but what was shown before stays where it is as good as right: steadier, and much smaller.
    fn indices_after(&mut self, picture: &Picture, before: Option<&[u8]>) -> Vec<u8> {
        let mut indices = self.indices(picture);
        let Some(before) = before else { return indices };
        for ((index, &old), p) in indices.iter_mut().zip(before).zip(picture.pixels.chunks_exact(4)) {
            let shown = self.colors[old as usize];
            if (0..3).all(|i| shown[i].abs_diff(p[i]) <= NEAR_ENOUGH) {
                *index = old;
            }
        }
        indices
    }

    /// The palette entry nearest to each pixel.
    fn indices(&mut self, picture: &Picture) -> Vec<u8> {
        let Palette { colors, known } = self;
        let mut nearest = |c: [u8; 3]| {
            let known = &mut known[packed(&c) as usize];
            if *known == 0 {
                let far = |p: &[u8; 3]| (0..3).map(|i| [3, 4, 2][i] * (p[i] as i32 - c[i] as i32).pow(2)).sum::<i32>();
                *known = (0..colors.len()).min_by_key(|&i| far(&colors[i])).unwrap_or(0) as u8 + 1;
            }
            *known - 1
        };
        picture.pixels.chunks_exact(4).map(|p| nearest([p[0], p[1], p[2]])).collect()
    }
}

/// A colour as one number, in the order of its channels.
fn packed(&[red, green, blue]: &[u8; 3]) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

fn png_error(e: png::EncodingError) -> Error {
    Error::export("the picture as PNG", e.to_string(), SMALLER)
}

fn gif_error(e: gif::EncodingError) -> Error {
    Error::export("the animation as GIF", e.to_string(), SMALLER)
}
