//! Refuses what would not fit in memory, before it is tried: one estimate for everything that is
//! read, run, drawn and written.
//!
//! **What is free** is what Linux says, what the control groups of this process leave it (cgroup
//! v2, as containers have), and what its own limit of addresses does (`ulimit -v`). Elsewhere
//! nobody says, and a constant stands for it. Points of a sweep share what is free (`Shared`).
//!
//! **What is needed** is counted from sizes alone (`Size`, `to_solve`, `to_show`, `still`,
//! `film`): shapes × frames, the poses of the run, the solids that the file and the pictures
//! show, joints and their channels, pixels, and the outputs while they are put together. Each
//! figure below counts what the code keeps at the same time. The estimate is compared with measured
//! peaks by `tests/it/memory.rs` of the program: it is to be no less than the peak, and for large
//! runs no more than 2.5 times as much. Files are counted where they are read, before their lists
//! are made.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use holonomy::shape::{Clip, Topology};

use crate::picture::{Backdrop, GhostCount, StillOptions};
use crate::{Error, input};

/// Taken for free where the system does not say: what a loop may take by itself, too.
const UNTOLD: u64 = 4 << 30;

/// Fails if `needed` bytes are more than can be had.
pub(crate) fn ensure(needed: u64, what: impl FnOnce() -> String, fix: &'static str) -> Result<(), Error> {
    match room_for(needed) {
        Ok(()) => Ok(()),
        Err(available) => Err(Error::TooLarge { what: what(), needed, available, fix }),
    }
}

/// Refuses cycles of so many frames that would not fit, after the first has been found.
pub(crate) fn ensure_cycles(frames: usize, cycles: usize, bodies: usize) -> Result<(), holonomy::Error> {
    let needed = product([frames, cycles, bodies, FRAME as usize]);
    let expected = "fewer: the frames of so many would not fit in memory";
    room_for(needed).map_err(|_| holonomy::Error::Parameter { name: "cycles", value: cycles as f64, expected })
}

/// Holds room for so much; or says how much there is.
fn room_for(needed: u64) -> Result<(), u64> {
    let shared = SHARED.with_borrow(|shared| shared.as_ref().map(|(shared, slot)| shared.hold(*slot, needed)));
    shared.unwrap_or_else(|| {
        let free = free();
        if needed <= free { Ok(()) } else { Err(free) }
    })
}

fn free() -> u64 {
    #[cfg(test)]
    if let Some(free) = FREE.get() {
        return free;
    }
    available(Path::new("/"))
}

#[cfg(test)]
thread_local! {
    static FREE: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Does something on this thread as if so much were free.
#[cfg(test)]
pub(crate) fn with_free<T>(bytes: u64, work: impl FnOnce() -> T) -> T {
    FREE.set(Some(bytes));
    let done = work();
    FREE.set(None);
    done
}

/// What was free when it was made, for several that run beside each other; each holds what its
/// estimates say.
pub(crate) struct Shared(Arc<Budget>);

struct Budget {
    free: u64,
    /// By slot.
    held: Mutex<Vec<u64>>,
}

thread_local! {
    /// Whose slot of what budget the work on this thread belongs to. A thread that is asked to do
    /// other work meanwhile comes back to its own.
    static SHARED: RefCell<Option<(Arc<Budget>, usize)>> = const { RefCell::new(None) };
}

/// What is free now, for so many that run at a time.
pub(crate) fn free_for(slots: usize) -> Shared {
    Shared(Arc::new(Budget { free: free(), held: Mutex::new(vec![0; slots]) }))
}

/// Lets go of what the slot that this thread works for holds: what it was held for is gone.
pub(crate) fn forget() {
    SHARED.with_borrow(|shared| shared.as_ref().map(|(budget, slot)| budget.held()[*slot] = 0));
}

impl Shared {
    /// Does the work of a slot: what it [`ensure`]s on this thread comes out of the budget.
    pub fn within<T>(&self, slot: usize, work: impl FnOnce() -> T) -> T {
        let before = SHARED.replace(Some((self.0.clone(), slot)));
        let done = work();
        SHARED.replace(before);
        done
    }

    /// Lets go of what all slots hold.
    pub fn release_all(&self) {
        self.0.held().fill(0);
    }
}

impl Budget {
    fn held(&self) -> MutexGuard<'_, Vec<u64>> {
        self.held.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Estimates of one slot are of the same thing as it grows: the greatest counts.
    fn hold(&self, slot: usize, needed: u64) -> Result<(), u64> {
        let mut held = self.held();
        let others =
            held.iter().enumerate().filter(|(i, _)| *i != slot).map(|(_, bytes)| bytes).fold(0, |sum: u64, &b| sum.saturating_add(b));
        let left = self.free.saturating_sub(others);
        if needed > left {
            return Err(left);
        }
        held[slot] = held[slot].max(needed);
        Ok(())
    }
}

/// Bytes of the program itself: its code, its threads' stacks, the table of colours of a picture
/// (16 MB).
const PROGRAM: u64 = 40 << 20;

/// Bytes that an allocation takes beside its content.
pub(crate) const ALLOCATION: u64 = 24;

/// Bytes that a frame of one body takes in a motion and its files, whatever its shape: poses,
/// twists and momenta, their columns in the table, their numbers as JSON values and as text in the
/// page, their keys in the glTF.
pub(crate) const FRAME: u64 = 8000;

/// Bytes of a vertex in a frame where shapes are found by simulation: positions, velocities, and
/// the clip made of them.
pub(crate) const SIMULATED: u64 = 80;

fn product<const N: usize>(factors: [usize; N]) -> u64 {
    factors.into_iter().fold(1, |product: u64, factor| product.saturating_mul(factor as u64))
}

/// How large a shape over time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    form: Form,
    /// Vertices, or joints.
    points: u64,
    /// Frames that are stored.
    frames: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Curve,
    Surface {
        faces: u64,
    },
    Points,
    /// Joints, and the corners and triangles of the skin, if the rig has one of its own.
    Rig {
        skin: Option<(u64, u64)>,
    },
}

/// A solid of so many corners and triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Solid {
    corners: u64,
    triangles: u64,
}

impl Solid {
    fn of(points: u64, corners: u64, triangles: u64) -> Solid {
        Solid { corners: points.saturating_mul(corners), triangles: points.saturating_mul(triangles) }
    }
}

/// Corners and triangles of a limb between two joints (see `looks::solids`).
const LIMB: (u64, u64) = (182, 360);

/// Corners and triangles of a creature's skin to a joint.
const SKIN: (u64, u64) = (20, 30);

impl Size {
    /// That of `clip`, when it is to be shown in so many frames.
    pub fn of(clip: &Clip, shown: usize) -> Size {
        let form = match clip.topology() {
            Topology::Curve { .. } if clip.vertices() > 1 => Form::Curve,
            Topology::Surface { faces } if !faces.is_empty() => Form::Surface { faces: faces.len() as u64 },
            Topology::Rig(rig) => Form::Rig { skin: rig.skin.as_ref().map(|skin| (skin.points.len() as u64, skin.faces.len() as u64)) },
            _ => Form::Points,
        };
        Size { form, points: clip.vertices() as u64, frames: clip.frames().min(shown.max(1)) as u64 }
    }

    /// That of a body that has the vertices of `clip`, and another shape in each of so many frames.
    pub fn changing(clip: &Clip, shown: usize) -> Size {
        Size { frames: shown.max(1) as u64, ..Size::of(clip, shown) }
    }

    /// That of a creature of so many joints, each with its part of the skin, in so many frames.
    pub fn creature(joints: usize, shown: usize) -> Size {
        let points = joints as u64;
        let skin = Some((points.saturating_mul(SKIN.0), points.saturating_mul(SKIN.1)));
        Size { form: Form::Rig { skin }, points, frames: shown.max(1) as u64 }
    }

    /// What a picture shows of it.
    fn in_picture(self) -> Solid {
        match self.form {
            // Rings of 10 corners; those of a coarse curve are finer, and up to four to an edge.
            Form::Curve if self.points > 400 => Solid::of(self.points, 10, 20),
            Form::Curve => Solid::of(self.points.saturating_mul(4).clamp(8, 520), 22, 44),
            // A corner is there more than once where faces meet at an edge.
            Form::Surface { faces } => Solid { corners: self.points.saturating_add(faces / 2), triangles: faces },
            Form::Points => match self.points {
                0..=100 => Solid::of(self.points, 642, 1280),
                101..=500 => Solid::of(self.points, 162, 320),
                _ => Solid::of(self.points, 42, 80),
            },
            Form::Rig { skin: Some((corners, triangles)) } => Solid { corners: corners.saturating_add(triangles / 2), triangles },
            Form::Rig { skin: None } => Solid::of(self.points, LIMB.0, LIMB.1),
        }
    }

    /// What the file shows of it.
    fn in_file(self) -> Solid {
        match self.form {
            Form::Curve => Solid::of(self.points, if self.points > 1000 { 8 } else { 12 }, if self.points > 1000 { 16 } else { 24 }),
            Form::Points => match self.points {
                0..=250 => Solid::of(self.points, 42, 80),
                251..=4000 => Solid::of(self.points, 12, 20),
                _ => Solid::of(self.points, 1, 0),
            },
            Form::Surface { .. } | Form::Rig { .. } => self.in_picture(),
        }
    }

    /// Bytes of the shape itself, with a second one beside it while it is made or brought to other
    /// frames.
    fn clip(self) -> u64 {
        let point = if matches!(self.form, Form::Rig { .. }) { 56 } else { 24 };
        let faces = if let Form::Surface { faces } = self.form { faces } else { 0 };
        self.points.saturating_mul(self.frames).saturating_mul(2 * point).saturating_add(faces.saturating_mul(12 * 4))
    }

    /// Bytes while its part of the file is made, up to the page that holds it as text.
    fn file(self, shown: u64) -> u64 {
        let Solid { corners, triangles } = self.in_file();
        // Positions and normals in single precision; with joints, weights and colours for a skin.
        let layer = corners.saturating_mul(24);
        // What goes into the buffer, the buffer, which grows, and the file; or the file, and its base64
        // in the page.
        let copies = |bytes: u64| bytes.saturating_mul(3);
        let base = copies(layer.saturating_add(triangles.saturating_mul(12)))
            .saturating_add(corners.saturating_mul(100))
            .saturating_add(triangles.saturating_mul(24));
        let moving = match self.form {
            // Poses in the body's frame and in that of the parent; keys of three and of four
            // numbers. Nodes, channels and accessors as JSON.
            Form::Rig { .. } => {
                let keys = self.frames.saturating_mul(2 * 56 + 56).saturating_add(copies(shown.saturating_mul(28)));
                self.points.saturating_mul(keys.saturating_add(JOINT))
            }
            _ if self.frames < 2 => 0,
            _ => {
                // Offsets of all frames, out of which morph targets are chosen; each is there as
                // direction, as target, and in the outputs.
                let frames = layer.saturating_mul(self.frames);
                let targets = self.targets();
                let weights = copies(shown.saturating_mul(targets).saturating_mul(8));
                frames.saturating_add(copies(layer).saturating_mul(targets)).saturating_add(weights)
            }
        };
        base.saturating_add(moving)
    }

    /// How many morph targets are reckoned with: smooth strokes take a dozen. If there are more, it
    /// is seen when they are chosen.
    fn targets(self) -> u64 {
        (self.frames - 1).min(16 + self.frames / 16)
    }
}

/// Bytes of so many morph targets of a mesh with so many corners, in all outputs, and of their
/// weights in so many frames.
pub(crate) fn morph_targets(corners: usize, targets: usize, frames: usize) -> u64 {
    product([targets, corners, 24 * 4]).saturating_add(product([targets, frames, 8 * 4]))
}

/// Bytes of a joint in a file whatever its frames: its node, two channels with their samplers,
/// accessors and views as JSON values and as text.
const JOINT: u64 = 16_000;

/// Bytes to find the motion of bodies of these sizes.
pub(crate) fn to_solve(sizes: &[Size], frames: usize) -> u64 {
    let shapes = sizes.iter().map(|size| size.clip()).fold(0, u64::saturating_add);
    let run = product([frames, sizes.len(), FRAME as usize]) / 4; // the rest is of the files
    PROGRAM.saturating_add(shapes).saturating_add(run)
}

/// Bytes to find the motion, and to make all files of it.
pub(crate) fn to_show(sizes: &[Size], frames: usize, options: &StillOptions) -> u64 {
    let files = sizes.iter().map(|size| size.file(frames as u64)).fold(0, u64::saturating_add);
    let run = product([frames, sizes.len(), FRAME as usize]) / 4 * 3;
    to_solve(sizes, frames).saturating_add(files).saturating_add(run).saturating_add(drawing(sizes, frames, options))
}

/// Bytes to draw a still of bodies of these sizes.
pub(crate) fn still(sizes: &[Size], frames: usize, options: &StillOptions) -> u64 {
    PROGRAM.saturating_add(drawing(sizes, frames, options))
}

/// Frames looked at for ghosts that overlap little: all that two to eight evenly spaced ones may
/// be.
const LOOKED_AT: u64 = 19;
/// Most ghosts that a picture has of itself.
const GHOSTS: u64 = 8;

fn drawing(sizes: &[Size], frames: usize, options: &StillOptions) -> u64 {
    let frames = frames as u64;
    let looked_at = LOOKED_AT.min(frames);
    let ghosts = if let GhostCount::Exactly(count) = options.ghosts { count as u64 } else { GHOSTS };
    let ghosts = ghosts.min(frames);
    let of_body = |size: &Size| {
        let Solid { corners, triangles } = size.in_picture();
        let corner = if matches!(size.form, Form::Curve | Form::Points) { PLAIN_CORNER } else { CORNER };
        let mesh = corners.saturating_mul(corner).saturating_add(triangles.saturating_mul(12));
        mesh.saturating_mul(looked_at).max(scene_bytes(corners, triangles, corner).saturating_mul(ghosts))
    };
    sizes.iter().map(of_body).fold(pixels(options, 1, 1), u64::saturating_add)
}

/// Bytes of a corner: its place, its normal, its colour.
const CORNER: u64 = 72;
/// That of one without a colour of its own.
const PLAIN_CORNER: u64 = 48;

/// Bytes of a body in a scene that is drawn: its solid, the lists of all points for camera and
/// floor, then those in the camera's axes and as each light sees them, with the triangles placed on
/// the grid of samples.
fn scene_bytes(corners: u64, triangles: u64, corner: u64) -> u64 {
    let of_corners = corner + 48 + 36 + 12 * rayon::current_num_threads() as u64;
    corners.saturating_mul(of_corners).saturating_add(triangles.saturating_mul(12 + 16 + 80 + 8))
}

/// Shadow maps of a picture: those of the lamp, and those of the dome at half as many texels a
/// side.
const SHADOW_MAPS: f64 = 14.0 + 26.0 / 4.0;

/// Bytes of pictures themselves: so many drawn at a time, and the pixels of so many looked at for
/// one palette.
fn pixels(options: &StillOptions, at_once: u64, looked_at: u64) -> u64 {
    let (width, height) = (u64::from(options.width), u64::from(options.height));
    let texels = crate::picture::shadow_texels([options.width.into(), options.height.into()]) as f64;
    let shadows = (4.0 * texels * texels * SHADOW_MAPS) as u64;
    // A band of 16 rows: what each sample sees, and the surfaces of the pixels, shaded.
    let samples = u64::from(options.samples).pow(2);
    let bands = width * 16 * (8 * samples + 3 * 100) * rayon::current_num_threads() as u64;
    let floor = if options.backdrop == Backdrop::None { 0 } else { FLOOR };
    let drawn = bands + (shadows + width * height * (4 + floor)).saturating_mul(at_once);
    // Encoded is what is drawn.
    drawn.max((width * height).saturating_mul(4 + PALETTE * looked_at + ENCODED))
}

/// Bytes of a pixel for the shadows on the floor: those at half the resolution, while they are
/// blurred.
const FLOOR: u64 = 18;
/// Bytes of a pixel for choosing the palette: its colour, and that colour once more with its count.
const PALETTE: u64 = 3 + 4;
/// Bytes of a pixel as the encoder has it, and in the file.
const ENCODED: u64 = 5;

/// Bytes to set up the camera for so many points in so many frames.
pub(crate) fn framing(points: usize, frames: usize) -> u64 {
    product([points, frames, 2 * 24])
}

/// An animation as bytes of memory see it.
pub(crate) struct Film {
    /// Its frames.
    pub frames: usize,
    /// Drawn before the first of them is written.
    pub at_once: usize,
    /// Whole pictures kept beside those, and whether all frames end up in one file in memory.
    pub kept: usize,
    pub in_one: bool,
}

/// Bytes to draw a film of a body, whose solids have so many corners and triangles.
pub(crate) fn film(corners: usize, triangles: usize, options: &StillOptions, film: &Film) -> u64 {
    let threads = (rayon::current_num_threads().min(film.at_once)) as u64;
    let picture = u64::from(options.width) * u64::from(options.height);
    let scene = scene_bytes(corners as u64, triangles as u64, CORNER).saturating_mul(threads);
    let pictures = picture.saturating_mul(4).saturating_mul((film.at_once + film.kept) as u64);
    // Of all frames but the first what changes is kept, a tenth of the picture or so; the file may
    // have room for twice as much.
    let file = if film.in_one { 2 * (picture + picture.saturating_mul(film.frames as u64) / 10) } else { 0 };
    let looked_at = if film.in_one { film.kept as u64 } else { 0 };
    let parts = [scene, pictures, file, pixels(options, threads, looked_at)];
    parts.into_iter().fold(PROGRAM, u64::saturating_add)
}

/// Most unknowns of the boundary elements (see the engine's `added_mass`).
const MOST_UNKNOWNS: usize = 12_000;

/// Bytes of the boundary elements of a body: a square matrix.
pub(crate) fn boundary_elements(vertices: usize) -> u64 {
    product([vertices.min(MOST_UNKNOWNS), vertices.min(MOST_UNKNOWNS), 8])
}

/// Refuses the added mass of a body, by all models, that would not fit in memory.
///
/// # Errors
/// [`Error::TooLarge`].
pub fn ensure_added_mass(name: &str, vertices: usize) -> Result<(), Error> {
    let what = || format!("the added mass of {name} by boundary elements of {vertices} vertices");
    ensure(boundary_elements(vertices), what, "give a coarser mesh (in Blender: Decimate)")
}

/// Refuses a file that takes more than is free, when it is held in memory so many times.
///
/// # Errors
/// [`Error::TooLarge`], and that it cannot be read.
pub fn ensure_file(path: &Path, times: u64) -> Result<(), Error> {
    ensure(input::length(path)?.saturating_mul(times), || path.display().to_string(), "give a smaller file")
}

/// Bytes that can be had without swapping, by what the system whose files lie below `root` says.
fn available(root: &Path) -> u64 {
    let told = [of_the_system(root), of_the_groups(root), of_the_process(root)];
    told.into_iter().flatten().min().unwrap_or(UNTOLD)
}

/// What the limit on the addresses of this process leaves; `None` if it has none.
fn of_the_process(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit = limit.split_whitespace().next()?.parse::<u64>().ok()?; // "unlimited" is none
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    let taken = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let taken = taken.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(limit.saturating_sub(taken.saturating_mul(1024)))
}

fn of_the_system(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the group of this process and all groups around it leave. In a container its own is the outermost that can be seen.
fn of_the_groups(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let group = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = root.join("sys/fs/cgroup");
    Path::new(group).ancestors().filter_map(|group| of_a_group(&top.join(group))).min()
}

/// What a group may still take; `None` if it has no limit. What it only remembers of files is given back when asked for.
fn of_a_group(folder: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let limit = number(&read("memory.max")?)?; // "max" is none
    let taken = number(&read("memory.current")?)?;
    let of_files = read("memory.stat").and_then(|text| text.lines().find_map(|line| number(line.strip_prefix("inactive_file ")?)));
    Some(limit.saturating_sub(taken.saturating_sub(of_files.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use holonomy::nalgebra::Vector3;
    use holonomy::shape::{Joint, Playback, Rig};

    use super::*;

    /// A system of these files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn free(files: &[(&str, &str)]) -> u64 {
        available(system(files).path())
    }

    const SYSTEM: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemFree: 10 kB\nMemAvailable:    8000 kB\n");
    const GROUP: (&str, &str) = ("proc/self/cgroup", "4:memory:/old\n0::/outer/inner\n");

    /// A clip of a curve.
    fn curve(vertices: usize, frames: usize) -> Clip {
        let points = (0..frames).flat_map(|_| (0..vertices).map(|i| Vector3::x() * i as f64)).collect();
        Clip::new(Topology::Curve { closed: false }, Playback::Loop, 0.1, vertices, points).unwrap()
    }

    fn chain(joints: usize, frames: usize) -> Clip {
        let joint = |i: usize| Joint { name: format!("j{i}"), parent: i.checked_sub(1) };
        let rig = Rig { joints: (0..joints).map(joint).collect(), bones: Vec::new(), skin: None };
        let points = (0..frames).flat_map(|_| (0..joints).map(|i| Vector3::y() * i as f64)).collect();
        Clip::new(Topology::Rig(rig), Playback::Once, 0.1, joints, points).unwrap()
    }

    fn all(clip: &Clip, frames: usize) -> u64 {
        // Each thread that draws has lists of its own.
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        two.install(|| to_show(&[Size::of(clip, frames)], frames, &StillOptions::default()))
    }

    /// Peaks of whole runs as they were measured when only vertices × frames were counted, and 24 %
    /// too low.
    #[test]
    fn what_was_measured_is_not_above_the_estimate() {
        for (estimate, measured) in [(all(&curve(30_000, 60), 61), 0.89e9), (all(&curve(60_000, 60), 61), 1.80e9)] {
            let ratio = estimate as f64 / measured;
            assert!((1.0..2.5).contains(&ratio), "{estimate} for {measured}");
        }
        // 100 002 joints in 2 frames: 7.6 GB, and that was not the end of it.
        assert!(all(&chain(100_002, 2), 2) > 7_600_000_000);
    }

    #[test]
    fn joints_pixels_ghosts_and_files_count() {
        let options = StillOptions::default();
        let of = |clip: &Clip| all(clip, 2);
        let (few, many) = (of(&chain(1000, 2)), of(&chain(2000, 2)));
        assert!(many - few > 1000 * JOINT, "{few} {many}");
        let size = [Size::of(&curve(1000, 10), 10)];
        let large = StillOptions { width: 8192, height: 8192, ..options.clone() };
        assert!(still(&size, 10, &large) - still(&size, 10, &options) > 1_000_000_000);
        let ghosts = StillOptions { ghosts: GhostCount::Exactly(100), ..options.clone() };
        assert!(still(&size, 100, &ghosts) > 2 * still(&size, 100, &options));
        assert!(to_show(&size, 10, &options) > to_solve(&size, 10) + still(&size, 10, &options) - PROGRAM);
        // A film in one file holds all of its frames.
        let film_of = |frames: usize, in_one: bool| film(1000, 1000, &options, &Film { frames, at_once: 8, kept: 5, in_one });
        assert!(film_of(10_000, true) > 2 * film_of(10, true) && film_of(10_000, false) == film_of(10, false));
        // Nothing overflows.
        let endless = Size { form: Form::Rig { skin: None }, points: u64::MAX, frames: u64::MAX };
        assert_eq!(to_show(&[endless; 2], usize::MAX, &large), u64::MAX);
    }

    #[test]
    fn the_least_of_all_limits_counts() {
        assert_eq!(free(&[SYSTEM]), 8000 * 1024);
        let addresses = |limit: &'static str| [("proc/self/limits", limit), ("proc/self/status", "Name: x\nVmSize:\t  1000 kB\n")];
        let [limits, status] = addresses("Max cpu time  unlimited  unlimited  seconds\nMax address space  3000000  unlimited  bytes\n");
        assert_eq!(free(&[SYSTEM, limits, status]), 3_000_000 - 1000 * 1024);
        let [limits, status] = addresses("Max address space         unlimited            unlimited            bytes\n");
        assert_eq!(free(&[SYSTEM, limits, status]), 8000 * 1024);
        let limited = |name: &'static str, max: &'static str| [(name, max), ("sys/fs/cgroup/outer/memory.current", "1000000\n")];
        let [max, current] = limited("sys/fs/cgroup/outer/memory.max", "5000000\n");
        assert_eq!(free(&[SYSTEM, GROUP, max, current]), 4_000_000);
        assert_eq!(free(&[GROUP, max, current]), 4_000_000);
        let stat = ("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 300000\nactive_file 7\n");
        assert_eq!(free(&[SYSTEM, GROUP, max, current, stat]), 4_300_000, "files that are only remembered take nothing");
        let [none, current] = limited("sys/fs/cgroup/outer/memory.max", "max\n");
        assert_eq!(free(&[SYSTEM, GROUP, none, current]), 8000 * 1024);
        let tight = [("sys/fs/cgroup/outer/inner/memory.max", "10"), ("sys/fs/cgroup/outer/inner/memory.current", "4")];
        assert_eq!(free(&[SYSTEM, GROUP, max, current, tight[0], tight[1]]), 6);
        // A container sees its own group as the outermost.
        let contained = [("sys/fs/cgroup/memory.max", "700"), ("sys/fs/cgroup/memory.current", "900")];
        assert_eq!(free(&[SYSTEM, ("proc/self/cgroup", "0::/\n"), contained[0], contained[1]]), 0, "it is full");
    }

    #[test]
    fn where_the_system_does_not_say_there_is_a_limit_all_the_same() {
        assert_eq!(free(&[]), UNTOLD);
        assert_eq!(free(&[("proc/meminfo", "nothing of use"), ("proc/self/cgroup", "4:memory:/old\n")]), UNTOLD);
    }
}
