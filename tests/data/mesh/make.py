#!/usr/bin/env python3
"""Writes the small meshes of this folder and the broken ones of ../bad with `pip install gmsh` (4.15).

All good files hold a unit cube (or the bodies named below); their volumes are asserted in tests/mesh. Of the bad ones `remedies`
keeps what comes out where one does what the message about them says.
"""

import os
import subprocess
import sys

import gmsh

HERE = os.path.dirname(os.path.abspath(__file__))
BAD = os.path.join(HERE, "..", "bad")


def start(size=0.5):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("Mesh.MeshSizeMin", size)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.model.add("model")


def write(name, version=4.1, binary=0, folder=HERE):
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.write(os.path.join(folder, name + ".msh"))


def faces_at(z):
    e = 1e-3
    return [t for _, t in gmsh.model.getEntitiesInBoundingBox(-e, -e, z - e, 1 + e, 1 + e, z + e, 2)]


def cube(size=0.5):
    """A cube in two volume groups, its bottom in two surface groups, one of them without a name."""
    start(size)
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1], 1, "cube")
    gmsh.model.addPhysicalGroup(3, [1], 2, "every solid part")
    gmsh.model.addPhysicalGroup(2, faces_at(0), 5, "bottom")
    gmsh.model.addPhysicalGroup(2, faces_at(1), 6, "top é \"quoted\"")
    gmsh.model.addPhysicalGroup(2, faces_at(0), 7)
    gmsh.model.mesh.generate(3)


def cubes():
    for version, digits in ((4.1, "41"), (2.2, "22")):
        for binary, encoding in ((0, "ascii"), (1, "binary")):
            cube()
            write(f"cube_{digits}_{encoding}", version, binary)
            gmsh.finalize()
    cube()
    gmsh.model.mesh.renumberNodes(*gmsh.model.mesh.computeRenumbering("RCMK"))
    write("cube_permuted_tags")
    tags = gmsh.model.mesh.getNodes()[0]
    gmsh.model.mesh.renumberNodes(tags, [10_000_000_000 - 1000 * int(t) for t in tags])
    write("cube_sparse_tags")
    write("cube_sparse_tags_binary", 4.1, 1)
    gmsh.finalize()
    start()
    gmsh.open(os.path.join(HERE, "cube_22_ascii.msh"))
    write("cube_converted")
    write("cube_converted_binary", 4.1, 1)
    gmsh.finalize()
    cube()
    gmsh.option.setNumber("Mesh.SaveParametric", 1)
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    write("cube_parametric")
    write("cube_parametric_binary", 4.1, 1)
    gmsh.finalize()
    cube()
    gmsh.option.setNumber("Mesh.SaveParametric", 1)
    write("cube_parametric_22_ascii", 2.2)
    write("cube_parametric_22_binary", 2.2, 1)
    gmsh.finalize()


def orphan():
    """The cube with SaveAll and two nodes no element uses."""
    cube()
    entity = gmsh.model.addDiscreteEntity(0)
    gmsh.model.mesh.addNodes(0, entity, [901, 902], [5, 5, 5, 6, 6, 6])
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    write("orphan_nodes")
    gmsh.finalize()


def mixed():
    """Hexahedra [0,1]x[0,1]x[0,1], wedges [1,2]x[0,1]x[0,1], tetrahedra [1,2]x[0,1]x[1,2]: volume 3."""
    start(0.5)
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0) for x, y in ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1))]
    a, b, c, d, e, f = (geo.addLine(p[i], p[(i + 1) % 6]) for i in range(6))
    m = geo.addLine(p[1], p[4])
    left = geo.addPlaneSurface([geo.addCurveLoop([a, m, e, f])])
    right = geo.addPlaneSurface([geo.addCurveLoop([b, c, d, -m])])
    for line in (a, b, c, d, e, f, m):
        geo.mesh.setTransfiniteCurve(line, 3)
    geo.mesh.setTransfiniteSurface(left)
    geo.mesh.setRecombine(2, left)
    hexes = geo.extrude([(2, left)], 0, 0, 1, [2], [], True)
    wedges = geo.extrude([(2, right)], 0, 0, 1, [2], [], True)
    tets = geo.extrude([wedges[0]], 0, 0, 1)
    geo.synchronize()
    for tag, (name, out) in enumerate((("hexes", hexes), ("wedges", wedges), ("tets", tets)), 1):
        gmsh.model.addPhysicalGroup(3, [out[1][1]], tag, name)
    gmsh.model.addPhysicalGroup(2, [left, right], 4, "bottom")
    gmsh.model.addPhysicalGroup(2, [wedges[0][1]], 5, "interface")
    gmsh.model.addPhysicalGroup(0, [p[0]], 6, "corner")
    gmsh.model.addPhysicalGroup(1, [a, b], 7, "front edge")
    gmsh.model.mesh.generate(3)
    write("mixed_41_ascii")
    write("mixed_41_binary", 4.1, 1)
    write("mixed_22_ascii", 2.2)
    write("mixed_22_binary", 2.2, 1)
    gmsh.finalize()


def plane(name, sign):
    """A 2 x 1 rectangle, quadrilaterals on the left, triangles on the right; sign -1 reverses the groups."""
    start(0.4)
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0) for x, y in ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1))]
    a, b, c, d, e, f = (geo.addLine(p[i], p[(i + 1) % 6]) for i in range(6))
    m = geo.addLine(p[1], p[4])
    left = geo.addPlaneSurface([geo.addCurveLoop([a, m, e, f])])
    right = geo.addPlaneSurface([geo.addCurveLoop([b, c, d, -m])])
    geo.mesh.setTransfiniteSurface(left)
    geo.mesh.setRecombine(2, left)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(2, [sign * left, sign * right], 1, "sheet")
    gmsh.model.addPhysicalGroup(1, [-f], 2, "left side")
    gmsh.model.addPhysicalGroup(1, [c], 3, "right side")
    gmsh.model.mesh.generate(2)
    write(name + "_41_ascii")
    write(name + "_41_binary", 4.1, 1)
    write(name + "_22_ascii", 2.2)
    write(name + "_22_binary", 2.2, 1)
    gmsh.finalize()


def periodic():
    """The cube with its bottom and top linked: a $Periodic section to skip."""
    start()
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    shift = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1]
    gmsh.model.mesh.setPeriodic(2, faces_at(1), faces_at(0), shift)
    gmsh.model.mesh.generate(3)
    write("periodic_41_ascii")
    write("periodic_41_binary", 4.1, 1)
    gmsh.finalize()


def quadratic():
    """Of order 2, the ball (tetrahedra) and disc (triangles) of radius 1, and the quarter of the annulus of radii 1 and 2
    (quadrilaterals), also swept by 1 along z (hexahedra)."""
    for name, dimension, incomplete in QUADRATIC:
        for version, digits in ((4.1, "41"), (2.2, "22")):
            for binary, encoding in ((0, "ascii"), (1, "binary")):
                start(1.0)
                gmsh.option.setNumber("Mesh.SecondOrderIncomplete", incomplete)
                if name == "tet10":
                    gmsh.model.occ.addSphere(0, 0, 0, 1)
                elif name == "tri6":
                    gmsh.model.occ.addDisk(0, 0, 0, 1, 1)
                else:
                    quarter(dimension)
                gmsh.model.occ.synchronize()
                gmsh.model.addPhysicalGroup(dimension, [1], 1, "body")
                skin = [t for _, t in gmsh.model.getBoundary([(dimension, 1)], oriented=False)]
                gmsh.model.addPhysicalGroup(dimension - 1, skin, 2, "skin")
                gmsh.model.mesh.generate(dimension)
                gmsh.model.mesh.setOrder(2)
                write(f"{name}_{digits}_{encoding}", version, binary)
                gmsh.finalize()


QUADRATIC = (
    ("tet10", 3, 0), ("hex20", 3, 1), ("hex27", 3, 0), ("tri6", 2, 0), ("quad8", 2, 1), ("quad9", 2, 0),
)


def quarter(dimension):
    """The quarter of the annulus of radii 1 and 2, as a surface of quadrilaterals or swept by 1 along z."""
    occ = gmsh.model.occ
    centre = occ.addPoint(0, 0, 0)
    p = [occ.addPoint(*x, 0) for x in ((1, 0), (2, 0), (0, 2), (0, 1))]
    lines = [occ.addLine(p[0], p[1]), occ.addCircleArc(p[1], centre, p[2])]
    lines += [occ.addLine(p[2], p[3]), occ.addCircleArc(p[3], centre, p[0])]
    surface = occ.addPlaneSurface([occ.addCurveLoop(lines)])
    if dimension == 3:
        occ.extrude([(2, surface)], 0, 0, 1, [2], [], True)
    occ.synchronize()
    for line in lines:
        gmsh.model.mesh.setTransfiniteCurve(line, 3)
    gmsh.model.mesh.setTransfiniteSurface(surface)
    gmsh.model.mesh.setRecombine(2, surface)


def bad():
    cube()
    gmsh.model.mesh.partition(2)
    write("partitioned", folder=BAD)
    gmsh.finalize()
    cube()
    write("version_4_0", 4.0, folder=BAD)
    gmsh.finalize()
    cube(1.0)
    gmsh.model.mesh.setOrder(3)
    write("third_order", folder=BAD)
    gmsh.finalize()
    start()
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(2, faces_at(0), 1, "bottom")
    gmsh.model.addPhysicalGroup(2, faces_at(1), 2, "top")
    gmsh.model.mesh.generate(3)
    write("surface_only", folder=BAD)
    gmsh.finalize()
    broken()


def broken():
    """Damage done by hand to a good file."""
    with open(os.path.join(HERE, "cube_41_ascii.msh"), encoding="utf-8") as file:
        good = file.read()
    head, nodes = good.split("$Nodes\n")
    nodes, elements = nodes.split("$EndNodes\n$Elements\n")
    with open(os.path.join(HERE, "cube_41_binary.msh"), "rb") as file:
        binary = file.read()
    first_tetrahedron = elements.split("\n3 1 4 ")[1].split("\n")[1]
    tag, a, b, c, d = first_tetrahedron.split()
    damaged = {
        "truncated": good[: int(0.8 * len(good))],
        "truncated_between_sections": f"{head}$Nodes\n{nodes}$EndNodes\n",
        "garbage": "solid cube\nfacet normal 0 0 1\nendsolid\n",
        "wrong_node_count": good.replace("$Nodes\n27 45", "$Nodes\n27 44"),
        "wrong_block_count": good.replace("$Nodes\n27 45", "$Nodes\n26 45"),
        "nan_coordinate": good.replace("\n2\n0 0 0\n", "\n2\n0 nan 0\n"),
        "unknown_element_type": good.replace("\n3 1 4 ", "\n3 1 140 "),
        "unknown_node": good.replace(f"\n{tag} {a} ", f"\n{tag} 4711 "),
        "inverted": good.replace(f"\n{tag} {a} {b} ", f"\n{tag} {b} {a} "),
        "repeated_node": good.replace(f"\n{tag} {a} {b} ", f"\n{tag} {a} {a} "),
    }
    for name, text in damaged.items():
        assert text != good, name
        with open(os.path.join(BAD, name + ".msh"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(BAD, "truncated_binary.msh"), "wb") as file:
        file.write(binary[: int(0.8 * len(binary))])


def run_gmsh(geometry, *arguments):
    """The program as messages tell to run it, in the folder of bad files, on a file in.geo with these lines if any."""
    program = os.path.join(os.path.dirname(sys.executable), "gmsh")
    script = os.path.join(BAD, "in.geo")
    with open(script, "w", encoding="utf-8") as file:
        file.write(geometry + "\n\n")
    subprocess.run([sys.executable, program, *arguments, "-v", "1"], cwd=BAD, check=True)
    os.remove(script)


BOX = 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 1, 1, 1}; MeshSize{:} = 1;'
LAYERS = (
    "Point(1) = {0, 0, 0, 1}; Extrude{1, 0, 0} { Point{1}; Layers{1}; } "
    "Extrude{0, 1, 0} { Line{1}; Layers{1}; } Extrude{0, 0, 1} { Surface{:}; Layers{1}; Recombine; } "
)


def remedies():
    """Bad files, and what comes out where one does what the message about them says."""

    def remedied(name):
        return os.path.join("..", "mesh", name + ".msh")

    # Inside out: all cells of a solid of every kind, one cell, all cells and one of a plane mesh.
    for name, kind in (("mirrored", "mixed_41_ascii"), ("mirrored_tet10", "tet10_41_ascii"), ("mirrored_hex20", "hex20_41_ascii")):
        start()
        gmsh.open(os.path.join(HERE, kind + ".msh"))
        gmsh.model.mesh.affineTransform([-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
        write(name, folder=BAD)
        gmsh.finalize()
        run_gmsh("", name + ".msh", "-3", "-o", remedied(name + "_turned"))
    run_gmsh("", "inverted.msh", "-3", "-o", remedied("inverted_turned"))
    for name, elements in (("clockwise", []), ("one_clockwise", [None])):
        start()
        gmsh.open(os.path.join(HERE, "plane_41_ascii.msh"))
        if elements:
            elements = [gmsh.model.mesh.getElements(2)[1][0][0]]
            gmsh.model.mesh.reverseElements(elements)
        else:
            gmsh.model.mesh.reverse()
        write(name, folder=BAD)
        gmsh.finalize()
        if elements:
            start()
            gmsh.open(os.path.join(BAD, name + ".msh"))
            gmsh.model.mesh.reverseElements(elements)
            gmsh.write(os.path.join(HERE, name + "_over.msh"))
            gmsh.finalize()
    run_gmsh('Merge "clockwise.msh";ReverseMesh Surface{:};', "in.geo", "-2", "-format", "msh22", "-o", remedied("clockwise_over"))
    # Files of other programs and versions.
    for name, form in (("version_4_0", "msh41"), ("partitioned", "msh22")):
        run_gmsh("", name + ".msh", "-save", "-format", form, "-o", remedied(name + "_converted"))
    run_gmsh(BOX, "in.geo", "-3", "-format", "msh41", "-o", remedied("box_of_geometry"))
    # A geometry that is not meshed in its dimension, or without a group of its volume, or without groups.
    volume = BOX + ' Physical Volume("body") = {1};'
    run_gmsh(volume, "in.geo", "-2", "-o", "unmeshed.msh")
    run_gmsh(volume, "-3", "in.geo", "-o", remedied("unmeshed_meshed"))
    run_gmsh(BOX + ' Physical Surface("skin") = {1:6};', "in.geo", "-3", "-o", "no_volume.msh")
    run_gmsh(BOX + ' Physical Surface("skin") = {1:6}; Physical Volume("body") = {1};', "in.geo", "-3", "-o", remedied("no_volume_added"))
    run_gmsh(BOX, "in.geo", "-0", "-o", "no_mesh.msh")
    # A number for two elements.
    with open(os.path.join(HERE, "cube_22_ascii.msh"), encoding="utf-8") as file:
        good_text = file.read()
    damaged = good_text.replace("\n3 2 2 5 5 ", "\n1 2 2 5 5 ")
    assert damaged != good_text
    with open(os.path.join(BAD, "element_twice.msh"), "w", encoding="utf-8") as file:
        file.write(damaged)
    run_gmsh("", "element_twice.msh", "-save", "-o", remedied("element_twice_numbered"))
    # Elements of orders that are not read.
    run_gmsh(BOX + " Mesh.ElementOrder = 3;", "in.geo", "-3", "-o", "third_order_box.msh")
    run_gmsh(BOX + " Mesh.ElementOrder = 2;", "in.geo", "-3", "-o", remedied("third_order_box_second"))
    run_gmsh(LAYERS + "Mesh.ElementOrder = 2;", "in.geo", "-3", "-o", "wedges_second_order.msh")
    run_gmsh(LAYERS + "Mesh.ElementOrder = 1;", "in.geo", "-3", "-o", remedied("wedges_first_order"))
    # Two volumes in one place, whose nodes alone are made the same.
    twice = BOX + " Box(2) = {0, 0, 0, 1, 1, 1}; MeshSize{:} = 1;"
    groups = ' Physical Volume("body") = {Volume{:}};'
    run_gmsh(twice + groups + " Mesh 3; Coherence Mesh;", "in.geo", "-save", "-o", "volume_twice.msh")
    run_gmsh(twice + " Coherence;" + groups, "in.geo", "-3", "-o", remedied("volume_twice_coherent"))
    many_in_one_place()


def many_in_one_place():
    """Three volumes in one place, and a surface on the side of a solid, before and after what the messages say."""
    thrice = BOX + " Box(2) = {0, 0, 0, 1, 1, 1}; Box(3) = {0, 0, 0, 1, 1, 1}; MeshSize{:} = 1;"
    groups = ' Physical Volume("body") = {Volume{:}};'
    run_gmsh(thrice + groups + " Mesh 3; Coherence Mesh;", "in.geo", "-save", "-o", "volume_thrice.msh")
    run_gmsh(thrice + " Coherence;" + groups, "in.geo", "-3", "-o", "../mesh/volume_thrice_coherent.msh")
    removed = thrice + " Recursive Delete { Volume{2, 3}; }" + groups
    run_gmsh(removed, "in.geo", "-3", "-o", "../mesh/volume_thrice_removed.msh")
    spot = BOX + " Rectangle(7) = {0.25, 0.25, 0, 0.5, 0.5};"
    one = " BooleanFragments{ Volume{:}; Delete; }{ Surface{:}; Delete; }"
    groups += ' Physical Surface("spot") = {Surface In BoundingBox{0.2, 0.2, -0.1, 0.8, 0.8, 0.1}};'
    run_gmsh(spot + groups, "in.geo", "-3", "-o", "surface_apart.msh")
    run_gmsh(spot + one + groups, "in.geo", "-3", "-o", "../mesh/surface_in_one.msh")


if __name__ == "__main__":
    cubes()
    orphan()
    mixed()
    plane("plane", 1)
    plane("reversed", -1)
    periodic()
    quadratic()
    bad()
    remedies()
