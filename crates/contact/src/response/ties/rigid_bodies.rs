//! Rigid bodies of a group of ties.

use super::dense::solve;
use super::elimination::SparseRows;
use super::reduction::larger;
use super::rows::{RigidMotions, RigidPlace, RigidTerm, Rows, TiedRigidBody, gap, rows_along_axes};
use crate::math::{Mat3, Vec3};

/// Number of degrees of freedom of a body: velocity of the centre and angular velocity.
const DOF: usize = 6;

/// Number of independent fields of one Cartesian velocity component in a rigid body. The translation gives a constant
/// field. The rotation gives fields proportional to each of the three reference coordinates from the centre.
const MOTIONS: usize = 4;

/// Largest pivot of a redundant condition \[-\]; the entries of conditions are about 1. A tied node gives redundant
/// conditions if its distance from another tied node, or from the line through the other tied nodes, is below this
/// fraction of the radius of the ties. The gap that such a node can keep is negligible.
const REDUNDANT_PIVOT: f64 = 1e-12;

/// Addition to [`REDUNDANT_PIVOT`] for rounding errors. The unit is the rounding error of coordinates, divided by the
/// smallest of the radii of the ties of all bodies.
const REDUNDANT_PIVOT_ROUNDINGS: f64 = 64.0;

/// Rotation increment of the finite difference that gives the response to an angular impulse \[rad\]. The increment is
/// far above the rounding error of a rotation, and its square is negligible.
const PROBE_ROTATION: f64 = 1e-6;

/// Rigid bodies tied to each other and to nodes.
///
/// With the nodes condensed out, the changes U of velocities and angular velocities over the following step satisfy
///
/// ```text
/// w · (K U − g) = 0 for all w with C w = 0,   C' U = −k,   K = M + Σ T_αᵀ H_α T_α'
/// ```
/// M contains the masses of the bodies and, for rotations, the angular impulse per change of the angular velocity. g
/// contains the impulses that nodes exert on the bodies. C contains two kinds of conditions, between rigid bodies, and
/// between rigid bodies and fixed nodes; k contains the gap rates of all these conditions. H_α is the added mass of the
/// tied nodes in the Cartesian component α, and T_α maps U to the motions of the bodies in this component. Forces act
/// at the positions at the end of the current step (C, T), and points coincide at the end of the following step
/// (C', T'). Angular momentum is therefore conserved in finite rotations.
///
/// The elimination of the conditions does not involve the masses, so points coincide for any masses. Redundant
/// conditions have no pivot. Their number is determined in the reference configuration, where all tied points coincide.
/// The unit of length of each body is the radius of its ties.
///
/// # Cost
/// K costs a time quadratic in the number of bodies. The elimination is quadratic as well if each body is tied to a few
/// others. The solution for the remaining free motions (six for a chain) is at most cubic in the number of these
/// motions.
#[derive(Clone, Debug)]
pub(super) struct TiedRigidBodies {
    /// Body numbers.
    bodies: Vec<u32>,
    specs: Vec<TiedRigidBody>,
    /// Radius of the ties of each body \[m\]: the largest distance of a tied point from the centre of the body, or 1 m
    /// if all tied points are at the centre. The radius is the unit of length for the rotation of the body.
    radii: Vec<f64>,
    /// For each body, whether the three components of the velocity and of the angular velocity are free.
    is_free: Vec<bool>,
    /// For each Cartesian component, the conditions between rigid bodies, and between rigid bodies and fixed nodes.
    conditions: [Rows; 3],
    /// H of each Cartesian component; empty if no dependent node follows a rigid body.
    added_mass: [Vec<f64>; 3],
    /// One more than the largest index of a fixed node in the conditions; 0 without fixed nodes.
    num_fixed: usize,
    /// Number of independent conditions.
    rank: usize,
    /// Positions at the end of the current step.
    present: Vec<RigidPlace>,
    /// Positions at the end of the following step.
    following: Vec<RigidPlace>,
    /// Linear and angular impulse of the ties on each body, accumulated over the iterations \[N·s, N·m·s\].
    impulses: Vec<[Vec3; 2]>,
    /// g \[N·s, N·m·s\].
    pushes: Vec<[Vec3; 2]>,
    /// U \[m/s, rad/s\].
    changes: Vec<[Vec3; 2]>,
    /// Angular impulse per change of the mean angular velocity of the following step \[kg·m²\].
    spin_masses: Vec<Mat3>,
    /// k \[m/s\].
    rates: Vec<f64>,
    workspace: Workspace,
}

#[derive(Clone, Debug, Default)]
struct Workspace {
    /// C', with k in a last column.
    trial: SparseRows,
    /// C, with the weights of fixed nodes in additional columns.
    test: SparseRows,
    /// Row and column of the pivots, common to C and C'.
    pivots: Vec<[usize; 2]>,
    /// Free components without a pivot.
    independent: Vec<usize>,
    /// Under the conditions C', the motion of each pivot component for a unit motion of each independent component.
    trial_motions: Vec<f64>,
    /// The same motions under the conditions C.
    test_motions: Vec<f64>,
    /// K.
    mass: Vec<f64>,
    /// K times the motions that satisfy C' U = 0, one for each independent component.
    products: Vec<f64>,
    reduced: Vec<f64>,
    right_side: Vec<f64>,
    /// U in the length units of the bodies.
    motion: Vec<f64>,
    /// K U − g.
    excess: Vec<f64>,
    scales: Vec<f64>,
}

impl TiedRigidBodies {
    /// Bodies with these numbers. `conditions` has the conditions of each Cartesian component. `terms` contains all
    /// terms of these bodies, in the conditions and in the sums of dependent nodes. `rounding` is the rounding error of
    /// the coordinates \[m\].
    pub fn new<'a>(
        bodies: Vec<u32>,
        specs: Vec<TiedRigidBody>,
        conditions: [Rows; 3],
        added_mass: [Vec<f64>; 3],
        terms: impl Iterator<Item = &'a RigidTerm>,
        rounding: f64,
    ) -> Self {
        let num = bodies.len();
        let mut radii = vec![0.0_f64; num];
        for RigidTerm { local_body, weight, arm } in terms {
            let radius = &mut radii[*local_body as usize];
            *radius = radius.max(arm.norm() / weight.abs().max(1.0));
        }
        radii.iter_mut().filter(|radius| **radius <= rounding).for_each(|radius| *radius = 1.0);
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let reference =
            |spec: &TiedRigidBody| RigidPlace { centre: spec.reference_centre, ..RigidPlace::REFERENCE };
        let free = |spec: &TiedRigidBody| {
            let [x, y, z] = spec.moves;
            [x, y, z, spec.turns, spec.turns, spec.turns]
        };
        let zero = [Vec3::zeros(); 2];
        let shares = || rows_along_axes(&conditions).flat_map(|(_, row)| row.shares);
        let num_fixed = shares().map(|(place, _)| *place as usize + 1).max().unwrap_or(0);
        let mut rigid_bodies = Self {
            radii,
            is_free: specs.iter().flat_map(free).collect(),
            rank: usize::MAX,
            present: specs.iter().map(reference).collect(),
            following: vec![RigidPlace::REFERENCE; num],
            impulses: vec![zero; num],
            pushes: vec![zero; num],
            changes: vec![zero; num],
            spin_masses: vec![Mat3::zeros(); num],
            rates: vec![0.0; conditions.iter().map(Rows::len).sum()],
            workspace: Workspace::default(),
            bodies,
            specs,
            conditions,
            added_mass,
            num_fixed,
        };
        rigid_bodies.reduce_conditions(REDUNDANT_PIVOT + REDUNDANT_PIVOT_ROUNDINGS * rounding / least);
        rigid_bodies.rank = rigid_bodies.workspace.pivots.len();
        rigid_bodies
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Positions at the end of the current step.
    pub fn present(&self) -> &[RigidPlace] {
        &self.present
    }

    /// Positions at the end of the following step, in the current iteration.
    pub fn following(&self) -> &[RigidPlace] {
        &self.following
    }

    /// Largest coordinate of each centre at the end of the step \[m\].
    pub fn present_centres(&self) -> impl Iterator<Item = f64> {
        self.present.iter().map(|place| place.centre.amax())
    }

    /// Bodies, and the linear and angular impulses of the ties on them \[N·s, N·m·s\].
    pub fn impulses(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> {
        self.bodies.iter().copied().zip(self.impulses.iter().copied())
    }

    /// Starts a step: loads the positions of the bodies and clears the impulses.
    pub fn begin(&mut self, rigid: &impl RigidMotions) {
        if self.is_empty() {
            return;
        }
        for (local_body, &body) in self.bodies.iter().enumerate() {
            self.present[local_body] = rigid.present(body);
            self.impulses[local_body] = [Vec3::zeros(); 2];
            self.following[local_body] = rigid.following(body, &self.impulses[local_body]);
        }
        self.reduce_conditions(0.0);
    }

    /// Computes the gap rates k of the conditions over the following step, of length `following` \[s\]. `velocity` and
    /// `position` give the motion of fixed nodes. Returns the largest magnitude \[m/s\].
    pub fn find_rates(
        &mut self,
        velocity: impl Fn(u32) -> Vec3,
        position: impl Fn(u32) -> Vec3,
        following: f64,
    ) -> f64 {
        for ((axis, row), rate) in rows_along_axes(&self.conditions).zip(&mut self.rates) {
            let held = row.shares.iter().map(|&(place, share)| share * velocity(place)[axis]);
            *rate = held.sum::<f64>() + gap(axis, row, &self.following, &position) / following;
        }
        self.rates.iter().map(|rate| rate.abs()).fold(0.0, larger)
    }

    /// Starts an iteration with zero impulses g of the nodes.
    pub fn begin_iteration(&mut self) {
        self.pushes.fill([Vec3::zeros(); 2]);
    }

    /// Adds to g the impulse and angular impulse on the body of `term`. The impulse `push` \[N·s\] acts on the
    /// Cartesian component `axis` of the sum Σ w_a x_a of the term.
    pub fn push_at(&mut self, term: &RigidTerm, axis: usize, push: f64) {
        let local_body = term.local_body as usize;
        let of_body = self.pushes[local_body].iter_mut();
        of_body
            .zip(term.coefficients(axis, &self.present[local_body]))
            .for_each(|(sum, of)| *sum += of * push);
    }

    /// Change of the Cartesian component `axis` of Σ w_a v_a of a term by the changes U \[m/s\]. The body is at its
    /// position at the end of the following step.
    pub fn change_at(&self, term: &RigidTerm, axis: usize) -> f64 {
        let local_body = term.local_body as usize;
        let [linear, angular] = term.coefficients(axis, &self.following[local_body]);
        let [velocity, spin] = self.changes[local_body];
        linear.dot(&velocity) + angular.dot(&spin)
    }

    /// One Newton iteration: solves for the changes U. `following` is the length of the following step \[s\].
    pub fn solve(&mut self, rigid: &impl RigidMotions, following: f64) {
        if self.is_empty() {
            return;
        }
        self.compute_spin_masses(rigid, following);
        self.reduce_following_conditions();
        self.assemble();
        self.solve_reduced();
    }

    /// Adds the impulses that cause the changes U, and updates the positions at the end of the following step.
    pub fn push(&mut self, rigid: &impl RigidMotions) {
        for (local_body, &body) in self.bodies.iter().enumerate() {
            let [velocity, spin] = self.changes[local_body];
            let [linear, angular] = &mut self.impulses[local_body];
            *linear += velocity * self.specs[local_body].mass;
            *angular += self.spin_masses[local_body] * spin;
            self.following[local_body] = rigid.following(body, &self.impulses[local_body]);
        }
    }

    /// Computes the angular impulse per change of the mean angular velocity: I Θ⁻¹, with the inertia I. An additional
    /// angular impulse I ω causes the additional rotation Θ ω dt' in the following step, of length dt'; this defines
    /// the matrix Θ.
    fn compute_spin_masses(&mut self, rigid: &impl RigidMotions, following: f64) {
        for (local_body, &body) in self.bodies.iter().enumerate() {
            if !self.specs[local_body].turns {
                continue;
            }
            let [inertia, inverse] = rigid.inertia(body);
            let end = self.following[local_body].rotation.transpose();
            let [linear, angular] = self.impulses[local_body];
            let turned = |axis: usize| {
                let probe = inertia.column(axis) * (PROBE_ROTATION / following);
                let turn = rigid.following(body, &[linear, angular + probe]).rotation * end;
                let twice = Vec3::new(turn.m32 - turn.m23, turn.m13 - turn.m31, turn.m21 - turn.m12);
                twice * (0.5 / PROBE_ROTATION)
            };
            // A body does not rotate about an axis without inertia; an arbitrary mass for this rotation keeps the
            // system regular.
            let without = Mat3::identity() - inverse * inertia;
            let response = Mat3::from_columns(&[turned(0), turned(1), turned(2)]) + without;
            let whole = inertia + without * inertia.norm();
            self.spin_masses[local_body] = whole * response.try_inverse().unwrap_or_else(Mat3::identity);
        }
    }

    /// Assembles the coefficients of the conditions at the positions `places`, in rows with `more` additional columns.
    fn fill_conditions(&self, places: &[RigidPlace], more: usize, rows: &mut SparseRows) {
        rows.begin(self.rates.len(), self.is_free.len() + more);
        for (index, (axis, row)) in rows_along_axes(&self.conditions).enumerate() {
            for term in row.rigid {
                let local_body = term.local_body as usize;
                let [linear, angular] = term.coefficients(axis, &places[local_body]);
                (0..3).for_each(|k| rows.push(index, DOF * local_body + k, linear[k]));
                let radius = self.radii[local_body];
                (0..3).for_each(|k| rows.push(index, DOF * local_body + 3 + k, angular[k] / radius));
            }
        }
    }

    /// Eliminates the conditions C at the end of the current step, with pivots above a tolerance. Three additional
    /// columns per fixed node contain the weights of the fixed nodes.
    fn reduce_conditions(&mut self, tolerance: f64) {
        let num = self.is_free.len();
        let mut workspace = std::mem::take(&mut self.workspace);
        let Workspace { test, pivots, independent, test_motions, motion, .. } = &mut workspace;
        self.fill_conditions(&self.present, 3 * self.num_fixed, test);
        for (index, (axis, row)) in rows_along_axes(&self.conditions).enumerate() {
            for &(place, share) in row.shares {
                test.push(index, num + 3 * place as usize + axis, share);
            }
        }
        test.eliminate(&self.is_free, tolerance, self.rank, pivots);
        independent.clear();
        independent.extend((0..num).filter(|column| self.is_free[*column]));
        pivots.iter().for_each(|pivot| {
            if let Ok(place) = independent.binary_search(&pivot[1]) {
                independent.remove(place);
            }
        });
        motion.resize(num, 0.0);
        test.find_motions(pivots, independent, motion, test_motions);
        self.workspace = workspace;
    }

    /// Eliminates the conditions C' at the end of the following step, with the gap rates k, at the pivots of C.
    fn reduce_following_conditions(&mut self) {
        let num = self.is_free.len();
        let mut workspace = std::mem::take(&mut self.workspace);
        let Workspace { trial, pivots, independent, trial_motions, motion, .. } = &mut workspace;
        self.fill_conditions(&self.following, 1, trial);
        self.rates.iter().enumerate().for_each(|(row, rate)| trial.push(row, num, *rate));
        trial.eliminate_at(pivots);
        motion.resize(num, 0.0);
        trial.find_motions(pivots, independent, motion, trial_motions);
        self.workspace = workspace;
    }

    /// Assembles K.
    fn assemble(&mut self) {
        let num = self.is_free.len();
        let mass = &mut self.workspace.mass;
        mass.resize(num * num, 0.0);
        mass.fill(0.0);
        for (local_body, spec) in self.specs.iter().enumerate() {
            let first = DOF * local_body;
            let turn = self.spin_masses[local_body] / self.radii[local_body].powi(2);
            for k in 0..3 {
                mass[(first + k) * num + first + k] = spec.mass;
                (0..3).for_each(|l| mass[(first + 3 + k) * num + first + 3 + l] = turn[(k, l)]);
            }
        }
        let num_motions = MOTIONS * self.bodies.len();
        for (axis, rigid_motion) in
            self.added_mass.iter().enumerate().filter(|(_, rigid_motion)| !rigid_motion.is_empty())
        {
            for (row, of_row) in self.present.iter().enumerate() {
                let test = motions(axis, of_row, self.radii[row]);
                for (column, of_column) in self.following.iter().enumerate() {
                    let trial = motions(axis, of_column, self.radii[column]);
                    for (p, q) in (0..MOTIONS).flat_map(|p| (0..MOTIONS).map(move |q| (p, q))) {
                        let of_pair = rigid_motion[(MOTIONS * row + p) * num_motions + MOTIONS * column + q];
                        if of_pair == 0.0 {
                            continue;
                        }
                        for (k, l) in (0..DOF).flat_map(|k| (0..DOF).map(move |l| (k, l))) {
                            mass[(DOF * row + k) * num + DOF * column + l] +=
                                test[p][k] * of_pair * trial[q][l];
                        }
                    }
                }
            }
        }
    }

    /// Solves for U from K and the conditions.
    fn solve_reduced(&mut self) {
        let num = self.is_free.len();
        let Workspace {
            trial,
            pivots,
            independent,
            trial_motions,
            test_motions,
            mass,
            products,
            reduced,
            right_side,
            motion,
            excess,
            scales,
            ..
        } = &mut self.workspace;
        let count = independent.len();
        // A particular solution U of the conditions, and K U − g for this solution.
        motion.clear();
        motion.resize(num, 0.0);
        trial.solve(pivots, |row| -last_entry(row, num), motion);
        excess.clear();
        for row in 0..num {
            let (local_body, k) = (row / DOF, row % DOF);
            let [linear, angular] = &self.pushes[local_body];
            let push = if k < 3 { linear[k] } else { angular[k - 3] / self.radii[local_body] };
            let of_row = mass[row * num..][..num].iter().zip(&*motion);
            excess.push(of_row.map(|(mass, motion)| mass * motion).sum::<f64>() - push);
        }
        products.clear();
        for row in mass.chunks_exact(num) {
            let first = products.len();
            products.extend(independent.iter().map(|&free| row[free]));
            for (&[_, column], motions) in pivots.iter().zip(trial_motions.chunks_exact(count.max(1))) {
                if row[column] != 0.0 {
                    let sums = products[first..].iter_mut().zip(motions);
                    sums.for_each(|(sum, motion)| *sum += row[column] * motion);
                }
            }
        }
        reduced.clear();
        right_side.clear();
        for &free in &*independent {
            reduced.extend_from_slice(&products[free * count..][..count]);
            right_side.push(-excess[free]);
        }
        for (&[_, column], motions) in pivots.iter().zip(test_motions.chunks_exact(count.max(1))) {
            for (k, &motion) in motions.iter().enumerate().filter(|(_, motion)| **motion != 0.0) {
                let sums = reduced[k * count..][..count].iter_mut().zip(&products[column * count..]);
                sums.for_each(|(sum, product)| *sum += motion * product);
                right_side[k] -= motion * excess[column];
            }
        }
        solve(reduced, right_side, scales);
        for (&free, value) in independent.iter().zip(&*right_side) {
            motion[free] = *value;
        }
        for (&[_, column], motions) in pivots.iter().zip(trial_motions.chunks_exact(count.max(1))) {
            motion[column] +=
                motions.iter().zip(&*right_side).map(|(motion, value)| motion * value).sum::<f64>();
        }
        for (local_body, [velocity, spin]) in self.changes.iter_mut().enumerate() {
            *velocity = Vec3::from_fn(|k, _| motion[DOF * local_body + k]);
            *spin = Vec3::from_fn(|k, _| motion[DOF * local_body + 3 + k] / self.radii[local_body]);
        }
    }

    /// Adds the reactions on fixed nodes to `forces`. `by_nodes` are the impulses of nodes on the bodies. All other
    /// impulses on the bodies come from the conditions. The reactions to these impulses on fixed nodes are applied as
    /// forces over the time `kick` \[s\]. Also sets the impulses on the prescribed components of the bodies.
    pub fn find_reactions(&mut self, by_nodes: &[[Vec3; 2]], kick: f64, forces: &mut [Vec3]) {
        if self.is_empty() {
            return;
        }
        let num = self.is_free.len();
        let Workspace { test, pivots, motion, .. } = &mut self.workspace;
        let component = |impulses: &[[Vec3; 2]], column: usize| {
            let (local_body, k) = (column / DOF, column % DOF);
            let [linear, angular] = &impulses[local_body];
            if k < 3 { linear[k] } else { angular[k - 3] / self.radii[local_body] }
        };
        // With the multipliers μ of the conditions, Cᵀ μ is the impulse of the nodes minus the total impulse.
        let beyond = |column: usize| component(by_nodes, column) - component(&self.impulses, column);
        motion.resize(num + 3 * self.num_fixed, 0.0);
        test.multiply(pivots, beyond, motion);
        for column in (0..num).filter(|&column| !self.is_free[column]) {
            let (local_body, k) = (column / DOF, column % DOF);
            let impulse = component(by_nodes, column) - motion[column];
            let [linear, angular] = &mut self.impulses[local_body];
            if k < 3 {
                linear[k] = impulse;
            } else {
                angular[k - 3] = impulse * self.radii[local_body];
            }
        }
        for (force, reaction) in forces.iter_mut().zip(motion[num..].chunks_exact(3)) {
            (0..3).for_each(|axis| force[axis] -= reaction[axis] / kick);
        }
    }
}

/// Entry of a row in `column`, the last column; zero without such an entry.
fn last_entry(row: &[(u32, f64)], column: usize) -> f64 {
    row.last().filter(|(last, _)| *last as usize == column).map_or(0.0, |(_, value)| *value)
}

/// The four motions of a body in the Cartesian component `axis`, for unit values of its degrees of freedom. The unit of
/// length is `radius`, the radius of the ties of the body.
fn motions(axis: usize, place: &RigidPlace, radius: f64) -> [[f64; DOF]; MOTIONS] {
    let mut motions = [[0.0; DOF]; MOTIONS];
    motions[0][axis] = 1.0;
    let along = Vec3::ith(axis, 1.0);
    for k in 0..3 {
        let of_spin = place.rotation.column(k).cross(&along) / radius;
        (0..3).for_each(|l| motions[1 + k][3 + l] = of_spin[l]);
    }
    motions
}
