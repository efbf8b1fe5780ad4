#!/usr/bin/env bash
# Builds a Python wheel with the program into target/wheels, for the platform of this computer. The script needs Rust,
# and Python with venv and pip. `maturin upload target/wheels/*` publishes the wheels. A wheel for older Linux systems
# must be built in a manylinux container.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet "maturin>=1.7,<2"
"$tools/bin/maturin" build --release --out target/wheels
