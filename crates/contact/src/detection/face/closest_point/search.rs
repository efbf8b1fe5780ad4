//! The global minimum of F = ½ |x(ξ) − r|² on a curved or warped face, by branch and bound.
//!
//! The search bisects the face into cells. A cell is discarded if a bound proves that no point of the cell is closer to
//! the query r than the best point found so far:
//!
//! - The least Bernstein coefficient of F is a lower bound on F, useful for distant cells.
//! - Let −α ≤ 0 be a lower bound on the eigenvalues of the Hessian of F on a cell of diameter δ in natural coordinates.
//!   If ξ* satisfies the optimality conditions on the cell, then F ≥ F(ξ*) − ½ α δ² on the cell (Adjiman, Dallwig,
//!   Floudas & Neumaier 1998, αBB). This bound discards cells on which F is nearly convex.
//! - If all control points lie beyond a plane, as seen from the query, no point of the cell is closer than the plane.
//!   The normal of the plane points from the query to the best point, or to the result of a local minimisation on the
//!   cell. This bound discards cells that are flat in space, whatever their parametrisation.
//!
//! The control points of each cell are computed from the polynomial of the whole face, so that rounding errors shrink
//! with the cells.

use super::minimisation::sqp::{Hessian, Sqp};
use super::minimisation::{Minimise, Minimum};
use super::polynomial::{Cell, FacePolynomial};
use crate::math::Vec3;

/// Largest excess of the distance found over the least distance, relative to the size of the face: the greatest
/// distance of a node from the first corner.
const TOLERANCE: f64 = 1e-11;
/// Bound on the rounding error of the Bernstein coefficients of F, relative to the greatest coefficient.
const NOISE: f64 = 16.0 * f64::EPSILON;
/// Largest number of bisections from the face to a cell.
const MAX_DEPTH: usize = 96;
/// Number of cells at which the search stops without a proof.
const MAX_CELLS: u32 = 20_000;

/// Result of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The best point. `converged` is true if the search proved that the point is the global minimum within the
    /// tolerance.
    pub minimum: Minimum,
    /// Number of cells made by bisection, without the whole face.
    pub cells: u32,
}

/// Seeks the global minimum, starting from the result `local` of a local method. This method need not have converged.
#[cold]
#[inline(never)]
pub fn global_minimum<P: FacePolynomial>(polynomial: &P, local: Minimum) -> Search {
    let offset = polynomial.offset(local.xi);
    if local.converged
        && is_behind_plane(polynomial, offset, threshold(0.5 * offset.norm_squared(), size(polynomial)))
    {
        return Search { minimum: local, cells: 0 };
    }
    let mut search = BranchAndBound {
        polynomial,
        size: size(polynomial),
        xi: local.xi,
        objective: 0.5 * offset.norm_squared(),
        iterations: local.iterations,
    };
    let mut stack = [(Cell::WHOLE, 0); MAX_DEPTH + 1];
    let (mut count, mut cells, mut complete) = (1, 0, true);
    while count > 0 {
        count -= 1;
        let (cell, depth) = stack[count];
        let part = polynomial.part(&cell);
        let known = if depth == 0 && local.converged { Some(local.xi) } else { None };
        if search.is_done_with(&part, &cell, known) {
            continue;
        }
        if depth == MAX_DEPTH {
            continue; // the cell is smaller than the rounding of natural coordinates
        }
        if cells >= MAX_CELLS {
            complete = false;
            break;
        }
        cells += 2;
        let [near, far] = search.halves(&part, &cell);
        stack[count] = (far, depth + 1);
        stack[count + 1] = (near, depth + 1);
        count += 2;
    }
    search.polish();
    let BranchAndBound { xi, iterations, objective, .. } = search;
    Search { minimum: Minimum { xi, iterations, converged: complete && objective.is_finite() }, cells }
}

struct BranchAndBound<'a, P> {
    polynomial: &'a P,
    size: f64,
    xi: [f64; 2],
    objective: f64,
    iterations: u32,
}

impl<P: FacePolynomial> BranchAndBound<'_, P> {
    /// Whether a bound proves that no point of a cell is closer than the best point by more than the tolerance; also
    /// `true` if the bound is NaN. A closer point found during this test replaces the best point.
    ///
    /// `part`: the polynomial over the cell; `known`: a point that satisfies the optimality conditions on the cell.
    fn is_done_with(&mut self, part: &P, cell: &Cell, known: Option<[f64; 2]>) -> bool {
        if is_behind_plane(part, self.polynomial.offset(self.xi), self.threshold(0.0)) {
            return true;
        }
        let bounds = part.bounds(self.objective);
        let noise = NOISE * bounds.greatest_value;
        if bounds.least_value >= self.threshold(noise) || bounds.least_value.is_nan() {
            return true;
        }
        // −½ α δ²: a lower bound on F(ξ) − F(ξ*) for ξ in the cell.
        let sag = 0.5 * diameter_squared::<P>() * (bounds.least_curvature - 12.0 * noise).min(0.0);
        let (xi, converged) = match known {
            Some(xi) => (xi, true),
            None => {
                let local = Sqp { hessian: Hessian::Exact }.minimise(part, P::DOMAIN.centre);
                self.iterations += local.iterations;
                (local.xi, local.converged)
            }
        };
        let objective = self.improve(part, cell, xi);
        (converged && objective + sag >= self.threshold(64.0 * noise))
            || is_behind_plane(part, part.offset(xi), self.threshold(noise))
    }

    /// A cell is discarded if its lower bound on F is at least this value. The rounding error `noise` of F lowers the
    /// value.
    fn threshold(&self, noise: f64) -> f64 {
        threshold(self.objective, self.size) - noise
    }

    /// Replaces the best point by `xi`, given in natural coordinates of the cell, if F is lower at `xi` by more than
    /// the rounding error of F. Returns F at `xi`.
    fn improve(&mut self, part: &P, cell: &Cell, xi: [f64; 2]) -> f64 {
        let objective = 0.5 * part.offset(xi).norm_squared();
        if objective < (1.0 - NOISE) * self.objective {
            (self.objective, self.xi) = (objective, P::DOMAIN.project(cell.at(xi)));
        }
        objective
    }

    fn polish(&mut self) {
        let local = Sqp { hessian: Hessian::Exact }.minimise(self.polynomial, self.xi);
        self.iterations += local.iterations;
        if 0.5 * self.polynomial.offset(local.xi).norm_squared() < self.objective {
            self.xi = local.xi;
        }
    }

    /// Bisects a cell across the side that is longest in space. The half whose centre is closer to the query is first.
    fn halves(&self, part: &P, cell: &Cell) -> [Cell; 2] {
        let halves = if P::DOMAIN.corners.len() == 3 {
            halves_of_triangle(part, cell)
        } else {
            halves_of_rectangle(part, cell)
        };
        let [first, second] =
            halves.map(|half| self.polynomial.offset(half.at(P::DOMAIN.centre)).norm_squared());
        if first <= second { halves } else { [halves[1], halves[0]] }
    }
}

#[inline]
fn threshold(objective: f64, size: f64) -> f64 {
    let tolerance = TOLERANCE * size;
    objective - tolerance * ((2.0 * objective).sqrt() + 0.5 * tolerance)
}

/// Whether the control points prove F ≥ `threshold`, by their least projection onto the direction of `offset`.
#[inline]
fn is_behind_plane<P: FacePolynomial>(part: &P, offset: Vec3, threshold: f64) -> bool {
    let distance = part.least_along(&(offset / offset.norm())).max(0.0);
    0.5 * distance * distance >= threshold
}

fn size<P: FacePolynomial>(polynomial: &P) -> f64 {
    let first = polynomial.offset(P::DOMAIN.corners[0]);
    let nodes = P::DOMAIN.corners.iter().chain(P::OTHER_NODES);
    nodes.map(|&xi| (polynomial.offset(xi) - first).norm()).fold(0.0, f64::max)
}

fn diameter_squared<P: FacePolynomial>() -> f64 {
    match P::DOMAIN.corners.len() {
        2 => 4.0,
        3 => 2.0,
        _ => 8.0,
    }
}

/// Bisects a line that is straight in natural coordinates; returns the sum of the squared chords of both halves.
fn length_squared<P: FacePolynomial>(part: &P, from: [f64; 2], to: [f64; 2]) -> f64 {
    let middle = part.offset([0, 1].map(|i| 0.5 * (from[i] + to[i])));
    (part.offset(from) - middle).norm_squared() + (part.offset(to) - middle).norm_squared()
}

fn halves_of_rectangle<P: FacePolynomial>(part: &P, cell: &Cell) -> [Cell; 2] {
    let [mut along, mut across] = [0.0, 0.0];
    for s in [-1.0, 0.0, 1.0] {
        along += length_squared(part, [-1.0, s], [1.0, s]);
        across += length_squared(part, [s, -1.0], [s, 1.0]);
    }
    let axis = if P::DOMAIN.dimension() == 1 || along >= across { 0 } else { 1 };
    [-0.5, 0.5].map(|side| {
        let mut half = *cell;
        half.axes[axis] = cell.axes[axis].map(|x| 0.5 * x);
        half.origin = [0, 1].map(|i| cell.origin[i] + side * cell.axes[axis][i]);
        half
    })
}

/// Bisects from the midpoint of the longest edge to the opposite corner.
fn halves_of_triangle<P: FacePolynomial>(part: &P, cell: &Cell) -> [Cell; 2] {
    let corners = [0, 1, 2].map(|k| P::DOMAIN.corners[k]);
    let length = |k: usize| length_squared(part, corners[k], corners[(k + 1) % 3]);
    let lengths = [length(0), length(1), length(2)];
    let longest = if lengths[0] >= lengths[1].max(lengths[2]) {
        0
    } else if lengths[1] >= lengths[2] {
        1
    } else {
        2
    };
    let ends = [corners[longest], corners[(longest + 1) % 3]].map(|xi| cell.at(xi));
    let apex = cell.at(corners[(longest + 2) % 3]);
    let middle = [0, 1].map(|i| 0.5 * (ends[0][i] + ends[1][i]));
    ends.map(|end| Cell {
        origin: apex,
        axes: [[0, 1].map(|i| end[i] - apex[i]), [0, 1].map(|i| middle[i] - apex[i])],
    })
}
