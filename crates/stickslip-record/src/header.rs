//! What a trajectory says about itself: the header, known at the start, and the summary at the end.

use crate::account::Approximate;
use crate::error::RecordError;
use serde::{Deserialize, Serialize};
use stickslip_model::{Cone, Fan};

/// Version of the file format, written to and demanded of every Parquet file. Up to 3 bodies and joints stood in the order of their
/// names, up to 4 no step left overlaps as they were.
pub const FORMAT: u32 = 5;

/// All that is needed, beside the states, to rebuild the world from the file alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of stickslip that wrote the file.
    pub version: String,
    /// File name of the scene, as given by the user (only for messages: the text is below).
    pub scene_file: String,
    /// The scene file itself, unaltered. Stored as metadata of its own, to be read by eye.
    #[serde(skip)]
    pub scene: String,
    /// The files the scene names (meshes, height fields), each with its name and its content in base64, so that
    /// the world can be rebuilt without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, String)>,
    /// `--set` overrides in the order in which they were applied, each `KEY=VALUE`.
    pub overrides: Vec<String>,
    /// Names of the bodies in the model's order.
    pub bodies: Vec<String>,
    /// Names of the joints, then of the springs, then of the gears, in the model's order.
    #[serde(default)]
    pub joints: Vec<String>,
    /// How many of them are joints, springs and gears.
    #[serde(default)]
    pub kinds: [usize; 3],
    /// Step size, s.
    pub h: f64,
    /// Time at which the run was to end, s.
    pub until: f64,
    /// Every how many steps were recorded (1: all).
    pub every: u64,
    /// Tolerance of the certificates, m/s.
    pub tolerance: f64,
    /// Largest residual of a step that was to be accepted as approximate, m/s; zero: none.
    #[serde(default)]
    pub accept: f64,
    /// The friction cone.
    #[serde(with = "cone_name")]
    pub cone: Cone,
    /// Time-stepping method, such as "stewart-trinkle".
    pub method: String,
    /// Solver that was asked for, such as "auto".
    pub solver: String,
}

/// What is known when a run has ended. A file without it comes from a run that died.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Steps computed (recorded or not).
    pub steps: u64,
    /// Time reached, s.
    pub t: f64,
    /// Did every step meet its tolerance, and the run come to its end?
    pub certified: bool,
    /// Those that did not and were accepted nevertheless.
    #[serde(default)]
    pub approximate: Approximate,
    /// Steps that were done in shorter ones.
    #[serde(default)]
    pub divided: u64,
    /// Records that leave overlaps as they find them.
    #[serde(default)]
    pub leaving: u64,
    /// SHA-256 of all states of the run ([`crate::StateHash`]), hexadecimal.
    pub hash: String,
    /// Why the run stopped early, if it did.
    pub failure: Option<String>,
}

impl Header {
    /// Can this describe a run: bodies with distinct names, h > 0, every ≥ 1, all numbers finite?
    ///
    /// # Errors
    /// [`RecordError::Header`] with the first thing that is wrong.
    pub fn validate(&self) -> Result<(), RecordError> {
        let wrong = |what: String| Err(RecordError::Header(what));
        if !(self.h.is_finite() && self.h > 0.0) {
            return wrong(format!("step size {} is not positive", self.h));
        }
        if ![self.until, self.tolerance, self.accept]
            .iter()
            .all(|x| x.is_finite())
        {
            return wrong("end time or tolerance is not finite".into());
        }
        if self.every == 0 {
            return wrong("every 0th step cannot be recorded".into());
        }
        if self.cone.directions().is_some_and(|n| n < 3) {
            return wrong("a pyramid needs at least 3 directions".into());
        }
        if self.bodies.is_empty() {
            return wrong("a run without bodies".into());
        }
        let mut names: Vec<&String> = self.bodies.iter().collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong(format!("two bodies are named `{}`", pair[0]));
        }
        let mut names: Vec<&String> = self.joints.iter().collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong(format!("two joints are named `{}`", pair[0]));
        }
        Ok(())
    }
}

/// The cone as on the command line: `quadratic`, `pyramid:N`, or `pyramid:N:world:TURN` and `pyramid:N:body:TURN` for
/// a fan that starts elsewhere, turned on by TURN sectors; `budget:WORK` where each contact has its own.
#[must_use]
pub fn cone_to_string(cone: Cone) -> String {
    match cone {
        Cone::Quadratic => "quadratic".into(),
        Cone::Pyramid(n) => format!("pyramid:{n}"),
        Cone::Budget(work) => format!("budget:{work}"),
        Cone::Fan(fan) => {
            let frame = if fan.carried { "body" } else { "world" };
            format!("pyramid:{}:{frame}:{:?}", fan.directions, fan.turn)
        }
    }
}

/// Inverse of [`cone_to_string`].
#[must_use]
pub fn cone_from_str(text: &str) -> Option<Cone> {
    let mut words = text.split(':');
    let kind = words.next()?;
    let rest: Vec<&str> = words.collect();
    match (kind, rest.as_slice()) {
        ("quadratic", []) => Some(Cone::Quadratic),
        ("pyramid", [n]) => n.parse().ok().map(Cone::Pyramid),
        ("budget", [work]) => work.parse().ok().map(Cone::Budget),
        ("pyramid", [n, frame @ ("world" | "body"), rest @ ..]) => {
            let turn = match rest {
                [] => 0.0,
                [turn] => turn.parse().ok().filter(|t: &f64| t.is_finite())?,
                _ => return None,
            };
            let directions = n.parse().ok()?;
            let carried = *frame == "body";
            Some(Cone::Fan(Fan {
                directions,
                carried,
                turn,
            }))
        }
        _ => None,
    }
}

mod cone_name {
    use super::{Cone, cone_from_str, cone_to_string};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(cone: &Cone, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&cone_to_string(*cone))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Cone, D::Error> {
        let text = String::deserialize(d)?;
        cone_from_str(&text).ok_or_else(|| D::Error::custom(format!("unknown cone `{text}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            bodies: vec!["a".into(), "b".into()],
            h: 0.01,
            every: 1,
            cone: Cone::Pyramid(8),
            ..Header::default()
        }
    }

    #[test]
    fn a_header_survives_json_but_for_the_scene_text() {
        let header = Header {
            h: 0.1 + 0.2,
            overrides: vec!["mu=0.3".into()],
            ..header()
        };
        let json = serde_json::to_string(&header).unwrap();
        assert_eq!(serde_json::from_str::<Header>(&json).unwrap(), header);
    }

    #[test]
    fn what_cannot_describe_a_run_is_refused() {
        header().validate().unwrap();
        for (broken, word) in [
            (Header { h: 0.0, ..header() }, "step size"),
            (
                Header {
                    h: f64::NAN,
                    ..header()
                },
                "step size",
            ),
            (
                Header {
                    every: 0,
                    ..header()
                },
                "0th",
            ),
            (
                Header {
                    until: f64::INFINITY,
                    ..header()
                },
                "end time",
            ),
            (
                Header {
                    cone: Cone::Pyramid(2),
                    ..header()
                },
                "3 directions",
            ),
            (
                Header {
                    bodies: Vec::new(),
                    ..header()
                },
                "without bodies",
            ),
            (
                Header {
                    bodies: vec!["a".into(), "a".into()],
                    ..header()
                },
                "`a`",
            ),
        ] {
            let message = broken.validate().unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn cones_have_names() {
        let fan = Fan {
            directions: 8,
            carried: true,
            turn: 0.5,
        };
        for cone in [
            Cone::Quadratic,
            Cone::Pyramid(4),
            Cone::Fan(fan),
            Cone::Budget(30_000),
        ] {
            assert_eq!(cone_from_str(&cone_to_string(cone)), Some(cone));
        }
        for bad in ["", "pyramid", "pyramid:x", "cube:4", "quadratic:1"] {
            assert_eq!(cone_from_str(bad), None, "{bad}");
        }
    }
}
