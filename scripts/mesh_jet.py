"""A jet with fuselage, wings, tail and engines: one connected solid with about 10 000 skin faces of graded size.

    python scripts/mesh_jet.py        writes meshes/generated/jet.msh (about two minutes)

The mesh replaces the jet of Aragón & Molinari 2014, §3.2, whose mesh is not public. The paper gives the depths of the
leaves of its tree, 8 to 43 with a mean of 18. The jet flies along +x, and its parts are symmetric about y = 0. Parts
are united and remeshed as in mesh_motorcycle.py. Groups: volume "jet", surface "skin".
"""

import argparse

import numpy as np

from mesh_motorcycle import write_solid
from solids import Block, Ellipsoid, Tube, both_sides


def fuselage():
    """Barrel, nose, tail cone, cockpit, pitot tube."""
    return [
        Tube((-1.31, 0.0, 0.0), (0.87, 0.0, 0.0), 0.187, 0.16),
        Ellipsoid((0.863, 0.0, -0.003), (0.491, 0.1869, 0.1863), 0.11),
        Ellipsoid((-1.303, 0.0, 0.011), (0.873, 0.1867, 0.1749), 0.12),
        Ellipsoid((0.737, 0.0, 0.1297), (0.267, 0.0913, 0.1193), 0.05),
        Tube((1.31, 0.0, -0.003), (1.497, 0.0, -0.003), 0.0091, 0.017),
    ]


def wings():
    """Wings with tip tanks and flap rails, tailplane, fin."""
    parts = both_sides(lambda s: Block((-0.263, s * 0.871, -0.061), (0.513, 1.653, 0.0417), 0.13))
    parts += both_sides(lambda s: Ellipsoid((-0.241, s * 1.709, -0.0607), (0.353, 0.0463, 0.0471), 0.05))
    for y in (0.463, 0.737, 1.291):
        parts += both_sides(lambda s, y=y: Tube((-0.393, s * y, -0.0869), (-0.597, s * y, -0.0869), 0.0117, 0.019))
    parts += both_sides(lambda s: Block((-1.717, s * 0.337, 0.061), (0.247, 0.653, 0.0263), 0.08))
    return parts + [Block((-1.683, 0.0, 0.409), (0.317, 0.0307, 0.713), 0.09)]


def engines():
    """Nacelles with inlets, spinners, fan struts and pylons."""
    parts = []
    for y in (0.611, -0.611):
        parts.append(Tube((-0.461, y, -0.223), (0.117, y, -0.223), 0.0913, 0.07))
        parts.append(Ellipsoid((0.113, y, -0.223), (0.131, 0.0417, 0.0411), 0.028))
        parts.append(Tube((-0.453, y, -0.223), (-0.563, y, -0.223), 0.0511, 0.038))
        parts.append(Block((-0.211, y, -0.121), (0.257, 0.0271, 0.157), 0.04))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=float, default=0.7, help="factor of all edge lengths")
    options = parser.parse_args()
    parts = fuselage() + wings() + engines()
    for part in parts:
        part.size *= options.edges
    x, _ = write_solid(parts, "jet", "generated/jet", smallest_angle=0.1)
    print(f"  box {np.min(x, axis=0).round(4)} to {np.max(x, axis=0).round(4)}")


if __name__ == "__main__":
    main()
