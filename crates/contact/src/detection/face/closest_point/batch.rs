//! Closest points of triangles, four at a time, one per lane.
//!
//! The operations are those of the scalar form (`super::voronoi`), and the results are bitwise equal. On slivers
//! (nearly degenerate triangles), the scalar form itself computes the results.

use super::{ClosestPoint, Feature, Outcome, voronoi};
use crate::math::Vec3;
use crate::math::eight_lanes::EightLanes;
use crate::math::real::{LANES, Lanes, Mask, Real};
use crate::math::vectorised::{Kernel, Vectorised};

/// Four points, one per lane; one entry per component.
pub type PointLanes = [Lanes; 3];

/// Corners of four triangles, one triangle per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleLanes {
    /// Corners \[m\].
    pub corners: [PointLanes; 3],
}

/// Closest points of four triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestLanes {
    /// Natural coordinates of the points.
    pub xi: [Lanes; 2],
    /// The points \[m\].
    pub point: PointLanes,
    /// Squares of the distances of the points from the queries \[m²\].
    pub distance_squared: Lanes,
    /// Indices into `REGIONS` of the features on which the points lie.
    region: Lanes,
}

const REGIONS: [Feature; 7] = [
    Feature::Face,
    Feature::Edge(0),
    Feature::Edge(1),
    Feature::Edge(2),
    Feature::Vertex(0),
    Feature::Vertex(1),
    Feature::Vertex(2),
];

/// Closest point of each triangle to the query in the same lane.
///
/// Unused lanes may hold any values. Entries of `closest` beyond the length of the shortest slice are unchanged.
///
/// # Cost
/// No allocation. The results do not depend on the processor.
///
/// # Source
/// Ericson 2005, *Real-Time Collision Detection*, §5.1.5.
pub fn closest_points_of_triangles(
    vectorised: Vectorised,
    triangles: &[TriangleLanes],
    queries: &[PointLanes],
    closest: &mut [ClosestLanes],
) {
    vectorised.run(Batch { triangles, queries, closest });
}

struct Batch<'a> {
    triangles: &'a [TriangleLanes],
    queries: &'a [PointLanes],
    closest: &'a mut [ClosestLanes],
}

impl Kernel for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl EightLanes) {
        for ((closest, triangles), queries) in self.closest.iter_mut().zip(self.triangles).zip(self.queries) {
            *closest = triangles.closest(queries);
        }
    }
}

/// As [`closest_points_of_triangles`]; also writes the normals (b − a) × (c − a) of the triangles \[m²\].
pub fn closest_points_and_normals(
    vectorised: Vectorised,
    triangles: &[TriangleLanes],
    queries: &[PointLanes],
    closest: &mut [ClosestLanes],
    normals: &mut [PointLanes],
) {
    vectorised.run(BatchAndNormals { batch: Batch { triangles, queries, closest }, normals });
}

struct BatchAndNormals<'a> {
    batch: Batch<'a>,
    normals: &'a mut [PointLanes],
}

impl Kernel for BatchAndNormals<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl EightLanes) {
        let Batch { triangles, queries, closest } = self.batch;
        let answers = closest.iter_mut().zip(self.normals);
        for ((closest, normal), (triangles, queries)) in answers.zip(triangles.iter().zip(queries)) {
            *normal = triangles.normals();
            *closest = triangles.closest(queries);
        }
    }
}

#[inline(always)]
fn sub(a: &PointLanes, b: &PointLanes) -> PointLanes {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot(a: &PointLanes, b: &PointLanes) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn select(mask: Mask, yes: &PointLanes, no: &PointLanes) -> PointLanes {
    [mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])]
}

/// The point `point(lane)` in each lane.
#[inline(always)]
pub fn points_from_fn(point: impl Fn(usize) -> Vec3) -> PointLanes {
    let [a, b, c, d] = [point(0), point(1), point(2), point(3)];
    [Lanes([a.x, b.x, c.x, d.x]), Lanes([a.y, b.y, c.y, d.y]), Lanes([a.z, b.z, c.z, d.z])]
}

/// The point in a lane.
#[inline(always)]
pub fn point_in_lane([x, y, z]: &PointLanes, lane: usize) -> Vec3 {
    Vec3::new(x.0[lane], y.0[lane], z.0[lane])
}

impl TriangleLanes {
    /// Triangles with all corners at the origin.
    pub const ZERO: Self = Self { corners: [[Lanes([0.0; LANES]); 3]; 3] };

    /// Stores a triangle in a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, corners: &[Vec3; 3]) {
        for (lanes, corner) in self.corners.iter_mut().zip(corners) {
            for d in 0..3 {
                lanes[d].0[lane] = corner[d];
            }
        }
    }

    /// The triangles with the corners `corner(lane, k)`. Faster than a call of `set` for each lane, because a vector
    /// load after scalar stores is slow.
    #[inline(always)]
    pub fn from_fn(corner: impl Fn(usize, usize) -> Vec3) -> Self {
        let lanes = |k: usize| points_from_fn(|lane| corner(lane, k));
        Self { corners: [lanes(0), lanes(1), lanes(2)] }
    }

    /// The triangle in a lane.
    pub fn triangle(&self, lane: usize) -> [Vec3; 3] {
        [self.corner(lane, 0), self.corner(lane, 1), self.corner(lane, 2)]
    }

    /// A corner of the triangle in a lane.
    #[inline(always)]
    pub fn corner(&self, lane: usize, corner: usize) -> Vec3 {
        point_in_lane(&self.corners[corner], lane)
    }

    #[inline(always)]
    fn normals(&self) -> PointLanes {
        let [a, b, c] = &self.corners;
        let (ab, ac) = (sub(b, a), sub(c, a));
        let across = |i: usize, j: usize| ab[i] * ac[j] - ab[j] * ac[i];
        [across(1, 2), across(2, 0), across(0, 1)]
    }

    /// Lanes of triangles so thin that rounding may misclassify the Voronoi region of a query.
    pub fn slivers(&self) -> Mask {
        self.closest_and_slivers(&[Lanes([0.0; LANES]); 3]).1
    }

    /// To be called inside [`Vectorised::run`].
    #[inline(always)]
    fn closest(&self, query: &PointLanes) -> ClosestLanes {
        let (mut closest, slivers) = self.closest_and_slivers(query);
        if slivers.any() {
            self.mend(slivers, query, &mut closest);
        }
        closest
    }

    /// Closest points (unreliable on slivers), and a mask of the lanes with slivers. To be called inside
    /// [`Vectorised::run`].
    #[inline(always)]
    pub fn closest_and_slivers(&self, query: &PointLanes) -> (ClosestLanes, Mask) {
        let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
        let [a, b, c] = &self.corners;
        let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(query, a));
        let (d1, d2) = (dot(&ab, &ap), dot(&ac, &ap));
        let (ab2, ac2, cosine) = (dot(&ab, &ab), dot(&ac, &ac), dot(&ab, &ac));
        let (d3, d4, d5, d6) = (d1 - ab2, d2 - cosine, d1 - cosine, d2 - ac2);
        let (area, longest) = (ab2 * ac2 - cosine * cosine, ab2.max(ac2));
        let (vb, vc) = (d1 * ac2 - d2 * cosine, d2 * ab2 - d1 * cosine);
        let va = area - vb - vc;

        // On a border between regions, the first region counts, in the order of the scalar form: corners, ab, ac, bc,
        // interior.
        let in_a = d1.at_most(zero) & d2.at_most(zero);
        let in_b = d3.at_least(zero) & d4.at_most(d3);
        let in_c = (d6.at_least(zero) & d5.at_most(d6)).and_not(in_b);
        let at_corner = in_a | in_b | in_c;
        let on_ab = vc.at_most(zero) & d1.at_least(zero) & d3.at_most(zero);
        let on_ac = (vb.at_most(zero) & d2.at_least(zero) & d6.at_most(zero)).and_not(on_ab);
        let on_bc = (va.at_most(zero) & d4.at_least(d3) & d5.at_least(d6)).and_not(at_corner | on_ab | on_ac);

        // Closest point: x = origin + ab s + ac t.
        let along_bc = d4 - d3;
        let bc2 = along_bc + (d5 - d6);
        let denominator = on_ab.select(ab2, on_ac.select(ac2, on_bc.select(bc2, area)));
        let along_ab = on_ab.select(d1, vb);
        let along_ac = on_ac.select(d2, on_bc.select(along_bc, vc));
        let inverse = one / denominator;
        let t = (at_corner | on_ab).select(zero, along_ac * inverse);
        let s = (at_corner | on_ac).select(zero, on_bc.select(one - t, along_ab * inverse));
        let origin = select(in_c, c, &select(in_b, b, a));
        let mut point = [zero; 3];
        for d in 0..3 {
            point[d] = origin[d] + ab[d] * s + ac[d] * t;
        }
        let offset = sub(query, &point);
        let xi = [in_b.select(one, s), in_c.select(one, t)];
        let number = |k: f64| Lanes::splat(k);
        let on_edges = on_ab.select(number(1.0), on_ac.select(number(3.0), on_bc.select(number(2.0), zero)));
        let at_corners = in_a.select(number(4.0), in_b.select(number(5.0), number(6.0)));
        let region = at_corner.select(at_corners, on_edges);
        let closest = ClosestLanes { xi, point, distance_squared: dot(&offset, &offset), region };
        (closest, !area.exceeds(longest * voronoi::SLIVER * longest))
    }

    #[cold]
    #[inline(never)]
    fn mend(&self, lanes: Mask, query: &PointLanes, closest: &mut ClosestLanes) {
        for lane in (0..LANES).filter(|&lane| lanes.0[lane]) {
            closest.set(lane, &voronoi::closest_point(&self.triangle(lane), &point_in_lane(query, lane)));
        }
    }
}

impl ClosestLanes {
    /// Results with all values zero.
    pub const ZERO: Self = {
        let zero = Lanes([0.0; LANES]);
        Self { xi: [zero; 2], point: [zero; 3], distance_squared: zero, region: zero }
    };

    /// The result in a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> ClosestPoint {
        ClosestPoint {
            xi: [self.xi[0].0[lane], self.xi[1].0[lane]],
            point: point_in_lane(&self.point, lane),
            distance_squared: self.distance_squared.0[lane],
            feature: REGIONS[self.region.0[lane] as usize],
            iterations: 0,
            outcome: Outcome::Exact,
        }
    }

    fn set(&mut self, lane: usize, closest: &ClosestPoint) {
        (self.xi[0].0[lane], self.xi[1].0[lane]) = (closest.xi[0], closest.xi[1]);
        for d in 0..3 {
            self.point[d].0[lane] = closest.point[d];
        }
        self.distance_squared.0[lane] = closest.distance_squared;
        let number = REGIONS.iter().position(|feature| *feature == closest.feature);
        self.region.0[lane] = number.unwrap_or(0) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;
    use proptest::prelude::*;

    fn pair(s: &mut Samples) -> ([Vec3; 3], Vec3) {
        let mut corners = [s.vector(1.0), s.vector(1.0), s.vector(1.0)];
        let thin = s.pick(&[0.0, 1e-13, 1e-9, 1e-6, 1e-3]);
        match s.bits() % 8 {
            0 => corners[1] = corners[0] + s.vector(thin),
            1 => corners[2] = corners[1] + s.vector(thin),
            2 => corners[2] = corners[0].lerp(&corners[1], s.pick(&[-0.5, 0.3, 1.5])) + s.vector(thin),
            3 => corners = [corners[0]; 3],
            _ => {}
        }
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        let (from, to) = s.pick(&[(a, b), (b, c), (c, a)]);
        let across = normal.cross(&(to - from)) * s.pick(&[0.0, 1e-12, -1e-12]);
        let query = match s.bits() % 5 {
            0 => s.pick(&corners),
            1 => from.lerp(&to, s.pick(&[0.0, 1e-12, 0.4, 1.0])) + across,
            2 => from.lerp(&to, s.pick(&[0.0, 1.0])) + normal * s.uniform(-1.0, 1.0) + across,
            3 => (a + b + c) / 3.0 + normal * s.uniform(-1.0, 1.0),
            _ => s.vector(1.0) * s.pick(&[1.0, 3.0, 1e6]),
        };
        (corners, query)
    }

    proptest! {
        #[test]
        fn lanes_have_the_bits_of_the_scalar_form(seed: u64, count in 0..23_usize, rest: f64) {
            let mut s = Samples::new(seed);
            let pairs: Vec<([Vec3; 3], Vec3)> = (0..count).map(|_| pair(&mut s)).collect();
            let num_blocks = count.div_ceil(LANES);
            let mut triangles = vec![TriangleLanes { corners: [[Lanes::splat(rest); 3]; 3] }; num_blocks];
            let mut queries = vec![[Lanes::splat(rest); 3]; num_blocks];
            for (k, (corners, query)) in pairs.iter().enumerate() {
                triangles[k / LANES].set(k % LANES, corners);
                prop_assert_eq!(triangles[k / LANES].triangle(k % LANES), *corners);
                for d in 0..3 {
                    queries[k / LANES][d].0[k % LANES] = query[d];
                }
            }
            for vectorised in [Vectorised::detect(), Vectorised::baseline()] {
                let mut closest = vec![ClosestLanes::ZERO; num_blocks];
                closest_points_of_triangles(vectorised, &triangles, &queries, &mut closest);
                let mut again = vec![ClosestLanes::ZERO; num_blocks];
                let mut normals = vec![[Lanes::splat(rest); 3]; num_blocks];
                closest_points_and_normals(vectorised, &triangles, &queries, &mut again, &mut normals);
                for (k, (corners, query)) in pairs.iter().enumerate() {
                    let scalar = voronoi::closest_point(corners, query);
                    let found = closest[k / LANES].lane(k % LANES);
                    prop_assert_eq!(found, scalar, "{:?} {:?}", corners, query);
                    prop_assert_eq!(found.distance_squared.to_bits(), scalar.distance_squared.to_bits());
                    prop_assert_eq!(again[k / LANES].lane(k % LANES), found);
                    let [a, b, c] = corners;
                    prop_assert_eq!(point_in_lane(&normals[k / LANES], k % LANES), (b - a).cross(&(c - a)));
                }
            }
        }
    }
}
