//! Tables of bodies, supports and steps, each with a row at the time of each history row.

use std::collections::BTreeMap;

use crate::io::measurements::{Cell, Measurements};
use crate::io::{OutputError, Tables};
use crate::math::Vec3;
use crate::scenario::Scenario;

use crate::Simulation;
use crate::model::Body;

const BODIES: &str = "bodies.csv";
const SUPPORTS: &str = "supports.csv";
const STEPS: &str = "steps.csv";

const STEP_COLUMNS: [&str; 8] =
    ["time", "step", "dt", "critical_step", "limited_by", "body", "element", "largest_penetration"];

/// `bodies.csv`, `steps.csv`, and `supports.csv` if boundaries or walls exist.
#[derive(Debug)]
pub(crate) struct SideTables {
    bodies: Measurements,
    supports: Option<Measurements>,
    steps: Measurements,
}

impl SideTables {
    /// Without boundaries and walls, removes `supports.csv` of an earlier run.
    pub fn create(tables: &mut Tables, scenario: &Scenario, bodies: &[Body]) -> Result<Self, OutputError> {
        let names = names_of_supports(scenario);
        let supports = if names.is_empty() {
            Measurements::remove(tables.directory(), SUPPORTS).map(|()| None)
        } else {
            let columns = names.iter().flat_map(|name| support_columns(name));
            Measurements::create(tables, SUPPORTS, &with_time(columns)).map(Some)
        };
        let of_bodies = bodies.iter().filter(|body| !body.is_wall()).flat_map(body_columns);
        Ok(Self {
            bodies: Measurements::create(tables, BODIES, &with_time(of_bodies))?,
            supports: supports?,
            steps: Measurements::create(tables, STEPS, &STEP_COLUMNS.map(String::from))?,
        })
    }

    pub fn append(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let numbers = |numbers: Vec<f64>| -> Vec<Cell<'_>> {
            let time = simulation.state.nodes.time;
            std::iter::once(time).chain(numbers).map(Cell::Number).collect()
        };
        self.bodies.append(&numbers(simulation.body_numbers()))?;
        if let Some(supports) = &mut self.supports {
            supports.append(&numbers(simulation.support_numbers()))?;
        }
        self.steps.append(&simulation.step_cells())
    }

    pub fn flush(&mut self) -> Result<(), OutputError> {
        let tables = [Some(&mut self.bodies), self.supports.as_mut(), Some(&mut self.steps)];
        tables.into_iter().flatten().try_for_each(Measurements::flush)
    }
}

fn with_time(columns: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once("time".to_owned()).chain(columns).collect()
}

fn columns<const V: usize, const S: usize>(
    name: &str,
    scalars: [&str; S],
    vectors: [&str; V],
) -> Vec<String> {
    let of_vector = |vector: &str| ["x", "y", "z"].map(|axis| format!("{name}.{vector}_{axis}"));
    let scalars = scalars.into_iter().map(|scalar| format!("{name}.{scalar}"));
    scalars.chain(vectors.into_iter().flat_map(of_vector)).collect()
}

fn body_columns(body: &Body) -> Vec<String> {
    match body.is_rigid() {
        true => columns(&body.name, ["kinetic"], ["rotation", "angular_velocity"]),
        false => columns(&body.name, ["kinetic", "strain", "hourglass_energy"], []),
    }
}

fn support_columns(name: &str) -> Vec<String> {
    columns(name, ["work"], ["reaction", "moment", "impulse"])
}

/// First the boundaries, as `BODY.GROUP` (a repeated name as `BODY.GROUP.NUMBER`), then the walls.
fn names_of_supports(scenario: &Scenario) -> Vec<String> {
    let mut known = BTreeMap::new();
    let of_boundary = |boundary: &crate::scenario::BoundarySpec| {
        let group = boundary.group.as_ref().map_or("all", |group| &group.value);
        let name = format!("{}.{group}", scenario.bodies[boundary.body].name);
        let count = known.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 { format!("{name}.{count}") } else { name }
    };
    let of_boundaries: Vec<String> = scenario.boundaries.iter().map(of_boundary).collect();
    of_boundaries.into_iter().chain(scenario.walls.iter().map(|wall| wall.name.clone())).collect()
}

fn push(numbers: &mut Vec<f64>, vector: Vec3) {
    numbers.extend_from_slice(vector.as_slice());
}

impl Simulation {
    /// Row of `bodies.csv`, in the order of `body_columns`.
    fn body_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for (index, body) in self.model.bodies.iter().enumerate().filter(|(_, body)| !body.is_wall()) {
            numbers.push(self.state.ledger.balances[index].kinetic);
            if body.is_rigid() {
                let rigid_state = self.state.rigid_bodies[index].as_ref();
                push(
                    &mut numbers,
                    rigid_state.map_or_else(Vec3::zeros, |state| state.rotation().scaled_axis()),
                );
                push(&mut numbers, rigid_state.map_or_else(Vec3::zeros, |state| state.angular_velocity()));
            } else {
                let blocks = || body.blocks.iter().filter_map(|block| block.internal);
                numbers.push(blocks().map(|block| self.caches.internal.strain_energy()[block]).sum());
                numbers.push(blocks().map(|block| self.caches.internal.hourglass_energy()[block]).sum());
            }
        }
        numbers
    }

    /// Row of `supports.csv`, in the order of `support_columns`. The reaction moment is about the origin.
    fn support_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for account in &self.state.ledger.support_accounts {
            numbers.push(account.work);
            push(&mut numbers, account.reaction.linear);
            push(&mut numbers, account.reaction.angular);
            push(&mut numbers, account.impulse.linear);
        }
        numbers
    }

    /// Row of `steps.csv`, in the order of `STEP_COLUMNS`.
    fn step_cells(&self) -> Vec<Cell<'_>> {
        let critical = self.state.control.critical_step();
        let element = self.state.control.critical_element();
        let element = element.and_then(|(block, element)| self.model.element(block, element));
        vec![
            Cell::Number(self.state.nodes.time),
            Cell::Count(self.state.nodes.step),
            Cell::Number(self.state.control.time_step()),
            critical.map_or(Cell::Empty, Cell::Number),
            self.step_limit().map_or(Cell::Empty, |limit| Cell::Word(limit.name())),
            element.map_or(Cell::Empty, |(body, _)| Cell::Word(body)),
            element.map_or(Cell::Empty, |(_, element)| Cell::Count(element)),
            Cell::Number(self.largest_penetration()),
        ]
    }

    /// Largest penetration in the last step \[m\].
    fn largest_penetration(&self) -> f64 {
        self.state.contact.constraints.iter().map(|constraint| -constraint.gap).fold(0.0, f64::max)
    }
}
