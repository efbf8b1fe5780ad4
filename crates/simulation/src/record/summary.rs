//! The summary of a run.

use crate::contact::detection::DetectionStatistics;
use crate::contact::detection::volume::{RungTally, VolumeKind};
use crate::dynamics::Deviation;
use crate::io::summary::{
    BodySummary, ContactSummary, DepthSummary, DetectionCost, DetectionCounts, DetectionSeconds,
    DetectionSummary, EnergySummary, ErrorSummary, Failure, FirstContact, FlightDetection, HierarchySummary,
    MomentumSummary, Prediction, RungSummary, Status, Summary, TimeSpan, TimingSummary, WallSummary,
};
use crate::scenario::Scenario;

use crate::Simulation;
use crate::error::NumericalFailure;
use crate::model::Behaviour;

impl Simulation {
    /// Summary of the run. The caller sets the number of threads, the total wall-clock time, `resumed_at`, and the
    /// probe summaries.
    pub fn summary(
        &self,
        scenario: &Scenario,
        status: Status,
        failure: Option<&NumericalFailure>,
    ) -> Summary {
        let timings = &self.timings;
        Summary {
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: scenario.path.display().to_string(),
            title: scenario.title.clone(),
            units: scenario.units.map(|units| units.name.to_owned()),
            inferred_units: scenario.inferred_units().map(|units| units.name.to_owned()),
            threads: 0,
            status,
            failure: failure.map(|failure| Failure {
                message: failure.to_string(),
                step: failure.step,
                time: failure.time,
                body: failure.body.clone(),
                element: failure.element,
            }),
            bodies: self.body_summaries(),
            walls: self.wall_summaries(),
            steps: self.state.nodes.step,
            flight_steps: self.state.steps_in_flight,
            step_limits: self.step_limit_counts().collect(),
            relaxation_steps: scenario.dynamic_relaxation.map(|_| self.state.relaxation.steps),
            resumed_at: None,
            time: TimeSpan { start: 0.0, end: self.state.nodes.time },
            wall_seconds: TimingSummary {
                total: 0.0,
                read: timings.read,
                setup: timings.setup,
                hierarchy: timings.hierarchy,
                detection: timings.detection,
                response: timings.response,
                internal_force: timings.internal_force,
                critical_step: timings.critical_step,
                integration: timings.integration,
                account: timings.account,
                output: timings.output,
            },
            detection: self.detection_summary(scenario.contact.detector.engine.builder.word()),
            first_contacts: self
                .state
                .ledger
                .first_contacts
                .iter()
                .map(|contact| self.first_contact(contact))
                .collect(),
            contact: self.contact_summary(),
            energy: self.energy_summary(),
            momentum: self.momentum_summary(),
            probes: Vec::new(),
            warnings: self.warnings(),
        }
    }

    fn energy_summary(&self) -> EnergySummary {
        let summary = |Deviation { largest, time, last }| ErrorSummary { largest, time, end: last };
        let error = self.state.ledger.audit.energy_error();
        EnergySummary {
            initial: self.state.ledger.audit.initial_energy(),
            end: self.state.ledger.energies.total(),
            strain: self.state.ledger.energies.strain,
            hourglass: self.state.ledger.energies.hourglass,
            mass_damping_dissipation: self.state.ledger.energies.mass_damping_dissipation,
            largest_error: error.largest,
            largest_error_time: error.time,
            final_error: error.last,
            imbalance: summary(self.state.ledger.audit.balance_deviation()),
            net_numerical_work: summary(self.state.ledger.audit.numerical_deviation()),
            peak: self.state.ledger.audit.energy_scale(),
        }
    }

    fn momentum_summary(&self) -> MomentumSummary {
        let (linear, angular) =
            (self.state.ledger.audit.momentum_deviation(), self.state.ledger.audit.angular_deviation());
        MomentumSummary {
            largest_error: linear.largest,
            largest_error_time: linear.time,
            final_error: linear.last,
            peak: self.state.ledger.audit.momentum_scale(),
            largest_angular_error: angular.largest,
            largest_angular_error_time: angular.time,
            final_angular_error: angular.last,
            angular_peak: self.state.ledger.audit.angular_scale(),
        }
    }

    fn contact_summary(&self) -> ContactSummary {
        let unsolved = self.unsolved_problems();
        ContactSummary {
            unsolved_impulses: unsolved.impulses,
            jammed_restitutions: unsolved.restitutions,
            unsolved_projections: unsolved.projections,
            unmet_ties: unsolved.ties,
            unconverged_geometries: unsolved.geometries,
        }
    }

    fn body_summaries(&self) -> Vec<BodySummary> {
        let summary = |(index, body): (usize, &crate::model::Body)| BodySummary {
            name: body.name.clone(),
            nodes: body.nodes.len(),
            elements: body.num_elements(),
            faces: body.num_faces,
            mass: body.mass,
            critical_step: self.critical_step(index).map_or(f64::INFINITY, |(time_step, _)| time_step),
        };
        self.model.bodies.iter().enumerate().filter(|(_, body)| !body.is_wall()).map(summary).collect()
    }

    fn wall_summaries(&self) -> Vec<WallSummary> {
        let summary = |(_, body): (u32, &crate::model::Body)| {
            let Behaviour::Wall { normal, .. } = body.behaviour else { return None };
            let point = self.model.reference_positions[body.nodes.start].into();
            let mass = (body.mass > 0.0).then_some(body.mass);
            Some(WallSummary { name: body.name.clone(), point, normal: normal.into(), mass })
        };
        self.model.walls().filter_map(summary).collect()
    }

    fn first_contact(&self, contact: &crate::FirstContact) -> FirstContact {
        FirstContact {
            bodies: self.names(contact.bodies),
            time: contact.time,
            point: contact.point.into(),
            normal: contact.normal.into(),
            normal_speed: contact.normal_speed,
        }
    }

    /// Names of two bodies.
    pub fn names(&self, bodies: [u32; 2]) -> [String; 2] {
        bodies.map(|body| self.model.bodies[body as usize].name.clone())
    }

    fn detection_summary(&self, builder: &str) -> DetectionSummary {
        let DetectionStatistics {
            counts,
            seconds,
            operated_times,
            operated_seconds,
            predictions,
            ladder,
            trees,
            ..
        } = self.detection();
        let prediction = |p: &crate::contact::detection::Prediction| Prediction {
            asked_at: p.predicted_at,
            bodies: self.names(p.bodies),
            depth: p.depth,
            time: p.time,
        };
        let hierarchy = |tree: &crate::contact::detection::TreeStatistics| HierarchySummary {
            body: self.model.bodies[tree.body as usize].name.clone(),
            builder: builder.into(),
            leaves: tree.leaves,
            depth: DepthSummary {
                min: tree.min_depth as usize,
                mean: tree.mean_depth,
                max: tree.max_depth as usize,
            },
            sum_of_volumes: tree.sum_of_volumes,
            build_seconds: tree.build_seconds,
        };
        let counts = DetectionCounts {
            trajectory: counts.trajectory,
            update: counts.update,
            overlap: counts.overlap,
            primitive: counts.primitive,
            monitor: counts.monitor,
        };
        let seconds = DetectionSeconds {
            trajectory: seconds.trajectory,
            update: seconds.update,
            overlap: seconds.overlap,
            primitive: seconds.primitive,
            monitor: seconds.monitor,
        };
        let flight = FlightDetection::new(
            operated_times.iter().copied().zip(operated_seconds.iter().copied()),
            trees.iter().map(|tree| tree.build_seconds).sum(),
        );
        let rung = |(kind, tally): (VolumeKind, &RungTally)| RungSummary {
            volume: kind.name().into(),
            tested: tally.tested,
            excluded: tally.excluded,
            fitted: tally.fitted,
        };
        let tested = |(_, tally): &(VolumeKind, &RungTally)| tally.tested > 0;
        DetectionSummary {
            counts,
            seconds,
            cost: DetectionCost::new(&counts, &seconds),
            total_seconds: seconds.total(),
            operated_times,
            flight,
            ladder: VolumeKind::ALL.into_iter().zip(&ladder.rungs).filter(tested).map(rung).collect(),
            predictions: predictions.iter().map(prediction).collect(),
            hierarchies: trees.iter().map(hierarchy).collect(),
        }
    }
}
