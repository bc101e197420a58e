//! Freedoms of a link as the axes of one joint.

use crate::model::{Freedom, Way};
use crate::robot::{Axis, Coordinate, Kind};
use glam::{DMat3, DQuat, DVec3};
use stickslip_geometry::Pose;
use stickslip_geometry::frame::contact_frame;
use stickslip_geometry::pose::exp;

/// Axes that differ by less are parallel or at right angles.
const ANGLE: f64 = 1e-9;

/// The second of several turns has to stay within this, rad: at π/2 the first and the third are one.
const SECOND_TURN: f64 = 1.55;

/// A joint that has the freedoms of a link for its axes.
pub(crate) struct Combined {
    pub(crate) kind: Kind,
    /// The joint's frame in the link, and in the place where the link is at its zero.
    pub(crate) frames: [Pose; 2],
    pub(crate) axes: [Option<Axis>; 6],
    /// Of each freedom: its axis, sign and zero. Name and start are left to be filled in.
    pub(crate) coordinates: Vec<Coordinate>,
}

/// One joint for all freedoms, if there is one; the frames are on the place of the link and on the link.
pub(crate) fn combine(freedoms: &[Freedom]) -> Option<Combined> {
    match freedoms {
        [one] => single(one),
        several => six_dof(several),
    }
}

fn coordinate(freedom: &Freedom, axis: usize, sign: f64, zero: f64) -> Coordinate {
    Coordinate {
        name: freedom.name.clone(),
        joint: 0,
        axis,
        sign,
        zero,
        start: 0.0,
    }
}

fn frame(x: DVec3, y: DVec3) -> DQuat {
    let q = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
    let q = q / q.length();
    q / q.length()
}

/// A hinge, slider or ball whose coordinate is that of the freedom itself.
fn single(freedom: &Freedom) -> Option<Combined> {
    let [x, y, _] = contact_frame(freedom.axis);
    let on_link = Pose {
        position: freedom.anchor,
        orientation: frame(x, y),
    };
    let mut axes = [None; 6];
    let (kind, axis, back) = match freedom.way {
        Way::Ball => {
            let free = Some(Axis::of(freedom, 1.0, 0.0));
            axes[3..].fill(free);
            let joint = Combined {
                kind: Kind::Ball,
                frames: [on_link; 2],
                axes,
                coordinates: Vec::new(),
            };
            return Some(joint);
        }
        Way::Free => return None,
        // At the zero of the freedom the coordinate is that zero.
        Way::Hinge => (
            Kind::Hinge,
            3,
            Pose {
                position: DVec3::ZERO,
                orientation: exp(-DVec3::X * freedom.zero),
            },
        ),
        Way::Slide => (Kind::Slider, 0, Pose::at(-DVec3::X * freedom.zero)),
    };
    axes[axis] = Some(Axis::of(freedom, 1.0, 0.0));
    Some(Combined {
        kind,
        frames: [on_link.then(&back), on_link],
        axes,
        coordinates: vec![coordinate(freedom, axis, 1.0, 0.0)],
    })
}

/// Slides along the axes of a frame, then turns about them in the order x, y, z through one point.
fn six_dof(freedoms: &[Freedom]) -> Option<Combined> {
    let turns_from = freedoms.iter().position(|f| f.way == Way::Hinge);
    let (slides, turns) = freedoms.split_at(turns_from.unwrap_or(freedoms.len()));
    let all = |part: &[Freedom], way: Way| part.iter().all(|f| f.way == way);
    if !(all(slides, Way::Slide) && all(turns, Way::Hinge)) || slides.len() > 3 || turns.len() > 3 {
        return None;
    }
    let anchor = freedoms.last()?.anchor;
    let size = anchor.length() + 1e-3;
    if turns
        .iter()
        .any(|f| (f.anchor - anchor).length() > 1e-12 * size)
    {
        return None;
    }
    let bounded = |f: &Freedom| {
        f.limits
            .is_some_and(|l| l.iter().all(|q| (q - f.zero).abs() < SECOND_TURN))
    };
    if turns.len() > 1 && !bounded(&turns[1]) {
        return None;
    }
    let mut directions = turns.iter().chain(slides).map(|f| f.axis);
    let x = directions.next()?;
    let across = directions.find(|d| d.dot(x).abs() < ANGLE);
    let y = across.unwrap_or(contact_frame(x)[1]);
    if turns.len() > 1 && turns[0].axis.dot(turns[1].axis).abs() > ANGLE {
        return None;
    }
    let y = (y - x * x.dot(y)).try_normalize()?;
    let basis = [x, y, x.cross(y)];
    let along = |d: DVec3| {
        let found = (0..3).find(|&k| basis[k].cross(d).length() < ANGLE)?;
        Some((found, basis[found].dot(d).signum()))
    };
    let (mut axes, mut coordinates) = ([None; 6], Vec::new());
    for (k, freedom) in freedoms.iter().enumerate() {
        let (found, sign) = along(freedom.axis)?;
        let turn = k >= slides.len();
        let axis = if turn { 3 + found } else { found };
        if axes[axis].is_some() || (turn && found != k - slides.len()) {
            return None;
        }
        axes[axis] = Some(Axis::of(freedom, sign, freedom.zero));
        coordinates.push(coordinate(freedom, axis, sign, freedom.zero));
    }
    let on_link = Pose {
        position: anchor,
        orientation: frame(x, y),
    };
    Some(Combined {
        kind: Kind::SixDof,
        frames: [on_link; 2],
        axes,
        coordinates,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::At;
    use crate::place::{Place, Source};
    use std::sync::Arc;

    fn freedom(way: Way, anchor: [f64; 3], axis: [f64; 3]) -> Freedom {
        let source = Arc::new(Source {
            file: "test".into(),
            text: Arc::from(""),
        });
        let place = Place { source, span: 0..0 };
        let axis = DVec3::from_array(axis).try_normalize().unwrap();
        let mut freedom = Freedom::new("q".into(), place, way, anchor.into(), axis);
        freedom.limits = Some([-1.0, 1.2]);
        freedom
    }

    /// The product of the freedoms' motions is what the joint's coordinates say.
    fn agrees(freedoms: &[Freedom], at: &[f64]) {
        let joint = combine(freedoms).expect("one joint");
        let mut pose = Pose::IDENTITY;
        for (freedom, q) in freedoms.iter().zip(at) {
            pose = pose.then(&freedom.motion(&At::Scalar(*q)));
        }
        let [a, b] = joint.frames;
        let seen = a.inverse().then(&pose).then(&b);
        let mut c = [0.0; 6];
        for (coordinate, q) in joint.coordinates.iter().zip(at) {
            c[coordinate.axis] = coordinate.of_joint(*q);
        }
        let turn = exp(DVec3::X * c[3]) * exp(DVec3::Y * c[4]) * exp(DVec3::Z * c[5]);
        assert!((seen.position - DVec3::from_slice(&c)).length() < 1e-14);
        let same = (seen.orientation * turn.conjugate()).w.abs();
        assert!((same - 1.0).abs() < 1e-14, "{freedoms:?}");
    }

    #[test]
    fn axes_of_one_joint_are_the_freedoms_in_turn() {
        let p = [0.1, -0.2, 0.3];
        let hinge = |axis| freedom(Way::Hinge, p, axis);
        let slide = |axis| freedom(Way::Slide, [0.0; 3], axis);
        agrees(
            &[hinge([0.0, 0.0, 1.0]), hinge([0.0, 1.0, 0.0])],
            &[0.3, -0.8],
        );
        let hip = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]].map(hinge);
        agrees(&hip, &[0.3, -0.8, 1.1]);
        agrees(
            &[hinge([2.0, 1.0, 1.0]), hinge([0.0, -1.0, 1.0])],
            &[-0.6, 0.5],
        );
        let flat = [
            slide([0.0, -1.0, 0.0]),
            slide([0.0, 0.0, 1.0]),
            hinge([1.0, 0.0, 0.0]),
        ];
        agrees(&flat, &[0.4, -0.2, 0.7]);
        let mut shifted = hinge([0.0, 1.0, 1.0]);
        shifted.zero = 0.25;
        agrees(&[shifted], &[0.6]);
        let mut shifted = slide([0.0, 1.0, 1.0]);
        shifted.zero = -0.4;
        agrees(&[shifted], &[0.6]);
    }

    #[test]
    fn axes_that_do_not_meet_or_are_askew_are_no_single_joint() {
        let hinge = |p, axis| freedom(Way::Hinge, p, axis);
        let apart = [
            hinge([0.0; 3], [0.0, 0.0, 1.0]),
            hinge([0.0, 0.1, 0.0], [0.0, 1.0, 0.0]),
        ];
        assert!(combine(&apart).is_none());
        let askew = [
            hinge([0.0; 3], [0.0, 0.0, 1.0]),
            hinge([0.0; 3], [0.0, 1.0, 0.5]),
        ];
        assert!(combine(&askew).is_none());
        let mut turning = hinge([0.0; 3], [0.0, 1.0, 0.0]);
        turning.limits = None;
        assert!(combine(&[hinge([0.0; 3], [0.0, 0.0, 1.0]), turning]).is_none());
    }
}
