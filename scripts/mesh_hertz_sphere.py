"""The ball of configs/hertz.toml: a quarter of a ball of radius 0.1 m, fine at the contact.

    python scripts/mesh_hertz_sphere.py        writes meshes/hertz_sphere.msh

The mesh is the quarter x >= 0, y >= 0 of the ball around (0, 0, 0.1); the lowest point is the origin. Edges are R/100
within 0.15 R of the lowest point and grow to R/6. The contact radius is 0.2 R at 1 m/s (configs/hertz.toml), and 0.08 R
at 0.1 m/s (tests/verification/hertz.rs). Groups: volume "ball", surfaces "skin" (the spherical part), "x0" and
"y0" (the planes of symmetry).
"""

import gmsh
import numpy as np

from meshing import finish, outer_facets, require, session, surfaces_in_plane

RADIUS = 0.1
FINE, COARSE = RADIUS / 100.0, RADIUS / 6.0
FINE_ZONE = 0.15 * RADIUS
GROWTH = 0.2  # growth of the edge length per distance


def quarter_ball(model):
    """The quarter ball as a solid. The sphere is rotated so that its poles and its seam are cut away."""
    sphere = model.occ.addSphere(0.0, 0.0, RADIUS, RADIUS)
    model.occ.rotate([(3, sphere)], 0.0, 0.0, RADIUS, 1.0, -1.0, 0.0, np.pi / 2.0)
    model.occ.rotate([(3, sphere)], 0.0, 0.0, RADIUS, 0.0, 0.0, 1.0, np.pi)
    box = model.occ.addBox(0.0, 0.0, -RADIUS, 2.0 * RADIUS, 2.0 * RADIUS, 4.0 * RADIUS)
    solids, _ = model.occ.intersect([(3, sphere)], [(3, box)])
    model.occ.synchronize()
    return solids[0][1]


def snap_to_planes(model):
    """Set coordinates to zero that differ from zero by rounding only, on the planes of symmetry and at the lowest
    point."""
    tags, x, _ = model.mesh.getNodes()
    for tag, position in zip(tags, x.reshape(-1, 3)):
        if ((position != 0.0) & (np.abs(position) < 1e-9)).any():
            model.mesh.setNode(tag, np.where(np.abs(position) < 1e-9, 0.0, position), [])


def main():
    with session("hertz_sphere") as model:
        ball = quarter_ball(model)
        x0, y0 = surfaces_in_plane(0, 0.0), surfaces_in_plane(1, 0.0)
        skin = [tag for _, tag in model.getEntities(2) if tag not in x0 + y0]
        model.addPhysicalGroup(3, [ball], name="ball")
        model.addPhysicalGroup(2, skin, name="skin")
        model.addPhysicalGroup(2, x0, name="x0")
        model.addPhysicalGroup(2, y0, name="y0")

        def edge_length(_dimension, _tag, x, y, z, _default):
            beyond = max(0.0, np.sqrt(x * x + y * y + z * z) - FINE_ZONE)
            return min(COARSE, FINE + GROWTH * beyond)

        model.mesh.setSizeCallback(edge_length)
        gmsh.option.setNumber("Mesh.MeshSizeExtendFromBoundary", 0)
        gmsh.option.setNumber("Mesh.Algorithm", 6)
        model.mesh.generate(3)
        model.mesh.optimize("Netgen", niter=2)
        snap_to_planes(model)
        x, tets = finish("hertz_sphere")
    require((x == 0.0).all(axis=1).any(), "the lowest point is not a node at the origin")
    require(x.min() >= 0.0, "a node lies beyond a plane of symmetry")
    skin = np.unique(outer_facets(tets))
    on_sphere = skin[np.abs(np.linalg.norm(x[skin] - [0.0, 0.0, RADIUS], axis=1) - RADIUS) < 1e-9]
    close = np.count_nonzero(np.linalg.norm(x[on_sphere], axis=1) < 0.08 * RADIUS)
    print(f"  {close} nodes of the sphere within 0.08 R of the lowest point")


if __name__ == "__main__":
    main()
