//! The answer in words.

use crate::contact::Contact;
use crate::forces::{ContactForce, ForceSet, forces};
use crate::solve::{Options, Solution, Solutions, Status};
use crate::state::State;
use crate::trace::{Hypothesis, Place, Reason, Verdict};
use crate::vec3::{dot, norm, sub, unit};
use std::fmt::Write;

/// A readable account of `answer`, with the reasons for what was refused where `why` is set.
#[must_use]
pub fn text(state: &State, options: &Options, answer: &Solutions, why: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, state, &answer.options(options), answer, why);
    out
}

fn write_text(
    out: &mut String,
    state: &State,
    options: &Options,
    answer: &Solutions,
    why: bool,
) -> std::fmt::Result {
    if !state.title.is_empty() {
        writeln!(out, "{}", state.title)?;
    }
    let [f_x, f_y, torque] = state.force.map(short);
    let [v_x, v_y, omega] = state.velocity.map(short);
    writeln!(
        out,
        "mass {} kg, radius of gyration {} m, force ({f_x}, {f_y}) N, torque {torque} N m",
        short(state.m),
        short(state.rho)
    )?;
    writeln!(
        out,
        "velocity ({v_x}, {v_y}) m/s, angular velocity {omega} rad/s"
    )?;
    for (i, c) in state.contacts.iter().enumerate() {
        let name = if c.name.is_empty() {
            String::new()
        } else {
            format!(" ({})", c.name)
        };
        let role = match answer.active.iter().position(|&a| a == i) {
            Some(k) => format!(
                "h = {} m/s², sliding at {} m/s",
                short(answer.h[k]),
                short(answer.slip[k])
            ),
            None if answer.separating.contains(&i) => "separating: no force".into(),
            None => "closing".into(),
        };
        writeln!(
            out,
            "contact {}{name}: n = ({}, {}), r = ({}, {}) m, mu = {}; {role}",
            i + 1,
            short(c.n[0]),
            short(c.n[1]),
            short(c.r[0]),
            short(c.r[1]),
            friction(c)
        )?;
    }
    for note in &answer.notes {
        writeln!(out, "note: {note}")?;
    }
    writeln!(out)?;
    if answer.status() == Status::Collision {
        writeln!(out, "COLLISION: the velocity points into a surface.")?;
        for (i, speed) in &answer.colliding {
            writeln!(out, "  contact {} closes at {} m/s", i + 1, short(-speed))?;
        }
        writeln!(
            out,
            "An impact comes first, and the velocity after it decides the contacts; accelerations say nothing here."
        )?;
        writeln!(
            out,
            "If this is a rounding error of a kept contact: --rest-speed sets the speed up to which velocities are zero."
        )?;
        return Ok(());
    }
    writeln!(out, "{}", headline(answer))?;
    for (i, solution) in answer.sets.iter().enumerate() {
        writeln!(out)?;
        write_solution(out, state, options, answer, i, solution)?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{} of {} sets of contacts tried{}",
        answer.subsets.tried,
        answer.subsets.total_text(),
        if answer.subsets.total() != Some(answer.subsets.tried as u64) {
            "; the others can add nothing"
        } else {
            ""
        }
    )?;
    if why {
        write_hypotheses(out, answer)?;
    }
    Ok(())
}

fn friction(contact: &Contact) -> String {
    match contact.mu_static {
        Some(stick) => format!("{} (static {})", short(contact.mu), short(stick)),
        None => short(contact.mu),
    }
}

fn headline(answer: &Solutions) -> String {
    match answer.status() {
        Status::None => "0 solutions: no acceleration satisfies Newton's and Coulomb's laws (the Painleve paradox). Only \
                         an impulse can resolve the state."
            .into(),
        Status::Unique => "1 solution: the acceleration is unique.".into(),
        Status::Several => format!(
            "{} solutions: the laws do not say which.",
            answer.sets.len()
        ),
        _ => {
            let sets = answer.sets.iter().filter(|s| !s.region.is_point()).count();
            let points = answer.sets.len() - sets;
            let mut line = format!("a continuum of solutions, in {sets} set");
            if sets > 1 {
                line.push('s');
            }
            match points {
                0 => {}
                1 => line.push_str(", and 1 single solution"),
                n => {
                    let _ = write!(line, ", and {n} single solutions");
                }
            }
            line.push_str(": the laws do not say which.");
            line
        }
    }
}

fn write_solution(
    out: &mut String,
    state: &State,
    options: &Options,
    answer: &Solutions,
    number: usize,
    solution: &Solution,
) -> std::fmt::Result {
    let triple = |a: &[f64; 3]| {
        let size = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let [x, y, z] = a.map(|x| short_of(x, size.max(1e-3)));
        format!("({x}, {y}) m/s², angular {z} rad/s²")
    };
    let mode = if solution.mode.is_empty() {
        "free"
    } else {
        &solution.mode
    };
    match solution.acceleration() {
        Some(a) => writeln!(out, "{}. [{mode}] acceleration {}", number + 1, triple(&a))?,
        None => {
            let kind = kind(solution);
            writeln!(out, "{}. [{mode}] a {kind} of accelerations", number + 1)?;
            for v in &solution.vertices {
                writeln!(out, "     corner {}", triple(v))?;
            }
            for r in &solution.rays {
                writeln!(out, "     without end along {}", triple(r))?;
            }
            if let Some((t_c, lo, hi)) = interval(state, solution) {
                writeln!(
                    out,
                    "     c from {} to {} N along t_c = ({}, {}, {})",
                    short(lo),
                    short(hi),
                    short(t_c[0]),
                    short(t_c[1]),
                    short(t_c[2])
                )?;
            }
        }
    }
    for (letter, &i) in solution.mode.chars().zip(&answer.active) {
        let word = match letter {
            's' => "breaks",
            'f' => "stands still",
            'l' => "slides to -t",
            _ => "slides to +t",
        };
        writeln!(out, "     contact {} {word}", i + 1)?;
    }
    // Forces at each corner.
    for (vertex, a) in solution.region.vertices.iter().zip(&solution.vertices) {
        let set = forces(state, options, *vertex);
        if set.vertices.iter().all(|v| v.is_empty()) {
            writeln!(out, "     no contact force")?;
            continue;
        }
        let place = if solution.region.is_point() {
            String::new()
        } else {
            format!(" at {}", triple(a))
        };
        write_forces(out, &set, &place)?;
    }
    Ok(())
}

fn write_forces(out: &mut String, set: &ForceSet, place: &str) -> std::fmt::Result {
    let size = set
        .vertices
        .iter()
        .flatten()
        .fold(1e-9_f64, |m, f| m.max(f.normal.abs()).max(f.friction.abs()));
    if set.unique() {
        let loaded = |f: &&ContactForce| f.normal.abs().max(f.friction.abs()) > 1e-12 * size;
        let count = set.vertices[0].iter().filter(loaded).count();
        for f in set.vertices[0].iter().filter(loaded) {
            writeln!(
                out,
                "     force of contact {}{place}: normal {} N, friction {} N",
                f.contact + 1,
                short_of(f.normal, size),
                short_of(f.friction, size)
            )?;
        }
        return write_unloaded(out, set.vertices[0].len() - count, place);
    }
    if !set.complete {
        writeln!(
            out,
            "     forces{place}: too many contacts to list them all; one choice:"
        )?;
    } else {
        writeln!(
            out,
            "     forces{place} are not unique ({} corner distribution{}{}); ranges without inner forces:",
            set.vertices.len(),
            if set.vertices.len() == 1 { "" } else { "s" },
            if set.rays.is_empty() {
                ""
            } else {
                ", and inner forces of any size"
            }
        )?;
    }
    let count = set.vertices.first().map_or(0, Vec::len);
    let mut unloaded = 0;
    for i in 0..count {
        let zero =
            |v: &Vec<ContactForce>| v[i].normal.abs().max(v[i].friction.abs()) <= 1e-12 * size;
        if set.vertices.iter().all(zero) {
            unloaded += 1;
            continue;
        }
        let range = |pick: &dyn Fn(usize) -> f64| {
            let values = (0..set.vertices.len()).map(pick);
            let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| {
                (lo.min(x), hi.max(x))
            });
            if hi - lo <= 1e-9 * size {
                short_of(lo, size)
            } else {
                format!("{} to {}", short_of(lo, size), short_of(hi, size))
            }
        };
        writeln!(
            out,
            "       contact {}: normal {} N, friction {} N",
            set.vertices[0][i].contact + 1,
            range(&|v| set.vertices[v][i].normal),
            range(&|v| set.vertices[v][i].friction)
        )?;
    }
    write_unloaded(out, unloaded, place)
}

/// The kept contacts without force, in one line.
fn write_unloaded(out: &mut String, count: usize, place: &str) -> std::fmt::Result {
    match count {
        0 => Ok(()),
        1 => writeln!(out, "     no force at 1 other contact that is kept{place}"),
        n => writeln!(
            out,
            "     no force at {n} other contacts that are kept{place}"
        ),
    }
}

/// Point, segment, half-line, line or polygon.
#[must_use]
pub fn kind(solution: &Solution) -> &'static str {
    let region = &solution.region;
    if region.is_point() {
        return "point";
    }
    match (region.vertices.len(), region.rays.len()) {
        (2, 0) => "segment",
        (1, 1) => "half-line",
        (1, 2) if dot(region.rays[0], region.rays[1]) < -1.0 + 1e-9 => "line",
        _ => "polygon",
    }
}

/// For a set on one line: the common tangent t_c and the ends of c in F_R = -F_A - m h' + c t_c (N), with h' the
/// shortest solution of (6), so that c = m a·t_c.
#[must_use]
pub fn interval(state: &State, solution: &Solution) -> Option<([f64; 3], f64, f64)> {
    let region = &solution.region;
    let t_c = match (region.vertices.as_slice(), region.rays.as_slice()) {
        ([a, b], []) => unit(sub(*b, *a), 0.0)?,
        ([_], [ray]) => *ray,
        ([_], [ray, other]) if norm(crate::vec3::add(*ray, *other)) < 1e-9 => *ray,
        _ => return None,
    };
    let mut ends: Vec<f64> = region
        .vertices
        .iter()
        .map(|&v| state.m * dot(v, t_c))
        .collect();
    match region.rays.len() {
        0 => {}
        1 => ends.push(f64::INFINITY),
        _ => ends = vec![f64::NEG_INFINITY, f64::INFINITY],
    }
    Some((t_c, ends[0], ends[1]))
}

fn write_hypotheses(out: &mut String, answer: &Solutions) -> std::fmt::Result {
    writeln!(out)?;
    writeln!(out, "What was tried:")?;
    for hypothesis in &answer.hypotheses {
        writeln!(out, "  {}", describe(hypothesis))?;
        for piece in &hypothesis.pieces {
            let place = match &piece.place {
                Place::Cell(ways) => {
                    let ways: Vec<&str> = ways
                        .iter()
                        .map(|w| if *w > 0 { "+t" } else { "-t" })
                        .collect();
                    format!("sliding to {}", ways.join(", "))
                }
                Place::Interval { lo, hi } => format!("c in [{}, {}]", short(*lo), short(*hi)),
                Place::Endpoint { c } => format!("c = {}", short(*c)),
                Place::TwoProjections => "by two projections".into(),
                Place::ZeroReaction | Place::ZeroNetForce | Place::Corner => {
                    "the one acceleration".into()
                }
            };
            let verdict = match &piece.verdict {
                Verdict::Solution(i) => format!("solution {}", i + 1),
                Verdict::Rejected(reason) => format!("rejected: {reason}"),
            };
            writeln!(out, "    {place}: {verdict}")?;
        }
    }
    Ok(())
}

/// A hypothesis in words.
#[must_use]
pub fn describe(hypothesis: &Hypothesis) -> String {
    let place = hypothesis.pieces.first().map(|p| &p.place);
    match place {
        Some(Place::ZeroReaction) => return "no reaction at all".into(),
        Some(Place::ZeroNetForce) => return "a reaction that cancels the applied force".into(),
        _ => {}
    }
    let names: Vec<String> = hypothesis
        .contacts
        .iter()
        .map(|i| (i + 1).to_string())
        .collect();
    let refused = hypothesis
        .pieces
        .iter()
        .any(|p| p.verdict == Verdict::Rejected(Reason::Inconsistent));
    if refused {
        return format!("contacts {} kept", names.join(", "));
    }
    format!(
        "contact{} {} kept (normal space of dimension {})",
        if names.len() == 1 { "" } else { "s" },
        names.join(", "),
        hypothesis.dimension
    )
}

/// A number with seven digits, for reading.
#[must_use]
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = libm::floor(libm::log10(x.abs())) as i32;
    if !(-4..9).contains(&magnitude) {
        return format!("{x:.6e}");
    }
    let decimals = (6 - magnitude).clamp(0, 10) as usize;
    let mut text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".into() } else { text }
}

/// A number beside others of the given size: rounding errors of the size are zero.
pub(crate) fn short_of(x: f64, size: f64) -> String {
    if x.abs() <= 1e-12 * size {
        "0".into()
    } else {
        short(x)
    }
}
