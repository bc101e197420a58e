//! Where and when a method writes the law of a contact.

use crate::model::Model;
use crate::step::BodyState;
use stickslip_geometry::Pose;

/// How a record's contacts are to be read.
///
/// | scheme | shapes, levers | normal row |
/// |---|---|---|
/// | Stewart and Trinkle | free bodies at t_l, prescribed at t_{l+1} | ψ/h + Wᵀν⁺, W of the free bodies; ψ/H where ψ < 0, H the step asked for |
/// | leaving | the same | max(ψ, 0)/h + Wᵀν⁺, W of the free bodies; of ψ < 0 what prescribed bodies drive in, over h |
/// | between events | all at t_l | ψ/H + Wᵀν⁺ of all, H the step asked for |
/// | impact | all, now | Wᵀν⁺ of all |
/// | Anitescu | all at t_{l+1}, reached with ν_l | max(ψ, 0)/h + Wᵀν⁺ of all |
/// | implicit | all at t_{l+1}, reached with ν⁺ | ψ/h |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Stewart and Trinkle.
    #[default]
    StewartTrinkle,
    /// The same where overlaps that were there before are left as they are. What is locked by friction may press as hard as it likes and
    /// does not move: a ball in a wedge narrower than twice the angle of friction. If it overlaps there, by what rows of an earlier step
    /// could not see, no impulse undoes that, and the step has no answer; left as it is, it has one.
    Leaving,
    /// A step between two events.
    BetweenEvents,
    /// A phase of an impact.
    Impact,
    /// Constraints at q ⊕ hν, velocities after.
    Anitescu,
    /// Everything at the end of the step.
    Implicit,
}

impl Scheme {
    /// Are shapes and levers those of the end of the step?
    #[must_use]
    pub const fn at_end(self) -> bool {
        matches!(self, Self::Anitescu | Self::Implicit)
    }

    /// Where a body's gaps and levers are measured.
    #[must_use]
    pub fn pose<'s>(
        self,
        model: &Model,
        before: &'s [BodyState],
        after: &'s [BodyState],
        i: usize,
    ) -> &'s Pose {
        let end = match self {
            Self::StewartTrinkle | Self::Leaving => !model.bodies[i].is_free(),
            Self::BetweenEvents | Self::Impact => false,
            Self::Anitescu | Self::Implicit => true,
        };
        if end { &after[i].pose } else { &before[i].pose }
    }

    /// Do contacts count displacements over the step, divided by h, in place of velocities?
    ///
    /// In a scene without joints the velocity of a contact's points is that of the twist, ν⁺ at the lever: linear, as Stewart
    /// and Trinkle write it. Joints are closed at the end of the step exactly, and bodies that joints and sticking contacts
    /// hold together in a ring turn as one: rows linear in the step would contradict the joints by h ω² r. So where there are
    /// joints, a contact counts the change of its gap over the step, and the displacement of its material points along the
    /// tangents. The gap of a corner or of a round body over a face is then exact at the end of the step.
    #[must_use]
    pub fn counts_displacements(self, model: &Model) -> bool {
        let moves = !matches!(self, Self::Impact | Self::Anitescu);
        moves && !model.joints.is_empty()
    }

    /// The gap's part of the normal row, m/s; `h` is the length of the step, `grid` the step asked for, `told` the way by which
    /// prescribed bodies come nearer within the step, m. An overlap that was there before is undone at the pace of the step asked
    /// for: a shorter one in its place would shoot the bodies apart. What prescribed bodies drive in is undone at once: their gaps
    /// are measured at the end of the step.
    #[must_use]
    pub fn gap_rate(self, gap: f64, told: f64, h: f64, grid: f64) -> f64 {
        let before = (gap + told).min(0.0).max(gap);
        match self {
            Self::StewartTrinkle if gap < 0.0 && h < grid => (gap - before) / h + before / grid,
            Self::Leaving if gap < 0.0 => (gap - before) / h,
            Self::StewartTrinkle | Self::Leaving | Self::Implicit => gap / h,
            Self::BetweenEvents => gap / grid,
            Self::Impact => 0.0,
            Self::Anitescu => gap.max(0.0) / h,
        }
    }

    /// Does the normal row count the velocity of a free (or of a prescribed) body?
    #[must_use]
    pub const fn counts(self, free: bool) -> bool {
        match self {
            Self::StewartTrinkle | Self::Leaving => free,
            Self::BetweenEvents | Self::Impact | Self::Anitescu => true,
            Self::Implicit => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scheme;

    /// Of an overlap in a part of a step, what was there before is undone over the whole step, what a prescribed body drove in at
    /// once; in a whole step all of it.
    #[test]
    fn what_prescribed_bodies_drive_in_is_undone_at_once() {
        let (h, grid) = (0.25, 1.0);
        let rate = |gap: f64, told: f64| Scheme::StewartTrinkle.gap_rate(gap, told, h, grid);
        assert_eq!(rate(-0.1, 0.0), -0.1 / grid);
        assert_eq!(rate(-0.1, 0.1), -0.1 / h);
        assert_eq!(rate(-0.1, 0.3), -0.1 / h);
        assert!((rate(-0.1, 0.04) - (-0.04 / h - 0.06 / grid)).abs() < 1e-15);
        // Leaving: nothing of it was driven in.
        assert_eq!(rate(-0.1, -0.2), -0.1 / grid);
        assert_eq!(rate(0.1, 0.3), 0.1 / h);
        assert_eq!(Scheme::StewartTrinkle.gap_rate(-0.1, 0.07, h, h), -0.1 / h);
    }

    /// What was there before stays, whatever the length of the step; what a prescribed body drives in, and a gap, count as ever.
    #[test]
    fn an_overlap_that_is_left_is_not_undone() {
        let rate = |gap: f64, told: f64| Scheme::Leaving.gap_rate(gap, told, 0.25, 0.25);
        assert_eq!(rate(-0.1, 0.0), 0.0);
        assert_eq!(rate(-0.1, -0.2), 0.0);
        assert!((rate(-0.1, 0.04) + 0.04 / 0.25).abs() < 1e-15);
        assert_eq!(rate(-0.1, 0.3), -0.1 / 0.25);
        assert_eq!(rate(0.1, 0.3), 0.1 / 0.25);
    }
}
