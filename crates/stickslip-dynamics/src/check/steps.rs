//! One recorded step: its time and start, what it restitutes, its certificate, its energy, its contacts.

use super::Report;
use crate::methods::places_apart;
use crate::world::{World, energy};
use stickslip_model::{Certificate, ContactImpulse, Kind, StepRecord};
use stickslip_record::{Frame, Start};

/// Judges a step from the state before it, and compares with what is stored.
pub(super) fn check_step(world: &mut World, before: &Frame, frame: &Frame, report: &mut Report) {
    let step = &frame.step;
    if let Some(what) = world.mistimed(step) {
        report.find(step, what);
        return;
    }
    let Some(start) = start_of(world, before, frame, report) else {
        return;
    };
    if step.kind == Kind::Extrapolated {
        world.forget_compressions();
        return check_extrapolated(world, before, frame, report);
    }
    let follows = before.step.step + 1 == step.step;
    if !follows {
        world.forget_compressions();
    }
    let Some(found) = world.judge_recorded(start, step) else {
        report.find(
            step,
            "a force or a prescribed motion is not finite here".into(),
        );
        return;
    };
    check_restitution(world, before, frame, found.misrestituted, report);
    if let Some((k, what)) = found.breach.filter(|_| !report.cut) {
        report.find(step, of_contact(world, &step.contacts[k], &what));
    }
    let found = found.certificate;
    report.add(step, &found, world.settings().tolerance);
    check_certificate(world, step, &found, report);
    check_energy(world, step, report);
    if !step.contacts.is_sorted_by_key(|c| c.contact.key()) {
        report.find(step, "its contacts are not in their order".into());
    }
    for (k, contact) in step.contacts.iter().enumerate() {
        if let Some(what) = world.misrecorded(k, contact) {
            report.find(step, of_contact(world, contact, what));
        }
    }
}

/// The state from which the step starts: stored with it, or the end of the step before. `None` where it is missing.
fn start_of<'f>(
    world: &mut World,
    before: &'f Frame,
    frame: &'f Frame,
    report: &mut Report,
) -> Option<Start<'f>> {
    let step = &frame.step;
    let follows = before.step.step + 1 == step.step;
    let rounding = 8.0 * f64::EPSILON * (step.t + world.settings().h);
    let is_start = |t: f64| (t - (step.t - step.h)).abs() <= rounding;
    match &frame.start {
        Some(start) => {
            if follows && !world.moved_to(&before.step, &start.bodies) {
                report.find(
                    step,
                    "it starts elsewhere than the step before it ended".into(),
                );
            }
            if !is_start(start.t) {
                report.find(
                    step,
                    "the time of its starting state is not one step earlier".into(),
                );
            }
            Some(Start {
                t: start.t,
                bodies: &start.bodies,
            })
        }
        None if follows => {
            if !is_start(before.step.t) {
                report.find(step, "its length is not that of its time".into());
            }
            Some(Start {
                t: before.step.t,
                bodies: &before.step.bodies,
            })
        }
        None => {
            report.find(step, "the state before it is missing".into());
            None
        }
    }
}

/// What is restituted follows from the steps before; a thinned file does not have them, and what is given back there can be
/// judged only from the next step without contacts on, where nothing is remembered.
fn check_restitution(
    world: &mut World,
    before: &Frame,
    frame: &Frame,
    misrestituted: Option<usize>,
    report: &mut Report,
) {
    let step = &frame.step;
    let follows = before.step.step + 1 == step.step;
    report.cut &= !before.step.contacts.is_empty();
    report.cut |= !follows;
    if follows && (before.step.kind == Kind::Compression || step.kind == Kind::Decompression) {
        if let Some(what) = world.misgiven(&before.step, step) {
            report.find(step, what.into());
        }
    } else if report.cut {
        if step.contacts.iter().any(|c| c.restituted != 0.0) {
            report.pass_over(GIVEN_BACK);
        }
    } else if let Some(k) = misrestituted {
        let what = "what it restitutes is not what was compressed";
        report.find(step, of_contact(world, &step.contacts[k], what));
    }
}

/// Why a step of a thinned file is not judged.
const GIVEN_BACK: &str = "what they give back was compressed in steps that are not in the file";

/// Does the law hold, or is what it is missed by within what was to be accepted; and does the file say what the judge says?
fn check_certificate(world: &World, step: &StepRecord, found: &Certificate, report: &mut Report) {
    let (tolerance, accept) = (world.settings().tolerance, world.settings().accept);
    if !(found.holds(tolerance) || found.is_within(accept)) {
        let (kind, value) = found.worst_of_law();
        let bound = found.bound_of(value, tolerance);
        let what = if found.needs <= tolerance {
            let (kind, value) = found.worst_of_equalities();
            format!(
                "{} residual {value:.3e} m/s is {:.3e} times what rounding explains",
                kind.name(),
                found.rounding
            )
        } else {
            format!(
                "{} residual {value:.3e} m/s exceeds {bound:.1e} m/s",
                kind.name()
            )
        };
        report.find(step, what);
    }
    if *found != step.certificate {
        report.find(
            step,
            "the stored certificate is not that of the states and impulses".into(),
        );
    }
}

fn check_energy(world: &World, step: &StepRecord, report: &mut Report) {
    let gravity = world.settings().gravity;
    if step.energy != energy(world.model(), gravity, &step.bodies, &step.joints) {
        report.find(step, "the stored energy is not that of the states".into());
    }
}

/// A finding about a contact, with the names of its bodies.
fn of_contact(world: &World, contact: &ContactImpulse, what: &str) -> String {
    let bodies = &world.model().bodies;
    let [a, b] = contact.contact.bodies.map(|i| &bodies[i].name);
    format!("contact of \"{a}\" and \"{b}\": {what}")
}

/// Why an extrapolated step is not judged.
const ALONE: &str =
    "extrapolated, and the step before, from which they are made again, is not in the file";
/// Or
const OTHERWISE: &str =
    "extrapolated, and made again they come out otherwise, by less than the wanted error";
/// Or
const REFUSED: &str = "extrapolated, and cannot be made again";

/// A step that several certified ones were combined into is made again, and judged by them: it must come out to the bit.
fn check_extrapolated(world: &mut World, before: &Frame, frame: &Frame, report: &mut Report) {
    let step = &frame.step;
    check_energy(world, step, report);
    let tolerance = world.settings().tolerance;
    if before.step.step + 1 != step.step || frame.start.is_some() {
        report.account.add(step, tolerance);
        return report.pass_over(ALONE);
    }
    let Some(again) = world.made_again(&before.step, step) else {
        report.account.add(step, tolerance);
        return report.pass_over(REFUSED);
    };
    report.add(step, &again.certificate, tolerance);
    if !again.certificate.holds(tolerance) {
        report.find(step, "an inner step does not meet its tolerance".into());
    }
    let off = places_apart(world.model(), &again.bodies, &step.bodies);
    if off > world.settings().error || off.is_nan() {
        let what = format!("made again from the step before, it ends {off:.1e} m elsewhere");
        report.find(step, what);
    } else if !same(&again, step) {
        report.pass_over(OTHERWISE);
    }
}

/// Are two records the same, but for how their impulses were found?
fn same(again: &StepRecord, step: &StepRecord) -> bool {
    let again = StepRecord {
        solver: step.solver.clone(),
        iterations: step.iterations,
        ..again.clone()
    };
    again == *step
}
