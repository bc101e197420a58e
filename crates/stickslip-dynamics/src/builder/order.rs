//! In which order bodies, joints, springs and gears stand in a world: one that renaming keeps, and that neither the place in a file nor
//! the length of a step enters.
//!
//! The order decides which of two bodies is a contact's first (the sign of its normal, its tangents), in which order rows stand, impulses are
//! summed and unknowns eliminated, and so the last digits of every answer. Names decide only between what is alike in all that is
//! compared here. That is what a thing is by itself: its shape, mass, material, groups and start, and its functions of time at a few times.
//! What is not looked at: what acts on a body (forces, joints, pairs of its own), and functions at all other times.

use super::body::BodySpec;
use crate::motion::Motion;
use crate::setup::Drives;
use glam::{DQuat, DVec3};
use std::cmp::Ordering;
use std::sync::Arc;
use stickslip_geometry::{Pose, Shape, Twist};
use stickslip_model::joint::{Axis, Goal, Hold, Motor};
use stickslip_model::spring::Ends;
use stickslip_model::{BodyState, Gear, Joint, Spring};

/// When functions of time are looked at, s, to tell apart what starts alike: not after so many steps, or the order would change with h.
const TIMES: [f64; 4] = [0.0, 0.01, 1.0, 7.3];

/// Where friction by the speed of the slip is looked at, m/s.
const SPEEDS: [f64; 4] = [0.0, 1e-3, 0.01, 1.0];

/// Those that are not free first, then from below upwards, along x and along y: mostly what bears before what rests on it, so that
/// normals point to that. What starts at one place, by all else that is known of it.
pub(super) fn sort_bodies(bodies: &mut [BodySpec]) {
    for body in bodies.iter_mut() {
        body.groups.sort_unstable();
        body.surfaces.sort_by_cached_key(|(face, law)| {
            let mut told = Told::default();
            told.maybe(face, |told, face| told.vector(*face));
            TIMES.iter().for_each(|&t| told.twist(&law(t)));
            told
        });
    }
    let place = |spec: &BodySpec| {
        let mut told = Told::default();
        let at = spec.start().pose.position;
        told.numbers([at.z, at.x, at.y]);
        (matches!(spec.motion, Motion::Free), told)
    };
    sort_in_two(bodies, place, |spec| {
        let texts = (spec.material.clone(), spec.groups.clone());
        let shape = Solid(spec.shape.clone());
        (told(spec), texts, shape, spec.name.clone())
    });
}

/// By the bodies they join (the world first), then by all else but their names.
pub(super) fn sort_joints(joints: &mut [(Joint, Drives)]) {
    let bodies = |(joint, _): &(Joint, Drives)| joint.bodies;
    sort_in_two(joints, bodies, |(joint, drives)| {
        let mut told = Told::default();
        joint.anchors.iter().for_each(|a| told.vector(*a));
        joint.frames.iter().for_each(|f| told.turn(*f));
        joint.axes.iter().for_each(|axis| told.axis(axis));
        for aims in TIMES.map(|t| drives.aims(t)) {
            told.numbers(aims.hold);
            told.numbers(aims.motor);
        }
        (told, joint.name.clone())
    });
}

/// Likewise; the joints stand already.
pub(super) fn sort_springs(springs: &mut [Spring], joints: &[Joint]) {
    let bodies = |spring: &Spring| spring.bodies(joints);
    sort_in_two(springs, bodies, |spring| {
        let mut told = Told::default();
        match &spring.ends {
            Ends::Points { points, .. } => points.iter().for_each(|p| told.vector(*p)),
            Ends::Axis { joint, axis } => told.counts([*joint, *axis]),
        }
        told.numbers([spring.stiffness, spring.damping, spring.inertance]);
        told.numbers([spring.rest]);
        told.counts([usize::from(spring.explicit)]);
        (told, spring.name.clone())
    });
}

/// By the joints they couple, then by all else but their names.
pub(super) fn sort_gears(gears: &mut [Gear]) {
    let joints = |gear: &Gear| (gear.joints, gear.axes);
    sort_in_two(gears, joints, |gear| {
        let mut told = Told::default();
        told.numbers([gear.ratio, gear.offset]);
        (told, gear.name.clone())
    });
}

/// Sorts by `first`; those that it leaves equal, and no others, by `then`, which costs more.
fn sort_in_two<T, F: Ord, S: Ord>(list: &mut [T], first: impl Fn(&T) -> F, then: impl Fn(&T) -> S) {
    list.sort_by_cached_key(&first);
    for alike in list.chunk_by_mut(|a, b| first(a) == first(b)) {
        if alike.len() > 1 {
            alike.sort_by_cached_key(&then);
        }
    }
}

/// All that is known of a body by itself, but its shape, its name, its colour, and the names of its material and groups.
fn told(spec: &BodySpec) -> Told {
    let mut told = Told::default();
    told.state(&spec.start());
    told.maybe(&spec.mass, |told, mass| {
        told.numbers([mass.mass]);
        told.numbers(mass.inertia.to_cols_array());
    });
    told.counts([usize::from(spec.collide)]);
    told.maybe(&spec.friction, |told, f| told.numbers([f.stick, f.slide]));
    told.maybe(&spec.curve, |told, curve| {
        told.numbers(SPEEDS.map(|v| curve.at(v)));
    });
    told.maybe(&spec.grain, |told, grain| {
        told.vector(grain.direction);
        told.numbers([grain.ratio]);
    });
    for number in [&spec.restitution, &spec.torsion, &spec.rolling] {
        told.maybe(number, |told, x| told.numbers([*x]));
    }
    for (face, law) in &spec.surfaces {
        told.maybe(face, |told, face| told.vector(*face));
        TIMES.iter().for_each(|&t| told.twist(&law(t)));
    }
    if let Motion::Prescribed(path) = &spec.motion {
        TIMES.iter().for_each(|&t| told.state(&path(t)));
    }
    told
}

/// Numbers, one after the other, to be compared by `f64::total_cmp`: the first that differs decides.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Told(Vec<i64>);

/// A number whose order is that of `f64::total_cmp`.
const fn rank(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

impl Told {
    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        self.0.extend(numbers.into_iter().map(rank));
    }

    fn counts(&mut self, counts: impl IntoIterator<Item = usize>) {
        self.0.extend(counts.into_iter().map(|n| n as i64));
    }

    /// Is it there, and then what?
    fn maybe<T>(&mut self, given: &Option<T>, tell: impl FnOnce(&mut Self, &T)) {
        self.counts([usize::from(given.is_some())]);
        if let Some(given) = given {
            tell(self, given);
        }
    }

    fn vector(&mut self, v: DVec3) {
        self.numbers(v.to_array());
    }

    fn turn(&mut self, q: DQuat) {
        self.numbers(q.to_array());
    }

    fn twist(&mut self, twist: &Twist) {
        self.vector(twist.linear);
        self.vector(twist.angular);
    }

    fn state(&mut self, state: &BodyState) {
        self.vector(state.pose.position);
        self.turn(state.pose.orientation);
        self.twist(&state.twist);
    }

    fn axis(&mut self, axis: &Axis) {
        let hold = match axis.hold {
            Hold::Free => 0,
            Hold::Locked => 1,
            Hold::Driven => 2,
        };
        self.counts([hold]);
        self.maybe(&axis.limits, |told, limits| told.numbers(*limits));
        self.maybe(&axis.motor, Self::motor);
        self.numbers([axis.friction]);
    }

    fn motor(&mut self, motor: &Motor) {
        let (kind, numbers) = match motor.goal {
            Goal::Velocity => (0, [0.0; 2]),
            Goal::Position { speed } => (1, [speed, 0.0]),
            Goal::Servo { stiffness, damping } => (2, [stiffness, damping]),
            Goal::Governor { damping } => (3, [damping, 0.0]),
            Goal::Effort => (4, [0.0; 2]),
        };
        self.counts([kind]);
        self.numbers(numbers);
        self.numbers([motor.force]);
    }
}

/// A shape, to be compared by its kind and its numbers. One that several bodies share is not looked into.
struct Solid(Shape);

impl Solid {
    fn is_the_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b),
            (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b),
            (Shape::Compound(a), Shape::Compound(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Ord for Solid {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.is_the_same(other) {
            return Ordering::Equal;
        }
        numbers(&self.0).cmp(numbers(&other.0))
    }
}

impl PartialOrd for Solid {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Solid {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Solid {}

/// The kind of a shape, then the numbers that make it what it is.
fn numbers(shape: &Shape) -> Box<dyn Iterator<Item = i64> + '_> {
    let vector = |v: DVec3| v.to_array().map(rank);
    let of = |kind: i64, numbers: Vec<f64>| {
        Box::new(std::iter::once(kind).chain(numbers.into_iter().map(rank)))
    };
    match shape {
        Shape::HalfSpace { normal, offset } => of(0, vec![normal.x, normal.y, normal.z, *offset]),
        Shape::Ball { radius } => of(1, vec![*radius]),
        Shape::Box { half } => of(2, half.to_array().to_vec()),
        Shape::Cylinder { radius, half } => of(3, vec![*radius, *half]),
        Shape::Cone { radius, length } => of(4, vec![*radius, *length]),
        Shape::Capsule { radius, half } => of(5, vec![*radius, *half]),
        Shape::Triangle(facet) => of(6, facet.points().map(|p| p.to_array()).concat()),
        Shape::Points { points, .. } => {
            let points = points.iter().flat_map(move |p| vector(*p));
            Box::new(std::iter::once(7).chain(points))
        }
        Shape::Hull(hull) => {
            let vertices = hull.vertices().iter().flat_map(move |v| vector(*v));
            Box::new(std::iter::once(8).chain(vertices))
        }
        Shape::Mesh(mesh) => {
            let vertices = mesh.vertices().iter().flat_map(move |v| vector(*v));
            let corners = mesh.triangles().iter().flatten().map(|k| i64::from(*k));
            Box::new(std::iter::once(9).chain(vertices).chain(corners))
        }
        Shape::Compound(compound) => {
            let pieces = compound.pieces().iter().flat_map(|piece| {
                let Pose {
                    position,
                    orientation,
                } = piece.pose;
                let place = position
                    .to_array()
                    .into_iter()
                    .chain(orientation.to_array());
                place.map(rank).chain(numbers(&piece.shape))
            });
            Box::new(std::iter::once(10).chain(pieces))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use stickslip_geometry::mesh::Mesh;
    use stickslip_model::SlipCurve;

    fn ball(name: &str) -> BodySpec {
        BodySpec::fixed(name, Shape::ball(0.1).expect("a ball"))
    }

    fn sorted(mut bodies: Vec<BodySpec>) -> Vec<String> {
        sort_bodies(&mut bodies);
        bodies.into_iter().map(|b| b.name).collect()
    }

    /// Bodies that start at one place stand by where they are at fixed times, as numbers (as texts 0.0001 is before 9e-5).
    #[test]
    fn what_starts_alike_stands_by_where_it_goes() {
        let on_way = |name: &str, v: f64| {
            let state = move |t: f64| BodyState {
                pose: Pose::at(DVec3::X * v * t * t),
                ..BodyState::default()
            };
            BodySpec {
                collide: false,
                motion: Motion::path(state),
                ..ball(name)
            }
        };
        for (slow, fast) in [(0.9, 1.0), (9e-5, 1e-4), (2.0, 4.0), (-1.0, -0.5)] {
            let names = sorted(vec![on_way("a", fast), on_way("b", slow)]);
            assert_eq!(names, ["b", "a"], "{slow} {fast}");
            for h in [1.0, 0.01, 0.00125, 1e-5] {
                let world = World::builder().time_step(h);
                let world = world.body(on_way("a", fast)).body(on_way("b", slow));
                let world = world.build().expect("a world");
                assert_eq!(world.index("b"), Some(0), "{slow} {fast} {h}");
            }
        }
    }

    #[test]
    fn numbers_rank_as_they_compare() {
        let mut numbers = [
            1.0,
            -1.0,
            0.0,
            -0.0,
            f64::NAN,
            f64::INFINITY,
            1e-300,
            -5e-5,
            1e-4,
        ];
        let mut ranked = numbers;
        numbers.sort_by(f64::total_cmp);
        ranked.sort_by_key(|x| rank(*x));
        assert_eq!(numbers.map(f64::to_bits), ranked.map(f64::to_bits));
    }

    /// Shapes that differ in their last number are told apart, whatever their names; what one place tells apart is not looked into.
    #[test]
    fn shapes_decide_last_and_only_where_bodies_start_alike() {
        let mesh = |z: f64| {
            let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, z)];
            let mesh = Mesh::new(&corners, &[[0, 1, 2], [1, 3, 2]]).expect("a mesh");
            Shape::Mesh(Arc::new(mesh))
        };
        let of = |name: &str, shape: Shape| BodySpec::fixed(name, shape);
        for names in [["a", "b", "c"], ["c", "a", "b"]] {
            let [low, high, round] = names;
            let bodies = [
                of(round, mesh(0.2)),
                of(high, mesh(0.1)),
                of(low, mesh(0.0)),
            ];
            assert_eq!(sorted(bodies.to_vec()), names);
        }
        let shared = mesh(0.0);
        assert!(Solid(shared.clone()).is_the_same(&Solid(shared)));
        assert!(Solid(mesh(0.0)) == Solid(mesh(0.0)));

        let asked = Arc::new(AtomicUsize::new(0));
        let counted = |name: &str, x: f64| {
            let asked = Arc::clone(&asked);
            let curve = SlipCurve::new(move |_| {
                asked.fetch_add(1, Relaxed);
                0.5
            });
            ball(name).at(DVec3::X * x).with_slip_curve(curve)
        };
        let bodies: Vec<_> = (0..100).map(|k| counted("", f64::from(k))).collect();
        sorted(bodies);
        assert_eq!(asked.load(Relaxed), 0);
        sorted(vec![counted("a", 0.0); 100]);
        assert_eq!(asked.load(Relaxed), 100 * SPEEDS.len(), "once each");
    }

    #[test]
    fn surfaces_of_a_body_stand_by_their_faces() {
        let moving = |faces: [DVec3; 2]| {
            let body = faces.into_iter().fold(ball("a"), |body, face| {
                body.with_surface(Some(face), |_| Twist::default())
            });
            let world = World::builder().body(body).build().expect("a world");
            world.model().surfaces.clone()
        };
        let [x, z] = [DVec3::X, DVec3::Z];
        assert_eq!(moving([x, z]), moving([z, x]));
    }
}
