//! Everyday media, as the anisotropy they imply for a body that moves by changing its shape.
//!
//! The figures are choices, not measurements of a particular body. For a thin body in a very viscous fluid the
//! ratio of drag along to across tends to 1/2 (Gray and Hancock 1955); on sand a ratio around 0.4 is typical; in water and
//! air almost only motion across the surface meets resistance, which least dissipation models by a small anisotropy
//! (Gross 2023, Sec. 2.1).

/// A medium a user can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// Very viscous.
    Honey,
    /// Viscous, yields along the body.
    Mud,
    /// Dry friction, approximated as viscous.
    Sand,
    /// Nearly inviscid and heavy.
    Water,
    /// Nearly inviscid and light.
    Air,
    /// Nothing to push against: only inertia.
    Vacuum,
}

impl Medium {
    /// All of them.
    pub const ALL: [Medium; 6] = [Medium::Honey, Medium::Mud, Medium::Sand, Medium::Water, Medium::Air, Medium::Vacuum];

    /// Its name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Honey => "honey",
            Medium::Mud => "mud",
            Medium::Sand => "sand",
            Medium::Water => "water",
            Medium::Air => "air",
            Medium::Vacuum => "vacuum",
        }
    }

    /// Whether it is ground: what is on it neither sinks nor rises.
    pub fn is_ground(self) -> bool {
        matches!(self, Medium::Mud | Medium::Sand)
    }

    /// Whether it flows freely enough that inertia counts ([`systems::flow`](crate::systems::flow)).
    pub fn flows(self) -> bool {
        matches!(self, Medium::Water | Medium::Air | Medium::Vacuum)
    }

    /// ε of the dissipation metric; `None` where nothing dissipates.
    pub fn anisotropy(self) -> Option<f64> {
        match self {
            Medium::Honey => Some(0.5),
            Medium::Mud => Some(0.3),
            Medium::Sand => Some(0.4),
            Medium::Water => Some(0.05),
            Medium::Air => Some(0.02),
            Medium::Vacuum => None,
        }
    }
}
