//! The values that a parameter takes: `0.1:0.8:15`, `1,2,5`, `0.1:0.8`.

use crate::error::SweepError;

/// The values that one parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// These, as they would stand in the scene.
    List(Vec<String>),
    /// Every number from one to the other, for random points; in equal ratios where `log`.
    Interval {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
        /// Evenly in the logarithm.
        log: bool,
    },
}

/// The most values of one parameter.
const MOST_VALUES: usize = 10_000_000;

/// Reads `KEY=RANGE`.
///
/// # Errors
/// [`SweepError::Input`] says what was expected.
pub fn parse_parameter(text: &str) -> Result<(String, Range), SweepError> {
    let wrong = |why: &str| SweepError::Input(format!("{text}: {why}"));
    let (key, range) = text.split_once('=').ok_or_else(|| {
        wrong("expected KEY=RANGE, such as friction=0.1:0.8:15 or body.box.mass=1,2,5")
    })?;
    if key.trim().is_empty() {
        return Err(wrong("the key is missing before `=`"));
    }
    let range = Range::parse(range.trim()).map_err(|why| wrong(&why))?;
    Ok((key.trim().to_owned(), range))
}

impl Range {
    /// Reads `a:b:n` (n values from a to b), `a:b:n:log` (in equal ratios), `a:b` and `a:b:log` (every number between, for random points), or a
    /// list with commas between.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the range is empty".into());
        }
        let words: Vec<&str> = text.split(':').map(str::trim).collect();
        let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite());
        // How other languages write ranges; a file's name may have two dots as well.
        if let Some((from, to)) = text.split_once("..") {
            let to = to.trim_start_matches('=').split([':', ',']).next();
            let ends = [Some(from), to].map(|end| number(end?.trim()));
            if ends.iter().all(Option::is_some) {
                return Err("a range is FROM:TO:COUNT, such as 0.1:0.8:15".into());
            }
        }
        let (words, log) = match words.as_slice() {
            [rest @ .., "log"] if rest.len() >= 2 => (rest.to_vec(), true),
            _ => (words, false),
        };
        let (Some(low), Some(high)) =
            (number(words[0]), words.get(1).and_then(|word| number(word)))
        else {
            return list(text);
        };
        if log && !(low > 0.0 && high > 0.0) {
            return Err("equal ratios need numbers above zero".into());
        }
        match words[2..] {
            [] if low < high => Ok(Self::Interval { low, high, log }),
            [] => Err(format!("there is nothing between {low} and {high}")),
            [count] => {
                let count = count.parse::<usize>().map_err(|_| {
                    format!("`{count}` is no number of values: a range is FROM:TO:COUNT")
                })?;
                values(low, high, count, log)
            }
            _ => Err("a range is FROM:TO:COUNT, and :log for equal ratios".into()),
        }
    }

    /// The value at a part of it, from 0 to 1: for a list, each has an equal part.
    #[must_use]
    pub fn at(&self, part: f64) -> String {
        match self {
            Self::List(values) => {
                let k = (part * values.len() as f64) as usize;
                values[k.min(values.len() - 1)].clone()
            }
            Self::Interval { low, high, log } => shown(between(*low, *high, part, *log)),
        }
    }
}

fn between(low: f64, high: f64, part: f64, log: bool) -> f64 {
    if log {
        libm::exp(libm::log(low) * (1.0 - part) + libm::log(high) * part)
    } else {
        low + (high - low) * part
    }
}

/// A number to fifteen digits, in as few as say it: 0.15, not 0.15000000000000002.
fn shown(x: f64) -> String {
    let rounded: f64 = format!("{x:.14e}").parse().unwrap_or(x);
    rounded.to_string()
}

fn values(low: f64, high: f64, count: usize, log: bool) -> Result<Range, String> {
    match count {
        0 => return Err("no value at all".into()),
        1 if low != high => return Err("one value cannot be at both ends".into()),
        n if n > MOST_VALUES => return Err(format!("at most {MOST_VALUES} values")),
        n if n > 1 && low == high => return Err(format!("{n} values, all of them {low}")),
        _ => {}
    }
    let last = (count - 1).max(1) as f64;
    // The ends are as they were given.
    let value = |k: usize| match k {
        0 => low,
        k if k + 1 == count => high,
        k => between(low, high, k as f64 / last, log),
    };
    Ok(Range::List((0..count).map(|k| shown(value(k))).collect()))
}

/// Values with commas between, but for commas inside brackets and quotes.
fn list(text: &str) -> Result<Range, String> {
    let (mut depth, mut quoted) = (0i32, None);
    let mut words = vec![String::new()];
    for c in text.chars() {
        match (c, quoted) {
            ('"' | '\'', None) => quoted = Some(c),
            (c, Some(q)) if c == q => quoted = None,
            ('[' | '{' | '(', None) => depth += 1,
            (']' | '}' | ')', None) => depth -= 1,
            (',', None) if depth == 0 => {
                words.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    let words: Vec<String> = words.iter().map(|word| word.trim().to_owned()).collect();
    if words.iter().any(String::is_empty) {
        return Err("a value is missing between two commas".into());
    }
    let mut sorted = words.clone();
    sorted.sort();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("`{}` is given twice", twice[0]));
    }
    Ok(Range::List(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        match Range::parse(text) {
            Ok(Range::List(values)) => values,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn ranges_lists_and_intervals_are_read() {
        assert_eq!(values("0.1:0.3:3"), ["0.1", "0.2", "0.3"]);
        assert_eq!(values("0:0.3:7")[3], "0.15");
        assert_eq!(values("1:100:3:log"), ["1", "10", "100"]);
        assert_eq!(values("5:5:1"), ["5"]);
        assert_eq!(values("1, 2,5"), ["1", "2", "5"]);
        assert_eq!(values("[0,0,1],[0,0,2]"), ["[0,0,1]", "[0,0,2]"]);
        assert_eq!(values("nsgs,lemke"), ["nsgs", "lemke"]);
        assert_eq!(values("pyramid:8,pyramid:16"), ["pyramid:8", "pyramid:16"]);
        assert_eq!(values("max(1, 2)"), ["max(1, 2)"]);
        assert_eq!(
            values("../parts/a.obj,../parts/b.obj"),
            ["../parts/a.obj", "../parts/b.obj"]
        );
        assert_eq!(values("1..2.obj"), ["1..2.obj"]);
        let interval = Range::parse("-1:3").expect("an interval");
        assert_eq!(
            (interval.at(0.0), interval.at(0.5)),
            ("-1".into(), "1".into())
        );
        let ratios = Range::parse("1:100:log").expect("an interval");
        assert_eq!(ratios.at(0.5), "10");
        assert_eq!(Range::parse("a,b").expect("a list").at(0.99), "b");
    }

    #[test]
    fn nonsense_has_a_clear_word() {
        for (text, word) in [
            ("", "empty"),
            ("1:0:0", "no value"),
            ("3:1", "nothing between"),
            ("1:1", "nothing between"),
            ("0:1:2.5", "no number of values"),
            ("0:1:1", "both ends"),
            ("2:2:5", "all of them"),
            ("0:1:99999999999", "at most"),
            ("1,,2", "missing"),
            ("1,", "missing"),
            ("1,2,1", "twice"),
            ("0:1:3:log", "above zero"),
            ("1:2:3:4", "FROM:TO:COUNT"),
            ("0.1..0.8", "FROM:TO:COUNT"),
            ("1 ..= 5", "FROM:TO:COUNT"),
            ("0.1..0.8:15", "FROM:TO:COUNT"),
            ("1...5", "FROM:TO:COUNT"),
        ] {
            let error = Range::parse(text).expect_err(text);
            assert!(error.contains(word), "{text}: {error}");
        }
        let error = parse_parameter("friction")
            .expect_err("no range")
            .to_string();
        assert!(error.contains("expected KEY=RANGE"), "{error}");
    }
}
