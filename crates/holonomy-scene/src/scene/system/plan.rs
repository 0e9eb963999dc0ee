//! `[system.plan]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use holonomy::lie::Pose;
use holonomy::medium::ground::Ground;
use holonomy::medium::{SolidMesh, obstacle};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::Topology;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::asset::{Asset, ClipOptions};
use crate::scene::quantity::{Angle, Count, Height, Length, Lift, Multiple, Speed};
use crate::scene::start::{Place, Start, Turn};
use crate::scene::system::land::{Canyon, HeightImage, Hills, Land, Noise};
use crate::scene::system::{Settings, Surroundings, WakeGrid};
use crate::scene::table::table;

/// Settings of a plan: a vehicle finds its own way to a goal, by its own equations of motion, within limits and around obstacles (Kobilarov 2009, Sec. 6).
///
/// `duration` of `[time]` is how long it takes, or how long at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Plan {
    /// Where and how it shall arrive: at rest, if no velocity is given.
    #[serde(deserialize_with = "table")]
    pub goal: Start,
    /// Whether it may arrive sooner than `duration` says. Default: `false`.
    pub free_time: bool,
    /// Intervals of time, in each of which the controls are constant. Default: `64`.
    pub intervals: Count<2, 20_000>,
    /// What shall be least.
    #[serde(deserialize_with = "table")]
    pub minimise: Minimise,
    /// Greatest speed, m/s. If absent, any.
    pub speed: Option<Speed>,
    /// Least and greatest value of controls, SI units, by their names. What is not named has the vehicle's own.
    pub controls: BTreeMap<String, [f64; 2]>,
    /// Least and greatest angle of joints by their names, such as `steering = ["-35 deg", "35 deg"]`.
    pub joints: BTreeMap<String, [Angle; 2]>,
    /// Lowest and highest corner of the room in which its origin stays. If absent, anywhere.
    pub region: Option<[Place; 2]>,
    /// Distance kept from obstacles. Default: `0`.
    pub clearance: Lift,
    /// Places that the first guess goes through; the plan need not. If absent, guesses go straight and to both sides.
    pub via: Vec<Place>,
    /// What is in the way.
    pub obstacles: Vec<Obstacle>,
    /// Height of the ground that is drawn. If absent, the lowest place of what is on wheels, and none for what flies or dives.
    pub ground: Option<Height>,
    /// Height of the water that is drawn. If absent, none.
    pub water: Option<Height>,
    /// Water in which the vehicle makes waves, up to the height of `water` or 0. If absent, none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waves: Option<WakeGrid>,
}

/// What shall be least: the sum of all that is weighed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Minimise {
    /// Per second: the squares of all controls, each in parts of its range. Default: `1`.
    pub effort: Multiple,
    /// Per second. Default: `0`.
    pub time: Multiple,
    /// Per metre. Default: `0`.
    pub distance: Multiple,
    /// Per second: the squares of all joints, rad². Default: `0`.
    pub steering: Multiple,
}

impl Default for Minimise {
    fn default() -> Self {
        Minimise { effort: Multiple(1.0), time: Multiple(0.0), distance: Multiple(0.0), steering: Multiple(0.0) }
    }
}

/// What is in the way; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Obstacle {
    /// A ball.
    Sphere {
        /// Its middle.
        at: Place,
        /// Its radius.
        radius: Length,
    },
    /// A box.
    Box {
        /// Its middle.
        at: Place,
        /// Its sides along its own axes.
        size: [Length; 3],
        /// How it is turned.
        turn: Option<Turn>,
    },
    /// A round column with flat ends.
    Cylinder {
        /// The middle of one end.
        from: Place,
        /// The middle of the other.
        to: Place,
        /// Its radius.
        radius: Length,
    },
    /// Level ground.
    Ground {
        /// Its height.
        height: Height,
    },
    /// Round hills in random places.
    Hills(Hills),
    /// A winding canyon.
    Canyon(Canyon),
    /// Land of random bumps.
    Noise(Noise),
    /// Land from a picture.
    Image(HeightImage),
    /// Anything with a closed surface, from a file.
    Mesh(MeshFile),
}

/// A closed surface from a file: glTF, OBJ or another that bodies are read from; of what moves, the first frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeshFile {
    /// The file, as seen from the folder of the scene file.
    pub file: PathBuf,
    /// Where its origin is put. If absent, the world's origin.
    pub at: Option<Place>,
    /// How it is turned about its origin. If absent, not at all.
    pub turn: Option<Turn>,
    /// How many times larger than in the file, in metres, it is. Default: `1`.
    #[serde(default = "as_it_is")]
    pub scale: Multiple,
}

fn as_it_is() -> Multiple {
    Multiple(1.0)
}

impl MeshFile {
    /// Where the file is, for a scene file in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }

    /// The solid, from the file.
    ///
    /// # Errors
    /// The file cannot be read, or holds no closed surface.
    fn solid(&self, folder: &Path) -> Result<SolidMesh, Error> {
        let path = self.path(folder);
        // The unit is said, so that none is guessed from the size.
        let options = ClipOptions { still: true, unit: Some(self.scale.si()), ..ClipOptions::default() };
        let sampled = Asset::open(&path)?.sample(&options)?;
        let Topology::Surface { faces } = sampled.clip.topology() else {
            return Err(Error::Choice(format!("{}: an obstacle needs a surface of triangles", path.display())));
        };
        let recorded = sampled.recorded.as_ref().and_then(|poses| poses.first()).copied().unwrap_or_else(Pose::identity);
        let pose = Pose {
            rotation: self.turn.map_or_else(UnitQuaternion::identity, Turn::rotation),
            translation: self.at.map_or_else(Vector3::zeros, Place::metres),
        } * recorded;
        let points = sampled.clip.frame(0).iter().map(|point| pose.act(point)).collect();
        SolidMesh::new(points, faces.clone()).map_err(|source| Error::Engine { path, source })
    }
}

impl Obstacle {
    /// The engine's obstacle; files are looked for from `folder`, and `refused` says whose fault it is.
    ///
    /// # Errors
    /// A number is out of range, or a file holds no closed surface.
    pub fn engine(&self, folder: &Path, refused: &dyn Fn(holonomy::Error) -> Error) -> Result<obstacle::Obstacle, Error> {
        Ok(match self {
            Obstacle::Sphere { at, radius } => obstacle::Obstacle::Sphere { center: at.metres(), radius: radius.si() },
            Obstacle::Box { at, size, turn } => obstacle::Obstacle::Box {
                pose: Pose { rotation: turn.map_or_else(UnitQuaternion::identity, Turn::rotation), translation: at.metres() },
                half: Vector3::from(size.map(Length::si)) * 0.5,
            },
            Obstacle::Cylinder { from, to, radius } => {
                obstacle::Obstacle::Cylinder { from: from.metres(), to: to.metres(), radius: radius.si() }
            }
            Obstacle::Ground { height } => obstacle::Obstacle::Ground(Ground::Flat { height: height.si() }),
            Obstacle::Hills(hills) => obstacle::Obstacle::Ground(Ground::HeightField(hills.field().map_err(refused)?)),
            Obstacle::Canyon(canyon) => obstacle::Obstacle::Ground(Ground::HeightField(canyon.field().map_err(refused)?)),
            Obstacle::Noise(noise) => obstacle::Obstacle::Ground(Ground::HeightField(noise.field().map_err(refused)?)),
            Obstacle::Image(image) => obstacle::Obstacle::Ground(Ground::HeightField(image.field(folder)?)),
            Obstacle::Mesh(mesh) => obstacle::Obstacle::Mesh(mesh.solid(folder)?),
        })
    }
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            goal: Start::default(),
            free_time: false,
            intervals: Count(64),
            minimise: Minimise::default(),
            speed: None,
            controls: BTreeMap::new(),
            joints: BTreeMap::new(),
            region: None,
            clearance: Lift(0.0),
            via: Vec::new(),
            obstacles: Vec::new(),
            ground: None,
            water: None,
            waves: None,
        }
    }
}

impl Settings for Plan {
    fn name(&self) -> &'static str {
        "plan"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: self.water.filter(|_| self.waves.is_none()), on_ground: self.ground.is_some() }
    }
}
