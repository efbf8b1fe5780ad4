//! Consistent systems of units, in which no equation of mechanics needs a conversion factor.

/// A consistent system of units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitSystem {
    /// Name of the system in scenarios, such as `mm-t-s`.
    pub name: &'static str,
    /// Symbols for length, mass and time.
    base: [&'static str; 3],
    /// Symbols for force, energy and stress.
    derived: [&'static str; 3],
    /// Sizes of the units of length \[m\], mass \[kg\] and time \[s\].
    sizes: [f64; 3],
}

/// SI units with their exponents of length, mass and time.
const SI_UNITS: [(&str, [i32; 3]); 6] = [
    ("m", [1, 0, 0]),
    ("kg", [0, 1, 0]),
    ("s", [0, 0, 1]),
    ("N", [1, 1, -2]),
    ("J", [2, 1, -2]),
    ("Pa", [-1, 1, -2]),
];

/// Standard gravity (CGPM 1901) \[m/s²\].
const STANDARD_GRAVITY: f64 = 9.80665;

/// Smallest and largest density of a solid \[kg/m³\]: of foams and of heavy metals.
const DENSITIES: [f64; 2] = [10.0, 25e3];
/// Density above which a solid is a metal, a ceramic or stone \[kg/m³\].
const DENSE: f64 = 2500.0;
/// Smallest longitudinal wave speed of a solid denser than [`DENSE`] \[m/s\].
const SLOWEST_DENSE: f64 = 100.0;
/// Smallest longitudinal wave speed of any other solid \[m/s\].
const SLOWEST: f64 = 3.0;
/// Largest longitudinal wave speed of a solid \[m/s\].
const FASTEST: f64 = 25e3;

impl UnitSystem {
    /// SI units.
    pub const SI: Self = Self::of("m-kg-s", ["m", "kg", "s"], ["N", "J", "Pa"], [1.0, 1.0, 1.0]);

    /// Systems that are common in mechanics. An inch is 0.0254 m, a pound-force 0.45359237 kg · 9.80665 m/s².
    pub const ALL: [Self; 6] = [
        Self::SI,
        Self::of("mm-t-s", ["mm", "t", "s"], ["N", "mJ", "MPa"], [1e-3, 1e3, 1.0]),
        Self::of("mm-kg-ms", ["mm", "kg", "ms"], ["kN", "J", "GPa"], [1e-3, 1.0, 1e-3]),
        Self::of("mm-g-ms", ["mm", "g", "ms"], ["N", "mJ", "MPa"], [1e-3, 1e-3, 1e-3]),
        Self::of("cm-g-us", ["cm", "g", "µs"], ["10⁷ N", "10⁵ J", "Mbar"], [1e-2, 1e-3, 1e-6]),
        Self::of(
            "in-lbf-s",
            ["in", "lbf s²/in", "s"],
            ["lbf", "in lbf", "psi"],
            [0.0254, 0.453_592_37 * 9.806_65 / 0.0254, 1.0],
        ),
    ];

    const fn of(
        name: &'static str,
        base: [&'static str; 3],
        derived: [&'static str; 3],
        sizes: [f64; 3],
    ) -> Self {
        Self { name, base, derived, sizes }
    }

    /// Pairs of name and system. SI units have two names, `m-kg-s` and `si`.
    pub fn words() -> impl Iterator<Item = (&'static str, Self)> {
        std::iter::once(("si", Self::SI)).chain(Self::ALL.map(|system| (system.name, system)))
    }

    /// System with the name `word`, if any.
    pub fn named(word: &str) -> Option<Self> {
        Self::words().find(|(other, _)| *other == word).map(|(_, system)| system)
    }

    /// System that the densities and longitudinal wave speeds of solids indicate. The speed is `None` for a rigid
    /// solid.
    ///
    /// A system fits if all solids can have these values in it. If exactly one of [`Self::ALL`] fits, and it is SI or
    /// mm-t-s, it is the result; otherwise `None`. No other system is inferred, because densities and speeds near 1, as
    /// in cm-g-us, can be dimensionless.
    pub fn of_solids(solids: &[(f64, Option<f64>)]) -> Option<Self> {
        let fits = |system: &Self| solids.iter().all(|&(density, speed)| system.has_solid(density, speed));
        let mut fitting = Self::ALL.into_iter().filter(fits);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        only.filter(|system| [Self::SI.name, "mm-t-s"].contains(&system.name))
    }

    /// Standard gravity in this system.
    pub fn standard_gravity(&self) -> f64 {
        STANDARD_GRAVITY / self.size_of("m/s²")
    }

    /// Whether a solid can have this density in this system.
    pub fn has_density(&self, density: f64) -> bool {
        (DENSITIES[0]..=DENSITIES[1]).contains(&(density * self.size_of("kg/m³")))
    }

    /// Whether a solid can have this density and, if given, this longitudinal wave speed in this system.
    pub fn has_solid(&self, density: f64, speed: Option<f64>) -> bool {
        let slowest = if density * self.size_of("kg/m³") > DENSE { SLOWEST_DENSE } else { SLOWEST };
        let can_have = |speed: f64| (slowest..=FASTEST).contains(&(speed * self.size_of("m/s")));
        self.has_density(density) && speed.is_none_or(can_have)
    }

    /// Size of the unit of a quantity in this system, in multiples of the SI unit `si` of the quantity (such as `kg/m³`
    /// or `N m s`). Exponents in `si` are ² or ³. Factors other than m, kg, s, N, J and Pa, such as rad, are the same
    /// in all systems.
    pub fn size_of(&self, si: &str) -> f64 {
        let (numerator, denominator) = si.split_once('/').unwrap_or((si, ""));
        let product =
            |factors: &str| factors.split(' ').map(|factor| self.factor_size(factor)).product::<f64>();
        product(numerator) / product(denominator)
    }

    /// Symbol of the unit of a quantity in this system. `si`: SI unit of the quantity.
    pub fn symbol_of(&self, si: &str) -> String {
        let part = |part: &str| {
            part.split(' ').map(|factor| self.factor_symbol(factor)).collect::<Vec<_>>().join(" ")
        };
        si.split('/').map(part).collect::<Vec<_>>().join("/")
    }

    fn factor_size(&self, factor: &str) -> f64 {
        let (unit, power) = split_power(factor);
        let exponents =
            SI_UNITS.iter().find(|(si, _)| *si == unit).map_or([0; 3], |(_, exponents)| *exponents);
        let size: f64 =
            self.sizes.iter().zip(exponents).map(|(size, exponent)| size.powi(exponent)).product();
        size.powi(power)
    }

    fn factor_symbol(&self, factor: &str) -> String {
        let (unit, _) = split_power(factor);
        let own = SI_UNITS.iter().zip(self.base.iter().chain(&self.derived)).find(|((si, _), _)| *si == unit);
        own.map_or(factor.to_owned(), |(_, symbol)| factor.replacen(unit, symbol, 1))
    }
}

/// Unit and exponent of a factor such as `m³`.
fn split_power(factor: &str) -> (&str, i32) {
    match (factor.strip_suffix('²'), factor.strip_suffix('³')) {
        (Some(unit), _) => (unit, 2),
        (_, Some(unit)) => (unit, 3),
        _ => (factor, 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::units::UnitSystem;

    /// Tables of consistent units for LS-DYNA and Abaqus give the units of force, energy and stress.
    #[test]
    fn forces_and_stresses_have_the_units_of_tables() {
        let expected = [
            ("m-kg-s", 1.0, 1.0, 1.0),
            ("mm-t-s", 1.0, 1e-3, 1e6),
            ("mm-kg-ms", 1e3, 1.0, 1e9),
            ("mm-g-ms", 1.0, 1e-3, 1e6),
            ("cm-g-us", 1e7, 1e5, 1e11),
            ("in-lbf-s", 4.4482216152605, 0.1129848290276167, 6894.757293168),
        ];
        assert_eq!(expected.map(|(name, ..)| name), UnitSystem::ALL.map(|system| system.name));
        for (name, force, energy, stress) in expected {
            let system = UnitSystem::named(name).unwrap();
            for (unit, reference) in [("N", force), ("J", energy), ("Pa", stress)] {
                let size = system.size_of(unit);
                assert!((size / reference - 1.0).abs() < 1e-12, "{name}: {size} for {reference} {unit}");
            }
        }
        assert_eq!(UnitSystem::named("mm-lb-s"), None);
        assert_eq!(UnitSystem::named("si"), Some(UnitSystem::SI));
    }

    /// Steel, polyurethane foam and rubber, in SI units and in mm, t and s.
    #[test]
    fn solids_tell_their_units() {
        let si = [(7850.0, Some(5900.0)), (50.0, Some(300.0)), (1100.0, Some(60.0))];
        let millimetres = si.map(|(density, speed)| (density * 1e-12, speed.map(|speed| speed * 1e3)));
        for (solids, name) in [(si, "m-kg-s"), (millimetres, "mm-t-s")] {
            assert_eq!(UnitSystem::of_solids(&solids).map(|system| system.name), Some(name));
            let rigid = [(solids[0].0, None)];
            assert_eq!(UnitSystem::of_solids(&rigid).map(|system| system.name), Some(name));
        }
        for unclear in [&[(7.85e-6, None)][..], &[(1.0, Some(0.15))], &[si[0], millimetres[0]], &[]] {
            assert_eq!(UnitSystem::of_solids(unclear), None, "{unclear:?}");
        }
    }

    #[test]
    fn compound_units_are_products_of_their_factors() {
        let system = UnitSystem::named("mm-t-s").unwrap();
        let expected = [
            ("kg/m³", 1e12, "t/mm³"),
            ("m/s²", 1e-3, "mm/s²"),
            ("N m s", 1e-3, "N mm s"),
            ("rad/s", 1.0, "rad/s"),
            ("-", 1.0, "-"),
        ];
        for (si, size, symbol) in expected {
            assert!((system.size_of(si) / size - 1.0).abs() < 1e-12, "{si}: {}", system.size_of(si));
            assert_eq!(system.symbol_of(si), symbol);
        }
        assert_eq!(UnitSystem::ALL[2].symbol_of("N s"), "kN ms");
    }
}
