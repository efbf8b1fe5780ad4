//! Reactions of supports, with their impulses and work. Each boundary and each wall has an account.

use serde::{Deserialize, Serialize};

use crate::dynamics::{Support, Wrench};

use crate::Simulation;
use crate::model::Behaviour;

/// Reaction, impulse and work of a boundary or of the support of a wall.
///
/// If several boundaries prescribe the same component of a node or of the centre of a rigid body, the account of the
/// first of them contains the reaction. The account of the first boundary of a rigid body contains the reaction moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupportAccount {
    /// Reaction on the body at the end of the last step \[N\], and its moment about the origin \[N·m\]. Excludes the
    /// impulses of velocity jumps (discontinuous prescribed motion).
    pub reaction: Wrench,
    /// Impulse on the body since the start of the run \[N·s\], and its moment about the origin \[N·m·s\]. Includes the
    /// impulses of velocity jumps and the reactions to contact impulses.
    pub impulse: Wrench,
    /// Work of the reactions since the start of the run, with the same contributions as `impulse` \[J\].
    pub work: f64,
}

impl SupportAccount {
    pub(crate) const NOTHING: Self = Self { reaction: Wrench::ZERO, impulse: Wrench::ZERO, work: 0.0 };

    fn add(&mut self, impulse: Wrench, work: f64) {
        self.impulse = self.impulse + impulse;
        self.work += work;
    }
}

impl Simulation {
    /// Accounts of the boundaries in the order of the scenario, followed by the accounts of the walls.
    pub fn support_accounts(&self) -> &[SupportAccount] {
        &self.state.ledger.support_accounts
    }

    pub(crate) fn refresh_reactions(&mut self) {
        self.state.ledger.support_accounts.iter_mut().for_each(|account| account.reaction = Wrench::zero());
        for support in 0..self.model.supports.len() {
            let reaction = self.reaction_wrench(support);
            self.add_reaction(self.model.supports[support].account, reaction);
        }
        for body in 0..self.model.bodies.len() {
            let Some((accounts, moment_account)) = self.accounts_of_rigid(body) else { continue };
            for (axis, account) in accounts.into_iter().enumerate() {
                self.add_reaction(account, self.rigid_reaction_wrench(body, axis));
            }
            let angular = self.state.forces.rigid[body].reaction_torque;
            self.add_reaction(moment_account, Wrench { angular, ..Wrench::zero() });
        }
    }

    fn add_reaction(&mut self, account: usize, reaction: Wrench) {
        let account = &mut self.state.ledger.support_accounts[account];
        account.reaction = account.reaction + reaction;
    }

    /// Adds impulses and work of all supports over a step of length `dt` \[s\] to their accounts. Returns the impulses
    /// of the velocity jumps at the beginning and at the end of the step, and the work \[J\] of all supports.
    pub(crate) fn account_supports(&mut self, dt: f64) -> ([Wrench; 2], f64) {
        self.add_reactions(0.5 * dt);
        self.refresh_reactions();
        self.add_reactions(0.5 * dt);
        let (mut impulses, mut work) = ([Wrench::zero(); 2], 0.0);
        let mut add = |account: &mut SupportAccount, jumps: [Wrench; 2], work_of: f64| {
            account.add(jumps[0] + jumps[1], work_of);
            impulses = [impulses[0] + jumps[0], impulses[1] + jumps[1]];
            work += work_of;
        };
        let mut accounts = std::mem::take(&mut self.state.ledger.support_accounts);
        let places = [&self.scratch.positions_next, &self.state.nodes.positions];
        let moving = |(_, support): &(usize, &Support)| !support.motion.is_fixed();
        for (index, support) in self.model.supports.iter().enumerate().filter(moving) {
            let jumps = [0, 1].map(|end| self.jump_wrench(index, end, places[end]));
            add(&mut accounts[support.account], jumps, self.reaction_work(index, places[0]));
        }
        for body in 0..self.model.bodies.len() {
            let Some((of_axes, moment_account)) = self.accounts_of_rigid(body) else { continue };
            for (axis, account) in of_axes.into_iter().enumerate() {
                let jumps = [0, 1].map(|end| self.rigid_jump_wrench(body, axis, end));
                add(&mut accounts[account], jumps, self.rigid_reaction_work(body, axis));
            }
            let (jump, work_of) = self.rigid_moment_jump(body, dt);
            add(&mut accounts[moment_account], [Wrench::zero(), jump], work_of);
        }
        self.state.ledger.support_accounts = accounts;
        (impulses, work)
    }

    /// Adds the impulse of the current reactions over `time` \[s\].
    fn add_reactions(&mut self, time: f64) {
        for account in &mut self.state.ledger.support_accounts {
            account.add(account.reaction.scaled(time), 0.0);
        }
    }

    /// Adds the impulse and the work \[J\] of a support or slider constraint that reacts to contact impulses. `account`
    /// is `None` for a slider constraint, which guides a free wall.
    pub(crate) fn add_support_reaction(&mut self, account: Option<usize>, reaction: Wrench, work: f64) {
        self.state.ledger.audit.add_impulse(reaction);
        self.state.ledger.energies.external_work += work;
        if let Some(account) = account {
            self.state.ledger.support_accounts[account].add(reaction, work);
        }
    }

    /// Index of the account of the support that holds component `axis` of a node. `None` without a support or for a
    /// rigid body.
    pub(crate) fn account_of(&self, node: u32, axis: usize) -> Option<usize> {
        let holds = |support: &&Support| support.axis == axis && support.nodes.binary_search(&node).is_ok();
        self.model.supports.iter().find(holds).map(|support| support.account)
    }

    /// Accounts of a rigid body: an index for the reaction along each axis, and an index for the reaction moment.
    /// `None` without a support.
    pub(crate) fn accounts_of_rigid(&self, body: usize) -> Option<([usize; 3], usize)> {
        match &self.model.bodies[body].behaviour {
            Behaviour::Rigid { support: Some(support) } => Some((support.accounts, support.moment_account)),
            _ => None,
        }
    }

    pub(crate) fn reactions(&self) -> Wrench {
        self.state.ledger.support_accounts.iter().fold(Wrench::zero(), |sum, account| sum + account.reaction)
    }
}
