#!/usr/bin/env python3
"""Run the commands of the book that call Gmsh, Python or a bench.

    cargo build --release
    target/release/ictus run configs/hertz.toml --set time.end=0.5e-3 --output out/hertz
    scripts/book_commands.py out/hertz

The tests run the `ictus` commands of the book. This script runs `gmsh` on the geometry shown in docs/own-mesh.md, draws
the last frame of the given run by `render.py`, and draws the figures whose commands docs/method.md shows, in a temporary
directory. Nothing runs `paraview`, `pip` and `cargo install`.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """Commands of all pages in order, without comments, each once."""
    names = re.findall(r"\((\S+\.md)\)", (ROOT / "docs/SUMMARY.md").read_text(encoding="utf-8"))
    pages = [ROOT / "README.md", *(ROOT / "docs" / name for name in names)]
    lines = (line for page in pages for block in blocks(page, "sh") for line in block.splitlines())
    words = (shlex.split(line, comments=True) for line in lines)
    return [list(command) for command in dict.fromkeys(tuple(word) for word in words if word)]


def adapted(command: list[str], folder: Path, run: Path) -> list[str] | None:
    """The command with its output in `folder`; None if it is not run here."""
    if command[0] == "gmsh":
        return command
    if command[:2] == ["cargo", "bench"]:
        return ["cargo", "bench", "--manifest-path", str(ROOT / "Cargo.toml"), *command[2:-1], str(folder / command[-1])]
    script = next((place for place, word in enumerate(command[:2]) if word.startswith("scripts/")), None)
    if script is None:
        return None
    words = [sys.executable, str(ROOT / command[script])]
    previous = ""
    for word in command[script + 1 :]:
        replaced = {"--output": str(folder / Path(word).name), "--frame": "last"}.get(previous, word)
        words.append(str(run) if replaced == "out/hertz" else replaced)
        previous = word
    return words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="output directory of configs/hertz.toml")
    run = parser.parse_args().run.resolve()
    (geometry,) = (text for text in blocks(ROOT / "docs/own-mesh.md", "text") if "SetFactory" in text)
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stem in ["bar", "tube"]:
            (folder / f"{stem}.geo").write_text(geometry, encoding="utf-8")
        for command in commands():
            words = adapted(command, folder, run)
            if words is None:
                continue
            print(shlex.join(command), flush=True)
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            count += 1
        for stem in ["bar", "tube"]:
            if not (folder / f"{stem}.msh").is_file():
                sys.exit(f"gmsh wrote no {stem}.msh")
    if count < 7:
        sys.exit(f"the book has {count} such commands only: is its layout another?")


if __name__ == "__main__":
    main()
