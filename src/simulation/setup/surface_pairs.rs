//! Pairs of bodies, or of physical groups of their faces, with contact laws of their own or excluded from contact.

use std::sync::Arc;

use crate::contact::{Surface, SurfacePair};
use crate::scenario::{self, ContactLaws, Located, Scenario};

use super::assembly::{Assembly, faces_of_group};
use crate::simulation::contact_filters::ExcludedParts;
use crate::simulation::error::SetupError;

/// Pairs with contact laws of their own, in the order of the scenario.
pub(crate) fn own_laws(
    scenario: &Scenario,
    assembly: &Assembly,
) -> Result<Vec<(SurfacePair, ContactLaws)>, SetupError> {
    let own = scenario.contact.own_laws.iter();
    own.map(|(pair, laws)| Ok((assembly.surface_pair(scenario, pair)?, *laws))).collect()
}

/// Excluded parts of surfaces whose bodies are in contact otherwise.
pub(crate) fn excluded_parts(scenario: &Scenario, assembly: &Assembly) -> Result<ExcludedParts, SetupError> {
    let parts = scenario.contact.excluded.iter().filter(|pair| !pair.is_whole());
    let pairs = parts.map(|pair| assembly.surface_pair(scenario, pair)).collect::<Result<_, _>>()?;
    Ok(ExcludedParts::new(pairs))
}

impl Assembly {
    /// Surface pair of a scenario pair.
    fn surface_pair(
        &self,
        scenario: &Scenario,
        pair: &scenario::SurfacePair,
    ) -> Result<SurfacePair, SetupError> {
        let part = |side: usize| {
            let group = pair.groups[side].as_ref();
            group.map(|group| self.part(scenario, pair.bodies[side], group)).transpose()
        };
        Ok(SurfacePair::new(pair.bodies.map(|body| body as u32), [part(0)?, part(1)?]))
    }

    /// Surface of a physical group of a body; at least one of its faces must be in the contact surface.
    fn part(
        &self,
        scenario: &Scenario,
        body: usize,
        group: &Located<String>,
    ) -> Result<Arc<Surface>, SetupError> {
        let (spec, (mesh, first)) = (&scenario.bodies[body], &self.meshes[body]);
        let faces = faces_of_group(spec, mesh, self.extents[body], group, *first)?;
        if !faces.iter().any(|(_, nodes)| self.surfaces[body].holds(nodes)) {
            return Err(SetupError::IdleGroup {
                body: spec.name.clone(),
                group: group.value.clone(),
                span: group.span.clone(),
            });
        }
        Ok(Arc::new(Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())))))
    }
}
