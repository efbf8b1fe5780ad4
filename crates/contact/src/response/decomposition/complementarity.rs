//! Impulses by which a group of contacts satisfies the contact laws.
//!
//! The relative velocities u depend linearly on the impulses P:
//!
//! ```text
//! u = u⁰ + W P,   W = G M⁻¹ Gᵀ
//! ```
//! Here u⁰ are the relative velocities without impulses, G maps the velocities of the movers to relative velocities,
//! and M is the mass matrix. The normal velocity u_n and the normal impulse P_n of each contact satisfy
//! u_n ≥ c ⟂ P_n ≥ 0, with the lower bound c (`target`). Friction satisfies Coulomb's law.
//!
//! ```text
//! repeat   block Jacobi steps; they predict which contacts open, stick or slip
//!          conjugate residuals over the closed contacts; a contact that opens keeps its impulse, and a contact
//!          that slips keeps its friction impulse
//!          with friction, mixing: the next round begins at the best combination of up to seven rounds
//! until    a Jacobi step changes no velocity by more than the tolerance
//! after    `MAX_ROUNDS` unconverged rounds: restart from the initial guess, with Jacobi steps only
//! ```
//! Jacobi steps hardly converge if rows of G are redundant, as for contact of flat faces. Conjugate residuals need as
//! many iterations as G has independent rows. Conjugate gradients would diverge if rows are only nearly redundant.
//!
//! The result does not depend on the order of the contacts. Linear momentum is conserved for any tolerance, because
//! each impulse acts with opposite signs on the two sides of its contact.
//!
//! # Source
//! Tonge, Benevolenski & Voroshilov, ACM Trans. Graph. 31 (2012) 105 (Jacobi with shared masses); Renouf & Alart, CMAME
//! 194 (2005) 2019–2041 (Krylov method on the closed contacts); Saad, Iterative Methods for Sparse Linear Systems, 2nd
//! ed., 2003, §6.8 (conjugate residuals); Dostál & Schöberl, Comput. Optim. Appl. 30 (2005) 23–43 (alternation of steps
//! within the bounds and steps that change the active set).

use crate::math::Vec3;

use super::mixing::Mixing;
use super::operator::Operator;
use super::unknown::{Face, Unknown};
use crate::response::groups::momentum::Momentum;

/// Number of Jacobi steps in a round.
const STEPS: usize = 4;
/// Largest number of rounds. A round is `STEPS` Jacobi steps, a call of `descend` and, with friction, mixing.
const MAX_ROUNDS: usize = 100;
/// Largest number of Jacobi steps after the restart.
const MAX_STEPS: usize = 1000;
/// Number of Jacobi steps in a series after the restart.
const STEPS_TO_GAIN: usize = 100;
/// The Jacobi steps end if the smallest velocity change in a series exceeds this fraction of the smallest velocity
/// change in the previous series.
const GAIN: f64 = 0.5;
/// Largest ratio of the impulses after mixing to those before mixing (sums of magnitudes).
const MAX_GROWTH: f64 = 10.0;
/// With the residuals r and the compliances D of the Jacobi steps, let z = D⁻¹ r. Impulses along z count as causing no
/// motion if (z · W z)/(z · D z) is at most this.
const NULL_SPACE: f64 = 1e-10;
/// A step of conjugate residuals ends where a contact opens or begins to slip. Contacts that would do so in a slight
/// extension of this step count as opening or slipping too. The extension is this fraction of the step that no contact
/// limits; along a direction that causes no motion, it is this fraction of the limited step.
const AT_BOUND: f64 = 1e-9;

#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    faces: Vec<Face>,
    /// Residuals r = c n − u with the normals n.
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
    free_motion: Vec<Vec3>,
    guess: Vec<Vec3>,
    /// Impulses at the start of the round; after the restart, impulses after the previous Jacobi step.
    start: Vec<Vec3>,
    /// Impulses and slip states of the best iterate. The iterates after the first Jacobi step of each round and after
    /// the last Jacobi step of the restart compete; the best is the one whose step has the smallest velocity change.
    best: Vec<(Vec3, bool)>,
    mixing: Mixing,
}

/// Problem of a group. `field` always includes the motion due to the current impulses.
pub(super) struct Problem<'a> {
    /// G and M⁻¹.
    pub operator: &'a Operator,
    pub members: &'a [u32],
    pub movers: std::ops::Range<usize>,
    /// Unknowns of all contacts.
    pub unknowns: &'a mut [Unknown],
    /// Velocities of all movers \[m/s\], \[rad/s\], or their position corrections \[m\], \[rad\].
    pub field: &'a mut [Vec3],
    /// Tolerance of relative velocities \[m/s\] or of relative displacements \[m\].
    pub tolerance: f64,
}

impl Problem<'_> {
    /// Starts from the current impulses. Returns whether the iteration converged.
    pub fn solve(&mut self, workspace: &mut Workspace) -> bool {
        if self.members.len() == 1 {
            // For a single contact, Jacobi steps suffice.
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

    /// Restarts with Jacobi steps only; returns whether they converged. Unconverged rounds cycle through sets of
    /// sticking and slipping contacts; Jacobi steps alone do not.
    ///
    /// If these Jacobi steps do not converge, the problem keeps the better of two iterates: `best`, with the velocity
    /// change `left` \[m/s\], or the impulses after the last Jacobi step.
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

    /// Performs a series of Jacobi steps with extrapolation. Returns `None` if they converge, otherwise the velocity
    /// change of the last step and the smallest velocity change of the series \[m/s\].
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

    /// Moves the impulses beyond their current values, along their change since `start`. `start` receives the values
    /// before this extrapolation.
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

    /// Performs the rounds. Returns `None` if they converge, otherwise the smallest velocity change by the first Jacobi
    /// step of a round \[m/s\]; `workspace.best` then contains the impulses after this step.
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

    /// Stores the current impulses as the best. After a Jacobi step, the impulses satisfy P_n ≥ 0 and Coulomb's bound.
    fn store_best(&self, workspace: &mut Workspace) {
        let unknowns = self.members.iter().map(|&k| &self.unknowns[k as usize]);
        workspace.best.clear();
        workspace.best.extend(unknowns.map(|unknown| (unknown.impulse, unknown.slips)));
    }

    /// Stores the motion without impulses, to which `recompute_field` adds the motion by the impulses.
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

    /// Computes M⁻¹ Gᵀ P with the current impulses P.
    fn move_by_impulses(&self, motion: &mut Vec<Vec3>) {
        motion.resize(self.field.len(), Vec3::zeros());
        motion[self.movers.clone()].fill(Vec3::zeros());
        for &k in self.members {
            self.operator.load(k, &self.unknowns[k as usize].impulse, motion);
        }
        self.operator.divide_by_mass(self.movers.clone(), motion);
    }

    /// Starts the next round at the best combination of the present and the stored rounds. If the impulses of this
    /// combination are much larger than those of the present round, the next round starts at the end of the present
    /// round: very large impulses have self-equilibrated parts, as on a body wedged by friction.
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

    pub fn velocity(&self, k: u32) -> Vec3 {
        self.unknowns[k as usize].drift + self.operator.jump(k, self.field)
    }

    /// Jacobi step: solves each contact alone, all from the same velocities. Returns the largest velocity change of a
    /// contact by the change of its own impulse \[m/s\]; NaN if an impulse is not finite.
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

    /// Descent by conjugate residuals on the closed contacts. A contact that opens keeps its impulse; a contact that
    /// slips keeps its friction impulse. Returns whether the sets of open, sticking and slipping contacts are unchanged
    /// since the end of the previous descent.
    ///
    /// Along a search direction that causes no motion, the impulses grow until a contact opens or slips.
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

    /// Computes r, z = D⁻¹ r and W z in the directions in which the impulses may change (`Face`), and sets d = z.
    /// Returns z · W z \[J\].
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

    /// Computes W z; returns z · W z \[J\].
    fn respond(&self, workspace: &mut Workspace) -> f64 {
        let Workspace { faces, scaled, scaled_responses, scaled_motion, .. } = workspace;
        scaled_responses.resize(self.members.len(), Vec3::zeros());
        scaled_motion.resize(self.field.len(), Vec3::zeros());
        self.apply_operator(faces, scaled, scaled_responses, scaled_motion)
    }

    /// Computes D⁻¹ W d; returns W d · D⁻¹ W d \[J\].
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

    /// Sets d = z.
    fn begin_direction(&self, workspace: &mut Workspace) {
        let Workspace { scaled, scaled_responses, scaled_motion, directions, responses, motion, .. } =
            workspace;
        directions.clone_from(scaled);
        responses.clone_from(scaled_responses);
        motion[self.movers.clone()].copy_from_slice(&scaled_motion[self.movers.clone()]);
    }

    /// Replaces d by z + `ratio` d.
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

    fn fix_at_bounds(&self, workspace: &mut Workspace, step: f64) {
        let Workspace { faces, directions, .. } = workspace;
        for ((&k, direction), face) in self.members.iter().zip(&*directions).zip(faces) {
            *face = self.unknowns[k as usize].face_after(*face, direction, step);
        }
    }

    /// With d = `directions`, computes the `motion` M⁻¹ Gᵀ d, and in `responses` the part of W d in the directions that
    /// `faces` leave free. Returns d · W d \[J\].
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

    /// Largest step, at most `full`, up to which no contact opens or begins to slip.
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

fn add(sum: &mut [Vec3], factor: f64, terms: &[Vec3]) {
    sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term * factor);
}
