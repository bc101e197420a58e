//! The law of a contact that bears moments, as residuals in m/s: torsional friction with sliding friction, and rolling resistance.
//!
//! Written from the statement: with s = (p_t1, p_t2, m_n/r) and v = (u_t1, u_t2, r ω_n), friction is the point of the ball |s| ≤ μ p_n
//! (an ellipsoid, where friction depends on the direction) that takes most energy out, s = P(s − v); likewise the rolling moment
//! m_t/ℓ in the disc of radius (ρ/ℓ) p_n against ℓ ω_t. The length ℓ, which no law knows, only turns angles into distances.

use crate::judge::Case;
use crate::law::ContactLaw;
use glam::{DVec2, DVec3};
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{Bound, Certificate, ContactImpulse, Mode, Moments, Residual};

/// One contact with moments as the law sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MomentLaw {
    /// Its forces; their friction is that of the slip with the spin.
    pub(crate) contact: ContactLaw,
    /// (m_n/r, m_t1/ℓ, m_t2/ℓ), N s.
    pub(crate) m: DVec3,
    /// (r ω_n, ℓ ω_t1, ℓ ω_t2), m/s.
    pub(crate) w: DVec3,
    /// Does it resist a spin?
    pub(crate) torsion: bool,
    /// ρ/ℓ.
    pub(crate) rolling: f64,
}

/// Moments of a contact and its angular velocities with these lengths: (m, w) as in [`MomentLaw`].
pub(crate) fn scaled(
    case: &Case,
    contact: &ContactImpulse,
    (moments, length): (Moments, f64),
) -> (DVec3, DVec3) {
    let r = if moments.torsion > 0.0 {
        moments.torsion
    } else {
        length
    };
    let lengths = DVec3::new(r, length, length);
    let spin = relative_spin(case, contact, |_| true);
    let frame = contact_frame(contact.contact.normal);
    let seen = DVec3::from_array(frame.map(|d| d.dot(spin)));
    (contact.moment / lengths, seen * lengths)
}

/// Angular velocity of the second body seen from the first, rad/s, world frame, of the bodies for which `counts` holds and of surfaces
/// that turn along their bodies.
pub(crate) fn relative_spin(
    case: &Case,
    contact: &ContactImpulse,
    counts: impl Fn(usize) -> bool,
) -> DVec3 {
    let contact = &contact.contact;
    let mut spin = DVec3::ZERO;
    for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
        if counts(k) {
            spin += case.after[k].twist.angular * sign;
        }
        let turn = case.pose(k).orientation;
        let outward = turn.inverse() * (contact.normal * -sign);
        if let Some(surface) = case.model.moving_surface(k, outward) {
            spin += turn * case.given.surfaces[surface].angular * sign;
        }
    }
    spin
}

impl MomentLaw {
    /// Raises the certificate's law residuals by this contact's.
    pub(crate) fn judge(&self, certificate: &mut Certificate, bound: &Bound) {
        let mut raise = |kind: Residual, value: f64| certificate.raise_law(kind, value, bound);
        let c = &self.contact;
        let (p_n, pressed) = (c.p.x / c.mass, self.pressed());
        raise(Residual::Gap, (-c.u.x).max(0.0));
        raise(Residual::Complementarity, p_n.min(c.u.x).max(-p_n));
        let (s, v) = self.sliding();
        let most = c.friction.stick.max(c.friction.slide);
        raise(
            Residual::Cone,
            (s - self.project(s, most * pressed)).length(),
        );
        raise(Residual::Direction, self.slip_residual(s, v, pressed));
        if !self.torsion {
            raise(Residual::Cone, self.m.x.abs() / c.mass);
        }
        let (m, w) = self.rolling();
        let bound_of = |z: DVec2| z.clamp_length_max(self.rolling * pressed);
        raise(Residual::Cone, (m - bound_of(m)).length());
        raise(Residual::Direction, (m - bound_of(m - w)).length());
        let finite = self.m.is_finite() && self.w.is_finite() && c.p.is_finite() && c.u.is_finite();
        if !finite {
            raise(Residual::Complementarity, f64::NAN);
        }
    }

    /// The largest of this contact's residuals, m/s.
    pub(crate) fn residual(&self) -> f64 {
        let mut certificate = Certificate::default();
        self.judge(&mut certificate, &Bound::default());
        certificate.worst().1
    }

    /// What the contact does: it slides where it slips or spins, whatever it rolls.
    pub(crate) fn mode(&self) -> Mode {
        let c = &self.contact;
        if c.p.x / c.mass <= c.u.x {
            return Mode::Open;
        }
        let (s, v) = self.sliding();
        let kinetic = self.project(s - v, c.friction.slide * self.pressed());
        let held = c.friction.stick != c.friction.slide && v.length() <= (s - kinetic).length();
        if kinetic == s - v || held {
            Mode::Stick
        } else {
            Mode::Slide
        }
    }

    /// What bounds friction, m/s.
    fn pressed(&self) -> f64 {
        (self.contact.pressure / self.contact.mass).max(0.0)
    }

    /// s and v, m/s.
    fn sliding(&self) -> (DVec3, DVec3) {
        let (c, on) = (&self.contact, if self.torsion { 1.0 } else { 0.0 });
        let s = DVec3::new(c.p.y, c.p.z, self.m.x * on) / c.mass;
        (s, DVec3::new(c.u.y, c.u.z, self.w.x * on))
    }

    /// m_t/ℓ and ℓ ω_t, m/s.
    fn rolling(&self) -> (DVec2, DVec2) {
        let m = DVec2::new(self.m.y, self.m.z) / self.contact.mass;
        (m, DVec2::new(self.w.y, self.w.z))
    }

    /// Distance from maximal dissipation; where static and kinetic friction differ, the smaller of that and of no motion at all.
    fn slip_residual(&self, s: DVec3, v: DVec3, pressed: f64) -> f64 {
        let friction = self.contact.friction;
        let slide = (s - self.project(s - v, friction.slide * pressed)).length();
        if friction.stick == friction.slide {
            slide
        } else {
            slide.min(v.length())
        }
    }

    /// The nearest point of the ball of this radius, or of the ellipsoid whose second half axis is `ratio` times that.
    fn project(&self, z: DVec3, radius: f64) -> DVec3 {
        if self.contact.ratio == 1.0 {
            return z.clamp_length_max(radius);
        }
        project_ellipsoid(z, DVec3::new(radius, self.contact.ratio * radius, radius))
    }
}

/// Projection onto the ellipsoid with these half axes a: y_k = a_k² z_k/(a_k² + λ) with λ ≥ 0 such that Σ (y_k/a_k)² = 1, by bisection
/// between λ = 0 and one that is too large.
fn project_ellipsoid(z: DVec3, a: DVec3) -> DVec3 {
    if a.min_element() <= 0.0 {
        return DVec3::ZERO;
    }
    let at = |lambda: f64| a * a * z / (a * a + lambda);
    let inside = |y: DVec3| (y / a).length() <= 1.0;
    if inside(z) {
        return z;
    }
    // |a z|/(a_min² + λ) bounds the sum's root.
    let (mut low, mut high) = (0.0, (a * z).length());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if inside(at(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    at(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_model::{Cone, Friction};

    fn law(p: DVec3, u: DVec3, m: DVec3, w: DVec3) -> MomentLaw {
        MomentLaw {
            contact: ContactLaw {
                p,
                pressure: p.x,
                restituted: 0.0,
                u,
                mass: 2.0,
                friction: Friction::same(0.5),
                cone: Cone::Quadratic,
                ratio: 1.0,
            },
            m,
            w,
            torsion: true,
            rolling: 0.1,
        }
    }

    #[test]
    fn lawful_moments_have_no_residual_and_each_breach_is_seen() {
        let zero = DVec3::ZERO;
        // Slip and spin (3, 0, 4) m/s: friction 0.5 · 2 N s against it, (0.6, 0, 0.8).
        let slides = law(
            DVec3::new(2.0, -0.6, 0.0),
            DVec3::new(0.0, 3.0, 0.0),
            DVec3::X * -0.8,
            DVec3::X * 4.0,
        );
        let sticks = law(
            DVec3::new(2.0, 0.6, 0.0),
            zero,
            DVec3::new(-0.8, 0.1, -0.1),
            zero,
        );
        let rolls = law(
            DVec3::new(2.0, 0.0, 0.0),
            zero,
            DVec3::new(0.0, -0.12, 0.16),
            DVec3::new(0.0, 3.0, -4.0),
        );
        let open = law(zero, DVec3::new(1.0, 2.0, 3.0), zero, DVec3::ONE);
        for (law, mode) in [
            (slides, Mode::Slide),
            (sticks, Mode::Stick),
            (rolls, Mode::Stick),
            (open, Mode::Open),
        ] {
            assert!(law.residual() < 1e-15, "{law:?} {}", law.residual());
            assert_eq!(law.mode(), mode);
        }
        let broken = [
            // Each within its bound, but not together.
            MomentLaw {
                m: DVec3::X * -0.95,
                ..sticks
            },
            MomentLaw {
                w: DVec3::X * 0.1,
                ..sticks
            },
            MomentLaw {
                w: DVec3::X * 3.0,
                ..slides
            },
            MomentLaw {
                m: DVec3::X * 0.8,
                ..slides
            },
            MomentLaw {
                m: -rolls.m,
                ..rolls
            },
            MomentLaw {
                m: rolls.m * 1.1,
                ..rolls
            },
            MomentLaw {
                m: rolls.m * 0.5,
                ..rolls
            },
            MomentLaw {
                rolling: 0.0,
                ..rolls
            },
            MomentLaw {
                torsion: false,
                ..sticks
            },
            MomentLaw {
                m: DVec3::X * 0.1,
                ..open
            },
        ];
        for law in broken {
            assert!(law.residual() > 0.009, "{law:?}");
        }
        assert!(
            MomentLaw {
                m: DVec3::NAN,
                ..rolls
            }
            .residual()
            .is_nan()
        );
    }

    #[test]
    fn ellipsoids_project_to_their_nearest_point() {
        let a = DVec3::new(0.7, 0.2, 0.7);
        let steps = || (0..400).map(|k| f64::from(k) * std::f64::consts::PI / 200.0);
        for z in [
            DVec3::new(1.0, 1.0, 0.3),
            DVec3::new(-0.2, 0.5, -3.0),
            DVec3::new(0.9, 1e-9, 0.0),
        ] {
            let p = project_ellipsoid(z, a);
            assert!((p / a).length() <= 1.0);
            let mut nearest = f64::INFINITY;
            for t in steps() {
                for s in steps() {
                    let d = DVec3::new(
                        libm::cos(t) * libm::cos(s),
                        libm::sin(t) * libm::cos(s),
                        libm::sin(s),
                    );
                    nearest = nearest.min((a * d).distance(z));
                }
            }
            assert!(p.distance(z) <= nearest * (1.0 + 1e-12), "{z}");
        }
        assert_eq!(project_ellipsoid(a * 0.5, a), a * 0.5);
    }
}
