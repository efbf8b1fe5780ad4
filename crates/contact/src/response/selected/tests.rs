//! Contacts with a target point inside an element. With the nodal weights w_a and positions x_a, Σ w_a x_a = 0 although
//! the gap is not zero.

use crate::math::Vec3;
use crate::{Constraints, ContactKey, NodeOnSurface, Side};

use crate::response::samples::{bodies, free_nodes};
use crate::response::{
    AngularMomentum, ContactAction, Damping, Decomposition, DecompositionOptions, EnergyMomentum,
    EnergyMomentumOptions, FrictionLaw, ImpactOptions, Order, PairOptions, Penalty, PenaltyOptions, Response,
    Scheme, StepLength, Stiffness,
};

/// Shape values of the tetrahedron with the nodes 0 to 3, at node 4 inside the tetrahedron.
const SHAPE_VALUES: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
/// Inverse masses of the nodes 0 to 4 \[1/kg\].
const INVERSE_MASS: [f64; 5] = [0.5, 1.0, 0.8, 1.25, 2.0];
const GAP: f64 = -0.05;

fn responses() -> [Box<dyn Response>; 3] {
    let friction = FrictionLaw::constant(0.3);
    let penalty = PenaltyOptions {
        factor: 0.2,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction,
        soft_start: 0.0,
    };
    let energy_momentum = EnergyMomentumOptions {
        factor: 0.2,
        restitution: 1.0,
        damping: Damping::none(),
        tangential_damping: Damping::none(),
        friction,
    };
    let decomposition = DecompositionOptions {
        pairs: PairOptions::uniform(ImpactOptions { restitution: 0.0, friction }),
        order: Order::Together,
        every: 1,
        projection: 1.0,
        angular_momentum: AngularMomentum::Restore,
    };
    let masses = vec![1e9; 2];
    [
        Box::new(Penalty::new(Stiffness::Mass, PairOptions::uniform(penalty), masses.clone())),
        Box::new(EnergyMomentum::new(
            Scheme::Staggered,
            Stiffness::Mass,
            PairOptions::uniform(energy_momentum),
            5,
            masses,
        )),
        Box::new(Decomposition::new(decomposition)),
    ]
}

/// The responses take the penetration from the stored gap, not from the nodal positions. Forces, impulses and position
/// corrections conserve linear and angular momentum, and the gap opens. Nodal vectors w_a q with a common vector q
/// conserve both momenta, because Σ w_a = 0 and Σ w_a x_a = 0. The tolerance is the rounding error of momenta of
/// about 1.
#[test]
fn the_stored_gap_counts() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let inside: Vec3 = corners.iter().zip(SHAPE_VALUES).map(|(corner, value)| corner * value).sum();
    let x = [corners[0], corners[1], corners[2], corners[3], inside];
    let normal = Vec3::new(0.6, 0.0, 0.8);
    let mut constraints = Constraints::default();
    let node = Side { body: 0, nodes: &[4], shape_values: &[1.0] };
    let element = Side { body: 1, nodes: &[0, 1, 2, 3], shape_values: &SHAPE_VALUES };
    let key = ContactKey::Node(NodeOnSurface { contactor: 4, target: 1 });
    constraints.push(key, GAP, normal, node, element);
    assert!(constraints.get(0).jump(&x).norm() < 1e-16);
    let mobility = free_nodes(&INVERSE_MASS);
    let mut velocities = [Vec3::zeros(); 5];
    velocities[4] = -normal * 1.0 + Vec3::y() * 0.5;
    let dt = 0.05;
    for mut response in responses() {
        let mut action = ContactAction::new(5);
        let stage = response.stage();
        let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
        response.respond(&constraints, &bodies, StepLength::regular(dt), &mut action);
        let mut change = [Vec3::zeros(); 5];
        let mut moved = [Vec3::zeros(); 5];
        for (node, change) in change.iter_mut().enumerate() {
            *change = action.forces[node] * (dt * INVERSE_MASS[node]);
        }
        for correction in &action.node_corrections {
            change[correction.node as usize] += correction.velocity;
            moved[correction.node as usize] += correction.position;
        }
        let momenta = |x: &[Vec3; 5], v: &[Vec3; 5]| {
            let of_nodes = || v.iter().zip(INVERSE_MASS).map(|(v, inverse)| v / inverse);
            (of_nodes().sum::<Vec3>(), of_nodes().zip(x).map(|(p, x)| x.cross(&p)).sum::<Vec3>())
        };
        let sum = |a: &[Vec3; 5], b: &[Vec3; 5]| std::array::from_fn(|node| a[node] + b[node]);
        let (before, after) =
            (momenta(&x, &velocities), momenta(&sum(&x, &moved), &sum(&velocities, &change)));
        let (linear, angular) = ((after.0 - before.0).norm(), (after.1 - before.1).norm());
        assert!(linear < 1e-14 && angular < 1e-14, "{stage:?}: {linear:e}, {angular:e}");
        let opened = normal.dot(&constraints.get(0).jump(&change));
        assert!(opened > 0.0, "{stage:?}");
        let projected = normal.dot(&constraints.get(0).jump(&moved));
        let is_impulse = !action.node_corrections.is_empty();
        assert!(!is_impulse || (projected + GAP).abs() < 1e-15, "{projected}");
    }
}
