//! The still: a stroboscopic picture of a whole motion. The body at several times, older ones fading; the path of a point; a
//! scale bar; a time beside each ghost. Planned first ([`Still::plan`]), so that what it shows can be checked, then drawn.

use holonomy::motion::Motion;
use holonomy::nalgebra::Vector3;
use holonomy::shape::diagonal;

use super::backdrop::{Floor, FloorPlan};
use super::camera::{Camera, LENS, LONG_LENS, Margins, View, middle};
use super::encode::Picture;
use super::light::Light;
use super::mesh::PosedMesh;
use super::overlay::{Crowd, Label, ScaleBar, cap_height, has_room, place_labels};
use super::props::{Prop, clear_view, floor_height, nearby};
use super::render::render;
use super::scene::{Ghost, PathLine, SceneGeometry};
use super::subject::{BodiesInMotion, Drawn, Subject};
use super::text::quantity;
use super::watch::{GoesOn, Watch, Watched, to_the_end};
use super::{Backdrop, GhostCount, MOST_GHOSTS, ghosts};
use crate::looks::Color;
use crate::{Error, memory};

/// A stroboscopic picture of a motion; `bodies` has an entry for each of its tracks.
///
/// # Errors
/// Nothing to draw, bodies and motion that do not fit together, numbers that are not finite, a size out of range.
pub fn still(motion: &Motion, bodies: &[Drawn], options: &StillOptions) -> Result<Picture, Error> {
    let subject = BodiesInMotion::new(motion, bodies)?;
    check_options(options)?;
    let sizes: Vec<memory::Size> = motion.tracks.iter().map(|track| memory::Size::of(&track.shape, motion.frames())).collect();
    let what = || format!("a picture of {} × {} pixels", options.width, options.height);
    memory::ensure(memory::still(&sizes, motion.frames(), options), what, "ask for a smaller one")?;
    Ok(Still::plan(&subject, options)?.draw())
}

/// As [`still`]; `None` once `goes_on` says no, which it is asked every few milliseconds of work.
///
/// # Errors
/// As [`still`].
pub fn still_unless_stopped(motion: &Motion, bodies: &[Drawn], options: &StillOptions, goes_on: &GoesOn) -> Result<Option<Picture>, Error> {
    let watch = Watch::new(goes_on);
    let subject = BodiesInMotion::new(motion, bodies)?;
    let planned = Still::plan_watched(&Watched { subject: &subject, watch: &watch }, options, &watch);
    // What is planned of nothing may be refused for it.
    if watch.stops() {
        return Ok(None);
    }
    let picture = planned?.draw_watched(&watch);
    Ok((!watch.stops()).then_some(picture))
}

/// Least pixels along a side of a picture.
pub const SMALLEST_SIDE: u32 = 16;
/// Most pixels along a side of a picture.
pub const LARGEST_SIDE: u32 = 8192;

/// How a still is made.
#[derive(Debug, Clone, PartialEq)]
pub struct StillOptions {
    /// Width, pixels, 16 to 8192.
    pub width: u32,
    /// Height, pixels, 16 to 8192.
    pub height: u32,
    /// Where to look from.
    pub view: View,
    /// At how many times the subject is shown.
    pub ghosts: GhostCount,
    /// What the motion happens on.
    pub backdrop: Backdrop,
    /// Whose path is drawn.
    pub path: PathPoint,
    /// Where the ghosts stand.
    pub placing: Placing,
    /// How many times its size each body is drawn, about its middle: for what is small on a long way. The picture says so.
    pub magnify: f64,
    /// Whether the scale bar and the times are drawn.
    pub labels: Labels,
    /// The background.
    pub background: Color,
    /// Samples per pixel, along each side.
    pub samples: u32,
}

/// Whose path is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathPoint {
    /// The mean of each body's vertices.
    #[default]
    Centroid,
    /// This vertex of each body (the last one, if it has fewer).
    Vertex(usize),
    /// No path.
    None,
}

/// Where the ghosts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placing {
    /// In the world, or side by side if the subject hardly leaves its place, or not far enough for even two of them to stand clear of
    /// each other.
    #[default]
    Auto,
    /// Where they were in the world.
    World,
    /// One beside the other, left to right, in one picture; no path is drawn.
    SideBySide,
}

/// Whether the scale bar and the times are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labels {
    /// They are, if there is room.
    #[default]
    Shown,
    /// They are not.
    Hidden,
}

impl Default for StillOptions {
    fn default() -> Self {
        StillOptions {
            width: 1280,
            height: 720,
            view: View::Auto,
            ghosts: GhostCount::Auto,
            backdrop: Backdrop::default(),
            path: PathPoint::Centroid,
            placing: Placing::Auto,
            magnify: 1.0,
            labels: Labels::Shown,
            background: [0.965, 0.965, 0.96],
            samples: 3,
        }
    }
}

/// A still that is planned but not yet drawn.
#[derive(Debug, Clone)]
pub struct Still {
    /// What is drawn.
    pub geometry: SceneGeometry,
    /// Where everything is.
    pub layout: Layout,
    options: StillOptions,
}

/// Where things are in a picture.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The camera.
    pub camera: Camera,
    /// The frames of the motion that are shown.
    pub frames: Vec<usize>,
    /// Height of the floor, metres, if there is one.
    pub floor: Option<f64>,
    /// The scale bar; it is also the distance between grid lines.
    pub scale_bar: ScaleBar,
    /// The times beside the ghosts.
    pub labels: Vec<Label>,
}

/// Most frames looked at for paths and the lowest point.
const MOST_FRAMES: usize = 600;
/// Ghosts in a row when they stand side by side and nothing else is said.
const STRIP: usize = 5;
/// How much of the oldest ghost is left.
const OLDEST: f64 = 0.26;

impl Still {
    /// Chooses times, camera, scale and places of labels.
    ///
    /// # Errors
    /// Nothing to draw, numbers that are not finite, a size out of range.
    pub fn plan(subject: &dyn Subject, options: &StillOptions) -> Result<Still, Error> {
        Still::plan_watched(subject, options, &Watch::new(&to_the_end))
    }

    fn plan_watched(subject: &dyn Subject, options: &StillOptions, watch: &Watch) -> Result<Still, Error> {
        check_options(options)?;
        let sampled = sampled_frames(subject.frames());
        let everywhere: Vec<Vector3<f64>> = sampled.iter().flat_map(|&k| thinned(subject.points(k))).collect();
        let mut scenery = subject.scenery();
        scenery.extend(subject.around(subject.frames() - 1));
        let angles = options.view.angles(&everywhere, &travel(&subject.points(0), &subject.points(subject.frames() - 1)));
        let angles = past_scenery(angles, subject, &sampled, &everywhere, &scenery, options);
        let axes = Camera::framing(&everywhere, angles, [16.0, 9.0], Margins { left: 1.0, right: 1.0, top: 1.0, bottom: 1.0 });
        // Beside scenery a body stands where it was.
        let placing = if scenery.is_empty() || options.placing != Placing::Auto { options.placing } else { Placing::World };
        let hardly_moves = side_by_side(subject, &sampled, placing);
        let choose = || ghosts::frames(subject, options.ghosts, &axes.right, &axes.up);
        let (chosen, clear) = if hardly_moves { (Vec::new(), false) } else { choose() };
        let apart = hardly_moves || placing == Placing::Auto && !clear;
        let in_a_row = if let GhostCount::Exactly(count) = options.ghosts { count } else { STRIP };
        let (frames, one_cycle) = if apart { ghosts::in_a_row(subject, in_a_row) } else { (chosen, false) };
        let mut ghosts: Vec<Ghost> = frames
            .iter()
            .enumerate()
            .map(|(i, &k)| Ghost { time: k as f64 * subject.dt(), presence: presence(i, frames.len()), meshes: subject.meshes(k) })
            .collect();
        ghosts.iter_mut().flat_map(|ghost| &mut ghost.meshes).for_each(|mesh| mesh.magnify(options.magnify));
        let path = if apart { PathPoint::None } else { options.path };
        if apart {
            spread(&mut ghosts, &axes.right);
        }
        // What is behind an obstacle must not be drawn over it.
        let overtake = if scenery.is_empty() { 2.0 * subject.reach() } else { 0.0 };
        let geometry = SceneGeometry { paths: paths(subject, path, &sampled, &ghosts), ghosts, scenery, overtake };
        geometry.validate()?;
        let lowest = lowest(subject, &sampled, &geometry, &frames);
        let highest = highest(subject, &sampled);
        let lens = if apart { LONG_LENS } else { LENS };
        let mut still = Still::compose(geometry, frames, (angles, lens), [lowest, highest], options, watch);
        let mut notes = Vec::new();
        if options.magnify != 1.0 {
            notes.push(format!("drawn {} times its size", options.magnify));
        }
        if apart && still.layout.frames.len() > 1 {
            let hardly_moves = options.placing == Placing::Auto && hardly_moves;
            let why = if one_cycle {
                ONE_CYCLE
            } else if hardly_moves && subject.vertices(0).len() == 1 {
                HARDLY_MOVES
            } else {
                SIDE_BY_SIDE
            };
            notes.push(why.into());
        }
        if !notes.is_empty() && labelled(options) {
            still.layout.labels.push(corner_note(&notes.join("; "), [options.width as f64, options.height as f64]));
        }
        Ok(still)
    }

    /// A still of meshes that already stand where they are to be drawn. Backdrop and path options apply to what is in `geometry`.
    ///
    /// # Errors
    /// Nothing to draw, numbers that are not finite, a size out of range.
    pub fn of_geometry(geometry: SceneGeometry, options: &StillOptions) -> Result<Still, Error> {
        check_options(options)?;
        geometry.validate()?;
        let of = |ghost: Option<&Ghost>| ghost.map_or_else(Vec::new, ghost_points);
        let points = geometry.points();
        let angles = options.view.angles(&points, &travel(&of(geometry.ghosts.first()), &of(geometry.ghosts.last())));
        let lowest = geometry.ghosts.iter().flat_map(ghost_points).map(|p| p.y).fold(f64::INFINITY, f64::min);
        let highest = geometry.ghosts.iter().flat_map(ghost_points).map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let frames = (0..geometry.ghosts.len()).collect();
        Ok(Still::compose(geometry, frames, (angles, LENS), [lowest, highest], options, &Watch::new(&to_the_end)))
    }

    fn compose(
        geometry: SceneGeometry,
        frames: Vec<usize>,
        (angles, lens): ((f64, f64), f64),
        span: [f64; 2],
        options: &StillOptions,
        watch: &Watch,
    ) -> Still {
        let size = [options.width as f64, options.height as f64];
        let camera = Camera::through(lens, &geometry.framed(), angles, size, margins(size, options.labels));
        let floor = floor_height(options.backdrop, span, &geometry.points(), &geometry.scenery);
        let scale_bar = ScaleBar::new(&camera, floor);
        let labels = if labelled(options) && !watch.stops() { ghost_labels(&geometry, &camera, &scale_bar) } else { Vec::new() };
        Still { geometry, layout: Layout { camera, frames, floor, scale_bar, labels }, options: options.clone() }
    }

    /// Draws it.
    pub fn draw(&self) -> Picture {
        self.draw_watched(&Watch::new(&to_the_end))
    }

    fn draw_watched(&self, watch: &Watch) -> Picture {
        let Layout { camera, floor, scale_bar, labels, .. } = &self.layout;
        let options = &self.options;
        let (centre, radius) = middle(&self.geometry.framed());
        let plan = floor.map(|height| FloorPlan {
            water: matches!(options.backdrop, Backdrop::Water { .. }),
            height,
            centre,
            radius: radius * 1.15,
            spacing: scale_bar.length,
        });
        let mut picture = paint(&self.geometry, camera, plan, (options.background, options.samples), watch);
        if labelled(options) {
            scale_bar.draw(&mut picture, options.background);
            labels.iter().for_each(|label| label.draw(&mut picture, options.background));
        }
        picture
    }
}

/// The angles of an automatic view, turned so that scenery does not hide the motion.
pub(crate) fn past_scenery(
    angles: (f64, f64),
    subject: &dyn Subject,
    frames: &[usize],
    motion: &[Vector3<f64>],
    scenery: &[Prop],
    options: &StillOptions,
) -> (f64, f64) {
    if options.view != View::Auto || scenery.is_empty() {
        return angles;
    }
    let size = [options.width as f64, options.height as f64];
    let way: Vec<Vector3<f64>> = frames.iter().map(|&k| mean(&subject.points(k))).collect();
    let framed: Vec<Vector3<f64>> = motion.iter().copied().chain(nearby(scenery, motion)).collect();
    clear_view(angles, scenery, &framed, &way, (size, margins(size, options.labels)))
}

/// Said in the picture, which would otherwise seem to show a journey.
const SIDE_BY_SIDE: &str = "set side by side";
const ONE_CYCLE: &str = "set side by side: one cycle";
const HARDLY_MOVES: &str = "set side by side: it hardly leaves its place";

/// A label in the lower right corner.
fn corner_note(text: &str, size: [f64; 2]) -> Label {
    let cap = cap_height(size);
    let label = Label::new(text.into(), [0.0, 0.0], cap);
    let at = [size[0] - label.area[2] - 2.0 * cap, size[1] - label.area[3] - 1.5 * cap];
    Label::new(text.into(), at, cap)
}

/// Draws a scene without labels; of one that is stopped a part is missing.
pub(super) fn paint(
    geometry: &SceneGeometry,
    camera: &Camera,
    floor: Option<FloorPlan>,
    (background, samples): (Color, u32),
    watch: &Watch,
) -> Picture {
    let prepared = geometry.prepare(camera, background);
    let light = Light::new(&prepared, camera, shadow_texels(camera.size), watch);
    let floor = floor.and_then(|plan| Floor::new(&plan, camera, background));
    render(&prepared, camera, floor.as_ref(), &light, (background, samples as usize), watch)
}

/// Texels along the longer side of the finest shadow maps of a picture.
pub(crate) fn shadow_texels(size: [f64; 2]) -> usize {
    (0.6 * size[0].max(size[1])).clamp(64.0, 2048.0) as usize
}

fn labelled(options: &StillOptions) -> bool {
    options.labels == Labels::Shown && has_room([options.width as f64, options.height as f64])
}

/// A picture must have a size and a number of ghosts that fit in memory, and be seen from somewhere.
pub(crate) fn check_options(options: &StillOptions) -> Result<(), Error> {
    let StillOptions { width, height, .. } = options;
    if [width, height].iter().any(|side| !(SMALLEST_SIDE..=LARGEST_SIDE).contains(side)) {
        let problem = format!("each side must be {SMALLEST_SIDE} to {LARGEST_SIDE}");
        return Err(Error::Choice(format!("a picture of {width} × {height} pixels: {problem}")));
    }
    if let GhostCount::Exactly(count) = options.ghosts
        && !(1..=MOST_GHOSTS as usize).contains(&count)
    {
        return Err(Error::Choice(format!("the body {count} times in a picture: must be 1 to {MOST_GHOSTS}")));
    }
    if let View::Orbit { azimuth, elevation } = options.view
        && !(azimuth.is_finite() && elevation.is_finite())
    {
        return Err(Error::Choice(format!("the view's azimuth {azimuth} and elevation {elevation} must be finite numbers of radians")));
    }
    if let Backdrop::Ground { height: Some(height) } | Backdrop::Water { height: Some(height) } = options.backdrop
        && !height.is_finite()
    {
        return Err(Error::Choice(format!("the height of the ground or water is {height}, but must be a finite number of metres")));
    }
    if !(1..=8).contains(&options.samples) {
        return Err(Error::Choice(format!("{} samples per pixel side: must be 1 to 8", options.samples)));
    }
    Ok(())
}

/// Room around the scene, with more below and above for labels.
pub(crate) fn margins(size: [f64; 2], labels: Labels) -> Margins {
    let cap = if labels == Labels::Shown && has_room(size) { cap_height(size) } else { 0.0 };
    let side = 0.055 * size[0].min(size[1]);
    Margins { left: side + cap, right: side + cap, top: side + 1.2 * cap, bottom: side + 3.4 * cap }
}

/// At most [`MOST_FRAMES`] frames, evenly spread, with the first and the last.
pub(crate) fn sampled_frames(frames: usize) -> Vec<usize> {
    ghosts::spaced(frames.saturating_sub(1), frames.min(MOST_FRAMES))
}

/// About a hundred of the points.
fn thinned(points: Vec<Vector3<f64>>) -> impl Iterator<Item = Vector3<f64>> {
    let stride = points.len().div_ceil(100).max(1);
    points.into_iter().step_by(stride)
}

pub(crate) fn mean(points: &[Vector3<f64>]) -> Vector3<f64> {
    let n = points.len().max(1) as f64;
    points.iter().map(|p| p / n).sum()
}

pub(crate) fn travel(first: &[Vector3<f64>], last: &[Vector3<f64>]) -> Vector3<f64> {
    mean(last) - mean(first)
}

fn ghost_points(ghost: &Ghost) -> Vec<Vector3<f64>> {
    ghost.meshes.iter().flat_map(|m| m.positions.iter().copied()).collect()
}

/// How much of ghost `i` of `n` is there: the last wholly, older ones less.
fn presence(i: usize, n: usize) -> f64 {
    if n <= 1 { 1.0 } else { OLDEST + (1.0 - OLDEST) * (i as f64 / (n - 1) as f64).powf(1.25) }
}

/// Whether the ghosts stand side by side: asked for, or the subject changes but never moves as much as a third of its size.
fn side_by_side(subject: &dyn Subject, sampled: &[usize], placing: Placing) -> bool {
    let start = subject.points(0);
    let home = mean(&start);
    let size = start.iter().map(|p| (p - home).norm()).fold(0.0, f64::max) * 2.0;
    let far = |f: &dyn Fn(usize) -> f64| sampled.iter().map(|&k| f(k)).fold(0.0, f64::max);
    let moved = || far(&|k| (mean(&subject.points(k)) - home).norm());
    let changed = || far(&|k| subject.points(k).iter().zip(&start).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max));
    match placing {
        Placing::World => false,
        Placing::SideBySide => true,
        Placing::Auto => size > 0.0 && moved() < 0.35 * size && changed() > 0.02 * size,
    }
}

/// Moves the ghosts apart along `right`, and makes them all fully present.
fn spread(ghosts: &mut [Ghost], right: &Vector3<f64>) {
    let span = |ghost: &Ghost| {
        let along = ghost_points(ghost);
        let along = along.iter().map(|p| right.dot(p));
        (along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max))
    };
    let widest = ghosts.iter().map(span).map(|(low, high)| high - low).fold(0.0, f64::max);
    let mut edge = 0.0;
    for ghost in ghosts.iter_mut() {
        let (low, high) = span(ghost);
        let shift = right * (edge - low);
        ghost.meshes.iter_mut().flat_map(|m| &mut m.positions).for_each(|p| *p += shift);
        ghost.presence = 1.0;
        edge += high - low + 0.18 * widest;
    }
}

/// The lowest point of the subject over all frames: its points', less what the solids reach below them in the frames shown.
pub(crate) fn lowest(subject: &dyn Subject, sampled: &[usize], geometry: &SceneGeometry, frames: &[usize]) -> f64 {
    let bottom = |points: &[Vector3<f64>]| points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let reach = frames.iter().zip(&geometry.ghosts).map(|(&k, ghost)| bottom(&subject.points(k)) - bottom(&ghost_points(ghost)));
    let reach = reach.filter(|r| r.is_finite()).fold(0.0, f64::max);
    sampled.iter().map(|&k| bottom(&subject.points(k))).fold(f64::INFINITY, f64::min) - reach
}

/// The highest point of the subject over the frames given, with what its solids may reach above it.
pub(crate) fn highest(subject: &dyn Subject, frames: &[usize]) -> f64 {
    frames.iter().flat_map(|&k| subject.points(k)).map(|p| p.y).fold(f64::NEG_INFINITY, f64::max) + subject.reach()
}

/// The path of each body over the frames given.
pub(crate) fn paths(subject: &dyn Subject, point: PathPoint, frames: &[usize], ghosts: &[Ghost]) -> Vec<PathLine> {
    let choose = |vertices: &Vec<Vector3<f64>>| match point {
        PathPoint::Vertex(v) => vertices.get(v.min(vertices.len().saturating_sub(1))).copied(),
        _ => Some(mean(vertices)),
    };
    if point == PathPoint::None || frames.len() < 2 {
        return Vec::new();
    }
    let mut lines: Vec<PathLine> = Vec::new();
    for &k in frames {
        for (b, vertices) in subject.vertices(k).iter().enumerate() {
            if lines.len() <= b {
                let color = ghosts.last().and_then(|g| g.meshes.get(b)).map_or([0.3; 3], |m| m.color);
                lines.push(PathLine { points: Vec::new(), color: [0, 1, 2].map(|i| 0.55 * color[i] + 0.12) });
            }
            lines[b].points.extend(choose(vertices));
        }
    }
    if point != PathPoint::Centroid || subject.period().is_none() {
        return lines;
    }
    let (first, last) = (subject.vertices(0), subject.vertices(subject.frames() - 1));
    let ends = first.iter().zip(&last);
    let shown = lines.into_iter().zip(ends).filter(|(line, (first, last))| !stays_within(line, first, last));
    shown.map(|(line, _)| line).collect()
}

/// Whether a path comes back to where it began and never leaves its own body, which it would be
/// drawn through: a flag's, a fin's that bends in place.
fn stays_within(line: &PathLine, first: &[Vector3<f64>], last: &[Vector3<f64>]) -> bool {
    let size = diagonal(first);
    (mean(last) - mean(first)).norm() < 0.05 * size && diagonal(&line.points) < 0.25 * size
}

/// The time of each ghost, beside it.
fn ghost_labels(geometry: &SceneGeometry, camera: &Camera, bar: &ScaleBar) -> Vec<Label> {
    let times: Vec<f64> = geometry.ghosts.iter().map(|g| g.time).collect();
    let step = times.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
    let step = if step.is_finite() { step } else { times.last().copied().unwrap_or(1.0) };
    let longest = times.iter().copied().fold(0.0, f64::max);
    let texts: Vec<String> = times.iter().map(|&t| quantity(t, step.min(longest), "s")).collect();
    let bodies: Vec<Vec<[[f64; 2]; 3]>> = geometry.ghosts.iter().map(|ghost| projected(&ghost.meshes, camera)).collect();
    // Of several bodies the one with the longest way bears the times.
    let farthest = |b: &usize| {
        let at =
            |ghost: Option<&Ghost>| ghost.and_then(|ghost| ghost.meshes.get(*b)).map_or_else(Vector3::zeros, |mesh| mean(&mesh.positions));
        (at(geometry.ghosts.last()) - at(geometry.ghosts.first())).norm()
    };
    let count = geometry.ghosts.first().map_or(0, |ghost| ghost.meshes.len());
    let chosen = (0..count).max_by(|a, b| farthest(a).total_cmp(&farthest(b))).unwrap_or(0);
    let bearers: Vec<_> =
        geometry.ghosts.iter().map(|ghost| projected(ghost.meshes.get(chosen..=chosen).unwrap_or_default(), camera)).collect();
    let paths: Vec<Vec<[f64; 2]>> = geometry.paths.iter().map(|path| path.points.iter().map(|p| plane(camera, p)).collect()).collect();
    place_labels(&texts, &bearers, &Crowd::new(&bodies, &paths, camera.size), bar, camera.size)
}

fn plane(camera: &Camera, point: &Vector3<f64>) -> [f64; 2] {
    let [x, y, _] = camera.project(point);
    [x, y]
}

/// The triangles of meshes, pixels.
fn projected(meshes: &[PosedMesh], camera: &Camera) -> Vec<[[f64; 2]; 3]> {
    let mut triangles = Vec::new();
    for mesh in meshes {
        let pixels: Vec<[f64; 2]> = mesh.positions.iter().map(|p| plane(camera, p)).collect();
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| pixels[v as usize])));
    }
    triangles
}
