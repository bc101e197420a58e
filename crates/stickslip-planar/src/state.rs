//! A planar state: the body, its contacts, its velocity and the applied force.

use crate::cone::Cone;
use crate::contact::{Contact, ContactKind};
use crate::solve::EXHAUSTIVE_CAP;
use crate::vec3::V3;
use thiserror::Error;

/// A planar rigid body in contact with fixed obstacles. SI units, radians.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What the state shows; empty for none.
    pub title: String,
    /// Mass, kg.
    pub m: f64,
    /// Radius of gyration about the centre of mass, m.
    pub rho: f64,
    /// Applied force and torque about the centre of mass: (F_x, F_y, τ), N and N m.
    pub force: [f64; 3],
    /// Velocity of the centre of mass and angular velocity: (v_x, v_y, ω), m/s and rad/s.
    pub velocity: [f64; 3],
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// Outline of the body for pictures, relative to the centre of mass, m; may be empty.
    pub outline: Vec<[f64; 2]>,
}

/// Why a state was refused.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StateError {
    /// The text could not be read as a state.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// A value is out of range.
    #[error("{what}: {message}")]
    Value {
        /// Which value, such as `contacts[2].n`.
        what: String,
        /// What is wrong with it, and what was expected.
        message: String,
    },
    /// More contacts than the cap.
    #[error(
        "{found} contacts that the velocity keeps, and the cap is {cap}: time grows faster than the square of the number \
         of contacts; raise the cap (--max-contacts) if you can wait"
    )]
    TooManyContacts {
        /// Contacts in the state that the velocity keeps.
        found: usize,
        /// The cap of the options.
        cap: usize,
    },
    /// More contacts than there is time to try every subset of.
    #[error(
        "every subset of {found} contacts: there are 2^{found} - 1 of them, and no more than {EXHAUSTIVE_CAP} contacts are \
         searched like that; without --exhaustive only the subsets that can add a solution are tried"
    )]
    TooManySubsets {
        /// Contacts in the state that the velocity keeps.
        found: usize,
    },
}

fn value(what: impl Into<String>, message: impl Into<String>) -> StateError {
    StateError::Value {
        what: what.into(),
        message: message.into(),
    }
}

impl State {
    /// A body at rest with no applied force and no contacts.
    #[must_use]
    pub fn new(m: f64, rho: f64) -> Self {
        Self {
            title: String::new(),
            m,
            rho,
            force: [0.0; 3],
            velocity: [0.0; 3],
            contacts: Vec::new(),
            outline: Vec::new(),
        }
    }

    /// The applied force in configuration space, (F_x, F_y, τ/ρ).
    #[must_use]
    pub fn generalised_force(&self) -> V3 {
        [self.force[0], self.force[1], self.force[2] / self.rho]
    }

    /// The velocity in configuration space, (v_x, v_y, ρω).
    #[must_use]
    pub fn generalised_velocity(&self) -> V3 {
        [
            self.velocity[0],
            self.velocity[1],
            self.velocity[2] * self.rho,
        ]
    }

    /// The sum of the friction cones of all contacts (section 5), as if the body were at rest: the reactions that the
    /// contacts can give together.
    #[must_use]
    pub fn composite_cone(&self) -> Cone {
        let mut edges = Vec::with_capacity(2 * self.contacts.len());
        for contact in &self.contacts {
            let frame = contact.frame(self.rho);
            let mu = contact.coefficients(self.rho).stick;
            edges.extend(frame.cone_edges(mu));
            if mu.is_infinite() {
                edges.push(frame.delta_n_n);
            }
        }
        Cone::new(&edges, 1e-9)
    }

    /// Whether the contacts can balance every load: a grasp with force closure, a peg that is wedged.
    #[must_use]
    pub fn force_closure(&self) -> bool {
        self.composite_cone().is_whole_space()
    }

    /// Refuses what is not a state: numbers that are not finite, m or ρ not positive, μ negative, normals that are
    /// not unit vectors, arcs that would overlap.
    ///
    /// # Errors
    /// [`StateError::Value`] naming the first such value.
    pub fn validate(&self) -> Result<(), StateError> {
        for (what, x) in [("m", self.m), ("rho", self.rho)] {
            if !(x.is_finite() && x > 0.0) {
                return Err(value(what, format!("must be a positive number, is {x:?}")));
            }
            in_range(what, &[x])?;
        }
        for (what, xs) in [("F", self.force), ("v", self.velocity)] {
            if !xs.iter().all(|x| x.is_finite()) {
                return Err(value(
                    what,
                    format!("must be three finite numbers, is {xs:?}"),
                ));
            }
            in_range(what, &xs)?;
        }
        if !self.outline.iter().flatten().all(|x| x.is_finite()) {
            return Err(value("outline", "must be finite numbers"));
        }
        for p in &self.outline {
            in_range("outline", p)?;
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            contact
                .validate()
                .map_err(|(key, message)| value(format!("contacts[{i}].{key}"), message))?;
            let lever = libm::hypot(contact.r[0], contact.r[1]);
            if lever > LONGEST_LEVER * self.rho {
                return Err(value(
                    format!("contacts[{i}].r"),
                    format!(
                        "is {:.0e} times the radius of gyration {:e} m; beyond {LONGEST_LEVER:e} times, rounding errors \
                         would decide",
                        lever / self.rho,
                        self.rho
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The longest lever between a contact and the centre of mass, m.
    pub(crate) fn longest_lever(&self) -> f64 {
        let levers = self.contacts.iter().map(|c| libm::hypot(c.r[0], c.r[1]));
        levers.fold(0.0, f64::max)
    }
}

/// Longest lever that is accepted, in radii of gyration.
const LONGEST_LEVER: f64 = 1e6;

/// Squares and quotients of what a state holds must stay clear of the ends of the floating-point range.
fn in_range(what: &str, xs: &[f64]) -> Result<(), StateError> {
    let size = xs.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if size == 0.0 || (1e-40..=1e40).contains(&size) {
        return Ok(());
    }
    Err(value(
        what,
        format!(
            "its size {size:e} is out of range: in SI units, from 1e-40 to 1e40 (or zero) is accepted"
        ),
    ))
}

impl Contact {
    fn validate(&self) -> Result<(), (&'static str, String)> {
        let length = libm::hypot(self.n[0], self.n[1]);
        if length.is_nan() || (length - 1.0).abs() > 1e-9 {
            return Err(("n", format!("must be a unit vector, has length {length}")));
        }
        if !self.r.iter().all(|x| x.is_finite()) {
            return Err(("r", format!("must be two finite numbers, is {:?}", self.r)));
        }
        if self.mu.is_nan() || self.mu < 0.0 {
            return Err(("mu", format!("must be zero or more, is {}", self.mu)));
        }
        if let Some(stick) = self.mu_static
            && (stick.is_nan() || stick < self.mu)
        {
            let slide = self.mu;
            return Err((
                "mu",
                format!("static friction must not be less than kinetic, is {stick} and {slide}"),
            ));
        }
        if let ContactKind::Arc { body, obstacle } = self.kind {
            if !(body.is_finite() && obstacle.is_finite()) {
                return Err((
                    "curvature",
                    "must be finite; use type A or B for a vertex".into(),
                ));
            }
            if body + obstacle <= 0.0 {
                return Err((
                    "curvature",
                    format!(
                        "the curvatures of body and obstacle must add up to more than zero, or the arcs overlap or \
                         touch along a line (they are {body} and {obstacle} 1/m)"
                    ),
                ));
            }
        }
        Ok(())
    }
}
