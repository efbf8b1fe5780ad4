use super::*;
use crate::random::Random;
use crate::response::laws::friction::FrictionLaw;
use crate::response::laws::pairs::PairOptions;
use crate::response::mobility::Mobility;
use crate::response::samples::{INVERSE_MASS, bodies, free_nodes, key, node_on_face, one_contact, positions};
use crate::response::setup::AngularMomentum;
use crate::{ContactKey, NodeOnSurface, Side, SurfacePair};

fn response(restitution: f64, friction: f64) -> Decomposition {
    let laws = ImpactOptions { restitution, friction: FrictionLaw::constant(friction) };
    let options = DecompositionOptions {
        pairs: PairOptions::uniform(laws),
        order: Order::Together,
        every: 1,
        projection: 1.0,
        angular_momentum: AngularMomentum::Restore,
    };
    Decomposition::new(options)
}

/// Velocities after the corrections.
fn corrected(velocities: &[Vec3], action: &ContactAction) -> Vec<Vec3> {
    let mut after = velocities.to_vec();
    action.node_corrections.iter().for_each(|c| after[c.node as usize] += c.velocity);
    after
}

fn kinetic(velocities: &[Vec3], inverse_mass: &[f64]) -> f64 {
    velocities.iter().zip(inverse_mass).map(|(v, inverse)| 0.5 * v.norm_squared() / inverse).sum()
}

/// Node 3 of 0.8 kg is in contact with a face of nodes of 2, 1 and 1.5 kg. The coefficient of restitution is 0.5, and
/// the coefficient of friction is 0.2. The results agree with an independent evaluation of the formulas of a single
/// contact: the normal impulse and the energy loss to 12 digits, the friction impulse and the velocities to 1e-8.
#[test]
fn reference_case() {
    let velocities = [
        Vec3::new(0.0, 0.0, 0.1),
        Vec3::new(0.1, 0.0, 0.0),
        Vec3::new(0.0, 0.2, 0.0),
        Vec3::new(1.0, -0.5, -2.0),
    ];
    let x = positions(0.0);
    let mobility = free_nodes(&INVERSE_MASS);
    let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
    let mut action = ContactAction::new(4);
    response(0.5, 0.2).respond(&one_contact(0.0), &bodies, StepLength::regular(1.0), &mut action);
    let result = action.results[0];
    assert!((result.normal_force - 1.984716157205).abs() < 5e-13, "{}", result.normal_force);
    assert!((result.friction_force - Vec3::new(-0.33758114, 0.20881308, 0.0)).norm() < 1e-8);
    assert_eq!(result.status, Status::Slip);
    let expected = [
        Vec3::new(0.03375811, -0.02088131, -0.09847162),
        Vec3::new(0.20127434, -0.06264392, -0.59541485),
        Vec3::new(0.11252705, 0.13039564, -0.66157205),
        Vec3::new(0.57802357, -0.23898365, 0.48089520),
    ];
    let after = corrected(&velocities, &action);
    for (found, expected) in after.iter().zip(expected) {
        assert!((found - expected).norm() < 1e-8, "{found} instead of {expected}");
    }
    let lost = kinetic(&velocities, &INVERSE_MASS) - kinetic(&after, &INVERSE_MASS);
    assert!((lost - 1.3347494148149).abs() < 1e-12, "{lost}");
    assert!((action.work.friction + action.work.damping - lost).abs() < 1e-14);
    assert_eq!(action.work.numerical, 0.0);
}

/// A sliding contact with penetration, on surfaces with and without offset, with and without friction. The projection
/// closes the gap, and friction acts from the beginning of the contact. The centre of mass is unchanged, and linear and
/// angular momentum are conserved to rounding.
#[test]
fn momenta_are_conserved_by_projection_and_friction() {
    let gap = -2e-2;
    let velocities = [
        Vec3::new(0.3, -0.2, 0.1),
        Vec3::new(0.1, 0.4, 0.0),
        Vec3::new(-0.2, 0.2, 0.3),
        Vec3::new(5.0, -3.0, -2.0),
    ];
    let mobility = free_nodes(&INVERSE_MASS);
    let constraints = one_contact(gap);
    let constraint = constraints.get(0);
    let nodes = constraint.nodes.iter().zip(constraint.weights);
    let inverse: f64 = nodes.map(|(&node, w)| w * w * INVERSE_MASS[node as usize]).sum();
    for (friction, thickness) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.1), (0.3, 0.1)] {
        let x = positions(gap + thickness);
        let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
        let mut action = ContactAction::new(4);
        let dt = 1e-3;
        response(0.0, friction).respond(&constraints, &bodies, StepLength::regular(dt), &mut action);
        let mut moved = x;
        action.node_corrections.iter().for_each(|c| moved[c.node as usize] += c.position);
        let after = corrected(&velocities, &action);
        // At this depth the contact lasts the whole step.
        let slip = action.results[0].friction_force * (dt * dt * inverse);
        let left = constraints.get(0).jump(&moved) - Vec3::z() * thickness - slip;
        assert!(left.norm() < 1e-15 && (friction == 0.0) == (slip == Vec3::zeros()), "{left}");
        let sum = |f: &dyn Fn(usize) -> Vec3| (0..4).map(|k| f(k) / INVERSE_MASS[k]).sum::<Vec3>();
        assert!((sum(&|k| moved[k]) - sum(&|k| x[k])).norm() < 1e-15);
        assert!((sum(&|k| after[k]) - sum(&|k| velocities[k])).norm() < 1e-14);
        let angular = [sum(&|k| x[k].cross(&velocities[k])), sum(&|k| moved[k].cross(&after[k]))];
        assert!((angular[1] - angular[0]).norm() < 1e-13, "{angular:?}");
        let change = kinetic(&after, &INVERSE_MASS) - kinetic(&velocities, &INVERSE_MASS);
        let accounted = action.work.numerical - action.work.friction - action.work.damping;
        assert!((change - accounted).abs() < 1e-13 && action.work.numerical != 0.0);
    }
}

/// 600 problems of five contacts that share nodes, with random weights, normals, masses and velocities. The coefficient
/// of restitution is 0, 0.5 or 1, and the coefficient of friction is 0, 0.3 or 0.6. The contacts create no kinetic
/// energy, no contact is closing afterwards, and every impulse is in Coulomb's cone.
#[test]
fn many_contacts_create_no_energy() {
    let mut random = Random(7);
    for case in 0..600 {
        let (restitution, friction) = (0.5 * (case % 3) as f64, 0.3 * (case / 3 % 3) as f64);
        let mut constraints = Constraints::default();
        let mut x = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
        for contactor in 3..8 {
            let a = random.unit();
            let b = (1.0 - a) * random.unit();
            let shares = [a, b, 1.0 - a - b];
            x.push(x[0] * shares[0] + x[1] * shares[1] + x[2] * shares[2]);
            let tilt = Vec3::from_fn(|_, _| 0.6 * random.unit() - 0.3);
            let nodes = [contactor];
            let side = Side { body: 0, nodes: &nodes, shape_values: &[1.0] };
            let target = Side { body: 1, nodes: &[0, 1, 2], shape_values: &shares };
            constraints.push(key(contactor), 0.0, (Vec3::z() + tilt).normalize(), side, target);
        }
        let inverse_mass: Vec<f64> = (0..8).map(|_| 1.0 / (0.2 + 2.0 * random.unit())).collect();
        let velocities: Vec<Vec3> = (0..8).map(|_| Vec3::from_fn(|_, _| 2.0 * random.unit() - 1.0)).collect();
        let mobility = free_nodes(&inverse_mass);
        let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
        let mut action = ContactAction::new(8);
        let mut response = response(restitution, friction);
        response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
        let after = corrected(&velocities, &action);
        let energies = [&velocities, &after].map(|v| kinetic(v, &inverse_mass));
        assert!(energies[1] <= energies[0] * (1.0 + 1e-12), "case {case}: {energies:?}");
        let lost = action.work.friction + action.work.damping;
        assert!((energies[0] - energies[1] - lost).abs() < 1e-11, "case {case}: {lost}");
        for (constraint, result) in constraints.iter().zip(&action.results) {
            let closing = -constraint.normal.dot(&constraint.jump(&after));
            assert!(closing < 1e-6, "case {case}: {closing}");
            // The impulse lies between P_c and P_e (see `impact`), both in the cone. The cone is convex and therefore
            // contains the impulse.
            let bound = friction * result.normal_force;
            assert!(result.friction_force.norm() <= bound + 1e-9, "case {case}: {result:?}");
        }
    }
}

/// A ball strikes the first of two equal balls at rest in a row. Both orders conserve energy and momentum. In the
/// sequential order, the balls exchange velocities, and the last ball takes the whole velocity.
#[test]
fn orders_conserve_energy_and_momentum() {
    for order in [Order::Together, Order::OneByOne] {
        let mut constraints = Constraints::default();
        let side = |nodes: &'static [u32]| Side { body: 0, nodes, shape_values: &[1.0] };
        constraints.push(key(1), -0.1, Vec3::z(), side(&[1]), side(&[0]));
        constraints.push(key(2), -0.2, Vec3::z(), side(&[2]), side(&[1]));
        let velocities = [Vec3::z() * 3.0, Vec3::zeros(), Vec3::zeros()];
        let x = [Vec3::zeros(), Vec3::z() * -0.1, Vec3::z() * -0.3];
        let mobility = free_nodes(&[1.0; 3]);
        let bodies = bodies(&x, &velocities, &[1.0; 3], &mobility);
        let mut response = response(1.0, 0.0);
        response.options.order = order;
        let mut action = ContactAction::new(3);
        response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
        let after = corrected(&velocities, &action);
        assert!((after.iter().map(|v| v.z).sum::<f64>() - 3.0).abs() < 1e-12);
        assert!((kinetic(&after, &[1.0; 3]) - 4.5).abs() < 1e-8, "{after:?}");
        if order == Order::OneByOne {
            assert!((after[2].z - 3.0).abs() < 1e-12, "Newton's cradle: {after:?}");
        }
    }
}

#[test]
fn contact_can_be_solved_every_few_steps() {
    let mut constraints = Constraints::default();
    node_on_face(&mut constraints, 3, -1e-3);
    let velocities = [Vec3::zeros(), Vec3::zeros(), Vec3::zeros(), -Vec3::z()];
    let x = positions(-1e-3);
    let mobility = free_nodes(&INVERSE_MASS);
    let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
    let mut response = response(0.0, 0.0);
    response.options.every = 3;
    let acts: Vec<bool> = (0..7)
        .map(|_| {
            let mut action = ContactAction::new(4);
            response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
            !action.node_corrections.is_empty()
        })
        .collect();
    assert_eq!(acts, [true, false, false, true, false, false, true]);
}

/// A ball of m = 1 kg strikes a rough wall of 0.5 kg and sticks. The wall can move only along its tilted normal. The
/// effective mass is m_eff = 1/3 kg, the closing speed is 2 m/s, and the coefficient of restitution is e = 0.5. The
/// normal impulse is therefore (1 + e) m_eff · 2 m/s = 1 N·s. The slider of the wall reacts to the friction impulse, so
/// friction dissipates the whole energy ½ m (1.5 m/s)² of the slip.
#[test]
fn ball_sticks_to_a_wall_on_a_slider() {
    let (normal, along) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.8, 0.0, -0.6));
    let mut constraints = Constraints::default();
    let contactor = Side { body: 0, nodes: &[0], shape_values: &[1.0] };
    constraints.push(key(0), 0.0, normal, contactor, Side { body: 1, nodes: &[1], shape_values: &[1.0] });
    let inverse_mass = [1.0, 2.0];
    let mut mobility = free_nodes(&inverse_mass);
    mobility.constrain_to_line(1, normal);
    let velocities = [along * 1.5 - normal * 2.0, Vec3::zeros()];
    let x = [Vec3::zeros(); 2];
    let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
    let mut action = ContactAction::new(2);
    response(0.5, 2.0).respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
    let after = corrected(&velocities, &action);
    assert!((after[0] + normal).norm() < 1e-14 && (after[1] + normal * 2.0).norm() < 1e-14, "{after:?}");
    assert_eq!(action.results[0].status, Status::Stick);
    assert!((action.work.friction - 1.125).abs() < 1e-14 && action.work.numerical == 0.0);
}

/// Velocity along z of a ball of 1 kg after impact on a fixed node, in a step of 0.5 s. At the beginning of the step,
/// the accelerations of the node and of the ball are `held` and `free` \[m/s²\].
fn rebound(restitution: f64, every: u32, velocity: f64, [held, free]: [f64; 2]) -> f64 {
    let mut constraints = Constraints::default();
    let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
    constraints.push(key(1), 0.0, Vec3::z(), side(0, &[1]), side(1, &[0]));
    let inverse_mass = [0.0, 1.0];
    let mobility = Mobility::of_nodes(inverse_mass.map(Vec3::repeat).to_vec(), 2);
    let (x, velocities) = ([Vec3::zeros(); 2], [Vec3::zeros(), Vec3::z() * velocity]);
    let accelerations = [Vec3::z() * held, Vec3::z() * free];
    let bodies =
        Bodies { accelerations: &accelerations, ..bodies(&x, &velocities, &inverse_mass, &mobility) };
    let mut options = response(restitution, 0.0).options;
    (options.every, options.projection) = (every, 0.0);
    let mut action = ContactAction::new(2);
    Decomposition::new(options).respond(&constraints, &bodies, StepLength::regular(0.5), &mut action);
    corrected(&velocities, &action)[1].z
}

/// Between two contact solutions, forces on the ball or the acceleration of its support change the closing speed by v1.
/// Up to a closing speed of 2 v1, the contact rests without restitution. From 3 v1 on, the contact has full
/// restitution. Between 2 v1 and 3 v1, the restitution is interpolated linearly. If the forces separate ball and
/// support, every closing contact is an impact.
#[test]
fn restitution_acts_on_impacts_only() {
    let (weight, restitution) = (4.0, 0.8);
    let part = |multiple: f64| (multiple - 2.0).clamp(0.0, 1.0);
    for every in [1, 4] {
        let v1 = weight * 0.5 * f64::from(every);
        for accelerations in [[0.0, -weight], [weight, 0.0], [3.0, -1.0], [-weight, -2.0 * weight]] {
            for multiple in [0.5, 1.0, 2.0, 2.25, 2.5, 3.0, 10.0] {
                let after = rebound(restitution, every, -multiple * v1, accelerations);
                let expected = restitution * part(multiple) * multiple * v1;
                assert!((after - expected).abs() < 1e-12 * v1, "{accelerations:?}: {after}, not {expected}");
            }
        }
        for accelerations in [[0.0, weight], [-weight, 0.0], [0.0, 0.0]] {
            // The restitution is small. With a larger restitution, the kick of the ball after the impact would create
            // energy.
            let after = rebound(0.2, every, -3.0, accelerations);
            assert!((after - 0.6).abs() < 1e-13, "{accelerations:?}: {after}");
        }
    }
}

/// Two balls strike a fixed node in one step. Each ball rebounds with the restitution of its pair.
#[test]
fn a_fixed_node_does_not_share_restitution() {
    let mut constraints = Constraints::default();
    for (contactor, body) in [(1, 0), (2, 2)] {
        let nodes = [contactor];
        let side = Side { body, nodes: &nodes, shape_values: &[1.0] };
        constraints.push(
            key(contactor),
            0.0,
            Vec3::z(),
            side,
            Side { body: 1, nodes: &[0], shape_values: &[1.0] },
        );
    }
    let inverse_mass = [0.0, 1.0, 1.0];
    let mobility = Mobility::of_nodes(inverse_mass.map(Vec3::repeat).to_vec(), 3);
    let velocities = [Vec3::zeros(), -Vec3::z(), -Vec3::z()];
    let bodies = bodies(&velocities, &velocities, &inverse_mass, &mobility);
    let mut response = Decomposition::new(response(1.0, 0.0).options);
    let dead = ImpactOptions { restitution: 0.0, friction: FrictionLaw::none() };
    response.options.pairs = response.options.pairs.with(SurfacePair::whole([1, 2]), dead);
    let mut action = ContactAction::new(3);
    response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
    let after = corrected(&velocities, &action);
    assert!((after[1] - Vec3::z()).norm() < 1e-15 && after[2].norm() < 1e-15, "{after:?}");
}

/// A node moves down at 1 m/s between two fixed slopes of 60° and jams between them by friction. A ball strikes this
/// node at 3 m/s. The jammed node cannot rebound, but the ball leaves the node at the speed of 2 m/s at which ball and
/// node approached each other.
#[test]
fn jammed_contacts_alone_lose_their_restitution() {
    let mut constraints = Constraints::default();
    let (sine, cosine) = 60_f64.to_radians().sin_cos();
    for (target, normal) in [(2, Vec3::new(sine, 0.0, cosine)), (3, Vec3::new(-sine, 0.0, cosine))] {
        let nodes = [target];
        let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
        let name = ContactKey::Node(NodeOnSurface { contactor: 0, target });
        constraints.push(name, 0.0, normal, side(0, &[0]), side(target, &nodes));
    }
    let ball = Side { body: 1, nodes: &[1], shape_values: &[1.0] };
    let name = ContactKey::Node(NodeOnSurface { contactor: 1, target: 0 });
    constraints.push(name, 0.0, Vec3::z(), ball, Side { body: 0, nodes: &[0], shape_values: &[1.0] });
    let inverse_mass = [1.0, 1.0, 0.0, 0.0];
    let mobility = Mobility::of_nodes(inverse_mass.map(Vec3::repeat).to_vec(), 4);
    let velocities = [-Vec3::z(), -Vec3::z() * 3.0, Vec3::zeros(), Vec3::zeros()];
    let x = [Vec3::zeros(); 4];
    let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
    let mut response = response(1.0, 0.0);
    let rough = ImpactOptions { restitution: 1.0, friction: FrictionLaw::constant(3.0) };
    for side in [2, 3] {
        response.options.pairs = response.options.pairs.with(SurfacePair::whole([0, side]), rough);
    }
    let mut action = ContactAction::new(4);
    response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
    let after = corrected(&velocities, &action);
    assert!(after[0].norm() < 1e-9 && (after[1] - Vec3::z() * 2.0).norm() < 1e-9, "{after:?}");
    let expected = UnsolvedProblems { restitutions: 1, ..UnsolvedProblems::default() };
    assert_eq!(action.unsolved, expected);
    // Only the step with contacts reports jammed contacts.
    response.respond(&Constraints::default(), &bodies, StepLength::regular(1.0), &mut action);
    assert_eq!(action.unsolved, UnsolvedProblems::default());
}

/// Two coincident triangles. Each node is in contact with the other triangle, near its counterpart. The two contacts of
/// a pair of nodes are redundant up to weights of 1e-7 to 1e-4, so that no impulses stop both contacts. The response
/// nevertheless finds impulses that satisfy the contact laws: no contact is closing.
#[test]
fn redundant_contacts_whose_rows_differ_are_solved() {
    let mut random = Random(11);
    for case in 0..200 {
        let (friction, part) = (0.3 * (case % 2) as f64, [1e-7, 1e-6, 1e-5, 1e-4][case / 2 % 4]);
        let mut constraints = Constraints::default();
        for contactor in 0..6 {
            let [near, b, c] = [0, 1, 2].map(|k| (contactor + k) % 3);
            let [body, first, normal] = if contactor < 3 { [0, 3, 1] } else { [1, 0, -1] };
            let beside = [random.unit(), random.unit()].map(|unit| part * unit);
            let nodes = [near, b, c].map(|node| node + first as u32);
            let shape_values = [1.0 - beside[0] - beside[1], beside[0], beside[1]];
            let side = Side { body: body as u32, nodes: &[contactor], shape_values: &[1.0] };
            let target = Side { body: 1 - body as u32, nodes: &nodes, shape_values: &shape_values };
            let key = ContactKey::Node(NodeOnSurface { contactor, target: target.body });
            constraints.push(key, 0.0, Vec3::z() * f64::from(normal), side, target);
        }
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::zeros(), Vec3::x(), Vec3::y()];
        let inverse_mass: Vec<f64> = (0..6).map(|_| 1.0 / (0.2 + 2.0 * random.unit())).collect();
        let closing = |k: u32| Vec3::z() * if k < 3 { -1.0 } else { 1.0 };
        let velocities: Vec<Vec3> =
            (0..6).map(|k| closing(k) + Vec3::from_fn(|_, _| random.unit() - 0.5)).collect();
        let mobility = free_nodes(&inverse_mass);
        let bodies = bodies(&x, &velocities, &inverse_mass, &mobility);
        let mut action = ContactAction::new(6);
        let mut response = response(0.0, friction);
        // The couples would turn the triangles, because the nodes are beside their closest points.
        response.options.angular_momentum = AngularMomentum::Change;
        response.respond(&constraints, &bodies, StepLength::regular(1.0), &mut action);
        assert_eq!(action.unsolved, UnsolvedProblems::default(), "case {case}");
        let after = corrected(&velocities, &action);
        for constraint in constraints.iter() {
            let rate = constraint.normal.dot(&constraint.jump(&after));
            assert!(rate > -1e-10, "case {case}: closes at {rate:e}");
        }
    }
}
