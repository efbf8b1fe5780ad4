//! Quick fits of a sphere to points: Ritter's two passes and the Extremal Points Optimal Sphere (EPOS).

use super::Sphere;
use super::minimum_ball::MinimumBall;
use crate::math::Vec3;

/// Directions along which [`Sphere::epos`] searches for extremal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// EPOS-6: the three axes.
    Axes,
    /// EPOS-14: the axes and the four diagonals of the cube.
    Diagonals,
    /// EPOS-26: the axes, the four diagonals, and the six diagonals of the faces of the cube.
    FaceDiagonals,
}

/// EPOS-6 uses the first 3 directions, EPOS-14 the first 7, and EPOS-26 all 13. Only extremal points are used, so the
/// directions need not be normalised.
const DIRECTIONS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
];

impl Directions {
    const fn count(self) -> usize {
        match self {
            Self::Axes => 3,
            Self::Diagonals => 7,
            Self::FaceDiagonals => 13,
        }
    }
}

/// Lowest and highest points along each of the first `D` entries of `DIRECTIONS`.
#[derive(Clone, Copy, Debug)]
pub struct Extremes<const D: usize> {
    low: [f64; D],
    high: [f64; D],
    lowest: [u32; D],
    highest: [u32; D],
}

impl<const D: usize> Extremes<D> {
    /// Extremes of the single point `points[index]`.
    #[inline]
    pub fn of(points: &[Vec3], index: u32) -> Self {
        let point = points[index as usize];
        let along: [f64; D] = std::array::from_fn(|d| {
            let [x, y, z] = DIRECTIONS[d];
            x * point.x + y * point.y + z * point.z
        });
        Self { low: along, high: along, lowest: [index; D], highest: [index; D] }
    }

    /// Includes `other`, the extremes of further points of the same list.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        for d in 0..D {
            if other.low[d] < self.low[d] {
                self.low[d] = other.low[d];
                self.lowest[d] = other.lowest[d];
            }
            if other.high[d] > self.high[d] {
                self.high[d] = other.high[d];
                self.highest[d] = other.highest[d];
            }
        }
    }

    /// Minimum ball of the extremal points; `points` is the whole list. The other points may lie outside the ball.
    pub fn minimum_ball(&self, points: &[Vec3]) -> Option<MinimumBall> {
        let mut extremal = [Vec3::zeros(); 2 * DIRECTIONS.len()];
        let mut count = 0;
        for &index in self.lowest.iter().chain(&self.highest) {
            let point = points[index as usize];
            if !extremal[..count].contains(&point) {
                extremal[count] = point;
                count += 1;
            }
        }
        MinimumBall::of(&extremal[..count])
    }
}

impl Sphere {
    /// Smallest sphere around a pair of points, grown over the other points. Each axis gives a pair, the lowest and the
    /// highest point; the most distant of the three pairs is used. `None` without points. The radius exceeds the radius
    /// of the minimum ball by 5 % on average.
    ///
    /// # Cost
    /// O(n) for n points.
    ///
    /// # Source
    /// Ritter 1990, "An efficient bounding sphere", Graphics Gems.
    pub fn ritter(points: &[Vec3]) -> Option<Self> {
        let extremes = extremes::<3>(points)?;
        let pair = (0..3)
            .map(|d| (points[extremes.lowest[d] as usize], points[extremes.highest[d] as usize]))
            .max_by(|a, b| (a.1 - a.0).norm_squared().total_cmp(&(b.1 - b.0).norm_squared()))?;
        let mut sphere = MinimumBall::of(&[pair.0, pair.1])?.sphere;
        sphere.grow_over(points);
        Some(sphere)
    }

    /// Minimum ball of the extremal points along the `directions`, grown over the other points. `None` without points.
    ///
    /// On average, the radius exceeds that of the minimum ball by 2 % (axes), 0.15 % (diagonals) or 0.07 % (face
    /// diagonals). With at most twice as many points as directions, the result is the minimum ball.
    ///
    /// # Cost
    /// O(n) for n points.
    ///
    /// # Source
    /// Larsson 2008, "Fast and tight fitting bounding spheres", SIGRAD, algorithm EPOS.
    pub fn epos(points: &[Vec3], directions: Directions) -> Option<Self> {
        if points.len() <= 2 * directions.count() {
            return MinimumBall::of(points).map(|ball| ball.sphere);
        }
        let ball = match directions {
            Directions::Axes => extremes::<3>(points)?.minimum_ball(points),
            Directions::Diagonals => extremes::<7>(points)?.minimum_ball(points),
            Directions::FaceDiagonals => extremes::<13>(points)?.minimum_ball(points),
        };
        let mut sphere = ball?.sphere;
        sphere.grow_over(points);
        Some(sphere)
    }
}

fn extremes<const D: usize>(points: &[Vec3]) -> Option<Extremes<D>> {
    let others = 1..u32::try_from(points.len()).ok().filter(|&count| count > 0)?;
    let mut extremes = Extremes::of(points, 0);
    for index in others {
        extremes.join(&Extremes::of(points, index));
    }
    Some(extremes)
}
