//! One-dimensional normal space (section 5.4.5): a single contact, or several whose normals are parallel.
//!
//! The accelerations that keep the contacts fill a plane a·n = -h. Contacts that do not slide yet cut it into cells by
//! the lines of standstill a·v_f + ω² r·v_f = 0. Inside a cell every contact slides one way and has one legal edge; on a
//! line of standstill, whose direction is a rotation about the contact point, the motion has one degree of freedom and
//! the method of section 5.5 applies. This is the first of the document's two approaches to parallel normals for the
//! cells and the second for the lines; together they give every acceleration.

use crate::kinematics::{Problem, sign};
use crate::line::{self, Line, Outcome};
use crate::region::{Polyhedron, Region};
use crate::single::{Reaction, two_projections};
use crate::trace::{Place, Reason};
use crate::vec3::{V3, add, cross, dot, norm, scale, sub, unit};

/// All accelerations that forces at the contacts `kept`, all in one plane, can give.
pub(crate) fn solve(
    problem: &Problem,
    frames: &[crate::contact::Frame],
    kept: &[usize],
    out: &mut Vec<Outcome>,
) {
    // Static friction above kinetic: the contact may stick and slide, and two projections would find one of them.
    let friction = problem.active[kept[0]].friction;
    if let (&[i], true) = (kept, problem.at_rest)
        && friction.slide == friction.stick
        && let Some(reaction) = two_projections(&frames[i], friction.slide, problem.force)
    {
        out.push((Place::TwoProjections, at_rest(problem, kept, reaction)));
        return;
    }
    for ways in cells(problem, kept) {
        let result = in_cell(problem, kept, &ways);
        out.push((Place::Cell(ways), result));
    }
    let mut lines: Vec<Line> = Vec::new();
    for &i in kept {
        if problem.active[i].slip_sign != 0 {
            continue;
        }
        let Some(line) = standstill(problem, kept[0], i) else {
            continue;
        };
        if lines.iter().any(|known| same_line(problem, known, &line)) {
            continue;
        }
        line::solve(problem, kept, &line, out);
        lines.push(line);
    }
}

fn at_rest(problem: &Problem, kept: &[usize], reaction: Reaction) -> Result<Region, Reason> {
    let force = match reaction {
        Reaction::None => return Err(Reason::NotPressed),
        Reaction::Stick(force) | Reaction::Edge(force, _) => force,
    };
    let a = scale(add(problem.force, force), 1.0 / problem.m);
    match problem.pushed_through(a, kept) {
        Some(j) => Err(Reason::PushesThrough(problem.active[j].index)),
        None => Ok(Region::point(a)),
    }
}

/// The line on which contact `i` stands still, in the plane that keeps contact `first`.
fn standstill(problem: &Problem, first: usize, i: usize) -> Option<Line> {
    let (plane, contact) = (&problem.active[first], &problem.active[i]);
    line_of(
        (plane.row, -plane.h),
        (contact.v_f, -contact.drift),
        problem.tol,
    )
}

/// The line { a : n_1·a = b_1, n_2·a = b_2 }; its `h_prime` is minus its point closest to the origin.
pub(crate) fn line_of((n_1, b_1): (V3, f64), (n_2, b_2): (V3, f64), tol: f64) -> Option<Line> {
    let axis = cross(n_1, n_2);
    let t_c = unit(axis, tol * norm(n_1) * norm(n_2))?;
    // b_1 (n_2 × axis) + b_2 (axis × n_1) over |axis|² has the right products with n_1 and n_2, and none with t_c.
    let square = dot(axis, axis);
    let point = scale(
        add(scale(cross(n_2, axis), b_1), scale(cross(axis, n_1), b_2)),
        1.0 / square,
    );
    // One direction for one line, whatever the order of the contacts: the first sizeable component is positive.
    let lead = t_c.iter().copied().find(|x| x.abs() > 0.1).unwrap_or(1.0);
    Some(Line {
        h_prime: scale(point, -1.0),
        t_c: if lead < 0.0 { scale(t_c, -1.0) } else { t_c },
    })
}

pub(crate) fn same_line(problem: &Problem, a: &Line, b: &Line) -> bool {
    norm(cross(a.t_c, b.t_c)) <= problem.tol
        && norm(sub(a.h_prime, b.h_prime)) <= problem.slack(a.h_prime)
}

/// The ways (-1 or +1 for each kept contact) of all cells with an interior.
fn cells(problem: &Problem, kept: &[usize]) -> Vec<Vec<i8>> {
    let plane = &problem.active[kept[0]];
    let n = scale(plane.row, 1.0 / plane.delta);
    let whole = Polyhedron::whole(scale(n, -plane.h / plane.delta), n);
    let mut cells: Vec<(Vec<i8>, Polyhedron)> = vec![(Vec::new(), whole)];
    for (depth, &i) in kept.iter().enumerate() {
        let contact = &problem.active[i];
        let ways: &[i8] = match contact.slip_sign {
            0 => &[-1, 1],
            1 => &[1],
            _ => &[-1],
        };
        let mut next = Vec::new();
        for (signs, cell) in &cells {
            for &way in ways {
                let mut cell = cell.clone();
                if contact.slip_sign == 0 {
                    let (row, offset) = half_plane(contact.v_f, contact.drift, way);
                    cell.clip(row, offset, problem.tol, problem.tol * problem.a_scale);
                }
                let mut signs = signs.clone();
                signs.push(way);
                if has_interior(problem, &kept[..=depth], &signs, &cell) {
                    next.push((signs, cell));
                }
            }
        }
        cells = next;
    }
    cells.into_iter().map(|(signs, _)| signs).collect()
}

fn half_plane(row: V3, offset: f64, way: i8) -> (V3, f64) {
    (scale(row, f64::from(way)), offset * f64::from(way))
}

fn has_interior(problem: &Problem, kept: &[usize], signs: &[i8], cell: &Polyhedron) -> bool {
    if cell.is_empty() {
        return false;
    }
    let region = Region {
        vertices: cell.vertices.clone(),
        rays: cell.rays.clone(),
    };
    let inside = region.interior(problem.a_scale);
    kept.iter().zip(signs).all(|(&i, &way)| {
        let contact = &problem.active[i];
        contact.slip_sign != 0
            || sign(
                contact.sliding_acceleration(inside),
                problem.slack(inside) * contact.v_f_length,
            ) == way
    })
}

/// Reactions on the legal edge of every contact, cut by the cell's own lines and then by the other contacts.
fn in_cell(problem: &Problem, kept: &[usize], ways: &[i8]) -> Result<Region, Reason> {
    let (m, tol) = (problem.m, problem.tol);
    let slack = tol * m * problem.a_scale;
    let plane = &problem.active[kept[0]];
    let n = scale(plane.row, 1.0 / plane.delta);
    let mut edges: Vec<V3> = Vec::with_capacity(kept.len());
    for (&i, &way) in kept.iter().zip(ways) {
        problem.active[i].push_edges(way, &mut edges);
    }
    let height = -m * plane.h / plane.delta - dot(problem.force, n);
    let mut reactions = Polyhedron::slice(&edges, n, height, tol, slack);
    for (&i, &way) in kept.iter().zip(ways) {
        let contact = &problem.active[i];
        if contact.slip_sign == 0 {
            // m times the sliding acceleration, as a function of the reaction.
            let offset = dot(contact.v_f, problem.force) + m * contact.drift;
            let (row, offset) = half_plane(contact.v_f, offset, way);
            reactions.clip(row, offset, tol, slack);
        }
    }
    if reactions.is_empty() {
        return Err(Reason::OutsideCone);
    }
    for (j, other) in problem.active.iter().enumerate() {
        if kept.contains(&j) {
            continue;
        }
        let offset = dot(other.row, problem.force) + m * other.h;
        reactions.clip(other.row, offset, tol, slack);
        if reactions.is_empty() {
            return Err(Reason::PushesThrough(other.index));
        }
    }
    let to_acceleration = |f: &V3| scale(add(problem.force, *f), 1.0 / m);
    let region = Region {
        vertices: reactions.vertices.iter().map(to_acceleration).collect(),
        rays: reactions.rays,
    };
    Ok(region.reduced(tol * problem.a_scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, Frame};
    use crate::state::State;
    use crate::vec3::{axpy, complement};
    use stickslip_testing::Random;

    /// The document names two approaches to parallel normals: the motion in the whole plane, and one degree of freedom at
    /// a time along known directions. Along any line of the plane the second must find what the first finds there.
    #[test]
    fn both_approaches_to_parallel_normals_agree() {
        let mut random = Random::new(7);
        let (mut inside, mut outside) = (0, 0);
        for number in 0..300 {
            let mut state = State::new(1.0, 0.7);
            // Two or three contacts on one normal line, some pushing the other way.
            for i in 0..2 + number % 2 {
                let n = if i == 1 && number % 3 == 0 {
                    [0.0, -1.0]
                } else {
                    [0.0, 1.0]
                };
                let r = [0.4, 2.0 * random.signed()];
                state
                    .contacts
                    .push(Contact::new(n, r, random.signed().abs()));
            }
            state.force = [random.signed(), -1.0, random.signed()];
            let problem = Problem::new(&state, &crate::solve::Options::default());
            let kept: Vec<usize> = (0..state.contacts.len()).collect();
            let frames: Vec<Frame> = state.contacts.iter().map(|c| c.frame(state.rho)).collect();
            let regions = |out: Vec<Outcome>| -> Vec<Region> {
                out.into_iter().filter_map(|(_, r)| r.ok()).collect()
            };
            let mut out = Vec::new();
            solve(&problem, &frames, &kept, &mut out);
            let in_plane = regions(out);
            let n = scale(problem.active[0].row, 1.0 / problem.active[0].delta);
            let (u, w) = complement(n);
            // Half of the lines go through a solution.
            let through = match in_plane.first() {
                Some(region) if number % 2 == 0 => region.interior(0.3),
                _ => add(scale(u, random.signed()), scale(w, random.signed())),
            };
            let angle = 3.0 * random.signed();
            let t_c = add(scale(u, libm::cos(angle)), scale(w, libm::sin(angle)));
            let line = Line {
                h_prime: scale(through, -1.0),
                t_c,
            };
            let mut out = Vec::new();
            line::solve(&problem, &kept, &line, &mut out);
            let on_line = regions(out);
            for step in -40..=40 {
                let a = axpy(through, 0.05 * f64::from(step), t_c);
                let first = in_plane.iter().any(|r| r.contains(a, 1e-8));
                let second = on_line.iter().any(|r| r.contains(a, 1e-8));
                assert_eq!(first, second, "{state:?} {a:?}");
                *if first { &mut inside } else { &mut outside } += 1;
            }
        }
        assert!(inside > 100 && outside > 1000, "{inside} {outside}");
    }
}
