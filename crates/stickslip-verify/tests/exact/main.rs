//! Closed forms.

mod incline;
mod momentum;
mod sliding;
mod stack;
mod statics;
