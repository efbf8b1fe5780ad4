//! Messages about invalid scenarios, and the places to which they point.

use super::*;

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
        "known keys: `detection`, `sort_every`, `sort_space_every`, `hierarchy`, `hierarchy_volume`, `sphere_fit`, `kinematics`, `volumes`, `closest_point`, `start`, `response`, `scheme`, `penalty`, `damping`, `stiffness`, `soft_start`, `friction`, `restitution`, `order`, `every`, `projection`, `angular_momentum`, `search_depth`, `normal`, `edges`, `passes`, `resolve_impact`, `self_contact`, `initial_penetration`",
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
        "fix = [\"y\", \"z\"]",
        "fix = \"yz\"",
        "`boundaries.0.fix` is the string \"yz\", not a list",
        "`fix`: fixed axes, as in [\"x\", \"y\"]",
        "\"yz\"",
    );
    assert_problem(
        "contact = false\nmass",
        "contact = true\nmass",
        "`bodies.wall.contact` is the boolean `true`, not \"skin\", a group, a list of groups, or false",
        "`contact`: contact surface: \"skin\", a physical group, a list of groups, or false",
        "true",
    );
    assert_problem(
        "pressure = \"1e5*(t < 1e-3)\"",
        "pressure = true",
        "`loads.0.pressure` is the boolean `true`, not a number, an expression of t or a table [[t, value], …]",
        "`pressure`: pressure against the outward normal: number, expression of t or table [[t, value], …] [Pa]",
        "true",
    );
    assert_problem(
        "exact = true",
        "exact = \"frames\"",
        "`output.exact` is the string \"frames\", not true or false",
        "`exact`: whether equal steps end exactly at the times of frames, history rows and probe samples; otherwise these are written at the end of the step that passes their time",
        "\"frames\"",
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
fn missing_keys_are_explained() {
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
        ("damping = 0.1", "friction = -0.1", "`contact.friction` is -0.1, not zero or a positive number"),
        (
            "damping = 0.1",
            "friction = { static = 0.2, dynamic = 0.3 }",
            "`contact.friction.dynamic` is 0.3, more than `static`, 0.2",
        ),
        ("damping = 0.1", "stiffness = 0", "`contact.stiffness` is 0, not a positive number"),
        ("damping = 0.1", "soft_start = -1", "`contact.soft_start` is -1, not zero or a positive number"),
        ("damping = 0.1", "every = 0", "`contact.every` is 0, not a whole number of steps from 1 on"),
        (
            "response = \"penalty\"\npenalty = 1.0\ndamping = 0.1",
            "response = \"decomposition\"\nrestitution = 1.5",
            "`contact.restitution` is 1.5, not a number in [0, 1]",
        ),
        (
            "response = \"penalty\"\npenalty = 1.0\ndamping = 0.1",
            "response = \"decomposition\"\nprojection = -1",
            "`contact.projection` is -1, not a number in [0, 1]",
        ),
        (
            "contact = true",
            "friction = -1",
            "`contact.pairs.1.friction` is -1, not zero or a positive number",
        ),
        ("scale = 1e-3", "scale = 0", "`bodies.bar.scale` is 0, not a positive number"),
        ("[0, 0, 2]", "[0, 0, 0]", "`bodies.bar.rotate.axis` is the zero vector"),
        ("[0.5, 1.0, 2.0]", "[0.5, 1.0, 2.5]", "`output.times` has 2.5, outside the run"),
        ("[0.5, 1.0, 2.0]", "[0.5, 1.0, 1.0]", "`output.times` has 1 after 1"),
        ("times = [0.5, 1.0, 2.0]", "frames = -3", "`output.frames` is -3, not a positive whole number"),
        ("mass = 12.0", "mass = 0.0", "`bodies.wall.mass` is 0, not a positive number"),
        (
            "inertia = [1.0, 2.0, 2.5]",
            "inertia = [1.0, 2.0, 3.5]",
            "no body can have this `bodies.wall.inertia`: its principal moments are 1, 2 and 3.5",
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

/// `[bodies]` and `[bodies.NAME]` in place of `[[bodies]]` give one problem: the bodies are known to the tables that refer
/// to them.
#[test]
fn a_table_in_place_of_a_list_is_one_problem() {
    let tables = "[time]\nend = 1\n[materials.stone]\nmodel = \"rigid\"\ndensity = 1.0\n";
    let probe = "[[probes]]\nname = \"p\"\nbody = \"ball\"\n";
    for body in ["[bodies]\nname = \"ball\"\n", "[bodies.ball]\n"] {
        let (problems, _) =
            problems_of(&format!("{tables}{body}mesh = \"bar.msh\"\nmaterial = \"stone\"\n{probe}"));
        let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
        assert_eq!(problem.message, "`bodies` is not a list of tables");
        assert_eq!(problem.help.as_deref(), Some("write [[bodies]] above each one"));
    }
}

/// A table that stands twice is one problem, and not one for each of its keys. If it belongs to a list, the remedy is the
/// header of the list.
#[test]
fn a_table_that_stands_twice_is_one_problem() {
    let stone = "[materials.stone]\nmodel = \"rigid\"\ndensity = 1.0\n";
    let body =
        |header: &str| format!("{header}\nname = \"ball\"\nmesh = \"bar.msh\"\nmaterial = \"stone\"\n");
    let end = "[time]\nend = 1\n";
    let list = ("`bodies` is not a list of tables", "write [[bodies]] above each one");
    let once = ("[time] stands twice", "write all keys of `time` below one [time]");
    for (text, (message, help), header) in [
        (format!("{end}{stone}{}{}", body("[bodies]"), body("[bodies]")), list, "[bodies]"),
        (format!("{end}{stone}{}{}", body("[bodies]"), body("[[bodies]]")), list, "[[bodies]]"),
        (format!("{stone}{}{end}{end}safety = 0.5\n", body("[[bodies]]")), once, "[time]"),
    ] {
        let (problems, text) = problems_of(&text);
        let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
        assert_eq!((problem.message.as_str(), problem.help.as_deref()), (message, Some(help)));
        let span = problem.span.clone().unwrap();
        assert_eq!(&text[span.clone()], header);
        assert!(
            text[..span.start].contains(header.trim_matches(['[', ']'])),
            "the first of them is underlined"
        );
    }
}

/// `[[time]]` in place of `[time]` is one problem, and the keys of the table are read.
#[test]
fn a_list_in_place_of_a_table_is_one_problem() {
    let help = "write [time] above it, once";
    assert_problem("[time]\n", "[[time]]\n", "`time` is a list of tables, not a table", help, "[[time]]");
    let (problems, _) =
        problems_of(&text("full.toml").replace("[time]", "[[time]]").replace("safety = 0.7", "safety = 7"));
    assert_eq!(problems[1].message, "`time.safety` is 7, not a number in (0, 1]");
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
        "there is no body or wall `ceiling`",
        "the file has: `bar`, `wall`, `buffer`, `floor`, `belt`, `drop`",
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
        "\"dopp18\"",
        "`contact.volumes` cannot be `dopp18`",
        "did you mean `dop18`?",
        "\"dopp18\"",
    );
}

#[test]
fn a_mesh_that_does_not_exist() {
    let (problems, text) = problems_with("mesh = \"./bar.msh\"", "mesh = \"baar.msh\"");
    assert_eq!(problems[0].message, format!("the mesh `{}` does not exist", data("baar.msh").display()));
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `bar.msh` in the same folder?"));
    assert_eq!(problems[0].key.as_deref(), Some("bodies.buffer.mesh"));
    assert_eq!(&text[problems[0].span.clone().unwrap()], "\"baar.msh\"");
    // The file with the nearest name, full.toml, is no mesh, so it is not suggested.
    let (problems, _) = problems_with("mesh = \"./bar.msh\"", "mesh = \"full.tom\"");
    assert_eq!(
        problems[0].help.as_deref(),
        Some("paths of meshes are relative to the folder of the scenario")
    );
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
fn damping_that_drives_and_relaxation_without_steps() {
    let help =
        "give a finite rate that is zero or positive until `time.end`; a negative one would drive the body";
    let damped = "angle = 90.0 }\nmass_damping = \"1 - 1e6*t\"";
    let (problems, _) = problems_with("angle = 90.0 }", damped);
    assert_eq!(problems[0].help.as_deref(), Some(help), "{problems:#?}");
    let (problems, _) = problems_with("angle = 90.0 }", "angle = 90.0 }\nmass_damping = -1.0");
    assert_eq!(problems[0].key.as_deref(), Some("bodies.bar.mass_damping"), "{problems:#?}");
    for (key, help) in
        [("max_steps = 100", "give more than 100 steps, such as 100000"), ("tolerance = 0.0", "")]
    {
        let (problems, _) = problems_with("[time]", &format!("[dynamic_relaxation]\n{key}\n[time]"));
        assert!(problems[0].key.as_deref().is_some_and(|key| key.starts_with("dynamic_relaxation.")));
        assert!(problems[0].help.as_deref().unwrap_or_default().contains(help), "{problems:#?}");
    }
}
