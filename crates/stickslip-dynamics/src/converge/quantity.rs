//! What a study looks at: one number of the state.

use crate::world::World;
use stickslip_model::BodyState;

/// A number of a world's state.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number of one body.
    Body {
        /// Its name.
        body: String,
        /// Which number, one of [`COMPONENTS`].
        component: usize,
    },
    /// Kinetic and potential energy, J.
    Energy,
}

/// The numbers of a body's state that can be looked at, with their units.
pub const COMPONENTS: [(&str, &str); 14] = [
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("qs", ""),
    ("qx", ""),
    ("qy", ""),
    ("qz", ""),
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("vz", "m/s"),
    ("wx", "rad/s"),
    ("wy", "rad/s"),
    ("wz", "rad/s"),
    ("speed", "m/s"),
];

/// A quantity that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("quantity `{text}`: {reason}")]
pub struct QuantityError {
    text: String,
    reason: String,
}

impl Quantity {
    /// Reads `energy` or `BODY.COMPONENT`, such as `ball.x`.
    ///
    /// # Errors
    /// [`QuantityError`] says what was expected.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if text == "energy" {
            return Ok(Self::Energy);
        }
        let wrong = |reason: String| QuantityError {
            text: text.into(),
            reason,
        };
        let (body, name) = text
            .rsplit_once('.')
            .ok_or_else(|| wrong("expected `energy` or BODY.COMPONENT, such as ball.x".into()))?;
        let names = COMPONENTS.map(|c| c.0);
        let component = names.iter().position(|n| *n == name).ok_or_else(|| {
            wrong(format!(
                "unknown component `{name}`; it is one of {}",
                names.join(", ")
            ))
        })?;
        Ok(Self::Body {
            body: body.into(),
            component,
        })
    }

    /// Its name, as [`Quantity::parse`] reads it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Energy => "energy".into(),
            Self::Body { body, component } => format!("{body}.{}", COMPONENTS[*component].0),
        }
    }

    /// Its unit.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Energy => "J",
            Self::Body { component, .. } => COMPONENTS[*component].1,
        }
    }

    /// Its value in a world.
    ///
    /// # Errors
    /// Where the world has no such body.
    pub fn of(&self, world: &World) -> Result<f64, QuantityError> {
        match self {
            Self::Energy => Ok(world.energy()),
            Self::Body { body, component } => {
                let state = world.body(body).ok_or_else(|| QuantityError {
                    text: self.name(),
                    reason: format!("the scene has no body `{body}`"),
                })?;
                Ok(component_of(state, *component))
            }
        }
    }

    /// Where the free bodies of a world are, coordinate by coordinate.
    pub(super) fn coordinates(world: &World) -> impl Iterator<Item = Self> {
        let free = world.model().bodies.iter().filter(|body| body.is_free());
        free.flat_map(|body| {
            (0..3).map(|component| Self::Body {
                body: body.name.clone(),
                component,
            })
        })
    }

    /// The coordinate of a free body in which two worlds differ most.
    pub(super) fn least_known(a: &World, b: &World) -> Self {
        let mut worst = (-1.0, Self::Energy);
        let states = a.model().bodies.iter().zip(a.states());
        for (body, x) in states.filter(|(body, _)| body.is_free()) {
            let Some(y) = b.body(&body.name) else {
                continue;
            };
            for component in 0..3 {
                let off = (component_of(x, component) - component_of(y, component)).abs();
                if off > worst.0 {
                    let body = body.name.clone();
                    worst = (off, Self::Body { body, component });
                }
            }
        }
        worst.1
    }
}

/// One of [`COMPONENTS`].
pub(crate) fn component_of(state: &BodyState, component: usize) -> f64 {
    let (p, q) = (state.pose.position, state.pose.orientation);
    let (v, w) = (state.twist.linear, state.twist.angular);
    let all = [
        p.x,
        p.y,
        p.z,
        q.w,
        q.x,
        q.y,
        q.z,
        v.x,
        v.y,
        v.z,
        w.x,
        w.y,
        w.z,
        v.length(),
    ];
    all[component]
}
