//! Options for pairs of bodies, or for pairs of parts of their surfaces.

use crate::{Constraint, SurfacePair};

/// Common options of all pairs, and separate sets for some pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions<T> {
    default: T,
    /// Separate sets, ascending by body numbers. Of several sets for the same bodies, the first set whose pair contains
    /// the contact applies.
    own: Vec<(SurfacePair, T)>,
}

impl<T: Copy> PairOptions<T> {
    /// The same options for every pair.
    pub fn uniform(options: T) -> Self {
        Self { default: options, own: Vec::new() }
    }

    /// Adds a separate set for a pair; sets added earlier take precedence.
    #[must_use]
    pub fn with(mut self, pair: SurfacePair, options: T) -> Self {
        let place = self.own.partition_point(|(other, _)| other.bodies() <= pair.bodies());
        self.own.insert(place, (pair, options));
        self
    }

    /// Options of a contact.
    pub fn of(&self, constraint: &Constraint<'_>) -> T {
        let [a, b] = constraint.bodies;
        let bodies = [a.min(b), a.max(b)];
        let first = self.own.partition_point(|(pair, _)| pair.bodies() < bodies);
        let of_bodies = self.own[first..].iter().take_while(|(pair, _)| pair.bodies() == bodies);
        let mut holding = of_bodies.filter(|(pair, _)| pair.holds(constraint));
        holding.next().map_or(self.default, |(_, options)| *options)
    }

    /// Whether sliding can change the options of a contact: true if a separate set belongs to parts of surfaces.
    pub fn vary_over_surfaces(&self) -> bool {
        self.own.iter().any(|(pair, _)| !pair.is_whole())
    }

    /// Options for the same pairs; `convert` gives each new set from the old set.
    pub fn map<U: Copy>(&self, convert: impl Fn(&T) -> U) -> PairOptions<U> {
        let own = self.own.iter().map(|(pair, options)| (pair.clone(), convert(options))).collect();
        PairOptions { default: convert(&self.default), own }
    }

    /// All sets of options.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.default).chain(self.own.iter().map(|(_, options)| options))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::math::Vec3;
    use crate::mesh::CellKind;
    use crate::response::samples::one_contact;
    use crate::{Constraints, ContactKey, EdgeOnEdge, Side, Surface};

    #[test]
    fn pairs_have_their_own_options_in_any_order() {
        let whole = SurfacePair::whole;
        let options =
            PairOptions::uniform(0).with(whole([4, 1]), 1).with(whole([0, 3]), 2).with(whole([1, 4]), 3);
        let contacts = one_contact(-1.0);
        let of = |bodies| options.of(&Constraint { bodies, ..contacts.get(0) });
        assert_eq!([[1, 4], [4, 1], [3, 0], [0, 1]].map(of), [1, 1, 2, 0]);
        assert_eq!(options.all().copied().collect::<Vec<_>>(), [0, 2, 1, 3]);
        assert!(!options.vary_over_surfaces());
    }

    /// Body 1 has two triangles: (0, 1, 2), the part "left", and (1, 4, 2). Body 0 has the nodes 3, 5 and 6; the edge
    /// (5, 6) is its part "sole".
    #[test]
    fn parts_of_a_surface_have_their_own_options() {
        let left = Arc::new(Surface::new([(CellKind::Tri3, [0, 1, 2].as_slice())]));
        let sole = Arc::new(Surface::new([(CellKind::Line2, [5, 6].as_slice())]));
        let options = PairOptions::uniform(0)
            .with(SurfacePair::new([1, 0], [Some(Arc::clone(&left)), Some(sole)]), 1)
            .with(SurfacePair::new([0, 1], [None, Some(left)]), 2)
            .with(SurfacePair::whole([0, 1]), 3);
        assert!(options.vary_over_surfaces());
        let of = |contactor: &[u32], target: &[u32], bodies: [u32; 2]| {
            let mut constraints = Constraints::default();
            let side = |body, nodes| Side { body, nodes, shape_values: &[0.5, 0.3, 0.2] };
            let key = ContactKey::Edges(EdgeOnEdge { contactor: 0, target: 1 });
            constraints.push(key, -1.0, Vec3::z(), side(bodies[0], contactor), side(bodies[1], target));
            let constraint = constraints.get(0);
            options.of(&Constraint { num_contactor_nodes: contactor.len(), ..constraint })
        };
        assert_eq!(of(&[3], &[2, 0, 1], [0, 1]), 2, "node 3, which is not on the sole, on the left");
        assert_eq!(of(&[5], &[0, 1, 2], [0, 1]), 1, "node 5 of the sole, on the left");
        assert_eq!(of(&[5], &[1, 4, 2], [0, 1]), 3, "node 5, on the other triangle");
        assert_eq!(of(&[1], &[3, 5, 6], [1, 0]), 2, "the same pair with exchanged sides");
        assert_eq!(of(&[3, 5], &[1, 2], [0, 1]), 2, "an edge on the border of the left");
        assert_eq!(of(&[5], &[0, 1, 2], [2, 1]), 0, "other bodies");
    }
}
