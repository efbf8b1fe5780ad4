//! Stiffness of the contact springs, and the time steps that this stiffness allows.

use crate::contact::Surface;
use crate::contact::response::{MAX_ON_RIGID_BODIES, Stiffness};
use crate::dynamics::CriticalStep;
use crate::scenario::{MaterialModel, Scenario, StepSize, StiffnessRule};

use crate::model::{Behaviour, Body, Model};

pub(crate) fn stiffness_of_springs(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> Stiffness {
    match scenario.contact.response.stiffness {
        StiffnessRule::Mass => Stiffness::Mass,
        StiffnessRule::Given(stiffness) => Stiffness::Given(stiffness),
        StiffnessRule::Segment => Stiffness::Segment(segment_stiffness(scenario, model, surfaces)),
    }
}

/// Largest ratio of spring stiffness to element stiffness at which contacts gain little energy in steps that are stable
/// for the elements. A rod that hits a rigid wall has an energy error of 0.4 % at the ratio 2.7, and 4.3 % at 4.
const STIFF_SPRING_RATIO: f64 = 3.0;

/// Largest κ dt²/m for nodes whose contacts open and close on stiff springs \[-\]. Here κ is the spring stiffness, dt
/// the step and m the nodal mass. With springs 267 times as stiff as the elements, the energy error of a rod that hits
/// a wall is 0.1 % at this limit, and 1.2 % at 0.8.
const STIFF_SPRING_LIMIT: f64 = 0.4;

/// Largest step for nodes of deformable bodies whose contacts open and close on penalty springs \[s\]. Infinite if the
/// spring stiffness depends on the step, and without penalty springs.
///
/// The limit also applies while nodes are out of contact; otherwise, a chattering node would gain energy in each
/// contact.
pub(crate) fn stiff_spring_step(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> f64 {
    (STIFF_SPRING_LIMIT / largest_stiffness_over_mass(scenario, model, surfaces)).sqrt()
}

/// Penetration of a rigid body that rests under its own weight, relative to the size of the body \[-\], in steps of the
/// length `resting_contact_step`. It is larger if the springs give another motion of the body a higher frequency than
/// the translation along the normal.
const RESTING_PENETRATION: f64 = 1e-4;

/// Largest step of a model of rigid bodies \[s\]. In longer steps, bodies at rest would sink too deep into their
/// springs. Infinite for a model with deformable bodies or without gravity.
///
/// Let λ be the largest squared frequency ω² that the springs give a rigid body. The spring stiffness is scaled with
/// the step so that λ dt² = 0.1 (`MAX_ON_RIGID_BODIES`). For a body of size L under the gravity g, the largest step
/// satisfies
///
/// ```text
/// dt² = 0.1 · 1e-4 L/g,  and therefore  λ = g/(1e-4 L)
/// ```
///
/// A translation along the normal with ω² = λ has the resting penetration g/ω² = 1e-4 L. Usually, ω² of this
/// translation is smaller than λ, and the penetration is larger. Without the limit, the step could grow to the flight
/// step, whose default depends on the length of the run. Results would then depend on this length.
pub(crate) fn resting_contact_step(model: &Model, surfaces: &[Surface]) -> f64 {
    let moving = model.bodies.iter().zip(surfaces).filter(|(body, _)| !body.is_wall());
    if moving.clone().any(|(body, _)| !body.is_rigid()) {
        return f64::INFINITY;
    }
    let rests = |body: &Body| match &body.behaviour {
        Behaviour::Rigid { support: Some(support) } => support.components.iter().any(Option::is_none),
        _ => true,
    };
    let square = moving.filter(|(body, _)| rests(body)).map(|(body, surface)| {
        let extent = 2.0 * surface.radius(&model.reference_positions);
        MAX_ON_RIGID_BODIES * RESTING_PENETRATION * extent / body.peak_gravity
    });
    square.filter(|&square| square > 0.0).fold(f64::INFINITY, f64::min).sqrt()
}

/// Largest κ/m on nodes of deformable bodies \[1/s²\], with the spring stiffness κ and the nodal mass m. 0 without
/// penalty springs, and if their stiffness depends on the step.
fn largest_stiffness_over_mass(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> f64 {
    if !scenario.contact.response.method.properties().has_explicit_springs {
        return 0.0;
    }
    let stiffness = stiffness_of_springs(scenario, model, surfaces);
    let own_factors = scenario.contact.own_laws.iter().map(|(_, laws)| laws.penalty);
    let factor = own_factors.fold(scenario.contact.laws.penalty, f64::max);
    let deformable =
        model.bodies.iter().zip(surfaces).filter(|(body, _)| !body.is_rigid() && !body.is_wall());
    let ratios = deformable.flat_map(|(_, surface)| surface.nodes()).filter_map(|&node| {
        let spring = match &stiffness {
            Stiffness::Mass => None,
            Stiffness::Given(stiffness) => Some(*stiffness),
            Stiffness::Segment(nodal) => Some(factor * nodal[node as usize]),
        };
        Some(spring? / model.mass[node as usize])
    });
    ratios.fold(0.0, f64::max)
}

/// Warning of a fixed step that is too long for penalty springs much stiffer than the adjacent elements.
///
/// The element stiffness k is that at the end of a bar: k = 2 m/dt_c², with the critical step dt_c of its elements and
/// the mass m of its end node.
pub(crate) fn stiffness_warning(
    scenario: &Scenario,
    model: &Model,
    surfaces: &[Surface],
    critical: &[Option<CriticalStep>],
) -> Option<String> {
    let StepSize::Fixed(step) = scenario.time.step else { return None };
    let critical = critical.iter().flatten().map(|c| c.time_step).fold(f64::INFINITY, f64::min);
    let over_elements = 0.5 * largest_stiffness_over_mass(scenario, model, surfaces) * critical * critical;
    let longest = stiff_spring_step(scenario, model, surfaces);
    // With this factor, the printed step remains below the limit after rounding to four digits.
    let written = 0.999 * longest;
    (over_elements > STIFF_SPRING_RATIO && step > longest).then(|| {
        format!(
            "contact springs are {over_elements:.1} times as stiff as the adjacent elements: chattering nodes gain \
             energy in steps of {step:.3e} s; set `time.step` to {written:.3e} or \"auto\", lower \
             `contact.stiffness`, or set `contact.response` to \"energy-momentum\", which conserves energy in any \
             step"
        )
    })
}

/// Stiffness k_a = K A²/V of every surface node a of a deformable body \[N/m\]. Here K is the bulk modulus, and A and V
/// are the tributary area and volume of the node. Infinite for all other nodes.
///
/// # Source
/// Hallquist, LS-DYNA Theory Manual, "contact stiffness".
fn segment_stiffness(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> Vec<f64> {
    let mut stiffness = vec![f64::INFINITY; model.mass.len()];
    for (body, surface) in model.bodies.iter().zip(surfaces) {
        let Some(material) = body.material.map(|index| &scenario.materials[index]) else { continue };
        let (Some(bulk), Some(density)) = (bulk_modulus(material.model), material.density) else { continue };
        for (node, area) in surface.nodal_areas(&model.reference_positions) {
            let volume = model.mass[node as usize] / density;
            stiffness[node as usize] = bulk * area * area / volume;
        }
    }
    stiffness
}

fn bulk_modulus(model: MaterialModel) -> Option<f64> {
    match model {
        MaterialModel::Hyperelastic(_, constants) => {
            Some(constants.young / (3.0 * (1.0 - 2.0 * constants.poisson)))
        }
        MaterialModel::Rigid => None,
    }
}
