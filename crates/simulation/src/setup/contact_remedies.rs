//! Remedies for energy created by contact.

use crate::contact::response::ResponseMethod;
use crate::scenario::{Scenario, StepSize};

/// Advice to the user: a setting with which contact creates less energy. Penalty springs can be too stiff for a fixed
/// step; the automatic step remains stable with the same springs.
pub(crate) fn contact_energy_remedy(scenario: &Scenario) -> &'static str {
    let response = &scenario.contact.response;
    match (response.method, scenario.time.step) {
        (ResponseMethod::Penalty, _) if response.options.soft_start > 0.0 => {
            "springs that stiffen under compression release more energy than they absorb, so remove \
             `contact.soft_start`"
        }
        (ResponseMethod::Penalty, StepSize::Fixed(_)) => {
            "set `time.step` to \"auto\", or `contact.response` to \"energy-momentum\""
        }
        (ResponseMethod::Penalty, StepSize::Auto) => {
            "set `contact.response` to \"energy-momentum\", or lower `contact.penalty`"
        }
        (ResponseMethod::Decomposition, _) => {
            "set `contact.response` to \"penalty\" or \"energy-momentum\", or lower `time.step`: the energy added by \
             projections is proportional to it"
        }
        _ => "lower `time.step`",
    }
}
