//! The detector of a scenario.

use crate::contact::detection::distance_field::DistanceFieldOptions;
use crate::contact::detection::face::closest_point::Method;
use crate::contact::detection::tree::hierarchy::{self, Builder, LeafFit};
use crate::contact::detection::volume::{LadderUse, VolumeKind};
use crate::contact::detection::{
    self, AllPairs, Buckets, Cells, ContactModel, Detector, Engine, EngineOptions, NodeFaceOptions,
    NodeInElement, NodeInElementOptions, ProjectionNormal, Sorting, SortingOptions, StartFrom,
};
use crate::error::SetupError;
use crate::model::Model;
use crate::scenario::{
    BoundingVolume, ClosestPointMethod, ClosestPointStart, ContactNormal, ContactSettings, DetectionMethod,
    HierarchyBuilder, HierarchyVolume, Kinematics, Scenario, SortingSettings, SphereFit,
};

/// The detector that `[contact]` selects.
///
/// # Errors
/// [`SetupError::DistanceField`] for a body whose distance field cannot be computed.
pub(crate) fn build_detector(
    scenario: &Scenario,
    contact: ContactModel,
    model: &Model,
) -> Result<Box<dyn Detector>, SetupError> {
    let positions = &model.reference_positions;
    let settings = &scenario.contact;
    let node_face = node_face_options(settings);
    Ok(match settings.detection {
        DetectionMethod::AllPairs => Box::new(AllPairs::new(contact, node_face)),
        DetectionMethod::Buckets => Box::new(Buckets::new(contact, node_face, positions)),
        DetectionMethod::Sorting => {
            let SortingSettings { every, space_every } = settings.sorting;
            Box::new(Sorting::new(contact, node_face, SortingOptions { every, space_every }, positions))
        }
        DetectionMethod::DistanceField => {
            let cells: Vec<Vec<Cells<'_>>> = model.bodies.iter().map(|body| body.cells().collect()).collect();
            let normal = match settings.normal {
                ContactNormal::Target => ProjectionNormal::Target,
                ContactNormal::Contactor => ProjectionNormal::Contactor,
            };
            let options = NodeInElementOptions { field: DistanceFieldOptions::default(), normal, node_face };
            let detector = NodeInElement::new(contact, &cells, options, positions);
            Box::new(detector.map_err(|(body, source)| SetupError::DistanceField {
                body: model.bodies[body as usize].name.clone(),
                source,
            })?)
        }
        DetectionMethod::Hierarchy => {
            let builder = match settings.hierarchy {
                HierarchyBuilder::Fast => Builder::Fast,
                HierarchyBuilder::BottomUp => Builder::BottomUp,
                HierarchyBuilder::Insertion => Builder::Insertion,
            };
            let fit = match settings.sphere_fit {
                SphereFit::MinimumBall => LeafFit::MinimumBall,
                SphereFit::Ritter => LeafFit::Ritter,
            };
            let volume = match settings.hierarchy_volume {
                HierarchyVolume::Sphere => hierarchy::HierarchyVolume::Sphere,
                HierarchyVolume::Aabb => hierarchy::HierarchyVolume::Box,
            };
            let kinematics = match settings.kinematics {
                Kinematics::Exact => detection::Kinematics::Exact,
                Kinematics::FromSteps => detection::Kinematics::FromSteps,
            };
            let ladder_use =
                if settings.volumes_are_given { LadderUse::Always } else { LadderUse::WhilePaying };
            let ladder = settings.volumes.iter().map(|&volume| volume_kind(volume)).collect();
            let options = EngineOptions { builder, fit, volume, kinematics, ladder, ladder_use, node_face };
            Box::new(Engine::new(contact, options, positions))
        }
    })
}

pub(crate) fn node_face_options(settings: &ContactSettings) -> NodeFaceOptions {
    NodeFaceOptions {
        method: closest_point_method(settings.closest_point.value),
        start: match settings.start {
            ClosestPointStart::Nearest => StartFrom::Nearest,
            ClosestPointStart::Centre => StartFrom::Centre,
            ClosestPointStart::Previous => StartFrom::Previous,
        },
    }
}

pub(crate) fn closest_point_method(method: ClosestPointMethod) -> Method {
    match method {
        ClosestPointMethod::Auto => Method::Auto,
        ClosestPointMethod::Sqp => Method::Sqp,
        ClosestPointMethod::SqpBfgs => Method::SqpBfgs,
        ClosestPointMethod::ActiveSet => Method::ActiveSet,
        ClosestPointMethod::InteriorPoint => Method::InteriorPoint,
        ClosestPointMethod::Newton => Method::Newton,
        ClosestPointMethod::Projection => Method::Projection,
        ClosestPointMethod::NearestNode => Method::NearestNode,
        ClosestPointMethod::Voronoi => Method::Voronoi,
        ClosestPointMethod::BruteForce => Method::BruteForce,
    }
}

fn volume_kind(volume: BoundingVolume) -> VolumeKind {
    match volume {
        BoundingVolume::Sphere => VolumeKind::Sphere,
        BoundingVolume::Aabb => VolumeKind::Aabb,
        BoundingVolume::Dop8 => VolumeKind::Dop8,
        BoundingVolume::Dop14 => VolumeKind::Dop14,
        BoundingVolume::Dop18 => VolumeKind::Dop18,
        BoundingVolume::Dop26 => VolumeKind::Dop26,
        BoundingVolume::Obb => VolumeKind::Obb,
    }
}
