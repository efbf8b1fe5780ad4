//! The detector of a scenario.

use crate::contact::detection::{Cells, ContactModel, Detector, DetectorSetup};
use crate::error::SetupError;
use crate::model::Model;
use crate::scenario::ContactSettings;

/// The detector that `[contact]` selects.
///
/// # Errors
/// [`SetupError::DistanceField`] for a body whose distance field cannot be computed.
pub(crate) fn build_detector(
    settings: &ContactSettings,
    contact: ContactModel,
    model: &Model,
) -> Result<Box<dyn Detector>, SetupError> {
    let cells: Vec<Vec<Cells<'_>>> = model.bodies.iter().map(|body| body.cells().collect()).collect();
    let detector = settings.detection.build(DetectorSetup {
        model: contact,
        options: &settings.detector,
        positions: &model.reference_positions,
        cells: &cells,
    });
    detector.map_err(|(body, source)| SetupError::DistanceField {
        body: model.bodies[body as usize].name.clone(),
        source,
    })
}
