//! What is known of an island before anything is tried, and where the search for its answer stands: which stages of `auto` are tried is a
//! function of the two, but for what a stage finds out by itself ([`Need::Finds`]).

use crate::coupling::{Coupled, System};
use crate::problem::Posed;
use crate::solver::Laws;
use glam::{DVec2, DVec3};

/// A problem in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Number of contacts.
    pub contacts: usize,
    /// Has every law a smoothed form (no pyramids, no discs)?
    pub smooth: bool,
    /// Are all laws rows of an LCP (no quadratic cones, no discs)?
    pub polyhedral: bool,
    /// Do nearly all pairs of bodies of a step touch at one place only, as balls do? Then few contacts are redundant.
    pub lone: bool,
    /// What there is to start from.
    pub start: Start,
    /// On bodies or on contacts.
    pub form: Form,
    /// Largest w̄ of a contact, 1/kg: that of the lightest bodies.
    pub w_light: f64,
    /// Least positive 1/m of a body (of a stored problem: w̄ of a contact), 1/kg: that of the heaviest; infinite where there is
    /// none.
    pub w_heavy: f64,
    /// Largest coefficient of friction.
    pub steepest: f64,
    /// Largest velocity of a contact without impulses, m/s.
    pub speed: f64,
}

/// Where the search for an answer stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Will a sketch do, a motion that only shows which contacts are missing?
    pub sketch: bool,
    /// Is the step wanted of a run without patience, or at last resort?
    pub pressed: bool,
    /// Residual of the guess, m/s; zero where it was not looked at.
    pub guess: f64,
    /// Least residual so far, m/s; infinite before any.
    pub best: f64,
    /// Is an answer set aside, because it moves and there may be rest?
    pub known: bool,
}

/// What there is to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// No impulses.
    Cold,
    /// No impulses, and a contact that slides by far faster than the step's forces make it.
    Sliding,
    /// Impulses of the last step, or those that the caller gave.
    Warm,
}

/// The form of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One step of bodies. Its motion goes on: which answer is taken matters (`selection`).
    Step,
    /// Reduced to its contacts, as it is stored in a file: any answer will do.
    Stored,
}

/// Part of the contacts of a step, in percent, that may stand beside another one of the same two bodies where contacts are alone. (Chosen
/// without measurement: balls have none, boxes three quarters.)
const BESIDE: usize = 10;
/// A contact slides on its own where its speed along is so many times the largest speed across: from rest, both are of the size
/// of acceleration times step. (Chosen without measurement.)
const SLIDES: f64 = 10.0;

impl Profile {
    /// Of a problem with its system; `guess` is empty, or impulses to start from. (`u` is memory.)
    pub(super) fn of(
        problem: Posed,
        system: &mut System,
        guess: &[DVec3],
        u: &mut Vec<DVec3>,
    ) -> Self {
        let contacts = system.len();
        let (mut smooth, mut polyhedral, mut steepest) = (true, true, 0.0f64);
        let (mut w_light, mut w_least) = (0.0f64, f64::INFINITY);
        for i in 0..contacts {
            let (law, w_bar) = (system.law(i), system.w_bar(i));
            smooth &= Laws::Smooth.include(law);
            polyhedral &= Laws::Polyhedral.include(law);
            steepest = steepest.max(law.friction());
            w_light = w_light.max(w_bar);
            w_least = positive_min(w_least, w_bar);
        }
        let fastest = |most: f64, u: DVec3| most.max(u.length());
        let (form, w_heavy, speed) = match problem {
            Posed::Step(step) => {
                let masses = step.inverse_mass.iter().map(|m| m.mass);
                let free = step.contacts.iter().map(|c| c.velocity(&step.nu_free));
                let w_heavy = masses.fold(f64::INFINITY, positive_min);
                (Form::Step, w_heavy, free.fold(0.0, fastest))
            }
            Posed::Local(local) => {
                let speed = local.q.iter().copied().fold(0.0, fastest);
                (Form::Stored, w_least, speed)
            }
        };
        Self {
            contacts,
            smooth,
            polyhedral,
            steepest,
            speed,
            w_light,
            w_heavy,
            lone: match system {
                System::Bodies(bodies) => 100 * bodies.repeated() <= BESIDE * contacts,
                System::Contacts(_) => false,
            },
            start: match form {
                Form::Stored if guess.is_empty() => Start::Cold,
                Form::Step if guess.iter().all(|&p| p == DVec3::ZERO) => {
                    system.velocities(guess, u);
                    if slides(u) {
                        Start::Sliding
                    } else {
                        Start::Cold
                    }
                }
                _ => Start::Warm,
            },
            form,
        }
    }

    /// Is there nothing to start from?
    #[must_use]
    pub const fn is_cold(&self) -> bool {
        !matches!(self.start, Start::Warm)
    }
}

/// The smaller of two numbers, or the first where the second is not positive.
fn positive_min(least: f64, w: f64) -> f64 {
    if w > 0.0 { least.min(w) } else { least }
}

/// Does a contact with one of these velocities slide on its own?
fn slides(u: &[DVec3]) -> bool {
    let across = u.iter().fold(0.0, |m, u| f64::max(m, u.x.abs()));
    let along = |u: &DVec3| DVec2::new(u.y, u.z).length();
    u.iter().any(|u| along(u) > SLIDES * across)
}

/// One condition on a profile, or on where the search stands.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// At most so many contacts.
    UpTo(usize),
    /// More contacts than that.
    MoreThan(usize),
    /// All laws have a smoothed form.
    Smooth,
    /// All laws are rows of an LCP.
    Polyhedral,
    /// No impulses to start from.
    Cold,
    /// No impulses, and a contact slides on its own.
    Sliding,
    /// A step, not a stored problem.
    Step,
    /// Nearly all pairs of bodies touch at one place only.
    Lone,
    /// Largest w̄ over that of the heaviest body is more than that.
    ScalesApart(f64),
    /// A coefficient of friction is larger than that.
    Steeper(f64),
    /// A sketch will do.
    Sketch,
    /// The step is wanted of a run without patience, or at last resort.
    Pressed,
    /// The guess misses by more than that, m/s.
    GuessBeyond(f64),
    /// The best so far misses by no more than that, m/s.
    BestWithin(f64),
    /// The best so far misses by more than this part of the largest velocity without impulses.
    BestFar(f64),
    /// An answer is known that moves.
    Known,
    /// What the stage finds out by itself, in words: it always holds here.
    Finds(&'static str),
    /// One of these.
    Any(&'static [Need]),
    /// Not all of these.
    Not(&'static [Need]),
}

impl Need {
    /// Does it hold?
    #[must_use]
    pub fn holds(&self, of: &Profile, now: &Standing) -> bool {
        match *self {
            Self::UpTo(n) => of.contacts <= n,
            Self::MoreThan(n) => of.contacts > n,
            Self::Smooth => of.smooth,
            Self::Polyhedral => of.polyhedral,
            Self::Cold => of.is_cold(),
            Self::Sliding => of.start == Start::Sliding,
            Self::Step => of.form == Form::Step,
            Self::Lone => of.lone,
            Self::ScalesApart(factor) => of.w_light > factor * of.w_heavy,
            Self::Steeper(mu) => of.steepest > mu,
            Self::Sketch => now.sketch,
            Self::Pressed => now.pressed,
            Self::GuessBeyond(residual) => now.guess > residual,
            Self::BestWithin(residual) => now.best <= residual,
            Self::BestFar(part) => now.best > part * of.speed,
            Self::Known => now.known,
            Self::Finds(_) => true,
            Self::Any(needs) => needs.iter().any(|need| need.holds(of, now)),
            Self::Not(needs) => !needs.iter().all(|need| need.holds(of, now)),
        }
    }
}

impl core::fmt::Display for Need {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let join = |needs: &[Self], with: &str| {
            let words: Vec<String> = needs.iter().map(ToString::to_string).collect();
            words.join(with)
        };
        match self {
            Self::UpTo(1) => write!(f, "one contact"),
            Self::UpTo(n) => write!(f, "up to {n} contacts"),
            Self::MoreThan(n) => write!(f, "more than {n} contacts"),
            Self::Smooth => write!(f, "no pyramids or discs"),
            Self::Polyhedral => write!(f, "no cones or discs"),
            Self::Cold => write!(f, "no guess"),
            Self::Sliding => write!(f, "slides"),
            Self::Step => write!(f, "a step"),
            Self::Lone => write!(f, "pairs touch once"),
            Self::ScalesApart(factor) => write!(f, "w̄ over more than {factor} times"),
            Self::Steeper(mu) => write!(f, "μ above {mu}"),
            Self::Sketch => write!(f, "a sketch will do"),
            Self::Pressed => write!(f, "no patience left"),
            Self::GuessBeyond(residual) => {
                write!(f, "the guess misses by more than {residual:e} m/s")
            }
            Self::BestWithin(residual) => write!(f, "the best misses by {residual:e} m/s at most"),
            Self::BestFar(part) => {
                write!(f, "the best misses by more than {part:e} of the free speed")
            }
            Self::Known => write!(f, "an answer is known that moves"),
            Self::Finds(what) => write!(f, "and finds that {what}"),
            Self::Any(needs) => write!(f, "{}", join(needs, " or ")),
            Self::Not(needs) => write!(f, "not ({})", join(needs, ", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::problem::generate::{box_mass, frame};
    use crate::problem::{Action, Arm, ContactBlock, ContactProblem, Law, Twist};

    /// Boxes of these masses in a row on the ground, each with one contact, moving at `nu`.
    fn boxes(masses: &[f64], nu: DVec3, law: &Law) -> ContactProblem {
        let mut problem = ContactProblem::default();
        for (body, &mass) in masses.iter().enumerate() {
            problem.inverse_mass.push(box_mass(mass, DVec3::ONE));
            problem.nu_free.push(Twist {
                linear: nu,
                angular: DVec3::ZERO,
            });
            let arm = Arm {
                body,
                lever: -DVec3::Z,
                sign: 1.0,
                action: Action::Force,
            };
            problem.contacts.push(ContactBlock {
                frame: frame(DVec3::Z),
                arms: [Some(arm), None].into(),
                b: DVec3::ZERO,
                compliance: DVec3::ZERO,
                law: law.clone(),
            });
        }
        problem
    }

    fn profile(problem: &ContactProblem, guess: &[DVec3]) -> Profile {
        let mut memory = SystemMemory::default();
        let posed = Posed::Step(problem);
        Profile::of(posed, &mut memory.system(posed), guess, &mut Vec::new())
    }

    #[test]
    fn a_profile_tells_laws_masses_and_start() {
        let falling = DVec3::new(0.0, 0.0, -0.1);
        let problem = boxes(&[2.0, 100.0], falling, &Law::Cone { mu: 0.3 });
        let cold = profile(&problem, &[DVec3::ZERO; 2]);
        assert_eq!((cold.contacts, cold.form), (2, Form::Step));
        assert_eq!((cold.smooth, cold.polyhedral), (true, false));
        assert_eq!(cold.start, Start::Cold);
        assert!((cold.w_heavy - 0.01).abs() < 1e-15);
        assert!((cold.steepest - 0.3).abs() < 1e-15);
        // 1/m + the lever's part: a corner is lighter than its body.
        assert!(cold.w_light > 0.5);
        assert_eq!(profile(&problem, &[DVec3::X; 2]).start, Start::Warm);
        let sliding = boxes(&[1.0], DVec3::new(1.0, 0.0, -0.01), &Law::Unilateral);
        let sliding = profile(&sliding, &[DVec3::ZERO]);
        assert_eq!(sliding.start, Start::Sliding);
        assert!(!sliding.lone, "few contacts have no bodies here");
        assert_eq!((sliding.smooth, sliding.polyhedral), (true, true));
        assert!(sliding.is_cold());
    }

    /// Six boxes in a row, each touching the next: at one corner, then at two.
    #[test]
    fn pairs_that_touch_once_are_told_from_those_that_touch_twice() {
        let mut problem = boxes(&[1.0; 6], -DVec3::Z, &Law::Cone { mu: 0.4 });
        let arm = |body, sign| {
            Some(Arm {
                body,
                lever: DVec3::X * sign,
                sign,
                action: Action::Force,
            })
        };
        for body in 0..5 {
            let mut contact = problem.contacts[0].clone();
            contact.arms = [arm(body, 1.0), arm(body + 1, -1.0)].into();
            problem.contacts.push(contact);
        }
        assert!(profile(&problem, &[DVec3::ZERO; 11]).lone);
        let again = problem.contacts[6..].to_vec();
        problem.contacts.extend(again);
        assert!(!profile(&problem, &[DVec3::ZERO; 16]).lone);
    }

    #[test]
    fn needs_are_what_they_say() {
        let problem = boxes(&[1.0; 3], -DVec3::Z, &Law::Cone { mu: 20.0 });
        let of = profile(&problem, &[DVec3::ZERO; 3]);
        let now = Standing {
            sketch: true,
            pressed: false,
            guess: 1e-2,
            best: 1e-4,
            known: false,
        };
        let hold = |needs: &[Need]| needs.iter().all(|need| need.holds(&of, &now));
        assert!(hold(&[Need::UpTo(3), Need::MoreThan(2), Need::Cold]));
        assert!(hold(&[Need::Step, Need::Smooth, Need::Steeper(10.0)]));
        assert!(!hold(&[Need::Polyhedral]));
        assert!(!hold(&[Need::ScalesApart(1e3)]));
        assert!(hold(&[Need::Not(&[Need::Cold, Need::MoreThan(3)])]));
        assert!(hold(&[Need::Any(&[Need::Sliding, Need::UpTo(200)])]));
        assert!(hold(&[
            Need::Sketch,
            Need::Not(&[Need::Pressed]),
            Need::Finds("so")
        ]));
        assert!(hold(&[Need::GuessBeyond(1e-3), Need::BestWithin(1e-4)]));
        assert!(!hold(&[Need::GuessBeyond(1e-2)]) && !hold(&[Need::Known]));
        // The boxes fall at 1 m/s.
        assert!(hold(&[Need::BestFar(9e-5)]) && !hold(&[Need::BestFar(1e-4)]));
        let words = Need::Not(&[Need::Cold, Need::MoreThan(30)]).to_string();
        assert_eq!(words, "not (no guess, more than 30 contacts)");
    }
}
