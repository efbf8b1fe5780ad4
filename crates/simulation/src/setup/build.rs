//! Set-up of a simulation from a scenario.

use std::time::Instant;

use crate::contact::detection::{
    Cells, ContactModel, DetectionMethod, EntryFaces, TunnellingGuard, WallDetector, self_crossings,
};
use crate::contact::{Constraints, Surface};
use crate::dynamics::{CriticalStep, InternalForce, RigidBody};
use crate::math::Vec3;
use crate::scenario::{
    BodySpec, ContactSettings, DynamicRelaxation, InitialPenetration, MaterialModel, Scenario, StepSize,
    TimeSettings,
};

use super::assembly::Assembly;
use super::contact_thickness::offset_points;
use super::detector::build_detector;
use super::initial_penetration::{
    describe, lined_up, moved_apart, overlaps, refuse, refuse_bodies_behind_walls,
};
use super::response::build_response;
use super::sheets::bodies_behind_sheets;
use super::spring_stiffness::{resting_contact_step, stiff_spring_step, stiffness_warning};
use super::surface_pairs::{contact_policy, own_laws};
use super::ties::refuse_tied_contact;
use super::walls::{detected_walls, refuse_walls_out_of_plane};
use crate::Simulation;
use crate::contact_selection::ContactSelection;
use crate::error::{Overlap, SetupError};
use crate::model::{Behaviour, Body, Model};
use crate::parts::{Caches, Scratch, Settings};
use crate::progress::Phase;
use crate::record::schedule::OutputTimes;
use crate::settle::initial_motion::{InitialMotion, InitialVelocity};
use crate::state::State;
use crate::step::contact::response::{nodal_mobility, tied_mobility};
use crate::step::corrector::chunks_of;
use crate::step::driven_ties::DrivenTies;
use crate::step::driving_functions::DrivingFunctions;
use crate::step::free_flight::rigid_state_of_nodes;
use crate::step::impact_times::ImpactControl;
use crate::step::step_size::StepControl;
use crate::step::ties::build_ties;
use crate::step::tunnelling::radii;
use crate::timings::Timings;

impl Simulation {
    /// Sets up a scenario, and treats overlaps at t = 0 by the policy `initial_penetration` of the scenario.
    ///
    /// # Errors
    /// [`SetupError`], for example for an unreadable or invalid mesh, a missing group, a body without mass, or
    /// overlapping bodies.
    pub fn new(scenario: &Scenario) -> Result<Self, SetupError> {
        let begin = Instant::now();
        let read = BodiesApart::read(scenario)?;
        read.refuse_unsupported(scenario)?;
        let of_groups = read.assembly.initial_velocities(scenario)?;
        let mut simulation = read.assemble(scenario)?;
        if scenario.contact.initial_penetration == InitialPenetration::Offset
            && !simulation.settings.initial_penetrations.is_empty()
        {
            simulation.keep_initial_gaps()?;
        }
        match scenario.dynamic_relaxation {
            Some(relaxation) => simulation.begin_relaxation(scenario, relaxation, of_groups),
            None => simulation.begin(scenario, &of_groups),
        }
        let Timings { read, hierarchy, integration, .. } = simulation.timings;
        simulation.timings.setup = begin.elapsed().as_secs_f64() - read - hierarchy - integration;
        Ok(simulation)
    }

    fn begin_relaxation(
        &mut self,
        scenario: &Scenario,
        relaxation: DynamicRelaxation,
        of_groups: Vec<InitialVelocity>,
    ) {
        let motion = InitialMotion::new(&scenario.bodies, &self.state.rigid_bodies, of_groups);
        for (body, rigid_state) in self.model.bodies.iter().zip(&mut self.state.rigid_bodies) {
            match rigid_state {
                Some(rigid_state) if body.is_rigid() => {
                    rigid_state.set_velocity(Vec3::zeros(), Vec3::zeros());
                }
                _ => *rigid_state = None,
            }
        }
        self.settings.relaxation = Some((relaxation, motion));
        self.state.phase = Phase::Relaxing;
        self.start_forces();
        self.begin_audit();
    }

    /// The run begins in flight if every body and wall either flies without strain or stays at rest, and the scenario
    /// has no ties, no overlaps kept as initial gaps, and no initial velocities of groups of nodes.
    fn begin(&mut self, scenario: &Scenario, of_groups: &[InitialVelocity]) {
        let specs = &scenario.bodies;
        for (index, spec) in specs.iter().enumerate() {
            let body = &self.model.bodies[index];
            let mut rigid_state = self.state.rigid_bodies[index]
                .take()
                .unwrap_or_else(|| rigid_state_of_nodes(&self.model, body));
            rigid_state.set_velocity(spec.velocity, spec.angular_velocity);
            for node in body.nodes.clone() {
                self.state.nodes.velocities[node] =
                    rigid_state.velocity_at(&self.state.nodes.positions[node]);
            }
            self.state.rigid_bodies[index] = Some(rigid_state);
        }
        for of_group in of_groups {
            of_group.apply(&self.model.mass, &self.state.nodes.positions, &mut self.state.nodes.velocities);
        }
        let at_rest =
            |spec: &BodySpec| spec.velocity == Vec3::zeros() && spec.angular_velocity == Vec3::zeros();
        // A rotation would strain a body with a non-objective material law.
        let would_strain = |spec: &BodySpec| {
            let model = scenario.materials[spec.material].model;
            matches!(model, MaterialModel::Hyperelastic(law, _) if !law.is_objective)
                && spec.angular_velocity != Vec3::zeros()
        };
        let flies = self
            .model
            .bodies
            .iter()
            .zip(specs)
            .all(|(body, spec)| body.flies() && !would_strain(spec) || body.stays() && at_rest(spec))
            && self.state.contact.initial_gaps.is_empty()
            && of_groups.is_empty()
            && self.ties.is_none()
            && self.model.walls().all(|(_, wall)| wall.flies() || wall.stays());
        for (number, wall) in self.model.walls() {
            let velocity = self.state.rigid_bodies[number as usize].as_ref().map(RigidBody::velocity);
            self.state.nodes.velocities[wall.nodes.start] = velocity.unwrap_or_else(Vec3::zeros);
        }
        for (body, rigid_state) in self.model.bodies.iter().zip(&mut self.state.rigid_bodies) {
            if !(body.is_rigid() || flies && body.flies()) {
                *rigid_state = None;
            }
        }
        self.start_forces();
        self.state.phase = if flies { Phase::Flight } else { Phase::Stepping };
        self.begin_audit();
    }
}

struct BodiesApart {
    assembly: Assembly,
    ties: Constraints,
    contact: ContactModel,
    walls: WallDetector,
    /// Overlaps before the policy `remove` moved any node.
    penetrations: Vec<Overlap>,
    /// Wall-clock duration of reading the meshes, assembling the model and tying its surfaces, the first time \[s\].
    read_seconds: f64,
}

impl BodiesApart {
    /// With the policy `remove`, moves overlapping bodies apart.
    fn read(scenario: &Scenario) -> Result<Self, SetupError> {
        let begin = Instant::now();
        let (mut assembly, mut ties) = Assembly::build(scenario, None)?.tie(scenario)?;
        let read_seconds = begin.elapsed().as_secs_f64();
        let policy = scenario.contact.initial_penetration;
        let (mut contact, mut walls) = contact_model(scenario, &assembly)?;
        let positions = &assembly.model.reference_positions;
        let options = scenario.contact.detector.engine.node_face;
        let unit = scenario.likely_units().symbol_of("m");
        let penetrations = overlaps(&contact, &walls, options, &assembly.model, positions, &unit);
        if policy == InitialPenetration::Remove && !penetrations.is_empty() {
            refuse_bodies_behind_walls(&penetrations, &assembly.model)?;
            refuse(lined_up(&penetrations), policy, &assembly.model)?;
            let positions = moved_apart(&contact, &mut walls, options, &assembly.model);
            let moved = Assembly::build(scenario, Some(&positions)).map_err(SetupError::of_removal)?;
            (assembly, ties) = moved.tie(scenario)?;
            (contact, walls) = contact_model(scenario, &assembly)?;
        }
        Ok(Self { assembly, ties, contact, walls, penetrations, read_seconds })
    }

    fn refuse_unsupported(&self, scenario: &Scenario) -> Result<(), SetupError> {
        let Self { assembly, contact, walls, .. } = self;
        let model = &assembly.model;
        refuse_tied_contact(scenario, contact, model)?;
        refuse_supported_spin(model, &scenario.bodies)?;
        refuse_unsupported_faces(&assembly.surfaces, model, &scenario.contact)?;
        refuse_walls_out_of_plane(scenario, model, &contact.policy)?;
        let options = scenario.contact.detector.engine.node_face;
        let unit = scenario.likely_units().symbol_of("m");
        let left = overlaps(contact, walls, options, model, &model.reference_positions, &unit);
        refuse(left, scenario.contact.initial_penetration, model)?;
        refuse_self_crossings(contact, model)
    }

    /// In the new simulation, all nodes are at rest.
    fn assemble(self, scenario: &Scenario) -> Result<Simulation, SetupError> {
        let Self { assembly, ties, contact, walls, penetrations, read_seconds } = self;
        let own_laws = own_laws(scenario, &assembly)?;
        let probes = assembly.probes(scenario)?;
        let Assembly { mut model, surfaces, element_blocks, rigid_states, meshes, extents, mut warnings } =
            assembly;
        drop(meshes);
        let internal = InternalForce::new(element_blocks, model.reference_positions.len());
        let critical = internal.critical_steps(&model.reference_positions, &internal.initial_history());
        warnings.extend(bodies_behind_sheets(scenario, &contact, &model, &extents));
        warnings.extend(step_warning(&scenario.time, &critical));
        warnings.extend(stiffness_warning(scenario, &model, &contact.surfaces, &critical));
        let policy = scenario.contact.initial_penetration;
        warnings.extend(penetrations.iter().map(|overlap| describe(overlap, policy)));
        model.radii = radii(&surfaces, &rigid_states, &model.reference_positions);
        model.surfaces = surfaces;
        model.block_critical_steps = critical;
        let ties = build_ties(ties, scenario, &model, &nodal_mobility(&model), &rigid_states)?;
        let mobility = tied_mobility(&model, ties.as_ref());
        let settings = Settings {
            time: scenario.time.clone(),
            driving_functions: DrivingFunctions::new(scenario),
            exact_output: scenario.output.exact.then(|| OutputTimes::of(scenario)),
            contact_remedy: contact_energy_remedy(scenario),
            chunks: chunks_of(&model),
            driven_ties: DrivenTies::of(ties.as_ref(), &model),
            initial_penetrations: penetrations,
            rigid_travel: rigid_travel(&contact, &model),
            probes,
            relaxation: None,
        };
        let limits = [
            settings.rigid_travel.map_or(f64::INFINITY, |(travel, _)| travel),
            stiff_spring_step(scenario, &model, &contact.surfaces),
            resting_contact_step(&model, &contact.surfaces),
        ];
        let control = StepControl::new(scenario.time.step, scenario.time.safety, limits);
        let ranges = settings.driving_functions.ranges(scenario.time.end);
        let response = build_response(scenario, &own_laws, &model, &contact.surfaces);
        let history = internal.initial_history();
        let memory = response.no_memory();
        let state = State::at_rest(&model, rigid_states, history, memory, control, (ranges, warnings));
        let selection = ContactSelection {
            policy: contact.policy.clone(),
            entry_faces: entry_faces(scenario, &contact),
            flush_contacts_act: response.uses_flush_contacts(),
            offset_points: offset_points(scenario, &model, &model.surfaces),
            keys: Vec::new(),
            workspace: Constraints::default(),
        };
        let resolves = scenario.contact.resolve_impact;
        let impact_control = resolves.then(|| Box::new(ImpactControl::new(contact.clone())));
        let tunnelling = TunnellingGuard::new(&contact);
        let start = Instant::now();
        let detector = build_detector(&scenario.contact, contact, &model)?;
        let hierarchy = start.elapsed().as_secs_f64();
        let caches =
            Caches { internal, detector, wall_detector: walls, tunnelling, mobility, impact_control };
        let timings = Timings { read: read_seconds, hierarchy, ..Timings::default() };
        let scratch = Scratch::new(&model, settings.chunks.len());
        let earlier = None;
        Ok(Simulation {
            model,
            settings,
            state,
            earlier,
            response,
            ties,
            selection,
            caches,
            scratch,
            timings,
        })
    }
}

/// Rejects an initial angular velocity of a rigid body with supports: the supports determine the rotation.
fn refuse_supported_spin(model: &Model, specs: &[BodySpec]) -> Result<(), SetupError> {
    let held = |body: &Body| matches!(body.behaviour, Behaviour::Rigid { support: Some(_) });
    let mut rotating = model.bodies.iter().zip(specs);
    match rotating.find(|(body, spec)| held(body) && spec.angular_velocity != Vec3::zeros()) {
        Some((body, _)) => Err(SetupError::SupportedSpin { body: body.name.clone() }),
        None => Ok(()),
    }
}

/// Advice to the user: a change of the scenario with which contact creates less energy.
fn contact_energy_remedy(scenario: &Scenario) -> &'static str {
    let response = &scenario.contact.response;
    let step_is_fixed = matches!(scenario.time.step, StepSize::Fixed(_));
    response.method.energy_remedy(&response.options, step_is_fixed)
}

fn refuse_unsupported_faces(
    surfaces: &[Surface],
    model: &Model,
    settings: &ContactSettings,
) -> Result<(), SetupError> {
    let method = settings.detector.engine.node_face.method;
    for (surface, body) in surfaces.iter().zip(&model.bodies) {
        let mut kinds = (0..surface.num_faces()).map(|face| surface.face(face).0);
        if let Some(kind) = kinds.find(|&kind| !method.serves(kind)) {
            let (body, span) = (body.name.clone(), settings.closest_point_span.clone());
            return Err(SetupError::ClosestPoint { body, kind: kind.name(), span });
        }
    }
    Ok(())
}

/// Largest relative rounding error of a number printed with four digits.
const ROUNDING_OF_FOUR_DIGITS: f64 = 5e-4;

/// Warning of a fixed step that exceeds the critical step.
fn step_warning(settings: &TimeSettings, critical: &[Option<CriticalStep>]) -> Option<String> {
    let StepSize::Fixed(size) = settings.step else { return None };
    let critical = critical.iter().flatten().map(|c| c.time_step).fold(f64::INFINITY, f64::min);
    (size > critical).then(|| {
        let ratio = size / critical;
        let rounded = critical * (1.0 - ROUNDING_OF_FOUR_DIGITS);
        format!(
            "`time.step` is {ratio:.2} times the critical step of {rounded:.3e} s, a lower bound of the stability limit, \
             so that the run may be unstable; set `time.step` to \"auto\", or to {rounded:.3e} at most"
        )
    })
}

fn contact_model(
    scenario: &Scenario,
    assembly: &Assembly,
) -> Result<(ContactModel, WallDetector), SetupError> {
    let Assembly { model, surfaces, .. } = assembly;
    let positions = &model.reference_positions;
    let policy = contact_policy(scenario, assembly)?;
    let touching_themselves: Vec<u32> = (0..scenario.bodies.len() as u32)
        .filter(|&body| scenario.bodies[body as usize].self_contact)
        .collect();
    let offsets: Vec<f64> = scenario.bodies.iter().map(|body| 0.5 * body.contact_thickness).collect();
    let walls = WallDetector::new(detected_walls(model), surfaces, &policy, positions).with_offsets(&offsets);
    let cells: Vec<Vec<Cells<'_>>> = model.bodies.iter().map(|body| body.cells().collect()).collect();
    let contact = ContactModel::of_solids(surfaces.clone(), &cells, policy, positions);
    let contact = match scenario.contact.search_depth {
        Some(depth) => contact.with_search_depth(depth),
        None => contact,
    };
    let contact = contact
        .with_edges(scenario.contact.edges)
        .with_self_contact(&touching_themselves)
        .with_offsets(&offsets);
    Ok((contact, walls))
}

fn refuse_self_crossings(contact: &ContactModel, model: &Model) -> Result<(), SetupError> {
    match self_crossings(contact, &model.reference_positions).first() {
        Some(&(body, point)) => Err(SetupError::SelfOverlap {
            body: model.bodies[body as usize].name.clone(),
            point: point.into(),
        }),
        None => Ok(()),
    }
}

/// Limit on the displacement of a node of a rigid body in one step, relative to the median edge length \[-\]. The value
/// is for a body whose whole mass is in one node; the limit of all other bodies is smaller.
const RIGID_TRAVEL: f64 = 0.05;

/// Limit on the displacement of a node of a rigid body in one step \[m\], and the index of the body that sets this
/// limit. `None` if no rigid body has contact faces.
///
/// A contact spring has the stiffness κ = f m/dt², with the mass m of the lightest node, the step dt and the factor f
/// of `contact.penalty`. A body with the mass M and the speed V compresses one spring by
///
/// ```text
/// V √(M/κ) = V dt √(M/(f m))
/// ```
///
/// With the displacement V dt limited in proportion to √(m/M), the penetration remains within the search depth.
fn rigid_travel(contact: &ContactModel, model: &Model) -> Option<(f64, usize)> {
    let bodies = model.bodies.iter().zip(&contact.surfaces).enumerate();
    let travels = bodies.filter(|(_, (body, _))| body.is_rigid()).map(|(index, (body, surface))| {
        let masses = surface.nodes().iter().map(|&node| model.mass[node as usize]);
        let lightest = masses.filter(|&mass| mass > 0.0).fold(body.mass, f64::min);
        let edge = surface.median_edge(&model.reference_positions);
        (RIGID_TRAVEL * edge * (lightest / body.mass).sqrt(), index)
    });
    travels.filter(|(travel, _)| *travel > 0.0).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// `None` with detection by distance fields: nodes then touch elements, not faces.
fn entry_faces(scenario: &Scenario, contact: &ContactModel) -> Option<EntryFaces> {
    (scenario.contact.detection != DetectionMethod::DistanceField).then(|| EntryFaces::new(contact))
}
