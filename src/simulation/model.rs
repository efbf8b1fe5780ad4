//! What does not change in time: bodies, nodes, elements, masses, supports and loads.

use std::ops::Range;
use std::sync::Arc;

use crate::dynamics::Load;
use crate::dynamics::{Prescribed, PrescribedRotation, Support};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// The model of a simulation. Nodes of all bodies are numbered together, body after body, those of a body along
/// a space-filling curve.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Bodies, in the order of the scenario, and behind them the walls, each a body of one node.
    pub bodies: Vec<Body>,
    /// Positions at t = 0, where every body is free of stress \[m\].
    pub reference_positions: Vec<Vec3>,
    /// The user's number of every node.
    pub node_tags: Vec<u64>,
    /// Lumped mass of every node \[kg\].
    pub mass: Vec<f64>,
    /// Its reciprocal as contact sees it \[1/kg\]: 0 where the node is held.
    pub inverse_mass: Vec<f64>,
    /// Supports of deformable bodies, and of walls whose motion is given.
    pub supports: Vec<Support>,
    /// Nodes of walls that are free to move along their normals.
    pub sliders: Vec<Slider>,
    /// Number of accounts of what supports give: of the boundaries, and behind them of the walls.
    pub num_support_accounts: usize,
    /// Loads on bodies.
    pub loads: Vec<Load>,
    /// Output points: the node of the model shown as each, in the user's order.
    pub output_nodes: Vec<u32>,
    /// Names of the materials.
    pub material_names: Vec<String>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Its elements.
    pub blocks: Vec<Block>,
    /// Number of faces that can touch.
    pub num_faces: usize,
    /// Index of its material; `None` for a wall.
    pub material: Option<usize>,
    /// Mass; 0 of a wall that nothing but its velocity moves \[kg\].
    pub mass: f64,
    /// Acceleration that acts on it \[m/s²\].
    pub gravity: Vec3,
    /// Whether and how it deforms.
    pub behaviour: Behaviour,
    /// Whether a load acts on it.
    pub loaded: bool,
}

/// How a body answers forces.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// It deforms; `supported` if some of its nodes are, `moved` if any of these moves.
    Deformable {
        /// Some nodes are supported.
        supported: bool,
        /// Some supports move.
        moved: bool,
    },
    /// It does not.
    Rigid {
        /// What holds or moves it; `None` for a free body.
        support: Option<Box<RigidSupport>>,
    },
    /// It is a wall: a plane through its node, with this unit normal.
    Wall {
        /// Unit normal.
        normal: Vec3,
        /// How it moves.
        motion: WallMotion,
    },
}

/// What is prescribed of a rigid body: of components of its centre, and all of its rotation.
#[derive(Clone, Debug, Default)]
pub struct RigidSupport {
    /// What is prescribed of each component.
    pub components: [Option<Prescribed>; 3],
    /// Numbers of the accounts of what they give.
    pub accounts: [usize; 3],
    /// Number of that of the moments that hold or turn the body.
    pub moment_account: usize,
}

impl RigidSupport {
    /// The rotation that is prescribed of the body; it does not turn where there is none.
    pub fn rotation(&self) -> Option<&PrescribedRotation> {
        match &self.components[0] {
            Some(Prescribed::Rotation(rotation)) => Some(rotation),
            _ => None,
        }
    }

    /// Whether the body never moves.
    pub fn is_fixed(&self) -> bool {
        self.components.iter().all(|component| component.as_ref().is_some_and(Prescribed::is_fixed))
    }
}

/// How a wall moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallMotion {
    /// It stands.
    Fixed,
    /// With a velocity that never changes.
    Steady,
    /// With a velocity that changes in time.
    Driven,
    /// Along its normal, by the forces on it.
    Free,
}

/// A node of which all acceleration but that along a direction is held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// The node.
    pub node: u32,
    /// Unit vector.
    pub direction: Vec3,
}

/// Elements of one kind of one body.
#[derive(Clone, Debug)]
pub struct Block {
    /// Their kind.
    pub kind: CellKind,
    /// Global nodes, shared with the elements.
    pub connectivity: Arc<[u32]>,
    /// The user's element numbers.
    pub tags: Vec<u64>,
    /// Elements in the user's order.
    pub output_order: Vec<u32>,
    /// Number of the block among those with internal forces; `None` for rigid bodies.
    pub internal: Option<usize>,
}

/// Where an element is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAddress {
    /// Body.
    pub body: u32,
    /// Block of the body.
    pub block: u32,
    /// Element of the block.
    pub element: u32,
}

impl Body {
    /// Kinds and nodes of its cells, block by block.
    pub fn cells(&self) -> impl Iterator<Item = (CellKind, &[u32])> {
        self.blocks.iter().map(|block| (block.kind, &*block.connectivity))
    }

    /// Whether it is rigid.
    pub fn is_rigid(&self) -> bool {
        matches!(self.behaviour, Behaviour::Rigid { .. })
    }

    /// Whether it is rigid and forces can move it.
    pub fn is_rigid_and_moves(&self) -> bool {
        let Behaviour::Rigid { support } = &self.behaviour else { return false };
        support.as_ref().is_none_or(|support| support.components.iter().any(Option::is_none))
    }

    /// Whether it is a wall.
    pub fn is_wall(&self) -> bool {
        matches!(self.behaviour, Behaviour::Wall { .. })
    }

    /// Its acceleration while nothing but gravity acts on it; zero where it has supports \[m/s²\].
    pub fn free_fall(&self) -> Vec3 {
        match self.behaviour {
            Behaviour::Deformable { supported: false, .. } | Behaviour::Rigid { support: None } => {
                self.gravity
            }
            _ => Vec3::zeros(),
        }
    }

    /// Whether gravity or loads act on its nodes.
    pub fn is_driven(&self) -> bool {
        self.loaded || !self.is_rigid() && self.gravity != Vec3::zeros()
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.blocks.iter().map(|block| block.tags.len()).sum()
    }

    /// Whether nothing will move it but contact: held without motion, and no load or gravity to strain it.
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

    /// Whether its motion is known in closed form until something touches it: it flies free of stress, or is a wall of
    /// constant velocity.
    pub fn flies(&self) -> bool {
        match &self.behaviour {
            Behaviour::Deformable { supported, .. } => !supported && !self.loaded,
            Behaviour::Rigid { support } => support.is_none() && !self.loaded,
            Behaviour::Wall { motion, .. } => matches!(motion, WallMotion::Steady | WallMotion::Free),
        }
    }
}

impl Block {
    /// Global nodes of an element.
    pub fn element(&self, element: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[element * n..(element + 1) * n]
    }
}

impl Model {
    /// The body that a node belongs to.
    pub fn body_of(&self, node: u32) -> usize {
        self.bodies.partition_point(|body| body.nodes.end <= node as usize)
    }

    /// Output cells: body after body, block after block, in the user's order.
    pub fn output_cells(&self) -> impl Iterator<Item = CellAddress> {
        let blocks = (0..).zip(&self.bodies).flat_map(|(body, of_body)| {
            (0..).zip(&of_body.blocks).map(move |(block, of_block)| (body, block, of_block))
        });
        blocks.flat_map(|(body, block, of_block)| {
            of_block.output_order.iter().map(move |&element| CellAddress { body, block, element })
        })
    }

    /// The walls with the numbers of their bodies.
    pub fn walls(&self) -> impl Iterator<Item = (u32, &Body)> {
        (0..).zip(&self.bodies).filter(|(_, body)| body.is_wall())
    }

    /// The body and the user's number of an element with internal forces.
    pub fn element(&self, internal_block: usize, element: usize) -> Option<(&str, u64)> {
        self.bodies.iter().find_map(|body| {
            let block = body.blocks.iter().find(|block| block.internal == Some(internal_block))?;
            Some((body.name.as_str(), *block.tags.get(element)?))
        })
    }
}
