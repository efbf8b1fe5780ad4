//! Support reactions of rigid bodies: forces on prescribed components, and the moment of a prescribed rotation.

use crate::contact::response::ContactAction;
use crate::dynamics::Wrench;
use crate::math::Vec3;

use super::rigid_bodies::is_supported;
use crate::Simulation;

impl Simulation {
    /// Updates the reactions after force jumps at the beginning of a step.
    pub(crate) fn balance_rigid_force_jumps(&mut self) {
        for ((body, rigid_state), rigid) in
            self.model.bodies.iter().zip(&self.state.rigid_bodies).zip(&mut self.state.forces.rigid)
        {
            let (true, Some(rigid_state)) = (is_supported(&body.behaviour), rigid_state) else { continue };
            for axis in (0..3).filter(|&axis| rigid.prescribed[axis].is_some()) {
                rigid.reaction[axis] = rigid_state.mass() * rigid.acceleration[axis] - rigid.force[axis];
            }
            rigid.reaction_torque = rigid.momentum_rate - rigid.torque;
        }
    }

    /// Reaction along an axis \[N\], with its moment about the origin \[N·m\].
    pub(crate) fn rigid_reaction_wrench(&self, body: usize, axis: usize) -> Wrench {
        let Some(rigid_state) = &self.state.rigid_bodies[body] else { return Wrench::zero() };
        Wrench::at(&rigid_state.centre(), Vec3::ith(axis, self.state.forces.rigid[body].reaction[axis]))
    }

    /// Impulse of a prescribed velocity jump \[N·s\], with its moment about the origin. The jump is at the beginning
    /// (`end` = 0) or end (`end` = 1) of the last step.
    pub(crate) fn rigid_jump_wrench(&self, body: usize, axis: usize, end: usize) -> Wrench {
        let rigid_states = [&self.scratch.before.rigid_bodies[body], &self.state.rigid_bodies[body]];
        let Some(rigid_state) = rigid_states[end] else { return Wrench::zero() };
        let jump = self.state.forces.rigid[body].jumps[axis].at_ends()[end];
        Wrench::at(&rigid_state.centre(), Vec3::ith(axis, jump * rigid_state.mass()))
    }

    /// Work of the reaction along an axis over the last step, including velocity jumps \[J\]: the change of the kinetic
    /// energy minus the work of all other forces.
    pub(crate) fn rigid_reaction_work(&self, body: usize, axis: usize) -> f64 {
        let (rigid, Some(rigid_state)) = (&self.state.forces.rigid[body], &self.state.rigid_bodies[body])
        else {
            return 0.0;
        };
        if rigid.prescribed[axis].is_none() {
            return 0.0;
        }
        let force = 0.5 * (rigid.force_before[axis] + rigid.force[axis]);
        rigid_state.mass() * rigid.jumps[axis].energy_gained() - force * rigid.travel[axis]
    }

    /// Two quantities of the reaction moment in the last step, of length `dt` \[s\]. Without a prescribed rotation,
    /// both are zero.
    ///
    /// - angular impulse minus `dt` times the mean of the moments at both ends of the step
    /// - work \[J\]: the change of the rotational energy minus the work of contact, ties and loads
    pub(crate) fn rigid_moment_jump(&self, body: usize, dt: f64) -> (Wrench, f64) {
        let rigid = &self.state.forces.rigid[body];
        let (Some(before), Some(after), Some(_)) =
            (&self.scratch.before.rigid_bodies[body], &self.state.rigid_bodies[body], &rigid.rotation)
        else {
            return (Wrench::zero(), 0.0);
        };
        let gained = after.rotational_energy() - before.rotational_energy();
        let turn = (after.rotation() * before.rotation().inverse()).scaled_axis();
        let of_ties = [&self.scratch.before.action, &self.state.contact.action]
            .map(|action| action.rigid_force(body)[1]);
        let by_ties = 0.5 * (of_ties[0] + of_ties[1]).dot(&turn);
        let given = self.work_about_centre(body) + by_ties + rigid.work_of_moments(dt);
        (Wrench { angular: rigid.moment_jump, ..Wrench::zero() }, gained - given)
    }

    /// Work of the nodal contact and tie forces on displacements relative to the centre of mass, over the last step
    /// \[J\].
    fn work_about_centre(&self, body: usize) -> f64 {
        let (nodes, travel) = (&self.model.bodies[body].nodes, self.state.forces.rigid[body].travel);
        let of = |action: &ContactAction| -> f64 {
            let touched = action.touched_in(nodes).iter().map(|&node| node as usize);
            let about =
                |node: usize| self.state.nodes.positions[node] - self.scratch.positions_next[node] - travel;
            touched.map(|node| action.forces[node].dot(&about(node))).sum()
        };
        0.5 * (of(&self.scratch.before.action) + of(&self.state.contact.action))
    }
}
