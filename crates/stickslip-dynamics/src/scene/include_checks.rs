//! What an included model must not be: in the way of itself, or of the names of another.

use std::collections::BTreeMap;

use stickslip_robots::{Note, Overlap, Regard};

use super::Body;
use super::included::Included;
use super::joint::Joint;
use super::node::{Fault, Outcome};
use super::read_include::Model;

impl Model<'_> {
    /// Links that overlap at the start: an error that names them all, or pairs that pass through each other.
    pub(super) fn settle_overlaps(&mut self) -> Outcome<()> {
        let overlaps = self.robot.overlaps();
        let own = |o: &&Overlap| {
            let scenery = o.bodies.iter().any(|&k| self.robot.bodies[k].scenery);
            o.bodies.iter().all(|&k| self.is_jointed(k)) && (self.self_collision || scenery)
        };
        let overlaps: Vec<Overlap> = overlaps.iter().filter(own).copied().collect();
        let Some(first) = overlaps.first() else {
            return Ok(());
        };
        let name = |k: usize| self.robot.bodies[k].name.as_str();
        let word = |o: &Overlap| {
            let [a, b] = o.bodies.map(name);
            format!("`{a}` and `{b}` by {:.2e} m", o.depth)
        };
        if !self.ignore_overlaps {
            let all: Vec<String> = overlaps.iter().map(word).collect();
            let error = stickslip_robots::RobotError {
                place: self.robot.bodies[first.bodies[1]].place.clone(),
                message: format!("links overlap where the model starts: {}", all.join(", ")),
                help: Some(
                    "let such pairs pass through each other: --ignore-overlaps, `overlaps = \"ignore\"`; or start elsewhere, or use an SRDF file"
                        .into(),
                ),
            };
            return Err(Fault::in_model(&self.file.place, error));
        }
        let notes: Vec<Note> = overlaps
            .iter()
            .map(|o| Note {
                place: self.robot.bodies[o.bodies[1]].place.clone(),
                what: format!("overlap of {}", word(o)),
                why: "they pass through each other".into(),
                regard: Regard::Changed,
            })
            .collect();
        self.robot.notes.extend(notes);
        self.robot
            .excluded
            .extend(overlaps.iter().map(|o| o.bodies));
        Ok(())
    }

    /// Is the body part of a chain (and not one that moves by itself)?
    fn is_jointed(&self, body: usize) -> bool {
        let joints = self.robot.joints.iter();
        joints.flat_map(|j| j.bodies).any(|b| b == Some(body))
    }

    /// Each name can be taken once, also among models.
    pub(super) fn check_names(
        &self,
        bodies: &[Body],
        joints: &[Joint],
        so_far: &Included,
    ) -> Outcome<()> {
        let mut taken: BTreeMap<&str, ()> = BTreeMap::new();
        let all = so_far.bodies.iter().chain(bodies).map(|b| b.name.as_str());
        for name in all {
            if taken.insert(name, ()).is_some() {
                return Err(self.twice("body", name));
            }
        }
        taken.clear();
        let all = so_far.joints.iter().chain(joints).map(|j| j.name.as_str());
        for name in all {
            if taken.insert(name, ()).is_some() {
                return Err(self.twice("joint", name));
            }
        }
        Ok(())
    }

    fn twice(&self, what: &str, name: &str) -> Box<Fault> {
        let message = format!("a second {what} has the name `{name}`");
        Fault::new(&self.file.place, message).with_help("give each model a `prefix`")
    }
}
