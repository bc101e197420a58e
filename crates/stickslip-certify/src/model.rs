//! What never changes during a run: bodies with their shapes and masses, sorted by name.

use glam::DMat3;
use stickslip_geometry::{MassProperties, Shape};

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name; bodies are sorted by it.
    pub name: String,
    /// Shape in the body frame.
    pub shape: Shape,
    /// Mass and inertia of a free body; `None` for one whose motion is prescribed (or fixed).
    pub mass: Option<MassProperties>,
    /// I⁻¹ in the body frame; zero for a prescribed body and for a particle, which does not turn.
    pub inverse_inertia: DMat3,
}

/// The bodies of a world, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// In the order of their names.
    pub bodies: Vec<Body>,
}

impl Body {
    /// A body that moves freely.
    #[must_use]
    pub fn free(name: impl Into<String>, shape: Shape, mass: MassProperties) -> Self {
        Self {
            name: name.into(),
            shape,
            inverse_inertia: if mass.inertia == DMat3::ZERO {
                DMat3::ZERO
            } else {
                mass.inertia.inverse()
            },
            mass: Some(mass),
        }
    }

    /// A body whose motion is given.
    #[must_use]
    pub fn prescribed(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            mass: None,
            inverse_inertia: DMat3::ZERO,
        }
    }

    /// Does the body obey Newton's law (and not a prescribed motion)?
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.mass.is_some()
    }
}
