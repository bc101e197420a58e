//! A validator for the scene's schema.

pub(crate) mod json_schema;
