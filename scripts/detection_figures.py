#!/usr/bin/env python3
"""Draw how contact is detected: levels of the hierarchies, and the spheres of the predictions, without a display.

    cargo build --release
    scripts/detection_figures.py --output docs

Runs `ictus predict` for the levels and the times of the predictions, `ictus run` for the spheres at the top of the queue
just before these times, and draws four pictures: the projectiles and the motorcycle of Aragón & Molinari 2014, figures 3, 4,
6 and 7. Trees are built bottom-up, as theirs are.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
BODY_COLOURS = ["#4878a8", "#b8ab93"]
SPHERE_COLOURS = ["#d0622b", "#3f8f5f"]
JUST_BEFORE = 1e-9  # s: at the time of a prediction itself its spheres have been opened already
SUBDIVISION = 2  # of the quadratic triangles of a sphere
BUILDER = "contact.hierarchy=bottom-up"


@dataclass
class Scene:
    """What is drawn of a scenario."""

    name: str
    levels: list
    level_view: list
    instants: int  # predictions drawn, the last ones
    instant_view: list
    zooms: list  # of the instants


SCENES = [
    Scene("projectiles", [0, 2, 4, 6], [0.5, -1.0, 0.4], 3, [0.25, -1.0, 0.2], [1.0, 1.0, 1.0]),
    Scene("motorcycle", [0, 3, 6, 10], [0.6, -1.0, 0.35], 3, [0.35, -1.0, 0.3], [1.0, 1.0, 1.0]),
]


def run(program, *arguments):
    """The program's standard output."""
    done = subprocess.run([program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def compute(program, scene, folder):
    """Writes levels, bodies and spheres of a scene to the folder; its report, and the times of its frames."""
    scenario = f"configs/{scene.name}.toml"
    common = ["--set", BUILDER, "--output", folder]
    depth = scene.levels[-1]
    report = json.loads(run(program, "predict", scenario, "--json", "--levels", depth, *common))
    times = [prediction["time"] - JUST_BEFORE for prediction in report["predictions"]]
    times = sorted({round(time, 12) for time in times})[-scene.instants :]
    sets = ["output.detection_volumes=true", f"output.times={times}", f"time.end={times[-1] + 1e-6}"]
    run(program, "run", scenario, "--quiet", *common, *[word for text in sets for word in ("--set", text)])
    return report, times


def read(folder, name, time):
    """The grid of a series at a time."""
    reader = pyvista.get_reader(folder / f"{name}.pvd")
    nearest = min(reader.time_values, key=lambda value: abs(value - time))
    if abs(nearest - time) > 1e-12 * (1.0 + abs(time)):
        sys.exit(f"{name}.pvd: no frame at {time}, the nearest is at {nearest}")
    reader.set_active_time_value(nearest)
    return reader.read()[0]


def part(grid, field, value):
    """The cells with a value of a field."""
    return grid.extract_cells(grid.cell_data[field] == value)


def add_body(plotter, grid, body):
    """A body with its edges."""
    surface = part(grid, "body", body).extract_surface()
    plotter.add_mesh(
        surface, color=BODY_COLOURS[body], show_edges=True, edge_color="#202020", edge_opacity=0.3, line_width=1
    )


def add_spheres(plotter, spheres, colour, opacity):
    """Translucent spheres."""
    if spheres.n_cells == 0:
        return
    surface = spheres.extract_surface(nonlinear_subdivision=SUBDIVISION).compute_normals(auto_orient_normals=False)
    plotter.add_mesh(surface, color=colour, opacity=opacity, smooth_shading=True, specular=0.3, specular_power=20)


def new_plotter(shape, size):
    """A picture of several panels on white."""
    plotter = pyvista.Plotter(off_screen=True, shape=shape, window_size=size, border=False)
    plotter.background_color = "white"
    return plotter


def finish_panel(plotter, text, look):
    """Label and camera: direction of view, focus, and half the height seen."""
    view, focus, half_height = look
    plotter.add_text(text, position=(12, 10), font_size=11, color="black", font="arial")
    direction = np.array(view) / np.linalg.norm(view)
    plotter.camera.focal_point = focus
    plotter.camera.position = np.array(focus) + direction * 20.0 * half_height
    plotter.camera.up = [0.0, 0.0, 1.0]
    plotter.camera.parallel_projection = True
    plotter.camera.parallel_scale = half_height
    plotter.renderer.ResetCameraClippingRange()
    plotter.enable_depth_peeling(8)
    plotter.enable_anti_aliasing("ssaa")


def save(plotter, path):
    """Writes the picture with at most 256 colours."""
    picture = Image.fromarray(plotter.screenshot(return_img=True))
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1024} kB")
    plotter.close()


def half_height_of(bounds, aspect):
    """Half the height that a panel needs to show a box from the side."""
    x_low, x_high, y_low, y_high, z_low, z_high = bounds
    return 0.5 * max(z_high - z_low, (max(x_high - x_low, y_high - y_low)) / aspect) * 1.06


def draw_levels(scene, folder, path):
    """The spheres of the first body at some depths, one panel each."""
    body = 0
    bodies = read(folder, scene.name, 0.0)
    plotter = new_plotter((1, len(scene.levels)), [360 * len(scene.levels), 400])
    for panel, level in enumerate(scene.levels):
        plotter.subplot(0, panel)
        spheres = part(read(folder, f"{scene.name}_levels", float(level)), "body", body)
        add_body(plotter, bodies, body)
        add_spheres(plotter, spheres, SPHERE_COLOURS[body], 0.3)
        count = spheres.n_cells // 80
        text = f"depth {level}: {count} sphere{'' if count == 1 else 's'}"
        finish_panel(plotter, text, (scene.level_view, spheres.center, half_height_of(spheres.bounds, 0.9)))
    save(plotter, path)


def draw_instants(scene, folder, times, path):
    """The bodies and the spheres at the top of the queue just before they touch, one panel each."""
    plotter = new_plotter((1, len(times)), [480 * len(times), 420])
    for panel, (time, zoom) in enumerate(zip(times, scene.zooms, strict=True)):
        plotter.subplot(0, panel)
        bodies = read(folder, scene.name, time)
        spheres = read(folder, f"{scene.name}_volumes", time)
        depths = []
        for body in (0, 1):
            add_body(plotter, bodies, body)
            own = part(spheres, "body", body)
            add_spheres(plotter, own, SPHERE_COLOURS[body], 0.35)
            depths.append(int(own.cell_data["depth"][0]))
        radii = [float(part(spheres, "body", body).cell_data["radius"][0]) for body in (0, 1)]
        text = f"t = {time:.4f} s, depths {depths[0]} and {depths[1]}\nradii {radii[0]:.3g} m and {radii[1]:.3g} m"
        focus = spheres.center
        finish_panel(plotter, text, (scene.instant_view, focus, half_height_of(spheres.bounds, 1.1) / zoom))
    save(plotter, path)


def main():
    """Draw all four."""
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
        with tempfile.TemporaryDirectory() as folder:
            report, times = compute(options.program.resolve(), scene, Path(folder))
            told = ", ".join(f"{prediction['time']:.6f}" for prediction in report["predictions"])
            print(f"{scene.name}: predicted {told} s")
            draw_levels(scene, Path(folder), options.output / f"{scene.name}-levels.png")
            draw_instants(scene, Path(folder), times, options.output / f"{scene.name}-predictions.png")


if __name__ == "__main__":
    main()
