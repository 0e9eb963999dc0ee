//! What the next step will add to the momentum, foretold from the last ones.

use crate::lie::Momentum;

/// Foretells [`Advance::gain`](super::Advance::gain) for [`Variational::step_expecting`](super::Variational::step_expecting): by the parabola
/// through the last three, which must be of one step size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Forecast {
    /// The latest first.
    past: [Momentum; 3],
    known: usize,
}

impl Forecast {
    /// What to expect; zero before the first step.
    pub fn gain(&self) -> Momentum {
        let [last, before, earlier] = self.past;
        match self.known {
            0 | 1 => last,
            2 => last * 2.0 - before,
            _ => (last - before) * 3.0 + earlier,
        }
    }

    /// Takes note of what a step has added.
    pub fn learn(&mut self, gain: &Momentum) {
        self.past = [*gain, self.past[0], self.past[1]];
        self.known = (self.known + 1).min(3);
    }
}
