//! Drawing that can be stopped: a picture of a large mesh may take minutes.

use std::sync::atomic::{AtomicBool, Ordering};

use holonomy::nalgebra::Vector3;

use super::mesh::PosedMesh;
use super::props::Prop;
use super::subject::Subject;

/// Whether to go on drawing: asked from several threads, every few milliseconds of work.
pub type GoesOn<'a> = dyn Fn() -> bool + Sync + 'a;

/// Pieces of work, such as triangles, between one question and the next.
pub(super) const AT_A_TIME: usize = 1024;

/// Asks whether to go on, until the answer is no.
pub(super) struct Watch<'a> {
    goes_on: &'a GoesOn<'a>,
    stopped: AtomicBool,
}

impl<'a> Watch<'a> {
    pub fn new(goes_on: &'a GoesOn<'a>) -> Watch<'a> {
        Watch { goes_on, stopped: AtomicBool::new(false) }
    }

    /// Whether to stop. After the first yes it is always yes.
    pub fn stops(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && !(self.goes_on)() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Goes on to the end.
pub(super) fn to_the_end() -> bool {
    true
}

/// A subject of which next to nothing is left once the drawing is to stop: whatever goes through
/// its frames is then done at once. What comes of it shows nothing and is to be thrown away.
pub(super) struct Watched<'a> {
    pub subject: &'a dyn Subject,
    pub watch: &'a Watch<'a>,
}

impl Subject for Watched<'_> {
    fn frames(&self) -> usize {
        self.subject.frames()
    }
    fn dt(&self) -> f64 {
        self.subject.dt()
    }
    fn period(&self) -> Option<usize> {
        self.subject.period()
    }
    fn points(&self, frame: usize) -> Vec<Vector3<f64>> {
        if self.watch.stops() { vec![Vector3::zeros()] } else { self.subject.points(frame) }
    }
    fn reach(&self) -> f64 {
        self.subject.reach()
    }
    fn meshes(&self, frame: usize) -> Vec<PosedMesh> {
        if self.watch.stops() { Vec::new() } else { self.subject.meshes(frame) }
    }
    fn vertices(&self, frame: usize) -> Vec<Vec<Vector3<f64>>> {
        if self.watch.stops() { Vec::new() } else { self.subject.vertices(frame) }
    }
    fn scenery(&self) -> Vec<Prop> {
        if self.watch.stops() { Vec::new() } else { self.subject.scenery() }
    }
    fn around(&self, frame: usize) -> Vec<Prop> {
        if self.watch.stops() { Vec::new() } else { self.subject.around(frame) }
    }
}
