#!/usr/bin/env python3
"""Draw distance fields on element meshes, without a display.

    cargo build --release
    scripts/distance_field.py --output docs/pictures

The pictures follow Wolff & Bucher 2013. Figures 3 to 5: the distance in a strip one triangle thick. It is drawn
exactly, interpolated from the nodes, where all values are zero, and interpolated from seven points of each triangle.
Figures 18 to 21: the fields `distance` and `distance_gradient` that `ictus run` writes, in a sphere of radius 5 of
tetrahedra and in a block 10 x 10 x 4 of hexahedra with a hole.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import gmsh
import numpy as np
import pyvista

COLOURS = "viridis"
LENGTH, THICKNESS, CELLS = 4.0, 1.0, 4  # dimensions and number of cells of the strip
SUBDIVISION = 24  # subdivision of a triangle of the strip for drawing

SCENARIO = """title = "distance field"
[time]
end = 1e-3
[materials.rigid]
model = "rigid"
density = 1.0
[[bodies]]
name = "body"
mesh = "body.msh"
region = "body"
material = "rigid"
[output]
frames = 1
fields = ["distance", "distance-gradient"]
"""


def strip():
    """Nodes and triangles of a strip whose nodes are all on its border."""
    xs = np.linspace(0.0, LENGTH, CELLS + 1)
    nodes = np.array([(x, y) for y in (0.0, THICKNESS) for x in xs])
    row = CELLS + 1
    pairs = [((k, k + 1, row + k + 1), (k, row + k + 1, row + k)) for k in range(CELLS)]
    return nodes, np.array([triangle for pair in pairs for triangle in pair])


def strip_distance(points):
    """Distance from the border of the strip."""
    x, y = points[..., 0], points[..., 1]
    return np.minimum(np.minimum(x, LENGTH - x), np.minimum(y, THICKNESS - y))


def enriched_values(l):
    """Shape functions of corners, edges and centre of a triangle at barycentric coordinates."""
    a, b, c = l.T
    bubble = a * b * c
    corners = [k * (2 * k - 1) + 3 * bubble for k in (a, b, c)]
    edges = [4 * i * j * (1 - 3 * k) for i, j, k in ((a, b, c), (b, c, a), (c, a, b))]
    return np.array([*corners, *edges, 27 * bubble]).T


def draw_strip(path):
    """Draw the distance in the strip: exact, from the nodes, and from seven points of each triangle."""
    nodes, triangles = strip()
    n = SUBDIVISION
    places = [(i, j) for j in range(n + 1) for i in range(n + 1 - j)]
    number = {place: k for k, place in enumerate(places)}
    l = np.array([(n - i - j, i, j) for i, j in places]) / n
    cells = [[number[i, j], number[i + 1, j], number[i, j + 1]] for i, j in places if i + j < n]
    cells += [[number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]] for i, j in places if i + j < n - 1]
    fine, faces, values = [], [], []
    for corners in nodes[triangles]:
        support = np.vstack([corners, (corners + np.roll(corners, -1, axis=0)) / 2, [corners.mean(axis=0)]])
        points = l @ corners
        at_support = strip_distance(support)
        rows = [strip_distance(points), l @ at_support[:3], np.maximum(enriched_values(l) @ at_support, 0.0)]
        faces.append(np.array(cells) + len(fine) * len(l))
        fine.append(points)
        values.append(rows)
    points = np.vstack(fine)
    space = np.column_stack([points, np.zeros(len(points))])
    outline = np.vstack([np.append(nodes[triangle], [[0.0]] * 3, axis=1)[[0, 1, 1, 2, 2, 0]] for triangle in triangles])
    plotter = pyvista.Plotter(off_screen=True, shape=(3, 1), window_size=(900, 820), border=False)
    titles = ["exact distance", "from the nodes: zero everywhere", "from seven points of each triangle"]
    for row, title in enumerate(titles):
        plotter.subplot(row, 0)
        mesh = pyvista.PolyData.from_regular_faces(space, np.vstack(faces))
        mesh["distance"] = np.concatenate([rows[row] for rows in values])
        plotter.add_mesh(mesh, scalars="distance", cmap=COLOURS, clim=(0.0, THICKNESS / 2), lighting=False,
                         show_scalar_bar=row == 2, scalar_bar_args=bar())
        plotter.add_lines(outline, color="black", width=2)
        plotter.add_text(title, font_size=11, color="black")
        plotter.view_xy()
        plotter.camera.zoom(2.2)
    save(plotter, path)


def bar():
    """Options of the scale of colours."""
    return {"title": "distance", "vertical": False, "width": 0.4, "height": 0.08, "position_x": 0.3,
            "position_y": 0.02, "color": "black", "title_font_size": 18, "label_font_size": 16}


def save(plotter, path):
    """Write a picture."""
    plotter.set_background("white")
    plotter.screenshot(path)
    plotter.close()
    print(path)


def sphere_mesh(path):
    """Write a sphere of radius 5 of tetrahedra with edges of length 1.5."""
    gmsh.initialize(readConfigFiles=False)
    gmsh.option.setNumber("General.Verbosity", 2)
    gmsh.option.setNumber("General.NumThreads", 1)
    sphere = gmsh.model.occ.addSphere(0, 0, 0, 5)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [sphere], name="body")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1.5)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 1.5)
    gmsh.model.mesh.generate(3)
    gmsh.write(str(path))
    gmsh.finalize()


def block_mesh(path, per_unit=2):
    """Write the block 10 x 10 x 4 with the hole [2, 5] x [3, 8], meshed with cubes, in MSH 2.2."""
    nx, ny, nz = 10 * per_unit, 10 * per_unit, 4 * per_unit

    def number(i, j, k):
        return 1 + (k * (ny + 1) + j) * (nx + 1) + i

    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = [
        [number(i + a, j + b, k + c) for a, b, c in corners]
        for k in range(nz) for j in range(ny) for i in range(nx)
        if not (2 * per_unit <= i < 5 * per_unit and 3 * per_unit <= j < 8 * per_unit)
    ]
    used = {node for cell in cells for node in cell}
    nodes = [
        f"{number(i, j, k)} {i / per_unit} {j / per_unit} {k / per_unit}"
        for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1) if number(i, j, k) in used
    ]
    elements = [f"{n} 5 2 1 1 " + " ".join(map(str, cell)) for n, cell in enumerate(cells, 1)]
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '3 1 "body"', "$EndPhysicalNames",
            "$Nodes", str(len(nodes)), *nodes, "$EndNodes", "$Elements", str(len(elements)), *elements, "$EndElements"]
    path.write_text("\n".join(text) + "\n")


def compute(program, write_mesh):
    """The first frame of a body at rest, with its distance field."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_mesh(folder / "body.msh")
        (folder / "field.toml").write_text(SCENARIO)
        done = subprocess.run([program, "run", folder / "field.toml", "--quiet", "--output", folder / "out"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        reader = pyvista.get_reader(sorted((folder / "out").glob("*.pvd"))[0])
        reader.set_active_time_value(reader.time_values[0])
        return reader.read().combine()


def draw_cut(grid, path, normal, origin, view, zoom):
    """Draw a body cut open, coloured by distance, with arrows of the gradient where edges of elements cross the cut."""
    kept = grid.clip(normal=normal, origin=origin)
    size = np.cbrt(grid.volume / grid.n_cells)
    cut = grid.slice(normal=normal, origin=origin)
    arrows = pyvista.PolyData(cut.points + 0.1 * size * np.array(normal))
    arrows["gradient"] = cut["distance_gradient"]
    plotter = pyvista.Plotter(off_screen=True, window_size=(900, 760))
    plotter.add_mesh(kept, scalars="distance", cmap=COLOURS, show_edges=True, edge_opacity=0.35,
                     scalar_bar_args=bar())
    plotter.add_mesh(arrows.glyph(orient="gradient", scale="gradient", factor=0.8 * size), color="#d0541c")
    plotter.camera_position = [np.array(grid.center) + 30 * np.array(view), grid.center, (0, 0, 1)]
    plotter.camera.zoom(zoom)
    save(plotter, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/ictus", type=Path)
    parser.add_argument("--output", default="docs/pictures", type=Path)
    options = parser.parse_args()
    program = options.program.resolve()
    draw_strip(options.output / "distance-strip.png")
    sphere = compute(program, sphere_mesh)
    draw_cut(sphere, options.output / "distance-sphere.png", (0, 1, 0), (0, 0, 0), (0.25, 1.0, 0.2), 1.25)
    block = compute(program, block_mesh)
    draw_cut(block, options.output / "distance-block.png", (0, 0, 1), (5, 5, 2), (-0.35, -0.6, 1.0), 1.15)


if __name__ == "__main__":
    main()
