#!/usr/bin/env python3
"""Draw energies, momenta and contact forces of impacts for each contact response.

    cargo build --release
    scripts/response_figures.py --output docs/pictures/responses.png

The script runs `ictus` with every response on three problems of the verification: two equal bars that collide end to
end (configs/two-bars.toml), a rubber block that falls on a larger block, and a rigid block that slides to rest on a
rough wall. All lines are columns of the `history.csv` and `pairs.csv` that the runs write. A column of the picture is a
response. The upper row of each problem shows energies, the lower row momenta in front of the contact force.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RESPONSES = ["penalty", "decomposition", "energy-momentum"]
AXES = {"x": 0, "z": 2}
FORCE_POINTS = 150  # points of a force curve; each is a mean over rows, as the force oscillates from step to step

DROP = """
gravity = [0.0, 0.0, -9.81]
[time]
end = 1.1
safety = 0.2
[materials.rubber]
model = "neo-hookean"
density = 1000.0
young = 1e6
poisson = 0.3
[[bodies]]
name = "block"
mesh = "block.msh"
material = "rubber"
translate = [0.0, 0.0, 0.5]
[[bodies]]
name = "base"
mesh = "base.msh"
material = "rubber"
gravity = [0.0, 0.0, 0.0]
[[boundaries]]
body = "base"
group = "bottom"
fix = ["x", "y", "z"]
[contact]
[output]
history = { interval = 0 }
"""

SLIDE = """
gravity = [0.0, 0.0, -9.81]
[time]
end = 0.3
flight_step = 2e-5
[materials.stiff]
model = "rigid"
density = 1000.0
[[bodies]]
name = "block"
mesh = "plate.msh"
material = "stiff"
translate = [0.0, 0.0, 1e-9]
velocity = [1.0, 0.0, 0.0]
[[walls]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
friction = 0.5
[contact]
[output]
history = { interval = 0 }
"""


@dataclass
class Problem:
    """A problem that is run and drawn."""

    title: str
    scenario: str  # a file of the repository, or a text
    momenta: dict  # titles by names of bodies; None stands for the sum over all bodies
    axis: str  # along which momenta and forces are drawn
    unit: tuple  # unit of time: name and factor
    keys: dict  # overrides by response


PROBLEMS = [
    Problem(
        "two bars, 10 m/s",
        "configs/two-bars.toml",
        {"left": "left", "right": "right", None: "both"},
        "x",
        ("µs", 1e6),
        {},
    ),
    Problem("a rubber block drops on another", DROP, {"block": "block"}, "z", ("s", 1.0), {"penalty": ["penalty=0.1"]}),
    Problem(
        "a rigid block slides on a rough wall",
        SLIDE,
        {"block": "block"},
        "x",
        ("s", 1.0),
        {"penalty": ["damping=0.2"], "energy-momentum": ["restitution=0.5"]},
    ),
]

ENERGIES = [
    ("kinetic", "#30638e", "-", lambda h: h["kinetic"]),
    ("strain", "#d1495b", "-", lambda h: h["strain"]),
    ("stored in contact", "#edae49", "-", lambda h: h["contact_energy"]),
    ("taken by friction", "#00798c", "-", lambda h: h["friction_dissipation"]),
    ("taken by impacts, less what projections give", "#8d6a9f", "-", lambda h: h["viscous_dissipation"] - h["numerical_work"]),
    ("sum, less the work from outside", "black", "--", lambda h: h["total"] - h["external_work"]),
]


def box_mesh(low, high, cells):
    """A box of hexahedra in MSH 2.2, with the group "bottom"."""
    counts = [n + 1 for n in cells]
    number = lambda i, j, k: 1 + i + counts[0] * (j + counts[1] * k)
    lines = [np.linspace(a, b, n) for a, b, n in zip(low, high, counts)]
    nodes = [(x, y, z) for z in lines[2] for y in lines[1] for x in lines[0]]
    square = lambda i, j, k: [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)]
    plane = [(i, j) for j in range(cells[1]) for i in range(cells[0])]
    elements = [(5, 1, square(i, j, k) + square(i, j, k + 1)) for k in range(cells[2]) for i, j in plane]
    elements += [(3, 2, square(i, j, 0)) for i, j in plane]
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"box\"\n2 2 \"bottom\"\n$EndPhysicalNames\n"
    text += f"$Nodes\n{len(nodes)}\n" + "".join(f"{n} {x} {y} {z}\n" for n, (x, y, z) in enumerate(nodes, 1))
    text += f"$EndNodes\n$Elements\n{len(elements)}\n"
    for tag, (kind, group, corners) in enumerate(elements, 1):
        text += f"{tag} {kind} 2 {group} {group} {' '.join(map(str, corners))}\n"
    return text + "$EndElements\n"


def write_scenario(problem, folder):
    """The path of the scenario of a problem. If it is given as a text, the text and its meshes are written to the
    folder."""
    if problem.scenario.endswith(".toml"):
        return ROOT / problem.scenario
    meshes = {
        "block": box_mesh([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0], [3, 3, 3]),
        "base": box_mesh([-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], [5, 5, 3]),
        "plate": box_mesh([0.0, 0.0, 0.0], [0.1, 0.1, 0.02], [2, 2, 1]),
    }
    for name, mesh in meshes.items():
        (folder / f"{name}.msh").write_text(mesh)
    path = folder / "scenario.toml"
    path.write_text(problem.scenario)
    return path


def read_columns(path):
    """A CSV file as a dictionary of arrays; values that are no numbers stay text."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{path}: no rows")
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        try:
            columns[name] = np.array(values, dtype=float)
        except ValueError:
            columns[name] = np.array(values)
    return columns


def run(program, problem, response, folder):
    """Run a problem with a response; return the columns of history and pairs."""
    scenario, results = write_scenario(problem, folder), folder / "results"
    overrides = [f"response={response}", *problem.keys.get(response, [])]
    command = [program, "run", scenario, "--output", results, "--quiet", "--set", "output.frames=1"]
    if scenario.is_relative_to(ROOT):
        command = [part if part != "output.frames=1" else "output.interval=1.0" for part in command]
    for override in overrides:
        command += ["--set", f"contact.{override}"]
    ran = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{problem.title}, {response}: {ran.stderr}")
    return read_columns(results / "history.csv"), read_columns(results / "pairs.csv")


def mean_force(pairs, axis):
    """Times and mean forces on the first body over consecutive intervals of the run."""
    time, force = pairs["time"], pairs[f"force_{axis}"]
    width = max(1, len(time) // FORCE_POINTS)
    count = len(time) // width * width
    return time[:count].reshape(-1, width).mean(axis=1), force[:count].reshape(-1, width).mean(axis=1)


def draw_energies(axes, problem, history):
    name, factor = problem.unit
    for label, colour, style, energy in ENERGIES:
        values = energy(history)
        if np.abs(values).max() > 1e-3 * history["kinetic"].max():
            axes.plot(factor * history["time"], values, style, color=colour, label=label, linewidth=1.2)
    axes.set_xlabel(name)


def draw_momenta(axes, problem, history, pairs):
    name, factor = problem.unit
    force_axes = axes.twinx()
    time, force = mean_force(pairs, problem.axis)
    force_axes.plot(factor * time, force, color="#bbbbbb", linewidth=0.8)
    force_axes.tick_params(labelcolor="#999999")
    axes.set_zorder(force_axes.get_zorder() + 1)
    axes.patch.set_visible(False)
    for (body, label), colour in zip(problem.momenta.items(), ["#30638e", "#d1495b", "black"]):
        column = f"momentum_{problem.axis}" if body is None else f"{body}.momentum_{problem.axis}"
        axes.plot(factor * history["time"], history[column], color=colour, label=label, linewidth=1.2)
    axes.plot([], [], color="#bbbbbb", label="force between them [N]")
    axes.set_xlabel(name)
    return force_axes


def draw(program, output, dpi):
    rows = 2 * len(PROBLEMS)
    figure, grid = plt.subplots(rows, 3, figsize=(11, 2.1 * rows), sharey="row", constrained_layout=True)
    for number, problem in enumerate(PROBLEMS):
        forces = []
        for column, response in enumerate(RESPONSES):
            with tempfile.TemporaryDirectory() as folder:
                history, pairs = run(program, problem, response, Path(folder))
            energies, momenta = grid[2 * number][column], grid[2 * number + 1][column]
            draw_energies(energies, problem, history)
            forces.append(draw_momenta(momenta, problem, history, pairs))
            energies.set_title(f"{problem.title}\n{response}" if column == 0 else f"\n{response}", fontsize=9)
        low, high = (bound(axes.get_ylim()[k] for axes in forces) for k, bound in ((0, min), (1, max)))
        for axes in forces:
            axes.set_ylim(low, high)
        for axes in forces[:-1]:
            axes.set_yticklabels([])
        grid[2 * number][0].set_ylabel("energy [J]")
        grid[2 * number + 1][0].set_ylabel("momentum [N s]")
        for row in (2 * number, 2 * number + 1):
            lines = [line for axes in grid[row] for line in axes.get_lines() if not line.get_label().startswith("_")]
            labels = {line.get_label(): line for line in lines}
            grid[row][-1].legend(labels.values(), labels.keys(), fontsize=5.5, loc="center right", framealpha=0.8)
    figure.savefig(output, dpi=dpi)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="picture to write")
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/ictus", help="the program that is run")
    parser.add_argument("--dpi", type=int, default=90)
    arguments = parser.parse_args()
    plt.rcParams.update({"font.size": 7, "axes.grid": True, "grid.alpha": 0.3})
    draw(arguments.program, arguments.output, arguments.dpi)


if __name__ == "__main__":
    main()
