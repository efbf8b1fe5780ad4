//! Sizes and wave speeds of bodies, and hints of mixed units.

use ictus::math::Vec3;
use ictus::scenario::{BodySpec, Elasticity, MaterialModel, MaterialSpec, ProbeSpec, Scenario};
use ictus::simulation::{Body, Simulation};
use ictus::units::UnitSystem;

use crate::cli::print;

/// Smallest and largest density of solids, from foams to heavy metals \[kg/m³\].
const DENSITIES: [f64; 2] = [10.0, 25e3];
/// Density above which a solid is a metal, a ceramic or stone \[kg/m³\].
const DENSE: f64 = 2500.0;
/// Wave speeds of solids \[m/s\]: the smallest of solids denser than [`DENSE`], the smallest of all solids, and the
/// largest of all solids.
const SLOWEST_DENSE: f64 = 100.0;
const SLOWEST: f64 = 3.0;
const FASTEST: f64 = 25e3;
/// Smallest and largest number that the mass of a body takes in the usual systems of units.
const MASSES: [f64; 2] = [1e-15, 1e9];
/// Range of the gravitational acceleration of the earth \[m/s²\].
const GRAVITY: [f64; 2] = [9.7, 9.9];
/// Extent above which bodies are rare if lengths are in metres, and common if lengths are in millimetres.
const LARGE: f64 = 50.0;
/// Largest factor between gravity and the `g` of a probe that are in the same units. A larger factor, either way, means
/// different units.
const OTHER_UNITS: f64 = 50.0;

/// Whether a solid may have this density if it is in these units.
fn has_density(units: &UnitSystem, density: f64) -> bool {
    (DENSITIES[0]..=DENSITIES[1]).contains(&(density * units.size_of("kg/m³")))
}

/// Whether a solid may have this density and wave speed if both are in these units.
fn has_solid(units: &UnitSystem, density: f64, speed: f64) -> bool {
    let slowest = if density * units.size_of("kg/m³") > DENSE { SLOWEST_DENSE } else { SLOWEST };
    has_density(units, density) && (slowest..=FASTEST).contains(&(speed * units.size_of("m/s")))
}

/// Lowest and highest coordinates of a body \[m\].
pub(super) fn bounding_box(simulation: &Simulation, body: &Body) -> [[f64; 3]; 2] {
    let positions = &simulation.model().reference_positions[body.nodes.clone()];
    let first = positions.first().copied().unwrap_or_else(Vec3::zeros);
    let ends = positions.iter().fold([first; 2], |[low, high], x| [low.inf(x), high.sup(x)]);
    ends.map(Into::into)
}

/// Largest distance of two nodes of the same element \[m\], and the Gmsh tag of this element.
pub(super) fn largest_element(simulation: &Simulation, body: &Body) -> Option<(f64, u64)> {
    let positions = &simulation.model().reference_positions;
    let size = |nodes: &[u32]| {
        let point = |node: &u32| positions[*node as usize];
        let pairs = nodes.iter().enumerate().flat_map(|(k, a)| nodes[..k].iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| (point(a) - point(b)).norm()).fold(0.0, f64::max)
    };
    let elements = body.blocks.iter().flat_map(|block| {
        block.tags.iter().enumerate().map(|(element, &tag)| (size(block.element(element)), tag))
    });
    elements.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

/// Speed √((λ + 2µ)/ρ) of longitudinal waves in an unbounded elastic material, with the Lamé constants λ and µ and the
/// density ρ \[m/s\]; `None` for a rigid material.
pub(super) fn wave_speed(material: &MaterialSpec) -> Option<f64> {
    let MaterialModel::Hyperelastic(_, Elasticity { young, poisson }) = material.model else { return None };
    let modulus = young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    Some((modulus / material.density?).sqrt())
}

/// Hints for values that look as if units were mixed.
pub(crate) fn hints(scenario: &Scenario, simulation: &Simulation) -> Vec<String> {
    let systems = scenario.units.map_or(UnitSystem::ALL.to_vec(), |units| vec![units]);
    let of_material = |material| material_hint(material, &systems);
    let mut hints: Vec<String> = scenario.materials.iter().filter_map(of_material).collect();
    if hints.is_empty() {
        hints.extend(gravity_hint(scenario, &systems));
    }
    let bodies = simulation.model().bodies.iter().filter(|body| !body.is_wall());
    for (body, spec) in bodies.zip(&scenario.bodies) {
        let material = &scenario.materials[spec.material];
        let of_size = mass_hint(body).or_else(|| extent_hint(body, material, bounding_box(simulation, body)));
        hints.extend(of_size);
        hints.extend(speed_hint(spec, material));
    }
    hints.extend(scenario.probes.iter().filter_map(|probe| probe_hint(scenario, probe)));
    hints
}

/// Hint for a density and a wave speed that no solid has in any of these systems of units.
fn material_hint(material: &MaterialSpec, systems: &[UnitSystem]) -> Option<String> {
    let (density, speed) = (material.density?, wave_speed(material)?);
    if systems.iter().any(|units| has_solid(units, density, speed)) {
        return None;
    }
    let among = match systems {
        [units] => format!("in {}, the `units` of the scenario, no solid has both", units.name),
        _ => "in none of the usual systems of units does a solid have both".to_owned(),
    };
    Some(format!(
        "material `{}` has a density of {density} and a wave speed of {speed:.3e}; {among}: steel is 7850 kg/m³ with 210e9 Pa (m, kg, s), or 7.85e-9 t/mm³ with 210e3 MPa \
         (mm, t, s)",
        material.name
    ))
}

fn mass_hint(body: &Body) -> Option<String> {
    let [least, most] = MASSES;
    if (least..=most).contains(&body.mass) {
        return None;
    }
    Some(format!(
        "body `{}` has a mass of {:.3e}; do the units of its mesh and of the density agree? `scale = 1e-3` takes a mesh \
         from millimetres to metres",
        body.name, body.mass
    ))
}

/// Hint for a body larger than [`LARGE`] metres whose density is in kg/m³.
fn extent_hint(body: &Body, material: &MaterialSpec, [low, high]: [[f64; 3]; 2]) -> Option<String> {
    let extent = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
    let is_si = material.density.is_some_and(|density| has_density(&UnitSystem::SI, density));
    (is_si && extent > LARGE).then(|| {
        format!(
            "body `{}` has an extent of {} m, if its density is in kg/m³; `scale = 1e-3` takes a mesh from \
             millimetres to metres",
            body.name,
            print::number(extent)
        )
    })
}

/// Hint for a deformable body whose velocity exceeds its wave speed.
fn speed_hint(spec: &BodySpec, material: &MaterialSpec) -> Option<String> {
    let (speed, waves) = (spec.velocity.norm(), wave_speed(material)?);
    (speed > waves).then(|| {
        format!(
            "body `{}` moves at {}, {:.1} times its wave speed of {}; give `velocity` in the units of \
             length and time of the other keys",
            spec.name,
            print::number(speed),
            speed / waves,
            print::number(waves)
        )
    })
}

/// Hint for a probe with injury criteria, if its `g` and the gravity of the scenario are in different units.
fn probe_hint(scenario: &Scenario, probe: &ProbeSpec) -> Option<String> {
    let ratio = scenario.gravity.norm() / probe.g;
    let differs = ratio > OTHER_UNITS || (ratio > 0.0 && ratio < 1.0 / OTHER_UNITS);
    (differs && !probe.injuries.is_empty()).then(|| {
        format!(
            "probe `{}` takes {} for 1 g, while gravity is {}; name the units of the scenario, as in `units = \
             \"mm-t-s\"`, or give `g` and `second` of the probe in these units",
            probe.name,
            print::number(probe.g),
            print::number(scenario.gravity.norm())
        )
    })
}

/// Hint for a gravity in m/s² with densities in another system of units.
fn gravity_hint(scenario: &Scenario, systems: &[UnitSystem]) -> Option<String> {
    let [least, most] = GRAVITY;
    if !(least..=most).contains(&scenario.gravity.norm()) {
        return None;
    }
    let material = scenario.materials.iter().find(|material| material.density.is_some())?;
    let density = material.density?;
    let units = systems.iter().find(|units| has_density(units, density))?;
    (units.size_of("m/s²") != 1.0).then(|| {
        format!(
            "gravity is {:.4} and material `{}` has a density of {density}; in {} gravity is {}",
            scenario.gravity.norm(),
            material.name,
            units.name,
            print::number(9.81 / units.size_of("m/s²"))
        )
    })
}
