//! Steps of tied bodies are as long as without ties, and steps that are cut (shortened) leave no gaps at ties.
//!
//! ```text
//!   |    |    |   |  |    |        steps, cut by due output, by limits from outside or at impacts
//!   λ    λ    λ λ'  λ λ' λ         tie forces, computed again if the step differs from the step they were computed for
//! ```

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, exceeds, from_text, run, worse, worst};
use crate::random::Random;

/// Size of the tied bodies \[m\].
const SIZE: f64 = 2.0;
/// Largest error that counts as rounding.
const ROUNDING: f64 = 3e-13;

const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0";
const RUBBER: &str = "model = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0";
const SOFT: &str = "model = \"linear-elastic\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0";

/// Blocks of 1 m along x, each tied to the next, with these materials; `keys` gives the keys of each block, and the
/// text `before` precedes all of them.
fn row(before: &str, materials: &[&str], keys: impl Fn(usize) -> String) -> Simulation {
    let mut text = before.to_owned();
    let mut meshes = Vec::new();
    for (k, material) in materials.iter().enumerate() {
        let x = k as f64;
        meshes.push((format!("b{k}.msh"), box_mesh([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0], [1; 3])));
        text += &format!(
            "[materials.m{k}]\n{material}\n[[bodies]]\nname = \"b{k}\"\nmesh = \"b{k}.msh\"\nmaterial = \"m{k}\"\n{}",
            keys(k)
        );
        if k > 0 {
            text += &format!("[[contact.pairs]]\nbetween = [\"b{}\", \"b{k}\"]\ntied = true\n", k - 1);
        }
    }
    let meshes: Vec<(&str, String)> =
        meshes.iter().map(|(name, mesh)| (name.as_str(), mesh.clone())).collect();
    from_text(&text, &meshes)
}

/// Pairs of nodes with equal reference positions.
fn tied_nodes(simulation: &Simulation) -> Vec<[usize; 2]> {
    let references = &simulation.model().reference_positions;
    let nodes = 0..references.len();
    let after = |a: usize| (a + 1..references.len()).filter(move |&b| references[a] == references[b]);
    nodes.flat_map(|a| after(a).map(move |b| [a, b])).collect()
}

/// The largest gap of these nodes \[m\].
fn gap(simulation: &Simulation, tied: &[[usize; 2]]) -> f64 {
    let positions = &simulation.state().positions;
    worst(tied.iter().map(|&[a, b]| (positions[a] - positions[b]).norm()))
}

/// Keys of the blocks in a row of `count` blocks that rotates about an axis through the middle of the row.
fn spinning(spin: Vec3, count: usize) -> impl Fn(usize) -> String {
    move |k| {
        let velocity = spin.cross(&(Vec3::x() * (k as f64 + 0.5 - 0.5 * count as f64)));
        format!("velocity = {:?}\nangular_velocity = {:?}\n", velocity.as_slice(), spin.as_slice())
    }
}

/// Goal: two tied rubber blocks strike a wall at a quarter of their wave speed. The compression of the blocks reduces
/// the critical step; after the rebound the steps become longer again. Reference: the step before the impact. During
/// the impact the shortest step is below 0.75 of this step. During the vibration after the rebound, the longest step is
/// above 0.85 of this step.
#[test]
fn tied_bodies_regain_their_step_after_an_impact() {
    let before = "[time]\nend = 0.6\nflight_step = 1.0\nenergy_tolerance = 0.5\n\
         [[walls]]\nname = \"wall\"\npoint = [-0.02, 0, 0]\nnormal = [1, 0, 0]\n";
    let mut simulation = row(before, &[RUBBER, RUBBER], |_| "velocity = [-8.0, 0.0, 0.0]\n".to_owned());
    let mut steps = Vec::new();
    run(&mut simulation, |simulation| {
        steps.push((simulation.progress().time_step, simulation.progress().contacts));
    });
    let left = steps.iter().rposition(|(_, contacts)| *contacts > 0).unwrap();
    let [before, after] = [&steps[..=left], &steps[left..]];
    let shortest = before.iter().map(|(step, _)| *step).fold(f64::INFINITY, f64::min);
    let longest = after.iter().map(|(step, _)| *step).fold(0.0, f64::max);
    let first = steps[0].0;
    println!("steps of {first:e} s, down to {shortest:e} s, of {longest:e} s again");
    assert!(shortest < 0.75 * first, "the impact shortens the step: {shortest:e} of {first:e}");
    assert!(longest > 0.85 * first, "{longest:e} s after contact, {first:e} s before");
}

/// Goal: a body force accelerates rigid blocks. The largest travel of a block in a step is no larger with a tie than
/// without, also with the energy–momentum response without contact. Tolerance: 4 %, the change of the speed in a step,
/// because the step of tied blocks is chosen one step ahead.
#[test]
fn tied_bodies_go_as_far_in_a_step_as_others() {
    for response in ["penalty", "energy-momentum"] {
        let farthest = |tied: bool| {
            let what = if tied { "tied = true" } else { "contact = false" };
            let text = format!(
                "[time]\nend = 2.0\nflight_step = 0.1\n[contact]\nresponse = \"{response}\"\n\
                 [materials.m]\n{RIGID}\n\
                 [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nvelocity = [0.0, 1.0, 0.0]\n\
                 [[bodies]]\nname = \"b\"\nmesh = \"b.msh\"\nmaterial = \"m\"\nvelocity = [0.0, 1.0, 0.0]\n\
                 [[bodies]]\nname = \"far\"\nmesh = \"far.msh\"\nmaterial = \"m\"\n\
                 [[loads]]\nbody = \"a\"\nbody_force = [0, 2000, 0]\n\
                 [[loads]]\nbody = \"b\"\nbody_force = [0, 2000, 0]\n\
                 [[contact.pairs]]\nbetween = [\"a\", \"b\"]\n{what}\n\
                 [[contact.pairs]]\nbetween = [\"a\", \"far\"]\ncontact = false\n\
                 [[contact.pairs]]\nbetween = [\"b\", \"far\"]\ncontact = {}\n",
                response == "penalty"
            );
            let cube = |x: f64| box_mesh([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0], [1; 3]);
            let meshes = [("a.msh", cube(0.0)), ("b.msh", cube(1.0)), ("far.msh", cube(9.0))];
            let mut simulation = from_text(&text, &meshes);
            let mut farthest = 0.0_f64;
            run(&mut simulation, |simulation| {
                let speed = simulation.balances()[0].momentum.linear.norm() / 1000.0;
                farthest = worse(farthest, speed * simulation.progress().time_step);
            });
            farthest
        };
        let [tied, free] = [true, false].map(farthest);
        println!("{response}: {tied} m in a step when tied, {free} m");
        assert!(tied < 1.04 * free, "{response}: {tied} m, {free} m when free");
    }
}

/// Goal: rigid blocks that rotate by up to 0.3 rad in a step are tied to each other and to deformable blocks. For any
/// cut of a step, the tied points coincide at the end of the step to 3e-13 of the size, and the momenta are conserved
/// to 3e-13. A limit of the step that is set during the run holds from the next step on. Reference: Newton's laws.
#[test]
fn cut_steps_leave_no_gap() {
    for (materials, speed) in
        [(&[RIGID, RIGID][..], 30.0), (&[RIGID, RUBBER][..], 0.5), (&[RUBBER, RUBBER][..], 0.5)]
    {
        let step = if speed > 1.0 { 0.01 } else { 2e-3 };
        let spin = Vec3::new(1.0, 2.0, 3.0).normalize() * speed;
        for output in ["", "[output]\nexact = true\ninterval = 0.017\nhistory = { interval = 0.0231 }\n"] {
            let before = format!("[time]\nend = 0.5\nstep = {step:?}\n{output}");
            let mut simulation = row(&before, materials, spinning(spin, materials.len()));
            let tied = tied_nodes(&simulation);
            assert_eq!(tied.len(), 4);
            let (mut random, mut apart, mut count) = (Random(1), 0.0, 0);
            while !simulation.is_finished() {
                let limit = if count % 3 == 0 { step * random.between(1e-3, 1.0) } else { 0.0 };
                simulation.limit_step(limit);
                simulation.advance(f64::INFINITY).unwrap();
                let taken = simulation.progress().time_step;
                assert!(limit == 0.0 || taken <= limit * (1.0 + 1e-9), "{taken} s, not {limit} s");
                apart = worse(apart, gap(&simulation, &tied));
                count += 1;
            }
            let audit = simulation.audit();
            let [linear, angular] = [audit.largest_momentum_error(), audit.largest_angular_error()];
            println!("{speed} rad/s, {count} steps: apart {apart:.1e} m, momenta {linear:.1e} {angular:.1e}");
            assert!(!exceeds(apart, ROUNDING * SIZE), "{materials:?}: {apart:e} m");
            let off = worse(linear, angular);
            assert!(!exceeds(off, ROUNDING), "{materials:?}: {off:e}");
        }
    }
}

/// Goal: with each response, tied blocks stay together, and the balances of momentum and energy close in each step. A
/// load on tied nodes and the length of steps jump, steps also end at impacts, and a support is fixed or driven.
/// Reference: the energy identity of the predictor–corrector (see `random_cuts`), for linear forces. Tolerances: 3e-13
/// of the size; 3e-13 of the impulses and energy.
#[test]
fn accounts_of_ties_close_where_forces_jump() {
    for response in crate::model::RESPONSES {
        for held in ["fix = [\"x\", \"y\", \"z\"]", "velocity = { x = \"0.1*sin(20*t)\", y = 0.0 }"] {
            let before = format!(
                "[time]\nend = 0.3\nsafety = 0.4\n[contact]\nresponse = \"{response}\"\nresolve_impact = true\n\
                 [[boundaries]]\nbody = \"b0\"\ngroup = \"x0\"\n{held}\n\
                 [[loads]]\nbody = \"b1\"\ntraction = [\"300*step(t - 0.0513)\", \"-200*step(t - 0.1207)\", 0]\n\
                 [[walls]]\nname = \"wall\"\npoint = [2.001, 0, 0]\nnormal = [-1, 0, 0]\n\
                 [[contact.pairs]]\nbetween = [\"b0\", \"wall\"]\ncontact = false\n"
            );
            let mut simulation = row(&before, &[SOFT, SOFT], |_| String::new());
            let tied = tied_nodes(&simulation);
            let (mut random, mut apart, mut open, mut touches, mut count) = (Random(1), 0.0, 0.0, 0, 0);
            let mut last = *simulation.energies();
            while !simulation.is_finished() {
                let limit = if count % 5 == 0 { 2e-3 * random.between(0.1, 1.0) } else { 0.0 };
                simulation.limit_step(limit);
                simulation.advance(f64::INFINITY).unwrap();
                apart = worse(apart, gap(&simulation, &tied));
                open = worse(open, (simulation.energies().conserved() - last.conserved()).abs());
                last = *simulation.energies();
                touches += u32::from(simulation.progress().contacts > 0);
                count += 1;
            }
            let audit = simulation.audit();
            let open = open / audit.energy_scale();
            let linear = audit.largest_momentum_error();
            println!(
                "{response}, {held}: {touches} of {count} steps touch, apart {apart:.1e} m, {linear:.1e}, ledger {open:.1e}"
            );
            assert!(touches > 5, "it touches the wall");
            assert!(!exceeds(apart, ROUNDING * SIZE), "{apart:e}");
            assert!(!exceeds(linear, ROUNDING) && !exceeds(open, ROUNDING), "{linear:e}, {open:e}");
        }
    }
}

/// Goal: tie forces do not count as contact forces. A block with prescribed acceleration drives a rigid and a
/// deformable block against a wall. Both are tied to the driving block. With the energy–momentum response and varying
/// steps, the energy balance of each step closes, although tie forces accelerate the blocks. The blocks stay together.
/// Reference and tolerances: as in the previous test.
#[test]
fn ties_do_not_count_as_contact() {
    let before = "[time]\nend = 0.6\nsafety = 0.4\nflight_step = 2e-3\n[contact]\nresponse = \"energy-momentum\"\n\
         [[boundaries]]\nbody = \"b0\"\nacceleration = { x = 1.0, y = 0.0, z = 0.0 }\n\
         [[walls]]\nname = \"wall\"\npoint = [3.1, 0, 0]\nnormal = [-1, 0, 0]\n\
         [[contact.pairs]]\nbetween = [\"b0\", \"wall\"]\ncontact = false\n\
         [[contact.pairs]]\nbetween = [\"b1\", \"wall\"]\ncontact = false\n";
    let mut simulation = row(before, &[RIGID, RIGID, SOFT], |_| String::new());
    let tied = tied_nodes(&simulation);
    let (mut random, mut apart, mut open, mut touches, mut count) = (Random(1), 0.0, 0.0, 0, 0);
    // The audit begins with the first step; the prescribed motion starts in this step.
    simulation.advance(f64::INFINITY).unwrap();
    let mut last = *simulation.energies();
    while !simulation.is_finished() {
        simulation.limit_step(if count % 5 == 0 { 2e-3 * random.between(0.1, 1.0) } else { 0.0 });
        simulation.advance(f64::INFINITY).unwrap();
        apart = worse(apart, gap(&simulation, &tied));
        open = worse(open, (simulation.energies().conserved() - last.conserved()).abs());
        last = *simulation.energies();
        touches += u32::from(simulation.progress().contacts > 0);
        count += 1;
    }
    let open = open / simulation.audit().energy_scale();
    println!("{touches} of {count} steps touch, apart {apart:.1e} m, ledger {open:.1e}");
    assert!(touches > 5, "it touches the wall");
    assert!(!exceeds(apart, ROUNDING * SIZE) && !exceeds(open, ROUNDING), "{apart:e} {open:e}");
}

/// Goal: setting velocities after the end of the run changes nothing, also for tied bodies.
#[test]
fn velocities_are_not_set_after_the_end() {
    let mut simulation = row("[time]\nend = 0.01\n", &[RIGID, SOFT], |_| String::new());
    run(&mut simulation, |_| ());
    let before = simulation.state().velocities.clone();
    simulation.set_velocities(|_| Vec3::y());
    assert_eq!(simulation.state().velocities, before);
    assert!(simulation.energies().kinetic.is_finite() && simulation.is_finished());
}

/// Goal: a hundred rigid blocks in a row rotate as one body. Each is tied to the next at four points, one more than
/// necessary. Gaps are at most 3e-14 of the length of the row, and the angular momentum is constant to 3e-13. A step
/// takes fewer than four tie iterations. Reference: Newton's laws.
#[test]
fn a_hundred_rigid_blocks_spin_as_one() {
    let count = 100;
    let spin = Vec3::new(1.0, 2.0, 3.0).normalize();
    let mut simulation = row("[time]\nend = 1.0\nstep = 0.05\n", &vec![RIGID; count], spinning(spin, count));
    let tied = tied_nodes(&simulation);
    assert_eq!(tied.len(), 4 * (count - 1));
    let mut apart = 0.0;
    run(&mut simulation, |simulation| apart = worse(apart, gap(simulation, &tied)));
    let angular = simulation.audit().largest_angular_error();
    let iterations = simulation.tie_iterations() as f64 / simulation.progress().step as f64;
    println!("apart {apart:.1e} m, angular momentum {angular:.1e}, {iterations} iterations a step");
    assert!(!exceeds(apart, 3e-12) && !exceeds(angular, ROUNDING), "{apart:e}, {angular:e}");
    assert!(iterations < 4.0, "{iterations} iterations a step");
}
