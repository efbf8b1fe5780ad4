//! The exact smallest ball of a set of points; its centre is a weighted mean of the points.

use super::{Sphere, rounded_up};
use crate::math::Vec3;

/// Smallest ball of a set of points. Its centre is a convex combination of at most four points, the support.
#[derive(Clone, Copy, Debug)]
pub struct MinimumBall {
    /// The ball, rounded up.
    pub sphere: Sphere,
    support: [usize; 4],
    weights: [f64; 4],
    num_support: usize,
}

/// Largest ratio of the determinant of a Gram matrix to the product of its diagonal at which the matrix counts as
/// singular. A smaller support then gives the ball, with a relative error of at most the square root of this ratio.
const SINGULAR: f64 = 1e-14;

/// Distance outside the ball, relative to the radius, up to which a point counts as on the ball.
const ON_BALL: f64 = 4.0 * f64::EPSILON;

impl MinimumBall {
    /// Smallest ball of `points`; `None` without points.
    ///
    /// The method pivots like the simplex method. The farthest point outside the ball enters the support. Each subset
    /// of the old support, together with this point, defines a new ball. The ball is admissible if its centre lies in
    /// the hull of the points that define it. The subset with the largest admissible ball remains. Each pivot enlarges
    /// the ball, so no support recurs, and the method ends.
    ///
    /// # Cost
    /// O(n) for each of a few pivots; no allocation.
    ///
    /// # Source
    /// Welzl 1991, "Smallest enclosing disks"; Gärtner 1999, "Fast and robust smallest enclosing balls", §3 (farthest
    /// point first) and eq. (2) (ball of a support).
    pub fn of(points: &[Vec3]) -> Option<Self> {
        let first = points.first()?;
        let mut ball = Self {
            sphere: Sphere { centre: *first, radius: 0.0 },
            support: [0; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            num_support: 1,
        };
        let mut radius_squared = 0.0;
        loop {
            let (farthest, distance_squared) = farthest_point(points, &ball.sphere.centre);
            ball.sphere.radius = rounded_up(distance_squared.sqrt(), &ball.sphere.centre);
            if distance_squared <= radius_squared * (1.0 + 2.0 * ON_BALL) {
                return Some(ball);
            }
            match ball.pivot(points, farthest, radius_squared) {
                Some((next, next_radius_squared)) => (ball, radius_squared) = (next, next_radius_squared),
                None => return Some(ball),
            }
        }
    }

    /// Support points as pairs (index of the point, weight). The weights are non-negative and sum to one.
    pub fn support(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.support.iter().zip(&self.weights).take(self.num_support).map(|(&point, &weight)| (point, weight))
    }

    /// The ball after one pivot, and its squared radius; `None` if, because of rounding, no admissible ball is larger.
    fn pivot(&self, points: &[Vec3], entering: usize, radius_squared: f64) -> Option<(Self, f64)> {
        let origin = points[entering];
        let edges: [Vec3; 4] = std::array::from_fn(|k| points[self.support[k]] - origin);
        let gram: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| edges[i].dot(&edges[j])));
        let mut best = (radius_squared, [0.0; 4]);
        for subset in 1..1_u8 << self.num_support {
            if let Some(candidate) = ball_of_support(&gram, subset)
                && candidate.0 > best.0
            {
                best = candidate;
            }
        }
        if best.0 <= radius_squared {
            return None;
        }
        Some((self.with_support(origin, entering, &edges, &best.1), best.0))
    }

    fn with_support(&self, origin: Vec3, entering: usize, edges: &[Vec3; 4], weights: &[f64; 4]) -> Self {
        let mut next = Self {
            sphere: Sphere { centre: origin, radius: 0.0 },
            support: [entering; 4],
            weights: [0.0; 4],
            num_support: 1,
        };
        for k in 0..4 {
            if weights[k] > 0.0 {
                next.sphere.centre += edges[k] * weights[k];
                next.support[next.num_support] = self.support[k];
                next.weights[next.num_support] = weights[k];
                next.num_support += 1;
            }
        }
        next.weights[0] = (1.0 - weights.iter().sum::<f64>()).max(0.0);
        next
    }
}

fn farthest_point(points: &[Vec3], centre: &Vec3) -> (usize, f64) {
    let mut farthest = (0, 0.0);
    for (i, point) in points.iter().enumerate() {
        let distance_squared = (point - centre).norm_squared();
        if distance_squared > farthest.1 {
            farthest = (i, distance_squared);
        }
    }
    farthest
}

/// Squared radius r² and weights λ of the ball through the entering point and the support points in `subset`. With the
/// edges qᵢ from the entering point to the support points, the centre is the entering point plus Σ λᵢ qᵢ. With the Gram
/// matrix G (`gram`) of the edges, Gᵢⱼ = qᵢ·qⱼ,
///
/// ```text
/// 2 G λ = diag G,   r² = λ · diag G / 2
/// ```
///
/// `None` if G is singular, if the number of members of `subset` is not 1, 2 or 3, or if the centre is outside the
/// hull.
fn ball_of_support(gram: &[[f64; 4]; 4], subset: u8) -> Option<(f64, [f64; 4])> {
    let mut members = [0; 4];
    let mut count = 0;
    for k in 0..4 {
        if subset >> k & 1 == 1 {
            members[count] = k;
            count += 1;
        }
    }
    let [a, b, c, _] = members;
    let mut weights = [0.0; 4];
    match count {
        1 => weights[a] = 0.5,
        2 => {
            let (aa, bb, ab) = (gram[a][a], gram[b][b], gram[a][b]);
            let determinant = aa * bb - ab * ab;
            if is_singular(determinant, aa * bb) {
                return None;
            }
            weights[a] = 0.5 * bb * (aa - ab) / determinant;
            weights[b] = 0.5 * aa * (bb - ab) / determinant;
        }
        3 => {
            let lambda = solve_three(gram, [a, b, c])?;
            (weights[a], weights[b], weights[c]) = (lambda[0], lambda[1], lambda[2]);
        }
        _ => return None,
    }
    let in_hull = weights.iter().all(|&w| w >= 0.0) && weights.iter().sum::<f64>() <= 1.0;
    let radius_squared = 0.5 * (0..4).map(|k| weights[k] * gram[k][k]).sum::<f64>();
    in_hull.then_some((radius_squared, weights))
}

fn is_singular(determinant: f64, product: f64) -> bool {
    determinant.is_nan() || determinant <= SINGULAR * product
}

/// Solution λ of 2 G λ = diag G for three edges, by cofactors; `None` if G is singular.
fn solve_three(gram: &[[f64; 4]; 4], [a, b, c]: [usize; 3]) -> Option<[f64; 3]> {
    let (aa, bb, cc) = (gram[a][a], gram[b][b], gram[c][c]);
    let (ab, ac, bc) = (gram[a][b], gram[a][c], gram[b][c]);
    let cofactors = [bb * cc - bc * bc, ac * bc - ab * cc, ab * bc - ac * bb];
    let determinant = aa * cofactors[0] + ab * cofactors[1] + ac * cofactors[2];
    if is_singular(determinant, aa * bb * cc) {
        return None;
    }
    let (middle, cross, last) = (aa * cc - ac * ac, ab * ac - aa * bc, aa * bb - ab * ab);
    let half = 0.5 / determinant;
    Some([
        half * (cofactors[0] * aa + cofactors[1] * bb + cofactors[2] * cc),
        half * (cofactors[1] * aa + middle * bb + cross * cc),
        half * (cofactors[2] * aa + cross * bb + last * cc),
    ])
}
