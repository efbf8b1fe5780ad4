//! Files of the bounding spheres of contact detection. For each body pair, they contain the two spheres at the top of
//! the queue, predicted to touch first, and the levels of the hierarchies. A ball is the drawn surface of a bounding
//! sphere.

use std::path::Path;

use ictus::contact::detection::QueuedPair;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;
use vtkio::model::{Attribute, DataSet, Piece, UnstructuredGridPiece};

use super::Folder;
use super::runs::listed;

/// Cells of a ball.
const FACES: usize = 80;

pub fn read(path: &Path) -> UnstructuredGridPiece {
    let DataSet::UnstructuredGrid { pieces, .. } = vtkio::Vtk::import(path).unwrap().data else {
        panic!("not an unstructured grid")
    };
    match pieces.into_iter().next() {
        Some(Piece::Inline(piece)) => *piece,
        _ => panic!("not an inline piece"),
    }
}

pub fn values(attributes: &[Attribute], name: &str) -> Vec<f64> {
    let found = attributes.iter().find_map(|attribute| match attribute {
        Attribute::DataArray(array) if array.name == name => array.data.clone().cast_into(),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no field `{name}`"))
}

pub fn vectors(components: &[f64]) -> Vec<Vec3> {
    components.chunks(3).map(Vec3::from_column_slice).collect()
}

/// Values of a field by ball; all cells of a ball must have the same value.
fn of_balls(piece: &UnstructuredGridPiece, name: &str) -> Vec<f64> {
    let values = values(&piece.data.cell, name);
    assert_eq!(values.len() % FACES, 0);
    assert!(values.chunks(FACES).all(|ball| ball.iter().all(|value| value == &ball[0])), "{name}");
    values.iter().step_by(FACES).copied().collect()
}

/// Centres and radii of the balls of a frame. All points of the frame must lie on the balls.
fn balls(piece: &UnstructuredGridPiece) -> Vec<(Vec3, f64)> {
    let centres = vectors(&values(&piece.data.cell, "centre"));
    let balls: Vec<_> = centres.into_iter().step_by(FACES).zip(of_balls(piece, "radius")).collect();
    let points = vectors(&piece.points.clone().into_vec::<f64>().unwrap());
    assert_eq!(points.len(), 162 * balls.len());
    for (ball, points) in balls.iter().zip(points.chunks(162)) {
        let off = |point: &Vec3| ((point - ball.0).norm() - ball.1).abs();
        assert!(points.iter().all(|point| off(point) < 1e-12 * (1.0 + ball.1)));
    }
    balls
}

/// The values in the file equal those of the engine exactly.
fn assert_balls_are(piece: &UnstructuredGridPiece, pairs: &[QueuedPair]) {
    let expected: Vec<_> =
        pairs.iter().flat_map(|pair| pair.spheres).map(|sphere| (sphere.centre, sphere.radius)).collect();
    assert_eq!(balls(piece), expected);
    let assert_field = |name: &str, of: fn(&QueuedPair, usize) -> f64| {
        let expected: Vec<f64> = pairs.iter().flat_map(|pair| [of(pair, 0), of(pair, 1)]).collect();
        assert_eq!(of_balls(piece, name), expected, "{name}");
    };
    assert_field("body", |pair, k| f64::from(pair.bodies[k]));
    assert_field("other_body", |pair, k| f64::from(pair.bodies[1 - k]));
    assert_field("depth", |pair, k| f64::from(pair.depth[k]));
    assert_field("faces", |pair, k| f64::from(pair.num_faces[k]));
    assert_field("predicted_time", |pair, _| pair.time);
}

/// Distances of the nodes of each body from the centre of its ball.
fn reaches(frame: &UnstructuredGridPiece, balls: &[(Vec3, f64)], left_nodes: usize) -> [Vec<f64>; 2] {
    let points = vectors(&frame.points.clone().into_vec::<f64>().unwrap());
    let (left, right) = points.split_at(left_nodes);
    let from = |nodes: &[Vec3], centre: Vec3| nodes.iter().map(|node| (node - centre).norm()).collect();
    [from(left, balls[0].0), from(right, balls[1].0)]
}

const WITH_VOLUMES: [&str; 2] = ["--set", "output.detection_volumes=true"];

/// A run writes frames in flight, at the first contact, and after the first contact. The balls in the frames are those
/// of the engine of the same simulation at these instants. Each ball encloses the nodes of its faces. In flight, the
/// two balls of a pair meet at the predicted time.
#[test]
fn the_volumes_of_a_run_are_those_at_the_top_of_the_queue() {
    const SPEED: f64 = 20.0; // m/s, along x; the blocks are 0.2001 m apart
    const SCHEDULED: [f64; 3] = [1e-3, 8e-3, 0.0101];
    let folder = Folder::with_impact();
    let overrides = [
        "output.detection_volumes=true".to_owned(),
        format!("output.times={SCHEDULED:?}"),
        "contact.hierarchy=bottom-up".to_owned(),
        "time.end=0.0101".to_owned(),
        "time.flight_step=1e-3".to_owned(),
        "bodies.left.translate=[-0.2601, 0.001, 0.002]".to_owned(),
    ];
    let set: Vec<&str> = overrides.iter().flat_map(|text| ["--set", text]).collect();
    folder.run(&[&["run", "impact.toml", "-q"], &set[..]].concat()).succeeds();
    let (bodies, volumes) = (listed(&folder, "impact"), listed(&folder, "impact_volumes"));
    let times = |series: &[(f64, String)]| series.iter().map(|(time, _)| *time).collect::<Vec<_>>();
    assert_eq!(times(&volumes), times(&bodies));
    assert_eq!(volumes.len(), 5);
    let contact = volumes[3].0;
    assert!((contact - 0.2001 / SPEED).abs() < 1e-9, "{contact}");

    let scenario = Scenario::read(&folder.path("impact.toml"), &overrides).unwrap();
    let mut simulation = Simulation::new(&scenario).unwrap();
    let mut apart = 0;
    for ((time, file), (_, body_file)) in volumes.iter().zip(&bodies) {
        while simulation.progress().time < *time {
            let now = simulation.progress().time;
            let next = SCHEDULED.into_iter().find(|scheduled| *scheduled > now);
            simulation.advance(next.unwrap()).unwrap();
        }
        assert_eq!(simulation.progress().time, *time);
        let piece = read(&folder.path("out").join(file));
        let pairs = simulation.top_of_queue();
        assert_balls_are(&piece, &pairs);
        let [pair] = pairs.as_slice() else { panic!("{} pairs", pairs.len()) };
        assert_eq!(pair.bodies, [0, 1]);
        let balls = balls(&piece);
        let reaches = reaches(&read(&folder.path("out").join(body_file)), &balls, 343);
        for k in 0..2 {
            // Faces of blocks are quadrilaterals, and n quadrilaterals have more than n nodes.
            let inside = reaches[k].iter().filter(|&&reach| reach <= balls[k].1).count();
            let faces = pair.num_faces[k] as usize;
            assert!(inside > faces, "{inside} nodes of {faces} faces at t = {time}");
        }
        let gap = |offset: Vec3| offset.norm() - balls[0].1 - balls[1].1;
        let offset = balls[1].0 - balls[0].0;
        if *time > 0.0 && *time < contact && gap(offset) > 0.0 {
            let gap_then = gap(offset - Vec3::x() * (SPEED * (pair.time - time)));
            assert!(pair.time > *time && gap_then.abs() < 1e-12, "{gap_then} m apart at the time predicted");
            apart += 1;
        }
        if *time > 0.0 && *time <= contact {
            // The last prediction that the engine recorded is the time of this pair.
            let statistics = simulation.detection();
            let noted = statistics.predictions.last().unwrap();
            assert_eq!((noted.time, noted.depth), (pair.time, pair.depth), "t = {time}");
        }
        if *time > contact {
            // In contact the pair has one face on each side.
            assert_eq!(pair.num_faces, [1, 1]);
        }
        // The engine processes all pairs up to the end of a step, and has done nothing before the first step.
        assert!(pair.time > *time || *time == 0.0);
    }
    assert!(apart >= 2, "of {apart} frames only the spheres are apart");
}

/// The sphere of a flying and rotating body moves with the body: the distances of the nodes of the body from the centre
/// of the sphere are constant.
#[test]
fn the_volumes_of_a_body_turn_with_it() {
    let folder = Folder::with_impact();
    let overrides = [
        "bodies.left.translate=[-1.0, 0.001, 0.002]",
        "bodies.left.angular_velocity=[0.0, 40.0, 30.0]",
        "contact.hierarchy=bottom-up", // root spheres that are not centred on the bodies
        "time.end=0.045",              // 2 ms before contact
        "time.flight_step=1e-3",
        "output.times=[0.01, 0.02, 0.03]",
    ];
    let set: Vec<&str> = overrides.iter().flat_map(|text| ["--set", text]).collect();
    folder.run(&[&["run", "impact.toml", "-q"], &set[..], &WITH_VOLUMES].concat()).succeeds();
    let reaches_of = |frame: usize| {
        let volumes = read(&folder.path(&format!("out/frames/impact_volumes_{frame:06}.vtu")));
        assert_eq!(of_balls(&volumes, "depth"), [0.0, 0.0], "frame {frame}");
        reaches(&read(&folder.path(&format!("out/frames/impact_{frame:06}.vtu"))), &balls(&volumes), 343)
    };
    let before = reaches_of(0);
    for frame in 1..4 {
        for (reach, expected) in reaches_of(frame).iter().flatten().zip(before.iter().flatten()) {
            assert!((reach - expected).abs() < 1e-12, "{reach} m, not {expected} m in frame {frame}");
        }
    }
}

/// Before the first step the pair at the top of the queue consists of the two root spheres. Each root sphere encloses
/// its whole body.
#[test]
fn a_run_begins_with_the_roots() {
    let folder = Folder::with_impact();
    let set = ["--set", "time.end=1e-6"];
    folder.run(&[&["run", "impact.toml", "-q"], &set[..], &WITH_VOLUMES].concat()).succeeds();
    let piece = read(&folder.path("out/frames/impact_volumes_000000.vtu"));
    assert_eq!((of_balls(&piece, "body"), of_balls(&piece, "other_body")), (vec![0.0, 1.0], vec![1.0, 0.0]));
    assert_eq!((of_balls(&piece, "depth"), of_balls(&piece, "predicted_time")), (vec![0.0; 2], vec![0.0; 2]));
    assert_eq!(of_balls(&piece, "faces"), [216.0, 214.0]);
    let balls = balls(&piece);
    let reaches = reaches(&read(&folder.path("out/frames/impact_000000.vtu")), &balls, 343);
    for (reaches, (_, radius)) in reaches.iter().zip(balls) {
        assert!(reaches.iter().all(|reach| *reach <= radius));
    }
}

/// Pairs of bodies are in ascending order, without the pairs that are excluded from contact.
#[test]
fn every_pair_of_bodies_has_its_two_volumes() {
    let folder = Folder::with_impact();
    let third = "\n[[bodies]]\nname = \"third\"\nmesh = \"left.msh\"\nmaterial = \"plastic\"\n\
                 translate = [0.0, 0.0, 0.3]\n\n[[contact.pairs]]\nbetween = [\"third\", \"left\"]\n\
                 contact = false\n";
    folder.write("impact.toml", &(folder.read("impact.toml") + third));
    let set = ["--set", "bodies.third.velocity=[0, 0, -1]", "--set", "time.end=1e-6"];
    folder.run(&[&["run", "impact.toml", "-q"], &set[..], &WITH_VOLUMES].concat()).succeeds();
    let first = read(&folder.path("out/frames/impact_volumes_000000.vtu"));
    assert_eq!(of_balls(&first, "body"), [0.0, 1.0, 1.0, 2.0]);
    assert_eq!(of_balls(&first, "other_body"), [1.0, 0.0, 2.0, 1.0]);
    // The third body does not come near the others before the end, so its pair is dropped.
    let last = read(&folder.path("out/frames/impact_volumes_000004.vtu"));
    assert_eq!(of_balls(&last, "body"), [0.0, 1.0]);
}

/// A run into the directory of another scenario warns once of the frames of that scenario, and does not warn of its own
/// frames.
#[test]
fn frames_of_another_scenario_are_warned_of() {
    let folder = Folder::with_impact();
    folder.write("impact_fast.toml", &folder.read("impact.toml"));
    folder
        .run(&[&["run", "impact_fast.toml", "-q", "--output", "out"][..], &WITH_VOLUMES].concat())
        .succeeds();
    let ran = folder.run(&["run", "impact.toml", "-q", "--output", "out"]);
    let warning = "warning: `out` holds frames of another scenario, impact_fast.pvd\n  help: its tables are replaced, its \
                   frames stay\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), warning));
}

/// Bodies that separate, and pairs excluded from contact, have no volumes. A run without `output.detection_volumes`
/// removes the volumes of an earlier run.
#[test]
fn pairs_that_cannot_meet_have_no_volumes() {
    let folder = Folder::with_impact();
    let away = ["--set", "bodies.left.velocity=[-20, 0, 0]", "--set", "bodies.left.translate=[-1, 0, 0]"];
    let arguments = [&["run", "impact.toml", "-q"][..], &away].concat();
    folder.run(&[&arguments[..], &WITH_VOLUMES].concat()).succeeds();
    let listed = listed(&folder, "impact_volumes");
    assert_eq!(listed.len(), 5);
    let num_points = |file: &str| read(&folder.path("out").join(file)).points.len() / 3;
    assert_eq!(num_points(&listed[0].1), 2 * 162);
    let text = folder.read(&format!("out/{}", listed[4].1));
    assert!(text.contains("NumberOfPoints=\"0\" NumberOfCells=\"0\""), "{text}");
    folder.run(&arguments).succeeds();
    assert!(!folder.path("out/impact_volumes.pvd").exists());
    assert!(folder.path("out/frames/impact_000004.vtu").exists());
    assert!(!folder.path("out/frames/impact_volumes_000004.vtu").exists());
}

/// Each level that `predict` writes, from the roots to the deepest leaves, contains every face of every body exactly
/// once.
#[test]
fn predict_writes_the_levels_of_the_hierarchies() {
    let folder = Folder::with_impact();
    let arguments = ["predict", "impact.toml", "--levels", "3", "--output", "out"];
    let text = folder.run(&arguments).succeeds();
    assert!(text.ends_with("\n4 levels in out/impact_levels.pvd (time is depth)\n"), "{text}");
    let report = folder.run(&[&arguments[..], &["--json", "--levels", "99"]].concat());
    assert_eq!(report.code, Some(2), "an option twice");

    let report = folder.run(&["predict", "impact.toml", "--levels", "99", "-o", "out", "--json"]).json();
    let deepest = |tree: &serde_json::Value| tree["depth"]["max"].as_u64().unwrap();
    let deepest = report["hierarchies"].as_array().unwrap().iter().map(deepest).max().unwrap();
    assert_eq!(report["levels"], serde_json::json!({"count": deepest + 1, "file": "out/impact_levels.pvd"}));
    let levels = listed(&folder, "impact_levels");
    assert_eq!(levels.len() as u64, deepest + 1);
    for (depth, file) in &levels {
        let piece = read(&folder.path("out").join(file));
        let (bodies, faces) = (of_balls(&piece, "body"), of_balls(&piece, "faces"));
        for (body, expected) in [(0.0, 216.0), (1.0, 214.0)] {
            let below = faces.iter().zip(&bodies).filter(|(_, b)| **b == body).map(|(faces, _)| faces);
            assert_eq!(below.sum::<f64>(), expected, "level {depth}");
        }
        let depths = of_balls(&piece, "depth");
        assert!(depths.iter().zip(&faces).all(|(d, faces)| d == depth || d < depth && *faces == 1.0));
        assert_eq!(balls(&piece).len(), depths.len());
    }
    assert_eq!(of_balls(&read(&folder.path("out").join(&levels[0].1)), "depth"), [0.0, 0.0]);
    let report = folder.run(&["predict", "impact.toml", "--json"]).json();
    assert!(report.get("levels").is_none());
}

#[test]
fn volumes_and_levels_need_hierarchies() {
    let folder = Folder::with_impact();
    folder
        .run(&[&["run", "impact.toml", "--set", "contact.detection=buckets"], &WITH_VOLUMES[..]].concat())
        .refuses(&[
            "error: `output.detection_volumes` is true, but `contact.detection` is not `hierarchy` \
             (from `--set`)",
            "  help: use contact.detection = \"hierarchy\", or remove `output.detection_volumes`",
            "",
        ]);
    let predict = ["predict", "impact.toml", "--levels", "2"];
    folder.run(&[&predict[..], &["--set", "contact.detection=all-pairs"]].concat()).refuses(&[
        "error: there are no hierarchies: `contact.detection` is not `hierarchy`",
        "  help: leave out --levels, or add --set contact.detection=hierarchy",
    ]);
    let nothing = ["--set", "bodies.left.contact=false", "--set", "bodies.right.contact=false"];
    folder.run(&[&predict[..], &nothing].concat()).refuses(&[
        "error: there are no hierarchies: no body has faces that can touch",
        "  help: leave out --levels, or let a body touch (`contact` in [[bodies]])",
    ]);
    let ran = folder.run(&["predict", "impact.toml", "--output", "o"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("--levels <DEPTH>"), "{}", ran.stderr);
    assert!(!folder.path("out").exists() && !folder.path("o").exists(), "nothing is written");
}
