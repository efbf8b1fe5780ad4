//! Assembly of a mesh from the sections of a file: tags become indices.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use super::cursor::Cursor;
use super::error::GmshError;
use super::format::PhysicalNames;
use crate::math::Vec3;
use crate::mesh::{CellBlock, CellKind, Group, Mesh};

#[derive(Default)]
pub(super) struct Assembly {
    node_tags: Vec<u64>,
    nodes: Vec<Vec3>,
    cells: BTreeMap<CellKind, Cells>,
    /// Cells of each physical group, by dimension and tag of the group. A cell is given by its kind and by its index
    /// among the cells of this kind.
    groups: BTreeMap<(usize, i32), Vec<(CellKind, u32)>>,
    nodes_read: bool,
    elements_read: bool,
}

/// Elements of one kind.
#[derive(Default)]
pub(super) struct Cells {
    pub tags: Vec<u64>,
    pub node_tags: Vec<u64>,
    /// Tag of the elementary entity of each element.
    pub entities: Vec<i32>,
}

impl Cells {
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Reserves memory for the tags of `count` more elements, but at most for `possible` elements.
    pub fn reserve(&mut self, count: u64, possible: usize) {
        let count = count.min(possible as u64) as usize;
        self.tags.reserve(count);
    }
}

impl Assembly {
    pub fn start_nodes(&mut self, cursor: &mut Cursor) -> Result<(), GmshError> {
        cursor.section = "$Nodes";
        if std::mem::replace(&mut self.nodes_read, true) {
            return Err(GmshError::RepeatedSection { place: cursor.place(), section: "$Nodes" });
        }
        Ok(())
    }

    pub fn start_elements(&mut self, cursor: &mut Cursor) -> Result<(), GmshError> {
        cursor.section = "$Elements";
        if std::mem::replace(&mut self.elements_read, true) {
            return Err(GmshError::RepeatedSection { place: cursor.place(), section: "$Elements" });
        }
        if !self.nodes_read {
            let (section, before) = ("$Nodes", Some("$Elements"));
            return Err(GmshError::MissingSection { place: cursor.place(), section, before });
        }
        Ok(())
    }

    /// Reserves memory for `count` nodes, but at most for the number that the rest of the file can contain.
    pub fn reserve_nodes(&mut self, count: u64, cursor: &Cursor) {
        const SMALLEST_NODE: usize = 8;
        let count = count.min((cursor.remaining() / SMALLEST_NODE) as u64) as usize;
        self.node_tags.reserve(count);
        self.nodes.reserve(count);
    }

    pub fn num_nodes(&self) -> usize {
        self.node_tags.len()
    }

    pub fn push_node_tag(&mut self, tag: u64) {
        self.node_tags.push(tag);
    }

    /// Reads the position of `node`, which must be the first node without a position.
    pub fn read_position(&mut self, cursor: &mut Cursor, node: usize) -> Result<(), GmshError> {
        let mut position = [0.0; 3];
        for x in &mut position {
            *x = cursor.float("a coordinate")?;
        }
        if !position.iter().all(|x| x.is_finite()) {
            let (place, node) = (cursor.place(), self.node_tags[node]);
            return Err(GmshError::NonFiniteCoordinate { place, node, position });
        }
        self.nodes.push(position.into());
        Ok(())
    }

    pub fn check_count(&self, cursor: &Cursor, declared: u64, found: usize) -> Result<(), GmshError> {
        let found = found as u64;
        if declared == found {
            return Ok(());
        }
        Err(GmshError::CountMismatch {
            place: cursor.place(),
            section: cursor.section.to_owned(),
            declared,
            found,
        })
    }

    pub fn cells(&mut self, kind: CellKind) -> &mut Cells {
        self.cells.entry(kind).or_default()
    }

    pub fn add_to_groups(&mut self, kind: CellKind, groups: &[i32], cells: Range<usize>) {
        for &tag in groups {
            let group = self.groups.entry((kind.dimension(), tag)).or_default();
            group.extend(cells.clone().map(|cell| (kind, cell as u32)));
        }
    }

    /// Keeps the first of several elements with the same kind, entity and nodes.
    ///
    /// Format 2.2 contains an element once per physical group, and Gmsh keeps these copies on conversion to format 4.1.
    /// Without the merge, the mass of an element would count once per copy. Elements with the same nodes in different
    /// entities are kept; the checks of the mesh report them.
    fn merge_copies(&mut self) {
        let renumbering: BTreeMap<CellKind, Vec<u32>> =
            self.cells.iter_mut().map(|(&kind, cells)| (kind, cells.merge_copies(kind))).collect();
        for (kind, cell) in self.groups.values_mut().flatten() {
            *cell = renumbering[kind][*cell as usize];
        }
    }

    /// The mesh, with tags replaced by indices.
    ///
    /// Named groups without elements are kept: they show that the entities of the group were not meshed.
    pub fn finish(mut self, cursor: &Cursor, names: &PhysicalNames) -> Result<Mesh, GmshError> {
        self.check_complete(cursor)?;
        self.merge_copies();
        let index = NodeIndex::new(&self.node_tags)
            .map_err(|node| GmshError::DuplicateNode { file: cursor.file(), node })?;
        check_element_tags(&self.cells)
            .map_err(|element| GmshError::DuplicateElement { file: cursor.file(), element })?;
        for group in names.keys() {
            self.groups.entry(*group).or_default();
        }
        let positions: BTreeMap<CellKind, u32> = self.cells.keys().copied().zip(0..).collect();
        let groups = self.groups.into_iter().map(|((dimension, tag), cells)| {
            let name = names.get(&(dimension, tag)).cloned();
            let name = name.unwrap_or_else(|| format!("{dimension}:{tag}"));
            let mut cells: Vec<_> = cells.into_iter().map(|(kind, cell)| (positions[&kind], cell)).collect();
            cells.sort_unstable();
            cells.dedup();
            Group { name, dimension, tag, cells }
        });
        let groups = groups.collect();
        let blocks = self.cells.into_iter().map(|(kind, cells)| cells.into_block(kind, &index, cursor));
        Ok(Mesh {
            blocks: blocks.collect::<Result<_, _>>()?,
            nodes: self.nodes,
            node_tags: self.node_tags,
            groups,
        })
    }

    fn check_complete(&self, cursor: &Cursor) -> Result<(), GmshError> {
        let missing = |section| GmshError::MissingSection { place: cursor.place(), section, before: None };
        if !self.nodes_read {
            return Err(missing("$Nodes"));
        }
        if !self.elements_read {
            return Err(missing("$Elements"));
        }
        let elements: usize = self.cells.values().map(Cells::len).sum();
        for (what, count) in [("nodes", self.nodes.len()), ("elements", elements)] {
            if count == 0 {
                return Err(GmshError::Empty { file: cursor.file(), what });
            }
            if count >= u32::MAX as usize {
                return Err(GmshError::TooLarge { file: cursor.file(), what, count: count as u64 });
            }
        }
        Ok(())
    }
}

impl Cells {
    fn nodes_of(&self, kind: CellKind, cell: usize) -> &[u64] {
        let n = kind.num_nodes();
        &self.node_tags[cell * n..(cell + 1) * n]
    }

    /// Removes copies. Returns the new index of each cell; for a copy, the index of the kept cell.
    fn merge_copies(&mut self, kind: CellKind) -> Vec<u32> {
        let original = self.originals(kind);
        let mut new_number = vec![0; original.len()];
        let mut kept = Self::default();
        for (cell, &first) in original.iter().enumerate() {
            if first as usize == cell {
                new_number[cell] = kept.len() as u32;
                kept.tags.push(self.tags[cell]);
                kept.entities.push(self.entities[cell]);
                kept.node_tags.extend_from_slice(self.nodes_of(kind, cell));
            } else {
                // The cell that is kept precedes this copy.
                new_number[cell] = new_number[first as usize];
            }
        }
        *self = kept;
        new_number
    }

    /// For each cell, the first cell with the same entity and set of nodes.
    fn originals(&self, kind: CellKind) -> Vec<u32> {
        let signature = |cell: usize| {
            let mut nodes = self.nodes_of(kind, cell).to_vec();
            nodes.sort_unstable();
            (self.entities[cell], nodes)
        };
        // The nodes are compared only for cells with equal hashes. The hash does not depend on the order of the nodes.
        let mut hashed: Vec<(u64, u32)> = (0..self.len())
            .map(|cell| {
                (
                    self.nodes_of(kind, cell).iter().fold(0, |sum, &tag| hash(tag).wrapping_add(sum)),
                    cell as u32,
                )
            })
            .collect();
        hashed.par_sort_unstable();
        let mut original: Vec<u32> = (0..self.len() as u32).collect();
        for alike in hashed.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            let mut first = BTreeMap::new();
            for &(_, cell) in alike {
                original[cell as usize] = *first.entry(signature(cell as usize)).or_insert(cell);
            }
        }
        original
    }

    fn into_block(self, kind: CellKind, index: &NodeIndex, cursor: &Cursor) -> Result<CellBlock, GmshError> {
        let mut connectivity = Vec::with_capacity(self.node_tags.len());
        for (nodes, &element) in self.node_tags.chunks_exact(kind.num_nodes()).zip(&self.tags) {
            let start = connectivity.len();
            for &node in nodes {
                let number = index.get(node).ok_or_else(|| GmshError::UnknownNode {
                    file: cursor.file(),
                    element,
                    node,
                })?;
                if connectivity[start..].contains(&number) {
                    return Err(GmshError::RepeatedNode { file: cursor.file(), element, node });
                }
                connectivity.push(number);
            }
        }
        Ok(CellBlock { kind, connectivity, tags: self.tags })
    }
}

/// Map from the tag of a node to its index.
enum NodeIndex {
    /// `indices`: index of each node, by tag minus the smallest tag `first`; `u32::MAX` for an unused tag.
    Dense { first: u64, indices: Vec<u32> },
    /// Pairs (tag, index), with ascending tags.
    Sparse(Vec<(u64, u32)>),
}

impl NodeIndex {
    /// `tags`: tag of each node.
    ///
    /// # Errors
    /// A tag that occurs twice.
    fn new(tags: &[u64]) -> Result<Self, u64> {
        let first = tags.iter().copied().min().unwrap_or(0);
        let span = tags.iter().copied().max().unwrap_or(0) - first;
        if span / 4 > tags.len() as u64 {
            let mut pairs: Vec<(u64, u32)> = tags.iter().copied().zip(0..).collect();
            pairs.sort_unstable();
            return match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                Some(pair) => Err(pair[0].0),
                None => Ok(Self::Sparse(pairs)),
            };
        }
        let mut indices = vec![u32::MAX; span as usize + 1];
        for (&tag, index) in tags.iter().zip(0..) {
            let place = &mut indices[(tag - first) as usize];
            if std::mem::replace(place, index) != u32::MAX {
                return Err(tag);
            }
        }
        Ok(Self::Dense { first, indices })
    }

    fn get(&self, tag: u64) -> Option<u32> {
        match self {
            Self::Dense { first, indices } => {
                let offset = usize::try_from(tag.checked_sub(*first)?).ok()?;
                indices.get(offset).copied().filter(|&index| index != u32::MAX)
            }
            Self::Sparse(pairs) => {
                pairs.binary_search_by_key(&tag, |pair| pair.0).ok().map(|place| pairs[place].1)
            }
        }
    }
}

/// The error is a tag that occurs twice.
fn check_element_tags(cells: &BTreeMap<CellKind, Cells>) -> Result<(), u64> {
    let mut tags: Vec<u64> = cells.values().flat_map(|cells| cells.tags.iter().copied()).collect();
    tags.sort_unstable();
    tags.windows(2).find(|pair| pair[0] == pair[1]).map_or(Ok(()), |pair| Err(pair[0]))
}

/// 64-bit hash of a tag (finaliser of SplitMix64: Steele, Lea & Flood, OOPSLA 2014).
fn hash(tag: u64) -> u64 {
    let mixed = tag.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
