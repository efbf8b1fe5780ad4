//! Several spheres at a time, with the bits of the scalar formulas.

use pulp::Simd;

use crate::contact::detection::volume::{RELATIVE_SLACK, Sphere};
use crate::math::Vec3;
use crate::math::pack::{Pack, WIDTH};
use crate::math::real::{LANES, Lanes, Real};

/// a − b.
#[inline(always)]
pub fn difference<R: Real>(a: &[R; 3], b: &[R; 3]) -> [R; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// |a|².
#[inline(always)]
pub fn norm_squared<R: Real>(a: &[R; 3]) -> R {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}

/// As [`crate::contact::detection::volume::rounded_up`].
#[inline(always)]
pub fn rounded_up<R: Real>(radius: R, centre: &[R; 3]) -> R {
    let position_error = (centre[0].abs() + centre[1].abs() + centre[2].abs()) * f64::EPSILON;
    radius + (radius * RELATIVE_SLACK + position_error)
}

/// Centres and radii of several balls.
#[derive(Clone, Copy)]
pub struct Balls<R> {
    /// Centres.
    pub centre: [R; 3],
    /// Radii.
    pub radius: R,
}

impl Balls<Lanes> {
    /// Four balls side by side.
    #[inline(always)]
    pub fn of([a, b, c, d]: [Sphere; LANES]) -> Self {
        let centre = [
            Lanes([a.centre.x, b.centre.x, c.centre.x, d.centre.x]),
            Lanes([a.centre.y, b.centre.y, c.centre.y, d.centre.y]),
            Lanes([a.centre.z, b.centre.z, c.centre.z, d.centre.z]),
        ];
        Self { centre, radius: Lanes([a.radius, b.radius, c.radius, d.radius]) }
    }

    /// Spheres of the left and of the right children of four vertices; the first of the `spheres` is of the vertex
    /// `first`.
    #[inline(always)]
    pub fn of_children(spheres: &[Sphere], links: &[[u32; 2]], first: usize) -> [Self; 2] {
        let child = |vertex: usize, side: usize| spheres[links[vertex][side] as usize - first];
        [
            Self::of([child(0, 0), child(1, 0), child(2, 0), child(3, 0)]),
            Self::of([child(0, 1), child(1, 1), child(2, 1), child(3, 1)]),
        ]
    }

    /// The balls one by one.
    #[inline(always)]
    pub fn settled(self) -> [Sphere; LANES] {
        let [x, y, z] = [self.centre[0].settled(), self.centre[1].settled(), self.centre[2].settled()];
        let radius = self.radius.settled();
        [
            Sphere { centre: Vec3::new(x[0], y[0], z[0]), radius: radius[0] },
            Sphere { centre: Vec3::new(x[1], y[1], z[1]), radius: radius[1] },
            Sphere { centre: Vec3::new(x[2], y[2], z[2]), radius: radius[2] },
            Sphere { centre: Vec3::new(x[3], y[3], z[3]), radius: radius[3] },
        ]
    }

    /// As [`crate::contact::detection::volume::Sphere::joint_fraction`].
    #[inline(always)]
    pub fn joint_fraction(&self, other: &Self) -> Lanes {
        let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
        let distance = norm_squared(&difference(&other.centre, &self.centre)).sqrt();
        let between = (distance + other.radius - self.radius) * 0.5 / distance;
        let between = between.max(zero).min(one);
        let swallowed = (distance + self.radius).at_most(other.radius);
        let swallows = (distance + other.radius).at_most(self.radius);
        swallows.select(zero, swallowed.select(one, between))
    }
}

impl<R: Real> Balls<R> {
    /// As [`crate::contact::detection::volume::Sphere::joint_at`].
    #[inline(always)]
    pub fn joint_at(&self, other: &Self, fraction: R) -> Self {
        let offset = difference(&other.centre, &self.centre);
        let distance = norm_squared(&offset).sqrt();
        let centre = [
            self.centre[0] + offset[0] * fraction,
            self.centre[1] + offset[1] * fraction,
            self.centre[2] + offset[2] * fraction,
        ];
        let rest = fraction.constant(1.0) - fraction;
        let reach = (self.radius + fraction * distance).max(other.radius + rest * distance);
        Self { centre, radius: rounded_up(reach, &centre) }
    }
}

impl<S: Simd> Balls<Pack<S>> {
    /// Spheres at as many places as there are lanes.
    #[inline(always)]
    pub fn gather(simd: S, spheres: &[Sphere], places: &[usize; WIDTH]) -> Self {
        let [x, y, z, radius] = Pack::gather_quadruples(simd, spheres, places);
        Self { centre: [x, y, z], radius }
    }

    /// Overwrites as many spheres.
    #[inline(always)]
    pub fn store(self, spheres: &mut [Sphere]) {
        let [x, y, z] = self.centre;
        let quadruples = Pack::quadruples([x, y, z, self.radius]);
        for lane in 0..Pack::<S>::LANES {
            spheres[lane] = Sphere::from(quadruples[lane]);
        }
    }
}

/// Whether no child of some inner vertices is one of them, the first of which is `first`: they can be computed at once.
#[inline(always)]
pub fn are_independent(links: &[[u32; 2]], first: usize) -> bool {
    let mut largest = 0;
    for [left, right] in links {
        largest = largest.max(*left).max(*right);
    }
    (largest as usize) < first
}
