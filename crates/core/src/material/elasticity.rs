//! Isotropic elastic constants.

/// Isotropic elastic constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// First Lamé constant λ \[Pa\].
    pub lambda: f64,
    /// Shear modulus μ \[Pa\].
    pub mu: f64,
}

/// Elastic constants for which no stable isotropic solid exists.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElasticityError {
    /// Not a positive finite number.
    #[error("Young's modulus is {0}; give a positive number")]
    Young(f64),
    /// Not between −1 and ½.
    #[error("Poisson's ratio is {0}; give a number between -1 and 0.5, both excluded")]
    Poisson(f64),
}

impl Elasticity {
    /// From Young's modulus \[Pa\] and Poisson's ratio \[-\]: λ = Eν/((1+ν)(1−2ν)), μ = E/(2(1+ν)).
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, ElasticityError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(ElasticityError::Young(young));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(ElasticityError::Poisson(poisson));
        }
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { lambda, mu: young / (2.0 * (1.0 + poisson)) })
    }

    /// Bulk modulus K = λ + ⅔μ \[Pa\].
    pub fn bulk_modulus(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// Modulus of plane compression waves λ + 2μ \[Pa\].
    pub fn p_wave_modulus(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}
