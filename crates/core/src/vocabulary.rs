//! Enums whose variants are words of scenarios.

/// Declares an enum and the word of each variant in scenarios: `pub enum Kind { Flat = "flat", … }`.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$of_enum:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$of_variant])* $variant,)* }

        impl $name {
            /// Pairs of word and variant. Where a scenario may omit the word, the first pair is the default.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];

            /// Word of the variant in scenarios.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}
