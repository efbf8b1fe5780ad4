//! Assembly of supports, prescribed motion and loads.

use crate::dynamics::{
    Load, Prescribed, PrescribedRotation, RigidBody, Support, Turn, consistent_shares, lumped_shares,
};
use crate::math::{Mat3, TimeFunction, Vec3};
use crate::mesh::CellKind;
use crate::scenario::{
    self, Axis, BodySpec, BoundarySpec, LoadKind, LoadSpec, Located, PrescribedMotion, Scenario, VelocitySpec,
};

use super::assembly::{Assembly, faces_of_group, geometry, geometry_at, global_faces};
use super::sheets::Extent;
use crate::error::{Conflict, SetupError};
use crate::model::{Behaviour, Block, RigidSupport};
use crate::settle::initial_motion::InitialVelocity;

/// Number of equal intervals of the run. The peak of a varying gravity is sampled at the ends of the intervals.
const SAMPLES: u32 = 64;

/// A principal second moment of a set of points counts as zero up to this fraction of the largest component of the
/// matrix of second moments.
const FLATNESS: f64 = 1e-10;

/// Share of each node in the mass of a rigid body \[kg\]. The share is linear in the nodal position, so that the
/// resultant of the nodal weights acts at the centre of mass.
fn weight_shares(rigid_state: &RigidBody, positions: &[Vec3]) -> Vec<f64> {
    let (mass, centre) = (rigid_state.mass(), rigid_state.reference_centre());
    let count = positions.len() as f64;
    let mean = positions.iter().sum::<Vec3>() / count;
    let spread: Mat3 = positions.iter().map(|x| (x - mean) * (x - mean).transpose()).sum();
    let inverse = spread.pseudo_inverse(FLATNESS * spread.amax()).unwrap_or_default();
    let slope = inverse * (centre - mean) * mass;
    positions.iter().map(|x| mass / count + slope.dot(&(x - mean))).collect()
}

impl Assembly {
    /// `account` is the index of the support account, which sums the reactions of the boundary.
    pub(crate) fn add_boundary(
        &mut self,
        scenario: &Scenario,
        boundary: &BoundarySpec,
        account: usize,
    ) -> Result<(), SetupError> {
        let spec = &scenario.bodies[boundary.body];
        self.refuse_turn_out_of_plane(spec, boundary)?;
        let nodes = self.nodes_of(spec, boundary.body, boundary.group.as_ref())?;
        let components = boundary.components.iter().map(|component| &component.value);
        let motions = components.map(|(axis, motion)| (*axis as usize, prescribed(motion)));
        match &mut self.model.bodies[boundary.body].behaviour {
            Behaviour::Rigid { support } => {
                let support = support.get_or_insert_with(|| {
                    Box::new(RigidSupport { moment_account: account, ..RigidSupport::default() })
                });
                // If several boundaries prescribe a component, the account of the first records the reaction.
                for (axis, motion) in motions {
                    if support.components[axis].is_none() {
                        support.components[axis] = Some(motion);
                        support.accounts[axis] = account;
                    }
                }
            }
            Behaviour::Deformable { supported, moved } => {
                *supported = true;
                let supports = &mut self.model.supports;
                for (axis, motion) in motions {
                    *moved |= !motion.is_fixed();
                    let is_held = |node: &u32| {
                        let mut along = supports.iter().filter(|support| support.axis == axis);
                        along.any(|support| support.nodes.binary_search(node).is_ok())
                    };
                    let nodes: Vec<u32> = nodes.iter().copied().filter(|node| !is_held(node)).collect();
                    if !nodes.is_empty() {
                        supports.push(Support { nodes, axis, motion, account });
                    }
                }
            }
            // No boundary refers to a wall.
            Behaviour::Wall { .. } => {}
        }
        Ok(())
    }

    /// Rejects a component that two boundaries prescribe differently for one node or rigid body.
    pub(crate) fn refuse_conflicts(
        &self,
        scenario: &Scenario,
        earlier: &[BoundarySpec],
        later: &BoundarySpec,
    ) -> Result<(), SetupError> {
        let spec = &scenario.bodies[later.body];
        for earlier in earlier.iter().filter(|earlier| earlier.body == later.body) {
            let disputed = later.components.iter().find(|component| {
                let (axis, motion) = &component.value;
                let mut before = earlier.components.iter().map(|component| &component.value);
                before.any(|(earlier_axis, earlier_motion)| earlier_axis == axis && earlier_motion != motion)
            });
            let Some(component) = disputed else { continue };
            let rigid = self.model.bodies[later.body].is_rigid();
            let node = self.shared_node(spec, earlier, later)?;
            if rigid || node.is_some() {
                let name = |boundary: &BoundarySpec| {
                    boundary.group.as_ref().map_or("all", |group| &group.value).to_owned()
                };
                return Err(SetupError::ConflictingBoundaries(Box::new(Conflict {
                    body: spec.name.clone(),
                    axis: component.value.0,
                    groups: [name(earlier), name(later)],
                    node: node.filter(|_| !rigid),
                    span: component.span.clone(),
                })));
            }
        }
        Ok(())
    }

    /// Rejects a prescribed rotation of a plane deformable body out of z = 0.
    fn refuse_turn_out_of_plane(&self, spec: &BodySpec, boundary: &BoundarySpec) -> Result<(), SetupError> {
        let is_plane = |block: &Block| block.internal.is_some() && block.kind.dimension() == 2;
        if !self.model.bodies[boundary.body].blocks.iter().any(is_plane) {
            return Ok(());
        }
        let leaves_plane = |component: &&Located<(Axis, PrescribedMotion)>| match &component.value.1 {
            PrescribedMotion::Rotation(rotation) => rotation.axis.x != 0.0 || rotation.axis.y != 0.0,
            _ => false,
        };
        match boundary.components.iter().find(leaves_plane) {
            Some(component) => {
                Err(SetupError::TurnOutOfPlane { body: spec.name.clone(), span: component.span.clone() })
            }
            None => Ok(()),
        }
    }

    /// Lowest number, in the mesh file, of a node that both boundaries contain.
    fn shared_node(
        &self,
        spec: &BodySpec,
        earlier: &BoundarySpec,
        later: &BoundarySpec,
    ) -> Result<Option<u64>, SetupError> {
        let (mesh, first) = &self.meshes[later.body];
        let before = self.nodes_of(spec, earlier.body, earlier.group.as_ref())?;
        let nodes = self.nodes_of(spec, later.body, later.group.as_ref())?;
        let shared = nodes.iter().filter(|node| before.binary_search(node).is_ok());
        Ok(shared.map(|node| mesh.node_tags[(node - first) as usize]).min())
    }

    pub(crate) fn initial_velocities(&self, scenario: &Scenario) -> Result<Vec<InitialVelocity>, SetupError> {
        let one = |spec: &VelocitySpec| {
            let nodes = self.nodes_of(&scenario.bodies[spec.body], spec.body, spec.group.as_ref())?;
            Ok(InitialVelocity { nodes, velocity: spec.velocity, angular_velocity: spec.angular_velocity })
        };
        scenario.velocities.iter().map(one).collect()
    }

    /// Global numbers of the nodes of a group in ascending order; without a group, of all nodes of the body.
    fn nodes_of(
        &self,
        spec: &BodySpec,
        body: usize,
        group: Option<&Located<String>>,
    ) -> Result<Vec<u32>, SetupError> {
        let (mesh, first) = &self.meshes[body];
        let Some(group) = group else {
            return Ok((*first..first + mesh.nodes.len() as u32).collect());
        };
        let nodes =
            mesh.group_nodes(&group.value).map_err(|source| geometry_at(spec, source, &group.span))?;
        Ok(nodes.into_iter().map(|node| node + first).collect())
    }

    /// Adds the weight under a varying gravity. `end` is the end time of the run \[s\].
    pub(crate) fn add_weight(&mut self, body: usize, acceleration: &[TimeFunction; 3], end: f64) {
        let model = &mut self.model;
        let of_body = &mut model.bodies[body];
        let instants = (0..=SAMPLES).map(|k| end * f64::from(k) / f64::from(SAMPLES));
        let size = |time| Vec3::from_fn(|axis, _| acceleration[axis].value(time)).norm();
        of_body.peak_gravity = instants.map(size).fold(0.0, f64::max);
        of_body.loaded = true;
        let nodes = of_body.nodes.clone();
        let shares = match &self.rigid_states[body] {
            Some(rigid_state) => weight_shares(rigid_state, &model.reference_positions[nodes.clone()]),
            None => model.mass[nodes.clone()].to_vec(),
        };
        let shares = nodes.map(|node| node as u32).zip(shares).collect();
        model.loads.push(Load::Dead { shares, value: acceleration.clone() });
    }

    pub(crate) fn add_load(&mut self, scenario: &Scenario, load: &LoadSpec) -> Result<(), SetupError> {
        let spec = &scenario.bodies[load.body];
        if matches!(load.kind, LoadKind::BodyForce(_)) && self.extents[load.body] == Extent::Sheet {
            return Err(SetupError::BodyForceOnSheet { body: spec.name.clone() });
        }
        self.model.bodies[load.body].loaded = true;
        let cells = match load.kind {
            LoadKind::BodyForce(_) => self.cells_of(spec, load)?,
            LoadKind::Pressure(_) | LoadKind::Traction(_) => self.faces_of(spec, load)?,
        };
        let slices = || cells.iter().map(|(kind, nodes)| (*kind, nodes.as_slice()));
        let load = match &load.kind {
            LoadKind::Pressure(value) => Load::Pressure { faces: cells, value: value.clone() },
            LoadKind::Traction(value) => {
                let shares = consistent_shares(slices(), &self.model.reference_positions);
                Load::Dead { shares, value: value.clone() }
            }
            LoadKind::BodyForce(value) => {
                let shares = lumped_shares(slices(), &self.model.reference_positions);
                Load::Dead { shares, value: value.clone() }
            }
        };
        self.model.loads.push(load);
        Ok(())
    }

    /// Faces of the group of a load; without a group, the whole skin.
    fn faces_of(&self, spec: &BodySpec, load: &LoadSpec) -> Result<Vec<(CellKind, Vec<u32>)>, SetupError> {
        let (mesh, first) = &self.meshes[load.body];
        let extent = self.extents[load.body];
        let Some(group) = &load.group else {
            let skin = if extent == Extent::Sheet { mesh.shell() } else { mesh.skin() };
            return Ok(global_faces(&skin.map_err(|source| geometry(spec, source))?, *first));
        };
        faces_of_group(spec, mesh, extent, group, *first)
    }

    /// Elements of the group of a load; without a group, all elements.
    fn cells_of(&self, spec: &BodySpec, load: &LoadSpec) -> Result<Vec<(CellKind, Vec<u32>)>, SetupError> {
        let (mesh, first) = &self.meshes[load.body];
        let dimension = mesh.dimension().unwrap_or(0);
        let cells: Vec<(u32, u32)> = match &load.group {
            Some(group) => {
                let groups = mesh.groups_of_dimension(&group.value, dimension);
                let groups = groups.map_err(|source| geometry_at(spec, source, &group.span))?;
                groups.into_iter().flat_map(|group| group.cells.iter().copied()).collect()
            }
            None => mesh
                .blocks_of_dimension(dimension)
                .flat_map(|(index, block)| (0..block.len() as u32).map(move |cell| (index as u32, cell)))
                .collect(),
        };
        let cell = |(block, cell): (u32, u32)| {
            let block = &mesh.blocks[block as usize];
            (block.kind, block.cell(cell as usize).iter().map(|node| node + first).collect())
        };
        Ok(cells.into_iter().map(cell).collect())
    }

    /// Computes inverse masses: 0 for a node with a prescribed motion in all three directions.
    pub(crate) fn fix_supported_nodes(&mut self) {
        let model = &mut self.model;
        model.inverse_mass = model.mass.iter().map(|mass| 1.0 / mass).collect();
        let mut held = vec![[false; 3]; model.mass.len()];
        for support in &model.supports {
            for &node in &support.nodes {
                held[node as usize][support.axis] = true;
            }
        }
        for body in &model.bodies {
            if let Behaviour::Rigid { support: Some(support) } = &body.behaviour {
                held[body.nodes.clone()].fill(support.components.each_ref().map(Option::is_some));
            }
        }
        for (inverse, held) in model.inverse_mass.iter_mut().zip(held) {
            if held == [true; 3] {
                *inverse = 0.0;
            }
        }
    }
}

fn prescribed(motion: &PrescribedMotion) -> Prescribed {
    match motion {
        PrescribedMotion::Fixed => Prescribed::Fixed,
        PrescribedMotion::Displacement(function) => Prescribed::Displacement(function.clone()),
        PrescribedMotion::Velocity(function) => Prescribed::Velocity(function.clone()),
        PrescribedMotion::Acceleration(function) => Prescribed::Acceleration(function.clone()),
        PrescribedMotion::Rotation(scenario::PrescribedRotation { axis, point, turn }) => {
            let turn = match turn {
                scenario::Turn::Angle(angle) => Turn::Angle(angle.clone()),
                scenario::Turn::Speed(speed) => Turn::Speed(speed.clone()),
            };
            Prescribed::Rotation(PrescribedRotation { axis: *axis, point: *point, turn })
        }
    }
}
