//! Joints and springs against closed forms and stored references.

mod pendulum;
