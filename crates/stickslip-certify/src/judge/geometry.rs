//! Stored points, normals and gaps against the shapes.
//!
//! A row says: the point x belongs to one of the bodies, and its gap is n·x minus the height of the other body's supporting
//! plane across n. That holds for every direction. Where an impulse acts, n must also be one of the directions along which
//! these two bodies can touch there ([`Supporting`]), the point must be where its body reaches farthest towards the other, and the other
//! body must be opposite: each up to what the two move within the step.

use crate::judge::lines::run_of_crossing;
use crate::judge::supporting::Supporting;
use crate::judge::{Case, trace_at};
use glam::{DMat3, DVec3};
use std::borrow::Cow;
use stickslip_geometry::narrow_phase::{Rule, TOUCH};
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Pose, Shape, Twist};
use stickslip_model::{BodyState, Bound, Certificate, Contact, ContactImpulse, Residual, Scheme};

/// Normals are held to this part of the smaller body's size, over that size: rad.
const KNOWN: f64 = 1e-10;

/// Bodies that come near may be off from being opposite by so many times their gap.
const PASSING: f64 = 8.0;

/// Directions across two features lose a digit, rad.
const ACROSS: f64 = 1e-9;

/// Bodies may be off from being opposite by what they move within the step, but by no more than this part of the smaller one's size.
const PAST: f64 = 0.25;

/// Normals and places may be off by four times the turn of the step, but by no more turn than this, rad.
pub(super) const SWING: f64 = 0.1;

/// What is level to this part of the smaller body's size is level.
const LEVEL: f64 = 1e-7;

/// A convex piece of a body, where gaps are measured.
pub(super) struct Piece<'a> {
    pub(super) shape: Cow<'a, Shape>,
    pub(super) pose: Pose,
}

/// What a row misses.
#[derive(Clone, Copy)]
struct Missed {
    /// In place, gap or normal, m.
    place: f64,
    /// By how much its normal leans along an edge, a side or a face where the step does not explain it, rad,
    lean: f64,
    /// and by how much its gap is then off the place opposite, m: whichever of the two leans, the other body's plane has to be where that body is.
    lower: f64,
}

impl Missed {
    /// Off by so much, m, and nothing leans.
    const fn in_place(place: f64) -> Self {
        Self {
            place,
            lean: 0.0,
            lower: 0.0,
        }
    }
}

/// Are the stored point, normal and gap those of the shapes? Free bodies are taken at the start of the step, prescribed ones at
/// its end (or as the scheme says). All is held to rounding, but for how a normal leans along an edge, a side or a face: of bodies that lie along each other that
/// is known no better than they are parallel, and what it does is a velocity: θ|p| tr D at most by its impulse, θ|u| by what it takes for the
/// closing of a contact that slips at u, and what its gap is off by over h. That is held to the bound of the law.
pub(super) fn judge_geometry(
    case: &Case,
    inverse: &[DMat3],
    row: &ContactImpulse,
    bound: &Bound,
    c: &mut Certificate,
) {
    let h = case.given.grid;
    let (contact, loaded) = (&row.contact, row.impulse != DVec3::ZERO);
    // The length of the normal has no unit: it is not held to the size of bodies, which may be points at the origin.
    let length_error = (contact.normal.length() - 1.0).abs();
    c.raise_equality(Residual::Geometry, length_error / h, 8.0 * f64::EPSILON / h);
    let (Some(a), Some(b)) = (piece(case, contact, 0), piece(case, contact, 1)) else {
        return c.raise_equality(Residual::Geometry, f64::NAN, 1.0);
    };
    let rounding = contact.rounding(case.model, [&a.pose, &b.pose]);
    let travel = loaded.then(|| Travel::of(case, row));
    let missed = better_reading(case, contact, [&a, &b], travel.as_ref(), rounding);
    let known = 2.0 * rounding;
    let place = if missed.place.is_finite() {
        missed.place
    } else {
        f64::NAN
    };
    c.raise_equality(Residual::Geometry, place / h, known / h);
    if missed.lean > 0.0 {
        let pushed = row.impulse.length() * trace_at(case, inverse, contact);
        let mut effect = missed.lean * (pushed + speed_at(case, contact));
        if case.given.h > 0.0 {
            effect += missed.lower / case.given.h;
        }
        c.raise_law(Residual::Direction, effect, bound);
    }
}

/// What a row misses by the better of its two readings, as a point of the second body over the first and the other way round: in place,
/// and where both are in place, the one that leans less, or else the nearer. Where the first holds to rounding, nothing is to be gained by the second.
fn better_reading(
    case: &Case,
    contact: &Contact,
    [a, b]: [&Piece; 2],
    travel: Option<&Travel>,
    rounding: f64,
) -> Missed {
    let known = 2.0 * rounding;
    let key = |m: &Missed| (m.place.max(known), m.lean, m.place);
    // A point of the smaller body over a plane of the larger one is likelier.
    let [of_b, of_a] = [
        Reading::of(contact, [a, b], contact.normal, rounding),
        Reading::of(contact, [b, a], -contact.normal, rounding),
    ];
    let readings = if a.shape.radius() < b.shape.radius() {
        [of_a, of_b]
    } else {
        [of_b, of_a]
    };
    let missed = |reading: &Reading| {
        let beyond = travel.map(|travel| reading.beyond(case, contact, travel));
        let mut missed = beyond.unwrap_or(Missed::in_place(0.0));
        missed.place = missed.place.max(reading.error());
        missed
    };
    let first = missed(&readings[0]);
    if first.place <= known && first.lean == 0.0 {
        return first;
    }
    let second = missed(&readings[1]);
    if key(&second) < key(&first) {
        second
    } else {
        first
    }
}

pub(super) fn piece<'a>(case: &Case<'a>, contact: &Contact, k: usize) -> Option<Piece<'a>> {
    let body = contact.bodies[k];
    let (whole, pose) = (&case.model.bodies[body].shape, case.pose(body));
    if whole.is_convex() && contact.pieces[k] == 0 {
        return Some(Piece {
            shape: Cow::Borrowed(whole),
            pose: *pose,
        });
    }
    let (shape, local) = whole.piece(contact.pieces[k])?;
    Some(Piece {
        shape,
        pose: pose.then(&local),
    })
}

/// How far two parts are from being opposite, m.
#[derive(Clone, Copy)]
struct Aside {
    /// In place; beyond all bounds where a face tells the normal.
    all: f64,
    /// Where the other body may lean along its edge or corner ([`Reading::slope`]), if that is pointed;
    other_leans: f64,
    /// or the body whose point it is. (Where both do, two faces all but lie on each other: that is an angle, and is weighed.)
    own_leans: f64,
    /// What leans, if it does: the other body, that whose point it is, or both.
    leaning: [Leaning; 3],
    /// By how much a face's normal is not the row's, rad, within what is known.
    tilt: f64,
    /// How far two lines have to go along each other to be opposite, m;
    slid: f64,
    /// and the sine of the angle from them to the nearest face, of which they may be the lines that a turn brings there.
    sharp: f64,
}

/// A body that may lean along its edge, side or face.
#[derive(Clone, Copy)]
struct Leaning {
    /// The angle, rad.
    angle: f64,
    /// How far the two are from being opposite but for that, m: beside what is round, and from what does not lean.
    fixed: f64,
}

/// How far a point is from a part of a body, m.
#[derive(Clone, Copy)]
struct Off {
    /// From being opposite it.
    aside: f64,
    /// The same where it cannot go along the line that it is on.
    away: f64,
    /// From the line along it, where it is round.
    lateral: f64,
    /// How far it has to go along its line to be opposite.
    slid: f64,
}

impl Aside {
    /// A face tells the normal, and nothing but what is round is to be met: off by so much.
    const fn over_a_face(off: f64, tilt: f64) -> Self {
        Self {
            tilt,
            slid: 0.0,
            sharp: 0.0,
            all: f64::INFINITY,
            other_leans: off,
            own_leans: off,
            leaning: [Leaning {
                angle: 0.0,
                fixed: off,
            }; 3],
        }
    }
}

/// A row as that of a point x of `own` over the supporting plane of `other`, whose outward normal is n.
struct Reading<'a> {
    other: &'a Piece<'a>,
    own: &'a Piece<'a>,
    n: DVec3,
    x: DVec3,
    gap: f64,
    /// How well the gap can be known, m.
    rounding: f64,
    /// Radius of the smaller body, m.
    size: f64,
}

impl<'a> Reading<'a> {
    fn of(contact: &Contact, [other, own]: [&'a Piece<'a>; 2], n: DVec3, rounding: f64) -> Self {
        Self {
            other,
            own,
            n,
            x: contact.point,
            gap: contact.gap,
            rounding,
            size: own.shape.radius().min(other.shape.radius()),
        }
    }

    /// By how much the gap is not that of the plane, and how far the point is from its body, m.
    fn error(&self) -> f64 {
        let height = self.n.dot(self.x) - self.other.shape.support(&self.other.pose, self.n);
        let outside = self.own.shape.distance(&self.own.pose, self.x);
        let error = (height - self.gap).abs().max(outside);
        if error.is_nan() {
            f64::INFINITY
        } else {
            error.max(0.0)
        }
    }

    /// By how much a row that carries an impulse is none of these bodies.
    fn beyond(&self, case: &Case, contact: &Contact, travel: &Travel) -> Missed {
        let size = self.size;
        let motion = travel.all;
        let exact = KNOWN * size + 4.0 * self.rounding;
        let swing = travel.swing.min(SWING);
        let aside = self.beside(case, contact, travel, exact + 4.0 * swing * size);
        let level = motion + 4.0 * swing * self.extent() + LEVEL * size + exact;
        // Two lines cross elsewhere where their bodies have turned, by the turn times how far the lines are from each other.
        let turned = if is_ball(self.own) || is_ball(self.other) {
            0.0
        } else {
            4.0 * swing * size
        };
        let (height, near) = match case.given.rule {
            Rule::MaxGap => (self.too_high(level), TOUCH * size + 2.0 * motion + turned),
            // Planes of faces have no end there.
            Rule::Conjunctive => (0.0, 5.0 * (Rule::Conjunctive.touch() * size + motion)),
        };
        let opposite = self.distance() - near - exact;
        let false_depth = self.false_depth(exact) - travel.before;
        // In an impact no time passes: what is apart does not meet.
        let apart = match case.given.scheme {
            Scheme::Impact => self.gap - exact,
            _ => 0.0,
        };
        let others = height.max(opposite).max(apart).max(false_depth);
        Missed {
            place: aside.place.max(others),
            ..aside
        }
    }

    /// How far the point is from being opposite the parts of both that are farthest towards each other, m. Where one of them is a
    /// face, it fixes the normal, and only what is round needs to be met. `moved` is how far its body has moved from the other
    /// by then.
    fn aside(&self, moved: DVec3) -> Aside {
        let (n, x) = (self.n, self.x);
        let part = |p: &Piece, n: DVec3| Supporting::of(&p.shape, &p.pose, n, x);
        let round = |p: &Piece, n: DVec3| Supporting::round(&p.shape, &p.pose, n);
        let (other, own) = (part(self.other, n), part(self.own, -n));
        let (round_other, round_own) = (round(self.other, n), round(self.own, -n));
        if let (Supporting::Nowhere, _) | (_, Supporting::Nowhere) = (other, own) {
            return Aside::over_a_face(f64::INFINITY, 0.0);
        }
        if let (Supporting::Face(lean), _) | (_, Supporting::Face(lean)) = (other, own) {
            let met = |r: Option<Supporting>, x: DVec3| r.map_or(0.0, |r| r.aside(n, x, None).0);
            let off = met(round_other, x + moved).max(met(round_own, x));
            return Aside::over_a_face(off, lean);
        }
        let line = |part: Supporting, round: Option<Supporting>, of: &Piece| {
            let line = round.unwrap_or(part).line();
            line.map(|e| (e, 2.0 * of.shape.radius()))
        };
        let of_other = self.parted(
            other,
            round_other,
            x + moved,
            line(own, round_own, self.own),
        );
        let of_own = self.parted(own, round_own, x, line(other, round_other, self.other));
        let first = self.leaning(self.other, &of_other, &|| self.distance());
        let second = self.leaning(self.own, &of_own, &|| self.height());
        let leans = |l: &Leaning, off: &Off, of_the_rest: f64| {
            let leans = off.aside.min(l.angle * self.size).max(l.fixed);
            leans.max(of_the_rest)
        };
        let other_leans = leans(&first, &of_other, of_own.aside);
        let own_leans = leans(&second, &of_own, of_other.aside);
        let alone = |l: Leaning, of_the_rest: f64| Leaning {
            fixed: l.fixed.max(of_the_rest),
            ..l
        };
        let both = Leaning {
            angle: first.angle + second.angle,
            fixed: first.fixed.max(second.fixed),
        };
        Aside {
            all: of_other.aside.max(of_own.aside),
            other_leans,
            own_leans,
            leaning: [
                alone(first, of_own.aside),
                alone(second, of_other.aside),
                both,
            ],
            tilt: 0.0,
            slid: of_other.slid.max(of_own.slid),
            sharp: other.sharpness().min(own.sharpness()),
        }
    }

    /// What of a point's being off a part of one body may be a normal that leans, and what may not; `lower` is how much lower the part is there, m. A ball has
    /// no edge to lean along.
    fn leaning(&self, of: &Piece, off: &Off, lower: &dyn Fn() -> f64) -> Leaning {
        let is_ball = matches!(*of.shape, Shape::Ball { .. });
        Leaning {
            angle: match is_ball {
                _ if off.aside == 0.0 => 0.0,
                true => f64::INFINITY,
                false => self.slope(off, lower().max(0.0)),
            },
            fixed: if is_ball { off.aside } else { off.lateral },
        }
    }

    /// How far x, which may also go along a line, is from a part.
    fn parted(
        &self,
        part: Supporting,
        round: Option<Supporting>,
        x: DVec3,
        line: Option<(DVec3, f64)>,
    ) -> Off {
        let (lateral, slid_round) = round.map_or((0.0, 0.0), |r| r.aside(self.n, x, line));
        let (aside, slid) = part.aside(self.n, x, line);
        Off {
            aside: aside.max(lateral),
            away: part.aside(self.n, x, None).0,
            lateral,
            slid: slid.max(slid_round),
        }
    }

    /// By how much a body that has a place opposite x which is lower than its farthest part by `lower` only would have to turn for it to be as far, rad:
    /// from a corner or an edge far away along what is nearly a face or an edge, the normal leaves that by little.
    fn slope(&self, off: &Off, lower: f64) -> f64 {
        (lower + 2.0 * self.rounding) / off.away
    }

    /// By how much the two parts are not opposite, m, beyond what the turn of the step explains, and what its way does: a row may
    /// have a normal of any moment of the step, of its start, its end or between. Bodies that do not touch yet may pass
    /// each other on the way to where they will; in bodies that overlap by d, directions within the root of d of the best are as
    /// good.
    fn beside(&self, case: &Case, contact: &Contact, travel: &Travel, turned: f64) -> Missed {
        let aside = self.aside(DVec3::ZERO);
        let beyond = aside.other_leans.min(aside.own_leans) - turned;
        if beyond <= 0.0 {
            return self.weighed(beyond, &aside, travel);
        }
        // The normals of a face and of two balls are known exactly. What a row itself brings about is no reason for it: the way is that of
        // the velocities before.
        let known = aside.all.is_infinite() || (is_ball(self.own) && is_ball(self.other));
        let way = if known {
            0.0
        } else {
            (travel.before + self.across()).min(PAST * self.size)
        };
        let passing = self.passing(case, contact, travel, aside.own_leans);
        let in_place = aside.all - turned - way - self.as_good(0.0);
        let least = beyond.min(aside.own_leans - turned - passing).min(in_place);
        // In place but for what leans: that much is an angle.
        let leaning = aside.leaning.into_iter().filter(|l| l.fixed <= turned);
        match leaning.min_by(|a, b| a.angle.total_cmp(&b.angle)) {
            Some(leaning) if least > 0.0 => Missed {
                place: 0.0,
                lean: leaning.angle,
                lower: self.distance().max(0.0),
            },
            _ => Missed::in_place(least),
        }
    }

    /// In place as well as places are known; but what is off by more than rounding and the motion of the step explain does
    /// something: a normal that leans within what is known, lines that would be opposite farther along. Over a short step that is a
    /// velocity.
    fn weighed(&self, place: f64, aside: &Aside, travel: &Travel) -> Missed {
        let swing = 4.0 * travel.swing.min(SWING);
        let quiet = 4.0 * self.rounding;
        // A face's normal is known to rounding, whatever its size.
        let tilt = (aside.tilt - swing - 32.0 * f64::EPSILON) * self.size;
        let leans = aside.other_leans.min(aside.own_leans) - swing * self.size - quiet;
        let mut unexplained = leans.max(tilt);
        // Lines that a turn of the step makes those of a face have rows at their ends.
        if aside.sharp > swing {
            let moved = travel.all + swing * self.size + self.as_good(quiet);
            // Beyond what the motion explains nothing of it is explained.
            let runs = || travel.swing.min(SWING) * run_of_crossing([self.other, self.own], self.n);
            if aside.slid > moved + quiet && aside.slid > moved + quiet + runs() {
                unexplained = unexplained.max(aside.slid);
            }
        }
        if unexplained <= 0.0 {
            return Missed::in_place(place);
        }
        Missed {
            place,
            lean: unexplained / self.size,
            lower: self.distance().max(0.0),
        }
    }

    /// In bodies that overlap, how far directions that are as good as the best lead aside, m, if overlaps are known to so much.
    fn as_good(&self, known: f64) -> f64 {
        if self.gap >= -known {
            return 0.0;
        }
        let depth = self.depth().min(-self.gap) - known;
        (0.5 * self.size * depth.max(0.0)).sqrt()
    }

    /// How well a direction across two features is known, m at the smaller body.
    fn across(&self) -> f64 {
        if is_ball(self.own) || is_ball(self.other) {
            0.0
        } else {
            ACROSS * self.size
        }
    }

    /// How far bodies that meet within the step may pass each other before, m.
    fn passing(&self, case: &Case, contact: &Contact, travel: &Travel, aside: f64) -> f64 {
        let motion = travel.all;
        // Two balls meet along the line between their centres, and that is known.
        let balls = is_ball(self.own) && is_ball(self.other);
        if self.gap <= TOUCH * self.size {
            0.0
        } else if !balls && self.comes_within(0.5, case, contact, aside) {
            motion
        } else if self.comes_within(1.0, case, contact, aside) {
            (PASSING * self.gap).min(0.25 * motion)
        } else {
            0.0
        }
    }

    /// Does the motion, as it would be without contacts or as it is, bring the two parts to this part of the way from being opposite,
    /// and then to this part of their gap? Later they may slide on, or stick.
    fn comes_within(&self, part: f64, case: &Case, contact: &Contact, aside: f64) -> bool {
        let h = case.given.h;
        let free = |k: usize| free_twist(case, k);
        let by = |twist: &dyn Fn(usize) -> Twist| {
            let sign = self.n.dot(contact.normal);
            let way = way_apart(case, contact, self.x, twist) * sign;
            let across = way - self.n * self.n.dot(way);
            let s = (aside / across.length()).min(1.0);
            let closed = self.gap + self.n.dot(way) * s;
            self.aside(across * s).own_leans <= part * aside && closed <= part * self.gap
        };
        h > 0.0 && (by(&free) || by(&|k| case.after[k].twist))
    }

    /// How much farther its body reaches towards the other than the point does, m. (Each point of a body of points is for itself.)
    fn height(&self) -> f64 {
        match &*self.own.shape {
            Shape::Points { .. } => 0.0,
            shape => self.n.dot(self.x) + shape.support(&self.own.pose, -self.n),
        }
    }

    /// By how much the point is higher than what is level, m. In bodies that overlap by d, what earlier steps left, other places
    /// may be lower by twice that.
    fn too_high(&self, level: f64) -> f64 {
        let beyond = self.height() - level - 2.0 * (-self.gap).max(0.0);
        if beyond <= 0.0 {
            return beyond;
        }
        beyond.min(self.height() - level - 2.0 * self.depth())
    }

    /// By how much the row claims more overlap than twice that of the two bodies, m.
    fn false_depth(&self, exact: f64) -> f64 {
        if self.gap >= -exact {
            return 0.0;
        }
        -self.gap - 2.0 * self.depth() - exact
    }

    /// By how much the two bodies overlap, m.
    fn depth(&self) -> f64 {
        let (a, b) = (self.own, self.other);
        -separation(&a.shape, &a.pose, &b.shape, &b.pose).min(0.0)
    }

    /// Radius of the body whose point it is, or of the other one where it has none, m.
    fn extent(&self) -> f64 {
        let [own, other] = [self.own, self.other].map(|p| p.shape.radius());
        if own.is_finite() { own } else { other }
    }

    /// How far the other body is from the foot of the point on its plane, m.
    fn distance(&self) -> f64 {
        let foot = self.x - self.n * self.gap;
        self.other.shape.distance(&self.other.pose, foot)
    }
}

/// The velocity that a body would have without contacts, but for its turn.
pub(super) fn free_twist(case: &Case, k: usize) -> Twist {
    let mut twist = case.before[k].twist;
    if let Some(mass) = case.model.bodies[k].mass {
        twist.linear += case.given.wrench[k].force * (case.given.h / mass.mass);
    }
    twist
}

/// How fast the two bodies of a contact move past each other there, before the step or after it, m/s.
pub(super) fn speed_at(case: &Case, contact: &Contact) -> f64 {
    let speed = |states: &[BodyState]| {
        let [a, b] = contact
            .bodies
            .map(|k| states[k].twist.at(contact.point - case.pose(k).position));
        (b - a).length()
    };
    speed(case.before).max(speed(case.after))
}

/// Is it a ball, or points?
fn is_ball(p: &Piece) -> bool {
    matches!(*p.shape, Shape::Ball { .. } | Shape::Points { .. })
}

/// How far the second body of a contact moves from the first at `x` within the step, m. A ball's spin moves nothing.
fn way_apart(case: &Case, contact: &Contact, x: DVec3, twist: &dyn Fn(usize) -> Twist) -> DVec3 {
    let mut way = DVec3::ZERO;
    for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
        let nu = twist(k);
        let at = match case.model.bodies[k].shape {
            Shape::Ball { .. } => nu.linear,
            _ => nu.at(x - case.pose(k).position),
        };
        way += at * (sign * case.given.h);
    }
    way
}

/// How far the two bodies turn in the step, rad; of what is round about an axis, how far the axis does.
fn swing(case: &Case, contact: &Contact) -> f64 {
    turn(case, contact.bodies[0]) + turn(case, contact.bodies[1])
}

fn turn(case: &Case, k: usize) -> f64 {
    let (p, q) = (
        case.before[k].pose.orientation,
        case.after[k].pose.orientation,
    );
    match case.model.bodies[k].shape {
        Shape::Ball { .. } => 0.0,
        Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
            (q * DVec3::Z - p * DVec3::Z).length()
        }
        // |q − p| is 2 sin(angle/4) for unit quaternions.
        _ => 2.0 * (q - p).length().min((q + p).length()),
    }
}

/// How fast a body turned before the step, rad/s; of what is round about an axis, how fast the axis did.
fn sweep(case: &Case, k: usize) -> f64 {
    let (pose, spin) = (&case.before[k].pose, case.before[k].twist.angular);
    match case.model.bodies[k].shape {
        Shape::Ball { .. } => 0.0,
        Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
            spin.cross(pose.orientation * DVec3::Z).length()
        }
        _ => spin.length(),
    }
}

/// How far the two bodies of a contact go within the step.
pub(super) struct Travel {
    /// How far their points there may move by the velocities before the step, m,
    pub(super) before: f64,
    /// and by those before it and after it.
    pub(super) all: f64,
    /// How far they turn, rad; where the contact only gives back, also since it was closed ([`only_gives_back`]).
    pub(super) swing: f64,
}

/// Does a contact bear nothing but what it gives back? It was compressed in the step before and may have opened since: its place and normal are those of
/// where the two bodies touched by the velocities before, up to one step asked for ago.
pub(super) fn only_gives_back(row: &ContactImpulse) -> bool {
    row.restituted > 0.0 && row.impulse.x == row.restituted
}

impl Travel {
    /// Over the step asked for where no time passes.
    pub(super) fn of(case: &Case, row: &ContactImpulse) -> Self {
        let contact = &row.contact;
        let h = if case.given.h > 0.0 {
            case.given.h
        } else {
            case.given.grid
        };
        let (mut before, mut all) = (0.0, 0.0);
        for k in contact.bodies {
            let (old, new) = (&case.before[k].twist, &case.after[k].twist);
            let reach = (contact.point - case.pose(k).position).length();
            let (speed, spin) = (old.linear.length(), old.angular.length());
            before += h * (speed + spin * reach);
            let (speed, spin) = (
                speed.max(new.linear.length()),
                spin.max(new.angular.length()),
            );
            all += h * (speed + spin * reach);
        }
        let mut swing = swing(case, contact);
        if only_gives_back(row) && case.given.h > 0.0 {
            let spins = contact.bodies.map(|k| sweep(case, k));
            swing += case.given.grid * (spins[0] + spins[1]);
        }
        Self { before, all, swing }
    }
}
