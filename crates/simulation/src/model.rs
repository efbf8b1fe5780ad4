//! The model: bodies, nodes, elements, masses, supports and loads. The model does not change during a run.

use std::ops::Range;
use std::sync::Arc;

use crate::contact::Surface;
use crate::dynamics::{CriticalStep, Load, Prescribed, PrescribedRotation, Support};
use crate::math::{TimeFunction, Vec3};
use crate::mesh::CellKind;

/// The model of a simulation. Nodes are numbered body by body, along a space-filling curve within a body.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Bodies in the order of the scenario, then the walls, each as a body of one node.
    pub bodies: Vec<Body>,
    /// Positions in the stress-free reference configuration \[m\].
    pub reference_positions: Vec<Vec3>,
    /// Number of every node in its mesh file; 1 for the node of a wall.
    pub node_tags: Vec<u64>,
    /// Lumped mass of every node \[kg\].
    pub mass: Vec<f64>,
    /// Inverse mass of every node for contact \[1/kg\]; 0 for a node with prescribed motion in all three directions.
    pub inverse_mass: Vec<f64>,
    /// Supports of deformable bodies, and of walls that are not free.
    pub supports: Vec<Support>,
    /// Slider constraints of free walls.
    pub sliders: Vec<Slider>,
    /// Number of support accounts (sums of reactions and their work): one per `[[boundaries]]` entry, then one per
    /// wall.
    pub num_support_accounts: usize,
    /// Loads on bodies.
    pub loads: Vec<Load>,
    /// Node of each output point, body by body; the nodes of a body are in the order of its mesh file. Walls have no
    /// output points.
    pub output_nodes: Vec<u32>,
    /// Names of the materials.
    pub material_names: Vec<String>,
    /// Contact surface of each body.
    pub(crate) surfaces: Vec<Surface>,
    /// Largest distance of a surface node of each body from the centre of mass of the body \[m\]; used for rigid bodies
    /// only.
    pub(crate) radii: Vec<f64>,
    /// Critical step in the reference configuration; one entry per block with internal forces.
    pub(crate) block_critical_steps: Vec<Option<CriticalStep>>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Global numbers of the nodes.
    pub nodes: Range<usize>,
    /// Element blocks; empty for a wall.
    pub blocks: Vec<Block>,
    /// Number of contact faces.
    pub num_faces: usize,
    /// Index of the material; `None` for a wall.
    pub material: Option<usize>,
    /// Mass \[kg\]; 0 for a wall that is not free.
    pub mass: f64,
    /// Gravitational acceleration \[m/s²\]; zero if gravity varies in time and is therefore one of the loads.
    pub gravity: Vec3,
    /// Largest magnitude of the gravitational acceleration during the run \[m/s²\]; if gravity varies in time, the
    /// largest of sampled values.
    pub peak_gravity: f64,
    /// Deformable, rigid or wall.
    pub behaviour: Behaviour,
    /// Whether loads, including a gravity that varies in time, act on the body.
    pub loaded: bool,
    /// Rate of mass damping, if any \[1/s\].
    pub mass_damping: Option<TimeFunction>,
}

/// Mechanical behaviour of a body.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Deformable.
    Deformable {
        /// Whether the body has supports.
        supported: bool,
        /// Whether any support prescribes a motion other than rest.
        moved: bool,
    },
    /// Rigid.
    Rigid {
        /// Supports and prescribed motion; `None` for a free body.
        support: Option<Box<RigidSupport>>,
    },
    /// Rigid wall: a plane through the node of the body.
    Wall {
        /// Unit normal.
        normal: Vec3,
        /// Motion.
        motion: WallMotion,
    },
}

/// Supports and prescribed motion of a rigid body. Single components of the motion of its centre of mass can be free;
/// the rotation is always fixed or prescribed.
#[derive(Clone, Debug, Default)]
pub struct RigidSupport {
    /// Prescribed motion of each component of the centre; `None` if free. If a rotation is prescribed, all three
    /// components contain this rotation.
    pub components: [Option<Prescribed>; 3],
    /// Index of the support account of each component.
    pub accounts: [usize; 3],
    /// Index of the support account of the reaction moments.
    pub moment_account: usize,
}

impl RigidSupport {
    /// Prescribed rotation; `None` if the rotation is fixed.
    pub fn rotation(&self) -> Option<&PrescribedRotation> {
        match &self.components[0] {
            Some(Prescribed::Rotation(rotation)) => Some(rotation),
            _ => None,
        }
    }

    /// Whether all three components of the centre are fixed, and no rotation is prescribed.
    pub fn is_fixed(&self) -> bool {
        self.components.iter().all(|component| component.as_ref().is_some_and(Prescribed::is_fixed))
    }
}

/// Motion of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallMotion {
    /// At rest.
    Fixed,
    /// Constant velocity.
    Steady,
    /// Velocity prescribed as a function of time.
    Driven,
    /// Free along the normal of the wall.
    Free,
}

/// A slider constraint: a node that moves along one direction only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// The node.
    pub node: u32,
    /// Unit vector along which the node moves.
    pub direction: Vec3,
}

/// Elements of one kind of one body.
#[derive(Clone, Debug)]
pub struct Block {
    /// Kind of the elements.
    pub kind: CellKind,
    /// Global node numbers, element by element; shared with the internal forces.
    pub connectivity: Arc<[u32]>,
    /// Numbers of the elements in the mesh file.
    pub tags: Vec<u64>,
    /// Indices of the elements in this block, sorted by the order of the elements in the mesh file.
    pub output_order: Vec<u32>,
    /// Index among all blocks with internal forces; `None` for a block of a rigid body.
    pub internal: Option<usize>,
}

/// Address of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAddress {
    /// Index of the body.
    pub body: u32,
    /// Index of the block in the body.
    pub block: u32,
    /// Index of the element in the block.
    pub element: u32,
}

impl Body {
    /// Kind and connectivity of each block.
    pub fn cells(&self) -> impl Iterator<Item = (CellKind, &[u32])> {
        self.blocks.iter().map(|block| (block.kind, &*block.connectivity))
    }

    /// Whether the body is rigid.
    pub fn is_rigid(&self) -> bool {
        matches!(self.behaviour, Behaviour::Rigid { .. })
    }

    /// Whether the body is rigid, and at least one component of its centre is free.
    pub fn is_rigid_and_moves(&self) -> bool {
        let Behaviour::Rigid { support } = &self.behaviour else { return false };
        support.as_ref().is_none_or(|support| support.components.iter().any(Option::is_none))
    }

    /// Whether the body is a wall.
    pub fn is_wall(&self) -> bool {
        matches!(self.behaviour, Behaviour::Wall { .. })
    }

    /// Acceleration in free fall \[m/s²\]; zero for a wall and for a body with supports.
    pub fn free_fall(&self) -> Vec3 {
        match self.behaviour {
            Behaviour::Deformable { supported: false, .. } | Behaviour::Rigid { support: None } => {
                self.gravity
            }
            _ => Vec3::zeros(),
        }
    }

    /// Whether loads act on the body; for a body that is not rigid, also whether constant gravity acts on the body.
    pub fn is_driven(&self) -> bool {
        self.loaded || !self.is_rigid() && self.gravity != Vec3::zeros()
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.blocks.iter().map(|block| block.tags.len()).sum()
    }

    /// For a body at rest: whether its supports keep the body at rest until contact.
    pub fn stays(&self) -> bool {
        match &self.behaviour {
            Behaviour::Deformable { supported, moved } => {
                *supported && !moved && !self.loaded && self.gravity == Vec3::zeros()
            }
            Behaviour::Rigid { support } => {
                !self.loaded && support.as_ref().is_some_and(|support| support.is_fixed())
            }
            Behaviour::Wall { motion, .. } => *motion == WallMotion::Fixed,
        }
    }

    /// Whether the body moves until contact without supports, loads and mass damping, or is a wall in steady or free
    /// motion. The motion is then known in closed form, provided that the body has no strain.
    pub fn flies(&self) -> bool {
        let is_free = !self.loaded && self.mass_damping.is_none();
        match &self.behaviour {
            Behaviour::Deformable { supported, .. } => !supported && is_free,
            Behaviour::Rigid { support } => support.is_none() && is_free,
            Behaviour::Wall { motion, .. } => matches!(motion, WallMotion::Steady | WallMotion::Free),
        }
    }
}

impl Block {
    /// Global numbers of the nodes of an element.
    pub fn element(&self, element: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[element * n..(element + 1) * n]
    }
}

impl Model {
    /// Index of the body to which a node belongs.
    pub fn body_of(&self, node: u32) -> usize {
        self.bodies.partition_point(|body| body.nodes.end <= node as usize)
    }

    /// The node of a body nearest to `position` \[m\] in the reference configuration. The lowest number in the mesh
    /// file decides between equally near nodes.
    pub fn nearest_node(&self, body: &Body, position: &Vec3) -> u32 {
        let distance = |node: &usize| (self.reference_positions[*node] - position).norm_squared();
        let tag = |node: &usize| self.node_tags[*node];
        let nearer = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b)).then(tag(a).cmp(&tag(b)));
        body.nodes.clone().min_by(nearer).unwrap_or(body.nodes.start) as u32
    }

    /// Output cells, body by body, and block by block in each body. The cells of a block are in the order of the mesh
    /// file.
    pub fn output_cells(&self) -> impl Iterator<Item = CellAddress> {
        let blocks = (0..).zip(&self.bodies).flat_map(|(body, of_body)| {
            (0..).zip(&of_body.blocks).map(move |(block, of_block)| (body, block, of_block))
        });
        blocks.flat_map(|(body, block, of_block)| {
            of_block.output_order.iter().map(move |&element| CellAddress { body, block, element })
        })
    }

    /// The walls, with their indices among the bodies.
    pub fn walls(&self) -> impl Iterator<Item = (u32, &Body)> {
        (0..).zip(&self.bodies).filter(|(_, body)| body.is_wall())
    }

    /// Name of the body of an element, and number of the element in the mesh file, if the element exists.
    ///
    /// `internal_block` is the index among all blocks with internal forces.
    pub fn element(&self, internal_block: usize, element: usize) -> Option<(&str, u64)> {
        self.bodies.iter().find_map(|body| {
            let block = body.blocks.iter().find(|block| block.internal == Some(internal_block))?;
            Some((body.name.as_str(), *block.tags.get(element)?))
        })
    }
}
