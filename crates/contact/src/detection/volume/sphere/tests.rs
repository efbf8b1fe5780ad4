use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::random::Random;

fn vec3(scale: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-scale..scale).prop_map(Vec3::from)
}

/// Tolerance \[m\]: a multiple of the rounding error of the coordinates of the points.
fn rounding(points: &[Vec3]) -> f64 {
    16.0 * f64::EPSILON * points.iter().map(|p| p.norm()).fold(0.0, f64::max)
}

/// Sets of points of three types: in general position, on a coarse lattice (with coincident, collinear or cospherical
/// points), and far from the origin.
fn clouds(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec3>> {
    let lattice = prop::array::uniform3(-2..3).prop_map(|p| Vec3::from(p.map(f64::from)));
    prop_oneof![
        prop::collection::vec(vec3(1.0), count.clone()),
        prop::collection::vec(lattice, count.clone()),
        prop::collection::vec(vec3(1e-3).prop_map(|p| p + Vec3::new(1e3, -2e3, 5e2)), count),
    ]
}

/// Radius of the smallest ball. Each set of up to four points is the support of a ball. The result is the least radius
/// of those balls that contain all points. A general linear solver gives the balls.
fn minimum_radius_by_enumeration(points: &[Vec3]) -> f64 {
    let mut balls = points.iter().map(|p| (*p, 0.0)).collect::<Vec<_>>();
    let n = points.len();
    for a in 0..n {
        for b in a + 1..n {
            balls.push(((points[a] + points[b]) / 2.0, (points[a] - points[b]).norm() / 2.0));
            for c in b + 1..n {
                let (u, v) = (points[b] - points[a], points[c] - points[a]);
                let normal = u.cross(&v);
                // The centre has equal distances from a, b and c, and lies in their plane.
                let rows = Matrix3::from_rows(&[u.transpose(), v.transpose(), normal.transpose()]);
                let right = Vector3::new(u.norm_squared() / 2.0, v.norm_squared() / 2.0, 0.0);
                if normal.norm() > 1e-9 * u.norm() * v.norm()
                    && let Some(offset) = rows.lu().solve(&right)
                {
                    balls.push((points[a] + offset, offset.norm()));
                }
                for d in c + 1..n {
                    let w = points[d] - points[a];
                    let rows = Matrix3::from_rows(&[u.transpose(), v.transpose(), w.transpose()]);
                    let right = Vector3::new(right.x, right.y, w.norm_squared() / 2.0);
                    if let Some(offset) = rows.lu().solve(&right) {
                        balls.push((points[a] + offset, offset.norm()));
                    }
                }
            }
        }
    }
    let holds_all = |(centre, radius): &(Vec3, f64)| {
        points.iter().all(|p| (p - centre).norm() <= radius * (1.0 + 1e-9) + rounding(points))
    };
    balls.into_iter().filter(holds_all).map(|ball| ball.1).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn minimum_ball_is_the_smallest_of_all_supports(points in clouds(1..9)) {
        let ball = MinimumBall::of(&points).unwrap();
        for point in &points {
            prop_assert!(ball.sphere.contains(point));
        }
        let exact = minimum_radius_by_enumeration(&points);
        prop_assert!(ball.sphere.radius <= exact * (1.0 + 1e-7) + 3.0 * rounding(&points), "{} {exact}", ball.sphere.radius);
    }

    #[test]
    fn weights_of_the_support_make_the_centre(points in clouds(1..30)) {
        let ball = MinimumBall::of(&points).unwrap();
        let weights: Vec<(usize, f64)> = ball.support().collect();
        let total: f64 = weights.iter().map(|w| w.1).sum();
        let centre: Vec3 = weights.iter().map(|&(point, weight)| points[point] * weight).sum();
        prop_assert!(weights.iter().all(|w| w.1 >= 0.0));
        prop_assert!((total - 1.0).abs() < 1e-14);
        prop_assert!((centre - ball.sphere.centre).norm() <= 3.0 * rounding(&points));
    }

    #[test]
    fn quick_fits_hold_every_point_and_are_no_smaller_than_the_minimum(points in clouds(1..200)) {
        let minimum = MinimumBall::of(&points).unwrap().sphere.radius;
        let fits = [
            Sphere::ritter(&points),
            Sphere::epos(&points, Directions::Axes),
            Sphere::epos(&points, Directions::Diagonals),
            Sphere::epos(&points, Directions::FaceDiagonals),
        ];
        for (fit, excess) in fits.into_iter().zip([0.5, 0.3, 0.2, 0.2]) {
            let fit = fit.unwrap();
            for point in &points {
                prop_assert!(fit.contains(point));
            }
            prop_assert!(fit.radius >= minimum * (1.0 - 1e-9));
            prop_assert!(fit.radius <= minimum * (1.0 + excess) + rounding(&points), "{} {minimum}", fit.radius);
        }
    }

    #[test]
    fn joint_sphere_is_the_smallest_that_holds_both(
        (c1, c2) in (vec3(1.0), vec3(1.0)),
        (r1, r2) in (0.0..2.0, 0.0..2.0),
        (shift, direction) in (vec3(1e4), vec3(1.0)),
    ) {
        let a = Sphere { centre: c1 + shift, radius: r1 };
        let b = Sphere { centre: c2 + shift, radius: r2 };
        let joint = a.joint(&b);
        let size = a.centre.norm().max(b.centre.norm()) + r1.max(r2);
        let direction = direction.normalize();
        for sphere in [&a, &b] {
            let away = (sphere.centre - joint.centre).try_normalize(0.0).unwrap_or(direction);
            for towards in [away, direction] {
                // The sampled point of the surface has a rounding error of about one unit in the last place of its
                // coordinates.
                let inside = sphere.radius * (1.0 - 1e-15) - 2.0 * f64::EPSILON * size;
                let point = sphere.centre + towards * inside.max(0.0);
                prop_assert!(joint.contains(&point));
            }
        }
        let rounding = 64.0 * f64::EPSILON * size;
        prop_assert!(joint.radius <= a.joint_radius(&b) + rounding);
        prop_assert_eq!(a.joint_radius(&b).to_bits(), b.joint_radius(&a).to_bits());
        let other_way = b.joint(&a);
        prop_assert!((joint.centre - other_way.centre).norm() < rounding);
    }

    #[test]
    fn joint_radius_is_reducible(
        centres in prop::array::uniform3(vec3(1.0)),
        radii in prop::array::uniform3(0.0..1.0),
    ) {
        let [a, b, c] = [0, 1, 2].map(|i| Sphere { centre: centres[i], radius: radii[i] });
        let with_both = a.joint_radius(&b.joint(&c));
        prop_assert!(with_both >= a.joint_radius(&b).max(a.joint_radius(&c)) * (1.0 - 1e-14));
    }
}

#[test]
fn rounding_never_lets_a_point_of_a_joint_sphere_out() {
    // The joint sphere of two spheres of radius zero must contain both points, at any position.
    let mut random = Random(1);
    let mut next = || random.unit() - 0.5;
    for exponent in -6..12 {
        for _ in 0..500 {
            let base = Vec3::from_fn(|_, _| next()) * 10_f64.powi(exponent);
            let [p, q] = [0; 2].map(|_| base + Vec3::from_fn(|_, _| next()));
            let joint = Sphere { centre: p, radius: 0.0 }.joint(&Sphere { centre: q, radius: 0.0 });
            assert!(joint.contains(&p) && joint.contains(&q), "{p} {q}");
        }
    }
}

#[test]
fn no_points_have_no_sphere() {
    assert!(MinimumBall::of(&[]).is_none());
    assert!(Sphere::ritter(&[]).is_none());
    assert!(Sphere::epos(&[], Directions::Diagonals).is_none());
}

#[test]
fn points_that_are_no_numbers_end() {
    let points = [Vec3::new(f64::NAN, 0.0, 0.0), Vec3::zeros(), Vec3::new(f64::INFINITY, 1.0, 0.0)];
    for k in 0..3 {
        let mut rotated = points.to_vec();
        rotated.rotate_left(k);
        rotated.extend((0..30).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)));
        MinimumBall::of(&rotated);
        Sphere::epos(&rotated, Directions::Diagonals);
        Sphere::ritter(&rotated);
    }
}

#[test]
fn minimum_ball_of_a_regular_tetrahedron() {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
    let ball = MinimumBall::of(&corners).unwrap();
    assert!((ball.sphere.radius - 3_f64.sqrt()).abs() < 1e-14);
    assert!(ball.support().all(|(_, weight)| (weight - 0.25).abs() < 1e-15));
    assert_eq!(ball.support().count(), 4);
}

#[test]
fn minimum_ball_of_an_obtuse_triangle_ignores_its_middle_corner() {
    let corners = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(0.1, 0.2, 0.0), Vec3::new(1.0, 0.0, 0.0)];
    let ball = MinimumBall::of(&corners).unwrap();
    assert!((ball.sphere.radius - 1.0).abs() < 1e-14);
    assert!(ball.support().all(|(corner, weight)| corner != 1 && weight == 0.5));
}

#[test]
fn more_directions_fit_tighter_on_average() {
    let mut random = Random(7);
    let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let mut excess = [0.0; 4];
    let num_clouds = 60;
    for _ in 0..num_clouds {
        let points: Vec<Vec3> = (0..400).map(|_| Vec3::from_fn(|_, _| normal())).collect();
        let minimum = MinimumBall::of(&points).unwrap().sphere.radius;
        let fits = [
            Sphere::ritter(&points),
            Sphere::epos(&points, Directions::Axes),
            Sphere::epos(&points, Directions::Diagonals),
            Sphere::epos(&points, Directions::FaceDiagonals),
        ];
        for (mean, fit) in excess.iter_mut().zip(fits) {
            *mean += (fit.unwrap().radius / minimum - 1.0) / f64::from(num_clouds);
        }
    }
    // Larsson 2008 found the same order of the methods.
    assert!(excess[0] > excess[1] && excess[1] > excess[2] && excess[2] > excess[3], "{excess:?}");
    assert!(excess[0] < 0.10 && excess[2] < 0.01 && excess[3] < 0.005, "{excess:?}");
}
