//! `[contact]`.

use super::check::Check;
use super::pairs::{self, FallbackLaws, Names};
use super::response;
use super::walls::{self, Wall};
use crate::scenario::error::Problem;
use crate::scenario::raw::{self, Texts};
use crate::scenario::section::Section;
use crate::scenario::spanned::Spanned;
use crate::scenario::{
    BoundingVolume, ClosestPointMethod, ClosestPointStart, ContactSettings, DetectionMethod,
    HierarchyBuilder, InitialPenetration, Located, Passes, TouchingEdges,
};

const VOLUMES: [(&str, BoundingVolume); 7] = [
    ("sphere", BoundingVolume::Sphere),
    ("aabb", BoundingVolume::Aabb),
    ("dop8", BoundingVolume::Dop8),
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

pub(super) fn validate(
    section: Option<Section<'_>>,
    pairs: Vec<Section<'_>>,
    walls: &[Wall],
    names: Names<'_>,
    check: &mut Check<'_>,
) -> Option<ContactSettings> {
    let pairs = pairs::validate(pairs, names, check);
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
    let passes = passes(raw.passes.as_ref(), check);
    let volumes = volumes(raw.volumes.as_ref(), check);
    let response = response::settings(&raw, check);
    let laws = response::laws("contact", response::Given::all(&raw), response.as_ref(), None, check);
    let of_walls = walls::laws(walls, laws, response.as_ref(), check);
    let rest = FallbackLaws { all: laws, of_walls: &of_walls, num_bodies: names.bodies.len() };
    let own_laws = pairs::own_laws(pairs.as_deref().unwrap_or_default(), rest, response.as_ref(), check);
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
        passes,
        resolve_impact: raw.resolve_impact.unwrap_or(false),
        self_contact: raw.self_contact.unwrap_or(false),
        initial_penetration: initial_penetration?,
        tied: pairs::tied(pairs.as_deref().unwrap_or_default(), names, check),
        excluded: pairs::excluded(&pairs?),
    })
}

fn passes(value: Option<&Spanned<i64>>, check: &mut Check<'_>) -> Passes {
    const KEY: &str = "contact.passes";
    match value.map(|value| (*value.get_ref(), value.span())) {
        None | Some((2, _)) => Passes::Two,
        Some((1, _)) => Passes::One,
        Some((other, span)) => {
            let problem = Problem::new(format!("`{KEY}` is {other}, not 1 or 2")).at(span).key(KEY);
            check.report(
                problem.help("give 2 for the nodes of both bodies, 1 for those of the finer surface"),
            );
            Passes::Two
        }
    }
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
