//! A scene while it is drawn: random sizes, masses, frictions and steps, and words for what is put into it.

use std::f64::consts::PI;
use std::sync::Arc;
use stickslip::dynamics::expression::{Expression, Function, Scope};
use stickslip::dynamics::scene::{
    Anchor, Axes, AxisHold, Body, Joint, JointAxis, JointMotor, JointType, Mass, Mobility,
    Prescribed, Spring, SpringEnds, StepSettings,
};
use stickslip::geometry::mass::{centre_of_mass, centred, volume};
use stickslip::geometry::pose::exp;
use stickslip::geometry::{Mesh, Piece};
use stickslip::model::joint::Goal;
use stickslip::prelude::*;
use stickslip_random::Random;

/// Gravity, m/s².
pub(super) const G: f64 = 9.81;

/// Why shapes and formulas of the families can be built: their numbers are drawn within bounds.
pub(super) const DRAWN: &str = "numbers drawn within their bounds";

/// A scene that is being drawn.
pub(super) struct Draft {
    pub(super) random: Random,
    pub(super) scene: Scene,
    /// Typical size of a body, m: 2 cm to 2 m.
    pub(super) size: f64,
    /// kg/m³.
    density: f64,
}

impl Draft {
    /// Size, density, friction, restitution, h and the number of steps; no bodies yet.
    ///
    /// Steps are mostly a two-hundredth to a fifth of √(size/g), the time in which a body falls by half its size; some
    /// are anything from 1e-4 to 2e-2 s, whatever the size.
    pub(super) fn new(mut random: Random) -> Self {
        let size = random.decade(-1.7, 0.3);
        let fitting = (size / G).sqrt() * random.decade(-2.3, -0.7);
        let any = random.decade(-4.0, -1.7);
        let h = if random.below(8) == 0 { any } else { fitting };
        let h = rounded(h.clamp(1e-4, 2e-2));
        let steps = 80 + random.below(120);
        let mut scene = Scene::new(StepSettings::new(h, h * steps as f64));
        scene.material.friction = friction(&mut random);
        if random.below(4) == 0 {
            scene.material.restitution = *random.pick(&[0.1, 0.3, 0.5, 0.8, 0.95, 1.0]);
        }
        let density = random.decade(1.5, 4.0);
        Self {
            random,
            scene,
            size,
            density,
        }
    }

    /// Length of the run, s.
    pub(super) fn until(&self) -> f64 {
        self.scene.step.until
    }

    /// A speed such as bodies of this size have: √(g size) times a tenth to three.
    pub(super) fn speed(&mut self) -> f64 {
        (G * self.size).sqrt() * self.random.decade(-1.0, 0.5)
    }

    /// A number from `low` to `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.random.between(low, high)
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high - low + 1)
    }

    /// True once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    /// A play between neighbours: none, hardly any, or some, up to a fiftieth of the size.
    pub(super) fn play(&mut self) -> f64 {
        match self.random.below(3) {
            0 => 0.0,
            1 => self.size * self.random.decade(-9.0, -5.0),
            _ => self.size * self.random.decade(-4.0, -1.7),
        }
    }

    /// A turn to anywhere.
    pub(super) fn any_turn(&mut self) -> DQuat {
        let axis = self.random.vec3().try_normalize().unwrap_or(DVec3::Z);
        exp(axis * self.between(0.0, PI))
    }

    /// The velocity down with which something `height` above the rest arrives in the first third of the run.
    pub(super) fn falls(&mut self, height: f64) -> DVec3 {
        let time = self.until() / 3.0;
        let needed = height / time - 0.5 * G * time;
        DVec3::NEG_Z * needed.max(0.0).min(20.0 * (G * self.size).sqrt())
    }

    fn name(&self, kind: &str) -> String {
        let alike = |b: &&Body| b.name.starts_with(kind);
        format!("{kind}{}", self.scene.bodies.iter().filter(alike).count())
    }

    fn push(&mut self, mut body: Body, place: DVec3) -> &mut Body {
        body.position = place;
        body.material = self.scene.material;
        self.scene.bodies.push(body);
        self.scene.bodies.last_mut().expect("just pushed")
    }

    /// A body that stays.
    pub(super) fn fixed(&mut self, shape: Shape, place: DVec3) -> &mut Body {
        let body = Body::fixed(self.name("fixed"), shape);
        self.push(body, place)
    }

    /// A free body of the scene's density, its centre of mass at `place`.
    pub(super) fn free(&mut self, kind: &str, shape: Shape, place: DVec3) -> &mut Body {
        let mass = self.density * volume(&shape).expect("a solid");
        self.of_mass(kind, shape, mass, place)
    }

    /// A free body whose mass is that of the scene's density times up to `decades` powers of ten either way.
    pub(super) fn free_within(
        &mut self,
        kind: &str,
        shape: Shape,
        decades: f64,
        place: DVec3,
    ) -> &mut Body {
        let factor = self.random.decade(-decades, decades);
        let mass = factor * self.density * volume(&shape).expect("a solid");
        self.of_mass(kind, shape, mass, place)
    }

    /// A free body of this mass, kg.
    pub(super) fn of_mass(
        &mut self,
        kind: &str,
        shape: Shape,
        mass: f64,
        place: DVec3,
    ) -> &mut Body {
        let body = Body::free(self.name(kind), centred(&shape), mass);
        self.push(body, place)
    }

    /// A free body made of points of the world: it stands where they are.
    pub(super) fn free_hull(&mut self, kind: &str, points: &[DVec3]) -> &mut Body {
        let shape = Shape::hull(points).expect(DRAWN);
        let place = centre_of_mass(&shape).expect("a solid");
        self.free(kind, shape, place)
    }

    /// A body whose origin moves by three formulas of `t`.
    pub(super) fn driven(&mut self, shape: Shape, position: [String; 3]) -> &mut Body {
        let position = position.map(|text| formula(&text));
        let mut body = Body::fixed(self.name("driven"), shape);
        let place = DVec3::from_array(position.each_ref().map(|f| f.value(0.0)));
        body.motion = Mobility::Prescribed(Box::new(Prescribed {
            position,
            ..Prescribed::fixed_at(DVec3::ZERO)
        }));
        self.push(body, place)
    }

    /// A body that turns about an axis by a formula of `t`.
    pub(super) fn turning(
        &mut self,
        shape: Shape,
        place: DVec3,
        axis: DVec3,
        angle: &str,
    ) -> &mut Body {
        let mut body = Body::fixed(self.name("driven"), shape);
        body.motion = Mobility::Prescribed(Box::new(Prescribed {
            axis,
            angle: formula(angle),
            ..Prescribed::fixed_at(place)
        }));
        self.push(body, place)
    }

    /// Level ground at z = 0: a half-space, or a large box.
    pub(super) fn ground(&mut self) {
        let (normal, wide) = (DVec3::Z, 60.0 * self.size);
        if self.once_in(3) {
            let slab = DVec3::new(wide, wide, self.size);
            self.fixed(cuboid(slab), DVec3::NEG_Z * 0.5 * self.size);
        } else {
            self.fixed(plane(normal, 0.0), DVec3::ZERO);
        }
    }

    /// Walls about a square of this half width, on level ground: half-spaces or boxes.
    pub(super) fn bin(&mut self, half: f64, height: f64) {
        self.ground();
        let thick = 0.5 * self.size;
        let boxes = self.once_in(2);
        for side in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
            if boxes {
                let along = side.abs();
                let across = DVec3::new(along.y, along.x, 0.0);
                let size = along * thick + across * (2.0 * half) + DVec3::Z * height;
                let place = side * (half + 0.5 * thick) + DVec3::Z * 0.5 * height;
                self.fixed(cuboid(size), place);
            } else {
                self.fixed(plane(-side, -half), DVec3::ZERO);
            }
        }
    }

    /// A joint of this kind at a point of the world; its names are those of bodies, or "world".
    pub(super) fn joint(
        &mut self,
        kind: JointType,
        bodies: [&str; 2],
        anchor: DVec3,
        axis: DVec3,
    ) -> &mut Joint {
        let mut axes: [JointAxis; 6] = std::array::from_fn(|_| JointAxis {
            hold: AxisHold::Locked,
            ..JointAxis::default()
        });
        let free: &[usize] = match kind {
            JointType::Ball => &[3, 4, 5],
            JointType::Hinge => &[3],
            JointType::Slider => &[0],
            JointType::Fixed | JointType::SixDof => &[],
        };
        for &k in free {
            axes[k].hold = AxisHold::Free;
        }
        self.scene.joints.push(Joint {
            name: format!("joint{}", self.scene.joints.len()),
            kind,
            bodies: bodies.map(Into::into),
            anchor: Anchor::World(anchor),
            frame: match kind {
                JointType::Ball | JointType::Fixed => Axes::Frame(DQuat::IDENTITY),
                _ => Axes::Axis(axis),
            },
            axes,
            collide: false,
            span: 0..0,
        });
        self.scene.joints.last_mut().expect("just pushed")
    }

    /// A spring with a damper in a joint, about the coordinate at the start.
    pub(super) fn spring_in(&mut self, joint: &str, axis: usize, stiffness: f64, damping: f64) {
        let joint = joint.into();
        self.spring(SpringEnds::Axis { joint, axis }, stiffness, damping);
    }

    /// A spring with a damper, at rest at the start.
    pub(super) fn spring(&mut self, ends: SpringEnds, stiffness: f64, damping: f64) {
        self.scene.springs.push(Spring {
            name: format!("spring{}", self.scene.springs.len()),
            ends,
            stiffness,
            damping,
            inertance: 0.0,
            rest: None,
            explicit: false,
            span: 0..0,
        });
    }

    /// The mass of all free bodies, kg.
    pub(super) fn mass(&self) -> f64 {
        let of = |b: &Body| match b.mass {
            Mass::Total { mass, .. } | Mass::Given { mass, .. } => mass,
            Mass::Density(_) | Mass::Unneeded => 0.0,
        };
        self.scene.bodies.iter().map(of).sum()
    }

    /// The name of the body pushed last.
    pub(super) fn last(&self) -> String {
        self.scene
            .bodies
            .last()
            .map_or_else(String::new, |b| b.name.clone())
    }
}

/// Shapes within a ball of radius `r` about their centre of mass.
impl Draft {
    pub(super) fn any_box(&mut self, r: f64) -> Shape {
        let v = self.random.vec3().abs() + DVec3::splat(0.15);
        cuboid(v * (2.0 * r / v.length()))
    }

    pub(super) fn any_capsule(&mut self, r: f64) -> Shape {
        let radius = r * self.between(0.15, 0.6);
        Shape::capsule(radius, 2.0 * (r - radius)).expect(DRAWN)
    }

    pub(super) fn any_cylinder(&mut self, r: f64) -> Shape {
        let (sin, cos) = libm::sincos(self.between(0.15, 1.4));
        cylinder(r * sin, 2.0 * r * cos)
    }

    pub(super) fn any_cone(&mut self, r: f64) -> Shape {
        let length = r * self.between(0.5, 1.3);
        let radius = (r * r - length * length / 16.0).sqrt() * self.between(0.3, 0.9);
        Shape::cone(radius, length).expect(DRAWN)
    }

    /// The hull of points on an ellipsoid.
    pub(super) fn any_hull(&mut self, r: f64) -> Shape {
        let axes = DVec3::ONE - 0.6 * self.random.vec3().abs();
        let n = self.count(6, 16);
        let points: Vec<DVec3> = (0..n)
            .map(|_| self.any_turn() * DVec3::Z * axes * (0.55 * r))
            .collect();
        // Few points may lie nearly in a plane; a tetrahedron among them gives them a volume.
        let corners = [
            DVec3::ONE,
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
        ];
        let inner = corners.map(|c| c * (0.2 * r));
        let points: Vec<DVec3> = points.into_iter().chain(inner).collect();
        centred(&Shape::hull(&points).expect(DRAWN))
    }

    /// A dumbbell, an L, a cross, a mace or a table.
    pub(super) fn any_compound(&mut self, r: f64) -> Shape {
        let (a, t) = (0.6 * r, 0.12 * r);
        let bar =
            |axis: DVec3, at: DVec3| piece(cuboid(axis * (2.0 * a - t) + DVec3::splat(t)), at);
        let ball = |at: DVec3| piece(Shape::ball(2.0 * t).expect(DRAWN), at);
        let pieces = match self.random.below(5) {
            0 => vec![
                bar(DVec3::X, DVec3::ZERO),
                ball(DVec3::X * a),
                ball(DVec3::NEG_X * a),
            ],
            1 => vec![
                bar(DVec3::X, DVec3::ZERO),
                bar(DVec3::Z, DVec3::new(a - 0.5 * t, 0.0, 0.5 * a)),
            ],
            2 => [DVec3::X, DVec3::Y, DVec3::Z]
                .map(|d| bar(d, DVec3::ZERO))
                .to_vec(),
            3 => vec![piece(cylinder(t, 2.0 * a), DVec3::ZERO), ball(DVec3::Z * a)],
            _ => self.table(a, t),
        };
        centred(&Shape::compound(pieces).expect(DRAWN))
    }

    /// A board on four legs.
    fn table(&mut self, a: f64, t: f64) -> Vec<Piece> {
        let board = piece(cuboid(DVec3::new(1.6 * a, 1.2 * a, t)), DVec3::ZERO);
        let leg = cylinder(0.5 * t, a);
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let legs = corners.map(|(x, y)| {
            let place = DVec3::new(0.7 * a * x, 0.5 * a * y, -0.5 * (a + t));
            piece(leg.clone(), place)
        });
        [board].into_iter().chain(legs).collect()
    }

    /// Any of them, or a ball.
    pub(super) fn any_shape(&mut self, r: f64) -> Shape {
        match self.random.below(7) {
            0 => ball(r),
            1 => self.any_box(r),
            2 => self.any_capsule(r),
            3 => self.any_cylinder(r),
            4 => self.any_cone(r),
            5 => self.any_compound(r),
            _ => self.any_hull(r),
        }
    }

    /// Any one convex piece of finite size.
    pub(super) fn any_convex(&mut self, r: f64) -> Shape {
        match self.random.below(6) {
            0 => ball(r),
            1 => self.any_box(r),
            2 => self.any_capsule(r),
            3 => self.any_cylinder(r),
            4 => self.any_cone(r),
            _ => self.any_hull(r),
        }
    }
}

/// Coulomb's coefficient: none, slippery, usual, rough above 1, or lower when it slides.
fn friction(random: &mut Random) -> Friction {
    let mu = match random.below(8) {
        0 => 0.0,
        1 => random.between(0.01, 0.2),
        2 => random.between(1.0, 1.6),
        _ => random.between(0.2, 1.0),
    };
    let slide = if random.below(8) == 0 { 0.7 * mu } else { mu };
    Friction { stick: mu, slide }
}

/// To two digits, as people write step sizes.
fn rounded(h: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(h)) - 1.0);
    (h / unit).round() * unit
}

pub(super) fn formula(text: &str) -> Function {
    let scope = Scope::default().with_time();
    let parsed = Expression::parse(text).and_then(|e| e.bind(&scope));
    parsed.expect("a formula of a family")
}

pub(super) fn ball(radius: f64) -> Shape {
    Shape::ball(radius).expect(DRAWN)
}

pub(super) fn cuboid(size: DVec3) -> Shape {
    Shape::cuboid(size).expect(DRAWN)
}

pub(super) fn cylinder(radius: f64, length: f64) -> Shape {
    Shape::cylinder(radius, length).expect(DRAWN)
}

pub(super) fn plane(normal: DVec3, offset: f64) -> Shape {
    Shape::half_space(normal, offset).expect(DRAWN)
}

pub(super) fn mesh(mesh: Mesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

pub(super) fn piece(shape: Shape, position: DVec3) -> Piece {
    let orientation = DQuat::IDENTITY;
    Piece {
        shape,
        pose: Pose {
            position,
            orientation,
        },
    }
}

/// A quarter turn about `axis`.
pub(super) fn quarter(axis: DVec3) -> DQuat {
    exp(axis * (0.5 * PI))
}

/// A motor that aims at a rate or a place given by a formula, with a largest force.
pub(super) fn motor(goal: Goal, target: &str, force: f64) -> Option<JointMotor> {
    let target = formula(target);
    Some(JointMotor {
        target,
        goal,
        force,
    })
}
