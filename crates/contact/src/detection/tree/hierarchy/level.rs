//! Levels of a tree: the vertices at a given depth, and the leaves of smaller depth.

use super::Hierarchy;

impl Hierarchy {
    /// Vertices at `depth` and leaves of smaller depth, in ascending order. The subtrees of these vertices contain
    /// every face exactly once.
    pub fn level(&self, depth: u32) -> Vec<u32> {
        let mut depths = vec![0_u32; self.num_vertices()];
        // Parents follow their children, so the reverse order visits parents first.
        for v in (0..self.root()).rev() {
            depths[v as usize] = self.parent(v).map_or(0, |above| depths[above as usize] + 1);
        }
        let on_level = |&v: &u32| {
            let own = depths[v as usize];
            own == depth || own < depth && self.face(v).is_some()
        };
        (0..self.num_vertices() as u32).filter(on_level).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use crate::detection::tree::hierarchy::Builder;
    use crate::math::Vec3;
    use crate::mesh::CellKind;

    /// A chain of segments, each twice as long as the previous segment.
    fn chain(num_faces: u32) -> (Surface, Vec<Vec3>) {
        let faces: Vec<[u32; 2]> = (0..num_faces).map(|k| [k, k + 1]).collect();
        let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Line2, nodes.as_slice())));
        let positions = (0..=num_faces).map(|k| Vec3::new(f64::from(k).exp2(), 0.0, 0.0)).collect();
        (surface, positions)
    }

    #[test]
    fn every_level_holds_every_face_once() {
        let (surface, positions) = chain(12);
        for builder in [Builder::Fast, Builder::BottomUp] {
            let tree = Hierarchy::build(builder, &surface, &positions, 0.0).unwrap();
            let deepest = tree.leaf_depths().max;
            assert!(tree.leaf_depths().min < deepest, "an even tree shows nothing");
            assert_eq!(tree.level(0), [tree.root()]);
            for depth in 0..=deepest + 1 {
                let level = tree.level(depth);
                assert!(level.iter().all(
                    |&v| tree.depth_of(v) == depth || tree.depth_of(v) < depth && tree.face(v).is_some()
                ));
                let mut holders = vec![0; surface.num_faces()];
                for face in 0..surface.num_faces() as u32 {
                    let mut v = (0..tree.num_vertices() as u32).find(|&v| tree.face(v) == Some(face));
                    while let Some(above) = v {
                        if level.contains(&above) {
                            holders[face as usize] += 1;
                            let sphere = tree.reference_sphere(above);
                            let (_, nodes) = surface.face(face as usize);
                            assert!(nodes.iter().all(|&node| sphere.contains(&positions[node as usize])));
                        }
                        v = tree.parent(above);
                    }
                }
                assert_eq!(holders, vec![1; surface.num_faces()], "depth {depth}");
            }
            assert_eq!(tree.level(deepest).len(), surface.num_faces());
        }
    }
}
