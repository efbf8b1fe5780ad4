//! `ictus mesh`: contents and quality of a mesh.

use std::collections::BTreeMap;
use std::process::ExitCode;

use ictus::dynamics::{CriticalStep, ElementBlock, ElementError, InternalForce};
use ictus::io::gmsh;
use ictus::material::{Elasticity, Material};
use ictus::mesh::{Mesh, QualityReport};
use serde::Serialize;

use super::args::MeshOptions;
use super::failure::Failure;
use super::print;

#[derive(Debug, Serialize)]
struct Report {
    file: String,
    nodes: usize,
    /// Number of elements of each kind, whatever the dimension of the kind.
    elements: BTreeMap<&'static str, usize>,
    groups: Vec<GroupReport>,
    /// Highest dimension of the elements. The fields below describe the elements of this dimension.
    dimension: usize,
    volume: f64,
    inverted: usize,
    quality: Quality,
    smallest_edge: f64,
    smallest_altitude: f64,
    /// Only with `--young`, `--poisson` and `--density`.
    #[serde(flatten)]
    critical: Option<CriticalReport>,
}

#[derive(Debug, Serialize)]
struct GroupReport {
    name: String,
    dimension: usize,
    tag: i32,
    elements: usize,
}

#[derive(Debug, Serialize)]
struct Quality {
    min: f64,
    mean: f64,
    /// Gmsh tag of the element of lowest quality.
    worst: u64,
}

/// Both fields are null if an element is inverted.
#[derive(Debug, Serialize)]
struct CriticalReport {
    critical_step: Option<f64>,
    /// Gmsh tag.
    critical_element: Option<u64>,
}

/// Inverted elements are counted, and are not an error.
pub fn mesh(options: &MeshOptions) -> Result<ExitCode, Failure> {
    let path = &options.mesh;
    let solid = solid(options)?;
    let mesh = gmsh::read(path).map_err(|error| Failure::Mesh(path.clone(), Box::new(error)))?;
    let mesh =
        mesh.scaled(options.scale).map_err(|error| Failure::Geometry(path.clone(), Box::new(error)))?;
    let quality = mesh.quality().map_err(|error| Failure::Geometry(path.clone(), Box::new(error)))?;
    let mut report = report(path.display().to_string(), &mesh, &quality);
    if let Some((material, density)) = solid {
        report.critical = Some(critical_step(&mesh, material, density, &quality)?);
    }
    if options.json {
        print::json(&report);
    } else {
        print::text(&describe(&report, &quality));
    }
    Ok(ExitCode::SUCCESS)
}

/// Material and density; `None` without `--young`, `--poisson` and `--density`.
fn solid(options: &MeshOptions) -> Result<Option<(Material, f64)>, Failure> {
    let (Some(young), Some(poisson), Some(density)) = (options.young, options.poisson, options.density)
    else {
        return Ok(None);
    };
    let elasticity = Elasticity::from_young_poisson(young, poisson).map_err(|error| Failure::Usage {
        fact: error.to_string().split("; ").next().unwrap_or_default().to_owned(),
        help: "give a positive --young, and --poisson between -1 and 0.5",
    })?;
    if !(density > 0.0 && density.is_finite()) {
        return Err(Failure::Usage {
            fact: format!("the density is {density}"),
            help: "give a positive --density",
        });
    }
    Ok(Some((Material::LinearElastic(elasticity), density)))
}

fn report(file: String, mesh: &Mesh, quality: &QualityReport) -> Report {
    let mut elements = BTreeMap::new();
    for block in mesh.blocks.iter().filter(|block| !block.is_empty()) {
        *elements.entry(block.kind.name()).or_insert(0) += block.len();
    }
    let group = |group: &ictus::mesh::Group| GroupReport {
        name: group.name.clone(),
        dimension: group.dimension,
        tag: group.tag,
        elements: group.cells.len(),
    };
    Report {
        file,
        nodes: mesh.nodes.len(),
        elements,
        groups: mesh.groups.iter().map(group).collect(),
        dimension: mesh.dimension().unwrap_or(0),
        volume: quality.volume,
        inverted: quality.inverted.len(),
        quality: Quality { min: quality.minimum, mean: quality.mean, worst: quality.worst },
        smallest_edge: quality.smallest_edge,
        smallest_altitude: quality.smallest_altitude,
        critical: None,
    }
}

/// Critical step of the elements of the highest dimension.
fn critical_step(
    mesh: &Mesh,
    material: Material,
    density: f64,
    quality: &QualityReport,
) -> Result<CriticalReport, Failure> {
    if !quality.inverted.is_empty() {
        return Ok(CriticalReport { critical_step: None, critical_element: None });
    }
    let dimension = mesh.dimension().unwrap_or(0);
    let help = "leave out --young, --poisson and --density";
    if dimension < 2 || dimension == 2 && !mesh.is_plane() {
        let fact =
            "there is no critical step: the mesh has neither volume elements nor plane ones in z = 0".into();
        return Err(Failure::Usage { fact, help });
    }
    let cells: Vec<_> = mesh.blocks_of_dimension(dimension).map(|(_, block)| block).collect();
    let elements = cells
        .iter()
        .map(|block| ElementBlock::new(block.kind, material, density, &block.connectivity, &mesh.nodes))
        .collect::<Result<Vec<_>, ElementError>>()
        .map_err(|error| Failure::Usage { fact: format!("there is no critical step: {error}"), help })?;
    let elements = InternalForce::new(elements, mesh.nodes.len());
    let critical = elements.critical_step(&mesh.nodes, &elements.initial_history());
    let element = |critical: CriticalStep| cells[critical.block].tags[critical.element];
    Ok(CriticalReport {
        critical_step: critical.map(|critical| critical.time_step),
        critical_element: critical.map(element),
    })
}

fn describe(report: &Report, quality: &QualityReport) -> String {
    let text = format!("{}\n\n{}", report.file, print::name_values(&name_values(report, quality)));
    if report.groups.is_empty() {
        return text + "\nNo physical groups.\n";
    }
    let row = |group: &GroupReport| {
        let GroupReport { name, dimension, tag, elements } = group;
        vec![name.clone(), dimension.to_string(), tag.to_string(), elements.to_string()]
    };
    let rows: Vec<Vec<String>> = report.groups.iter().map(row).collect();
    text + "\n" + &print::table(&["<physical group", "dimension", "tag", "elements"], &rows)
}

fn name_values(report: &Report, quality: &QualityReport) -> Vec<(&'static str, String)> {
    let counts: Vec<String> = report.elements.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let size = match report.dimension {
        3 => "volume",
        2 => "area",
        _ => "length",
    };
    let Quality { min, mean, worst } = &report.quality;
    let mut facts = vec![
        ("nodes", report.nodes.to_string()),
        ("elements", counts.join(", ")),
        (size, print::number(report.volume)),
        ("inverted", inverted(quality)),
        ("quality", format!("{min:.3} at least (element {worst}), {mean:.3} on average")),
        ("smallest edge", print::number(report.smallest_edge)),
        ("smallest altitude", print::number(report.smallest_altitude)),
    ];
    match report.critical {
        Some(CriticalReport { critical_step: Some(step), critical_element: Some(element) }) => {
            facts.push(("critical step", format!("{step:.3e} s (element {element})")));
        }
        Some(_) => facts.push(("critical step", "none: elements are inverted".into())),
        None => {}
    }
    facts
}

/// Number of inverted elements, and Gmsh tags of the first few of them.
fn inverted(quality: &QualityReport) -> String {
    const SHOWN: usize = 8;
    let tags: Vec<String> =
        quality.inverted.iter().take(SHOWN).map(|element| element.tag.to_string()).collect();
    match quality.inverted.len() {
        0 => "none".into(),
        1 => format!("1 (element {})", tags.join(", ")),
        count if count > SHOWN => format!("{count} (elements {}, ...)", tags.join(", ")),
        count => format!("{count} (elements {})", tags.join(", ")),
    }
}
