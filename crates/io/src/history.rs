//! `history.csv`: energies, momenta and contact forces over time, one row per instant.

use super::error::OutputError;
use super::table::{CsvTable, Tables, float};
use crate::math::Vec3;

const FILE_NAME: &str = "history.csv";
const COLUMNS: [&str; 21] = [
    "time",
    "step",
    "dt",
    "kinetic",
    "strain",
    "external_work",
    "contact_energy",
    "friction_dissipation",
    "plastic_dissipation",
    "hourglass_energy",
    "viscous_dissipation",
    "numerical_work",
    "total",
    "energy_error",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_momentum_x",
    "angular_momentum_y",
    "angular_momentum_z",
    "contacts",
];
const BODY_COLUMNS: [&str; 10] = [
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "kinetic",
    "centre_x",
    "centre_y",
    "centre_z",
    "contact_force_x",
    "contact_force_y",
    "contact_force_z",
];

/// Columns after the columns of the bodies.
const LAST_COLUMNS: [&str; 4] =
    ["kick", "energy_imbalance", "net_numerical_work", "mass_damping_dissipation"];

/// State of the model at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryRow {
    /// Time of the row \[s\].
    pub time: f64,
    /// Number of steps completed.
    pub step: u64,
    /// Length of the time step that ends at `time` \[s\].
    pub dt: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Strain energy \[J\].
    pub strain: f64,
    /// Work of gravity, loads and supports since the start \[J\].
    pub external_work: f64,
    /// Energy stored in the contacts \[J\].
    pub contact_energy: f64,
    /// Energy dissipated by friction since the start \[J\].
    pub friction_dissipation: f64,
    /// Energy dissipated by plastic flow since the start \[J\].
    pub plastic_dissipation: f64,
    /// Energy stored in hourglass control \[J\].
    pub hourglass_energy: f64,
    /// Energy dissipated by contact damping and inelastic impacts since the start \[J\].
    pub viscous_dissipation: f64,
    /// Energy added by the numerical method since the start \[J\], for example by position corrections and by changes
    /// of the contact stiffness.
    pub numerical_work: f64,
    /// Sum of kinetic, stored and dissipated energy, minus `numerical_work` \[J\].
    pub total: f64,
    /// |`energy_imbalance`|, divided by the largest value up to `time` of any of these: kinetic energy, strain energy,
    /// energy stored in the contacts, |external work| and rounding error of the energy \[-\].
    pub energy_error: f64,
    /// Linear momentum \[kg m/s\].
    pub momentum: Vec3,
    /// Angular momentum about the origin \[kg m²/s\].
    pub angular_momentum: Vec3,
    /// Number of contacts in the step that ends at `time`.
    pub contacts: u64,
    /// State of each body, in the order of the names given to `History::create`.
    pub bodies: Vec<BodyRow>,
    /// Kick energy ⅛ dt² a · M a \[J\], with the mass matrix M. The accelerations a at `time` omit the contributions of
    /// free fall, prescribed motion and loads. In the free vibration of a linear elastic body, central differences
    /// conserve `kinetic` − `kick` + `strain`.
    pub kick: f64,
    /// Change of `total` − `kick` − `external_work` since the start \[J\].
    pub energy_imbalance: f64,
    /// Sum over the steps since the start: numerical work of the step, minus the part of this work that the contact
    /// impulses of the same step absorb \[J\].
    pub net_numerical_work: f64,
    /// Energy dissipated by mass damping since the start \[J\].
    pub mass_damping_dissipation: f64,
}

/// State of one body at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyRow {
    /// Linear momentum \[kg m/s\].
    pub momentum: Vec3,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Resultant of the contact and tie forces on the body \[N\]. An impulse counts as the mean force over the step.
    pub contact_force: Vec3,
}

/// The open `history.csv`.
#[derive(Debug)]
pub struct History {
    table: CsvTable,
    num_bodies: usize,
}

impl History {
    /// Opens `history.csv` with columns for the bodies named in `body_names`.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn create<S: AsRef<str>>(tables: &mut Tables, body_names: &[S]) -> Result<Self, OutputError> {
        let table = tables.open(FILE_NAME, &column_names(body_names))?;
        Ok(Self { table, num_bodies: body_names.len() })
    }

    /// Appends a row. A real number has the fewest digits that read back as the same number.
    ///
    /// # Errors
    /// [`OutputError::File`], [`OutputError::BodyCount`].
    pub fn append(&mut self, row: &HistoryRow) -> Result<(), OutputError> {
        let (expected, given) = (self.num_bodies, row.bodies.len());
        if given != expected {
            return Err(OutputError::BodyCount { expected, given, time: row.time });
        }
        self.table.append(std::iter::once(cells(row)))
    }

    /// Hands the rows that wait in memory to the operating system.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }
}

fn column_names<S: AsRef<str>>(body_names: &[S]) -> Vec<String> {
    let of_bodies = body_names
        .iter()
        .flat_map(|body| BODY_COLUMNS.iter().map(move |column| format!("{}.{column}", body.as_ref())));
    let own = |columns: &'static [&'static str]| columns.iter().map(|&column| column.to_owned());
    own(&COLUMNS).chain(of_bodies).chain(own(&LAST_COLUMNS)).collect()
}

fn cells(row: &HistoryRow) -> Vec<String> {
    let mut cells = vec![float(row.time), row.step.to_string()];
    cells.extend(
        [
            row.dt,
            row.kinetic,
            row.strain,
            row.external_work,
            row.contact_energy,
            row.friction_dissipation,
            row.plastic_dissipation,
            row.hourglass_energy,
            row.viscous_dissipation,
            row.numerical_work,
            row.total,
            row.energy_error,
        ]
        .map(float),
    );
    push_vector(&mut cells, row.momentum);
    push_vector(&mut cells, row.angular_momentum);
    cells.push(row.contacts.to_string());
    for body in &row.bodies {
        push_vector(&mut cells, body.momentum);
        cells.push(float(body.kinetic));
        push_vector(&mut cells, body.centre);
        push_vector(&mut cells, body.contact_force);
    }
    let last = [row.kick, row.energy_imbalance, row.net_numerical_work, row.mass_damping_dissipation];
    cells.extend(last.map(float));
    cells
}

fn push_vector(cells: &mut Vec<String>, vector: Vec3) {
    cells.extend([vector.x, vector.y, vector.z].map(float));
}
