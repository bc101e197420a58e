//! One contact and its vectors in configuration space (sections 4.1 to 4.3 of the document).

use crate::vec3::{V3, axpy, dot, norm, scale};

/// How the two surfaces touch. The vectors at the instant of contact are the same for all kinds; what differs is the
/// way they change as the body moves, that is the second-variation term h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactKind {
    /// An edge of the body on a vertex of the obstacle.
    A,
    /// A vertex of the body on an edge of the obstacle.
    B,
    /// Two smooth arcs with curvatures in 1/m, positive where the solid is convex. Type B is the limit of a very large
    /// curvature of the body, type A that of the obstacle.
    Arc {
        /// Curvature of the body's boundary, 1/m.
        body: f64,
        /// Curvature of the obstacle's boundary, 1/m.
        obstacle: f64,
    },
    /// A vertex of the body on a vertex of the obstacle, with the normal the user chose: not generic (footnotes 1 and
    /// 2). It is treated as type B and flagged.
    VertexVertex,
}

/// A point where the body touches a fixed obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Unit normal n_0, out of the obstacle and into the body.
    pub n: [f64; 2],
    /// From the contact point to the centre of mass, m.
    pub r: [f64; 2],
    /// Coulomb's coefficient, zero or more; infinity is allowed.
    pub mu: f64,
    /// The coefficient of a contact that stands still, where it is larger than `mu`, that of a sliding one.
    pub mu_static: Option<f64>,
    /// Which surfaces touch.
    pub kind: ContactKind,
    /// A word for reports; empty for none.
    pub name: String,
}

/// Coulomb's coefficients of one contact; infinity is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// While it slides.
    pub slide: f64,
    /// While it stands still, not less than `slide`.
    pub stick: f64,
}

/// The vectors of equation (1) at one contact, in the coordinates (x, y, q = ρθ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// n_q = n_0 × r, m: the torque of a unit normal force is n_q.
    pub n_q: f64,
    /// v_q = t_s × r for t_s = (n_y, -n_x), m: the torque of a unit force along t_s.
    pub v_q: f64,
    /// Δ_n = sqrt(ρ² + n_q²)/ρ.
    pub delta_n: f64,
    /// Unit outward normal of the configuration-space surface.
    pub n: V3,
    /// Δ_n n = (n_x, n_y, n_q/ρ), the row that multiplies accelerations in (6).
    pub delta_n_n: V3,
    /// Unit tangent of pure rotation about the contact.
    pub t_r: V3,
    /// Unit tangent perpendicular to n and t_r.
    pub t_r_perp: V3,
    /// Unit tangent of the contact edge (third component zero).
    pub t_s: V3,
    /// The frictional reaction of unit size along t_s.
    pub v_f: V3,
}

impl Frame {
    /// The vectors of section 4.2, with its sign convention: t_r⊥·n_0 ≥ 0, t_r⊥·t_s > 0, v_f·t_s > 0.
    ///
    /// Where t_r⊥·n_0 = 0 the convention leaves the signs open (contact 3 of section 5.2); we then take
    /// t_s = (n_y, -n_x), as the document does. No answer depends on the choice.
    #[must_use]
    pub fn new(n_0: [f64; 2], r: [f64; 2], rho: f64) -> Self {
        let ([n_x, n_y], [r_x, r_y]) = (n_0, r);
        let n_q = n_x * r_y - n_y * r_x;
        let v_q = n_x * r_x + n_y * r_y;
        let delta_n = (rho * rho + n_q * n_q).sqrt() / rho;
        let delta_n_n = [n_x, n_y, n_q / rho];
        let n = scale(delta_n_n, 1.0 / delta_n);
        let t_r = scale(
            [-r_y, r_x, rho],
            1.0 / (r_x * r_x + r_y * r_y + rho * rho).sqrt(),
        );
        // Equation (2).
        let delta_1 = rho * rho * n_y - n_q * r_x;
        let delta_2 = rho * rho * n_x + n_q * r_y;
        let delta_3 = rho * r_y * n_y + rho * r_x * n_x;
        let length = (delta_1 * delta_1 + delta_2 * delta_2 + delta_3 * delta_3).sqrt();
        let t_r_perp = scale([delta_1, -delta_2, delta_3], 1.0 / length);
        let along_n = dot(t_r_perp, [n_x, n_y, 0.0]);
        let sign = if along_n < -1e-14 { -1.0 } else { 1.0 };
        // t_r⊥·(n_y, -n_x) = (ρ² + v_q²)/length > 0 before the sign is applied, so one sign serves all three vectors.
        Self {
            n_q,
            v_q,
            delta_n,
            n,
            delta_n_n,
            t_r,
            t_r_perp: scale(t_r_perp, sign),
            t_s: scale([n_y, -n_x, 0.0], sign),
            v_f: scale([n_y, -n_x, v_q / rho], sign),
        }
    }

    /// The two edges of the friction cone, Δ_n n ± μ v_f (section 4.3; the document prints Δ_n ± μ v_f in 5.2.2).
    ///
    /// For infinite μ the edges are ±v_f: a sliding contact then carries friction without normal force.
    #[must_use]
    pub fn cone_edges(&self, mu: f64) -> [V3; 2] {
        if mu.is_infinite() {
            [self.v_f, scale(self.v_f, -1.0)]
        } else {
            [
                axpy(self.delta_n_n, mu, self.v_f),
                axpy(self.delta_n_n, -mu, self.v_f),
            ]
        }
    }

    /// Whether the cone lies above the tangent plane, e·n > 0 for both edges: the hypothesis of section 4.4.
    #[must_use]
    pub fn cone_above_tangent_plane(&self, mu: f64) -> bool {
        self.cone_edges(mu).iter().all(|&e| dot(e, self.n) > 0.0)
    }
}

impl Contact {
    /// A contact of type B.
    #[must_use]
    pub fn new(n: [f64; 2], r: [f64; 2], mu: f64) -> Self {
        Self {
            n,
            r,
            mu,
            mu_static: None,
            kind: ContactKind::B,
            name: String::new(),
        }
    }

    /// The same contact with a larger coefficient while it stands still.
    #[must_use]
    pub fn with_static_friction(mut self, mu_static: f64) -> Self {
        self.mu_static = Some(mu_static);
        self
    }

    /// The coefficients with which the search works, sliding and standing still.
    ///
    /// Where the edges Δn ± μ v_f lean on each other to 1e-8 the normal force between them is lost in rounding: such a
    /// coefficient is taken as infinite ([`crate::Note::TakenAsInfinite`]).
    #[must_use]
    pub fn coefficients(&self, rho: f64) -> Coefficients {
        let frame = self.frame(rho);
        let most = 1e8 * frame.delta_n / norm(frame.v_f);
        let taken = |mu: f64| if mu > most { f64::INFINITY } else { mu };
        Coefficients {
            slide: taken(self.mu),
            stick: taken(self.mu_static.unwrap_or(self.mu)),
        }
    }

    /// The same contact of another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: ContactKind) -> Self {
        self.kind = kind;
        self
    }

    /// The vectors of section 4.2 for a body with radius of gyration `rho`.
    #[must_use]
    pub fn frame(&self, rho: f64) -> Frame {
        Frame::new(self.n, self.r, rho)
    }

    /// The second-variation term h, m/s², that goes with the unnormalised row: contact is kept where
    ///
    ///   n_x a_x + n_y a_y + n_q α = -h,
    ///
    /// and not violated where the left side is larger (5). `slip` is the velocity of the body's material point along
    /// t = (n_y, -n_x), m/s, and `omega` the angular velocity, rad/s.
    ///
    /// The body's material point at the contact has normal acceleration n·a + n_q α + ω² n·r. For type B this is the
    /// second derivative of the gap. For type A the edge turns under the fixed vertex, which adds 2ω(z×n)·v_c = -2ωs.
    /// For two arcs with curvatures κ_b and κ_o the gap is the least distance between the parabolas, which adds
    /// -2ωs + κ_b s² - (κ_b s - ω)²/(κ_b + κ_o).
    #[must_use]
    pub fn second_variation(&self, omega: f64, slip: f64) -> f64 {
        let centripetal = omega * omega * (self.n[0] * self.r[0] + self.n[1] * self.r[1]);
        match self.kind {
            ContactKind::B | ContactKind::VertexVertex => centripetal,
            ContactKind::A => centripetal - 2.0 * omega * slip,
            ContactKind::Arc { body, obstacle } => {
                let turn = body * slip - omega;
                centripetal - 2.0 * omega * slip + body * slip * slip
                    - turn * turn / (body + obstacle)
            }
        }
    }
}
