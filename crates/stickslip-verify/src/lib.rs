//! Tools for comparing stickslip with independent truth: closed forms, stored references, and the slope of
//! the error as h is halved; a generator of ordinary scenes, [`survey`]; and other people's engines on them, [`peers`].

pub mod peers;
pub mod survey;

use serde_json::Value;
use std::path::PathBuf;
use stickslip::dynamics::methods::Method;
use stickslip::dynamics::scene::Override;
use stickslip::prelude::*;
use stickslip_testing::shared;

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A stored reference; `None`, recorded as passed over, where it is absent: a user does not have it.
#[must_use]
pub fn reference(name: &str) -> Option<Value> {
    let path = shared(&format!("reference/{name}"))?;
    let text = std::fs::read_to_string(&path).expect("a reference that can be read");
    Some(serde_json::from_str(&text).expect("a reference is JSON"))
}

/// A scene of the `scenes` folder with overrides such as `"step.h=0.001"`.
#[must_use]
pub fn world_of(scene: &str, overrides: &[String]) -> (Scene, World) {
    let overrides: Vec<Override> = overrides
        .iter()
        .map(|o| Override::from_option(o).expect("KEY=VALUE"))
        .collect();
    let scene = Scene::read(&root().join("scenes").join(scene), &overrides)
        .expect("a scene that can be read");
    let world = World::from_scene(&scene).expect("a world that can be built");
    (scene, world)
}

/// Steps to `until`, each step certified.
pub fn run(world: &mut World, until: f64) {
    while !world.reached(until) {
        if let Err(e) = world.step() {
            panic!("{e}");
        }
    }
}

/// Level ground at z = 0.
#[must_use]
pub fn ground() -> BodySpec {
    BodySpec::fixed("ground", Shape::half_space(DVec3::Z, 0.0).expect("a plane"))
}

/// A ball.
#[must_use]
pub fn ball(name: &str, radius: f64, mass: f64) -> BodySpec {
    BodySpec::free(name, Shape::ball(radius).expect("a ball"), mass)
}

/// A box.
#[must_use]
pub fn cuboid(name: &str, size: DVec3, mass: f64) -> BodySpec {
    BodySpec::free(name, Shape::cuboid(size).expect("a box"), mass)
}

/// A ball of radius 0.1 m and 1 kg dropped from `drop` above the ground, with restitution `e`.
#[must_use]
pub fn dropped(method: Method, h: f64, drop: f64, e: f64) -> World {
    World::builder()
        .method(method)
        .time_step(h)
        .restitution(e)
        .body(ground())
        .body(ball("ball", 0.1, 1.0).at(DVec3::Z * (0.1 + drop)))
        .build()
        .expect("a world")
}

/// Gravity on a slope of the given angle about y, the slope itself being level ground: down the slope is +x.
#[must_use]
pub fn tilted_gravity(angle: f64) -> DVec3 {
    DVec3::new(libm::sin(angle), 0.0, -libm::cos(angle)) * 9.81
}

/// Halves h again and again: a table of (h, error), and the order fitted over it.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// (h, error), h falling.
    pub rungs: Vec<(f64, f64)>,
}

impl Ladder {
    /// Errors at h, h/2, … , `halvings` times.
    pub fn climb(h: f64, halvings: usize, mut error: impl FnMut(f64) -> f64) -> Self {
        let mut rungs = Vec::new();
        let mut h = h;
        for _ in 0..=halvings {
            rungs.push((h, error(h)));
            h *= 0.5;
        }
        Self { rungs }
    }

    /// The slope of log error against log h, by least squares.
    #[must_use]
    pub fn order(&self) -> f64 {
        let n = self.rungs.len() as f64;
        let logs: Vec<(f64, f64)> = self
            .rungs
            .iter()
            .map(|&(h, e)| (libm::log(h), libm::log(e.max(1e-300))))
            .collect();
        let (mx, my) = (
            logs.iter().map(|l| l.0).sum::<f64>() / n,
            logs.iter().map(|l| l.1).sum::<f64>() / n,
        );
        let (mut sxy, mut sxx) = (0.0, 0.0);
        for (x, y) in logs {
            sxy += (x - mx) * (y - my);
            sxx += (x - mx) * (x - mx);
        }
        sxy / sxx
    }

    /// The table, for the test's output.
    #[must_use]
    pub fn table(&self) -> String {
        let rows: Vec<String> = self
            .rungs
            .iter()
            .map(|(h, e)| format!("  h = {h:<12.6e} error {e:.3e}"))
            .collect();
        format!("{}\n  order {:.2}", rows.join("\n"), self.order())
    }

    /// Asserts that the error falls at `order` or better (a tenth less is allowed for the fit), or is at
    /// rounding level on every rung.
    pub fn assert_order(&self, order: f64, what: &str) {
        eprintln!("{what}\n{}", self.table());
        let exact = self.rungs.iter().all(|r| r.1 < 1e-11);
        assert!(
            exact || self.order() > order - 0.1,
            "{what}: order {:.3}\n{}",
            self.order(),
            self.table()
        );
    }
}
