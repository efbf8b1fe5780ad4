//! Kinematics and compliance of one contact.

use crate::Constraint;
use crate::math::{Mat3, Vec3};

use super::Bodies;
use super::mobility::Mobility;

/// Velocities, or position corrections, of rigid bodies and of the nodes of deformable bodies.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub nodes: Vec<Vec3>,
    pub translations: Vec<Vec3>,
    /// Angular velocities, or rotation corrections.
    pub rotations: Vec<Vec3>,
}

impl Motion {
    pub fn new(num_nodes: usize, num_bodies: usize) -> Self {
        let rigid = vec![Vec3::zeros(); num_bodies];
        Self { nodes: vec![Vec3::zeros(); num_nodes], translations: rigid.clone(), rotations: rigid }
    }

    pub fn load_velocities(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>) {
        for (body, nodes, _) in sides(constraint) {
            if let Some(rigid) = bodies.mobility.rigid(body) {
                self.translations[body as usize] = rigid.velocity;
                self.rotations[body as usize] = rigid.angular_velocity;
            } else {
                nodes.iter().for_each(|&node| self.nodes[node as usize] = bodies.velocities[node as usize]);
            }
        }
    }

    /// Loads the velocities after a kick of duration `time_step`; prescribed components keep their velocity.
    pub fn kick(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>, time_step: f64) {
        for (body, nodes, _) in sides(constraint) {
            let b = body as usize;
            if let Some(rigid) = bodies.mobility.rigid(body) {
                self.translations[b] = rigid.velocity + rigid.acceleration * time_step;
                self.rotations[b] = rigid.angular_velocity + rigid.angular_acceleration * time_step;
                continue;
            }
            for &node in nodes {
                let kick = bodies.accelerations[node as usize] * time_step;
                self.nodes[node as usize] =
                    bodies.velocities[node as usize] + bodies.mobility.free_part(node, &kick);
            }
        }
    }
}

/// Body, nodes and weights of contactor and target.
pub(super) fn sides<'a>(constraint: &Constraint<'a>) -> [(u32, &'a [u32], &'a [f64]); 2] {
    let middle = constraint.num_contactor_nodes;
    let (contactor, target) = constraint.nodes.split_at(middle);
    let weights = constraint.weights.split_at(middle);
    [(constraint.bodies[0], contactor, weights.0), (constraint.bodies[1], target, weights.1)]
}

/// Relative acceleration Σ w_a a_a \[m/s²\], with the nodal weights w_a and accelerations a_a. The accelerations on
/// rigid bodies exclude the centripetal part.
pub(super) fn relative_acceleration(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
    let of_side = |(body, nodes, weights): (u32, &[u32], &[f64])| {
        let rigid = bodies.mobility.rigid(body);
        let of_node = |node: u32| match rigid {
            Some(rigid) => {
                let arm = bodies.positions[node as usize] - rigid.centre;
                rigid.acceleration + rigid.angular_acceleration.cross(&arm)
            }
            None => bodies.accelerations[node as usize],
        };
        nodes.iter().zip(weights).map(|(&node, w)| of_node(node) * *w).sum::<Vec3>()
    };
    sides(constraint).into_iter().map(of_side).sum()
}

/// Whether all nodes of the contact on deformable bodies are fixed; true without such nodes.
pub(super) fn is_rigid_contact(constraint: &Constraint<'_>, mobility: &Mobility) -> bool {
    let mut deformable = deformable_sides(constraint, mobility).flat_map(|(_, nodes, _)| nodes);
    !deformable.any(|&node| mobility.is_movable(node))
}

/// Body, nodes and weights of the deformable sides.
pub(super) fn deformable_sides<'a>(
    constraint: &Constraint<'a>,
    mobility: &Mobility,
) -> impl Iterator<Item = (u32, &'a [u32], &'a [f64])> {
    sides(constraint).into_iter().filter(|(body, ..)| mobility.rigid(*body).is_none())
}

/// Body, total weight Σ w_a and arm Σ w_a (x_a − c) of each side on a movable rigid body with the centre c.
pub(super) fn rigid_sides(
    constraint: &Constraint<'_>,
    bodies: &Bodies<'_>,
) -> impl Iterator<Item = (u32, f64, Vec3)> {
    sides(constraint).into_iter().filter_map(|(body, nodes, weights)| {
        let rigid = bodies.mobility.rigid(body).filter(|rigid| rigid.can_move())?;
        let terms = nodes.iter().zip(weights);
        let arm = terms.map(|(&node, w)| (bodies.positions[node as usize] - rigid.centre) * *w).sum();
        Some((body, weights.iter().sum(), arm))
    })
}

/// Normal compliance n · A n with the normal n: change of the gap rate per normal impulse \[1/kg\]. A is
/// `Row::compliance`.
pub(super) fn compliance_along_normal(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> f64 {
    let normal = &constraint.normal;
    let of_rigid = rigid_sides(constraint, bodies).filter_map(|(body, total, arm)| {
        let rigid = bodies.mobility.rigid(body)?;
        let (moved, turned) = (normal * total, arm.cross(normal));
        let moved = moved.dot(&rigid.inverse_mass.component_mul(&moved));
        Some(moved + turned.dot(&(rigid.inverse_inertia * turned)))
    });
    let of_nodes = deformable_sides(constraint, bodies.mobility).flat_map(|(_, nodes, weights)| {
        let along = |&node: &u32| normal.dot(&bodies.mobility.velocity_jump(node, normal));
        nodes.iter().zip(weights).map(move |(node, w)| w * w * along(node))
    });
    of_rigid.sum::<f64>() + of_nodes.sum::<f64>()
}

/// Total weight Σ w_a and arm Σ w_a (x_a − c), with the centre c of a rigid body.
#[derive(Clone, Copy, Debug)]
struct RigidPart {
    total: f64,
    arm: Vec3,
}

/// Compliance of one contact, and kinematics of its rigid bodies. w_a are the nodal weights.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// A = G M⁻¹ Gᵀ \[1/kg\]: an impulse P changes the relative velocity by A P. G maps the nodal velocities v_a to
    /// the relative velocity Σ w_a v_a; M is the mass matrix.
    pub compliance: Mat3,
    rigid: [Option<RigidPart>; 2],
}

impl Row {
    pub fn new(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Self {
        let mut row = Self { compliance: Mat3::zeros(), rigid: [None; 2] };
        for (part, (body, nodes, weights)) in row.rigid.iter_mut().zip(sides(constraint)) {
            if let Some(rigid) = bodies.mobility.rigid(body) {
                let arms = nodes.iter().zip(weights);
                let arm = arms.map(|(&node, w)| (bodies.positions[node as usize] - rigid.centre) * *w).sum();
                *part = Some(RigidPart { total: weights.iter().sum(), arm });
            }
        }
        row.comply(constraint, bodies.mobility);
        row
    }

    fn comply(&mut self, constraint: &Constraint<'_>, mobility: &Mobility) {
        self.compliance = Mat3::zeros();
        for (part, (body, nodes, weights)) in self.rigid.iter().zip(sides(constraint)) {
            if let (Some(RigidPart { total, arm }), Some(rigid)) = (part, mobility.rigid(body)) {
                let lever = arm.cross_matrix();
                self.compliance += Mat3::from_diagonal(&(rigid.inverse_mass * (total * total)))
                    - lever * rigid.inverse_inertia * lever;
            } else {
                for (&node, w) in nodes.iter().zip(weights) {
                    self.compliance += mobility.matrix(node) * (w * w);
                }
            }
        }
    }

    /// Relative velocity Σ w_a v_a.
    pub fn jump(&self, constraint: &Constraint<'_>, motion: &Motion) -> Vec3 {
        let mut jump = Vec3::zeros();
        for (part, (body, nodes, weights)) in self.rigid.iter().zip(sides(constraint)) {
            match part {
                Some(part) => {
                    jump += motion.translations[body as usize] * part.total
                        + motion.rotations[body as usize].cross(&part.arm);
                }
                None => {
                    let nodes = nodes.iter().zip(weights);
                    jump += nodes.map(|(&node, w)| motion.nodes[node as usize] * *w).sum::<Vec3>();
                }
            }
        }
        jump
    }

    /// Adds to `motion` the velocity changes by `impulse` on the contactor and −`impulse` on the target.
    pub fn push(
        &self,
        constraint: &Constraint<'_>,
        mobility: &Mobility,
        motion: &mut Motion,
        impulse: &Vec3,
    ) {
        for (part, (body, nodes, weights)) in self.rigid.iter().zip(sides(constraint)) {
            match (part, mobility.rigid(body)) {
                (Some(part), Some(rigid)) => {
                    motion.translations[body as usize] +=
                        rigid.inverse_mass.component_mul(impulse) * part.total;
                    motion.rotations[body as usize] += rigid.inverse_inertia * part.arm.cross(impulse);
                }
                _ => {
                    for (&node, w) in nodes.iter().zip(weights) {
                        motion.nodes[node as usize] += mobility.velocity_jump(node, impulse) * *w;
                    }
                }
            }
        }
    }

    /// Rounding error 4 ε Σ |w_a| |v_a| of the relative velocity, with the machine precision ε. The error matters if
    /// the two bodies have a large common velocity.
    pub fn rounding(&self, constraint: &Constraint<'_>, motion: &Motion) -> f64 {
        let mut sum = 0.0;
        for (part, (body, nodes, weights)) in self.rigid.iter().zip(sides(constraint)) {
            match part {
                Some(part) => {
                    let b = body as usize;
                    sum += motion.translations[b].norm() * part.total.abs();
                    sum += motion.rotations[b].norm() * part.arm.norm();
                }
                None => {
                    let nodes = nodes.iter().zip(weights);
                    sum += nodes.map(|(&node, w)| motion.nodes[node as usize].norm() * w.abs()).sum::<f64>();
                }
            }
        }
        4.0 * f64::EPSILON * sum
    }

    /// Largest eigenvalue of A in the tangent plane \[1/kg\].
    pub fn across(&self, normal: &Vec3) -> f64 {
        let out = Mat3::identity() - normal * normal.transpose();
        let plane = out * self.compliance * out;
        // The two non-zero eigenvalues follow from the trace and the sum of the principal minors.
        let half = 0.5 * plane.trace();
        let minors = 0.5 * (plane.trace().powi(2) - (plane * plane).trace());
        half + (half * half - minors).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::mobility::RigidMobility;
    use crate::response::samples::{INVERSE_MASS, bodies, free_nodes, one_contact, positions};

    /// The columns of A equal the changes of the relative velocity under unit impulses.
    #[test]
    fn compliance_is_the_answer_to_a_push() {
        let (constraints, x) = (one_contact(0.0), positions(0.0));
        let velocities = [Vec3::zeros(); 4];
        for rigid in [false, true] {
            let mut mobility = free_nodes(&INVERSE_MASS);
            if rigid {
                let inertia = Mat3::new(2.0, 0.1, 0.0, 0.1, 1.0, 0.2, 0.0, 0.2, 3.0);
                let centre = Vec3::new(0.4, -0.3, -1.0);
                let body = RigidMobility {
                    centre,
                    inverse_mass: Vec3::new(0.2, 0.0, 0.2),
                    inverse_inertia: inertia.try_inverse().unwrap(),
                    velocity: Vec3::zeros(),
                    angular_velocity: Vec3::zeros(),
                    acceleration: Vec3::zeros(),
                    angular_acceleration: Vec3::zeros(),
                };
                mobility.set_rigid(1, body);
            }
            let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
            let constraint = constraints.get(0);
            let row = Row::new(&constraint, &bodies);
            for axis in 0..3 {
                let mut motion = Motion::new(4, 2);
                let impulse = Vec3::ith(axis, 1.0);
                row.push(&constraint, &mobility, &mut motion, &impulse);
                let found = row.jump(&constraint, &motion);
                assert!((found - row.compliance.column(axis)).norm() < 1e-14, "{found}");
            }
            let along = compliance_along_normal(&constraint, &bodies);
            let normal = constraint.normal;
            assert!((along - normal.dot(&(row.compliance * normal))).abs() < 1e-14, "{along}");
            let eigen = row.compliance.fixed_view::<2, 2>(0, 0).symmetric_eigenvalues().max();
            assert!((row.across(&Vec3::z()) - eigen).abs() < 1e-13);
            if !rigid {
                assert!((1.0 / row.compliance.m33 - 0.655021834061).abs() < 1e-12);
            }
        }
    }
}
