#!/usr/bin/env python3
"""Draw a frame of a run, without a display.

    scripts/render.py OUT_DIR --frame last --field von_mises --output picture.png

Reads the .pvd in OUT_DIR. `--view` is the direction from the focus to the camera, `--zoom` enlarges about the focus,
which is the centre of the bodies drawn, or the given `--focus`.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image

BODY_COLOURS = ["#4878a8", "#c9c4b8", "#d08c4a", "#6d9b5f", "#8e6c9e", "#b0574f"]

# Title, factor from SI, whether the field is one of points, colours.
FIELDS = {
    "von_mises": ("von Mises stress [MPa]", 1e-6, False, "YlOrRd"),
    "stress_xx": ("stress XX [MPa]", 1e-6, False, "RdBu"),
    "velocity": ("speed [m/s]", 1.0, True, "viridis"),
    "displacement": ("displacement [mm]", 1e3, True, "viridis"),
}


def read_frame(directory, frame):
    """The grid of a frame, and its time."""
    collections = sorted(directory.glob("*.pvd"))
    if not collections:
        sys.exit(f"{directory}: no .pvd")
    reader = pyvista.get_reader(collections[0])
    times = reader.time_values
    number = len(times) - 1 if frame == "last" else int(frame)
    if not -len(times) <= number < len(times):
        sys.exit(f"{collections[0]}: no frame {number} among {len(times)}")
    reader.set_active_time_value(times[number])
    return reader.read()[0], times[number]


def scalars(grid, field):
    """Values to draw, one a point or one a cell."""
    _, factor, _, _ = FIELDS[field]
    if field == "stress_xx":
        return factor * grid.cell_data["stress"][:, 0]
    values = grid.point_data[field] if field in grid.point_data else grid.cell_data[field]
    return factor * (np.linalg.norm(values, axis=1) if values.ndim == 2 else values)


def add_bodies(plotter, grid, options):
    """The bodies, coloured by field, or each in a colour of its own."""
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
            plotter.add_mesh(part, color=BODY_COLOURS[body % len(BODY_COLOURS)], **style)
        return
    title, _, of_points, colours = FIELDS[options.field]
    grid["shown"] = scalars(grid, options.field)
    part = grid.extract_cells(np.isin(bodies, drawn))
    plotter.add_mesh(
        part,
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
        **style,
    )


def place_camera(plotter, grid, options):
    """A parallel projection along the view."""
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
    parser.add_argument("--range", type=numbers, metavar="LOW,HIGH", help="of the colours")
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
    plotter.add_text(options.title or f"t = {time:.9g} s", position=(20, 20), font_size=11, color="black")
    place_camera(plotter, grid, options)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(plotter.screenshot(return_img=True))
    picture.quantize(256, dither=Image.Dither.NONE).save(options.output, optimize=True)
    print(f"{options.output}: frame {options.frame}, t = {time:.9g} s, {options.output.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
