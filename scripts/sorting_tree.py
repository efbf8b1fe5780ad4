#!/usr/bin/env python3
"""Draw the binary space partition of five particles, as figures 4 and 5 of Petőcz & Armero (1998).

    scripts/sorting_tree.py --output docs/pictures/sorting-tree.svg

Left: the working space with its cells. Right: the tree, with lower halves to the left. The report gives no coordinates,
so the particles are those of the unit test of `ParticleTree`.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PARTICLES = {1: (0.9, 0.8), 2: (0.1, 0.7), 3: (0.6, 0.2), 4: (0.9, 0.3), 5: (0.4, 0.1)}
GREY, BLUE, ORANGE = "#777777", "#0072b2", "#e69f00"


def sort(particles, low, high, depth=0):
    """Cell of these particles: their numbers, the box, and its occupied halves along the axis of this depth."""
    cell = {"particles": particles, "box": (low, high), "depth": depth, "halves": []}
    if len(particles) > 1:
        axis = depth % 2
        middle = 0.5 * (low[axis] + high[axis])
        cell["cut"] = (axis, middle)
        for upper in (False, True):
            inside = [k for k in particles if (PARTICLES[k][axis] >= middle) == upper]
            ends = [list(low), list(high)]
            ends[0 if upper else 1][axis] = middle
            if inside:
                cell["halves"].append(sort(inside, *ends, depth + 1))
    return cell


def draw_space(axes, cell):
    low, high = cell["box"]
    if "cut" in cell:
        axis, middle = cell["cut"]
        ends = [[middle, middle], [low[1], high[1]]] if axis == 0 else [[low[0], high[0]], [middle, middle]]
        axes.plot(*ends, color=GREY, linewidth=1.6 - 0.4 * cell["depth"])
    for half in cell["halves"]:
        draw_space(axes, half)


def draw_tree(axes, cell, left=0.0, width=1.0):
    place = (left + 0.5 * width, -cell["depth"])
    for k, half in enumerate(cell["halves"]):
        part = width / len(cell["halves"])
        below = draw_tree(axes, half, left + k * part, part)
        axes.plot([place[0], below[0]], [place[1], below[1]], color=GREY, linewidth=1.0, zorder=1)
    is_leaf = not cell["halves"]
    axes.scatter(*place, s=260, color=ORANGE if is_leaf else "white", edgecolor=GREY, zorder=2)
    label = str(cell["particles"][0]) if is_leaf else "xy"[cell["cut"][0]]
    axes.text(*place, label, ha="center", va="center", zorder=3)
    return place


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    plt.rcParams["svg.hashsalt"] = "sorting"
    root = sort(list(PARTICLES), [0.0, 0.0], [1.0, 1.0])
    figure, (space, tree) = plt.subplots(1, 2, figsize=(7.0, 3.0))
    draw_space(space, root)
    for number, (x, y) in PARTICLES.items():
        space.scatter(x, y, color=BLUE, zorder=2)
        space.annotate(str(number), (x, y), xytext=(4, 4), textcoords="offset points")
    space.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="x", ylabel="y")
    draw_tree(tree, root)
    tree.set(xlim=(0, 1), ylim=(-3.4, 0.4))
    tree.axis("off")
    figure.tight_layout()
    figure.savefig(parser.parse_args().output, metadata={"Date": None})


if __name__ == "__main__":
    main()
