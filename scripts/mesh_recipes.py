"""Meshes of the contact recipes: a cube, a floor of 10 × 10 cells, and a wheel of 96 wedges; MSH 2.2, SI units.

    python3 scripts/mesh_recipes.py        writes meshes/recipe_cube.msh, recipe_floor.msh and recipe_wheel.msh
"""

from math import cos, pi, sin
from pathlib import Path

MESHES = Path(__file__).resolve().parent.parent / "meshes"


def write(name, nodes, kind, elements):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [f"{tag} {x!r} {y!r} {z!r}" for tag, (x, y, z) in enumerate(nodes, 1)]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [f"{tag} {kind} 2 1 1 " + " ".join(map(str, corners)) for tag, corners in enumerate(elements, 1)]
    (MESHES / name).write_text("\n".join(lines + ["$EndElements", ""]))


def box(low, high, cells):
    counts = [count + 1 for count in cells]
    grid = [(i, j, k) for k in range(counts[2]) for j in range(counts[1]) for i in range(counts[0])]
    number = {place: tag for tag, place in enumerate(grid, 1)}
    at = lambda axis, i: low[axis] + (high[axis] - low[axis]) * i / cells[axis]
    nodes = [tuple(at(axis, i) for axis, i in enumerate(place)) for place in grid]
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    elements = [
        [number[i + di, j + dj, k + dk] for dk in (0, 1) for di, dj in ring]
        for k in range(cells[2]) for j in range(cells[1]) for i in range(cells[0])
    ]
    return nodes, elements


def wheel(radius, half_width, count):
    rim = [(radius * cos(2 * pi * k / count), radius * sin(2 * pi * k / count)) for k in range(count)]
    nodes = [(x, y, z) for y in (-half_width, half_width) for x, z in [(0.0, 0.0), *rim]]
    far = count + 1
    elements = []
    for k in range(count):
        a, b = k + 2, (k + 1) % count + 2
        elements.append([1, b, a, 1 + far, b + far, a + far])
    return nodes, elements


nodes, elements = box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1), (1, 1, 1))
write("recipe_cube.msh", nodes, 5, elements)
nodes, elements = box((-0.5, -0.5, -0.1), (0.5, 0.5, 0.0), (10, 10, 1))
write("recipe_floor.msh", nodes, 5, elements)
nodes, elements = wheel(0.1, 0.05, 96)
write("recipe_wheel.msh", nodes, 6, elements)
