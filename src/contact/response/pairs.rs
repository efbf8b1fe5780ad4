//! Options that differ from pair to pair of bodies.

/// Options of all pairs of bodies: one set, and those of the few pairs that have their own.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions<T> {
    default: T,
    own: Vec<([u32; 2], T)>,
}

impl<T: Copy> PairOptions<T> {
    /// The same options for every pair.
    pub fn uniform(options: T) -> Self {
        Self { default: options, own: Vec::new() }
    }

    /// Gives a pair options of its own, in place of any before.
    #[must_use]
    pub fn with(mut self, bodies: [u32; 2], options: T) -> Self {
        let pair = sorted(bodies);
        match self.own.binary_search_by_key(&pair, |(pair, _)| *pair) {
            Ok(place) => self.own[place].1 = options,
            Err(place) => self.own.insert(place, (pair, options)),
        }
        self
    }

    /// Options of a pair, in any order.
    pub fn of(&self, bodies: [u32; 2]) -> T {
        let pair = sorted(bodies);
        let found = self.own.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.map_or(self.default, |place| self.own[place].1)
    }

    /// All sets of options.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.default).chain(self.own.iter().map(|(_, options)| options))
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_their_own_options_in_any_order() {
        let options = PairOptions::uniform(0).with([4, 1], 1).with([0, 3], 2).with([1, 4], 3);
        assert_eq!([[1, 4], [4, 1], [3, 0], [0, 1]].map(|pair| options.of(pair)), [3, 3, 2, 0]);
        assert_eq!(options.all().copied().collect::<Vec<_>>(), [0, 2, 3]);
    }
}
