//! One contact at rest: the reaction by two projections (section 4.4).

use crate::contact::Frame;
use crate::vec3::{V3, axpy, dot, scale};

/// The reaction at one contact of a body at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reaction {
    /// The force does not press on the surface: no reaction.
    None,
    /// The first projection lies in the cone: the contact point stands still.
    Stick(V3),
    /// The second projection: the reaction lies on the edge Δ_n n + μ v_f (`true`) or Δ_n n - μ v_f (`false`).
    Edge(V3, bool),
}

/// The two projections of section 4.4, or `None` where they do not apply: the friction cone must lie above the tangent
/// plane. The body must be at rest.
///
///   F_R = -(F_A·n) n - η t_r⊥,
///
/// with η = F_A·t_r⊥ where that lies in the cone (the component along t_r, rotation about the contact, is removed),
/// and otherwise the η of smallest change that puts F_R on an edge. The document calls η h.
#[must_use]
pub fn two_projections(frame: &Frame, mu: f64, force: V3) -> Option<Reaction> {
    if !frame.cone_above_tangent_plane(mu) {
        return None;
    }
    let pressing = -dot(force, frame.n);
    if pressing <= 0.0 {
        return Some(Reaction::None);
    }
    // Coordinates in the plane of the cone: height along n, position along t_r⊥. The cone's cross-section at the height
    // of the reaction is the interval between its edges.
    let position = -dot(force, frame.t_r_perp);
    let edges = frame.cone_edges(mu);
    let ends = edges.map(|e| pressing * dot(e, frame.t_r_perp) / dot(e, frame.n));
    let (low, high) = if ends[0] <= ends[1] { (0, 1) } else { (1, 0) };
    let at = |edge: usize| {
        let reaction = scale(edges[edge], pressing / dot(edges[edge], frame.n));
        Reaction::Edge(reaction, edge == 0)
    };
    Some(if position > ends[high] {
        at(high)
    } else if position < ends[low] {
        at(low)
    } else {
        Reaction::Stick(axpy(scale(frame.n, pressing), position, frame.t_r_perp))
    })
}
