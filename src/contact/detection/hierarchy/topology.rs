//! The shape of a tree in post-order, without its spheres.

use super::DepthStatistics;

/// Leaves refitted or fitted by one task: few enough that its vertices stay in the second-level cache between loops
/// over leaves and over inner vertices.
const LEAVES_PER_TASK: u32 = 1024;

/// Marks the parent of the root.
const NONE: u32 = u32::MAX;

/// Which vertex is whose child; vertices in post-order.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Left child of an inner vertex, face of a leaf.
    link: Vec<u32>,
    parent: Vec<u32>,
    num_leaves_below: Vec<u32>,
    leaf_vertices: Vec<u32>,
    inner_vertices: Vec<u32>,
}

/// A subtree: its vertices, leaves and inner vertices are contiguous in post-order.
#[derive(Clone, Copy, Debug)]
pub struct Subtree {
    /// Its root.
    pub root: u32,
    /// Number of its leaves.
    pub num_leaves: u32,
    /// Its first leaf, counted among the leaves of the tree.
    pub first_leaf: u32,
}

impl Subtree {
    /// Number of its vertices.
    pub fn num_vertices(self) -> usize {
        2 * self.num_leaves as usize - 1
    }

    /// Its first vertex.
    pub fn first_vertex(self) -> u32 {
        self.root + 2 - 2 * self.num_leaves
    }

    /// Its leaves, counted among those of the tree.
    pub fn leaves(self) -> std::ops::Range<usize> {
        self.first_leaf as usize..(self.first_leaf + self.num_leaves) as usize
    }

    /// Its inner vertices, counted among those of the tree.
    pub fn inner(self) -> std::ops::Range<usize> {
        let first = (self.first_vertex() - self.first_leaf) as usize;
        first..first + self.num_leaves as usize - 1
    }
}

impl Topology {
    /// Tree that `merges` describes: leaf i is the face `faces[i]`, the k-th merge joins two earlier clusters
    /// (leaves, or n + the number of a merge) into cluster n + k; the last one is the root.
    pub fn new(faces: &[u32], merges: &[[u32; 2]]) -> Self {
        let n = faces.len();
        let num_vertices = n + merges.len();
        let mut sizes = vec![1_u32; num_vertices];
        for (k, &[left, right]) in merges.iter().enumerate() {
            sizes[n + k] = sizes[left as usize] + sizes[right as usize];
        }
        let mut tree = Self {
            link: vec![0; num_vertices],
            parent: vec![NONE; num_vertices],
            num_leaves_below: vec![1; num_vertices],
            leaf_vertices: Vec::with_capacity(n),
            inner_vertices: Vec::with_capacity(merges.len()),
        };
        let mut vertex_of = vec![num_vertices as u32 - 1; num_vertices];
        for (k, &[left, right]) in merges.iter().enumerate().rev() {
            let v = vertex_of[n + k];
            let children = [v - 2 * sizes[right as usize], v - 1];
            tree.link[v as usize] = children[0];
            tree.num_leaves_below[v as usize] = sizes[n + k];
            for (cluster, child) in [left, right].into_iter().zip(children) {
                vertex_of[cluster as usize] = child;
                tree.parent[child as usize] = v;
            }
        }
        for (&v, &face) in vertex_of.iter().zip(faces) {
            tree.link[v as usize] = face;
        }
        for v in 0..num_vertices as u32 {
            let list = if tree.is_leaf(v) { &mut tree.leaf_vertices } else { &mut tree.inner_vertices };
            list.push(v);
        }
        tree.order_tasks_by_height();
        tree
    }

    /// Within each task, inner vertices of equal height come one after the other: they do not wait for each
    /// other's results. Children stay before their parents.
    fn order_tasks_by_height(&mut self) {
        let mut height = vec![0_u32; self.num_vertices()];
        for &v in &self.inner_vertices {
            height[v as usize] = 1 + height[self.link(v) as usize].max(height[v as usize - 1]);
        }
        let mut inner_vertices = std::mem::take(&mut self.inner_vertices);
        let mut pending = vec![(self.whole(), self.num_splits())];
        while let Some((subtree, splits)) = pending.pop() {
            match self.split(subtree, splits) {
                Some(halves) => pending.extend(halves.map(|half| (half, splits - 1))),
                None => inner_vertices[subtree.inner()].sort_by_key(|&v| height[v as usize]),
            }
        }
        self.inner_vertices = inner_vertices;
    }

    /// How often a tree may be split into tasks from the root down; twice what a balanced tree needs.
    pub fn num_splits(&self) -> u32 {
        2 * (self.leaf_vertices.len() as u32).max(1).ilog2()
    }

    /// The halves of a subtree that is more than one task; `None` if it is one.
    pub fn split(&self, subtree: Subtree, splits: u32) -> Option<[Subtree; 2]> {
        (subtree.num_leaves > LEAVES_PER_TASK && splits > 0).then(|| self.halves(subtree))
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.link.len()
    }

    /// Left child of an inner vertex, face of a leaf.
    #[inline]
    pub fn link(&self, v: u32) -> u32 {
        self.link[v as usize]
    }

    /// Whether the vertex is a leaf.
    #[inline]
    pub fn is_leaf(&self, v: u32) -> bool {
        self.num_leaves_below[v as usize] == 1
    }

    /// Parent of a vertex; `None` for the root.
    pub fn parent(&self, v: u32) -> Option<u32> {
        Some(self.parent[v as usize]).filter(|&parent| parent != NONE)
    }

    /// Number of leaves below a vertex.
    #[inline]
    pub fn num_leaves_below(&self, v: u32) -> u32 {
        self.num_leaves_below[v as usize]
    }

    /// Vertices of the leaves, in post-order.
    pub fn leaf_vertices(&self) -> &[u32] {
        &self.leaf_vertices
    }

    /// Inner vertices: post-order, but within each task by height. Children come before their parents.
    pub fn inner_vertices(&self) -> &[u32] {
        &self.inner_vertices
    }

    /// The whole tree.
    pub fn whole(&self) -> Subtree {
        let root = self.num_vertices() as u32 - 1;
        Subtree { root, num_leaves: self.num_leaves_below(root), first_leaf: 0 }
    }

    /// The subtrees below the root of a subtree that is no leaf.
    fn halves(&self, whole: Subtree) -> [Subtree; 2] {
        let roots = [self.link(whole.root), whole.root - 1];
        let [left, right] = roots.map(|root| self.num_leaves_below(root));
        [
            Subtree { root: roots[0], num_leaves: left, first_leaf: whole.first_leaf },
            Subtree { root: roots[1], num_leaves: right, first_leaf: whole.first_leaf + left },
        ]
    }

    /// Depths of the leaves.
    pub fn leaf_depths(&self) -> DepthStatistics {
        let mut depth = vec![0_u32; self.num_vertices()];
        for v in (0..self.num_vertices() as u32 - 1).rev() {
            depth[v as usize] = self.parent(v).map_or(0, |parent| depth[parent as usize] + 1);
        }
        let leaf_depth = || self.leaf_vertices.iter().map(|&v| depth[v as usize]);
        let total: f64 = leaf_depth().map(f64::from).sum();
        DepthStatistics {
            min: leaf_depth().min().unwrap_or(0),
            mean: total / self.leaf_vertices.len() as f64,
            max: leaf_depth().max().unwrap_or(0),
        }
    }
}
