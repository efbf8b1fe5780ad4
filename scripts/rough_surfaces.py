#!/usr/bin/env python3
"""Self-affine height fields by spectral synthesis, and the two height fields that the benches read.

A field is white noise that is filtered to the amplitude |q|^-(1+H) between two wave numbers q (in periods per side) and
scaled to a root mean square; H is the Hurst exponent. It is periodic with a power spectrum ~ |q|^-2(1+H): Persson et
al., J. Phys.: Condens. Matter 17 (2005) R1, section 3. The fields of the benches are in the repository, as another
version of the Fourier transform may round differently. The command

    python3 scripts/rough_surfaces.py benches/data

writes rough_lower.f64 and rough_upper.f64: 145 x 145 heights above the mean plane on the unit square, little-endian,
the second index (along y) running fastest. benches/common/rough_surfaces.rs reads them.
"""

import argparse
from pathlib import Path

import numpy as np

HURST = 0.8
LONGEST, SHORTEST = 4, 32


def height_field(nodes: int, seed: int, rms: float, hurst: float = HURST, longest: float = LONGEST,
                 shortest: float = SHORTEST) -> np.ndarray:
    """Heights at nodes x nodes points, with zero mean and the given root mean square.

    `longest` and `shortest` are the wave numbers of the longest and the shortest waves, in periods per side.
    """
    noise = np.random.default_rng(seed).standard_normal((nodes, nodes))
    wave = np.fft.fftfreq(nodes, 1.0 / nodes)
    wave_number = np.hypot(*np.meshgrid(wave, wave, indexing="ij"))
    amplitude = np.zeros_like(wave_number)
    band = (wave_number >= longest) & (wave_number <= shortest)
    amplitude[band] = wave_number[band] ** (-(1.0 + hurst))
    heights = np.real(np.fft.ifft2(np.fft.fft2(noise) * amplitude))
    heights -= heights.mean()
    return heights * (rms / heights.std())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to write rough_lower.f64 and rough_upper.f64")
    folder = parser.parse_args().folder
    for name, seed in [("lower", 1), ("upper", 2)]:
        height_field(145, seed, rms=0.005).astype("<f8").tofile(folder / f"rough_{name}.f64")


if __name__ == "__main__":
    main()
