//! The contact response of a scenario.

use super::spring_stiffness::stiffness_of_springs;
use crate::contact::response::{ContactLaws, PairOptions, ResponseSetup, SelectedResponse};
use crate::contact::{Surface, SurfacePair};
use crate::model::Model;
use crate::scenario::Scenario;

/// The response that `[contact]` selects.
pub(crate) fn build_response(
    scenario: &Scenario,
    own_laws: &[(SurfacePair, ContactLaws)],
    model: &Model,
    surfaces: &[Surface],
) -> SelectedResponse {
    let laws = PairOptions::uniform(scenario.contact.laws);
    let settings = &scenario.contact.response;
    settings.method.build(ResponseSetup {
        options: settings.options,
        stiffness: stiffness_of_springs(scenario, model, surfaces),
        laws: own_laws.iter().fold(laws, |all, (pair, own)| all.with(pair.clone(), *own)),
        num_nodes: model.reference_positions.len(),
        masses: model.bodies.iter().map(|body| body.mass).collect(),
    })
}
