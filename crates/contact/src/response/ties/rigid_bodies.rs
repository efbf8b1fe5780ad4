//! Rigid bodies of a group of ties.

use super::dense::solve;
use super::elimination::SparseRows;
use super::reduction::larger;
use super::rows::{RigidMotions, RigidPlace, RigidTerm, Rows, TiedRigidBody, gap, rows_along_axes};
use crate::math::{Mat3, Vec3};

/// Number of degrees of freedom of a body: velocity of the centre, then angular velocity.
const DOF: usize = 6;

/// Number of basis functions of a Cartesian velocity component in a rigid body. The basis functions are 1 and the three
/// reference coordinates relative to the centre.
const MOTIONS: usize = 4;

/// Conditions with pivots up to this value are dropped as redundant \[-\]; the coefficients of a condition are about 1.
/// For example, conditions are redundant if two tied points are closer together than this fraction of the largest
/// distance of a tied point from the centre of the body. The gaps of the dropped conditions are negligible.
const REDUNDANT_PIVOT: f64 = 1e-12;

/// Addition to [`REDUNDANT_PIVOT`], in units of the rounding error of the coordinates divided by the smallest radius of
/// a body. The radius is the largest distance of a tied point from the centre of the body.
const REDUNDANT_PIVOT_ROUNDINGS: f64 = 64.0;

/// Rotation increment of a finite difference \[rad\]. The increment is far above the rounding error; its square is
/// negligible.
const PROBE_ROTATION: f64 = 1e-6;

/// Rigid bodies tied to each other and to nodes.
///
/// The tie forces act at the end of the current step. They make the tied points coincide at the end of the following
/// step. One Newton iteration changes the velocities and the mean angular velocities of the bodies in the following
/// step by U. After condensation of the tied nodes, U satisfies, with test motions w:
///
/// ```text
/// w · (K U − g) = 0 for all w with C w = 0,   C' U = −k,   K = M + Σ T_αᵀ H_α T_α'
/// ```
/// - M: masses of the bodies, and angular impulses per change of the mean angular velocity.
/// - g: impulses of the tied nodes on the bodies in the iteration, for U = 0.
/// - C: coefficients of the tie conditions that involve only rigid bodies and fixed nodes.
/// - k: gaps between the tied points at the end of the following step for U = 0, divided by the step length.
/// - H_α: added mass of the tied nodes in the Cartesian component α.
/// - T_α: map from U to the amplitudes of the basis functions (see `MOTIONS`) of all bodies in this component.
///
/// Without a prime, C and T belong to the positions at the end of the current step. The forces act at these positions,
/// so angular momentum is conserved. C' and T' belong to the positions at the end of the following step, at which the
/// tied points must coincide.
///
/// No mass enters the elimination of the conditions, so the points coincide for any masses. `rank` is the number of
/// independent conditions in the reference configuration, in which all tied points coincide.
///
/// # Cost
/// The assembly of K is quadratic in the number of bodies. The elimination of the conditions is also quadratic if each
/// body is tied to a few others. The solution is at most cubic in the number of independent components of U.
#[derive(Clone, Debug)]
pub(super) struct TiedRigidBodies {
    bodies: Vec<u32>,
    specs: Vec<TiedRigidBody>,
    /// For each body, the largest distance of a tied point from its centre \[m\]; 1 m if this distance is within
    /// rounding. The unknown of a rotation is the angular velocity times this radius.
    radii: Vec<f64>,
    /// For each body, whether the components of velocity and angular velocity are free.
    is_free: Vec<bool>,
    /// C for each Cartesian component.
    conditions: [Rows; 3],
    /// H for each Cartesian component; empty if no dependent node depends on a rigid body.
    added_mass: [Vec<f64>; 3],
    /// One more than the largest index of a fixed node in the conditions.
    num_fixed: usize,
    rank: usize,
    /// Positions at the end of the current step.
    present: Vec<RigidPlace>,
    /// Positions at the end of the following step.
    following: Vec<RigidPlace>,
    /// Linear and angular impulse of the ties on each body, summed over the iterations \[N·s, N·m·s\].
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
    /// C', then a column with k.
    trial: SparseRows,
    /// C, then columns with the weights of fixed nodes.
    test: SparseRows,
    /// Row and column of the pivots of C and C'.
    pivots: Vec<[usize; 2]>,
    /// Free components of U without a pivot in their column.
    independent: Vec<usize>,
    /// For each pivot, the motion of its component of U per unit motion of each independent component, if C' U = 0.
    trial_motions: Vec<f64>,
    /// The same for C U = 0.
    test_motions: Vec<f64>,
    /// K.
    mass: Vec<f64>,
    /// K times the motions that satisfy C' U = 0, one column per independent component.
    products: Vec<f64>,
    reduced: Vec<f64>,
    right_side: Vec<f64>,
    /// U, with each angular velocity multiplied by the radius of the body.
    motion: Vec<f64>,
    /// K U − g.
    excess: Vec<f64>,
    scales: Vec<f64>,
}

impl TiedRigidBodies {
    /// `terms`: all terms of `bodies`, in the conditions and in the rows that give the motion of dependent nodes.
    /// `rounding`: rounding error of the coordinates \[m\].
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

    pub fn present(&self) -> &[RigidPlace] {
        &self.present
    }

    /// Positions at the end of the following step, in the current iteration.
    pub fn following(&self) -> &[RigidPlace] {
        &self.following
    }

    /// For each body, the largest magnitude of a coordinate of its centre at the end of the current step \[m\].
    pub fn present_centres(&self) -> impl Iterator<Item = f64> {
        self.present.iter().map(|place| place.centre.amax())
    }

    /// Body numbers, with the linear and angular impulses of the ties \[N·s, N·m·s\].
    pub fn impulses(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> {
        self.bodies.iter().copied().zip(self.impulses.iter().copied())
    }

    /// Loads the positions of the bodies, clears the impulses, and eliminates C.
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

    /// Computes k and returns its largest magnitude \[m/s\]. `velocity` and `position` return the velocity of a fixed
    /// node after the kick, and its position at the end of the current step. `following`: length of the following step
    /// \[s\].
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

    /// Clears g.
    pub fn begin_iteration(&mut self) {
        self.pushes.fill([Vec3::zeros(); 2]);
    }

    /// Adds to g the impulse `push` \[N·s\], conjugate to the component `axis` of Σ w_a x_a over the nodes a of a body
    /// (see `RigidTerm`).
    pub fn push_at(&mut self, term: &RigidTerm, axis: usize, push: f64) {
        let local_body = term.local_body as usize;
        let of_body = self.pushes[local_body].iter_mut();
        of_body
            .zip(term.coefficients(axis, &self.present[local_body]))
            .for_each(|(sum, of)| *sum += of * push);
    }

    /// Change of the component `axis` of Σ w_a v_a due to U \[m/s\], at the positions `self.following`. The v_a are the
    /// nodal velocities.
    pub fn change_at(&self, term: &RigidTerm, axis: usize) -> f64 {
        let local_body = term.local_body as usize;
        let [linear, angular] = term.coefficients(axis, &self.following[local_body]);
        let [velocity, spin] = self.changes[local_body];
        linear.dot(&velocity) + angular.dot(&spin)
    }

    /// Computes U of one Newton iteration. `following`: length of the following step \[s\].
    pub fn solve(&mut self, rigid: &impl RigidMotions, following: f64) {
        if self.is_empty() {
            return;
        }
        self.compute_spin_masses(rigid, following);
        self.reduce_following_conditions();
        self.assemble();
        self.solve_reduced();
    }

    /// Adds the impulses M U to the impulses of the ties, and updates the positions at the end of the following step.
    pub fn push(&mut self, rigid: &impl RigidMotions) {
        for (local_body, &body) in self.bodies.iter().enumerate() {
            let [velocity, spin] = self.changes[local_body];
            let [linear, angular] = &mut self.impulses[local_body];
            *linear += velocity * self.specs[local_body].mass;
            *angular += self.spin_masses[local_body] * spin;
            self.following[local_body] = rigid.following(body, &self.impulses[local_body]);
        }
    }

    /// Computes `spin_masses` as I Θ⁻¹ with the inertia I. A finite difference gives Θ: an additional angular impulse
    /// I ω rotates the body by an additional Θ ω dt' in the following step of length dt'.
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
            // An axis without inertia gets an arbitrary inertia, which keeps the system regular.
            let without = Mat3::identity() - inverse * inertia;
            let response = Mat3::from_columns(&[turned(0), turned(1), turned(2)]) + without;
            let whole = inertia + without * inertia.norm();
            self.spin_masses[local_body] = whole * response.try_inverse().unwrap_or_else(Mat3::identity);
        }
    }

    /// Writes the coefficients of the conditions at the positions `places` to `rows`, with `more` additional columns.
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

    /// Eliminates C, with pivots above `tolerance` \[-\], and finds the motions with C U = 0. Each fixed node has three
    /// additional columns.
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

    /// Eliminates C' and k at the pivots of C, and finds the motions with C' U = 0.
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
        // Solution U of C' U = −k with zero independent components, and K U − g for this U.
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

    /// Adds to `forces` the forces that the conditions exert on fixed nodes: impulses divided by the length `kick` of
    /// the kick \[s\]. Also sets the impulses of the ties on the prescribed components of the bodies. `by_nodes`:
    /// impulses of the tied nodes on the bodies.
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
        // Cᵀ μ, with the multipliers μ of the conditions, is the impulse of the tied nodes on the bodies minus the
        // impulse of all ties.
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

/// Entry of a sparse row in the last column of the matrix, `column`; zero if the row does not store this entry.
fn last_entry(row: &[(u32, f64)], column: usize) -> f64 {
    row.last().filter(|(last, _)| *last as usize == column).map_or(0.0, |(_, value)| *value)
}

/// T of one body: amplitude of each basis function of `MOTIONS` in the component `axis`, per unit of each degree of
/// freedom. The angular degrees of freedom are angular velocities times `radius`.
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
