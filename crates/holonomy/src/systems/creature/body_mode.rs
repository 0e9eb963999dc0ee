//! Where the whole body is: in the air, on the ground, in water, or on its way between them.
//!
//! Fang 2015, Sec. 6.3 and Fig. 6.4. The text speaks of seven modes and the table has six; the seventh is [`BodyMode::AirToWater`] (docs/ERRATA.md, F24).

/// Where the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyMode {
    /// No leg stands.
    InAir,
    /// The legs of all segments find ground.
    OnGround,
    /// All segments are under water.
    InWater,
    /// Falling: some segments have found ground.
    AirToGround,
    /// Walking in: some segments are under water.
    GroundToWater,
    /// Coming out: some segments are out of the water.
    WaterToGround,
    /// Fallen in: some segments are under water.
    AirToWater,
}

/// What is counted to tell the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// All rigid segments.
    pub segments: usize,
    /// Those that have legs.
    pub legged: usize,
    /// Those of them that stood within the last moments.
    pub grounded: usize,
    /// Those whose middle is under water.
    pub submerged: usize,
}

impl BodyMode {
    /// The mode after a look at the segments. Where Fig. 6.4 has no rule, it stays.
    pub fn after(self, census: &Census) -> BodyMode {
        let Census { segments, legged, grounded, submerged } = *census;
        if submerged == segments {
            return BodyMode::InWater;
        }
        if submerged > 0 {
            return match self {
                BodyMode::InAir | BodyMode::AirToWater => BodyMode::AirToWater,
                BodyMode::InWater | BodyMode::WaterToGround => BodyMode::WaterToGround,
                BodyMode::OnGround | BodyMode::AirToGround | BodyMode::GroundToWater => BodyMode::GroundToWater,
            };
        }
        match (grounded, self) {
            (0, _) => BodyMode::InAir,
            (all, _) if all == legged => BodyMode::OnGround,
            (_, BodyMode::InAir | BodyMode::AirToWater) => BodyMode::AirToGround,
            (_, same) => same,
        }
    }
}
