//! Parameters, files of materials, and velocities of groups.

use ictus::simulation::Simulation;

use super::*;

const STEEL: &str =
    "[materials.steel]\nmodel = \"neo-hookean\"\ndensity = 7850.0\nyoung = 2e11\npoisson = 0.3\n";

/// A scenario with the text `head`, a body "bar", and the further tables `more`.
fn bar(head: &str, more: &str) -> String {
    format!(
        "{head}[time]\nend = 1e-3\n[[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"steel\"\n{more}"
    )
}

fn parse(text: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<_> = overrides.iter().map(|text| text.to_string()).collect();
    Scenario::parse(text, &data("reuse.toml"), &overrides).unwrap()
}

/// The only problem of a text, and the part of the text to which it points.
#[track_caller]
fn problem(text: &str) -> (Problem, String) {
    let (problems, text) = problems_of(text);
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    (problem.clone(), text[problem.span.clone().unwrap()].to_owned())
}

const PARAMETERS: &str = "[parameters]\nv = 10.0\nw = \"=v/4 + 1e-1\"\nn = 3\n";

#[test]
fn parameters_are_numbers_anywhere() {
    let more = format!(
        "velocity = [\"=-2*v\", 0, \"= w\"]\n{STEEL}[[loads]]\nbody = \"bar\"\npressure = \"=v*sin(t) + w\"\n\
         [output]\nframes = \"=2*n\"\n"
    );
    let text = bar(PARAMETERS, &more);
    let scenario = parse(&text, &[]);
    assert_eq!(scenario.bodies[0].velocity, Vec3::new(-20.0, 0.0, 2.6));
    let LoadKind::Pressure(pressure) = &scenario.loads[0].kind else { panic!() };
    assert_eq!(pressure.value(0.7), 10.0 * 0.7_f64.sin() + 2.6);
    assert_eq!(scenario.output.frames, FrameSchedule::Count(6));
    assert!(scenario.warnings.is_empty(), "{:?}", scenario.warnings);
    let faster = parse(&text, &["parameters.v=20"]);
    assert_eq!(faster.bodies[0].velocity, Vec3::new(-40.0, 0.0, 5.1));
    // The span of the mesh stands after values that were replaced, and still points to its text.
    let moved = scenario.bodies[0].mesh.span.clone();
    assert_eq!(&scenario.source[moved], "\"bar.msh\"");
    let unused = parse(&text, &["parameters.vv=20"]).warnings;
    assert_eq!(unused[0].message, "the parameter `vv` is not used (from `--set`)");
}

#[test]
fn problems_of_replaced_values_have_their_place() {
    let with =
        |value: &str| problem(&bar(PARAMETERS, &format!("velocity = [0, 0, {value}]\nscale = 1\n{STEEL}")));
    let (unknown, place) = with("\"=vv*2\"");
    assert_eq!(unknown.message, "`bodies.0.velocity`: `=vv*2` has the unknown name `vv`");
    assert_eq!((unknown.help.as_deref(), place.as_str()), (Some("did you mean `v`?"), "\"=vv*2\""));
    let (infinite, _) = with("\"=v/0\"");
    assert_eq!(infinite.message, "`bodies.0.velocity`: `=v/0` is inf");
    let (broken, place) = with("\"=v*\"");
    assert!(broken.message.starts_with("`bodies.0.velocity`: `(10.0)*` has"), "{}", broken.message);
    assert_eq!(place, "\"=v*\"");
    // The first text has a value out of range. The second text has a misspelt key after a replaced value on the same
    // line.
    let text = bar(PARAMETERS, &format!("scale = \"=v - 12.25\"\n{STEEL}"));
    let (range, place) = problem(&text);
    assert_eq!(range.message, "`bodies.bar.scale` is -2.25, not a positive number");
    assert_eq!(place, "\"=v - 12.25\"");
    let text = bar(PARAMETERS, &format!("rotate = {{ axis = [\"=v/3\", 1, 0], angl = 3 }}\n{STEEL}"));
    let (problems, text) = problems_of(&text);
    assert_eq!(&text[problems[0].span.clone().unwrap()], "angl", "{problems:?}");
}

#[test]
fn problems_of_parameters() {
    for (line, message, help) in [
        ("v = 1\nsin = 2", "`sin` already has a meaning in expressions", "give the parameter another name"),
        ("t = 2", "`t` already has a meaning in expressions", "give the parameter another name"),
        ("\"a b\" = 2", "`a b` cannot be the name of a parameter", "use letters, digits"),
        ("v = \"fast\"", "`parameters.v` is not a number", "write a number, or an expression"),
        ("v = inf", "`parameters.v` is inf, not a finite number", "write a finite number"),
        (
            "v = \"=2*w\"\nw = 1",
            "`parameters.v`: `=2*w` has the unknown name `w`",
            "[parameters] above it are",
        ),
        ("v = \"=2*t\"", "`parameters.v` depends on the time t", "a parameter is a number"),
    ] {
        let text = bar(&format!("[parameters]\n{line}\n"), STEEL);
        let (found, _) = problem(&text);
        assert_eq!(found.message, message);
        assert!(found.help.as_deref().unwrap().starts_with(help), "{found:?}");
    }
    // A parameter with a problem is reported once, and not for each parameter and key that it is in.
    let text = bar(PARAMETERS, &format!("velocity = [\"=v\", \"=w\", 0]\n{STEEL}"));
    let faulty = Scenario::parse(&text, &data("reuse.toml"), &["parameters.v=abc".to_owned()]);
    let Err(ScenarioError::Invalid { problems, .. }) = faulty else { panic!("{faulty:?}") };
    let [found] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(found.message, "`parameters.v` is not a number (from `--set`)");
    let (found, place) = problem(&bar("parameters = 3\n", STEEL));
    assert_eq!((found.message.as_str(), place.as_str()), ("`parameters` is not a table", "3"));
}

#[test]
fn materials_are_read_from_a_file() {
    let text = bar("materials = \"materials.toml\"\n", "");
    let scenario = parse(&text, &[]);
    let names: Vec<_> = scenario.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["steel", "oak"]);
    assert_eq!(scenario.bodies[0].material, 0);
    assert!(scenario.warnings.is_empty(), "a shared file may have more: {:?}", scenario.warnings);

    let (missing, place) = problem(&bar("materials = \"nowhere.toml\"\n", ""));
    assert!(missing.message.starts_with("cannot read the materials file `nowhere.toml`"), "{missing:?}");
    assert_eq!(place, "\"nowhere.toml\"");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("m.toml"),
        "[materials.steel]\nmodel = \"neo-hookean\"\nyuong = 1.0\n[oak]\n",
    )
    .unwrap();
    let text = bar("materials = \"m.toml\"\n", "");
    let Err(ScenarioError::Invalid { problems, .. }) =
        Scenario::parse(&text, &folder.path().join("a.toml"), &[])
    else {
        panic!()
    };
    let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert!(messages.contains(&"unknown key `yuong` in [materials.steel] (m.toml:3)"), "{messages:?}");
    assert!(messages.contains(&"unknown key `oak` in a materials file (m.toml:4)"), "{messages:?}");
    let mut of_file = problems.iter().filter(|problem| problem.message.contains("m.toml"));
    assert!(of_file.all(|problem| problem.span == Some(12..20)), "{problems:?}");
}

/// The nodes of a group have the velocity of the group, all others that of the body. If several groups contain a node,
/// the last one counts.
#[test]
fn velocities_are_of_groups() {
    let more = format!(
        "velocity = [1.0, 0.0, 0.0]\n{STEEL}\
         [[velocities]]\nbody = \"bar\"\ngroup = \"end\"\nvelocity = [0.0, 7.0, 0.0]\n\
         [[velocities]]\nbody = \"bar\"\ngroup = \"end\"\nvelocity = [0.0, 3.0, 0.0]\nangular_velocity = [0.0, 0.0, 2.0]\n"
    );
    let simulation = Simulation::new(&parse(&bar("", &more), &[])).unwrap();
    let (state, model) = (simulation.state(), simulation.model());
    let of_group: Vec<usize> =
        (0..state.velocities.len()).filter(|&node| state.velocities[node] != Vec3::x()).collect();
    assert!(!of_group.is_empty() && of_group.len() < state.velocities.len());
    let mass: f64 = of_group.iter().map(|&node| model.mass[node]).sum();
    let mean =
        |values: &[Vec3]| of_group.iter().map(|&node| values[node] * model.mass[node]).sum::<Vec3>() / mass;
    assert!((mean(&state.velocities) - Vec3::new(0.0, 3.0, 0.0)).norm() < 1e-12);
    let centre = mean(&state.positions);
    for &node in &of_group {
        let arm = state.positions[node] - centre;
        let expected = Vec3::new(0.0, 3.0, 0.0) + Vec3::z().cross(&arm) * 2.0;
        assert!((state.velocities[node] - expected).norm() < 1e-12 * (1.0 + arm.norm()));
    }
    assert!(!simulation.progress().in_flight);
}

#[test]
fn problems_of_velocities() {
    let with = |material: &str, keys: &str| {
        problem(&bar("", &format!("{material}[[velocities]]\nbody = \"bar\"\n{keys}")))
    };
    let (nothing, _) = with(STEEL, "group = \"end\"\n");
    assert_eq!(nothing.message, "`velocities.0` gives no velocity");
    let rigid = "[materials.steel]\nmodel = \"rigid\"\ndensity = 1.0\n";
    let (found, place) = with(rigid, "velocity = [1, 0, 0]\n");
    assert_eq!(found.message, "body `bar` is rigid and has one velocity");
    assert_eq!(place, "\"bar\"");
    let text =
        bar("", &format!("{STEEL}[[velocities]]\nbody = \"bar\"\ngroup = \"nose\"\nvelocity = [1, 0, 0]\n"));
    let message = Simulation::new(&parse(&text, &[])).err().unwrap().to_string();
    assert!(message.contains("nose"), "{message}");
}

#[test]
fn gravity_varies_in_time() {
    let with = |head: &str| parse(&bar(head, STEEL), &[]);
    let constant = with("gravity = [\"0\", 0, \"-9.81\"]\n");
    assert_eq!((constant.gravity, constant.bodies[0].gravity), (Vec3::z() * -9.81, Vec3::z() * -9.81));
    assert!(constant.bodies[0].varying_gravity.is_none());
    let ramped = with("gravity = [0, 0, \"-9.81*min(t/0.01, 1)\"]\n");
    assert_eq!(ramped.bodies[0].gravity, Vec3::zeros());
    let [_, _, z] = ramped.bodies[0].varying_gravity.as_ref().unwrap();
    assert_eq!((z.value(0.005), z.value(1.0)), (-9.81 / 2.0, -9.81));
    let own = parse(&bar("gravity = [0, 0, \"-t\"]\n", &format!("gravity = [0, 0, -1]\n{STEEL}")), &[]);
    assert!(own.bodies[0].varying_gravity.is_none() && own.bodies[0].gravity == -Vec3::z());
    let wall = "[[walls]]\nname = \"w\"\npoint = [0, 0, -9]\nnormal = [0, 0, 1]\nmass = 2.0\n";
    let (found, place) = problem(&bar("gravity = [0, 0, \"-t\"]\n", &format!("{STEEL}{wall}")));
    assert_eq!(found.message, "`walls.w` has a mass, and the gravity of the scenario varies in time");
    assert_eq!(place, "2.0");
}
