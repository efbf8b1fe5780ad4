//! `[contact]`.

use super::check::{Bounds, Check};
use super::pairs::{self, FallbackLaws, Names};
use super::response;
use super::walls::{self, Wall};
use crate::contact::detection::face::closest_point;
use crate::contact::detection::tree::hierarchy::{Builder, HierarchyVolume, LeafFit};
use crate::contact::detection::volume::{LadderUse, VolumeKind};
use crate::contact::detection::{
    DetectionMethod, DetectorOptions, EdgeSelection, EngineOptions, Kinematics, NodeFaceOptions,
    ProjectionNormal, SortingOptions, StartFrom,
};
use crate::error::Problem;
use crate::raw::{self, Texts};
use crate::section::Section;
use crate::spanned::Spanned;
use crate::{ContactSettings, InitialPenetration, Passes};

/// Default of [`SortingOptions::every`].
const DEFAULT_SORT_EVERY: u32 = 10;

const DEFAULT_VOLUMES: [VolumeKind; 4] =
    [VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop14, VolumeKind::Obb];

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
    let detection =
        check.choice_or_first("contact.detection", raw.detection.as_ref(), DetectionMethod::WORDS);
    let detector = detector(&raw, detection, check);
    let initial_penetration = check.choice_or_first(
        "contact.initial_penetration",
        raw.initial_penetration.as_ref(),
        InitialPenetration::WORDS,
    );
    let edges = edges(&raw, detection, check);
    let depth = raw.search_depth.as_ref();
    let search_depth = depth.map(|value| check.number("contact.search_depth", value, Bounds::Positive));
    let passes = passes(raw.passes.as_ref(), check);
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
        detector: detector?,
        closest_point_span: raw.closest_point.as_ref().map_or(0..0, Spanned::span),
        search_depth,
        edges: edges?,
        passes,
        resolve_impact: raw.resolve_impact.unwrap_or(false),
        self_contact: raw.self_contact.unwrap_or(false),
        initial_penetration: initial_penetration?,
        tied: pairs::tied(pairs.as_deref().unwrap_or_default(), names, check),
        excluded: pairs::excluded(&pairs?),
    })
}

fn detector(
    raw: &raw::Contact,
    detection: Option<DetectionMethod>,
    check: &mut Check<'_>,
) -> Option<DetectorOptions> {
    let builder = check.choice_or_first("contact.hierarchy", raw.hierarchy.as_ref(), Builder::WORDS);
    let sorting = sorting(raw, detection, check);
    let flight = flight(raw, detection, check);
    let method = check.choice_or_first(
        "contact.closest_point",
        raw.closest_point.as_ref(),
        closest_point::Method::WORDS,
    );
    let start = check.choice_or_first("contact.start", raw.start.as_ref(), StartFrom::WORDS);
    let normal = normal(raw.normal.as_ref(), detection, check);
    let ladder = volumes(raw.volumes.as_ref(), check);
    let (volume, fit, kinematics) = flight?;
    let engine = EngineOptions {
        builder: builder?,
        fit,
        volume,
        kinematics,
        ladder: ladder?,
        ladder_use: if raw.volumes.is_some() { LadderUse::Always } else { LadderUse::WhilePaying },
        node_face: NodeFaceOptions { method: method?, start: start? },
    };
    Some(DetectorOptions { engine, sorting, normal: normal? })
}

/// Number of steps between sortings, and number of sortings between computations of the working space. A number below 1
/// is reported. If detection is not by sorting, a number other than its default is also reported.
fn sorting(raw: &raw::Contact, detection: Option<DetectionMethod>, check: &mut Check<'_>) -> SortingOptions {
    let mut count = |key: &str, value: Option<&Spanned<i64>>, default: u32| {
        let Some(value) = value else { return default };
        if detection.is_some_and(|detection| detection != DetectionMethod::Sorting)
            && *value.get_ref() != i64::from(default)
        {
            let fact = format!("`{key}` is given, but `contact.detection` is not `sorting`");
            let problem = Problem::new(fact).at(value.span()).key(key);
            check.report(problem.help(format!("use contact.detection = \"sorting\", or remove `{key}`")));
        }
        u32::try_from(*value.get_ref()).ok().filter(|&count| count > 0).unwrap_or_else(|| {
            let fact = format!("`{key}` is {}, not a whole number from 1 on", value.get_ref());
            check.report(Problem::new(fact).at(value.span()).key(key).help("give 1 for every one"));
            default
        })
    };
    SortingOptions {
        every: count("contact.sort_every", raw.sort_every.as_ref(), DEFAULT_SORT_EVERY),
        space_every: count("contact.sort_space_every", raw.sort_space_every.as_ref(), 1),
    }
}

fn normal(
    word: Option<&raw::Text>,
    detection: Option<DetectionMethod>,
    check: &mut Check<'_>,
) -> Option<ProjectionNormal> {
    const KEY: &str = "contact.normal";
    let normal = check.choice_or_first(KEY, word, ProjectionNormal::WORDS)?;
    let is_idle = detection.is_some_and(|detection| detection != DetectionMethod::DistanceField);
    if let Some(word) = word.filter(|_| is_idle && normal == ProjectionNormal::Contactor) {
        let fact = format!("`{KEY}` is `contactor`, but `contact.detection` is not `distance-field`");
        let problem = Problem::new(fact).at(word.span()).key(KEY);
        check.report(problem.help("use contact.detection = \"distance-field\", or remove `contact.normal`"));
    }
    Some(normal)
}

/// The edges that can have edge-to-edge contact. Detection by distance fields has no edge contact: there, a choice of
/// edges is refused.
fn edges(
    raw: &raw::Contact,
    detection: Option<DetectionMethod>,
    check: &mut Check<'_>,
) -> Option<EdgeSelection> {
    let edges = check.choice_or_first("contact.edges", raw.edges.as_ref(), EdgeSelection::WORDS)?;
    if detection != Some(DetectionMethod::DistanceField) {
        return Some(edges);
    }
    if let Some(word) = raw.edges.as_ref().filter(|_| edges != EdgeSelection::None) {
        let fact = "`contact.edges` is given, but `contact.detection` is `distance-field`, which has no edge contact";
        let problem = Problem::new(fact).at(word.span()).key("contact.edges");
        check.report(problem.help("remove `contact.edges`, or use contact.detection = \"hierarchy\""));
    }
    Some(EdgeSelection::None)
}

fn flight(
    raw: &raw::Contact,
    detection: Option<DetectionMethod>,
    check: &mut Check<'_>,
) -> Option<(HierarchyVolume, LeafFit, Kinematics)> {
    let keys = [
        ("contact.hierarchy_volume", raw.hierarchy_volume.as_ref()),
        ("contact.sphere_fit", raw.sphere_fit.as_ref()),
        ("contact.kinematics", raw.kinematics.as_ref()),
    ];
    if detection.is_some_and(|detection| detection != DetectionMethod::Hierarchy) {
        for (key, word) in keys {
            let Some(word) = word else { continue };
            let fact = format!("`{key}` is given, but `contact.detection` is not `hierarchy`");
            let problem = Problem::new(fact).at(word.span()).key(key);
            check.report(problem.help(format!("use contact.detection = \"hierarchy\", or remove `{key}`")));
        }
    }
    let volume = check.choice_or_first(keys[0].0, keys[0].1, HierarchyVolume::WORDS);
    let fit = check.choice_or_first(keys[1].0, keys[1].1, LeafFit::WORDS);
    let kinematics = check.choice_or_first(keys[2].0, keys[2].1, Kinematics::WORDS);
    Some((volume?, fit?, kinematics?))
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

fn volumes(words: Option<&Texts>, check: &mut Check<'_>) -> Option<Vec<VolumeKind>> {
    const KEY: &str = "contact.volumes";
    let Some(words) = words else { return Some(DEFAULT_VOLUMES.to_vec()) };
    if words.get_ref().is_empty() {
        let problem = Problem::new(format!("`{KEY}` is an empty list")).at(words.span()).key(KEY);
        check.report(problem.help("name at least one volume, or leave the key out"));
    }
    check.choices(KEY, words, VolumeKind::WORDS)
}
