#!/usr/bin/env python3
"""Draw a frame of a run, without a display.

    scripts/render.py OUT_DIR --frame last --field von_mises --output picture.png

The script reads the .pvd in OUT_DIR. `--view` is the direction from the focus to the camera, and `--zoom` enlarges
about the focus. The focus is the given `--focus`, by default the centre of the drawn bodies. A direction or point that
begins with a minus sign follows `=`, as in `--view=-1,-1,0.5`. Scenarios must be in SI units: stresses are drawn in
MPa, displacements in mm, and `--range` is in the units of the picture.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image

BODY_COLOURS = ["#4878a8", "#c9c4b8", "#d08c4a", "#6d9b5f", "#8e6c9e", "#b0574f"]

# For each field: title with the unit, factor from SI, whether it is a point field, and colours.
FIELDS = {
    "von_mises": ("von Mises stress [MPa]", 1e-6, False, "YlOrRd"),
    "stress_xx": ("stress XX [MPa]", 1e-6, False, "RdBu"),
    "stress_xx_psi": ("stress XX [psi]", 1.0, False, "RdBu"),
    "velocity": ("speed [m/s]", 1.0, True, "viridis"),
    "displacement": ("displacement [mm]", 1e3, True, "viridis"),
}


def read_frame(directory, frame):
    """The grid of a frame, and its time."""
    collections = sorted(path for path in directory.glob("*.pvd") if not path.stem.endswith("_levels"))
    if not collections:
        sys.exit(f"{directory}: no .pvd")
    if len(collections) > 1:
        sys.exit(f"{directory}: more than one run, {', '.join(path.name for path in collections)}; move the others away")
    reader = pyvista.get_reader(collections[0])
    times = reader.time_values
    number = len(times) - 1 if frame == "last" else int(frame)
    if not -len(times) <= number < len(times):
        sys.exit(f"{collections[0]}: no frame {number} among {len(times)}")
    reader.set_active_time_value(times[number])
    return reader.read()[0], times[number]


def scalars(grid, field):
    """Values to draw, one per point or per cell."""
    _, factor, _, _ = FIELDS[field]
    if field.startswith("stress_xx"):
        return factor * grid.cell_data["stress"][:, 0]
    values = grid.point_data[field] if field in grid.point_data else grid.cell_data[field]
    return factor * (np.linalg.norm(values, axis=1) if values.ndim == 2 else values)


# Ends and middle of the edges of VTK's quadratic cells. They are equal for 27 and 20 nodes, and for 9 and 8 nodes.
HEXAHEDRON_EDGES = [(0, 1, 8), (1, 2, 9), (2, 3, 10), (3, 0, 11), (4, 5, 12), (5, 6, 13), (6, 7, 14), (7, 4, 15)]
HEXAHEDRON_EDGES += [(0, 4, 16), (1, 5, 17), (2, 6, 18), (3, 7, 19)]
QUADRILATERAL_EDGES = [(0, 1, 4), (1, 2, 5), (2, 3, 6), (3, 0, 7)]
CURVED_EDGES = {
    22: [(0, 1, 3), (1, 2, 4), (2, 0, 5)],
    23: QUADRILATERAL_EDGES,
    24: [(0, 1, 4), (1, 2, 5), (2, 0, 6), (0, 3, 7), (1, 3, 8), (2, 3, 9)],
    25: HEXAHEDRON_EDGES,
    28: QUADRILATERAL_EDGES,
    29: HEXAHEDRON_EDGES,
}
SUBDIVISION = 4  # number of times that the triangles of a curved face are halved for drawing


def is_curved(part):
    """Whether all cells of a part are quadratic."""
    return part.n_cells > 0 and set(part.celltypes) <= set(CURVED_EDGES)


def curved_edges(part):
    """The edges of quadratic cells that lie on the surface, as lines of many points."""
    skin = part.linear_copy().extract_surface(algorithm="dataset_surface").triangulate()
    triangles = skin["vtkOriginalPointIds"][skin.regular_faces]
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    triples = [nodes[:, edge] for kind, nodes in part.cells_dict.items() for edge in CURVED_EDGES[kind]]
    triples = np.concatenate(triples)
    triples = triples[np.unique(triples[:, 2], return_index=True)[1]]
    number = np.array([part.n_points, 1])
    triples = triples[np.isin(np.sort(triples[:, :2], axis=1) @ number, sides @ number)]
    s = np.linspace(-1.0, 1.0, 17)
    shares = np.stack([0.5 * s * (s - 1.0), 0.5 * s * (s + 1.0), 1.0 - s * s], axis=1)
    points = np.einsum("pk,ekx->epx", shares, part.points[triples])
    count, each = points.shape[:2]
    lines = np.column_stack([np.full(count, each), np.arange(count * each).reshape(count, each)])
    return pyvista.PolyData(points.reshape(-1, 3), lines=lines.ravel())


def add_part(plotter, part, style, options, **look):
    """Add a part with its edges; curved faces and edges are drawn curved."""
    if not is_curved(part):
        plotter.add_mesh(part, **look, **style)
        return
    plotter.add_mesh(part.extract_surface(nonlinear_subdivision=SUBDIVISION, algorithm="dataset_surface"), **look, **{**style, "show_edges": False})
    if not options.no_edges:
        edges = curved_edges(part)
        look = {"color": style["edge_color"], "opacity": options.edge_opacity, "line_width": style["line_width"]}
        mapper = plotter.add_mesh(edges, **look).mapper
        mapper.SetResolveCoincidentTopologyToPolygonOffset()
        mapper.SetRelativeCoincidentTopologyLineOffsetParameters(-2.0, -2.0)


def add_bodies(plotter, grid, options):
    """Add the bodies, coloured by field or each in its own colour."""
    style = {
        "show_edges": not options.no_edges,
        "edge_color": "#303030",
        "edge_opacity": options.edge_opacity,
        "line_width": 1,
        "ambient": 0.35,
        "diffuse": 0.7,
        "smooth_shading": False,
    }
    bodies = grid.cell_data["body"]
    drawn = options.bodies if options.bodies is not None else sorted(set(bodies))
    if options.field == "body":
        for body in drawn:
            part = grid.extract_cells(bodies == body)
            add_part(plotter, part, style, options, color=BODY_COLOURS[body % len(BODY_COLOURS)])
        return
    title, _, of_points, colours = FIELDS[options.field]
    grid["shown"] = scalars(grid, options.field)
    part = grid.extract_cells(np.isin(bodies, drawn))
    add_part(
        plotter,
        part,
        style,
        options,
        scalars="shown",
        preference="point" if of_points else "cell",
        cmap=colours,
        clim=options.range,
        scalar_bar_args={
            "title": title,
            "vertical": False,
            "position_x": 0.3,
            "position_y": 0.02,
            "width": 0.4,
            "height": 0.09,
            "title_font_size": 22,
            "label_font_size": 18,
            "n_labels": 3,
            "fmt": "%.4g",
            "color": "black",
            "font_family": "arial",
        },
    )


def add_walls(plotter, directory, time):
    """Add the rigid walls at the time of the frame, if the run has any."""
    for collection in directory.glob("*_walls.pvd"):
        reader = pyvista.get_reader(collection)
        reader.set_active_time_value(min(reader.time_values, key=lambda other: abs(other - time)))
        style = {"color": "#b8b4aa", "opacity": 0.6, "show_edges": True, "edge_color": "#303030", "lighting": False}
        plotter.add_mesh(reader.read()[0], **style)


def place_camera(plotter, grid, options):
    """Set a parallel projection along `--view`."""
    bodies = grid.cell_data["body"]
    shown = grid if options.bodies is None else grid.extract_cells(np.isin(bodies, options.bodies))
    focus = np.array(options.focus if options.focus else shown.center)
    direction = np.array(options.view) / np.linalg.norm(options.view)
    up = [0.0, 0.0, 1.0] if abs(direction[2]) < 0.99 else [0.0, 1.0, 0.0]
    plotter.camera.focal_point = focus
    plotter.camera.position = focus + direction * 3.0 * grid.length
    plotter.camera.up = up
    plotter.camera.parallel_projection = True
    plotter.camera.parallel_scale = 0.5 * shown.length / options.zoom
    plotter.renderer.ResetCameraClippingRange()


def numbers(text):
    """Numbers separated by commas."""
    return [float(part) for part in text.split(",")]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, metavar="OUT_DIR")
    parser.add_argument("--frame", default="last", help="number of the frame, or last")
    parser.add_argument("--field", default="von_mises", choices=[*FIELDS, "body"])
    parser.add_argument("--output", type=Path, required=True, metavar="PICTURE.png")
    parser.add_argument("--view", type=numbers, default=[1.0, -2.0, 0.8], metavar="X,Y,Z")
    parser.add_argument("--focus", type=numbers, metavar="X,Y,Z")
    parser.add_argument("--zoom", type=float, default=1.0)
    parser.add_argument("--range", type=numbers, metavar="LOW,HIGH", help="of the colours, in the units of the colour bar")
    parser.add_argument("--bodies", type=lambda t: [int(n) for n in t.split(",")], metavar="N,N", help="to draw, by number")
    parser.add_argument("--size", type=numbers, default=[1200, 675], metavar="W,H", help="in pixels")
    parser.add_argument("--clip", type=numbers, metavar="X,Y,Z", help="cut off what lies this way from the focus")
    parser.add_argument("--edge-opacity", type=float, default=0.35)
    parser.add_argument("--no-edges", action="store_true")
    parser.add_argument("--title", help="instead of the time")
    return parser.parse_args()


def main():
    """Draw the picture."""
    options = parse_arguments()
    grid, time = read_frame(options.directory, options.frame)
    if options.clip:
        centre = options.focus if options.focus else grid.center
        grid = grid.clip(normal=options.clip, origin=centre)
    plotter = pyvista.Plotter(off_screen=True, window_size=[int(n) for n in options.size])
    plotter.background_color = "white"
    plotter.enable_anti_aliasing("ssaa")
    add_bodies(plotter, grid, options)
    add_walls(plotter, options.directory, time)
    plotter.add_text(options.title or f"t = {time:.6g} s", position=(20, 20), font_size=11, color="black")
    place_camera(plotter, grid, options)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(plotter.screenshot(return_img=True))
    picture.quantize(256, dither=Image.Dither.NONE).save(options.output, optimize=True)
    print(f"{options.output}: frame {options.frame}, t = {time:.9g} s, {options.output.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
