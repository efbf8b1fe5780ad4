//! Bodies on floors, or in front of pushers, with prescribed acceleration. The acceleration of the floor acts on a body
//! like an additional weight.
//!
//! ```text
//!    ┌─────┐   g        in the frame of the floor: a weight m (g + a)
//!    └─────┘   ↓
//!   ═════════  ↑ a
//! ```
//!
//! References: Newton's second law in the frame of the floor. In this frame a cube that bounces without loss returns to
//! its initial height.

use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, run, velocity, worse};

const STEP: f64 = 1e-4;
const GRAVITY: f64 = 9.81;
/// Three times gravity \[m/s²\].
const DRIVEN: f64 = 29.43;

/// A floor whose acceleration or velocity along z is prescribed by an expression of time.
#[derive(Clone, Copy, Debug)]
enum Floor {
    Rigid,
    /// A rigid body, prescribed along z only.
    Guided,
    /// An elastic mesh, all nodes of which are prescribed.
    Nodes,
    Wall,
}

impl Floor {
    fn keys(self, acceleration: &str, velocity: &str) -> String {
        let body = |material: &str, motion: &str| {
            format!(
                "[[bodies]]\nname = \"floor\"\nmesh = \"floor.msh\"\nmaterial = \"{material}\"\ngravity = [0, 0, 0]\n\
                 [[boundaries]]\nbody = \"floor\"\n{motion}"
            )
        };
        let along_z = format!("acceleration = {{ z = \"{acceleration}\" }}\n");
        let held = format!("fix = [\"x\", \"y\"]\n[[boundaries]]\nbody = \"floor\"\n{along_z}");
        match self {
            Self::Rigid => body("rigid", &held),
            Self::Guided => body("rigid", &along_z),
            Self::Nodes => body("soft", &held),
            Self::Wall => format!(
                "[[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nvelocity = [0, 0, \"{velocity}\"]\n"
            ),
        }
    }
}

/// A rigid cube at a height above a floor \[m\], with contact impulses of the given restitution.
fn scene(floor: &str, gravity: f64, height: f64, restitution: f64, end: f64) -> Simulation {
    let text = format!(
        "gravity = [0, 0, {:?}]\n[time]\nend = {end:?}\nstep = {STEP:?}\n\
         [contact]\nresponse = \"decomposition\"\nrestitution = {restitution:?}\n\
         [materials.rigid]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [materials.soft]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
         [[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\nmaterial = \"rigid\"\ntranslate = [0, 0, {height:?}]\n{floor}",
        -gravity
    );
    let meshes = [
        ("cube.msh", box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [2, 2, 2])),
        ("floor.msh", box_mesh([-1.0, -1.0, -0.1], [1.0, 1.0, 0.0], [1, 1, 1])),
    ];
    from_text(&text, &meshes)
}

/// Runs to the end; returns the smallest and the largest height of the cube above its floor \[m\]. `way` is the
/// displacement of the floor as a function of time.
fn heights(simulation: &mut Simulation, way: impl Fn(f64) -> f64) -> [f64; 2] {
    let (mut least, mut largest) = (0.0, 0.0);
    run(simulation, |simulation| {
        let height = simulation.balances()[0].centre.z - 0.1 - way(simulation.state().time);
        (least, largest) = (-worse(-least, -height), worse(largest, height));
    });
    [least, largest]
}

/// Goal: a cube stays on a floor driven up from rest with 3 g, and on a pusher without gravity, for any restitution.
/// The cube moves with the floor, and contact neither absorbs nor creates energy. Tolerances: rounding of the
/// displacement for positions; half a kick for velocities, because impulses act in the middle of steps.
#[test]
fn cubes_stay_on_their_driven_floor() {
    let (end, drive) = (0.1, DRIVEN);
    for (floor, gravity, restitution) in [Floor::Rigid, Floor::Guided, Floor::Nodes, Floor::Wall]
        .into_iter()
        .flat_map(|floor| [(floor, GRAVITY, 1.0), (floor, GRAVITY, 0.5), (floor, 0.0, 1.0)])
    {
        let keys = floor.keys(&format!("{drive:?}"), &format!("{drive:?}*t"));
        let mut simulation = scene(&keys, gravity, 0.0, restitution, end);
        let [least, largest] = heights(&mut simulation, |time| 0.5 * drive * time * time);
        let speed = velocity(&simulation, 0).z;
        let audit = simulation.audit();
        let error = audit.energy_error().largest;
        println!(
            "{floor:?}, g = {gravity}, e = {restitution}: heights {least:.1e} to {largest:.1e} m, {speed} m/s, energy {error:.1e}, balance {:.1e}",
            audit.relative_imbalance()
        );
        assert!(least > -1e-13 && largest < 1e-13, "{floor:?}: from {least:e} to {largest:e}");
        let kick = 0.5 * STEP * (gravity + drive);
        assert!((speed - drive * end).abs() < 1.01 * kick, "{floor:?}: {speed}");
        assert!(audit.relative_imbalance().abs() < 1e-12, "{floor:?}: {:e}", audit.relative_imbalance());
    }
}

/// Goal: a cube falls on a floor driven with 3 g and strikes it eight times. Relative to the floor, the cube moves as
/// on a floor at rest under 4 g, and rises to its initial height between two impacts. Tolerance: the distance travelled
/// in a step at the speed of the impact.
#[test]
fn cubes_bounce_on_a_driven_floor_as_under_a_weight() {
    let height = 0.01;
    let weight = GRAVITY + DRIVEN;
    let speed = (2.0 * weight * height).sqrt();
    let period = 2.0 * speed / weight;
    for floor in [Floor::Rigid, Floor::Nodes, Floor::Wall] {
        let keys = floor.keys(&format!("{DRIVEN:?}"), &format!("{DRIVEN:?}*t"));
        let mut simulation = scene(&keys, GRAVITY, height, 1.0, 8.2 * period);
        let (mut apexes, mut apex, mut touched) = (Vec::new(), 0.0_f64, true);
        run(&mut simulation, |simulation| {
            let touches = !simulation.constraints().is_empty();
            if touches && !touched {
                apexes.push(apex);
                apex = 0.0;
            }
            touched = touches;
            let time = simulation.state().time;
            apex = apex.max(simulation.balances()[0].centre.z - 0.1 - 0.5 * DRIVEN * time * time);
        });
        println!("{floor:?}: {apexes:?}");
        assert_eq!(apexes.len(), 8, "{floor:?}: {apexes:?}");
        for apex in &apexes {
            assert!((apex - height).abs() < speed * STEP, "{floor:?}: {apex} instead of {height}");
        }
    }
}

/// Goal: a cube rests on a floor that starts to move during the run. With the acceleration a of the floor, the cube is
/// displaced by (a + g) dt² relative to the floor in a step. The cube hops by at most this displacement.
#[test]
fn floors_that_start_in_mid_run_do_not_throw_bodies() {
    let keys = Floor::Rigid.keys("30*(t >= 0.02033)*(t < 0.06)", "");
    for restitution in [0.5, 1.0] {
        let mut simulation = scene(&keys, GRAVITY, 0.0, restitution, 0.06);
        let [from, until] = [0.02033, 0.06];
        let way = |time: f64| 15.0 * (time - from).clamp(0.0, until - from).powi(2);
        let [least, largest] = heights(&mut simulation, way);
        println!("e = {restitution}: {least:e} to {largest:e}");
        let hop = (30.0 + GRAVITY) * STEP * STEP;
        assert!(least > -1e-9 && largest < hop, "{least:e} to {largest:e}, not {hop:e}");
    }
}
