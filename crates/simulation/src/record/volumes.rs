//! Bounding volumes of contact detection as output frames.

use std::path::Path;

use crate::contact::detection::{Configuration, Placement, QueuedPair};
use crate::io::OutputError;
use crate::io::vtk::{Balls, FieldData, Grid, NamedField, Series};

use crate::{Phase, Simulation};

impl Simulation {
    /// For each pair of bodies that can still touch, the two bounding spheres that detection examines next. Empty for a
    /// detector without a queue of predicted contact times.
    pub fn top_of_queue(&mut self) -> Vec<QueuedPair> {
        let time = self.state.nodes.time;
        if self.state.phase == Phase::Flight {
            self.plan_motions(self.settings.time.flight_step);
            return self
                .caches
                .detector
                .top_of_queue(&Placement::Flying { time, motions: &self.scratch.motions });
        }
        self.caches.detector.top_of_queue(&Placement::Deforming(Configuration {
            time,
            time_step: self.state.control.time_step(),
            positions: &self.state.nodes.positions,
            positions_before: &self.state.nodes.positions,
        }))
    }

    /// Writes a series with one frame for each level of the hierarchies down to `depth`, in the configuration in which
    /// the hierarchies were built. The time of a frame is the depth of the level. Returns the number of levels, or
    /// `None` without hierarchies.
    ///
    /// # Errors
    /// [`OutputError`] if the directory or a file in it cannot be written.
    pub fn write_hierarchy_levels(
        &self,
        directory: &Path,
        name: &str,
        depth: u32,
    ) -> Result<Option<u32>, OutputError> {
        let bodies = 0..self.model.bodies.len() as u32;
        let trees = bodies.filter_map(|body| self.caches.detector.hierarchy(body));
        let Some(deepest) = trees.map(|tree| tree.leaf_depths().max).max() else { return Ok(None) };
        let mut series = Series::create(directory, name, Grid::default())?;
        let last = depth.min(deepest);
        for level in 0..=last {
            let (grid, frame) = self.hierarchy_level(level).into_frame();
            series.replace_grid(grid)?;
            series.write(frame)?;
        }
        series.finish()?;
        Ok(Some(last + 1))
    }

    /// Spheres of all hierarchies at the depth `level`, and of the leaves at smaller depths.
    fn hierarchy_level(&self, level: u32) -> Balls {
        let mut balls = Balls { time: f64::from(level), ..Balls::default() };
        let (mut bodies, mut depths, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for body in 0..self.model.bodies.len() as u32 {
            let Some(tree) = self.caches.detector.hierarchy(body) else { continue };
            for v in tree.level(level) {
                let sphere = tree.reference_sphere(v);
                balls.centres.push(sphere.centre);
                balls.radii.push(sphere.radius);
                bodies.push(body as i32);
                depths.push(tree.depth_of(v) as i32);
                faces.push(tree.num_leaves_below(v) as i32);
            }
        }
        balls.fields = integers([("body", bodies), ("depth", depths), ("faces", faces)]);
        balls
    }
}

/// Two spheres per pair.
pub(crate) fn balls_of_pairs(time: f64, pairs: &[QueuedPair]) -> Balls {
    let of_each = |value: fn(&QueuedPair, usize) -> u32| -> Vec<i32> {
        pairs.iter().flat_map(|pair| [0, 1].map(|k| value(pair, k) as i32)).collect()
    };
    let mut fields = integers([
        ("body", of_each(|pair, k| pair.bodies[k])),
        ("other_body", of_each(|pair, k| pair.bodies[1 - k])),
        ("depth", of_each(|pair, k| pair.depth[k])),
        ("faces", of_each(|pair, k| pair.num_faces[k])),
    ]);
    let predicted = pairs.iter().flat_map(|pair| [pair.time; 2]).collect();
    fields.push(NamedField::new("predicted_time", FieldData::Scalar(predicted)));
    let spheres = || pairs.iter().flat_map(|pair| pair.spheres);
    Balls {
        time,
        centres: spheres().map(|sphere| sphere.centre).collect(),
        radii: spheres().map(|sphere| sphere.radius).collect(),
        fields,
    }
}

fn integers<const N: usize>(fields: [(&str, Vec<i32>); N]) -> Vec<NamedField> {
    fields.into_iter().map(|(name, values)| NamedField::new(name, FieldData::Integer(values))).collect()
}
