//! A generator of ordinary scenes: what people build every day, with random numbers.
//!
//! A family is a kind of scene; with a seed it is one scene, the same on every machine. Sizes run from 2 cm to 2 m, densities over
//! two and a half decades and masses within a scene over up to four, friction from none to above 1, steps from 1e-4 to
//! 2e-2 s. Every scene is written as the text of a scene file, read again and built, so that what is kept of a survey is
//! what a user could have written.
//!
//! `cargo xtask survey` runs them: [`one`] is a scene in a process of its own, [`report`] what all of them came to.

mod draft;
mod joined;
mod land;
mod moving;
pub mod one;
mod piles;
pub mod report;
mod stacks;
mod tight;

use draft::Draft;
use stickslip_random::Random;

/// A kind of scene.
pub struct Family {
    /// As the option `--family` names it.
    pub name: &'static str,
    draw: fn(&mut Draft),
}

const fn family(name: &'static str, draw: fn(&mut Draft)) -> Family {
    Family { name, draw }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    family("stack", stacks::stack),
    family("pyramid", stacks::pyramid),
    family("wall", stacks::wall),
    family("tower", stacks::tower),
    family("arch", stacks::arch),
    family("cards", stacks::cards),
    family("domino", stacks::domino),
    family("bin-balls", piles::bin_balls),
    family("bin-boxes", piles::bin_boxes),
    family("bin-capsules", piles::bin_capsules),
    family("bin-cylinders", piles::bin_cylinders),
    family("bin-hulls", piles::bin_hulls),
    family("bin-mixed", piles::bin_mixed),
    family("compounds", piles::compounds),
    family("rods", piles::rods),
    family("cannonballs", piles::cannonballs),
    family("billiards", piles::billiards),
    family("leaning", piles::leaning),
    family("gripper", tight::gripper),
    family("vee", tight::vee),
    family("slot", tight::slot),
    family("peg", tight::peg),
    family("funnel", tight::funnel),
    family("wedge", tight::wedge),
    family("conveyor", moving::conveyor),
    family("plate", moving::plate),
    family("pusher", moving::pusher),
    family("seesaw", moving::seesaw),
    family("tops", moving::tops),
    family("roll", moving::roll),
    family("impact", moving::impact),
    family("drum", moving::drum),
    family("terrain", land::terrain),
    family("bowl", land::bowl),
    family("meshes", land::meshes),
    family("stairs", land::stairs),
    family("chain", joined::chain),
    family("bridge", joined::bridge),
    family("wrecking", joined::wrecking),
    family("ragdoll", joined::ragdoll),
    family("pendulum", joined::pendulum),
    family("gears", joined::gears),
    family("machine", joined::machine),
    family("walker", joined::walker),
    family("cart", joined::cart),
];

impl Family {
    /// The family of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|f| f.name == name)
    }

    /// The name of a scene and of its file: `bin-balls-17`.
    #[must_use]
    pub fn title(&self, seed: u64) -> String {
        format!("{}-{seed}", self.name)
    }

    /// The scene of a seed, as the text of a file.
    #[must_use]
    pub fn scene(&self, seed: u64) -> String {
        // Families draw different numbers from one seed: the name is mixed in, one byte after the other.
        let mixed = self.name.bytes().fold(seed, |seed, byte| {
            Random::new(seed ^ u64::from(byte)).bits()
        });
        let mut draft = Draft::new(Random::new(mixed));
        (self.draw)(&mut draft);
        let Draft { mut scene, .. } = draft;
        scene.title = self.title(seed);
        scene.to_toml()
    }
}

/// The scenes of one survey: `count` of them, the families in turn, each with a seed of its own.
#[must_use]
pub fn scenes(
    seed: u64,
    count: usize,
    only: Option<&'static Family>,
) -> Vec<(&'static Family, u64)> {
    let mut seeds = Random::new(seed);
    (0..count)
        .map(|k| {
            let family = only.unwrap_or(&FAMILIES[k % FAMILIES.len()]);
            (family, seeds.bits() >> 32)
        })
        .collect()
}
