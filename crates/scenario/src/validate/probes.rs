//! Validation of `[[probes]]`.

use std::ops::Range;

use super::check::{Bounds, Check};
use super::tables::Named;
use crate::error::Problem;
use crate::raw::{self, Text};
use crate::section::join;
use crate::signal::ChannelClass;
use crate::spanned::Spanned;
use crate::units::UnitSystem;
use crate::{
    BodySpec, Injury, Located, MaterialModel, MaterialSpec, ProbeFrame, ProbePlace, ProbeQuantity, ProbeSpec,
};

pub(super) struct Measured<'a> {
    pub names: &'a [Spanned<String>],
    pub bodies: Option<&'a [BodySpec]>,
    pub materials: &'a [Option<MaterialSpec>],
    pub units: Option<UnitSystem>,
    /// Sampling interval of the history output \[s\]. `None` if the output settings have problems.
    pub history_interval: Option<f64>,
    pub has_impulses: bool,
}

impl Measured<'_> {
    fn is_rigid(&self, body: usize) -> bool {
        let material = self.bodies.and_then(|bodies| self.materials.get(bodies.get(body)?.material));
        material.is_some_and(|material| matches!(material, Some(spec) if spec.model == MaterialModel::Rigid))
    }
}

/// `None` if a probe is unusable.
pub(super) fn validate(
    probes: Vec<Named<'_>>,
    measured: &Measured<'_>,
    check: &mut Check<'_>,
) -> Option<Vec<ProbeSpec>> {
    let names: Vec<_> = probes.iter().map(|probe| probe.name.clone()).collect();
    for (index, name) in names.iter().enumerate() {
        let mut earlier = names[..index].iter();
        if !name.get_ref().is_empty() && earlier.any(|other| other.get_ref() == name.get_ref()) {
            let problem = Problem::new(format!("two probes are named `{}`", name.get_ref())).at(name.span());
            let problem = problem.key(format!("probes.{index}.name")).label("named again here");
            check.report(problem.help("give each probe its own name: its columns begin with it"));
        }
    }
    let probes: Vec<_> = probes.into_iter().map(|probe| one(probe, measured, check)).collect();
    probes.into_iter().collect()
}

fn one(probe: Named<'_>, measured: &Measured<'_>, check: &mut Check<'_>) -> Option<ProbeSpec> {
    let path = probe.section.path.clone();
    let key = |name: &str| join(&path, name);
    let raw: raw::Probe = probe.section.read(&mut check.problems)?;
    check.name(&key("name"), &raw.name);
    let body = check.reference("body", measured.names, &key("body"), &raw.body);
    let place = place(&raw, &path, check);
    let quantities = match &raw.quantities {
        Some(words) => check.choices(&key("quantities"), words, ProbeQuantity::WORDS),
        None => Some(vec![ProbeQuantity::Displacement, ProbeQuantity::Velocity, ProbeQuantity::Acceleration]),
    };
    let frame = check.choice_or_first(&key("frame"), raw.frame.as_ref(), ProbeFrame::WORDS);
    let interval =
        raw.interval.as_ref().map(|value| check.number(&key("interval"), value, Bounds::NotNegative));
    let class = |word: &Text| {
        let found = ChannelClass::named(word.get_ref());
        found.or_else(|| check.choice(&key("filter"), word, &ChannelClass::ALL))
    };
    let filter = raw.filter.as_ref().map(class);
    let injuries = injuries(raw.injury.as_ref(), &key("injury"), check);
    let units = measured.units.unwrap_or(UnitSystem::SI);
    let spec = ProbeSpec {
        name: raw.name.get_ref().clone(),
        body: body?,
        place: place?,
        quantities: quantities?,
        frame: frame?,
        interval: interval.or((raw.filter.is_some() || raw.injury.is_some()).then_some(0.0)),
        filter: filter.map_or(Some(None), |filter| filter.map(Some))?,
        injuries: injuries?,
        g: check.number_or(&key("g"), raw.g.as_ref(), Bounds::Positive, units.standard_gravity()),
        second: check.number_or(
            &key("second"),
            raw.second.as_ref(),
            Bounds::Positive,
            1.0 / units.size_of("s"),
        ),
    };
    refuse_unavailable(&spec, &raw, measured, check);
    check_rate(&spec, &raw, measured, check);
    Some(spec)
}

/// The given location, or the centre of mass if none is given. `None` if several locations are given.
fn place(raw: &raw::Probe, path: &str, check: &mut Check<'_>) -> Option<Located<ProbePlace>> {
    let spans = [
        raw.nearest_node.as_ref().map(Spanned::span),
        raw.point.as_ref().map(Spanned::span),
        raw.group.as_ref().map(Spanned::span),
    ];
    let given: Vec<Range<usize>> = spans.into_iter().flatten().collect();
    if given.len() > 1 {
        let last = given.iter().max_by_key(|span| span.start)?.clone();
        let problem =
            Problem::new(format!("`{path}` has more than one of `nearest_node`, `point` and `group`"));
        check.report(problem.at(last).key(path).help("keep one of them, and write a [[probes]] for each"));
        return None;
    }
    let node = check.vector(&join(path, "nearest_node"), raw.nearest_node.as_ref());
    let point = check.vector(&join(path, "point"), raw.point.as_ref());
    if let Some(group) = &raw.group {
        check.name(&join(path, "group"), group);
    }
    let value = match (node, point, &raw.group) {
        (Some(place), ..) => ProbePlace::NearestNode(place),
        (_, Some(place), _) => ProbePlace::Point(place),
        (.., Some(group)) => ProbePlace::Group(group.get_ref().clone()),
        _ => ProbePlace::Centre,
    };
    Some(Located { value, span: given.first().cloned().unwrap_or_else(|| raw.name.span()) })
}

fn injuries(raw: Option<&Spanned<raw::Names>>, key: &str, check: &mut Check<'_>) -> Option<Vec<Injury>> {
    let Some(raw) = raw else { return Some(Vec::new()) };
    check.choices(key, &Spanned::new(raw.span(), raw.get_ref().texts(raw.span())), Injury::WORDS)
}

/// Reports stress and strain of a rigid body or at a centre of mass, and injury criteria without a usable acceleration
/// or `g`.
fn refuse_unavailable(spec: &ProbeSpec, raw: &raw::Probe, measured: &Measured<'_>, check: &mut Check<'_>) {
    let key = |name: &str| format!("probes.{}.{name}", spec.name);
    let of_elements = spec.quantities.iter().find(|quantity| quantity.is_of_elements());
    if let (Some(quantity), Some(words)) = (of_elements, &raw.quantities) {
        let word = words.get_ref().iter().find(|word| word.get_ref() == quantity.word());
        let span = word.map_or_else(|| words.span(), Spanned::span);
        let (name, body) = (quantity.word(), raw.body.get_ref());
        let refused = if measured.is_rigid(spec.body) {
            let fact = format!("`{}` has {name}, but body `{body}` is rigid", key("quantities"));
            Some((fact, "leave it out: a rigid body has position, displacement, velocity and acceleration"))
        } else if spec.place.value == ProbePlace::Centre {
            let fact = format!("`{}` has {name}, but a centre of mass has none", key("quantities"));
            Some((fact, "say where: give a `point`, a `nearest_node` or a `group`"))
        } else {
            None
        };
        if let Some((fact, help)) = refused {
            check.report(Problem::new(fact).at(span).key(key("quantities")).help(help));
        }
    }
    if let Some(injury) = &raw.injury
        && !spec.quantities.contains(&ProbeQuantity::Acceleration)
    {
        let fact = format!("`{}` is of the acceleration, which is not measured", key("injury"));
        let help = "add \"acceleration\" to `quantities`, or leave that key out";
        check.report(Problem::new(fact).at(injury.span()).key(key("injury")).help(help));
    }
    if let (Some(injury), true) = (&raw.injury, measured.has_impulses) {
        let fact = format!("`{}` needs contact forces, and contact acts by impulses", key("injury"));
        let help = "accelerations omit impulses, which change velocities at once: set `contact.response` to \"penalty\" or \
                    \"energy-momentum\"";
        check.report(Problem::new(fact).at(injury.span()).key(key("injury")).help(help));
    }
    if let (Some(injury), Some(_), None, None) = (&raw.injury, &raw.second, &raw.g, measured.units) {
        let fact = format!("`{}` in units with another second needs `g`", key("injury"));
        let help = "name the system of units, as in `units = \"mm-kg-ms\"`, or give `g`, the acceleration of 1 g in the units of the \
             scenario";
        check.report(Problem::new(fact).at(injury.span()).key(key("injury")).help(help));
    }
}

/// Warns of a sampling rate below the minimum of the filter class. A rate at which the filter is undefined is an error.
fn check_rate(spec: &ProbeSpec, raw: &raw::Probe, measured: &Measured<'_>, check: &mut Check<'_>) {
    let (Some(class), Some(word)) = (spec.filter, &raw.filter) else { return };
    let Some(interval) = spec.interval.or(measured.history_interval).map(|interval| interval / spec.second)
    else {
        return;
    };
    let wanted = spec.second / class.least_rate();
    // The tolerance 1e-9 allows for rounding.
    if interval.is_nan() || interval * class.least_rate() <= 1.0 + 1e-9 {
        return;
    }
    let key = format!("probes.{}.filter", spec.name);
    let rate = 1.0 / interval;
    let fact = format!(
        "`{key}` is {}, for {} samples a second or more, and the probe has {rate:.6} a second",
        word.get_ref(),
        class.least_rate()
    );
    let from =
        if spec.interval.is_some() { "`interval`" } else { "`interval`, which is that of the history" };
    let help = format!("give the probe {from}, at most {wanted:.3e}; 0 samples every step");
    let problem = Problem::new(fact).at(word.span()).key(key).help(help);
    if class.filter(&[], interval).is_err() { check.report(problem) } else { check.warnings.push(problem) }
}
