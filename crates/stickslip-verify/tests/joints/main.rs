//! Joints and springs against closed forms and stored references.

mod energy;
mod gears;
mod limit;
mod loops;
mod methods;
mod motors;
mod pendulum;
mod ragdolls;
mod redundant;
mod sliders;
mod stiff;
