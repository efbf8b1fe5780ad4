//! Triangles and segments, and their intersections.

use crate::math::Vec3;

/// A triangle of a face, or a segment in the plane z = 0.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    points: [Vec3; 3],
    count: usize,
}

impl Facet {
    /// From three indices of corners; a segment if the last two are equal.
    pub fn new([a, b, c]: [usize; 3], corner: impl Fn(usize) -> Vec3) -> Self {
        Self { points: [corner(a), corner(b), corner(c)], count: if b == c { 2 } else { 3 } }
    }

    pub fn points(&self) -> &[Vec3] {
        &self.points[..self.count]
    }

    /// Point of intersection of the segment `ends` with the facet, farther than `margin` inside the border. Both ends
    /// must lie farther than `margin` from the plane of the facet, on opposite sides.
    pub fn pierced_by(&self, ends: &[Vec3; 2], margin: f64) -> Option<Vec3> {
        let normal = self.normal()?;
        let heights = self.heights_on_both_sides(ends, &normal, margin)?;
        let point = at_height(ends, heights, 0.0);
        self.holds(&point, &normal, margin).then_some(point)
    }

    /// Point of intersection of the segment `ends` with the facet, after the border of the facet is widened by `slack`.
    /// The ends must lie on opposite sides of the plane.
    pub fn met_by(&self, ends: &[Vec3; 2], slack: f64) -> Option<Vec3> {
        let normal = self.normal()?;
        let heights = self.heights_on_both_sides(ends, &normal, 0.0)?;
        let point = at_height(ends, heights, 0.0);
        self.holds(&point, &normal, -slack).then_some(point)
    }

    /// As `pierced_by`, but all points of the segment within `margin` of the plane must project farther than `margin`
    /// inside the border. The intersection remains if the facet and the segment are each perturbed by up to half of
    /// `margin`.
    pub fn passed_by(&self, ends: &[Vec3; 2], margin: f64) -> Option<Vec3> {
        let normal = self.normal()?;
        let heights = self.heights_on_both_sides(ends, &normal, margin)?;
        let passes = [-margin, margin]
            .iter()
            .all(|&height| self.holds(&at_height(ends, heights, height), &normal, margin));
        passes.then(|| at_height(ends, heights, 0.0))
    }

    /// Midpoint of the intersection line of two triangles; `None` if the intersection is not certain. The intersection
    /// is certain if a segment in this triangle, normal to the line at the midpoint, intersects the other triangle as
    /// in [`Self::passed_by`].
    ///
    /// # Source
    /// Möller 1997, "A fast triangle-triangle intersection test", J. Graphics Tools 2(2): each triangle covers an
    /// interval of the common line of both planes.
    pub fn crossing_with(&self, other: &Self, margin: f64) -> Option<Vec3> {
        let normals = [self.normal()?, other.normal()?];
        let line = normals[0].cross(&normals[1]);
        let sine = line.norm();
        let line = line.try_normalize(0.0)?;
        let [first, second] = [self.cut(other, &normals[1])?, other.cut(self, &normals[0])?];
        let places = first.map(|end| line.dot(&end));
        let of_second = second.map(|end| line.dot(&end));
        let lower = places[0].min(places[1]).max(of_second[0].min(of_second[1]));
        let upper = places[0].max(places[1]).min(of_second[0].max(of_second[1]));
        if lower >= upper {
            return None;
        }
        let along = (0.5 * (lower + upper) - places[0]) / (places[1] - places[0]);
        let middle = first[0] + (first[1] - first[0]) * along;
        let across = line.cross(&normals[0]) * (margin / sine);
        let passes = [middle - across, middle + across]
            .iter()
            .all(|end| self.holds(end, &normals[0], 0.0) && other.holds(end, &normals[1], margin));
        passes.then_some(middle)
    }

    /// The two points at which the border intersects the plane of the triangle `other`, with the unit normal `normal`;
    /// `None` if there are none.
    fn cut(&self, other: &Self, normal: &Vec3) -> Option<[Vec3; 2]> {
        let heights = self.points.map(|point| normal.dot(&(point - other.points[0])));
        let crosses = |k: &usize| (heights[*k] < 0.0) != (heights[(k + 1) % 3] < 0.0);
        let mut points = (0..3).filter(crosses).map(|k| {
            let next = (k + 1) % 3;
            at_height(&[self.points[k], self.points[next]], [heights[k], heights[next]], 0.0)
        });
        Some([points.next()?, points.next()?])
    }

    /// Unit normal; `None` for a facet without area or length. The normal of a segment lies in the plane z = 0.
    fn normal(&self) -> Option<Vec3> {
        let [origin, second, third] = self.points;
        let across = if self.count == 2 { Vec3::z() } else { third - origin };
        (second - origin).cross(&across).try_normalize(0.0)
    }

    /// Signed heights of both ends above the plane. `None` if both ends are on the same side, or if one is within
    /// `margin` of the plane.
    fn heights_on_both_sides(&self, ends: &[Vec3; 2], normal: &Vec3, margin: f64) -> Option<[f64; 2]> {
        let heights = ends.map(|end| normal.dot(&(end - self.points[0])));
        let on_both_sides =
            heights[0] * heights[1] < 0.0 && heights.iter().all(|height| height.abs() > margin);
        on_both_sides.then_some(heights)
    }

    /// Whether a point projects farther than `margin` inside the border. A negative margin widens the border.
    fn holds(&self, point: &Vec3, normal: &Vec3, margin: f64) -> bool {
        let corners = self.points();
        (0..corners.len()).all(|k| {
            let along = corners[(k + 1) % corners.len()] - corners[k];
            let offset = point - corners[k];
            let inward =
                if corners.len() == 2 { along.dot(&offset) } else { normal.dot(&along.cross(&offset)) };
            inward > margin * along.norm()
        })
    }
}

fn at_height(ends: &[Vec3; 2], heights: [f64; 2], height: f64) -> Vec3 {
    ends[0] + (ends[1] - ends[0]) * ((heights[0] - height) / (heights[0] - heights[1]))
}

/// Indices of corners for [`Facet::new`]: the triangles of a polygon, or one segment (`count` = 2).
pub fn fan(count: usize) -> impl Iterator<Item = [usize; 3]> {
    (2..count.max(3)).map(move |k| [0, k - 1, k.min(count - 1)])
}
