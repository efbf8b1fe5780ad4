"""The rigid plate of configs/hertz.toml: one hexahedron whose top is the plane z = 0.

    python scripts/mesh_plate.py        writes meshes/plate.msh

x and y range from -0.02 m to 0.06 m, far beyond the contact radius of the quarter ball and beyond its planes of
symmetry. Groups: volume "plate", surfaces "top" (z = 0) and "bottom" (z = -0.02).
"""

from meshing import finish, hexahedral_box, session, surfaces_in_plane

LOWER, SIDE, THICKNESS = -0.02, 0.08, 0.02


def main():
    with session("plate") as model:
        plate = hexahedral_box((LOWER, LOWER, -THICKNESS), (SIDE, SIDE, THICKNESS), (1, 1, 1))
        model.addPhysicalGroup(3, [plate], name="plate")
        model.addPhysicalGroup(2, surfaces_in_plane(2, 0.0), name="top")
        model.addPhysicalGroup(2, surfaces_in_plane(2, -THICKNESS), name="bottom")
        model.mesh.generate(3)
        finish("plate")


if __name__ == "__main__":
    main()
