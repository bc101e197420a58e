//! Which sets of contacts to try (section 5.4.2, step 3), and how few are enough.
//!
//! The accelerations that keep a set of contacts with equality form a flat: a plane, a line or a point. If a flat also
//! lies in the plane of a further contact, that contact is kept anyway, and giving it leave to carry a force (zero, if
//! need be) loses nothing. So of all subsets only the closed ones matter, those with every contact of their flat. A
//! velocity that keeps all contacts is orthogonal to all normals, so that three independent normals occur only at rest,
//! where they share the one point a = 0: at most k + k(k-1)/2 + 1 closed subsets instead of 2^k - 1.

use crate::kinematics::Problem;
use crate::line::Line;
use crate::plane::line_of;
use crate::vec3::{V3, cross, dot, norm, scale, solve3};

/// A set of contacts that can all be kept, and the accelerations that keep them.
#[derive(Clone, Debug)]
pub(crate) enum Flat {
    Plane,
    Line(Line),
    Point(V3),
}

impl Flat {
    pub(crate) fn dimension_of_normals(&self) -> usize {
        match self {
            Self::Plane => 1,
            Self::Line(_) => 2,
            Self::Point(_) => 3,
        }
    }
}

fn parallel(problem: &Problem, i: usize, j: usize) -> bool {
    let (a, b) = (&problem.active[i], &problem.active[j]);
    norm(cross(a.row, b.row)) <= problem.tol * a.delta * b.delta
}

/// The flat that keeps `contacts` (not empty), or `None` where they cannot all be kept: (6) is inconsistent.
pub(crate) fn flat_of(problem: &Problem, contacts: &[usize]) -> Option<Flat> {
    let first = contacts[0];
    // The best conditioned line through the first contact's plane, then the best conditioned point on it.
    let widest = |i: usize| {
        let (a, b) = (&problem.active[first], &problem.active[i]);
        norm(cross(a.row, b.row)) / (a.delta * b.delta)
    };
    let second = contacts
        .iter()
        .copied()
        .max_by(|&a, &b| widest(a).total_cmp(&widest(b)))?;
    let constraint = |i: usize| (problem.active[i].row, -problem.active[i].h);
    let flat = if widest(second) <= problem.tol {
        Flat::Plane
    } else {
        let line = line_of(constraint(first), constraint(second), problem.tol)?;
        let steepest = |i: usize| {
            let c = &problem.active[i];
            (dot(c.row, line.t_c) / c.delta).abs()
        };
        let third = contacts
            .iter()
            .copied()
            .max_by(|&a, &b| steepest(a).total_cmp(&steepest(b)))?;
        if steepest(third) <= problem.tol {
            Flat::Line(line)
        } else {
            let rows = [first, second, third].map(|i| problem.active[i].row);
            let rhs = [first, second, third].map(|i| -problem.active[i].h);
            Flat::Point(solve3(rows, rhs, 0.0)?)
        }
    };
    contacts
        .iter()
        .all(|&i| in_plane(problem, first, &flat, i))
        .then_some(flat)
}

/// Whether the flat lies in the plane of contact `i`. `first` is a contact of the flat.
fn in_plane(problem: &Problem, first: usize, flat: &Flat, i: usize) -> bool {
    let c = &problem.active[i];
    match flat {
        Flat::Plane => {
            let a = &problem.active[first];
            let on = scale(a.row, -a.h / (a.delta * a.delta));
            parallel(problem, first, i) && problem.gap_sign(i, on) == 0
        }
        Flat::Line(line) => {
            dot(c.row, line.t_c).abs() <= problem.tol * c.delta
                && problem.gap_sign(i, scale(line.h_prime, -1.0)) == 0
        }
        Flat::Point(a) => problem.gap_sign(i, *a) == 0,
    }
}

/// Every contact whose plane holds the flat spanned by `given`; those stay in it whatever rounding says.
fn closure(problem: &Problem, given: &[usize], flat: &Flat) -> Vec<usize> {
    (0..problem.active.len())
        .filter(|i| given.contains(i) || in_plane(problem, given[0], flat, *i))
        .collect()
}

/// All closed subsets with their flats, by dimension of the normal space, each once.
pub(crate) fn closed_subsets(problem: &Problem) -> Vec<Kept> {
    let k = problem.active.len();
    let mut found: Vec<Kept> = Vec::new();
    for i in 0..k {
        let kept = closure(problem, &[i], &Flat::Plane);
        if kept.first() == Some(&i) {
            found.push((kept, Flat::Plane));
        }
    }
    let constraint = |i: usize| (problem.active[i].row, -problem.active[i].h);
    let lines_from = found.len();
    for i in 0..k {
        for j in i + 1..k {
            let covered = found[lines_from..]
                .iter()
                .any(|(kept, _)| kept.contains(&i) && kept.contains(&j));
            if covered || parallel(problem, i, j) {
                continue;
            }
            if let Some(line) = line_of(constraint(i), constraint(j), problem.tol) {
                let flat = Flat::Line(line);
                found.push((closure(problem, &[i, j], &flat), flat));
            }
        }
    }
    let points_from = found.len();
    for i in 0..k {
        for j in i + 1..k {
            for l in j + 1..k {
                let covered = found[points_from..]
                    .iter()
                    .any(|(kept, _)| [i, j, l].iter().all(|c| kept.contains(c)));
                if covered {
                    continue;
                }
                let rows = [i, j, l].map(|c| problem.active[c].row);
                let rhs = [i, j, l].map(|c| -problem.active[c].h);
                if let Some(a) = solve3(rows, rhs, problem.tol) {
                    let flat = Flat::Point(a);
                    found.push((closure(problem, &[i, j, l], &flat), flat));
                }
            }
        }
    }
    found
}

/// Contacts kept together, with the accelerations that keep them.
pub(crate) type Kept = (Vec<usize>, Flat);

/// All subsets that can be kept, and those that cannot: the document's own enumeration, exponential in k.
pub(crate) fn all_subsets(problem: &Problem) -> (Vec<Kept>, Vec<Vec<usize>>) {
    let k = problem.active.len();
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    for mask in 1_u32..1 << k {
        let subset: Vec<usize> = (0..k).filter(|i| mask >> i & 1 == 1).collect();
        match flat_of(problem, &subset) {
            Some(flat) => kept.push((subset, flat)),
            None => refused.push(subset),
        }
    }
    (kept, refused)
}
