//! Audit of the hourglass energy of a body against its strain energy.

use serde::{Deserialize, Serialize};

/// Largest tolerated ratio of the peak hourglass energy of a body to its peak strain energy \[-\]. At larger ratios,
/// hourglass control carries bending load.
///
/// A bent beam with n layers of cells across its depth has the ratio k/(n² − 1), with k = 0.05 for cells that are short
/// along the beam, and k = 0.15 for cubes. With two layers, the deflection is about 30 % too large.
const TOLERATED_RATIO: f64 = 0.015;

/// Largest hourglass energy that counts as noise, relative to the largest energy of the run so far \[-\].
const NEGLIGIBLE_ENERGY: f64 = 1e-6;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HourglassAudit {
    /// Largest strain energy so far \[J\].
    strain: f64,
    /// Largest hourglass energy so far \[J\].
    hourglass: f64,
    /// Time since which the ratio of `hourglass` to `strain` exceeds its tolerance \[s\]. `None` while the ratio is
    /// tolerated, or `hourglass` is noise.
    passed_at: Option<f64>,
}

impl HourglassAudit {
    /// `strain` and `hourglass` are the current energies of the body \[J\], and `largest_energy` is the largest energy
    /// of the run so far \[J\]. `time` is in \[s\].
    pub fn note(&mut self, time: f64, [strain, hourglass]: [f64; 2], largest_energy: f64) {
        self.strain = self.strain.max(strain);
        self.hourglass = self.hourglass.max(hourglass);
        let is_past = self.hourglass > TOLERATED_RATIO * self.strain
            && self.hourglass > NEGLIGIBLE_ENERGY * largest_energy;
        self.passed_at = is_past.then(|| self.passed_at.unwrap_or(time));
    }

    /// `None` while `passed_at` is `None`.
    pub fn warning(&self, body: &str) -> Option<String> {
        let Self { strain, hourglass, passed_at } = *self;
        let share = if strain > 0.0 {
            format!("{:.1} % of", 100.0 * hourglass / strain)
        } else {
            "more than".to_owned()
        };
        passed_at.map(|time| {
            format!(
                "the hourglass energy of body `{body}` reaches {hourglass:.3e} J, {share} its largest strain energy, \
                 {strain:.3e} J, and exceeded {:.1} % at t = {time:.6e} s: hourglass control resists bending that \
                 one-point elements do not resolve; refine the mesh to four elements or more across the bending \
                 direction, or set hex = \"mean-dilatation\" in the body",
                100.0 * TOLERATED_RATIO
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hourglass energy below the noise limit is ignored. A new peak of the strain energy can make the ratio tolerated.
    #[test]
    fn the_peak_of_strain_counts() {
        let mut audit = HourglassAudit::default();
        let passed_at = |audit: &mut HourglassAudit, time, energies| {
            audit.note(time, energies, 1.0);
            audit.passed_at
        };
        assert_eq!(passed_at(&mut audit, 0.0, [1e-9, 9e-7]), None);
        assert_eq!(passed_at(&mut audit, 1.0, [1e-3, 2e-4]), Some(1.0));
        assert_eq!(passed_at(&mut audit, 2.0, [2e-2, 1e-4]), None);
        assert_eq!(passed_at(&mut audit, 3.0, [0.0, 2e-4]), None);
        assert_eq!(passed_at(&mut audit, 4.0, [0.0, 2e-3]), Some(4.0));
        assert_eq!(passed_at(&mut audit, 5.0, [0.0, 3e-3]), Some(4.0));
        let text = audit.warning("bar").unwrap_or_default();
        assert!(text.contains("`bar` reaches 3.000e-3 J, 15.0 % of its largest strain energy, 2.000e-2 J"));
        assert!(text.contains("exceeded 1.5 % at t = 4.000000e0 s"), "{text}");
    }
}
