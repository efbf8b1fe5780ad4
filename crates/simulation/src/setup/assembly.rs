//! Assembly of the model: reads and places meshes, numbers nodes and elements, computes masses and contact surfaces.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::contact::Surface;
use crate::dynamics::{
    ElementBlock, Integration, MassProperties, RigidBody, add_lumped_mass, mass_properties,
};
use crate::io::gmsh;
use crate::material::{Elasticity, Material};
use crate::math::{Mat3, Rotation, Vec3};
use crate::mesh::{CellBlock, CellKind, Faces, Mesh, MeshError, Renumbering};
use crate::scenario::{
    self, BodySpec, ContactSurface, HexIntegration, Located, MaterialModel, MaterialSpec, RigidMass, Scenario,
};

use super::sheets::{Extent, orient, without_degenerate_faces};
use crate::error::SetupError;
use crate::model::{Behaviour, Block, Body, Model};

#[derive(Default)]
pub(crate) struct Assembly {
    pub model: Model,
    /// One per body; walls have none.
    pub surfaces: Vec<Surface>,
    pub element_blocks: Vec<ElementBlock>,
    /// One entry per body or wall; `None` for a deformable body.
    pub rigid_states: Vec<Option<RigidBody>>,
    /// For each body, the mesh and the global number of the first node.
    pub meshes: Vec<(Mesh, u32)>,
    pub extents: Vec<Extent>,
    pub warnings: Vec<String>,
}

impl Assembly {
    /// `positions` replace the nodal positions of the meshes.
    pub fn build(scenario: &Scenario, positions: Option<&[Vec3]>) -> Result<Self, SetupError> {
        let mut assembly = Self::default();
        assembly.model.material_names = scenario.materials.iter().map(|m| m.name.clone()).collect();
        let mut files: HashMap<&Path, Mesh> = HashMap::new();
        for spec in &scenario.bodies {
            let path = spec.mesh.value.as_path();
            if !files.contains_key(path) {
                files.insert(path, read_mesh(spec)?);
            }
        }
        let plane = is_plane_model(scenario, &files);
        for spec in &scenario.bodies {
            assembly.add_body(scenario, spec, &files[spec.mesh.value.as_path()], positions, plane)?;
        }
        for (account, wall) in (scenario.boundaries.len()..).zip(&scenario.walls) {
            assembly.add_wall(wall, account)?;
        }
        assembly.model.num_support_accounts = scenario.boundaries.len() + scenario.walls.len();
        for (index, boundary) in scenario.boundaries.iter().enumerate() {
            assembly.refuse_conflicts(scenario, &scenario.boundaries[..index], boundary)?;
            assembly.add_boundary(scenario, boundary, index)?;
        }
        for load in &scenario.loads {
            assembly.add_load(scenario, load)?;
        }
        for (body, spec) in scenario.bodies.iter().enumerate() {
            if let Some(functions) = &spec.varying_gravity {
                assembly.add_weight(body, functions, scenario.time.end);
            }
        }
        assembly.fix_supported_nodes();
        Ok(assembly)
    }

    fn add_body(
        &mut self,
        scenario: &Scenario,
        spec: &BodySpec,
        file: &Mesh,
        positions: Option<&[Vec3]>,
        plane: bool,
    ) -> Result<(), SetupError> {
        let (mut mesh, order) = place_mesh(spec, file).map_err(|source| geometry(spec, source))?;
        let first = self.model.reference_positions.len();
        let moved = positions.and_then(|positions| positions.get(first..first + mesh.nodes.len()));
        mesh.nodes = moved.map_or(mesh.nodes, <[Vec3]>::to_vec);
        let material = &scenario.materials[spec.material];
        let rigid = material.model == MaterialModel::Rigid;
        let surface = mesh.dimension() == Some(2);
        let sheet = surface && rigid && !(plane && mesh.is_plane());
        let extent = if sheet { Extent::Sheet } else { Extent::Solid };
        check_mesh(&mesh, extent).map_err(|source| geometry(spec, source))?;
        if sheet && spec.contact != ContactSurface::None {
            mesh = orient(spec, mesh, &mut self.warnings).map_err(|source| geometry(spec, source))?;
        }
        let end = first + mesh.nodes.len();
        check_count(end)?;
        self.model.reference_positions.extend_from_slice(&mesh.nodes);
        self.model.node_tags.extend_from_slice(&mesh.node_tags);
        self.model.mass.resize(end, 0.0);
        self.add_output_nodes(&order, first as u32);
        let surface = self.surface_of(spec, &mesh, extent, rigid)?;
        let mut body = Body {
            name: spec.name.clone(),
            nodes: first..end,
            blocks: blocks_of(&mesh, &order, first as u32),
            num_faces: surface.num_faces(),
            material: Some(spec.material),
            mass: 0.0,
            gravity: spec.gravity,
            peak_gravity: spec.gravity.norm(),
            behaviour: if rigid {
                Behaviour::Rigid { support: None }
            } else {
                Behaviour::Deformable { supported: false, moved: false }
            },
            loaded: false,
            mass_damping: spec.mass_damping.clone(),
        };
        let rigid_state = if rigid {
            let rigid_state = self.add_rigid_mass(spec, material.density, &body, extent)?;
            Some(rigid_state)
        } else {
            self.add_elements(spec, material, &mut body)?;
            None
        };
        body.mass = self.model.mass[first..end].iter().sum();
        self.surfaces.push(surface);
        self.extents.push(extent);
        self.rigid_states.push(rigid_state);
        self.meshes.push((mesh, first as u32));
        self.model.bodies.push(body);
        Ok(())
    }

    /// Contact surface of the body whose nodes were added last. Omits the degenerate faces of a rigid body, because
    /// degenerate faces have no normal. In a deformable body, the element of such a face is rejected as inverted.
    fn surface_of(
        &mut self,
        spec: &BodySpec,
        mesh: &Mesh,
        extent: Extent,
        rigid: bool,
    ) -> Result<Surface, SetupError> {
        let found = match &spec.contact {
            ContactSurface::None => vec![],
            ContactSurface::Skin => {
                let skin = if extent == Extent::Sheet { mesh.shell() } else { mesh.skin() };
                vec![skin.map_err(|source| geometry(spec, source))?]
            }
            ContactSurface::Groups(groups) => {
                let faces = groups.iter().map(|group| local_faces_of_group(spec, mesh, extent, group));
                faces.collect::<Result<_, _>>()?
            }
        };
        let first = self.model.reference_positions.len() - mesh.nodes.len();
        let mut faces = Vec::new();
        for found in found {
            let kept =
                if rigid { without_degenerate_faces(spec, mesh, &found, &mut self.warnings) } else { found };
            faces.extend(global_faces(&kept, first as u32));
        }
        Ok(Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice()))))
    }

    /// The output nodes are in the order of the mesh file.
    fn add_output_nodes(&mut self, order: &Renumbering, first: u32) {
        self.model.output_nodes.extend(order.new_nodes().into_iter().map(|node| first + node));
    }

    /// Adds the elements of a body, and lumps their masses to the nodes.
    fn add_elements(
        &mut self,
        spec: &BodySpec,
        material: &MaterialSpec,
        body: &mut Body,
    ) -> Result<(), SetupError> {
        let density = density_of(spec, material.density)?;
        let Some(law) = material_law(spec, material.model)? else { return Ok(()) };
        let integration = match spec.hex.value {
            HexIntegration::MeanDilatation => Integration::Full,
            HexIntegration::OnePoint => Integration::OnePoint,
        };
        let has_hexahedra = body.blocks.iter().any(|block| block.kind == CellKind::Hex8);
        if integration == Integration::OnePoint && !has_hexahedra {
            return Err(SetupError::NoHexahedra { body: spec.name.clone(), span: spec.hex.span.clone() });
        }
        for block in &mut body.blocks {
            let positions = &self.model.reference_positions;
            let cells = (block.kind, integration, Arc::clone(&block.connectivity));
            let elements = ElementBlock::shared(cells, law, density, positions);
            let elements = elements.map_err(|source| SetupError::Elements {
                body: spec.name.clone(),
                source,
                span: spec.mesh.span.clone(),
            })?;
            elements.add_lumped_mass(positions, &mut self.model.mass);
            block.internal = Some(self.element_blocks.len());
            self.element_blocks.push(elements);
        }
        Ok(())
    }

    /// Computes mass and inertia of a rigid body, and lumps the mass to its nodes.
    fn add_rigid_mass(
        &mut self,
        spec: &BodySpec,
        density: Option<f64>,
        body: &Body,
        extent: Extent,
    ) -> Result<RigidBody, SetupError> {
        let scale = match spec.rigid {
            RigidMass::Even(_) | RigidMass::Given(..) => 1.0,
            RigidMass::Shell(thickness) => thickness * density_of(spec, density)?,
            RigidMass::Volume if extent == Extent::Sheet => {
                return Err(mass_error(spec, "the mesh is a surface: give its `thickness` or its `mass`"));
            }
            RigidMass::Volume => density_of(spec, density)?,
        };
        let positions = &self.model.reference_positions;
        let properties = body
            .blocks
            .iter()
            .map(|block| mass_properties(block.kind, &block.connectivity, positions, scale))
            .fold(MassProperties::NONE, |sum, block| sum.merge(&block));
        if properties.mass <= 0.0 {
            return Err(mass_error(spec, "its elements have no volume"));
        }
        let (mass, inertia) = match spec.rigid {
            RigidMass::Given(mass, inertia) => {
                let turn = spec.rotate.map_or_else(Mat3::identity, |(axis, angle)| {
                    Rotation::from_scaled_axis(axis * angle).to_rotation_matrix().into_inner()
                });
                (mass, turn * symmetric(inertia) * turn.transpose())
            }
            RigidMass::Even(mass) => (mass, properties.inertia * (mass / properties.mass)),
            RigidMass::Volume | RigidMass::Shell(_) => (properties.mass, properties.inertia),
        };
        let density = scale * mass / properties.mass;
        for block in &body.blocks {
            add_lumped_mass(block.kind, &block.connectivity, positions, density, &mut self.model.mass);
        }
        Ok(RigidBody::new(mass, properties.centre, &inertia))
    }
}

/// Whether all meshes consist of plane cells in z = 0, and all wall normals lie in this plane.
fn is_plane_model(scenario: &Scenario, files: &HashMap<&Path, Mesh>) -> bool {
    let is_plane = |spec: &BodySpec| {
        let file = &files[spec.mesh.value.as_path()];
        let solid = file.dimension() == Some(3) && spec.region.is_empty();
        // `add_body` reports the error of a mesh that cannot be placed.
        !solid
            && place_mesh(spec, file).map_or(true, |(mesh, _)| mesh.dimension() == Some(2) && mesh.is_plane())
    };
    scenario.walls.iter().all(|wall| wall.normal.z == 0.0) && scenario.bodies.iter().all(is_plane)
}

/// Rejects a number of nodes that exceeds 32-bit indices.
pub(crate) fn check_count(num_nodes: usize) -> Result<(), SetupError> {
    if u32::try_from(num_nodes).is_err() { Err(SetupError::TooManyNodes(num_nodes)) } else { Ok(()) }
}

fn read_mesh(spec: &BodySpec) -> Result<Mesh, SetupError> {
    gmsh::read(&spec.mesh.value).map_err(|source| SetupError::Mesh {
        body: spec.name.clone(),
        source: Box::new(source),
        span: spec.mesh.span.clone(),
    })
}

/// Selects the region of a body, moves the nodes into place, and renumbers them: nodes near each other get near
/// numbers.
fn place_mesh(spec: &BodySpec, file: &Mesh) -> Result<(Mesh, Renumbering), MeshError> {
    let names: Vec<&str> = spec.region.iter().map(|name| name.value.as_str()).collect();
    let mut mesh = file.region(&names)?.scaled(spec.scale)?;
    if let Some((axis, angle)) = &spec.rotate {
        mesh = mesh.rotated(&Rotation::from_scaled_axis(axis * *angle))?;
    }
    mesh.translated(spec.translate)?.renumbered()
}

fn check_mesh(mesh: &Mesh, extent: Extent) -> Result<(), MeshError> {
    match mesh.dimension() {
        Some(3) => mesh.quality()?.check(),
        Some(2) if extent == Extent::Sheet => Ok(()),
        Some(2) if mesh.is_plane() => mesh.check_plane(),
        _ => mesh.require_volume(),
    }
}

/// Non-empty blocks of the highest dimension, each with its index in the mesh.
fn element_blocks(mesh: &Mesh) -> impl Iterator<Item = (usize, &CellBlock)> {
    mesh.blocks_of_dimension(mesh.dimension().unwrap_or(0)).filter(|(_, block)| !block.is_empty())
}

fn blocks_of(mesh: &Mesh, order: &Renumbering, first: u32) -> Vec<Block> {
    let block = |(index, block): (usize, &CellBlock)| Block {
        kind: block.kind,
        connectivity: block.connectivity.iter().map(|node| node + first).collect(),
        tags: block.tags.clone(),
        output_order: order.new_cells(index),
        internal: None,
    };
    element_blocks(mesh).map(block).collect()
}

/// `first` is the global number of the first node of the mesh.
pub(crate) fn global_faces(faces: &Faces, first: u32) -> Vec<(CellKind, Vec<u32>)> {
    faces.iter().map(|(kind, nodes)| (kind, nodes.iter().map(|node| node + first).collect())).collect()
}

/// Faces with global node numbers.
pub(crate) fn faces_of_group(
    spec: &BodySpec,
    mesh: &Mesh,
    extent: Extent,
    group: &Located<String>,
    first: u32,
) -> Result<Vec<(CellKind, Vec<u32>)>, SetupError> {
    Ok(global_faces(&local_faces_of_group(spec, mesh, extent, group)?, first))
}

/// Faces with the node numbers of the mesh.
fn local_faces_of_group(
    spec: &BodySpec,
    mesh: &Mesh,
    extent: Extent,
    group: &Located<String>,
) -> Result<Faces, SetupError> {
    let found =
        if extent == Extent::Sheet { mesh.group_shell(&group.value) } else { mesh.group_faces(&group.value) };
    found.map_err(|source| geometry_at(spec, source, &group.span))
}

/// `None` for a rigid material.
fn material_law(spec: &BodySpec, model: MaterialModel) -> Result<Option<Material>, SetupError> {
    let MaterialModel::Hyperelastic(law, scenario::Elasticity { young, poisson }) = model else {
        return Ok(None);
    };
    let constants = Elasticity::from_young_poisson(young, poisson);
    let constants = constants.map_err(|source| SetupError::Material { body: spec.name.clone(), source })?;
    Ok(Some((law.material)(constants)))
}

fn density_of(spec: &BodySpec, density: Option<f64>) -> Result<f64, SetupError> {
    density.ok_or_else(|| mass_error(spec, "its material has no `density`, and the body gives no `mass`"))
}

fn symmetric([xx, yy, zz, xy, yz, xz]: [f64; 6]) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

fn mass_error(spec: &BodySpec, reason: &'static str) -> SetupError {
    SetupError::Mass { body: spec.name.clone(), reason, span: spec.mesh.span.clone() }
}

/// If a group of the region is missing in the mesh, the error points to the name of this group in the scenario;
/// otherwise, to the name of the mesh file.
pub(crate) fn geometry(spec: &BodySpec, source: MeshError) -> SetupError {
    let missing = match &source {
        MeshError::MissingGroup { name, .. } => spec.region.iter().find(|region| region.value == *name),
        _ => None,
    };
    let span = missing.map_or(&spec.mesh.span, |region| &region.span);
    geometry_at(spec, source, span)
}

pub(crate) fn geometry_at(spec: &BodySpec, source: MeshError, span: &std::ops::Range<usize>) -> SetupError {
    SetupError::Geometry {
        body: spec.name.clone(),
        path: spec.mesh.value.clone(),
        source: Box::new(source),
        span: span.clone(),
    }
}
