//! Separating directions of two hulls, and the times for which they separate the hulls.

use super::hull::{Closest, Feature, Hull, Side};
use crate::math::Vec3;

/// Squared sine of the angle up to which two vectors count as parallel.
const PARALLEL_SINE_SQUARED: f64 = 1e-28;
/// Largest rotation of a direction within one step of the search for the time of impact \[rad\], if the bound on the
/// separation has a negative third-order term (see `Motion::bound`).
const LARGEST_TURN: f64 = 0.5;

/// A direction from hull b to hull a: n + h ṅ after a time h. `normal` is n with |n| = 1; `rate` is ṅ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub normal: Vec3,
    pub rate: Vec3,
}

impl Direction {
    /// Common normal n of two vectors e, and the rate ṅ with ṅ·e = −n·ė and ṅ·n = 0. `None` if the vectors are parallel
    /// or zero.
    ///
    /// Each argument is `[e, ė]`. Both vectors stay perpendicular to n + h ṅ to first order.
    pub(super) fn spanned(first: [Vec3; 2], second: [Vec3; 2]) -> Option<Self> {
        let normal = first[0].cross(&second[0]);
        let squared = normal.norm_squared();
        let product = first[0].norm_squared() * second[0].norm_squared();
        if !(squared > PARALLEL_SINE_SQUARED * product && squared.is_normal()) {
            return None;
        }
        let unit = normal / squared.sqrt();
        let dual = [second[0].cross(&normal), normal.cross(&first[0])];
        let rate = -(dual[0] * unit.dot(&first[1]) + dual[1] * unit.dot(&second[1])) / squared;
        Some(Self { normal: unit, rate })
    }

    /// A direction along `vector` without rotation; `None` if the length of `vector` is zero, subnormal or not finite.
    pub(super) fn fixed(vector: &Vec3) -> Option<Self> {
        let length = vector.norm();
        (length.is_normal()).then(|| Self { normal: vector / length, rate: Vec3::zeros() })
    }

    /// Common normal of the features of two closest points; the direction of `line` if there is no common normal.
    ///
    /// `line` is the vector between the closest points, or the normal of an earlier advance. The result satisfies
    /// result·`line` ≥ 0.
    pub(super) fn of_feature<const N: usize>(
        a: &Hull<N>,
        b: &Hull<N>,
        feature: Feature,
        line: &Vec3,
    ) -> Option<Self> {
        let side = |which| if which == Side::A { a } else { b };
        let direction = match feature {
            Feature::Triangle(which, [i, j, k]) => {
                Self::spanned(side(which).edge([i, j]), side(which).edge([i, k]))
            }
            Feature::Edges(of_a, of_b) => Self::spanned(a.edge(of_a), b.edge(of_b)),
            Feature::Segment(which, ends) => Self::spanned(side(which).edge(ends), out_of_plane()),
            Feature::Line => None,
        };
        match direction {
            Some(found) if found.normal.dot(line) < 0.0 => Some(found.reversed()),
            Some(found) => Some(found),
            None => Self::fixed(line),
        }
    }

    fn reversed(&self) -> Self {
        Self { normal: -self.normal, rate: -self.rate }
    }

    /// Calls `visit` with all directions that may separate two nearby hulls, each with both signs.
    ///
    /// # Source
    /// Separating axes of convex polytopes: Ericson, Real-Time Collision Detection, §5.2.1. Added for coplanar and
    /// collapsed faces: the in-plane normals of the edges, and the directions of the edges and of the relative
    /// velocity.
    pub(super) fn for_each<const N: usize>(
        a: &Hull<N>,
        b: &Hull<N>,
        closest: &Closest,
        mut visit: impl FnMut(&Self),
    ) {
        let mut offer = |direction: Option<Self>| {
            if let Some(direction) = direction {
                visit(&direction);
                visit(&direction.reversed());
            }
        };
        offer(Self::of_feature(a, b, closest.feature, &closest.line()));
        let plane = a.is_segment() && b.is_segment();
        for hull in [a, b] {
            for &[i, j, k] in hull.triangles() {
                let normal = Self::spanned(hull.edge([i, j]), hull.edge([i, k]));
                offer(normal);
                let across = normal.map_or_else(Vec3::zeros, |n| n.normal);
                for ends in [[i, j], [j, k], [k, i]] {
                    offer(Self::fixed(&across.cross(&hull.edge(ends)[0])));
                }
            }
            for &ends in hull.edges() {
                offer(Self::fixed(&hull.edge(ends)[0]));
                offer(if plane { Self::spanned(hull.edge(ends), out_of_plane()) } else { None });
            }
        }
        for &of_a in if plane { &[] } else { a.edges() } {
            for &of_b in b.edges() {
                offer(Self::spanned(a.edge(of_a), b.edge(of_b)));
            }
        }
        offer(Self::fixed(&(mean(a.velocities()) - mean(b.velocities()))));
    }
}

fn out_of_plane() -> [Vec3; 2] {
    [Vec3::z(), Vec3::zeros()]
}

fn mean(vectors: &[Vec3]) -> Vec3 {
    vectors.iter().sum::<Vec3>() / vectors.len().max(1) as f64
}

/// Treatment of gaps that are negative or within rounding.
#[derive(Clone, Copy, Debug)]
pub(super) enum Touch {
    /// Gaps and speeds count as computed.
    Apart,
    /// Gaps that are negative or within rounding count as zero. At these gaps, speeds within rounding also count as
    /// zero.
    AtStart,
    /// Gaps that are negative or within rounding count as zero. The hulls then touch at once, except if the gap opens
    /// at a speed above rounding.
    Later,
}

#[derive(Debug)]
pub(super) struct Motion<'a, const N: usize> {
    pub a: &'a Hull<N>,
    pub b: &'a Hull<N>,
    /// Distance at which the hulls touch \[m\].
    pub distance: f64,
    /// Acceleration of the centre of body a minus that of body b [m/s²].
    pub acceleration: Vec3,
    /// Bound on the deviation of the relative acceleration of two nodes from `acceleration` [m/s²].
    pub deviation: f64,
    /// Time to the end of the search \[s\].
    pub remaining: f64,
    /// Bound on the rounding error of a gap \[m\].
    pub rounding: f64,
    /// Bound on the rounding error of a closing speed [m/s].
    pub speed_rounding: f64,
}

impl<const N: usize> Motion<'_, N> {
    /// Least n·(x_a − x_b) over all pairs of nodes, minus `distance` \[m\]; n is `normal`. Positive if n separates the
    /// hulls by more than `distance`.
    pub(super) fn separation(&self, normal: &Vec3) -> f64 {
        let lowest = self.a.positions().iter().map(|x| normal.dot(x)).fold(f64::INFINITY, f64::min);
        let highest = self.b.positions().iter().map(|x| normal.dot(x)).fold(f64::NEG_INFINITY, f64::max);
        lowest - highest - self.distance
    }

    /// Time \[s\] for which the hulls certainly stay separated: the longer of the times for the rotating `direction`
    /// and for its initial normal, held fixed. At least `remaining`, possibly infinite, if the hulls stay separated
    /// until the end of the search.
    pub(super) fn step(&self, direction: &Direction, touch: Touch) -> f64 {
        let at_rest = Direction { normal: direction.normal, rate: Vec3::zeros() };
        let step = self.bound(&at_rest, touch);
        if direction.rate == Vec3::zeros() { step } else { step.max(self.bound(direction, touch)) }
    }

    /// Time \[s\] for which the rotating direction certainly separates the hulls. For each pair of nodes, a cubic
    /// polynomial bounds the separation at the time h from below:
    ///
    /// ```text
    /// (n + h ṅ)·(x_a − x_b) − |n + h ṅ| d ≥ g + p h + q h² + c h³
    /// g = n·x − d,   p = n·v + ṅ·x,   q = ṅ·v + (n·A − deviation − d |ṅ|²)/2,   c = (ṅ·A − deviation |ṅ|)/2
    /// ```
    ///
    /// d is `distance`. The nodes have the relative position x and velocity v at h = 0; A is `acceleration`. The roots
    /// are those of a quadratic polynomial. If c ≥ 0, the term c h³ is dropped, and the result is the first root over
    /// all pairs. If c < 0, c h³ ≥ c H h² up to a horizon H, so c H is added to q. The result is then the first root,
    /// but at most H; infinite if no root is before H and H reaches the end of the search.
    fn bound(&self, direction: &Direction, touch: Touch) -> f64 {
        let cubic = 0.5 * (direction.rate.dot(&self.acceleration) - self.deviation * direction.rate.norm());
        // The length of a rotating direction grows with h: |n + h ṅ| ≤ 1 + h² |ṅ|²/2.
        let growth = self.distance * direction.rate.norm_squared();
        let mut common = 0.5 * (direction.normal.dot(&self.acceleration) - self.deviation - growth);
        let mut first = f64::INFINITY;
        let mut horizon = f64::INFINITY;
        if cubic < 0.0 {
            horizon = self.remaining.min(LARGEST_TURN / direction.rate.norm());
            common += cubic * horizon;
        }
        let (nodes_a, nodes_b) = (direction.terms(self.a), direction.terms(self.b));
        for of_a in &nodes_a[..self.a.positions().len()] {
            for of_b in &nodes_b[..self.b.positions().len()] {
                let (gap, rate) = self.rounded(of_a[0] - of_b[0] - self.distance, of_a[1] - of_b[1], touch);
                let quadratic = of_a[2] - of_b[2] + common;
                let clear = quadratic <= 0.0 && gap + first * (rate + quadratic * first) >= 0.0;
                let root = if clear { first } else { first_root(gap, rate, quadratic) };
                first = if root < first || root.is_nan() { root } else { first };
            }
        }
        let holds_to_the_end = first > horizon && horizon >= self.remaining;
        if holds_to_the_end { f64::INFINITY } else { first.min(horizon) }
    }

    fn rounded(&self, gap: f64, rate: f64, touch: Touch) -> (f64, f64) {
        match touch {
            Touch::Apart => (gap, rate),
            _ if gap > self.rounding => (gap, rate),
            Touch::AtStart if rate.abs() <= self.speed_rounding => (0.0, 0.0),
            Touch::Later if rate <= self.speed_rounding => (0.0, f64::NEG_INFINITY),
            _ => (0.0, rate),
        }
    }

    /// Approach speed of the two nodes that overlap most along a direction \[m/s\]; negative if these nodes separate.
    pub(super) fn closing_speed(&self, direction: &Direction) -> f64 {
        let (nodes_a, nodes_b) = (direction.terms(self.a), direction.terms(self.b));
        let pairs = nodes_a[..self.a.positions().len()]
            .iter()
            .flat_map(|of_a| nodes_b[..self.b.positions().len()].iter().map(move |of_b| (of_a, of_b)));
        let deepest = pairs.map(|(of_a, of_b)| (of_a[0] - of_b[0], of_b[1] - of_a[1]));
        deepest.fold((f64::INFINITY, 0.0), |best, pair| if pair.0 < best.0 { pair } else { best }).1
    }
}

impl Direction {
    /// For each point of a hull with position x and velocity v: n·x, n·v + ṅ·x and ṅ·v.
    #[inline]
    fn terms<const N: usize>(&self, hull: &Hull<N>) -> [[f64; 3]; N] {
        let mut terms = [[0.0; 3]; N];
        for (term, (x, v)) in terms.iter_mut().zip(hull.positions().iter().zip(hull.velocities())) {
            *term = [self.normal.dot(x), self.normal.dot(v) + self.rate.dot(x), self.rate.dot(v)];
        }
        terms
    }
}

/// First h ≥ 0 at which g + p h + q h² becomes negative; infinite if there is none. Requires g ≥ 0.
#[inline]
fn first_root(g: f64, p: f64, q: f64) -> f64 {
    if p >= 0.0 && q >= 0.0 {
        return f64::INFINITY;
    }
    let discriminant = p * p - 4.0 * q * g;
    if discriminant < 0.0 {
        f64::INFINITY
    } else if p < 0.0 {
        2.0 * g / (discriminant.sqrt() - p)
    } else {
        (discriminant.sqrt() + p) / (-2.0 * q)
    }
}
