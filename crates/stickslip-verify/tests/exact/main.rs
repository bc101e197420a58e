//! Closed forms.

mod incline;
mod momentum;
mod passing;
mod shapes;
mod sliding;
mod stack;
mod statics;
mod tunnelling;
