//! Valid scenarios: the values read from them, and the defaults of missing keys.

use super::*;
use ictus::contact::detection::face::closest_point::Method;
use ictus::contact::detection::tree::hierarchy::{Builder, HierarchyVolume, LeafFit};
use ictus::contact::detection::volume::{LadderUse, VolumeKind};
use ictus::contact::detection::{DetectionMethod, EdgeSelection, Kinematics, StartFrom};
use ictus::contact::response::{ContactLaws, FrictionLaw, ResponseMethod};

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
    let law = |material: usize| match scenario.materials[material].model {
        MaterialModel::Hyperelastic(law, constants) => (law.name, constants),
        MaterialModel::Rigid => panic!("rigid"),
    };
    assert_eq!(law(0), ("neo-hookean", steel));
    assert_eq!((scenario.materials[1].model, scenario.materials[1].density), (MaterialModel::Rigid, None));
    assert_eq!((law(2).0, law(3).0), ("st-venant-kirchhoff", "linear-elastic"));
}

#[test]
fn bodies_of_a_full_scenario() {
    let scenario = read("full.toml", &[]).unwrap();
    let [bar, wall, buffer] = scenario.bodies.as_slice() else { panic!() };
    assert_eq!(bar.mesh.value, data("bar.msh"));
    assert_eq!(&scenario.source[bar.mesh.span.clone()], "\"bar.msh\"");
    assert_eq!((bar.material, bar.scale, buffer.contact_thickness), (0, 1e-3, 2e-3));
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
    let without_inertia = text("full.toml").replace("inertia = [1.0, 2.0, 2.5]\n", "");
    let even = Scenario::parse(&without_inertia, &data("full.toml"), &[]).unwrap();
    assert!(even.bodies.iter().any(|body| body.rigid == RigidMass::Even(12.0)));
}

#[test]
fn walls_of_a_full_scenario() {
    let scenario = read("full.toml", &[]).unwrap();
    let [floor, belt, drop] = scenario.walls.as_slice() else { panic!() };
    assert_eq!((floor.name.as_str(), floor.point, floor.normal), ("floor", -Vec3::z(), Vec3::z()));
    assert!(matches!(floor.motion, WallMotion::Fixed));
    let WallMotion::Driven([x, y, _]) = &belt.motion else { panic!() };
    assert!(x.value(3.0) == 1.0 && (y.value(3.0) - 0.3).abs() < 1e-15);
    let WallMotion::Free { mass, velocity, gravity } = drop.motion else { panic!() };
    assert_eq!(mass, 2.0);
    assert!((velocity - 10.0).abs() < 1e-12 && (gravity - 0.8 * 9.81).abs() < 1e-12);
}

#[test]
fn walls_have_their_own_laws() {
    let rough = read("full.toml", &["walls.belt.friction=0.7"]).unwrap();
    let own: Vec<_> = rough.contact.own_laws.iter().filter(|(pair, _)| pair.bodies[1] == 4).collect();
    assert_eq!(own.len(), 3, "the belt with each body");
    assert!(own.iter().all(|(_, laws)| laws.friction.at_rest == 0.7 && laws.friction.in_motion == 0.7));
    // Values of a pair take precedence even if they equal the defaults.
    let smooth = ["walls.floor.friction=0.7", "contact.pairs.2.contact=true", "contact.pairs.2.friction=0"];
    let own = read("full.toml", &smooth).unwrap().contact.own_laws;
    let of_buffer = own.iter().find(|(pair, _)| *pair == SurfacePair::whole([2, 3])).unwrap();
    assert_eq!((of_buffer.1.friction.at_rest, own.len()), (0.0, 3));
}

/// A value missing in a pair of a body and a wall is that of the wall. A value missing in the wall, too, is that of
/// `[contact]`.
#[test]
fn pairs_with_a_wall_have_the_rest_of_its_laws() {
    let keys = [
        "walls.belt.friction=0.7",
        "contact.pairs.2.between=[\"belt\", \"buffer\"]",
        "contact.pairs.2.contact=true",
        "contact.pairs.2.damping=0.3",
    ];
    let own = read("full.toml", &keys).unwrap().contact.own_laws;
    let laws: Vec<_> =
        own.iter().map(|(pair, laws)| (pair.bodies, laws.friction.at_rest, laws.damping)).collect();
    assert_eq!(laws, [([0, 4], 0.7, 0.1), ([1, 4], 0.7, 0.1), ([2, 4], 0.7, 0.3)]);
}

#[test]
fn tied_pairs() {
    let tie = ["contact.pairs.1.tied=true", "contact.pairs.1.tied_within=0.1"];
    let scenario = read("full.toml", &tie).unwrap();
    let [tied] = scenario.contact.tied.as_slice() else { panic!() };
    assert_eq!((tied.bodies, tied.within), ([0, 1], Some(0.1)));
    assert!(scenario.contact.excluded.contains(&SurfacePair::whole([0, 1])), "what is tied does not touch");
    let alone = read("full.toml", &tie[1..]).unwrap_err();
    assert!(alone.to_string().contains("no effect on a pair that is not tied"), "{alone}");
    let apart = read("full.toml", &["contact.pairs.0.tied=true"]).unwrap_err();
    assert!(apart.to_string().contains("ties bodies that do not touch"), "{apart}");
}

#[test]
fn invalid_walls_are_rejected() {
    let floor = "normal = [0.0, 0.0, 5.0]";
    assert_problem(
        floor,
        "normal = [0, 0, 0]",
        "`walls.floor.normal` is the zero vector",
        "give the direction out of the wall, such as [0, 0, 1]",
        "[0, 0, 0]",
    );
    assert_problem(
        floor,
        "normal = [0.0, 0.0, 5.0]\ngravity = [0, 0, -1]",
        "`walls.floor` has gravity but no mass",
        "give its `mass`, or remove `gravity`",
        "[0, 0, -1]",
    );
    assert_problem(
        "velocity = [0, -6, -8]",
        "velocity = [0, -6, -8.1]",
        "`walls.drop.velocity` is not along the normal",
        "a wall with a mass moves along its normal: give three numbers, a multiple of `normal`; or remove the `mass` to \
         prescribe the velocity",
        "[0, -6, -8.1]",
    );
    assert_problem(
        "name = \"belt\"",
        "name = \"bar\"",
        "another wall or body is named `bar`",
        "give each wall its own name",
        "\"bar\"",
    );
    assert_problem(
        "between = [\"floor\", \"buffer\"]",
        "between = [\"floor\", \"belt\"]",
        "`contact.pairs.2` pairs two walls",
        "walls do not touch each other; name a body and a wall",
        "[\"floor\", \"belt\"]",
    );
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
    use Method::*;
    let methods = [
        ("auto", Auto),
        ("sqp", Sqp),
        ("sqp-bfgs", SqpBfgs),
        ("active-set", ActiveSet),
        ("interior-point", InteriorPoint),
        ("newton", Newton),
        ("projection", Projection),
        ("voronoi", Voronoi),
        ("brute-force", BruteForce),
    ];
    for (word, method) in methods {
        let scenario = read("full.toml", &[&format!("contact.closest_point={word}")]).unwrap();
        let contact = &scenario.contact;
        assert_eq!(contact.detector.engine.node_face.method, method);
        assert_eq!(&scenario.source[contact.closest_point_span.clone()], format!("\"{word}\""));
    }
    let starts =
        [("nearest", StartFrom::Nearest), ("centre", StartFrom::Centre), ("previous", StartFrom::Previous)];
    for (word, start) in starts {
        let scenario = read("full.toml", &[&format!("contact.start={word}")]).unwrap();
        assert_eq!(scenario.contact.detector.engine.node_face.start, start);
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
    let engine = &contact.detector.engine;
    assert_eq!(engine.builder, Builder::BottomUp);
    assert_eq!(engine.ladder, [VolumeKind::Sphere, VolumeKind::Dop18, VolumeKind::Dop26]);
    assert_eq!((engine.node_face.method, engine.node_face.start), (Method::Sqp, StartFrom::Centre));
    assert_eq!((contact.laws.penalty, contact.laws.damping), (1.0, 0.1));
    assert!(contact.edges == EdgeSelection::All && contact.resolve_impact);
    assert_eq!(
        contact.excluded,
        [[0, 2], [2, 3]].map(SurfacePair::whole),
        "walls come after the three bodies"
    );
    assert_eq!(contact.initial_penetration, InitialPenetration::Error);
    let output = &scenario.output;
    assert_eq!(output.directory, Path::new("results"));
    assert_eq!(output.frames, FrameSchedule::Times(vec![0.5, 1.0, 2.0]));
    assert_eq!((output.contact_interval, output.history_interval), (Some(1e-4), 0.0));
    assert!(output.exact);
    assert_eq!(output.fields, [Field::Displacement, Field::Acceleration]);
}

#[test]
fn missing_keys_have_their_defaults() {
    let scenario = read("minimal.toml", &[]).unwrap();
    assert_eq!((scenario.title.as_str(), scenario.gravity), ("minimal", Vec3::zeros()));
    let time = &scenario.time;
    assert_eq!((time.step, time.safety, time.flight_step), (StepSize::Auto, 0.8, 0.01));
    assert_eq!(time.energy_tolerance, 0.05);
    let body = &scenario.bodies[0];
    assert!(body.region.is_empty() && body.rotate.is_none());
    assert_eq!((body.scale, &body.contact, body.rigid), (1.0, &ContactSurface::Skin, RigidMass::Volume));
    let contact = &scenario.contact;
    let engine = &contact.detector.engine;
    assert_eq!((contact.detection, engine.builder), (DetectionMethod::Hierarchy, Builder::Fast));
    assert_eq!(engine.ladder.len(), 4);
    assert_eq!((contact.laws.penalty, contact.laws.damping), (0.5, 0.0));
    assert!(contact.edges == EdgeSelection::Feature && !contact.resolve_impact);
    assert_eq!(body.contact_thickness, 0.0);
    let output = &scenario.output;
    assert_eq!(
        (output.directory.as_path(), &output.frames),
        (Path::new("out/minimal"), &FrameSchedule::Count(60))
    );
    assert_eq!((output.history_interval, output.contact_interval), (2e-3, None));
    assert!(!output.exact);
    assert_eq!(output.fields.len(), 9);
    assert!(!output.fields.contains(&Field::Acceleration));
    assert!(scenario.warnings.is_empty());
}

#[test]
fn detection_volumes_need_hierarchies() {
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
fn options_of_hierarchies_need_hierarchies() {
    let engine = read("minimal.toml", &[]).unwrap().contact.detector.engine;
    let options = (engine.volume, engine.fit, engine.kinematics);
    assert_eq!(options, (HierarchyVolume::Sphere, LeafFit::MinimumBall, Kinematics::Exact));
    assert_eq!(engine.ladder_use, LadderUse::WhilePaying);
    let set = [
        "contact.hierarchy=insertion",
        "contact.hierarchy_volume=aabb",
        "contact.sphere_fit=ritter",
        "contact.kinematics=from-steps",
        "contact.volumes=['obb']",
    ];
    let engine = read("minimal.toml", &set).unwrap().contact.detector.engine;
    let options = (engine.builder, engine.volume, engine.fit, engine.kinematics);
    let expected = (Builder::Insertion, HierarchyVolume::Box, LeafFit::Ritter, Kinematics::FromSteps);
    assert_eq!(options, expected);
    assert_eq!(engine.ladder_use, LadderUse::Always);
    assert_problem(
        "hierarchy = \"bottom-up\"",
        "kinematics = \"from-steps\"",
        "`contact.kinematics` is given, but `contact.detection` is not `hierarchy`",
        "use contact.detection = \"hierarchy\", or remove `contact.kinematics`",
        "\"from-steps\"",
    );
    assert_problem(
        "detection = \"all-pairs\"",
        "kinematics = \"from-step\"",
        "`contact.kinematics` cannot be `from-step`",
        "did you mean `from-steps`?",
        "\"from-step\"",
    );
}

#[test]
fn likely_slips_are_warnings() {
    let scenario = read("full.toml", &["boundaries.0.displacement.x=0.5"]).unwrap();
    let facts: Vec<_> = scenario.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        facts,
        [
            "`boundaries.0`: the X displacement starts at 0.5, not at 0 (from `--set`)",
            "no body is made of the material `glass`",
        ]
    );
    assert_eq!(&scenario.file_text[scenario.warnings[1].span.clone().unwrap()], "glass");
    let help = scenario.warnings[0].help.as_deref();
    assert_eq!(help, Some("the nodes jump there in the first step: subtract 0.5 from it"));
    let mended = ["boundaries.0.displacement.x=\"0.5 - 0.5\"", "bodies.buffer.material=glass"];
    let left = read("full.toml", &mended).unwrap().warnings;
    assert!(
        !left
            .iter()
            .any(|warning| warning.message.contains("starts at") || warning.message.contains("glass"))
    );
}

#[test]
fn laws_of_contact_and_those_of_a_pair() {
    let laws = |overrides: &[&str]| read("full.toml", overrides).unwrap().contact;
    let contact = laws(&[
        "contact.response=energy-momentum",
        "contact.damping=0",
        "contact.penalty=30",
        "contact.friction={ static = 0.4, dynamic = 0.3 }",
        "contact.pairs.1.friction=0.1",
        "contact.pairs.1.restitution=0.25",
    ]);
    let all = contact.laws;
    assert_eq!(contact.response.method, ResponseMethod::EnergyMomentum);
    assert_eq!((all.penalty, all.restitution), (30.0, 1.0));
    assert_eq!(all.friction, FrictionLaw { at_rest: 0.4, in_motion: 0.3, decay: f64::INFINITY });
    let constant = FrictionLaw { at_rest: 0.1, in_motion: 0.1, decay: f64::INFINITY };
    assert_eq!(
        contact.own_laws,
        [(SurfacePair::whole([0, 1]), ContactLaws { friction: constant, restitution: 0.25, ..all })]
    );
    let contact = laws(&[
        "contact.response=decomposition",
        "contact.penalty=0.5",
        "contact.damping=0",
        "contact.every=5",
    ]);
    assert_eq!((contact.laws.restitution, contact.response.options.every), (0.0, 5));
    assert!(contact.own_laws.is_empty());
    let contact =
        laws(&["contact.stiffness=1e6", "contact.friction.static=0.3", "contact.friction.dynamic=0.2"]);
    assert_eq!(contact.response.stiffness, StiffnessRule::Given(1e6));
    assert_eq!(contact.laws.friction.in_motion, 0.2);
}

/// Pairs of groups stand before the pair of their bodies. Laws missing in a pair of groups are those of the pair of
/// bodies.
#[test]
fn pairs_of_groups() {
    let groups = |groups: &str, keys: &str| {
        let pair = format!(
            "[[contact.pairs]]\nbetween = [\"bar\", \"wall\"]\ngroups = {groups}\n{keys}\n\n[output]"
        );
        text("full.toml").replace("[output]", &pair)
    };
    let parse =
        |text: &str| Scenario::parse(text, &data("full.toml"), &["contact.pairs.1.friction=0.5".into()]);
    let contact = parse(&groups("[\"end\", \"all\"]", "damping = 0.3")).unwrap().contact;
    let [(part, laws), (whole, of_bodies)] = contact.own_laws.as_slice() else {
        panic!("{:?}", contact.own_laws)
    };
    assert_eq!(*whole, SurfacePair::whole([0, 1]));
    assert_eq!((part.bodies, &part.groups[1]), ([0, 1], &None));
    assert_eq!(part.groups[0].as_ref().unwrap().value, "end");
    assert_eq!((laws.damping, laws.friction.at_rest), (0.3, 0.5));
    assert_eq!((of_bodies.damping, of_bodies.friction.at_rest), (0.1, 0.5));
    let turned = groups("[\"all\", \"end\"]", "contact = false")
        .replace("\"bar\", \"wall\"]\ngroups", "\"wall\", \"bar\"]\ngroups");
    let apart = parse(&turned).unwrap().contact.excluded;
    let [part] = apart.iter().filter(|pair| !pair.is_whole()).collect::<Vec<_>>()[..] else {
        panic!("{apart:?}")
    };
    assert_eq!(part.groups[0].as_ref().unwrap().value, "end", "the groups go with their bodies");
    for (key, keys, fact) in [
        ("[\"all\", \"all\"]", "friction = 0.1", "`contact.pairs.3` repeats a pair above"),
        ("[\"end\", \"all\"]", "tied = true", "`contact.pairs.3` ties groups of bodies"),
        ("[\"end\"]", "", "`contact.pairs.3.groups` is a list of 1, not a list of 2"),
    ] {
        let error = parse(&groups(key, keys)).unwrap_err().to_string();
        assert!(error.contains(fact), "{error}");
    }
}
