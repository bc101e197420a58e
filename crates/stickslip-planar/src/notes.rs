//! What is special about a state: things a reader should know before believing the answer.

use crate::contact::ContactKind;
use crate::kinematics::Problem;
use crate::state::State;
use crate::vec3::{cross, dot, norm};
use std::fmt;

/// Something special about a state. Contacts are given by their number in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// There is no contact.
    Free,
    /// Two contacts at one point with one normal: the second changes nothing but the split of forces.
    Repeated(usize, usize),
    /// Two contacts at one point with different normals: a vertex in a corner, or a vertex on a vertex.
    Coincident(usize, usize),
    /// A vertex on a vertex.
    VertexVertex(usize),
    /// Two contacts whose configuration-space normals are parallel: the singular case of section 5.4.5.
    ParallelNormals(usize, usize),
    /// The friction cone of a contact dips below the tangent plane: section 4.4 does not apply, and one contact alone
    /// may have no, two or three solutions.
    ConeBelowTangentPlane(usize),
    /// A contact with infinite friction.
    InfiniteFriction(usize),
    /// A contact with so much friction that it is taken as infinite.
    TakenAsInfinite(usize),
    /// A contact that stands still, with static friction above kinetic: where sticking and starting to slide are both
    /// legal, both are listed.
    StaticFriction(usize),
    /// A contact that the velocity breaks or closes only just: it may be meant to be kept.
    NearlyKept(usize),
    /// The levers are very long or very short beside the radius of gyration: rotations have few digits.
    Levers,
    /// The answer hangs on digits beyond the tolerance: a slightly different tolerance gives another number of sets.
    NearSingular,
}

impl Note {
    /// A word for machines.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Repeated(..) => "repeated",
            Self::Coincident(..) => "coincident",
            Self::VertexVertex(_) => "vertex-vertex",
            Self::ParallelNormals(..) => "parallel-normals",
            Self::ConeBelowTangentPlane(_) => "cone-below-tangent-plane",
            Self::InfiniteFriction(_) => "infinite-friction",
            Self::TakenAsInfinite(_) => "taken-as-infinite",
            Self::StaticFriction(_) => "static-friction",
            Self::NearlyKept(_) => "nearly-kept",
            Self::Levers => "levers",
            Self::NearSingular => "near-singular",
        }
    }

    /// Whether the document's theory calls the state non-generic (footnotes 1 and 2).
    #[must_use]
    pub fn non_generic(&self) -> bool {
        matches!(self, Self::Coincident(..) | Self::VertexVertex(_))
    }

    /// The contacts it speaks of.
    #[must_use]
    pub fn contacts(&self) -> Vec<usize> {
        match *self {
            Self::Free | Self::Levers | Self::NearSingular => vec![],
            Self::Repeated(i, j) | Self::Coincident(i, j) | Self::ParallelNormals(i, j) => {
                vec![i, j]
            }
            Self::VertexVertex(i)
            | Self::ConeBelowTangentPlane(i)
            | Self::InfiniteFriction(i)
            | Self::TakenAsInfinite(i)
            | Self::StaticFriction(i)
            | Self::NearlyKept(i) => vec![i],
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Free => write!(f, "no contact: the body moves freely"),
            Self::Repeated(i, j) => write!(
                f,
                "contacts {} and {} are the same contact twice: only the split of the force between them is open",
                i + 1,
                j + 1
            ),
            Self::Coincident(i, j) => write!(
                f,
                "contacts {} and {} are one point with two normals: a vertex in a corner, or a vertex on a vertex. Both \
                 constraints are kept; for a vertex on a vertex one of them may be enough, and more motions may be \
                 legal than listed (not generic)",
                i + 1,
                j + 1
            ),
            Self::VertexVertex(i) => write!(
                f,
                "contact {} is a vertex on a vertex: its normal is a choice, and with another choice other motions may \
                 be legal (not generic)",
                i + 1
            ),
            Self::ParallelNormals(i, j) => write!(
                f,
                "contacts {} and {} have parallel configuration-space normals (they act along one line): a singular \
                 state in which acceleration is often not unique",
                i + 1,
                j + 1
            ),
            Self::ConeBelowTangentPlane(i) => write!(
                f,
                "the friction cone of contact {} dips below its tangent plane: this contact alone can have no solution \
                 or several (Painleve)",
                i + 1
            ),
            Self::InfiniteFriction(i) => write!(
                f,
                "contact {} has infinite friction: it can slide only without normal force",
                i + 1
            ),
            Self::TakenAsInfinite(i) => write!(
                f,
                "the friction of contact {} is taken as infinite: the edges of its cone oppose each other to within 1e-8",
                i + 1
            ),
            Self::StaticFriction(i) => write!(
                f,
                "contact {} stands still, and its static friction is larger than its kinetic: where it can stick and start \
                 to slide, both are listed (a body at rest is usually taken to stick)",
                i + 1
            ),
            Self::Levers => write!(
                f,
                "the longest lever and the radius of gyration differ more than ten thousandfold: what turns the body and \
                 what moves it are told apart to fewer digits"
            ),
            Self::NearSingular => write!(
                f,
                "the state is singular to within the tolerance: with a larger or smaller one there are other solutions"
            ),
            Self::NearlyKept(i) => write!(
                f,
                "the velocity leaves contact {} almost along the surface; if it is meant to be kept, give the velocity \
                 more digits or raise the tolerance",
                i + 1
            ),
        }
    }
}

pub(crate) fn notes(state: &State, problem: &Problem) -> Vec<Note> {
    let mut notes = Vec::new();
    if state.contacts.is_empty() {
        notes.push(Note::Free);
    }
    let ratio = state.longest_lever() / state.rho;
    if ratio > 1e4 || (ratio > 0.0 && ratio < 1e-4) {
        notes.push(Note::Levers);
    }
    for (i, contact) in state.contacts.iter().enumerate() {
        if contact.kind == ContactKind::VertexVertex {
            notes.push(Note::VertexVertex(i));
        }
        let row = contact.frame(state.rho).n;
        let velocity = state.generalised_velocity();
        let kept = problem.active.iter().any(|a| a.index == i);
        if !kept && dot(velocity, row).abs() <= 1e-4 * norm(velocity) {
            notes.push(Note::NearlyKept(i));
        }
        let friction = contact.coefficients(state.rho);
        let largest = contact.mu_static.unwrap_or(contact.mu);
        if friction.stick.is_infinite() {
            notes.push(if largest.is_infinite() {
                Note::InfiniteFriction(i)
            } else {
                Note::TakenAsInfinite(i)
            });
        } else if !contact
            .frame(state.rho)
            .cone_above_tangent_plane(friction.stick)
        {
            notes.push(Note::ConeBelowTangentPlane(i));
        }
        let still = problem
            .active
            .iter()
            .any(|a| a.index == i && a.slip_sign == 0);
        if still && friction.slide < friction.stick {
            notes.push(Note::StaticFriction(i));
        }
    }
    for (place, a) in problem.active.iter().enumerate() {
        for b in &problem.active[..place] {
            let (first, second) = (&state.contacts[b.index], &state.contacts[a.index]);
            let apart = |p: [f64; 2], q: [f64; 2]| libm::hypot(p[0] - q[0], p[1] - q[1]);
            let size = libm::hypot(first.r[0], first.r[1]).max(state.rho);
            let together = apart(first.r, second.r) <= problem.tol * size;
            if together && apart(first.n, second.n) <= problem.tol {
                notes.push(Note::Repeated(b.index, a.index));
            } else if together {
                notes.push(Note::Coincident(b.index, a.index));
            } else if norm(cross(a.row, b.row)) <= problem.tol * a.delta * b.delta {
                notes.push(Note::ParallelNormals(b.index, a.index));
            }
        }
    }
    notes
}
