//! `[[probes]]`: specification and validation.

use ictus::signal::ChannelClass;

use super::*;

const OUTPUT: &str = "[output]\n";

/// `full.toml` with these probes.
fn with_probes(probes: &str) -> String {
    text("full.toml").replace(OUTPUT, &format!("{probes}\n{OUTPUT}"))
}

/// Asserts that a probe `p` with these lines gives exactly one problem, with this message, help and underlined text.
#[track_caller]
fn assert_bad(lines: &str, message: &str, help: &str, underlined: &str) {
    let probe = format!("[[probes]]\nname = \"p\"\n{lines}\n{OUTPUT}");
    assert_problem(OUTPUT, &probe, message, help, underlined);
}

#[test]
fn probes_are_read_as_written() {
    let source = with_probes(
        "[[probes]]\nname = \"tip\"\nbody = \"bar\"\npoint = [1, 2, 3]\nquantities = [\"stress\", \"velocity\"]\nframe = \"body\"\n\
         interval = 1e-4\nfilter = \"CFC 600\"\n\
         [[probes]]\nname = \"end\"\nbody = \"buffer\"\ngroup = \"end\"\ninjury = \"hic15\"\ng = 9.81\nsecond = 1000\n\
         [[probes]]\nname = \"node\"\nbody = \"wall\"\nnearest_node = [0, 0, 1]\ninjury = [\"peak\", \"hic36\"]\n\
         [[probes]]\nname = \"whole\"\nbody = \"wall\"\n",
    );
    let scenario = Scenario::parse(&source, &data("full.toml"), &[]).unwrap();
    let [tip, end, node, whole] = scenario.probes.as_slice() else { panic!() };
    assert_eq!((tip.name.as_str(), tip.body, tip.frame), ("tip", 0, ProbeFrame::Body));
    assert_eq!(tip.place.value, ProbePlace::Point(Vec3::new(1.0, 2.0, 3.0)));
    assert_eq!(&scenario.source[tip.place.span.clone()], "[1, 2, 3]");
    assert_eq!(tip.quantities, [ProbeQuantity::Stress, ProbeQuantity::Velocity]);
    assert_eq!((tip.interval, tip.filter), (Some(1e-4), Some(ChannelClass::Cfc600)));
    assert_eq!((end.body, &end.place.value), (2, &ProbePlace::Group("end".to_owned())));
    assert_eq!((end.injuries.as_slice(), end.g, end.second), (&[Injury::Hic15][..], 9.81, 1000.0));
    assert_eq!(node.place.value, ProbePlace::NearestNode(Vec3::z()));
    assert_eq!(node.injuries, [Injury::Peak, Injury::Hic36]);
    let default = [ProbeQuantity::Displacement, ProbeQuantity::Velocity, ProbeQuantity::Acceleration];
    assert_eq!((whole.quantities.as_slice(), &whole.place.value), (&default[..], &ProbePlace::Centre));
    assert_eq!((whole.interval, whole.filter, whole.g), (None, None, 9.80665));
    // With an injury criterion or a filter, every step is sampled by default.
    assert_eq!((end.interval, node.interval), (Some(0.0), Some(0.0)));
    assert!(scenario.warnings.iter().all(|warning| warning.message.contains("CFC 600")
        == (warning.key.as_deref() == Some("probes.tip.filter"))));
}

/// Standard gravity is 9.80665 m/s², or 9806.65 mm/s² with seconds and 0.00980665 mm/ms² with milliseconds. Given values
/// count before those of the system.
#[test]
fn gravity_and_seconds_are_those_of_the_units() {
    let probe = |units: &str, keys: &str| {
        let probe = format!(
            "[[probes]]\nname = \"p\"\nbody = \"bar\"\ninjury = \"peak\"\nfilter = \"CFC1000\"\n{keys}\n"
        );
        let source = format!("units = \"{units}\"\n{}", with_probes(&probe));
        Scenario::parse(&source, &data("full.toml"), &[]).unwrap().probes.remove(0)
    };
    for (units, g, second) in [
        ("si", 9.80665, 1.0),
        ("m-kg-s", 9.80665, 1.0),
        ("mm-t-s", 9806.65, 1.0),
        ("mm-g-ms", 0.00980665, 1000.0),
    ] {
        let probe = probe(units, "");
        assert!(
            (probe.g / g - 1.0).abs() < 1e-12 && (probe.second / second - 1.0).abs() < 1e-12,
            "{units}: {probe:?}"
        );
        assert_eq!(probe.filter, Some(ChannelClass::Cfc1000));
    }
    let given = probe("mm-g-ms", "g = 0.01\nsecond = 1e3");
    assert_eq!((given.g, given.second), (0.01, 1000.0));
}

#[test]
fn what_probes_name_has_to_be_there() {
    assert_bad("body = \"baar\"", "there is no body `baar`", "did you mean `bar`?", "\"baar\"");
    assert_bad(
        "body = \"bar\"\nquantities = [\"speed\"]",
        "`probes.p.quantities` cannot be `speed`",
        "it is one of: `position`, `displacement`, `velocity`, `acceleration`, `stress`, `strain`",
        "\"speed\"",
    );
    assert_bad(
        "body = \"bar\"\nfilter = \"CFC 61\"",
        "`probes.p.filter` cannot be `CFC 61`",
        "did you mean `CFC 60`?",
        "\"CFC 61\"",
    );
    assert_bad(
        "body = \"bar\"\ninjury = \"HIC15\"",
        "`probes.p.injury` cannot be `HIC15`",
        "did you mean `hic15`?",
        "\"HIC15\"",
    );
    assert_bad(
        "body = \"bar\"\npiont = [0, 0, 0]",
        "unknown key `piont` in [probes.p]",
        "did you mean `point`?",
        "piont",
    );
}

#[test]
fn a_probe_is_of_one_place() {
    assert_bad(
        "body = \"bar\"\npoint = [0, 0, 0]\ngroup = \"end\"",
        "`probes.p` has more than one of `nearest_node`, `point` and `group`",
        "keep one of them, and write a [[probes]] for each",
        "\"end\"",
    );
}

#[test]
fn bodies_have_what_is_measured() {
    assert_bad(
        "body = \"wall\"\npoint = [0, 0, 0]\nquantities = [\"velocity\", \"stress\"]",
        "`probes.p.quantities` has stress, but body `wall` is rigid",
        "leave it out: a rigid body has position, displacement, velocity and acceleration",
        "\"stress\"",
    );
    assert_bad(
        "body = \"bar\"\nquantities = [\"strain\"]",
        "`probes.p.quantities` has strain, but a centre of mass has none",
        "say where: give a `point`, a `nearest_node` or a `group`",
        "\"strain\"",
    );
    assert_bad(
        "body = \"bar\"\nquantities = [\"velocity\"]\ninjury = \"hic15\"",
        "`probes.p.injury` is of the acceleration, which is not measured",
        "add \"acceleration\" to `quantities`, or leave that key out",
        "\"hic15\"",
    );
}

#[test]
fn probes_have_names_of_their_own() {
    let (problems, _) = problems_of(&with_probes(
        "[[probes]]\nname = \"p\"\nbody = \"bar\"\n[[probes]]\nname = \"p\"\nbody = \"bar\"\n",
    ));
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(problem.message, "two probes are named `p`");
}

/// The minimum sampling rate of a class is ten times its number. A lower rate gives a warning; a rate below twice the
/// corner frequency gives an error.
#[test]
fn a_filter_needs_samples() {
    let lines = |interval: &str| {
        format!("[[probes]]\nname = \"p\"\nbody = \"bar\"\nfilter = \"CFC 60\"\ninterval = {interval}\n")
    };
    let warnings = |interval: &str| {
        let scenario = Scenario::parse(&with_probes(&lines(interval)), &data("full.toml"), &[]).unwrap();
        let of_filter = |warning: &&Problem| warning.key.as_deref() == Some("probes.p.filter");
        scenario.warnings.iter().filter(of_filter).cloned().collect::<Vec<_>>()
    };
    assert!(warnings("0").is_empty() && warnings("1.6666666666666667e-3").is_empty());
    let warning = &warnings("2e-3")[0];
    assert_eq!(
        warning.message,
        "`probes.p.filter` is CFC 60, for 600 samples a second or more, and the probe has 500.000000 a second"
    );
    assert_eq!(
        warning.help.as_deref().unwrap(),
        "give the probe `interval`, at most 1.667e-3; 0 samples every step"
    );
    let (problems, _) = problems_of(&with_probes(&lines("0.01")));
    assert!(problems[0].message.ends_with("the probe has 100.000000 a second"), "{problems:?}");
}

/// Injury criteria need accelerations that include the contact forces, and the value of 1 g in the units of the
/// scenario.
#[test]
fn injury_criteria_need_their_inputs() {
    assert_bad(
        "body = \"bar\"\ninjury = \"hic15\"\nsecond = 1000",
        "`probes.p.injury` in units with another second needs `g`",
        "name the system of units, as in `units = \"mm-kg-ms\"`, or give `g`, the acceleration of 1 g in the units of the scenario",
        "\"hic15\"",
    );
    let source = with_probes("[[probes]]\nname = \"p\"\nbody = \"bar\"\ninjury = \"peak\"\n");
    let by_impulses =
        problems_of(&source.replace("response = \"penalty\"", "response = \"decomposition\"")).0;
    let of_injury = |problem: &&Problem| problem.key.as_deref() == Some("probes.p.injury");
    let found: Vec<&Problem> = by_impulses.iter().filter(of_injury).collect();
    assert_eq!(found.len(), 1, "{by_impulses:#?}");
    assert_eq!(found[0].message, "`probes.p.injury` needs contact forces, and contact acts by impulses");
    assert!(Scenario::parse(&source, &data("full.toml"), &[]).is_ok());
}
