"""Shared by the mesh scripts: a deterministic Gmsh session, and the quality report of a mesh.

A script builds its model inside `session(name)`, names its physical groups, and ends with `finish(...)`, which writes
`../meshes/<name>.msh` (MSH 4.1, binary) and reads this file back. The file is refused if its cells are not positively
oriented, well shaped and connected.
"""

from contextlib import contextmanager
from pathlib import Path

import gmsh
import numpy as np

MESHES = Path(__file__).resolve().parent.parent / "meshes"

TRIANGLE, TETRAHEDRON, HEXAHEDRON = 2, 4, 5
# Corners of the facets of a tetrahedron, outward; facet i is opposite to corner i.
TETRAHEDRON_FACETS = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
# The three neighbours of each corner of a hexahedron, in the order in which the edges to them form a right-handed
# triad.
HEXAHEDRON_TRIADS = ((1, 3, 4), (2, 0, 5), (3, 1, 6), (0, 2, 7), (7, 5, 0), (4, 6, 1), (5, 7, 2), (6, 4, 3))


@contextmanager
def session(name):
    """A quiet Gmsh session with one thread, so that the same script gives the same file."""
    gmsh.initialize(readConfigFiles=False)
    try:
        gmsh.option.setNumber("General.Verbosity", 2)
        gmsh.option.setNumber("General.NumThreads", 1)
        gmsh.model.add(name)
        yield gmsh.model
    finally:
        gmsh.finalize()


def structured_box(corner, size, counts):
    """A box of `counts` cells along x, y, z, each of which becomes six tetrahedra; returns the volume tag."""
    model = gmsh.model
    box = model.occ.addBox(*corner, *size)
    model.occ.synchronize()
    for _, curve in model.getEntities(1):
        bounds = np.reshape(model.getBoundingBox(1, curve), (2, 3))
        model.mesh.setTransfiniteCurve(curve, counts[int(np.argmax(bounds[1] - bounds[0]))] + 1)
    for _, surface in model.getEntities(2):
        model.mesh.setTransfiniteSurface(surface)
    model.mesh.setTransfiniteVolume(box)
    return box


def hexahedral_box(corner, size, counts):
    """A box of `counts` hexahedra along x, y, z; returns the volume tag."""
    box = structured_box(corner, size, counts)
    for _, surface in gmsh.model.getEntities(2):
        gmsh.model.mesh.setRecombine(2, surface)
    return box


def surfaces_in_plane(axis, value, tolerance=1e-6):
    """Tags of the surfaces of the model that lie in a coordinate plane."""
    found = []
    for _, surface in gmsh.model.getEntities(2):
        bounds = np.reshape(gmsh.model.getBoundingBox(2, surface), (2, 3))[:, axis]
        if np.abs(bounds - value).max() < tolerance:
            found.append(surface)
    return found


def write(name):
    """Write the entities of the current mesh that are in physical groups to `../meshes/<name>.msh`."""
    MESHES.mkdir(exist_ok=True)
    path = MESHES / f"{name}.msh"
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.option.setNumber("Mesh.Binary", 1)
    gmsh.option.setNumber("Mesh.SaveAll", 0)
    gmsh.write(str(path))
    return path


def node_positions():
    """Coordinates of all nodes, and an array that gives the row of each node tag."""
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    row = np.zeros(int(tags.max()) + 1, dtype=np.int64)
    row[tags.astype(np.int64)] = np.arange(len(tags))
    return xyz.reshape(-1, 3), row


def cells(kind, corners, row):
    """Corner rows of all cells of one Gmsh element type."""
    _, nodes = gmsh.model.mesh.getElementsByType(kind)
    return row[nodes.astype(np.int64)].reshape(-1, corners)


def tetrahedron_volumes(x, tets):
    """Signed volumes of tetrahedra [m³]."""
    a, b, c, d = (x[tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6.0


def tetrahedron_gradients(x, tets):
    """Gradients of the four shape functions, cells x 4 x 3 [1/m]; their lengths are the inverse altitudes."""
    a, b, c, d = (x[tets[:, i]] for i in range(4))
    six_volumes = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)[:, None]
    gradients = np.empty((len(tets), 4, 3))
    gradients[:, 1] = np.cross(c - a, d - a) / six_volumes
    gradients[:, 2] = np.cross(d - a, b - a) / six_volumes
    gradients[:, 3] = np.cross(b - a, c - a) / six_volumes
    gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
    return gradients


def critical_steps(x, tets, wave_speed):
    """Guaranteed stable step of each cell, 1 / (c sqrt(Σ 1/h²)) with a sum over its altitudes h [s].

    Flanagan & Belytschko 1984, with lumped mass and one quadrature point.
    """
    squared = (tetrahedron_gradients(x, tets) ** 2).sum(axis=(1, 2))
    return 1.0 / (wave_speed * np.sqrt(squared))


def smallest_dihedral_angles(x, tets):
    """The smallest of the six dihedral angles of each cell [degrees]."""
    gradients = tetrahedron_gradients(x, tets)
    normals = gradients / np.linalg.norm(gradients, axis=2, keepdims=True)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    cosines = np.stack([-np.einsum("ij,ij->i", normals[:, i], normals[:, j]) for i, j in pairs], axis=1)
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).min(axis=1)


def smallest_gamma():
    """The smallest value over all tetrahedra of Gmsh's gamma, three times the inscribed over the circumscribed
    radius."""
    tags, _ = gmsh.model.mesh.getElementsByType(TETRAHEDRON)
    return gmsh.model.mesh.getElementQualities(tags, "gamma").min()


def edges_of(simplices):
    """All edges of the cells, each once, as sorted rows."""
    corners = simplices.shape[1]
    pairs = [simplices[:, [i, j]] for i in range(corners) for j in range(i)]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


def outer_facets(tets):
    """Facets that belong to one tetrahedron only, oriented outward."""
    facets = np.concatenate([tets[:, list(facet)] for facet in TETRAHEDRON_FACETS])
    _, first, count = np.unique(np.sort(facets, axis=1), axis=0, return_index=True, return_counts=True)
    if count.max() > 2:
        raise ValueError("a facet belongs to three cells")
    return facets[np.sort(first[count == 1])]


def count_components(num_nodes, simplices):
    """Number of components of cells that are connected by shared nodes."""
    parent = list(range(num_nodes))

    def root(node):
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for cell in simplices.tolist():
        base = root(cell[0])
        for node in cell[1:]:
            parent[root(node)] = base
    return len({root(node) for node in np.unique(simplices).tolist()})


def require(condition, complaint):
    """Refuse the mesh with an error unless the condition holds."""
    if not condition:
        raise SystemExit(f"error: {complaint}")


def check_tetrahedra(x, tets, smallest_angle):
    """Check shape, orientation and connectivity of the tetrahedra of the open model; print the results."""
    volumes = tetrahedron_volumes(x, tets)
    skin = outer_facets(tets)
    angles = smallest_dihedral_angles(x, tets)
    altitudes = 1.0 / np.linalg.norm(tetrahedron_gradients(x, tets), axis=2)
    lengths = np.linalg.norm(np.subtract(*(x[edges_of(tets)[:, i]] for i in range(2))), axis=1)
    border = np.sort(np.concatenate([skin[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    _, uses = np.unique(border, axis=0, return_counts=True)
    components = count_components(len(x), tets)
    print(f"  {len(x)} nodes, {len(tets)} tetrahedra, {len(skin)} skin faces, {components} component(s)")
    print(f"  volume {volumes.sum():.6g}, smallest {volumes.min():.3g}")
    print(f"  smallest gamma {smallest_gamma():.3f}, smallest dihedral angle {angles.min():.2f} degrees")
    print(f"  smallest altitude {altitudes.min():.4g}, edges {lengths.min():.4g} to {lengths.max():.4g}")
    require(volumes.min() > 0.0, "a cell is inverted")
    require(angles.min() > smallest_angle, f"a dihedral angle is below {smallest_angle} degrees")
    require(components == 1, "the mesh is in several pieces")
    require(len(np.unique(tets)) == len(x), "a node belongs to no cell")
    require((uses == 2).all(), "an edge of the skin does not have exactly two faces")


def check_hexahedra(x, hexes, pieces):
    """Check orientation and connectivity of hexahedral bodies; print the results."""
    corner_volumes = np.stack(
        [
            np.einsum("ij,ij->i", np.cross(x[hexes[:, a]] - x[hexes[:, i]], x[hexes[:, b]] - x[hexes[:, i]]),
                      x[hexes[:, c]] - x[hexes[:, i]])
            for i, (a, b, c) in enumerate(HEXAHEDRON_TRIADS)
        ]
    )
    components = count_components(len(x), hexes)
    print(f"  {len(x)} nodes, {len(hexes)} hexahedra, {components} component(s)")
    print(f"  volume {corner_volumes.mean(axis=0).sum():.6g} (mean of the corner triads)")
    require(corner_volumes.min() > 0.0, "a cell is inverted")
    require(components == pieces, "the mesh does not have its number of pieces")
    require(len(np.unique(hexes)) == len(x), "a node belongs to no cell")


def finish(name, smallest_angle=10.0, pieces=1):
    """Write the mesh, read the file back, report on it and check it; return coordinates and cells. Hexahedra must form
    `pieces` connected bodies."""
    path = write(name)
    gmsh.clear()
    gmsh.open(str(path))
    x, row = node_positions()
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    for dimension, tag in gmsh.model.getPhysicalGroups():
        entities = gmsh.model.getEntitiesForPhysicalGroup(dimension, tag)
        count = sum(len(t) for e in entities for t in gmsh.model.mesh.getElements(dimension, e)[1])
        print(f"  {('point', 'line', 'surface', 'volume')[dimension]} \"{gmsh.model.getPhysicalName(dimension, tag)}\":"
              f" {count} elements")
    tets, hexes = cells(TETRAHEDRON, 4, row), cells(HEXAHEDRON, 8, row)
    if len(tets):
        check_tetrahedra(x, tets, smallest_angle)
    if len(hexes):
        check_hexahedra(x, hexes, pieces)
    return x, tets if len(tets) else hexes


def fill_triangulation(points, triangles):
    """Make a closed triangulation, which stays unchanged, the boundary of a volume; return (surface, volume) tags."""
    surface = gmsh.model.addDiscreteEntity(2)
    gmsh.model.mesh.addNodes(2, surface, np.arange(1, len(points) + 1), points.ravel())
    gmsh.model.mesh.addElementsByType(surface, TRIANGLE, [], (triangles + 1).ravel())
    volume = gmsh.model.geo.addVolume([gmsh.model.geo.addSurfaceLoop([surface])])
    gmsh.model.geo.synchronize()
    return surface, volume
