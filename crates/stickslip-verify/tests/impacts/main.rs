//! The impact law against stored references, and its energy over random impacts.

mod energy;
mod event_driven;
mod reference;
mod rows;
