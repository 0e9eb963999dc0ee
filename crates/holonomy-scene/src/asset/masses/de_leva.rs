//! P. de Leva 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29(9), Table 4.

/// Whose numbers of de Leva's table to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Table {
    /// The mean of women and men.
    #[default]
    Mean,
    /// Young women (mean 61.9 kg, 1.735 m).
    Women,
    /// Young men (mean 73.0 kg, 1.741 m).
    Men,
}

/// A part of the body that de Leva's table has numbers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Segment {
    /// Head and neck: cervicale (7th neck vertebra) to vertex. Table: "Head 2", turned round.
    Head,
    /// Suprasternale to xiphion.
    UpperTrunk,
    /// Xiphion to omphalion.
    MiddleTrunk,
    /// Omphalion to the middle of the hip joints.
    LowerTrunk,
    /// Shoulder to elbow joint centre.
    UpperArm,
    /// Elbow to wrist joint centre.
    Forearm,
    /// Wrist joint centre to tip of the third finger. Table: "Hand 2".
    Hand,
    /// Hip to knee joint centre.
    Thigh,
    /// Knee to ankle joint centre.
    Shank,
    /// Heel to toe tip; on a rig, ankle to toe tip.
    Foot,
}

impl Segment {
    /// All ten; the limbs' six occur twice in a body.
    pub const ALL: [Segment; 10] = {
        use Segment::*;
        [Head, UpperTrunk, MiddleTrunk, LowerTrunk, UpperArm, Forearm, Hand, Thigh, Shank, Foot]
    };
    /// How many of it a body has.
    pub fn count(self) -> usize {
        if (self as usize) < Segment::UpperArm as usize { 1 } else { 2 }
    }
    /// Its numbers in the table, masses scaled so that the whole body is one.
    pub fn values(self, table: Table) -> SegmentValues {
        let whole: f64 = Segment::ALL.iter().map(|s| s.count() as f64 * s.printed(table).mass).sum();
        let printed = self.printed(table);
        SegmentValues { mass: printed.mass / whole, ..printed }
    }
    fn printed(self, table: Table) -> SegmentValues {
        let [women, men] = DE_LEVA[self as usize].map(|[mass, center, sagittal, transverse, longitudinal]: [f64; 5]| {
            // One radius across the segment: the mean of the two moments.
            let gyration = f64::midpoint(sagittal * sagittal, transverse * transverse).sqrt();
            SegmentValues { mass, center, gyration, longitudinal_gyration: longitudinal }
        });
        let mean = |a, b| f64::midpoint(a, b);
        match table {
            Table::Women => women,
            Table::Men => men,
            Table::Mean => SegmentValues {
                mass: mean(women.mass, men.mass),
                center: mean(women.center, men.center),
                gyration: mean(women.gyration, men.gyration),
                longitudinal_gyration: mean(women.longitudinal_gyration, men.longitudinal_gyration),
            },
        }
    }
}

/// Numbers of one segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentValues {
    /// Share of the body's mass.
    pub mass: f64,
    /// Centre of mass from the proximal end, as a fraction of the segment's length.
    pub center: f64,
    /// Radius of gyration across the segment about its centre of mass, as a fraction of its length.
    pub gyration: f64,
    /// Radius of gyration about the segment's own length, as a fraction of that length.
    pub longitudinal_gyration: f64,
}

/// De Leva 1996, Table 4: women, men; each: mass share, centre from the proximal end, sagittal, transverse and longitudinal radius of gyration.
/// In the order of [`Segment::ALL`]. The head is printed from vertex to cervicale (0.4841, 0.5002) and is turned round here.
const DE_LEVA: [[[f64; 5]; 2]; 10] = [
    [[0.0668, 0.5159, 0.271, 0.295, 0.261], [0.0694, 0.4998, 0.303, 0.315, 0.261]],
    [[0.1545, 0.2077, 0.746, 0.502, 0.718], [0.1596, 0.2999, 0.716, 0.454, 0.659]],
    [[0.1465, 0.4512, 0.433, 0.354, 0.415], [0.1633, 0.4502, 0.482, 0.383, 0.468]],
    [[0.1247, 0.4920, 0.433, 0.402, 0.444], [0.1117, 0.6115, 0.615, 0.551, 0.587]],
    [[0.0255, 0.5754, 0.278, 0.260, 0.148], [0.0271, 0.5772, 0.285, 0.269, 0.158]],
    [[0.0138, 0.4559, 0.261, 0.257, 0.094], [0.0162, 0.4574, 0.276, 0.265, 0.121]],
    [[0.0056, 0.3427, 0.244, 0.208, 0.154], [0.0061, 0.3624, 0.288, 0.235, 0.184]],
    [[0.1478, 0.3612, 0.369, 0.364, 0.162], [0.1416, 0.4095, 0.329, 0.329, 0.149]],
    [[0.0481, 0.4352, 0.267, 0.263, 0.092], [0.0433, 0.4395, 0.251, 0.246, 0.102]],
    [[0.0129, 0.4014, 0.299, 0.279, 0.139], [0.0137, 0.4415, 0.257, 0.245, 0.124]],
];

/// Longitudinal radius of gyration of a part of the trunk, over the length of the leg from hip to ankle joint centre: women, men.
///
/// From the same table: longitudinal radius of gyration × length of the part (mm) / (length of thigh + length of "Shank 2" (mm)).
pub(super) fn trunk_thickness(segment: Segment, table: Table) -> f64 {
    let lengths = match segment {
        Segment::UpperTrunk => [142.5, 170.7],
        Segment::MiddleTrunk => [205.3, 215.5],
        Segment::LowerTrunk => [181.5, 145.7],
        _ => [0.0; 2],
    };
    let legs = [368.5 + 438.6, 422.2 + 440.3];
    let [women, men] = [Table::Women, Table::Men].map(|sex| segment.printed(sex).longitudinal_gyration);
    let (women, men) = (women * lengths[0] / legs[0], men * lengths[1] / legs[1]);
    match table {
        Table::Women => women,
        Table::Men => men,
        Table::Mean => f64::midpoint(women, men),
    }
}
