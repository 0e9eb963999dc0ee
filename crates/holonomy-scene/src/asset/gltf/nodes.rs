//! The node tree: who hangs on whom, and where everything is for given local transforms.
//!
//! Source: glTF 2.0 specification, section 3.5 (scenes and nodes): local = T R S, global = global(parent) * local.

use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3, UnitQuaternion, Vector3};

use super::document::{Document, Node};
use super::fault::Fault;

/// The local transform of a node: a matrix as given, or translation, rotation, scale.
#[derive(Debug, Clone)]
pub(super) struct Local {
    /// Given as a matrix and not animated.
    pub matrix: Option<Matrix4<f64>>,
    pub translation: Vector3<f64>,
    pub rotation: UnitQuaternion<f64>,
    pub scale: Vector3<f64>,
}

/// A forest of nodes; one of its parts is shown.
#[derive(Debug)]
pub(super) struct Nodes {
    pub parent: Vec<Option<usize>>,
    /// All nodes, parents before children.
    pub order: Vec<usize>,
    /// Local transforms when nothing is animated.
    pub rest: Vec<Local>,
    /// Root nodes of the default scene.
    pub roots: Vec<usize>,
    /// Whether the node belongs to the default scene.
    pub shown: Vec<bool>,
}

impl Nodes {
    pub fn new(document: &Document) -> Result<Nodes, Fault> {
        let parent = parents(document)?;
        let order = parents_first(document, &parent)?;
        let rest = document.nodes.iter().enumerate().map(|(i, node)| Local::new(i, node)).collect::<Result<Vec<_>, _>>()?;
        let roots = match document.scenes.get(document.scene.unwrap_or(0)) {
            Some(scene) => scene.nodes.clone(),
            None => (0..parent.len()).filter(|&i| parent.get(i) == Some(&None)).collect(),
        };
        check_scenes(document, &parent)?;
        let mut shown = vec![false; parent.len()];
        for &node in &order {
            let by_parent = parent.get(node).copied().flatten().is_some_and(|p| shown.get(p) == Some(&true));
            if let Some(flag) = shown.get_mut(node) {
                *flag = by_parent || roots.contains(&node);
            }
        }
        Ok(Nodes { parent, order, rest, roots, shown })
    }

    /// Global matrix of every node.
    pub fn globals(&self, locals: &[Local]) -> Vec<Matrix4<f64>> {
        let mut globals = vec![Matrix4::identity(); self.parent.len()];
        for &node in &self.order {
            let above = self.parent[node].map_or_else(Matrix4::identity, |parent| globals[parent]);
            globals[node] = above * locals[node].matrix();
        }
        globals
    }

    /// The node and all above it, upwards.
    pub fn path_up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.parent.get(n).copied().flatten())
    }

    /// Whether `node` is `above` or lies below it.
    pub fn is_under(&self, node: usize, above: usize) -> bool {
        self.path_up(node).any(|n| n == above)
    }

    /// The deepest node that has all of these at or below itself.
    pub fn common(&self, nodes: impl IntoIterator<Item = usize>) -> Option<usize> {
        let mut nodes = nodes.into_iter();
        let first = nodes.next()?;
        nodes.try_fold(first, |common, node| self.path_up(common).find(|&above| self.is_under(node, above)))
    }

    /// The joints of a skin that hang on no other joint of it.
    pub fn joint_roots(&self, joints: &[usize]) -> Vec<usize> {
        let mut is_joint = vec![false; self.parent.len()];
        joints.iter().for_each(|&joint| is_joint[joint] = true);
        let mut roots: Vec<usize> = joints.iter().copied().filter(|&joint| !self.path_up(joint).skip(1).any(|n| is_joint[n])).collect();
        roots.dedup();
        roots
    }
}

impl Local {
    fn new(i: usize, node: &Node) -> Result<Local, Fault> {
        let place = || format!("nodes[{i}]");
        if let Some(m) = node.matrix {
            let matrix = Matrix4::from_column_slice(&m);
            if !m.iter().all(|x| x.is_finite()) || (matrix.row(3) - Matrix4::identity().row(3)).amax() > 1e-6 {
                return Err(Fault::new(place(), "matrix is not an affine transform (its last row must be 0 0 0 1)"));
            }
            return Ok(Local::from_matrix(matrix));
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-6)
            .ok_or_else(|| Fault::new(place(), format!("rotation {:?} has no direction", [x, y, z, w])))?;
        let scale = Vector3::from(node.scale.unwrap_or([1.0; 3]));
        Ok(Local { matrix: None, translation: Vector3::from(node.translation.unwrap_or([0.0; 3])), rotation, scale })
    }

    /// Keeps the matrix, and has its parts ready in case one of them is animated.
    fn from_matrix(matrix: Matrix4<f64>) -> Local {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let mirror = if linear.determinant() < 0.0 { -1.0 } else { 1.0 };
        let scale = Vector3::new(mirror * linear.column(0).norm(), linear.column(1).norm(), linear.column(2).norm());
        let rotation = rotation_of(&linear);
        Local { matrix: Some(matrix), translation: matrix.fixed_view::<3, 1>(0, 3).into_owned(), rotation, scale }
    }

    /// Whether it scales differently along its axes.
    pub fn is_uneven(&self) -> bool {
        let size = self.scale.abs();
        size.max() > 1.001 * size.min()
    }

    pub fn matrix(&self) -> Matrix4<f64> {
        self.matrix.unwrap_or_else(|| {
            let linear = self.rotation.to_rotation_matrix().into_inner() * Matrix3::from_diagonal(&self.scale);
            affine(&linear, &self.translation)
        })
    }
}

/// x ↦ linear x + translation, as a 4×4 matrix.
pub(super) fn affine(linear: &Matrix3<f64>, translation: &Vector3<f64>) -> Matrix4<f64> {
    let mut matrix = linear.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(translation);
    matrix
}

/// The rotation nearest to a linear map (its polar factor); of a mirroring map, that of its negative.
pub(super) fn rotation_of(linear: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let sign = if linear.determinant() < 0.0 { -1.0 } else { 1.0 };
    nearest_rotation(&(linear * sign)).unwrap_or_default()
}

/// The proper rotation R that maximises trace(Rᵀ M); `None` if M is zero or not finite.
pub(super) fn nearest_rotation(matrix: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let scale = matrix.amax();
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let svd = (matrix / scale).try_svd(true, true, f64::EPSILON, 200)?;
    let (mut u, v) = (svd.u?, svd.v_t?);
    if (u * v).determinant() < 0.0 {
        u.column_mut(2).neg_mut(); // the smallest singular value is the last
    }
    Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(u * v)))
}

fn parents(document: &Document) -> Result<Vec<Option<usize>>, Fault> {
    let count = document.nodes.len();
    let mut parent = vec![None; count];
    for (i, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            let place = || format!("nodes[{i}].children");
            match parent.get_mut(child) {
                None => return Err(Fault::new(place(), format!("{child}, but there are only {count} nodes"))),
                Some(Some(other)) => return Err(Fault::new(place(), format!("node {child} already is a child of node {other}"))),
                Some(slot) => *slot = Some(i),
            }
        }
    }
    Ok(parent)
}

/// Parents before children; fails if some node is its own ancestor.
fn parents_first(document: &Document, parent: &[Option<usize>]) -> Result<Vec<usize>, Fault> {
    let mut order: Vec<usize> = (0..parent.len()).filter(|&i| parent[i].is_none()).collect();
    let mut at = 0;
    while at < order.len() {
        order.extend(&document.nodes[order[at]].children);
        at += 1;
    }
    if order.len() < parent.len() {
        let mut reached = vec![false; parent.len()];
        order.iter().for_each(|&i| reached[i] = true);
        let lost = reached.iter().position(|&r| !r).unwrap_or(0);
        return Err(Fault::new(format!("nodes[{lost}]"), "it is its own ancestor (a cycle of children)"));
    }
    Ok(order)
}

fn check_scenes(document: &Document, parent: &[Option<usize>]) -> Result<(), Fault> {
    for (i, scene) in document.scenes.iter().enumerate() {
        let mut seen = vec![false; parent.len()];
        for &node in &scene.nodes {
            let problem = match parent.get(node) {
                None => format!("node {node}, but there are only {} nodes", parent.len()),
                Some(Some(above)) => format!("node {node} is no root, but a child of node {above}"),
                Some(None) if seen[node] => format!("node {node} is listed twice"),
                Some(None) => {
                    seen[node] = true;
                    continue;
                }
            };
            return Err(Fault::new(format!("scenes[{i}].nodes"), problem));
        }
    }
    Ok(())
}
