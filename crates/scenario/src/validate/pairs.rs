//! `[[contact.pairs]]`.

use super::check::{Bounds, Check};
use super::response::{self, Given};
use crate::contact::response::ContactLaws;
use crate::error::Problem;
use crate::raw;
use crate::section::{Section, join};
use crate::spanned::Spanned;
use crate::{Located, ResponseSettings, SurfacePair, TiedPair};

#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub bodies: &'a [Spanned<String>],
    pub walls: &'a [Spanned<String>],
}

pub(super) struct Pair {
    surfaces: SurfacePair,
    path: String,
    raw: raw::Pair,
}

impl Pair {
    fn is_tied(&self) -> bool {
        self.raw.tied.as_ref().is_some_and(|tied| *tied.get_ref())
    }

    fn excludes_contact(&self) -> bool {
        self.raw.contact == Some(false) || self.is_tied()
    }
}

/// Reads the pairs. Reports and omits a pair that is impossible or conflicts with an earlier pair. `None` if a pair
/// cannot be read or names an unknown body or wall.
pub(super) fn validate(
    sections: Vec<Section<'_>>,
    names: Names<'_>,
    check: &mut Check<'_>,
) -> Option<Vec<Pair>> {
    let mut seen: Vec<Pair> = Vec::new();
    let mut complete = true;
    for section in sections {
        let path = section.path.clone();
        let raw = section.read::<raw::Pair>(&mut check.problems);
        let Some((surfaces, raw)) = raw.and_then(|raw| Some((surfaces(&path, &raw, names, check)?, raw)))
        else {
            complete = false;
            continue;
        };
        let pair = Pair { surfaces, path, raw };
        if let Some(fact) = conflict(&pair, &seen, names) {
            let key = join(&pair.path, "between");
            check.report(fact.at(pair.raw.between.span()).key(key));
        } else {
            seen.push(pair);
        }
    }
    complete.then_some(seen)
}

/// Bodies and groups of a pair, lower body index first. Walls have the indices after the last body.
fn surfaces(path: &str, raw: &raw::Pair, names: Names<'_>, check: &mut Check<'_>) -> Option<SurfacePair> {
    let touchable: Vec<_> = names.bodies.iter().chain(names.walls).cloned().collect();
    let kind = if names.walls.is_empty() { "body" } else { "body or wall" };
    let key = join(path, "between");
    let found = raw.between.get_ref().each_ref().map(|name| check.reference(kind, &touchable, &key, name));
    let key = join(path, "groups");
    let groups = match &raw.groups {
        None => [None, None],
        Some(groups) => groups.get_ref().each_ref().map(|group| check.group(&key, Some(group))),
    };
    let [Some(first), Some(second)] = found else { return None };
    for (index, group) in [first, second].into_iter().zip(&groups) {
        if let (Some(wall), Some(group)) = (index.checked_sub(names.bodies.len()), group) {
            let fact = format!("the wall `{}` has no group `{}`", names.walls[wall].get_ref(), group.value);
            let problem = Problem::new(fact).at(group.span.clone()).key(key.as_str());
            check.report(problem.help("a wall is touched everywhere: write \"all\" in its place"));
        }
    }
    let [of_first, of_second] = groups;
    Some(if first <= second {
        SurfacePair { bodies: [first, second], groups: [of_first, of_second] }
    } else {
        SurfacePair { bodies: [second, first], groups: [of_second, of_first] }
    })
}

/// Returns a problem if `pair` is impossible, or conflicts with one of the earlier pairs, `before`.
fn conflict(pair: &Pair, before: &[Pair], names: Names<'_>) -> Option<Problem> {
    let (path, surfaces) = (&pair.path, &pair.surfaces);
    let [first, second] = surfaces.bodies;
    let of_same_bodies = || before.iter().filter(|other| other.surfaces.bodies == surfaces.bodies);
    if first == second {
        let help = "name two bodies; `self_contact = true` in a body lets it touch itself";
        Some(Problem::new(format!("`{path}` pairs a body with itself")).help(help))
    } else if first >= names.bodies.len() {
        let help = "walls do not touch each other; name a body and a wall";
        Some(Problem::new(format!("`{path}` pairs two walls")).help(help))
    } else if of_same_bodies().any(|other| is_same(&other.surfaces, surfaces)) {
        let problem = Problem::new(format!("`{path}` repeats a pair above")).label("again here");
        Some(problem.help("keep one of the two, or name different `groups`"))
    } else {
        let whole = |pair: &&Pair| pair.surfaces.is_whole() && pair.excludes_contact();
        let part = |other: &Pair| !other.surfaces.is_whole();
        let idle = match of_same_bodies().find(whole) {
            Some(_) if part(pair) => Some(path),
            None if whole(&pair) => of_same_bodies().find(|other| part(other)).map(|other| &other.path),
            _ => None,
        };
        let fact = |path: &String| {
            format!("`{path}` has no effect: another pair excludes the two bodies from contact as a whole")
        };
        let help = "remove it, or remove the pair of the whole bodies and exclude only the groups that shall not touch";
        idle.map(|path| Problem::new(fact(path)).help(help))
    }
}

fn is_same(one: &SurfacePair, other: &SurfacePair) -> bool {
    let name = |group: &Option<Located<String>>| group.as_ref().map(|group| group.value.clone());
    one.groups.each_ref().map(name) == other.groups.each_ref().map(name)
}

/// Contact laws from which a pair takes the values of its missing keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct FallbackLaws<'a> {
    /// Laws of `[contact]`.
    pub all: ContactLaws,
    /// Laws of each wall.
    pub of_walls: &'a [ContactLaws],
    pub num_bodies: usize,
}

impl FallbackLaws<'_> {
    fn of(&self, bodies: [usize; 2]) -> ContactLaws {
        let wall = bodies[1].checked_sub(self.num_bodies).and_then(|wall| self.of_walls.get(wall));
        wall.copied().unwrap_or(self.all)
    }
}

/// The pairs with laws of their own. The value of a missing key is from the first of these sources that exists:
/// - for a pair with groups, the own laws of the pair of the two whole bodies,
/// - the wall,
/// - `[contact]`.
///
/// If the laws of a wall differ from those of `[contact]`, the result contains the pairs of this wall with all whole
/// bodies. Such a pair has the laws of the wall, or, if given, laws of its own.
pub(super) fn own_laws(
    pairs: &[Pair],
    rest: FallbackLaws<'_>,
    response: Option<&ResponseSettings>,
    check: &mut Check<'_>,
) -> Vec<(SurfacePair, ContactLaws)> {
    let mut own: Vec<(SurfacePair, ContactLaws)> = Vec::new();
    let (whole, parts): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(|pair| pair.surfaces.is_whole());
    for pair in whole.into_iter().chain(parts) {
        let given = Given::pair(&pair.raw);
        if pair.excludes_contact() {
            given.refuse(&pair.path, check);
        } else if !given.is_nothing() {
            let bodies = pair.surfaces.bodies;
            let of_bodies = own.iter().find(|(other, _)| *other == SurfacePair::whole(bodies));
            let rest = of_bodies.map_or(rest.of(bodies), |(_, laws)| *laws);
            let laws = response::laws(&pair.path, given, response, Some(rest), check);
            own.push((pair.surfaces.clone(), laws));
        }
    }
    for (wall, laws) in rest.of_walls.iter().enumerate().filter(|(_, laws)| **laws != rest.all) {
        for body in 0..rest.num_bodies {
            let pair = SurfacePair::whole([body, rest.num_bodies + wall]);
            if !own.iter().any(|(other, _)| *other == pair) {
                own.push((pair, *laws));
            }
        }
    }
    own.sort_by_key(|(pair, _)| (pair.bodies, pair.is_whole()));
    own
}

pub(super) fn excluded(pairs: &[Pair]) -> Vec<SurfacePair> {
    let apart = pairs.iter().filter(|pair| pair.excludes_contact());
    let mut excluded: Vec<_> = apart.map(|pair| pair.surfaces.clone()).collect();
    excluded.sort_by_key(|pair| pair.bodies);
    excluded
}

pub(super) fn tied(pairs: &[Pair], names: Names<'_>, check: &mut Check<'_>) -> Vec<TiedPair> {
    let mut tied = Vec::new();
    for Pair { surfaces, path, raw } in pairs {
        let key = |name: &str| join(path, name);
        let given = raw.tied_within.as_ref();
        let within = given.map(|value| check.number(&key("tied_within"), value, Bounds::Positive));
        let Some(wanted) = raw.tied.as_ref().filter(|tied| *tied.get_ref()) else {
            if let Some(given) = given {
                let fact = format!("`{}` has no effect on a pair that is not tied", key("tied_within"));
                let problem = Problem::new(fact).at(given.span()).key(key("tied_within"));
                check.report(problem.help("add `tied = true`, or leave it out"));
            }
            continue;
        };
        let problem = |fact: String| Problem::new(fact).at(wanted.span()).key(key("tied"));
        if surfaces.bodies[1] >= names.bodies.len() {
            check.report(
                problem(format!("`{path}` ties a body to a wall")).help("fix the body with [[boundaries]]"),
            );
        } else if raw.contact == Some(false) {
            let fact = format!("`{path}` ties bodies that do not touch");
            let help = "leave out `contact`: a tie already excludes all other contact between its bodies";
            check.report(problem(fact).help(help));
        } else if !surfaces.is_whole() {
            let help = "leave out `groups`: bodies are tied wherever their contact surfaces are near each other; \
                        `contact` in a body limits its contact surface to groups";
            check.report(problem(format!("`{path}` ties groups of bodies")).help(help));
        } else {
            tied.push(TiedPair { bodies: surfaces.bodies, within, span: wanted.span() });
        }
    }
    tied.sort_unstable_by_key(|pair| pair.bodies);
    tied
}
