#!/usr/bin/env python3
"""Draw the blind spot of node-to-face projection, as Aragón, Yastrebov & Molinari 2013, figure 2b.

    scripts/blind_spot.py --output docs/pictures/blind-spot.png

The picture is a section of the groove of tests/verification/blind_spot.rs. Each point below the faces is coloured by
the number of faces into which it projects (contact.closest_point = "projection"). In the blind spot this number is
zero, and the constrained closest point is the bottom of the groove.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

SLOPE = 0.5
HALF_WIDTH = 1.0
NODES = [(0.02, -0.15), (0.35, 0.05)]  # in the blind spot, and under a face


def ends(side):
    """Bottom and top of a face of the groove."""
    return np.zeros(2), np.array([side * HALF_WIDTH, SLOPE * HALF_WIDTH])


def parameter(points, side):
    """Parameter of the projection of points onto the line of a face: 0 at the bottom, 1 at the top."""
    bottom, top = ends(side)
    along = top - bottom
    return (points - bottom) @ along / (along @ along)


def closest(point):
    """The closest point over both faces."""
    candidates = [ends(side)[0] + np.clip(parameter(point, side), 0.0, 1.0) * (ends(side)[1] - ends(side)[0])
                  for side in (-1.0, 1.0)]
    return min(candidates, key=lambda candidate: np.linalg.norm(point - candidate))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("blind-spot.png"))
    parser.add_argument("--dpi", type=int, default=110)
    arguments = parser.parse_args()
    x, z = np.meshgrid(np.linspace(-HALF_WIDTH, HALF_WIDTH, 800), np.linspace(-0.5, SLOPE, 400))
    points = np.stack([x, z], axis=-1)
    inside = sum(((parameter(points, side) >= 0.0) & (parameter(points, side) <= 1.0)).astype(float) for side in (-1.0, 1.0))
    inside[z > SLOPE * np.abs(x)] = np.nan
    figure, axis = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    colours = ListedColormap(["#e07b53", "#cfe0ee", "#9dbfdc"])
    axis.pcolormesh(x, z, inside, cmap=colours, vmin=-0.5, vmax=2.5, shading="nearest", rasterized=True)
    for side in (-1.0, 1.0):
        axis.plot(*np.stack(ends(side)).T, color="black", linewidth=2)
    axis.text(0.0, -0.4, "blind spot:\ninside no face", ha="center", va="center")
    axis.text(0.68, -0.2, "inside one face", ha="center")
    axis.text(0.0, 0.3, "outside", ha="center")
    for node in np.array(NODES):
        target = closest(node)
        axis.plot(*np.stack([node, target]).T, color="black", linewidth=1)
        axis.plot(*node, "o", color="black", markersize=6)
        axis.plot(*target, "o", color="white", markeredgecolor="black", markersize=5)
    axis.set(aspect="equal", xticks=[], yticks=[], xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-0.5, SLOPE))
    figure.savefig(arguments.output, dpi=arguments.dpi)


if __name__ == "__main__":
    main()
