//! Impulses of a group of contacts that satisfy the contact laws for the relative velocities.
//!
//! The relative velocities u depend linearly on the impulses P:
//!
//! ```text
//! u = u⁰ + W P,   W = G M⁻¹ Gᵀ
//! ```
//! Here u⁰ are the relative velocities without impulses, G maps the velocities of the movers to relative velocities,
//! and M is the mass matrix. With the lower bound c of the normal velocity and the coefficient of friction μ, the
//! solution satisfies u_n ≥ c ⟂ P_n ≥ 0 and |P_t| ≤ μ P_n at each contact. A contact at the friction bound slips
//! opposite to P_t; a contact below the bound sticks. Normal and tangential rows form one problem, because friction
//! changes all normal velocities.
//!
//! ```text
//! repeat   block Jacobi steps with shared masses, each contact on its own; these steps predict which contacts
//!          open, stick or slip
//!          conjugate residuals over the closed contacts, with fixed tangential impulses in slipping contacts;
//!          a contact that opens or slips during this descent stays fixed at its bound
//!          with friction, the next round begins at the best combination of the last rounds with the same sets of
//!          open, sticking and slipping contacts (see `mixing`)
//! until    a Jacobi step changes no velocity by more than the tolerance;
//!          if the rounds do not converge, restart with Jacobi steps only
//! ```
//! The contacts of flat faces have redundant rows, for which Jacobi steps hardly converge. Conjugate residuals solve
//! these rows in as many iterations as there are independent rows. If the rows of redundant contacts differ slightly,
//! no impulses satisfy all of them. Conjugate gradients would then diverge. Conjugate residuals never increase the
//! residual, and the remaining residual shows which contacts open.
//!
//! The method does not depend on the order of the contacts. The contact laws do not determine the impulses of redundant
//! contacts; the method finds impulses with the symmetry of the problem. Momentum is conserved for any tolerance,
//! because impulses act on movers through the rows of G.
//!
//! # Source
//! Tonge, Benevolenski & Voroshilov, ACM Trans. Graph. 31 (2012) 105 (Jacobi with shared masses); Renouf & Alart,
//! CMAME 194 (2005) 2019–2041 (Krylov method on the closed contacts); Saad, Iterative Methods for Sparse Linear
//! Systems, 2nd ed., 2003, §6.8 (conjugate residuals); Dostál & Schöberl, Comput. Optim. Appl. 30 (2005) 23–43
//! (alternation of steps within the bounds and steps that change the active set).

use crate::math::Vec3;

use super::mixing::Mixing;
use super::operator::Operator;
use super::unknown::{Face, Unknown};
use crate::response::groups::momentum::Momentum;

/// Number of Jacobi steps between two descents by conjugate residuals.
const STEPS: usize = 4;
/// Largest number of rounds; each round consists of Jacobi steps and a descent. Momentum is conserved even without
/// convergence.
const MAX_ROUNDS: usize = 100;
/// Largest number of Jacobi steps after rounds without convergence.
const MAX_STEPS: usize = 1000;
/// Number of Jacobi steps in a series.
const STEPS_TO_GAIN: usize = 100;
/// Factor by which the smallest velocity change must decrease from one series of Jacobi steps to the next; otherwise no
/// further series follows.
const GAIN: f64 = 0.5;
/// Largest ratio of the impulses of a combination of rounds to the impulses of the last round, in sums of magnitudes.
const MAX_GROWTH: f64 = 10.0;
/// Largest ratio of z · W z to z · D z for which impulses along the scaled residual z = D⁻¹ r count as causing no
/// motion. D is the block-diagonal matrix of the compliances that the Jacobi steps use.
const NULL_SPACE: f64 = 1e-10;
/// Fraction of a descent step by which a contact may miss a bound and still counts as at the bound.
const AT_BOUND: f64 = 1e-9;

/// Workspace of a descent: vectors for each contact of a group, and motions of the movers.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// Free directions of each contact in the descent.
    faces: Vec<Face>,
    /// Residuals r.
    residuals: Vec<Vec3>,
    /// Scaled residuals z = D⁻¹ r.
    scaled: Vec<Vec3>,
    /// W z.
    scaled_responses: Vec<Vec3>,
    /// Motion of the movers by the impulses z.
    scaled_motion: Vec<Vec3>,
    /// Search directions d.
    directions: Vec<Vec3>,
    /// W d.
    responses: Vec<Vec3>,
    /// D⁻¹ W d.
    decreases: Vec<Vec3>,
    /// Motion of the movers by the impulses d.
    motion: Vec<Vec3>,
    /// Motion of the movers without impulses.
    free_motion: Vec<Vec3>,
    /// Initial impulses.
    guess: Vec<Vec3>,
    /// Impulses at the start of the round; during Jacobi steps without descents, the impulses after the previous step.
    start: Vec<Vec3>,
    /// Impulses and slip states after the step with the smallest velocity change.
    best: Vec<(Vec3, bool)>,
    mixing: Mixing,
}

/// The problem of a group of contacts. `field` always contains the velocities of the movers of the group under the
/// current impulses.
pub(super) struct Problem<'a> {
    /// The operators G and M⁻¹.
    pub operator: &'a Operator,
    /// Contacts of the group.
    pub members: &'a [u32],
    /// Movers of the group.
    pub movers: std::ops::Range<usize>,
    /// Unknowns of all contacts.
    pub unknowns: &'a mut [Unknown],
    /// Velocities of all movers \[m/s\], \[rad/s\], or their position corrections \[m\], \[rad\].
    pub field: &'a mut [Vec3],
    /// Tolerance of relative velocities \[m/s\] or of relative displacements \[m\].
    pub tolerance: f64,
}

impl Problem<'_> {
    /// Solves for the impulses, starting from the current impulses. Returns whether the iteration converged.
    pub fn solve(&mut self, workspace: &mut Workspace) -> bool {
        if self.members.len() == 1 {
            // A single contact needs no descent.
            return (0..MAX_ROUNDS * STEPS).any(|_| self.step(workspace) <= self.tolerance);
        }
        self.store_free_motion(workspace);
        workspace.guess.clear();
        workspace.guess.extend(self.members.iter().map(|&k| self.unknowns[k as usize].impulse));
        let is_solved = match self.iterate(workspace) {
            None => true,
            Some(left) => self.solve_by_jacobi_steps(workspace, left),
        };
        self.recompute_field(workspace);
        is_solved
    }

    /// Restarts from the initial impulses with Jacobi steps only; returns whether they converged. Without convergence,
    /// either the impulses of the last Jacobi step or the best impulses of the rounds remain: those with the smaller
    /// velocity change. `left` is the smallest velocity change of the rounds \[m/s\].
    ///
    /// Rounds that do not converge cycle through sets of sticking and slipping contacts and amplify rounding errors.
    /// Jacobi steps are slow, but they reduce the velocity change and keep the symmetry of the problem.
    fn solve_by_jacobi_steps(&mut self, workspace: &mut Workspace, left: f64) -> bool {
        for (&k, &impulse) in self.members.iter().zip(&workspace.guess) {
            self.unknowns[k as usize].impulse = impulse;
        }
        self.recompute_field(workspace);
        workspace.start.clone_from(&workspace.guess);
        let (mut change, mut least) = (f64::INFINITY, f64::INFINITY);
        let mut momentum = Momentum::default();
        for _ in 0..MAX_STEPS / STEPS_TO_GAIN {
            let before = least;
            match self.jacobi_steps(workspace, &mut momentum) {
                None => return true,
                Some(changes) => [change, least] = changes,
            }
            if least > GAIN * before {
                break;
            }
        }
        if change < left {
            for ((&k, &found), best) in self.members.iter().zip(&workspace.start).zip(&mut workspace.best) {
                *best = (found, self.unknowns[k as usize].slips);
            }
        }
        self.restore_best(workspace);
        false
    }

    /// A series of Jacobi steps with extrapolation (see `momentum`); `None` if the steps converge. Otherwise the
    /// velocity change of the last step and the smallest velocity change of the series \[m/s\].
    fn jacobi_steps(&mut self, workspace: &mut Workspace, momentum: &mut Momentum) -> Option<[f64; 2]> {
        let (mut change, mut least) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..STEPS_TO_GAIN {
            change = self.step(workspace);
            if change <= self.tolerance {
                return None;
            }
            least = least.min(change);
            self.extrapolate(workspace, momentum);
        }
        Some([change, least])
    }

    /// Extrapolates the impulses after a Jacobi step, along the difference between these impulses and the impulses
    /// after the previous Jacobi step. `start` contains the latter impulses and is updated.
    fn extrapolate(&mut self, workspace: &mut Workspace, momentum: &mut Momentum) {
        let Workspace { start, directions, .. } = workspace;
        let (part, mut back) = (momentum.farther(), 0.0);
        for ((&k, last), change) in self.members.iter().zip(start).zip(&*directions) {
            let unknown = &mut self.unknowns[k as usize];
            let way = unknown.impulse - std::mem::replace(last, unknown.impulse);
            let farther = way * part;
            unknown.impulse += farther;
            if unknown.mass > 0.0 {
                back -= change.dot(&way) / unknown.mass;
            }
            self.operator.push(k, &farther, self.field);
        }
        momentum.end(back);
    }

    /// Rounds of Jacobi steps and a descent; `None` if they converge. Otherwise the smallest velocity change in the
    /// first step of a round \[m/s\]; `workspace.best` then contains the impulses after this step.
    fn iterate(&mut self, workspace: &mut Workspace) -> Option<f64> {
        let has_friction = self.members.iter().any(|&k| self.unknowns[k as usize].friction[0] > 0.0);
        workspace.mixing.clear();
        let mut least_change = f64::INFINITY;
        self.store_best(workspace);
        for _ in 0..MAX_ROUNDS {
            workspace.start.clear();
            workspace.start.extend(self.members.iter().map(|&k| self.unknowns[k as usize].impulse));
            let first = self.step(workspace);
            if first < least_change {
                least_change = first;
                self.store_best(workspace);
            }
            let mut change = first;
            for _ in 1..STEPS {
                if change <= self.tolerance {
                    return None;
                }
                change = self.step(workspace);
            }
            if change.is_nan() {
                break;
            }
            if !self.descend(workspace) {
                workspace.mixing.clear();
            }
            // Without friction the problem is convex and needs no mixing.
            if has_friction {
                self.mix(workspace);
            }
        }
        Some(least_change)
    }

    /// Stores the impulses and slip states as the best. After a Jacobi step, the impulses satisfy the bounds of the
    /// contact laws.
    fn store_best(&self, workspace: &mut Workspace) {
        let unknowns = self.members.iter().map(|&k| &self.unknowns[k as usize]);
        workspace.best.clear();
        workspace.best.extend(unknowns.map(|unknown| (unknown.impulse, unknown.slips)));
    }

    /// Stores the motion of the movers without impulses. The final motion is this motion plus the motion by the final
    /// impulses. Momentum is therefore conserved independently of the iterations.
    fn store_free_motion(&self, workspace: &mut Workspace) {
        self.move_by_impulses(&mut workspace.motion);
        workspace.free_motion.clear();
        workspace
            .free_motion
            .extend(self.movers.clone().map(|mover| self.field[mover] - workspace.motion[mover]));
    }

    fn recompute_field(&mut self, workspace: &mut Workspace) {
        self.move_by_impulses(&mut workspace.motion);
        for (mover, free_motion) in self.movers.clone().zip(&workspace.free_motion) {
            self.field[mover] = free_motion + workspace.motion[mover];
        }
    }

    fn restore_best(&mut self, workspace: &mut Workspace) {
        for (&k, &(impulse, slips)) in self.members.iter().zip(&workspace.best) {
            let unknown = &mut self.unknowns[k as usize];
            (unknown.impulse, unknown.slips) = (impulse, slips);
        }
        self.recompute_field(workspace);
    }

    /// M⁻¹ Gᵀ P of the current impulses.
    fn move_by_impulses(&self, motion: &mut Vec<Vec3>) {
        motion.resize(self.field.len(), Vec3::zeros());
        motion[self.movers.clone()].fill(Vec3::zeros());
        for &k in self.members {
            self.operator.load(k, &self.unknowns[k as usize].impulse, motion);
        }
        self.operator.divide_by_mass(self.movers.clone(), motion);
    }

    /// Starts the next round at the best combination of the last rounds. A combination with much larger impulses than
    /// the last round is discarded, because it contains self-equilibrated impulses, as on a body wedged by friction.
    fn mix(&mut self, workspace: &mut Workspace) {
        let Workspace { mixing, start, .. } = workspace;
        let unknowns = self.members.iter().map(|&k| &self.unknowns[k as usize]);
        let present: f64 = unknowns.clone().map(|unknown| unknown.impulse.norm()).sum();
        mixing.end(start, unknowns.map(|unknown| (unknown.impulse, unknown.mass)));
        let mixed: f64 = mixing.next_start().iter().map(Vec3::norm).sum();
        if mixed.is_nan() || mixed > MAX_GROWTH * present {
            mixing.clear();
            return;
        }
        for (&k, &impulse) in self.members.iter().zip(mixing.next_start()) {
            self.unknowns[k as usize].impulse = impulse;
        }
        self.recompute_field(workspace);
    }

    /// Relative velocity of a contact \[m/s\].
    pub fn velocity(&self, k: u32) -> Vec3 {
        self.unknowns[k as usize].drift + self.operator.jump(k, self.field)
    }

    /// Jacobi step: solves each contact on its own, all contacts from the same velocities. Returns the largest velocity
    /// change of a contact by the change of its own impulse \[m/s\]; NaN if an impulse is not finite.
    fn step(&mut self, workspace: &mut Workspace) -> f64 {
        let changes = &mut workspace.directions;
        changes.clear();
        let mut largest: f64 = 0.0;
        for &k in self.members {
            let velocity = self.velocity(k);
            let unknown = &mut self.unknowns[k as usize];
            if unknown.mass == 0.0 {
                changes.push(Vec3::zeros());
                continue;
            }
            let (impulse, slips) = unknown.improved(&velocity);
            let change = impulse - unknown.impulse;
            (unknown.impulse, unknown.slips) = (impulse, slips);
            let along = unknown.normal.dot(&change).abs() / unknown.mass;
            let across = change.norm() / unknown.mass_across.max(unknown.mass);
            if !change.norm_squared().is_finite() {
                return f64::NAN;
            }
            largest = largest.max(along).max(across);
            changes.push(change);
        }
        for (&k, change) in self.members.iter().zip(&*changes) {
            self.operator.push(k, change, self.field);
        }
        largest
    }

    /// Conjugate residuals on the closed contacts, to the tolerance. A contact that opens or begins to slip during the
    /// descent stays at its bound. Returns true if the sets of open, sticking and slipping contacts are the same as at
    /// the end of the last descent and do not change during this descent.
    ///
    /// No motion reduces the part of the residual that comes from redundant contacts whose rows differ slightly. For
    /// example, two nodes may each be in contact with the faces around the other node. Along this part, the impulses
    /// change until one of these contacts opens or slips.
    fn descend(&mut self, workspace: &mut Workspace) -> bool {
        let members = self.members.iter();
        let mut is_same =
            members.clone().map(|&k| self.unknowns[k as usize].face()).eq(workspace.faces.drain(..));
        workspace.faces.extend(members.map(|&k| self.unknowns[k as usize].face()));
        let mut power = self.begin_descent(workspace);
        for _ in 0..3 * self.members.len() {
            let is_null = power <= NULL_SPACE * product(&workspace.residuals, &workspace.scaled);
            if is_null {
                self.begin_direction(workspace);
            }
            let full = if is_null { f64::INFINITY } else { power / self.scale_responses(workspace) };
            let step = self.longest_step(workspace, full);
            if !step.is_finite() {
                break;
            }
            if step < full {
                let rounding = AT_BOUND * if is_null { step } else { full };
                self.fix_at_bounds(workspace, step + rounding);
                self.advance(workspace, step);
                is_same = false;
                power = self.begin_descent(workspace);
                continue;
            }
            self.advance(workspace, step);
            let Workspace { residuals, scaled, responses, decreases, .. } = &mut *workspace;
            add(residuals, -step, responses);
            add(scaled, -step, decreases);
            if residuals.iter().map(Vec3::norm).fold(0.0, f64::max) <= 0.5 * self.tolerance {
                break;
            }
            let before = std::mem::replace(&mut power, self.respond(workspace));
            self.turn_direction(workspace, power / before);
        }
        is_same
    }

    /// Computes the residuals r and the scaled residuals z = D⁻¹ r in the free directions of each contact, and begins
    /// with the direction z. Returns z · W z \[J\].
    fn begin_descent(&self, workspace: &mut Workspace) -> f64 {
        let Workspace { faces, residuals, scaled, .. } = &mut *workspace;
        residuals.clear();
        scaled.clear();
        for (&k, &face) in self.members.iter().zip(&*faces) {
            let unknown = &self.unknowns[k as usize];
            let residual = unknown.on(face, &(unknown.normal * unknown.target - self.velocity(k)));
            residuals.push(residual);
            scaled.push(unknown.scaled(face, &residual));
        }
        let power = self.respond(workspace);
        self.begin_direction(workspace);
        power
    }

    /// Computes W z for the scaled residuals z; returns z · W z \[J\].
    fn respond(&self, workspace: &mut Workspace) -> f64 {
        let Workspace { faces, scaled, scaled_responses, scaled_motion, .. } = workspace;
        scaled_responses.resize(self.members.len(), Vec3::zeros());
        scaled_motion.resize(self.field.len(), Vec3::zeros());
        self.apply_operator(faces, scaled, scaled_responses, scaled_motion)
    }

    /// Computes D⁻¹ W d for the direction d; returns W d · D⁻¹ W d \[J\].
    fn scale_responses(&self, workspace: &mut Workspace) -> f64 {
        let Workspace { faces, responses, decreases, .. } = workspace;
        decreases.clear();
        decreases.extend(
            self.members
                .iter()
                .zip(&*responses)
                .zip(&*faces)
                .map(|((&k, response), &face)| self.unknowns[k as usize].scaled(face, response)),
        );
        product(responses, decreases)
    }

    /// Uses the scaled residuals as search direction.
    fn begin_direction(&self, workspace: &mut Workspace) {
        let Workspace { scaled, scaled_responses, scaled_motion, directions, responses, motion, .. } =
            workspace;
        directions.clone_from(scaled);
        responses.clone_from(scaled_responses);
        motion[self.movers.clone()].copy_from_slice(&scaled_motion[self.movers.clone()]);
    }

    /// Replaces the search direction d by z + `ratio` d, with the scaled residuals z.
    fn turn_direction(&self, workspace: &mut Workspace, ratio: f64) {
        let turn = |direction: &mut [Vec3], scaled: &[Vec3]| {
            direction.iter_mut().zip(scaled).for_each(|(d, z)| *d = z + *d * ratio);
        };
        let Workspace { scaled, scaled_responses, scaled_motion, directions, responses, motion, .. } =
            workspace;
        turn(directions, scaled);
        turn(responses, scaled_responses);
        turn(&mut motion[self.movers.clone()], &scaled_motion[self.movers.clone()]);
    }

    /// Fixes the contacts that open or begin to slip within `step` along the search direction.
    fn fix_at_bounds(&self, workspace: &mut Workspace, step: f64) {
        let Workspace { faces, directions, .. } = workspace;
        for ((&k, direction), face) in self.members.iter().zip(&*directions).zip(faces) {
            *face = self.unknowns[k as usize].face_after(*face, direction, step);
        }
    }

    /// Computes the motion M⁻¹ Gᵀ d by a direction d, and the part of W d in the free directions of each contact
    /// (`responses`). Returns d · W d.
    fn apply_operator(
        &self,
        faces: &[Face],
        directions: &[Vec3],
        responses: &mut [Vec3],
        motion: &mut [Vec3],
    ) -> f64 {
        motion[self.movers.clone()].fill(Vec3::zeros());
        for (&k, direction) in self.members.iter().zip(directions) {
            self.operator.load(k, direction, motion);
        }
        self.operator.divide_by_mass(self.movers.clone(), motion);
        let mut stiffness = 0.0;
        for (place, (&k, &face)) in self.members.iter().zip(faces).enumerate() {
            responses[place] = self.unknowns[k as usize].on(face, &self.operator.jump(k, motion));
            stiffness += directions[place].dot(&responses[place]);
        }
        stiffness
    }

    /// Largest step, at most `full`, within which closed contacts stay closed and sticking contacts stick.
    fn longest_step(&self, workspace: &Workspace, full: f64) -> f64 {
        let contacts = self.members.iter().zip(&workspace.directions).zip(&workspace.faces);
        contacts.fold(full, |longest, ((&k, direction), &face)| {
            longest.min(self.unknowns[k as usize].reach(face, direction))
        })
    }

    fn advance(&mut self, workspace: &Workspace, step: f64) {
        for (&k, direction) in self.members.iter().zip(&workspace.directions) {
            self.unknowns[k as usize].impulse += direction * step;
        }
        for mover in self.movers.clone() {
            self.field[mover] += workspace.motion[mover] * step;
        }
    }
}

fn product(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

/// Adds `factor` times `terms` to `sum`.
fn add(sum: &mut [Vec3], factor: f64, terms: &[Vec3]) {
    sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term * factor);
}
