"""The balls of configs/quadratic-spheres.toml: radius 10 mm, of curved elements of second order.

    python scripts/mesh_quadratic_sphere.py        writes meshes/sphere_tet10.msh and meshes/sphere_hex20.msh

All nodes of the skin, mid-side nodes too, lie on the sphere; interior edges are straight. The points (±R, 0, 0) are
near the middles of faces, not near nodes, so contact there is between curved faces. The script prints the positions of
these middles, which the interpolation of the faces gives. Group: volume "ball".

Tetrahedra: each face of an icosahedron is divided into n² triangles, in layers towards the centre. The prisms between
the layers are divided into three tetrahedra each, by the order of their node numbers, so that neighbours conform.
Hexahedra: a cube of n³ cells of equal angles, and layers of 6 n² cells from the cube to the sphere. Both meshes are
then graded: elements near the poles on the x axis are a third as large.
"""

from itertools import product

import gmsh
import numpy as np

from meshing import MESHES, require

RADIUS = 0.01
TRIANGLES_PER_EDGE = 4  # even and no multiple of three: one triangle is in the middle of each icosahedron face
TETRAHEDRAL_RADII = (0.35, 0.7, 1.0)
HEXAHEDRA_PER_EDGE = 5  # odd, so that a quadrilateral is in the middle of each side of the cube
CUBE = 0.32  # half the side of the cube
HEXAHEDRAL_RADII = (0.65, 1.0)
DRAWN = 0.65

TET10, HEX20 = 11, 17
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (1, 3))
HEXAHEDRON_EDGES = ((0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7))


def icosahedron():
    """Corners on the unit sphere and outward faces; the centre of one face is on the positive x axis."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    x = np.array([p for a, b in product((-1, 1), (-golden, golden)) for p in ((0, a, b), (a, b, 0), (b, 0, a))])
    x = x / np.linalg.norm(x[0])
    near = np.linalg.norm(x[:, None] - x[None], axis=2) < 1.1
    faces = [(i, j, k) for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]]
    outward = [f if np.linalg.det(x[list(f)]) > 0 else (f[0], f[2], f[1]) for f in faces]
    first = x[list(outward[0])]
    axes = np.array([first.sum(axis=0), first[0] - first[1], np.zeros(3)])
    axes /= np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-300)
    axes[2] = np.cross(axes[0], axes[1])
    return x @ axes.T, outward


class Nodes:
    """Nodes by position: a position that is added twice gives the same node."""

    def __init__(self):
        self.numbers, self.positions = {}, []

    def add(self, position):
        key = tuple(np.round(np.asarray(position) * 1e9).astype(np.int64) + 0)
        if key not in self.numbers:
            self.numbers[key] = len(self.positions)
            self.positions.append(np.asarray(position, dtype=float))
        return self.numbers[key]


def tetrahedra(nodes):
    """Corners of the tetrahedra of the unit ball."""
    corners, faces = icosahedron()
    n = TRIANGLES_PER_EDGE
    centre = nodes.add((0.0, 0.0, 0.0))
    cells = []
    for face in faces:
        def at(i, j, radius, face=face):
            flat = ((n - i - j) * corners[face[0]] + i * corners[face[1]] + j * corners[face[2]]) / n
            return nodes.add(radius * flat / np.linalg.norm(flat))

        up = [((i, j), (i + 1, j), (i, j + 1)) for i in range(n) for j in range(n - i)]
        down = [((i + 1, j), (i + 1, j + 1), (i, j + 1)) for i in range(n) for j in range(n - i - 1)]
        for triangle in up + down:
            layers = [[at(i, j, radius) for i, j in triangle] for radius in TETRAHEDRAL_RADII]
            cells.append([centre, *layers[0]])
            for low, high in zip(layers, layers[1:]):
                order = np.argsort(low)
                a, b, c = (low[k] for k in order)
                d, e, f = (high[k] for k in order)
                cells += [[a, b, c, f], [a, b, f, e], [a, e, f, d]]
    x = np.array(nodes.positions)
    return [upright(x, cell) for cell in cells]


def upright(x, cell):
    a, b, c, d = x[cell]
    return cell if np.dot(np.cross(b - a, c - a), d - a) > 0.0 else [cell[0], cell[2], cell[1], cell[3]]


def hexahedra(nodes):
    """Corners of the hexahedra of the unit ball."""
    n = HEXAHEDRA_PER_EDGE
    angle = np.tan(np.pi / 4.0 * (2.0 * np.arange(n + 1) / n - 1.0))
    brick = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
    cells = []
    for cell in product(range(n), repeat=3):
        cells.append([nodes.add([CUBE * angle[c + d] for c, d in zip(cell, corner)]) for corner in brick])
    for axis, side in product(range(3), (-1.0, 1.0)):
        def at(u, v, layer, axis=axis, side=side):
            direction = np.roll([side, angle[u], angle[v]], axis)
            cube, sphere = CUBE * direction, direction / np.linalg.norm(direction)
            radius = (CUBE, *HEXAHEDRAL_RADII)[layer]
            # The shape changes linearly from the cube to the sphere.
            part = (radius - CUBE) / (1.0 - CUBE)
            return nodes.add((1.0 - part) * cube + part * sphere)

        for u, v, layer in product(range(n), range(n), range(len(HEXAHEDRAL_RADII))):
            cell = [at(u + a, v + b, layer + c) for a, b, c in brick]
            cells.append(cell if side > 0.0 else cell[4:] + cell[:4])
    return cells


def draw_to_poles(nodes):
    """Rotate each node towards the nearer pole: its angle from the x axis becomes angle - DRAWN/2 sin(2 angle)."""
    for i, (x, y, z) in enumerate(nodes.positions):
        across = np.hypot(y, z)
        angle = np.arctan2(across, x)
        angle -= 0.5 * DRAWN * np.sin(2.0 * angle)
        radius, stretch = np.hypot(across, x), 1.0 / max(across, 1e-300)
        nodes.positions[i] = radius * np.array(
            [np.cos(angle), np.sin(angle) * y * stretch, np.sin(angle) * z * stretch]
        )


def second_order(nodes, cells, edges):
    """Cells with a node in the middle of each edge. It lies on the sphere if both ends of the edge do."""
    on_sphere = [abs(np.linalg.norm(x) - 1.0) < 1e-9 for x in nodes.positions]
    between = {}

    def middle(a, b):
        key = (min(a, b), max(a, b))
        if key not in between:
            x = 0.5 * (nodes.positions[a] + nodes.positions[b])
            between[key] = len(nodes.positions)
            nodes.positions.append(x / np.linalg.norm(x) if on_sphere[a] and on_sphere[b] else x)
        return between[key]

    return [[*cell, *(middle(cell[a], cell[b]) for a, b in edges)] for cell in cells]


def write(name, kind, cells, positions):
    """Write the mesh of the unit ball scaled to metres, in binary, and check its Jacobians."""
    gmsh.initialize(readConfigFiles=False)
    gmsh.option.setNumber("General.Verbosity", 2)
    gmsh.model.add(name)
    volume = gmsh.model.addDiscreteEntity(3)
    x = RADIUS * np.array(positions)
    gmsh.model.mesh.addNodes(3, volume, np.arange(1, len(x) + 1), x.ravel())
    gmsh.model.mesh.addElementsByType(volume, kind, [], (np.array(cells) + 1).ravel())
    gmsh.model.addPhysicalGroup(3, [volume], name="ball")
    tags, _ = gmsh.model.mesh.getElementsByType(kind)
    smallest = gmsh.model.mesh.getElementQualities(tags, "minSJ").min()
    points, weights = gmsh.model.mesh.getIntegrationPoints(kind, "Gauss8")
    _, determinants, _ = gmsh.model.mesh.getJacobians(kind, points)
    ball = (determinants.reshape(-1, len(weights)) @ weights).sum()
    require(smallest > 0.1, f"{name}: the smallest scaled Jacobian is {smallest}")
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.option.setNumber("Mesh.Binary", 1)
    path = MESHES / f"{name}.msh"
    gmsh.write(str(path))
    gmsh.finalize()
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, {len(x)} nodes, {len(cells)} elements")
    print(f"  volume {ball / (4.0 / 3.0 * np.pi * RADIUS**3):.6f} of the ball, smallest scaled Jacobian {smallest:.3f}")


def pole(positions, corners, shares):
    """Distance of the middle of the face around (1, 0, 0) from the centre of the ball, relative to the radius."""
    x = np.array(positions)
    on_sphere = np.flatnonzero(np.abs(np.linalg.norm(x, axis=1) - 1.0) < 1e-9)
    ring = on_sphere[np.argsort(-x[on_sphere, 0])][: 2 * corners]
    # The mid-side nodes are nearer to the pole than the corners.
    mid_sides, ends = x[ring[:corners]], x[ring[corners:]]
    return shares[0] * ends[:, 0].sum() + shares[1] * mid_sides[:, 0].sum()


def main():
    for name, kind, corners, edges, face in (
        ("sphere_tet10", TET10, tetrahedra, TETRAHEDRON_EDGES, (3, (-1.0 / 9.0, 4.0 / 9.0))),
        ("sphere_hex20", HEX20, hexahedra, HEXAHEDRON_EDGES, (4, (-0.25, 0.5))),
    ):
        nodes = Nodes()
        linear = corners(nodes)
        draw_to_poles(nodes)
        cells = second_order(nodes, linear, edges)
        write(name, kind, cells, nodes.positions)
        print(f"  the face at (R, 0, 0) reaches {pole(nodes.positions, *face):.9f} R")


if __name__ == "__main__":
    main()
