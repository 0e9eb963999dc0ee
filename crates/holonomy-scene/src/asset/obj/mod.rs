//! OBJ meshes in: one file is a shape to look at, numbered files (`walk_0001.obj`, `walk_0002.obj`, …) are a clip.
//!
//! Every file of a sequence holds the same mesh: as many vertices, the same faces. OBJ says neither unit, up axis nor frame rate; without
//! choices, metres, +Y and 24 frames per second are taken and noted.

mod parse;
mod sequence;

use std::path::{Path, PathBuf};

use holonomy::nalgebra::Vector3;
use holonomy::shape::surface::{Connectivity, enclosed_volume};
use holonomy::shape::{Clip, Playback, Topology, bounds};
use serde::Serialize;

use self::parse::Mesh;
use self::sequence::Sequence;
use super::sampling;
use super::{ClipOptions, SampledClip, Surface};
use crate::{Error, input, memory};

/// Frames per second of a sequence when nothing is said: film's.
const DEFAULT_FPS: f64 = 24.0;

/// An OBJ file or a numbered sequence of them; the first frame is read and checked.
#[derive(Debug, Clone)]
pub struct ObjAsset {
    sequence: Sequence,
    /// The first frame as the file has it.
    first: Mesh,
}

/// What is in an OBJ file or sequence, in file units; all but `files` is of the first frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjDescription {
    /// Name of its one clip: the common part of the file names.
    pub clip: String,
    /// Files in the sequence, in order.
    pub files: Vec<PathBuf>,
    /// Vertices that faces use.
    pub vertices: usize,
    /// Vertices that no face uses; they are left out.
    pub unused_vertices: usize,
    /// Triangles, polygons cut into fans.
    pub faces: usize,
    /// Pieces not joined by an edge.
    pub components: usize,
    /// Whether every edge has exactly one face on each side, so that an inside can be told from an outside.
    pub watertight: bool,
    /// Edges with one face.
    pub border_edges: usize,
    /// Edges with more than two faces, or two that run the same way along it.
    pub irregular_edges: usize,
    /// Enclosed volume, cubed file units, if watertight; negative when the faces look inwards.
    pub volume: Option<f64>,
    /// Extent along x, y, z, in units of the file.
    pub size: [f64; 3],
    /// Lower corner of the bounding box, in units of the file.
    pub low: [f64; 3],
    /// Upper corner of the bounding box, in units of the file.
    pub high: [f64; 3],
    /// What the user should know.
    pub notes: Vec<String>,
}

impl ObjAsset {
    /// Finds the sequence that `path` belongs to and reads its first file. `path` is one OBJ file (numbered or not), a pattern such as
    /// `walk_%04d.obj`, or a folder with one sequence in it.
    ///
    /// # Errors
    /// Nothing there, several sequences in the folder, a file that cannot be read, is not a mesh, or is too large for the memory free now.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let sequence = sequence::find(path.as_ref())?;
        let first = read(&sequence.files[0].1)?;
        Ok(ObjAsset { sequence, first })
    }

    /// One mesh from a text; `path` names it.
    ///
    /// # Errors
    /// The text is not a mesh; the error names the line.
    pub fn from_text(text: &str, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Ok(ObjAsset { sequence: Sequence::single(path), first: parse::parse(text, path)? })
    }

    /// Name of the one clip: what the file names have in common.
    pub fn name(&self) -> &str {
        &self.sequence.name
    }

    /// The first frame as a surface: vertices in the file's unit, and faces.
    pub fn surface(&self) -> Surface {
        let used = Used::new(&self.first);
        (used.old.iter().map(|&v| self.first.vertices[v as usize]).collect(), used.faces)
    }

    /// The sequence as a surface clip. `frames` are the numbers in the file names. `fps` is the
    /// rate the files were written at (24 if not given). A sequence that ends in the shape it
    /// starts with (within 1e-3 of its size) is a loop, and the repeated frame is left out; one
    /// that ends a step before it is a loop as it is, unless `frames` were chosen.
    ///
    /// # Errors
    /// A frame whose vertices or faces differ from the first, choices that make no sense, too little memory.
    pub fn sample(&self, options: &ClipOptions) -> Result<SampledClip, Error> {
        sampling::check_clip_name(options, self.name())?;
        let files = &self.sequence.files;
        let mut notes = self.sequence.notes.clone();
        let unit =
            chosen("the unit in metres", options.unit, 1.0, "the unit is not in the file: taken as 1 m; choose with --unit", &mut notes)?;
        let (fps, (start, stop)) = match files.len() {
            1 => (DEFAULT_FPS, (0, 0)),
            _ => {
                let guess = "the frame rate is not in the files: taken as 24; choose with --fps";
                let numbers: Vec<usize> = files.iter().map(|f| f.0).collect();
                (chosen("fps", options.fps, DEFAULT_FPS, guess, &mut notes)?, sampling::frame_range(options, &numbers)?)
            }
        };
        let used = Used::new(&self.first);
        let bytes = (24 * used.old.len() as u64).saturating_mul((stop - start + 1) as u64);
        let what = format!("{}: {} frames of {} vertices", self.name(), stop - start + 1, used.old.len());
        memory::ensure(bytes, || what, "choose fewer frames or a coarser mesh")?;
        let mut positions = Vec::with_capacity(used.old.len() * (stop - start + 1));
        for (k, (_, path)) in files.iter().enumerate().take(stop + 1).skip(start) {
            let mesh = if k == 0 { &self.first } else { &self.same_topology(read(path)?, path)? };
            let up = options.up.unwrap_or_default();
            positions.extend(used.old.iter().map(|&v| sampling::to_y_up(mesh.vertices[v as usize], up) * unit));
        }
        used.note(&self.first, &mut notes);
        self.finish(positions, used, (1.0 / fps, options.frames.is_none()), notes)
    }

    /// The clip of these positions, `dt` apart; `whole` if all files of the sequence are in it.
    fn finish(
        &self,
        mut positions: Vec<Vector3<f64>>,
        used: Used,
        (dt, whole): (f64, bool),
        mut notes: Vec<String>,
    ) -> Result<SampledClip, Error> {
        let vertices = used.old.len();
        let last = positions.len() - vertices;
        let mut playback = Playback::Once;
        if last >= 2 * vertices && sampling::closes(&positions[..vertices], &positions[last..]) {
            positions.truncate(last);
            playback = Playback::Loop;
            notes.push("the clip ends in the shape it starts with: taken as a loop, the repeated frame left out".into());
        } else if whole && sampling::closes_in_a_step(&positions, vertices) {
            playback = Playback::Loop;
            notes.push("the sequence ends one step before its start: taken as a loop (--frames keeps it open)".into());
        }
        note_size(&positions[..vertices], &mut notes);
        let engine = |source| Error::Engine { path: self.sequence.files[0].1.clone(), source };
        let clip = Clip::new(Topology::Surface { faces: used.faces }, playback, dt, vertices, positions).map_err(engine)?;
        Ok(SampledClip { name: self.sequence.name.clone(), clip, recorded: None, notes, colors: None, matters: None })
    }

    /// `mesh`, if it has the vertices and faces of the first frame.
    fn same_topology(&self, mesh: Mesh, path: &Path) -> Result<Mesh, Error> {
        let (expected, found) = (self.first.vertices.len(), mesh.vertices.len());
        let first = self.sequence.files[0].1.display();
        let fix = "every file of a sequence holds the same mesh, moved; files of another mesh belong in another folder";
        if expected != found {
            return Err(Error::malformed(path, "vertices", format!("{found} found, {expected} expected as in {first}"), fix));
        }
        if self.first.faces.len() != mesh.faces.len() {
            let (expected, found) = (self.first.faces.len(), mesh.faces.len());
            return Err(Error::malformed(path, "faces", format!("{found} triangles found, {expected} expected as in {first}"), fix));
        }
        let differs = self.first.faces.iter().zip(&mesh.faces).position(|(a, b)| a != b);
        match differs {
            Some(i) => {
                let show = |face: [u32; 3]| face.map(|v| u64::from(v) + 1);
                let problem = format!(
                    "triangle {} joins vertices {:?}, not {:?} as in {first}",
                    i + 1,
                    show(mesh.faces[i]),
                    show(self.first.faces[i])
                );
                Err(Error::malformed(path, "faces", problem, fix))
            }
            None => Ok(mesh),
        }
    }

    /// What is in the file, or in the first file of the sequence.
    pub fn describe(&self) -> ObjDescription {
        let used = Used::new(&self.first);
        let points: Vec<Vector3<f64>> = used.old.iter().map(|&v| self.first.vertices[v as usize]).collect();
        let connectivity = Connectivity::of(&used.faces);
        let (low, high) = bounds(&points).unwrap_or_default();
        let watertight = connectivity.watertight();
        let volume = watertight.then(|| enclosed_volume(&points, &used.faces));
        let mut notes = self.sequence.notes.clone();
        used.note(&self.first, &mut notes);
        note_size(&points, &mut notes);
        if self.sequence.files.len() == 1 {
            notes.push("one frame: nothing changes shape".into());
        }
        if volume.is_some_and(|v| v < 0.0) {
            notes.push("the faces look inwards: the volume is negative".into());
        }
        ObjDescription {
            clip: self.sequence.name.clone(),
            files: self.sequence.files.iter().map(|f| f.1.clone()).collect(),
            vertices: points.len(),
            unused_vertices: self.first.vertices.len() - points.len(),
            faces: used.faces.len(),
            components: connectivity.components,
            watertight,
            border_edges: connectivity.border_edges,
            irregular_edges: connectivity.irregular_edges,
            volume,
            size: (high - low).into(),
            low: low.into(),
            high: high.into(),
            notes,
        }
    }
}

fn read(path: &Path) -> Result<Mesh, Error> {
    // The text, which may have to be copied; vertices and faces are counted before there is room
    // for them.
    let bytes = input::bytes(path, 2, "give a coarser mesh")?;
    parse::parse(&String::from_utf8_lossy(&bytes), path)
}

fn chosen(option: &str, value: Option<f64>, default: f64, note: &str, notes: &mut Vec<String>) -> Result<f64, Error> {
    Ok(sampling::positive(option, value)?.unwrap_or_else(|| {
        notes.push(note.into());
        default
    }))
}

fn note_size(points: &[Vector3<f64>], notes: &mut Vec<String>) {
    let size = bounds(points).map_or(0.0, |(low, high)| (high - low).max());
    if !(1e-3..=100.0).contains(&size) {
        notes.push(format!("the body is {size:.3e} units long: if that is no metre length, choose the unit (cm, in, mm or metres)"));
    }
}

/// The vertices that faces use, in the file's order, and the faces in their numbers.
struct Used {
    /// File number of each kept vertex.
    old: Vec<u32>,
    faces: Vec<[u32; 3]>,
}

impl Used {
    fn new(mesh: &Mesh) -> Self {
        let mut number = vec![u32::MAX; mesh.vertices.len()];
        mesh.faces.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let mut old = Vec::with_capacity(number.len());
        for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = old.len() as u32;
            old.push(v as u32);
        }
        let faces = mesh.faces.iter().map(|face| face.map(|v| number[v as usize])).collect();
        Used { old, faces }
    }
    fn note(&self, mesh: &Mesh, notes: &mut Vec<String>) {
        let unused = mesh.vertices.len() - self.old.len();
        if unused > 0 {
            notes.push(format!("{unused} vertices are in no face and were left out"));
        }
        if mesh.collapsed > 0 {
            notes.push(format!("{} triangles name a vertex twice and were left out", mesh.collapsed));
        }
        if mesh.repeating > 0 {
            let (count, line) = (mesh.repeating, mesh.first_repeating);
            notes.push(format!("{count} faces have a corner more than once, the first of them in line {line}: their triangles overlap"));
        }
    }
}
