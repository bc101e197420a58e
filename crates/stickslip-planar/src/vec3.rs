//! Vectors of generalised force and acceleration space, in the coordinates (x, y, q = ρθ).
//!
//! All three components carry the same unit, so that lengths and angles mean something: with ρ the radius of
//! gyration, m|v|²/2 is the kinetic energy.

/// A vector in (x, y, q = ρθ).
pub type V3 = [f64; 3];

pub(crate) const ZERO: V3 = [0.0; 3];

pub(crate) fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a + s b`.
pub(crate) fn axpy(a: V3, s: f64, b: V3) -> V3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub(crate) fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// The unit vector along `a`, or `None` where `a` is shorter than `floor`.
pub(crate) fn unit(a: V3, floor: f64) -> Option<V3> {
    let length = norm(a);
    (length > floor && length.is_finite()).then(|| scale(a, 1.0 / length))
}

/// Two unit vectors that complete the unit vector `a` to a right-handed orthonormal triple.
pub(crate) fn complement(a: V3) -> (V3, V3) {
    // Cross with the axis least aligned with `a`: the product then has length at least sqrt(2/3).
    let axis = if a[0].abs() <= a[1].abs() && a[0].abs() <= a[2].abs() {
        [1.0, 0.0, 0.0]
    } else if a[1].abs() <= a[2].abs() {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let u = cross(a, axis);
    let u = scale(u, 1.0 / norm(u));
    (u, cross(a, u))
}

/// The solution of the 3x3 system with rows `rows`, or `None` where the rows are dependent (to `tol`, relative).
pub(crate) fn solve3(rows: [V3; 3], rhs: V3, tol: f64) -> Option<V3> {
    let [a, b, c] = rows;
    let bc = cross(b, c);
    let det = dot(a, bc);
    if det.abs() <= tol * norm(a) * norm(b) * norm(c) {
        return None;
    }
    let sum = add(
        scale(bc, rhs[0]),
        add(scale(cross(c, a), rhs[1]), scale(cross(a, b), rhs[2])),
    );
    Some(scale(sum, 1.0 / det))
}
