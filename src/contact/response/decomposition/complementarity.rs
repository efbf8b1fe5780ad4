//! Impulses of a group of contacts that bring their relative velocities where the laws of contact want them.
//!
//! With u = u⁰ + W P, W = G M⁻¹ Gᵀ, the solution has at each contact u_n ≥ c ⟂ P_n ≥ 0 along the normal, and across it
//! P_t within μ P_n: against the slip where it is at that bound, without slip below it. Normals and tangents are rows of
//! one problem: friction changes the normal velocities of all.
//!
//! ```text
//! repeat   block Jacobi steps with shared masses: each contact as if alone; they find who opens, sticks, slips
//!          conjugate gradients over the contacts that press, with the impulses across of those that slip as they are;
//!          one that opens or slips on the way stays as it is there
//!          with friction, the next round begins at the best combination of the last ones (see `mixing`)
//! until    a step changes nothing
//! ```
//! Conjugate gradients solve the redundant rows of flat faces, where steps hardly converge, in as many steps as there are
//! independent ones. All contacts are treated alike, in whatever order they stand: the impulses of redundant contacts, which
//! the laws do not determine, have the symmetry of the question. Momentum is kept whatever the tolerance, as impulses act on
//! movers through the rows of G.
//!
//! # Source
//! Tonge, Benevolenski & Voroshilov, ACM Trans. Graph. 31 (2012) 105 (Jacobi with shared masses); Renouf & Alart, CMAME 194 (2005) 2019–2041
//! (conjugate gradients on the contacts that press); Dostál & Schöberl, Comput. Optim. Appl. 30 (2005) 23–43 (steps within
//! the bounds alternate with those that change the set).

use crate::math::{Mat3, Vec3};

use super::mixing::Mixing;
use super::operator::Operator;

/// Jacobi steps between two descents.
const STEPS: usize = 4;
/// Most rounds of steps and descent; momentum does not depend on convergence.
const MAX_ROUNDS: usize = 100;
/// Where a round changes the velocities by so much more than the one that changed them least, it is not gone on from.
const GROWS: f64 = 10.0;
/// Directions in which W is less than this part of D are those of impulses that move nothing.
const IDLE: f64 = 1e-10;
/// A direction in which the bodies give way by less than this part of what they do in others is held.
const HELD: f64 = 1e-12;

/// A contact that is at a bound after this part of a step is at it already.
const AT_BOUND: f64 = 1e-9;

/// One contact of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    /// Unit normal out of the target.
    pub normal: Vec3,
    /// Normal velocity that it is not to fall below, c \[m/s\].
    pub target: f64,
    /// The part of the relative velocity that impulses cannot change \[m/s\].
    pub drift: Vec3,
    /// Coefficients of friction at rest and as it slides \[-\].
    pub friction: [f64; 2],
    /// Impulse on the contactor \[N·s\].
    pub impulse: Vec3,
    /// Whether friction is at its bound.
    pub slips: bool,
    /// D \[1/kg\], and D⁻¹ where it has one \[kg\].
    compliance: Mat3,
    inverse: Option<Mat3>,
    /// 1/(n · D n), and the reciprocal of the bound on D across n \[kg\]; zero where nothing gives way.
    mass: f64,
    mass_across: f64,
}

impl Unknown {
    /// Of a contact without impulse, with the compliance D ≥ W_kk with which it steps \[1/kg\] and a coefficient of friction.
    pub fn new(normal: Vec3, compliance: &Mat3, drift: Vec3, friction: f64) -> Self {
        let invert = |compliance: f64| if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
        let along = normal.dot(&(compliance * normal));
        let scale = compliance.trace();
        let regular = friction > 0.0 && compliance.determinant() > HELD * scale * scale * scale;
        Self {
            normal,
            target: 0.0,
            drift,
            friction: [friction; 2],
            impulse: Vec3::zeros(),
            slips: false,
            compliance: *compliance,
            inverse: if regular { compliance.try_inverse() } else { None },
            mass: invert(along),
            mass_across: invert(largest_across(compliance, &normal)),
        }
    }

    /// Effective mass along the normal \[kg\]; zero where neither side gives way.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Normal impulse \[N·s\].
    pub fn pressure(&self) -> f64 {
        self.normal.dot(&self.impulse)
    }

    /// The impulse after a step of this contact as if it were alone, given its relative velocity.
    fn improved(&self, velocity: &Vec3) -> (Vec3, bool) {
        let wanted = self.normal * self.target;
        if let Some(inverse) = &self.inverse {
            let sticking = self.impulse + inverse * (wanted - velocity);
            let normal = self.normal.dot(&sticking);
            if normal > 0.0 && (sticking - self.normal * normal).norm() <= self.friction[0] * normal {
                return (sticking, false);
            }
        }
        let present = self.pressure();
        let normal = (present + self.mass * (self.target - self.normal.dot(velocity))).max(0.0);
        if self.friction[0] == 0.0 {
            return (self.normal * normal, false);
        }
        let slip = velocity - self.normal * self.normal.dot(velocity);
        let trial = self.impulse - self.normal * present - slip * self.mass_across;
        let size = trial.norm();
        let slips = size > self.friction[0] * normal;
        let across = if slips { trial * (self.friction[1] * normal / size) } else { trial };
        (self.normal * normal + across, slips)
    }

    /// Directions in which a descent may change the impulse.
    fn face(&self) -> Face {
        if self.mass == 0.0 || self.pressure() <= 0.0 {
            Face::Open
        } else if self.friction[0] == 0.0 || self.slips || self.inverse.is_none() {
            Face::Normal
        } else {
            Face::Sticking
        }
    }
}

/// Largest eigenvalue across the normal.
fn largest_across(compliance: &Mat3, normal: &Vec3) -> f64 {
    let out = Mat3::identity() - normal * normal.transpose();
    let plane = out * compliance * out;
    // Two eigenvalues are not zero: from the trace and the sum of the principal minors.
    let half = 0.5 * plane.trace();
    let minors = 0.5 * (plane.trace().powi(2) - (plane * plane).trace());
    half + (half * half - minors).max(0.0).sqrt()
}

/// What of an impulse is free in a descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    Open,
    Normal,
    Sticking,
}

/// Vectors of a descent, by member of the group, and its motion; reused from group to group.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    faces: Vec<Face>,
    residuals: Vec<Vec3>,
    directions: Vec<Vec3>,
    answers: Vec<Vec3>,
    motion: Vec<Vec3>,
    /// Motion without impulses, of the movers of the group.
    rest: Vec<Vec3>,
    /// Impulses at the start of the round.
    start: Vec<Vec3>,
    /// Impulses from which a step changed the velocities least, and by how much \[m/s\].
    nearest: Vec<Vec3>,
    least_change: f64,
    mixing: Mixing,
}

/// The problem of a group; `field` has the velocities of its movers under the present impulses.
pub(super) struct Problem<'a> {
    /// G and M⁻¹.
    pub operator: &'a Operator,
    /// Contacts of the group.
    pub members: &'a [u32],
    /// Its movers.
    pub movers: std::ops::Range<usize>,
    /// Of all contacts.
    pub unknowns: &'a mut [Unknown],
    /// Of all movers.
    pub field: &'a mut [Vec3],
    /// Relative velocities are found to this \[m/s\].
    pub tolerance: f64,
}

impl Problem<'_> {
    /// Finds the impulses from the present ones on; whether they are found to the tolerance. If not they are those that
    /// came nearest to it.
    pub fn solve(&mut self, workspace: &mut Workspace) -> bool {
        self.note_rest(workspace);
        let is_solved = self.iterate(workspace);
        if !is_solved {
            self.restart_from_nearest(workspace);
        }
        self.renew_field(workspace);
        is_solved
    }

    fn iterate(&mut self, workspace: &mut Workspace) -> bool {
        // Without friction the problem is convex, and needs no mixing.
        let rubs = self.members.iter().any(|&k| self.unknowns[k as usize].friction[0] > 0.0);
        workspace.mixing.clear();
        workspace.least_change = f64::INFINITY;
        workspace.nearest.clear();
        workspace.nearest.extend(self.members.iter().map(|&k| self.unknowns[k as usize].impulse));
        for _ in 0..MAX_ROUNDS {
            workspace.start.clear();
            workspace.start.extend(self.members.iter().map(|&k| self.unknowns[k as usize].impulse));
            let first = self.step(workspace);
            if first < workspace.least_change {
                workspace.least_change = first;
                workspace.nearest.clone_from(&workspace.start);
            }
            let mut change = first;
            for _ in 1..STEPS {
                if change <= self.tolerance {
                    return true;
                }
                change = self.step(workspace);
            }
            if first.is_nan() || first > GROWS * workspace.least_change {
                self.restart_from_nearest(workspace);
                workspace.mixing.clear();
                continue;
            }
            self.descend(workspace);
            if rubs {
                self.mix(workspace);
            }
        }
        false
    }

    /// The motion of the movers without impulses, to which that by the impulses is added in the end: so momentum is kept
    /// whatever the way was.
    fn note_rest(&self, workspace: &mut Workspace) {
        self.move_by_impulses(&mut workspace.motion);
        workspace.rest.clear();
        workspace.rest.extend(self.movers.clone().map(|mover| self.field[mover] - workspace.motion[mover]));
    }

    fn renew_field(&mut self, workspace: &mut Workspace) {
        self.move_by_impulses(&mut workspace.motion);
        for (mover, rest) in self.movers.clone().zip(&workspace.rest) {
            self.field[mover] = rest + workspace.motion[mover];
        }
    }

    fn restart_from_nearest(&mut self, workspace: &mut Workspace) {
        for (&k, &impulse) in self.members.iter().zip(&workspace.nearest) {
            self.unknowns[k as usize].impulse = impulse;
        }
        self.renew_field(workspace);
    }

    /// M⁻¹ Gᵀ P of the present impulses.
    fn move_by_impulses(&self, motion: &mut Vec<Vec3>) {
        motion.resize(self.field.len(), Vec3::zeros());
        motion[self.movers.clone()].fill(Vec3::zeros());
        for &k in self.members {
            self.operator.load(k, &self.unknowns[k as usize].impulse, motion);
        }
        self.operator.divide_by_mass(self.movers.clone(), motion);
    }

    /// Begins the next round at the best combination of the last ones.
    fn mix(&mut self, workspace: &mut Workspace) {
        let Workspace { mixing, start, .. } = workspace;
        let unknowns = self.members.iter().map(|&k| &self.unknowns[k as usize]);
        mixing.end(start, unknowns.map(|unknown| (unknown.impulse, unknown.mass)));
        for (&k, &impulse) in self.members.iter().zip(mixing.next_start()) {
            self.unknowns[k as usize].impulse = impulse;
        }
        self.renew_field(workspace);
    }

    /// Relative velocity of a contact \[m/s\].
    pub fn velocity(&self, k: u32) -> Vec3 {
        self.unknowns[k as usize].drift + self.operator.jump(k, self.field)
    }

    /// All contacts from the same velocities; the largest change that one of them wants of its own \[m/s\].
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
            largest = largest.max(along).max(across);
            changes.push(change);
        }
        for (&k, change) in self.members.iter().zip(&*changes) {
            self.operator.push(k, change, self.field);
        }
        largest
    }

    /// Conjugate gradients on the contacts that press, to the tolerance. Those that open on the way, or slip, are left as
    /// they are there.
    fn descend(&mut self, workspace: &mut Workspace) {
        workspace.faces.clear();
        workspace.faces.extend(self.members.iter().map(|&k| self.unknowns[k as usize].face()));
        let mut power = self.begin_descent(workspace);
        for _ in 0..3 * self.members.len() {
            let Workspace { faces, residuals, directions, answers, motion, .. } = &mut *workspace;
            let stiffness = self.answer(faces, directions, answers, motion);
            if stiffness <= IDLE * self.stiffness_apart(directions) || power <= 0.0 {
                return;
            }
            let full = power / stiffness;
            let step = self.longest_step(directions, faces, full);
            self.advance(step, directions, motion);
            if step < full {
                self.hold_those_at_bounds(step, directions, faces);
                power = self.begin_descent(workspace);
                continue;
            }
            let mut largest: f64 = 0.0;
            let mut next = 0.0;
            for (place, (&k, &face)) in self.members.iter().zip(&*faces).enumerate() {
                residuals[place] -= answers[place] * step;
                largest = largest.max(residuals[place].norm());
                let scaled = self.unknowns[k as usize].scaled(face, &residuals[place]);
                next += residuals[place].dot(&scaled);
                answers[place] = scaled;
            }
            if largest <= 0.5 * self.tolerance {
                return;
            }
            let ratio = next / power;
            power = next;
            for (direction, scaled) in directions.iter_mut().zip(&*answers) {
                *direction = scaled + *direction * ratio;
            }
        }
    }

    /// Residuals, and directions of steepest descent on the free faces; their product \[J\].
    fn begin_descent(&self, workspace: &mut Workspace) -> f64 {
        let Workspace { faces, residuals, directions, answers, .. } = workspace;
        residuals.clear();
        directions.clear();
        answers.clear();
        let mut power = 0.0;
        for (&k, &face) in self.members.iter().zip(&*faces) {
            let unknown = &self.unknowns[k as usize];
            let residual = unknown.on(face, &(unknown.normal * unknown.target - self.velocity(k)));
            let direction = unknown.scaled(face, &residual);
            power += residual.dot(&direction);
            residuals.push(residual);
            directions.push(direction);
            answers.push(Vec3::zeros());
        }
        power
    }

    /// Takes out of a descent what has opened or slipped after a step.
    fn hold_those_at_bounds(&mut self, step: f64, directions: &[Vec3], faces: &mut [Face]) {
        for ((&k, direction), face) in self.members.iter().zip(directions).zip(faces) {
            if *face != Face::Open {
                *face = self.unknowns[k as usize].face_at_bound(*face, &(direction * step));
            }
        }
    }

    /// The motion M⁻¹ Gᵀ d of a direction d, its answers G M⁻¹ Gᵀ d, and d · G M⁻¹ Gᵀ d.
    fn answer(&self, faces: &[Face], directions: &[Vec3], answers: &mut [Vec3], motion: &mut [Vec3]) -> f64 {
        motion[self.movers.clone()].fill(Vec3::zeros());
        for (&k, direction) in self.members.iter().zip(directions) {
            self.operator.load(k, direction, motion);
        }
        self.operator.divide_by_mass(self.movers.clone(), motion);
        let mut stiffness = 0.0;
        for (place, (&k, &face)) in self.members.iter().zip(faces).enumerate() {
            answers[place] = self.unknowns[k as usize].on(face, &self.operator.jump(k, motion));
            stiffness += directions[place].dot(&answers[place]);
        }
        stiffness
    }

    /// d · D d.
    fn stiffness_apart(&self, directions: &[Vec3]) -> f64 {
        let terms = self.members.iter().zip(directions);
        terms.map(|(&k, direction)| direction.dot(&(self.unknowns[k as usize].compliance * direction))).sum()
    }

    /// The part of a step that leaves all that press pressing, and all that stick sticking.
    fn longest_step(&self, directions: &[Vec3], faces: &[Face], full: f64) -> f64 {
        let mut longest = full;
        for ((&k, direction), &face) in self.members.iter().zip(directions).zip(faces) {
            if face != Face::Open {
                longest = longest.min(self.unknowns[k as usize].reach(face, direction));
            }
        }
        longest
    }

    fn advance(&mut self, step: f64, directions: &[Vec3], motion: &[Vec3]) {
        for (&k, direction) in self.members.iter().zip(directions) {
            self.unknowns[k as usize].impulse += direction * step;
        }
        for mover in self.movers.clone() {
            self.field[mover] += motion[mover] * step;
        }
    }
}

impl Unknown {
    /// The part of a vector in the directions that are free.
    fn on(&self, face: Face, vector: &Vec3) -> Vec3 {
        match face {
            Face::Open => Vec3::zeros(),
            Face::Normal => self.normal * self.normal.dot(vector),
            Face::Sticking => *vector,
        }
    }

    /// D⁻¹ of a vector in these directions.
    fn scaled(&self, face: Face, vector: &Vec3) -> Vec3 {
        match (face, &self.inverse) {
            (Face::Sticking, Some(inverse)) => inverse * vector,
            _ => vector * self.mass,
        }
    }

    /// How far the impulse can go in a direction until the contact opens, or slips.
    fn reach(&self, face: Face, direction: &Vec3) -> f64 {
        self.opens_after(direction).min(match face {
            Face::Sticking => self.slips_after(direction),
            _ => f64::INFINITY,
        })
    }

    fn opens_after(&self, direction: &Vec3) -> f64 {
        let (pressure, rate) = (self.pressure(), self.normal.dot(direction));
        if rate < 0.0 { (-pressure / rate).max(0.0) } else { f64::INFINITY }
    }

    fn slips_after(&self, direction: &Vec3) -> f64 {
        let (pressure, rate) = (self.pressure(), self.normal.dot(direction));
        let across = self.impulse - self.normal * pressure;
        let rate_across = direction - self.normal * rate;
        let square = self.friction[0] * self.friction[0];
        let a = rate_across.norm_squared() - square * rate * rate;
        let b = across.dot(&rate_across) - square * pressure * rate;
        let c = (across.norm_squared() - square * pressure * pressure).min(0.0);
        first_root(a, b, c)
    }

    /// Its face where a step more like the last one would open it or make it slip at once.
    fn face_at_bound(&self, face: Face, last: &Vec3) -> Face {
        if self.opens_after(last) <= AT_BOUND {
            Face::Open
        } else if face == Face::Sticking && self.slips_after(last) <= AT_BOUND {
            Face::Normal
        } else {
            face
        }
    }
}

/// The least positive root of a s² + 2 b s + c with c ≤ 0, where the value becomes positive; infinite if it never does.
fn first_root(a: f64, b: f64, c: f64) -> f64 {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || (a <= 0.0 && b <= 0.0) {
        return f64::INFINITY;
    }
    let root = discriminant.sqrt();
    if b > 0.0 { -c / (b + root) } else { (root - b) / a }
}
