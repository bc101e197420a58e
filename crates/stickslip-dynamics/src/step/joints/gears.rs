//! Rows of gears: one number each, on up to four bodies.

use super::Joints;
use super::linearise::Pace;
use super::rows::Source;
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_model::Gear;
use stickslip_model::joint::AXES;
use stickslip_solvers::problem::residual::w_bar;
use stickslip_solvers::problem::{Action, Arm, Arms, ContactBlock, Law, Twist};

impl Joints {
    pub(super) fn add_gear_block(&mut self, step: &Predicted, assembly: &mut Assembly, k: usize) {
        let gear = &step.model().gears[k];
        let mut block = self.gear_block(step, assembly, gear);
        let w_bar = w_bar(&block, &assembly.problem.inverse_mass);
        block.compliance = DVec3::X * (self.compliance(gear.joints[1], Pace::FIRST) * w_bar);
        assembly.problem.contacts.push(block);
        self.begin_at_last(step, assembly, Source::Gear { gear: k });
        self.w_bar.push(w_bar);
        self.gives.push(DVec3::ZERO);
    }

    /// u = ℓ(ċ − ratio ċ_of): the wrench of the unit impulse on each free body, that of both joints together where they share one.
    fn gear_block(&self, step: &Predicted, assembly: &Assembly, gear: &Gear) -> ContactBlock {
        let scale = gear.scale(step.model());
        let mut arms: [Option<Arm>; Arms::MOST] = [None; Arms::MOST];
        let ends = gear.joints.into_iter().zip(gear.axes).zip(gear.shares());
        for ((number, axis), share) in ends {
            let (joint, placed) = (&step.model().joints[number], &self.placed[number]);
            for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
                let Some(body) = body.filter(|_| step.is_free(body)) else {
                    continue;
                };
                let Some(slot) = assembly.slot_of(body) else {
                    continue;
                };
                let d = placed.directions[axis] * (share * scale * sign);
                let lever = placed.point - step.start()[body].pose.position;
                let (force, torque) = match axis {
                    0..3 => (d, lever.cross(d)),
                    _ => (DVec3::ZERO, d),
                };
                add(&mut arms, slot, force, torque);
            }
        }
        ContactBlock {
            frame: [DVec3::X, DVec3::ZERO, DVec3::ZERO],
            arms: Arms::four(arms),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::bilateral([true, false, false]),
        }
    }

    /// As [`Joints::linearise`], for the row of a gear: sets b so that u is the misfit over h at the trial motion. Returns by how
    /// much u was off, m/s.
    pub(super) fn linearise_gear(
        &self,
        step: &Predicted,
        (n, gear): (usize, &Gear),
        block: &mut ContactBlock,
        (nu, p): (&[Twist], f64),
        pace: Pace,
    ) -> f64 {
        let arms = block.arms.iter().flatten();
        let rate: f64 = arms.map(|arm| arm.velocity(&nu[arm.body]).x).sum();
        let old = block.b.x + block.compliance.x * p;
        block.compliance.x = self.compliance(gear.joints[1], pace) * self.w_bar[n];
        let scale = gear.scale(step.model());
        let u = if step.plan.is_instant() {
            let kept = |k: usize| self.kept_rate(step, gear.joints[k], gear.axes[k]);
            rate - (kept(1) - gear.ratio * kept(0)) * scale
        } else {
            gear.misfit(|k| self.tried(step, k)) / step.plan.h * scale
        };
        let new = old + (u - rate - old) * pace.relaxation;
        block.b.x = new - block.compliance.x * p;
        (u - rate - old).abs()
    }

    /// Coordinates of joint `k` at the trial motion.
    pub(super) fn tried(&self, step: &Predicted, k: usize) -> [f64; AXES] {
        let joint = &step.model().joints[k];
        let poses = (joint.bodies).map(|b| b.map_or(Pose::IDENTITY, |i| self.trial[i]));
        joint.place([&poses[0], &poses[1]]).near(&self.from[k])
    }
}

/// Adds a wrench to the arm of a body, which gets one if it has none: four bodies are the most.
fn add(arms: &mut [Option<Arm>; Arms::MOST], body: usize, force: DVec3, torque: DVec3) {
    for place in arms {
        match place {
            Some(arm) if arm.body != body => {}
            Some(arm) => {
                if let Action::Row {
                    force: f,
                    torque: t,
                } = &mut arm.action
                {
                    *f += force;
                    *t += torque;
                }
                return;
            }
            None => {
                *place = Some(Arm {
                    body,
                    lever: DVec3::ZERO,
                    sign: 1.0,
                    action: Action::Row { force, torque },
                });
                return;
            }
        }
    }
}
