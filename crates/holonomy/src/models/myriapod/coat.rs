//! Coats: whom a myriapod looks like.

/// Whom a myriapod looks like: its colours, and how its plates are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coat {
    /// A giant centipede: flat red-brown plates, orange legs, venom claws.
    #[default]
    Scolopendra,
    /// Nearly black rings, rusty legs.
    Millipede,
    /// Grey-blue boxes with orange soft parts between them.
    Robot,
    /// A house centipede: pale, with dark stripes along its back and bands on its legs.
    HouseCentipede,
}

/// What a face is part of: its number in the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Finish {
    Plate,
    Soft,
    Leg,
    Tip,
    Head,
    Eye,
    Antenna,
    Band,
}

/// How the plates of a coat are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// How far a plate reaches down from the middle of the back, radians.
    pub sides: f64,
    /// From 1, an ellipse, down to 0, a box.
    pub square: f64,
    /// How much farther a plate stands out at its rear than in front, as a share of its radius.
    pub flare: f64,
    /// By how much less the sides reach down at front and rear.
    pub round: f64,
    /// How far it reaches over the next, as a share of half a segment's length.
    pub overlap: f64,
    /// Radius of the soft body, as a share of the plates'.
    pub soft: f64,
}

impl Coat {
    /// All coats.
    pub const ALL: [Coat; 4] = [Coat::Scolopendra, Coat::Millipede, Coat::Robot, Coat::HouseCentipede];

    /// sRGB, in the order of [`Finish`].
    pub(super) fn palette(self) -> Vec<[f64; 3]> {
        let colors = match self {
            Coat::Scolopendra => [
                [0.36, 0.13, 0.08],
                [0.83, 0.62, 0.40],
                [0.92, 0.53, 0.14],
                [0.56, 0.25, 0.09],
                [0.52, 0.17, 0.08],
                [0.05, 0.04, 0.04],
                [0.85, 0.47, 0.16],
                [0.20, 0.07, 0.05],
            ],
            Coat::Millipede => [
                [0.13, 0.11, 0.11],
                [0.42, 0.27, 0.18],
                [0.60, 0.27, 0.13],
                [0.38, 0.16, 0.09],
                [0.17, 0.13, 0.12],
                [0.40, 0.36, 0.30],
                [0.52, 0.25, 0.13],
                [0.30, 0.18, 0.13],
            ],
            Coat::Robot => [
                [0.45, 0.53, 0.63],
                [0.94, 0.51, 0.15],
                [0.30, 0.34, 0.40],
                [0.15, 0.16, 0.18],
                [0.36, 0.45, 0.57],
                [0.12, 0.80, 0.92],
                [0.55, 0.58, 0.62],
                [0.30, 0.34, 0.40],
            ],
            Coat::HouseCentipede => [
                [0.85, 0.78, 0.62],
                [0.91, 0.87, 0.76],
                [0.87, 0.79, 0.60],
                [0.46, 0.36, 0.25],
                [0.82, 0.72, 0.53],
                [0.10, 0.09, 0.08],
                [0.83, 0.73, 0.52],
                [0.42, 0.33, 0.25],
            ],
        };
        colors.into()
    }

    pub(super) fn cut(self) -> Cut {
        match self {
            Coat::Scolopendra => Cut { sides: 1.75, square: 0.72, flare: 0.07, round: 0.14, overlap: 0.14, soft: 0.84 },
            Coat::Millipede => Cut { sides: 2.65, square: 0.95, flare: 0.06, round: 0.0, overlap: 0.16, soft: 0.88 },
            Coat::Robot => Cut { sides: 0.0, square: 0.3, flare: 0.0, round: 0.0, overlap: 0.0, soft: 0.74 },
            Coat::HouseCentipede => Cut { sides: 1.6, square: 0.85, flare: 0.06, round: 0.12, overlap: 0.14, soft: 0.86 },
        }
    }

    /// Whether it has venom claws under its head.
    pub(super) fn has_claws(self) -> bool {
        matches!(self, Coat::Scolopendra | Coat::HouseCentipede)
    }
}
