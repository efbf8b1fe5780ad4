//! Offset surfaces of bodies with a contact thickness.

use std::collections::HashMap;

use crate::contact::Surface;
use crate::contact::response::{OffsetPoints, SupportNodes, far_from_coplanar};
use crate::scenario::Scenario;

use crate::model::{Body, Model};

/// Points of the offset surfaces at which friction acts. Empty without friction: a normal force has the same line of
/// action at the offset surface as at the mesh surface.
pub(crate) fn offset_points(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> OffsetPoints {
    let laws =
        || std::iter::once(&scenario.contact.laws).chain(scenario.contact.own_laws.iter().map(|(_, l)| l));
    if !laws().any(|laws| laws.friction.at_rest > 0.0) {
        return OffsetPoints::default();
    }
    let bodies = scenario.bodies.iter().zip(&model.bodies).zip(surfaces).map(|((spec, body), surface)| {
        let support = match (spec.contact_thickness > 0.0, body.is_rigid()) {
            (false, _) => SupportNodes::None,
            (true, true) => {
                let nodes = body.nodes.start as u32..body.nodes.end as u32;
                SupportNodes::Body(far_from_coplanar(nodes, &model.reference_positions))
            }
            (true, false) => elements_behind(body, surface),
        };
        (0.5 * spec.contact_thickness, support)
    });
    OffsetPoints::new(bodies.collect())
}

/// For each face, the corner nodes of an element that contains the face; empty if no element contains the face.
fn elements_behind(body: &Body, surface: &Surface) -> SupportNodes {
    let mut of_nodes: HashMap<u32, Vec<&[u32]>> =
        surface.nodes().iter().map(|&node| (node, Vec::new())).collect();
    let mut elements: Vec<(&[u32], usize)> = Vec::new();
    for block in &body.blocks {
        let num_corners = block.kind.linear().num_nodes();
        elements.extend(block.connectivity.chunks(block.kind.num_nodes()).map(|nodes| (nodes, num_corners)));
    }
    for &(nodes, num_corners) in &elements {
        for node in &nodes[..num_corners] {
            if let Some(around) = of_nodes.get_mut(node) {
                around.push(&nodes[..num_corners]);
            }
        }
    }
    let behind = |face: usize| {
        let (kind, nodes) = surface.face(face);
        let corners = || kind.corners().iter().map(|&corner| nodes[corner as usize]);
        let holds_all = |element: &&&[u32]| corners().all(|node| element.contains(&node));
        let first = corners().next().and_then(|node| of_nodes.get(&node));
        first.and_then(|around| around.iter().find(holds_all)).map_or(&[][..], |nodes| *nodes)
    };
    let (mut nodes, mut ends) = (Vec::new(), Vec::with_capacity(surface.num_faces()));
    for face in 0..surface.num_faces() {
        nodes.extend_from_slice(behind(face));
        ends.push(nodes.len() as u32);
    }
    SupportNodes::Elements { nodes, ends }
}
