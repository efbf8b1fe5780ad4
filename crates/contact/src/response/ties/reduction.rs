//! Elimination of dependent nodes from the tie conditions.

use std::collections::{BTreeMap, BTreeSet};

/// Largest weight that counts as rounding error \[-\].
const NEGLIGIBLE_WEIGHT: f64 = 1e-12;

/// Weight of each node in a sum over nodes.
pub(super) type Terms = BTreeMap<u32, f64>;

/// Tie conditions Σ w_a u_a = 0 between nodal displacements u_a, solved for dependent nodes d: u_d = Σ s_c u_c over
/// independent nodes c.
///
/// Gauss–Jordan elimination, one condition at a time. Redundant conditions are dropped.
#[derive(Debug, Default)]
pub(super) struct Reduction {
    /// For each dependent node d, the weights s_c.
    pub sums: BTreeMap<u32, Terms>,
    /// Conditions in which no node is allowed to become dependent (see [`Self::add`]).
    pub rest: Vec<Terms>,
    /// For each independent node, the dependent nodes whose sums contain or contained this node.
    users: BTreeMap<u32, BTreeSet<u32>>,
}

impl Reduction {
    /// Adds a condition and makes one of its nodes dependent. Only nodes for which `can_follow` is true are eligible.
    /// The weight of the chosen node is at least half the largest weight of an eligible node. `nodes[0]` is chosen if
    /// it is eligible and its weight suffices.
    pub fn add(&mut self, nodes: &[u32], weights: &[f64], can_follow: impl Fn(u32) -> bool) {
        let mut terms = Terms::new();
        for (&node, &weight) in nodes.iter().zip(weights) {
            match self.sums.get(&node) {
                Some(sum) => add(&mut terms, sum, weight),
                None => *terms.entry(node).or_default() += weight,
            }
        }
        terms.retain(|_, weight| weight.abs() > NEGLIGIBLE_WEIGHT);
        let free = || terms.iter().filter(|(node, _)| can_follow(**node));
        let largest = free().map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
        let mut order = nodes.iter().take(1).chain(terms.keys()).filter(|node| can_follow(**node));
        let is_heavy = |node: &&u32| terms.get(*node).is_some_and(|weight| weight.abs() >= 0.5 * largest);
        let pivot = order.find(is_heavy).copied().and_then(|node| Some((node, terms.remove(&node)?)));
        let Some((node, pivot)) = pivot else {
            if !terms.is_empty() {
                self.rest.push(terms);
            }
            return;
        };
        terms.values_mut().for_each(|weight| *weight /= -pivot);
        self.replace(node, &terms);
        terms.keys().for_each(|&other| {
            self.users.entry(other).or_default().insert(node);
        });
        self.sums.insert(node, terms);
    }

    /// Replaces the new dependent `node` by `sum` in all sums.
    fn replace(&mut self, node: u32, sum: &Terms) {
        for user in self.users.remove(&node).unwrap_or_default() {
            let Some(terms) = self.sums.get_mut(&user) else { continue };
            let Some(share) = terms.remove(&node) else { continue };
            add(terms, sum, share);
            terms.retain(|_, share| share.abs() > NEGLIGIBLE_WEIGHT);
            sum.keys().for_each(|&other| {
                self.users.entry(other).or_default().insert(user);
            });
        }
    }
}

fn add(terms: &mut Terms, others: &Terms, factor: f64) {
    others.iter().for_each(|(&node, value)| *terms.entry(node).or_default() += factor * value);
}

/// The larger of two values; NaN propagates.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four conditions form a cycle of four nodes, so that the fourth condition is redundant. All conditions hold for
    /// any values of the independent nodes. Conditions between two nodes that cannot be dependent remain in `rest`.
    #[test]
    fn chained_conditions_hold() {
        let conditions: [(&[u32], &[f64]); 6] = [
            (&[0, 1], &[1.0, -1.0]),
            (&[1, 2], &[1.0, -1.0]),
            (&[2, 3], &[1.0, -1.0]),
            (&[3, 0], &[1.0, -1.0]),
            (&[4, 0, 5, 6], &[1.0, -0.5, -0.25, -0.25]),
            (&[5, 7], &[1.0, -1.0]),
        ];
        for held in [0, 3, 5, 9] {
            let mut reduction = Reduction::default();
            for (nodes, weights) in conditions {
                reduction.add(nodes, weights, |node| node != held);
            }
            assert_eq!(reduction.sums.len(), 5);
            assert!(!reduction.sums.contains_key(&held));
            let mut motion: Vec<f64> = (0..8).map(|node| f64::from(node * node) - 3.0).collect();
            for (&node, sum) in &reduction.sums {
                assert!(sum.keys().all(|other| !reduction.sums.contains_key(other)));
                motion[node as usize] =
                    sum.iter().map(|(&other, share)| share * motion[other as usize]).sum();
            }
            for (nodes, weights) in conditions {
                let terms = nodes.iter().zip(weights);
                let jump: f64 = terms.map(|(&node, weight)| weight * motion[node as usize]).sum();
                assert!(jump.abs() < 1e-12);
            }
            assert!(reduction.rest.is_empty());
        }
        let mut reduction = Reduction::default();
        for (nodes, weights) in conditions {
            reduction.add(nodes, weights, |node| node != 0 && node != 2);
        }
        let one = [(0, 1.0), (2, -1.0)];
        assert_eq!(reduction.rest, [one, one.map(|(node, weight)| (node, -weight))].map(Terms::from));
    }
}
