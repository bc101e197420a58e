//! As h falls, the acceleration of the stepped part is one of those that Newton and Coulomb allow, except where
//! the step jams (its impulse does not vanish with h), which it does only in Painlevé states.

use stickslip::dynamics::PlanarView;
use stickslip::geometry::pose::exp;
use stickslip::planar::{Options, Solutions, State, Status, solve};
use stickslip::prelude::*;
use stickslip_testing::{Random, setting};

/// Random planar states stepped, unless `STICKSLIP_STATES` says how many (and `STICKSLIP_SEED` which).
const STATES: u64 = 1000;

/// One obstacle, at rest, that touches the part.
#[derive(Clone, Debug)]
struct Obstacle {
    shape: Shape,
    pose: Pose,
    mu: f64,
    /// Row (n_x, n_z, (r × n)_y) of the contact: its normal velocity is row·(v_x, v_z, ω).
    row: DVec3,
}

/// A box in the x-z plane between obstacles: its vertices on half-spaces (type B), its faces on the edges of
/// boxes (type A).
#[derive(Clone, Debug)]
struct Case {
    half: DVec3,
    turn: f64,
    rho: f64,
    obstacles: Vec<Obstacle>,
    velocity: DVec3,
    force: DVec3,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let half = DVec3::new(random.between(0.2, 1.0), 0.3, random.between(0.2, 1.0));
        let turn = random.between(-1.5, 1.5);
        let contacts = 1 + random.below(3);
        let first = random.below(4);
        let obstacles: Vec<_> = (0..contacts)
            .map(|k| {
                let mu = if random.unit() < 0.1 {
                    0.0
                } else {
                    random.between(0.0, 3.0)
                };
                let rotation = exp(DVec3::Y * turn);
                if random.unit() < 0.5 {
                    Obstacle::wall(random, half, rotation, (first + k) % 4, mu)
                } else {
                    Obstacle::edge(random, half, rotation, (first + k) % 4, mu)
                }
            })
            .collect();
        // At rest, or fast enough that no contact stops within the few steps of a run.
        let speed = match random.unit() {
            r if r < 0.4 => 0.0,
            r if r < 0.7 => random.between(0.05, 2.0),
            _ => -random.between(0.05, 2.0),
        };
        let velocity = kept(random, &obstacles) * speed;
        let force = DVec3::new(
            random.between(-5.0, 5.0),
            random.between(-5.0, 5.0),
            random.between(-3.0, 3.0),
        );
        Self {
            half,
            turn,
            rho: random.between(0.2, 1.0),
            obstacles,
            velocity,
            force,
        }
    }

    /// The part displaced by (x, z, θ), with its velocity changed.
    fn world(&self, h: f64, shift: DVec3, change: DVec3) -> World {
        let v = self.velocity + change;
        let force = self.force;
        let inertia = self.rho * self.rho;
        let mut builder = World::builder().gravity(DVec3::ZERO).time_step(h);
        for (k, o) in self.obstacles.iter().enumerate() {
            let name = obstacle_name(k);
            let body = BodySpec::fixed(name.clone(), o.shape.clone()).with_pose(o.pose);
            builder = builder
                .body(body)
                .pair_friction("part", name, Friction::same(o.mu));
        }
        let pose = Pose {
            position: DVec3::new(shift.x, 0.0, shift.y),
            orientation: exp(DVec3::Y * (self.turn + shift.z)),
        };
        builder
            .body(
                BodySpec::free("part", Shape::cuboid(self.half * 2.0).expect("a box"), 1.0)
                    .with_inertia(DMat3::from_diagonal(DVec3::splat(inertia)))
                    .with_pose(pose)
                    .with_velocity(DVec3::new(v.x, 0.0, v.y), DVec3::Y * v.z),
            )
            .force("part", move |_, _| Wrench {
                force: DVec3::new(force.x, 0.0, force.y),
                torque: DVec3::Y * force.z,
            })
            .build()
            .expect("a world")
    }

    /// A few steps of h.
    ///
    /// A contact kept over a step of the linearised gap has W_l ν_{l+1} = -ψ_l/h, and the curvature c of its gap
    /// (the second variation) opens it by h²c/2 each step: the fixed point of the two is ψ = h²c/2 and
    /// W_l ν_l = hc/2. The run begins there, for a start at ψ = 0 leaves it with the velocity hc: near Painlevé's
    /// coefficient, where the contact presses back with little, the flight that follows lasts thousands of steps.
    ///
    /// `None` where a step is refused: a part wedged in by friction, a rounding's worth too deep, cannot be freed.
    fn run(&self, h: f64, curvature: &[f64], axes: &[DVec3; 3]) -> Option<Steps> {
        let lift: Vec<f64> = curvature.iter().map(|c| 0.5 * h * h * c).collect();
        let rise: Vec<f64> = curvature.iter().map(|c| 0.5 * h * c).collect();
        let mut world = self.world(
            h,
            least_norm(&self.obstacles, &lift),
            least_norm(&self.obstacles, &rise),
        );
        let (mut jump, mut before, mut after) = (0.0_f64, Twist::default(), Twist::default());
        for k in 0..SETTLE + MEAN {
            let last = twist(&world);
            if k == SETTLE {
                before = last;
            }
            world.step().ok()?;
            after = twist(&world);
            let dv = (after.linear - last.linear).length();
            jump = jump.max(dv + self.rho * (after.angular - last.angular).length());
        }
        let span = MEAN as f64 * h;
        let a = (after.linear - before.linear) / span;
        let alpha = (after.angular - before.angular) / span;
        Some(Steps {
            jump,
            acceleration: [
                axes[0].dot(a),
                axes[1].dot(a),
                self.rho * axes[2].dot(alpha),
            ],
            aside: axes[2].dot(a).abs() + self.rho * axes[2].cross(alpha).length(),
        })
    }
}

/// Steps before the mean is taken, and those it is taken over.
const SETTLE: usize = 16;
const MEAN: usize = 16;

/// What a few steps did.
struct Steps {
    /// Largest change of velocity in one step, m/s: it vanishes with h except in a jam.
    jump: f64,
    /// Mean acceleration (a_x, a_y, ρα) in the axes of the view, m/s².
    acceleration: [f64; 3],
    /// What of it is out of the plane, m/s².
    aside: f64,
}

fn obstacle_name(k: usize) -> String {
    format!("obstacle{k}")
}

impl Obstacle {
    /// A half-space on the part's vertex number `corner`, across a direction of the vertex's normal cone.
    fn wall(random: &mut Random, half: DVec3, rotation: DQuat, corner: usize, mu: f64) -> Self {
        let sx = if corner == 0 || corner == 3 {
            1.0
        } else {
            -1.0
        };
        let sz = if corner < 2 { 1.0 } else { -1.0 };
        let vertex = rotation * DVec3::new(sx * half.x, 0.0, sz * half.z);
        let w = random.between(0.15, 0.85);
        let outward = rotation * DVec3::new(sx * w, 0.0, sz * (1.0 - w));
        let n = -outward / outward.length();
        Self {
            shape: Shape::half_space(n, n.dot(vertex)).expect("a plane"),
            pose: Pose::default(),
            mu,
            row: row(n, vertex),
        }
    }

    /// The edge of a box on the part's face number `face`, somewhere along it, turned to any side.
    fn edge(random: &mut Random, half: DVec3, rotation: DQuat, face: usize, mu: f64) -> Self {
        let sign = if face < 2 { 1.0 } else { -1.0 };
        let place = random.between(-0.8, 0.8);
        let (outward, along) = if face.is_multiple_of(2) {
            (DVec3::X * sign, DVec3::Z)
        } else {
            (DVec3::Z * sign, DVec3::X)
        };
        let point = rotation * (outward * half + along * half * place);
        let outward = rotation * outward;
        // The box's edge (+, ·, +) points at the part: its diagonal within 0.6 rad of the face's normal.
        let lean = random.between(-0.6, 0.6);
        let diagonal = exp(DVec3::Y * lean) * -outward;
        let angle = libm::atan2(-diagonal.z, diagonal.x) + std::f64::consts::FRAC_PI_4;
        let orientation = exp(DVec3::Y * angle);
        Self {
            shape: Shape::cuboid(DVec3::new(1.0, 0.4, 1.0)).expect("a box"),
            pose: Pose {
                position: point - orientation * DVec3::new(0.5, 0.0, 0.5),
                orientation,
            },
            mu,
            row: row(-outward, point),
        }
    }
}

/// n·(v + ω y × r) as a row on (v_x, v_z, ω).
fn row(n: DVec3, r: DVec3) -> DVec3 {
    DVec3::new(n.x, n.z, n.dot(DVec3::Y.cross(r)))
}

fn twist(world: &World) -> Twist {
    world.body("part").expect("the part").twist
}

/// A velocity (v_x, v_z, ω) that keeps all contacts, of unit size, or rest where there is none.
fn kept(random: &mut Random, obstacles: &[Obstacle]) -> DVec3 {
    let v = match obstacles {
        [one] => one.row.cross(DVec3::new(
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
        )),
        [one, two] => one.row.cross(two.row),
        _ => DVec3::ZERO,
    };
    if v.length() < 1e-3 {
        DVec3::ZERO
    } else {
        v / v.length()
    }
}

/// The least x with row_i·x = b_i.
fn least_norm(obstacles: &[Obstacle], b: &[f64]) -> DVec3 {
    if b.iter().all(|&b| b == 0.0) {
        return DVec3::ZERO;
    }
    match obstacles {
        [one] => one.row * (b[0] / one.row.length_squared()),
        [one, two] => {
            let (g, h, k) = (
                one.row.length_squared(),
                one.row.dot(two.row),
                two.row.length_squared(),
            );
            let det = g * k - h * h;
            one.row * ((k * b[0] - h * b[1]) / det) + two.row * ((g * b[1] - h * b[0]) / det)
        }
        _ => DVec3::ZERO,
    }
}

/// Painlevé's condition: for some friction that the motion allows, G_ij = n_i·M⁻¹ e_j has a principal minor that is
/// not positive. A contact that slides has the edge against its sliding, one that stands still has both. Where all
/// minors are positive (they are linear in each contact's friction, so that the edges decide), every step has one
/// solution, and its impulse vanishes with h.
fn is_painleve(state: &State, answer: &Solutions) -> bool {
    let active = &answer.active;
    let n = active.len();
    let frames: Vec<_> = active
        .iter()
        .map(|&i| state.contacts[i].frame(state.rho))
        .collect();
    // Edge 0 is Δn + μ v_f with v_f along t = (n_y, -n_x) or against it; it is legal where nothing slides along v_f.
    let legal = |edges: usize| {
        (0..n).all(|j| {
            let t = state.contacts[active[j]].n;
            let along = frames[j].v_f[0] * t[1] - frames[j].v_f[1] * t[0];
            let slip = answer.slip[j] * along.signum();
            slip.abs() <= 1e-9 || (slip > 0.0) == (edges >> j & 1 == 1)
        })
    };
    (0..1_usize << n).filter(|&e| legal(e)).any(|edges| {
        let g = |i: usize, j: usize| {
            let e = frames[j].cone_edges(state.contacts[active[j]].mu)[edges >> j & 1];
            let row = frames[i].delta_n_n;
            row[0] * e[0] + row[1] * e[1] + row[2] * e[2]
        };
        let minor = |a: usize, b: usize| g(a, a) * g(b, b) - g(a, b) * g(b, a);
        let one = (0..n).any(|i| g(i, i) <= 1e-9);
        let two = (0..n).any(|i| (0..i).any(|j| minor(i, j) <= 1e-9));
        let three = n == 3
            && g(0, 0) * minor(1, 2) - g(0, 1) * (g(1, 0) * g(2, 2) - g(1, 2) * g(2, 0))
                + g(0, 2) * (g(1, 0) * g(2, 1) - g(1, 1) * g(2, 0))
                <= 1e-9;
        one || two || three
    })
}

/// What becomes of a state as h falls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// The acceleration tends to a legal one.
    Legal,
    /// The impulse of some step does not vanish with h.
    Jam,
    /// A step is refused.
    Refused,
    /// The part leaves the plane: the law in space has a solution that the planar law does not know.
    Aside,
    /// The limit is not among the legal accelerations.
    Illegal([f64; 3]),
}

fn fate(case: &Case, view: &PlanarView, answer: &Solutions) -> Fate {
    let mut curvature = vec![0.0; case.obstacles.len()];
    for (&i, &c) in answer.active.iter().zip(&answer.h) {
        // Contacts stand in the order of the bodies, which is not that of the obstacles.
        let name = &view.state.contacts[i].name;
        let of = (0..curvature.len()).find(|k| *name == obstacle_name(*k));
        curvature[of.expect("an obstacle")] = c;
    }
    let legal = |a: [f64; 3]| {
        let slack = 1e-3 * (1.0 + a.iter().map(|x| x.abs()).fold(0.0, f64::max));
        answer.sets.iter().any(|s| s.region.contains(a, slack))
    };
    let mut runs: Vec<Steps> = Vec::new();
    let mut limit = [f64::NAN; 3];
    for halvings in 0..8 {
        let h = 1e-5 / f64::from(1 << halvings);
        let Some(fine) = case.run(h, &curvature, &view.axes) else {
            return Fate::Refused;
        };
        if let Some(coarse) = runs.last() {
            if fine.jump > 0.9 * coarse.jump && fine.jump > 1e-4 {
                return Fate::Jam;
            }
            if fine.aside > 1e-3 {
                return Fate::Aside;
            }
        }
        // Runs of h, h/2 and h/4 give the limit to order three, if all took the same solution; where there are
        // several, each run may take its own.
        if legal(fine.acceleration) {
            return Fate::Legal;
        }
        runs.push(fine);
        if let [.., a, b, c] = runs.as_slice() {
            let at = |i: usize| (a.acceleration[i], b.acceleration[i], c.acceleration[i]);
            limit = std::array::from_fn(|i| {
                let (a, b, c) = at(i);
                (a - 6.0 * b + 8.0 * c) / 3.0
            });
            if legal(limit) {
                return Fate::Legal;
            }
        }
    }
    Fate::Illegal(limit)
}

#[test]
fn steps_tend_to_legal_accelerations() {
    let count = setting("STICKSLIP_STATES", STATES);
    let mut random = Random::congruential(setting("STICKSLIP_SEED", 4));
    let (mut legal, mut jams, mut refused, mut aside) = (0, 0, 0, 0);
    // Of the states that tend to a legal acceleration and of the others: those without a unique acceleration, those
    // that meet Painlevé's condition, all.
    let mut tally = [[0; 3]; 2];
    let mut wrong = 0;
    for k in 0..count {
        let case = Case::random(&mut random);
        let world = case.world(1e-5, DVec3::ZERO, DVec3::ZERO);
        let view = world
            .planar_view(world.index("part").expect("the part"))
            .expect("a planar state");
        assert_eq!(view.state.contacts.len(), case.obstacles.len(), "case {k}");
        let options = Options {
            rest_speed: 1e-9,
            ..Options::default()
        };
        let answer = solve(&view.state, &options).expect("a state");
        let is_painleve = is_painleve(&view.state, &answer);
        let fate = fate(&case, &view, &answer);
        let row = &mut tally[usize::from(fate != Fate::Legal)];
        row[0] += usize::from(answer.status() != Status::Unique);
        row[1] += usize::from(is_painleve);
        row[2] += 1;
        match fate {
            Fate::Legal => legal += 1,
            Fate::Jam => jams += 1,
            Fate::Refused => refused += 1,
            Fate::Aside => aside += 1,
            Fate::Illegal(_) => {}
        }
        if matches!(fate, Fate::Illegal(_)) || (fate != Fate::Legal && !is_painleve) {
            wrong += 1;
            let sets: Vec<_> = answer.sets.iter().map(|s| (&s.mode, &s.vertices)).collect();
            eprintln!(
                "case {k}: {fate:?}, {sets:?}, Painlevé: {is_painleve}, {:?}",
                view.state
            );
        }
    }
    eprintln!(
        "{legal} of {count} states tend to a legal acceleration, {jams} jam, {refused} have a step refused, \
         {aside} leave the plane"
    );
    for (name, [open, painleve, all]) in ["tend to a legal one", "do not"].iter().zip(tally) {
        eprintln!(
            "of the {all} that {name}, {open} have no unique acceleration and {painleve} meet Painlevé's condition"
        );
    }
    assert_eq!(wrong, 0);
}
