//! The outside of a glTF file: splits `.glb` into its chunks, finds the bytes of every buffer, writes `.glb`.
//!
//! Source: glTF 2.0 specification, sections 3.6.1 (buffers) and 4 (GLB file format).

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use std::path::{Component, Path, PathBuf};

use super::document::Document;
use super::fault::{Fault, REEXPORT};
use crate::{Error, input};

const MAGIC: &[u8; 4] = b"glTF";
const CHUNK_JSON: u32 = 0x4E4F_534A;
const CHUNK_BIN: u32 = 0x004E_4942;

/// The JSON text and, for `.glb`, the binary chunk.
pub(super) struct Container {
    pub json: String,
    pub bin: Option<Vec<u8>>,
}

/// Takes a `.glb` or `.gltf` file apart.
pub(super) fn split(bytes: &[u8]) -> Result<Container, Fault> {
    if bytes.is_empty() {
        return Err(Fault::new("file", "it is empty").fix("give a .glb or .gltf file"));
    }
    if bytes.starts_with(MAGIC) {
        return split_glb(bytes);
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if text.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Fault::new("file", "it is not glTF: it begins neither with 'glTF' (.glb) nor with '{' (.gltf)")
            .fix("give a .glb or .gltf file; Blender exports one from FBX, DAE, USD and its own files"));
    }
    Ok(Container { json: utf8(text)?, bin: None })
}

fn split_glb(bytes: &[u8]) -> Result<Container, Fault> {
    let truncated =
        |what: &str| Fault::new("GLB", format!("the file ends inside {what}: it is truncated")).fix("copy or download the file again");
    let word = |at: usize| bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes);
    let version = word(4).ok_or_else(|| truncated("the header"))?;
    if version != 2 {
        return Err(Fault::new("GLB header", format!("version {version}, but only glTF 2 is read"))
            .fix("convert it to glTF 2.0, for instance by importing and exporting it with Blender"));
    }
    let length = word(8).ok_or_else(|| truncated("the header"))? as usize;
    if length > bytes.len() {
        return Err(truncated(&format!("its data ({} of {length} bytes are there)", bytes.len())));
    }
    let (mut json, mut bin, mut at) = (None, None, 12);
    while at + 8 <= length {
        let (size, kind) = (word(at).unwrap_or(0) as usize, word(at + 4).unwrap_or(0));
        let chunk = at.checked_add(8 + size).filter(|&end| end <= length).and_then(|end| bytes.get(at + 8..end));
        let chunk = chunk.ok_or_else(|| truncated(&format!("a chunk of {size} bytes at byte {at}")))?;
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(utf8(chunk)?),
            CHUNK_BIN if bin.is_none() => bin = Some(chunk.to_vec()),
            _ => {} // the specification asks readers to skip unknown chunks
        }
        at += 8 + size;
    }
    let json = json.ok_or_else(|| Fault::new("GLB", "there is no JSON chunk"))?;
    Ok(Container { json, bin })
}

fn utf8(bytes: &[u8]) -> Result<String, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|e| Fault::new("JSON", format!("byte {} is not UTF-8", e.valid_up_to())))?;
    Ok(text.to_owned())
}

/// A `.glb` of these two chunks.
///
/// # Errors
/// The file would pass the 4 GB a `.glb` can hold.
pub(super) fn join(json: &str, bin: &[u8]) -> Result<Vec<u8>, Error> {
    let (json_size, bin_size) = (json.len().next_multiple_of(4), bin.len().next_multiple_of(4));
    let total = 12 + 8 + json_size + 8 + bin_size;
    let length = u32::try_from(total).map_err(|_| Error::TooLarge {
        what: "the moving .glb (at most 4.3 GB by its format)".into(),
        needed: total as u64,
        available: u64::from(u32::MAX),
        fix: "ask for fewer cycles or frames",
    })?;
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    for word in [2, length, json_size as u32, CHUNK_JSON] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(json.as_bytes());
    out.resize(20 + json_size, b' ');
    for word in [bin_size as u32, CHUNK_BIN] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(bin);
    out.resize(total, 0);
    Ok(out)
}

/// The bytes of each buffer; `None` for one that has none of its own (a fallback buffer of a compression extension).
pub(super) fn load_buffers(path: &Path, document: &Document, bin: Option<Vec<u8>>) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let mut bin = bin;
    let mut buffers = Vec::with_capacity(document.buffers.len());
    for (i, buffer) in document.buffers.iter().enumerate() {
        let place = format!("buffers[{i}]");
        let used = document.buffer_views.iter().any(|view| view.buffer == i);
        let bytes = match &buffer.uri {
            Some(_) if !used => None, // what nothing refers to is not read, and does not come into the result
            Some(uri) if uri.starts_with("data:") => Some(data_uri(uri).map_err(|problem| Fault::new(&place, problem).at(path))?),
            Some(uri) => Some(external(path, &place, uri)?),
            None if i == 0 => bin.take(),
            None => None,
        };
        if let Some(bytes) = &bytes
            && bytes.len() < buffer.byte_length
        {
            let problem = format!("byteLength is {}, but only {} bytes are there", buffer.byte_length, bytes.len());
            return Err(Error::malformed(path, place, problem, REEXPORT));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// The bytes of a file that the document names by a relative URI.
pub(super) fn external(path: &Path, place: &str, uri: &str) -> Result<Vec<u8>, Error> {
    let file = beside(path, uri).ok_or_else(|| {
        Error::malformed(
            path,
            place,
            format!("the URI '{uri}' is not a file next to it, or in a folder beside its own"),
            "download what it names and store it beside the asset",
        )
    })?;
    input::bytes(&file, 2, "give a smaller file")
}

/// Where a relative URI points, seen from the asset, such as `../textures/skin.png`; `None` for a URI with a scheme, and for a place that does not
/// depend on where the asset lies or is farther up: a file from somebody else is not to bring any file of this machine into a result.
pub(super) fn beside(path: &Path, uri: &str) -> Option<PathBuf> {
    let file = percent_decoded(uri);
    let parts = || Path::new(&file).components();
    let rooted = parts().any(|part| matches!(part, Component::Prefix(_) | Component::RootDir))
        || parts().filter(|part| *part == Component::ParentDir).count() > 1;
    if file.is_empty() || uri.contains("://") || file.contains('\0') || rooted {
        return None;
    }
    Some(path.parent().unwrap_or(Path::new("")).join(file))
}

fn percent_decoded(uri: &str) -> String {
    let (bytes, mut out, mut i) = (uri.as_bytes(), Vec::with_capacity(uri.len()), 0);
    while let Some(&byte) = bytes.get(i) {
        let code = bytes.get(i + 1..i + 3).filter(|_| byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                i += 3;
            }
            None => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| uri.to_owned())
}

/// The bytes of a `data:` URI in base64.
fn data_uri(uri: &str) -> Result<Vec<u8>, String> {
    let (head, payload) = uri.split_once(',').ok_or("the data URI has no comma")?;
    if !head.ends_with(";base64") {
        return Err("the data URI is not base64".into());
    }
    // Exporters disagree about padding, and some break lines.
    let lenient =
        GeneralPurpose::new(&alphabet::STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent));
    let payload: String = payload.split_whitespace().collect();
    lenient.decode(payload).map_err(|error| format!("the data URI is not valid base64: {error}"))
}
