//! The same velocity in the words of the shapes and in those of the solvers, which know nothing of each other.

use stickslip_geometry::Twist;
use stickslip_solvers::problem::Twist as ProblemTwist;

/// As the solvers write it.
pub(crate) const fn to_problem(nu: &Twist) -> ProblemTwist {
    ProblemTwist {
        linear: nu.linear,
        angular: nu.angular,
    }
}

/// As the shapes write it.
pub(crate) const fn from_problem(nu: &ProblemTwist) -> Twist {
    Twist {
        linear: nu.linear,
        angular: nu.angular,
    }
}
