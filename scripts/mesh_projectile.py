"""The ball of configs/projectiles.toml: radius 1 m, 320 equal-sized skin faces, tetrahedra inside.

    python scripts/mesh_projectile.py        writes meshes/projectile.msh

The skin is an icosahedron with a vertex on the x axis, split twice and projected onto the sphere, so every skin node
lies on the sphere. The points (-1, 0, 0) and (1, 0, 0) are nodes, so two of these balls that approach along x touch
exactly when their spheres do. Groups: volume "ball", surface "skin".
"""

import gmsh
import numpy as np

from meshing import fill_triangulation, finish, outer_facets, require, session

EDGE_LENGTH = 0.35
SPLITS = 2


def icosahedron():
    """Points on the unit sphere, two of which are on the x axis, and outward triangles."""
    ring = np.arange(5) * 2.0 * np.pi / 5.0
    height, radius = 1.0 / np.sqrt(5.0), 2.0 / np.sqrt(5.0)
    front = np.column_stack([np.full(5, height), radius * np.cos(ring), radius * np.sin(ring)])
    points = np.vstack([[[1.0, 0.0, 0.0]], front, -front, [[-1.0, 0.0, 0.0]]])
    # Point 6 + k is opposite to point 1 + k, and therefore between points 1 + (k + 2) % 5 and 1 + (k + 3) % 5.
    caps, belt = [], []
    for k in range(5):
        following, facing = (k + 1) % 5, (k + 3) % 5
        caps += [(0, 1 + k, 1 + following), (11, 6 + following, 6 + k)]
        belt += [(1 + k, 6 + facing, 1 + following), (6 + k, 1 + facing, 6 + following)]
    return points, outward(points, np.array(caps + belt))


def outward(points, triangles):
    """The triangles of a surface that is star-shaped about the origin, with outward normals."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c) < 0.0
    triangles = triangles.copy()
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def split(points, triangles):
    """Split each triangle into four, with the new points on the unit sphere."""
    points = list(points)
    middles = {}

    def middle(i, j):
        key = (min(i, j), max(i, j))
        if key not in middles:
            between = points[i] + points[j]
            middles[key] = len(points)
            points.append(between / np.linalg.norm(between))
        return middles[key]

    finer = []
    for a, b, c in triangles:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(points), np.array(finer)


def main():
    points, triangles = icosahedron()
    for _ in range(SPLITS):
        points, triangles = split(points, triangles)
    with session("projectile") as model:
        surface, volume = fill_triangulation(points, triangles)
        model.addPhysicalGroup(3, [volume], name="ball")
        model.addPhysicalGroup(2, [surface], name="skin")
        gmsh.option.setNumber("Mesh.MeshSizeMin", EDGE_LENGTH)
        gmsh.option.setNumber("Mesh.MeshSizeMax", EDGE_LENGTH)
        model.mesh.generate(3)
        model.mesh.optimize("Netgen", niter=3)
        x, tets = finish("projectile")
    skin = np.unique(outer_facets(tets))
    require(np.abs(np.linalg.norm(x[skin], axis=1) - 1.0).max() < 1e-15, "a skin node is off the sphere")
    for vertex in ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]):
        require((x[skin] == vertex).all(axis=1).any(), f"{vertex} is not a node")


if __name__ == "__main__":
    main()
