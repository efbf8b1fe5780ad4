//! Kinematics from the first steps of a flight: velocities and accelerations of the hierarchy roots, from differences
//! of their positions.
//!
//! The hierarchies are refitted to the nodes at three instants: the beginning of the flight and the ends of the first
//! two steps. The three centres of a root sphere give the motion of the root ([`RootHistory`]). A prediction starts
//! from the spheres refitted at the current instant. These spheres grow by a bound on the error of the motions, so that
//! no contact is predicted late.
//!
//! # Source
//! Aragón & Molinari, CMAME 268 (2014), §3.1 and §5.2, with the same three instants.

use rayon::prelude::*;

use crate::detection::model::ContactModel;
use crate::detection::trajectory::bounding_spheres::MovingSphere;
use crate::detection::trajectory::{Flight, RootHistory};
use crate::detection::tree::hierarchy::Hierarchy;
use crate::detection::volume::Sphere;
use crate::math::{RigidMotion, Vec3};

#[derive(Clone, Debug, Default)]
pub(crate) struct FirstSteps {
    history: RootHistory,
    /// Instant at which the spheres were last refitted \[s\].
    fitted_at: f64,
    positions: Vec<Vec3>,
    /// Refitted spheres of the vertices, by body.
    spheres: Vec<Vec<Sphere>>,
}

impl FirstSteps {
    pub fn from_history(history: RootHistory) -> Self {
        Self { history, ..Self::default() }
    }

    pub fn history(&self) -> &RootHistory {
        &self.history
    }

    /// Whether the roots are known at three instants.
    pub fn are_known(&self) -> bool {
        self.history.is_complete()
    }

    /// Moving sphere of a vertex, without the outward offset of the surface. `None` until the kinematics are known and
    /// the spheres fitted.
    pub fn sphere(&self, motion: &RigidMotion, body: u32, vertex: u32, time: f64) -> Option<MovingSphere> {
        let sphere = self.spheres.get(body as usize)?.get(vertex as usize)?;
        let root = self.history.motion(body)?;
        Some(root.carry(motion, sphere, time))
    }

    /// A material point of a body, as a moving sphere of initial radius 0; `None` until the kinematics are known.
    pub fn carried(
        &self,
        motion: &RigidMotion,
        body: u32,
        reference: &Vec3,
        time: f64,
    ) -> Option<MovingSphere> {
        let root = self.history.motion(body)?;
        let centre = motion.point(reference, 0.0).0;
        Some(root.carry(motion, &Sphere { centre, radius: 0.0 }, time))
    }

    /// Instant of the latest positions of the roots \[s\].
    pub fn last_instant(&self) -> Option<f64> {
        self.history.last_instant()
    }

    pub fn fitted_at(&self) -> f64 {
        self.fitted_at
    }

    /// Refits the spheres to the nodes at `flight.time`, and records the root positions. Returns the number of spheres.
    pub fn take_positions(
        &mut self,
        trees: &[Option<Hierarchy>],
        model: &ContactModel,
        flight: &Flight<'_>,
    ) -> usize {
        let count = self.refit(trees, model, flight);
        let no_faces = Sphere { centre: Vec3::zeros(), radius: 0.0 };
        let roots = self.spheres.iter().map(|spheres| spheres.last().copied().unwrap_or(no_faces));
        self.history.push(flight.time, roots.collect(), flight.motions);
        count
    }

    /// Refits the spheres to the nodes at `flight.time`. Returns the number of spheres.
    pub fn refit(&mut self, trees: &[Option<Hierarchy>], model: &ContactModel, flight: &Flight<'_>) -> usize {
        let Self { positions, spheres, fitted_at, .. } = self;
        positions.resize(flight.reference_positions.len(), Vec3::zeros());
        for (surface, motion) in model.surfaces.iter().zip(flight.motions) {
            for &node in surface.nodes() {
                positions[node as usize] = motion.point(&flight.reference_positions[node as usize], 0.0).0;
            }
        }
        spheres.resize(trees.len(), Vec::new());
        let refit = |(tree, spheres): (&Option<Hierarchy>, &mut Vec<Sphere>)| {
            tree.as_ref().map_or(0, |tree| {
                tree.refit(positions, spheres);
                spheres.len()
            })
        };
        *fitted_at = flight.time;
        trees.par_iter().zip(spheres).map(refit).sum()
    }
}
