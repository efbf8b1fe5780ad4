//! The stiffness of the springs of contact, and whether the steps are short enough for it.

use crate::contact::Surface;
use crate::contact::response::{ON_RIGID, Stiffness};
use crate::dynamics::CriticalStep;
use crate::scenario::{MaterialModel, ResponseMethod, Scenario, StepSize, StiffnessRule};

use crate::simulation::model::{Behaviour, Body, Model};

/// Where the springs of a scenario have their stiffness from.
pub(crate) fn stiffness_of_springs(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> Stiffness {
    match scenario.contact.response.stiffness {
        StiffnessRule::Mass => Stiffness::Mass,
        StiffnessRule::Given(stiffness) => Stiffness::Given(stiffness),
        StiffnessRule::Segment => Stiffness::Segment(segment_stiffness(scenario, model, surfaces)),
    }
}

/// Springs so many times as stiff as the elements behind them gain energy in steps that are stable for the elements. A
/// rod on a rigid wall has an energy error of 0.4 % at 2.7 times, 4.3 % at 4 times and 9.9 % at 5.3 times.
const STIFF: f64 = 3.0;

/// κ dt²/m of a step in which nodes may come and go on such springs, m the mass of the node. The same rod has, with springs
/// 267 times as stiff as its elements, an energy error of 0.1 % at 0.4, 1.2 % at 0.8 and 4.6 % at 1.3; with springs 27
/// times as stiff 0.1 % at 0.5 and 2.6 % at 1.7.
const HOLDING: f64 = 0.4;

/// The largest step in which the nodes of deformable bodies may come and go on penalty springs whose stiffness does not
/// follow the step \[s\]; infinite for others.
///
/// It holds before anything touches, too: the step in which a node goes in decides on how deep it is found, and one that
/// grew again whenever nothing touches would throw the nodes out that chatter.
pub(crate) fn holding_step(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> f64 {
    (HOLDING / steepest_spring(scenario, model, surfaces)).sqrt()
}

/// How deep rigid bodies sink under their weight, over their extent.
const SINKING: f64 = 1e-4;

/// The largest step of a model without deformable bodies \[s\]; infinite for others, and without gravity.
///
/// Springs that follow the step have λ dt² = 0.1 together on a rigid body. One of extent L that rests on them sinks by
/// g/λ = 1e-4 L in steps of dt² = 0.1 · 1e-4 L/g, and deeper as its heave has but a part of the largest λ: how deep, and
/// how fast it comes to rest, is a matter of the model, and not of how long it runs. Impulses leave a body g dt² deep in
/// such steps, and are right in times of dt.
pub(crate) fn resting_step(model: &Model, surfaces: &[Surface]) -> f64 {
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
        ON_RIGID * SINKING * extent / body.gravity.norm()
    });
    square.filter(|&square| square > 0.0).fold(f64::INFINITY, f64::min).sqrt()
}

/// The largest κ/m of a penalty spring whose stiffness does not follow the step on a node of a deformable body \[1/s²\].
fn steepest_spring(scenario: &Scenario, model: &Model, surfaces: &[Surface]) -> f64 {
    if scenario.contact.response.method != ResponseMethod::Penalty {
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

/// Springs of the penalty response that are stiffer than the elements behind them, where a fixed step is too long for it.
///
/// Elements that have the critical step dt_c hold the end of a bar by k = 2 m/dt_c², m the mass of the node there.
pub(crate) fn stiffness_warning(
    scenario: &Scenario,
    model: &Model,
    surfaces: &[Surface],
    critical: &[Option<CriticalStep>],
) -> Option<String> {
    let StepSize::Fixed(step) = scenario.time.step else { return None };
    let critical = critical.iter().flatten().map(|c| c.time_step).fold(f64::INFINITY, f64::min);
    let over_elements = 0.5 * steepest_spring(scenario, model, surfaces) * critical * critical;
    let holding = holding_step(scenario, model, surfaces);
    // As it is written, with four digits, it must hold too.
    let written = 0.999 * holding;
    (over_elements > STIFF && step > holding).then(|| {
        format!(
            "springs of contact are {over_elements:.1} times as stiff as the elements behind them: where nodes come and \
             go they gain energy in steps of {step:.3e} s; set `time.step` to {written:.3e} or \"auto\", lower \
             `contact.stiffness`, or set `contact.response` to \"energy-momentum\", which keeps the energy in any step"
        )
    })
}

/// k_a = K A²/V of every node \[N/m\]: bulk modulus, area of the surface and volume that belong to it. Infinite for nodes
/// of rigid bodies.
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
        MaterialModel::LinearElastic(constants)
        | MaterialModel::StVenantKirchhoff(constants)
        | MaterialModel::NeoHookean(constants) => {
            Some(constants.young / (3.0 * (1.0 - 2.0 * constants.poisson)))
        }
        MaterialModel::Rigid => None,
    }
}
