//! What was decided about a surface, or mended, to put it into a fluid: for a run to tell its user.

use std::fmt;

/// A choice made for the user, with what they can do about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Note {
    /// A part has a rim: it is a sheet with fluid on both sides.
    Sheet {
        /// Connected piece, from 0.
        part: usize,
        /// Edges of its rim.
        rim_edges: usize,
    },
    /// A closed part looked inwards and was turned.
    InsideOut {
        /// Connected piece, from 0.
        part: usize,
    },
    /// A closed part looks inwards and lies inside another: a cavity, where there is no fluid.
    Cavity {
        /// Connected piece, from 0.
        part: usize,
    },
    /// A part has but one side, as a Möbius strip.
    OneSided {
        /// Connected piece, from 0.
        part: usize,
    },
    /// Faces that ran against their neighbours were turned.
    Turned {
        /// How many.
        faces: usize,
    },
    /// Edges with more than two faces separate the parts that meet there.
    Branching {
        /// How many.
        edges: usize,
    },
    /// Faces without area were left out.
    WithoutArea {
        /// How many.
        faces: usize,
    },
    /// A part bends inwards so much that its mean curvature says nothing about its size: the depth is that of a sphere of equal area.
    DepthBounded {
        /// Part or label, from 0; 0 for the whole body.
        part: usize,
    },
    /// Faces lie inside another part, or inside their own: the flow is solved as if they did not.
    Overlap {
        /// How many.
        faces: usize,
    },
    /// The flow was not solved to rounding.
    Unsolved {
        /// Relative residual left.
        residual: f64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Sheet { part, rim_edges } => {
                write!(
                    f,
                    "part {part} is open ({rim_edges} rim edges): taken as a sheet with fluid on both sides; close its holes if it is a solid"
                )
            }
            Note::InsideOut { part } => write!(f, "part {part} is inside out: its faces were turned round"),
            Note::Cavity { part } => write!(f, "part {part} is a cavity inside another part: no fluid there"),
            Note::OneSided { part } => write!(f, "part {part} has only one side: it cannot have an inside"),
            Note::Turned { faces } => write!(f, "{faces} faces ran against their neighbours: turned round"),
            Note::Branching { edges } => write!(f, "{edges} edges have more than two faces: the parts that meet there are taken apart"),
            Note::WithoutArea { faces } => write!(f, "{faces} faces have no area: left out"),
            Note::DepthBounded { part } => {
                write!(f, "part {part} is far from convex: its fluid layer is taken as deep as that of a sphere of equal area")
            }
            Note::Overlap { faces } => write!(f, "{faces} faces lie inside the body: join the parts that overlap for an exact result"),
            Note::Unsolved { residual } => {
                write!(f, "the flow is solved to {residual:.0e} only: its triangles may be very thin; remesh the surface")
            }
        }
    }
}

/// Keeps a note, once.
pub(crate) fn keep(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}
