//! Rigs: joints in a tree, the bones between them that carry the mass, and what is seen of them.

use super::skin::Skin;
use crate::Error;

/// One joint of a rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name in the asset.
    pub name: String,
    /// The joint it hangs on; `None` for a root. A parent always stands before its children.
    pub parent: Option<usize>,
}

/// A bone: a straight segment between two joints, with its mass along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bone {
    /// Joint at the proximal end.
    pub from: usize,
    /// Joint at the distal end.
    pub to: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, as a fraction of the way from `from` to `to`.
    pub center: f64,
    /// Transverse radius of gyration about the centre of mass, as a fraction of the bone's length.
    pub gyration: f64,
    /// Longitudinal radius of gyration, about the bone's own length, as a fraction of that length; zero for a bone without thickness.
    /// No body has more than √2 times the transverse one.
    pub longitudinal_gyration: f64,
}

impl Bone {
    /// What is left of the transverse radius of gyration if the bone's thickness is left out: the root mean square distance of its mass from its
    /// centre, measured along the bone, as a fraction of its length.
    pub fn half_span(&self) -> f64 {
        (self.gyration * self.gyration - 0.5 * self.longitudinal_gyration * self.longitudinal_gyration).max(0.0).sqrt()
    }

    fn validate(&self) -> Result<(), Error> {
        let named = [
            ("bone mass", self.mass),
            ("bone centre", self.center),
            ("bone gyration", self.gyration),
            ("longitudinal bone gyration", self.longitudinal_gyration),
        ];
        for (name, value) in named {
            Error::unless((0.0..1e100).contains(&value), name, value, "zero or more, and below 1e100 so that sums stay finite")?;
        }
        // Equal for a flat disc, up to round-off.
        let possible = self.longitudinal_gyration <= std::f64::consts::SQRT_2 * self.gyration * (1.0 + 1e-9);
        let expected = "at most √2 times the bone's (transverse) gyration: no body has more";
        Error::unless(possible, "longitudinal bone gyration", self.longitudinal_gyration, expected)
    }
}

/// A skeleton: who hangs on whom, and where the mass is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rig {
    /// The joints, parents before children. Their positions are the clip's vertices.
    pub joints: Vec<Joint>,
    /// The bones.
    pub bones: Vec<Bone>,
    /// What is seen of it; `None`: a limb for each bone.
    pub skin: Option<Skin>,
}

impl Rig {
    pub(super) fn validate(&self, vertices: usize) -> Result<(), Error> {
        if self.joints.len() != vertices {
            return Err(Error::Length { what: "joints of the rig", expected: vertices, found: self.joints.len() });
        }
        for (i, joint) in self.joints.iter().enumerate() {
            if let Some(parent) = joint.parent
                && parent >= i
            {
                return Err(Error::VertexOutOfRange { what: "parent of joint", index: i, vertex: parent, vertices: i });
            }
        }
        for (i, bone) in self.bones.iter().enumerate() {
            for vertex in [bone.from, bone.to] {
                if vertex >= vertices {
                    return Err(Error::VertexOutOfRange { what: "bone", index: i, vertex, vertices });
                }
            }
            bone.validate()?;
        }
        self.skin.as_ref().map_or(Ok(()), |skin| skin.validate(vertices))
    }
}
