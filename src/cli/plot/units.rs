//! Units of the columns of tables.

/// SI units by the beginning of a column name; if the name has dots, of the part after the last dot. The first entry
/// that matches applies.
const UNITS: [(&str, &str); 35] = [
    ("time", "s"),
    ("critical_step", "s"),
    ("dt", "s"),
    ("largest_penetration", "m"),
    ("kinetic", "J"),
    ("kick", "J"),
    ("strain_", "-"),
    ("strain", "J"),
    ("energy_error", "-"),
    ("energy_imbalance", "J"),
    ("hourglass_energy", "J"),
    ("contact_energy", "J"),
    ("external_work", "J"),
    ("numerical_work", "J"),
    ("net_numerical_work", "J"),
    ("work", "J"),
    ("friction_dissipation", "J"),
    ("plastic_dissipation", "J"),
    ("viscous_dissipation", "J"),
    ("mass_damping_dissipation", "J"),
    ("total", "J"),
    ("moment_", "N m"),
    ("impulse", "N s"),
    ("rotation", "rad"),
    ("centre", "m"),
    ("angular_momentum", "N m s"),
    ("momentum", "N s"),
    ("force", "N"),
    ("reaction", "N"),
    ("displacement", "m"),
    ("angular_velocity", "rad/s"),
    ("velocity", "m/s"),
    ("acceleration", "m/s²"),
    ("stress", "Pa"),
    ("position", "m"),
];

/// SI unit of a column; `-` for a dimensionless or unknown column.
pub fn unit_of(column: &str) -> &'static str {
    let quantity = column.rsplit('.').next().unwrap_or(column);
    UNITS.iter().find(|(name, _)| quantity.starts_with(name)).map_or("-", |(_, unit)| unit)
}
