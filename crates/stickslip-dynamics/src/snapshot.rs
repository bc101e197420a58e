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

/// Where a world stands. It belongs to worlds of the same scene.
#[derive(Clone)]
pub struct Snapshot {
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

stored!(Snapshot { state, memory, set });

/// What the bytes begin with: the program's version says how the rest is laid out.
const HEAD: &str = concat!("stickslip world ", env!("CARGO_PKG_VERSION"), "\n");

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

impl World {
    /// Where the world stands, with all that it remembers.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            memory: self.memory.clone(),
            set: self.controls.set.clone(),
        }
    }

    /// Goes on from a snapshot of this world or of another one of the same scene, to the same bits.
    ///
    /// # Errors
    /// [`SnapshotError::OtherScene`] where bodies, joints or contacts are not those of this world, which is as before.
    pub fn resume(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot.check(&self.setup)?;
        let Snapshot { state, memory, set } = snapshot.clone();
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
