use std::sync::Arc;

use super::*;
use crate::math::Mat3;
use crate::mesh::CellKind;
use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;
use crate::response::mobility::RigidMobility;
use crate::response::samples::{INVERSE_MASS, bodies, free_nodes, key, one_contact, positions};
use crate::{ContactKey, NodeOnSurface, Side, Surface, SurfacePair};

/// Masses of the bodies \[kg\]; compared with them, the masses of the nodes in contact are negligible.
const LARGE: [f64; 3] = [1e9; 3];

fn response(factor: f64, friction: FrictionLaw) -> Penalty {
    let options = PenaltyOptions {
        factor,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction,
        soft_start: 0.0,
    };
    Penalty::new(Stiffness::Mass, PairOptions::uniform(options), LARGE.to_vec())
}

/// Applies the response to `constraints` at the reference positions with a penetration of 1 mm. In the step of length
/// `time_step` \[s\], the contactor moves against the normal by `closing` \[m\].
fn answer(
    response: &mut Penalty,
    constraints: &Constraints,
    closing: f64,
    time_step: f64,
    action: &mut ContactAction,
) {
    let (mut velocities, x, mobility) = ([Vec3::zeros(); 4], positions(-1e-3), free_nodes(&INVERSE_MASS));
    velocities[3].z = -closing / time_step;
    let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
    response.respond(constraints, &bodies, StepLength::regular(time_step), action);
}

fn answer_begin(
    response: &mut Penalty,
    constraints: &Constraints,
    time_step: f64,
    action: &mut ContactAction,
) {
    answer(response, constraints, 1e-3, time_step, action);
}

fn answer_at_rest(
    response: &mut Penalty,
    constraints: &Constraints,
    time_step: f64,
    action: &mut ContactAction,
) {
    answer(response, constraints, 0.0, time_step, action);
}

/// The effective mass m_eff of the reference nodes of 2, 1, 1.5 and 0.8 kg with the weights (0.2, 0.3, 0.5, −1) is
/// 0.655021834061 kg (40-digit arithmetic). The force is f m_eff δ/dt² with the stiffness factor f, the penetration δ
/// and the time step dt. The nodal forces have no resultant. The stored energy is half the product of force and
/// penetration.
#[test]
fn force_follows_the_effective_mass_and_sums_to_zero() {
    let mut response = response(0.4, FrictionLaw::none());
    let mut action = ContactAction::new(4);
    answer_begin(&mut response, &one_contact(-1e-3), 1e-3, &mut action);
    let expected = 0.4 * 0.655021834061 / 1e-6 * 1e-3;
    assert!((action.forces[3].z - expected).abs() < 1e-9 * expected);
    assert!(action.forces.iter().sum::<Vec3>().norm() < 1e-12 * expected);
    assert!((action.stored_energy - 0.5 * expected * 1e-3).abs() < 1e-9 * expected);
}

/// The stiffness is constant over the life of a contact even if the step shrinks, and is computed anew after an
/// opening.
#[test]
fn stiffness_is_frozen_for_the_life_of_a_contact() {
    let mut response = response(0.4, FrictionLaw::none());
    let mut action = ContactAction::new(4);
    answer_begin(&mut response, &one_contact(-1e-3), 1e-3, &mut action);
    let begun = action.forces[3].z;
    answer_at_rest(&mut response, &one_contact(-1e-3), 0.5e-3, &mut action);
    assert_eq!(action.forces[3].z, begun);
    answer_at_rest(&mut response, &Constraints::default(), 0.5e-3, &mut action);
    assert_eq!(action.forces[3], Vec3::zeros());
    answer_begin(&mut response, &one_contact(-1e-3), 0.5e-3, &mut action);
    assert!((action.forces[3].z / begun - 4.0).abs() < 1e-12);
}

/// A spring continues over a seam with its stiffness and energy if the next body is higher or lower by up to a tenth of
/// the penetration. At more than twice the penetration, a new spring begins without energy.
#[test]
fn springs_transfer_over_flush_surfaces() {
    let pressed_by_next = |gap: f64| {
        let mut response = response(0.4, FrictionLaw::none());
        let mut action = ContactAction::new(4);
        answer_begin(&mut response, &one_contact(-1e-3), 1e-3, &mut action);
        let begun = (action.forces[3].z, action.stored_energy);
        let mut next = Constraints::default();
        let key = ContactKey::Node(NodeOnSurface { contactor: 3, target: 2 });
        let side = Side { body: 0, nodes: &[3], shape_values: &[1.0] };
        let target = Side { body: 1, nodes: &[0, 1, 2], shape_values: &[0.2, 0.3, 0.5] };
        next.push(key, gap, Vec3::z(), side, target);
        answer_at_rest(&mut response, &next, 0.5e-3, &mut action);
        [action.forces[3].z / begun.0, action.stored_energy / begun.1]
    };
    for gap in [-1e-3, -0.9e-3, -1.1e-3] {
        assert!(pressed_by_next(gap).iter().all(|part| (part - 1.0).abs() < 1e-12), "{gap}");
    }
    assert_eq!(pressed_by_next(-2.1e-3), [0.0; 2]);
}

/// A contact is detected at a penetration that is larger than the closing displacement in the step. Springs begin
/// without energy. The effective penetration therefore begins with the closing displacement, and then changes with the
/// gap. After an opening, a new contact whose penetration is at most the closing displacement has its full penetration.
#[test]
fn deep_contacts_begin_at_the_entered_distance() {
    let mut response = response(0.4, FrictionLaw::none());
    let mut action = ContactAction::new(4);
    let stiffness = 0.4 * 0.655021834061 / 1e-6;
    let mut answered = |gap: f64, closing: f64| {
        answer(&mut response, &one_contact(gap), closing, 1e-3, &mut action);
        [action.forces[3].z / stiffness, action.work.numerical / stiffness]
    };
    let beginning = [answered(-1e-3, 0.0), answered(-1.2e-3, 0.2e-3), answered(-1.3e-3, 0.1e-3)];
    for ([depth, numerical_work], expected) in beginning.into_iter().zip([0.0, 0.2e-3, 0.3e-3]) {
        assert!((depth - expected).abs() < 1e-12 && numerical_work.abs() < 1e-12 * 0.3e-3 * 0.3e-3);
    }
    // The force is attractive and balances the energy error of the opening in the middle of a step.
    assert!(answered(0.1e-3, -1.4e-3)[0] < 0.0);
    // The node is in contact for 5/6 of the step.
    assert!((answered(-0.5e-3, 0.6e-3)[0] - 0.5e-3 * 0.5 * (1.0 + 5.0 / 6.0)).abs() < 1e-12);
}

/// The bound on the squared frequency is at least the exact value of a single contact, and at most four times this
/// value. The exact value is κ Σ w²/m with the stiffness κ, the weights w and the nodal masses m.
#[test]
fn frequency_bound_holds_for_one_contact() {
    let mut response = response(1.0, FrictionLaw::none());
    let mut action = ContactAction::new(4);
    answer_begin(&mut response, &one_contact(-1e-3), 1e-3, &mut action);
    assert!(action.frequency_squared >= 1.0 / 1e-6 * (1.0 - 1e-12));
    assert!(action.frequency_squared <= 4.0 / 1e-6);
}

/// The bound on the squared frequency also holds at the centre of an eight-node face, where the corners have negative
/// shape values. The contactor is fixed, or has a mass of 1 kg or 1/3 kg.
#[test]
fn frequency_bound_holds_on_quadratic_faces() {
    let shares = [-0.25, -0.25, -0.25, -0.25, 0.5, 0.5, 0.5, 0.5];
    let mut constraints = Constraints::default();
    let key = ContactKey::Node(NodeOnSurface { contactor: 8, target: 1 });
    let contactor = Side { body: 0, nodes: &[8], shape_values: &[1.0] };
    let target = Side { body: 1, nodes: &[0, 1, 2, 3, 4, 5, 6, 7], shape_values: &shares };
    constraints.push(key, -1e-3, Vec3::z(), contactor, target);
    for of_contactor in [0.0, 1.0, 3.0] {
        let corner = 16.0 / 3.0;
        let inverse_mass = [corner, corner, corner, corner, 4.0, 4.0, 4.0, 4.0, of_contactor];
        let velocities = [Vec3::zeros(); 9];
        let mobility = free_nodes(&inverse_mass);
        let bodies = bodies(&velocities, &velocities, &inverse_mass, &mobility);
        let mut response = response(1.0, FrictionLaw::none());
        let mut action = ContactAction::new(9);
        response.respond(&constraints, &bodies, StepLength::regular(1e-3), &mut action);
        // With the stiffness κ of factor 1, κ Σ w²/m is 1/dt².
        assert!(action.frequency_squared >= 1.0 / 1e-6 * (1.0 - 1e-12), "{}", action.frequency_squared);
    }
}

/// A constant force presses a block of 0.8 kg on a fixed face and pulls it along the face. With a small pull the block
/// sticks on its tangential spring; with a large pull the block slides. Kinetic energy, spring energies, friction
/// dissipation and the work of the constant force balance to rounding. The kinetic energy enters in the form that the
/// time integration conserves, T − dt² |f|²/(8 m) with the total force f.
#[test]
fn friction_sticks_slides_and_balances() {
    let inverse_mass = [0.0, 0.0, 0.0, 1.25];
    let mobility = free_nodes(&inverse_mass);
    let dt = 1e-3;
    for (pull, slides) in [(0.2, false), (0.45, true)] {
        let mut response = response(0.2, FrictionLaw::constant(0.5));
        let mut action = ContactAction::new(4);
        let weight = 0.8;
        let load = Vec3::new(pull * weight, 0.0, -weight);
        // The block rests on its spring of stiffness κ = f m/dt².
        let mut x = positions(-weight * dt * dt / (0.2 * 0.8));
        let start = x[3];
        let mut coming_in = [Vec3::zeros(); 4];
        coming_in[3].z = start.z / dt;
        let coming = bodies(&x, &coming_in, &inverse_mass, &mobility);
        response.respond(&one_contact(start.z), &coming, StepLength::regular(dt), &mut action);
        let (mut v, mut taken, mut force) = ([Vec3::zeros(); 4], 0.0, load + Vec3::z() * weight);
        let kick = pull * weight;
        let stored = (0.5 * weight * weight / (0.2 * 0.8) - 0.125 * kick * kick * 1.25) * dt * dt;
        let mut most = 0.0f64;
        for _ in 0..400 {
            v[3] += force * (0.5 * dt * 1.25);
            x[3] += v[3] * dt;
            let gap = x[3].z;
            let bodies = bodies(&x, &v, &inverse_mass, &mobility);
            response.respond(&one_contact(gap), &bodies, StepLength::regular(dt), &mut action);
            force = load + action.forces[3];
            v[3] += force * (0.5 * dt * 1.25);
            taken += action.work.friction;
            let kinetic = 0.5 * v[3].norm_squared() * 0.8 - 0.125 * dt * dt * force.norm_squared() * 1.25;
            let energy = kinetic + action.stored_energy + taken - load.dot(&(x[3] - start));
            most = most.max((energy - stored).abs());
        }
        let way = (x[3] - start).x;
        // The tangential force oscillates between zero and twice the pull: the block slides if twice the pull exceeds
        // the friction bound.
        assert_eq!(taken > 1e-8, slides, "{way} {taken}");
        assert!(slides || way < 3.0 * pull * weight * dt * dt / (0.2 * 0.8), "{way}");
        assert!(most < 1e-14, "{most}");
    }
}

/// The force of a contact with soft start follows the current stiffness. No node moves after the first step. The energy
/// that the spring gains while its stiffness grows from a quarter to the full value is therefore numerical work.
#[test]
fn soft_start_stiffens_springs() {
    let options = PenaltyOptions {
        factor: 0.5,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction: FrictionLaw::none(),
        soft_start: 4e-3,
    };
    let mut response = Penalty::new(Stiffness::Given(1e3), PairOptions::uniform(options), LARGE.to_vec());
    let mut action = ContactAction::new(4);
    let mut given = 0.0;
    for k in 1..=6 {
        let closing = if k == 1 { 1e-3 } else { 0.0 };
        answer(&mut response, &one_contact(-1e-3), closing, 1e-3, &mut action);
        let grown = 0.25 * f64::from(k.min(4));
        assert!((action.results[0].normal_force - grown).abs() < 1e-12);
        given += action.work.numerical;
    }
    assert!((given - 0.75 * 0.5 * 1e3 * 1e-6).abs() < 1e-15, "{given}");
}

/// All corners of a rigid cube of mass m and edge length a stick to fixed points by springs of stiffness κ. The
/// rotation of the cube has the stiffness 8 κ a²/2 and the inertia m a²/6, so its frequency is ω² = 24 κ/m. Corners
/// with an eighth of the mass each would have three times this inertia.
#[test]
fn frequency_bound_holds_for_a_rigid_body() {
    let (mass, edge, dt) = (4.0, 0.5, 1e-3);
    let corner = |k: u32| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.5 * edge } else { -0.5 * edge });
    let x: Vec<Vec3> = (0..16).map(|k| corner(k % 8)).collect();
    let mut constraints = Constraints::default();
    for node in 0..8 {
        let nodes = [[node], [node + 8]];
        let [contactor, target] =
            [0, 1].map(|side| Side { body: side, nodes: &nodes[side as usize], shape_values: &[1.0] });
        let key = ContactKey::Node(NodeOnSurface { contactor: node, target: 1 });
        constraints.push(key, -1e-3, Vec3::z(), contactor, target);
    }
    let inverse_mass: Vec<f64> = (0..16).map(|k| if k < 8 { 8.0 / mass } else { 0.0 }).collect();
    let mut mobility = free_nodes(&inverse_mass);
    mobility.set_rigid(
        0,
        RigidMobility {
            centre: Vec3::zeros(),
            inverse_mass: Vec3::repeat(1.0 / mass),
            inverse_inertia: Mat3::identity() * (6.0 / (mass * edge * edge)),
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            acceleration: Vec3::zeros(),
            angular_acceleration: Vec3::zeros(),
        },
    );
    let velocities = vec![Vec3::zeros(); 16];
    let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
    let stiffness = 0.125 * mass / (dt * dt);
    let friction = FrictionLaw::constant(1.0);
    let options = PenaltyOptions {
        factor: 1.0,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction,
        soft_start: 0.0,
    };
    let mut action = ContactAction::new(16);
    Penalty::new(Stiffness::Given(stiffness), PairOptions::uniform(options), LARGE.to_vec()).respond(
        &constraints,
        &bodies,
        StepLength::regular(dt),
        &mut action,
    );
    let exact = 24.0 * stiffness / mass;
    assert!(action.frequency_squared >= exact, "{} of {exact}", action.frequency_squared);
    assert!(action.frequency_squared <= 1.25 * exact, "{}", action.frequency_squared / exact);
}

/// A contact begins on a smooth face and slides onto a rough face. On the rough face, the contact has the friction of
/// the rough face and the stiffness of the smooth face.
#[test]
fn laws_follow_the_current_face() {
    let laws = |factor: f64, coefficient: f64| PenaltyOptions {
        factor,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction: FrictionLaw::constant(coefficient),
        soft_start: 0.0,
    };
    let rough = Arc::new(Surface::new([(CellKind::Tri3, [1, 4, 2].as_slice())]));
    let pairs = PairOptions::uniform(laws(0.4, 0.0))
        .with(SurfacePair::new([0, 1], [None, Some(rough)]), laws(0.1, 0.25));
    let mut response = Penalty::new(Stiffness::Mass, pairs, LARGE.to_vec());
    let inverse_mass = [0.0, 0.0, 0.0, 1.25, 0.0];
    let mobility = free_nodes(&inverse_mass);
    let (x, mut velocities) = ([Vec3::zeros(); 5], [Vec3::zeros(); 5]);
    // The contactor penetrates in the first step.
    velocities[3] = Vec3::new(1.0, 0.0, -1.0);
    let mut action = ContactAction::new(5);
    for (face, coefficient) in [([0, 1, 2], 0.0), ([1, 4, 2], 0.25), ([0, 1, 2], 0.0)] {
        let mut constraints = Constraints::default();
        let side = Side { body: 0, nodes: &[3], shape_values: &[1.0] };
        let target = Side { body: 1, nodes: &face, shape_values: &[0.2, 0.3, 0.5] };
        constraints.push(key(3), -1e-3, Vec3::z(), side, target);
        let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
        response.respond(&constraints, &bodies, StepLength::regular(1e-3), &mut action);
        let pressed = 0.4 * 0.8 / 1e-6 * 1e-3;
        assert!((action.results[0].normal_force - pressed).abs() < 1e-9 * pressed);
        velocities[3].z = 0.0;
        let friction = action.results[0].friction_force;
        assert!((friction + Vec3::x() * (coefficient * pressed)).norm() < 1e-9 * pressed, "{friction}");
    }
}

/// The motion δ'' + 2 ζ δ' + δ = 0 begins with δ = 0, δ' = 1 and ends when the force δ + 2 ζ δ' vanishes. The final
/// speed, computed in Runge–Kutta steps of 1e-4, equals the coefficient of restitution within 1e-3.
#[test]
fn damping_ratio_gives_its_restitution() {
    for restitution in [0.1, 0.2, 0.3, 0.5, 0.8, 0.95, 1.0] {
        let zeta = damping_of_restitution(restitution);
        let rate = |[x, v]: [f64; 2]| [v, -x - 2.0 * zeta * v];
        let (mut state, step) = ([0.0, 1.0], 1e-4);
        while state[1] > 0.0 || state[0] + 2.0 * zeta * state[1] > 0.0 {
            let ahead = |r: [f64; 2], h: f64| [state[0] + h * r[0], state[1] + h * r[1]];
            let a = rate(state);
            let b = rate(ahead(a, 0.5 * step));
            let c = rate(ahead(b, 0.5 * step));
            let d = rate(ahead(c, step));
            state = [0, 1].map(|i| state[i] + step / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
        assert!((state[1] + restitution).abs() < 1e-3, "{restitution}: {} by {zeta}", -state[1]);
    }
    assert_eq!(damping_of_restitution(1.0), 0.0);
}

/// A share that changes by rounding changes neither the stored share nor the penetration. The previous spring force is
/// 0.8 times its full value, as in a step with contact for a part of the step; `adapt` without tolerance would change
/// the penetration by about 1 %. A change of the share by 2 % changes the penetration by more than 1 %.
#[test]
fn shares_that_are_equal_to_rounding_change_nothing() {
    let mut action = ContactAction::new(4);
    let mut response = response(0.1, FrictionLaw::none());
    answer_begin(&mut response, &one_contact(-1e-3), 1e-4, &mut action);
    let spring = *response.memory.springs.get(0);
    let spring = Spring { share: Some(0.5), elastic: 0.8 * spring.elastic, ..spring };
    for share in [0.5 * (1.0 + f64::EPSILON), 0.5 * (1.0 - f64::EPSILON)] {
        let mut kept = spring;
        assert_eq!(kept.adapt(share, 1e-4), 0.0);
        assert_eq!((kept.share, kept.penetration), (spring.share, spring.penetration));
    }
    let mut changed = spring;
    changed.adapt(0.51, 1e-4);
    let moved = (changed.penetration / spring.penetration - 1.0).abs();
    assert!(changed.share == Some(0.51) && moved > 0.01, "{moved}");
}
