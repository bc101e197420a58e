//! What several tests share.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod json_schema;
pub(crate) mod random;
