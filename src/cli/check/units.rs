//! Bounding boxes and largest elements of bodies, and hints at mixed units.

use ictus::math::Vec3;
use ictus::scenario::{BodySpec, MaterialSpec, ProbeSpec, Scenario};
use ictus::simulation::{Body, Simulation};
use ictus::units::UnitSystem;

use crate::cli::print;

/// Smallest and largest plausible mass of a body, as a number in any of the usual systems of units.
const MASSES: [f64; 2] = [1e-15, 1e9];
/// Range of the gravitational acceleration of the earth \[m/s²\].
const GRAVITY: [f64; 2] = [9.7, 9.9];
/// Extents of bodies above this number are rare in metres, and common in millimetres.
const LARGE: f64 = 50.0;
/// If the `g` of a probe differs from the expected value of 1 g by more than this factor, the units of the two differ.
const OTHER_UNITS: f64 = 50.0;

/// Lowest and highest coordinates of the nodes of a body \[m\].
pub(super) fn bounding_box(simulation: &Simulation, body: &Body) -> [[f64; 3]; 2] {
    let positions = &simulation.model().reference_positions[body.nodes.clone()];
    let first = positions.first().copied().unwrap_or_else(Vec3::zeros);
    let ends = positions.iter().fold([first; 2], |[low, high], x| [low.inf(x), high.sup(x)]);
    ends.map(Into::into)
}

/// Largest distance between two nodes of the same element \[m\], and Gmsh tag of this element.
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

/// Hints at mixed units.
pub(crate) fn hints(scenario: &Scenario, simulation: &Simulation) -> Vec<String> {
    let known = scenario.units.or_else(|| scenario.inferred_units());
    let systems = known.map_or(UnitSystem::ALL.to_vec(), |units| vec![units]);
    let of_material = |material| material_hint(material, &systems);
    let mut hints: Vec<String> = scenario.materials.iter().filter_map(of_material).collect();
    if hints.is_empty() {
        hints.extend(missing_units_hint(scenario));
        hints.extend(gravity_hint(scenario, &systems));
    }
    let bodies = simulation.model().bodies.iter().filter(|body| !body.is_wall());
    for (body, spec) in bodies.zip(&scenario.bodies) {
        let material = &scenario.materials[spec.material];
        let extent = || extent_hint(body, material, known, bounding_box(simulation, body));
        hints.extend(mass_hint(body, known).or_else(extent));
        hints.extend(speed_hint(spec, material));
    }
    hints.extend(scenario.probes.iter().filter_map(|probe| probe_hint(scenario, probe, known)));
    hints
}

/// Hint for a scenario without `units` if its materials indicate another system than SI.
fn missing_units_hint(scenario: &Scenario) -> Option<String> {
    let units = scenario.inferred_units().filter(|units| *units != UnitSystem::SI)?;
    Some(format!(
        "the densities and wave speeds are those of solids in {name}, and reports and plots assume these units; write \
         `units = \"{name}\"` at the top of the scenario, so that probes count in them, too",
        name = units.name
    ))
}

/// Hint for a density and wave speed that no solid has in any of `systems`.
fn material_hint(material: &MaterialSpec, systems: &[UnitSystem]) -> Option<String> {
    let (density, speed) = (material.density?, material.wave_speed()?);
    if systems.iter().any(|units| units.has_solid(density, Some(speed))) {
        return None;
    }
    let among = match systems {
        [units] => format!("in {}, the `units` of the scenario, no solid has both", units.name),
        _ => "in none of the usual systems of units does a solid have both".to_owned(),
    };
    Some(format!(
        "material `{}` has a density of {} and a wave speed of {speed:.3e}; {among}: steel is 7850 kg/m³ with 210e9 Pa (m, kg, s), or 7.85e-9 t/mm³ with 210e3 MPa \
         (mm, t, s)",
        material.name,
        print::number(density)
    ))
}

/// Advice on the `scale` that converts a mesh to the unit of length of `units`, or to metres if `units` is `None`.
fn advice_on_scale(units: Option<UnitSystem>) -> &'static str {
    match units.unwrap_or(UnitSystem::SI).symbol_of("m").as_str() {
        "m" => "`scale = 1e-3` takes a mesh from millimetres to metres",
        "mm" => "`scale = 1e3` takes a mesh from metres to millimetres",
        _ => "`scale` takes a mesh to the unit of length of `units`",
    }
}

fn mass_hint(body: &Body, units: Option<UnitSystem>) -> Option<String> {
    let [least, most] = MASSES;
    if (least..=most).contains(&body.mass) {
        return None;
    }
    Some(format!(
        "body `{}` has a mass of {:.3e}{}; do the units of its mesh and of the density agree? {}",
        body.name,
        body.mass,
        units.map_or(String::new(), |units| format!(" {}", units.symbol_of("kg"))),
        advice_on_scale(units)
    ))
}

/// Hint for a body larger than [`LARGE`] metres. If the units are unknown, the hint appears only if the density,
/// taken in kg/m³, is that of a solid.
fn extent_hint(
    body: &Body,
    material: &MaterialSpec,
    units: Option<UnitSystem>,
    [low, high]: [[f64; 3]; 2],
) -> Option<String> {
    let extent = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
    let has_density = || material.density.is_some_and(|density| UnitSystem::SI.has_density(density));
    let is_si = units.map_or_else(has_density, |units| units == UnitSystem::SI);
    (is_si && extent > LARGE).then(|| {
        format!(
            "body `{}` has an extent of {} m, if its density is in kg/m³; {}",
            body.name,
            print::number(extent),
            advice_on_scale(units)
        )
    })
}

/// Hint for a deformable body that moves faster than its wave speed.
fn speed_hint(spec: &BodySpec, material: &MaterialSpec) -> Option<String> {
    let (speed, waves) = (spec.velocity.norm(), material.wave_speed()?);
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

/// Hint for a probe with injury criteria whose `g` is far from standard gravity in `units`. If the units are unknown,
/// `g` is compared with the gravity of the scenario.
fn probe_hint(scenario: &Scenario, probe: &ProbeSpec, units: Option<UnitSystem>) -> Option<String> {
    let (expected, of) = match units {
        Some(units) => (units.standard_gravity(), format!("1 g in {}", units.name)),
        None => (scenario.gravity.norm(), "gravity".to_owned()),
    };
    let ratio = expected / probe.g;
    let differs = ratio > OTHER_UNITS || (ratio > 0.0 && ratio < 1.0 / OTHER_UNITS);
    let remedy = if scenario.units.is_some() || units == Some(UnitSystem::SI) {
        "leave out its `g`, or give it in these units".to_owned()
    } else {
        let name = units.map_or("mm-t-s", |units| units.name);
        format!(
            "name the units of the scenario, as in `units = \"{name}\"`, or give `g` and `second` of the probe in these units"
        )
    };
    (differs && !probe.injuries.is_empty()).then(|| {
        let [taken, expected] = [probe.g, expected].map(print::number);
        format!("probe `{}` takes {taken} for 1 g, while {of} is {expected}; {remedy}", probe.name)
    })
}

/// Hint if the value of gravity is that in m/s², but the density is that of a solid in other units.
fn gravity_hint(scenario: &Scenario, systems: &[UnitSystem]) -> Option<String> {
    let [least, most] = GRAVITY;
    if !(least..=most).contains(&scenario.gravity.norm()) {
        return None;
    }
    let material = scenario.materials.iter().find(|material| material.density.is_some())?;
    let density = material.density?;
    let units = systems.iter().find(|units| units.has_density(density))?;
    (units.size_of("m/s²") != 1.0).then(|| {
        format!(
            "gravity is {} and material `{}` has a density of {}; give gravity in {}, in which it is {}",
            print::number(scenario.gravity.norm()),
            material.name,
            print::number(density),
            units.name,
            print::number(9.81 / units.size_of("m/s²"))
        )
    })
}
