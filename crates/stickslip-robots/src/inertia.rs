//! Which inertias a body can have.

use crate::place::{Note, Outcome, Place, Regard, RobotError};
use glam::{DMat3, DVec3};

/// How far an inertia may be off, as a part of its size: files have few digits.
const ROUNDING: f64 = 1e-9;

/// What is wrong with an inertia about a centre of mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A moment is negative: nothing can be computed with it.
    Negative,
    /// A principal moment exceeds the sum of the other two: no mass is spread like that, but the equations can be solved.
    Triangle,
}

impl Fault {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Negative => "no body has this inertia: a moment of inertia is negative",
            Self::Triangle => {
                "no body has this inertia: one principal moment exceeds the sum of the other two"
            }
        }
    }
}

/// What is wrong with an inertia: it must be symmetric and positive semidefinite, and no principal moment may exceed the sum of the
/// other two, which is the same as ½ tr(I) 1 − I being positive semidefinite.
pub(crate) fn fault(inertia: &DMat3) -> Option<Fault> {
    let size = inertia
        .to_cols_array()
        .iter()
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    let slack = ROUNDING * size;
    if !semidefinite(inertia, slack) {
        return Some(Fault::Negative);
    }
    let [x, y, z] = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
    let half = DMat3::from_diagonal(DVec3::splat(0.5 * (x + y + z)));
    if semidefinite(&(half - *inertia), slack) {
        return None;
    }
    Some(Fault::Triangle)
}

/// Refuses an inertia that no body has; one that only breaks the triangle inequality is let through where `any` says so, with a note.
pub(crate) fn check(inertia: &DMat3, place: &Place, any: bool) -> Outcome<Option<Note>> {
    match fault(inertia) {
        None => Ok(None),
        Some(Fault::Triangle) if any => Ok(Some(Note {
            place: place.clone(),
            what: "inertia".into(),
            why: format!("taken as it is, although {}", Fault::Triangle.words()),
            regard: Regard::Changed,
        })),
        Some(Fault::Triangle) => {
            let help = "mend the file, or take such inertias as they are: --any-inertia, `any-inertia = true`";
            Err(RobotError::new(place, Fault::Triangle.words()).with_help(help))
        }
        Some(Fault::Negative) => Err(RobotError::new(place, Fault::Negative.words())),
    }
}

/// Are all principal minors of m + slack·1 at least zero?
fn semidefinite(m: &DMat3, slack: f64) -> bool {
    let m = *m + DMat3::from_diagonal(DVec3::splat(slack));
    let e = |i: usize, j: usize| m.col(j)[i];
    let minor = |i: usize, j: usize| e(i, i) * e(j, j) - e(i, j) * e(j, i);
    let singles = (0..3).all(|i| e(i, i) >= 0.0);
    let pairs = [(0, 1), (1, 2), (0, 2)];
    singles && pairs.iter().all(|&(i, j)| minor(i, j) >= 0.0) && m.determinant() >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rods_plates_and_boxes_have_inertias_and_others_do_not() {
        let diagonal = |x, y, z| fault(&DMat3::from_diagonal(DVec3::new(x, y, z)));
        assert_eq!(diagonal(1.0, 1.0, 0.0), None, "a rod");
        assert_eq!(diagonal(1.0, 1.0, 2.0), None, "a disc");
        assert_eq!(diagonal(2.0, 3.0, 4.0), None);
        assert_eq!(diagonal(1.0, 1.0, 2.1), Some(Fault::Triangle));
        assert_eq!(diagonal(1.0, -1e-3, 1.0), Some(Fault::Negative));
        let mut skewed = DMat3::from_diagonal(DVec3::ONE);
        skewed.x_axis.y = 1.5;
        skewed.y_axis.x = 1.5;
        assert!(fault(&skewed).is_some(), "indefinite off the diagonal");
    }
}
