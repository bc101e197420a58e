//! Closed forms.

mod incline;
mod momentum;
mod shapes;
mod sliding;
mod stack;
mod statics;
mod tunnelling;
