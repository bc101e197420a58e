//! Solvers compared on one set of problems: ratios of their times, and Dolan and Moré's performance profile.

use crate::statistics::median;
use stickslip_plot::{Axis, Plot};

/// Times of one solver on all problems, s; `None` where it did not solve one.
pub struct Column<'a> {
    /// The solver's name.
    pub solver: &'a str,
    /// A time for each problem, in their order.
    pub times: Vec<Option<f64>>,
}

/// Dolan and Moré's profile: (factor τ, share of all problems solved within τ of the fastest), τ rising.
pub type Profile = Vec<(f64, f64)>;

impl Column<'_> {
    /// How many problems it solved.
    #[must_use]
    pub fn solved(&self) -> usize {
        self.times.iter().flatten().count()
    }

    /// Its times over those of `first` on the problems that both solve, rising.
    #[must_use]
    pub fn ratios(&self, first: &Column) -> Vec<f64> {
        let pairs = self.times.iter().zip(&first.times);
        let mut ratios: Vec<f64> = pairs.filter_map(|(t, f)| Some((*t)? / (*f)?)).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }

    /// One sentence on how much faster `first` is.
    #[must_use]
    pub fn compared(&self, first: &Column) -> String {
        let ratios = self.ratios(first);
        let Some(median) = median(&ratios) else {
            return format!(
                "{} and {} solve no problem in common",
                first.solver, self.solver
            );
        };
        let faster = ratios.iter().filter(|r| **r > 1.0).count();
        format!(
            "{} is faster than {} on {faster} of {} that both solve: {median:.1} times in the median, from {:.2} to {:.0}",
            first.solver,
            self.solver,
            ratios.len(),
            ratios[0],
            ratios[ratios.len() - 1]
        )
    }

    /// Its profile among `all`.
    #[must_use]
    pub fn profile(&self, all: &[Column]) -> Profile {
        let n = self.times.len();
        let mut factors: Vec<f64> = (0..n)
            .filter_map(|k| {
                let fastest = all
                    .iter()
                    .filter_map(|c| c.times[k])
                    .fold(f64::INFINITY, f64::min);
                self.times[k].map(|t| t / fastest)
            })
            .collect();
        factors.sort_by(f64::total_cmp);
        factors
            .iter()
            .enumerate()
            .map(|(k, &factor)| (factor, (k + 1) as f64 / n as f64))
            .collect()
    }
}

/// The share solved within the factor `tau`.
fn share(profile: &[(f64, f64)], tau: f64) -> f64 {
    let within = profile.partition_point(|p| p.0 <= tau);
    within.checked_sub(1).map_or(0.0, |k| profile[k].1)
}

/// Shares solved within some factors, a line for each solver.
#[must_use]
pub fn table(columns: &[Column], profiles: &[Profile]) -> String {
    const FACTORS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 100.0, f64::INFINITY];
    let mut lines = vec!["share solved within a factor of the fastest".to_string()];
    let heads = FACTORS.map(|f| format!("{f:>7}"));
    lines.push(format!("{:<16}{}", "", heads.concat()));
    for (column, profile) in columns.iter().zip(profiles) {
        let cells = FACTORS.map(|f| format!("{:>7.2}", share(profile, f)));
        lines.push(format!("{:<16}{}", column.solver, cells.concat()));
    }
    lines.join("\n")
}

/// The profiles in a picture.
#[must_use]
pub fn picture(columns: &[Column], profiles: &[Profile], title: String) -> Plot {
    columns.iter().zip(profiles).fold(
        Plot::new(title)
            .x(Axis::log("time over that of the fastest", ""))
            .y(Axis::linear("share of the problems", "").range(0.0, 1.0)),
        |plot, (column, profile)| plot.line(column.solver, &stairs(profile)),
    )
}

/// The profile as a line with steps, from the factor 1.
fn stairs(profile: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut line = vec![(1.0, 0.0)];
    for &(factor, share) in profile {
        let last = line[line.len() - 1].1;
        line.push((factor, last));
        line.push((factor, share));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> [Column<'static>; 2] {
        [
            Column {
                solver: "a",
                times: vec![Some(1.0), Some(4.0), None, Some(1.0)],
            },
            Column {
                solver: "b",
                times: vec![Some(3.0), Some(2.0), Some(1.0), None],
            },
        ]
    }

    /// Factors by hand: a is 1, 2 and 1 times as slow as the fastest, b 3, 1 and 1 times.
    #[test]
    fn profiles_count_all_problems_and_reach_the_share_solved() {
        let columns = columns();
        let [a, b] = [0, 1].map(|k| columns[k].profile(&columns));
        assert_eq!(a, [(1.0, 0.25), (1.0, 0.5), (2.0, 0.75)]);
        assert_eq!(b, [(1.0, 0.25), (1.0, 0.5), (3.0, 0.75)]);
        assert_eq!(
            [share(&a, 1.0), share(&a, 2.0), share(&b, 2.0)],
            [0.5, 0.75, 0.5]
        );
        assert_eq!(share(&[], 10.0), 0.0);
    }

    #[test]
    fn only_problems_that_both_solve_are_compared() {
        let [a, b] = columns();
        assert_eq!(b.ratios(&a), [0.5, 3.0]);
        assert!(b.compared(&a).starts_with("a is faster than b on 1 of 2"));
        let nothing = Column {
            solver: "c",
            times: vec![None; 4],
        };
        assert_eq!(nothing.compared(&a), "a and c solve no problem in common");
    }
}
