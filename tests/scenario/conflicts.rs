//! Messages about keys that are valid alone but exclude each other.

use super::*;

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
        "add `fix = [\"x\", \"y\", \"z\"]`, or a displacement, velocity, acceleration or rotation",
        "[[boundaries]]",
    );
    assert_problem(
        "displacement = { x = \"0.1*sin(2*pi*t)\" }",
        "rotation = { axis = [0, 0, 1], point = [0, 0, 0], angle = \"t\" }",
        "`boundaries.0` prescribes the Y axis beside a rotation",
        "a rotation prescribes all three axes of its nodes: leave out the one or the other",
        "\"y\"",
    );
    for (turn, fact) in [
        (", angle = \"t\", speed = 1", "`boundaries.0.rotation` has an angle and a speed"),
        ("", "`boundaries.0.rotation` has neither an angle nor a speed"),
    ] {
        let rotation = format!("{{ axis = [0, 0, 1], point = [0, 0, 0]{turn} }}");
        assert_problem(
            "fix = [\"y\", \"z\"]\ndisplacement = { x = \"0.1*sin(2*pi*t)\" }",
            &format!("rotation = {rotation}"),
            fact,
            "give one of `angle` [rad] and `speed` [rad/s]",
            &rotation,
        );
    }
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
        "`contact.pairs.1` repeats a pair above",
        "keep one of the two, or name different `groups`",
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
    // The body `wall` is rigid, so it has no self-contact.
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
fn there_are_one_or_two_passes() {
    assert_problem(
        "edges = \"all\"",
        "edges = \"all\"\npasses = 3",
        "`contact.passes` is 3, not 1 or 2",
        "give 2 for the nodes of both bodies, 1 for those of the finer surface",
        "3",
    );
    let passes =
        |value: &str| read("full.toml", &[&format!("contact.passes={value}")]).unwrap().contact.passes;
    assert_eq!([passes("1"), passes("2")], [Passes::One, Passes::Two]);
}

#[test]
fn rigid_bodies_have_no_integration() {
    assert_problem(
        "contact = false\nmass",
        "contact = false\nhex = \"one-point\"\nmass",
        "`bodies.wall.hex` has no effect on a rigid body",
        "leave it out, or choose a material that deforms",
        "\"one-point\"",
    );
    assert!(read("full.toml", &["bodies.wall.hex=mean-dilatation", "bodies.bar.hex=one-point"]).is_ok());
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
        "give the material a `density`, or the body its `mass`",
        "\"granite\"",
    );
    let dense = text("full.toml").replace("[materials.granite]\n", "[materials.granite]\ndensity = 2700.0\n");
    let (problems, text) = problems_of(&dense.replace("mass = 12.0\n", ""));
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(problem.message, "`bodies.wall` gives its inertia but not its mass");
    assert_eq!(problem.help.as_deref(), Some("give its `mass`, too, or leave out `inertia`"));
    assert_eq!(&text[problem.span.clone().unwrap()], "[1.0, 2.0, 2.5]");
    assert_problem(
        "mass = 12.0",
        "thickness = 0.1\nmass = 12.0",
        "`bodies.wall` gives both a thickness and its mass",
        "keep `thickness` if the body is a shell of known density, otherwise keep `mass`",
        "0.1",
    );
}

#[test]
fn laws_that_the_response_ignores() {
    assert_problem(
        "damping = 0.1",
        "damping = 0.1\nrestitution = 0.5",
        "`contact.restitution` and `damping` are both given: the one follows from the other",
        "leave one of them out",
        "0.5",
    );
    assert_problem(
        "damping = 0.1",
        "restitution = 0.05",
        "`contact.restitution` is 0.05: the response `penalty` reaches 0.1 and more",
        "set `contact.response` to `decomposition` or `energy-momentum`, or give a larger one",
        "0.05",
    );
    assert_problem(
        "response = \"penalty\"\npenalty = 1.0",
        "response = \"decomposition\"",
        "`contact.damping` has no effect on the response `decomposition`",
        "leave it out, or set `contact.response` to `penalty` or `energy-momentum`",
        "0.1",
    );
    assert_problem(
        "response = \"penalty\"\npenalty = 1.0\ndamping = 0.1",
        "response = \"decomposition\"\npenalty = 0.8",
        "`contact.penalty` has no effect on the response `decomposition`",
        "leave it out, or set `contact.response` to `penalty` or `energy-momentum`",
        "0.8",
    );
    assert_problem(
        "penalty = 1.0\ndamping = 0.1",
        "penalty = 0.25\nstiffness = 1e6",
        "`contact.penalty` has no effect on springs of the given stiffness 1000000 N/m",
        "leave it out, or set `contact.stiffness` to `mass` or `segment`",
        "0.25",
    );
    assert_problem(
        "between = [\"buffer\", \"bar\"]",
        "between = [\"buffer\", \"bar\"]\nfriction = 0.2",
        "`contact.pairs.0.friction` has no effect on a pair that does not touch",
        "leave it out, or let the pair touch",
        "0.2",
    );
    assert_problem(
        "contact = true\n",
        "groups = [\"end\", \"all\"]\ncontact = false\n\n[[contact.pairs]]\nbetween = [\"floor\", \"bar\"]\ngroups = [\"end\", \"all\"]\nfriction = 0.2\n",
        "the wall `floor` has no group `end`",
        "a wall is touched everywhere: write \"all\" in its place",
        "\"end\"",
    );
    assert_problem(
        "between = [\"wall\", \"bar\"]\ncontact = true",
        "between = [\"bar\", \"buffer\"]\ngroups = [\"end\", \"all\"]\nfriction = 0.3",
        "`contact.pairs.1` has no effect: another pair excludes the two bodies from contact as a whole",
        "remove it, or remove the pair of the whole bodies and exclude only the groups that shall not touch",
        "[\"bar\", \"buffer\"]",
    );
    assert_problem(
        "damping = 0.1",
        "order = \"one-by-one\"",
        "`contact.order` has no effect on the response `penalty`",
        "leave it out, or set `contact.response` to `decomposition`",
        "\"one-by-one\"",
    );
    assert_problem(
        "damping = 0.1",
        "stiffness = \"segmnet\"",
        "`contact.stiffness` cannot be `segmnet`",
        "did you mean `segment`?",
        "\"segmnet\"",
    );
    assert_problem(
        "damping = 0.1",
        "friction = { static = 0.3 }",
        "missing key `dynamic` in [contact.friction]",
        "add `dynamic = …`: dynamic coefficient, at most the static one [-]",
        "{ static = 0.3 }",
    );
}

/// Contact by distance fields has no contact thickness, no edge contact and no groups of faces. Only distance fields
/// have a choice of normals, and only their response corrects positions.
#[test]
fn keys_that_distance_fields_do_not_serve() {
    let messages = |contact: &str, change: &dyn Fn(String) -> String| -> Vec<String> {
        let text = change(text("full.toml")).replace("[contact]\n", &format!("[contact]\n{contact}\n"));
        problems_of(&text).0.into_iter().map(|problem| problem.message).collect()
    };
    let without = |text: String| {
        let kept = |line: &&str| {
            !["contact_thickness", "detection", "edges", "hierarchy"].iter().any(|key| line.starts_with(key))
        };
        text.lines().filter(kept).map(|line| format!("{line}\n")).collect::<String>()
    };
    let field = "detection = \"distance-field\"";
    let thick = |text: String| {
        without(text).replace("contact = [\"end\"]\n", "contact = [\"end\"]\ncontact_thickness = 1e-3\n")
    };
    let found = messages(field, &thick);
    assert!(
        found.iter().any(|fact| fact.contains("which has no contact thickness, but body `bar` has")),
        "{found:?}"
    );
    let found = messages(&format!("{field}\nedges = \"all\""), &without);
    assert!(found.iter().any(|fact| fact.contains("which has no edge contact")), "{found:?}");
    let grouped = |text: String| {
        without(text).replace(
            "between = [\"wall\", \"bar\"]\ncontact = true",
            "between = [\"wall\", \"bar\"]\ngroups = [\"all\", \"end\"]\ncontact = true\nfriction = 0.1",
        )
    };
    let found = messages(field, &grouped);
    assert!(
        found.iter().any(|fact| fact.contains("but a pair is limited to `groups` of faces")),
        "{found:?}"
    );
    let found = messages("normal = \"contactor\"", &without);
    assert!(
        found.iter().any(|fact| fact.contains("`contact.detection` is not `distance-field`")),
        "{found:?}"
    );
    let found = messages("scheme = \"midpoint\"", &without);
    assert!(found.iter().any(|fact| fact.contains("`contact.scheme` has no effect")), "{found:?}");
    let found = messages("angular_momentum = \"none\"", &without);
    assert!(found.iter().any(|fact| fact.contains("`contact.angular_momentum` has no effect")), "{found:?}");
}
