//! Which points of the ranges are run.

use crate::error::SweepError;
use crate::range::Range;
use stickslip_random::Random;

/// The most runs of one sweep.
pub const MOST_RUNS: usize = 10_000_000;

/// The values of the parameters, in their order.
pub type Point = Vec<String>;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every combination; the last parameter changes fastest.
    Grid,
    /// So many points, each by itself, with a seed.
    Random(usize, u64),
    /// A Latin hypercube: each parameter's range is cut into as many parts as there are points, and each part has one.
    LatinHypercube(usize, u64),
}

impl Choice {
    /// All points, in an order that depends on nothing else.
    pub(crate) fn points(self, ranges: &[Range]) -> Result<Vec<Point>, SweepError> {
        let none = || SweepError::Input("a sweep needs parameters: KEY=RANGE".into());
        if ranges.is_empty() {
            return Err(none());
        }
        match self {
            Self::Grid => grid(ranges),
            Self::Random(samples, seed) => {
                check_count(samples as u128)?;
                let mut random = Random::new(seed);
                let mut point = || ranges.iter().map(|r| r.at(random.unit())).collect();
                Ok((0..samples).map(|_| point()).collect())
            }
            Self::LatinHypercube(samples, seed) => {
                check_count(samples as u128)?;
                Ok(hypercube(ranges, samples, seed))
            }
        }
    }
}

fn check_count(runs: u128) -> Result<(), SweepError> {
    match runs {
        0 => Err(SweepError::Input("no run at all".into())),
        n if n > MOST_RUNS as u128 => Err(SweepError::Input(format!(
            "{n} runs: at most {MOST_RUNS} are done in one sweep"
        ))),
        _ => Ok(()),
    }
}

fn grid(ranges: &[Range]) -> Result<Vec<Point>, SweepError> {
    let lists = ranges.iter().map(|range| match range {
        Range::List(values) => Ok(values),
        Range::Interval { low, high, .. } => Err(SweepError::Input(format!(
            "{low}:{high}: a grid needs to know how many values ({low}:{high}:COUNT); every number between is for --random and --lhs"
        ))),
    });
    let lists = lists.collect::<Result<Vec<_>, _>>()?;
    let runs = lists.iter().map(|values| values.len() as u128);
    let runs = runs.fold(1u128, u128::saturating_mul);
    check_count(runs)?;
    let point = |mut k: usize| {
        let mut point: Vec<String> = Vec::new();
        for values in lists.iter().rev() {
            point.push(values[k % values.len()].clone());
            k /= values.len();
        }
        point.reverse();
        point
    };
    Ok((0..runs as usize).map(point).collect())
}

fn hypercube(ranges: &[Range], samples: usize, seed: u64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut points = vec![Point::new(); samples];
    for range in ranges {
        let mut parts: Vec<usize> = (0..samples).collect();
        for k in (1..samples).rev() {
            parts.swap(k, random.below(k + 1));
        }
        for (point, part) in points.iter_mut().zip(parts) {
            point.push(range.at((part as f64 + random.unit()) / samples as f64));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(texts: &[&str]) -> Vec<Range> {
        let parsed = texts
            .iter()
            .map(|text| Range::parse(text).expect("a range"));
        parsed.collect()
    }

    #[test]
    fn a_grid_has_every_combination_once() {
        let points = Choice::Grid
            .points(&ranges(&["1,2", "a,b,c"]))
            .expect("points");
        let words: Vec<String> = points.iter().map(|p| p.concat()).collect();
        assert_eq!(words, ["1a", "1b", "1c", "2a", "2b", "2c"]);
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_part() {
        let n = 97;
        let points = Choice::LatinHypercube(n, 5).points(&ranges(&["0:1", "-3:7"]));
        let points = points.expect("points");
        for (k, low, high) in [(0, 0.0, 1.0), (1, -3.0, 7.0)] {
            let part = |p: &Point| {
                let x: f64 = p[k].parse().expect("a number");
                ((x - low) / (high - low) * n as f64) as usize
            };
            let mut parts: Vec<usize> = points.iter().map(part).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..n).collect::<Vec<_>>());
        }
        let again = Choice::LatinHypercube(n, 5).points(&ranges(&["0:1", "-3:7"]));
        assert_eq!(again.expect("points"), points);
        let other = Choice::LatinHypercube(n, 6).points(&ranges(&["0:1", "-3:7"]));
        assert_ne!(other.expect("points"), points);
    }

    #[test]
    fn too_many_none_and_unbounded_grids_are_refused() {
        let refused = |choice: Choice, texts: &[&str]| {
            choice
                .points(&ranges(texts))
                .expect_err("refused")
                .to_string()
        };
        let many = ["0:1:10000"; 3];
        assert!(refused(Choice::Grid, &many).contains("1000000000000 runs: at most 10000000"));
        assert!(refused(Choice::Grid, &["0:1"]).contains("how many values"));
        assert!(refused(Choice::Grid, &[]).contains("needs parameters"));
        assert!(refused(Choice::Random(0, 1), &["0:1"]).contains("no run"));
        let huge = 1_000_000_000_000;
        assert!(refused(Choice::LatinHypercube(huge, 1), &["0:1"]).contains("at most"));
    }
}
