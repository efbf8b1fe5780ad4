//! Volumes never exclude sets that share a point, and tighter volumes exclude more pairs.

use super::*;
use crate::detection::samples::Samples;
use crate::math::Vec3;

/// A point, segment, triangle, quadrilateral or cloud of seven points, possibly degenerate, of size 1e-6 to 1e3.
fn point_set(s: &mut Samples) -> Vec<Vec3> {
    let count = s.pick(&[1, 2, 3, 3, 4, 4, 7]);
    let size = s.pick(&[1e-6, 1.0, 1.0, 1.0, 1e3]);
    let shape = s.pick(&[Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 1e-9, 0.0)]);
    let mut points: Vec<Vec3> = (0..count).map(|_| s.vector(size).component_mul(&shape)).collect();
    if s.uniform(0.0, 1.0) < 0.1 {
        points[count - 1] = points[0];
    }
    points
}

/// A random point of the hull of `points`.
fn point_of_hull(points: &[Vec3], s: &mut Samples) -> Vec3 {
    let weights: Vec<f64> = points.iter().map(|_| s.uniform(0.0, 1.0).powi(4) + 1e-300).collect();
    let total: f64 = weights.iter().sum();
    points.iter().zip(&weights).map(|(p, w)| p * (w / total)).sum()
}

/// Ball that contains the points and whose centre is their mean.
fn ball(points: &[Vec3]) -> Sphere {
    let centre = points.iter().sum::<Vec3>() / points.len() as f64;
    let radius = points.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max);
    Sphere { centre, radius: radius * (1.0 + 1e-12) + 1e-12 * centre.norm() }
}

/// For each kind of volume, its name and whether it excludes the pair.
fn exclusions(a: &[Vec3], b: &[Vec3], margin: f64) -> [(&'static str, bool); 7] {
    let (oriented_a, oriented_b) = (Obb::fit(a, margin), Obb::fit(b, margin));
    [
        ("box", Aabb::fit(a, margin).excludes(&Aabb::fit(b, margin))),
        ("8-DOP", Dop8::fit(a, margin).excludes(&Dop8::fit(b, margin))),
        ("14-DOP", Dop14::fit(a, margin).excludes(&Dop14::fit(b, margin))),
        ("18-DOP", Dop18::fit(a, margin).excludes(&Dop18::fit(b, margin))),
        ("26-DOP", Dop26::fit(a, margin).excludes(&Dop26::fit(b, margin))),
        ("oriented box, faces", oriented_a.excludes_by_faces(&oriented_b)),
        ("oriented box", oriented_a.excludes(&oriented_b)),
    ]
}

#[test]
fn sets_within_their_margins_are_never_excluded() {
    let mut s = Samples::new(4);
    let mut excluded_just_beyond = [0; 7];
    for case in 0..20_000 {
        let (a, mut b) = (point_set(&mut s), point_set(&mut s));
        let margin = s.pick(&[0.0, 1e-3, 0.5]);
        let place = s.direction() * s.pick(&[0.0, 1.0, 1e5]);
        let size = a.iter().chain(&b).map(|p| p.norm()).fold(place.norm(), f64::max) + margin;
        let offset = point_of_hull(&a, &mut s) - point_of_hull(&b, &mut s);
        // A point of b has a distance of twice the margin from a point of a, minus the rounding error of this shift.
        let reach = s.direction() * (2.0 * margin * (1.0 - 1e-15));
        b.iter_mut().for_each(|p| *p += offset + reach + place);
        let a: Vec<Vec3> = a.iter().map(|p| p + place).collect();
        let slack = 16.0 * f64::EPSILON * size;
        for (name, excluded) in exclusions(&a, &b, margin + slack) {
            assert!(!excluded, "case {case}: {name} excludes sets that touch: {a:?} {b:?} {margin}");
        }
        let apart: Vec<Vec3> = b.iter().map(|p| p + Vec3::new(8.0, 5.0, 9.0) * (4.0 * size)).collect();
        for (count, (_, excluded)) in excluded_just_beyond.iter_mut().zip(exclusions(&a, &apart, margin)) {
            *count += usize::from(excluded);
        }
    }
    assert!(excluded_just_beyond.iter().all(|&count| count > 17_000), "{excluded_just_beyond:?}");
}

/// Bounds are signed: a triangle on the positive side of the origin is tested against its mirror image on the negative
/// side.
#[test]
fn bodies_on_both_sides_of_the_origin() {
    let a = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 1.0, 4.0), Vec3::new(1.5, 3.0, 2.0)];
    let b = a.map(|p| -p);
    for (name, excluded) in exclusions(&a, &b, 0.1) {
        assert!(excluded, "{name}");
    }
}

#[test]
fn tighter_with_every_rung() {
    let mut s = Samples::new(5);
    let mut counts = [0; 7];
    for _ in 0..20_000 {
        let triangle = |s: &mut Samples, at: Vec3| [0; 3].map(|_| s.vector(1.0) + at);
        let at = s.vector(1.5);
        let (a, b) = (triangle(&mut s, Vec3::zeros()), triangle(&mut s, at));
        let excluded = exclusions(&a, &b, 0.01).map(|(_, excluded)| excluded);
        let [aabb, dop8, dop14, dop18, dop26, faces, oriented] = excluded;
        assert!(!dop8 || dop18);
        assert!((!aabb || (dop14 && dop18)) && (!(dop14 || dop18) || dop26) && (!faces || oriented));
        counts.iter_mut().zip(excluded).for_each(|(count, excluded)| *count += usize::from(excluded));
    }
    let [aabb, dop8, dop14, dop18, dop26, faces, oriented] = counts;
    assert!(
        dop8 < dop18 && aabb < dop14 && dop14 < dop26 && dop18 < dop26 && aabb < faces && faces < oriented,
        "{counts:?}"
    );
}

/// Mean ratio of the volume of a polytope to the volume of the axis-aligned box, for triangles with uniformly
/// distributed corners in a cube. An independent program gives 0.375 (14 sides), 0.299 (18 sides) and 0.227 (26 sides).
#[test]
fn mean_volume_of_the_polytopes() {
    let mut s = Samples::new(6);
    let mut inside = [0.0_f64; 3];
    for _ in 0..4000 {
        let points = [0; 3].map(|_| s.vector(0.5));
        let aabb = Aabb::fit(&points, 0.0);
        let extent = aabb.upper - aabb.lower;
        let dops = (Dop14::fit(&points, 0.0), Dop18::fit(&points, 0.0), Dop26::fit(&points, 0.0));
        for _ in 0..50 {
            let x = [aabb.lower + (s.vector(0.5).add_scalar(0.5)).component_mul(&extent)];
            inside[0] += if dops.0.excludes(&Dop14::fit(&x, 0.0)) { 0.0 } else { 1.0 / (4000.0 * 50.0) };
            inside[1] += if dops.1.excludes(&Dop18::fit(&x, 0.0)) { 0.0 } else { 1.0 / (4000.0 * 50.0) };
            inside[2] += if dops.2.excludes(&Dop26::fit(&x, 0.0)) { 0.0 } else { 1.0 / (4000.0 * 50.0) };
        }
    }
    for (volume, expected) in inside.iter().zip([0.375, 0.299, 0.227]) {
        assert!((volume - expected).abs() < 0.01, "{volume} for {expected}");
    }
}

#[test]
fn oriented_boxes_hold_their_points_and_fit_flat_faces() {
    let mut s = Samples::new(8);
    for _ in 0..5000 {
        let points = point_set(&mut s);
        let fitted = Obb::fit(&points, 0.0);
        for k in 0..3 {
            for l in 0..3 {
                let expected = if k == l { 1.0 } else { 0.0 };
                assert!((fitted.axes()[k].dot(&fitted.axes()[l]) - expected).abs() < 1e-12, "{points:?}");
            }
            for p in &points {
                assert!((p - fitted.centre).dot(&fitted.axes()[k]).abs() <= fitted.half.0[k]);
            }
        }
    }
    let tilted = [[0.0, 0.0, 0.0], [2.0, 0.0, 2.0], [2.0, 1.0, 2.0], [0.0, 1.0, 0.0]].map(Vec3::from);
    let fitted = Obb::fit(&tilted, 0.0);
    let half = [2.0_f64.sqrt(), 0.5, 0.0];
    assert!((0..3).all(|k| (fitted.half.0[k] - half[k]).abs() < 1e-13), "{:?}", fitted.half);
    assert!((Obb::fit(&tilted, 0.25).half.0[2] - 0.25).abs() < 1e-13);
}

/// The test of all 15 axes agrees with explicit projections of both boxes on these axes.
#[test]
fn separating_axes_agree_with_projections() {
    let mut s = Samples::new(9);
    let mut by_edges_only = 0;
    for _ in 0..5000 {
        let cloud = |s: &mut Samples, at: Vec3| (0..6).map(|_| s.vector(1.0) + at).collect::<Vec<_>>();
        let at = s.vector(2.5);
        let (a, b) = (Obb::fit(&cloud(&mut s, Vec3::zeros()), 0.0), Obb::fit(&cloud(&mut s, at), 0.0));
        let mut axes: Vec<Vec3> = a.axes().into_iter().chain(b.axes()).collect();
        axes.extend(a.axes().into_iter().flat_map(|p| b.axes().map(|q| p.cross(&q).normalize())));
        let reach = |o: &Obb, n: &Vec3| (0..3).map(|k| o.half.0[k] * o.axes()[k].dot(n).abs()).sum::<f64>();
        let gap = |n: &Vec3| (b.centre - a.centre).dot(n).abs() - reach(&a, n) - reach(&b, n);
        let widest = axes.iter().map(gap).fold(f64::NEG_INFINITY, f64::max);
        let widest_of_faces = axes[..6].iter().map(gap).fold(f64::NEG_INFINITY, f64::max);
        if widest.abs() > 1e-9 && widest_of_faces.abs() > 1e-9 {
            assert_eq!(a.excludes(&b), widest > 0.0);
            assert_eq!(a.excludes_by_faces(&b), widest_of_faces > 0.0);
            by_edges_only += usize::from(widest > 0.0 && widest_of_faces < 0.0);
        }
    }
    assert!(by_edges_only > 50);
}

#[test]
fn the_ladder_tests_in_order_and_invalidates() {
    // Two parallel slanted segments: all balls and boxes overlap, but a diagonal slab separates the segments.
    let mut a = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 1.0, 1.0)];
    let b = [Vec3::new(0.3, 0.0, 0.0), Vec3::new(1.3, 1.0, 1.0)];
    let mut volumes = LeafVolumes::new(&[VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop18], 2);
    fn leaf(index: usize, points: &[Vec3]) -> Leaf<'_> {
        Leaf { index, sphere: ball(points), points, margin: 0.01 }
    }
    assert_eq!(volumes.excluded(&leaf(0, &a), &leaf(1, &b)), Some(2));
    a.iter_mut().for_each(|p| p.x += 0.3);
    assert_eq!(volumes.excluded(&leaf(0, &a), &leaf(1, &b)), Some(2), "the kept polytope is still in use");
    volumes.invalidate();
    assert_eq!(volumes.excluded(&leaf(0, &a), &leaf(1, &b)), None);
    a.iter_mut().for_each(|p| p.x += 9.0);
    assert_eq!(volumes.excluded(&leaf(0, &a), &leaf(1, &b)), Some(0));
    let mut tight = LeafVolumes::new(&[VolumeKind::Obb, VolumeKind::Dop26, VolumeKind::Dop14], 2);
    a.iter_mut().for_each(|p| p.x -= 9.3);
    assert_eq!(tight.excluded(&leaf(0, &a), &leaf(1, &b)), Some(0));
}

#[test]
fn ladders_agree_on_pairs_of_one_tree() {
    let mut s = Samples::new(10);
    let faces: Vec<[Vec3; 3]> = (0..60)
        .map(|_| {
            let at = s.vector(2.0);
            [0; 3].map(|_| s.vector(0.7) + at)
        })
        .collect();
    let kinds = [
        VolumeKind::Sphere,
        VolumeKind::Aabb,
        VolumeKind::Dop8,
        VolumeKind::Dop14,
        VolumeKind::Dop18,
        VolumeKind::Dop26,
        VolumeKind::Obb,
    ];
    let mut volumes = LeafVolumes::new(&kinds, faces.len());
    let mut rungs = [0; 8];
    let leaf =
        |index: usize| Leaf { index, sphere: ball(&faces[index]), points: &faces[index], margin: 0.01 };
    for i in 0..faces.len() {
        for j in 0..i {
            let rung = volumes.excluded(&leaf(i), &leaf(j));
            rungs[rung.unwrap_or(7)] += 1;
            let any = exclusions(&faces[i], &faces[j], 0.01).iter().any(|e| e.1);
            assert!(rung == Some(0) || rung.is_some() == any);
        }
    }
    assert!(rungs[0] > 0 && rungs[1] > 0 && rungs[2] > 0 && rungs[3] > 0 && rungs[7] > 0, "{rungs:?}");
}

/// Cross products of axes that are parallel up to rounding must not separate boxes that overlap.
#[test]
fn nearly_parallel_boxes_are_not_separated_by_noise() {
    let mut s = Samples::new(11);
    for _ in 0..20_000 {
        let cloud: Vec<Vec3> = (0..5).map(|_| s.vector(1.0)).collect();
        let mut a = Obb::fit(&cloud, 0.0);
        let mut b = a;
        let tilt = s.pick(&[0.0, 1e-16, 1e-15, 1e-14]);
        b.set_axes(&b.axes().map(|axis| axis + s.vector(tilt)));
        let thin = s.pick(&[1.0, 1.0, 1e-3]);
        a.half.0 = [s.uniform(0.5, 1.0), s.uniform(0.0, thin), s.uniform(0.0, thin), 0.0];
        b.half.0 = [s.uniform(0.5, 1.0), s.uniform(0.0, thin), s.uniform(0.0, thin), 0.0];
        for k in 0..3 {
            b.centre += a.axes()[k] * ((a.half.0[k] + b.half.0[k]) * s.uniform(-0.999, 0.999));
        }
        assert!(!a.excludes(&b) && !a.excludes_by_faces(&b), "{a:?} {b:?}");
    }
}
