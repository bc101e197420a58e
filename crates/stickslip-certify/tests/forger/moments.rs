//! Forged moments: torsional friction and rolling resistance of a ball on the ground.

use crate::kinds::{ball, between, decade, plane};
use crate::step::Forged;
use glam::DVec3;
use stickslip_geometry::Twist;
use stickslip_model::{Friction, Moments};

/// How far the moments of a pair of materials reach.
#[derive(Clone, Copy, PartialEq)]
enum Bears {
    Torsion,
    Rolling,
    Nothing,
}

/// A ball that rests on the ground and turns at 1 rad/s or more, about the normal or across it. Its contact has the moment
/// `part` of its bound along the turn; wrong is what is not the bound against it, as the speed r Δω (torsion) or ℓ Δω (rolling) that it
/// makes: the turn goes on through the step, so that nothing but the whole bound is lawful.
fn turning(x: &[f64], bears: Bears, part: f64) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-2));
    let radius = decade(x[1], 1e-2, 1.0);
    let reach = radius * between(x[2], 0.01, 0.3);
    let about = if bears == Bears::Rolling {
        DVec3::Y
    } else {
        DVec3::Z
    };
    // I = ⅖ m R², of 1 kg.
    let inertia = 0.4 * radius * radius;
    let gyration = inertia.sqrt();
    // Without friction against slip: that is another law's lie.
    let mu = if bears == Bears::Rolling { 0.0 } else { 0.5 };
    let spin = Twist {
        linear: DVec3::ZERO,
        // Twice what the largest moment of the kinds here takes away, and 1 rad/s.
        angular: about * (1.0 + 6.0 * 9.81 * step.h * reach / inertia),
    };
    let k = step.body(ball(radius), true, DVec3::Z * radius, spin);
    let moments = match bears {
        Bears::Torsion => Moments {
            torsion: reach,
            rolling: 0.0,
        },
        Bears::Rolling => Moments {
            torsion: 0.0,
            rolling: reach,
        },
        Bears::Nothing => Moments::default(),
    };
    if bears != Bears::Nothing {
        step.model.moments.bodies = vec![(moments, f64::INFINITY), (moments, gyration)];
    }
    let row = step.row([0, k], DVec3::ZERO, DVec3::Z);
    step.contacts[row].contact.friction = Friction::same(mu);
    step.press(row);
    let pressed = step.contacts[row].impulse.x;
    let (bound, length) = match bears {
        Bears::Rolling => (reach * pressed, gyration),
        Bears::Torsion | Bears::Nothing => (mu * pressed * reach, reach),
    };
    // Frame (z, x, y): spin is the first, rolling about y the third.
    let along = DVec3::new(about.z, about.x, about.y);
    step.contacts[row].moment = along * (part * bound);
    step.move_on();
    let lawful = if bears == Bears::Nothing { 0.0 } else { -1.0 };
    step.wrong = (part - lawful).abs() * bound / inertia * length;
    step
}

pub(crate) fn torsion_beyond(x: &[f64]) -> Forged {
    turning(x, Bears::Torsion, -1.0 - decade(x[3], 1e-9, 1.0))
}

pub(crate) fn torsion_drives(x: &[f64]) -> Forged {
    turning(x, Bears::Torsion, -1.0 + decade(x[3], 1e-9, 2.0))
}

pub(crate) fn rolling_beyond(x: &[f64]) -> Forged {
    turning(x, Bears::Rolling, -1.0 - decade(x[3], 1e-9, 1.0))
}

pub(crate) fn rolling_drives(x: &[f64]) -> Forged {
    turning(x, Bears::Rolling, -1.0 + decade(x[3], 1e-9, 2.0))
}

pub(crate) fn moment_of_nothing(x: &[f64]) -> Forged {
    turning(x, Bears::Nothing, between(x[3], -1.0, 1.0))
}

/// The lawful moment, of each kind.
pub(crate) fn lawful(rolling: bool) -> Forged {
    let bears = if rolling {
        Bears::Rolling
    } else {
        Bears::Torsion
    };
    turning(&[0.5; 4], bears, -1.0)
}
