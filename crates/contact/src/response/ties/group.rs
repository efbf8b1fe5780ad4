//! Groups of coupled ties, solved simultaneously.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::reduction::larger;
use super::reduction::{Reduction, Terms};
use super::rigid_bodies::TiedRigidBodies;
use super::rows::{RigidMotions, RigidTerm, Rows, TiedRigidBody};
use crate::Constraints;
use crate::math::Vec3;
use crate::response::mobility::{Mobility, TiedGroup};
use crate::response::row::sides;
use crate::response::{Bodies, RigidForce, StepLength};

const MAX_ITERATIONS: u32 = 20;

/// Largest gap between tied points at convergence, relative to the largest coordinate \[-\].
const GAP_TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// Largest gap between tied points at which stagnating iterations count as converged, relative to the largest
/// coordinate \[-\].
const STAGNATION_GAP_TOLERANCE: f64 = 256.0 * f64::EPSILON;

/// The iterations stagnate if the largest gap exceeds this multiple of the largest gap in the previous iteration \[-\].
const MAX_GAP_RATIO: f64 = 0.5;

/// Ties that are coupled to each other but to no other group, with their tie forces.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// All tied nodes except the nodes of movable rigid bodies, ascending.
    nodes: Vec<u32>,
    axes: [Axis; 3],
    rigid_bodies: TiedRigidBodies,
    /// Velocities after the kick without tie forces \[m/s\].
    velocities: Vec<Vec3>,
    changes: Vec<Vec3>,
    /// Tie forces that `hold` computed for the current step \[N\].
    forces: Vec<Vec3>,
    /// Linear and angular impulse on each rigid body by its ties to free nodes of deformable bodies \[N·s, N·m·s\].
    by_nodes: Vec<[Vec3; 2]>,
    /// Duration of the kick \[s\].
    kick: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solution {
    pub iterations: u32,
    /// Largest remaining gap between tied points \[m\]; `None` if the iterations converged.
    pub gap: Option<f64>,
}

impl Group {
    /// `positions` are the reference positions. `rigid` returns the data of a movable rigid body, and `None` for any
    /// other body. The result is `None` if rounding makes a mass matrix (A in `Axis`) singular, for extreme mass
    /// ratios.
    pub fn new(
        ties: &Constraints,
        positions: &[Vec3],
        mobility: &Mobility,
        rigid: impl Fn(u32) -> Option<TiedRigidBody>,
    ) -> Option<Self> {
        let (mut nodes, mut specs) = (Vec::new(), BTreeMap::new());
        let mut bodies_of_nodes = BTreeMap::new();
        for (body, of_side, _) in ties.iter().flat_map(|tie| sides(&tie)) {
            match rigid(body) {
                Some(spec) => {
                    specs.insert(body, spec);
                    bodies_of_nodes.extend(of_side.iter().map(|&node| (node, body)));
                }
                None => nodes.extend_from_slice(of_side),
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        let (bodies, specs): (Vec<u32>, Vec<TiedRigidBody>) = specs.into_iter().unzip();
        let parts = |terms: &Terms| {
            let (mut shares, mut of_bodies) = (Vec::new(), BTreeMap::<u32, RigidTerm>::new());
            for (&node, &weight) in terms {
                let Some(body) = bodies_of_nodes.get(&node) else {
                    shares.push((nodes.partition_point(|&other| other < node) as u32, weight));
                    continue;
                };
                let local_body = bodies.partition_point(|other| other < body) as u32;
                let arm = positions[node as usize] - specs[local_body as usize].reference_centre;
                let none = RigidTerm { local_body, weight: 0.0, arm: Vec3::zeros() };
                let term = of_bodies.entry(local_body).or_insert(none);
                term.weight += weight;
                term.arm += arm * weight;
            }
            (shares, of_bodies.into_values().collect::<Vec<_>>())
        };
        let reductions = [0, 1, 2].map(|axis| {
            let mut reduction = Reduction::default();
            for tie in ties.iter() {
                reduction.add(tie.nodes, tie.weights, |node| {
                    !bodies_of_nodes.contains_key(&node) && mobility.node(node)[axis] > 0.0
                });
            }
            reduction
        });
        let conditions = [0, 1, 2].map(|axis: usize| {
            let mut rows = Rows::default();
            for (shares, terms) in reductions[axis].rest.iter().map(parts) {
                if !terms.is_empty() {
                    rows.push(shares, terms);
                }
            }
            rows
        });
        let [x, y, z] = [0, 1, 2].map(|axis| Axis::new(axis, &reductions[axis], &nodes, mobility, parts));
        let mut axes = [x?, y?, z?];
        let num = bodies.len();
        let added_mass = axes.each_mut().map(|axis| match axis.rigid_terms() {
            [] => Vec::new(),
            _ => axis.added_mass(num),
        });
        let tied = ties.iter().flat_map(|tie| tie.nodes);
        let farthest = tied.map(|&node| positions[node as usize].amax()).fold(0.0, f64::max);
        let all = conditions.clone();
        let terms = all.iter().flat_map(Rows::rigid_terms).chain(axes.iter().flat_map(Axis::rigid_terms));
        let rigid_bodies =
            TiedRigidBodies::new(bodies, specs, conditions, added_mass, terms, f64::EPSILON * farthest);
        let zeros = vec![Vec3::zeros(); nodes.len()];
        Some(Self {
            axes,
            velocities: zeros.clone(),
            changes: zeros.clone(),
            forces: zeros,
            by_nodes: vec![[Vec3::zeros(); 2]; num],
            kick: 0.0,
            nodes,
            rigid_bodies,
        })
    }

    /// The nodes of the group and their ties; `None` if the group contains movable rigid bodies.
    pub fn tied_group(&self) -> Option<TiedGroup> {
        let Self { nodes, axes, rigid_bodies, .. } = self;
        let axes = || axes.each_ref().map(Axis::tied_nodes);
        rigid_bodies.is_empty().then(|| TiedGroup { nodes: nodes.clone(), axes: axes() })
    }

    /// Computes the tie forces. The accelerations of `bodies` must not include tie forces.
    pub fn hold(&mut self, bodies: &Bodies<'_>, rigid: &impl RigidMotions, step: StepLength) -> Solution {
        let Self { nodes, axes, rigid_bodies, velocities, changes, .. } = self;
        self.kick = step.kick();
        for (velocity, &node) in velocities.iter_mut().zip(&*nodes) {
            let change = bodies.accelerations[node as usize] * self.kick;
            *velocity = bodies.velocities[node as usize] + bodies.mobility.free_part(node, &change);
        }
        changes.fill(Vec3::zeros());
        let positions = |place: u32| bodies.positions[nodes[place as usize] as usize];
        rigid_bodies.begin(rigid);
        let coordinates = nodes.iter().map(|&node| bodies.positions[node as usize].amax());
        let size = coordinates.chain(rigid_bodies.present_centres()).fold(0.0, larger);
        let mut solution = Solution { iterations: 0, gap: None };
        let mut before = f64::INFINITY;
        loop {
            let velocity = |place: u32| velocities[place as usize] + changes[place as usize];
            let jumps = axes
                .iter_mut()
                .map(|axis| axis.find_jumps(velocity, positions, rigid_bodies.following(), step.following));
            let of_nodes = jumps.fold(0.0, larger);
            let gap = step.following
                * larger(of_nodes, rigid_bodies.find_rates(velocity, positions, step.following));
            let is_met = gap <= GAP_TOLERANCE * size
                || (gap > MAX_GAP_RATIO * before && gap <= STAGNATION_GAP_TOLERANCE * size);
            if solution.iterations > 0 && is_met {
                break;
            }
            if solution.iterations == MAX_ITERATIONS || gap.is_nan() {
                solution.gap = Some(gap);
                break;
            }
            (solution.iterations, before) = (solution.iterations + 1, gap);
            rigid_bodies.begin_iteration();
            axes.iter_mut().for_each(|axis| axis.push(rigid_bodies));
            rigid_bodies.solve(rigid, step.following);
            axes.iter_mut().for_each(|axis| axis.add_changes(rigid_bodies, changes));
            // Without rigid bodies the problem is linear, and one iteration solves it.
            if rigid_bodies.is_empty() {
                break;
            }
            rigid_bodies.push(rigid);
        }
        self.find_forces();
        solution
    }

    fn find_forces(&mut self) {
        let Self { axes, rigid_bodies, changes, forces, by_nodes, kick, .. } = self;
        by_nodes.fill([Vec3::zeros(); 2]);
        for axis in axes {
            axis.find_forces(changes, *kick, rigid_bodies.present(), forces, by_nodes);
        }
        rigid_bodies.find_reactions(by_nodes, *kick, forces);
    }

    pub fn nodal_forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.nodes.iter().copied().zip(self.forces.iter().copied())
    }

    pub fn rigid_forces(&self) -> impl Iterator<Item = RigidForce> {
        let impulses = self.rigid_bodies.impulses();
        impulses.map(|(body, [linear, angular])| RigidForce {
            body,
            force: linear / self.kick,
            moment: angular / self.kick,
        })
    }
}
