//! The impact law against stored references, and its energy over random impacts.

mod energy;
mod reference;
mod rows;
