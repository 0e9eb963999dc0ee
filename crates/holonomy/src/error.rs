//! What can be wrong with an input. Not converging is not an error but an [`Outcome`](crate::motion::Outcome), unless there is not one step to show for it.

/// A bad input: what it was, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A required list has nothing in it.
    #[error("{what} is empty: {fix}")]
    Empty {
        /// What is empty, in the user's words.
        what: &'static str,
        /// What to do about it.
        fix: &'static str,
    },
    /// A coordinate is NaN or infinite.
    #[error("frame {frame}, vertex {vertex}: position ({}, {}, {}) is not finite; repair the asset or leave that frame out", value[0], value[1], value[2])]
    NonFinitePosition {
        /// Frame, from 0.
        frame: usize,
        /// Vertex, from 0.
        vertex: usize,
        /// The position found, metres.
        value: [f64; 3],
    },
    /// The number of positions is not a whole number of frames.
    #[error("frame {frame} has {found} vertices where frame 0 has {expected}; a clip keeps one topology over time")]
    TopologyChanges {
        /// First frame that differs.
        frame: usize,
        /// Vertices in frame 0.
        expected: usize,
        /// Vertices in that frame.
        found: usize,
    },
    /// An edge, face or bone names a vertex that does not exist.
    #[error("{what} {index} names vertex {vertex}, but there are only {vertices} vertices")]
    VertexOutOfRange {
        /// `"face"`, `"bone"`, …
        what: &'static str,
        /// Which one, from 0.
        index: usize,
        /// The vertex it names.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A number lies outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    Parameter {
        /// The parameter, as the user writes it.
        name: &'static str,
        /// What was given.
        value: f64,
        /// The accepted range, in words.
        expected: &'static str,
    },
    /// A step that an explicit integrator cannot take.
    #[error("the time step is {given} s, but must be positive and at most {largest} s to be stable")]
    TimeStep {
        /// What was given, seconds.
        given: f64,
        /// The largest that is stable, seconds.
        largest: f64,
    },
    /// Two lists that belong together differ in length.
    #[error("{what}: {found} given, {expected} needed")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// What is asked for does not fit into memory.
    #[error("{what} would take {:.1} GB of memory, but {:.1} GB are allowed: {fix}", *needed as f64 / 1e9, *allowed as f64 / 1e9)]
    Memory {
        /// What takes it.
        what: &'static str,
        /// How much that is, bytes.
        needed: usize,
        /// How much it may be, bytes.
        allowed: usize,
        /// What to do.
        fix: &'static str,
    },
    /// The shape offers the medium nothing to hold on to.
    #[error("frame {frame}: {reason}")]
    Degenerate {
        /// Frame, from 0.
        frame: usize,
        /// What is degenerate, and what to do.
        reason: &'static str,
    },
    /// Nothing is wrong with the form of the input, but its motion became infinite, or moved too far in one step: the run failed.
    #[error("the motion of {what} {index} broke down: {reason}")]
    BrokeDown {
        /// `"segment"`, `"frame"`, …
        what: &'static str,
        /// Which one, from 0.
        index: usize,
        /// How, and what to do.
        reason: &'static str,
    },
    /// A surface, or one part of it, is not what the computation needs.
    #[error("part {part} of the surface: {reason}")]
    Surface {
        /// Which part, from 0: a label, or a connected piece.
        part: usize,
        /// What is wrong with it, and what to do.
        reason: &'static str,
    },
}

impl Error {
    /// Refuses a number that is not `good`; `expected` says in words what is.
    ///
    /// # Errors
    /// [`Error::Parameter`], if it is not.
    pub fn unless(good: bool, name: &'static str, value: f64, expected: &'static str) -> Result<(), Error> {
        if good { Ok(()) } else { Err(Error::Parameter { name, value, expected }) }
    }

    /// Refuses a number that is negative or not finite.
    pub(crate) fn unless_zero_or_more(name: &'static str, value: f64) -> Result<(), Error> {
        Error::unless(value.is_finite() && value >= 0.0, name, value, "a finite number, zero or more")
    }

    /// The same, of frame `k`, where it was found in a single shape.
    pub(crate) fn in_frame(self, k: usize) -> Self {
        match self {
            Error::Degenerate { reason, .. } => Error::Degenerate { frame: k, reason },
            Error::NonFinitePosition { vertex, value, .. } => Error::NonFinitePosition { frame: k, vertex, value },
            other => other,
        }
    }
}
