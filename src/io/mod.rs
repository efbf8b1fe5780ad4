//! Files in and out: Gmsh meshes.

pub mod gmsh;
