//! Hops: bodies under gravity repeatedly leave their contacts and return.
//!
//! Suddenly applied gravity presses a body into its contact springs to twice the depth at rest. Undamped springs then
//! eject the body. It returns after a time no longer than the preceding contact lasted. A body that rebounds from an
//! impact stays away much longer; this is no hop.

use serde::{Deserialize, Serialize};

use crate::Simulation;
use crate::contact::response::Stage;
use crate::model::{Behaviour, Body};

/// Longest time without contact in a hop, relative to the duration of the preceding contact \[-\].
const LONGEST_FLIGHT: f64 = 1.0;

/// Number of successive hops that causes a warning.
const MANY: u32 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hops {
    is_touching: bool,
    /// Time of the last change of `is_touching` \[s\].
    since: f64,
    /// Duration of the last completed contact \[s\].
    contact: f64,
    count: u32,
    has_warned: bool,
}

impl Hops {
    pub fn note(&mut self, touches: bool, time: f64) {
        if touches == self.is_touching {
            return;
        }
        let duration = time - self.since;
        if touches {
            let is_hop = self.contact > 0.0 && duration <= LONGEST_FLIGHT * self.contact;
            self.count = if is_hop { self.count + 1 } else { 0 };
        } else {
            self.contact = duration;
        }
        (self.is_touching, self.since) = (touches, time);
    }

    /// The number of successive hops when it first reaches [`MANY`]; otherwise `None`.
    fn newly_many(&mut self) -> Option<u32> {
        let are_many = self.count >= MANY && !self.has_warned;
        self.has_warned |= are_many;
        are_many.then_some(self.count)
    }
}

fn is_heavy(body: &Body) -> bool {
    let supported = match &body.behaviour {
        Behaviour::Deformable { supported, .. } => *supported,
        Behaviour::Rigid { support } => support.is_some(),
        Behaviour::Wall { .. } => true,
    };
    body.peak_gravity > 0.0 && !supported
}

impl Simulation {
    /// Warns once of each pair of bodies that hops on contact springs under gravity.
    pub(crate) fn warn_of_hops(&mut self) {
        let on_impulses = self.response.stage() == Stage::Moved && self.acts_by_impulses();
        if on_impulses || self.state.phase == crate::progress::Phase::Relaxing {
            return;
        }
        let time = self.state.nodes.time;
        for place in 0..self.state.ledger.pair_balances.len() {
            let Some(count) = self.state.ledger.pair_balances[place].hops.newly_many() else { continue };
            let [a, b] = self.state.ledger.pair_balances[place].bodies;
            let [first, second] = [a, b].map(|body| &self.model.bodies[body as usize]);
            let (heavy, other) = match [is_heavy(first), is_heavy(second)] {
                [true, _] => (first, second),
                [_, true] => (second, first),
                _ => continue,
            };
            let warning = format!(
                "`{}` under gravity has left `{}` and returned {count} times in sequence by t = {time:.6e} s, each time \
                 after a short flight: it hops on its contact springs, as after a sudden start of gravity; let it \
                 come to rest before the run by a table [dynamic_relaxation], ramp gravity up as a function of time, or \
                 set `contact.damping` or `mass_damping`",
                heavy.name, other.name
            );
            self.state.ledger.warnings.push(warning);
        }
    }
}
