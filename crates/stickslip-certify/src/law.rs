//! The law of one contact, as residuals in m/s: Signorini on the normal, Coulomb on the tangent.

use glam::{DVec2, DVec3};
use stickslip_model::{Bound, Certificate, Cone, Fan, Friction, Mode, Residual};

/// One contact as the law sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactLaw {
    /// (p_n, p_t1, p_t2), N s; the normal part without what is restituted, the tangents turned to where the fan of directions
    /// starts, or to the axes of the ellipse, if it has its own.
    pub(crate) p: DVec3,
    /// The normal impulse that bounds friction, N s: p_n, with or without what is restituted by the reading.
    pub(crate) pressure: f64,
    /// The restituted part of the normal impulse, N s.
    pub(crate) restituted: f64,
    /// (ψ/h + u_n, u_t1, u_t2) at the end of the step, m/s.
    pub(crate) u: DVec3,
    /// Effective mass 3/tr(D_ii), kg: turns impulses into velocities.
    pub(crate) mass: f64,
    /// Coefficients of friction.
    pub(crate) friction: Friction,
    /// The cone.
    pub(crate) cone: Cone,
    /// Friction along t₂ over that along t₁: the round cone's disc is an ellipse where this is not 1.
    pub(crate) ratio: f64,
}

impl ContactLaw {
    /// Raises the certificate's law residuals by this contact's, whose bound is that of its island.
    pub(crate) fn judge(&self, certificate: &mut Certificate, bound: &Bound) {
        let mut raise = |kind: Residual, value: f64| certificate.raise_law(kind, value, bound);
        let (p, pressure) = (self.p / self.mass, self.pressure / self.mass);
        let (p_t, u_t) = (DVec2::new(p.y, p.z), DVec2::new(self.u.y, self.u.z));
        raise(Residual::Gap, (-self.u.x).max(0.0));
        let both = p.x.min(self.u.x).max(0.0);
        raise(Residual::Complementarity, both.max(-p.x));
        let outside = |mu: f64| (p_t - self.project(p_t, mu * pressure)).length();
        // By a curve friction may be larger at a speed than at rest.
        let most = self.friction.stick.max(self.friction.slide);
        raise(Residual::Cone, outside(most));
        raise(Residual::Direction, self.slip_residual(p_t, u_t, pressure));
        // A NaN makes every comparison above false or equal; say so in one place.
        if !(self.p.is_finite() && self.u.is_finite() && self.pressure.is_finite()) {
            raise(Residual::Complementarity, f64::NAN);
        }
    }

    /// The largest of this contact's residuals, m/s.
    pub(crate) fn residual(&self) -> f64 {
        let mut certificate = Certificate::default();
        self.judge(&mut certificate, &Bound::default());
        certificate.worst().1
    }

    /// Distance from maximal dissipation: |p_t − P(p_t − u_t)| with P the projection onto the friction
    /// disc (or polygon) of radius μ p_n; where static and kinetic friction differ, the smaller of
    /// sliding at μ_k and of sticking within μ_s.
    fn slip_residual(&self, p_t: DVec2, u_t: DVec2, p_n: f64) -> f64 {
        let p_n = p_n.max(0.0);
        let slide = (p_t - self.project(p_t - u_t, self.friction.slide * p_n)).length();
        if self.friction.stick != self.friction.slide {
            slide.min(u_t.length())
        } else {
            slide
        }
    }

    /// Projection onto the disc (or the ellipse with this radius along t₁), or the polygon inscribed in it, of the given radius.
    fn project(&self, z: DVec2, radius: f64) -> DVec2 {
        let radius = radius.max(0.0);
        match self.cone {
            // A contact has a cone of its own where there is a budget; without one it is held to the exact cone.
            Cone::Quadratic | Cone::Budget(_) if self.ratio != 1.0 => {
                project_ellipse(z, DVec2::new(radius, self.ratio * radius))
            }
            Cone::Quadratic | Cone::Budget(_) => {
                let length = z.length();
                if length <= radius {
                    z
                } else {
                    z * (radius / length)
                }
            }
            Cone::Pyramid(directions) | Cone::Fan(Fan { directions, .. }) => {
                project_polygon(z, radius, directions)
            }
        }
    }

    /// What the contact does, by its place in the natural map: no threshold is involved.
    pub(crate) fn mode(&self) -> Mode {
        let (p, pressure) = (self.p / self.mass, self.pressure / self.mass);
        if p.x <= self.u.x && self.restituted == 0.0 {
            return Mode::Open;
        }
        let (p_t, u_t) = (DVec2::new(p.y, p.z), DVec2::new(self.u.y, self.u.z));
        let z = p_t - u_t;
        let kinetic = self.project(z, self.friction.slide * pressure);
        let held_by_static_friction =
            self.friction.stick != self.friction.slide && u_t.length() <= (p_t - kinetic).length();
        if kinetic == z || held_by_static_friction {
            Mode::Stick
        } else {
            Mode::Slide
        }
    }
}

/// Projection onto the ellipse with these half axes a: the point y with y_k = a_k² z_k/(a_k² + λ), where λ ≥ 0 puts it on the rim,
/// Σ (a_k z_k/(a_k² + λ))² = 1.
///
/// The sum falls with λ and is convex, and at λ = max(a_k|z_k| − a_k²) it is at least 1: from there Newton's steps go right and never
/// beyond the root.
fn project_ellipse(z: DVec2, a: DVec2) -> DVec2 {
    if a.min_element() <= 0.0 {
        return DVec2::ZERO;
    }
    if (z / a).length() <= 1.0 {
        return z;
    }
    let mut lambda = (a * z.abs() - a * a).max_element().max(0.0);
    for _ in 0..100 {
        let shares = a * z / (a * a + lambda);
        let slope = -2.0 * (shares * shares / (a * a + lambda)).element_sum();
        let step = (1.0 - shares.length_squared()) / slope;
        if step.is_nan() || step <= f64::EPSILON * lambda {
            break;
        }
        lambda += step;
    }
    a * a * z / (a * a + lambda)
}

/// Projection onto the regular polygon with vertices radius·(cos 2πj/n, sin 2πj/n).
///
/// The polygon is symmetric about the line through each vertex, so the nearest point lies in the sector of z: one edge
/// decides. (Comparing the distances of all edges would not do: near a vertex two of them differ by less than the
/// square root of rounding.)
fn project_polygon(z: DVec2, radius: f64, n: usize) -> DVec2 {
    if radius == 0.0 || z == DVec2::ZERO {
        return DVec2::ZERO;
    }
    let sector = 2.0 * std::f64::consts::PI / n as f64;
    let j = (libm::atan2(z.y, z.x) / sector).floor();
    let vertex = |j: f64| {
        let (sin, cos) = libm::sincos(sector * j);
        DVec2::new(cos, sin) * radius
    };
    let (a, b) = (vertex(j), vertex(j + 1.0));
    let edge = b - a;
    // Counter-clockwise: the inside is on the left of every edge.
    if edge.perp_dot(z - a) >= 0.0 {
        return z;
    }
    let s = ((z - a).dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
    a + edge * s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(p: DVec3, u: DVec3) -> ContactLaw {
        ContactLaw {
            p,
            pressure: p.x,
            restituted: 0.0,
            u,
            mass: 2.0,
            friction: Friction {
                stick: 0.5,
                slide: 0.5,
            },
            cone: Cone::Quadratic,
            ratio: 1.0,
        }
    }

    fn worst(law: &ContactLaw) -> (Residual, f64) {
        let mut c = Certificate::default();
        law.judge(&mut c, &Bound::default());
        c.worst()
    }

    #[test]
    fn lawful_contacts_have_no_residual() {
        for (p, u, mode) in [
            (DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), Mode::Open),
            (DVec3::new(1.0, 0.3, -0.2), DVec3::ZERO, Mode::Stick),
            (
                DVec3::new(1.0, -0.3, -0.4),
                DVec3::new(0.0, 0.03, 0.04),
                Mode::Slide,
            ),
        ] {
            let law = contact(p, u);
            assert!(worst(&law).1 < 1e-16, "{p} {u}");
            assert_eq!(law.mode(), mode);
        }
    }

    #[test]
    fn each_breach_is_named() {
        use Residual::{Complementarity, Cone, Direction, Gap};
        for (p, u, kind) in [
            (DVec3::ZERO, DVec3::new(-0.1, 0.0, 0.0), Gap),
            (
                DVec3::new(1.0, 0.0, 0.0),
                DVec3::new(0.1, 0.0, 0.0),
                Complementarity,
            ),
            (DVec3::new(-1.0, 0.0, 0.0), DVec3::ZERO, Complementarity),
            (DVec3::new(1.0, 0.6, 0.0), DVec3::new(0.0, -0.1, 0.0), Cone),
            (
                DVec3::new(1.0, 0.3, 0.4),
                DVec3::new(0.0, 0.03, 0.04),
                Direction,
            ),
        ] {
            let (found, size) = worst(&contact(p, u));
            assert_eq!(found, kind);
            assert!(size > 0.04);
        }
        assert!(worst(&contact(DVec3::NAN, DVec3::ZERO)).1.is_nan());
    }

    #[test]
    fn polygons_project_to_their_nearest_point() {
        // Square with vertices on the axes: |x| + |y| ≤ 1.
        let p = project_polygon(DVec2::new(1.0, 1.0), 1.0, 4);
        assert!((p - DVec2::new(0.5, 0.5)).length() < 1e-15);
        let inside = DVec2::new(0.3, -0.6);
        assert_eq!(project_polygon(inside, 1.0, 4), inside);
        let tip = project_polygon(DVec2::new(3.0, 0.1), 1.0, 4);
        assert!((tip - DVec2::X).length() < 1e-15);
        assert_eq!(project_polygon(DVec2::new(0.2, 0.1), 0.0, 8), DVec2::ZERO);
    }

    #[test]
    fn ellipses_project_to_their_nearest_point() {
        for (x, y) in [
            (3.0, 0.1),
            (0.2, -5.0),
            (1.0, 1.0),
            (-0.9, 0.4),
            (1e3, 2e-3),
            (1.0, 1e-12),
        ] {
            for b in [1e-3, 0.3, 1.0, 2.5, 1e3] {
                let (z, a) = (DVec2::new(x, y), DVec2::new(0.7, 0.7 * b));
                let p = project_ellipse(z, a);
                let nearest = (0..200_000)
                    .map(|k| {
                        let (s, c) = libm::sincos(f64::from(k) * 1e-5 * std::f64::consts::PI);
                        (a * DVec2::new(c, s)).distance(z)
                    })
                    .fold(f64::INFINITY, f64::min);
                if (z / a).length() <= 1.0 {
                    assert_eq!(p, z);
                } else {
                    assert!((p / a).length() < 1.0 + 1e-12, "{z} {a} {p}");
                    assert!(p.distance(z) <= nearest * (1.0 + 1e-12), "{z} {a}: {p}");
                }
            }
        }
        assert_eq!(project_ellipse(DVec2::ONE, DVec2::ZERO), DVec2::ZERO);
    }

    /// On the rim of an ellipse friction is against the slip where its normal is: for p = (a cos φ, b sin φ) u is along
    /// −(cos φ/a, sin φ/b), and along no other direction.
    #[test]
    fn friction_on_an_ellipse_takes_most_energy_out() {
        let ratio = 0.4;
        let (sin, cos) = libm::sincos(0.8);
        let (a, b) = (0.5 * 2.0, 0.5 * 2.0 * ratio);
        let law = |u: DVec2| ContactLaw {
            p: DVec3::new(2.0, a * cos, b * sin),
            pressure: 2.0,
            u: DVec3::new(0.0, u.x, u.y),
            ratio,
            ..contact(DVec3::ZERO, DVec3::ZERO)
        };
        let along = -DVec2::new(cos / a, sin / b);
        assert!(law(along).residual() < 1e-15);
        assert_eq!(law(along).mode(), Mode::Slide);
        assert!(law(-DVec2::new(cos, sin)).residual() > 0.01, "as on a disc");
        // The same impulse beyond the ellipse.
        let outside = ContactLaw {
            ratio: 0.3,
            ..law(DVec2::ZERO)
        };
        assert!(outside.residual() > 0.01);
    }

    #[test]
    fn friction_near_a_vertex_of_the_pyramid_is_lawful() {
        // On an edge, 5e-10 m/s from its end, and slipping across the edge a thousand times faster: the edge and its
        // neighbour are equally far to rounding.
        let law = ContactLaw {
            p: DVec3::new(
                1.742_531_620_024_101_8e-4,
                5.227_546_577_108_575e-5,
                -4.828_296_373e-10,
            ),
            pressure: 1.742_531_620_024_101_8e-4,
            restituted: 0.0,
            u: DVec3::new(0.0, -0.056_290_484_205_441_62, 0.056_290_484_205_441_62),
            mass: 1.0,
            friction: Friction::same(0.3),
            cone: Cone::Pyramid(4),
            ratio: 1.0,
        };
        assert!(law.residual() < 1e-17, "{:e}", law.residual());
    }
}
