//! Scaling, rotation and translation of a mesh.

use super::{CellBlock, Mesh, MeshError};
use crate::math::{Rotation, Vec3};

impl Mesh {
    /// Scales by `factor` about the origin.
    ///
    /// # Errors
    /// [`MeshError::BadScale`] if the factor is not positive or not finite; [`MeshError::NonFiniteCoordinate`] if a
    /// coordinate overflows.
    pub fn scaled(self, factor: f64) -> Result<Self, MeshError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(MeshError::BadScale { factor });
        }
        self.mapped(|node| node * factor)
    }

    /// Rotates about the origin.
    ///
    /// # Errors
    /// [`MeshError::NonFiniteCoordinate`].
    pub fn rotated(self, rotation: &Rotation) -> Result<Self, MeshError> {
        self.mapped(|node| rotation * node)
    }

    /// Translates by `offset` \[m\].
    ///
    /// # Errors
    /// [`MeshError::NonFiniteCoordinate`].
    pub fn translated(self, offset: Vec3) -> Result<Self, MeshError> {
        self.mapped(|node| node + offset)
    }

    fn mapped(mut self, map: impl Fn(Vec3) -> Vec3) -> Result<Self, MeshError> {
        for node in &mut self.nodes {
            *node = map(*node);
        }
        self.check_finite()?;
        Ok(self)
    }
}

impl CellBlock {
    /// Reverses the orientation of one cell.
    pub fn reverse(&mut self, cell: usize) {
        let n = self.kind.num_nodes();
        let old = self.cell(cell).to_vec();
        for (node, &local) in self.connectivity[cell * n..(cell + 1) * n].iter_mut().zip(self.kind.reversed())
        {
            *node = old[local as usize];
        }
    }
}
