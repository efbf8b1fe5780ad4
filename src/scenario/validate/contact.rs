//! `[contact]` and `[[contact.pairs]]`.

use toml::Spanned;

use super::check::{Bounds, Check};
use super::response;
use crate::scenario::error::Problem;
use crate::scenario::raw::{self, Texts};
use crate::scenario::section::{Section, join};
use crate::scenario::{
    BoundingVolume, ClosestPointMethod, ClosestPointStart, ContactSettings, DetectionMethod,
    HierarchyBuilder, InitialPenetration, Located, TiedPair, TouchingEdges,
};

const VOLUMES: [(&str, BoundingVolume); 6] = [
    ("sphere", BoundingVolume::Sphere),
    ("aabb", BoundingVolume::Aabb),
    ("dop14", BoundingVolume::Dop14),
    ("dop18", BoundingVolume::Dop18),
    ("dop26", BoundingVolume::Dop26),
    ("obb", BoundingVolume::Obb),
];

const METHODS: [(&str, ClosestPointMethod); 7] = [
    ("auto", ClosestPointMethod::Auto),
    ("sqp", ClosestPointMethod::Sqp),
    ("active-set", ClosestPointMethod::ActiveSet),
    ("interior-point", ClosestPointMethod::InteriorPoint),
    ("newton", ClosestPointMethod::Newton),
    ("voronoi", ClosestPointMethod::Voronoi),
    ("brute-force", ClosestPointMethod::BruteForce),
];

const STARTS: [(&str, ClosestPointStart); 3] = [
    ("nearest", ClosestPointStart::Nearest),
    ("centre", ClosestPointStart::Centre),
    ("previous", ClosestPointStart::Previous),
];

const DEFAULT_VOLUMES: [BoundingVolume; 4] =
    [BoundingVolume::Sphere, BoundingVolume::Aabb, BoundingVolume::Dop14, BoundingVolume::Obb];

/// What a pair can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub bodies: &'a [Spanned<String>],
    pub walls: &'a [Spanned<String>],
}

pub(super) fn validate(
    section: Option<Section<'_>>,
    pairs: Vec<Section<'_>>,
    names: Names<'_>,
    check: &mut Check<'_>,
) -> Option<ContactSettings> {
    let pairs = pairs_of(pairs, names, check);
    let raw: raw::Contact = match section {
        Some(section) => section.read_sound_part(&mut check.problems)?,
        None => raw::Contact::default(),
    };
    let detection = [
        ("hierarchy", DetectionMethod::Hierarchy),
        ("buckets", DetectionMethod::Buckets),
        ("all-pairs", DetectionMethod::AllPairs),
    ];
    let hierarchy = [("fast", HierarchyBuilder::Fast), ("bottom-up", HierarchyBuilder::BottomUp)];
    let detection = check.choice_or_first("contact.detection", raw.detection.as_ref(), detection);
    let hierarchy = check.choice_or_first("contact.hierarchy", raw.hierarchy.as_ref(), hierarchy);
    let closest_point = check.choice_or_first("contact.closest_point", raw.closest_point.as_ref(), METHODS);
    let closest_point_span = raw.closest_point.as_ref().map_or(0..0, Spanned::span);
    let start = check.choice_or_first("contact.start", raw.start.as_ref(), STARTS);
    let policies = [
        ("error", InitialPenetration::Error),
        ("offset", InitialPenetration::Offset),
        ("remove", InitialPenetration::Remove),
    ];
    let initial_penetration =
        check.choice_or_first("contact.initial_penetration", raw.initial_penetration.as_ref(), policies);
    let edges =
        [("feature", TouchingEdges::Feature), ("all", TouchingEdges::All), ("none", TouchingEdges::None)];
    let edges = check.choice_or_first("contact.edges", raw.edges.as_ref(), edges);
    let volumes = volumes(raw.volumes.as_ref(), check);
    let response = response::settings(&raw, check);
    let method = response.map(|response| response.method);
    let laws = response::laws("contact", response::Given::all(&raw), method, None, check);
    let own = |pair: &Pair| {
        let given = response::Given::pair(&pair.raw);
        let own = response::laws(&pair.path, given, method, Some(laws), check);
        (pair.raw.contact != Some(false) && own != laws).then_some((pair.bodies, own))
    };
    let mut own_laws: Vec<_> = pairs.iter().flatten().filter_map(own).collect();
    own_laws.sort_unstable_by_key(|(bodies, _)| *bodies);
    Some(ContactSettings {
        response: response?,
        laws,
        own_laws,
        detection: detection?,
        hierarchy: hierarchy?,
        volumes: volumes?,
        closest_point: Located { value: closest_point?, span: closest_point_span },
        start: start?,
        edges: edges?,
        resolve_impact: raw.resolve_impact.unwrap_or(false),
        self_contact: raw.self_contact.unwrap_or(false),
        initial_penetration: initial_penetration?,
        tied: tied(pairs.as_deref().unwrap_or_default(), names, check),
        excluded: excluded(&pairs?),
    })
}

fn volumes(words: Option<&Texts>, check: &mut Check<'_>) -> Option<Vec<BoundingVolume>> {
    const KEY: &str = "contact.volumes";
    let Some(words) = words else { return Some(DEFAULT_VOLUMES.to_vec()) };
    if words.get_ref().is_empty() {
        let problem = Problem::new(format!("`{KEY}` is an empty list")).at(words.span()).key(KEY);
        check.report(problem.help("name at least one volume, or leave the key out"));
    }
    check.choices(KEY, words, &VOLUMES)
}

/// A pair of bodies, first < second.
struct Pair {
    bodies: [usize; 2],
    path: String,
    raw: raw::Pair,
}

/// The pairs that never touch, in ascending order.
fn excluded(pairs: &[Pair]) -> Vec<[usize; 2]> {
    let is_tied = |pair: &&Pair| pair.raw.tied.as_ref().is_some_and(|tied| *tied.get_ref());
    let apart = pairs.iter().filter(|pair| pair.raw.contact == Some(false) || is_tied(pair));
    let mut excluded: Vec<_> = apart.map(|pair| pair.bodies).collect();
    excluded.sort_unstable();
    excluded
}

/// The pairs that are tied, in ascending order.
fn tied(pairs: &[Pair], names: Names<'_>, check: &mut Check<'_>) -> Vec<TiedPair> {
    let mut tied = Vec::new();
    for Pair { bodies, path, raw } in pairs {
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
        if bodies[1] >= names.bodies.len() {
            check.report(
                problem(format!("`{path}` ties a body to a wall")).help("fix the body with [[boundaries]]"),
            );
        } else if raw.contact == Some(false) {
            let fact = format!("`{path}` ties bodies that do not touch");
            check.report(problem(fact).help("leave out `contact`: tied bodies do not touch otherwise"));
        } else {
            tied.push(TiedPair { bodies: *bodies, within, span: wanted.span() });
        }
    }
    tied.sort_unstable_by_key(|pair| pair.bodies);
    tied
}

/// The pairs, each once.
fn pairs_of(sections: Vec<Section<'_>>, names: Names<'_>, check: &mut Check<'_>) -> Option<Vec<Pair>> {
    let touchable: Vec<_> = names.bodies.iter().chain(names.walls).cloned().collect();
    let (kind, num_bodies) =
        (if names.walls.is_empty() { "body" } else { "body or wall" }, names.bodies.len());
    let mut seen: Vec<Pair> = Vec::new();
    let mut complete = true;
    for section in sections {
        let path = section.path.clone();
        let Some(raw) = section.read::<raw::Pair>(&mut check.problems) else {
            complete = false;
            continue;
        };
        let key = join(&path, "between");
        let problem = |fact: String| Problem::new(fact).at(raw.between.span()).key(key.as_str());
        let found =
            raw.between.get_ref().each_ref().map(|name| check.reference(kind, &touchable, &key, name));
        let [Some(first), Some(second)] = found else {
            complete = false;
            continue;
        };
        let pair = [first.min(second), first.max(second)];
        if first == second {
            let fact = format!("`{path}` pairs a body with itself");
            check.report(
                problem(fact).help("name two bodies; `self_contact = true` in a body lets it touch itself"),
            );
        } else if pair[0] >= num_bodies {
            let fact = format!("`{path}` pairs two walls");
            check.report(problem(fact).help("walls do not touch each other; name a body and a wall"));
        } else if seen.iter().any(|other| other.bodies == pair) {
            let fact = format!("`{path}` is a pair that stands above");
            check.report(problem(fact).label("again here").help("keep one of the two"));
        } else {
            seen.push(Pair { bodies: pair, path, raw });
        }
    }
    complete.then_some(seen)
}
