//! Closed-form solutions.

/// One-dimensional waves in a slender bar.
///
/// Source: Graff, Wave Motion in Elastic Solids, 1975, §2.1 and §2.4.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Length \[m\].
    pub length: f64,
    /// Area of the section \[m²\].
    pub area: f64,
}

impl Bar {
    /// Speed of waves √(E/ρ) \[m/s\].
    pub fn wave_speed(&self) -> f64 {
        (self.young / self.density).sqrt()
    }

    /// Compressive stress ρ c v behind a wave front, where the material moves with the speed v \[Pa\].
    pub fn stress(&self, speed: f64) -> f64 {
        self.density * self.wave_speed() * speed
    }

    /// Time for a wave to run once along the bar \[s\].
    pub fn transit_time(&self) -> f64 {
        self.length / self.wave_speed()
    }
}

/// Impact of an elastic ball on a rigid plane.
///
/// Source: Hertz 1882; Johnson, Contact Mechanics, 1985, §11.4 (a).
#[derive(Clone, Copy, Debug)]
pub struct HertzImpact {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio \[-\].
    pub poisson: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Radius \[m\].
    pub radius: f64,
    /// Speed of impact \[m/s\].
    pub speed: f64,
}

impl HertzImpact {
    /// Stiffness K = 4/3 E/(1 − ν²) √R of Hertz's law F = K d^(3/2) for the force F and the approach d \[N/m^(3/2)\].
    fn stiffness(&self) -> f64 {
        4.0 / 3.0 * self.young / (1.0 - self.poisson * self.poisson) * self.radius.sqrt()
    }

    /// Mass \[kg\].
    pub fn mass(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3) * self.density
    }

    /// Largest approach (5 m V² / 4 K)^(2/5) \[m\].
    pub fn approach(&self) -> f64 {
        (1.25 * self.mass() * self.speed * self.speed / self.stiffness()).powf(0.4)
    }

    /// Largest force K d^(3/2) \[N\].
    pub fn force(&self) -> f64 {
        self.stiffness() * self.approach().powf(1.5)
    }

    /// Duration of the contact \[s\], 2 d/V ∫₀¹ (1 − x^(5/2))^(−1/2) dx = 2.9433 d/V, with the largest approach d and
    /// the speed V.
    pub fn duration(&self) -> f64 {
        2.943_3 * self.approach() / self.speed
    }

    /// Radius of the contact zone at the largest approach over the radius of the ball, √(d/R) \[-\].
    pub fn contact_ratio(&self) -> f64 {
        (self.approach() / self.radius).sqrt()
    }
}

/// Quasi-static impact of a ball whose own compliance replaces Hertz's half-space.
#[derive(Clone, Copy, Debug)]
pub struct BallImpact {
    /// Largest force \[N\].
    pub force: f64,
    /// Duration of the contact \[s\].
    pub duration: f64,
    /// Largest approach of the centre of mass \[m\].
    pub approach: f64,
}

impl HertzImpact {
    /// The impact with the approach d(F) = d_Hertz(F) + s F. Here s is the compliance of the ball less the compliance
    /// of a half-space, under Hertz's pressure. The inertia of the ball balances this pressure ([`ball_compliance`]).
    ///
    /// Let a be the radius of the contact, and R the radius of the ball. To first order in a/R, Hertz's pressure may be
    /// used, because the compliance is stationary with respect to the pressure. The inertia is the inertia of a rigid
    /// ball, because vibrations of the ball add terms of second order. Let f = F/F_Hertz and σ = s F_Hertz/d_Hertz.
    /// Conservation of energy gives f^(5/3) + 5/4 σ f² = 1 at the largest force. The duration is 2/V ∫ dd/√(1 − f^(5/3)
    /// − 5/4 σ f²).
    pub fn of_finite_ball(&self) -> BallImpact {
        let mut force: f64 = 1.0;
        let mut excess = 0.0;
        for _ in 0..50 {
            let ratio = self.contact_ratio() * f64::cbrt(force);
            // On the half-space, the mean displacement weighted by Hertz's pressure is 4/5 of the approach.
            let half_space = 0.75 * (1.0 - self.poisson * self.poisson) / ratio;
            excess = (ball_compliance(ratio, self.poisson) - 0.8 * half_space) / half_space
                * force.powf(-1.0 / 3.0);
            force = f64::powf(1.0 - 1.25 * excess * force * force, 0.6);
        }
        // The substitution f = f_max (1 − u²)^(3/2) removes the singularities at both ends of the integral. The
        // midpoint rule in u then gives the integral.
        let (steps, energy) = (2000, |f: f64| f.powf(5.0 / 3.0) + 1.25 * excess * f * f);
        let mut integral = 0.0;
        for k in 0..steps {
            let u = (k as f64 + 0.5) / steps as f64;
            let v = 1.0 - u * u;
            let f = force * v.powf(1.5);
            let approach_rate = 2.0 / 3.0 * f.powf(-1.0 / 3.0) + excess;
            integral += approach_rate * 3.0 * force * u * v.sqrt() / (1.0 - energy(f)).sqrt() / steps as f64;
        }
        BallImpact {
            force: self.force() * force,
            duration: 2.0 * self.approach() / self.speed * integral,
            approach: self.approach() * (force.powf(2.0 / 3.0) + excess * force),
        }
    }
}

/// Dimensionless compliance of a ball under Hertz's pressure on a cap of radius `ratio` R: E R times the mean
/// displacement by a unit force. The mean is weighted by the pressure and relative to the centre of mass. The inertia
/// of the ball, a uniform body force, balances the pressure.
///
/// The solution is a series of spheroidal displacements of degree n in Legendre polynomials, each without shear stress
/// at the surface. Their coefficients are u_r = A (n+1)(n−2+4ν) + B n, σ_rr/2μ = A (n+1)(n²−n−2−2ν) + B n(n−1), σ_rθ/2μ
/// = A (n²+2n−1+2ν) + B (n−1).
///
/// Source: Lur'e, Three-Dimensional Problems of the Theory of Elasticity, 1964, on the elastic sphere. The term of
/// degree one, with the body force that balances the pressure, follows from u = D r² e_z.
pub fn ball_compliance(ratio: f64, poisson: f64) -> f64 {
    const POINTS: usize = 400;
    let nu = poisson;
    let shear = 0.5 / (1.0 + nu);
    let lame = 2.0 * shear * nu / (1.0 - 2.0 * nu);
    // Points of the cap: cosine of the polar angle, and pressure times area. For r = a √(1 − s²), the pressure times
    // area is 3 s² ds with s in (0, 1).
    let cap = (0..POINTS).map(|k| {
        let s = (k as f64 + 0.5) / POINTS as f64;
        let cosine = (1.0 - ratio * ratio * (1.0 - s * s)).sqrt();
        (cosine, 3.0 * s * s / POINTS as f64 / cosine)
    });
    let (cosines, weights): (Vec<f64>, Vec<f64>) = cap.unzip();
    let (mut before, mut legendre) = (vec![0.0; POINTS], vec![1.0; POINTS]);
    let mut compliance = 0.0;
    for degree in 0..(60.0 / ratio) as usize {
        let n = degree as f64;
        let projection: f64 = weights.iter().zip(&legendre).map(|(weight, p)| weight * p).sum();
        let pressure = (2.0 * n + 1.0) / (4.0 * std::f64::consts::PI) * projection;
        let inward = match degree {
            0 => pressure * (1.0 - 2.0 * nu),
            1 => {
                let force = 0.75 / std::f64::consts::PI;
                let d = -force / (8.0 * shear + 2.0 * lame);
                let a = -d / (2.0 + 2.0 * nu);
                let centre = 0.6 * (d + a * (2.0 * (4.0 * nu - 1.0) + 2.0 * (6.0 - 4.0 * nu)) / 3.0);
                centre - d - 2.0 * a * (4.0 * nu - 1.0)
            }
            _ => {
                let [a_normal, b_normal] = [(n + 1.0) * (n * n - n - 2.0 - 2.0 * nu), n * (n - 1.0)];
                let [a_shear, b_shear] = [n * n + 2.0 * n - 1.0 + 2.0 * nu, n - 1.0];
                let determinant = a_normal * b_shear - b_normal * a_shear;
                let [a, b] = [b_shear, -a_shear].map(|c| -pressure / (2.0 * shear) * c / determinant);
                -(a * (n + 1.0) * (n - 2.0 + 4.0 * nu) + b * n)
            }
        };
        compliance += inward * projection;
        for ((before, p), cosine) in before.iter_mut().zip(&mut legendre).zip(&cosines) {
            let next = ((2.0 * n + 1.0) * cosine * *p - n * *before) / (n + 1.0);
            *before = std::mem::replace(p, next);
        }
    }
    compliance
}

/// For a small cap, the compliance of the ball approaches the compliance of a half-space. The ball is stiffer by a
/// fraction proportional to the size of the cap. The duration of a slow impact agrees with Hertz's duration to 0.5 %.
#[test]
fn a_small_cap_feels_a_half_space() {
    let half_space = |ratio: f64| 0.6 * (1.0 - 0.09) / ratio;
    let relative = [0.1, 0.05].map(|ratio| ball_compliance(ratio, 0.3) / half_space(ratio) - 1.0);
    assert!(relative[0] < 0.0 && (relative[1] / relative[0] - 0.5).abs() < 0.05, "{relative:?}");
    let slow = HertzImpact { young: 10e6, poisson: 0.3, density: 1000.0, radius: 0.1, speed: 1e-4 };
    let [ball, hertz] = [slow.of_finite_ball().duration, slow.duration()];
    assert!((ball / hertz - 1.0).abs() < 0.005, "{ball} {hertz}");
}

/// The closed forms reproduce the examples of their sources.
#[test]
fn closed_forms_give_the_published_numbers() {
    let steel = HertzImpact { young: 210e9, poisson: 0.3, density: 7850.0, radius: 0.01, speed: 1.0 };
    assert!((steel.force() - 2310.0).abs() < 5.0);
    assert!((steel.approach() - 17.8e-6).abs() < 0.05e-6);
    assert!((steel.duration() - 52.4e-6).abs() < 0.1e-6);
    let bar = Bar { young: 200e9, density: 7850.0, length: 0.1, area: 1e-4 };
    assert!((2.0 * bar.transit_time() - 39.62e-6).abs() < 0.01e-6);
    assert!((bar.stress(5.0) - 198.1e6).abs() < 0.1e6);
}
