//! Mass damping against closed forms.

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, exceeds, from_text, mean_displacement, run, velocity, worse};

const RUBBER: &str = "model = \"linear-elastic\"\nyoung = 1e6\npoisson = 0.0\ndensity = 1000.0\n";
const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0\n";

/// A free box with this spin about z, and with mass damping at this rate.
fn free_box(material: &str, spin: f64, rate: &str, step: f64) -> Simulation {
    let text = format!(
        "[time]\nend = 0.1\nstep = {step:?}\n[materials.m]\n{material}\
         [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nvelocity = [3, 0, -1]\n\
         angular_velocity = [0, 0, {spin:?}]\nmass_damping = {rate}\n"
    );
    from_text(&text, &[("a.msh", box_mesh([0.0; 3], [1.0, 0.5, 0.2], [2, 1, 1]))])
}

/// Goal: the velocity of a free body with damping rate α is v₀ exp(−α t). If the body is rigid, its angular velocity
/// about a principal axis is ω₀ exp(−α t). The dissipation is the loss of kinetic energy, and momenta and energies are
/// in balance. Reference: m v̇ = −α m v, I ω̇ = −α I ω. Tolerance: rounding, 1e-12; for the angular velocity 1e-9; for
/// the energy balance 1e-10 of the peak energy.
#[test]
fn free_bodies_slow_down_exponentially() {
    for (material, spin) in [(RUBBER, 0.0), (RIGID, 4.0)] {
        let mut simulation = free_box(material, spin, "20.0", 1e-3);
        let initial = simulation.energies().kinetic;
        let (mut imbalance, mut steps) = (0.0, 0);
        run(&mut simulation, |simulation| {
            imbalance = worse(imbalance, simulation.audit().relative_imbalance());
            steps += 1;
        });
        let decay = (-2.0_f64).exp();
        let error = (velocity(&simulation, 0) - Vec3::new(3.0, 0.0, -1.0) * decay).norm();
        let turned = simulation.state().velocities[0] - simulation.state().velocities[1];
        let (kinetic, lost) = (
            simulation.energies().kinetic / initial,
            simulation.energies().mass_damping_dissipation / initial,
        );
        let momentum = simulation.audit().largest_momentum_error();
        println!(
            "{steps} steps: velocity {error:e}, lost {lost}, imbalance {imbalance:e}, momentum {momentum:e}"
        );
        assert!(!exceeds(error, 1e-12), "{error:e}");
        assert!((kinetic - decay * decay).abs() < 1e-12 && (lost - 1.0 + decay * decay).abs() < 1e-12);
        assert!(!exceeds(imbalance, 1e-10), "{imbalance:e}");
        assert!(!exceeds(momentum, 1e-12), "{momentum:e}");
        assert!(spin == 0.0 || (turned.norm() - spin * decay * 0.5).abs() < 1e-9, "{turned:?}");
    }
}

/// Goal: the displacement of a free body is v₀ (1 − exp(−α t))/α up to an error of second order in dt. Half the step
/// therefore has a quarter of the error. Reference: closed form. Tolerance: 2 % of the ratio 4.
#[test]
fn way_of_a_damped_body_is_of_second_order() {
    let expected = 3.0 * (1.0 - (-2.0_f64).exp()) / 20.0;
    let errors = [2e-3, 1e-3, 5e-4].map(|step| {
        let mut simulation = free_box(RIGID, 0.0, "20.0", step);
        run(&mut simulation, |_| ());
        (simulation.balances()[0].centre.x - 0.5 - expected).abs()
    });
    println!("{errors:?}");
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] / 4.0 - 1.0).abs() < 0.02, "{errors:?}");
    }
}

/// Goal: a damping rate α(t) that is nonzero for a limited time reduces the velocity by the exponential of its
/// integral. Reference: v₀ exp(−∫ α dt). Tolerance: 1e-12.
#[test]
fn damping_acts_in_its_window_of_time() {
    for rate in ["\"20*(t < 0.0503)\"", "[[0, 20], [0.0502, 20], [0.0504, 0]]"] {
        let mut simulation = free_box(RUBBER, 0.0, rate, 1e-3);
        run(&mut simulation, |_| ());
        let ratio = velocity(&simulation, 0).x / 3.0 / (-20.0 * 0.0503_f64).exp();
        assert!((ratio - 1.0).abs() < 1e-12, "{rate}: {ratio}");
    }
}

/// Errors of a damped oscillator: of its displacement at the end, and of its energy balance relative to the peak
/// energy. The oscillator is a bar of one element, held at one end; the other end starts at 1 m/s.
fn oscillate(step: f64) -> [f64; 2] {
    let text = format!(
        "[time]\nend = 0.2\nstep = {step:?}\n[materials.m]\n{RUBBER}\
         [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nmass_damping = 20.0\n\
         [[velocities]]\nbody = \"a\"\ngroup = \"x1\"\nvelocity = [1, 0, 0]\n\
         [[boundaries]]\nbody = \"a\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n"
    );
    let mut simulation = from_text(&text, &[("a.msh", box_mesh([0.0; 3], [1.0, 0.5, 0.5], [1, 1, 1]))]);
    let mut imbalance = 0.0;
    run(&mut simulation, |simulation| {
        imbalance = worse(imbalance, simulation.audit().relative_imbalance());
    });
    let frequency = (2.0 * 1e6 / 1000.0 - 10.0_f64.powi(2)).sqrt();
    let expected = (-10.0 * 0.2_f64).exp() * (frequency * 0.2).sin() / frequency;
    [(mean_displacement(&simulation, 0, 1.0) - expected).abs(), imbalance]
}

/// Goal: a damped oscillator follows its closed form with an error of second order in dt, and its energies are in
/// balance. Reference: stiffness E A/L and half the mass of the bar give ω² = 2 E/(ρ L²). The displacement is x =
/// v₀/ω_d exp(−α t/2) sin ω_d t with ω_d² = ω² − α²/4. Tolerance: 5 % of the ratio 4 of the errors at dt and dt/2; for
/// the energy balance 1e-10 of the peak energy.
#[test]
fn damped_oscillator_is_of_second_order_and_in_balance() {
    let runs = [1e-3, 5e-4, 2.5e-4].map(oscillate);
    println!("{runs:?}");
    for pair in runs.windows(2) {
        assert!((pair[0][0] / pair[1][0] / 4.0 - 1.0).abs() < 0.05, "{runs:?}");
    }
    assert!(runs.iter().all(|[_, imbalance]| !exceeds(*imbalance, 1e-10)), "{runs:?}");
}

/// Goal: energy balances with damping, contact and prescribed motion, by every response. Scene: a damped rubber box
/// falls on another damped rubber box. The lower end of this second box oscillates. Tolerance: 1e-10 of the peak
/// energy.
#[test]
fn damped_bodies_in_contact_are_in_balance() {
    for response in RESPONSES {
        let text = format!(
            "gravity = [-9.81, 0, 0]\n[time]\nend = 0.05\n[contact]\nresponse = \"{response}\"\nfriction = 0.3\n\
             [materials.m]\n{RUBBER}\
             [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nmass_damping = 50.0\n\
             translate = [0.301, 0.05, 0.03]\nvelocity = [-1, 0.2, 0]\n\
             [[bodies]]\nname = \"b\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nmass_damping = \"80*(t < 0.03)\"\n\
             [[boundaries]]\nbody = \"b\"\ngroup = \"x0\"\nfix = [\"x\", \"z\"]\n\
             velocity = {{ y = \"0.1*sin(200*t)\" }}\n"
        );
        let mut simulation = from_text(&text, &[("a.msh", box_mesh([0.0; 3], [0.3; 3], [2; 3]))]);
        let (mut imbalance, mut contacts) = (0.0, 0);
        run(&mut simulation, |simulation| {
            imbalance = worse(imbalance, simulation.audit().relative_imbalance());
            contacts += simulation.constraints().len();
        });
        let lost = simulation.energies().mass_damping_dissipation;
        let momentum = simulation.audit().largest_momentum_error();
        println!(
            "{response}: imbalance {imbalance:e}, momentum {momentum:e}, damped {lost:e} J, {contacts} contacts"
        );
        assert!(contacts > 100 && lost > 0.0);
        assert!(!exceeds(imbalance, 1e-10), "{response}: {imbalance:e}");
        assert!(!exceeds(momentum, 1e-10), "{response}: {momentum:e}");
    }
}
