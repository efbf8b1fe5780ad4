#!/usr/bin/env python3
"""Open every frame of a run with the readers that users have, and check its content.

    scripts/check_output.py OUT_DIR

Readers: meshio and VTK (pip install meshio pyvista), and ParaView if `pvpython` is on the PATH.
Checks for each `<name>.pvd` in OUT_DIR:
- the collection lists existing frames by relative paths, in ascending times, and every frame is listed;
- every reader opens every frame and returns the same points, cells, array names and values;
- every array is finite and has one value per point or cell; the numbers of points and cells do not change between
  frames (--varying-grid allows a change);
- the nodes of quadratic cells have the order of VTK;
- `TimeValue` is the collection's timestep; ParaView shows the times of the collection.
`history.csv`, `pairs.csv` and `summary.json` are also read if they exist.

Exit code 0 if there are no faults, and 1 with one line per fault if there are any.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import meshio
import numpy as np
import pyvista
import vtk
from vtkmodules.util.numpy_support import vtk_to_numpy

# This program runs in pvpython, which has its own VTK. It prints what ParaView reads as JSON.
PARAVIEW_PROGRAM = """
import json, sys
from paraview import simple, servermanager
from vtkmodules.util.numpy_support import vtk_to_numpy

def look(reader, time):
    reader.UpdatePipeline(time)
    grid = servermanager.Fetch(reader)
    if grid.IsA('vtkMultiBlockDataSet'):
        grid = grid.GetBlock(0)
    def sums(data):
        arrays = [data.GetArray(i) for i in range(data.GetNumberOfArrays())]
        return {a.GetName(): [float(s) for s in vtk_to_numpy(a).reshape(a.GetNumberOfTuples(), -1).sum(axis=0)]
                for a in arrays}
    return {'points': grid.GetNumberOfPoints(), 'cells': grid.GetNumberOfCells(),
            'point_data': sums(grid.GetPointData()), 'cell_data': sums(grid.GetCellData())}

reader = simple.OpenDataFile(sys.argv[1])
times = [float(t) for t in getattr(reader, 'TimestepValues', [])]
single = simple.OpenDataFile(sys.argv[2])
print('SEEN ' + json.dumps({
    'version': servermanager.vtkSMProxyManager.GetParaViewSourceVersion().split()[-1],
    'times': times, 'frames': [look(reader, t) for t in times],
    'single': look(single, 0.0), 'single_times': [float(t) for t in getattr(single, 'TimestepValues', [])]}))
"""


class Faults:
    """Counts faults and prints each when it is found."""

    def __init__(self):
        self.count = 0

    def expect(self, holds, message):
        if not holds:
            self.count += 1
            print(f"fault: {message}")
        return holds


def read_collection(path, faults):
    """Pairs (time, path of the frame) for all entries of a collection."""
    entries = []
    for data_set in ElementTree.parse(path).getroot().iter("DataSet"):
        relative = Path(data_set.get("file"))
        faults.expect(not relative.is_absolute(), f"{path}: '{relative}' is not relative")
        entries.append((float(data_set.get("timestep")), path.parent / relative))
    times = [time for time, _ in entries]
    faults.expect(entries, f"{path}: lists no frame")
    faults.expect(times == sorted(set(times)), f"{path}: times do not ascend: {times}")
    stem = path.stem + "_"
    listed = {frame.name for _, frame in entries}
    for frame in sorted((path.parent / "frames").glob(f"{stem}*.vtu")):
        if frame.stem[len(stem):].isdigit():
            faults.expect(frame.name in listed, f"{path}: '{frame}' is not listed")
    return entries


def read_with_vtk(path, faults):
    """The grid as VTK reads it; warnings and errors of VTK are faults."""
    reader, log = vtk.vtkXMLUnstructuredGridReader(), vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(log)
    reader.SetFileName(str(path))
    reader.Update()
    faults.expect(not log.GetOutput().strip(), f"{path}: VTK says {log.GetOutput().strip()!r}")
    return pyvista.wrap(reader.GetOutput())


def check_arrays(path, grid, faults):
    """Check lengths and finiteness of arrays, and component names of tensors."""
    for place, data, count in (
        ("point", grid.point_data, grid.n_points),
        ("cell", grid.cell_data, grid.n_cells),
    ):
        for name, values in data.items():
            faults.expect(len(values) == count, f"{path}: {place} array '{name}' has {len(values)} of {count}")
            faults.expect(np.isfinite(values).all(), f"{path}: {place} array '{name}' is not finite")
            if values.ndim == 2 and values.shape[1] == 6:
                array = data.VTKObject.GetArray(name)
                components = [array.GetComponentName(i) for i in range(6)]
                faults.expect(
                    components == ["XX", "YY", "ZZ", "XY", "YZ", "XZ"], f"{path}: '{name}' has {components}"
                )
    faults.expect(np.isfinite(grid.points).all(), f"{path}: points are not finite")
    if grid.n_cells:
        highest = grid.cell_connectivity.max()
        faults.expect(highest < grid.n_points, f"{path}: a cell refers to point {highest} of {grid.n_points}")


def check_solid_cells(path, grid, faults):
    """Check that volumes in the first frame are positive, which shows that the nodes have the order of VTK."""
    if grid.n_cells:
        sizes = grid.compute_cell_sizes(length=False, area=False, volume=True)["Volume"]
        three_dimensional = np.isin(grid.celltypes, [10, 12, 13, 14, 24, 25, 26, 29])
        inverted = int((sizes[three_dimensional] <= 0.0).sum())
        faults.expect(inverted == 0, f"{path}: {inverted} volume cells are inside out")


# Quadratic cells of VTK, each with the linear cell on its corners.
QUADRATIC_CELLS = {
    21: (vtk.vtkQuadraticEdge, vtk.vtkLine),
    22: (vtk.vtkQuadraticTriangle, vtk.vtkTriangle),
    23: (vtk.vtkQuadraticQuad, vtk.vtkQuad),
    24: (vtk.vtkQuadraticTetra, vtk.vtkTetra),
    25: (vtk.vtkQuadraticHexahedron, vtk.vtkHexahedron),
    28: (vtk.vtkBiQuadraticQuad, vtk.vtkQuad),
    29: (vtk.vtkTriQuadraticHexahedron, vtk.vtkHexahedron),
}


def check_quadratic_cells(path, grid, faults):
    """Check that mid-side nodes of the first frame are where VTK expects them: between their corners, to 0.3 of the
    cell."""
    for number, nodes in grid.cells_dict.items():
        if number not in QUADRATIC_CELLS:
            continue
        quadratic, linear = (kind() for kind in QUADRATIC_CELLS[number])
        corners = linear.GetNumberOfPoints()
        places = np.reshape(quadratic.GetParametricCoords(), (-1, 3))
        weights = np.zeros((len(places), corners))
        for row, place in zip(weights, places):
            shares = [0.0] * corners
            linear.InterpolateFunctions(place, shares)
            row[:] = shares
        x = grid.points[nodes]
        off = np.linalg.norm(x - weights @ x[:, :corners], axis=2).max(axis=1)
        size = np.linalg.norm(x[:, :corners, None] - x[:, None, :corners], axis=3).max(axis=(1, 2))
        wrong = int((off > 0.3 * size).sum())
        faults.expect(wrong == 0, f"{path}: {wrong} cells of VTK type {number} have nodes out of order")


def in_order_of_file(block):
    """Connectivity of a block of meshio in the order of the file. meshio assumes the wedges of VTK up to 9.2 and
    reverses them."""
    data = np.asarray(block.data)
    return data[:, [0, 2, 1, 3, 5, 4]] if block.type == "wedge" else data


def check_against_meshio(path, grid, faults):
    """Check that meshio reads the same points, cells and values."""
    try:
        mesh = meshio.read(path)
    except (Exception, SystemExit) as error:  # every exception of a reader is a fault of the file
        faults.expect(False, f"{path}: meshio fails: {error!r}")
        return
    faults.expect(np.array_equal(mesh.points, grid.points), f"{path}: meshio reads other points")
    connectivity = [nodes for block in mesh.cells for nodes in in_order_of_file(block).ravel()]
    faults.expect(np.array_equal(connectivity, grid.cell_connectivity), f"{path}: meshio reads other cells")
    faults.expect(set(mesh.point_data) == set(grid.point_data.keys()), f"{path}: meshio: other point arrays")
    faults.expect(set(mesh.cell_data) == set(grid.cell_data.keys()), f"{path}: meshio: other cell arrays")
    for name, values in mesh.point_data.items():
        same = np.array_equal(values, grid.point_data[name])
        faults.expect(same, f"{path}: meshio reads other values of '{name}'")
    for name, blocks in mesh.cell_data.items():
        same = np.array_equal(np.concatenate(blocks), grid.cell_data[name])
        faults.expect(same, f"{path}: meshio reads other values of '{name}'")


def check_frame(time, path, faults):
    """Check one frame with VTK and meshio; return the grid, or None if the file does not exist."""
    if not faults.expect(path.is_file(), f"{path}: listed but not there"):
        return None
    grid = read_with_vtk(path, faults)
    value = grid.GetFieldData().GetArray("TimeValue")
    if faults.expect(value is not None, f"{path}: has no TimeValue"):
        faults.expect(
            list(vtk_to_numpy(value)) == [time], f"{path}: TimeValue {value.GetValue(0)}, timestep {time}"
        )
    check_arrays(path, grid, faults)
    if grid.n_points:  # meshio does not read a file without points
        check_against_meshio(path, grid, faults)
    return grid


def check_counts(path, grids, faults):
    """Check that the grid and the names of the arrays are the same in all frames."""
    first = grids[0]
    for number, grid in enumerate(grids[1:], start=1):
        same = (grid.n_points, grid.n_cells) == (first.n_points, first.n_cells)
        faults.expect(same, f"{path}: frame {number} has {grid.n_points} points and {grid.n_cells} cells")
        same = same and np.array_equal(grid.cell_connectivity, first.cell_connectivity)
        faults.expect(same, f"{path}: frame {number} has other cells than the first")
        names = grid.point_data.keys() + grid.cell_data.keys()
        same = names == first.point_data.keys() + first.cell_data.keys()
        faults.expect(same, f"{path}: frame {number} has the arrays {names}")


def agrees(seen, grid):
    """Whether ParaView and VTK read the same grid; sums agree up to their order of addition."""
    def same_sums(sums, data):
        return set(sums) == set(data.keys()) and all(
            np.allclose(
                sums[name],
                values.reshape(len(values), -1).sum(axis=0),
                rtol=1e-12,
                atol=1e-12 * np.abs(values).sum(),
            )
            for name, values in data.items()
        )
    same_counts = (seen["points"], seen["cells"]) == (grid.n_points, grid.n_cells)
    return (
        same_counts
        and same_sums(seen["point_data"], grid.point_data)
        and same_sums(seen["cell_data"], grid.cell_data)
    )


def check_with_paraview(path, entries, grids, faults):
    """Check the collection and its first frame with ParaView; return its version, or None if ParaView did not run."""
    first_frame = entries[0][1]
    command = ["pvpython", "--force-offscreen-rendering", "-"]
    program = f"import sys\nsys.argv = ['', {str(path)!r}, {str(first_frame)!r}]\n" + PARAVIEW_PROGRAM
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=600, check=False)
    answer = [line for line in done.stdout.splitlines() if line.startswith("SEEN ")]
    said = (done.stderr + done.stdout)[-800:]
    if not faults.expect(answer, f"{path}: ParaView failed: {said}"):
        return None
    faults.expect("ERR|" not in said and "ERROR" not in said, f"{path}: ParaView says {said}")
    seen = json.loads(answer[0][5:])
    times = [time for time, _ in entries]
    # For a collection of one frame ParaView reports no times.
    faults.expect(
        seen["times"] == times or len(times) == 1, f"{path}: ParaView sees the times {seen['times']}"
    )
    for number, (frame, grid) in enumerate(zip(seen["frames"], grids)):
        faults.expect(agrees(frame, grid), f"{path}: ParaView sees another frame {number}: {frame}")
    faults.expect(agrees(seen["single"], grids[0]), f"{first_frame}: ParaView sees {seen['single']}")
    faults.expect(seen["single_times"] == times[:1], f"{first_frame}: ParaView: times {seen['single_times']}")
    return seen["version"]


def check_tables(directory, faults):
    """Check that history.csv and pairs.csv have finite numbers and ascending times, and that summary.json is strict
    JSON."""
    names = {"first", "second"}
    for table in (directory / "history.csv", directory / "pairs.csv"):
        if not table.exists():
            continue
        with table.open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file))
        numbers = [k for k, name in enumerate(header) if name not in names]
        try:
            values = np.array([[float(row[k]) for k in numbers] for row in rows])
            values = values.reshape(len(rows), len(numbers))
            faults.expect(all(len(row) == len(header) for row in rows), f"{table}: rows are not as long as the header")
            faults.expect(np.isfinite(values).all(), f"{table}: values are not finite")
            faults.expect((np.diff(values[:, 0]) >= 0.0).all(), f"{table}: times do not ascend")
        except (ValueError, IndexError) as error:
            faults.expect(False, f"{table}: {error}")
    summary = directory / "summary.json"
    if summary.exists():
        def refuse(constant):
            raise ValueError(f"{constant} is not JSON")
        try:
            json.loads(summary.read_text(encoding="utf-8"), parse_constant=refuse)
        except ValueError as error:
            faults.expect(False, f"{summary}: {error}")


def main():
    """Check a run; return the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("directory", type=Path, metavar="OUT_DIR")
    arguments.add_argument("--varying-grid", action="store_true", help="cells may differ between frames")
    options = arguments.parse_args()
    faults, paraview = Faults(), shutil.which("pvpython")
    versions = f"meshio {meshio.__version__}, VTK {vtk.vtkVersion().GetVTKVersion()}"
    collections = sorted(options.directory.glob("*.pvd"))
    faults.expect(collections, f"{options.directory}: no .pvd")
    for path in collections:
        entries = read_collection(path, faults)
        grids = [check_frame(time, frame, faults) for time, frame in entries]
        if not grids or None in grids:
            continue
        check_solid_cells(path, grids[0], faults)
        check_quadratic_cells(path, grids[0], faults)
        if not options.varying_grid:
            check_counts(path, grids, faults)
        seen_by = versions
        if paraview:
            seen_by += f", ParaView {check_with_paraview(path, entries, grids, faults)}"
        print(f"{path}: {len(grids)} frames opened by {seen_by}")
    check_tables(options.directory, faults)
    if not paraview:
        print("pvpython is not on the PATH: ParaView not tried")
    print("all well" if faults.count == 0 else f"{faults.count} faults")
    return 0 if faults.count == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
