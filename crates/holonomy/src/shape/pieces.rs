//! A surface taken apart into connected pieces, each closed or a sheet, with all faces of a piece running the same way round and closed pieces
//! looking outwards.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::Note;
use super::inertia::NO_THICKNESS;
use super::surface::face_area_vector;
use crate::Error;

/// What a piece is to the fluid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Fluid outside.
    Closed,
    /// Closed, but without thickness: two layers that lie on each other.
    Flat,
    /// Fluid on both sides.
    Sheet,
    /// No fluid.
    Cavity,
}

/// An edge between two faces of one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hinge {
    /// Vertices, in the order in which the first face runs.
    pub ends: [u32; 2],
    /// The faces on either side.
    pub faces: [u32; 2],
}

/// An edge where a piece ends: it has one face, or more than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Border {
    /// Its vertices.
    pub ends: [u32; 2],
    /// The face that ends there.
    pub face: u32,
    /// Whether other pieces begin here.
    pub branching: bool,
}

/// The surface, sorted out.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// Faces, in the order given; turned where needed.
    pub faces: Vec<[u32; 3]>,
    /// Piece of each face.
    pub piece_of_face: Vec<u32>,
    /// What each piece is.
    pub kinds: Vec<Kind>,
    /// Edges between faces of closed pieces.
    pub hinges: Vec<Hinge>,
    /// Edges of sheets.
    pub borders: Vec<Border>,
}

/// One side of a face, with its vertices sorted.
struct Side {
    edge: [u32; 2],
    face: u32,
    /// Whether the face runs from the lower to the higher vertex.
    forward: bool,
}

impl Pieces {
    /// Sorts out `faces`, looking at `points` for which way is out; and what had to be decided or mended.
    ///
    /// # Errors
    /// There are no faces, a face names a vertex that is not there, or a position is not finite.
    pub fn of(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<(Pieces, Vec<Note>), Error> {
        check(points, faces)?;
        let mut notes = Vec::new();
        let (mut hinges, opposed, mut borders) = edges(faces, &mut notes);
        let (piece_of_face, turned, one_sided) = connect(faces.len(), &hinges, &opposed);
        let pieces = piece_of_face.iter().max().map_or(0, |&last| last as usize + 1);
        let mut kinds = vec![Kind::Closed; pieces];
        let mut rims = vec![0; pieces];
        borders.iter().filter(|border| !border.branching).for_each(|border| rims[piece_of_face[border.face as usize] as usize] += 1);
        for part in 0..pieces {
            if rims[part] > 0 {
                notes.push(Note::Sheet { part, rim_edges: rims[part] });
            }
            if one_sided.contains(&(part as u32)) {
                notes.push(Note::OneSided { part });
            }
            if rims[part] > 0 || one_sided.contains(&(part as u32)) {
                kinds[part] = Kind::Sheet;
            }
        }
        let mut sorted = Pieces { faces: faces.to_vec(), piece_of_face, kinds, hinges: Vec::new(), borders: Vec::new() };
        let mut turned = turned;
        sorted.turn_outwards(points, &mut turned, &mut notes);
        for hinge in &mut hinges {
            if turned[hinge.faces[0] as usize] {
                hinge.ends.swap(0, 1);
            }
        }
        borders.retain(|border| sorted.kind(border.face) == Kind::Sheet);
        hinges.retain(|hinge| matches!(sorted.kind(hinge.faces[0]), Kind::Closed | Kind::Flat));
        (sorted.hinges, sorted.borders) = (hinges, borders);
        Ok((sorted, notes))
    }

    /// What the piece of a face is.
    #[inline]
    pub fn kind(&self, face: u32) -> Kind {
        self.kinds[self.piece_of_face[face as usize] as usize]
    }

    /// How many sides of a face are in the fluid: 0, 1 or 2.
    pub fn wet_sides(&self, face: u32) -> f64 {
        match self.kind(face) {
            Kind::Closed | Kind::Flat => 1.0,
            Kind::Sheet => 2.0,
            Kind::Cavity => 0.0,
        }
    }

    /// The faces of each piece.
    pub fn by_piece(&self) -> Vec<Vec<[u32; 3]>> {
        let mut groups = vec![Vec::new(); self.kinds.len()];
        self.faces.iter().zip(&self.piece_of_face).for_each(|(face, &part)| groups[part as usize].push(*face));
        groups
    }

    /// Turns the faces marked, then closed pieces that look inwards; marks cavities. `turned` is then what was turned in all.
    fn turn_outwards(&mut self, points: &[Vector3<f64>], turned: &mut [bool], notes: &mut Vec<Note>) {
        self.turn_fewest(turned);
        let count = turned.iter().filter(|turned| **turned).count();
        if count > 0 {
            notes.push(Note::Turned { faces: count });
        }
        self.faces.iter_mut().zip(turned.iter()).filter(|(_, turned)| **turned).for_each(|(face, _)| face.swap(1, 2));
        let volumes = self.volumes(points);
        (0..volumes.len()).filter(|&part| volumes[part] == 0.0).for_each(|part| {
            if self.kinds[part] == Kind::Closed {
                self.kinds[part] = Kind::Flat;
            }
        });
        let inwards: Vec<usize> = (0..volumes.len()).filter(|&part| self.kinds[part] == Kind::Closed && volumes[part] < 0.0).collect();
        for &part in &inwards {
            let inside = self.winding(points, part, &volumes) > 0.5;
            notes.push(if inside { Note::Cavity { part } } else { Note::InsideOut { part } });
            if inside {
                self.kinds[part] = Kind::Cavity;
            }
        }
        for f in 0..self.faces.len() {
            if inwards.contains(&(self.piece_of_face[f] as usize)) {
                self.faces[f].swap(1, 2);
                turned[f] = !turned[f];
            }
        }
    }

    /// Which way a piece runs is free: turn the fewer faces.
    fn turn_fewest(&self, turned: &mut [bool]) {
        let mut balance = vec![0i64; self.kinds.len()];
        turned.iter().zip(&self.piece_of_face).for_each(|(&turned, &part)| balance[part as usize] += if turned { 1 } else { -1 });
        turned.iter_mut().zip(&self.piece_of_face).filter(|(_, part)| balance[**part as usize] > 0).for_each(|(t, _)| *t = !*t);
    }

    /// Signed volume of each piece, m³; zero if it has no thickness.
    pub fn volumes(&self, points: &[Vector3<f64>]) -> Vec<f64> {
        let mut volumes = vec![0.0; self.kinds.len()];
        let mut areas = vec![0.0; self.kinds.len()];
        let mut apexes = vec![None; self.kinds.len()];
        for (face, &part) in self.faces.iter().zip(&self.piece_of_face) {
            let part = part as usize;
            let apex = *apexes[part].get_or_insert(points[face[0] as usize]);
            let [a, b, c] = face.map(|v| points[v as usize] - apex);
            volumes[part] += a.dot(&b.cross(&c)) / 6.0;
            areas[part] += face_area_vector(points, *face).norm();
        }
        let thick = |(volume, area): (f64, f64)| if volume.abs() > NO_THICKNESS * area * area.sqrt() { volume } else { 0.0 };
        volumes.into_iter().zip(areas).map(thick).collect()
    }

    /// How often the closed pieces that look outwards wind around the first vertex of `part`.
    fn winding(&self, points: &[Vector3<f64>], part: usize, volumes: &[f64]) -> f64 {
        let Some(first) = self.piece_of_face.iter().position(|&p| p as usize == part) else { return 0.0 };
        let x = points[self.faces[first][0] as usize];
        let around = |p: usize| p != part && self.kinds[p] == Kind::Closed && volumes[p] > 0.0;
        let faces = self.faces.iter().zip(&self.piece_of_face).filter(|(_, p)| around(**p as usize));
        faces.map(|(face, _)| solid_angle(face.map(|v| points[v as usize] - x))).sum::<f64>() / (4.0 * PI)
    }
}

/// Solid angle of a triangle seen from the origin, positive from behind (Van Oosterom and Strackee 1983).
#[inline]
pub(crate) fn solid_angle([a, b, c]: [Vector3<f64>; 3]) -> f64 {
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * a.dot(&b.cross(&c)).atan2(below)
}

fn check(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<(), Error> {
    if faces.is_empty() {
        return Err(Error::Empty { what: "the list of faces", fix: "a body in a fluid needs a surface; give a triangle mesh" });
    }
    let vertices = points.len();
    for (index, face) in faces.iter().enumerate() {
        if let Some(&vertex) = face.iter().find(|&&v| v as usize >= vertices) {
            return Err(Error::VertexOutOfRange { what: "face", index, vertex: vertex as usize, vertices });
        }
    }
    match points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(Error::NonFinitePosition { frame: 0, vertex, value: points[vertex].into() }),
        None => Ok(()),
    }
}

/// Hinges, whether the two faces of each run the same way along it (and so one must be turned), and borders.
fn edges(faces: &[[u32; 3]], notes: &mut Vec<Note>) -> (Vec<Hinge>, Vec<bool>, Vec<Border>) {
    let side = |a: u32, b: u32, face: usize| Side { edge: [a.min(b), a.max(b)], face: face as u32, forward: a < b };
    let sides_of = |(f, &[a, b, c]): (usize, &[u32; 3])| [side(a, b, f), side(b, c, f), side(c, a, f)];
    let mut sides: Vec<Side> = faces.iter().enumerate().flat_map(sides_of).filter(|side| side.edge[0] != side.edge[1]).collect();
    sides.sort_unstable_by_key(|side| (side.edge, side.face));
    let (mut hinges, mut opposed, mut borders, mut branching) = (Vec::with_capacity(sides.len() / 2), Vec::new(), Vec::new(), 0);
    for edge in sides.chunk_by(|x, y| x.edge == y.edge) {
        if let [one, other] = edge {
            let ends = if one.forward { one.edge } else { [one.edge[1], one.edge[0]] };
            hinges.push(Hinge { ends, faces: [one.face, other.face] });
            opposed.push(one.forward == other.forward);
        } else {
            branching += usize::from(edge.len() > 2);
            borders.extend(edge.iter().map(|side| Border { ends: side.edge, face: side.face, branching: edge.len() > 2 }));
        }
    }
    if branching > 0 {
        notes.push(Note::Branching { edges: branching });
    }
    (hinges, opposed, borders)
}

/// Piece of each face, which faces to turn so that each piece runs one way round, and the pieces that cannot.
fn connect(faces: usize, hinges: &[Hinge], opposed: &[bool]) -> (Vec<u32>, Vec<bool>, Vec<u32>) {
    let mut starts = vec![0u32; faces + 1];
    hinges.iter().flat_map(|hinge| hinge.faces).for_each(|f| starts[f as usize + 1] += 1);
    (0..faces).for_each(|f| starts[f + 1] += starts[f]);
    let mut ends = starts.clone();
    let mut neighbours = vec![(0u32, false); 2 * hinges.len()];
    for (hinge, &opposed) in hinges.iter().zip(opposed) {
        for (f, other) in [(hinge.faces[0], hinge.faces[1]), (hinge.faces[1], hinge.faces[0])] {
            neighbours[ends[f as usize] as usize] = (other, opposed);
            ends[f as usize] += 1;
        }
    }
    let (mut piece, mut turned, mut one_sided, mut pieces) = (vec![u32::MAX; faces], vec![false; faces], Vec::new(), 0);
    let mut open = Vec::new();
    for seed in 0..faces {
        if piece[seed] != u32::MAX {
            continue;
        }
        piece[seed] = pieces;
        open.push(seed);
        while let Some(f) = open.pop() {
            for &(other, opposed) in &neighbours[starts[f] as usize..starts[f + 1] as usize] {
                let other = other as usize;
                if piece[other] == u32::MAX {
                    (piece[other], turned[other]) = (pieces, turned[f] != opposed);
                    open.push(other);
                } else if turned[other] != (turned[f] != opposed) && one_sided.last() != Some(&pieces) {
                    one_sided.push(pieces);
                }
            }
        }
        pieces += 1;
    }
    (piece, turned, one_sided)
}
