//! Tunnelling: two bodies pass through each other within a time step. This module limits the step and recognises lost
//! contacts.
//!
//! Detection finds contacts only up to the search depth. Therefore, the relative displacement of two bodies in a step
//! must be less than the distance of the bodies plus the search depth. Boxes around nodal positions and velocities
//! bound this displacement.

use crate::Constraint;
use crate::math::Vec3;

use crate::detection::model::{ContactModel, ContactPolicy};
use crate::detection::tree::body_tree::BodyTree;
use crate::detection::volume::Aabb;

/// Largest excess of a depth over the search depth, relative to the search depth, that counts as rounding error.
const ROUNDING: f64 = 1e-9;

/// Limits the length of steps, and recognises lost contacts.
#[derive(Clone, Debug)]
pub struct TunnellingGuard {
    search_depths: Vec<f64>,
    offsets: Vec<f64>,
    policy: ContactPolicy,
    /// Least search depth among the bodies with faces \[m\]; infinite if no body has faces.
    least_depth: f64,
    tree: BodyTree,
    swept: Vec<(u32, Aabb)>,
}

impl TunnellingGuard {
    /// Guard for the bodies of a model.
    pub fn new(model: &ContactModel) -> Self {
        let depths = model.bodies().map(|body| model.search_depths[body as usize]);
        Self {
            search_depths: model.search_depths.clone(),
            offsets: model.offsets.clone(),
            policy: model.policy.clone(),
            least_depth: depths.fold(f64::INFINITY, f64::min),
            tree: BodyTree::new(model.surfaces.len()),
            swept: Vec::new(),
        }
    }

    /// Whether, in a `step` \[s\], every two bodies certainly approach by at most `share` times the least search depth.
    ///
    /// `velocities`: a box around the velocities of each body \[m/s\].
    pub fn allows(&self, velocities: impl IntoIterator<Item = Aabb>, share: f64, step: f64) -> bool {
        let all = velocities.into_iter().reduce(|a, b| a.union(&b));
        all.is_none_or(|all| all.diagonal() * step <= share * self.least_depth)
    }

    /// The longest step, at most `step` \[s\], in which the penetration of each pair of bodies certainly grows by at
    /// most `share` times the smaller search depth of the pair.
    ///
    /// `bodies`: bodies with a surface, ascending, with boxes around nodal positions \[m\] and velocities \[m/s\].
    ///
    /// # Cost
    /// O(N log N + P) for N bodies and P pairs of bodies with overlapping swept boxes.
    pub fn longest_step(&mut self, bodies: &[(u32, [Aabb; 2])], share: f64, step: f64) -> f64 {
        let offsets = &self.offsets;
        self.swept.clear();
        self.swept.extend(bodies.iter().map(|&(body, [places, velocities])| {
            let [lower, upper] = [velocities.lower, velocities.upper].map(|velocity| velocity * step);
            let swept = places.union(&places.moved(&lower)).union(&places.moved(&upper));
            (body, swept.widened(offsets[body as usize]))
        }));
        self.tree.build(&self.swept);
        let of = |body: u32| {
            let place = bodies.binary_search_by_key(&body, |(body, _)| *body).ok()?;
            Some(&bodies[place].1)
        };
        let pairs = self.tree.pairs(usize::MAX).unwrap_or_default();
        pairs.into_iter().filter(|&pair| self.policy.can_meet(pair)).fold(step, |longest, pair| {
            let [Some(first), Some(second)] = pair.map(of) else { return longest };
            let [a, b] = pair.map(|body| body as usize);
            let offset = self.offsets[a] + self.offsets[b];
            let limit = share * self.search_depths[a].min(self.search_depths[b]);
            longest.min(time_to_depth(first, second, offset, limit))
        })
    }

    /// Depth of a contact that detection has lost, and the smaller search depth of the two bodies \[m\].
    ///
    /// `None` if the depth does not exceed this search depth, or if a body is not in the model.
    pub fn passed_through(&self, lost: &Constraint<'_>, positions: &[Vec3]) -> Option<[f64; 2]> {
        let of_bodies = |of: &[f64]| -> Option<[f64; 2]> {
            let [a, b] = lost.bodies.map(|body| of.get(body as usize).copied());
            Some([a?, b?])
        };
        let [a, b] = of_bodies(&self.search_depths)?;
        let offset: f64 = of_bodies(&self.offsets)?.iter().sum();
        let depth = offset - lost.normal.dot(&lost.jump(positions));
        let deepest = a.min(b);
        (depth > deepest * (1.0 + ROUNDING)).then_some([depth, deepest])
    }
}

/// Lower bound on the time \[s\] in which the penetration of two bodies grows by `limit` \[m\]. `first`, `second`:
/// boxes around the positions and velocities of each body.
fn time_to_depth(first: &[Aabb; 2], second: &[Aabb; 2], offset: f64, limit: f64) -> f64 {
    let [(a, v), (b, w)] = [first, second].map(|[places, velocities]| (places, velocities));
    let closing = |k: usize| [v.upper[k] - w.lower[k], w.upper[k] - v.lower[k]];
    let apart = |k: usize| [b.lower[k] - a.upper[k] - offset, a.lower[k] - b.upper[k] - offset];
    // Bodies do not touch as long as the boxes around their positions are disjoint in at least one coordinate.
    let mut free: f64 = 0.0;
    for k in 0..3 {
        for (gap, speed) in apart(k).into_iter().zip(closing(k)) {
            if gap > 0.0 {
                free = free.max(if speed > 0.0 { gap / speed } else { f64::INFINITY });
            }
        }
    }
    let speed = Vec3::from_fn(|k, _| closing(k)[0].max(closing(k)[1])).norm();
    free.max(limit / speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;
    use crate::{Constraints, ContactKey, NodeOnSurface, Side, Surface};

    fn squares(height: f64) -> (Vec<Vec3>, ContactModel) {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let at = |z: f64| corners.map(|[x, y]| Vec3::new(x, y, z));
        let positions = [at(0.0), at(height)].concat();
        let surface = |nodes: [u32; 4]| Surface::new([(CellKind::Quad4, nodes.as_slice())]);
        let surfaces = vec![surface([0, 1, 2, 3]), surface([4, 5, 6, 7])];
        let model = ContactModel::new(surfaces, &[], &positions);
        (positions, model)
    }

    fn at(lower: [f64; 3], upper: [f64; 3]) -> Aabb {
        Aabb { lower: lower.into(), upper: upper.into() }
    }

    /// The share 0.5 of the search depth of 0.5 m allows 0.25 m of penetration. At 100 m/s, bodies 3 m apart touch
    /// after 0.03 s, and touching bodies penetrate by 0.25 m in 2.5 ms.
    #[test]
    fn steps_end_before_bodies_are_through() {
        let (_, model) = squares(3.0);
        let mut guard = TunnellingGuard::new(&model);
        let still = at([7.0, 0.0, 0.0], [7.0, 0.0, 0.0]);
        let moving = |z: f64| at([7.0, 0.0, z], [7.0, 0.0, z]);
        for (height, speed, expected) in
            [(3.0, -100.0, 0.03), (0.0, -100.0, 2.5e-3), (3.0, 100.0, 1.0), (0.0, 0.0, 1.0), (3.0, -1.0, 1.0)]
        {
            let bodies = [
                (0, [at([0.0; 3], [1.0, 1.0, 0.0]), still]),
                (1, [at([0.0, 0.0, height], [1.0, 1.0, height]), moving(speed)]),
            ];
            let velocities = || bodies.iter().map(|(_, [_, velocities])| *velocities);
            let found = guard.longest_step(&bodies, 0.5, 1.0);
            assert!((found - expected).abs() < 1e-12, "{height}, {speed}: {found}");
            assert_eq!(guard.allows(velocities(), 0.5, 1.0), speed == 0.0);
            assert!(guard.allows(velocities(), 0.5, 2.4e-3));
        }
    }

    #[test]
    fn excluded_pairs_pass() {
        let (positions, model) = squares(0.1);
        let model = ContactModel::new(model.surfaces, &[[0, 1]], &positions);
        let still = at([0.0; 3], [0.0; 3]);
        let fast = at([0.0, 0.0, -1e3], [0.0, 0.0, -1e3]);
        let bodies =
            [0, 1].map(|body| (body, [at([0.0; 3], [1.0; 3]), if body == 0 { still } else { fast }]));
        assert_eq!(TunnellingGuard::new(&model).longest_step(&bodies, 0.5, 1.0), 1.0);
    }

    /// A node has passed through if its depth exceeds the search depth of 0.5 m.
    #[test]
    fn a_lost_contact_is_through_beyond_the_search_depth() {
        let (mut positions, model) = squares(-0.4);
        let guard = TunnellingGuard::new(&model);
        let mut constraints = Constraints::default();
        let key = ContactKey::Node(NodeOnSurface { contactor: 4, target: 0 });
        let contactor = Side { body: 1, nodes: &[4], shape_values: &[1.0] };
        let target = Side { body: 0, nodes: &[0, 1, 2, 3], shape_values: &[1.0, 0.0, 0.0, 0.0] };
        constraints.push(key, -0.4, Vec3::z(), contactor, target);
        for (place, expected) in [
            (Vec3::new(0.0, 0.0, -0.6), Some([0.6, 0.5])),
            (Vec3::new(0.0, 0.0, 0.1), None),
            (Vec3::new(-3.0, 0.0, -0.4), None),
        ] {
            positions[4] = place;
            assert_eq!(guard.passed_through(&constraints.get(0), &positions), expected);
        }
    }
}
