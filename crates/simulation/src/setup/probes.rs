//! Nodes and elements that each probe samples.

use crate::element::{MAX_NODES, centre, natural_coordinates, shape_values};
use crate::math::Vec3;
use crate::scenario::{BodySpec, ProbePlace, ProbeQuantity, ProbeSpec, Scenario};

use super::assembly::{Assembly, geometry_at};
use crate::error::{Outside, SetupError};
use crate::model::{Block, Body};
use crate::record::probes::{ElementSample, Probe, Spot};

/// Margin around the bounding box of the nodes of an element, relative to the longest side of the box. With this
/// margin, the box contains curved edges.
const BULGE: f64 = 0.25;

impl Assembly {
    pub(crate) fn probes(&self, scenario: &Scenario) -> Result<Vec<Probe>, SetupError> {
        scenario.probes.iter().map(|spec| self.probe(&scenario.bodies[spec.body], spec)).collect()
    }

    fn probe(&self, body: &BodySpec, spec: &ProbeSpec) -> Result<Probe, SetupError> {
        let of_body = &self.model.bodies[spec.body];
        let (mut spot, elements) = match &spec.place.value {
            ProbePlace::Centre => (self.centre_of(of_body), Vec::new()),
            ProbePlace::NearestNode(place) => {
                let node = self.model.nearest_node(of_body, place);
                (Spot::Nodes(vec![(node, 1.0)]), self.elements_around(of_body, &[node]))
            }
            ProbePlace::Point(point) if of_body.is_rigid() => (Spot::OfRigidBody(*point), Vec::new()),
            ProbePlace::Point(point) => self.inside(of_body, spec, point)?,
            ProbePlace::Group(group) => {
                let (mesh, first) = &self.meshes[spec.body];
                let nodes = mesh.group_nodes(group);
                let nodes = nodes.map_err(|source| geometry_at(body, source, &spec.place.span))?;
                let nodes: Vec<u32> = nodes.into_iter().map(|node| node + first).collect();
                let weight = 1.0 / nodes.len() as f64;
                let elements = self.elements_around(of_body, &nodes);
                (Spot::Nodes(nodes.into_iter().map(|node| (node, weight)).collect()), elements)
            }
        };
        if let (true, Spot::Nodes(nodes)) = (of_body.is_rigid(), &spot) {
            let positions = &self.model.reference_positions;
            spot = Spot::OfRigidBody(nodes.iter().map(|&(node, w)| positions[node as usize] * w).sum());
        }
        let has_elements = spec.quantities.iter().copied().any(ProbeQuantity::is_of_elements);
        let elements = if has_elements { elements } else { Vec::new() };
        Ok(Probe { spec: spec.clone(), spot, elements })
    }

    fn centre_of(&self, body: &Body) -> Spot {
        let index = self.model.body_of(body.nodes.start as u32);
        if let Some(rigid_state) = &self.rigid_states[index] {
            return Spot::OfRigidBody(rigid_state.reference_centre());
        }
        let share = |node: usize| (node as u32, self.model.mass[node] / body.mass);
        Spot::Nodes(body.nodes.clone().map(share).collect())
    }

    /// Centres of the elements that contain at least one of `nodes`. `nodes` are in ascending order.
    fn elements_around(&self, body: &Body, nodes: &[u32]) -> Vec<ElementSample> {
        let of_block = |(number, block): (usize, &Block)| -> Vec<ElementSample> {
            let touches =
                |element: &usize| block.element(*element).iter().any(|n| nodes.binary_search(n).is_ok());
            let sample =
                |element| ElementSample { block: number, element, xi: centre(block.kind), weight: 1.0 };
            (0..block.tags.len()).filter(touches).map(sample).collect()
        };
        let mut elements: Vec<_> = body.blocks.iter().enumerate().flat_map(of_block).collect();
        let weight = 1.0 / elements.len() as f64;
        elements.iter_mut().for_each(|sample| sample.weight = weight);
        elements
    }

    /// Nodes of the element that contains `point`, weighted by their shape values at `point`, and a sample of the
    /// element there.
    fn inside(
        &self,
        body: &Body,
        spec: &ProbeSpec,
        point: &Vec3,
    ) -> Result<(Spot, Vec<ElementSample>), SetupError> {
        for (number, block) in body.blocks.iter().enumerate() {
            for element in 0..block.tags.len() {
                let nodes = block.element(element);
                let Some(xi) = self.natural_coordinates(block, nodes, point) else { continue };
                let mut shares = [0.0; MAX_NODES];
                shape_values(block.kind, xi, &mut shares);
                let sample = ElementSample { block: number, element, xi, weight: 1.0 };
                return Ok((Spot::Nodes(nodes.iter().copied().zip(shares).collect()), vec![sample]));
            }
        }
        let node = self.model.nearest_node(body, point) as usize;
        let position = self.model.reference_positions[node];
        Err(SetupError::ProbeOutside(Box::new(Outside {
            probe: spec.name.clone(),
            body: body.name.clone(),
            point: (*point).into(),
            node: self.model.node_tags[node],
            position: position.into(),
            distance: (point - position).norm(),
            span: spec.place.span.clone(),
        })))
    }

    /// `None` for a point outside the element.
    fn natural_coordinates(&self, block: &Block, nodes: &[u32], point: &Vec3) -> Option<[f64; 3]> {
        let at = |&node: &u32| self.model.reference_positions[node as usize];
        let none = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (lower, upper) =
            nodes.iter().map(at).fold(none, |(lower, upper), x| (lower.inf(&x), upper.sup(&x)));
        let margin = Vec3::repeat(BULGE * (upper - lower).amax());
        let is_near =
            (lower - margin).inf(point) == lower - margin && (upper + margin).sup(point) == upper + margin;
        if !is_near {
            return None;
        }
        let positions: Vec<Vec3> = nodes.iter().map(at).collect();
        natural_coordinates(block.kind, &positions, point)
    }
}
