//! The shape between two frames.

use nalgebra::Vector3;

use crate::Error;
use crate::shape::TurningPart;

/// A shape on its way from one frame to the next, and the step it is at.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// At the last frame, and at the next; parts not turned.
    pub last: Vec<Vector3<f64>>,
    pub next: Vec<Vector3<f64>>,
    /// At both ends of the step, halfway, and its velocity.
    pub from: Vec<Vector3<f64>>,
    pub to: Vec<Vector3<f64>>,
    pub middle: Vec<Vector3<f64>>,
    pub rates: Vec<Vector3<f64>>,
}

impl Way {
    /// At rest: `turned` is `base` with its parts turned.
    pub fn new(base: &[Vector3<f64>], turned: &[Vector3<f64>]) -> Way {
        let [last, next] = [(); 2].map(|()| base.to_vec());
        let [from, to, middle] = [(); 3].map(|()| turned.to_vec());
        Way { last, next, from, to, middle, rates: vec![Vector3::zeros(); turned.len()] }
    }

    /// The step from one share of the way to another, from `time` on, `h` seconds long, in which `parts` turn.
    pub fn cut(&mut self, [share, until]: [f64; 2], time: f64, h: f64, parts: &[TurningPart]) -> Result<(), Error> {
        let rate = 1.0 / h;
        let frames = self.last.iter().zip(&self.next);
        let step = self.from.iter_mut().zip(&mut self.to).zip(&mut self.middle).zip(&mut self.rates);
        for ((a, b), (((from, to), middle), velocity)) in frames.zip(step) {
            let way = b - a;
            (*from, *to) = (a + way * share, a + way * until);
            (*middle, *velocity) = ((*from + *to) * 0.5, (*to - *from) * rate);
        }
        if parts.is_empty() {
            return Ok(());
        }
        for (out, time) in [(&mut self.from, time), (&mut self.to, time + h)] {
            self.middle.copy_from_slice(out);
            parts.iter().try_for_each(|part| part.turn(time, &self.middle, out))?;
        }
        let ends = self.from.iter().zip(&self.to);
        for ((from, to), (middle, velocity)) in ends.zip(self.middle.iter_mut().zip(&mut self.rates)) {
            (*middle, *velocity) = ((from + to) * 0.5, (to - from) * rate);
        }
        Ok(())
    }
}
