//! Operations on several spheres in lanes, bitwise equal to the scalar formulas.

use bytemuck::{cast_slice, cast_slice_mut};
use pulp::Simd;

use crate::detection::volume::{RELATIVE_SLACK, Sphere};
use crate::math::pack::{Pack, WIDTH};
use crate::math::real::Real;

#[inline(always)]
pub fn difference<R: Real>(a: &[R; 3], b: &[R; 3]) -> [R; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub fn norm_squared<R: Real>(a: &[R; 3]) -> R {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}

/// The formula of [`crate::detection::volume::rounded_up`] in lanes.
#[inline(always)]
pub fn rounded_up<R: Real>(radius: R, centre: &[R; 3]) -> R {
    let position_error = (centre[0].abs() + centre[1].abs() + centre[2].abs()) * f64::EPSILON;
    radius + (radius * RELATIVE_SLACK + position_error)
}

/// One ball per lane.
#[derive(Clone, Copy)]
pub struct Balls<R> {
    pub centre: [R; 3],
    pub radius: R,
}

impl<R: Real> Balls<R> {
    /// The formula of [`crate::detection::volume::Sphere::joint_fraction`] in lanes.
    #[inline(always)]
    pub fn joint_fraction(&self, other: &Self) -> R {
        let distance = norm_squared(&difference(&other.centre, &self.centre)).sqrt();
        let between = (distance + other.radius - self.radius) * 0.5 / distance;
        between.max(distance.constant(0.0)).min(distance.constant(1.0))
    }

    /// The formula of [`crate::detection::volume::Sphere::joint_at`] in lanes.
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
    /// Spheres of the left and of the right children of consecutive vertices, one vertex per lane. `links`: the
    /// children of each vertex. `first` is the vertex of `spheres[0]`. `None` if a child is missing in `spheres`.
    #[inline(always)]
    pub fn of_children(simd: S, spheres: &[Sphere], links: &[[u32; 2]], first: usize) -> Option<[Self; 2]> {
        let (mut places, mut largest) = ([[0; WIDTH]; 2], 0);
        for lane in 0..Pack::<S>::LANES {
            for side in 0..2 {
                let place = links[lane][side] as usize - first;
                places[side][lane] = place;
                largest = largest.max(place);
            }
        }
        if largest >= spheres.len() {
            return None;
        }
        Some([Self::gather(simd, spheres, &places[0]), Self::gather(simd, spheres, &places[1])])
    }

    #[inline(always)]
    fn gather(simd: S, spheres: &[Sphere], places: &[usize; WIDTH]) -> Self {
        let [x, y, z, radius] = Pack::gather_quadruples(simd, cast_slice(spheres), places);
        Self { centre: [x, y, z], radius }
    }

    #[inline(always)]
    pub fn store(self, spheres: &mut [Sphere]) {
        let [x, y, z] = self.centre;
        let quadruples = Pack::quadruples([x, y, z, self.radius]);
        let spheres: &mut [[f64; 4]] = cast_slice_mut(spheres);
        spheres[..Pack::<S>::LANES].copy_from_slice(&quadruples[..Pack::<S>::LANES]);
    }
}
