//! `ictus examples`: writes the scenarios of the gallery and their meshes.

use std::path::Path;
use std::process::ExitCode;

use ictus::io::atomic_write;

use super::failure::Failure;
use super::print;

/// For each file: its path in the repository, and its content.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_bytes!(concat!("../../", $path)))),*]
    };
}

const FILES: [(&str, &[u8]); 30] = files![
    "configs/disks.toml",
    "configs/helmet.toml",
    "configs/hertz.toml",
    "configs/motorcycle.toml",
    "configs/paper-motorcycle.toml",
    "configs/paper-projectiles.toml",
    "configs/projectiles-falling.toml",
    "configs/projectiles.toml",
    "configs/quadratic-spheres-hex20.toml",
    "configs/quadratic-spheres.toml",
    "configs/ring.toml",
    "configs/rod-on-wall.toml",
    "configs/rough-layers.toml",
    "configs/sliding-block.toml",
    "configs/two-bars.toml",
    "meshes/bar.msh",
    "meshes/disk.msh",
    "meshes/head_form.msh",
    "meshes/helmet.msh",
    "meshes/hertz_sphere.msh",
    "meshes/motorcycle.msh",
    "meshes/plate.msh",
    "meshes/projectile.msh",
    "meshes/ring.msh",
    "meshes/rough_layers.msh",
    "meshes/sliding_block.msh",
    "meshes/sliding_plate.msh",
    "meshes/sphere_hex20.msh",
    "meshes/sphere_tet10.msh",
    "meshes/wall.msh",
];

/// Writes `DIR/configs/*.toml` and `DIR/meshes/*.msh`. Writes nothing if one of these files exists.
pub fn examples(directory: &Path) -> Result<ExitCode, Failure> {
    if let Some((path, _)) = FILES.iter().find(|(path, _)| directory.join(path).exists()) {
        return Err(Failure::Usage {
            fact: format!("`{}` exists already", directory.join(path).display()),
            help: "choose a new directory",
        });
    }
    for folder in ["configs", "meshes"].map(|folder| directory.join(folder)) {
        std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
    }
    for (path, contents) in FILES {
        atomic_write(&directory.join(path), |file| file.write_all(contents))?;
    }
    let first = directory.join("configs/projectiles.toml");
    print::text(&format!("{} files in {}\n", FILES.len(), directory.display()));
    print::text(&format!("run one with `ictus run {}`\n", first.display()));
    Ok(ExitCode::SUCCESS)
}
