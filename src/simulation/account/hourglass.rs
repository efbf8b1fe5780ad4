//! The energy of hourglass control of a body, held against its strain energy.

/// Part of the largest strain energy of a body above which its hourglass control carries what strain should. Of n layers
/// over the height of what bends it is k/(n² − 1), with k from 0.05 for cells short along the beam to 0.15 for cubes: 1.7 % to
/// 5 % of two layers, which bend 31 % to 27 % too far, and 1 % or less of four.
const TOLERATED: f64 = 0.015;

/// Part of the largest energy of the run below which energies of elements are noise.
const NOISE: f64 = 1e-6;

/// Largest energies of the elements of a body so far, and since when its hourglass control has had too much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HourglassAudit {
    /// Strain energy \[J\].
    strain: f64,
    /// Energy of hourglass control \[J\].
    hourglass: f64,
    /// When that passed the tolerated part of the strain energy \[s\]; none while, or as soon as, it has not.
    passed_at: Option<f64>,
}

impl HourglassAudit {
    /// Notes the energies of a body at a time \[s\], in a run that has seen so much energy \[J\].
    pub fn note(&mut self, time: f64, [strain, hourglass]: [f64; 2], largest_energy: f64) {
        self.strain = self.strain.max(strain);
        self.hourglass = self.hourglass.max(hourglass);
        let is_past = self.hourglass > TOLERATED * self.strain && self.hourglass > NOISE * largest_energy;
        self.passed_at = is_past.then(|| self.passed_at.unwrap_or(time));
    }

    /// What is said of a body of this name whose hourglass control has too much.
    pub fn warning(&self, body: &str) -> Option<String> {
        let Self { strain, hourglass, passed_at } = *self;
        let share = if strain > 0.0 {
            format!("{:.1} % of", 100.0 * hourglass / strain)
        } else {
            "more than".to_owned()
        };
        passed_at.map(|time| {
            format!(
                "the hourglass control of body `{body}` has {hourglass:.3e} J at most, {share} its largest strain energy, \
                 {strain:.3e} J, and passed {:.1} % at t = {time:.6e} s: it carries what the one point of the elements \
                 does not see; refine the mesh to four elements or more across what bends, or set hex = \"mean-dilatation\" \
                 in the body",
                100.0 * TOLERATED
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The peak of the strain energy counts: control that had much before there was strain is forgotten, and what passes
    /// again has its own time. Noise is not looked at.
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
        assert!(
            text.contains("`bar` has 3.000e-3 J at most, 15.0 % of its largest strain energy, 2.000e-2 J")
        );
        assert!(text.contains("passed 1.5 % at t = 4.000000e0 s"), "{text}");
    }
}
