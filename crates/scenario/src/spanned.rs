//! Values as written in the file, with their spans.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

/// A value of the file and its byte range. Its JSON Schema is that of the value alone.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(transparent)]
pub(super) struct Spanned<T>(toml::Spanned<T>);

impl<T> Spanned<T> {
    pub fn new(span: Range<usize>, value: T) -> Self {
        Self(toml::Spanned::new(span, value))
    }

    pub fn span(&self) -> Range<usize> {
        self.0.span()
    }

    pub fn get_ref(&self) -> &T {
        self.0.get_ref()
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
