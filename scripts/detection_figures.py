#!/usr/bin/env python3
"""Draw the levels of the hierarchies and the spheres of the predictions, without a display.

    cargo build --release
    scripts/detection_figures.py --output docs/pictures

The pictures follow figures 3, 4, 6 and 7 of Aragón & Molinari 2014, with the scenarios whose detection is that of the
paper: the projectiles and the motorcycle. If scripts/mesh_jet.py has written its mesh, a jet is drawn too, in the place
of the motorcycle. `ictus predict` gives the levels and the times of the predictions. `ictus run` gives the spheres at
the top of the queue just before these times and at the first contact.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image, ImageDraw, ImageFont

# New versions of PyVista warn about a default of extract_surface that old versions lack.
warnings.filterwarnings("ignore", message="(?s).*default value of `algorithm`")

ROOT = Path(__file__).resolve().parent.parent
BODY_COLOURS = ["#5b8fc4", "#cfc4ab"]
SPHERE_COLOURS = [(208, 84, 28), (36, 128, 84)]
FACES = 80  # number of cells of a sphere in the files
JUST_BEFORE = 1e-9  # [s]; at the time of a prediction its spheres are already replaced by their children
SUBDIVISION = 3  # subdivisions of the quadratic triangles of a sphere
CAPTION = 64  # height of the caption below a panel [pixels]


@dataclass
class Scene:
    """A scenario and the pictures drawn of it."""

    name: str  # beginning of the names of the pictures
    scenario: str
    levels: list
    level_view: list
    instant_view: list
    least_height: float  # least visible height [m], for an instant at which a sphere is much smaller
    mesh: str = ""  # mesh of the first body in place of that of the scenario
    region: str = ""


SCENES = [
    Scene("projectiles", "paper-projectiles", [0, 2, 4, 6], [0.5, -1.0, 0.4], [0.05, -1.0, 0.12], 1.4),
    Scene("motorcycle", "paper-motorcycle", [0, 3, 6, 9], [0.6, -1.0, 0.35], [-0.3, -1.0, 0.2], 0.9),
    Scene("jet", "paper-motorcycle", [0, 3, 6, 9], [0.6, -1.0, 0.45], [-0.3, -1.0, 0.2], 0.9, "jet.msh", "jet"),
]


def run(program, *arguments):
    """The program's standard output."""
    done = subprocess.run([program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def compute(program, scene, folder):
    """Write levels, bodies and spheres of a scene to the folder; return the report of `predict` and the times of the
    frames."""
    scenario = f"configs/{scene.scenario}.toml"
    common = ["--output", folder]
    if scene.mesh:
        common += ["--set", f"bodies.motorcycle.mesh=../meshes/generated/{scene.mesh}"]
        common += ["--set", f"bodies.motorcycle.region={scene.region}"]
    depth = scene.levels[-1]
    report = json.loads(run(program, "predict", scenario, "--json", "--levels", depth, *common))
    contact = report["first_contacts"][0]["time"]
    times = sorted({prediction["time"] for prediction in report["predictions"]})
    times = [time - JUST_BEFORE for time in times if time < contact - 1e-6]
    sets = ["output.detection_volumes=true", f"output.times={times}", f"time.end={contact + 1e-6}"]
    run(program, "run", scenario, "--quiet", *common, *[word for text in sets for word in ("--set", text)])
    return report, [*times, contact]


def read(folder, name, time):
    """The grid of a series at a time."""
    reader = pyvista.get_reader(folder / f"{name}.pvd")
    nearest = min(reader.time_values, key=lambda value: abs(value - time))
    if abs(nearest - time) > 1e-12 * (1.0 + abs(time)):
        sys.exit(f"{name}.pvd: no frame at {time}, the nearest is at {nearest}")
    reader.set_active_time_value(nearest)
    return reader.read()[0]


def part(grid, field, value):
    """The cells for which a field has this value."""
    return grid.extract_cells(grid.cell_data[field] == value)


def surface_of(grid, **options):
    """The surface of cells."""
    return grid.extract_surface(**options)


def add_body(plotter, grid, body, opacity=1.0):
    """Add a body with its edges to a picture."""
    look = {"show_edges": True, "edge_color": "#202020", "edge_opacity": 0.35, "line_width": 1}
    light = {"ambient": 0.4, "diffuse": 0.7, "opacity": opacity}
    plotter.add_mesh(surface_of(part(grid, "body", body)), color=BODY_COLOURS[body], **look, **light)


def add_spheres(plotter, spheres, body, view, least_opacity):
    """Add spheres that are transparent in the middle, to show their contents, and dark along their outlines."""
    if spheres.n_cells == 0:
        return
    surface = surface_of(spheres, nonlinear_subdivision=SUBDIVISION).compute_normals(auto_orient_normals=False)
    facing = np.abs(surface.point_data["Normals"] @ (np.array(view) / np.linalg.norm(view)))
    opacity = least_opacity + min(0.75, 0.45 + 4.0 * (least_opacity - 0.03)) * (1.0 - facing) ** 3
    colours = np.column_stack([np.tile(SPHERE_COLOURS[body], (len(opacity), 1)), 255 * opacity]).astype(np.uint8)
    plotter.add_mesh(surface, scalars=colours, rgba=True, lighting=False)


def picture_of(add_parts, size, look):
    """A panel with the parts that `add_parts` adds. `look` contains direction to the camera, focus, and visible
    height."""
    view, focus, height = look
    plotter = pyvista.Plotter(off_screen=True, window_size=size)
    plotter.background_color = "white"
    add_parts(plotter)
    plotter.camera.focal_point = focus
    plotter.camera.position = np.array(focus) + np.array(view) / np.linalg.norm(view) * 10.0 * height
    plotter.camera.up = [0.0, 0.0, 1.0]
    plotter.camera.parallel_projection = True
    plotter.camera.parallel_scale = 0.5 * height
    plotter.renderer.ResetCameraClippingRange()
    plotter.enable_depth_peeling(12)
    plotter.enable_anti_aliasing("ssaa")
    picture = Image.fromarray(plotter.screenshot(return_img=True))
    plotter.close()
    return picture


def save(panels, path):
    """Write panels, pairs (picture, caption), side by side into one picture with at most 256 colours."""
    width, height = panels[0][0].size
    whole = Image.new("RGB", (width * len(panels), height + CAPTION), "white")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(19)
    for number, (picture, caption) in enumerate(panels):
        whole.paste(picture, (number * width, 0))
        place = ((number + 0.5) * width, height + 0.5 * CAPTION)
        pen.multiline_text(place, caption, fill="black", font=font, anchor="mm", align="center", spacing=6)
    whole.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1024} kB")


def frame_of(points, view, aspect):
    """The focus and the height of a panel that shows all points, seen from the direction `view`."""
    axes = np.array([np.cross([0.0, 0.0, 1.0], view), np.cross(view, np.cross([0.0, 0.0, 1.0], view)), view])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    return 0.5 * (low + high) @ axes, 1.04 * max(high[1] - low[1], (high[0] - low[0]) / aspect)


def draw_levels(scene, folder, path):
    """Draw the spheres of the first body at the depths of the scene, one panel for each depth."""
    body, size = 0, [350, 350]
    bodies = read(folder, scene.scenario, 0.0)
    panels = []
    for level in scene.levels:
        spheres = part(read(folder, f"{scene.scenario}_levels", float(level)), "body", body)

        def add_parts(plotter, spheres=spheres):
            add_body(plotter, bodies, body)
            add_spheres(plotter, spheres, body, scene.level_view, 0.1 if spheres.n_cells <= 16 * FACES else 0.03)

        radii = spheres.cell_data["radius"]
        count = spheres.n_cells // FACES
        told = f"depth {level}: {count} spheres\nof {radii.min():.3g} to {radii.max():.3g} m"
        if count == 1:
            told = f"depth {level}: the root\nof {radii[0]:.3g} m"
        look = (scene.level_view, *frame_of(spheres.points, scene.level_view, size[0] / size[1]))
        panels.append((picture_of(add_parts, size, look), told))
    save(panels, path)


def draw_instants(scene, folder, times, path):
    """Draw the bodies and the spheres at the top of the queue at these times, one panel for each time."""
    size = [1400 // len(times), 350]
    panels = []
    for time in times:
        bodies, spheres = read(folder, scene.scenario, time), read(folder, f"{scene.scenario}_volumes", time)
        pair = [part(spheres, "body", body) for body in (0, 1)]

        smaller = min(pair, key=lambda own: own.cell_data["radius"][0])
        small = [own.cell_data["radius"][0] < 0.25 * scene.least_height for own in pair]

        def add_parts(plotter, bodies=bodies, pair=pair, small=small):
            for body in (0, 1):
                add_body(plotter, bodies, body, 0.4 if small[body] else 1.0)
                add_spheres(plotter, pair[body], body, scene.instant_view, 0.5 if small[body] else 0.1)

        depths = " and ".join(str(own.cell_data["depth"][0]) for own in pair)
        radii = " and ".join(f"{own.cell_data['radius'][0]:.3g}" for own in pair)
        told = f"t = {time:.4f} s, depths {depths}\nradii {radii} m"
        look = frame_of(spheres.points, scene.instant_view, size[0] / size[1])
        if any(small):
            look = (smaller.cell_data["centre"][0], scene.least_height)
        panels.append((picture_of(add_parts, size, (scene.instant_view, *look)), told))
    save(panels, path)


def main():
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/ictus", metavar="ICTUS")
    parser.add_argument("--output", type=Path, default=ROOT / "docs", metavar="DIR")
    parser.add_argument("--scene", choices=[scene.name for scene in SCENES], help="only this one")
    options = parser.parse_args()
    if not options.program.exists():
        sys.exit(f"{options.program}: build it with cargo build --release, or give --program")
    options.output.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        if options.scene not in (None, scene.name):
            continue
        if scene.mesh and not (ROOT / "meshes" / "generated" / scene.mesh).exists():
            print(f"{scene.name}: left out, as meshes/generated/{scene.mesh} has not been made")
            continue
        with tempfile.TemporaryDirectory() as folder:
            report, times = compute(options.program.resolve(), scene, Path(folder))
            told = ", ".join(f"{prediction['time']:.6f}" for prediction in report["predictions"])
            print(f"{scene.name}: predicted {told} s")
            draw_levels(scene, Path(folder), options.output / f"{scene.name}-levels.png")
            draw_instants(scene, Path(folder), times, options.output / f"{scene.name}-predictions.png")


if __name__ == "__main__":
    main()
