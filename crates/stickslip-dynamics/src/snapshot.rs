//! All that a world has beside its scene, to go on elsewhere with the same bits: its state, what it remembers (impulses for warm
//! starts, compressions, where its method stands) and what was set from outside. The stepper is left out: a world steps the same
//! way with a new one.

use crate::builder::build::solvers;
use crate::control::Set;
use crate::setup::Setup;
use crate::step::gate::{Memory, State};
use crate::step::stepper::Stepper;
use crate::world::World;
use stickslip_model::bytes::Stored;
use stickslip_model::stored;

/// Where a world stands. It belongs to worlds of the same scene that start at the same places: bodies stand in a world by where they
/// start, and the snapshot has them by their numbers.
#[derive(Clone)]
pub struct Snapshot {
    /// Names of the bodies, in their order.
    bodies: Vec<String>,
    /// Names of the joints, springs and gears, in theirs.
    joints: Vec<String>,
    state: State,
    memory: Memory,
    set: Set,
}

/// Why a snapshot cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Bytes that are none.
    #[error("this is no snapshot of a world: {0}")]
    NotASnapshot(String),
    /// Bodies, joints or contacts are not those of the world.
    #[error("this snapshot is of another scene: {0}")]
    OtherScene(String),
}

stored!(Snapshot {
    bodies,
    joints,
    state,
    memory,
    set
});

/// What the bytes begin with: the program's version, and how the rest is laid out (2: with the names in their order).
const HEAD: &str = concat!("stickslip world ", env!("CARGO_PKG_VERSION"), " 2\n");

impl Snapshot {
    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEAD.as_bytes().to_vec();
        self.put(&mut bytes);
        bytes
    }

    /// From the bytes that [`Snapshot::to_bytes`] of the same version of the program gave.
    ///
    /// # Errors
    /// [`SnapshotError::NotASnapshot`] where they are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let bad = |why: &str| SnapshotError::NotASnapshot(why.into());
        let Some(mut rest) = bytes.strip_prefix(HEAD.as_bytes()) else {
            return Err(bad(&format!(
                "it does not begin with \"{}\"",
                HEAD.trim_end()
            )));
        };
        let snapshot = Self::take(&mut rest).ok_or_else(|| bad("it is cut short or damaged"))?;
        if !rest.is_empty() {
            return Err(bad("something follows its end"));
        }
        Ok(snapshot)
    }

    fn check(&self, setup: &Setup) -> Result<(), SnapshotError> {
        let model = &setup.model;
        let (n, joints) = (model.bodies.len(), model.joint_count());
        let last = self.state.last();
        let other = |why: String| Err(SnapshotError::OtherScene(why));
        for states in [Some(&last.bodies), self.state.started()]
            .into_iter()
            .flatten()
        {
            if states.len() != n {
                return other(format!("it has {} bodies, the world {n}", states.len()));
            }
        }
        for (kind, ours, theirs) in [
            ("body", &self.bodies, names(model.body_names())),
            ("joint", &self.joints, names(model.joint_names())),
        ] {
            if let Some(why) = misplaced(kind, ours, &theirs) {
                return other(why);
            }
        }
        if !last.joints.is_empty() && last.joints.len() != joints {
            return other(format!(
                "it has {} joints and springs, the world {joints}",
                last.joints.len()
            ));
        }
        if last
            .contacts
            .iter()
            .any(|c| c.contact.bodies.iter().any(|&i| i >= n))
        {
            return other("its contacts name bodies that the world has not".into());
        }
        if !self.set.fits(setup) {
            return other(
                "what was set in it is about bodies or joints that the world has not".into(),
            );
        }
        Ok(())
    }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(Into::into).collect()
}

/// What is wrong with names or their order, if anything is.
fn misplaced(kind: &str, ours: &[String], worlds: &[String]) -> Option<String> {
    if ours == worlds {
        return None;
    }
    let [mut a, mut b] = [ours.to_vec(), worlds.to_vec()];
    a.sort_unstable();
    b.sort_unstable();
    if a == b {
        let k = ours.iter().zip(worlds).position(|(a, b)| a != b)?;
        let (a, b) = (&ours[k], &worlds[k]);
        return Some(format!(
            "`{a}` is the {kind} that `{b}` is in the world: they stand by where bodies start, which is elsewhere here"
        ));
    }
    let alone = |name: &&String, among: &[String]| among.binary_search(name).is_err();
    let (gone, new) = (
        a.iter().find(|n| alone(n, &b)),
        b.iter().find(|n| alone(n, &a)),
    );
    Some(match (gone, new) {
        (Some(name), _) => format!("it has the {kind} `{name}`, the world has not"),
        (None, Some(name)) => format!("the world has the {kind} `{name}`, it has not"),
        (None, None) => format!("a {kind} is there twice"),
    })
}

impl World {
    /// Where the world stands, with all that it remembers.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let model = &self.setup.model;
        Snapshot {
            bodies: names(model.body_names()),
            joints: names(model.joint_names()),
            state: self.state.clone(),
            memory: self.memory.clone(),
            set: self.controls.set.clone(),
        }
    }

    /// Goes on from a snapshot of this world or of another one of the same scene, to the same bits.
    ///
    /// # Errors
    /// [`SnapshotError::OtherScene`] where bodies, joints or contacts are not those of this world, or stand in another order (for they
    /// start elsewhere); the world is as before.
    pub fn resume(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot.check(&self.setup)?;
        let Snapshot {
            state, memory, set, ..
        } = snapshot.clone();
        self.control(set);
        self.put_back(state, memory);
        Ok(())
    }

    /// A second world that stands where this one does.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let solvers =
            solvers(&self.settings.solver).expect("the solver that this world was built with");
        Self {
            setup: self.setup.clone(),
            settings: self.settings.clone(),
            state: self.state.clone(),
            memory: self.memory.clone(),
            controls: self.controls.clone(),
            stepper: Stepper::new(solvers),
        }
    }
}
