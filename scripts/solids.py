"""Simple solids as parts of a model, each with its OpenCASCADE geometry and distance function.

`size` is the longest edge on the part [m]. `build(occ)` returns a volume tag. `distance(points)` returns the distance
of each row of an n x 3 array from the part, negative or zero inside. The distance is exact, except for the ellipsoid,
where it is a bound.
"""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np


@dataclass
class Tube:
    """A round bar from a to b."""

    a: tuple
    b: tuple
    radius: float
    size: float

    def build(self, occ):
        return occ.addCylinder(*self.a, *np.subtract(self.b, self.a), self.radius)

    def distance(self, points):
        axis = np.subtract(self.b, self.a)
        along = np.clip((points - self.a) @ axis / np.dot(axis, axis), 0.0, 1.0)
        return np.linalg.norm(points - self.a - along[:, None] * axis, axis=1) - self.radius


@dataclass
class Ellipsoid:
    """An ellipsoid with its axes along x, y, z; the poles of its parametrisation are at the ends of the x axis."""

    centre: tuple
    radii: tuple
    size: float

    def build(self, occ):
        tag = occ.addSphere(*self.centre, 1.0)
        occ.rotate([(3, tag)], *self.centre, 0.0, 1.0, 0.0, pi / 2.0)
        occ.dilate([(3, tag)], *self.centre, *self.radii)
        return tag

    def distance(self, points):
        return (np.linalg.norm((points - self.centre) / self.radii, axis=1) - 1.0) * min(self.radii)


@dataclass
class Block:
    """A box around a centre, turned about y by an angle [rad]."""

    centre: tuple
    extents: tuple
    size: float
    turn: float = 0.0

    def build(self, occ):
        tag = occ.addBox(*np.subtract(self.centre, np.divide(self.extents, 2.0)), *self.extents)
        if self.turn:
            occ.rotate([(3, tag)], *self.centre, 0.0, 1.0, 0.0, self.turn)
        return tag

    def distance(self, points):
        x, y, z = (points - self.centre).T
        local = np.column_stack([cos(self.turn) * x - sin(self.turn) * z, y, sin(self.turn) * x + cos(self.turn) * z])
        return np.linalg.norm(np.maximum(np.abs(local) - np.divide(self.extents, 2.0), 0.0), axis=1)


@dataclass
class Torus:
    """A ring of round section about an axis along y."""

    centre: tuple
    radius: float
    thickness: float
    size: float

    def build(self, occ):
        tag = occ.addTorus(*self.centre, self.radius, self.thickness)
        occ.rotate([(3, tag)], *self.centre, 1.0, 0.0, 0.0, pi / 2.0)
        return tag

    def distance(self, points):
        x, y, z = (points - self.centre).T
        return np.hypot(np.hypot(x, z) - self.radius, y) - self.thickness


@dataclass
class Hoop:
    """A flat band about an axis along y, between two radii and two angles (from +x towards +z) [rad]."""

    centre: tuple
    radii: tuple
    width: float
    size: float
    angles: tuple = (0.0, 2.0 * pi)

    def build(self, occ):
        x, y, z = self.centre
        start, end = self.angles
        inner, outer = (
            occ.addCylinder(x, y - self.width / 2.0, z, 0.0, self.width, 0.0, radius, angle=end - start)
            for radius in self.radii
        )
        band = occ.cut([(3, outer)], [(3, inner)])[0][0][1]
        if end - start < 2.0 * pi:  # rotate the band into place, as OpenCASCADE may count the angle from elsewhere
            middle = occ.getCenterOfMass(3, band)
            now = np.arctan2(middle[2] - z, middle[0] - x)
            occ.rotate([(3, band)], *self.centre, 0.0, 1.0, 0.0, now - 0.5 * (start + end))
        return band

    def distance(self, points):
        x, y, z = (points - self.centre).T
        start, end = self.angles
        radius = np.hypot(x, z)
        turn = (np.arctan2(z, x) - 0.5 * (start + end) + pi) % (2.0 * pi) - pi
        beyond = [
            np.maximum(self.radii[0] - radius, radius - self.radii[1]),
            np.abs(y) - self.width / 2.0,
            radius * (np.abs(turn) - 0.5 * (end - start)),
        ]
        return np.linalg.norm(np.maximum(beyond, 0.0), axis=0)


def both_sides(make):
    """A part and its mirror image: `make(side)` with side = +1 and -1, the sign of y."""
    return [make(1.0), make(-1.0)]


def longest_edges(parts, points, growth):
    """The prescribed edge length at points: the minimum over the parts of size + growth x distance [m]."""
    return np.min([part.size + growth * np.maximum(0.0, part.distance(points)) for part in parts], axis=0)
