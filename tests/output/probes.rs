//! Samples of probes, compared with closed forms, and the tables of a run.

use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ictus::io::measurements::Columns;
use ictus::io::summary::ProbeSummary;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::{Recorder, Simulation};

use super::meshes::block;

/// Runs a scenario with the mesh `block.msh` of `cells` cubes of edge `size` \[m\]; writes its tables to the folder.
fn run(folder: &Path, cells: [usize; 3], size: f64, text: &str) -> Vec<ProbeSummary> {
    std::fs::write(folder.join("block.msh"), block(cells, size)).unwrap();
    let scenario = Scenario::parse(text, &folder.join("probe.toml"), &[]).unwrap();
    let mut simulation = Simulation::new(&scenario).unwrap();
    let mut recorder = Recorder::create(&scenario, folder, &simulation).unwrap();
    simulation.run(&mut recorder, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    recorder.probe_summaries().to_vec()
}

/// Times and values of the samples of a vector in a table.
fn vectors(table: &Columns, name: &str) -> Vec<(f64, Vec3)> {
    let column = |axis: &str| table.column(&format!("{name}_{axis}")).unwrap();
    let [x, y, z] = ["x", "y", "z"].map(column);
    let time = table.column("time").unwrap();
    let row = |k: usize| Some((time[k]?, Vec3::new(x[k]?, y[k]?, z[k]?)));
    (0..time.len()).filter_map(row).collect()
}

fn scalars(table: &Columns, name: &str) -> Vec<(f64, f64)> {
    let values = table.column(name).unwrap();
    let time = table.column("time").unwrap();
    time.iter().zip(values).filter_map(|(time, value)| Some(((*time)?, (*value)?))).collect()
}

fn assert_near(found: &[(f64, Vec3)], wanted: impl Fn(f64) -> Vec3, tolerance: f64, what: &str) {
    assert!(found.len() > 10, "{what} has {} samples", found.len());
    for &(time, found) in found {
        let off = (found - wanted(time)).norm();
        assert!(off < tolerance, "{what} at {time}: {found:?}, off by {off:e}");
    }
}

/// A block of 2 × 2 × 2 cubes of 0.5 m with the centre (0.5, 0.5, 0.5) spins about z at 3 rad/s in free flight. The
/// block is rigid, or deformable and free of stress.
fn spinning(material: &str) -> String {
    format!(
        "[time]\nend = 1.0\nflight_step = 0.03\n[materials.m]\n{material}\ndensity = 1000.0\n\
         [[bodies]]\nname = \"b\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = [1, 2, 3]\nangular_velocity = [0, 0, 3]\n\
         gravity = [0, 0, -10]\n\
         [[probes]]\nname = \"p\"\nbody = \"b\"\npoint = [0.9, 0.3, 0.7]\n\
         quantities = [\"position\", \"displacement\", \"velocity\", \"acceleration\"]\n\
         [[probes]]\nname = \"turning\"\nbody = \"b\"\npoint = [0.9, 0.3, 0.7]\nframe = \"body\"\n\
         quantities = [\"position\", \"acceleration\"]\n\
         [[probes]]\nname = \"node\"\nbody = \"b\"\nnearest_node = [0.9, 0.1, 1.0]\nquantities = [\"position\"]\n\
         [[probes]]\nname = \"side\"\nbody = \"b\"\ngroup = \"right\"\nquantities = [\"position\"]\n\
         [[probes]]\nname = \"centre\"\nbody = \"b\"\nquantities = [\"position\", \"velocity\"]\n\
         [output]\nhistory = {{ interval = 0.03 }}\nframes = 1\n"
    )
}

/// Reference: x = c + v t + g t²/2 + R(ω t) r and its time derivatives, with r the position relative to the centre c.
/// Free flight is integrated in closed form. Tolerance: 1e-9 m, rounding for coordinates of a few metres.
#[test]
fn points_of_a_spinning_body_move_as_they_should() {
    for material in ["model = \"rigid\"", "model = \"neo-hookean\"\nyoung = 1e7\npoisson = 0.3"] {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), [2, 2, 2], 0.5, &spinning(material));
        let table = Columns::read(&folder.path().join("probes.csv")).unwrap();
        let (spin, fall) = (3.0, Vec3::new(0.0, 0.0, -10.0));
        let turn = |t: f64, r: Vec3| {
            let (s, c) = (spin * t).sin_cos();
            Vec3::new(c * r.x - s * r.y, s * r.x + c * r.y, r.z)
        };
        let centre = |t: f64| Vec3::repeat(0.5) + Vec3::new(1.0, 2.0, 3.0) * t + fall * (0.5 * t * t);
        let speed = |t: f64| Vec3::new(1.0, 2.0, 3.0) + fall * t;
        let arm = Vec3::new(0.4, -0.2, 0.2);
        let axis = Vec3::z() * spin;
        let near = |name: &str, wanted: &dyn Fn(f64) -> Vec3| {
            assert_near(&vectors(&table, name), wanted, 1e-9, &format!("{material}: {name}"));
        };
        near("p.position", &|t| centre(t) + turn(t, arm));
        near("p.displacement", &|t| centre(t) + turn(t, arm) - Vec3::new(0.9, 0.3, 0.7));
        near("p.velocity", &|t| speed(t) + axis.cross(&turn(t, arm)));
        near("p.acceleration", &|t| fall + axis.cross(&axis.cross(&turn(t, arm))));
        near("turning.position", &|_| arm);
        near("turning.acceleration", &|_| fall + axis.cross(&axis.cross(&arm)));
        near("node.position", &|t| centre(t) + turn(t, Vec3::new(0.5, -0.5, 0.5)));
        near("side.position", &|t| centre(t) + turn(t, Vec3::new(0.5, 0.0, 0.0)));
        near("centre.position", &centre);
        near("centre.velocity", &speed);
    }
}

/// A boundary rotates a rigid body with increasing angular speed. Reference: the acceleration of a point is α × r + ω ×
/// (ω × r); in body axes both terms have a constant direction. Tolerance: 1e-9 of 20 m/s², the size of the
/// accelerations.
#[test]
fn points_of_a_driven_body_have_its_accelerations() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[time]\nend = 1.0\nstep = 1e-3\n[materials.m]\nmodel = \"rigid\"\ndensity = 1.0\n\
        [[bodies]]\nname = \"b\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
        [[boundaries]]\nbody = \"b\"\nrotation = { axis = [0, 0, 1], point = [0, 0, 0], speed = \"4*t\" }\n\
        [[probes]]\nname = \"p\"\nbody = \"b\"\npoint = [2, 0, 0]\nframe = \"body\"\nquantities = [\"acceleration\"]\n\
        [output]\nframes = 1\nhistory = { interval = 0.01 }\n";
    run(folder.path(), [1, 1, 1], 1.0, text);
    let table = Columns::read(&folder.path().join("probes.csv")).unwrap();
    let wanted = |t: f64| Vec3::new(-2.0 * (4.0 * t).powi(2), 8.0, 0.0);
    assert_near(&vectors(&table, "p.acceleration"), wanted, 2e-8, "acceleration");
    let bodies = Columns::read(&folder.path().join("bodies.csv")).unwrap();
    assert_near(&vectors(&bodies, "b.angular_velocity"), |t| Vec3::z() * 4.0 * t, 1e-9, "spin");
    assert_near(&vectors(&bodies, "b.rotation"), |t| Vec3::z() * 2.0 * t * t, 1e-9, "rotation");
}

/// A bar of 100 elements without lateral contraction strikes a rigid wall. Reference: one-dimensional wave theory. The
/// wave passes the middle of the bar at L/(2c) and returns there from the free end at 3L/(2c). In between, the middle
/// is at rest, with the stress −ρ c v and the strain −v/c. Tolerance: 2 % for the mean over the middle half of this
/// interval, because the oscillations of the mesh average out.
#[test]
fn a_wave_in_a_bar_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (speed, density, young) = (1.0, 1000.0, 1e9_f64);
    let (length, wave) = (1.0, (young / density).sqrt());
    let end = 1.5 * length / wave;
    let text = format!(
        "[time]\nend = {end}\n[materials.m]\nmodel = \"linear-elastic\"\ndensity = {density}\nyoung = {young}\npoisson = 0.0\n\
         [[bodies]]\nname = \"bar\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = [{}, 0, 0]\n\
         [[walls]]\nname = \"wall\"\npoint = [0, 0, 0]\nnormal = [1, 0, 0]\n\
         [[probes]]\nname = \"inside\"\nbody = \"bar\"\npoint = [0.503, 0.004, 0.007]\n\
         quantities = [\"velocity\", \"stress\", \"strain\"]\ninterval = 0\n\
         [[probes]]\nname = \"node\"\nbody = \"bar\"\nnearest_node = [0.5, 0, 0]\nquantities = [\"velocity\", \"stress\", \"strain\"]\n\
         interval = 0\n[output]\nframes = 1\n",
        -speed
    );
    run(folder.path(), [100, 1, 1], 0.01, &text);
    let table = Columns::read(&folder.path().join("probes.csv")).unwrap();
    let mean = |name: &str, [from, to]: [f64; 2]| {
        let samples = scalars(&table, name).into_iter().map(|(t, value)| (t * wave / length, value));
        let inside: Vec<f64> =
            samples.filter(|(t, _)| (from..to).contains(t)).map(|sample| sample.1).collect();
        assert!(inside.len() > 40, "{name} has {} samples", inside.len());
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    for probe in ["inside", "node"] {
        for (name, size) in
            [("velocity_x", speed), ("stress_xx", density * wave * speed), ("strain_xx", speed / wave)]
        {
            let wanted = if name == "velocity_x" { [-size, 0.0] } else { [0.0, -size] };
            for (span, wanted) in [[0.0, 0.4], [0.75, 1.25]].into_iter().zip(wanted) {
                let found = mean(&format!("{probe}.{name}"), span);
                assert!(
                    (found - wanted).abs() < 0.02 * size,
                    "{probe}.{name}: {found} for {wanted} in {span:?}"
                );
            }
        }
    }
    // The reference for the reaction of the wall is the stress times the cross-section.
    let supports = Columns::read(&folder.path().join("supports.csv")).unwrap();
    let reactions = scalars(&supports, "wall.reaction_x");
    let late: Vec<f64> =
        reactions.iter().filter(|(t, _)| (0.25..1.25).contains(&(t * wave))).map(|sample| sample.1).collect();
    let force = late.iter().sum::<f64>() / late.len() as f64;
    let wanted = density * wave * speed * 1e-4;
    assert!((force - wanted).abs() < 0.02 * wanted, "{force} for {wanted}");
}

/// A head is accelerated with a half sine of 100 g over 10 ms. Reference: the head injury criterion of a half sine (see
/// `signals`) and the peak, 100 g. Tolerance of the unfiltered values: 1e-4, for steps of 10 µs. Tolerance of the
/// filtered values: 1 %, because CFC 1000 attenuates a pulse of 50 Hz by less than 1 %. The units of the scenario are
/// mm, ms and kg. In these units, 1 g is 0.00980665.
#[test]
fn an_injury_is_told() {
    let text = "[time]\nend = 30.0\nstep = 0.01\n[materials.m]\nmodel = \"rigid\"\ndensity = 1e-6\n\
        [[bodies]]\nname = \"head\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
        [[boundaries]]\nbody = \"head\"\nfix = [\"y\", \"z\"]\n\
        acceleration = { x = \"0.980665*sin(pi*(t - 10)/10)*(t > 10)*(t < 20)\" }\n\
        [[probes]]\nname = \"raw\"\nbody = \"head\"\nquantities = [\"acceleration\"]\ninterval = 0.01\n\
        injury = [\"peak\", \"hic15\", \"hic36\"]\ng = 0.00980665\nsecond = 1000.0\n\
        [[probes]]\nname = \"filtered\"\nbody = \"head\"\nquantities = [\"acceleration\"]\ninterval = 0.05\n\
        filter = \"CFC 1000\"\ninjury = [\"peak\", \"hic15\"]\ng = 0.00980665\nsecond = 1000.0\n[output]\nframes = 1\n";
    let folder = tempfile::tempdir().unwrap();
    let summaries = run(folder.path(), [1, 1, 1], 100.0, text);
    let [raw, filtered] = summaries.as_slice() else { panic!("{summaries:?}") };
    let (mut low, mut high) = (0.5_f64, 1.5_f64);
    for _ in 0..80 {
        let u = 0.5 * (low + high);
        if u / u.tan() > 0.6 { low = u } else { high = u }
    }
    let (length, wide) = (0.01, 2.0 * 0.01 * low / PI);
    let area = 200.0 * length / PI * low.sin();
    let wanted = area.powf(2.5) * wide.powf(-1.5);
    let (peak, hic15, hic36) = (raw.peak.unwrap(), raw.hic15.unwrap(), raw.hic36.unwrap());
    assert!((peak.value - 100.0).abs() < 1e-2 && (peak.time - 15.0).abs() < 0.02, "{peak:?}");
    for hic in [hic15, hic36] {
        assert!((hic.value / wanted - 1.0).abs() < 1e-4, "{hic:?} for {wanted}");
        assert!((hic.end - hic.start - 1e3 * wide).abs() < 0.1, "{hic:?} for {wide}");
    }
    let (peak, hic15) = (filtered.peak.unwrap(), filtered.hic15.unwrap());
    assert!((peak.value - 100.0).abs() < 1.0 && (hic15.value / wanted - 1.0).abs() < 0.01, "{filtered:?}");
    assert_eq!((filtered.filter.as_deref(), raw.hic36.is_some()), (Some("CFC 1000"), true));
    assert!(raw.warnings.is_empty() && filtered.warnings.is_empty(), "{summaries:?}");

    let table = Columns::read(&folder.path().join("probes.csv")).unwrap();
    let names = ["x", "y", "z"].map(|axis| format!("filtered.acceleration_{axis}_cfc1000"));
    assert_eq!(table.names[7..], names);
    // The first probe is sampled in all rows, the second probe and its filtered signal in every fifth row.
    let count = |name: &str| table.column(name).unwrap().iter().flatten().count();
    assert_eq!(["time", "raw.acceleration_x"].map(count), [3001; 2]);
    assert_eq!(["filtered.acceleration_x", names[0].as_str()].map(count), [601; 2]);
}

/// A sampling rate that is too low for a filter gives a warning. A run without probes removes the table of an earlier
/// run.
#[test]
fn poor_samples_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = |probes: &str| {
        format!(
            "[time]\nend = 1.0\nflight_step = 0.01\n[materials.m]\nmodel = \"rigid\"\ndensity = 1.0\n[[bodies]]\nname = \"b\"\n\
             mesh = \"block.msh\"\nmaterial = \"m\"\nangular_velocity = [0, 0, {TAU}]\n{probes}[output]\nframes = 1\n"
        )
    };
    let probe =
        "[[probes]]\nname = \"p\"\nbody = \"b\"\npoint = [3, 0, 0]\ninterval = 1e-3\nfilter = \"CFC 60\"\n";
    let summaries = run(folder.path(), [1, 1, 1], 1.0, &text(probe));
    let [ProbeSummary { samples: 101, filter: None, warnings, .. }] = summaries.as_slice() else {
        panic!("{summaries:?}")
    };
    assert!(warnings.last().unwrap().ends_with("are not filtered"), "{warnings:?}");
    assert!(
        warnings[0].starts_with("it has 100.000000 samples a second and its filter is for 600"),
        "{warnings:?}"
    );
    assert!(folder.path().join("probes.csv").exists());
    run(folder.path(), [1, 1, 1], 1.0, &text(""));
    assert!(!folder.path().join("probes.csv").exists());
}

/// A peak of a filtered signal at its end gives a warning. The filter leaves this peak nearly unchanged. Reference: the
/// acceleration a(t) = t at the end, 0.1 m/s². Tolerance of the filtered value: 1e-3 of the reference. The filter
/// extends the signal by 10 ms, a few times the decay time of CFC 60, √2/(2π 125 Hz) = 1.8 ms. The remaining error is
/// e^(-10/1.8) = 4e-3 of the change of a over these 10 ms, 4e-4 of the reference.
#[test]
fn a_peak_at_the_end_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = |filter: &str| {
        format!(
            "[time]\nend = 0.1\nstep = 1e-4\n[materials.m]\nmodel = \"rigid\"\ndensity = 1.0\n[[bodies]]\nname = \"b\"\n\
             mesh = \"block.msh\"\nmaterial = \"m\"\n[[boundaries]]\nbody = \"b\"\nacceleration = {{ x = \"t\" }}\n\
             [[probes]]\nname = \"p\"\nbody = \"b\"\ninterval = 0\ninjury = \"peak\"\ng = 1.0\n{filter}\
             [output]\nframes = 1\n"
        )
    };
    let [filtered, raw] =
        ["filter = \"CFC 60\"\n", ""].map(|filter| run(folder.path(), [1, 1, 1], 1.0, &text(filter)));
    for (summary, tolerance) in [(&filtered[0], 1e-4), (&raw[0], 1e-10)] {
        let peak = summary.peak.unwrap();
        assert!((peak.value - 0.1).abs() < tolerance && peak.time == 0.1, "{peak:?}");
    }
    assert!(filtered[0].warnings[0].starts_with("its peak is at an end of the run"), "{filtered:?}");
    assert!(raw[0].warnings.is_empty(), "{raw:?}");
}

/// A block flies, strikes a wall and deforms; `steps.csv` contains what limits each step, and the penetration.
#[test]
fn steps_say_what_limits_them() {
    let folder = tempfile::tempdir().unwrap();
    // With this safety factor, contact instead of the elements limits some of the steps.
    let text = "[time]\nend = 2e-2\nflight_step = 1e-2\nsafety = 0.98\n[materials.m]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
        [[bodies]]\nname = \"b\"\nmesh = \"block.msh\"\nmaterial = \"m\"\ntranslate = [0, 0, 0.01]\nvelocity = [0, 0, -1]\n\
        [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n[output]\nframes = 1\n";
    run(folder.path(), [2, 2, 2], 0.05, text);
    let mut reader = csv::Reader::from_path(folder.path().join("steps.csv")).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header.join(","), "time,step,dt,critical_step,limited_by,body,element,largest_penetration");
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let limits: Vec<&str> = rows.iter().map(|row| &row[4]).collect();
    assert_eq!((limits[0], limits[1]), ("", "flight"));
    for limit in ["contact", "elements"] {
        assert!(limits.contains(&limit), "no step is limited by {limit}");
    }
    let last = &rows[rows.len() - 2];
    assert_eq!(&last[5], "b");
    assert!((1..=8).contains(&last[6].parse::<u32>().unwrap()), "{last:?}");
    let deepest = rows.iter().map(|row| row[7].parse::<f64>().unwrap()).fold(0.0, f64::max);
    assert!(deepest > 0.0 && deepest < 0.01, "{deepest}");
}
