//! Serialisation of nodal vectors that are mostly zero.

use bytemuck::allocation::try_zeroed_vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Vec3;

/// Writes the number of nodes, then the index and the vector of each node whose vector has a component other than +0.0.
pub fn serialize<S: Serializer>(vectors: &[Vec3], serializer: S) -> Result<S::Ok, S::Error> {
    let is_set = |vector: &Vec3| vector.iter().any(|component| component.to_bits() != 0);
    let set: Vec<(u64, Vec3)> = (0..)
        .zip(vectors)
        .filter(|(_, vector)| is_set(vector))
        .map(|(node, vector)| (node, *vector))
        .collect();
    (vectors.len() as u64, set).serialize(serializer)
}

/// Inverse of [`serialize`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec3>, D::Error> {
    let (count, set): (u64, Vec<(u64, Vec3)>) = Deserialize::deserialize(deserializer)?;
    let count = usize::try_from(count).map_err(serde::de::Error::custom)?;
    let mut vectors =
        try_zeroed_vec(count).map_err(|()| serde::de::Error::custom("more nodes than memory"))?;
    for (node, vector) in set {
        *vectors
            .get_mut(node as usize)
            .ok_or_else(|| serde::de::Error::custom("a node beyond the last"))? = vector;
    }
    Ok(vectors)
}
