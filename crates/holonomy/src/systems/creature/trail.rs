//! What is seen of a trail: a ribbon on the ground behind each creature that lays one, narrower as it fades.

use nalgebra::Vector3;

use super::will::Will;
use super::world::{Creature, WorldSettings};
use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::motion::{Matter, Motion, Track};
use crate::shape::{Clip, Playback, Topology};

/// Places along a ribbon, at most. From one to the next a ribbon grows evenly, so that files need no more of its shapes than these.
const PLACES: usize = 60;

/// What is not laid yet is this part of the full width: nothing to be seen, and yet no triangle without an area.
const UNSEEN: f64 = 1e-3;

/// The ribbon lies this part of its full width above the ground, so that it is not hidden by it.
const LIFT: f64 = 0.1;

/// The trails of a world over time, all as one track; `motion` is that of its creatures, in their order. `None` if there are none.
///
/// # Errors
/// A place that is not finite.
pub fn track(world: &WorldSettings, motion: &Motion) -> Result<Option<Track>, Error> {
    let Some(trail) = &world.trail else { return Ok(None) };
    let layers = world.creatures.iter().zip(&motion.tracks).filter(|(creature, _)| lays(creature));
    let frames = motion.tracks.first().map_or(0, |track| track.poses.len());
    let ribbons: Vec<Ribbon> = layers.map(|(creature, track)| Ribbon::of(world, creature, track, frames)).collect();
    if ribbons.is_empty() || frames < 2 {
        return Ok(None);
    }
    let (mut faces, mut vertices) = (Vec::new(), 0_u32);
    for ribbon in &ribbons {
        let places = ribbon.ends.len() as u32;
        // Counter-clockwise from above: left, right, and the two of the next place.
        faces.extend((0..places - 1).map(|i| vertices + 2 * i).flat_map(|v| [[v, v + 1, v + 3], [v, v + 3, v + 2]]));
        vertices += 2 * places;
    }
    let kept = |frames: usize| (-trail.decay() * frames as f64 * motion.dt).exp();
    let positions = (0..frames).flat_map(|frame| ribbons.iter().flat_map(move |ribbon| ribbon.at(frame, kept))).collect();
    let clip = Clip::new(Topology::Surface { faces }, Playback::Once, motion.dt, vertices as usize, positions)?;
    let center = clip.centroid(0);
    let mut track = Track::new("trail", clip, vec![Pose::identity(); frames], vec![center; frames], vec![Momentum::zero(); frames - 1]);
    track.matter = Matter::Trail;
    Ok(Some(track))
}

/// Whether a creature leaves a trail.
pub(super) fn lays(creature: &Creature) -> bool {
    creature.lays && !matches!(creature.will, Will::Follow(_))
}

/// The way of a creature's tail over the ground.
struct Ribbon {
    /// At each place, from the first laid to the last: left and right end at its full width.
    ends: Vec<[Vector3<f64>; 2]>,
    /// Frames from one place to the next.
    stride: usize,
}

impl Ribbon {
    fn of(world: &WorldSettings, creature: &Creature, track: &Track, frames: usize) -> Ribbon {
        let stride = frames.div_ceil(PLACES).max(1);
        let tail = creature.make_up.segments - 1;
        let width = creature.make_up.head[2];
        let on_ground = |frame: usize| world.terrain.foothold(&track.poses[frame].act(&track.shape.frame(frame)[tail]));
        let mut at: Vec<Vector3<f64>> = (0..frames).step_by(stride).map(on_ground).collect();
        if at.len() == 1 {
            at.push(at[0]);
        }
        let mut ahead = creature.forward;
        let ends = (0..at.len()).map(|i| {
            let along = at[(i + 1).min(at.len() - 1)] - at[i.saturating_sub(1)];
            ahead = along.try_normalize(1e-9).unwrap_or(ahead);
            let up = world.terrain.nearest(&at[i]).normal;
            let right = ahead.cross(&up).try_normalize(1e-9).unwrap_or_else(Vector3::z);
            let seen = world.trail.as_ref().is_some_and(|trail| trail.covers(&at[i]));
            let half = 0.5 * width * if seen { 1.0 } else { UNSEEN };
            [-half, half].map(|side| at[i] + right * side + up * (LIFT * width))
        });
        Ribbon { ends: ends.collect(), stride }
    }

    /// Its corners at a frame, between those when one place was laid and when the next was; `kept` is what is left after so many frames.
    fn at(&self, frame: usize, kept: impl Fn(usize) -> f64) -> impl Iterator<Item = Vector3<f64>> {
        let last = self.ends.len() - 1;
        let (place, share) = (frame / self.stride, (frame % self.stride) as f64 / self.stride as f64);
        let before = self.when_laid(place.min(last), &kept);
        let after = self.when_laid((place + 1).min(last), &kept);
        before.into_iter().zip(after).map(move |(a, b)| a.lerp(&b, share))
    }

    /// Its corners as `last` is laid: what is, as wide as is left of it; the rest where that is.
    fn when_laid(&self, last: usize, kept: &impl Fn(usize) -> f64) -> Vec<Vector3<f64>> {
        let corners = (0..self.ends.len()).flat_map(|i| {
            let share = if i <= last { kept((last - i) * self.stride) } else { UNSEEN };
            let [left, right] = self.ends[i.min(last)];
            let (middle, half) = ((left + right) * 0.5, (right - left) * (0.5 * share));
            // Places to come are a hair apart.
            let ahead = Vector3::y().cross(&(right - left)) * (UNSEEN * i.saturating_sub(last) as f64);
            [middle - half + ahead, middle + half + ahead]
        });
        corners.collect()
    }
}
