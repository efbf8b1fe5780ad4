#!/usr/bin/env python3
"""Two thin layers whose rough sides interpenetrate, after Aragón, Yastrebov & Molinari 2013, §5.2.

    python scripts/mesh_rough_layers.py              writes meshes/generated/rough_layers.msh
    python scripts/mesh_rough_layers.py --order 2    writes meshes/generated/rough_layers_quadratic.msh
    python scripts/mesh_rough_layers.py --nodes 25 --output meshes/rough_layers.msh    the layers of configs/rough-layers.toml

The first two files are too large for the repository. With --nodes the layers are coarse, have waves no shorter than
three spacings, and do not touch. Each layer is the unit square, one tetrahedron thick, between a self-affine rough side
(rough_surfaces.py) on a regular grid and a flat, coarse back. The paper gives 149 162 tetrahedra with 48 426 nodes, of
which 20 589 are on a rough side, and 195 035 nodes of quadratic tetrahedra. It does not state how the meshes were made.
One mesh cannot have all of these numbers: a quadratic mesh has as many nodes as the linear mesh has nodes and edges,
more than 246 000. Here the linear layers have the numbers of contactors and tetrahedra of the paper, and the quadratic
layers those of contactors and nodes.

The layers are triangulated by Delaunay's criterion as flat layers. Between two planes the tetrahedra do not depend on
the distance of the planes, and no node is added. Quadratic tetrahedra have straight edges except on the rough side,
where mid-side nodes lie on the rough surface. The few edges on the rough side that would invert a cell are straight
too. Groups: volumes "lower" and "upper", surfaces "lower rough" and, if linear, "lower back", and so on.
"""

import argparse
from pathlib import Path

import gmsh
import numpy as np

from meshing import MESHES, outer_facets, require, session, tetrahedron_volumes
from rough_surfaces import height_field

RMS = 0.006
APART = 0.05          # distance of the mean planes of coarse layers, at which no nodes penetrate
MEAN_GAP = 0.002      # distance of the mean planes of the rough sides, at which two nodes in five penetrate
THICKNESS = 0.04      # distance between the mean plane and the back
JITTER = 0.15         # displacement of inner nodes of a back relative to their spacing, against parallel edges
MOST_ATTEMPTS = 50
SMALLEST_VOLUME = 1e-3  # smallest tetrahedron, relative to a cell of the grid times the thickness
SMALLEST_DETERMINANT = 0.05  # smallest determinant in a quadratic tetrahedron, relative to its mean
SHEAR = 1e-3          # small shear that determines the diagonals of the grid
SEEDS = {"lower": 1, "upper": 2}
# Numbers of nodes along the sides of the rough grid and of the back.
COUNTS = {1: {"lower": (143, 75), "upper": (144, 75)}, 2: {"lower": (138, 12), "upper": (138, 12)}}
TETRAHEDRON = {1: 4, 2: 11}
TRIANGLE = {1: 2, 2: 9}
# The edges on which the mid-side nodes of Gmsh's quadratic tetrahedron and triangle lie.
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1))
TRIANGLE_EDGES = ((0, 1), (1, 2), (2, 0))


def square_grid(count):
    """A grid of count x count points of the unit square, with y running fastest."""
    return np.stack(np.meshgrid(*2 * [np.linspace(0.0, 1.0, count)], indexing="ij"), axis=-1).reshape(-1, 2)


def back_grid(count, generator):
    """The nodes of a back, a grid whose inner nodes are moved a little, and a function that moves some nodes again."""
    grid = square_grid(count)
    inside = ((grid > 1e-9) & (grid < 1.0 - 1e-9)).all(axis=1)
    points = grid.copy()

    def move(nodes):
        nodes = nodes[inside[nodes]]
        points[nodes] = grid[nodes] + generator.uniform(-JITTER, JITTER, (len(nodes), 2)) / (count - 1)

    move(np.arange(count**2))
    return points, move


def refined(heights):
    """The periodic field at twice as many points per side, by its Fourier series."""
    count = len(heights)
    spectrum = np.fft.fftshift(np.fft.fft2(heights))
    padded = np.zeros((2 * count, 2 * count), dtype=complex)
    first = count - count // 2
    padded[first:first + count, first:first + count] = spectrum
    return 4.0 * np.real(np.fft.ifft2(np.fft.ifftshift(padded)))


def connect(rough, back, shear):
    """Tetrahedra between two planes of points, with the rough points first. They are positive with the rough side
    above."""
    flat = np.concatenate([np.column_stack([rough, np.full(len(rough), 0.1)]),
                           np.column_stack([back, np.zeros(len(back))])])
    sheared = flat.copy()
    sheared[:, 0] += shear * flat[:, 1]
    tets, added = gmsh.algorithm.tetrahedralize(sheared.ravel())
    require(len(added) == 0, "nodes were added")
    tets = tets.astype(np.int64).reshape(-1, 4) - 1
    volumes = tetrahedron_volumes(flat, tets)
    tets[volumes < 0.0] = tets[volumes < 0.0][:, [0, 2, 1, 3]]
    tets = tets[np.abs(volumes) > 1e-12]
    require(abs(tetrahedron_volumes(flat, tets).sum() - 0.1) < 1e-9, "the tetrahedra do not fill the layer")
    return tets


def with_middles(x, tets, triangles):
    """Add a node in the middle of every edge; return nodes, quadratic tetrahedra and quadratic triangles."""
    ends = np.sort(np.concatenate([tets[:, list(edge)] for edge in TETRAHEDRON_EDGES]), axis=1)
    edges, number = np.unique(ends, axis=0, return_inverse=True)
    middles = number.reshape(len(TETRAHEDRON_EDGES), -1).T + len(x)
    quadratic = np.concatenate([tets, middles], axis=1)
    index = {tuple(edge): k + len(x) for k, edge in enumerate(edges.tolist())}
    of_triangle = [[index[tuple(sorted((t[i], t[j])))] for i, j in TRIANGLE_EDGES] for t in triangles.tolist()]
    return np.concatenate([x, x[edges].mean(axis=1)]), quadratic, np.concatenate([triangles, of_triangle], axis=1)


def upright_layer(count, coarse, heights, seed, shear):
    """Nodes and tetrahedra under a rough side about z = 0.

    If an edge of the back is nearly parallel to an edge of the grid, a steep rough side may invert the tetrahedron of
    both edges. The ends of the edge of the back are then moved.
    """
    rough, (back, move) = square_grid(count), back_grid(coarse, np.random.default_rng(seed))
    smallest = SMALLEST_VOLUME * THICKNESS / (count - 1) ** 2
    for _ in range(MOST_ATTEMPTS):
        tets = connect(rough, back, shear)
        x = np.concatenate([np.column_stack([rough, heights.ravel()]),
                            np.column_stack([back, np.full(len(back), -THICKNESS)])])
        inverted = np.unique(tets[tetrahedron_volumes(x, tets) < smallest])
        if len(inverted) == 0:
            return x, tets
        move(inverted[inverted >= count**2] - count**2)
    raise SystemExit("error: tetrahedra stay inverted; a thicker layer would have none")


def layer(name, order, nodes):
    """Nodes, tetrahedra, rough triangles and back triangles of one layer. `nodes` is the number along a rough side, or
    None."""
    count, coarse = COUNTS[order][name] if nodes is None else (nodes, nodes // 2 + 1)
    waves = {} if nodes is None else {"longest": 2, "shortest": nodes // 3}
    heights = height_field(count, SEEDS[name], RMS, **waves)
    mean_gap = MEAN_GAP if nodes is None else APART
    above = name == "upper"
    x, tets = upright_layer(count, coarse, -heights if above else heights, SEEDS[name], -SHEAR if above else SHEAR)
    if above:
        x[:, 2] = mean_gap - x[:, 2]
        tets = tets[:, [0, 2, 1, 3]]
    outside = outer_facets(tets)
    triangles = outside[(outside < count**2).all(axis=1)]
    back = outside[(outside >= count**2).all(axis=1)]
    require(len(triangles) == 2 * (count - 1) ** 2, "the rough side is not a triangulated grid")
    if order == 2:
        x, tets, triangles = with_middles(x, tets, triangles)
        on_rough = np.unique(triangles[:, 3:])
        straight = x[on_rough, 2].copy()
        place = np.rint(2.0 * (count - 1) * x[on_rough, :2]).astype(int)
        x[on_rough, 2] = refined(heights)[place[:, 0], place[:, 1]] + (mean_gap if above else 0.0)
        while (smallest_determinants(x, tets, order) < SMALLEST_DETERMINANT).any():
            badly = np.unique(tets[smallest_determinants(x, tets, order) < SMALLEST_DETERMINANT])
            badly = np.isin(on_rough, badly)
            x[on_rough[badly], 2] = straight[badly]
            require(badly.any(), "a cell is inverted")
    return x, tets, triangles, back


def smallest_determinants(x, cells, order):
    """The smallest Jacobian determinant at the nodes of each cell, relative to the mean over these nodes."""
    kind = TETRAHEDRON[order]
    nodes = gmsh.model.mesh.getElementProperties(kind)[4]
    gradients = gmsh.model.mesh.getBasisFunctions(kind, nodes, "GradLagrange")[1].reshape(-1, cells.shape[1], 3)
    determinants = np.stack([np.linalg.det(np.einsum("aj,cai->cij", gradient, x[cells])) for gradient in gradients])
    return determinants.min(axis=0) / determinants.mean(axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--order", type=int, choices=(1, 2), default=1)
    parser.add_argument("--nodes", type=int, help="nodes along a rough side, of coarse linear layers that are apart")
    parser.add_argument("--output", type=Path, help="the file to write")
    arguments = parser.parse_args()
    order = arguments.order
    name = "rough_layers" if order == 1 else "rough_layers_quadratic"
    path = arguments.output or MESHES / "generated" / f"{name}.msh"
    with session(name) as model:
        layers = {body: layer(body, order, arguments.nodes) for body in SEEDS}
        first = 1
        for body, (x, tets, triangles, back) in layers.items():
            surface, volume = model.addDiscreteEntity(2), model.addDiscreteEntity(3)
            model.mesh.addNodes(3, volume, np.arange(first, first + len(x)), x.ravel())
            model.mesh.addElementsByType(volume, TETRAHEDRON[order], [], (tets + first).ravel())
            model.mesh.addElementsByType(surface, TRIANGLE[order], [], (triangles + first).ravel())
            if order == 1:
                behind = model.addDiscreteEntity(2)
                model.mesh.addElementsByType(behind, TRIANGLE[1], [], (back + first).ravel())
                model.addPhysicalGroup(2, [behind], name=f"{body} back")
            model.addPhysicalGroup(3, [volume], name=body)
            model.addPhysicalGroup(2, [surface], name=f"{body} rough")
            first += len(x)
            print(f"{body}: {len(x)} nodes, {len(np.unique(triangles))} of them rough, {len(tets)} tetrahedra;"
                  f" least determinant {smallest_determinants(x, tets, order).min():.2f} of the mean of its cell")
        print(f"{first - 1} nodes in all, {sum(len(tets) for _, tets, *_ in layers.values())} tetrahedra")
        path.parent.mkdir(parents=True, exist_ok=True)
        gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
        gmsh.option.setNumber("Mesh.Binary", 1)
        gmsh.write(str(path))
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
