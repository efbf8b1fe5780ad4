#!/usr/bin/env python3
"""Draw the iterations of each closest-point method over the lattices of the iteration study.

    cargo bench --bench closest_point -- --maps MAPS
    scripts/iteration_maps.py MAPS --output maps.png

The folder MAPS contains `outlines.csv` with the columns face, x, y of the border of each face. It also contains a file
for each face, such as `tri3.csv`, with x, y of a query and a column of iterations for each method. A row of the picture
is a method and a column is a face; colours are shared within a row. `--faces` and `--methods` select faces and methods
by the names in the files.
"""

import argparse
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm

BANDS = 10  # largest number of colours of a row; larger numbers of iterations share the last colour


def read_columns(path):
    """A CSV file as a dictionary of lists of text."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{path}: no rows")
    return {name: [row[name] for row in rows] for name in rows[0]}


def read_outlines(directory):
    """The border of each face, x and y, in the order of the file."""
    columns = read_columns(directory / "outlines.csv")
    points = np.array([columns["x"], columns["y"]], dtype=float)
    names = np.array(columns["face"])
    return {name: points[:, names == name] for name in dict.fromkeys(columns["face"])}


def read_map(directory, face):
    """Coordinates of the lattice lines, and a grid of iterations for each method."""
    columns = read_columns(directory / f"{face}.csv")
    x, column = np.unique(np.array(columns.pop("x"), dtype=float), return_inverse=True)
    y, row = np.unique(np.array(columns.pop("y"), dtype=float), return_inverse=True)
    grids = {}
    for method, values in columns.items():
        grid = np.full((len(y), len(x)), np.nan)
        grid[row, column] = np.array(values, dtype=float)
        grids[method] = grid
    return x, y, grids


def norm_of_row(grids):
    """One colour for each number of iterations from the smallest. If there are not enough colours, one covers several
    numbers."""
    low, high = (int(bound(np.nanpercentile(grid, share) for grid in grids)) for bound, share in ((min, 0), (max, 99)))
    width = max(1, -(-(high - low + 1) // BANDS))
    edges = np.arange(low, high + width + 1, width) - 0.5
    return BoundaryNorm(edges, plt.get_cmap("viridis").N, extend="max"), edges[:-1] + 0.5


def draw(directory, faces, methods):
    outlines = read_outlines(directory)
    unknown = set(faces or []) - set(outlines)
    if unknown:
        sys.exit(f"{directory}: no map of {', '.join(sorted(unknown))}; there are {', '.join(outlines)}")
    faces = faces or list(outlines)
    maps = {face: read_map(directory, face) for face in faces}
    available = list(maps[faces[0]][2])
    unknown = set(methods or []) - set(available)
    if unknown:
        sys.exit(f"{directory}: no column {', '.join(sorted(unknown))}; there are {', '.join(available)}")
    methods = methods or available
    size = (1.75 * len(faces) + 1.1, 1.72 * len(methods) + 0.25)
    figure, axes = plt.subplots(len(methods), len(faces), figsize=size, squeeze=False, layout="constrained")
    for row, method in enumerate(methods):
        norm, ticks = norm_of_row([maps[face][2][method] for face in faces])
        for column, face in enumerate(faces):
            x, y, grids = maps[face]
            axis = axes[row, column]
            picture = axis.pcolormesh(x, y, grids[method], norm=norm, cmap="viridis", shading="nearest", rasterized=True)
            axis.plot(*outlines[face], color="white", linewidth=1.0)
            axis.set(aspect="equal", xticks=[], yticks=[])
            mean = np.nanmean(grids[method])
            axis.set_title(f"{face}: {mean:.2f}" if row == 0 else f"{mean:.2f}", fontsize=8, pad=2)
        axes[row, 0].set_ylabel(method.replace("_", " "), fontsize=8)
        bar = figure.colorbar(picture, ax=axes[row, :], ticks=ticks, extend="max", pad=0.01)
        bar.ax.tick_params(labelsize=7)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--output", type=Path, default=Path("iteration-maps.png"))
    parser.add_argument("--faces", nargs="+", metavar="FACE")
    parser.add_argument("--methods", nargs="+", metavar="METHOD")
    parser.add_argument("--dpi", type=int, default=110)
    arguments = parser.parse_args()
    if not arguments.directory.is_dir():
        sys.exit(f"{arguments.directory}: no such directory")
    figure = draw(arguments.directory, arguments.faces, arguments.methods)
    figure.savefig(arguments.output, dpi=arguments.dpi)


if __name__ == "__main__":
    main()
