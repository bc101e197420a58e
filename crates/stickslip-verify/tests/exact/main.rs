//! Closed forms.

mod energy_bound;
mod euler_angles;
mod incline;
mod momentum;
mod passing;
mod shapes;
mod sliding;
mod stack;
mod statics;
mod tunnelling;
