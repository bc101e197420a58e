//! Pyramids replaced by the round cones inside them.

use crate::problem::local::LocalProblem;
use crate::problem::{ContactProblem, Law, Posed};

/// A problem whose pyramids have become the quadratic cones inscribed in them: |p_t| ≤ μ cos(π/n_d) p_n. What rests
/// within them rests within the pyramids.
#[derive(Clone, Debug)]
pub(crate) enum Rounded {
    Step(ContactProblem),
    Local(LocalProblem),
}

fn round(law: &mut Law) {
    if let Law::Pyramid { mu, directions } = *law {
        let angle = core::f64::consts::PI / directions as f64;
        *law = Law::Cone {
            mu: mu * libm::cos(angle),
        };
    }
}

impl Rounded {
    pub(crate) fn of(problem: Posed) -> Self {
        match problem {
            Posed::Step(step) => {
                let mut step = step.clone();
                for contact in &mut step.contacts {
                    round(&mut contact.law);
                }
                Self::Step(step)
            }
            Posed::Local(local) => {
                let mut local = local.clone();
                local.laws.iter_mut().for_each(round);
                Self::Local(local)
            }
        }
    }

    pub(crate) const fn posed(&self) -> Posed<'_> {
        match self {
            Self::Step(step) => Posed::Step(step),
            Self::Local(local) => Posed::Local(local),
        }
    }
}
