"""A picture of one frame of a run, drawn off screen.

    python scripts/render.py out/motorcycle --frame last --field von_mises --output picture.png
    python scripts/render.py out/motorcycle --frame 8 --field body --view=-1,-2,0.7 --around 0 --edges

Reads the collection (.pvd) of the run's directory and the frame it lists (frames/*.vtu). Points are drawn where they
are at that time. `--view` takes a name or a direction (after =, as it may begin with a minus), and `--around` frames
the picture on one body by its number and leaves the others in it.
"""

import argparse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pyvista

VIEWS = {"side": (0, -1, 0), "front": (1, 0, 0), "back": (-1, 0, 0), "top": (0, 0, 1), "oblique": (-1.0, -1.6, 0.7)}
TITLES = {
    "von_mises": "von Mises stress [MPa]",
    "velocity": "speed [m/s]",
    "displacement": "displacement [m]",
    "contact_force": "contact force [N]",
}
LIGHT = {"ambient": 0.35, "diffuse": 0.7}
BODY_COLOURS = ("#c8553d", "#8d99ae", "#588157", "#e9c46a", "#6d597a", "#3d5a80")


def direction(text):
    """A named view, or the direction from the scene to the eye as x,y,z."""
    if text in VIEWS:
        return np.array(VIEWS[text], dtype=float)
    try:
        vector = np.array([float(part) for part in text.split(",")])
    except ValueError:
        vector = np.zeros(0)
    if vector.shape != (3,) or not vector.any():
        raise argparse.ArgumentTypeError(f"'{text}' is neither x,y,z nor one of {', '.join(VIEWS)}")
    return vector


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, help="output directory of a run")
    parser.add_argument("--frame", default="last", help="number of the frame, or last (default)")
    parser.add_argument("--field", default="body", help="body (default), von_mises, velocity or another array")
    parser.add_argument("--output", type=Path, default=Path("picture.png"), help="PNG to write (default: picture.png)")
    parser.add_argument("--view", type=direction, default="oblique", help=f"{', '.join(VIEWS)}, or x,y,z of the eye")
    parser.add_argument("--around", type=int, help="number of the body to frame")
    parser.add_argument("--zoom", type=float, default=1.0, help="factor on the size of the scene (default: 1)")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="ends of the colour scale")
    parser.add_argument("--edges", action="store_true", help="draw the edges of the elements")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1000), metavar=("WIDTH", "HEIGHT"))
    return parser.parse_args()


def find_frame(directory, wanted):
    """File and time [s] of a frame."""
    collections = sorted(directory.glob("*.pvd"))
    if len(collections) != 1:
        raise SystemExit(f"error: {directory} holds {len(collections)} .pvd files; give the directory of one run")
    frames = ElementTree.parse(collections[0]).findall(".//DataSet")
    try:
        frame = frames[-1 if wanted == "last" else int(wanted)]
    except (IndexError, ValueError):
        raise SystemExit(f"error: no frame '{wanted}'; the run has frames 0 to {len(frames) - 1}") from None
    return directory / frame.attrib["file"], float(frame.attrib["timestep"])


def skin_with_field(grid, field):
    """The outer faces, with the field to draw as cell or point data `drawn`."""
    skin = grid.extract_surface(algorithm="dataset_surface", pass_pointid=False, pass_cellid=False)
    for data in (skin.cell_data, skin.point_data):
        if field in data.keys():
            values = np.asarray(data[field], dtype=float)
            magnitude = np.linalg.norm(values, axis=1) if values.ndim == 2 else values
            data["drawn"] = magnitude * 1e-6 if field == "von_mises" else magnitude
            return skin
    names = ", ".join([*skin.cell_data.keys(), *skin.point_data.keys()])
    raise SystemExit(f"error: the frame has no array '{field}'; it has {names}")


def add_bodies(plotter, skin, edges):
    """Every body in its own colour."""
    for body in np.unique(skin.cell_data["body"]):
        part = skin.extract_cells(np.flatnonzero(skin.cell_data["body"] == body))
        colour = BODY_COLOURS[int(body) % len(BODY_COLOURS)]
        plotter.add_mesh(part, color=colour, show_edges=edges, edge_color="#303030", **LIGHT)


def add_field(plotter, skin, options):
    """All bodies, coloured by the field."""
    plotter.add_mesh(
        skin, scalars="drawn", cmap="YlOrRd", clim=options.range, **LIGHT,  # light at rest, so that text stays readable
        show_edges=options.edges, edge_color="#303030",
        scalar_bar_args={
            "title": TITLES.get(options.field, options.field) + "\n", "color": "black", "n_labels": 5,
            "fmt": "%.3g", "vertical": True, "position_x": 0.88, "position_y": 0.15, "height": 0.7,
        },
    )


def aim(plotter, skin, options):
    """Point the camera so that the scene, or one body of it, fills the picture."""
    target = skin
    if options.around is not None:
        cells = np.flatnonzero(skin.cell_data["body"] == options.around)
        if not len(cells):
            raise SystemExit(f"error: no body {options.around}; there are {np.unique(skin.cell_data['body'])}")
        target = skin.extract_cells(cells)
    eye = options.view / np.linalg.norm(options.view)
    up = (0.0, 0.0, 1.0) if abs(eye[2]) < 0.99 else (0.0, 1.0, 0.0)
    plotter.camera_position = [np.array(target.center) + eye, target.center, up]
    plotter.reset_camera(bounds=target.bounds)
    plotter.camera.zoom(1.1 * options.zoom)
    plotter.reset_camera_clipping_range()


def main():
    options = arguments()
    path, time = find_frame(options.directory, options.frame)
    skin = skin_with_field(pyvista.read(path), options.field)
    plotter = pyvista.Plotter(off_screen=True, window_size=list(options.size))
    plotter.set_background("white")
    if options.field == "body":
        add_bodies(plotter, skin, options.edges)
    else:
        add_field(plotter, skin, options)
    label = f"t = {time * 1e3:.4f} ms" if time < 0.1 else f"t = {time:.4f} s"
    plotter.add_text(label, position=(30, options.size[1] - 60), font_size=14, color="black")
    aim(plotter, skin, options)
    plotter.enable_anti_aliasing("ssaa")
    plotter.screenshot(options.output)
    print(f"{options.output}: {path.name}, t = {time:.6g} s")


if __name__ == "__main__":
    main()
