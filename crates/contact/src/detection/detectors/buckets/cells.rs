//! A grid of equal cells, and lists of the boxes in each cell, stored in compressed rows.

use crate::detection::volume::Aabb;
use crate::math::Vec3;

/// Stands for the list index of a cell without a list.
const NONE: u32 = u32::MAX;

/// Factor by which the cell size is repeatedly multiplied until the number of cells is small enough.
const ENLARGEMENT: f64 = 1.25;

/// Equal cubic cells over a zone. A point outside the zone belongs to the nearest cell. Along an axis, the cell index
/// never decreases as the coordinate grows. The cells of a box therefore include the cells of all points of the box.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    origin: Vec3,
    inverse_size: f64,
    counts: [u32; 3],
}

/// The cells whose indices along each axis run from `low` to `high`, inclusive. `counts` are the numbers of cells of
/// the whole grid along each axis.
#[derive(Clone, Copy, Debug)]
pub struct CellRange {
    low: [u32; 3],
    high: [u32; 3],
    counts: [u32; 3],
}

impl Grid {
    /// Cells of edge length `size` \[m\] over the zone. The cells are enlarged if the zone would need more than `most`
    /// cells. A zone of zero or infinite extent has one cell.
    pub fn over(zone: &Aabb, size: f64, most: usize) -> Self {
        let extent = zone.upper - zone.lower;
        let most = most.clamp(1, u32::MAX as usize / 2) as f64;
        let mut size = size.max(extent.amax() / most);
        if !(size > 0.0 && size.is_finite()) {
            return Self { origin: zone.lower, inverse_size: 0.0, counts: [1; 3] };
        }
        let along = |size: f64| extent.map(|length| (length / size).floor() + 1.0);
        while along(size).product() > most {
            size *= ENLARGEMENT;
        }
        let counts = along(size);
        let counts = [counts.x, counts.y, counts.z].map(|count| count as u32);
        Self { origin: zone.lower, inverse_size: 1.0 / size, counts }
    }

    /// Number of cells along each axis.
    pub fn counts(&self) -> [u32; 3] {
        self.counts
    }

    fn num_cells(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).product()
    }

    #[inline]
    fn along(&self, axis: usize, coordinate: f64) -> u32 {
        // The conversion maps negative values and NaN to zero.
        (((coordinate - self.origin[axis]) * self.inverse_size) as u32).min(self.counts[axis] - 1)
    }

    /// Index of the cell of a point.
    #[inline]
    pub fn cell(&self, point: &Vec3) -> u32 {
        let [i, j, k] = [0, 1, 2].map(|axis| self.along(axis, point[axis]));
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    /// The cells that a box overlaps.
    #[inline]
    pub fn cells(&self, bounds: &Aabb) -> CellRange {
        CellRange {
            low: [0, 1, 2].map(|axis| self.along(axis, bounds.lower[axis])),
            high: [0, 1, 2].map(|axis| self.along(axis, bounds.upper[axis])),
            counts: self.counts,
        }
    }
}

impl CellRange {
    /// Calls `visit` with the index of each cell.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(u32)) {
        for i in self.low[0]..=self.high[0] {
            for j in self.low[1]..=self.high[1] {
                let row = (i * self.counts[1] + j) * self.counts[2];
                (row + self.low[2]..=row + self.high[2]).for_each(&mut visit);
            }
        }
    }
}

/// For each marked cell of a grid, the ascending indices of the boxes that overlap the cell.
///
/// # Cost
/// Memory: one number per cell of the largest grid so far, and one per list entry.
#[derive(Clone, Debug)]
pub struct CellLists {
    grid: Grid,
    /// Index of each cell among the marked cells, or [`NONE`].
    slots: Vec<u32>,
    marked: Vec<u32>,
    /// For each marked cell, the index in `entries` at which the list of the cell ends.
    ends: Vec<usize>,
    entries: Vec<u32>,
}

impl Default for CellLists {
    fn default() -> Self {
        let grid = Grid { origin: Vec3::zeros(), inverse_size: 0.0, counts: [1; 3] };
        Self { grid, slots: Vec::new(), marked: Vec::new(), ends: Vec::new(), entries: Vec::new() }
    }
}

impl CellLists {
    /// Replaces the grid, and unmarks all cells.
    pub fn begin(&mut self, grid: Grid) {
        for &cell in &self.marked {
            self.slots[cell as usize] = NONE;
        }
        self.marked.clear();
        if self.slots.len() < grid.num_cells() {
            self.slots.resize(grid.num_cells(), NONE);
        }
        self.grid = grid;
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Marks a cell, so that [`CellLists::fill`] makes a list for the cell.
    #[inline]
    pub fn mark(&mut self, cell: u32) {
        let slot = &mut self.slots[cell as usize];
        if *slot == NONE {
            *slot = self.marked.len() as u32;
            self.marked.push(cell);
        }
    }

    /// Number of marked cells.
    pub fn num_marked(&self) -> usize {
        self.marked.len()
    }

    /// Makes the lists of the marked cells from `boxes`.
    pub fn fill(&mut self, boxes: &[Aabb]) {
        let Self { grid, slots, marked, ends, entries } = self;
        let slot = |cell: u32| Some(slots[cell as usize]).filter(|&slot| slot != NONE);
        ends.clear();
        ends.resize(marked.len(), 0);
        for bounds in boxes {
            grid.cells(bounds).for_each(|cell| {
                if let Some(slot) = slot(cell) {
                    ends[slot as usize] += 1;
                }
            });
        }
        let mut total = 0;
        for end in ends.iter_mut() {
            total += std::mem::replace(end, total);
        }
        entries.clear();
        entries.resize(total, 0);
        for (k, bounds) in boxes.iter().enumerate() {
            grid.cells(bounds).for_each(|cell| {
                if let Some(slot) = slot(cell) {
                    entries[ends[slot as usize]] = k as u32;
                    ends[slot as usize] += 1;
                }
            });
        }
    }

    /// Indices of the boxes that overlap a cell; empty if the cell is not marked.
    #[inline]
    pub fn list(&self, cell: u32) -> &[u32] {
        match self.slots[cell as usize] {
            NONE => &[],
            slot => {
                let begin = if slot == 0 { 0 } else { self.ends[slot as usize - 1] };
                &self.entries[begin..self.ends[slot as usize]]
            }
        }
    }

    /// Number of cells, marked or not, that overlap at least one of the boxes.
    pub fn num_met(&self, boxes: &[Aabb]) -> usize {
        let mut met = vec![false; self.grid.num_cells()];
        for bounds in boxes {
            self.grid.cells(bounds).for_each(|cell| met[cell as usize] = true);
        }
        met.iter().filter(|&&met| met).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> Aabb {
        Aabb { lower: Vec3::new(-1.0, 0.0, 2.0), upper: Vec3::new(3.0, 1.0, 2.0) }
    }

    #[test]
    fn cells_are_no_more_than_allowed() {
        assert_eq!(Grid::over(&zone(), 0.5, 1000).counts(), [9, 3, 1]);
        for (size, most) in [(0.5, 10), (1e-9, 100_000), (0.0, 77), (1e-300, 5), (7.0, 1)] {
            let grid = Grid::over(&zone(), size, most);
            assert!(grid.num_cells() <= most, "{grid:?}");
            assert!(grid.num_cells() * 4 > most || size > 4.0, "{grid:?}");
        }
        let point = Aabb { upper: zone().lower, ..zone() };
        let endless = Aabb { upper: Vec3::repeat(f64::INFINITY), ..zone() };
        for bounds in [point, endless] {
            assert_eq!(Grid::over(&bounds, 0.0, 100).counts(), [1; 3]);
        }
    }

    /// The cell of a point lists every box that contains the point, also if the point is outside the zone.
    #[test]
    fn a_point_finds_the_boxes_around_it() {
        let mut lists = CellLists::default();
        let places = || (0..400).map(|k| f64::from(k).sin() * 4.0).collect::<Vec<f64>>();
        let places = places();
        let point = |k: usize| Vec3::new(places[k], places[k + 1] * 0.3 + 0.5, 2.0 + places[k + 2] * 0.1);
        let boxes: Vec<Aabb> = (0..200).map(|k| Aabb::fit(&[point(k), point(k + 7)], 0.1)).collect();
        for size in [0.3, 0.7, 5.0] {
            lists.begin(Grid::over(&zone(), size, 1000));
            let cells: Vec<u32> = (200..390).map(|k| lists.grid().cell(&point(k))).collect();
            cells.iter().for_each(|&cell| lists.mark(cell));
            lists.fill(&boxes);
            for (k, &cell) in (200..390).zip(&cells) {
                let list = lists.list(cell);
                assert!(list.is_sorted());
                let around = (0..200).filter(|&b| boxes[b].contains(&point(k)));
                assert!(around.into_iter().all(|b| list.contains(&(b as u32))));
            }
            assert!(lists.num_marked() <= lists.num_met(&boxes));
        }
    }
}
