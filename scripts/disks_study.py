#!/usr/bin/env python3
"""Draw the cost of detection over the number of disks, as figures 10 and 11 of Petőcz & Armero (1998).

    cargo bench --bench disks -- --rows | scripts/disks_study.py --output docs/pictures/disks-study.svg

Left: seconds of detection in a step, for each detector. Right: the ratio of the time of detection to that of all other
stages.
"""

import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def read_rows(lines):
    """Rows (N, seconds of detection, seconds of a step) by detector."""
    rows = {}
    for line in lines:
        if line.startswith("row,"):
            _, label, *numbers = line.strip().split(",")
            rows.setdefault(label, []).append([float(number) for number in numbers])
    return {label: np.array(values).T for label, values in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    rows = read_rows(sys.stdin)
    if not rows:
        sys.exit("no rows: pipe the output of `cargo bench --bench disks -- --rows` into this script")
    plt.rcParams["svg.hashsalt"] = "disks"
    figure, (cost, share) = plt.subplots(1, 2, figsize=(9.0, 3.6))
    for label, (size, detection, total) in rows.items():
        cost.loglog(size, detection, marker="o", markersize=3, label=label)
        share.loglog(size, detection / (total - detection), marker="o", markersize=3, label=label)
    size, detection, _ = rows["sorting"]
    fit = size * np.log(size)
    cost.loglog(size, fit * detection[-1] / fit[-1], color="grey", linewidth=0.8, linestyle="--", label="N log N")
    cost.set(xlabel="bodies N", ylabel="detection in a step [s]")
    share.set(xlabel="bodies N", ylabel="Λ = detection / other stages")
    cost.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(parser.parse_args().output, metadata={"Date": None})


if __name__ == "__main__":
    main()
