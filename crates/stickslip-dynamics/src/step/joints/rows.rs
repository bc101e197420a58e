//! Which rows a joint has: their bounds, their directions, and the coordinate at which each is at rest.

use super::Joints;
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::joint::{AXES, Goal, Hold};
use stickslip_model::{Joint, JointImpulse};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

/// What a block of rows is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointRow {
    /// Locked and driven axes, and lower limits.
    Hold,
    /// Upper limits.
    Upper,
    /// Motors.
    Motor,
    /// Dry friction.
    Friction,
}

pub(super) const JOINT_ROWS: [JointRow; 4] = [
    JointRow::Hold,
    JointRow::Upper,
    JointRow::Motor,
    JointRow::Friction,
];

/// Which rows a block of the problem holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// Axes `first` to `first + 2` of a joint.
    Joint {
        joint: usize,
        first: usize,
        row: JointRow,
    },
    /// A spring.
    Spring { spring: usize },
    /// A gear.
    Gear { gear: usize },
}

/// Rows whose bounds are (lo, hi), N s.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    pub(super) lo: DVec3,
    pub(super) hi: DVec3,
}

impl Joints {
    /// The block of three axes of a joint: directions at the start of the step, angles counted as distances.
    pub(super) fn joint_block(
        &self,
        step: &Predicted,
        assembly: &Assembly,
        k: usize,
        first: usize,
        bounds: Bounds,
    ) -> ContactBlock {
        let (joint, placed) = (&step.model().joints[k], &self.placed[k]);
        let scale = joint.scale(first);
        // Absent rows have no direction; angles count as distances.
        let frame = [0, 1, 2].map(|i| {
            if bounds.lo[i] == bounds.hi[i] {
                DVec3::ZERO
            } else {
                placed.directions[first + i] * scale
            }
        });
        let action = if first == 0 {
            Action::Force
        } else {
            Action::Torque
        };
        let arm = |end: usize, sign: f64| {
            let body = joint.bodies[end].filter(|_| step.is_free(joint.bodies[end]))?;
            Some(Arm {
                body: assembly.slot_of(body)?,
                lever: placed.point - step.start()[body].pose.position,
                sign,
                action,
            })
        };
        ContactBlock {
            frame,
            arms: [arm(0, -1.0), arm(1, 1.0)].into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Bounded {
                lo: bounds.lo / scale,
                hi: bounds.hi / scale,
            },
        }
    }

    /// The coordinate at the end of the step at which the row's u vanishes.
    pub(super) fn wanted(&self, step: &Predicted, k: usize, axis: usize, row: JointRow) -> f64 {
        let (spec, h) = (&step.model().joints[k].axes[axis], step.plan.h);
        let (aims, from) = (&step.aims[k], self.from[k][axis]);
        match row {
            JointRow::Hold => match (spec.hold, spec.limits) {
                (Hold::Free, Some([lo, _])) => lo,
                _ => aims.hold[axis],
            },
            JointRow::Upper => spec.limits.map_or(0.0, |[_, hi]| hi),
            JointRow::Motor => {
                let rate = spec
                    .motor
                    .map_or(0.0, |m| m.goal.rate(from, aims.motor[axis], h));
                from + h * rate
            }
            JointRow::Friction => from,
        }
    }

    /// The rate that an axis has after an impact as far as its free bodies go: a drive keeps its own; whatever is prescribed
    /// moves on.
    pub(super) fn kept_rate(&self, step: &Predicted, k: usize, axis: usize) -> f64 {
        let (joint, placed) = (&step.model().joints[k], &self.placed[k]);
        let mut rate = 0.0;
        if joint.axes[axis].hold == Hold::Driven {
            rate = joint.rates(placed, step.start())[axis];
        }
        let prescribed = joint.bodies.map(|b| b.filter(|_| !step.is_free(b)));
        if prescribed.iter().any(Option::is_some) {
            let carried = Joint {
                bodies: prescribed,
                ..joint.clone()
            };
            rate -= carried.rates(placed, step.start())[axis];
        }
        rate
    }
}

/// Bounds of the rows of one kind on three axes, N s or N m s; `None` where there are none.
pub(super) fn bounds(joint: &Joint, first: usize, row: JointRow, h: f64) -> Option<Bounds> {
    let inf = f64::INFINITY;
    let mut bounds = Bounds::default();
    let mut any = false;
    for i in 0..3 {
        let axis = &joint.axes[first + i];
        let free = axis.hold == Hold::Free;
        let (lo, hi) = match row {
            JointRow::Hold if !free => (-inf, inf),
            JointRow::Hold => match axis.limits {
                Some([lo, _]) if lo.is_finite() => (0.0, inf),
                _ => (0.0, 0.0),
            },
            JointRow::Upper => match axis.limits {
                Some([_, hi]) if hi.is_finite() => (-inf, 0.0),
                _ => (0.0, 0.0),
            },
            JointRow::Motor => match axis.motor {
                None => (0.0, 0.0),
                Some(m) if m.goal == Goal::Effort => (0.0, 0.0),
                Some(m) => (-h * m.force, h * m.force),
            },
            JointRow::Friction => (-h * axis.friction, h * axis.friction),
        };
        bounds.lo[i] = lo;
        bounds.hi[i] = hi;
        any |= lo != hi;
    }
    any.then_some(bounds)
}

/// Compliance of the rows by their own law, for angles counted as distances: C of motors with gains, zero for others.
pub(super) fn gives(joint: &Joint, first: usize, row: JointRow, h: f64) -> DVec3 {
    if row != JointRow::Motor || h == 0.0 {
        return DVec3::ZERO;
    }
    let scale = joint.scale(first);
    let one = |i: usize| {
        let motor = joint.axes[first + i].motor;
        motor.map_or(0.0, |m| m.goal.compliance(h) * scale * scale)
    };
    DVec3::new(one(0), one(1), one(2))
}

/// The last step's impulses of a block, in the block's units.
pub(super) fn last_impulse(
    last: &JointImpulse,
    joint: &Joint,
    first: usize,
    row: JointRow,
) -> DVec3 {
    let of = |p: &[f64; AXES]| DVec3::from_slice(&p[first..]) / joint.scale(first);
    match row {
        JointRow::Hold => {
            let mut p = of(&last.hold);
            for i in 0..3 {
                let axis = &joint.axes[first + i];
                if axis.hold == Hold::Free {
                    p[i] = p[i].max(0.0);
                }
            }
            p
        }
        JointRow::Upper => of(&last.hold).min(DVec3::ZERO),
        JointRow::Motor => of(&last.motor),
        JointRow::Friction => of(&last.friction),
    }
}

#[cfg(test)]
mod tests {
    use crate::methods::Driver;
    use crate::scene::{Anchor, Axes};
    use crate::step::task::Plan;
    use crate::{BodySpec, JointSpec, World};
    use glam::{DQuat, DVec3, EulerRot};
    use stickslip_geometry::{Pose, Shape, Twist};
    use stickslip_model::{BodyState, Scheme};
    use stickslip_solvers::problem::Law;

    fn turn(a: f64, b: f64, c: f64) -> DQuat {
        DQuat::from_euler(EulerRot::XYZ, a, b, c)
    }

    /// Two bodies well apart and turned, with dry friction on all six axes of the joint between them: rows at coordinates that
    /// are not zero.
    fn world() -> World {
        let shape = Shape::cuboid(DVec3::new(0.2, 0.1, 0.3)).expect("a box");
        let at = |x: f64, orientation: DQuat| Pose {
            position: DVec3::new(x, 0.3 * x, 0.1),
            orientation,
        };
        let mut joint = JointSpec::new(
            "between",
            ["a", "b"],
            DVec3::ZERO,
            Axes::BodyFrames([turn(0.2, 0.1, -0.4), turn(-0.3, 0.2, 0.1)]),
            [false; 6],
        );
        joint.anchor = Anchor::Bodies([DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.0, -0.1, 0.2)]);
        for axis in &mut joint.axes {
            axis.friction = 1.0;
        }
        World::builder()
            .body(BodySpec::free("a", shape.clone(), 1.0).with_pose(at(0.0, turn(0.3, -0.2, 0.5))))
            .body(BodySpec::free("b", shape, 2.0).with_pose(at(1.0, turn(-0.1, 0.4, 0.2))))
            .joint(joint)
            .gravity(DVec3::ZERO)
            .build()
            .expect("a world")
    }

    #[test]
    fn rows_are_the_derivatives_of_the_coordinates() {
        let mut world = world();
        let states: Vec<BodyState> = world.states().to_vec();
        let joint = world.model().joints[0].clone();
        let driver = Driver::of(&mut world);
        let task = driver.task(Plan::on_grid(
            &driver.progress.grid,
            0.01,
            Scheme::StewartTrinkle,
        ));
        let problem = driver.stepper.pose(&task).expect("a problem").clone();
        assert_eq!(problem.contacts.len(), 2, "shifts and turns");
        let nu = [
            Twist {
                linear: DVec3::new(0.3, -0.2, 0.7),
                angular: DVec3::new(-0.4, 0.9, 0.1),
            },
            Twist {
                linear: DVec3::new(-0.5, 0.1, 0.2),
                angular: DVec3::new(0.8, 0.3, -0.6),
            },
        ];
        let of_problem = nu.map(|nu| crate::step::twist::to_problem(&nu));
        let e = 1e-6;
        let at = |t: f64| {
            let mut moved = states.clone();
            for (state, nu) in moved.iter_mut().zip(&nu) {
                state.pose = state.pose.moved(nu, t);
            }
            joint.placed(&moved).coordinates
        };
        let (before, after) = (at(-e), at(e));
        for (block, first) in problem.contacts.iter().zip([0, 3]) {
            assert!(matches!(block.law, Law::Bounded { .. }));
            let rates = block.velocity(&of_problem) - block.b;
            for i in 0..3 {
                let axis = first + i;
                let exact = (after[axis] - before[axis]) / (2.0 * e) * joint.scale(axis);
                assert!(
                    (rates[i] - exact).abs() < 1e-8,
                    "axis {axis}: {} {exact}",
                    rates[i]
                );
            }
        }
    }

    #[test]
    fn friction_rows_are_bounded_by_its_impulse_over_the_step() {
        let mut world = world();
        let length = world.model().joints[0].length;
        let driver = Driver::of(&mut world);
        let task = driver.task(Plan::on_grid(
            &driver.progress.grid,
            0.01,
            Scheme::StewartTrinkle,
        ));
        let problem = driver.stepper.pose(&task).expect("a problem");
        for (block, scale) in problem.contacts.iter().zip([1.0, length]) {
            let Law::Bounded { lo, hi } = block.law else {
                panic!("a box");
            };
            // 1 N (or N m) for 0.01 s, in the block's units: angles count as distances.
            assert!((hi - DVec3::splat(0.01 / scale)).length() < 1e-15);
            assert_eq!(lo, -hi);
        }
    }
}
