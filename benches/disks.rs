//! Many disks in the plane: growth of the cost of a step with the number of disks, for each detector.
//!
//! N elastic disks of `meshes/disk.msh` (48 triangles, 24 nodes on the circle) lie side by side in a box, with gaps of
//! 0.03 radii. The disks have random velocities. The response is energy–momentum, with one thread. The measured steps
//! follow the first contacts. Columns: seconds of detection and of the whole step, the ratio Λ of the time of detection
//! to the time of all other stages, and the number of contacts. The last table gives the seconds and Λ from the report
//! cited below, for sorted and unsorted detection (DEC Alpha, about 1997). The steps of the report are implicit, so its
//! Λ is not comparable. For each detector, the bench prints how the time of detection grows with N: the coefficients of
//! correlation with N log N and with N², and the exponent of N. The exponent is fitted to the logarithms, without the
//! smallest N.
//!
//! `scripts/disks_study.py` draws the rows that `-- --rows` prints.
//!
//! # Source
//! Petőcz & Armero, report UCB/SEMM-98/06, 1998, §7, Tables 2 and 3, Figures 10 and 11.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;

use std::fmt::Write;
use std::path::Path;

use common::repetitions;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

/// Times of the report per iteration \[s\]: number of bodies, sorted and unsorted detection, sorted and unsorted total.
const REPORT: [(usize, [f64; 2], [f64; 2]); 6] = [
    (13, [0.0085, 0.1244], [0.07, 0.29]),
    (53, [0.0361, 2.7050], [0.90, 3.60]),
    (104, [0.0732, 10.86], [1.80, 12.80]),
    (196, [0.1386, 40.38], [3.60, 44.23]),
    (400, [0.3030, f64::NAN], [7.64, f64::NAN]),
    (900, [0.7540, f64::NAN], [16.60, f64::NAN]),
];

const SIZES: [usize; 8] = [13, 53, 104, 196, 400, 900, 2500, 10_000];

/// Detectors with their keys, and the largest N for which each is measured.
const DETECTORS: [(&str, &str, usize); 5] = [
    ("sorting", "detection = \"sorting\"", 10_000),
    ("sorting in every step", "detection = \"sorting\"\nsort_every = 1", 10_000),
    ("buckets", "detection = \"buckets\"", 10_000),
    ("hierarchy", "detection = \"hierarchy\"", 10_000),
    ("all-pairs", "detection = \"all-pairs\"", 400),
];

/// Distance of the centres of neighbouring disks, in radii.
const SPACING: f64 = 2.03;

/// Means over the measured steps.
struct Row {
    size: usize,
    /// Times of detection and of the whole step \[s\].
    seconds: [f64; 2],
    contacts: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        ratio(self.seconds[0], self.seconds[1])
    }
}

/// Ratio of the time of detection to the time of all other stages.
fn ratio(detection: f64, total: f64) -> f64 {
    detection / (total - detection)
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let most = if repetitions(2) == 1 { 53 } else { usize::MAX };
    for (label, keys, largest) in DETECTORS {
        println!("\n{label}");
        println!("       N  detection [s]  step [s]       Λ  contacts");
        let sizes = SIZES.iter().filter(|&&size| size <= largest.min(most));
        let rows: Vec<Row> = sizes.map(|&size| pool.install(|| measure(size, keys, label))).collect();
        print_fits(&rows);
    }
    println!("\nthe report, sorted and unsorted\n       N  detection [s]  step [s]       Λ    unsorted");
    for (size, detection, total) in REPORT {
        println!(
            "{size:>8} {:>14.4} {:>9.2} {:>7.3} {:>9.4} {:>9.2} {:>7.2}",
            detection[0],
            total[0],
            ratio(detection[0], total[0]),
            detection[1],
            total[1],
            ratio(detection[1], total[1])
        );
    }
}

/// Scenario of N disks in rows and columns.
fn scenario(size: usize, keys: &str) -> String {
    let columns = (size as f64).sqrt().ceil() as usize;
    let side = SPACING * (columns + 1) as f64;
    let mut text = format!(
        "[time]\nend = 10.0\nsafety = 0.5\n[contact]\n{keys}\nresponse = \"energy-momentum\"\nstiffness = 1e4\n\
         [materials.elastic]\nmodel = \"neo-hookean\"\ndensity = 1.0\nyoung = 2666.6666666666667\npoisson = 0.3333333333333333\n"
    );
    for (name, point, normal) in [
        ("left", [0.0, 0.0], [1.0, 0.0]),
        ("right", [side, 0.0], [-1.0, 0.0]),
        ("bottom", [0.0, 0.0], [0.0, 1.0]),
        ("top", [0.0, side], [0.0, -1.0]),
    ] {
        let ([x, y], [a, b]) = (point, normal);
        writeln!(
            text,
            "[[walls]]\nname = \"{name}\"\npoint = [{x:?}, {y:?}, 0.0]\nnormal = [{a:?}, {b:?}, 0.0]"
        )
        .unwrap();
    }
    let mut seed = 1_u64;
    let mut speed = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for place in 0..size {
        let [x, y] = [place % columns, place / columns].map(|place| SPACING * (place + 1) as f64);
        writeln!(
            text,
            "[[bodies]]\nname = \"d{place}\"\nmesh = \"meshes/disk.msh\"\nmaterial = \"elastic\"\n\
             translate = [{x:?}, {y:?}, 0.0]\nvelocity = [{:?}, {:?}, 0.0]",
            speed(),
            speed()
        )
        .unwrap();
    }
    text
}

fn measure(size: usize, keys: &str, label: &str) -> Row {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("disks-of-the-bench.toml");
    let scenario = Scenario::parse(&scenario(size, keys), &place, &[]).unwrap();
    let mut simulation = Simulation::new(&scenario).unwrap();
    let slow = label == "all-pairs";
    let steps = |many| if slow { 3 } else { repetitions(many) };
    while simulation.first_contacts().is_empty() {
        simulation.advance(f64::INFINITY).unwrap();
    }
    for _ in 0..steps(100) {
        simulation.advance(f64::INFINITY).unwrap();
    }
    let before = *simulation.timings();
    let (count, mut contacts) = (steps(60), 0);
    for _ in 0..count {
        simulation.advance(f64::INFINITY).unwrap();
        contacts += simulation.constraints().len();
    }
    let after = simulation.timings();
    let detection = after.detection - before.detection;
    let others = after.response - before.response + after.internal_force - before.internal_force
        + after.critical_step
        - before.critical_step
        + after.integration
        - before.integration
        + after.account
        - before.account;
    let mean = |seconds: f64| seconds / count as f64;
    let row = Row {
        size,
        seconds: [mean(detection), mean(detection + others)],
        contacts: contacts as f64 / count as f64,
    };
    print_row(&row, &simulation);
    if std::env::args().any(|argument| argument == "--rows") {
        println!("row,{label},{size},{:e},{:e}", row.seconds[0], row.seconds[1]);
    }
    row
}

fn print_row(row: &Row, simulation: &Simulation) {
    let [detection, total] = row.seconds;
    print!("{:>8} {detection:>14.6} {total:>9.6} {:>7.3} {:>9.1}", row.size, row.ratio(), row.contacts);
    if row.size == SIZES[SIZES.len() - 1] {
        let nodes = simulation.state().positions.len();
        print!("   {:.1} steps a second, {} nodes", 1.0 / total, nodes);
        if let Some(bytes) = resident_bytes() {
            print!(", {:.0} bytes of memory a node", bytes / nodes as f64);
        }
    }
    println!();
}

/// Resident memory of the process \[B\]; `None` if the system does not report it.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024.0 * line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()?)
}

fn print_fits(rows: &[Row]) {
    if rows.len() < 3 {
        return;
    }
    let points = |f: fn(f64) -> f64| -> Vec<[f64; 2]> {
        rows.iter().map(|row| [f(row.size as f64), row.seconds[0]]).collect()
    };
    let logarithms: Vec<[f64; 2]> =
        rows.iter().map(|row| [(row.size as f64).ln(), row.seconds[0].ln()]).skip(1).collect();
    println!(
        "    detection: R of N log N {:.5}, of N² {:.5}; grows as N^{:.2} from N = {}",
        line(&points(|n| n * n.ln())).1,
        line(&points(|n| n * n)).1,
        line(&logarithms).0,
        rows[1].size
    );
    let ratios = rows.iter().filter(|row| (53..=900).contains(&row.size)).map(Row::ratio);
    let [least, most] =
        ratios.fold([f64::INFINITY, 0.0], |[a, b]: [f64; 2], ratio| [a.min(ratio), b.max(ratio)]);
    println!("    Λ from {least:.3} to {most:.3} for N of 53 to 900: {:.2} times", most / least);
}

/// Slope of the least-squares line through points, and the coefficient of correlation.
fn line(points: &[[f64; 2]]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / count;
    let [x, y] = [mean(0), mean(1)];
    let sum = |a: usize, b: usize| {
        let means = [x, y];
        points.iter().map(|point| (point[a] - means[a]) * (point[b] - means[b])).sum::<f64>()
    };
    (sum(0, 1) / sum(0, 0), sum(0, 1) / (sum(0, 0) * sum(1, 1)).sqrt())
}
