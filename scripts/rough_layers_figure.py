#!/usr/bin/env python3
"""Draw two rough layers from three sides, without a display, as Aragón, Yastrebov & Molinari 2013, figure 7.

    ictus run configs/rough-layers.toml
    scripts/rough_layers_figure.py out/rough-layers --output docs/pictures/rough-layers.png

The picture has three panels of one frame, the last frame unless --time is given: the layers with the upper layer
lifted, a cut through both layers, and the contact pressure on the rough side of the lower layer, seen from above.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image

warnings.filterwarnings("ignore", message="(?s).*default value of `algorithm`")

COLOURS = ["#5b8fc4", "#cfc4ab"]
SIZE = [466, 400]
LIFT = 0.25  # m
STRETCH = 3.0  # factor of heights in the cut


def read(folder, time):
    """The grid of a frame."""
    collections = [path for path in folder.glob("*.pvd") if not path.stem.endswith("_volumes")]
    if len(collections) != 1:
        sys.exit(f"{folder}: {len(collections)} .pvd files, not one")
    reader = pyvista.get_reader(collections[0])
    times = np.array(reader.time_values)
    reader.set_active_time_value(times[-1] if time is None else times[np.abs(times - time).argmin()])
    return reader.read()[0]


def body_of(grid, body):
    """The cells of a body."""
    return grid.extract_cells(grid.cell_data["body"] == body)


def panel(add, view, up, height):
    """A picture of the parts that `add` adds, seen from the direction `view`."""
    plotter = pyvista.Plotter(off_screen=True, window_size=SIZE)
    plotter.background_color = "white"
    focus = add(plotter)
    plotter.camera.focal_point = focus
    plotter.camera.position = np.array(focus) + 10.0 * np.array(view) / np.linalg.norm(view)
    plotter.camera.up = up
    plotter.camera.parallel_projection = True
    plotter.camera.parallel_scale = 0.5 * height
    plotter.renderer.ResetCameraClippingRange()
    plotter.enable_anti_aliasing("ssaa")
    picture = Image.fromarray(plotter.screenshot(return_img=True))
    plotter.close()
    return picture


def lifted(grid):
    """Panel of both layers, with the upper layer lifted."""
    def add(plotter):
        for body, lift in ((0, 0.0), (1, LIFT)):
            surface = body_of(grid, body).extract_surface().translate([0.0, 0.0, lift])
            plotter.add_mesh(surface, color=COLOURS[body], show_edges=True, edge_opacity=0.3, ambient=0.35)
        return [0.5, 0.5, 0.5 * LIFT]
    return add


def cut(grid):
    """Panel of a cut through the middle of both layers, with stretched heights."""
    def add(plotter):
        for body in (0, 1):
            section = body_of(grid, body).slice(normal="y", origin=[0.5, 0.5, 0.0]).scale([1.0, 1.0, STRETCH])
            plotter.add_mesh(section, color=COLOURS[body], show_edges=True, edge_opacity=0.5, lighting=False)
        return [0.5, 0.5, 0.0]
    return add


def pressed(grid):
    """Panel of the contact pressure on the lower layer."""
    def add(plotter):
        surface = body_of(grid, 0).extract_surface()
        bar = {"title": "contact pressure [Pa]", "n_labels": 2, "color": "black", "fmt": "%.1e", "vertical": False,
               "height": 0.07, "position_y": 0.02, "position_x": 0.1, "width": 0.8, "title_font_size": 14, "label_font_size": 12}
        plotter.add_mesh(surface, scalars="contact_pressure", cmap="inferno", scalar_bar_args=bar, ambient=0.5)
        return [0.5, 0.44, 0.0]
    return add


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time", type=float, help="of the frame; the last one if not given")
    parser.add_argument("--output", type=Path, default=Path("rough-layers.png"))
    arguments = parser.parse_args()
    grid = read(arguments.folder, arguments.time)
    panels = [
        panel(lifted(grid), [0.6, -1.0, 0.45], [0.0, 0.0, 1.0], 1.4),
        panel(cut(grid), [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], 0.95),
        panel(pressed(grid), [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], 1.3),
    ]
    whole = Image.new("RGB", (SIZE[0] * len(panels), SIZE[1]), "white")
    for number, picture in enumerate(panels):
        whole.paste(picture, (number * SIZE[0], 0))
    whole.quantize(256, dither=Image.Dither.NONE).save(arguments.output, optimize=True)
    print(f"{arguments.output}: {arguments.output.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
