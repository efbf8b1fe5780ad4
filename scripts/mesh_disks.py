"""The disk of configs/disks.toml, of radius 1 in the plane z = 0: 48 triangles, 24 nodes on its circle.

    python scripts/mesh_disks.py                 writes meshes/disk.msh
    python scripts/mesh_disks.py --bodies 7      prints the [[bodies]] of a square array of 7 x 7 disks

The centre of the disk is the origin. Group: surface "disk".
"""

import argparse
from math import cos, pi, sin

import gmsh

from meshing import TRIANGLE, finish, session

RADIUS, SPACING = 1.0, 2.5
OUTSIDE, INSIDE = 24, 12
CENTRE = 1


def inner(k):
    """Number of the k-th node of the inner circle."""
    return 2 + k % INSIDE


def outer(k):
    """Number of the k-th node of the outer circle; every second one lies radially outward of an inner node."""
    return 2 + INSIDE + k % OUTSIDE


def write_mesh():
    with session("disk") as model:
        model.addDiscreteEntity(2, 1)
        coordinates = [0.0, 0.0, 0.0]
        for count, radius in ((INSIDE, 0.5 * RADIUS), (OUTSIDE, RADIUS)):
            for k in range(count):
                coordinates += [radius * cos(2.0 * pi * k / count), radius * sin(2.0 * pi * k / count), 0.0]
        model.mesh.addNodes(2, 1, list(range(1, 2 + INSIDE + OUTSIDE)), coordinates)
        triangles = []
        for k in range(INSIDE):
            triangles += [CENTRE, inner(k), inner(k + 1)]
            triangles += [inner(k), outer(2 * k), outer(2 * k + 1)]
            triangles += [inner(k), outer(2 * k + 1), inner(k + 1)]
            triangles += [inner(k + 1), outer(2 * k + 1), outer(2 * k + 2)]
        model.mesh.addElementsByType(1, TRIANGLE, [], triangles)
        model.addPhysicalGroup(2, [1], name="disk")
        finish("disk")


def print_bodies(count):
    """Print the tables of the disks in columns from left to right; the disks of the first column move."""
    for column in range(count):
        for row in range(count):
            x, y = (SPACING * (1 + place) for place in (column, row))
            print(f'[[bodies]]\nname = "disk-{column + 1}-{row + 1}"\nmesh = "../meshes/disk.msh"')
            print(f'material = "elastic"\ntranslate = [{x}, {y}, 0.0]')
            print("velocity = [0.5, 0.1, 0.0]\n" if column == 0 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, help="disks along each side of the array")
    arguments = parser.parse_args()
    if arguments.bodies is None:
        write_mesh()
    else:
        print_bodies(arguments.bodies)


if __name__ == "__main__":
    main()
