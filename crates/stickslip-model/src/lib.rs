//! What a world is made of and what a step leaves behind: the words that the stepper and the judge share.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | bodies with shapes and masses, what joins them |
//! | [`joint`], [`spring`] | kinematics of joints and springs: coordinates, directions, what they aim at |
//! | [`curve`] | friction that depends on the speed of the slip |
//! | [`materials`] | what pairs of materials have |
//! | [`moments`] | contacts that resist spinning and rolling |
//! | [`gear`] | equations between the coordinates of two joints |
//! | [`scheme`] | where and when each method writes the law of a contact |
//! | [`surface`] | surfaces that move along their body, and such as are rougher along than across |
//! | [`step`] | states, contacts, impulses: the record of one step |
//! | [`certificate`] | the judge's word on a step, as stored with it |
//! | [`bytes`] | all of these as bytes and back |
//! | [`words`] | numbers as messages say them |
//! | [`restitution`], [`islands`] | what is remembered from step to step, and which bodies move together |
//!
//! Nothing here says whether a step is right. The stepper (`stickslip-dynamics`) and the judge (`stickslip-certify`)
//! each write the equations of motion and the contact law for themselves, so that one wrong formula cannot be wrong in both.

pub mod bytes;
pub mod certificate;
pub mod curve;
pub mod gear;
pub mod islands;
pub mod joint;
pub mod materials;
pub mod model;
pub mod moments;
pub mod partition;
pub mod restitution;
pub mod scheme;
pub mod spring;
pub mod step;
pub mod surface;
pub mod words;

pub use certificate::{Bound, Certificate, Residual};
pub use curve::{SlipCurve, SlipCurves};
pub use gear::Gear;
pub use joint::{Aims, Along, Joint, JointImpulse};
pub use materials::MaterialTable;
pub use model::{Body, Model, NamedFrame};
pub use moments::{Moments, PairMoments};
pub use restitution::Restitution;
pub use scheme::Scheme;
pub use spring::Spring;
pub use step::{
    BodyState, Cone, Contact, ContactImpulse, Fan, Friction, Given, Kind, Mode, Reading,
    StepRecord, Wrench,
};
pub use surface::{Ellipse, Grain, MovingSurface};
