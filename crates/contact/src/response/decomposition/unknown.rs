//! One contact of a complementarity problem: the local step, which solves this contact alone, and the impulses at which
//! the contact opens or begins to slip.

use crate::math::{Mat3, Vec3};

/// A compliance is nearly singular if its determinant is at most this factor times the cube of its trace.
const NEGLIGIBLE_COMPLIANCE: f64 = 1e-12;

/// Impulse of a contact, and the data of its local step. For position corrections, displacements \[m\] replace the
/// velocities, and the impulses are in kg·m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub normal: Vec3,
    /// Lower bound c of the normal velocity \[m/s\].
    pub target: f64,
    /// Part of the relative velocity that is not due to movers \[m/s\], as in `Contact::drift`.
    pub drift: Vec3,
    /// Static and dynamic coefficients of friction \[-\].
    pub friction: [f64; 2],
    /// Impulse on the contactor \[N·s\].
    pub impulse: Vec3,
    /// Whether friction is at its bound.
    pub slips: bool,
    /// Inverse of the compliance D of the local steps \[kg\]; `None` without friction or if D is nearly singular.
    inverse: Option<Mat3>,
    /// 1/(n · D n) \[kg\]; zero without compliance.
    pub mass: f64,
    /// Reciprocal of the largest tangential eigenvalue of D \[kg\]; zero without compliance.
    pub mass_across: f64,
}

impl Unknown {
    /// `compliance` \[1/kg\] is D, an upper bound on the compliance W of this contact (`Operator::compliance`): D − W
    /// must be positive semi-definite. `friction` is the initial value of both coefficients of friction.
    pub fn new(normal: Vec3, compliance: &Mat3, drift: Vec3, friction: f64) -> Self {
        let invert = |compliance: f64| if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
        let along = normal.dot(&(compliance * normal));
        let scale = compliance.trace();
        let regular =
            friction > 0.0 && compliance.determinant() > NEGLIGIBLE_COMPLIANCE * scale * scale * scale;
        Self {
            normal,
            target: 0.0,
            drift,
            friction: [friction; 2],
            impulse: Vec3::zeros(),
            slips: false,
            inverse: if regular { compliance.try_inverse() } else { None },
            mass: invert(along),
            mass_across: invert(largest_across(compliance, &normal)),
        }
    }

    /// Normal impulse \[N·s\].
    pub fn pressure(&self) -> f64 {
        self.normal.dot(&self.impulse)
    }

    /// Impulse after a local step at the relative velocity `velocity`, and whether friction is then at its bound.
    pub fn improved(&self, velocity: &Vec3) -> (Vec3, bool) {
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

    /// Face of the friction cone on which the impulse lies.
    pub fn face(&self) -> Face {
        if self.mass == 0.0 || self.pressure() <= 0.0 {
            Face::Open
        } else if self.friction[0] == 0.0 || self.slips || self.inverse.is_none() {
            Face::Normal
        } else {
            Face::Sticking
        }
    }

    /// Part of `vector` in the directions in which the impulse can change on this face of the friction cone.
    pub fn on(&self, face: Face, vector: &Vec3) -> Vec3 {
        match face {
            Face::Open => Vec3::zeros(),
            Face::Normal => self.normal * self.normal.dot(vector),
            Face::Sticking => *vector,
        }
    }

    /// Product of `vector`, which lies in the free directions of `face`, with the inverse of D in these directions.
    pub fn scaled(&self, face: Face, vector: &Vec3) -> Vec3 {
        match (face, &self.inverse) {
            (Face::Sticking, Some(inverse)) => inverse * vector,
            _ => vector * self.mass,
        }
    }

    /// Smallest factor of `direction` at which the contact opens or begins to slip; infinity if it does neither.
    pub fn reach(&self, face: Face, direction: &Vec3) -> f64 {
        match face {
            Face::Open => f64::INFINITY,
            Face::Normal => self.opens_after(direction),
            Face::Sticking => self.opens_after(direction).min(self.slips_after(direction)),
        }
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

    /// Face after a change of the impulse by `step` times `direction`.
    pub fn face_after(&self, face: Face, direction: &Vec3, step: f64) -> Face {
        if face == Face::Open || self.opens_after(direction) <= step {
            Face::Open
        } else if face == Face::Sticking && self.slips_after(direction) <= step {
            Face::Normal
        } else {
            face
        }
    }
}

/// Largest eigenvalue of `compliance` restricted to the tangent plane.
fn largest_across(compliance: &Mat3, normal: &Vec3) -> f64 {
    let out = Mat3::identity() - normal * normal.transpose();
    let plane = out * compliance * out;
    // The two non-zero eigenvalues follow from the trace and the principal minors.
    let half = 0.5 * plane.trace();
    let minors = 0.5 * (plane.trace().powi(2) - (plane * plane).trace());
    half + (half * half - minors).max(0.0).sqrt()
}

/// Face of the friction cone on which the impulse stays during the method of conjugate residuals. It determines the
/// directions in which the impulse can change: none (`Open`), the normal (`Normal`), or all (`Sticking`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    Open,
    Normal,
    Sticking,
}

/// Smallest s ≥ 0 at which a s² + 2 b s + c becomes positive; infinity if it never does. Requires c ≤ 0.
fn first_root(a: f64, b: f64, c: f64) -> f64 {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || (a <= 0.0 && b <= 0.0) {
        return f64::INFINITY;
    }
    let root = discriminant.sqrt();
    if b > 0.0 { -c / (b + root) } else { (root - b) / a }
}
