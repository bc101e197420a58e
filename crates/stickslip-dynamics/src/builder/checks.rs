//! What a body, a coefficient, a placement or a setting must be like; each check says in words what is wrong.

use super::WorldBuilder;
use super::apart::way_out;
use super::body::BodySpec;
use crate::error::BuildError;
use crate::methods::Method;
use crate::motion::Motion;
use crate::setup::Setup;
use glam::{DMat3, DVec3};
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::separation::separation;
use stickslip_geometry::{MassProperties, Shape};
use stickslip_model::{BodyState, Cone, Friction, Model, Moments};

impl WorldBuilder {
    /// Keeps the moments, if any pair has some; what cannot be with them is refused.
    pub(super) fn set_moments(
        &self,
        setup: &mut Setup,
        pairs: Vec<([usize; 2], Moments)>,
    ) -> Result<(), BuildError> {
        let moments = &mut setup.model.moments;
        let any =
            moments.bodies.iter().any(|m| !m.0.is_none()) || pairs.iter().any(|m| !m.1.is_none());
        let any = any || !moments.materials.pairs.is_empty();
        if !any {
            moments.bodies.clear();
            return Ok(());
        }
        moments.pairs = pairs;
        let bad = |setting, reason: &str| {
            let reason = reason.into();
            Err(BuildError::Setting { setting, reason })
        };
        if self.settings.cone != Cone::Quadratic {
            return bad(
                "cone",
                "contacts bear moments (`torsion`, `rolling`): friction and spin share a round bound, and no pyramid stands for it; use \"quadratic\"",
            );
        }
        if setup.restitutions.any() {
            return bad(
                "restitution",
                "is not known for contacts that bear moments (`torsion`, `rolling`)",
            );
        }
        Ok(())
    }

    /// A pyramid has directions of its own.
    pub(super) fn check_grains(&self, model: &Model) -> Result<(), BuildError> {
        let grained = model.bodies.iter().find(|b| b.grain.is_some());
        match (grained, self.settings.cone) {
            (Some(body), cone) if cone != Cone::Quadratic => Err(BuildError::Setting {
                setting: "cone",
                reason: format!(
                    "\"{}\" has a grain: its cone is elliptic, and no pyramid stands for it; use \"quadratic\"",
                    body.name
                ),
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn check_method(&self, model: &Model) -> Result<(), BuildError> {
        let method = self.settings.method;
        let jointed = !(model.joints.is_empty() && model.springs.is_empty());
        if jointed && method == Method::Anitescu {
            return Err(BuildError::Setting {
                setting: "method",
                reason: format!(
                    "\"{}\" knows no joints and springs; use \"stewart-trinkle\" or \"implicit\"",
                    method.name()
                ),
            });
        }
        Ok(())
    }
}

pub(super) fn check_restitution(e: f64) -> Result<f64, BuildError> {
    if (0.0..=1.0).contains(&e) {
        return Ok(e);
    }
    Err(BuildError::Setting {
        setting: "restitution",
        reason: format!("must be from 0 to 1, got {e}"),
    })
}

/// A length of moments: finite and not negative.
pub(super) fn check_length(setting: &'static str, length: f64) -> Result<f64, BuildError> {
    if length >= 0.0 && length.is_finite() {
        return Ok(length);
    }
    Err(BuildError::Setting {
        setting,
        reason: format!("must be a length that is not negative, got {length}"),
    })
}

/// √(tr I/2m), m: the length that turns angles into distances; `None` for what does not turn.
pub(super) fn radius_of_gyration(mass: &MassProperties) -> Option<f64> {
    let inertia = &mass.inertia;
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    (trace > 0.0).then(|| libm::sqrt(0.5 * trace / mass.mass))
}

/// The largest coefficient of friction. The residuals of a contact that sticks are the differences of numbers that are μ times as large: of boxes
/// that tumbled onto the ground none stopped with up to 1e5, five of eight did with 1e6, all with 1e8.
pub(crate) const MOST_FRICTION: f64 = 1e5;

pub(super) fn check_friction(setting: &'static str, friction: Friction) -> Result<(), BuildError> {
    let Friction { stick, slide } = friction;
    if slide >= 0.0 && stick >= slide && stick <= MOST_FRICTION {
        return Ok(());
    }
    let reason = format!(
        "needs 0 <= kinetic <= static <= {MOST_FRICTION:e}, got static {stick:?}, kinetic {slide:?}"
    );
    Err(BuildError::Setting { setting, reason })
}

/// Lengths, m, speeds, m/s and rad/s, and accelerations, m/s², that can be: squares and products of beyond are no numbers any more, and a
/// bound that is infinite certifies nothing.
const LARGEST: f64 = 1e30;
/// The least length of a body, m.
const SMALLEST: f64 = 1e-30;
/// Masses that can be, kg.
const MASSES: std::ops::RangeInclusive<f64> = 1e-40..=1e40;

/// Gravity, m/s², is a number that can be computed with.
pub(super) fn check_gravity(gravity: DVec3) -> Result<(), BuildError> {
    if gravity.is_finite() && gravity.abs().max_element() <= LARGEST {
        return Ok(());
    }
    let reason = format!(
        "must be finite and at most {LARGEST:e} m/s², got {:?}",
        gravity.to_array()
    );
    let setting = "gravity";
    Err(BuildError::Setting { setting, reason })
}

pub(super) fn check_state(name: &str, state: &BodyState) -> Result<(), BuildError> {
    let bad = |reason: &str| {
        Err(BuildError::Body {
            body: name.into(),
            reason: reason.into(),
        })
    };
    for (what, value, unit) in [
        ("position", state.pose.position, "m"),
        ("velocity", state.twist.linear, "m/s"),
        ("angular velocity", state.twist.angular, "rad/s"),
    ] {
        let most = value.abs().max_element();
        if most.is_finite() && most > LARGEST {
            return bad(&format!(
                "its {what} has {most:e} {unit}; beyond {LARGEST:e} {unit} nothing can be computed (is that the unit?)"
            ));
        }
    }
    if !(state.pose.position.is_finite()
        && state.twist.linear.is_finite()
        && state.twist.angular.is_finite())
    {
        return bad("position and velocity must be finite");
    }
    if (state.pose.orientation.length() - 1.0).abs() > 1e-14 {
        return bad("its orientation must be a unit quaternion");
    }
    Ok(())
}

pub(super) fn check_body(spec: &BodySpec) -> Result<(), BuildError> {
    let bad = |reason: String| {
        Err(BuildError::Body {
            body: spec.name.clone(),
            reason,
        })
    };
    if let Some(f) = spec.friction {
        check_friction("body friction", f)?;
    }
    check_surfaces(spec)?;
    let radius = spec.shape.radius();
    if radius > LARGEST && !matches!(spec.shape, Shape::HalfSpace { .. }) {
        return bad(format!(
            "its size is beyond {LARGEST:e} m, the most that can be computed with (is that the unit? a ground without end is a half-space)"
        ));
    }
    if radius.min(spec.shape.thickness()) < SMALLEST && !spec.shape.is_particle() {
        return bad(format!(
            "its size is below {SMALLEST:e} m, the least that can be computed with (is that the unit? a particle has shape = \"point\")"
        ));
    }
    match (&spec.motion, &spec.mass) {
        (Motion::Free, None) => {
            bad("a free body needs a mass, and a half-space cannot have one".into())
        }
        (Motion::Prescribed(_), Some(_)) => bad("a prescribed body has no mass".into()),
        (Motion::Free, Some(mass)) => {
            if !(mass.mass > 0.0 && mass.mass.is_finite()) {
                return bad(format!("its mass must be positive, got {} kg", mass.mass));
            }
            if !MASSES.contains(&mass.mass) {
                let (least, most) = (MASSES.start(), MASSES.end());
                return bad(format!(
                    "its mass must be from {least:e} to {most:e} kg, but is {:e} kg (is that the unit?)",
                    mass.mass
                ));
            }
            if spec.shape.is_particle() {
                return particle(spec).map_or(Ok(()), |reason| bad(reason.into()));
            }
            check_inertia(&mass.inertia, spec.any_inertia).or_else(bad)
        }
        (Motion::Prescribed(_), None) => Ok(()),
    }
}

/// Ratios of a grain: beyond them a cone is no cone but a wedge, and its rows lose the digits that the judge asks for.
pub(crate) const RATIOS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// Moving surfaces and grains: directions that are some, one surface for all of the body or several for faces, sensible ratios.
fn check_surfaces(spec: &BodySpec) -> Result<(), BuildError> {
    let bad = |reason: String| {
        Err(BuildError::Body {
            body: spec.name.clone(),
            reason,
        })
    };
    let is_direction = |d: DVec3| d.is_finite() && d != DVec3::ZERO;
    for (face, _) in &spec.surfaces {
        match face {
            Some(face) if !is_direction(*face) => {
                return bad("the face that moves must be given by a direction".into());
            }
            None if spec.surfaces.len() > 1 => {
                return bad("of several surfaces that move each needs its face".into());
            }
            _ => {}
        }
    }
    match spec.grain {
        Some(grain) if !is_direction(grain.direction) => bad("its grain has no direction".into()),
        Some(grain) if !RATIOS.contains(&grain.ratio) => {
            let (least, most) = (RATIOS.start(), RATIOS.end());
            bad(format!(
                "the ratio of its grain must be from {least} to {most}, got {}",
                grain.ratio
            ))
        }
        _ => Ok(()),
    }
}

/// What is wrong with a particle, if anything: it has neither inertia nor spin.
fn particle(spec: &BodySpec) -> Option<&'static str> {
    let inertia = spec.mass.map(|m| m.inertia);
    if inertia != Some(DMat3::ZERO) {
        return Some("a point has no inertia: it does not turn");
    }
    (spec.state.twist.angular != DVec3::ZERO).then_some("a point does not turn")
}

/// Symmetric, positive definite, and the triangle inequality: no moment exceeds the sum of the other two,
/// which is the same as ½ tr(I) 1 − I being positive semidefinite; `any` lets that be broken.
pub(super) fn check_inertia(inertia: &DMat3, any: bool) -> Result<(), String> {
    let scale = inertia.x_axis.length() + inertia.y_axis.length() + inertia.z_axis.length();
    if !inertia.is_finite() || scale <= 0.0 {
        return Err("its inertia must be finite and positive: its size or mass is beyond what can be computed with".into());
    }
    // By a power of two, which changes no digit: products of three very small or large moments are numbers too.
    let unit = libm::scalbn(1.0, -libm::ilogb(scale));
    let (inertia, scale) = (&(*inertia * unit), scale * unit);
    let skew = *inertia - inertia.transpose();
    if skew.x_axis.length() + skew.y_axis.length() + skew.z_axis.length() > 1e-12 * scale {
        return Err("its inertia must be symmetric".into());
    }
    if !positive(inertia, 0.0) {
        return Err("its inertia must be positive definite".into());
    }
    if any {
        return Ok(());
    }
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let second_moments = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - *inertia;
    if positive(&second_moments, 1e-12 * scale) {
        Ok(())
    } else {
        Err("its inertia breaks the triangle inequality: one principal moment exceeds the sum of the others".into())
    }
}

/// Are all leading minors of m + slack·1 positive?
fn positive(m: &DMat3, slack: f64) -> bool {
    let m = *m + DMat3::from_diagonal(DVec3::splat(slack));
    let minor2 = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor2 > 0.0 && m.determinant() > 0.0
}

/// Bodies that overlap by more than rounding are refused.
pub(super) fn refuse_overlaps(
    model: &Model,
    states: &[BodyState],
    ignored: &[[usize; 2]],
) -> Result<(), BuildError> {
    let bounds: Vec<Bounds> = model
        .bodies
        .iter()
        .zip(states)
        .map(|(b, s)| Bounds::of(&b.shape, &s.pose))
        .collect();
    let mut sweep = Sweep::default();
    let free =
        |i: usize, j: usize| model.may_collide(i, j) && ignored.binary_search(&[i, j]).is_err();
    let mut worst = None;
    let mut deepest = 0.0;
    for &[i, j] in sweep.pairs(&bounds, free) {
        let (a, b) = (&model.bodies[i], &model.bodies[j]);
        let (pose_a, pose_b) = (&states[i].pose, &states[j].pose);
        let depth = -separation(&a.shape, pose_a, &b.shape, pose_b);
        let size = a.shape.radius().min(b.shape.radius());
        let rounding = 1e-9 * size + 1e-14 * (pose_a.position.length() + pose_b.position.length());
        if depth > rounding && depth > deepest {
            deepest = depth;
            worst = Some([i, j]);
        }
    }
    let Some([i, j]) = worst else { return Ok(()) };
    // What stands above, or moves at all, is what is moved.
    let [stays, goes] = if model.bodies[i].is_free() && !model.bodies[j].is_free() {
        [j, i]
    } else {
        [i, j]
    };
    let placed = |k: usize| (&model.bodies[k].shape, &states[k].pose);
    Err(BuildError::Overlap {
        a: model.bodies[i].name.clone(),
        b: model.bodies[j].name.clone(),
        depth: deepest,
        mover: model.bodies[goes].name.clone(),
        way: way_out(placed(stays), placed(goes)),
    })
}
