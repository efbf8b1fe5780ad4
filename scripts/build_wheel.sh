#!/usr/bin/env bash
# Builds a wheel with the program into target/wheels, for the platform of this machine. Needs Rust and Python with venv
# and pip. Publishing: `maturin upload target/wheels/*`, from a manylinux container for wheels of older systems.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet "maturin>=1.7,<2"
"$tools/bin/maturin" build --release --out target/wheels
