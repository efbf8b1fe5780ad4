//! Enums whose variants are words of scenarios.

/// Declares an enum and, for each of its variants, a word in scenarios: `pub enum Kind { Flat = "flat", … }`. The enum
/// gets the method `word` and the constant `WORDS`. `WORDS` contains a pair of word and variant for each variant, in
/// the order of the declaration.
macro_rules! vocabulary {
    ($(#[$of_enum:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$of_variant])* $variant,)* }

        impl $name {
            /// Pairs of word and variant. The first is the default where a scenario may omit the word.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];

            /// Word of the variant in scenarios.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

pub(crate) use vocabulary;
