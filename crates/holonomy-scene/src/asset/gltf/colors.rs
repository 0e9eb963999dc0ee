//! The colours of a surface, for pictures: the base colour of each primitive's material, times its texture at the vertices, times their
//! own colours (glTF 2.0 specification, section 3.9.2). Textures are read if they are PNG; a picture needs no more than a hint of them.

use std::collections::HashMap;

use serde_json::Value;

use super::surface::{Part, Surface};
use super::{GltfAsset, container};
use crate::looks::{Color, Looks, linear, to_srgb, unlit};
use crate::memory;

/// A texture: sRGB, three bytes a texel, rows from the top.
struct Texture {
    width: usize,
    height: usize,
    texels: Vec<u8>,
}

impl GltfAsset {
    /// A colour for each vertex of the surface, before welding; `None` if the file has no colours.
    pub(super) fn vertex_colors(&self, surface: &Surface) -> Option<Vec<Color>> {
        let document: Value = serde_json::from_str(&self.json).ok()?;
        let mut textures: HashMap<usize, Option<Texture>> = HashMap::new();
        let parts: Vec<Option<Vec<Color>>> = surface.parts.iter().map(|part| self.part_colors(part, &document, &mut textures)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let plain = |part: &Part| vec![Looks::default().color; part.vertices()];
        Some(surface.parts.iter().zip(parts).flat_map(|(part, colors)| colors.unwrap_or_else(|| plain(part))).collect())
    }

    fn part_colors(&self, part: &Part, document: &Value, textures: &mut HashMap<usize, Option<Texture>>) -> Option<Vec<Color>> {
        let [mesh, k] = part.primitive;
        let primitive = self.document.meshes.get(mesh)?.primitives.get(k)?;
        let material = document.pointer(&format!("/meshes/{mesh}/primitives/{k}/material")).and_then(Value::as_u64);
        let base = material.and_then(|i| document.pointer(&format!("/materials/{i}/pbrMetallicRoughness")));
        let factor = base.and_then(|base| base.get("baseColorFactor")?.as_array()).map(|list| {
            let channel = |i: usize| list.get(i).and_then(Value::as_f64).unwrap_or(1.0).clamp(0.0, 1.0) as f32;
            self.as_in_stills([channel(0), channel(1), channel(2)])
        });
        let told = base.and_then(|base| base.get("baseColorTexture"));
        let texture = told.and_then(|told| {
            let number = |value: &Value| value.as_u64().map(|i| i as usize);
            let image = number(document.pointer(&format!("/textures/{}/source", told.get("index")?))?)?;
            let set = told.get("texCoord").and_then(number).unwrap_or(0);
            let places = self.reader().floats::<2>(*primitive.attributes.get(&format!("TEXCOORD_{set}"))?).ok()?;
            textures.entry(image).or_insert_with(|| self.texture(image, document)).as_ref().map(|texture| (texture, places))
        });
        let own = primitive.attributes.get("COLOR_0").and_then(|&accessor| self.own_colors(accessor));
        // Without its texture the factor says little: it is white nearly always.
        let bare = told.is_some() && texture.is_none();
        if factor.filter(|_| !bare).is_none() && texture.is_none() && own.is_none() {
            return None;
        }
        let color = |&v: &u32| {
            let v = v as usize;
            let texel = texture.as_ref().and_then(|(texture, places)| Some(texture.at(*places.get(v)?))).unwrap_or([1.0; 3]);
            let own = own.as_ref().and_then(|own| own.get(v).copied()).unwrap_or([1.0; 3]);
            let factor = factor.unwrap_or([1.0; 3]);
            to_srgb([0, 1, 2].map(|i| factor[i] * texel[i] * own[i]))
        };
        Some(part.used.iter().map(color).collect())
    }

    /// A factor of ours is lighter than the still it belongs to.
    fn as_in_stills(&self, factor: [f32; 3]) -> [f32; 3] {
        let ours = self.document.asset.generator.as_ref().is_some_and(|generator| generator.starts_with("Holonomy"));
        if ours { linear(unlit(to_srgb(factor))) } else { factor }
    }

    /// Linear colours of a primitive's vertices, with or without opacity.
    fn own_colors(&self, accessor: usize) -> Option<Vec<[f32; 3]>> {
        let single = |c: [f64; 3]| c.map(|channel| channel as f32);
        let opaque = || self.reader().floats::<3>(accessor).map(|list| list.into_iter().map(single).collect());
        let other = || self.reader().floats::<4>(accessor).map(|list| list.iter().map(|&[r, g, b, _]| single([r, g, b])).collect());
        opaque().or_else(|_| other()).ok()
    }

    fn texture(&self, image: usize, document: &Value) -> Option<Texture> {
        let told = document.pointer(&format!("/images/{image}"))?;
        let bytes = match (told.get("bufferView").and_then(Value::as_u64), told.get("uri").and_then(Value::as_str)) {
            (Some(view), _) => self.reader().view(view as usize).ok()??.to_vec(),
            (None, Some(uri)) => container::external(&self.path, &format!("images[{image}]"), uri).ok()?,
            (None, None) => return None,
        };
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().ok()?;
        let length = reader.output_buffer_size()?;
        // Bytes, then texels. A header can promise any number of them.
        memory::ensure((length as u64).saturating_mul(4), || told.to_string(), "give a smaller picture").ok()?;
        let mut data = vec![0; length];
        let info = reader.next_frame(&mut data).ok()?;
        let channels = info.color_type.samples();
        let texel = |p: &[u8]| if channels < 3 { [p[0]; 3] } else { [p[0], p[1], p[2]] };
        let texels = data.chunks_exact(channels).flat_map(texel).collect();
        Some(Texture { width: info.width as usize, height: info.height as usize, texels })
    }
}

impl Texture {
    /// The linear colour at texture coordinates, which go round.
    fn at(&self, [u, v]: [f64; 2]) -> [f32; 3] {
        let along = |x: f64, count: usize| ((x.rem_euclid(1.0) * count as f64) as usize).min(count.saturating_sub(1));
        let first = 3 * (along(v, self.height) * self.width + along(u, self.width));
        self.texels.get(first..first + 3).map_or([1.0; 3], |t| linear([t[0], t[1], t[2]].map(|byte| f64::from(byte) / 255.0)))
    }
}
