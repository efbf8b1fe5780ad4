//! Memory layout of the elements of a block: groups of [`WIDTH`] elements, and chunks of groups.
//!
//! A chunk is a range of consecutive elements, and each lane contains a subrange of the chunk. The elements of a group
//! are therefore far apart in the mesh, and seldom add to the force of the same node.

use std::ops::Range;

use pulp::Simd;

use crate::math::pack::{Pack, Row, WIDTH};

/// Number of groups of a full chunk. The number determines the order of force sums, hence the last bits of the forces.
pub(crate) const GROUPS_PER_CHUNK: usize = 128;

pub(crate) const ELEMENTS_PER_CHUNK: usize = GROUPS_PER_CHUNK * WIDTH;

/// Number of rows of a quadrature point: nine for the inverse reference Jacobian, one for the weight.
pub(crate) const POINT_ROWS: usize = 10;

pub(crate) fn num_chunks(num_elements: usize) -> usize {
    num_elements.div_ceil(ELEMENTS_PER_CHUNK)
}

pub(crate) fn num_groups(num_elements: usize) -> usize {
    let chunks = num_elements / ELEMENTS_PER_CHUNK;
    chunks * GROUPS_PER_CHUNK + (num_elements % ELEMENTS_PER_CHUNK).div_ceil(WIDTH)
}

pub(crate) fn groups_of_chunk(chunk: usize, num_elements: usize) -> Range<usize> {
    chunk * GROUPS_PER_CHUNK..((chunk + 1) * GROUPS_PER_CHUNK).min(num_groups(num_elements))
}

/// Index of the element in a lane of a group; `None` for a lane without an element.
pub(crate) fn element_of(group: usize, lane: usize, num_elements: usize) -> Option<usize> {
    let chunk = group / GROUPS_PER_CHUNK;
    let groups = groups_of_chunk(chunk, num_elements);
    let element = chunk * ELEMENTS_PER_CHUNK + lane * groups.len() + (group - groups.start);
    (element < num_elements).then_some(element)
}

/// Elements of a group that the registers hold at a time.
#[derive(Clone, Copy)]
pub(crate) struct GroupPart<'a, S> {
    pub simd: S,
    /// Index of the part within each row.
    pub part: usize,
    /// Rows that the forces need.
    pub rows: &'a [Row],
    /// Additional rows that the critical step needs.
    pub spectrum: &'a [Row],
}

impl<S: Simd> GroupPart<'_, S> {
    #[inline(always)]
    pub fn load(&self, row: &Row) -> Pack<S> {
        Pack::load(self.simd, row, self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        for num_elements in [0, 1, 7, 8, 13, 1023, 1024, 1025, 3000] {
            let places =
                (0..num_groups(num_elements)).flat_map(|group| (0..WIDTH).map(move |lane| (group, lane)));
            let mut found: Vec<usize> =
                places.filter_map(|(group, lane)| element_of(group, lane, num_elements)).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(0..num_elements), "{num_elements}");
        }
    }
}
