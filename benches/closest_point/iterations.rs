//! Iterations and times over the lattices of Aragón, Yastrebov & Molinari 2013, next to the published values.

use std::fs;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;

use ictus::contact::detection::face::closest_point::minimisation::sqp::Hessian;
use ictus::contact::detection::face::closest_point::{
    Domain, Method, Sqp, Start, closest_point, local_minimum,
};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::common::{Timing, heading, mean_and_deviation, measure, repetitions, report};
use crate::study::{APPROACHES, Approach, Case, Iterations, PLANE, SPACE};

/// Number of lines of a lattice: 100 give the 10 000 points of the paper. A run as a test has fewer.
fn lines() -> u32 {
    if repetitions(2) == 1 { 20 } else { 100 }
}

fn time_of(approach: Approach, case: &Case, lattice: &[Vec3]) -> Timing {
    let nodes = case.points();
    // Each timing covers one row of the lattice and is therefore short. Other programs then leave some of the
    // repetitions undisturbed.
    let rows = lattice.chunks(lattice.len().isqrt()).map(|row| {
        measure(row.len(), repetitions(7), || {
            for query in row {
                black_box(approach.solve(case.kind, &nodes, query));
            }
        })
    });
    let count = lattice.len().isqrt() as f64;
    let rows: Vec<Timing> = rows.collect();
    let sum = |of: fn(&Timing) -> f64| rows.iter().map(of).sum::<f64>() / count;
    let deviation = mean_and_deviation(&rows.iter().map(|row| row.minimum).collect::<Vec<_>>())[1];
    Timing {
        minimum: sum(|row| row.minimum),
        median: sum(|row| row.median),
        mean: [sum(|row| row.mean[0]), deviation],
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.1}"))
}

/// Prints table I of Aragón, Yastrebov & Molinari 2013 with our values.
pub fn table_of_the_plane() {
    let count = lines() * lines();
    println!(
        "\niterations over lattices of {count} points in the plane of the face, and the time of a minimisation"
    );
    println!(
        "(here | Aragón, Yastrebov & Molinari 2013, table I | an independent implementation on these faces)"
    );
    print!("{:<26}", "");
    PLANE.iter().for_each(|case| print!("{:^28}", case.kind.name()));
    println!();
    for approach in APPROACHES {
        let published = approach.published();
        let (mut counts, mut times) = (String::new(), String::new());
        for (k, case) in PLANE.iter().enumerate() {
            let lattice = case.lattice(lines());
            let iterations = Iterations::count(approach, case, &lattice);
            let paper = optional(published.iterations[k]);
            let [mean, deviation] = iterations.mean_and_deviation();
            counts +=
                &format!("{mean:>6.2} ± {deviation:<4.2} |{paper:>5} |{:>5.1}   ", published.independent[k]);
            let timing = time_of(approach, case, &lattice);
            let (micros, deviation) = (timing.minimum * 1e-3, timing.mean[1] * 1e-3);
            let paper = optional(published.microseconds[k]);
            times += &format!("{micros:>6.3} ± {deviation:<5.3}|{paper:>5} µs      ");
        }
        println!("{:<26}{counts}\n{:<26}{times}", approach.label(), "");
    }
}

/// Prints the same table for the plane x₃ = 2. The paper gives mean times of 6.7 µs (SQP) and 5.8 µs (active set) for
/// this plane.
pub fn table_of_space() {
    println!(
        "\niterations over lattices in the plane x3 = 2, [-4, 4]², above a triangle whose right side is at x3 = 1"
    );
    println!(
        "(mean ± standard deviation, most, time; Aragón, Yastrebov & Molinari 2013: SQP 6.7 µs, active set 5.8 µs)"
    );
    for approach in APPROACHES {
        print!("{:<26}", approach.label());
        for case in &SPACE {
            let lattice = case.lattice(lines());
            let iterations = Iterations::count(approach, case, &lattice);
            let micros = time_of(approach, case, &lattice).minimum * 1e-3;
            let [mean, deviation] = iterations.mean_and_deviation();
            let (name, most) = (case.kind.name(), iterations.most());
            print!("{name:>8}{mean:>6.2} ± {deviation:<4.2}{most:>4}{micros:>8.3} µs");
        }
        println!();
    }
}

/// Prints the numbers of lattice points for which a method fails to converge, or finds a local minimum that is not the
/// global one.
pub fn failures() {
    println!(
        "\npoints of the lattices without convergence, and with a local minimum that is not the closest point"
    );
    println!("(Aragón, Yastrebov & Molinari 2013, §5.1: the interior point fails from some, not counted)");
    print!("{:<26}", "");
    PLANE.iter().for_each(|case| print!("{:^16}", case.kind.name()));
    println!();
    for approach in APPROACHES {
        print!("{:<26}", approach.label());
        for case in &PLANE {
            let nodes = case.points();
            let (mut lost, mut missed) = (0, 0);
            for query in &case.lattice(lines()) {
                let found = approach.solve(case.kind, &nodes, query).filter(|found| found.converged);
                let Some(found) = found else {
                    lost += 1;
                    continue;
                };
                let global = closest_point(Method::Auto, Start::Nearest, case.kind, &nodes, query);
                let distance = (case.at(found.xi) - query).norm();
                missed += usize::from(distance > global.distance_squared.sqrt() + 1e-8 * case.half_width);
            }
            print!("{lost:>7} {missed:>7} ");
        }
        println!();
    }
}

/// The border of a face as a closed polygon.
fn outline(case: &Case) -> Vec<Vec3> {
    const PARTS: u32 = 20;
    let corners = Domain::of(case.kind).map_or([].as_slice(), |domain| domain.corners);
    let on_edge = |k: usize| {
        let (from, to) = (corners[k % corners.len()], corners[(k + 1) % corners.len()]);
        (0..=PARTS).map(move |part| {
            let t = f64::from(part) / f64::from(PARTS);
            [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])]
        })
    };
    (0..corners.len()).flat_map(on_edge).map(|xi| case.at(xi)).collect()
}

/// Prints the row "distance" of Aragón & Molinari 2014, table 1: the distance from a corner of one triangle to the
/// other triangle of a pair. In about half of the pairs the triangles overlap.
pub fn row_of_distances(pairs: &[[[Vec3; 3]; 2]]) {
    heading(
        "distance of a point to a triangle (Aragón & Molinari 2014, table 1: 20 457 ns, 12 [5, 29] iterations)",
    );
    let bfgs = Approach::BfgsCentre;
    let solve = |[a, b]: &[[Vec3; 3]; 2]| bfgs.solve(CellKind::Tri3, a, &b[0]);
    let counts = Iterations(pairs.iter().filter_map(&solve).map(|m| m.iterations).collect());
    row(&format!("SQP with BFGS iterated, {}", counts.described()), pairs, |pair| {
        black_box(solve(pair));
    });
    let sqp = Sqp { hessian: Hessian::Exact };
    row("SQP as the program has it, 1 [1, 1]", pairs, |[a, b]| {
        black_box(local_minimum(&sqp, Start::Nearest, CellKind::Tri3, a, &b[0]));
    });
    let interior = |[a, b]: &[[Vec3; 3]; 2]| Approach::InteriorPoint.solve(CellKind::Tri3, a, &b[0]);
    let counts = Iterations(pairs.iter().filter_map(&interior).map(|m| m.iterations).collect());
    row(&format!("interior point, {}", counts.described()), pairs, |pair| {
        black_box(interior(pair));
    });
}

fn row(label: &str, pairs: &[[[Vec3; 3]; 2]], work: impl Fn(&[[Vec3; 3]; 2])) {
    let timing = measure(pairs.len(), repetitions(30), || pairs.iter().for_each(&work));
    report(label, "distance", timing);
}

/// Writes the iterations at each lattice point, and the borders of the faces, as CSV.
pub fn write_maps(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut outlines = fs::File::create(directory.join("outlines.csv"))?;
    writeln!(outlines, "face,x,y")?;
    let cases = PLANE
        .iter()
        .map(|case| (case, String::new()))
        .chain(SPACE.iter().map(|case| (case, "_in_space".to_owned())));
    for (case, suffix) in cases {
        let name = format!("{}{suffix}", case.kind.name());
        for point in outline(case) {
            writeln!(outlines, "{name},{},{}", point.x, point.y)?;
        }
        let lattice = case.lattice(100);
        let columns = APPROACHES.map(|approach| Iterations::count(approach, case, &lattice));
        let mut file = io::BufWriter::new(fs::File::create(directory.join(format!("{name}.csv")))?);
        writeln!(file, "x,y,{}", APPROACHES.map(Approach::name).join(","))?;
        for (k, query) in lattice.iter().enumerate() {
            let counts: Vec<_> = columns.iter().map(|column| column.0[k].to_string()).collect();
            writeln!(file, "{},{},{}", query.x, query.y, counts.join(","))?;
        }
    }
    Ok(())
}
