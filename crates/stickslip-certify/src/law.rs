//! The law of one contact, as residuals in m/s: Signorini on the normal, Coulomb on the tangent.

use glam::{DVec2, DVec3};
use stickslip_model::{Bound, Certificate, Cone, Fan, Friction, Mode, Residual};

/// One contact as the law sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactLaw {
    /// (p_n, p_t1, p_t2), N s; the normal part without what is restituted, the tangents turned to where the fan of directions
    /// starts, if it has its own.
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
        raise(Residual::Cone, outside(self.friction.stick));
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
        if self.friction.stick > self.friction.slide {
            slide.min(u_t.length())
        } else {
            slide
        }
    }

    /// Projection onto the disc, or the polygon inscribed in it, of the given radius.
    fn project(&self, z: DVec2, radius: f64) -> DVec2 {
        let radius = radius.max(0.0);
        match self.cone {
            // A contact has a cone of its own where there is a budget; without one it is held to the exact cone.
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
            self.friction.stick > self.friction.slide && u_t.length() <= (p_t - kinetic).length();
        if kinetic == z || held_by_static_friction {
            Mode::Stick
        } else {
            Mode::Slide
        }
    }
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
        };
        assert!(law.residual() < 1e-17, "{:e}", law.residual());
    }
}
