//! A body: a mesh of a material, held somewhere, under loads. The force law of its free vertices.

use nalgebra::{Matrix3, Vector3};

use super::assembly::{Chunk, Group, chunks, each_chunk};
use super::hinge::Hinge;
use super::load::{Loads, Touch, Wind};
use super::material::Material;
use super::mesh::{Cells, Mesh};
use super::path::Path;
use super::self_contact::{Pair, Pairs, SelfContact, crossings};
use super::shell::{MembraneLaw, Triangle};
use super::tetrahedron::{SolidLaw, Tetrahedron};
use crate::Error;
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::shape::surface::{Connectivity, face_area_vector};
use crate::solve::blocks::BlockPattern;

/// All that makes a body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySettings {
    /// At rest: without stress.
    pub mesh: Mesh,
    /// What it is made of.
    pub material: Material,
    /// How its tetrahedra resist, if it has any.
    pub solid: SolidLaw,
    /// How its triangles resist, if it has any.
    pub membrane: MembraneLaw,
    /// Which folds of a sheet are at rest.
    pub folds: RestFolds,
    /// Vertices that are not free.
    pub holds: Vec<Hold>,
    /// What acts on it.
    pub loads: Loads,
}

/// Which folds of a sheet are at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestFolds {
    /// Those of the mesh.
    #[default]
    OfTheMesh,
    /// None: it wants to be flat.
    Flat,
}

/// A vertex that is held in place, or led along a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    /// Which one.
    pub vertex: u32,
    /// Where, before the path moves it, metres.
    pub place: Vector3<f64>,
    /// How it is led.
    pub path: Path,
}

/// An elastic body.
#[derive(Debug, Clone)]
pub struct Body {
    settings: BodySettings,
    /// Surface triangles, for drawing.
    surface: Vec<[u32; 3]>,
    /// Vertices of the mesh that are free, in order.
    free: Vec<u32>,
    /// Lumped masses of free vertices, kg.
    masses: Vec<f64>,
    /// Shares of the surface of free vertices, m².
    areas: Vec<f64>,
    pattern: BlockPattern,
    chunks: Vec<Chunk>,
    tetrahedra: Group<Tetrahedron, 4>,
    triangles: Group<Triangle, 3>,
    hinges: Group<Hinge, 4>,
    wind: Group<Wind, 3>,
    /// Parts of the surface that touch; none unless asked for.
    pairs: Group<Pair, 4>,
}

impl BodySettings {
    /// With the usual laws, held nowhere, under gravity.
    pub fn new(mesh: Mesh, material: Material) -> BodySettings {
        BodySettings {
            mesh,
            material,
            solid: SolidLaw::default(),
            membrane: MembraneLaw::default(),
            folds: RestFolds::default(),
            holds: Vec::new(),
            loads: Loads::default(),
        }
    }

    /// Holds these vertices where they are at rest; numbers that name none are refused later, by [`Body::new`].
    pub fn hold(&mut self, vertices: impl IntoIterator<Item = u32>, path: &Path) {
        for vertex in vertices {
            let place = self.mesh.points.get(vertex as usize).copied().unwrap_or_default();
            self.holds.push(Hold { vertex, place, path: path.clone() });
        }
    }
}

impl Body {
    /// Finds masses, elements and the places of their blocks, once.
    ///
    /// # Errors
    /// A number that is not finite or out of range; an element that is flat or inside out, or names a vertex that does not exist; a vertex that is in no element; a hold of a vertex that does
    /// not exist or is held already; no vertex is free; the faces of a sheet do not all look the same way.
    pub fn new(settings: BodySettings) -> Result<Body, Error> {
        settings.validate()?;
        let mesh = &settings.mesh;
        let surface = mesh.surface();
        let (elements, masses) = Elements::of(&settings)?;
        if let Some(vertex) = masses.iter().position(|&mass| mass <= 0.0) {
            let name = "number of a vertex that is in no element";
            return Err(Error::Parameter { name, value: vertex as f64, expected: "left out of the mesh" });
        }

        let (free, number) = numbering(mesh.points.len(), &settings.holds)?;
        let renumber = |corners: &[u32]| corners.iter().map(|&v| number[v as usize]).collect::<Vec<u32>>();
        let groups: Vec<Vec<u32>> = elements
            .tetrahedra
            .iter()
            .map(|(_, corners)| renumber(corners))
            .chain(elements.triangles.iter().map(|(_, corners)| renumber(corners)))
            .chain(elements.hinges.iter().map(|(_, corners)| renumber(corners)))
            .collect();
        let pattern = BlockPattern::new(free.len(), groups.iter().map(Vec::as_slice));
        let chunks = chunks(&pattern);

        let winds = settings.loads.wind.filter(|wind| wind.coefficient > 0.0 && wind.velocity != Vector3::zeros());
        let winds = surface.iter().filter_map(|&face| Some((winds?, face))).collect();
        let mut areas = vec![0.0; mesh.points.len()];
        for &face in &surface {
            let third = face_area_vector(&mesh.points, face).norm() / 3.0;
            face.iter().for_each(|&v| areas[v as usize] += third);
        }
        let of_free = |of: &[f64]| free.iter().map(|&v| of[v as usize]).collect();
        Ok(Body {
            masses: of_free(&masses),
            areas: of_free(&areas),
            tetrahedra: grouped(elements.tetrahedra, &number, &pattern, &chunks),
            triangles: grouped(elements.triangles, &number, &pattern, &chunks),
            hinges: grouped(elements.hinges, &number, &pattern, &chunks),
            wind: grouped(winds, &number, &pattern, &chunks),
            pairs: Group::new(Vec::new(), Vec::new(), &pattern, &chunks),
            settings,
            surface,
            free,
            pattern,
            chunks,
        })
    }

    /// The same, with those parts of its surface pushed apart that come near each other in one of `frames`, each the places of all vertices (see [`Body::placed`]). Those it looked after before are
    /// forgotten. See [`super::self_contact`] for what that guarantees.
    ///
    /// # Errors
    /// A setting that is out of range; a frame of another number of vertices, or with one that is not finite.
    pub fn with_self_contact(&self, contact: &SelfContact, frames: &[Vec<Vector3<f64>>]) -> Result<Body, Error> {
        let (rest, surface) = (&self.settings.mesh.points, &self.surface);
        let pairs = contact.elements(rest, surface, &Pairs::find(contact, rest, surface, frames)?);
        let (_, number) = numbering(rest.len(), &self.settings.holds)?;
        let paired: Vec<[u32; 4]> = pairs.iter().map(|(_, corners)| corners.map(|v| number[v as usize])).collect();
        let fours = self.tetrahedra.corners.iter().chain(&self.hinges.corners).chain(&paired).map(|c| c.as_slice());
        let pattern = BlockPattern::new(self.free.len(), fours.chain(self.triangles.corners.iter().map(|c| c.as_slice())));
        let chunks = chunks(&pattern);
        Ok(Body {
            settings: self.settings.clone(),
            surface: self.surface.clone(),
            free: self.free.clone(),
            masses: self.masses.clone(),
            areas: self.areas.clone(),
            tetrahedra: self.tetrahedra.placed(&pattern, &chunks),
            triangles: self.triangles.placed(&pattern, &chunks),
            hinges: self.hinges.placed(&pattern, &chunks),
            wind: self.wind.placed(&pattern, &chunks),
            pairs: grouped(pairs, &number, &pattern, &chunks),
            pattern,
            chunks,
        })
    }

    /// How many parts of its surface are looked after, so that they do not pass through each other.
    pub fn pairs(&self) -> usize {
        self.pairs.elements.len()
    }

    /// Returns how many edges of its surface pass through a triangle of it. In one plane, and where
    /// parts only touch, there are none.
    pub fn crossings(&self, time: f64, q: &[Vector3<f64>]) -> usize {
        crossings(&self.placed(time, q), &self.surface)
    }

    /// What it was made of.
    pub fn settings(&self) -> &BodySettings {
        &self.settings
    }

    /// Its surface, as triangles of the mesh's vertices, outwards.
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.surface
    }

    /// The vertices of the mesh that are free, in order: entry i is the vertex that q's entry i places.
    pub fn free_vertices(&self) -> &[u32] {
        &self.free
    }

    /// q at rest.
    pub fn rest(&self) -> Vec<Vector3<f64>> {
        self.free(&self.settings.mesh.points)
    }

    /// q: the free ones among the places of all vertices.
    pub fn free(&self, all: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.free.iter().map(|&v| all[v as usize]).collect()
    }

    /// All vertices at that time: the free ones where q has them, the others where they are held.
    pub fn placed(&self, time: f64, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut all = self.settings.mesh.points.clone();
        for (&vertex, place) in self.free.iter().zip(q) {
            all[vertex as usize] = *place;
        }
        for (hold, place) in self.settings.holds.iter().zip(self.held(time)) {
            all[hold.vertex as usize] = place;
        }
        all
    }

    /// Returns whether any of its free vertices is inside something in its way (see
    /// [`Loads::contacts`]) at that time. Edges and faces are not looked at: they feel nothing.
    pub fn touches_anything(&self, time: f64, q: &[Vector3<f64>]) -> bool {
        let touches = self.touches(time);
        q.iter().any(|place| touches.iter().any(|touch| touch.is_inside(place)))
    }

    /// Where held vertices are.
    fn held(&self, time: f64) -> Vec<Vector3<f64>> {
        self.settings
            .holds
            .iter()
            .map(|hold| if hold.path == Path::Still { hold.place } else { hold.path.pose(time).act(&hold.place) })
            .collect()
    }

    fn touches(&self, time: f64) -> Vec<Touch<'_>> {
        self.settings.loads.contacts.iter().map(|contact| Touch::at(contact, time)).collect()
    }
}

impl ForceLaw for Body {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        let (held, touches, gravity) = (self.held(time), self.touches(time), self.settings.loads.gravity);
        let at = |v: u32| place(q, &held, v);
        each_chunk(&self.chunks, force, &|chunk| chunk.rows.len(), &|chunk, force| {
            for (row, force) in chunk.rows.clone().zip(force.iter_mut()) {
                *force = gravity * self.masses[row];
                touches.iter().for_each(|touch| *force += touch.force(&q[row], self.areas[row]));
            }
            self.tetrahedra.add_force(chunk, &at, force);
            self.triangles.add_force(chunk, &at, force);
            self.hinges.add_force(chunk, &at, force);
            self.wind.add_force(chunk, &at, force);
            self.pairs.add_force(chunk, &at, force);
        });
    }

    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        let (held, touches) = (self.held(time), self.touches(time));
        let at = |v: u32| place(q, &held, v);
        each_chunk(&self.chunks, values, &|chunk| chunk.blocks.len(), &|chunk, values| {
            values.fill(Matrix3::zeros());
            for row in chunk.rows.clone() {
                if let (false, Some(diagonal)) = (touches.is_empty(), self.pattern.find(row, row)) {
                    let value = &mut values[diagonal - chunk.blocks.start];
                    touches.iter().for_each(|touch| *value += touch.stiffness(&q[row], self.areas[row], which));
                }
            }
            self.tetrahedra.add_stiffness(chunk, &at, which, values);
            self.triangles.add_stiffness(chunk, &at, which, values);
            self.hinges.add_stiffness(chunk, &at, which, values);
            self.wind.add_stiffness(chunk, &at, which, values);
            self.pairs.add_stiffness(chunk, &at, which, values);
        });
    }

    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64 {
        let (held, touches, gravity) = (self.held(time), self.touches(time), self.settings.loads.gravity);
        let at = |v: u32| place(q, &held, v);
        let mut sums = vec![0.0; self.chunks.len()];
        each_chunk(&self.chunks, &mut sums, &|_| 1, &|chunk, sum| {
            for row in chunk.rows.clone() {
                sum[0] -= self.masses[row] * gravity.dot(&q[row]);
                sum[0] += touches.iter().map(|touch| touch.energy(&q[row], self.areas[row])).sum::<f64>();
            }
            sum[0] += self.tetrahedra.energy(chunk, &at) + self.triangles.energy(chunk, &at) + self.hinges.energy(chunk, &at);
            sum[0] += self.pairs.energy(chunk, &at);
        });
        sums.iter().sum()
    }

    fn is_conservative(&self) -> bool {
        self.wind.elements.is_empty()
    }
}

/// Where a vertex is, by its number: free ones come first.
fn place(q: &[Vector3<f64>], held: &[Vector3<f64>], v: u32) -> Vector3<f64> {
    let v = v as usize;
    if v < q.len() { q[v] } else { held[v - q.len()] }
}

/// The free vertices; and for each vertex its number, the free ones first and then those held, in the order of their holds.
fn numbering(vertices: usize, holds: &[Hold]) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let mut number = vec![u32::MAX; vertices];
    let count = vertices.saturating_sub(holds.len());
    for (k, hold) in holds.iter().enumerate() {
        let vertex = hold.vertex as usize;
        let known = number.get_mut(vertex).ok_or(Error::VertexOutOfRange { what: "hold", index: k, vertex, vertices })?;
        Error::unless(*known == u32::MAX, "number of a vertex that is held twice", vertex as f64, "held once")?;
        *known = (count + k) as u32;
    }
    let free: Vec<u32> = (0..vertices as u32).filter(|&v| number[v as usize] == u32::MAX).collect();
    if free.is_empty() {
        return Err(Error::Empty { what: "the list of vertices that are free", fix: "hold fewer" });
    }
    free.iter().zip(0..).for_each(|(&v, i)| number[v as usize] = i);
    Ok((free, number))
}

/// Elements with their corners, which become numbers of free and held vertices.
fn grouped<E: super::Element<K>, const K: usize>(
    elements: Vec<(E, [u32; K])>,
    number: &[u32],
    pattern: &BlockPattern,
    chunks: &[Chunk],
) -> Group<E, K> {
    let (elements, corners): (Vec<E>, Vec<[u32; K]>) = elements.into_iter().unzip();
    let corners = corners.into_iter().map(|corners| corners.map(|v| number[v as usize])).collect();
    Group::new(elements, corners, pattern, chunks)
}

/// Elements with the vertices of the mesh that are their corners.
#[derive(Default)]
struct Elements {
    tetrahedra: Vec<(Tetrahedron, [u32; 4])>,
    triangles: Vec<(Triangle, [u32; 3])>,
    hinges: Vec<(Hinge, [u32; 4])>,
}

impl Elements {
    /// The elements of a body that was validated, and the mass of each vertex.
    fn of(settings: &BodySettings) -> Result<(Elements, Vec<f64>), Error> {
        let BodySettings { mesh, material, .. } = settings;
        let mut elements = Elements::default();
        let mut masses = vec![0.0; mesh.points.len()];
        match &mesh.cells {
            Cells::Solid(cells) => {
                for (k, &cell) in cells.iter().enumerate() {
                    let tetrahedron = Tetrahedron::new(&cell.map(|v| mesh.points[v as usize]), material, settings.solid);
                    let name = "number of a tetrahedron that is flat or inside out";
                    let expected = "one whose last three corners turn left as seen from the first";
                    let tetrahedron = tetrahedron.ok_or(Error::Parameter { name, value: k as f64, expected })?;
                    cell.iter().for_each(|&v| masses[v as usize] += material.density * tetrahedron.volume() / 4.0);
                    elements.tetrahedra.push((tetrahedron, cell));
                }
            }
            Cells::Sheet(faces) => {
                for (k, &face) in faces.iter().enumerate() {
                    let triangle = Triangle::new(&face.map(|v| mesh.points[v as usize]), material, settings.membrane);
                    let name = "number of a triangle without area";
                    let triangle = triangle.ok_or(Error::Parameter { name, value: k as f64, expected: "left out, its vertices merged" })?;
                    face.iter().for_each(|&v| masses[v as usize] += material.area_density() * triangle.area() / 3.0);
                    elements.triangles.push((triangle, face));
                }
                let rest = (settings.folds == RestFolds::Flat).then_some(0.0);
                for corners in hinges_of(faces)? {
                    let hinge = Hinge::new(&corners.map(|v| mesh.points[v as usize]), material.bending_stiffness(), rest);
                    elements.hinges.push((hinge, corners));
                }
            }
        }
        Ok((elements, masses))
    }
}

impl BodySettings {
    /// What can be said without looking at the shapes of elements.
    fn validate(&self) -> Result<(), Error> {
        self.material.validate()?;
        self.loads.validate()?;
        self.mesh.validate()?;
        for hold in &self.holds {
            hold.path.validate()?;
            if !hold.place.iter().all(|x| x.is_finite()) {
                return Err(Error::NonFinitePosition { frame: 0, vertex: hold.vertex as usize, value: hold.place.into() });
            }
        }
        Ok(())
    }
}

/// Inner edges of a sheet with the vertices across, as [`Hinge`] orders them.
fn hinges_of(faces: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, Error> {
    let seams = Connectivity::of(faces);
    if seams.irregular_edges > 0 {
        let reason = "a sheet whose faces look different ways, or that meet three at an edge; orient them alike, and cut it there";
        return Err(Error::Surface { part: 0, reason });
    }
    let mut hinges = Vec::new();
    for edge in &seams.edges {
        let (first, Some(second)) = edge.faces else { continue };
        let (from, to) = edge.vertices;
        let across = |face: u32| faces[face as usize].iter().copied().find(|&v| v != from && v != to);
        let (Some(left), Some(right)) = (across(first), across(second)) else { continue };
        hinges.push([from, to, left, right]);
    }
    Ok(hinges)
}
