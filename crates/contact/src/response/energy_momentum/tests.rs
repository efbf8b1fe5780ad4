use super::*;
use crate::math::Mat3;
use crate::response::mobility::{Mobility, RigidMobility};
use crate::response::samples::{free_nodes, key};
use crate::{ContactKey, NodeOnSurface, Side};

fn response(factor: f64, restitution: f64, friction: f64, num_nodes: usize) -> EnergyMomentum {
    let friction = FrictionLaw::constant(friction);
    let (damping, tangential_damping) = (Damping::none(), Damping::none());
    let options = EnergyMomentumOptions { factor, restitution, damping, tangential_damping, friction };
    EnergyMomentum::new(
        Scheme::Staggered,
        Stiffness::Mass,
        PairOptions::uniform(options),
        num_nodes,
        vec![1.0; 2],
    )
}

/// Particles integrated by the leapfrog scheme, with velocities at mid-steps. There is no detector: every negative gap
/// is a contact.
struct Particles {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    mobility: Mobility,
    inverse_mass: Vec<f64>,
    response: EnergyMomentum,
    action: ContactAction,
    lost: f64,
}

const DT: f64 = 1e-3;

impl Particles {
    fn new(
        positions: Vec<Vec3>,
        velocities: Vec<Vec3>,
        inverse_mass: &[f64],
        response: EnergyMomentum,
    ) -> Self {
        let action = ContactAction::new(positions.len());
        let inverse_mass = inverse_mass.to_vec();
        Self {
            positions,
            velocities,
            mobility: free_nodes(&inverse_mass),
            inverse_mass,
            response,
            action,
            lost: 0.0,
        }
    }

    fn step(&mut self, constraints: &Constraints) {
        self.step_of(constraints, StepLength::regular(DT));
    }

    /// Applies the response at the end of a step, and moves the particles to the end of the following step.
    fn step_of(&mut self, constraints: &Constraints, step: StepLength) {
        let accelerations = vec![Vec3::zeros(); self.positions.len()];
        let bodies = Bodies {
            positions: &self.positions,
            velocities: &self.velocities,
            accelerations: &accelerations,
            inverse_mass: &self.inverse_mass,
            mobility: &self.mobility,
            created: 0.0,
        };
        self.response.respond(constraints, &bodies, step, &mut self.action);
        let kick = 0.5 * (step.actual + step.following);
        self.lost += self.action.work.friction + self.action.work.damping;
        for k in 0..self.positions.len() {
            self.velocities[k] += self.mobility.velocity_jump(k as u32, &(self.action.forces[k] * kick));
            self.positions[k] += self.velocities[k] * step.following;
        }
    }

    /// Kinetic energy T plus stored energy U plus dissipation, at the middle of the step.
    fn energy(&self) -> f64 {
        let stored: f64 = self
            .response
            .memory
            .springs
            .iter()
            .map(|spring| spring.energy(spring.gap.unwrap_or(0.0)) + spring.tangential_energy())
            .sum();
        self.kinetic() + stored + self.lost + self.response.memory.pending.iter().sum::<f64>()
    }

    fn kinetic(&self) -> f64 {
        let kinetic =
            |(v, inverse): (&Vec3, &f64)| if *inverse > 0.0 { 0.5 * v.norm_squared() / inverse } else { 0.0 };
        self.velocities.iter().zip(&self.inverse_mass).map(kinetic).sum()
    }

    fn momenta(&self) -> [Vec3; 2] {
        let sum = |f: &dyn Fn(usize) -> Vec3| {
            let free = (0..self.positions.len()).filter(|&k| self.inverse_mass[k] > 0.0);
            free.map(|k| f(k) / self.inverse_mass[k]).sum::<Vec3>()
        };
        [sum(&|k| self.velocities[k]), sum(&|k| self.positions[k].cross(&self.velocities[k]))]
    }
}

/// Adds a contact of two nodes if the node `above` has a smaller z coordinate than the node `below`.
fn stacked(constraints: &mut Constraints, above: u32, below: u32, positions: &[Vec3]) {
    let gap = positions[above as usize].z - positions[below as usize].z;
    if gap < 0.0 {
        let key = ContactKey::Node(NodeOnSurface { contactor: above, target: 1 });
        let (above, below) = ([above], [below]);
        let side = Side { body: 0, nodes: &above, shape_values: &[1.0] };
        constraints.push(key, gap, Vec3::z(), side, Side { body: 1, nodes: &below, shape_values: &[1.0] });
    }
}

/// Two balls move between a fixed floor and a fixed ceiling for 100 000 steps. The upper ball reverses its motion more
/// than 500 times. Contacts open, close and share nodes. The sum T + U of kinetic and stored energy is constant to a
/// relative error of 1e-12 for stiffnesses with ω dt from 0.1 to 1000, where ω is the frequency of a contact and dt the
/// time step.
#[test]
fn energy_is_conserved_at_any_stiffness() {
    for factor in [0.01, 0.5, 50.0, 1e6] {
        let heights = [0.0, 0.1, 0.25, 0.4];
        let positions = heights.map(|z| Vec3::z() * z).to_vec();
        let velocities = [0.0, 1.3, -4.1, 0.0].map(|v| Vec3::z() * v).to_vec();
        let mut particles =
            Particles::new(positions, velocities, &[0.0, 1.0, 0.37, 0.0], response(factor, 1.0, 0.0, 4));
        let (energy, mut worst, mut turns) = (particles.energy(), 0.0f64, 0);
        for _ in 0..100_000 {
            let mut constraints = Constraints::default();
            (1..4).for_each(|k| stacked(&mut constraints, k, k - 1, &particles.positions));
            let before = particles.velocities[2].z;
            particles.step(&constraints);
            turns += usize::from(before * particles.velocities[2].z < 0.0);
            worst = worst.max((particles.energy() / energy - 1.0).abs());
        }
        assert!(worst < 1e-12, "factor {factor}: {worst:e}");
        assert!(turns > 500, "factor {factor}: {turns} turns");
        // Springs are compressed by up to v/ω at the speed v, and the dynamic gap lags behind the gap by v dt.
        let out = 0.02 + 15.0 * DT / f64::sqrt(factor);
        let range = [particles.positions[1].z, particles.positions[2].z];
        assert!(range.iter().all(|z| (-out..0.4 + out).contains(z)), "factor {factor}: out at {range:?}");
    }
}

/// A node falls on a free rotating triangle and slides off the triangle. Linear momentum, and energy plus friction
/// dissipation, are conserved to rounding, both while the contact is detected and afterwards. Without friction, angular
/// momentum is conserved as well.
#[test]
fn momenta_are_conserved_while_a_node_slides() {
    for friction in [0.0, 0.4] {
        let corner = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let positions = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), Vec3::new(0.3, 0.3, 0.01)];
        let velocities = vec![Vec3::zeros(), Vec3::z() * 0.1, Vec3::x() * 0.05, Vec3::new(2.0, -1.0, -3.0)];
        let mut particles =
            Particles::new(positions, velocities, &[0.5, 1.0, 0.7, 1.25], response(0.05, 1.0, friction, 4));
        let (energy, momenta) = (particles.energy(), particles.momenta());
        let mut touched = 0;
        for _ in 0..100 {
            let mut constraints = Constraints::default();
            let [a, b, c] = [0, 1, 2].map(|k| particles.positions[k]);
            let normal = (b - a).cross(&(c - a)).normalize();
            let above = particles.positions[3] - a;
            let gap = normal.dot(&above);
            if gap < 0.0 {
                let foot = above - normal * gap;
                let area = normal.dot(&(b - a).cross(&(c - a)));
                let [s, t] =
                    [normal.dot(&foot.cross(&(c - a))), normal.dot(&(b - a).cross(&foot))].map(|v| v / area);
                let shares = [1.0 - s - t, s, t];
                let side = Side { body: 0, nodes: &[3], shape_values: &[1.0] };
                constraints.push(
                    key(3),
                    gap,
                    normal,
                    side,
                    Side { body: 1, nodes: &[0, 1, 2], shape_values: &shares },
                );
                touched += 1;
            }
            particles.step(&constraints);
            let found = particles.momenta();
            assert!((found[0] - momenta[0]).norm() < 1e-13);
            if friction == 0.0 {
                assert!((found[1] - momenta[1]).norm() < 1e-12, "{}", found[1] - momenta[1]);
            }
            assert!((particles.energy() / energy - 1.0).abs() < 1e-13);
        }
        assert!(touched > 3 && particles.velocities[3].z > 0.0, "{touched} {}", particles.velocities[3]);
        assert!(friction == 0.0 || particles.lost > 0.1);
    }
}

/// A mass m strikes a fixed wall. With the stiffness κ = 1e-3 m/dt², the ratio of rebound speed to approach speed
/// equals the coefficients of restitution 0.8 and 0.5 within 0.01. With the stiff spring κ = 1e4 m/dt², it equals the
/// coefficient 1 within 1e-12.
#[test]
fn restitution_is_accurate_in_resolved_impacts() {
    for (factor, restitution, tolerance) in [(1e-3, 0.8, 0.01), (1e-3, 0.5, 0.01), (1e4, 1.0, 1e-12)] {
        let positions = vec![Vec3::zeros(), Vec3::z() * 0.01];
        let velocities = vec![Vec3::zeros(), -Vec3::z()];
        let mut particles =
            Particles::new(positions, velocities, &[0.0, 1.0], response(factor, restitution, 0.0, 2));
        let energy = particles.energy();
        for _ in 0..300 {
            let mut constraints = Constraints::default();
            stacked(&mut constraints, 1, 0, &particles.positions);
            particles.step(&constraints);
            assert!((particles.energy() / energy - 1.0).abs() < 1e-13);
        }
        assert!(
            (particles.velocities[1].z - restitution).abs() < tolerance,
            "{} {restitution}",
            particles.velocities[1].z
        );
    }
}

/// A particle strikes a free rigid body. The line of impact does not pass through the centre of the body. The total
/// energy is conserved to rounding.
#[test]
fn rigid_bodies_respond_with_all_degrees_of_freedom() {
    let inertia = Mat3::new(0.8, 0.1, 0.0, 0.1, 1.1, 0.05, 0.0, 0.05, 0.6);
    let inverse = inertia.try_inverse().unwrap();
    let (mass, arm) = (3.0, Vec3::new(0.4, -0.7, 0.5));
    let mut body = RigidMobility {
        centre: Vec3::zeros(),
        inverse_mass: Vec3::repeat(1.0 / mass),
        inverse_inertia: inverse,
        velocity: Vec3::new(0.1, 0.0, 0.3),
        angular_velocity: Vec3::new(0.2, -0.1, 0.4),
        acceleration: Vec3::zeros(),
        angular_acceleration: Vec3::zeros(),
    };
    let mut mobility = free_nodes(&[0.0, 1.25]);
    let velocity = Vec3::new(1.0, 0.5, -4.0);
    let positions = [arm, arm - Vec3::z() * 1e-3];
    let mut constraints = Constraints::default();
    stacked(&mut constraints, 1, 0, &positions);
    mobility.set_rigid(1, body);
    let velocities = [body.velocity + body.angular_velocity.cross(&arm), velocity];
    let accelerations = [Vec3::zeros(); 2];
    let bodies = Bodies {
        positions: &positions,
        velocities: &velocities,
        accelerations: &accelerations,
        inverse_mass: &[1.0 / 0.3, 1.25],
        mobility: &mobility,
        created: 0.0,
    };
    let (mut response, mut action) = (response(1e3, 1.0, 0.3, 2), ContactAction::new(2));
    let kinetic = |b: &RigidMobility, v: &Vec3| {
        0.5 * mass * b.velocity.norm_squared()
            + 0.5 * b.angular_velocity.dot(&(inertia * b.angular_velocity))
            + 0.5 * 0.8 * v.norm_squared()
    };
    let before = kinetic(&body, &velocity);
    response.respond(&constraints, &bodies, StepLength::regular(DT), &mut action);
    let after = velocity + action.forces[1] * (1.25 * DT);
    body.velocity += action.forces[0] * (DT / mass);
    body.angular_velocity += inverse * arm.cross(&action.forces[0]) * DT;
    let spring = response.memory.springs.get(0);
    let stored = spring.energy(spring.gap.unwrap()) + spring.tangential_energy();
    assert!(action.results[0].normal_force > 0.0 && action.results[0].friction_force.norm() > 0.0);
    let balance = kinetic(&body, &after) + stored + response.memory.pending[0];
    assert!((balance / before - 1.0).abs() < 1e-13, "{balance} of {before}");
}

/// A rough ball strikes a wall that has half the mass of the ball. A slider lets the wall move along the normal only,
/// and does no work. The energy of ball, wall and springs plus the friction dissipation is therefore constant to
/// rounding, for soft and stiff springs.
#[test]
fn friction_on_a_wall_on_a_slider_balances() {
    for factor in [0.01, 1.0, 1e4] {
        let positions = vec![Vec3::zeros(), Vec3::z() * 0.0105];
        let velocities = vec![Vec3::zeros(), Vec3::new(1.5, 0.0, -2.0)];
        let mut particles = Particles::new(positions, velocities, &[2.0, 1.0], response(factor, 1.0, 0.2, 2));
        particles.mobility.constrain_to_line(0, Vec3::z());
        let energy = particles.energy();
        let mut worst = 0.0f64;
        for _ in 0..100 {
            let mut constraints = Constraints::default();
            stacked(&mut constraints, 1, 0, &particles.positions);
            particles.step(&constraints);
            worst = worst.max((particles.energy() / energy - 1.0).abs());
        }
        // The ball slides throughout: the friction impulse is μ times the normal impulse 2 m_eff v_n, with the
        // effective mass m_eff and the closing speed v_n.
        let [slip, approach] = [particles.velocities[1].x, particles.velocities[0].z];
        assert!((slip - (1.5 - 0.2 * 4.0 / 3.0)).abs() < 1e-9, "factor {factor}: {slip}");
        assert!((approach + 8.0 / 3.0).abs() < 1e-9 && particles.velocities[0].x == 0.0, "factor {factor}");
        assert!(worst < 1e-12 && particles.lost > 0.1, "factor {factor}: {worst:e}");
    }
}

/// A ball reaches a fixed floor at the end of a step that was cut to a tenth or less of its regular length. The forces
/// act until the middle of the following step, which has the regular length. The solution for the forces must use the
/// duration of this whole kick. The ball rebounds at its speed of approach, and the sum T + U of kinetic and stored
/// energy is constant to rounding.
#[test]
fn impact_at_the_end_of_a_cut_step_is_elastic() {
    for (factor, part) in [(0.1, 0.1), (1e6, 0.1), (1e6, 1e-3)] {
        let positions = vec![Vec3::zeros(), Vec3::z() * -1e-9];
        let velocities = vec![Vec3::zeros(), Vec3::z() * -2.0];
        let mut particles = Particles::new(positions, velocities, &[0.0, 1.0], response(factor, 1.0, 0.0, 2));
        let (energy, mut worst) = (particles.energy(), 0.0f64);
        for k in 0..50 {
            let mut constraints = Constraints::default();
            stacked(&mut constraints, 1, 0, &particles.positions);
            let actual = if k == 0 { part * DT } else { DT };
            particles.step_of(&constraints, StepLength { actual, ..StepLength::regular(DT) });
            worst = worst.max((particles.energy() / energy - 1.0).abs());
        }
        let back = particles.velocities[1].z;
        assert!((back - 2.0).abs() < 1e-9, "factor {factor}, cut to {part}: {back}");
        assert!(worst < 1e-12, "factor {factor}, cut to {part}: {worst:e}");
    }
}

/// Contacts of bodies in a fast common motion need no more sweeps than contacts of bodies at rest, which need fewer
/// than 30.
#[test]
fn fast_common_motion_needs_few_sweeps() {
    let sweeps = [0.0, 300.0].map(|speed| {
        let heights = [0.0, 0.0999, 0.1998];
        let positions = heights.map(|z| Vec3::z() * z).to_vec();
        let velocities = vec![Vec3::new(0.9, -0.7, 0.3) * speed; 3];
        let mut particles =
            Particles::new(positions, velocities, &[1.0, 0.9, 1.3], response(0.1, 1.0, 0.3, 3));
        let mut constraints = Constraints::default();
        for k in 1..3 {
            let key = ContactKey::Node(NodeOnSurface { contactor: k, target: 1 });
            let (above, below) = ([k], [k - 1]);
            let side = Side { body: 0, nodes: &above, shape_values: &[1.0] };
            let target = Side { body: 1, nodes: &below, shape_values: &[1.0] };
            constraints.push(key, -1e-4, Vec3::z(), side, target);
        }
        particles.step(&constraints);
        // The test compresses the springs, because contacts begin without energy.
        particles.response.memory.springs.iter_mut().for_each(|spring| spring.gap = Some(-1e-9));
        let accelerations = vec![Vec3::zeros(); 3];
        let bodies = Bodies {
            positions: &particles.positions,
            velocities: &particles.velocities,
            accelerations: &accelerations,
            inverse_mass: &particles.inverse_mass,
            mobility: &particles.mobility,
            created: 0.0,
        };
        particles.response.load(&bodies, DT);
        particles.response.begin(&bodies, StepLength::regular(DT));
        particles.response.solve(&bodies, DT)
    });
    assert!(sweeps[1] <= sweeps[0] && sweeps[0] < 30, "{sweeps:?}");
}

/// A node with a penetration of 1 µm moves down at 1 m/s past the edge of a fixed body. After two steps of 1 ms without
/// detection, the node is detected on the next body, at its extrapolated penetration of 3.001 mm. The spring continues
/// on this body. The spring does not continue at a penetration of 7 mm, more than twice the extrapolated penetration.
#[test]
fn lost_springs_transfer_with_their_integrated_gap() {
    let contact = |target: u32, gap: f64| {
        let mut constraints = Constraints::default();
        let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
        let name = ContactKey::Node(NodeOnSurface { contactor: 0, target });
        constraints.push(name, gap, Vec3::z(), side(0, &[0]), side(1, &[1]));
        constraints
    };
    for (gap, continues) in [(-3.001e-3, true), (-7e-3, false)] {
        let positions = vec![Vec3::new(0.0, 0.0, -1e-6), Vec3::zeros()];
        let velocities = vec![-Vec3::z(), Vec3::zeros()];
        let mut particles = Particles::new(positions, velocities, &[1e-9, 0.0], response(1e-9, 1.0, 0.0, 2));
        particles.step(&contact(1, -1e-6));
        particles.step(&Constraints::default());
        particles.step(&Constraints::default());
        let before = *particles.response.memory.springs.get(0);
        particles.step(&contact(2, gap));
        let keys = particles.response.memory.contacts.keys();
        assert_eq!(keys == contact(2, gap).keys(), continues, "{keys:?}");
        if continues {
            let after = *particles.response.memory.springs.get(0);
            let sunk = before.gap.unwrap() - after.gap.unwrap();
            assert!((sunk - DT).abs() < 1e-6 && after.stiffness == before.stiffness, "{sunk}");
        }
    }
}

/// A node presses on another node under a force that grows slowly, until detection loses the contact, as it does past
/// an edge. The contact ends after [`MAX_STEPS_PRESSED`] steps in which the spring releases no energy. The energy left
/// in the spring then becomes numerical work, for any coefficient of restitution. The reference is the energy of the
/// spring before the contact ends.
#[test]
fn lost_contacts_that_are_pressed_end_numerically() {
    const FORCE: f64 = -300.0;
    const DETECTED: u32 = 60;
    for restitution in [1.0, 0.9] {
        let positions = vec![Vec3::zeros(), Vec3::z() * 1e-4];
        let velocities = vec![Vec3::zeros(), Vec3::z() * -0.1];
        let response = response(0.05, restitution, 0.0, 2);
        let mut particles = Particles::new(positions, velocities, &[0.0, 1.0], response);
        let (mut steps, mut stored, mut ended) = (0, 0.0, None);
        while ended.is_none() && steps < DETECTED + 4 * MAX_STEPS_PRESSED {
            let mut constraints = Constraints::default();
            if steps < DETECTED {
                stacked(&mut constraints, 1, 0, &particles.positions);
            }
            particles.step(&constraints);
            particles.velocities[1].z += FORCE * DT * (f64::from(steps) / f64::from(DETECTED)).min(1.0);
            steps += 1;
            let springs = &particles.response.memory.springs;
            if steps > DETECTED && springs.iter().count() == 0 {
                ended = Some(steps);
            } else {
                stored = springs.iter().map(Spring::stored_energy).sum();
            }
        }
        let steps = ended.expect("the contact does not end");
        assert!(steps > DETECTED + MAX_STEPS_PRESSED && stored > 0.0, "after {steps} steps with {stored} J");
        let lost = -particles.action.work.numerical;
        assert!((lost - stored).abs() <= 1e-12 * stored, "{lost} J of {stored} J");
    }
}

/// A spring in equilibrium with a constant force holds its gap up to rounding and releases no energy. After detection
/// loses the contact, the contact ends after the same number of steps for any force.
#[test]
fn a_held_gap_is_no_release() {
    for force in (0..20).map(|k| 100.0 + 7.3 * f64::from(k)) {
        let mut particles = Particles::new(
            vec![Vec3::zeros(), Vec3::z() * -1e-4],
            vec![Vec3::zeros(); 2],
            &[0.0, 1.0],
            response(0.05, 1.0, 0.0, 2),
        );
        let mut constraints = Constraints::default();
        stacked(&mut constraints, 1, 0, &particles.positions);
        particles.step(&constraints);
        for spring in particles.response.memory.springs.iter_mut() {
            spring.gap = spring.stiffness.map(|stiffness| -force / stiffness);
            spring.releases = false;
        }
        // The velocities before and after the kick of the spring are opposite.
        particles.velocities[1] = Vec3::z() * (-0.5 * force * DT);
        let mut steps = 0;
        while particles.response.memory.springs.iter().count() > 0 {
            particles.step(&Constraints::default());
            particles.velocities[1].z -= force * DT;
            steps += 1;
        }
        assert_eq!(steps, MAX_STEPS_PRESSED + 1, "force {force}");
    }
}
