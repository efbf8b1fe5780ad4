//! The nodes sampled by probes with the key `nearest_node`.

use ictus::math::Vec3;
use ictus::scenario::{ProbePlace, Scenario};
use ictus::simulation::Simulation;
use ictus::units::UnitSystem;
use serde::Serialize;

use super::units::largest_element;
use crate::cli::print;

#[derive(Debug, Serialize)]
pub(super) struct ProbeReport {
    name: String,
    /// Gmsh tag.
    node: u64,
    /// At t = 0 \[m\].
    position: [f64; 3],
    /// Distance from the position `nearest_node` in the scenario \[m\].
    distance: f64,
    /// Whether `distance` exceeds the size of the largest element of the body.
    is_far: bool,
}

pub(super) fn of_nodes(scenario: &Scenario, simulation: &Simulation) -> Vec<ProbeReport> {
    let model = simulation.model();
    let report = |spec: &ictus::scenario::ProbeSpec| {
        let ProbePlace::NearestNode(place) = &spec.place.value else { return None };
        let body = &model.bodies[spec.body];
        let node = model.nearest_node(body, place) as usize;
        let position: Vec3 = model.reference_positions[node];
        let distance = (position - place).norm();
        let is_far = largest_element(simulation, body).is_some_and(|(size, _)| distance > size);
        Some(ProbeReport {
            name: spec.name.clone(),
            node: model.node_tags[node],
            position: position.into(),
            distance,
            is_far,
        })
    };
    scenario.probes.iter().filter_map(report).collect()
}

pub(super) fn table(probes: &[ProbeReport], units: UnitSystem) -> String {
    let row = |probe: &ProbeReport| {
        let position = format!("({})", probe.position.map(print::number).join(", "));
        vec![probe.name.clone(), probe.node.to_string(), position, print::number(probe.distance)]
    };
    let rows: Vec<Vec<String>> = probes.iter().map(row).collect();
    let [at, distance] =
        ["<at", "from nearest_node"].map(|name| format!("{name} [{}]", units.symbol_of("m")));
    print::table(&["<probe", "node", &at, &distance], &rows)
}

impl ProbeReport {
    pub fn hint(&self) -> Option<String> {
        self.is_far.then(|| {
            format!(
                "probe `{}` samples node {}, {} away from its `nearest_node`; give a position on the body at t = 0",
                self.name,
                self.node,
                print::number(self.distance)
            )
        })
    }
}
