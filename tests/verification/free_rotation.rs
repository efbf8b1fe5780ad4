//! A free rotating body is not deformed.
//!
//! ```text
//!      +--+     ω
//!      |  |    ↺        one turn, step by step
//!      +--+
//! ```
//!
//! Goal: elements, rigid bodies and the time integration are objective.

use std::f64::consts::TAU;

use ictus::math::{Mat3, Vec3};
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, run, worse, worst};
use crate::msh::msh;

/// Speed of the corners relative to the wave speed.
const RIM_SPEED: f64 = 3e-5;

/// A cube of 1 m of eight elements, c = √(E/ρ) = 1000 m/s, that makes one turn about (1, 2, 2)/3.
///
/// The flight of a deformable body without loads is computed in closed form. A load of zero prevents this.
fn scenario(material: &str, loads: &str) -> String {
    let rate = spin();
    format!(
        "[time]\nend = {}\nflight_step = {}\n{material}\ndensity = 1000.0\n[[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\n\
         material = \"m\"\nangular_velocity = [{}, {}, {}]\n{loads}",
        TAU / rate,
        0.01 / rate,
        rate / 3.0,
        rate * 2.0 / 3.0,
        rate * 2.0 / 3.0,
    )
}

/// Angular velocity \[rad/s\]; the corners are 0.866 m from the centre.
fn spin() -> f64 {
    RIM_SPEED * 1000.0 / 0.75_f64.sqrt()
}

/// Runs one turn; returns the largest ratio of strain energy to kinetic energy, and the largest distance of a node from
/// its initial position \[m\].
fn turn(text: &str) -> (f64, f64) {
    let mesh = box_mesh([-0.5; 3], [0.5; 3], [2, 2, 2]);
    let mut simulation = from_text(text, &[("cube.msh", mesh)]);
    let mut strain: f64 = 0.0;
    run(&mut simulation, |simulation| strain = worse(strain, simulation.energies().strain));
    simulation.update_nodal_state();
    let energies = simulation.energies();
    let pairs = simulation.state().positions.iter().zip(&simulation.model().reference_positions);
    let distance = worst(pairs.map(|(x, reference)| (x - reference).norm()));
    println!(
        "strain/kinetic {:.2e}, distance {distance:.2e}, {} steps ({} in flight), energy error {:.1e}, angular {:.1e}",
        strain / energies.kinetic,
        simulation.state().step,
        simulation.steps_in_flight(),
        simulation.audit().energy_error().largest,
        simulation.audit().largest_angular_error(),
    );
    assert!(simulation.audit().largest_angular_error() < 1e-9);
    assert!(simulation.audit().energy_error().largest < 1e-9);
    (strain / energies.kinetic, distance)
}

/// The rotation itself strains the body. Let v be the speed of the corners and c the wave speed. Stresses of ρ v² and a
/// modulus of ρ c² give a strain energy below (v/c)² = 9e-10 of the kinetic energy. A larger strain energy would be an
/// error of the rotation. The nodes return to their initial positions up to two errors: the stretch by the rotation,
/// (v/c)² times 1 m, and the phase error of the integration.
#[test]
fn deformable_body_turns_without_strain() {
    let load = "[[loads]]\nbody = \"cube\"\ntraction = [0.0, 0.0, 0.0]\n";
    for model in ["neo-hookean", "st-venant-kirchhoff"] {
        let material = format!("[materials.m]\nmodel = \"{model}\"\nyoung = 1e9\npoisson = 0.3");
        let (strain, distance) = turn(&scenario(&material, load));
        assert!(strain < 1e-9, "{model}: strain energy {strain:e} of the kinetic");
        assert!(distance < 1e-6, "{model}: a node is {distance:e} m from where it began");
    }
}

/// The flight of a rigid body is computed in closed form. The body returns to its initial position up to the rounding
/// of some steps.
#[test]
fn rigid_body_comes_back_after_a_turn() {
    let (_, distance) = turn(&scenario("[materials.m]\nmodel = \"rigid\"", ""));
    assert!(distance < 1e-12, "a node is {distance:e} m from where it began");
}

/// Edges of a box \[m\], of 1000 kg/m³.
type Edges = [f64; 3];

/// Moments of inertia of a box about its axes \[kg m²\].
fn moments([a, b, c]: Edges) -> Vec3 {
    Vec3::new(b * b + c * c, c * c + a * a, a * a + b * b) * (1000.0 * a * b * c / 12.0)
}

/// A rigid box that rotates about the origin. A distant deformable cube under a traction of zero prevents the flight in
/// closed form, so the rotation is integrated step by step as in a contact phase.
fn step_box(edges: Edges, spin: Vec3, end: f64, step: f64) -> Simulation {
    let mut simulation = stepped_box(centred_box(edges, 2), spin, end, &format!("step = {step:?}"), "");
    run(&mut simulation, |_| {});
    assert_eq!(simulation.steps_in_flight(), 0);
    simulation
}

/// A box about the origin with the given number of cells along each edge.
fn centred_box(edges: Edges, cells: usize) -> String {
    let half = edges.map(|edge| 0.5 * edge);
    box_mesh(half.map(|h| -h), half, [cells; 3])
}

/// The scene of [`step_box`] before its first step. `step` is the key of the time step, `keys` are keys of the box.
fn stepped_box(mesh: String, spin: Vec3, end: f64, step: &str, keys: &str) -> Simulation {
    let [x, y, z] = [spin.x, spin.y, spin.z];
    let text = format!(
        "[time]\nend = {end:?}\n{step}\n[materials.rigid]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [materials.soft]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e3\npoisson = 0.3\n\
         [[bodies]]\nname = \"box\"\nmesh = \"box.msh\"\nmaterial = \"rigid\"\nangular_velocity = [{x:?}, {y:?}, {z:?}]\n\
         {keys}[[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\nmaterial = \"soft\"\ntranslate = [100.0, 0.0, 0.0]\n\
         [[loads]]\nbody = \"cube\"\ntraction = [0.0, 0.0, 0.0]\n"
    );
    let meshes = [("box.msh", mesh), ("cube.msh", box_mesh([0.0; 3], [1.0; 3], [1, 1, 1]))];
    from_text(&text, &meshes)
}

/// Largest distance of a node of the box from its position under this rotation \[m\].
fn distance(simulation: &Simulation, rotation: &Mat3) -> f64 {
    let nodes = simulation.model().bodies[0].nodes.clone();
    let (references, positions) = (&simulation.model().reference_positions, &simulation.state().positions);
    worst(nodes.map(|node| (positions[node] - rotation * references[node]).norm()))
}

/// Rotation of a free body after a time, by the classical Runge–Kutta method of fourth order in 20 000 steps. The
/// equations are Ṙ = R [ω]× and Euler's equations I ω̇ = I ω × ω, with the angular velocity ω in the axes of the body.
fn euler_rotation(moments: &Vec3, spin: Vec3, end: f64) -> Mat3 {
    let rate = |(rotation, spin): &(Mat3, Vec3)| {
        let torque = moments.component_mul(spin).cross(spin);
        (rotation * spin.cross_matrix(), torque.component_div(moments))
    };
    let add = |a: &(Mat3, Vec3), b: &(Mat3, Vec3), h: f64| (a.0 + b.0 * h, a.1 + b.1 * h);
    let h = end / 20_000.0;
    let mut state = (Mat3::identity(), spin);
    for _ in 0..20_000 {
        let k1 = rate(&state);
        let k2 = rate(&add(&state, &k1, 0.5 * h));
        let k3 = rate(&add(&state, &k2, 0.5 * h));
        let k4 = rate(&add(&state, &k3, h));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            state = add(&state, &k, h * weight / 6.0);
        }
    }
    state.0
}

/// A body rotates about its axis of symmetry by one turn in a thousand steps. As each step rotates the body by exactly
/// ω dt, the nodes return to their initial positions up to the rounding of these steps, 1e-12 m. Angular momentum and
/// energy are conserved to 1e-12.
#[test]
fn stepped_symmetric_body_comes_back_after_a_turn() {
    let simulation = step_box([1.0, 1.0, 2.0], Vec3::z(), TAU, TAU / 1000.0);
    let distance = distance(&simulation, &Mat3::identity());
    println!("distance {distance:.1e}, {} steps", simulation.state().step);
    assert!(distance < 1e-12, "a node is {distance:e} m from where it began");
    assert!(simulation.audit().largest_angular_error() < 1e-12);
    assert!(simulation.audit().energy_error().largest < 1e-12);
}

/// A body with three different moments of inertia follows Euler's equations. The error of nodal positions is of second
/// order in the step dt, because the splitting is of second order. The error is below 1e-4 m, about (ω dt)² = 2.5e-5
/// times the diagonal of the box, 3.7 m. Angular momentum is conserved to rounding, energy to (ω dt)².
#[test]
fn stepped_asymmetric_body_tumbles_by_eulers_equations() {
    let (edges, spin, end) = ([1.0, 2.0, 3.0], Vec3::new(0.3, 0.9, 0.2), 5.0);
    let rotation = euler_rotation(&moments(edges), spin, end);
    let orthogonality = (rotation * rotation.transpose() - Mat3::identity()).norm();
    assert!(orthogonality < 1e-12, "{orthogonality:e}");
    let errors = [5e-3, 2.5e-3].map(|step| {
        let simulation = step_box(edges, spin, end, step);
        let audit = simulation.audit();
        let (angular, energy) = (audit.largest_angular_error(), audit.energy_error().largest);
        let distance = distance(&simulation, &rotation);
        println!("step {step:e}: distance {distance:.2e}, angular {angular:.1e}, energy {energy:.1e}");
        assert!(angular < 1e-12 && energy < 2.5e-5, "{angular:e} {energy:e}");
        distance
    });
    assert!(errors[0] < 1e-4, "{errors:?}");
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.02, "order {order}");
}

/// A body with moments of 1, 2 and 3 kg m² tumbles for 20 s in automatic steps. The steps depend on the speed of the
/// fastest node, and the longest step is more than a tenth longer than the shortest. The invariants of the rotation
/// update must be independent of the step; otherwise a change of the step would disturb the rotation. Reference:
/// Euler's equations by the Runge–Kutta method. Tolerance: 1e-4 rad. By the midpoint rule, the angle of 200 rad lags by
/// the fraction (ω dt)²/12 = 1e-7, or 2e-5 rad. Angular momentum is conserved to rounding, energy to the accumulated
/// rounding of 3e5 steps.
#[test]
fn body_tumbles_by_eulers_equations_with_varying_steps() {
    let (spin, end) = (Vec3::new(3.0, 10.0, 2.0), 20.0);
    let keys = "mass = 6.0\ninertia = [1.0, 2.0, 3.0]\n";
    let mut simulation = stepped_box(centred_box([1.6, 1.6, 0.8], 4), spin, end, "", keys);
    let [mut shortest, mut longest] = [f64::INFINITY, 0.0_f64];
    run(&mut simulation, |simulation| {
        let step = simulation.progress().time_step;
        (shortest, longest) = (shortest.min(step), longest.max(step));
    });
    let expected = euler_rotation(&Vec3::new(1.0, 2.0, 3.0), spin, end);
    let nodes = simulation.model().bodies[0].nodes.clone();
    let extent = nodes.map(|node| simulation.model().reference_positions[node].norm()).fold(0.0, f64::max);
    let angle = distance(&simulation, &expected) / extent;
    let audit = simulation.audit();
    let (angular, energy) = (audit.largest_angular_error(), audit.energy_error().largest);
    println!(
        "{} steps of {shortest:.2e} to {longest:.2e} s: off by {angle:.1e} rad, angular {angular:.1e}, energy {energy:.1e}",
        simulation.state().step
    );
    assert!(longest > 1.1 * shortest && longest < 1e-4, "{shortest:e} {longest:e}");
    assert!(angle < 1e-4, "{angle:e} rad");
    assert!(angular < 1e-12 && energy < 1e-10, "{angular:e} {energy:e}");
}

/// Goal: a given mass without inertia is evenly distributed over the mesh, of volume elements or of faces. Reference: for
/// a box with the edges a, b and c and the mass m, the moment about the axis of a is m (b² + c²)/12, and for a square
/// sheet in its plane m a²/12. Tolerance: rounding, over 1000 steps.
#[test]
fn a_given_mass_is_evenly_distributed() {
    let spin = Vec3::new(3.0, 10.0, 2.0);
    let after = |mesh: String, keys: &str| {
        let mut simulation = stepped_box(mesh, spin, 0.1, "step = 1e-4\n", keys);
        run(&mut simulation, |_| ());
        let nodes = simulation.model().bodies[0].nodes.clone();
        (simulation.model().bodies[0].mass, simulation.state().positions[nodes].to_vec())
    };
    let corner = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]];
    let sheet = || msh(&corner, &[(3, 1, vec![0, 1, 2, 3])], &[(2, 1, "sheet")]);
    let solid = || centred_box([1.6, 1.6, 0.8], 4);
    for (mesh, moments) in [(&solid as &dyn Fn() -> String, [1.6, 1.6, 2.56]), (&sheet, [0.5, 0.5, 1.0])] {
        let (mass, even) = after(mesh(), "mass = 6.0\n");
        let (_, given) = after(mesh(), &format!("mass = 6.0\ninertia = {moments:?}\n"));
        let apart = worst(even.iter().zip(&given).map(|(a, b)| (a - b).norm()));
        assert!((mass / 6.0 - 1.0).abs() < 1e-12 && apart < 1e-12, "{mass} kg, {apart:e} m");
    }
}

/// Displacements \[m\] of the nodes of a box that tumbles and falls, translated along x, in flight or in steps.
fn tumbled(translation: f64, in_steps: bool) -> Vec<Vec3> {
    let load = "[[loads]]\nbody = \"box\"\ntraction = [0.0, 0.0, 0.0]\n";
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 1.0\nflight_step = 2e-4\n{}\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n[[bodies]]\nname = \"box\"\nmesh = \"box.msh\"\n\
         material = \"m\"\ntranslate = [{translation:?}, 0, 0]\nvelocity = [1, 2, 0]\nangular_velocity = [3, -4, 5]\n{}",
        if in_steps { "step = 2e-4\n" } else { "" },
        if in_steps { load } else { "" }
    );
    let mut simulation = from_text(&text, &[("box.msh", box_mesh([0.0; 3], [1.0, 0.625, 0.375], [2, 2, 2]))]);
    run(&mut simulation, |_| {});
    assert_eq!(simulation.steps_in_flight() == 0, in_steps);
    simulation.update_nodal_state();
    let pairs = simulation.state().positions.iter().zip(&simulation.model().reference_positions);
    pairs.map(|(now, before)| now - before).collect()
}

/// Goal: a body tumbles in the same way at the origin and a kilometre from the origin, in flight and in steps.
/// Tolerance: twice the rounding of positions at a kilometre, 2⁻⁴³ m = 1.1e-13 m, for the positions of the nodes and of
/// the centre of mass.
#[test]
fn bodies_tumble_alike_far_off() {
    for in_steps in [false, true] {
        let [near, far] = [0.0, 1024.0].map(|translation| tumbled(translation, in_steps));
        let farthest = worst(near.iter().map(Vec3::norm));
        let off = worst(near.iter().zip(&far).map(|(near, far)| (near - far).norm()));
        println!("in steps {in_steps}: off by {off:.2e} m of {farthest:.2} m");
        assert!(farthest > 1.0 && off < 2.3e-13, "in steps {in_steps}: off by {off:e} m of {farthest} m");
    }
}
