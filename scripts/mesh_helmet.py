"""The helmet of configs/helmet.toml, a half shell on a liner, and the surface of a head form inside.

    python scripts/mesh_helmet.py        writes meshes/helmet.msh and meshes/head_form.msh

Shell and liner are lower half spheres around the origin, of hexahedra whose edges follow the radii. The directions of
the nodes are a projection of a cube onto the sphere with equal angles. The head form is a closed sphere of triangles
with the same directions, so that the gap to the liner is uniform. Groups: volumes "shell" and "liner", surface "head".
"""

import gmsh
import numpy as np

from meshing import finish, require, session

HEAD = 0.0995  # radius [m]
LINER = (0.100, 0.135)  # inner and outer radius [m]
SHELL = (0.135, 0.138)
COUNT = 16  # edges across a face of the cube
LAYERS = 3  # number of layers of the liner
TRIANGLE, HEXAHEDRON = 2, 5


def cube_sphere(is_whole):
    """Unit vectors through grid points of a cube, and outward quadrilaterals; only the lower half unless `is_whole`."""
    angles = np.tan(np.linspace(-np.pi / 4.0, np.pi / 4.0, COUNT + 1))
    points, index, quads = [], {}, []

    def node(point):
        key = tuple(np.round(point, 9))
        if key not in index:
            index[key] = len(points)
            points.append(point / np.linalg.norm(point))
        return index[key]

    for axis in range(3):
        for side in (-1.0, 1.0):
            for i in range(COUNT):
                for j in range(COUNT):
                    corners = []
                    for k, l in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                        point = np.empty(3)
                        point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = side, angles[k], angles[l]
                        corners.append(point)
                    if is_whole or np.mean([point[2] for point in corners]) < 0.0:
                        quad = [node(point) for point in corners]
                        quads.append(quad if side > 0.0 else quad[::-1])
    return np.array(points), np.array(quads)


def layers(directions, quads, radii):
    """Nodes and hexahedra between spheres of these radii."""
    nodes = np.concatenate([radius * directions for radius in radii])
    count = len(directions)
    hexes = [np.hstack((quads + k * count, quads + (k + 1) * count)) for k in range(len(radii) - 1)]
    return nodes, np.concatenate(hexes)


def add(model, dimension, name, kind, nodes, elements, first):
    """Add a part as a discrete entity and physical group; return the next free node tag."""
    entity = model.addDiscreteEntity(dimension)
    model.mesh.addNodes(dimension, entity, np.arange(first, first + len(nodes)), nodes.ravel())
    model.mesh.addElementsByType(entity, kind, [], (elements + first).ravel())
    model.addPhysicalGroup(dimension, [entity], name=name)
    return first + len(nodes)


def main():
    half, quads = cube_sphere(False)
    whole, closed = cube_sphere(True)
    triangles = np.concatenate((closed[:, [0, 1, 2]], closed[:, [0, 2, 3]]))
    with session("helmet") as model:
        first = add(model, 3, "shell", HEXAHEDRON, *layers(half, quads, SHELL), 1)
        add(model, 3, "liner", HEXAHEDRON, *layers(half, quads, np.linspace(*LINER, LAYERS + 1)), first)
        x, _ = finish("helmet", pieces=2)
    with session("head_form") as model:
        add(model, 2, "head", TRIANGLE, HEAD * whole, triangles, 1)
        finish("head_form")
    sag = LINER[0] * (1.0 - np.cos(np.pi / 4.0 / COUNT * np.sqrt(2.0)))
    require(sag < LINER[0] - HEAD, "the faces of the liner reach into the head form")
    require(abs(x[:, 2].min() + SHELL[1]) < 1e-9, "the lowest point is not a node")


if __name__ == "__main__":
    main()
