//! Who is told of the work, and may stop it.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use super::{Phase, Progress};

/// What is told, and may stop.
type Told<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// Tells of the work. Once it is asked to stop, it stays so, and nothing more is told.
pub(super) struct Watch<'a> {
    told: RefCell<&'a mut Told<'a>>,
    last: Cell<Progress>,
    stopped: Cell<bool>,
}

impl<'a> Watch<'a> {
    pub fn new(told: &'a mut Told<'a>) -> Self {
        let last = Cell::new(Progress { phase: Phase::Closing, iteration: 0, value: f64::INFINITY });
        Watch { told: RefCell::new(told), last, stopped: Cell::new(false) }
    }

    /// Tells how far the work is; whether it shall go on.
    pub fn tell(&self, now: &Progress) -> ControlFlow<()> {
        self.last.set(*now);
        if !self.stopped.get() && (self.told.borrow_mut())(now).is_break() {
            self.stopped.set(true);
        }
        if self.stopped.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// In the midst of an iteration: whether to stop. Tells the same again.
    pub fn asks_to_stop(&self) -> bool {
        self.tell(&self.last.get()).is_break()
    }

    /// Whether it was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}
