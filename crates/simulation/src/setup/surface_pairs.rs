//! Pairs of bodies, or of physical groups of their faces, with own contact laws or without contact.

use std::sync::Arc;

use crate::contact::detection::ContactPolicy;
use crate::contact::response::ContactLaws;
use crate::contact::{Surface, SurfacePair};
use crate::scenario::{self, Located, Passes, Scenario};

use super::assembly::{Assembly, faces_of_group};
use crate::error::SetupError;

/// Own contact laws, in the order of the scenario.
pub(crate) fn own_laws(
    scenario: &Scenario,
    assembly: &Assembly,
) -> Result<Vec<(SurfacePair, ContactLaws)>, SetupError> {
    let own = scenario.contact.own_laws.iter();
    own.map(|(pair, laws)| Ok((assembly.surface_pair(scenario, pair)?, *laws))).collect()
}

pub(crate) fn contact_policy(scenario: &Scenario, assembly: &Assembly) -> Result<ContactPolicy, SetupError> {
    let pairs = scenario.contact.excluded.iter().map(|pair| assembly.surface_pair(scenario, pair));
    let policy = ContactPolicy::excluding(pairs.collect::<Result<Vec<_>, _>>()?);
    Ok(match scenario.contact.passes {
        Passes::Two => policy,
        Passes::One => policy.with_ranks(ranks(assembly)),
    })
}

/// Rank of each body in one-pass contact. In a body pair, the nodes of the body with the lower rank are contactors.
/// Ranks ascend from deformable bodies to rigid bodies to walls; within each kind, with the median edge length.
fn ranks(Assembly { model, surfaces, .. }: &Assembly) -> Vec<u32> {
    let edge = |body: usize| {
        surfaces.get(body).map_or(f64::INFINITY, |surface| surface.median_edge(&model.reference_positions))
    };
    let keys: Vec<(bool, bool, f64)> = (model.bodies.iter().enumerate())
        .map(|(number, body)| (body.is_wall(), body.is_rigid(), edge(number)))
        .collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| {
        let ((wall_a, rigid_a, edge_a), (wall_b, rigid_b, edge_b)) = (keys[a], keys[b]);
        (wall_a, rigid_a).cmp(&(wall_b, rigid_b)).then(edge_a.total_cmp(&edge_b)).then(a.cmp(&b))
    });
    let mut ranks = vec![0; order.len()];
    for (rank, &body) in (0..).zip(&order) {
        ranks[body] = rank;
    }
    ranks
}

impl Assembly {
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

    /// Returns an error if the contact surface contains no face of the group.
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
