//! The animation: the same pictures over time, frame by frame, with the camera fixed on the whole motion or following it.

use std::ops::ControlFlow;

use holonomy::motion::Motion;
use holonomy::nalgebra::Vector3;
use rayon::prelude::*;

use super::backdrop::FloorPlan;
use super::camera::{Camera, middle};
use super::encode::Picture;
use super::overlay::{Label, ScaleBar, cap_height, has_room};
use super::props::{Prop, floor_height, nearby};
use super::scene::{Ghost, PathLine, SceneGeometry};
use super::still::{
    Labels, StillOptions, check_options, highest, lowest, margins, mean, paint, past_scenery, paths, sampled_frames, travel,
};
use super::subject::{BodiesInMotion, Drawn, Subject};
use super::text::quantity;
use super::watch::{Watch, to_the_end};
use super::{Backdrop, ghosts};
use crate::{Error, memory};

/// An animation of a motion, of whose tracks each has an entry in `bodies`; frames are drawn when asked for.
///
/// # Errors
/// Nothing to draw, bodies and motion that do not fit together, numbers that are not finite, a size or rate out of range.
pub fn animate<'a>(motion: &'a Motion, bodies: &[Drawn<'a>], options: &AnimationOptions) -> Result<Animation<'a>, Error> {
    let subject = BodiesInMotion::new(motion, bodies)?;
    let points: usize = motion.tracks.iter().map(|track| track.shape.vertices()).sum();
    let what = || format!("a film of {points} vertices");
    let corners = if subject.reach() > 0.0 { 8 } else { 1 };
    memory::ensure(memory::framing(points * corners, motion.frames().min(FRAMED)), what, "give a result of fewer vertices")?;
    Animation::plan(Box::new(subject), options)
}

/// How an animation is made.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimationOptions {
    /// Size, view, backdrop and so on, as for a still (the number of ghosts does not apply).
    pub picture: StillOptions,
    /// Frames per second.
    pub fps: f64,
    /// Seconds of motion per second of animation; `None`: 1, or faster if it would last more than 12 s.
    pub speed: Option<f64>,
    /// What the camera does.
    pub camera: CameraMode,
}

/// What the camera does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CameraMode {
    /// It stands still and has the whole motion in view.
    #[default]
    Fixed,
    /// It moves along with the subject.
    Follow,
}

impl Default for AnimationOptions {
    fn default() -> Self {
        let picture = StillOptions { width: 640, height: 360, ..Default::default() };
        AnimationOptions { picture, fps: 20.0, speed: None, camera: CameraMode::Fixed }
    }
}

/// An animation that is planned; each frame is drawn when asked for.
pub struct Animation<'a> {
    subject: Box<dyn Subject + 'a>,
    options: AnimationOptions,
    /// The motion's frame shown in each frame of the animation.
    frames: Vec<usize>,
    camera: Camera,
    /// Where the camera looks in each frame, relative to `camera`; all zero when it stands still.
    offsets: Vec<Vector3<f64>>,
    /// The whole path of each body, a point per frame of the animation.
    trails: Vec<PathLine>,
    scenery: Vec<Prop>,
    floor: Option<f64>,
    spacing: f64,
    centre: Vector3<f64>,
    radius: f64,
    /// Corners and triangles of the subject.
    solid: [usize; 2],
}

/// Longest animation that is played in real time if nothing is said, seconds.
const LONGEST: f64 = 12.0;
/// Most frames that the camera is set up for.
const FRAMED: usize = 200;
/// Most frames an animation may have.
const MOST_FRAMES: f64 = 20_000.0;

impl<'a> Animation<'a> {
    /// Chooses frames and camera.
    ///
    /// # Errors
    /// Numbers that are not finite, a size or rate out of range.
    pub fn plan(subject: Box<dyn Subject + 'a>, options: &AnimationOptions) -> Result<Animation<'a>, Error> {
        check_options(&options.picture)?;
        let frames = shown_frames(subject.as_ref(), options)?;
        let sampled = sampled_frames(subject.frames());
        let reach = subject.reach();
        let centres: Vec<Vector3<f64>> = frames.iter().map(|&k| mean(&subject.points(k))).collect();
        let offsets = match options.camera {
            CameraMode::Fixed => vec![Vector3::zeros(); frames.len()],
            CameraMode::Follow => smoothed(&centres, options.fps).iter().map(|c| c - centres[0]).collect(),
        };
        let mut span = Vec::new();
        for (&k, offset) in frames.iter().zip(&offsets).step_by(frames.len().div_ceil(FRAMED)) {
            span.extend(subject.points(k).iter().flat_map(|p| around(p - offset, reach)));
        }
        if !span.iter().all(|p| p.iter().all(|x| x.is_finite())) {
            return Err(Error::Choice("the motion has a point that is not finite, so it cannot be drawn".into()));
        }
        let size = [options.picture.width as f64, options.picture.height as f64];
        let whole = travel(&subject.points(0), &subject.points(subject.frames() - 1));
        let scenery = subject.scenery();
        let angles = options.picture.view.angles(&span, &whole);
        let angles = past_scenery(angles, subject.as_ref(), &frames, &span, &scenery, &options.picture);
        let moved = span.clone();
        // A following camera passes scenery by; a fixed one has what is near in view.
        if options.camera == CameraMode::Fixed {
            span.extend(nearby(&scenery, &span));
            span.extend(nearby(&subject.around(frames[0]), &span));
        }
        let camera = Camera::framing(&span, angles, size, margins(size, options.picture.labels));
        let ghosts = vec![ghost(subject.as_ref(), frames[0])];
        let shown = SceneGeometry { ghosts, scenery, ..Default::default() };
        shown.validate()?;
        let (low, high) = (lowest(subject.as_ref(), &sampled, &shown, &frames[..1]), highest(subject.as_ref(), &sampled));
        let floor = floor_height(options.picture.backdrop, [low, high], &moved, &shown.scenery);
        let meshes = || shown.ghosts.iter().flat_map(|ghost| &ghost.meshes);
        let solid = [meshes().map(|mesh| mesh.positions.len()).sum(), meshes().map(|mesh| mesh.triangles.len()).sum()];
        let trails = paths(subject.as_ref(), options.picture.path, &frames, &shown.ghosts);
        let (centre, radius) = middle(&span);
        let scenery = shown.scenery;
        let spacing = scale_bar(&camera, floor, options.camera).length;
        Ok(Animation { subject, options: options.clone(), frames, camera, offsets, trails, scenery, floor, spacing, centre, radius, solid })
    }

    /// Number of frames, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "there is always at least one frame")]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Frames per second.
    pub fn fps(&self) -> f64 {
        self.options.fps
    }

    /// Width and height, pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.options.picture.width, self.options.picture.height]
    }

    /// The camera of frame `i` (the last, if there are fewer).
    pub fn camera(&self, i: usize) -> Camera {
        Camera { eye: self.camera.eye + self.offsets[i.min(self.offsets.len() - 1)], ..self.camera }
    }

    /// The scale bar of frame `i` (the last, if there are fewer).
    pub fn scale_bar(&self, i: usize) -> ScaleBar {
        scale_bar(&self.camera(i), self.floor, self.options.camera)
    }

    /// Draws frame `i` (the last, if there are fewer).
    pub fn frame(&self, i: usize) -> Picture {
        let i = i.min(self.frames.len() - 1);
        let options = &self.options.picture;
        let camera = self.camera(i);
        let ghosts = vec![ghost(self.subject.as_ref(), self.frames[i])];
        let so_far = |trail: &PathLine| PathLine { points: trail.points[..=i].to_vec(), ..*trail };
        let paths = self.trails.iter().map(so_far).collect();
        let floor = self.floor.map(|height| FloorPlan {
            water: matches!(options.backdrop, Backdrop::Water { .. }),
            height,
            centre: self.centre + self.offsets[i],
            radius: self.radius * 1.15,
            spacing: self.spacing,
        });
        let time = ghosts[0].time;
        let mut scenery = self.scenery.clone();
        scenery.extend(self.subject.around(self.frames[i]));
        let geometry = SceneGeometry { ghosts, paths, scenery, overtake: 0.0 };
        let mut picture = paint(&geometry, &camera, floor, (options.background, options.samples), &Watch::new(&to_the_end));
        let size = [options.width as f64, options.height as f64];
        if options.labels == Labels::Shown && has_room(size) {
            let cap = cap_height(size);
            self.scale_bar(i).draw(&mut picture, options.background);
            let step = self.subject.dt() * (self.subject.frames() - 1) as f64 / 100.0;
            Label::new(quantity(time, step, "s"), [2.0 * cap, 1.6 * cap], cap).draw(&mut picture, options.background);
        }
        picture
    }

    /// Refuses what would not fit in memory: so many pictures kept beside those that are drawn, and
    /// all of them in one file or not.
    pub(super) fn ensure_memory(&self, kept: usize, in_one: bool) -> Result<(), Error> {
        let film = memory::Film { frames: self.len(), at_once: self.at_once(), kept, in_one };
        let [corners, triangles] = self.solid;
        let what = || format!("an animation of {} frames of {} × {} pixels", self.len(), self.size()[0], self.size()[1]);
        memory::ensure(memory::film(corners, triangles, &self.options.picture, &film), what, "ask for a smaller --size or a lower --fps")
    }

    /// So many frames are drawn before it is asked again whether to stop: of large ones, one a thread.
    pub(super) fn at_once(&self) -> usize {
        let [width, height] = self.size();
        if u64::from(width) * u64::from(height) > LARGE { rayon::current_num_threads() } else { AT_ONCE }
    }

    /// Makes something of every frame, several at a time, and hands it over in order.
    pub(super) fn in_order<T: Send>(
        &self,
        progress: &mut Progress,
        make: impl Fn(usize) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), Error>,
    ) -> Result<Drawing, Error> {
        let frames: Vec<usize> = (0..self.len()).collect();
        for some in frames.chunks(self.at_once()) {
            let first = some[0];
            if progress(first, self.len()).is_break() {
                return Ok(Drawing::Stopped);
            }
            let made: Vec<T> = some.par_iter().map(|&i| make(i)).collect();
            made.into_iter().enumerate().try_for_each(|(i, made)| take(first + i, made))?;
        }
        Ok(Drawing::Done)
    }
}

/// Told (frame, frames), it may ask to stop.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// How the drawing of an animation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// All frames are drawn.
    Done,
    /// It was told to stop; there is nothing to show.
    Stopped,
}

/// Frames drawn at the same time: enough for the threads of most machines, and few enough to keep in memory.
const AT_ONCE: usize = 8;

/// Pixels of a frame that takes long to draw.
const LARGE: u64 = 1_000_000;

/// The motion's frame for each frame of the animation.
fn shown_frames(subject: &dyn Subject, options: &AnimationOptions) -> Result<Vec<usize>, Error> {
    let round = round(subject);
    let duration = round.unwrap_or(subject.frames() - 1) as f64 * subject.dt();
    let speed = options.speed.unwrap_or_else(|| (duration / LONGEST).max(1.0));
    for (name, value) in [("fps", options.fps), ("speed", speed)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::Choice(format!("the animation's {name} is {value}, but must be a positive number")));
        }
    }
    let steps = (duration / speed * options.fps).round();
    if steps > MOST_FRAMES {
        return Err(Error::Choice(format!(
            "the animation would have {steps} frames, more than {MOST_FRAMES}: play it faster, or at fewer frames per second"
        )));
    }
    let last = subject.frames() - 1;
    Ok(match round {
        Some(round) => {
            let shown = (steps as usize).max(1);
            (0..shown).map(|k| ((2 * k * round + shown) / (2 * shown)).min(last)).collect()
        }
        None => ghosts::spaced_freely(last, steps as usize + 1),
    })
}

/// Steps until the first shape comes again, if that is at the end, stored there once more or not: as a film goes round, all its steps are then alike.
fn round(subject: &dyn Subject) -> Option<usize> {
    let (frames, period) = (subject.frames(), subject.period().filter(|&period| period > 1)?);
    [frames - 1, frames].into_iter().find(|&steps| steps > 0 && steps.is_multiple_of(period))
}

fn ghost(subject: &dyn Subject, frame: usize) -> Ghost {
    Ghost { time: frame as f64 * subject.dt(), presence: 1.0, meshes: subject.meshes(frame) }
}

/// The scale bar: on the floor, but where the camera follows the subject and keeps its distance, at that distance.
fn scale_bar(camera: &Camera, floor: Option<f64>, mode: CameraMode) -> ScaleBar {
    ScaleBar::new(camera, floor.filter(|_| mode == CameraMode::Fixed))
}

/// A point with what its solid may reach around it.
fn around(p: Vector3<f64>, reach: f64) -> impl Iterator<Item = Vector3<f64>> {
    let corners = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
    let both = corners.into_iter().flat_map(|c| [Vector3::from(c), -Vector3::from(c)]);
    both.map(move |c| p + c * reach).take(if reach > 0.0 { 8 } else { 1 })
}

/// Means over half a second of animation to either side, so that a following camera does not shake.
fn smoothed(centres: &[Vector3<f64>], fps: f64) -> Vec<Vector3<f64>> {
    let window = (0.5 * fps).round() as usize;
    (0..centres.len())
        .map(|i| {
            let half = window.min(i).min(centres.len() - 1 - i);
            mean(&centres[i - half..=i + half])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::PosedMesh;

    /// So many frames at 60 a second, of which the shape may repeat.
    struct Frames(usize, Option<usize>);

    impl Subject for Frames {
        fn frames(&self) -> usize {
            self.0
        }
        fn dt(&self) -> f64 {
            1.0 / 60.0
        }
        fn period(&self) -> Option<usize> {
            self.1
        }
        fn points(&self, _: usize) -> Vec<Vector3<f64>> {
            Vec::new()
        }
        fn reach(&self) -> f64 {
            0.0
        }
        fn meshes(&self, _: usize) -> Vec<PosedMesh> {
            Vec::new()
        }
        fn vertices(&self, _: usize) -> Vec<Vec<Vector3<f64>>> {
            Vec::new()
        }
    }

    fn shown(frames: usize, period: Option<usize>, fps: f64) -> Vec<usize> {
        shown_frames(&Frames(frames, period), &AnimationOptions { fps, ..Default::default() }).unwrap()
    }

    /// The step from the last frame to the first, as a film goes round, is one as all others.
    #[test]
    fn a_film_of_what_repeats_goes_round_without_a_hitch() {
        let thirds: Vec<usize> = (0..20).map(|k| 3 * k).collect();
        assert_eq!(shown(60, Some(60), 20.0), thirds, "as read back from a file: its first frame is not stored again");
        assert_eq!(shown(61, Some(60), 20.0), thirds, "as it was run");
        assert_eq!(shown(61, Some(20), 20.0), thirds, "three times");
        assert_eq!(shown(25, Some(25), 20.0), [0, 3, 6, 9, 13, 16, 19, 22], "a period that no frame rate fits");
        assert_eq!(shown(2, Some(2), 120.0), [0, 1, 1, 1], "no frame is beyond the last");
        assert_eq!(shown(2, Some(2), 1.0), [0]);
    }

    #[test]
    fn a_film_of_what_does_not_repeat_has_both_ends() {
        let ends = |frames: usize, period| [shown(frames, period, 20.0)[0], *shown(frames, period, 20.0).last().unwrap()];
        for period in [None, Some(1), Some(40)] {
            assert_eq!(ends(61, period), [0, 60], "{period:?}");
        }
        assert_eq!(shown(61, None, 20.0).len(), 21);
        assert_eq!(shown(1, None, 20.0), [0]);
    }
}
