//! The text of an OBJ file: vertex positions and faces, all objects and groups as one mesh with the file's own vertex numbers.
//!
//! Own code because a sequence needs what readers for drawing throw away: vertices stay shared across objects and groups (else a closed
//! surface falls apart), keep their order, and have all their digits; and errors name the line. Texture coordinates, normals, materials,
//! lines and points are passed over. Polygons become fans of triangles.

use std::path::Path;

use holonomy::nalgebra::Vector3;

use crate::{Error, memory};

/// One frame of a mesh, in file units and axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Mesh {
    pub vertices: Vec<Vector3<f64>>,
    /// Vertex numbers from 0; no triangle names a vertex twice.
    pub faces: Vec<[u32; 3]>,
    /// Triangles left out because they named a vertex twice.
    pub collapsed: usize,
    /// Faces with a corner more than once, and the line of the first of them.
    pub repeating: usize,
    pub first_repeating: usize,
}

/// Reads a whole text. `path` is for messages only.
pub(super) fn parse(text: &str, path: &Path) -> Result<Mesh, Error> {
    let (vertices, triangles) = counted(text);
    let bytes = (vertices as u64).saturating_mul(24).saturating_add((triangles as u64).saturating_mul(12));
    memory::ensure(bytes, || format!("{}: {vertices} vertices", path.display()), "give a coarser mesh")?;
    let mut mesh = Mesh { vertices: Vec::with_capacity(vertices), faces: Vec::with_capacity(triangles), ..Mesh::default() };
    let mut corners = Vec::new();
    // A face may name vertices that come later in the file, so the largest number is checked at the end.
    let mut largest = (0, 0);
    let mut joined = String::new();
    for (number, line) in text.lines().enumerate() {
        // A backslash at the end of a line joins it to the next.
        if let Some(part) = line.trim_end().strip_suffix('\\') {
            joined.push_str(part);
            joined.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut joined);
        let line = if whole.is_empty() { line } else { &(whole + line) };
        let mut words = line.split_whitespace();
        let malformed = |(problem, fix): (String, &str)| Error::malformed(path, format!("line {}", number + 1), problem, fix);
        match words.next() {
            Some("v") => mesh.vertices.push(position(words).map_err(malformed)?),
            Some("f") => {
                corners.clear();
                for word in words {
                    let corner = vertex_number(word, mesh.vertices.len()).map_err(malformed)?;
                    largest = largest.max((corner, number + 1));
                    corners.push(corner);
                }
                add_fan(&mut mesh, &corners).map_err(malformed)?;
                corners.sort_unstable();
                if corners.windows(2).any(|pair| pair[0] == pair[1]) {
                    mesh.repeating += 1;
                    mesh.first_repeating = if mesh.repeating == 1 { number + 1 } else { mesh.first_repeating };
                }
            }
            _ => {}
        }
    }
    check(&mesh, largest, path)?;
    Ok(mesh)
}

/// Lines that may be vertices, and at most how many triangles all faces have.
fn counted(text: &str) -> (usize, usize) {
    let (mut vertices, mut triangles, mut face) = (0, 0, false);
    for line in text.lines() {
        let line = line.trim_start();
        vertices += usize::from(line.starts_with("v ") || line.starts_with("v\t") || line.ends_with('\\'));
        if face || line.starts_with('f') {
            triangles += line.split_whitespace().count().saturating_sub(if face { 0 } else { 3 });
        }
        face = (face || line.starts_with('f')) && line.trim_end().ends_with('\\');
    }
    (vertices, triangles)
}

type Problem = (String, &'static str);

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vector3<f64>, Problem> {
    let mut vertex = Vector3::zeros();
    for axis in 0..3 {
        let word = words.next().unwrap_or("");
        vertex[axis] = word
            .parse::<f64>()
            .ok()
            .filter(|x| x.is_finite())
            .ok_or_else(|| (format!("vertex coordinate `{}` is not a finite number", shorten(word)), "write `v x y z`"))?;
    }
    Ok(vertex)
}

/// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`, from 0. Numbers start at 1; negative ones count back from the last vertex so far.
fn vertex_number(word: &str, so_far: usize) -> Result<u32, Problem> {
    let first = word.split('/').next().unwrap_or("");
    let number = match first.parse::<i64>() {
        Ok(n) if n > 0 => u32::try_from(n - 1).ok(),
        Ok(n) if n < 0 => i64::try_from(so_far).ok().and_then(|count| u32::try_from(count.checked_add(n)?).ok()),
        _ => None,
    };
    number.filter(|&n| n < u32::MAX).ok_or_else(|| {
        (
            format!("face corner `{}` names no vertex; {so_far} are known here", shorten(word)),
            "corners are vertex numbers from 1, as in `f 1 2 3` or `f 1/1 2/2 3/3`",
        )
    })
}

fn add_fan(mesh: &mut Mesh, corners: &[u32]) -> Result<(), Problem> {
    let [first, rest @ ..] = corners else {
        return Err(("a face without corners".into(), "a face has at least three corners"));
    };
    if rest.len() < 2 {
        return Err((format!("a face with {} corners", corners.len()), "a face has at least three corners"));
    }
    for pair in rest.windows(2) {
        let face = [*first, pair[0], pair[1]];
        match face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
            true => mesh.collapsed += 1,
            false => mesh.faces.push(face),
        }
    }
    Ok(())
}

fn check(mesh: &Mesh, largest: (u32, usize), path: &Path) -> Result<(), Error> {
    let count = mesh.vertices.len();
    if mesh.faces.is_empty() {
        let problem = format!("{count} vertices and no faces");
        return Err(Error::malformed(path, "the whole file", problem, "export a mesh: lines `v x y z` and `f 1 2 3`"));
    }
    if largest.0 as usize >= count {
        let problem = format!("a face names vertex {}, but there are only {count} vertices", u64::from(largest.0) + 1);
        return Err(Error::malformed(path, format!("line {}", largest.1), problem, "export the mesh again; the file may be cut off"));
    }
    Ok(())
}

/// At most 40 characters of something found in the file.
fn shorten(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_string(),
    }
}
