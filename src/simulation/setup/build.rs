//! Set-up of a simulation from a scenario.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::contact::detection::face::closest_point::Method;
use crate::contact::detection::tree::hierarchy::Builder;
use crate::contact::detection::volume::VolumeKind;
use crate::contact::detection::{
    AllPairs, Buckets, Cells, ContactModel, Detector, EdgeSelection, Engine, EngineOptions, EntryFaces,
    NodeFaceOptions, StartFrom, TunnellingGuard, WallDetector, self_crossings,
};
use crate::contact::response::{
    ContactAction, Damping, Decomposition, DecompositionOptions, EnergyMomentum, EnergyMomentumOptions,
    FrictionLaw, ImpactOptions, Order, PairOptions, Penalty, PenaltyOptions, Response,
    damping_of_restitution,
};
use crate::contact::{Constraints, Surface, SurfacePair};
use crate::dynamics::{Audit, CriticalStep, Energies, InternalForce, RigidBody, State, Support, Wrench};
use crate::math::Vec3;
use crate::scenario::{
    BodySpec, BoundingVolume, ClosestPointMethod, ClosestPointStart, ContactLaws, ContactOrder,
    ContactSettings, DetectionMethod, Friction, HierarchyBuilder, InitialPenetration, MaterialModel,
    ResponseMethod, Scenario, StepSize, TimeSettings, TouchingEdges,
};

use super::assembly::Assembly;
use super::conditions::InitialVelocity;
use super::contact_remedies::contact_energy_remedy;
use super::contact_thickness::offset_points;
use super::initial_penetration::{describe, lined_up, moved_apart, overlaps, refuse};
use super::sheets::bodies_behind_sheets;
use super::spring_stiffness::{
    resting_contact_step, stiff_spring_step, stiffness_of_springs, stiffness_warning,
};
use super::surface_pairs::{ExcludedParts, FlushContacts, OnePass, own_laws};
use super::ties::refuse_tied_contact;
use super::walls::{detected_walls, refuse_walls_out_of_plane};
use crate::simulation::Simulation;
use crate::simulation::account::contact_audit::ContactAudit;
use crate::simulation::account::energy_audit::BodyBalance;
use crate::simulation::account::hourglass::HourglassAudit;
use crate::simulation::account::nodal_sums::NodalSums;
use crate::simulation::account::support_account::SupportAccount;
use crate::simulation::error::SetupError;
use crate::simulation::forces::{AppliedLoad, Forces, RigidForces, SupportedComponent};
use crate::simulation::model::{Behaviour, Body, Model};
use crate::simulation::progress::Phase;
use crate::simulation::record::schedule::OutputTimes;
use crate::simulation::record::timings::WallTimes;
use crate::simulation::step::contact_response::nodal_mobility;
use crate::simulation::step::corrector::chunks_of;
use crate::simulation::step::driven_ties::DrivenTies;
use crate::simulation::step::driving_functions::DrivingFunctions;
use crate::simulation::step::free_flight::rigid_state_of_nodes;
use crate::simulation::step::impact_times::ImpactControl;
use crate::simulation::step::initial_gaps::InitialGaps;
use crate::simulation::step::step_size::StepControl;
use crate::simulation::step::ties::build_ties;
use crate::simulation::step::tunnelling::radii;

impl Simulation {
    /// Sets up a scenario: reads its meshes, assembles the model, and treats initial penetrations by the policy of
    /// the scenario.
    ///
    /// # Errors
    /// [`SetupError`], among others for an unreadable or invalid mesh, a missing group, a body without mass, and
    /// overlapping bodies.
    pub fn new(scenario: &Scenario) -> Result<Self, SetupError> {
        let begin = Instant::now();
        let (mut assembly, mut ties) = Assembly::build(scenario, None)?.tie(scenario)?;
        let mut timings = WallTimes { read: begin.elapsed().as_secs_f64(), ..WallTimes::default() };
        let policy = scenario.contact.initial_penetration;
        let (mut contact, mut wall_detector) = contact_model(scenario, &assembly);
        let positions = &assembly.model.reference_positions;
        let options = node_face_options(&scenario.contact);
        let initial_penetrations = overlaps(&contact, &wall_detector, options, &assembly.model, positions);
        if policy == InitialPenetration::Remove && !initial_penetrations.is_empty() {
            refuse(lined_up(&initial_penetrations), policy, &assembly.model)?;
            let positions = moved_apart(&contact, &mut wall_detector, options, &assembly.model);
            let moved = Assembly::build(scenario, Some(&positions)).map_err(SetupError::of_removal)?;
            (assembly, ties) = moved.tie(scenario)?;
            (contact, wall_detector) = contact_model(scenario, &assembly);
        }
        let own_laws = own_laws(scenario, &assembly)?;
        refuse_tied_contact(scenario, &contact, &assembly.model)?;
        let excluded_parts = ExcludedParts::new(scenario, &assembly)?;
        let probes = assembly.probes(scenario)?;
        let initial_velocities = assembly.initial_velocities(scenario)?;
        let Assembly { model, surfaces, element_blocks, rigid_states, meshes, extents, mut warnings } =
            assembly;
        drop(meshes);
        refuse_supported_spin(&model, &scenario.bodies)?;
        refuse_unserved_faces(&surfaces, &model, &scenario.contact)?;
        refuse_walls_out_of_plane(scenario, &model)?;
        let left = overlaps(&contact, &wall_detector, options, &model, &model.reference_positions);
        refuse(left, policy, &model)?;
        refuse_self_crossings(&contact, &model)?;
        let num_nodes = model.reference_positions.len();
        let internal = InternalForce::new(element_blocks, num_nodes);
        let block_critical_steps = internal.critical_steps(&model.reference_positions);
        warnings.extend(bodies_behind_sheets(scenario, &contact, &model, &extents));
        warnings.extend(step_warning(&scenario.time, &block_critical_steps));
        warnings.extend(stiffness_warning(scenario, &model, &contact.surfaces, &block_critical_steps));
        warnings.extend(initial_penetrations.iter().map(|overlap| describe(overlap, policy)));
        let rigid_travel = rigid_travel(&contact, &model);
        let stiff_spring = stiff_spring_step(scenario, &model, &contact.surfaces);
        let resting_contact = resting_contact_step(&model, &contact.surfaces);
        let response = build_response(scenario, &own_laws, &model, &contact.surfaces);
        let resolves = scenario.contact.resolve_impact;
        let impact_control = resolves.then(|| Box::new(ImpactControl::new(contact.clone())));
        let entry_faces = EntryFaces::new(&contact);
        let tunnelling = TunnellingGuard::new(&contact);
        let radii = radii(&surfaces, &rigid_states, &model.reference_positions);
        let start = Instant::now();
        let detector = build_detector(scenario, contact, &model.reference_positions);
        timings.hierarchy = start.elapsed().as_secs_f64();
        let chunks = chunks_of(&model);
        let mut mobility = nodal_mobility(&model);
        let ties = build_ties(ties, scenario, &model, &mobility, &rigid_states)?;
        if let Some(ties) = &ties {
            mobility.tie(ties.mobility(model.mass.len()));
        }
        let mut simulation = Self {
            settings: scenario.time.clone(),
            state: State::at_rest(model.reference_positions.clone()),
            rigid_states,
            rigid_states_before: Vec::new(),
            phase: Phase::Stepping,
            motions: Vec::new(),
            internal,
            forces: Forces::new(&model),
            positions_next: model.reference_positions.clone(),
            position_corrections: Vec::new(),
            detector,
            wall_detector,
            entry_faces,
            initial_penetrations,
            initial_gaps: InitialGaps::default(),
            excluded_parts,
            flush_contacts: FlushContacts::default(),
            one_pass: OnePass::new(scenario.contact.passes, &model, &surfaces),
            offset_points: offset_points(scenario, &model, &surfaces),
            response,
            driven_ties: DrivenTies::of(ties.as_ref(), &model),
            ties,
            mobility,
            constraints: Constraints::default(),
            action: ContactAction::new(num_nodes),
            contact_before: (Constraints::default(), ContactAction::new(num_nodes)),
            impact_control,
            tunnelling,
            tunnelling_boxes: Vec::new(),
            radii,
            control: StepControl::new(
                scenario.time.step,
                scenario.time.safety,
                rigid_travel,
                stiff_spring,
                resting_contact,
            ),
            driving_functions: DrivingFunctions::new(scenario),
            exact_output: scenario.output.exact.then(|| OutputTimes::of(scenario)),
            balances: vec![BodyBalance::at_rest(); model.bodies.len()],
            balances_before: Vec::new(),
            nodal_sums: vec![NodalSums::zero(); chunks.len()],
            chunks,
            pair_balances: Vec::new(),
            contact_audit: ContactAudit::new(contact_energy_remedy(scenario)),
            hourglass_audits: vec![HourglassAudit::default(); model.bodies.len()],
            surfaces,
            energies: Energies::default(),
            audit: Audit::new(&Energies::default(), Wrench::zero(), 0.0),
            rounded_moment: 0.0,
            external_wrench: Wrench::zero(),
            support_accounts_before: Vec::new(),
            support_accounts: vec![SupportAccount::NOTHING; model.num_support_accounts],
            first_contacts: Vec::new(),
            have_touched: BTreeSet::new(),
            steps_in_flight: 0,
            steps_past_tolerance: 0,
            timings,
            block_critical_steps,
            probes,
            warnings,
            model,
        };
        if policy == InitialPenetration::Offset && !simulation.initial_penetrations.is_empty() {
            simulation.keep_initial_gaps()?;
        }
        simulation.begin(scenario, &initial_velocities);
        let WallTimes { read, hierarchy, integration, .. } = simulation.timings;
        simulation.timings.setup = begin.elapsed().as_secs_f64() - read - hierarchy - integration;
        Ok(simulation)
    }

    /// Sets the initial velocities. The run begins in flight if every body flies or is at rest.
    fn begin(&mut self, scenario: &Scenario, of_groups: &[InitialVelocity]) {
        let specs = &scenario.bodies;
        for (index, spec) in specs.iter().enumerate() {
            let body = &self.model.bodies[index];
            let mut rigid_state =
                self.rigid_states[index].take().unwrap_or_else(|| rigid_state_of_nodes(&self.model, body));
            rigid_state.set_velocity(spec.velocity, spec.angular_velocity);
            for node in body.nodes.clone() {
                self.state.velocities[node] = rigid_state.velocity_at(&self.state.positions[node]);
            }
            self.rigid_states[index] = Some(rigid_state);
        }
        for of_group in of_groups {
            of_group.apply(&self.model.mass, &self.state.positions, &mut self.state.velocities);
        }
        let at_rest =
            |spec: &BodySpec| spec.velocity == Vec3::zeros() && spec.angular_velocity == Vec3::zeros();
        // Small-strain elasticity is not objective: the rotation accumulated in flight would strain the body.
        let turns_falsely = |spec: &BodySpec| {
            matches!(scenario.materials[spec.material].model, MaterialModel::LinearElastic(_))
                && spec.angular_velocity != Vec3::zeros()
        };
        let flies = self
            .model
            .bodies
            .iter()
            .zip(specs)
            .all(|(body, spec)| body.flies() && !turns_falsely(spec) || body.stays() && at_rest(spec))
            && of_groups.is_empty()
            && self.initial_gaps.is_empty()
            && self.ties.is_none()
            && self.model.walls().all(|(_, wall)| wall.flies() || wall.stays());
        for (number, wall) in self.model.walls() {
            let velocity = self.rigid_states[number as usize].as_ref().map(RigidBody::velocity);
            self.state.velocities[wall.nodes.start] = velocity.unwrap_or_else(Vec3::zeros);
        }
        for (body, rigid_state) in self.model.bodies.iter().zip(&mut self.rigid_states) {
            if !(body.is_rigid() || flies && body.flies()) {
                *rigid_state = None;
            }
        }
        self.start_forces();
        self.phase = if flies { Phase::Flight } else { Phase::Stepping };
        self.begin_audit();
    }
}

impl Forces {
    fn new(model: &Model) -> Self {
        let driven = model.bodies.iter().any(Body::is_driven);
        let mut weights = vec![Vec3::zeros(); if driven { model.reference_positions.len() } else { 0 }];
        for body in model.bodies.iter().filter(|body| body.is_driven() && !body.is_rigid()) {
            for node in body.nodes.clone() {
                weights[node] = body.gravity * model.mass[node];
            }
        }
        let components = |support: &Support| vec![SupportedComponent::default(); support.nodes.len()];
        Self {
            external: weights.clone(),
            external_before: weights,
            loads: vec![AppliedLoad::NONE; model.loads.len()],
            load_accelerations: vec![[0.0; 2]; model.bodies.len()],
            rigid: vec![RigidForces::none(); model.bodies.len()],
            supported: model.supports.iter().map(components).collect(),
            sliders: vec![Vec3::zeros(); model.sliders.len()],
        }
    }
}

/// Rejects a supported rigid body with an angular velocity: its support fixes or prescribes the rotation.
fn refuse_supported_spin(model: &Model, specs: &[BodySpec]) -> Result<(), SetupError> {
    let held = |body: &Body| matches!(body.behaviour, Behaviour::Rigid { support: Some(_) });
    let mut rotating = model.bodies.iter().zip(specs);
    match rotating.find(|(body, spec)| held(body) && spec.angular_velocity != Vec3::zeros()) {
        Some((body, _)) => Err(SetupError::SupportedSpin { body: body.name.clone() }),
        None => Ok(()),
    }
}

/// Rejects faces that the chosen closest-point method does not support.
fn refuse_unserved_faces(
    surfaces: &[Surface],
    model: &Model,
    settings: &ContactSettings,
) -> Result<(), SetupError> {
    let chosen = &settings.closest_point;
    let method = closest_point_method(chosen.value);
    for (surface, body) in surfaces.iter().zip(&model.bodies) {
        let mut kinds = (0..surface.num_faces()).map(|face| surface.face(face).0);
        if let Some(kind) = kinds.find(|&kind| !method.serves(kind)) {
            let (body, span) = (body.name.clone(), chosen.span.clone());
            return Err(SetupError::ClosestPoint { body, kind: kind.name(), span });
        }
    }
    Ok(())
}

/// Warning of a fixed step above the critical step.
fn step_warning(settings: &TimeSettings, critical: &[Option<CriticalStep>]) -> Option<String> {
    let StepSize::Fixed(size) = settings.step else { return None };
    let critical = critical.iter().flatten().map(|c| c.time_step).fold(f64::INFINITY, f64::min);
    (size > critical).then(|| {
        let ratio = size / critical;
        format!("`time.step` is {ratio:.2} times the critical step of {critical:.3e} s; the run will not be stable, use \"auto\"")
    })
}

/// Contact model of the bodies, and detector of the walls.
fn contact_model(scenario: &Scenario, assembly: &Assembly) -> (ContactModel, WallDetector) {
    let Assembly { model, surfaces, .. } = assembly;
    let positions = &model.reference_positions;
    let apart = scenario.contact.excluded.iter().filter(|pair| pair.is_whole());
    let excluded: Vec<[u32; 2]> = apart.map(|pair| pair.bodies.map(|body| body as u32)).collect();
    let touching_themselves: Vec<u32> = (0..scenario.bodies.len() as u32)
        .filter(|&body| scenario.bodies[body as usize].self_contact)
        .collect();
    let offsets: Vec<f64> = scenario.bodies.iter().map(|body| 0.5 * body.contact_thickness).collect();
    let walls =
        WallDetector::new(detected_walls(model), surfaces, &excluded, positions).with_offsets(&offsets);
    let cells: Vec<Vec<Cells<'_>>> = model.bodies.iter().map(|body| body.cells().collect()).collect();
    let contact = ContactModel::of_solids(surfaces.clone(), &cells, &excluded, positions)
        .with_edges(edge_selection(scenario.contact.edges))
        .with_self_contact(&touching_themselves)
        .with_offsets(&offsets);
    (contact, walls)
}

/// Rejects bodies that intersect themselves at t = 0.
fn refuse_self_crossings(contact: &ContactModel, model: &Model) -> Result<(), SetupError> {
    match self_crossings(contact, &model.reference_positions).first() {
        Some(&(body, point)) => Err(SetupError::SelfOverlap {
            body: model.bodies[body as usize].name.clone(),
            point: point.into(),
        }),
        None => Ok(()),
    }
}

/// Largest travel per step of a node of a rigid body over the median edge, if one node has the whole mass of the
/// body.
const RIGID_TRAVEL: f64 = 0.05;

/// Largest travel of a node of a rigid body in a step \[m\].
///
/// Contact springs have the stiffness κ = f m/dt² with the nodal mass m, but must stop the whole mass M, which
/// penetrates by V √(M/κ) = V dt √(M/(f m)). With a travel V dt of a fraction of the edge times √(m/M), the
/// penetration is a fraction of the edge and stays within the search depth.
fn rigid_travel(contact: &ContactModel, model: &Model) -> f64 {
    let bodies = model.bodies.iter().zip(&contact.surfaces).filter(|(body, _)| body.is_rigid());
    let travels = bodies.map(|(body, surface)| {
        let masses = surface.nodes().iter().map(|&node| model.mass[node as usize]);
        let lightest = masses.filter(|&mass| mass > 0.0).fold(body.mass, f64::min);
        RIGID_TRAVEL * surface.median_edge(&model.reference_positions) * (lightest / body.mass).sqrt()
    });
    travels.filter(|&travel| travel > 0.0).fold(f64::INFINITY, f64::min)
}

fn build_detector(scenario: &Scenario, contact: ContactModel, positions: &[Vec3]) -> Box<dyn Detector> {
    let settings = &scenario.contact;
    let node_face = node_face_options(settings);
    match settings.detection {
        DetectionMethod::AllPairs => Box::new(AllPairs::new(contact, node_face)),
        DetectionMethod::Buckets => Box::new(Buckets::new(contact, node_face, positions)),
        DetectionMethod::Hierarchy => {
            let builder = match settings.hierarchy {
                HierarchyBuilder::Fast => Builder::Fast,
                HierarchyBuilder::BottomUp => Builder::BottomUp,
            };
            let ladder = settings.volumes.iter().map(|&volume| volume_kind(volume)).collect();
            Box::new(Engine::new(contact, EngineOptions { builder, ladder, node_face }, positions))
        }
    }
}

fn node_face_options(settings: &ContactSettings) -> NodeFaceOptions {
    NodeFaceOptions {
        method: closest_point_method(settings.closest_point.value),
        start: match settings.start {
            ClosestPointStart::Nearest => StartFrom::Nearest,
            ClosestPointStart::Centre => StartFrom::Centre,
            ClosestPointStart::Previous => StartFrom::Previous,
        },
    }
}

fn closest_point_method(method: ClosestPointMethod) -> Method {
    match method {
        ClosestPointMethod::Auto => Method::Auto,
        ClosestPointMethod::Sqp => Method::Sqp,
        ClosestPointMethod::ActiveSet => Method::ActiveSet,
        ClosestPointMethod::InteriorPoint => Method::InteriorPoint,
        ClosestPointMethod::Newton => Method::Newton,
        ClosestPointMethod::Voronoi => Method::Voronoi,
        ClosestPointMethod::BruteForce => Method::BruteForce,
    }
}

fn edge_selection(edges: TouchingEdges) -> EdgeSelection {
    match edges {
        TouchingEdges::Feature => EdgeSelection::Feature,
        TouchingEdges::All => EdgeSelection::All,
        TouchingEdges::None => EdgeSelection::None,
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

fn build_response(
    scenario: &Scenario,
    own_laws: &[(SurfacePair, ContactLaws)],
    model: &Model,
    surfaces: &[Surface],
) -> Box<dyn Response> {
    let laws = &scenario.contact.laws;
    let settings = &scenario.contact.response;
    let num_nodes = model.reference_positions.len();
    let stiffness = stiffness_of_springs(scenario, model, surfaces);
    match settings.method {
        ResponseMethod::Penalty => {
            let options = pair_options(laws, own_laws, |laws| {
                let [damping, tangential_damping] = damping_of_springs(laws);
                let restitution = laws.restitution;
                let of_restitution = Damping::always(damping_of_restitution(restitution));
                PenaltyOptions {
                    factor: laws.penalty,
                    damping: if restitution < 1.0 { of_restitution } else { damping },
                    tangential_damping,
                    friction: friction_law(&laws.friction),
                    soft_start: settings.soft_start,
                }
            });
            let masses = model.bodies.iter().map(|body| body.mass).collect();
            Box::new(Penalty::new(stiffness, options, masses))
        }
        ResponseMethod::Decomposition => {
            let options = DecompositionOptions {
                pairs: pair_options(laws, own_laws, |laws| ImpactOptions {
                    restitution: laws.restitution,
                    friction: friction_law(&laws.friction),
                }),
                order: match settings.order {
                    ContactOrder::Together => Order::Together,
                    ContactOrder::OneByOne => Order::OneByOne,
                },
                every: settings.every,
                projection: settings.projection,
            };
            Box::new(Decomposition::new(options))
        }
        ResponseMethod::EnergyMomentum => {
            let options = pair_options(laws, own_laws, |laws| {
                let [damping, tangential_damping] = damping_of_springs(laws);
                EnergyMomentumOptions {
                    factor: laws.penalty,
                    restitution: laws.restitution,
                    damping,
                    tangential_damping,
                    friction: friction_law(&laws.friction),
                }
            });
            let masses = model.bodies.iter().map(|body| body.mass).collect();
            Box::new(EnergyMomentum::new(stiffness, options, num_nodes, masses))
        }
    }
}

/// Default damping ratio of springs in frictional contacts that outlast an impact.
const DAMPING_AT_REST: f64 = 0.2;

/// Normal and tangential damping. With friction, damping brings bodies to rest.
fn damping_of_springs(laws: &ContactLaws) -> [Damping; 2] {
    let of = |always: f64, calms: bool| {
        let at_rest = if calms && laws.friction.at_rest > 0.0 { DAMPING_AT_REST } else { 0.0 };
        Damping { always, at_rest }
    };
    [of(laws.damping, laws.calms[0]), of(laws.tangential_damping, laws.calms[1])]
}

fn pair_options<T: Copy>(
    all: &ContactLaws,
    own: &[(SurfacePair, ContactLaws)],
    options: impl Fn(&ContactLaws) -> T,
) -> PairOptions<T> {
    let uniform = PairOptions::uniform(options(all));
    own.iter().fold(uniform, |options_of, (pair, laws)| options_of.with(pair.clone(), options(laws)))
}

fn friction_law(&Friction { at_rest, in_motion, decay }: &Friction) -> FrictionLaw {
    FrictionLaw { at_rest, in_motion, decay }
}
