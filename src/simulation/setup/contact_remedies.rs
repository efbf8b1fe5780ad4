//! What to try where contact makes energy.

use crate::scenario::{ResponseMethod, Scenario, StepSize};

/// What makes less energy in contacts than this scenario.
///
/// Springs that grow while they are pressed give back more than they take. The work of projections of bodies that deform is
/// proportional to the step; penalty springs that are stiff for a fixed step are not for an automatic one.
pub(crate) fn less_contact_energy(scenario: &Scenario) -> &'static str {
    let response = &scenario.contact.response;
    match (response.method, scenario.time.step) {
        (ResponseMethod::Penalty, _) if response.soft_start > 0.0 => {
            "springs that grow while they are pressed give back more than they take, so leave `contact.soft_start` out"
        }
        (ResponseMethod::Penalty, StepSize::Fixed(_)) => {
            "set `time.step` to \"auto\", or `contact.response` to \"energy-momentum\""
        }
        (ResponseMethod::Penalty, StepSize::Auto) => {
            "set `contact.response` to \"energy-momentum\", or lower `contact.penalty`"
        }
        (ResponseMethod::Decomposition, _) => {
            "set `contact.response` to \"penalty\" or \"energy-momentum\", or `time.step` to a part of what it is: what \
             projections give goes with the step"
        }
        (ResponseMethod::EnergyMomentum, _) => "set `time.step` to a part of what it is",
    }
}
