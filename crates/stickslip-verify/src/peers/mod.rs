//! Other people's engines beside stickslip on the same scenes: what a step costs, how far bodies overlap, how they creep.
//!
//! A scene is a file that stickslip reads and the same as JSON for the others ([`export`]); every engine runs it in a process
//! of its own and leaves states that are all measured in one way, by our exact geometry ([`measure`]). [`page`] writes what came of it.
//! `cargo xtask peers` installs the engines and runs them.

pub mod export;
pub mod known;
pub mod measure;
pub mod ours;
pub mod page;
pub mod statistics;

use crate::survey::{FAMILIES, Family};
use serde_json::Value;
use stickslip::prelude::*;

/// An engine with a setting, one column of the comparison.
#[derive(Debug, PartialEq, Eq)]
pub struct Peer {
    /// The engine: `stickslip`, `rapier`, `mujoco`, `bullet`.
    pub engine: &'static str,
    /// What its program is told.
    pub setting: &'static str,
    /// For people.
    pub name: &'static str,
}

const fn peer(engine: &'static str, setting: &'static str, name: &'static str) -> Peer {
    Peer {
        engine,
        setting,
        name,
    }
}

/// In the order in which they run on a scene; the first is what the others are compared with.
pub const PEERS: [Peer; 7] = [
    peer("stickslip", "1e-8", "stickslip"),
    peer("stickslip", "1e-4", "stickslip, 1e-4 m/s"),
    peer("rapier", "default", "Rapier"),
    peer("rapier", "x4", "Rapier, 4 × iterations"),
    peer("mujoco", "default", "MuJoCo"),
    peer("mujoco", "tuned", "MuJoCo, tuned"),
    peer("bullet", "default", "Bullet"),
];

/// Families left out: what moves by formulas or has joints, meshes, compounds and cones, which not every engine has. Of the
/// others some seeds have them too, and are passed over by [`scenes`].
const LEFT_OUT: [&str; 21] = [
    "compounds",
    "gripper",
    "slot",
    "conveyor",
    "plate",
    "pusher",
    "seesaw",
    "drum",
    "terrain",
    "bowl",
    "meshes",
    "bin-mixed",
    "chain",
    "bridge",
    "wrecking",
    "ragdoll",
    "pendulum",
    "gears",
    "machine",
    "walker",
    "cart",
];

/// The scenes of the comparison: the families in turn, each with the least seed not yet used whose scene can be put in the
/// others' words.
#[must_use]
pub fn scenes(count: usize) -> Vec<(&'static Family, u64)> {
    let families: Vec<&'static Family> = FAMILIES
        .iter()
        .filter(|f| !LEFT_OUT.contains(&f.name))
        .collect();
    let mut next = vec![1; families.len()];
    (0..count)
        .map(|k| {
            let k = k % families.len();
            let fits = |seed: &u64| exported(families[k], *seed).is_ok();
            let seed = (next[k]..).find(fits).expect("a seed that fits");
            next[k] = seed + 1;
            (families[k], seed)
        })
        .collect()
}

/// A drawn scene in the others' words.
///
/// # Errors
/// What the scene has that they have not.
pub fn exported(family: &Family, seed: u64) -> Result<Value, String> {
    let title = family.title(seed);
    let scene = Scene::parse(&family.scene(seed), &title, &[]).map_err(|e| e.to_string())?;
    let world = World::from_scene(&scene).map_err(|e| e.to_string())?;
    export::json(&scene, &world, family.name)
}
