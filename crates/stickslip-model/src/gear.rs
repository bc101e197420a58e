//! Gears: equations between the coordinates of two joints.

use crate::joint::{AXES, Joint};
use crate::model::Model;
use crate::step::BodyState;

/// c = ratio·c_of + offset between an axis of one joint and an axis of another: gears, racks, fingers that close together.
///
/// It holds by one impulse p, along the growing c on the axis that follows and −ratio·p along the other: it takes no energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// Unique name.
    pub name: String,
    /// The joint that leads and the one that follows, as numbers in the model.
    pub joints: [usize; 2],
    /// Their axes.
    pub axes: [usize; 2],
    /// m or rad for each m or rad.
    pub ratio: f64,
    /// m or rad.
    pub offset: f64,
}

impl Gear {
    /// What the impulse p of the gear is along each of its two axes, over p.
    #[must_use]
    pub const fn shares(&self) -> [f64; 2] {
        [-self.ratio, 1.0]
    }

    /// By how much the joint that follows is ahead, m or rad; `coordinates` gives those of a joint.
    #[must_use]
    pub fn misfit(&self, coordinates: impl Fn(usize) -> [f64; AXES]) -> f64 {
        let [of, own] = [0, 1].map(|k| coordinates(self.joints[k])[self.axes[k]]);
        own - self.ratio * of - self.offset
    }

    /// Turns misfits into m: that of the axis which follows.
    #[must_use]
    pub fn scale(&self, model: &Model) -> f64 {
        model.joints[self.joints[1]].scale(self.axes[1])
    }

    /// How well the misfit (times its scale) can be known, m.
    #[must_use]
    pub fn rounding(&self, model: &Model, states: &[BodyState]) -> f64 {
        let [of, own] = self.joints.map(|k| model.joints[k].rounding(states));
        let unit = self.scale(model) / model.joints[self.joints[0]].scale(self.axes[0]);
        own + of * self.ratio.abs() * unit + 32.0 * f64::EPSILON * self.offset.abs()
    }

    /// A body of each of its joints, the second where there is a choice: what the gear ties together.
    #[must_use]
    pub fn bodies(&self, joints: &[Joint]) -> [Option<usize>; 2] {
        self.joints.map(|k| {
            let [first, second] = joints[k].bodies;
            second.or(first)
        })
    }
}
