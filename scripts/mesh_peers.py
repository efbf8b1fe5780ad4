#!/usr/bin/env python3
"""Meshes with which other explicit codes have been timed, for `cargo bench --bench step -- peers` and `contact_step`.

    python scripts/mesh_peers.py     writes into meshes/generated/

bar_tet_50k, bar_tet_400k    the bar of 10 m x 1 m x 1 m, 50 302 and 397 045 tetrahedra by Delaunay
bar_hex_50k, bar_hex_400k    the same bar of 17 x 17 x 170 and 34 x 34 x 340 hexahedra
blocks_tet_20k               two unit cubes, a tenth of a millimetre apart along z, of 39 067 tetrahedra, with 1 230
                             triangles on the two facing sides, whose meshes do not match
spheres_tet_20k              two balls of radius 0.5 m, as far apart, of 39 367 tetrahedra and 6 160 skin triangles

The files are too large for the repository. Groups: volume "bulk" of bars; volumes "left" and "right" of pairs, and
their contact surfaces "left_face" and "right_face".
"""

import gmsh

from meshing import MESHES, TETRAHEDRON, HEXAHEDRON, hexahedral_box, session, surfaces_in_plane

GAP = 1e-4
BAR = (10.0, 1.0, 1.0)
CELLS_ACROSS = {"50k": 17, "400k": 34}
SIZES = {"50k": 0.0984, "400k": 0.0487}
BLOCK_SIZE, BALL_SIZE = 0.0634, 0.0499
# The right block has smaller elements, so that the meshes of the two faces do not match.
RIGHT_BLOCK = 0.97
# Rotations of the balls about y [rad], so that nodes of the two balls are not opposite each other.
TURNS = (0.7, -0.6)


def element_size(*sizes):
    """Set the sizes of elements, pairs (size, volume): everywhere if the volume is None. Points and curves set no
    sizes."""
    field = gmsh.model.mesh.field
    tags = []
    for size, volume in sizes:
        if volume is None:
            tags.append(field.add("MathEval"))
            field.setString(tags[-1], "F", repr(size))
        else:
            tags.append(field.add("Constant"))
            field.setNumber(tags[-1], "VIn", size)
            field.setNumber(tags[-1], "VOut", 1e22)
            field.setNumbers(tags[-1], "VolumesList", [volume])
            field.setNumbers(tags[-1], "SurfacesList", surfaces_of(volume))
    least = field.add("Min")
    field.setNumbers(least, "FieldsList", tags)
    field.setAsBackgroundMesh(least)
    for option in ("Mesh.MeshSizeExtendFromBoundary", "Mesh.MeshSizeFromPoints"):
        gmsh.option.setNumber(option, 0)
    gmsh.option.setNumber("Mesh.Optimize", 1)


def surfaces_of(volume):
    """Tags of the surfaces of a volume."""
    return [abs(tag) for _, tag in gmsh.model.getBoundary([(3, volume)], oriented=False)]


def write(name, along_z=False):
    """Mesh the model and write it. With `along_z` the x axis of the model becomes the z axis of the mesh."""
    mesh = gmsh.model.mesh
    mesh.generate(3)
    if along_z:
        mesh.affineTransform([0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0])
    mesh.renumberNodes()
    mesh.renumberElements()
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.option.setNumber("Mesh.Binary", 1)
    directory = MESHES / "generated"
    directory.mkdir(parents=True, exist_ok=True)
    gmsh.write(str(directory / f"{name}.msh"))
    count = sum(len(mesh.getElementsByType(kind)[0]) for kind in (TETRAHEDRON, HEXAHEDRON))
    print(f"{name}: {count} elements, {len(mesh.getNodes()[0])} nodes")


def bars():
    for name, cells in CELLS_ACROSS.items():
        with session(name) as model:
            bar = hexahedral_box((0.0, 0.0, 0.0), BAR, (10 * cells, cells, cells))
            model.addPhysicalGroup(3, [bar], name="bulk")
            write(f"bar_hex_{name}")
    for name, size in SIZES.items():
        with session(name) as model:
            bar = model.occ.addBox(0.0, 0.0, 0.0, *BAR)
            model.occ.synchronize()
            model.addPhysicalGroup(3, [bar], name="bulk")
            element_size((size, None))
            write(f"bar_tet_{name}")


def pair(name, volumes, surfaces, *sizes):
    """Name the groups of two bodies, mesh and write them."""
    for body, volume, faces in zip(("left", "right"), volumes, surfaces):
        gmsh.model.addPhysicalGroup(3, [volume], name=body)
        gmsh.model.addPhysicalGroup(2, faces, name=f"{body}_face")
    element_size(*sizes)
    write(name, along_z=True)


def main():
    bars()
    with session("blocks") as model:
        blocks = [model.occ.addBox(x, 0.0, 0.0, 1.0, 1.0, 1.0) for x in (0.0, 1.0 + GAP)]
        model.occ.synchronize()
        faces = [surfaces_in_plane(0, x) for x in (1.0, 1.0 + GAP)]
        pair("blocks_tet_20k", blocks, faces, (BLOCK_SIZE, None), (RIGHT_BLOCK * BLOCK_SIZE, blocks[1]))
    with session("spheres") as model:
        balls = []
        for x, turn in zip((0.0, 1.0 + GAP), TURNS):
            balls.append(model.occ.addSphere(x, 0.0, 0.0, 0.5))
            model.occ.rotate([(3, balls[-1])], x, 0.0, 0.0, 0.0, 1.0, 0.0, turn)
        model.occ.synchronize()
        pair("spheres_tet_20k", balls, [surfaces_of(ball) for ball in balls], (BALL_SIZE, None))


if __name__ == "__main__":
    main()
