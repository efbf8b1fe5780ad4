"""The wall of configs/motorcycle.toml: 0.3 m thick, 6 m wide, 3 m high, its front at x = 0.

    python scripts/mesh_wall.py        writes meshes/wall.msh

The wall has 6 x 4 cells of six tetrahedra. These are 144 elements, as many as in the wall of Aragón & Molinari 2014,
§5.2. Groups: volume "wall", surfaces "front" (x = 0) and "back" (x = 0.3).
"""

from meshing import finish, session, structured_box, surfaces_in_plane

THICKNESS, WIDTH, HEIGHT = 0.3, 6.0, 3.0
CELLS = (1, 6, 4)


def main():
    with session("wall") as model:
        wall = structured_box((0.0, -WIDTH / 2.0, 0.0), (THICKNESS, WIDTH, HEIGHT), CELLS)
        model.addPhysicalGroup(3, [wall], name="wall")
        model.addPhysicalGroup(2, surfaces_in_plane(0, 0.0), name="front")
        model.addPhysicalGroup(2, surfaces_in_plane(0, THICKNESS), name="back")
        model.mesh.generate(3)
        finish("wall")


if __name__ == "__main__":
    main()
