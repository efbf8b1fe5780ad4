"""The bar of configs/two-bars.toml: 0.1 m long, 10 mm x 10 mm, 200 x 2 x 2 hexahedra.

    python scripts/mesh_bar.py        writes meshes/bar.msh

The axis is x, from 0 to 0.1; y and z are centred. Groups: volume "bar", surfaces "left" (x = 0), "right" (x = 0.1)
and "sides".
"""

from meshing import finish, hexahedral_box, session, surfaces_in_plane

LENGTH, SIDE = 0.1, 0.01
CELLS = (200, 2, 2)


def main():
    with session("bar") as model:
        bar = hexahedral_box((0.0, -SIDE / 2.0, -SIDE / 2.0), (LENGTH, SIDE, SIDE), CELLS)
        left, right = surfaces_in_plane(0, 0.0), surfaces_in_plane(0, LENGTH)
        sides = [tag for _, tag in model.getEntities(2) if tag not in left + right]
        model.addPhysicalGroup(3, [bar], name="bar")
        model.addPhysicalGroup(2, left, name="left")
        model.addPhysicalGroup(2, right, name="right")
        model.addPhysicalGroup(2, sides, name="sides")
        model.mesh.generate(3)
        finish("bar")


if __name__ == "__main__":
    main()
