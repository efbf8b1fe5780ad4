//! The part of a mesh in given physical groups, and the groups with a given name.

use super::{CellBlock, Group, GroupName, Mesh, MeshError};

const EXCLUDED: u32 = u32::MAX;

impl Mesh {
    /// The part of the mesh in the physical groups `names`: the cells of the highest dimension that occurs in these
    /// groups.
    ///
    /// Names are compared by `Group::is_called`. An empty list selects all cells of the highest dimension of the mesh.
    /// All groups of lower dimension, also those not in `names`, keep only the cells with all nodes in the part. Unused
    /// nodes and empty groups are dropped.
    ///
    /// If the part has the dimension of the mesh, groups one dimension lower keep only cells that are faces of the
    /// part.
    ///
    /// # Errors
    /// [`MeshError::MissingGroup`], [`MeshError::EmptyGroup`], [`MeshError::NoCells`], or the errors of
    /// [`Mesh::validate`].
    pub fn region(&self, names: &[&str]) -> Result<Self, MeshError> {
        self.validate()?;
        let dimension = self.region_dimension(names)?;
        let mut kept: Vec<Vec<bool>> = self.blocks.iter().map(|block| vec![false; block.len()]).collect();
        if names.is_empty() {
            for (block, _) in self.blocks_of_dimension(dimension) {
                kept[block].fill(true);
            }
        }
        for name in names {
            for group in self.groups_called(name)?.iter().filter(|group| group.dimension == dimension) {
                keep(&mut kept, &group.cells);
            }
        }
        let mut inside = vec![false; self.nodes.len()];
        for (block, cells) in self.blocks_of_dimension(dimension) {
            let chosen = cells.cells().zip(&kept[block]).filter(|(_, kept)| **kept);
            chosen.flat_map(|(cell, _)| cell).for_each(|&node| inside[node as usize] = true);
        }
        self.keep_lower_groups(dimension, &inside, &mut kept);
        Ok(self.compacted(&kept, &inside))
    }

    /// Checks that the mesh has volume cells. Surface meshes are valid for plane problems and rigid shells only.
    ///
    /// # Errors
    /// [`MeshError::NoVolumeElements`] or [`MeshError::NoCells`].
    pub fn require_volume(&self) -> Result<(), MeshError> {
        match self.dimension().ok_or(MeshError::NoCells)? {
            3 => Ok(()),
            dimension => Err(MeshError::NoVolumeElements {
                dimension,
                cells: self.num_cells(dimension),
                groups: self.group_names(),
            }),
        }
    }

    /// Nodes of the cells of all physical groups called `name`, ascending.
    ///
    /// # Errors
    /// [`MeshError::MissingGroup`], [`MeshError::EmptyGroup`], or the errors of [`Mesh::validate`].
    pub fn group_nodes(&self, name: &str) -> Result<Vec<u32>, MeshError> {
        self.validate()?;
        let groups = self.groups_called(name)?;
        let mut nodes: Vec<u32> = groups
            .iter()
            .flat_map(|group| &group.cells)
            .flat_map(|&cell| self.cell_nodes(cell))
            .copied()
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    /// The groups called `name`, of any dimension.
    ///
    /// # Errors
    /// [`MeshError::MissingGroup`], or [`MeshError::EmptyGroup`] if no group called `name` has cells.
    pub fn groups_called(&self, name: &str) -> Result<Vec<&Group>, MeshError> {
        let found: Vec<&Group> = self.groups.iter().filter(|group| group.is_called(name)).collect();
        if found.is_empty() {
            return Err(MeshError::MissingGroup {
                name: name.to_owned(),
                nearest: self.nearest_name(name),
                groups: self.group_names(),
            });
        }
        if found.iter().all(|group| group.cells.is_empty()) {
            return Err(MeshError::EmptyGroup { name: name.to_owned(), dimension: found[0].dimension });
        }
        Ok(found)
    }

    /// The groups called `name` of one dimension.
    ///
    /// # Errors
    /// [`MeshError::MissingGroup`], [`MeshError::EmptyGroup`], or [`MeshError::WrongDimension`] if no group called
    /// `name` has this dimension.
    pub fn groups_of_dimension(&self, name: &str, dimension: usize) -> Result<Vec<&Group>, MeshError> {
        let mut found = self.groups_called(name)?;
        let given = found[0].dimension;
        found.retain(|group| group.dimension == dimension);
        if found.is_empty() {
            return Err(MeshError::WrongDimension { name: name.to_owned(), given, wanted: dimension });
        }
        Ok(found)
    }

    fn region_dimension(&self, names: &[&str]) -> Result<usize, MeshError> {
        if names.is_empty() {
            return self.dimension().ok_or(MeshError::NoCells);
        }
        let mut highest = None;
        for name in names {
            let groups = self.groups_called(name)?;
            highest = highest.max(groups.iter().filter(|g| !g.cells.is_empty()).map(|g| g.dimension).max());
        }
        highest.ok_or(MeshError::NoCells)
    }

    fn group_names(&self) -> Vec<GroupName> {
        let name = |group: &Group| GroupName { name: group.name.clone(), dimension: group.dimension };
        self.groups.iter().map(name).collect()
    }

    /// The most similar group name; `None` if more than 1 + n/3 edits separate it from `name`, which has n characters.
    fn nearest_name(&self, name: &str) -> Option<String> {
        self.groups
            .iter()
            .map(|group| (strsim::damerau_levenshtein(name, &group.name), &group.name))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, _)| *distance <= 1 + name.chars().count() / 3)
            .map(|(_, near)| near.clone())
    }

    fn keep_lower_groups(&self, dimension: usize, inside: &[bool], kept: &mut [Vec<bool>]) {
        let all_inside = |cell: &(u32, u32)| self.cell_nodes(*cell).iter().all(|&n| inside[n as usize]);
        for group in self.groups.iter().filter(|group| group.dimension < dimension) {
            let mut cells: Vec<(u32, u32)> = group.cells.iter().copied().filter(all_inside).collect();
            // `match_faces` searches only the faces of cells of the highest dimension in the mesh. It is of use only if
            // the part has this dimension.
            if group.dimension + 1 == dimension && self.dimension() == Some(dimension) {
                let bounds = self.match_faces(&cells);
                let mut bounds = bounds.iter().map(|sides| {
                    sides.iter().flatten().any(|owner| kept[owner.block as usize][owner.cell as usize])
                });
                cells.retain(|_| bounds.next() == Some(true));
            }
            keep(kept, &cells);
        }
    }

    /// The mesh of the cells marked in `kept` and the nodes marked in `inside`.
    fn compacted(&self, kept: &[Vec<bool>], inside: &[bool]) -> Self {
        let node_map = new_numbers(inside);
        let cell_maps: Vec<Vec<u32>> = kept.iter().map(|block| new_numbers(block)).collect();
        let blocks: Vec<CellBlock> =
            self.blocks.iter().zip(kept).map(|(block, kept)| block.kept(kept, &node_map)).collect();
        let block_map = new_numbers(&blocks.iter().map(|block| !block.is_empty()).collect::<Vec<_>>());
        let groups = self.groups.iter().filter_map(|group| {
            let new_cell = |&(block, cell): &(u32, u32)| {
                let new = cell_maps[block as usize][cell as usize];
                (new != EXCLUDED).then_some((block_map[block as usize], new))
            };
            let cells: Vec<(u32, u32)> = group.cells.iter().filter_map(new_cell).collect();
            (!cells.is_empty()).then(|| Group { cells, ..group.clone() })
        });
        Self {
            nodes: chosen(&self.nodes, inside),
            node_tags: chosen(&self.node_tags, inside),
            groups: groups.collect(),
            blocks: blocks.into_iter().filter(|block| !block.is_empty()).collect(),
        }
    }
}

impl CellBlock {
    fn kept(&self, kept: &[bool], node_map: &[u32]) -> Self {
        let cells = self.cells().zip(kept).filter(|(_, kept)| **kept);
        let connectivity = cells.flat_map(|(cell, _)| cell.iter().map(|&node| node_map[node as usize]));
        Self { kind: self.kind, connectivity: connectivity.collect(), tags: chosen(&self.tags, kept) }
    }
}

fn keep(kept: &mut [Vec<bool>], cells: &[(u32, u32)]) {
    for &(block, cell) in cells {
        kept[block as usize][cell as usize] = true;
    }
}

fn chosen<T: Copy>(values: &[T], chosen: &[bool]) -> Vec<T> {
    values.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(value, _)| *value).collect()
}

fn new_numbers(chosen: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let number = |&chosen: &bool| {
        if !chosen {
            return EXCLUDED;
        }
        next += 1;
        next - 1
    };
    chosen.iter().map(number).collect()
}
