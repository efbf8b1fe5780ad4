//! Damping ratio for a coefficient of restitution.

/// Damping ratio \[-\] at which a spring that never pulls has this coefficient of restitution \[-\]. Coefficients below
/// 0.01 are treated as 0.01.
///
/// The contact ends when the force κ δ + c dδ/dt is zero, with the penetration δ, the stiffness κ and the damping
/// coefficient c. The coefficient of restitution e and the damping ratio ζ are related by
///
/// ```text
/// ln e = −ζ/√(1 − ζ²) (π − atan2(2 ζ √(1 − ζ²), 1 − 2 ζ²)),        ζ < 1
/// ln e = −ζ/√(ζ² − 1) ln((ζ + √(ζ² − 1))/(ζ − √(ζ² − 1))),         ζ > 1
/// ```
///
/// # Source
/// Schwager and Pöschel, Coefficient of restitution and linear-dashpot model revisited, Granular Matter 9, 2007,
/// eq. (20).
pub(super) fn damping_of_restitution(restitution: f64) -> f64 {
    let logarithm = restitution.clamp(0.01, 1.0).ln();
    let (mut low, mut high) = (0.0, 16.0);
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        if logarithm_of_restitution(middle) > logarithm { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn logarithm_of_restitution(damping: f64) -> f64 {
    let square = 1.0 - damping * damping;
    let root = square.abs().sqrt();
    if root < 1e-6 {
        -2.0
    } else if square > 0.0 {
        let phase = (2.0 * damping * root).atan2(square - damping * damping);
        -damping / root * (std::f64::consts::PI - phase)
    } else {
        -damping / root * ((damping + root) / (damping - root)).ln()
    }
}
