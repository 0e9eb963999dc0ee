//! The text of a BVH file: HIERARCHY (joints, offsets, channels), then MOTION (a row of channel values per frame).
//!
//! The format has no standard; this follows Meredith and Maddock 2001 ("Motion Capture File Formats Explained", section 3.1)
//! and takes what exporters write: any channel subset and order, any letter case of keywords, spaces in names, braces anywhere.
//! Every error names its line. Nothing is allocated on the word of a count in the file, and nesting
//! uses no call stack. Joints and values are counted, and what would be too many is refused before
//! there is memory for them.

use std::path::Path;

use holonomy::nalgebra::Vector3;

use crate::{Error, memory};

/// A parsed file, in its own units and axes.
#[derive(Debug, Clone)]
pub(super) struct BvhText {
    /// Joints, parents before children; End Sites are joints named `<parent>_end` without channels.
    pub joints: Vec<BvhJoint>,
    /// Values in a frame.
    pub channels: usize,
    /// Seconds from one frame to the next, as the header says.
    pub frame_time: f64,
    /// frames × channels; positions in file units, rotations in degrees.
    pub values: Vec<f64>,
}

/// A joint as the file describes it.
#[derive(Debug, Clone)]
pub(super) struct BvhJoint {
    pub name: String,
    pub parent: Option<usize>,
    /// From the parent, in the parent's frame, file units.
    pub offset: Vector3<f64>,
    /// In written order, which is the order the rotations are applied in.
    pub channels: Vec<Channel>,
    /// Where its channels start in a frame's row.
    pub first_channel: usize,
}

/// One animated number of a joint: along or about the axis 0 (X), 1 (Y) or 2 (Z).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    Position(usize),
    Rotation(usize),
}

/// Reads a whole file. `path` is for messages only.
pub(super) fn parse(text: &str, path: &Path) -> Result<BvhText, Error> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, path };
    match reader.token() {
        Some(word) if word.eq_ignore_ascii_case("HIERARCHY") => {}
        Some(word) => {
            return Err(reader.error(format!("`{}` stands where HIERARCHY should", shorten(word)), "give a BVH motion capture file"));
        }
        None => return Err(reader.error("the file is empty", "give a BVH motion capture file")),
    }
    let (joints, channels) = hierarchy(&mut reader)?;
    if channels == 0 {
        return Err(reader.error("no joint has channels, so nothing moves", "export the skeleton with its animation channels"));
    }
    let (frame_time, values) = motion(&mut reader, channels)?;
    Ok(BvhText { joints, channels, frame_time, values })
}

/// Most joints of a skeleton: glTF numbers the joints of a skin with 16 bits, and the result is a
/// glTF.
pub(super) const MOST_JOINTS: usize = u16::MAX as usize;

/// A joint whose closing brace has not come yet.
struct Open {
    joint: usize,
    line: usize,
    is_end: bool,
    has_offset: bool,
    has_channels: bool,
    /// End Sites in it so far.
    ends: usize,
}

fn hierarchy(reader: &mut Reader) -> Result<(Vec<BvhJoint>, usize), Error> {
    let (mut joints, mut channels, mut stack) = (Vec::<BvhJoint>::new(), 0, Vec::<Open>::new());
    loop {
        let Some(word) = reader.token() else {
            let (place, fix) = ("the file ends inside HIERARCHY", "the file is cut off: export it again");
            return Err(match stack.last().and_then(|open| Some((open.line, &joints.get(open.joint)?.name))) {
                Some((line, name)) => reader.error(format!("{place}: joint `{name}` of line {line} has no closing `}}`"), fix),
                None => reader.error(place, fix),
            });
        };
        match (word.to_ascii_uppercase().as_str(), stack.last_mut()) {
            ("MOTION", None) if !joints.is_empty() => return Ok((joints, channels)),
            ("ROOT", None) if joints.is_empty() => stack.push(open_joint(reader, &mut joints, None, channels)?),
            ("ROOT", None) => {
                return Err(reader.error("a second ROOT: a clip is one body", "split the file so that each skeleton has its own"));
            }
            ("JOINT", Some(open)) if !open.is_end => {
                let parent = Some(open.joint);
                stack.push(open_joint(reader, &mut joints, parent, channels)?);
            }
            ("END", Some(open)) if !open.is_end => {
                open.ends += 1;
                let (parent, ends) = (open.joint, open.ends);
                stack.push(open_end(reader, &mut joints, parent, ends, channels)?);
            }
            ("OFFSET", Some(open)) if !open.has_offset => {
                open.has_offset = true;
                let offset = Vector3::new(reader.number("OFFSET")?, reader.number("OFFSET")?, reader.number("OFFSET")?);
                joints[open.joint].offset = offset;
            }
            ("CHANNELS", Some(open)) if !open.is_end && !open.has_channels => {
                open.has_channels = true;
                let list = read_channels(reader)?;
                joints[open.joint].first_channel = channels;
                channels += list.len();
                joints[open.joint].channels = list;
            }
            ("}", Some(open)) => {
                if !open.has_offset {
                    let name = &joints[open.joint].name;
                    return Err(reader.error(format!("joint `{name}` of line {} has no OFFSET", open.line), "add `OFFSET x y z` to it"));
                }
                stack.pop();
            }
            (_, Some(open)) => {
                let expected = if open.is_end {
                    "OFFSET or `}`"
                } else {
                    "OFFSET, CHANNELS, JOINT, End Site or `}`, each once where only one makes sense"
                };
                let name = &joints[open.joint].name;
                return Err(reader.error(format!("`{}` in joint `{name}`", shorten(word)), format!("expected here: {expected}")));
            }
            (_, None) => {
                let expected = if joints.is_empty() { "ROOT" } else { "MOTION (or a `}` too many closed the root)" };
                return Err(reader.error(format!("`{}` stands where {expected} should", shorten(word)), "export the file again"));
            }
        }
    }
}

fn open_joint(reader: &mut Reader, joints: &mut Vec<BvhJoint>, parent: Option<usize>, channels: usize) -> Result<Open, Error> {
    let line = reader.line;
    let name = reader.name();
    if name.is_empty() {
        return Err(reader.error("a joint without a name", "write its name after ROOT or JOINT"));
    }
    push_joint(reader, joints, name.to_string(), parent, channels, line, false)
}

fn open_end(reader: &mut Reader, joints: &mut Vec<BvhJoint>, parent: usize, ends: usize, channels: usize) -> Result<Open, Error> {
    let line = reader.line;
    let word = reader.name();
    if !word.get(..4).is_some_and(|w| w.eq_ignore_ascii_case("Site")) {
        return Err(reader.error(format!("`End {}`", shorten(word)), "write `End Site`"));
    }
    let base = format!("{}_end", joints[parent].name);
    let name = if ends == 1 { base } else { format!("{base}{ends}") };
    push_joint(reader, joints, name, Some(parent), channels, line, true)
}

fn push_joint(
    reader: &mut Reader,
    joints: &mut Vec<BvhJoint>,
    name: String,
    parent: Option<usize>,
    first_channel: usize,
    line: usize,
    is_end: bool,
) -> Result<Open, Error> {
    match reader.token() {
        Some("{") => {}
        _ => return Err(reader.error(format!("no `{{` after `{name}`"), "put the joint's lines in braces")),
    }
    if joints.len() == MOST_JOINTS {
        let problem = format!("`{}` is one joint more than the {MOST_JOINTS} that a skin of a glTF can have", shorten(&name));
        return Err(reader.error(problem, "export fewer bones: without those of hair, cloth and fingers, or in several files"));
    }
    joints.push(BvhJoint { name, parent, offset: Vector3::zeros(), channels: Vec::new(), first_channel });
    Ok(Open { joint: joints.len() - 1, line, is_end, has_offset: false, has_channels: false, ends: 0 })
}

fn read_channels(reader: &mut Reader) -> Result<Vec<Channel>, Error> {
    let word = reader.token().unwrap_or("");
    let Some(count) = word.parse::<usize>().ok().filter(|&n| n <= 6) else {
        return Err(reader.error(format!("CHANNELS `{}`", shorten(word)), "a joint has 0 to 6 channels"));
    };
    let mut list = Vec::with_capacity(count);
    for _ in 0..count {
        let word = reader.token().unwrap_or("");
        let channel = match word.to_ascii_lowercase().as_str() {
            "xposition" => Channel::Position(0),
            "yposition" => Channel::Position(1),
            "zposition" => Channel::Position(2),
            "xrotation" => Channel::Rotation(0),
            "yrotation" => Channel::Rotation(1),
            "zrotation" => Channel::Rotation(2),
            _ => {
                let fix =
                    format!("{count} channels are announced, each one of Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation");
                return Err(reader.error(format!("channel `{}`", shorten(word)), fix));
            }
        };
        if matches!(channel, Channel::Position(_)) && list.contains(&channel) {
            return Err(reader.error(format!("channel `{word}` twice in one joint"), "keep one of them"));
        }
        list.push(channel);
    }
    Ok(list)
}

fn motion(reader: &mut Reader, channels: usize) -> Result<(f64, Vec<f64>), Error> {
    let (count_line, frames) = header(reader, "Frames", |s| s.parse::<usize>().ok(), "a whole number of frames")?;
    let seconds = |s: &str| s.parse::<f64>().ok().filter(|t| (1e-6..=1e6).contains(t));
    let (_, frame_time) = header(reader, "Frame Time", seconds, "a number of seconds from 1e-6 to 1e6, with a decimal point")?;
    // A value takes two characters at least, its own and what parts it from the next.
    let most = frames.saturating_mul(channels).min(reader.rest.len() / 2 + 1);
    let what = || format!("{}: {frames} frames of {channels} channels", reader.path.display());
    memory::ensure(8 * most as u64, what, "cut the file into shorter clips")?;
    let mut values = Vec::with_capacity(most);
    let mut found = 0;
    while let Some(row) = reader.row() {
        let mut width = 0;
        for word in row.split_whitespace() {
            let Some(value) = finite(word) else {
                return Err(reader.not_a_number(&format!("frame {found}, value {width}"), word));
            };
            width += 1;
            // What is too much is counted, and refused below.
            if width <= channels && found < frames {
                values.push(value);
            }
        }
        if width != channels {
            let problem = format!("frame {found} has {width} values, but the hierarchy has {channels} channels");
            return Err(reader.error(problem, "each frame is one row with a value for every channel; the file may be cut off here"));
        }
        found += 1;
    }
    if found != frames {
        let problem = format!("Frames: says {frames}, but {found} rows of data follow");
        return Err(Error::malformed(reader.path, format!("line {count_line}"), problem, "correct the number, or export the file again"));
    }
    if frames == 0 {
        return Err(Error::malformed(reader.path, format!("line {count_line}"), "no frames", "export the file with its animation"));
    }
    Ok((frame_time, values))
}

/// A line `key: value` of the MOTION block, with its number.
fn header<T>(reader: &mut Reader, key: &str, parse: impl Fn(&str) -> Option<T>, expected: &str) -> Result<(usize, T), Error> {
    let row = reader.row().unwrap_or("").trim();
    let fix = format!("expected here: `{key}: ` and {expected}");
    let Some((found, value)) = row.split_once(':') else {
        return Err(reader.error(format!("`{}` stands where `{key}:` should", shorten(row)), fix));
    };
    if !found.split_whitespace().collect::<Vec<_>>().join(" ").eq_ignore_ascii_case(key) {
        return Err(reader.error(format!("`{}` stands where `{key}:` should", shorten(row)), fix));
    }
    let value = value.trim();
    parse(value).map(|v| (reader.line, v)).ok_or_else(|| reader.error(format!("{key} is `{}`", shorten(value)), fix))
}

/// Walks over the text, counting lines.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    path: &'a Path,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        let trimmed = self.rest.trim_start();
        let skipped = &self.rest[..self.rest.len() - trimmed.len()];
        self.line += skipped.bytes().filter(|&b| b == b'\n').count();
        self.rest = trimmed;
    }
    /// The next word; a brace is a word of its own.
    fn token(&mut self) -> Option<&'a str> {
        self.skip_space();
        let first = self.rest.chars().next()?;
        let end = match first {
            '{' | '}' => 1,
            _ => self.rest.find(|c: char| c.is_whitespace() || c == '{' || c == '}').unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
    /// The rest of this line up to a `{`, trimmed: a name may have spaces.
    fn name(&mut self) -> &'a str {
        let end = self.rest.find(['\n', '{']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name.trim()
    }
    /// The next line that is not blank.
    fn row(&mut self) -> Option<&'a str> {
        self.skip_space();
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (row, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!row.is_empty()).then_some(row)
    }
    fn number(&mut self, what: &str) -> Result<f64, Error> {
        let word = self.token().unwrap_or("");
        finite(word).ok_or_else(|| self.not_a_number(what, word))
    }
    fn not_a_number(&self, what: &str, word: &str) -> Error {
        self.error(format!("{what}: `{}` is not a finite number", shorten(word)), "write numbers like 1.5, .5 or 1e-3")
    }
    fn error(&self, problem: impl Into<String>, fix: impl Into<String>) -> Error {
        Error::malformed(self.path, format!("line {}", self.line), problem, fix)
    }
}

fn finite(word: &str) -> Option<f64> {
    word.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// At most 40 characters of something found in the file.
fn shorten(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_string(),
    }
}
