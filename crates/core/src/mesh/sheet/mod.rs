//! Surface meshes: consistent orientation, and faces without area.

use rayon::slice::ParallelSliceMut;

use super::{Faces, Mesh, MeshError, TagList};
use crate::math::Vec3;

/// A face counts as a face without area if all its nodes lie near the line through its two most distant nodes: within
/// `FLAT` times the distance of these two nodes, plus the rounding error of a coordinate. If they lie within `FLAT`
/// times this distance, fewer than four digits of the normal are accurate.
const FLAT: f64 = 1e-12;

/// Rounding error of a coordinate after reading, scaling, rotation and translation, relative to the largest magnitude
/// of a coordinate of the face.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// An edge of a surface cell: the two corner nodes in ascending order, the index of the cell among the surface cells,
/// and whether the cell traverses the edge in ascending order.
type OrientedEdge = ([u32; 2], u32, bool);

/// Connected parts of a surface, as disjoint sets of cells.
struct Parts {
    /// Parent of each cell in its set. The first cell of a part is its own parent.
    parent: Vec<u32>,
    /// Whether a cell and its parent have opposite orientations.
    turned: Vec<bool>,
}

impl Mesh {
    /// The surface mesh with consistent orientation in each connected part, and the Gmsh tags of the reversed cells,
    /// ascending.
    ///
    /// Cells with consistent orientation traverse a common edge in opposite directions. Two kinds of edges do not
    /// connect cells: an edge of more than two cells, and an edge of two cells that share all corners. Each part takes
    /// the orientation of the majority of its cells. Without a majority, the cell with the lowest tag decides.
    ///
    /// # Example
    /// ```
    /// # use ictus_core::mesh::{CellBlock, CellKind, Mesh};
    /// # let corners = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let block = CellBlock { kind: CellKind::Tri3, connectivity: vec![0, 1, 2, 0, 3, 2], tags: vec![1, 2] };
    /// # let mesh = Mesh { nodes: corners.map(Into::into).to_vec(), node_tags: vec![1, 2, 3, 4], blocks: vec![block], groups: vec![] };
    /// let (mesh, turned) = mesh.oriented()?;
    /// assert_eq!(turned, [2]);
    /// assert_eq!(mesh.blocks[0].cell(1), [0, 2, 3]);
    /// # Ok::<(), ictus_core::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::NoCells`] for a mesh without cells, [`MeshError::NoFaces`] if the highest dimension of the cells is
    /// not two, [`MeshError::OneSided`] if a part is not orientable, and the errors of [`Mesh::validate`].
    pub fn oriented(mut self) -> Result<(Self, Vec<u64>), MeshError> {
        self.require_shell()?;
        let cells: Vec<(u32, u32)> = self.surface_cells().collect();
        let mut sides: Vec<OrientedEdge> =
            (0..).zip(&cells).flat_map(|(i, &cell)| self.oriented_edges(i, cell)).collect();
        sides.par_sort_unstable();
        let mut parts = Parts::new(cells.len());
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            let &[(nodes, a, forward), (_, b, other)] = same else { continue };
            let both = [a, b].map(|i| cells[i as usize]);
            if !self.have_same_corners(both) && !parts.join(a, b, forward == other) {
                return Err(MeshError::OneSided {
                    cells: TagList(both.map(|cell| self.cell_tag(cell)).to_vec()),
                    nodes: TagList(nodes.map(|node| self.node_tags[node as usize]).to_vec()),
                });
            }
        }
        let tags: Vec<u64> = cells.iter().map(|&cell| self.cell_tag(cell)).collect();
        let turned = parts.minority(&tags);
        for &i in &turned {
            let (block, cell) = cells[i];
            self.blocks[block as usize].reverse(cell as usize);
        }
        let mut turned: Vec<u64> = turned.into_iter().map(|i| tags[i]).collect();
        turned.sort_unstable();
        Ok((self, turned))
    }

    /// The faces with area, and the Gmsh tags of the cells that own a face without area. The nodes of a face without
    /// area are collinear up to rounding. Edges of plane cells count as faces with area.
    pub fn with_area(&self, faces: &Faces) -> (Faces, TagList) {
        let (mut kept, mut without) = (Faces::new(), Vec::new());
        for (face, (kind, nodes)) in faces.iter().enumerate() {
            let owner = faces.owner(face);
            if kind.dimension() == 2 && self.are_on_a_line(nodes) {
                without.push(self.cell_tag((owner.block, owner.cell)));
            } else {
                kept.push(kind, nodes.iter().copied(), owner);
            }
        }
        without.sort_unstable();
        without.dedup();
        (kept, TagList(without))
    }

    /// Cells of dimension 2 as (block, cell within the block).
    pub(super) fn surface_cells(&self) -> impl Iterator<Item = (u32, u32)> {
        self.blocks_of_dimension(2)
            .flat_map(|(block, cells)| (0..cells.len()).map(move |cell| (block as u32, cell as u32)))
    }

    fn cell_tag(&self, (block, cell): (u32, u32)) -> u64 {
        self.blocks[block as usize].tags[cell as usize]
    }

    /// Corner nodes of a surface cell, in cyclic order.
    fn corners(&self, cell: (u32, u32)) -> &[u32] {
        let corners = self.blocks[cell.0 as usize].kind.corners().len();
        &self.cell_nodes(cell)[..corners]
    }

    fn oriented_edges(&self, i: u32, cell: (u32, u32)) -> impl Iterator<Item = OrientedEdge> {
        let corners = self.corners(cell);
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(move |(&a, &b)| ([a.min(b), a.max(b)], i, a < b))
    }

    fn have_same_corners(&self, cells: [(u32, u32); 2]) -> bool {
        let [a, b] = cells.map(|cell| self.corners(cell));
        a.len() == b.len() && a.iter().all(|node| b.contains(node))
    }

    fn are_on_a_line(&self, nodes: &[u32]) -> bool {
        let points: Vec<Vec3> = nodes.iter().map(|&node| self.nodes[node as usize]).collect();
        let ends = points.iter().flat_map(|a| points.iter().map(move |b| (*a, b - a)));
        let longest = ends.max_by(|a, b| a.1.norm_squared().total_cmp(&b.1.norm_squared()));
        let Some((from, along)) = longest else { return true };
        let largest = points.iter().map(|point| point.amax()).fold(0.0, f64::max);
        let length = along.norm();
        let height = |point: &Vec3| along.cross(&(point - from)).norm() / length;
        // If all nodes coincide, the height is 0/0 = NaN, and the nodes count as collinear.
        !points.iter().any(|point| height(point) > FLAT * length + ROUNDING * largest)
    }
}

impl Parts {
    fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), turned: vec![false; count] }
    }

    /// The first cell of the part of `cell`, and whether `cell` and this first cell have opposite orientations.
    fn find(&mut self, cell: u32) -> (u32, bool) {
        let (mut root, mut turned) = (cell, false);
        while self.parent[root as usize] != root {
            turned ^= self.turned[root as usize];
            root = self.parent[root as usize];
        }
        let (mut at, mut left) = (cell, turned);
        while self.parent[at as usize] != root && at != root {
            let (next, own) = (self.parent[at as usize], self.turned[at as usize]);
            (self.parent[at as usize], self.turned[at as usize]) = (root, left);
            (at, left) = (next, left ^ own);
        }
        (root, turned)
    }

    /// Joins the parts of the cells `a` and `b`. `differ`: whether `a` and `b` have opposite orientations. Returns
    /// `false` if both cells already belong to one part in which their relative orientation contradicts `differ`.
    fn join(&mut self, a: u32, b: u32, differ: bool) -> bool {
        let ((root_a, turned_a), (root_b, turned_b)) = (self.find(a), self.find(b));
        let turned = turned_a ^ turned_b ^ differ;
        if root_a == root_b {
            return !turned;
        }
        let (first, second) = (root_a.min(root_b), root_a.max(root_b));
        (self.parent[second as usize], self.turned[second as usize]) = (first, turned);
        true
    }

    /// Cells to reverse: in each part, the minority. Without a minority, the cell with the lowest tag is not reversed.
    fn minority(&mut self, tags: &[u64]) -> Vec<usize> {
        let found: Vec<(u32, bool)> = (0..tags.len() as u32).map(|cell| self.find(cell)).collect();
        let mut counts = vec![[0_usize; 2]; tags.len()];
        let mut lowest = vec![(u64::MAX, false); tags.len()];
        for (&(root, turned), &tag) in found.iter().zip(tags) {
            counts[root as usize][usize::from(turned)] += 1;
            lowest[root as usize] = lowest[root as usize].min((tag, turned));
        }
        let stays = |root: u32| {
            let [as_first, turned] = counts[root as usize];
            if as_first == turned { lowest[root as usize].1 } else { turned > as_first }
        };
        (0..tags.len()).filter(|&i| found[i].1 != stays(found[i].0)).collect()
    }
}

#[cfg(test)]
mod tests;
