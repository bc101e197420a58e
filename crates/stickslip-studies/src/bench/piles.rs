//! `stickslip bench piles`: square pyramids of balls and walls of bricks, by solver: time to 1e-4, 1e-6 and 1e-8, and
//! how it grows with the number of contacts.

use crate::bench::plate::nanoseconds_on_cpu;
use serde_json::{Value, json};
use std::time::Instant;
use stickslip::prelude::{BodySpec, DVec3, Shape, World};
use stickslip::solvers::limit::Limit;
use stickslip::solvers::problem::ContactProblem;
use stickslip::solvers::{SOLVER_NAMES, solver_by_name};
use stickslip_console::{Failure, Verdict, print, print_json, seconds};

/// Residuals to reach, as fractions of the fastest body's speed without contacts.
const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];

/// Balls in a side of the lowest layer: 112, 225, 396, 637, 1,376, 3,312 and 9,537 contacts.
const LAYERS: [usize; 7] = [4, 5, 6, 7, 9, 12, 17];

/// Rows of a wall, each of as many bricks.
const COURSES: [usize; 7] = [4, 7, 12, 21, 37, 65, 115];

/// Step of the piles, s.
const H: f64 = 0.01;

/// Which piles, by which solvers.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Most contacts of a pile (piles)
    #[arg(long, value_name = "N", default_value_t = 400)]
    largest: usize,
    /// Layers of the pyramids, such as 7,12,17, or 0 for none (piles)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    layers: Option<Vec<usize>>,
    /// Courses of the walls, each of as many bricks, or 0 for none (piles)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    walls: Option<Vec<usize>>,
    /// Coefficients of friction of the pyramids (piles)
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [0.2, 0.4, 0.8])]
    friction: Vec<f64>,
    /// Solvers to compare (piles)
    #[arg(
        long,
        value_name = "LIST",
        default_value = "auto,nsgs,admm,interior-point"
    )]
    solver: String,
}

/// A kind of pile; sizes of one kind are compared.
struct Family {
    name: String,
    /// The pile of a size.
    build: Box<dyn Fn(usize) -> Result<World, Failure>>,
    sizes: Vec<usize>,
    /// Contacts of a size, at most, known before it is built.
    contacts: fn(usize) -> usize,
}

impl Options {
    /// Kinds with their sizes: those asked for, else those of up to `largest` contacts.
    fn families(&self) -> Vec<Family> {
        let sizes = |asked: &Option<Vec<usize>>, all: &[usize], contacts: fn(usize) -> usize| {
            let few = || all.iter().copied().filter(|&n| contacts(n) <= self.largest);
            let asked = asked.as_ref();
            asked.map_or_else(
                || few().collect(),
                |list| list.iter().copied().filter(|&n| n > 0).collect::<Vec<_>>(),
            )
        };
        let mut out = Vec::new();
        let in_pyramid: fn(usize) -> usize =
            |n| n * n + (1..n).map(|k| 4 * k * k + 2 * k * (k + 1)).sum::<usize>();
        for &mu in &self.friction {
            for (start, speed) in [("at rest", 0.0), ("dropped", -1.0)] {
                out.push(Family {
                    name: format!("balls, mu {mu}, {start}"),
                    build: Box::new(move |n| pyramid(n, mu, speed)),
                    sizes: sizes(&self.layers, &LAYERS, in_pyramid),
                    contacts: in_pyramid,
                });
            }
        }
        let in_wall: fn(usize) -> usize = |n| 8 * n * n;
        out.push(Family {
            name: "bricks, mu 0.5, at rest".into(),
            build: Box::new(|n| wall(n, 0.5)),
            sizes: sizes(&self.walls, &COURSES, in_wall),
            contacts: in_wall,
        });
        out
    }
}

/// One solver on one pile.
struct PileTimes {
    contacts: usize,
    solver: String,
    /// Seconds and residual reached, for each tolerance; the time only where it was reached.
    reached: Vec<(Option<f64>, f64)>,
    /// Longest of its solves, s.
    longest: f64,
}

impl Options {
    pub(crate) fn run(&self, as_json: bool, limit: f64) -> Result<Verdict, Failure> {
        let solvers: Vec<&str> = self.solver.split(',').map(str::trim).collect();
        if let Some(unknown) = solvers.iter().find(|s| !SOLVER_NAMES.contains(s)) {
            return Err(Failure::Input(format!(
                "--solver {unknown}: expected names among {}",
                SOLVER_NAMES.join(", ")
            )));
        }
        if let Some(mu) = self
            .friction
            .iter()
            .find(|&&mu| !(mu >= 0.0 && mu.is_finite()))
        {
            return Err(Failure::Input(format!(
                "--friction {mu}: expected numbers >= 0"
            )));
        }
        if !as_json {
            print(&format!(
                "Piles: first step, h = {H} s, solved from nothing; CPU time to a residual of 1e-4, 1e-6 and 1e-8 of the speed of\n\
                 free fall. The exponent is that of the time to 1e-8 over the contacts.\n\n\
                 {:<24} {:>8}  {:<15} {:>10} {:>10} {:>10}   {:>8}",
                "pile", "contacts", "solver", "1e-4", "1e-6", "1e-8", "residual"
            ))?;
        }
        let mut all = Vec::new();
        for family in self.families() {
            let rows = Self::compare(&family, &solvers, limit, as_json)?;
            all.extend(rows.iter().map(|row| row.json(&family.name)));
            for solver in &solvers {
                let times = rows.iter().filter(|r| r.solver == *solver);
                let points: Vec<_> = times
                    .filter_map(|r| Some((r.contacts as f64, r.reached.get(2)?.0?)))
                    // The machine's CPU clock ticks in milliseconds.
                    .filter(|(_, time)| *time > 0.0)
                    .collect();
                if let Some(exponent) = growth(&points)
                    && !as_json
                {
                    let text = format!("grows as contacts^{exponent:.2}");
                    print(&format!(
                        "{:<24} {:>8}  {solver:<15} {text}",
                        family.name, ""
                    ))?;
                }
            }
        }
        if as_json {
            print_json(&json!({ "bench": "piles", "rows": all }))?;
        }
        Ok(Verdict::Good)
    }

    /// All solvers on all sizes of one kind.
    fn compare(
        family: &Family,
        solvers: &[&str],
        limit: f64,
        as_json: bool,
    ) -> Result<Vec<PileTimes>, Failure> {
        let mut rows: Vec<PileTimes> = Vec::new();
        for &size in &family.sizes {
            let most = (family.contacts)(size);
            eprintln!("{}: up to {most} contacts ...", family.name);
            let mut world = (family.build)(size)?;
            let problem = world
                .next_problem()
                .map_err(|e| Failure::Work(e.to_string()))?;
            for solver in solvers {
                let slow = |r: &&PileTimes| r.solver == *solver && r.longest > limit;
                if let Some(slow) = rows.iter().find(slow) {
                    eprintln!(
                        "{}, {} contacts, {solver}: not asked, it took {} for {}",
                        family.name,
                        problem.contacts.len(),
                        seconds(slow.longest),
                        slow.contacts
                    );
                    continue;
                }
                let row = measure(&family.name, problem, solver, limit)?;
                if !as_json {
                    print(&row.line(&family.name))?;
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// Slope of ln(time) over ln(contacts) by least squares; None for fewer than two sizes.
fn growth(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> = points
        .iter()
        .map(|(n, t)| (libm::log(*n), libm::log(*t)))
        .collect();
    let n = logs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xy, xx) = (
        mean(&|p| (p.0 - x) * (p.1 - y)),
        mean(&|p| (p.0 - x) * (p.0 - x)),
    );
    (logs.len() > 1 && xx > 0.0).then(|| xy / xx)
}

/// Seconds of CPU time that `work` takes; of the clock, where the machine does not tell.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (start, on_cpu) = (Instant::now(), nanoseconds_on_cpu());
    let done = work();
    let elapsed = start.elapsed().as_secs_f64();
    let spent = on_cpu.zip(nanoseconds_on_cpu());
    (done, spent.map_or(elapsed, |(a, b)| 1e-9 * (b - a)))
}

fn measure(
    pile: &str,
    problem: &ContactProblem,
    solver: &str,
    limit: f64,
) -> Result<PileTimes, Failure> {
    let speeds = problem.nu_free.iter().map(|nu| nu.linear.length());
    let speed = speeds.fold(0.0, f64::max);
    let mut reached = Vec::new();
    let mut longest = 0.0_f64;
    for tolerance in TOLERANCES {
        eprintln!(
            "{pile}, {} contacts, {solver}: {tolerance:e} ...",
            problem.contacts.len()
        );
        let Some(mut method) = solver_by_name(solver) else {
            return Err(Failure::Input(format!("there is no solver `{solver}`")));
        };
        let (result, elapsed) = timed(|| {
            let _clock = Limit::seconds(limit);
            method.solve(problem, None, tolerance * speed)
        });
        longest = longest.max(elapsed);
        use stickslip::solvers::solver::SolveError;
        reached.push(match result {
            Ok(solved) => (Some(elapsed), solved.residual / speed),
            Err(SolveError::NotConverged { residual, .. }) => (None, residual / speed),
            Err(_) => (None, f64::NAN),
        });
        // What missed this one misses the next.
        if reached.last().is_some_and(|r| r.0.is_none()) || elapsed > limit {
            break;
        }
    }
    Ok(PileTimes {
        contacts: problem.contacts.len(),
        solver: solver.to_string(),
        reached,
        longest,
    })
}

impl PileTimes {
    fn line(&self, pile: &str) -> String {
        let time = |k: usize| {
            let reached = self.reached.get(k).and_then(|r| r.0);
            reached.map_or("-".into(), seconds)
        };
        format!(
            "{pile:<24} {:>8}  {:<15} {:>10} {:>10} {:>10}   {:>8.1e}",
            self.contacts,
            self.solver,
            time(0),
            time(1),
            time(2),
            self.reached.last().map_or(f64::NAN, |r| r.1)
        )
    }

    fn json(&self, pile: &str) -> Value {
        let times: Vec<_> = (self.reached.iter().zip(TOLERANCES))
            .map(|(r, t)| json!({ "tolerance": t, "seconds": r.0, "residual": r.1 }))
            .collect();
        json!({ "pile": pile, "contacts": self.contacts, "solver": self.solver, "reached": times })
    }
}

/// Layers of n², (n − 1)², …, 1 balls, each ball in the hollow of four.
fn pyramid(n: usize, mu: f64, speed: f64) -> Result<World, Failure> {
    let r = 0.1;
    let fail = |e: &dyn std::error::Error| Failure::Work(e.to_string());
    let ball = Shape::ball(r).map_err(|e| fail(&e))?;
    let ground = Shape::half_space(DVec3::Z, 0.0).map_err(|e| fail(&e))?;
    let mut builder = World::builder()
        .friction(mu)
        .time_step(H)
        .body(BodySpec::fixed("ground", ground));
    for level in 0..n {
        let side = n - level;
        for k in 0..side * side {
            let place = DVec3::new(
                r * (level + 2 * (k % side)) as f64,
                r * (level + 2 * (k / side)) as f64,
                r * (1.0 + level as f64 * 2.0_f64.sqrt()),
            );
            let body = BodySpec::free(format!("ball[{level}][{k}]"), ball.clone(), 1.0);
            builder = builder.body(body.at(place).with_velocity(DVec3::Z * speed, DVec3::ZERO));
        }
    }
    Ok(builder.build()?)
}

/// n rows of n bricks in running bond.
fn wall(n: usize, mu: f64) -> Result<World, Failure> {
    let fail = |e: &dyn std::error::Error| Failure::Work(e.to_string());
    let brick = Shape::cuboid(DVec3::new(0.2, 0.1, 0.1)).map_err(|e| fail(&e))?;
    let ground = Shape::half_space(DVec3::Z, 0.0).map_err(|e| fail(&e))?;
    let mut builder = World::builder()
        .friction(mu)
        .time_step(H)
        .body(BodySpec::fixed("ground", ground));
    for course in 0..n {
        for k in 0..n {
            // A joint of 1 mm between bricks of a row: they touch those above and below.
            let place = DVec3::new(
                0.201 * (k as f64 + 0.5 * (course % 2) as f64),
                0.0,
                0.05 + 0.1 * course as f64,
            );
            let name = format!("brick[{course}][{k}]");
            builder = builder.body(BodySpec::free(name, brick.clone(), 1.0).at(place));
        }
    }
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piles_have_the_contacts_they_claim() {
        let options = Options {
            largest: 400,
            layers: None,
            walls: None,
            friction: vec![0.4],
            solver: String::new(),
        };
        for family in options.families() {
            let size = family.sizes[0];
            let mut world = (family.build)(size).expect("a pile");
            let found = world.next_problem().expect("a problem").contacts.len();
            let claimed = (family.contacts)(size);
            // A wall's first row has four contacts a brick and its ends hang over; touching balls that fall together
            // may miss each other by a rounding.
            let bricks = family.name.starts_with("bricks");
            let least = if bricks {
                claimed / 2
            } else {
                claimed * 9 / 10
            };
            assert!(
                (least..=claimed).contains(&found),
                "{}: {found}",
                family.name
            );
        }
    }

    #[test]
    fn growth_is_the_slope_of_the_logarithms() {
        let slope = growth(&[(10.0, 1.0), (100.0, 100.0), (1000.0, 1e4)]);
        assert!((slope.expect("three points") - 2.0).abs() < 1e-12);
        assert!(growth(&[(10.0, 1.0)]).is_none());
    }
}
