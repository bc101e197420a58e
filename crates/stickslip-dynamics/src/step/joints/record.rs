//! What joints, springs and gears did, for the record, and what their blocks are called.

use super::Joints;
use super::rows::{JointRow, Source};
use crate::step::assemble::Assembly;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::{JointImpulse, Model};

impl Joints {
    /// What joints and springs did, from the impulses of the blocks and the states at the end of the motion.
    pub(crate) fn store(&self, step: &Predicted, assembly: &Assembly, motion: &mut Motion) {
        let (model, p) = (step.model(), &assembly.impulses);
        let (next, record) = (&motion.bodies, &mut motion.joints);
        record.clear();
        for (k, joint) in model.joints.iter().enumerate() {
            record.push(JointImpulse {
                along: self.along_of(k),
                coordinates: joint.placed(next).near(&self.from[k]),
                ..JointImpulse::default()
            });
        }
        for (k, spring) in model.springs.iter().enumerate() {
            let mut done = JointImpulse::default();
            let phi = spring.place(model, next, self.springs[k].phi.x).phi;
            done.coordinates[..3].copy_from_slice(&phi.to_array());
            record.push(done);
        }
        for gear in &model.gears {
            let mut done = JointImpulse::default();
            done.coordinates[0] = gear.misfit(|k| record[k].coordinates);
            record.push(done);
        }
        self.add_impulses(model, &p[self.first_block..], record);
        let (joints, springs) = record.split_at_mut(model.joints.len());
        for (k, done) in joints.iter_mut().enumerate() {
            let placed = self.acting(step, k, |i| next[i].pose);
            (done.linear, done.angular) = placed.wrench(&done.total());
        }
        for (placed, done) in self.springs.iter().zip(springs) {
            let p = placed.vector(DVec3::from_slice(&done.hold));
            if placed.torque {
                done.angular = p;
            } else {
                done.linear = p;
            }
        }
    }

    /// The impulses of the blocks, each where it belongs in the record.
    fn add_impulses(&self, model: &Model, p: &[DVec3], record: &mut [JointImpulse]) {
        for (source, p) in self.sources.iter().zip(p) {
            match *source {
                Source::Gear { gear } => {
                    let place = model.joints.len() + model.springs.len() + gear;
                    record[place].hold[0] = p.x * model.gears[gear].scale(model);
                }
                Source::Joint { joint, first, row } => {
                    let scale = model.joints[joint].scale(first);
                    let done = &mut record[joint];
                    let target = match row {
                        JointRow::Hold | JointRow::Upper => &mut done.hold,
                        JointRow::Motor => &mut done.motor,
                        JointRow::Friction => &mut done.friction,
                    };
                    for i in 0..3 {
                        target[first + i] += p[i] * scale;
                    }
                }
                Source::Spring { spring } => {
                    let scale = self.springs[spring].scale;
                    let done = &mut record[model.joints.len() + spring];
                    done.hold[..3].copy_from_slice(&(*p * scale).to_array());
                }
            }
        }
    }

    /// Takes the compliance of the first round off the joints' rows.
    pub(crate) fn make_rigid(&self, assembly: &mut Assembly) {
        let blocks = assembly.problem.contacts[self.first_block..].iter_mut();
        for ((block, source), gives) in blocks.zip(&self.sources).zip(&self.gives) {
            if matches!(source, Source::Joint { .. } | Source::Gear { .. }) {
                block.compliance = *gives;
            }
        }
    }

    /// What the blocks after those of the contacts are, in words.
    pub(crate) fn block_names(&self, model: &Model) -> impl Iterator<Item = String> {
        self.sources.iter().map(|source| match *source {
            Source::Joint { joint, first, row } => {
                let what = match row {
                    JointRow::Hold => "rows",
                    JointRow::Upper => "upper limits",
                    JointRow::Motor => "motor",
                    JointRow::Friction => "friction",
                };
                let axes = if first == 0 { "shifts" } else { "turns" };
                let name = &model.joints[joint].name;
                format!("{what} on the {axes} of joint \"{name}\"")
            }
            Source::Spring { spring } => format!("spring \"{}\"", model.springs[spring].name),
            Source::Gear { gear } => format!("gear \"{}\"", model.gears[gear].name),
        })
    }
}
