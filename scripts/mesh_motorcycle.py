"""The two-wheeler of configs/motorcycle.toml: one connected solid of about 10 000 nodes and 18 000 skin faces.

    python scripts/mesh_motorcycle.py        writes meshes/motorcycle.msh (two to three minutes)
    python scripts/mesh_motorcycle.py --edges 0.86 --name generated/motorcycle_fine        shorter edges

The mesh replaces the motorcycle of Aragón & Molinari 2014, §5.2 (9 981 nodes, 17 955 elements), whose mesh is not
public. The motorcycle drives along +x and stands on z = 0. Its parts are symmetric about y = 0, and its foremost node
is at x = 0.

The parts are simple solids that overlap. OpenCASCADE makes their union, and Gmsh a fine mesh of the union, with short
edges where seams and curves of the union nearly touch. Mmg then coarsens this mesh to the edge lengths of the parts and
keeps the sharp edges. It contracts edges shorter than the prescribed minimum, since the smallest altitude controls the
critical time step. Groups: volume "motorcycle", surface "skin".
"""

import argparse
from math import cos, pi, sin

import gmsh
import mmgpy
import numpy as np

from meshing import (
    MESHES, TETRAHEDRON, TRIANGLE, cells, critical_steps, finish, node_positions, outer_facets, require, session,
    tetrahedron_volumes,
)
from solids import Block, Ellipsoid, Hoop, Torus, Tube, both_sides, longest_edges

# The parts are placed with the rear axle at x = 0. The finished mesh is moved to its position.
WHEEL_RADIUS = 0.322
REAR_AXLE = np.array([0.0, 0.0, WHEEL_RADIUS])
FRONT_AXLE = np.array([1.443, 0.0, WHEEL_RADIUS])
RAKE = np.radians(26.3)  # angle of the steering axis from the vertical
GROWTH = 0.6  # growth of the longest edge per distance from a part
FINE = 0.26  # edge length of the first mesh relative to that of the final mesh
INSIDE = 3.0  # edge length inside relative to that on the skin
SHORTEST_EDGE = 0.007  # minimum in the final mesh [m]
CHORD_ERROR = 0.006  # largest distance of a face from the surface of its part [m]
SHARP = np.radians(25.0)  # curves of the union with a larger angle between their two surfaces are kept
STEEL_WAVE_SPEED = 5900.0  # [m/s]


def wheel(axle, num_spokes, disc_radius):
    """Tyre, rim, hub, brake discs and spokes."""
    x, _, z = axle
    parts = [
        Torus(axle, WHEEL_RADIUS - 0.056, 0.056, 0.085),
        Hoop(axle, (0.197, 0.241), 0.046, 0.065),
        Tube((x, -0.0861, z), (x, 0.0861, z), 0.0432, 0.048),
    ]
    parts += both_sides(lambda s: Tube((x, s * 0.053, z), (x, s * 0.0615, z), disc_radius, 0.06))
    parts += both_sides(lambda s: Tube((x, s * 0.06, z), (x, s * 0.1383, z), 0.0157, 0.032))  # axle nuts
    for angle in 2.0 * pi * (np.arange(num_spokes) + 0.37) / num_spokes:
        outward = np.array([cos(angle), 0.0, sin(angle)])
        parts.append(Tube(axle + 0.02 * outward, axle + 0.213 * outward, 0.0065, 0.015))
    return parts


def on_fork(up, forward=0.0, side=0.0):
    """The point at the distance `up` along the steering axis from the front axle, with offsets from this axis."""
    return FRONT_AXLE + np.array(
        [forward * cos(RAKE) - up * sin(RAKE), side, forward * sin(RAKE) + up * cos(RAKE)]
    )


def fork():
    """Fork legs, clamps, steering head, headlamp, front mudguard."""
    parts = both_sides(lambda s: Tube(on_fork(-0.047, side=s * 0.101), on_fork(0.705, side=s * 0.101), 0.0243, 0.056))
    parts += [Block(on_fork(up), (0.0927, 0.283, 0.031), 0.06, -RAKE) for up in (0.463, 0.667)]
    parts.append(Tube(on_fork(0.431), on_fork(0.694), 0.0357, 0.06))
    parts.append(Ellipsoid(on_fork(0.573, forward=0.103), (0.103, 0.095, 0.0951), 0.08))
    parts.append(Hoop(FRONT_AXLE, (0.347, 0.3583), 0.1772, 0.06, (1.41, 2.89)))
    return parts


def handlebar():
    """Risers, bar, elbows and grips."""
    middle = on_fork(0.742, forward=-0.012)

    def bend(s):
        return middle + [-0.012, s * 0.121, 0.004]

    def elbow(s):
        return middle + [-0.043, s * 0.232, 0.072]

    def end(s):
        return middle + [-0.142, s * 0.391, 0.051]

    def grip(s):
        return Tube(0.67 * elbow(s) + 0.33 * end(s), 1.06 * end(s) - 0.06 * elbow(s), 0.0187, 0.04)

    def riser(s):
        return Tube(on_fork(0.655, -0.009, s * 0.047), on_fork(0.745, -0.013, s * 0.047), 0.0165, 0.038)

    parts = both_sides(riser)
    parts.append(Tube(bend(-1.0), bend(1.0), 0.0118, 0.031))
    parts += both_sides(lambda s: Tube(bend(s), elbow(s), 0.0118, 0.031))
    parts += both_sides(lambda s: Tube(elbow(s), end(s), 0.0118, 0.031))
    parts += both_sides(lambda s: Ellipsoid(bend(s), (0.0163,) * 3, 0.031))
    parts += both_sides(lambda s: Ellipsoid(elbow(s), (0.0163,) * 3, 0.031))
    return parts + both_sides(grip)


def engine():
    """Crankcase and its covers, cylinder with cooling fins, cylinder head."""
    parts = [
        Block((0.702, 0.0, 0.366), (0.372, 0.252, 0.221), 0.2),
        Tube((0.631, -0.1483, 0.373), (0.631, 0.1483, 0.373), 0.0871, 0.11),
        Tube((0.792, -0.1391, 0.352), (0.792, 0.1391, 0.352), 0.0523, 0.085),
        Block((0.731, 0.0, 0.5487), (0.146, 0.137, 0.2213), 0.13),
        Block((0.731, 0.0, 0.6475), (0.163, 0.171, 0.0571), 0.11),
    ]
    return parts + [Block((0.731, 0.0, z), (0.213, 0.223, 0.0087), 0.057) for z in np.linspace(0.503, 0.6, 5)]


def exhausts():
    """Exhaust pipes from the cylinder head down in front of the engine, under the engine, and past the rear wheel."""
    knots = np.array([[0.79, 0.046, 0.65], [0.967, 0.099, 0.636], [0.903, 0.181, 0.237], [0.463, 0.197, 0.262]])
    tail = np.array([-0.137, 0.197, 0.353])
    parts = []
    for side in (np.array([1.0, 1.0, 1.0]), np.array([1.0, -1.0, 1.0])):
        parts += [Tube(side * a, side * b, 0.0206, 0.05) for a, b in zip(knots[:-1], knots[1:])]
        parts += [Ellipsoid(side * knee, (0.0273,) * 3, 0.05) for knee in knots[1:3]]
        parts.append(Tube(side * (1.02 * knots[3] - 0.02 * tail), side * tail, 0.0461, 0.09))
    return parts


def frame():
    """Backbone, down tube, seat tube, foot pegs, swing arm, shock absorbers."""
    foot, top = np.array([0.121, 0.1093, 0.331]), np.array([0.207, 0.1093, 0.806])
    parts = [
        Tube(on_fork(0.556), (0.503, 0.0, 0.685), 0.0291, 0.07),
        Tube(on_fork(0.489), (0.801, 0.0, 0.293), 0.0237, 0.06),
        Tube((0.498, 0.0, 0.31), (0.503, 0.0, 0.803), 0.0311, 0.07),
        Tube((0.499, -0.1337, 0.381), (0.499, 0.1337, 0.381), 0.0343, 0.065),
        Tube((0.499, -0.2671, 0.381), (0.499, 0.2671, 0.381), 0.0133, 0.034),
    ]
    parts += both_sides(lambda s: Tube((0.507, s * 0.1013, 0.381), (-0.041, s * 0.1013, 0.3171), 0.0227, 0.056))
    for side in (np.array([1.0, 1.0, 1.0]), np.array([1.0, -1.0, 1.0])):
        parts.append(Tube(side * foot, side * top, 0.0127, 0.034))
        parts.append(Tube(side * (0.74 * foot + 0.26 * top), side * (0.26 * foot + 0.74 * top), 0.0269, 0.06))
    return parts


def bodywork():
    """Tank, seat, tail, rear mudguard and its stay."""
    return [
        Ellipsoid((0.817, 0.0, 0.847), (0.267, 0.161, 0.1173), 0.25),
        Ellipsoid((0.336, 0.0, 0.793), (0.357, 0.151, 0.0713), 0.25),
        Ellipsoid((-0.063, 0.0, 0.831), (0.297, 0.113, 0.0591), 0.25),
        Hoop(REAR_AXLE, (0.3481, 0.3597), 0.1331, 0.06, (0.55, 2.75)),
        Tube((0.043, 0.0, 0.657), (0.043, 0.0, 0.83), 0.0213, 0.06),
    ]


class SizeGrid:
    """`longest_edges` at the points of a grid in y >= 0. The grid makes the many single queries of Gmsh fast."""

    SPACING = 0.01

    def __init__(self, parts, lower, upper):
        self.lower = lower * [1.0, 0.0, 1.0]
        x, y, z = (np.arange(a, b + 2.0 * self.SPACING, self.SPACING) for a, b in zip(self.lower, upper))
        section = np.stack(np.meshgrid([0.0], y, z, indexing="ij"), axis=-1).reshape(-1, 3)
        self.shape = (len(x), len(y), len(z))
        self.values = np.concatenate([longest_edges(parts, section + [at, 0.0, 0.0], GROWTH) for at in x]).tolist()

    def at(self, x, y, z):
        """The value at the nearest grid point."""
        i, j, k = (
            int(max(offset, 0.0) / self.SPACING + 0.5) for offset in (x - self.lower[0], abs(y), z - self.lower[2])
        )
        return self.values[(i * self.shape[1] + j) * self.shape[2] + k]


def fuse(model, parts):
    """Make the union of all parts, which must be one solid."""
    tags = [(3, part.build(model.occ)) for part in parts]
    solids, _ = model.occ.fuse(tags[:1], tags[1:])
    model.occ.synchronize()
    require(len(solids) == 1, f"the parts make {len(solids)} solids, not one")


def sharp_edges(model, row):
    """Mesh edges on the curves of the model where two surfaces meet at an angle."""
    sharp = []
    for _, curve in model.getEntities(1):
        surfaces = sorted(set(model.getAdjacencies(1, curve)[0]))
        if len(surfaces) != 2:
            continue  # a seam, which belongs to one surface only
        start, end = (bound[0] for bound in model.getParametrizationBounds(1, curve))
        middle = [0.5 * (start + end)]
        a, b = (model.getNormal(s, model.reparametrizeOnSurface(1, curve, middle, s)) for s in surfaces)
        if np.arccos(np.clip(abs(np.dot(a, b)), 0.0, 1.0)) > SHARP:
            sharp += [row[nodes.astype(np.int64)].reshape(-1, 2) for nodes in model.mesh.getElements(1, curve)[2]]
    return np.concatenate(sharp)


def fine_mesh(parts):
    """A fine mesh of the union: nodes, tetrahedra, skin triangles, sharp edges."""
    with session("union") as model:
        fuse(model, parts)
        bounds = np.reshape(model.getBoundingBox(-1, -1), (2, 3))
        sizes = SizeGrid(parts, *bounds)
        model.mesh.setSizeCallback(lambda _dimension, _tag, x, y, z, _default: FINE * sizes.at(x, y, z))
        gmsh.option.setNumber("Mesh.MeshSizeExtendFromBoundary", 0)
        model.mesh.generate(3)
        x, row = node_positions()
        print(f"{len(parts)} parts, {len(model.getEntities(2))} surfaces, {len(x)} nodes in the fine mesh")
        return x, cells(TETRAHEDRON, 4, row), cells(TRIANGLE, 3, row), sharp_edges(model, row)


def coarsen(parts, x, tets, triangles, edges):
    """Remesh with the edge lengths of the parts; return nodes and tetrahedra."""
    lengths = longest_edges(parts, x, GROWTH)
    inside = np.ones(len(x), dtype=bool)
    inside[triangles] = False
    lengths[inside] *= INSIDE
    mesh = mmgpy.MmgMesh3D()
    mesh.set_mesh_size(vertices=len(x), tetrahedra=len(tets), triangles=len(triangles), edges=len(edges))
    mesh.set_vertices(x)
    mesh.set_tetrahedra(tets.astype(np.int32))
    mesh.set_triangles(triangles.astype(np.int32))
    mesh.set_edges(edges.astype(np.int32))
    mesh.set_ridge_edges(np.arange(len(edges), dtype=np.int32))
    mesh.set_field("metric", np.maximum(lengths, SHORTEST_EDGE)[:, None])
    mesh.remesh(hmin=SHORTEST_EDGE, hausd=CHORD_ERROR, hgrad=2.5, angle=0, verbose=-1)
    return mesh.get_vertices(), mesh.get_tetrahedra().astype(np.int64)


def add_mesh(model, x, tets):
    """Put a mesh and its skin into the model; return the tags of volume and surface."""
    surface, volume = model.addDiscreteEntity(2), model.addDiscreteEntity(3)
    model.mesh.addNodes(3, volume, np.arange(1, len(x) + 1), x.ravel())
    model.mesh.addElementsByType(volume, TETRAHEDRON, [], (tets + 1).ravel())
    model.mesh.addElementsByType(surface, TRIANGLE, [], (outer_facets(tets) + 1).ravel())
    return volume, surface


def write_solid(parts, group, name, smallest_angle=1.0):
    """Mesh the union of the parts, with its foremost node at x = 0 and its lowest node at z = 0."""
    x, tets = coarsen(parts, *fine_mesh(parts))
    require(tetrahedron_volumes(x, tets).min() > 0.0, "a cell is inverted")
    x -= [x[:, 0].max(), 0.0, x[:, 2].min()]
    (MESHES / name).parent.mkdir(parents=True, exist_ok=True)
    with session(name) as model:
        volume, surface = add_mesh(model, x, tets)
        model.addPhysicalGroup(3, [volume], name=group)
        model.addPhysicalGroup(2, [surface], name="skin")
        x, tets = finish(name, smallest_angle=smallest_angle)
    skin = outer_facets(tets)
    print(f"  {len(x)} nodes, {len(np.unique(skin))} on the skin; {len(tets)} elements, {len(skin)} faces on the skin")
    return x, tets


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=float, default=1.0, help="factor of all edge lengths")
    parser.add_argument("--name", default="motorcycle", help="name of the mesh")
    options = parser.parse_args()
    parts = wheel(REAR_AXLE, 10, 0.091) + wheel(FRONT_AXLE, 10, 0.113) + fork() + handlebar()
    parts += engine() + exhausts() + frame() + bodywork()
    for part in parts:
        part.size *= options.edges
    x, tets = write_solid(parts, "motorcycle", options.name)
    steps = critical_steps(x, tets, STEEL_WAVE_SPEED)
    print(f"  box {x.min(axis=0).round(4)} to {x.max(axis=0).round(4)}")
    print(f"  least guaranteed stable step {steps.min():.4g} s at {STEEL_WAVE_SPEED} m/s (next {np.sort(steps)[1:6]})")


if __name__ == "__main__":
    main()
