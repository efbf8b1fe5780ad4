//! The rigid bodies of a group of ties.

use super::dense::{eliminate, eliminate_at, solve};
use super::larger;
use super::rows::{RigidPlace, RigidTerm, Row, Rows};
use crate::math::{Mat3, Vec3};

/// What ties know of a rigid body that can move, from the beginning on.
#[derive(Clone, Copy, Debug)]
pub struct TiedRigidBody {
    /// Its mass \[kg\].
    pub mass: f64,
    /// Its centre of mass in the reference configuration \[m\].
    pub reference_centre: Vec3,
    /// Components of the centre that forces can move.
    pub moves: [bool; 3],
    /// Whether moments can turn it.
    pub turns: bool,
}

/// Rigid bodies as ties find them in a step.
pub trait RigidMotions {
    /// Where a body is at the end of the step.
    fn present(&self, body: u32) -> RigidPlace;

    /// Its inertia about the centre there, and the inverse of that, zero about an axis without inertia, in space \[kg·m²\].
    fn inertia(&self, body: u32) -> [Mat3; 2];

    /// Where it is at the end of the step to come with an impulse \[N·s\] and a moment of impulse about its centre \[N·m·s\] at the
    /// end of the step, beside all other forces.
    fn following(&self, body: u32, impulse: &[Vec3; 2]) -> RigidPlace;
}

/// Components of the motion of a body: velocity of the centre, and spin.
const DOF: usize = 6;

/// Motions along an axis that a body gives its nodes: that of its centre, and three of the rotation.
const MOTIONS: usize = 4;

/// A pivot of conditions, of which the entries are about 1, below which they hold already: nodes that are nearer to each
/// other, or to a line, than this part of the size of what they tie leave no gap that counts.
const RANK: f64 = 1e-12;

/// The same, in roundings of coordinates over that size.
const RANK_ROUNDINGS: f64 = 64.0;

/// The same, in distances that tied points have now, after a step that was cut short: what follows from other conditions does
/// so only up to that.
const MISFIT: f64 = 8.0;

/// Turn by which the response to a moment is measured: its square and the rounding of a rotation are far below \[rad\].
const PROBE: f64 = 1e-6;

/// Rigid bodies that ties hold to each other and to nodes.
///
/// With what nodes make of it condensed out, their changes U of velocity and spin over the step to come have
///
/// ```text
/// w · (K U − g) = 0 for all w with C w = 0,   C' U = −k,   K = M + Σ T_αᵀ H_α T_α'
/// ```
/// M has the masses, and for the spin what moment of impulse it takes; g pushes by nodes; C the conditions between rigid bodies,
/// and what is held, which stand apart at the rate k; H the kept mass of what follows them along each axis. Forces act where
/// the bodies are now (C, T), points are to meet where they will be (C', T'): so angular momentum is kept while they turn.
///
/// Conditions are eliminated without masses, so that points meet whatever these are. Those that follow from others have no pivot;
/// which do is seen now, while all points are on each other.
/// Each body has the radius of its ties for the unit of length.
#[derive(Clone, Debug)]
pub(super) struct Carriers {
    /// Numbers of the bodies.
    bodies: Vec<u32>,
    specs: Vec<TiedRigidBody>,
    /// Radius of the ties about the centre \[m\].
    radii: Vec<f64>,
    /// Whether a component is free.
    is_free: Vec<bool>,
    /// Conditions along each axis, held nodes and rigid bodies.
    conditions: [Rows; 3],
    /// H along each axis.
    carried_mass: [Vec<f64>; 3],
    /// Pivots of conditions that are rounding.
    tolerance: f64,
    least_radius: f64,
    /// At the end of the step, and of the step to come.
    present: Vec<RigidPlace>,
    following: Vec<RigidPlace>,
    /// So far, of force and moment \[N·s, N·m·s\].
    impulses: Vec<[Vec3; 2]>,
    /// g \[N·s, N·m·s\].
    pushes: Vec<[Vec3; 2]>,
    /// U \[m/s, rad/s\].
    changes: Vec<[Vec3; 2]>,
    /// Moment of impulse for a change of the mean spin of the step to come \[kg·m²\].
    spin_masses: Vec<Mat3>,
    /// k \[m/s\].
    rates: Vec<f64>,
    workspace: Workspace,
}

#[derive(Clone, Debug, Default)]
struct Workspace {
    /// C' with k, and C, row by row, reduced at the same pivots.
    trial: Vec<f64>,
    test: Vec<f64>,
    pivots: Vec<[usize; 2]>,
    /// Free components without a pivot.
    independent: Vec<usize>,
    /// K, and K times the admissible motions.
    mass: Vec<f64>,
    products: Vec<f64>,
    reduced: Vec<f64>,
    right_side: Vec<f64>,
    /// U in the units of length of the bodies, and K U − g.
    motion: Vec<f64>,
    excess: Vec<f64>,
    scales: Vec<f64>,
}

impl Carriers {
    /// Of bodies with these numbers, and conditions between them along each axis; `terms` are all their parts in sums, `rounding`
    /// that of coordinates \[m\].
    pub fn new<'a>(
        bodies: Vec<u32>,
        specs: Vec<TiedRigidBody>,
        conditions: [Rows; 3],
        carried_mass: [Vec<f64>; 3],
        terms: impl Iterator<Item = &'a RigidTerm>,
        rounding: f64,
    ) -> Self {
        let num = bodies.len();
        let mut radii = vec![0.0_f64; num];
        for RigidTerm { carrier, weight, arm } in terms {
            let radius = &mut radii[*carrier as usize];
            *radius = radius.max(arm.norm() / weight.abs().max(1.0));
        }
        radii.iter_mut().filter(|radius| **radius <= rounding).for_each(|radius| *radius = 1.0);
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let free = |spec: &TiedRigidBody| {
            let [x, y, z] = spec.moves;
            [x, y, z, spec.turns, spec.turns, spec.turns]
        };
        let zero = [Vec3::zeros(); 2];
        Self {
            radii,
            is_free: specs.iter().flat_map(free).collect(),
            tolerance: RANK + RANK_ROUNDINGS * rounding / least,
            least_radius: least,
            present: vec![RigidPlace::REFERENCE; num],
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
            carried_mass,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Where they are at the end of the step.
    pub fn present(&self) -> &[RigidPlace] {
        &self.present
    }

    /// Where they are at the end of the step to come, as far as the turns have got.
    pub fn following(&self) -> &[RigidPlace] {
        &self.following
    }

    /// Largest coordinates of the centres at the end of the step \[m\].
    pub fn present_centres(&self) -> impl Iterator<Item = f64> {
        self.present.iter().map(|place| place.centre.amax())
    }

    /// Bodies with the impulses on them, of force and moment \[N·s, N·m·s\].
    pub fn impulses(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> {
        self.bodies.iter().copied().zip(self.impulses.iter().copied())
    }

    /// Bodies as they are, without impulses, among held nodes at these positions.
    pub fn begin(&mut self, rigid: &dyn RigidMotions, position: impl Fn(u32) -> Vec3) {
        if self.is_empty() {
            return;
        }
        for (carrier, &body) in self.bodies.iter().enumerate() {
            self.present[carrier] = rigid.present(body);
            self.impulses[carrier] = [Vec3::zeros(); 2];
            self.following[carrier] = rigid.following(body, &self.impulses[carrier]);
        }
        let apart = rows_along_axes(&self.conditions)
            .map(|(axis, row)| apart(axis, row, &self.present, &position).abs());
        let misfit = apart.fold(0.0, larger);
        self.reduce_conditions(self.tolerance + MISFIT * misfit / self.least_radius);
    }

    /// Rates at which conditions are not met at the end of the step to come, with these motions of held nodes; the largest \[m/s\].
    pub fn find_rates(
        &mut self,
        velocity: impl Fn(u32) -> Vec3,
        position: impl Fn(u32) -> Vec3,
        following: f64,
    ) -> f64 {
        for ((axis, row), rate) in rows_along_axes(&self.conditions).zip(&mut self.rates) {
            let held = row.shares.iter().map(|&(place, share)| share * velocity(place)[axis]);
            *rate = held.sum::<f64>() + apart(axis, row, &self.following, &position) / following;
        }
        self.rates.iter().map(|rate| rate.abs()).fold(0.0, larger)
    }

    /// Begins a turn: nothing pushes yet.
    pub fn begin_turn(&mut self) {
        self.pushes.fill([Vec3::zeros(); 2]);
    }

    /// Pushes a body along an axis \[N·s\], by what has this part in a sum.
    pub fn push_at(&mut self, term: &RigidTerm, axis: usize, push: f64) {
        let carrier = term.carrier as usize;
        let of_body = self.pushes[carrier].iter_mut();
        of_body.zip(term.coefficients(axis, &self.present[carrier])).for_each(|(sum, of)| *sum += of * push);
    }

    /// What the changes do to a part in a sum along an axis at the end of the step to come \[m/s\].
    pub fn change_at(&self, term: &RigidTerm, axis: usize) -> f64 {
        let carrier = term.carrier as usize;
        let [linear, angular] = term.coefficients(axis, &self.following[carrier]);
        let [velocity, spin] = self.changes[carrier];
        linear.dot(&velocity) + angular.dot(&spin)
    }

    /// The changes U, with a step to come of this length \[s\]: one turn of Newton's method.
    pub fn solve(&mut self, rigid: &dyn RigidMotions, following: f64) {
        if self.is_empty() {
            return;
        }
        self.find_spin_masses(rigid, following);
        self.reduce_conditions_to_come();
        self.assemble();
        self.solve_reduced();
    }

    /// Adds the changes to the impulses, and so to where the bodies will be.
    pub fn push(&mut self, rigid: &dyn RigidMotions) {
        for (carrier, &body) in self.bodies.iter().enumerate() {
            let [velocity, spin] = self.changes[carrier];
            let [linear, angular] = &mut self.impulses[carrier];
            *linear += velocity * self.specs[carrier].mass;
            *angular += self.spin_masses[carrier] * spin;
            self.following[carrier] = rigid.following(body, &self.impulses[carrier]);
        }
    }

    /// Moments of impulse for a change of the mean spin: I Θ⁻¹, with the turn Θ ω dt' at the end that I ω makes.
    fn find_spin_masses(&mut self, rigid: &dyn RigidMotions, following: f64) {
        for (carrier, &body) in self.bodies.iter().enumerate() {
            if !self.specs[carrier].turns {
                continue;
            }
            let [inertia, inverse] = rigid.inertia(body);
            let end = self.following[carrier].rotation.transpose();
            let [linear, angular] = self.impulses[carrier];
            let turned = |axis: usize| {
                let probe = inertia.column(axis) * (PROBE / following);
                let turn = rigid.following(body, &[linear, angular + probe]).rotation * end;
                let twice = Vec3::new(turn.m32 - turn.m23, turn.m13 - turn.m31, turn.m21 - turn.m12);
                twice * (0.5 / PROBE)
            };
            // About an axis without inertia nothing turns, and a mass of that kind keeps the system regular.
            let without = Mat3::identity() - inverse * inertia;
            let response = Mat3::from_columns(&[turned(0), turned(1), turned(2)]) + without;
            let whole = inertia + without * inertia.norm();
            self.spin_masses[carrier] = whole * response.try_inverse().unwrap_or_else(Mat3::identity);
        }
    }

    /// Fills C at these places, of rows of this width, of which the rest is left.
    fn fill_conditions(&self, places: &[RigidPlace], width: usize, rows: &mut [f64]) {
        rows.fill(0.0);
        for ((axis, row), entries) in rows_along_axes(&self.conditions).zip(rows.chunks_exact_mut(width)) {
            for term in row.rigid {
                let carrier = term.carrier as usize;
                let [linear, angular] = term.coefficients(axis, &places[carrier]);
                for k in 0..3 {
                    entries[DOF * carrier + k] += linear[k];
                    entries[DOF * carrier + 3 + k] += angular[k] / self.radii[carrier];
                }
            }
        }
    }

    /// Eliminates the conditions where the bodies are, with pivots above a tolerance.
    fn reduce_conditions(&mut self, tolerance: f64) {
        let num = self.is_free.len();
        let mut workspace = std::mem::take(&mut self.workspace);
        let Workspace { test, pivots, independent, .. } = &mut workspace;
        test.resize(self.rates.len() * num, 0.0);
        self.fill_conditions(&self.present, num, test);
        eliminate(test, num, &self.is_free, tolerance, pivots);
        independent.clear();
        let has_pivot = |column: &usize| pivots.iter().any(|pivot| pivot[1] == *column);
        independent.extend((0..num).filter(|column| self.is_free[*column] && !has_pivot(column)));
        self.workspace = workspace;
    }

    /// Eliminates the conditions, with the rates, where the bodies will be, at the same pivots.
    fn reduce_conditions_to_come(&mut self) {
        let num = self.is_free.len();
        let mut workspace = std::mem::take(&mut self.workspace);
        let Workspace { trial, pivots, .. } = &mut workspace;
        trial.resize(self.rates.len() * (num + 1), 0.0);
        self.fill_conditions(&self.following, num + 1, trial);
        trial.chunks_exact_mut(num + 1).zip(&self.rates).for_each(|(row, rate)| row[num] = *rate);
        eliminate_at(trial, num + 1, pivots);
        self.workspace = workspace;
    }

    /// K.
    fn assemble(&mut self) {
        let num = self.is_free.len();
        let mass = &mut self.workspace.mass;
        mass.resize(num * num, 0.0);
        mass.fill(0.0);
        for (carrier, spec) in self.specs.iter().enumerate() {
            let first = DOF * carrier;
            let turn = self.spin_masses[carrier] / self.radii[carrier].powi(2);
            for k in 0..3 {
                mass[(first + k) * num + first + k] = spec.mass;
                (0..3).for_each(|l| mass[(first + 3 + k) * num + first + 3 + l] = turn[(k, l)]);
            }
        }
        let num_motions = MOTIONS * self.bodies.len();
        for (axis, carried) in self.carried_mass.iter().enumerate().filter(|(_, carried)| !carried.is_empty())
        {
            for (row, of_row) in self.present.iter().enumerate() {
                let test = motions(axis, of_row, self.radii[row]);
                for (column, of_column) in self.following.iter().enumerate() {
                    let trial = motions(axis, of_column, self.radii[column]);
                    for (p, q) in (0..MOTIONS).flat_map(|p| (0..MOTIONS).map(move |q| (p, q))) {
                        let of_pair = carried[(MOTIONS * row + p) * num_motions + MOTIONS * column + q];
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

    /// U from K and the conditions.
    fn solve_reduced(&mut self) {
        let num = self.is_free.len();
        let Workspace {
            trial,
            test,
            pivots,
            independent,
            mass,
            products,
            reduced,
            right_side,
            motion,
            excess,
            scales,
        } = &mut self.workspace;
        let num_independent = independent.len();
        // Motions that the conditions ask for, and K U − g with them.
        motion.clear();
        motion.resize(num, 0.0);
        pivots.iter().for_each(|&[row, column]| motion[column] = -trial[row * (num + 1) + num]);
        excess.clear();
        for row in 0..num {
            let (carrier, k) = (row / DOF, row % DOF);
            let [linear, angular] = &self.pushes[carrier];
            let push = if k < 3 { linear[k] } else { angular[k - 3] / self.radii[carrier] };
            let pushed: f64 = (0..num).map(|column| mass[row * num + column] * motion[column]).sum();
            excess.push(pushed - push);
        }
        products.clear();
        for row in 0..num {
            products.extend(independent.iter().map(|&free| {
                let of_pivots = pivots
                    .iter()
                    .map(|&[of, column]| mass[row * num + column] * trial[of * (num + 1) + free]);
                mass[row * num + free] - of_pivots.sum::<f64>()
            }));
        }
        reduced.clear();
        right_side.clear();
        for &free in &*independent {
            let along = |value: &dyn Fn(usize) -> f64| {
                let of_pivots = pivots.iter().map(|&[of, column]| test[of * num + free] * value(column));
                value(free) - of_pivots.sum::<f64>()
            };
            reduced.extend((0..num_independent).map(|k| along(&|row| products[row * num_independent + k])));
            right_side.push(-along(&|row| excess[row]));
        }
        solve(reduced, right_side, scales);
        for (&free, value) in independent.iter().zip(&*right_side) {
            motion[free] = *value;
            pivots.iter().for_each(|&[of, column]| motion[column] -= trial[of * (num + 1) + free] * value);
        }
        for (carrier, [velocity, spin]) in self.changes.iter_mut().enumerate() {
            *velocity = Vec3::from_fn(|k, _| motion[DOF * carrier + k]);
            *spin = Vec3::from_fn(|k, _| motion[DOF * carrier + 3 + k] / self.radii[carrier]);
        }
    }

    /// Completes the impulses by those on what is held: `by_nodes` are those of nodes on the bodies, and what the conditions want
    /// beside goes to the held nodes, of which the forces are those over the time of the kick \[s\].
    pub fn find_reactions(&mut self, by_nodes: &[[Vec3; 2]], kick: f64, forces: &mut [Vec3]) {
        if self.is_empty() {
            return;
        }
        let num = self.is_free.len();
        let mut workspace = std::mem::take(&mut self.workspace);
        let Workspace { test, pivots, reduced, right_side, scales, .. } = &mut workspace;
        self.fill_conditions(&self.present, num, test);
        // Multipliers μ of the conditions with pivots: Cᵀ μ is what nodes give beyond the impulse.
        let component = |impulses: &[[Vec3; 2]], column: usize| {
            let (carrier, k) = (column / DOF, column % DOF);
            let [linear, angular] = &impulses[carrier];
            if k < 3 { linear[k] } else { angular[k - 3] / self.radii[carrier] }
        };
        reduced.clear();
        right_side.clear();
        for &[_, column] in &*pivots {
            reduced.extend(pivots.iter().map(|&[row, _]| test[row * num + column]));
            right_side.push(component(by_nodes, column) - component(&self.impulses, column));
        }
        solve(reduced, right_side, scales);
        for column in (0..num).filter(|&column| !self.is_free[column]) {
            let by_conditions: f64 = pivots
                .iter()
                .zip(&*right_side)
                .map(|(&[row, _], multiplier)| test[row * num + column] * multiplier)
                .sum();
            let (carrier, k) = (column / DOF, column % DOF);
            let impulse = component(by_nodes, column) - by_conditions;
            let [linear, angular] = &mut self.impulses[carrier];
            if k < 3 {
                linear[k] = impulse;
            } else {
                angular[k - 3] = impulse * self.radii[carrier];
            }
        }
        let rows = rows_along_axes(&self.conditions);
        for (index, (axis, row)) in rows.enumerate().filter(|(_, (_, row))| !row.shares.is_empty()) {
            let of_row = pivots.iter().zip(&*right_side).find(|(pivot, _)| pivot[0] == index);
            let Some((_, multiplier)) = of_row else { continue };
            row.shares
                .iter()
                .for_each(|&(place, share)| forces[place as usize][axis] -= share * multiplier / kick);
        }
        self.workspace = workspace;
    }
}

/// Σ w_a x_a of a condition along an axis \[m\].
fn apart(axis: usize, row: Row<'_>, places: &[RigidPlace], position: impl Fn(u32) -> Vec3) -> f64 {
    let rigid = row.rigid.iter().map(|term| term.position(axis, &places[term.carrier as usize]));
    let held = row.shares.iter().map(|&(place, share)| share * position(place)[axis]);
    rigid.sum::<f64>() + held.sum::<f64>()
}

/// All rows, with their axes.
fn rows_along_axes(rows: &[Rows; 3]) -> impl Iterator<Item = (usize, Row<'_>)> {
    rows.iter().enumerate().flat_map(|(axis, rows)| rows.iter().map(move |row| (axis, row)))
}

/// What the components of the motion of a body, with its radius for the unit of length, make of its motions along an axis.
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
