"""The sliding block of configs/sliding-block.toml: a cube and a plate under it.

    python scripts/mesh_sliding_block.py        writes meshes/sliding_block.msh and meshes/sliding_plate.msh

The block of 1 m x 1 m x 1 m has 3 x 3 x 3 hexahedra, its left side at x = 0 and its bottom at z = 0. The plate of 5 m x
2 m x 0.2 m has 5 x 5 x 1 hexahedra, its top at z = 0, and begins at x = -1.5 m, so that the block slides over its
middle. Groups: volumes "block" and "plate", surface "bottom" of the block. Source: Wolff & Bucher, CMAME 259 (2013)
77-92, section 6.5.
"""

from meshing import finish, hexahedral_box, session, surfaces_in_plane


def main():
    with session("sliding_block") as model:
        block = hexahedral_box((0.0, -0.5, 0.0), (1.0, 1.0, 1.0), (3, 3, 3))
        model.addPhysicalGroup(3, [block], name="block")
        model.addPhysicalGroup(2, surfaces_in_plane(2, 0.0), name="bottom")
        model.mesh.generate(3)
        finish("sliding_block")
    with session("sliding_plate") as model:
        plate = hexahedral_box((-1.5, -1.0, -0.2), (5.0, 2.0, 0.2), (5, 5, 1))
        model.addPhysicalGroup(3, [plate], name="plate")
        model.mesh.generate(3)
        finish("sliding_plate")


if __name__ == "__main__":
    main()
