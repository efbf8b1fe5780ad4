//! Distance fields in the frames.

use ictus::math::Vec3;

use super::Folder;
use super::volumes::{read, values, vectors};

/// Two blocks. The value at each node is the distance from the nearest of the six sides of the block that contains the
/// node, to 1e-15 m. The length of the gradient is at most 1, to 1e-12. The second frame repeats the distances of the
/// first.
#[test]
fn frames_have_the_distance_of_each_block() {
    let folder = Folder::with_impact();
    let fields = "output.fields=[\"displacement\", \"distance\", \"distance-gradient\"]";
    folder.run(&["run", "impact.toml", "-q", "--output", "out", "--set", fields]).succeeds();
    let first = read(&folder.path("out/frames/impact_000000.vtu"));
    let distances = values(&first.data.point, "distance");
    let gradients = vectors(&values(&first.data.point, "distance_gradient"));
    let points = vectors(&first.points.clone().into_vec::<f64>().unwrap());
    for block in [0..343, 343..points.len()] {
        let of_block = &points[block.clone()];
        let corner = |pick: fn(f64, f64) -> f64, start| {
            of_block.iter().fold(Vec3::repeat(start), |corner, point| corner.zip_map(point, pick))
        };
        let (low, high) = (corner(f64::min, f64::INFINITY), corner(f64::max, f64::NEG_INFINITY));
        let mut inside = 0;
        for node in block {
            let expected = (points[node] - low).min().min((high - points[node]).min());
            assert!((distances[node] - expected).abs() < 1e-15, "{} for {expected}", distances[node]);
            assert!(gradients[node].norm() < 1.0 + 1e-12);
            inside += usize::from(expected > 1e-6);
        }
        assert!(inside > 100);
    }
    let last = read(&folder.path("out/frames/impact_000001.vtu"));
    assert_eq!(values(&last.data.point, "distance"), distances);
}
