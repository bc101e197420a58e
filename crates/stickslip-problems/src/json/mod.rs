//! Problems in JSON; the word under `type` says which.

pub mod lcp;
pub mod step;
