//! Reading a state from TOML or JSON.
//!
//! Both formats have the same keys. Values are checked while they are read, so that an error carries its line and column.

use crate::contact::{Contact, ContactKind};
use crate::state::{State, StateError};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use std::fmt;

impl State {
    /// Reads a state from TOML text.
    ///
    /// # Errors
    /// [`StateError`] with line and column of what is wrong.
    pub fn from_toml(text: &str) -> Result<Self, StateError> {
        let raw: RawState = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let (line, column) = line_and_column(text, at);
            StateError::Syntax {
                line,
                column,
                message: with_suggestion(e.message()),
            }
        })?;
        raw.check()
    }

    /// Reads a state from JSON text. Infinity is written as the string "inf".
    ///
    /// # Errors
    /// [`StateError`] with line and column of what is wrong.
    pub fn from_json(text: &str) -> Result<Self, StateError> {
        let start = text.len() - text.trim_start().len();
        if !text[start..].starts_with('{') {
            let (line, column) = line_and_column(text, start);
            return Err(StateError::Syntax {
                line,
                column,
                message: "expected a state with the keys m, rho, F, mu and contacts, in braces"
                    .into(),
            });
        }
        let raw: RawState = serde_json::from_str(text).map_err(|e| {
            // serde_json ends its message with the place; we give the place first.
            let full = e.to_string();
            let tail = format!(" at line {} column {}", e.line(), e.column());
            StateError::Syntax {
                line: e.line().max(1),
                column: e.column().max(1),
                message: with_suggestion(full.strip_suffix(&tail).unwrap_or(&full)),
            }
        })?;
        raw.check()
    }

    /// Reads a state from text in either format, with or without a byte order mark: JSON where the first character that
    /// is no white space is `{`, or where the text is JSON of any other kind (which is refused).
    ///
    /// # Errors
    /// [`StateError`] with line and column of what is wrong.
    pub fn from_text(text: &str) -> Result<Self, StateError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
        if text.trim_start().starts_with('{') || json() {
            Self::from_json(text)
        } else {
            Self::from_toml(text)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawState {
    #[serde(default)]
    title: String,
    m: Positive,
    rho: Option<Positive>,
    inertia: Option<Positive>,
    #[serde(rename = "F", alias = "force")]
    force: Triple,
    #[serde(rename = "v", alias = "velocity", default)]
    velocity: Triple,
    mu: Option<Frictions>,
    #[serde(alias = "contact")]
    contacts: Vec<RawContact>,
    #[serde(default)]
    outline: Vec<Pair>,
    #[serde(
        default,
        rename = "support",
        alias = "support_friction",
        alias = "support-friction",
        alias = "mu_support",
        alias = "table"
    )]
    _support: Option<Refused>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawContact {
    n: Direction,
    r: Option<Pair>,
    point: Option<Pair>,
    mu: Option<Frictions>,
    #[serde(rename = "type", alias = "kind")]
    kind: Option<Kind>,
    curvature: Option<Curvature>,
    #[serde(default)]
    name: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
enum Kind {
    A,
    B,
    #[serde(rename = "arc")]
    Arc,
    #[serde(rename = "vertex-vertex")]
    VertexVertex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Curvature {
    body: Finite,
    obstacle: Finite,
}

impl RawState {
    fn check(self) -> Result<State, StateError> {
        let bad = |what: String, message: &str| StateError::Value {
            what,
            message: message.into(),
        };
        let m = self.m.0;
        let rho = match (self.rho, self.inertia) {
            (Some(rho), None) => rho.0,
            // I = m ρ².
            (None, Some(inertia)) => (inertia.0 / m).sqrt(),
            (Some(_), Some(_)) => {
                return Err(bad(
                    "rho".into(),
                    "give the radius of gyration rho or the inertia, not both",
                ));
            }
            (None, None) => {
                return Err(bad(
                    "rho".into(),
                    "missing: give the radius of gyration rho (m) or the inertia (kg m²)",
                ));
            }
        };
        let mut contacts = Vec::with_capacity(self.contacts.len());
        for (i, raw) in self.contacts.into_iter().enumerate() {
            let place = |key: &str| format!("contacts[{i}].{key}");
            let r = match (raw.r, raw.point) {
                (Some(r), None) => r.0,
                (None, Some(point)) => [-point.0[0], -point.0[1]],
                _ => {
                    return Err(bad(
                        place("r"),
                        "give r (from the contact to the centre of mass) or point (the contact as seen from the \
                         centre of mass), one of the two",
                    ));
                }
            };
            let Some(mu) = raw.mu.or(self.mu) else {
                return Err(bad(
                    place("mu"),
                    "missing: give mu for this contact or for the whole state",
                ));
            };
            let kind = match (raw.kind, raw.curvature) {
                (Some(Kind::A), None) => ContactKind::A,
                (None | Some(Kind::B), None) => ContactKind::B,
                (Some(Kind::VertexVertex), None) => ContactKind::VertexVertex,
                (Some(Kind::Arc) | None, Some(c)) => ContactKind::Arc {
                    body: c.body.0,
                    obstacle: c.obstacle.0,
                },
                (Some(Kind::Arc), None) => {
                    return Err(bad(
                        place("curvature"),
                        "missing: an arc needs curvature = { body = ..., obstacle = ... } in 1/m",
                    ));
                }
                (Some(_), Some(_)) => {
                    return Err(bad(
                        place("curvature"),
                        "only a contact of type \"arc\" has curvatures",
                    ));
                }
            };
            contacts.push(Contact {
                n: raw.n.0,
                r,
                mu: mu.kinetic,
                mu_static: mu.larger,
                kind,
                name: raw.name,
            });
        }
        let state = State {
            title: self.title,
            m,
            rho,
            force: self.force.0,
            velocity: self.velocity.0,
            contacts,
            outline: self.outline.into_iter().map(|p| p.0).collect(),
        };
        state.validate()?;
        Ok(state)
    }
}

/// A number, also as a string such as "inf".
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Number, E> {
                Ok(Number(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Number, E> {
                Ok(Number(x as f64))
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<Number, E> {
                Ok(Number(x as f64))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                match text {
                    "inf" | "+inf" | "infinity" => Ok(Number(f64::INFINITY)),
                    "-inf" => Ok(Number(f64::NEG_INFINITY)),
                    _ => Err(E::custom(format!("expected a number, found \"{text}\""))),
                }
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

/// Declares a checked value that is read as one of the wider type `$raw`.
macro_rules! checked {
    ($name:ident($inner:ty), $raw:ty, $check:expr) => {
        #[derive(Clone, Copy)]
        struct $name($inner);
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = <$raw>::deserialize(deserializer)?;
                let check: fn($raw) -> Result<$inner, String> = $check;
                check(raw).map(Self).map_err(D::Error::custom)
            }
        }
    };
}

fn finite(Number(x): Number) -> Result<f64, String> {
    if x.is_finite() {
        Ok(x)
    } else {
        Err(format!("expected a finite number, found {x}"))
    }
}

fn finite_array<const N: usize>(xs: Vec<Number>) -> Result<[f64; N], String> {
    let found = xs.len();
    let xs: Vec<f64> = xs.into_iter().map(finite).collect::<Result<_, _>>()?;
    xs.try_into()
        .map_err(|_| format!("expected {N} numbers, found {found}"))
}

checked!(Finite(f64), Number, finite);
checked!(Positive(f64), Number, |x| {
    let x = finite(x)?;
    if x > 0.0 {
        Ok(x)
    } else {
        Err(format!("expected a number greater than zero, found {x}"))
    }
});
checked!(Friction(f64), Number, |Number(x)| {
    if x >= 0.0 {
        Ok(x)
    } else {
        Err(format!(
            "a coefficient of friction is zero or more (inf is allowed), found {x}"
        ))
    }
});
/// One coefficient, or { static, kinetic }.
#[derive(Clone, Copy)]
struct Frictions {
    kinetic: f64,
    larger: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StaticKinetic {
    #[serde(rename = "static")]
    stick: Friction,
    kinetic: Friction,
}

impl<'de> Deserialize<'de> for Frictions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FrictionsVisitor;
        impl<'de> Visitor<'de> for FrictionsVisitor {
            type Value = Frictions;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number, or {{ static, kinetic }}")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Frictions, E> {
                one(x.into_deserializer())
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Frictions, E> {
                one(x.into_deserializer())
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<Frictions, E> {
                one(x.into_deserializer())
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Frictions, E> {
                one(text.into_deserializer())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Frictions, A::Error> {
                let both = StaticKinetic::deserialize(MapAccessDeserializer::new(map))?;
                let (stick, kinetic) = (both.stick.0, both.kinetic.0);
                if stick < kinetic {
                    return Err(A::Error::custom(format!(
                        "static friction is not less than kinetic, found static {stick} and kinetic {kinetic}"
                    )));
                }
                Ok(Frictions {
                    kinetic,
                    larger: (stick > kinetic).then_some(stick),
                })
            }
        }
        fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Frictions, D::Error> {
            Friction::deserialize(deserializer).map(|Friction(kinetic)| Frictions {
                kinetic,
                larger: None,
            })
        }
        deserializer.deserialize_any(FrictionsVisitor)
    }
}

checked!(Pair([f64; 2]), Vec<Number>, finite_array);
checked!(Triple([f64; 3]), Vec<Number>, finite_array);
checked!(Direction([f64; 2]), Vec<Number>, |xs| {
    let [x, y]: [f64; 2] = finite_array(xs)?;
    let length = libm::hypot(x, y);
    // Only the direction counts, so that [1, 1] may be written for a slope of 45 degrees.
    if length > 0.0 && length.is_finite() {
        Ok([x / length, y / length])
    } else {
        Err("a normal needs a direction, found the zero vector".into())
    }
});

impl Default for Triple {
    fn default() -> Self {
        Self([0.0; 3])
    }
}

/// A key that says support friction, which is outside the theory.
struct Refused;

impl<'de> Deserialize<'de> for Refused {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(D::Error::custom(
            "friction with a supporting plane is not covered: here all forces lie in the plane of motion (section 3.3 \
             of Erdmann's article). A part pushed about on a table needs the table's pressure distribution; simulate it in \
             three dimensions",
        ))
    }
}

/// Line and column, both from 1, of the byte `at`.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before: String = text
        .char_indices()
        .take_while(|(i, _)| *i < at)
        .map(|(_, c)| c)
        .collect();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

/// Keys that are known only to be refused.
const REFUSED: [&str; 5] = [
    "support",
    "support_friction",
    "support-friction",
    "mu_support",
    "table",
];

/// The message, and where it is about an unknown key the known ones and the nearest of them.
fn with_suggestion(message: &str) -> String {
    let message = message.trim_end();
    let (what, rest) = if let Some(rest) = message.strip_prefix("unknown field `") {
        ("key", rest)
    } else if let Some(rest) = message.strip_prefix("unknown variant `") {
        ("type", rest)
    } else {
        return message.to_owned();
    };
    // serde writes: found`, expected one of `a`, `b` - every second piece between backticks is a word.
    let mut words = rest.split('`');
    let found = words.next().unwrap_or_default();
    let known: Vec<&str> = words
        .skip(1)
        .step_by(2)
        .filter(|k| !REFUSED.contains(k))
        .collect();
    let nearest = known
        .iter()
        .min_by_key(|k| (distance(found, k), k.len().abs_diff(found.len())))
        .filter(|k| distance(found, k) <= 1 + found.len() / 3);
    let hint = nearest.map_or_else(String::new, |k| format!(" (did you mean `{k}`?)"));
    format!(
        "unknown {what} `{found}`{hint}; known are {}",
        known.join(", ")
    )
}

/// Number of single-letter changes between two words, capitals not counted.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
