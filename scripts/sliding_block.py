#!/usr/bin/env python3
"""Draw the sliding block of Wolff and Bucher: displacements, velocities, energies and momenta (figures 28 to 31).

    cargo build --release
    scripts/sliding_block.py --output docs/pictures/sliding-block.png

The script runs `ictus` on configs/sliding-block.toml with four kinds of contact: nodes in elements (distance field),
nodes on faces with the couples that restore the angular momentum, nodes on faces without these couples, and the
inside-outside algorithm with mean normals of the contactors. The inside-outside algorithm runs with springs, as it
fails at once with impulses. Further panels show the angular momentum with the response in every step and in every fifth
step. All lines are columns of `history.csv`.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FIELD, FACES = "contact.detection=distance-field", "contact.detection=hierarchy"
PUBLISHED = "contact.angular_momentum=none"  # position corrections change the angular momentum
RUNS = {
    "distance field": [FIELD],
    "faces": [FACES],
    "faces, no couples": [FACES, PUBLISHED],
    "inside-outside, on springs": [FIELD, "contact.normal=contactor", "contact.response=penalty"],
}
MOMENTA = {
    "distance field, no correction": [FIELD, PUBLISHED, "contact.projection=0"],
    "distance field": [FIELD, PUBLISHED],
    "faces": [FACES, PUBLISHED],
    "both, with couples": [FACES],
}
WEIGHT, FRICTION, SPEED, MASSES = 1.0, 0.5, 1.0, (1.0, 200.0)


def history(program, overrides):
    """Columns of the history of a run, up to its end or its failure."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", ROOT / "configs/sliding-block.toml", "--output", folder]
        for override in [*overrides, "time.energy_tolerance=100"]:
            command += ["--set", override]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{overrides}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        with open(Path(folder) / "history.csv", newline="") as file:
            rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def point_masses(time):
    """Displacement and velocity of the block as a point mass on the plate."""
    common = SPEED * MASSES[0] / sum(MASSES)
    slows = FRICTION * WEIGHT / MASSES[0]
    stop = (SPEED - common) / (slows * (1 + MASSES[0] / MASSES[1])) * (1 + MASSES[0] / MASSES[1])
    sliding = time < stop
    way = SPEED * stop - 0.5 * slows * stop**2
    return (
        np.where(sliding, SPEED * time - 0.5 * slows * time**2, way + common * (time - stop)),
        np.where(sliding, SPEED - slows * time, common),
    )


def moment_of_gravity(columns):
    """Angular momentum about the y axis through the origin that the weight of the block has supplied."""
    rate = WEIGHT * columns["block.centre_x"]
    steps = np.diff(columns["time"]) * 0.5 * (rate[1:] + rate[:-1])
    return np.concatenate([[0.0], np.cumsum(steps)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/ictus")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
    (way, speed, energy), (linear, angular, angular_5) = axes
    for number, (name, overrides) in enumerate(RUNS.items()):
        columns = history(arguments.program, overrides)
        time = columns["time"]
        style = {"color": f"C{number}", "lw": 1.2, "ls": ["-", "--", ":", "-"][number], "label": name}
        way.plot(time, columns["block.centre_x"] - columns["block.centre_x"][0], **style)
        speed.plot(time, columns["block.momentum_x"] / MASSES[0], **style)
        energy.plot(time, columns["kinetic"], **style)
        linear.plot(time, columns["momentum_x"], **style)
        linear.plot(time, columns["momentum_z"] + WEIGHT * time, **{**style, "label": None})
    time = np.linspace(0.0, 3.0, 300)
    for axis, curve in zip((way, speed), point_masses(time)):
        axis.plot(time, curve, color="k", lw=0.7, label="point masses")
    energy.plot(time, 0.5 * MASSES[0] * point_masses(time)[1] ** 2, color="k", lw=0.7, label="point masses")
    for axis, every in ((angular, 1), (angular_5, 5)):
        for number, (name, overrides) in enumerate(MOMENTA.items()):
            columns = history(arguments.program, [*overrides, f"contact.every={every}"])
            drift = columns["angular_momentum_y"] - columns["angular_momentum_y"][0] - moment_of_gravity(columns)
            axis.plot(columns["time"], drift, color=f"C{number}", lw=1.2, label=name)
    titles = {
        way: ("Displacement of the block", "m"),
        speed: ("Velocity of the block", "m/s"),
        energy: ("Kinetic energy", "J"),
        linear: ("Linear momentum, x and z + t", "kg m/s"),
        angular: ("Angular momentum about y, less that of gravity", "kg m²/s"),
        angular_5: ("The same, response in every fifth step", "kg m²/s"),
    }
    for axis, (title, unit) in titles.items():
        axis.set(title=title, ylabel=unit, xlabel="time, s", xlim=(0, 3))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    way.set_ylim(-0.1, 1.6)
    speed.set_ylim(-0.4, 1.2)
    energy.set_ylim(-0.05, 0.8)
    figure.savefig(arguments.output, dpi=95)


if __name__ == "__main__":
    main()
