#!/usr/bin/env python3
"""Draw strips of pictures of the 49 disks, as figures 8 and 9 of Petőcz & Armero (1998).

    target/release/ictus run configs/disks.toml
    scripts/disks_figures.py out/disks --output docs/pictures/disks.png

The colour is the speed of the nodes. The script also prints the largest number of bodies that touch a disk at an
instant of pairs.csv.
"""

import argparse
import csv
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pyvista
from PIL import Image

TIMES = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85]
COLUMNS = 6
SIDE = 20.0


def most_contacts(directory):
    """Largest number of other disks and walls that touch a disk at one instant."""
    touching = {}
    with open(directory / "pairs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if float(row["contacts"]) > 0:
                touching.setdefault(row["time"], Counter()).update([row["first"], row["second"]])
    return max((count for counts in touching.values() for name, count in counts.items() if name.startswith("disk")),
               default=0)


def draw(axes, mesh, time):
    points, speed = mesh.points, np.linalg.norm(mesh.point_data["velocity"], axis=1)
    triangles = mesh.cells_dict[pyvista.CellType.TRIANGLE]
    axes.tripcolor(points[:, 0], points[:, 1], triangles, speed, shading="gouraud", cmap="viridis", vmin=0.0, vmax=0.6)
    axes.set(xlim=(-0.2, SIDE + 0.2), ylim=(-0.2, SIDE + 0.2), aspect="equal", xticks=[], yticks=[])
    axes.set_title(f"t = {time:.0f} s", fontsize=8)
    axes.plot([0, SIDE, SIDE, 0, 0], [0, 0, SIDE, SIDE, 0], color="black", linewidth=0.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="output directory of the run")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    print("largest number of bodies that touch a disk:", most_contacts(arguments.directory))
    reader = pyvista.get_reader(arguments.directory / "disks.pvd")
    available = np.array(reader.time_values)
    rows = -(-len(TIMES) // COLUMNS)
    figure, axes = plt.subplots(rows, COLUMNS, figsize=(2.0 * COLUMNS, 2.2 * rows))
    for axis in axes.flat:
        axis.set_axis_off()
    for time, axis in zip(TIMES, axes.flat):
        reader.set_active_time_value(available[np.argmin(np.abs(available - time))])
        frame = reader.read()
        blocks = frame if isinstance(frame, pyvista.MultiBlock) else [frame]
        for mesh in blocks:
            if pyvista.CellType.TRIANGLE in mesh.cells_dict and "velocity" in mesh.point_data:
                draw(axis, mesh, time)
    figure.tight_layout(pad=0.4)
    figure.savefig(arguments.output, dpi=110)
    Image.open(arguments.output).convert("RGB").quantize(64).save(arguments.output, optimize=True)


if __name__ == "__main__":
    main()
