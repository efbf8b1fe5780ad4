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

    /// Compression ρ c v behind a front where the material moves with the speed v \[Pa\].
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
    /// F = K d^(3/2): K = 4/3 E/(1 − ν²) √R \[N/m^(3/2)\].
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

    /// Duration of the contact, 2 d/V ∫₀¹ (1 − x^(5/2))^(−1/2) dx = 2.9433 d/V \[s\].
    pub fn duration(&self) -> f64 {
        2.943_3 * self.approach() / self.speed
    }

    /// Radius of the zone of contact at the largest approach over that of the ball, √(d/R) \[-\].
    pub fn contact_ratio(&self) -> f64 {
        (self.approach() / self.radius).sqrt()
    }
}

/// The values of the sources' own examples come out.
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
