#!/usr/bin/env python3
"""Filters signals by the channel frequency classes of SAE J211-1 with scipy; writes channel_classes.csv to this folder.

The coefficients are those of the standard; `filtfilt` extends the signal at both ends by its point reflection about the
end sample (`padtype="odd"`), over 10 ms and at least 100 samples, as far as its length allows. Needs numpy and scipy.
"""

from pathlib import Path

import numpy as np
from scipy.signal import filtfilt

CLASSES = (60, 180, 600, 1000)


def channel_class(samples, rate, cfc):
    wd = 2.0 * np.pi * cfc * 2.0775
    wa = np.sin(wd / rate / 2.0) / np.cos(wd / rate / 2.0)
    scale = 1.0 + np.sqrt(2.0) * wa + wa**2
    a0 = wa**2 / scale
    b1 = -2.0 * (wa**2 - 1.0) / scale
    b2 = (-1.0 + np.sqrt(2.0) * wa - wa**2) / scale
    count = min(max(100, round(0.01 * rate)), len(samples) - 1)
    return filtfilt([a0, 2.0 * a0, a0], [1.0, -b1, -b2], samples, padtype="odd", padlen=count)


def crash(rate, count):
    """A pulse of 100 g with a decaying oscillation of 2.5 kHz and an offset, truncated before its end."""
    t = np.arange(count) / rate
    pulse = 100.0 * np.exp(-(((t - 0.006) / 0.002) ** 2))
    return 3.0 + pulse + 20.0 * np.sin(2.0 * np.pi * 2500.0 * t) * np.exp(-t / 0.004)


def main():
    lines = ["rate,sample," + ",".join(f"cfc{cfc}" for cfc in CLASSES)]
    for rate, count in ((20_000.0, 240), (12_500.0, 60)):
        samples = crash(rate, count)
        filtered = [channel_class(samples, rate, cfc) for cfc in CLASSES]
        for row in zip(samples, *filtered):
            lines.append(",".join(repr(float(value)) for value in (rate, *row)))
    Path(__file__).with_name("channel_classes.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
