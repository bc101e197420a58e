//! Named motions of a plate.
//!
//! All but the rocking ones work the same way: friction is stronger while the plate presses harder, so a part drifts
//! along the plate's velocity at the moments of high pressure. A horizontal velocity V(cos ωt, sin ωt) and an upward
//! acceleration C (x cos ωt + y sin ωt) at the place (x, y), which is a rocking of the plate, press hardest while the
//! plate moves outwards: a source. Turning or mirroring the one against the other gives sinks, whirlpools and saddles.

use stickslip::dynamics::scene::Override;
use stickslip::prelude::Scene;

/// A named motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateMotion {
    /// Name on the command line.
    pub name: &'static str,
    /// What parts do on it.
    pub says: &'static str,
    /// Period, s.
    pub period: f64,
    /// Half of the side of the square that its picture shows, m.
    pub half: f64,
    /// The `[body.motion]` of the plate.
    motion: &'static str,
    /// Height of the surface over the body's origin, m.
    surface: f64,
}

const T: f64 = 1.0 / 33.0;

const fn shaken(name: &'static str, says: &'static str, motion: &'static str) -> PlateMotion {
    PlateMotion {
        name,
        says,
        period: T,
        half: 0.06,
        motion,
        surface: 0.0,
    }
}

/// Equation 15 of the plate paper, about an axis below the surface.
const fn rocking(
    name: &'static str,
    says: &'static str,
    surface: f64,
    motion: &'static str,
) -> PlateMotion {
    PlateMotion {
        name,
        says,
        period: 0.03,
        half: 0.08,
        motion,
        surface,
    }
}

/// All of them.
pub const LIBRARY: [PlateMotion; 12] = [
    shaken(
        "circle",
        "the scaled circle of the plate paper: parts go round the middle, the faster the farther out",
        r#"accelerations = [
  { about = [0, 0, 1], amplitude = 500, frequency = 33 },
  { along = [0, 0, 1], amplitude = 8, frequency = 33, phase = "3*pi/2" },
]"#,
    ),
    shaken(
        "translate",
        "parts move along x at the same speed everywhere",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 0, 1], amplitude = 8, frequency = 33, phase = "3*pi/2" },
]"#,
    ),
    shaken(
        "sink",
        "parts gather in the middle",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 1, 0], amplitude = 20, frequency = 33, phase = "-pi/2" },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "-pi/2" },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "0" },
]"#,
    ),
    shaken(
        "source",
        "parts leave the middle on all sides",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 1, 0], amplitude = 20, frequency = 33, phase = "-pi/2" },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "pi/2" },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "pi" },
]"#,
    ),
    shaken(
        "whirlpool",
        "parts spiral into the middle",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 1, 0], amplitude = 20, frequency = 33, phase = "-pi/2" },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "-pi/2 + pi/3" },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "pi/3" },
]"#,
    ),
    shaken(
        "vortex",
        "parts go round the middle, driven by rocking and not by turning",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 1, 0], amplitude = 20, frequency = 33, phase = "-pi/2" },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "0" },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "pi/2" },
]"#,
    ),
    shaken(
        "saddle",
        "parts come in along one axis and leave along the other",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { along = [0, 1, 0], amplitude = 20, frequency = 33, phase = "-pi/2" },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "-pi/2" },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "pi" },
]"#,
    ),
    shaken(
        "line-sink",
        "parts gather on the line x = 0",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "-pi/2" },
]"#,
    ),
    shaken(
        "line-source",
        "parts leave the line x = 0 on both sides",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { about = [0, 1, 0], amplitude = 120, frequency = 33, phase = "pi/2" },
]"#,
    ),
    shaken(
        "shear",
        "parts move along x, forwards above and backwards below the line y = 0",
        r#"accelerations = [
  { along = [1, 0, 0], amplitude = 20, frequency = 33 },
  { about = [1, 0, 0], amplitude = 120, frequency = 33, phase = "-pi/2" },
]"#,
    ),
    rocking(
        "rocking",
        "the plate paper's test: parabolas of the angle about an axis 5 cm below; a line of attraction, and loss of \
         contact beyond 5.45 cm",
        0.05,
        ROCKING,
    ),
    rocking(
        "rocking-near",
        "the same about an axis 1.5 cm below: parts stick for a part of every period",
        0.015,
        ROCKING,
    ),
];

const ROCKING: &str = r#"axis = [0, -1, 0]
angle = """if(mod(t, 0.03) < 0.015,
  90*mod(t, 0.03)^2 - 1.35*mod(t, 0.03),
  -90*mod(t, 0.03)^2 + 4.05*mod(t, 0.03) - 0.0405)"""
position = [0, 0, "-surface"]"#;

/// The motion of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static PlateMotion> {
    LIBRARY.iter().find(|plate| plate.name == name)
}

impl PlateMotion {
    /// A scene of this plate and a part near the place (0.04 m, 0), a millimetre above it, as TOML.
    #[must_use]
    pub fn scene_text(&self, part: Part) -> String {
        let Self {
            name,
            says,
            period,
            motion,
            surface,
            ..
        } = self;
        format!(
            r#"# {name}: {says}.
title = "A plate that moves as {name}"
format = 1

[parameters]
surface = {surface}

[step]
h = "{period:?}/300"
until = "{period:?}*100"

[material]
friction = 0.3

[[body]]
name = "plate"
shape = {{ half-space = {{ normal = [0, 0, 1], offset = "surface" }} }}

[body.motion]
{motion}

[[body]]
name = "part"
mass = 0.001
position = [0.04, 0, 0.002]
{}
"#,
            part.text()
        )
    }

    /// The same, read.
    ///
    /// # Panics
    /// Never: a test reads all of them.
    #[must_use]
    pub fn scene(&self, part: Part) -> Scene {
        let none: [Override; 0] = [];
        Scene::parse(&self.scene_text(part), self.name, &none).expect("a motion of the library")
    }
}

/// The parts of the plate paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One contact and no rotation.
    Particle,
    /// Three feet 3 mm from the axis, the centre of mass 1 mm above them.
    Tripod,
}

impl Part {
    /// The rest of the part's `[[body]]`.
    const fn text(self) -> &'static str {
        match self {
            Self::Particle => r#"shape = "point""#,
            Self::Tripod => {
                r#"inertia = [4e-9, 4e-9, 6e-9]

[body.shape.points]
at = [
  [0.003, 0, -0.001],
  ["0.003*cos(2*pi/3)", "0.003*sin(2*pi/3)", -0.001],
  ["0.003*cos(4*pi/3)", "0.003*sin(4*pi/3)", -0.001],
]"#
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::prelude::World;

    #[test]
    fn every_motion_is_a_scene_and_returns_after_its_period() {
        for plate in LIBRARY {
            let scene = plate.scene(Part::Tripod);
            let mut world = World::from_scene(&scene).unwrap();
            let at_start = world.body("plate").unwrap().pose;
            while world.time() < plate.period * (1.0 - 1e-9) {
                world.step().unwrap();
            }
            let after = world.body("plate").unwrap().pose;
            assert!(
                (after.position - at_start.position).length() < 1e-12,
                "{}",
                plate.name
            );
            assert!((after.orientation - at_start.orientation).length() < 1e-12);
        }
    }
}
