//! Outer faces of a mesh, and faces of physical groups.
//!
//! Faces are identified by their corner nodes, in any order: an outer face occurs once among the cells, an interior
//! face twice. The returned faces of a solid always point out, even if a physical surface has the opposite orientation
//! in the file. The faces of a shell have the orientation of the cells.

use rayon::slice::ParallelSliceMut;

use super::{CellKind, FaceOwner, Faces, Group, Mesh, MeshError, TagList};

/// Corner nodes of a face, ascending, padded with `u32::MAX`.
type FaceKey = [u32; 4];

impl Mesh {
    /// Outer faces of the cells of the highest dimension (edges of a plane mesh, faces of a volume mesh), ordered by
    /// owning cell.
    ///
    /// # Example
    /// ```
    /// # use ictus_core::mesh::{CellBlock, CellKind, Mesh};
    /// # let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// # let block = CellBlock { kind: CellKind::Tet4, connectivity: vec![0, 1, 2, 3], tags: vec![1] };
    /// # let mesh = Mesh { nodes: corners.map(Into::into).to_vec(), node_tags: vec![1, 2, 3, 4], blocks: vec![block], groups: vec![] };
    /// let skin = mesh.skin()?;
    /// assert_eq!(skin.len(), 4);
    /// for (kind, nodes) in skin.iter() {
    ///     assert_eq!(kind.num_nodes(), nodes.len());
    /// }
    /// # Ok::<(), ictus_core::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// - [`MeshError::NoCells`], or [`MeshError::NoFaces`] for a mesh of points and segments.
    /// - [`MeshError::NonManifoldFace`] if more than two cells share a face.
    /// - [`MeshError::OverlappingCells`] if two cells lie on the same side of a face.
    /// - [`MeshError::MidSideNodes`] if two cells have different mid-side nodes on their common face.
    /// - The errors of [`Mesh::validate`].
    ///
    /// # Cost
    /// O(n log n) for n faces, on all threads.
    pub fn skin(&self) -> Result<Faces, MeshError> {
        self.validate()?;
        let dimension = self.solid_dimension()?;
        let mut all: Vec<(FaceKey, FaceOwner)> =
            self.face_owners(dimension).map(|owner| (face_key(self.corners_of_face(owner)), owner)).collect();
        all.par_sort_unstable();
        let mut outer = Vec::new();
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            match same {
                [(_, only)] => outer.push(*only),
                [(_, a), (_, b)] if self.opposite(*a, *b) => {
                    if !self.same_nodes(*a, *b) {
                        let (nodes, cells) = self.tags_of_face(same);
                        return Err(MeshError::MidSideNodes { nodes, cells });
                    }
                }
                [a, b] => {
                    let (nodes, cells) = self.tags_of_face(&[*a, *b]);
                    return Err(MeshError::OverlappingCells { nodes, cells });
                }
                more => {
                    let (nodes, cells) = self.tags_of_face(more);
                    return Err(MeshError::NonManifoldFace { nodes, cells });
                }
            }
        }
        outer.sort_unstable();
        Ok(self.faces_of(outer))
    }

    /// The physical groups called `name` as faces of the cells of the highest dimension, oriented outward.
    ///
    /// # Errors
    /// - [`MeshError::MissingGroup`], [`MeshError::EmptyGroup`], or [`MeshError::WrongDimension`] if no group called
    ///   `name` has the dimension of these faces.
    /// - [`MeshError::DanglingFace`], [`MeshError::InteriorFace`] or [`MeshError::RepeatedFace`].
    /// - [`MeshError::NoCells`], or [`MeshError::NoFaces`] for a mesh of points and segments.
    /// - The errors of [`Mesh::validate`].
    pub fn group_faces(&self, name: &str) -> Result<Faces, MeshError> {
        self.validate()?;
        let dimension = self.solid_dimension()? - 1;
        let mut owners = Vec::new();
        for group in self.groups_of_dimension(name, dimension)? {
            owners.extend(self.owners_of_group(group)?);
        }
        owners.sort_unstable();
        owners.dedup();
        Ok(self.faces_of(owners))
    }

    /// All cells of a surface mesh as faces, in the orientation of the cells: the skin of a rigid shell.
    ///
    /// # Errors
    /// [`MeshError::NoCells`], [`MeshError::NoFaces`] if the highest dimension of the cells is not two, and the errors
    /// of [`Mesh::validate`].
    pub fn shell(&self) -> Result<Faces, MeshError> {
        self.require_shell()?;
        Ok(self.cells_as_faces(self.surface_cells()))
    }

    /// The cells of the physical groups called `name` of a surface mesh as faces, in the orientation of the cells.
    ///
    /// # Errors
    /// [`MeshError::NoCells`], [`MeshError::NoFaces`] if the highest dimension of the cells is not two,
    /// [`MeshError::MissingGroup`], [`MeshError::EmptyGroup`], [`MeshError::WrongDimension`], and the errors of
    /// [`Mesh::validate`].
    pub fn group_shell(&self, name: &str) -> Result<Faces, MeshError> {
        self.require_shell()?;
        let mut cells: Vec<(u32, u32)> =
            self.groups_of_dimension(name, 2)?.iter().flat_map(|group| group.cells.iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        Ok(self.cells_as_faces(cells.into_iter()))
    }

    /// For each of `cells`, the faces of cells of the highest dimension with the same corners: one if the cell lies on
    /// the skin, two if it lies inside the solid, otherwise none. The dimension of `cells` is one lower.
    pub(super) fn match_faces(&self, cells: &[(u32, u32)]) -> Vec<[Option<FaceOwner>; 2]> {
        let mut keys: Vec<(FaceKey, u32)> =
            cells.iter().zip(0..).map(|(&cell, i)| (face_key(self.corners_of_cell(cell)), i)).collect();
        keys.par_sort_unstable();
        let mut marked = vec![false; self.nodes.len()];
        for node in cells.iter().flat_map(|&cell| self.cell_nodes(cell)) {
            marked[*node as usize] = true;
        }
        let mut found = vec![[None; 2]; cells.len()];
        let Some(dimension) = self.dimension() else { return found };
        for owner in self.face_owners(dimension) {
            if !self.corners_of_face(owner).all(|node| marked[node as usize]) {
                continue;
            }
            let key = face_key(self.corners_of_face(owner));
            let first = keys.partition_point(|entry| entry.0 < key);
            for &(_, i) in keys[first..].iter().take_while(|entry| entry.0 == key) {
                if let Some(free) = found[i as usize].iter_mut().find(|side| side.is_none()) {
                    *free = Some(owner);
                }
            }
        }
        found
    }

    fn owners_of_group(&self, group: &Group) -> Result<Vec<FaceOwner>, MeshError> {
        let tag = |(block, cell): (u32, u32)| self.blocks[block as usize].tags[cell as usize];
        let mut owners = Vec::with_capacity(group.cells.len());
        for (&cell, sides) in group.cells.iter().zip(self.match_faces(&group.cells)) {
            match sides {
                [Some(owner), None] => owners.push((owner, tag(cell))),
                [None, _] => {
                    return Err(MeshError::DanglingFace { group: group.name.clone(), cell: tag(cell) });
                }
                [Some(_), Some(_)] => {
                    return Err(MeshError::InteriorFace { group: group.name.clone(), cell: tag(cell) });
                }
            }
        }
        owners.sort_unstable();
        match owners.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(MeshError::RepeatedFace {
                group: group.name.clone(),
                cells: TagList(vec![pair[0].1, pair[1].1]),
            }),
            None => Ok(owners.into_iter().map(|owner| owner.0).collect()),
        }
    }

    fn solid_dimension(&self) -> Result<usize, MeshError> {
        match self.dimension().ok_or(MeshError::NoCells)? {
            given @ (0 | 1) => Err(MeshError::NoFaces { given, wanted: "2 or 3" }),
            dimension => Ok(dimension),
        }
    }

    pub(super) fn require_shell(&self) -> Result<(), MeshError> {
        self.validate()?;
        match self.dimension().ok_or(MeshError::NoCells)? {
            2 => Ok(()),
            given => Err(MeshError::NoFaces { given, wanted: "2, a shell," }),
        }
    }

    fn face_owners(&self, dimension: usize) -> impl Iterator<Item = FaceOwner> {
        self.blocks_of_dimension(dimension).flat_map(|(block, cells)| {
            let faces = cells.kind.faces().len() as u8;
            (0..cells.len() as u32).flat_map(move |cell| {
                (0..faces).map(move |face| FaceOwner { block: block as u32, cell, face: Some(face) })
            })
        })
    }

    /// Kind and nodes of a face, oriented outward. For a shell, kind and nodes of the cell itself.
    fn face_of(&self, owner: FaceOwner) -> (CellKind, impl Iterator<Item = u32> + Clone) {
        let block = &self.blocks[owner.block as usize];
        let cell = block.cell(owner.cell as usize);
        let face = owner.face.map(|face| block.kind.faces()[face as usize]);
        let kind = face.map_or(block.kind, |face| face.kind);
        let local = move |i: usize| face.map_or(i, |face| face.nodes[i] as usize);
        (kind, (0..kind.num_nodes()).map(move |i| cell[local(i)]))
    }

    fn corners_of_face(&self, owner: FaceOwner) -> impl Iterator<Item = u32> + Clone {
        let (kind, nodes) = self.face_of(owner);
        nodes.take(kind.corners().len())
    }

    fn corners_of_cell(&self, cell: (u32, u32)) -> impl Iterator<Item = u32> + Clone {
        self.corners_of_face(FaceOwner { block: cell.0, cell: cell.1, face: None })
    }

    /// Whether two faces with the same corners have opposite orientations.
    fn opposite(&self, a: FaceOwner, b: FaceOwner) -> bool {
        let a: Vec<u32> = self.corners_of_face(a).collect();
        let b: Vec<u32> = self.corners_of_face(b).collect();
        match b.iter().position(|&node| node == a[0]) {
            Some(at) if b.len() == 2 => at == 1,
            Some(at) => b[(at + 1) % b.len()] != a[1],
            None => false,
        }
    }

    /// Whether two faces with the same corners also have the same mid-side and centre nodes.
    fn same_nodes(&self, a: FaceOwner, b: FaceOwner) -> bool {
        let others = |face: FaceOwner| {
            let (kind, nodes) = self.face_of(face);
            let mut nodes: Vec<u32> = nodes.skip(kind.corners().len()).collect();
            nodes.sort_unstable();
            nodes
        };
        others(a) == others(b)
    }

    fn tags_of_face(&self, same: &[(FaceKey, FaceOwner)]) -> (TagList, TagList) {
        let node_tag = |&node: &u32| self.node_tags.get(node as usize).copied();
        let cell_tag =
            |(_, owner): &(FaceKey, FaceOwner)| self.blocks[owner.block as usize].tags[owner.cell as usize];
        let nodes = same.first().map(|(key, _)| key.iter().filter_map(node_tag).collect());
        (TagList(nodes.unwrap_or_default()), TagList(same.iter().map(cell_tag).collect()))
    }

    fn faces_of(&self, owners: Vec<FaceOwner>) -> Faces {
        let mut faces = Faces::new();
        for owner in owners {
            let (kind, nodes) = self.face_of(owner);
            faces.push(kind, nodes, owner);
        }
        faces
    }

    fn cells_as_faces(&self, cells: impl Iterator<Item = (u32, u32)>) -> Faces {
        self.faces_of(cells.map(|(block, cell)| FaceOwner { block, cell, face: None }).collect())
    }
}

fn face_key(corners: impl Iterator<Item = u32>) -> FaceKey {
    let mut key = [u32::MAX; 4];
    for (place, node) in key.iter_mut().zip(corners) {
        *place = node;
    }
    key.sort_unstable();
    key
}
