//! Soft bodies: cloth, ribbons, bars, doughnuts, and what fills any closed surface, with what holds them.
//!
//! Each makes the [`BodySettings`] of an elastic body for a loop of a given period, by which its handles go round.

use std::f64::consts::TAU;

use nalgebra::{UnitQuaternion, Vector3};

use crate::Error;
use crate::elastic::body::BodySettings;
use crate::elastic::material::Material;
use crate::elastic::mesh::{Cells, Diagonals, Mesh, Split};
use crate::elastic::path::Path;
use crate::lie::Pose;

/// A soft body that can be made.
pub trait SoftModel {
    /// The body, its handles led around in `period` seconds.
    ///
    /// # Errors
    /// A parameter is out of range.
    fn settings(&self, period: f64) -> Result<BodySettings, Error>;

    /// Where its vertices are at first, if not at rest; metres.
    fn first_shape(&self, rest: &[Vector3<f64>]) -> Option<Vec<Vector3<f64>>> {
        let _ = rest;
        None
    }

    /// The same body in half as many pieces along each side, and how its vertices lead those of this one: to find a start for this one. None where
    /// there is none.
    fn coarser(&self) -> Option<(Box<dyn SoftModel>, Refinement)> {
        None
    }
}

/// Which shares of the vertices of a coarse body place each vertex of a fine one.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement(Vec<Vec<(u32, f64)>>);

impl Refinement {
    /// Places of the fine body's vertices from those of the coarse one's.
    pub fn of(&self, coarse: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.0.iter().map(|shares| shares.iter().map(|&(vertex, share)| coarse[vertex as usize] * share).sum()).collect()
    }
}

/// Shares of the nodes 0 to `last` at a place between them: a cubic through four nodes, so that sheets have no creases (Catmull and Rom 1974); beyond the ends
/// the nodes go on as a straight line.
fn cubic_shares(place: f64, last: usize) -> Vec<(usize, f64)> {
    let first = (place.floor() as usize).min(last.saturating_sub(1));
    let s = place - first as f64;
    let weights =
        [0.5 * s * (-1.0 + s * (2.0 - s)), 1.0 + s * s * (-2.5 + 1.5 * s), 0.5 * s * (1.0 + s * (4.0 - 3.0 * s)), 0.5 * s * s * (s - 1.0)];
    let mut shares = vec![(first, weights[1]), (first + 1, weights[2])];
    if first > 0 {
        shares.push((first - 1, weights[0]));
    } else {
        shares[0].1 += 2.0 * weights[0];
        shares[1].1 -= weights[0];
    }
    if first + 1 < last {
        shares.push((first + 2, weights[3]));
    } else {
        shares[1].1 += 2.0 * weights[3];
        shares[0].1 -= weights[3];
    }
    shares
}

/// A rectangle of cloth, its lower edge along +X from the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloth {
    /// Along the lower edge, and up or away from it; metres.
    pub size: [f64; 2],
    /// Rectangles along these.
    pub cells: [usize; 2],
    /// What it is made of.
    pub material: Material,
    /// How it lies at first.
    pub lie: Lie,
    /// Where it is held.
    pub held: Held,
}

/// How a cloth lies at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lie {
    /// In the plane of X and Y.
    #[default]
    Upright,
    /// In the plane of X and Z, from the origin towards −Z.
    Level,
}

/// Where a cloth is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Held {
    /// At the two corners where x is least: a flag.
    #[default]
    PoleCorners,
    /// Along the side where x is least.
    PoleSide,
    /// At the two far corners: of the upper edge, or of that away from the origin.
    TopCorners,
    /// Along that edge.
    TopEdge,
    /// Nowhere.
    Nowhere,
}

impl Default for Cloth {
    fn default() -> Self {
        Cloth { size: [1.5, 1.0], cells: [14, 10], material: Material::COTTON, lie: Lie::default(), held: Held::default() }
    }
}

impl SoftModel for Cloth {
    fn settings(&self, _period: f64) -> Result<BodySettings, Error> {
        let [columns, rows] = self.cells;
        let mesh = Mesh::cloth(self.size[0], self.size[1], columns, rows, Diagonals::Alternating)?;
        let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -0.25 * TAU);
        let pose = match self.lie {
            Lie::Upright => Pose::identity(),
            Lie::Level => Pose { rotation: quarter, translation: Vector3::zeros() },
        };
        let mut settings = BodySettings::new(mesh.moved(&pose), self.material);
        let at = |column: usize, row: usize| (row * (columns + 1) + column) as u32;
        let held: Vec<u32> = match self.held {
            Held::PoleCorners => vec![at(0, 0), at(0, rows)],
            Held::PoleSide => (0..=rows).map(|row| at(0, row)).collect(),
            Held::TopCorners => vec![at(0, rows), at(columns, rows)],
            Held::TopEdge => (0..=columns).map(|column| at(column, rows)).collect(),
            Held::Nowhere => Vec::new(),
        };
        settings.hold(held, &Path::Still);
        Ok(settings)
    }

    fn coarser(&self) -> Option<(Box<dyn SoftModel>, Refinement)> {
        if self.cells.iter().any(|&cells| cells < 2) {
            return None;
        }
        let cells = self.cells.map(|cells| cells / 2);
        let along = |axis: usize, k: usize| cubic_shares(k as f64 * cells[axis] as f64 / self.cells[axis] as f64, cells[axis]);
        let shares = |column: usize, row: usize| {
            let (across, up) = (along(0, column), along(1, row));
            let pair = |&(i, a): &(usize, f64)| up.iter().map(move |&(j, b)| ((j * (cells[0] + 1) + i) as u32, a * b)).collect::<Vec<_>>();
            across.iter().flat_map(pair).collect()
        };
        let all = (0..=self.cells[1]).flat_map(|row| (0..=self.cells[0]).map(move |column| (column, row)));
        let refinement = Refinement(all.map(|(column, row)| shares(column, row)).collect());
        Some((Box::new(Cloth { cells, ..self.clone() }), refinement))
    }
}

/// Ribbons that hang from one handle, which is led around a level circle about the Y axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Ribbons {
    /// How many.
    pub count: usize,
    /// Metres.
    pub length: f64,
    /// Metres.
    pub width: f64,
    /// Pieces along each.
    pub segments: usize,
    /// What they are made of.
    pub material: Material,
    /// Of the handle's circle, metres.
    pub circle: f64,
    /// How often the handle goes round in one loop.
    pub turns: usize,
}

impl Default for Ribbons {
    fn default() -> Self {
        Ribbons { count: 3, length: 0.8, width: 0.05, segments: 40, material: Material::SILK, circle: 0.15, turns: 3 }
    }
}

impl SoftModel for Ribbons {
    fn settings(&self, period: f64) -> Result<BodySettings, Error> {
        Error::unless((1..=100).contains(&self.count), "number of ribbons", self.count as f64, "1 to 100")?;
        let strip = Mesh::ribbon(self.length, self.width, self.segments)?;
        let Cells::Sheet(strip_faces) = &strip.cells else {
            return Err(Error::Empty { what: "a ribbon", fix: "give it at least one piece" });
        };
        let (mut points, mut faces, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..self.count {
            // Each hangs down, and all face away from the handle, a little apart.
            let (sin, cos) = (TAU * k as f64 / self.count as f64).sin_cos();
            let (out, across) = (Vector3::new(cos, 0.0, sin), Vector3::new(-sin, 0.0, cos));
            let middle = Vector3::x() * self.circle + out * (0.3 * self.width);
            let first = points.len() as u32;
            points.extend(strip.points.iter().map(|p| middle - Vector3::y() * p.x + across * (p.y - 0.5 * self.width)));
            faces.extend(strip_faces.iter().map(|face| face.map(|v| v + first)));
            held.extend([first, first + self.segments as u32 + 1]);
        }
        let mut settings = BodySettings::new(Mesh { points, cells: Cells::Sheet(faces) }, self.material);
        let path = Path::Circle { center: Vector3::zeros(), axis: Vector3::y(), period, turns: self.turns as f64, phase: 0.0 };
        settings.hold(held, &path);
        Ok(settings)
    }
}

/// A bar along +X, its middle at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Metres.
    pub size: [f64; 3],
    /// Cells along each side.
    pub cells: [usize; 3],
    /// What it is made of.
    pub material: Material,
    /// Which of its ends are held.
    pub ends: Ends,
    /// How far its ends are turned against each other at first, about its length, radians.
    pub twist: f64,
}

/// Which ends of a bar are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ends {
    /// The one where x is least.
    #[default]
    One,
    /// Both.
    Both,
    /// None.
    Neither,
}

impl Default for Bar {
    fn default() -> Self {
        Bar { size: [1.0, 0.16, 0.16], cells: [12, 2, 2], material: Material::JELLY, ends: Ends::default(), twist: 0.0 }
    }
}

impl SoftModel for Bar {
    fn settings(&self, _period: f64) -> Result<BodySettings, Error> {
        let size = Vector3::from(self.size);
        let mesh =
            Mesh::bar(size, self.cells, Split::default())?.moved(&Pose { rotation: UnitQuaternion::identity(), translation: -size * 0.5 });
        let end = |sign: f64| {
            let at_end = move |(_, p): &(usize, &Vector3<f64>)| (p.x - sign * 0.5 * size.x).abs() < 1e-9 * size.x;
            mesh.points.iter().enumerate().filter(at_end).map(|(i, _)| i as u32).collect::<Vec<_>>()
        };
        let held = match self.ends {
            Ends::One => end(-1.0),
            Ends::Both => [end(-1.0), end(1.0)].concat(),
            Ends::Neither => Vec::new(),
        };
        let mut settings = BodySettings::new(mesh, self.material);
        settings.hold(held, &Path::Still);
        Ok(settings)
    }

    fn first_shape(&self, rest: &[Vector3<f64>]) -> Option<Vec<Vector3<f64>>> {
        let turned = |p: &Vector3<f64>| {
            // What is held at one end stays.
            let along = p.x / self.size[0] + if self.ends == Ends::One { 0.5 } else { 0.0 };
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), self.twist * along) * p
        };
        (self.twist != 0.0 && self.ends != Ends::Both).then(|| rest.iter().map(turned).collect())
    }
}

/// A doughnut about the Y axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Doughnut {
    /// Of the middle of its tube, metres.
    pub radius: f64,
    /// Of the tube, metres.
    pub tube: f64,
    /// Slices around.
    pub around: usize,
    /// Rings within the tube.
    pub rings: usize,
    /// What it is made of.
    pub material: Material,
}

impl Default for Doughnut {
    fn default() -> Self {
        Doughnut { radius: 0.25, tube: 0.11, around: 20, rings: 2, material: Material::JELLY }
    }
}

impl SoftModel for Doughnut {
    fn settings(&self, _period: f64) -> Result<BodySettings, Error> {
        Ok(BodySettings::new(Mesh::doughnut(self.radius, self.tube, self.around, self.rings)?, self.material))
    }
}

/// What fills a closed surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The tetrahedra within it ([`crate::elastic::fill`]).
    pub mesh: Mesh,
    /// What it is made of.
    pub material: Material,
    /// What lies no higher than this at rest is held, metres.
    pub held_below: Option<f64>,
}

impl SoftModel for Filled {
    fn settings(&self, _period: f64) -> Result<BodySettings, Error> {
        let mut settings = BodySettings::new(self.mesh.clone(), self.material);
        if let Some(height) = self.held_below {
            let low: Vec<u32> = (0_u32..).zip(&self.mesh.points).filter(|(_, point)| point.y <= height).map(|(vertex, _)| vertex).collect();
            settings.hold(low, &Path::Still);
        }
        Ok(settings)
    }
}
