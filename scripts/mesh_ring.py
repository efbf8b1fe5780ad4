"""The ring of configs/ring.toml: outer diameter 40 mm, wall thickness 3 mm, width 6 mm, 84 x 3 x 4 hexahedra.

    python scripts/mesh_ring.py        writes meshes/ring.msh

The axis is y, from 0 to 6 mm; the centre is the origin. Groups: volume "ring", surface "inside".
"""

from math import cos, pi, sin

import gmsh

from meshing import HEXAHEDRON, finish, session

OUTER_RADIUS, WALL, WIDTH = 0.02, 0.003, 0.006
AROUND, ACROSS, ALONG = 84, 3, 4
QUADRILATERAL = 3


def node(i, j, k):
    """Number of the node that is the i-th around, the j-th from the inside, and the k-th along the axis."""
    return 1 + (k * (ACROSS + 1) + j) * AROUND + i % AROUND


def main():
    with session("ring") as model:
        model.addDiscreteEntity(2, 1)
        model.addDiscreteEntity(3, 1, [1])
        tags, coordinates = [], []
        for k in range(ALONG + 1):
            for j in range(ACROSS + 1):
                for i in range(AROUND):
                    radius = OUTER_RADIUS - WALL + j * WALL / ACROSS
                    angle = 2.0 * pi * i / AROUND
                    tags.append(node(i, j, k))
                    coordinates += [radius * cos(angle), k * WIDTH / ALONG, radius * sin(angle)]
        model.mesh.addNodes(3, 1, tags, coordinates)
        hexahedra, inside = [], []
        for k in range(ALONG):
            for i in range(AROUND):
                inside += [node(i, 0, k), node(i, 0, k + 1), node(i + 1, 0, k + 1), node(i + 1, 0, k)]
                for j in range(ACROSS):
                    sides = [[node(a, b, c) for a, b in ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))] for c in (k, k + 1)]
                    hexahedra += sides[1] + sides[0]
        model.mesh.addElementsByType(1, HEXAHEDRON, [], hexahedra)
        model.mesh.addElementsByType(1, QUADRILATERAL, [], inside)
        model.addPhysicalGroup(3, [1], name="ring")
        model.addPhysicalGroup(2, [1], name="inside")
        finish("ring")


if __name__ == "__main__":
    main()
