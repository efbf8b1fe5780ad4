//! The contact response of a scenario.

use super::spring_stiffness::stiffness_of_springs;
use crate::contact::response::{
    AngularMomentum, Damping, Decomposition, DecompositionOptions, EnergyMomentum, EnergyMomentumOptions,
    FrictionLaw, ImpactOptions, Order, PairOptions, Penalty, PenaltyOptions, Scheme, SelectedResponse,
    damping_of_restitution,
};
use crate::contact::{Surface, SurfacePair};
use crate::model::Model;
use crate::scenario::{self, ContactLaws, ContactOrder, Friction, ResponseMethod, Scenario};

/// The response that `[contact]` selects.
pub(crate) fn build_response(
    scenario: &Scenario,
    own_laws: &[(SurfacePair, ContactLaws)],
    model: &Model,
    surfaces: &[Surface],
) -> SelectedResponse {
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
            SelectedResponse::Penalty(Box::new(Penalty::new(stiffness, options, masses)))
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
                angular_momentum: match settings.angular_momentum {
                    scenario::AngularMomentum::Restore => AngularMomentum::Restore,
                    scenario::AngularMomentum::None => AngularMomentum::Change,
                },
            };
            SelectedResponse::Decomposition(Box::new(Decomposition::new(options)))
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
            let scheme = match settings.scheme {
                scenario::Scheme::Staggered => Scheme::Staggered,
                scenario::Scheme::Midpoint => Scheme::Midpoint,
            };
            SelectedResponse::EnergyMomentum(Box::new(EnergyMomentum::new(
                scheme, stiffness, options, num_nodes, masses,
            )))
        }
    }
}

/// Default damping ratio of the springs of a contact with friction \[-\]. The damping acts only after the duration of
/// an impact, and brings bodies to rest.
const DAMPING_AT_REST: f64 = 0.2;

/// Normal and tangential damping of the springs.
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
