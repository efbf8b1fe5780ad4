//! Scenario files as a user writes them: what good ones mean, what is said of bad ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

use std::path::{Path, PathBuf};

use ictus::math::Vec3;
use ictus::scenario::*;
use proptest::prelude::*;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenario").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap()
}

fn read(name: &str, overrides: &[&str]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<_> = overrides.iter().map(|text| text.to_string()).collect();
    Scenario::read(&data(name), &overrides)
}

/// The problems of `full.toml` with `old` replaced by `new`, and the text they refer to.
fn problems_with(old: &str, new: &str) -> (Vec<Problem>, String) {
    let full = text("full.toml");
    assert_eq!(full.matches(old).count(), 1, "`{old}` has to stand once in the file");
    problems_of(&full.replace(old, new))
}

fn problems_of(text: &str) -> (Vec<Problem>, String) {
    match Scenario::parse(text, &data("full.toml"), &[]) {
        Err(ScenarioError::Invalid { problems, text, .. }) => (problems, text),
        other => panic!("{other:?} of\n{text}"),
    }
}

/// Asserts that the replacement gives one problem: its message, its help, and the text it points to.
#[track_caller]
fn assert_problem(old: &str, new: &str, message: &str, help: &str, underlined: &str) {
    let (problems, text) = problems_with(old, new);
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(problem.message, message);
    assert_eq!(problem.help.as_deref().unwrap_or_default(), help);
    assert_eq!(&text[problem.span.clone().unwrap()], underlined);
}

#[test]
fn a_full_scenario_is_read_as_written() {
    let scenario = read("full.toml", &[]).unwrap();
    assert_eq!(scenario.name, "full");
    assert_eq!(scenario.title, "A bar against a wall");
    assert_eq!(scenario.gravity, Vec3::new(0.0, 0.0, -9.81));
    let time = &scenario.time;
    assert_eq!((time.end, time.step, time.safety), (2.0, StepSize::Fixed(1e-6), 0.7));
    assert_eq!((time.flight_step, time.energy_tolerance), (0.05, 0.01));
    let names: Vec<_> = scenario.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["steel", "granite", "rubber", "glass"]);
    let steel = Elasticity { young: 210e9, poisson: 0.3 };
    assert_eq!(scenario.materials[0].model, MaterialModel::NeoHookean(steel));
    assert_eq!((scenario.materials[1].model, scenario.materials[1].density), (MaterialModel::Rigid, None));
    assert!(matches!(scenario.materials[2].model, MaterialModel::StVenantKirchhoff(_)));
    assert!(matches!(scenario.materials[3].model, MaterialModel::LinearElastic(_)));
}

#[test]
fn bodies_of_a_full_scenario() {
    let scenario = read("full.toml", &[]).unwrap();
    let [bar, wall, buffer] = scenario.bodies.as_slice() else { panic!() };
    assert_eq!(bar.mesh.value, data("bar.msh"));
    assert_eq!(&scenario.source[bar.mesh.span.clone()], "\"bar.msh\"");
    assert_eq!((bar.material, bar.scale), (0, 1e-3));
    assert_eq!(bar.rotate, Some((Vec3::z(), std::f64::consts::FRAC_PI_2)));
    assert_eq!(bar.translate, Vec3::new(-750.0, 0.0, 0.0));
    assert_eq!((bar.velocity, bar.angular_velocity), (Vec3::new(50.0, 0.0, 86.5), Vec3::z()));
    assert_eq!((bar.gravity, wall.gravity), (Vec3::zeros(), scenario.gravity));
    let groups = |groups: &[Located<String>]| {
        groups.iter().map(|group| scenario.source[group.span.clone()].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(groups(&bar.region), ["\"bar\""]);
    assert_eq!(groups(&buffer.region), ["\"bar\"", "\"end\""]);
    assert!(matches!(&bar.contact, ContactSurface::Groups(names) if groups(names) == ["\"end\""]));
    assert!(matches!(&buffer.contact, ContactSurface::Groups(names) if names[0].value == "end"));
    assert_eq!(wall.contact, ContactSurface::None);
    assert_eq!(wall.rigid, RigidMass::Given(12.0, [1.0, 2.0, 2.5, 0.0, 0.0, 0.0]));
}

#[test]
fn conditions_of_a_full_scenario() {
    let scenario = read("full.toml", &[]).unwrap();
    let [first, second] = scenario.boundaries.as_slice() else { panic!() };
    assert_eq!((first.body, first.group.as_ref().unwrap().value.as_str()), (0, "end"));
    let prescribed = |boundary: &BoundarySpec| -> Vec<(Axis, PrescribedMotion)> {
        boundary.components.iter().map(|component| component.value.clone()).collect()
    };
    assert!(matches!(
        prescribed(first).as_slice(),
        [
            (Axis::Y, PrescribedMotion::Fixed),
            (Axis::Z, PrescribedMotion::Fixed),
            (Axis::X, PrescribedMotion::Displacement(f)),
        ] if (f.value(0.25) - 0.1).abs() < 1e-15
    ));
    assert_eq!((second.body, second.group.is_none()), (2, true));
    assert!(matches!(
        prescribed(second).as_slice(),
        [
            (Axis::X, PrescribedMotion::Velocity(x)),
            (Axis::Z, PrescribedMotion::Velocity(z)),
            (Axis::Y, PrescribedMotion::Acceleration(y)),
        ] if x.is_constant() && z.value(0.5) == 1.0 && y.value(3.0) == 9.0
    ));
    let [pressure, traction, force] = scenario.loads.as_slice() else { panic!() };
    assert!(matches!(&pressure.kind, LoadKind::Pressure(f) if f.value(0.0) == 1e5 && f.value(0.1) == 0.0));
    assert!(matches!(&traction.kind, LoadKind::Traction([_, _, z]) if z.value(2.0) == -2e3));
    assert!(matches!(&force.kind, LoadKind::BodyForce([x, _, _]) if x.value(1.0) == 5.0));
    assert_eq!((force.body, force.group.is_none(), traction.group.is_none()), (2, true, true));
}

#[test]
fn closest_point_methods_and_starts() {
    use ClosestPointMethod::*;
    let methods = [
        ("auto", Auto),
        ("sqp", Sqp),
        ("active-set", ActiveSet),
        ("interior-point", InteriorPoint),
        ("newton", Newton),
        ("voronoi", Voronoi),
        ("brute-force", BruteForce),
    ];
    for (word, method) in methods {
        let scenario = read("full.toml", &[&format!("contact.closest_point={word}")]).unwrap();
        let chosen = &scenario.contact.closest_point;
        assert_eq!(chosen.value, method);
        assert_eq!(&scenario.source[chosen.span.clone()], format!("\"{word}\""));
    }
    let starts = [
        ("nearest", ClosestPointStart::Nearest),
        ("centre", ClosestPointStart::Centre),
        ("previous", ClosestPointStart::Previous),
    ];
    for (word, start) in starts {
        let scenario = read("full.toml", &[&format!("contact.start={word}")]).unwrap();
        assert_eq!(scenario.contact.start, start);
    }
    assert_problem(
        "closest_point = \"sqp\"",
        "closest_point = \"newtan\"",
        "`contact.closest_point` cannot be `newtan`",
        "did you mean `newton`?",
        "\"newtan\"",
    );
}

#[test]
fn contact_and_output_of_a_full_scenario() {
    let scenario = read("full.toml", &[]).unwrap();
    let contact = &scenario.contact;
    assert_eq!(contact.detection, DetectionMethod::AllPairs);
    assert_eq!(contact.hierarchy, HierarchyBuilder::BottomUp);
    assert_eq!(contact.volumes, [BoundingVolume::Sphere, BoundingVolume::Dop18, BoundingVolume::Dop26]);
    assert_eq!(contact.closest_point.value, ClosestPointMethod::Sqp);
    assert_eq!(contact.start, ClosestPointStart::Centre);
    assert_eq!((contact.penalty, contact.damping), (1.0, 0.1));
    assert_eq!(contact.excluded, [[0, 2]]);
    let output = &scenario.output;
    assert_eq!(output.directory, Path::new("results"));
    assert_eq!(output.frames, FrameSchedule::Times(vec![0.5, 1.0, 2.0]));
    assert_eq!((output.contact_interval, output.history_interval), (Some(1e-4), 0.0));
    assert_eq!(output.fields, [Field::Displacement, Field::Acceleration]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = read("minimal.toml", &[]).unwrap();
    assert_eq!((scenario.title.as_str(), scenario.gravity), ("minimal", Vec3::zeros()));
    let time = &scenario.time;
    assert_eq!((time.step, time.safety, time.flight_step), (StepSize::Auto, 0.8, 0.01));
    assert_eq!(time.energy_tolerance, 0.05);
    let body = &scenario.bodies[0];
    assert!(body.region.is_empty() && body.rotate.is_none());
    assert_eq!((body.scale, &body.contact, body.rigid), (1.0, &ContactSurface::Skin, RigidMass::Volume));
    let contact = &scenario.contact;
    assert_eq!((contact.detection, contact.hierarchy), (DetectionMethod::Hierarchy, HierarchyBuilder::Fast));
    assert_eq!(contact.volumes.len(), 4);
    assert_eq!((contact.penalty, contact.damping), (0.5, 0.0));
    let output = &scenario.output;
    assert_eq!(
        (output.directory.as_path(), &output.frames),
        (Path::new("out/minimal"), &FrameSchedule::Count(60))
    );
    assert_eq!((output.history_interval, output.contact_interval), (2e-3, None));
    assert_eq!(output.fields.len(), 6);
    assert!(!output.fields.contains(&Field::Acceleration));
    assert!(scenario.warnings.is_empty());
}

#[test]
fn detection_volumes_are_for_hierarchies() {
    const ASKED: &str = "output.detection_volumes=true";
    assert!(!read("minimal.toml", &[]).unwrap().output.detection_volumes);
    assert!(read("minimal.toml", &[ASKED]).unwrap().output.detection_volumes);
    assert!(!read("full.toml", &["output.detection_volumes=false"]).unwrap().output.detection_volumes);
    assert!(read("full.toml", &[ASKED]).is_err(), "it has contact.detection = \"all-pairs\"");
    let (problems, text) = problems_with("directory = \"results\"", "detection_volumes = true");
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    let fact = "`output.detection_volumes` is true, but `contact.detection` is not `hierarchy`";
    assert_eq!(problem.message, fact);
    assert_eq!(problem.key.as_deref(), Some("output.detection_volumes"));
    assert_eq!(&text[problem.span.clone().unwrap()], "true");
    let (problems, _) = problems_with("directory = \"results\"", "detection_volumes = \"yes\"");
    assert!(problems[0].message.contains("detection_volumes"), "{problems:?}");
}

#[test]
fn likely_slips_are_warnings() {
    let scenario = read("full.toml", &["boundaries.0.displacement.x=0.5"]).unwrap();
    let facts: Vec<_> = scenario.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        facts,
        [
            "`boundaries.0`: the X displacement starts at 0.5, not at 0",
            "no body is made of the material `glass`",
        ]
    );
    assert_eq!(&scenario.source[scenario.warnings[1].span.clone().unwrap()], "glass");
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    let near = |name: &str| format!("did you mean `{name}`?");
    assert_problem("safety", "saftey", "unknown key `saftey` in [time]", &near("safety"), "saftey");
    assert_problem("title", "titel", "unknown key `titel` in the scenario", &near("title"), "titel");
    assert_problem("scale", "scael", "unknown key `scael` in [bodies.bar]", &near("scale"), "scael");
    assert_problem("angle", "angel", "unknown key `angel` in [bodies.bar.rotate]", &near("angle"), "angel");
    assert_problem(
        "hierarchy = \"bottom-up\"",
        "color = 3",
        "unknown key `color` in [contact]",
        "known keys: `detection`, `hierarchy`, `volumes`, `closest_point`, `start`, `response`, `penalty`, `damping`, `self_contact`",
        "color",
    );
    assert_problem(
        "young = 210e9",
        "young = 210e9\nyuong = 1",
        "unknown key `yuong` in [materials.steel]",
        &near("young"),
        "yuong",
    );
}

#[test]
fn values_of_the_wrong_type() {
    assert_problem(
        "safety = 0.7",
        "safety = \"high\"",
        "`time.safety` is the string \"high\", not a number",
        "`safety`: fraction of the critical step, in (0, 1] [-]",
        "\"high\"",
    );
    assert_problem(
        "translate = [-750.0, 0.0, 0.0]",
        "translate = [-750.0, 0.0]",
        "`bodies.bar.translate` is a list of 2, not a list of 3",
        "`translate`: translation, applied last [m]",
        "[-750.0, 0.0]",
    );
    assert_problem(
        "contact = false\nmass",
        "contact = true\nmass",
        "`bodies.wall.contact` is the boolean `true`, not \"skin\", a group, a list of groups, or false",
        "`contact`: what can touch: \"skin\", a physical group, a list of groups, or false",
        "true",
    );
    assert_problem(
        "pressure = \"1e5*(t < 1e-3)\"",
        "pressure = true",
        "`loads.0.pressure` is the boolean `true`, not a number, an expression of t or a table [[t, value], …]",
        "`pressure`: against the outward normal: number, expression of t or table [[t, value], …] [Pa]",
        "true",
    );
    assert_problem(
        "step = 1e-6",
        "step = \"automatic\"",
        "`time.step` cannot be `automatic`",
        "give \"auto\" or a number [s]",
        "\"automatic\"",
    );
}

#[test]
fn missing_keys_say_what_they_are() {
    assert_problem(
        "end = 2\n",
        "",
        "missing key `end` in [time]",
        "add `end = …`: end of the run; it starts at 0 [s]",
        "[time]",
    );
    let (problems, _) = problems_with("model = \"rigid\"", "");
    assert_eq!(problems[0].message, "missing key `model` in [materials.granite]");
    let (problems, _) = problems_of("");
    let facts: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(facts, ["missing table [time]", "the scenario has no bodies"]);
}

#[test]
fn numbers_out_of_range() {
    for (old, new, message) in [
        ("step = 1e-6", "step = -1e-6", "`time.step` is -0.000001, not a positive number"),
        ("density = 7850.0", "density = 0", "`materials.steel.density` is 0, not a positive number"),
        ("poisson = 0.3\n", "poisson = 0.5\n", "`materials.steel.poisson` is 0.5, not a number in (-1, 0.5)"),
        ("young = 210e9", "young = -1", "`materials.steel.young` is -1, not a positive number"),
        ("safety = 0.7", "safety = 1.01", "`time.safety` is 1.01, not a number in (0, 1]"),
        ("end = 2\n", "end = inf\n", "`time.end` is inf, not a positive number"),
        ("velocity = [50.0,", "velocity = [nan,", "`bodies.bar.velocity` is NaN, not a finite number"),
        ("penalty = 1.0", "penalty = 0.0", "`contact.penalty` is 0, not a number in (0, 1]"),
        ("damping = 0.1", "damping = -0.1", "`contact.damping` is -0.1, not zero or a positive number"),
        ("scale = 1e-3", "scale = 0", "`bodies.bar.scale` is 0, not a positive number"),
        ("[0, 0, 2]", "[0, 0, 0]", "`bodies.bar.rotate.axis` is the zero vector"),
        ("[0.5, 1.0, 2.0]", "[0.5, 1.0, 2.5]", "`output.times` has 2.5, outside the run"),
        ("[0.5, 1.0, 2.0]", "[0.5, 1.0, 1.0]", "`output.times` has 1 after 1"),
        ("times = [0.5, 1.0, 2.0]", "frames = -3", "`output.frames` is -3, not a positive whole number"),
        ("mass = 12.0", "mass = 0.0", "`bodies.wall.mass` is 0, not a positive number"),
        (
            "inertia = [1.0, 2.0, 2.5]",
            "inertia = [1.0, 2.0, 3.5]",
            "`bodies.wall.inertia` is of no body: its principal moments are 1, 2 and 3.5",
        ),
        (
            "inertia = [1.0, 2.0, 2.5]",
            "inertia = [1.0]",
            "`bodies.wall.inertia` is a list of 1, not of 3 or 6",
        ),
        (
            "traction = [\"0\", 0.0",
            "traction = [\"1/0\", 0.0",
            "`loads.1.traction` is inf, not a finite number",
        ),
    ] {
        let (problems, _) = problems_with(old, new);
        let facts: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(facts, [message], "{new}");
    }
}

#[test]
fn names_that_refer_to_nothing() {
    assert_problem(
        "material = \"steel\"",
        "material = \"steal\"",
        "there is no material `steal`",
        "did you mean `steel`?",
        "\"steal\"",
    );
    assert_problem(
        "body = \"bar\"\ngroup = \"end\"\nfix",
        "body = \"bra\"\ngroup = \"end\"\nfix",
        "there is no body `bra`",
        "did you mean `bar`?",
        "\"bra\"",
    );
    assert_problem(
        "between = [\"wall\", \"bar\"]",
        "between = [\"ceiling\", \"bar\"]",
        "there is no body `ceiling`",
        "the file has: `bar`, `wall`, `buffer`",
        "\"ceiling\"",
    );
    assert_problem(
        "\"neo-hookean\"",
        "\"neohookean\"",
        "`materials.steel.model` cannot be `neohookean`",
        "did you mean `neo-hookean`?",
        "\"neohookean\"",
    );
    assert_problem(
        "\"dop18\"",
        "\"dop81\"",
        "`contact.volumes` cannot be `dop81`",
        "did you mean `dop18`?",
        "\"dop81\"",
    );
}

#[test]
fn a_mesh_that_does_not_exist() {
    let (problems, text) = problems_with("mesh = \"./bar.msh\"", "mesh = \"baar.msh\"");
    assert_eq!(problems[0].message, format!("the mesh `{}` does not exist", data("baar.msh").display()));
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `bar.msh` in the same folder?"));
    assert_eq!(problems[0].key.as_deref(), Some("bodies.buffer.mesh"));
    assert_eq!(&text[problems[0].span.clone().unwrap()], "\"baar.msh\"");
}

#[test]
fn a_scenario_that_does_not_exist() {
    let error = read("no-such.toml", &[]).unwrap_err();
    assert!(matches!(&error, ScenarioError::Unreadable { path, .. } if *path == data("no-such.toml")));
    let message = error.to_string();
    assert!(message.starts_with("cannot read the scenario `"), "{message}");
    assert!(message.ends_with("give the path of a TOML file in UTF-8"), "{message}");
}

#[test]
fn two_bodies_of_one_name() {
    let (problems, text) = problems_of(&text("full.toml").replace("\"wall\"", "\"bar\""));
    assert_eq!(problems[0].message, "two bodies are named `bar`");
    let span = problems[0].span.clone().unwrap();
    assert!(
        text[..span.start].ends_with("contact = [\"end\"]\n\n[[bodies]]\nname = "),
        "the second is meant"
    );
}

#[test]
fn keys_that_exclude_each_other() {
    assert_problem(
        "traction = [\"0\", 0.0, \"-1e3*t\"]",
        "traction = [0, 0, 0]\npressure = 1",
        "`loads.1` has `pressure` and `traction`; a load has one of them",
        "write a [[loads]] for each",
        "[0, 0, 0]",
    );
    assert_problem(
        "traction = [\"0\", 0.0, \"-1e3*t\"]",
        "",
        "`loads.1` loads nothing",
        "add one of `pressure`, `traction` and `body_force`",
        "[[loads]]",
    );
    assert_problem(
        "displacement = { x =",
        "displacement = { y =",
        "`boundaries.0` prescribes the Y axis twice",
        "prescribe each axis in one of fix, displacement, velocity, acceleration",
        "\"0.1*sin(2*pi*t)\"",
    );
    assert_problem(
        "fix = [\"y\", \"z\"]\ndisplacement = { x = \"0.1*sin(2*pi*t)\" }",
        "displacement = {}",
        "`boundaries.0` prescribes nothing",
        "add `fix = [\"x\", \"y\", \"z\"]`, or a displacement, velocity or acceleration",
        "[[boundaries]]",
    );
    assert_problem(
        "times = [0.5, 1.0, 2.0]",
        "times = [0.5, 1.0, 2.0]\nframes = 3",
        "`output` has more than one of `frames`, `interval` and `times`",
        "keep one of them",
        "3",
    );
    assert_problem(
        "between = [\"wall\", \"bar\"]",
        "between = [\"bar\", \"buffer\"]",
        "`contact.pairs.1` is a pair that stands above",
        "keep one of the two",
        "[\"bar\", \"buffer\"]",
    );
    assert_problem(
        "between = [\"wall\", \"bar\"]",
        "between = [\"bar\", \"bar\"]",
        "`contact.pairs.1` pairs a body with itself",
        "name two bodies; `self_contact = true` in a body lets it touch itself",
        "[\"bar\", \"bar\"]",
    );
}

#[test]
fn bodies_that_touch_themselves() {
    let foldable = |overrides: &[&str]| {
        let scenario = read("full.toml", overrides).unwrap();
        scenario.bodies.iter().map(|body| body.self_contact).collect::<Vec<_>>()
    };
    assert_eq!(foldable(&[]), [false; 3]);
    // The wall is rigid, and touches nothing.
    assert_eq!(foldable(&["contact.self_contact=true"]), [true, false, true]);
    assert_eq!(foldable(&["bodies.bar.self_contact=true"]), [true, false, false]);
    assert_eq!(
        foldable(&["contact.self_contact=true", "bodies.bar.self_contact=false"]),
        [false, false, true]
    );
    assert_problem(
        "contact = false\nmass",
        "contact = false\nself_contact = true\nmass",
        "`bodies.wall.self_contact` is true, but `contact = false` lets the body touch nothing",
        "remove one of the two",
        "true",
    );
    assert_problem(
        "contact = false\nmass",
        "self_contact = true\nmass",
        "`bodies.wall.self_contact` is true, but a rigid body does not fold",
        "remove it, or choose a material that deforms",
        "true",
    );
}

#[test]
fn mass_of_rigid_bodies() {
    assert_problem(
        "scale = 1e-3",
        "thickness = 0.1",
        "`bodies.bar.thickness` is for rigid bodies",
        "remove it, or choose a material with `model = \"rigid\"`",
        "0.1",
    );
    assert_problem(
        "mass = 12.0\ninertia = [1.0, 2.0, 2.5]",
        "",
        "nothing gives the mass of `bodies.wall`: `granite` has no density",
        "give the material a `density`, or the body `mass` and `inertia`",
        "\"granite\"",
    );
    assert_problem(
        "inertia = [1.0, 2.0, 2.5]",
        "",
        "`bodies.wall` gives its mass but not its inertia",
        "give both, or neither",
        "12.0",
    );
    assert_problem(
        "mass = 12.0",
        "thickness = 0.1\nmass = 12.0",
        "`bodies.wall` gives both a thickness and its mass",
        "keep `thickness` for a shell of known density, or `mass` and `inertia`",
        "0.1",
    );
}

#[test]
fn faults_of_expressions_are_underlined() {
    assert_problem(
        "\"1e5*(t < 1e-3)\"",
        "\"1e5*(x < 1e-3)\"",
        &format!(
            "`loads.0.pressure`: `1e5*(x < 1e-3)` has the unknown name `x`; known are {}",
            ictus::math::EXPRESSION_NAMES
        ),
        "an expression has the one variable t, the time in seconds",
        "x",
    );
    let (problems, text) = problems_with("0.1*sin(2*pi*t)", "0.1*sine(2*pi*t)");
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `sin`?"));
    assert_eq!(&text[problems[0].span.clone().unwrap()], "sine");
    let (problems, text) = problems_with("0.1*sin(2*pi*t)", "0.1*sin(2*pi*t");
    assert_eq!(&text[problems[0].span.clone().unwrap()], "\"");
    assert!(problems[0].message.contains("its end where an operator or `)` is expected"));
    let (problems, _) = problems_with("[[0.0, 0.0], [1.0, 2.0]]", "[[1.0, 0.0], [0.5, 2.0]]");
    assert!(problems[0].message.starts_with("`boundaries.1.velocity.z`: row 2 of the table is at t = 0.5"));
}

#[test]
fn faults_of_syntax_are_located() {
    let (problems, text) = problems_with("end = 2\n", "end = 1.0.0\n");
    assert!(problems[0].message.starts_with("not TOML: "), "{}", problems[0].message);
    let start = problems[0].span.clone().unwrap().start;
    assert_eq!(text[..start].lines().count(), text[..text.find("1.0.0").unwrap() + 1].lines().count());
    assert_problem("safety = 0.7", "end = 0.7", "not TOML: duplicate key", "", "end");
}

#[test]
fn all_problems_are_reported_at_once_in_the_order_of_the_file() {
    let text = text("full.toml")
        .replace("safety = 0.7", "saftey = \"x\"\nflight = 1")
        .replace("flight_step = 0.05", "flight_step = \"long\"")
        .replace("energy_tolerance = 0.01", "energy_tolerance = -1")
        .replace("young = 210e9", "young = nan")
        .replace("material = \"rubber\"", "material = \"ruber\"")
        .replace("pressure = \"1e5*(t < 1e-3)\"", "pressure = \"1e5*(t <\"")
        .replace("start = \"centre\"", "start = \"center\"");
    let (problems, _) = problems_of(&text);
    let keys: Vec<_> = problems.iter().map(|problem| problem.key.as_deref().unwrap()).collect();
    assert_eq!(
        keys,
        [
            "time.saftey",
            "time.flight",
            "time.flight_step",
            "time.energy_tolerance",
            "materials.steel.young",
            "bodies.buffer.material",
            "loads.0.pressure",
            "contact.start",
        ]
    );
}

#[test]
fn a_missing_key_does_not_hide_what_refers_to_its_table() {
    let (problems, _) = problems_with("poisson = 0.3\n", "");
    let facts: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(facts, ["missing key `poisson` in [materials.steel]"]);
    let (problems, _) = problems_with("mesh = \"./bar.msh\"\n", "mesh = 3\n");
    let facts: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(facts, ["`bodies.buffer.mesh` is the integer `3`, not a string"]);
}

#[test]
fn overrides_change_the_text() {
    let scenario = read(
        "full.toml",
        &[
            "time.end=3.0",
            "time.step=auto",
            "contact.detection=\"hierarchy\"",
            "bodies.0.velocity=[1, 0, 0]",
            "bodies.wall.contact = skin",
            "bodies.bar.rotate.angle=180",
            "loads.0.pressure=2e5*(t < 1)",
            "contact.pairs.0.contact=true",
            "materials.\"glass\".young=6e10",
            "output.history.interval=0.5",
            "time.energy_tolerance=0.02",
        ],
    )
    .unwrap();
    assert_eq!((scenario.time.end, scenario.time.step), (3.0, StepSize::Auto));
    assert_eq!(scenario.contact.detection, DetectionMethod::Hierarchy);
    assert_eq!(scenario.bodies[0].velocity, Vec3::x());
    assert_eq!(scenario.bodies[1].contact, ContactSurface::Skin);
    assert_eq!(scenario.bodies[0].rotate.unwrap().1, std::f64::consts::PI);
    assert!(matches!(&scenario.loads[0].kind, LoadKind::Pressure(f) if f.value(0.5) == 2e5));
    assert!(scenario.contact.excluded.is_empty());
    assert_eq!(scenario.output.history_interval, 0.5);
    assert!(scenario.source.contains("end = 3.0\n"));
    assert!(scenario.source.starts_with("# Every table"));
    assert!(scenario.source.contains("energy_tolerance = 0.02 # stop early\n"));
    assert_eq!(&scenario.source[scenario.bodies[0].mesh.span.clone()], "\"bar.msh\"");
}

#[test]
fn an_override_takes_the_place_of_its_alternatives() {
    let schedule = |overrides: &[&str]| read("full.toml", overrides).unwrap().output.frames;
    assert_eq!(schedule(&["output.frames=7"]), FrameSchedule::Count(7));
    assert_eq!(schedule(&["output.times=[0.5]"]), FrameSchedule::Times(vec![0.5]));
    assert_eq!(schedule(&["output.frames=7", "output.interval=0.5"]), FrameSchedule::Interval(0.5));
}

#[test]
fn overrides_make_tables_that_are_not_there() {
    let scenario = read("minimal.toml", &["contact.penalty=0.25", "output.history.interval=0"]).unwrap();
    assert_eq!((scenario.contact.penalty, scenario.output.history_interval), (0.25, 0.0));
}

#[test]
fn overrides_that_cannot_be() {
    for (given, message, help) in [
        ("time.end", "override `time.end` has no `=`", "write KEY=VALUE"),
        (
            "bodies.7.mesh=x",
            "override `bodies.7.mesh=x`: `bodies` has no entry 7",
            "it has 3, counted from 0",
        ),
        (
            "bodies.bra.mesh=x",
            "override `bodies.bra.mesh=x`: `bodies` has no entry named `bra`",
            "did you mean `bar`?",
        ),
        ("time.end.x=1", "override `time.end.x=1`: `time.end` is not a table", "an entry of a list"),
        ("a b=1", "override `a b=1` has the invalid key `a b`", "write KEY=VALUE"),
        ("=1", "override `=1` has the invalid key ``", "write KEY=VALUE"),
        ("time.ned=1", "unknown key `ned` in [time]", "did you mean `end`?"),
        ("tmie.end=1", "unknown key `tmie` in the scenario", "did you mean `time`?"),
        ("time.end=-1", "`time.end` is -1, not a positive number", "give a positive number"),
    ] {
        let Err(ScenarioError::Invalid { problems, .. }) = read("full.toml", &[given]) else {
            panic!("{given} is taken")
        };
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert!(problems[0].message.starts_with(message), "{}", problems[0].message);
        assert!(problems[0].help.as_ref().unwrap().starts_with(help), "{problems:?}");
    }
}

#[test]
fn the_error_reads_as_plain_text() {
    let error = read("full.toml", &["time.saftey=1"]).unwrap_err().to_string();
    let path = data("full.toml");
    let expected =
        "unknown key `saftey` in [time]\n  --> PATH:11 [time.saftey]\n  help: did you mean `safety`?";
    assert_eq!(error, expected.replace("PATH", &path.display().to_string()));
}

/// Pieces of TOML that change the meaning of what stands around them.
const PIECES: [&str; 20] = [
    "\"",
    "'",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "#",
    "-",
    "nan",
    "1e999",
    "true",
    "\\",
    "é",
    "\"\"\"",
    "99999999999999999999",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is cut out, put in or swapped: an answer, with places that lie in the text.
    #[test]
    fn no_text_makes_the_reader_panic(
        cut in 0.0_f64..1.0,
        length in 0_usize..40,
        piece in 0..PIECES.len(),
        from in 0.0_f64..1.0,
    ) {
        let full = text("full.toml");
        let place = |fraction: f64| full.char_indices().nth((fraction * 2000.0) as usize).map_or(0, |c| c.0);
        let (start, end) = (place(cut), (place(cut) + length).min(full.len()));
        let copied = &full[place(from)..(place(from) + length).min(full.len())];
        for mutant in [
            format!("{}{}{}", &full[..start], PIECES[piece], &full[end..]),
            format!("{}{copied}{}", &full[..start], &full[start..]),
            full[..start].to_owned(),
        ] {
            check_places(Scenario::parse(&mutant, &data("full.toml"), &[]))?;
        }
    }

    #[test]
    fn no_override_makes_the_reader_panic(
        key in "(time|bodies|contact|output|loads|0|bar|\\.|[a-z\" ]){1,6}",
        value in "\\PC{0,12}",
    ) {
        let overrides = [format!("{key}={value}")];
        check_places(Scenario::parse(&text("full.toml"), &data("full.toml"), &overrides))?;
    }
}

fn check_places(result: Result<Scenario, ScenarioError>) -> Result<(), TestCaseError> {
    if let Err(ScenarioError::Invalid { text, problems, .. }) = result {
        prop_assert!(!problems.is_empty());
        for problem in problems {
            prop_assert!(problem.span.is_none_or(|span| text.get(span).is_some()), "{}", problem.message);
        }
    }
    Ok(())
}
