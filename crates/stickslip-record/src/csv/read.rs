//! Reads the bodies' CSV: ours, or another program's with the same columns.

use super::BODY_COLUMNS;
use super::rows::{RowError, Rows};
use crate::error::RecordError;
use crate::files::open_plain;
use crate::recorder::{STATE, state_of_numbers};
use crate::states::{Snapshot, States};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use stickslip_model::BodyState;

/// The states in a bodies' CSV.
///
/// A last step that is cut short (its last line does not end, or bodies are missing) is left out:
/// that is how a run that died leaves the file.
///
/// # Errors
/// If the file cannot be read, or its first line or first step is not that of a trajectory. What is
/// wrong further on comes with the states.
pub fn read_csv(path: &Path) -> Result<States<'static>, RecordError> {
    let file = open_plain(path).map_err(RecordError::io(path))?;
    open(path, BufReader::new(file))
}

/// One line of the file.
struct StateRow {
    t: f64,
    body: String,
    state: BodyState,
}

struct Reader<R> {
    path: PathBuf,
    rows: Rows<R>,
    /// Where each body stands in a snapshot.
    places: BTreeMap<String, usize>,
    /// The first step, and then the first row of the next one.
    first: Option<Snapshot>,
    ahead: Option<StateRow>,
    last_t: f64,
    done: bool,
}

fn open<R: BufRead + 'static>(path: &Path, input: R) -> Result<States<'static>, RecordError> {
    let mut reader = Reader {
        path: path.to_path_buf(),
        rows: Rows::new(input),
        places: BTreeMap::new(),
        first: None,
        ahead: None,
        last_t: f64::NEG_INFINITY,
        done: false,
    };
    let columns = reader.advance()?.then(|| reader.rows.fields.join(","));
    // Some programs start a CSV with a byte order mark.
    let columns = columns.as_deref().map(|c| c.trim_start_matches('\u{feff}'));
    if columns != Some(BODY_COLUMNS) {
        return Err(RecordError::NotATrajectory {
            path: reader.path,
            reason: format!("the first line is not `{BODY_COLUMNS}`"),
        });
    }
    // The bodies of the first step are the bodies of the run.
    let mut names: Vec<String> = Vec::new();
    let mut first = Snapshot::default();
    while let Some(row) = reader.row()? {
        if names.is_empty() {
            first.t = row.t;
        } else if row.t != first.t {
            reader.ahead = Some(row);
            break;
        }
        // A state before an impact and one after it have one time.
        if names.first().is_some_and(|first| *first == row.body) {
            reader.ahead = Some(row);
            break;
        }
        if reader
            .places
            .insert(row.body.clone(), names.len())
            .is_some()
        {
            return Err(reader.wrong(format!("body `{}` twice at {} s", row.body, row.t)));
        }
        names.push(row.body);
        first.bodies.push(row.state);
    }
    if names.is_empty() {
        return Err(RecordError::Truncated {
            path: reader.path,
            reason: "no step is whole".into(),
        });
    }
    reader.last_t = first.t;
    reader.first = Some(first);
    Ok(States {
        names,
        source: Box::new(reader),
    })
}

impl<R: BufRead> Reader<R> {
    fn wrong(&self, reason: impl Into<String>) -> RecordError {
        RecordError::Csv {
            path: self.path.clone(),
            line: self.rows.line,
            reason: reason.into(),
        }
    }

    fn advance(&mut self) -> Result<bool, RecordError> {
        self.rows.advance().map_err(|error| match error {
            RowError::Io(source) => RecordError::Io {
                path: self.path.clone(),
                source,
            },
            RowError::Form(reason) => self.wrong(reason),
        })
    }

    /// The next whole row; `None` at the end of the file or at a row without an end.
    fn row(&mut self) -> Result<Option<StateRow>, RecordError> {
        if let Some(row) = self.ahead.take() {
            return Ok(Some(row));
        }
        let more = match self.advance() {
            // A row cut off inside a quoted name: the writer died there.
            Err(RecordError::Csv { .. }) if !self.rows.ended => return Ok(None),
            more => more?,
        };
        if !more || !self.rows.ended {
            return Ok(None);
        }
        let fields = &self.rows.fields;
        if fields.len() != STATE.len() + 2 {
            let reason = format!("{} fields instead of {}", fields.len(), STATE.len() + 2);
            return Err(self.wrong(reason));
        }
        let number = |i: usize, column: &str| {
            let field = &fields[i];
            field
                .parse()
                .ok()
                .filter(|x: &f64| x.is_finite())
                .ok_or_else(|| self.wrong(format!("`{column}` is `{field}`, not a finite number")))
        };
        let t = number(0, "t")?;
        let mut numbers = [0.0; STATE.len()];
        for (i, column) in STATE.iter().enumerate() {
            numbers[i] = number(i + 2, column)?;
        }
        Ok(Some(StateRow {
            t,
            body: fields[1].clone(),
            state: state_of_numbers(&numbers),
        }))
    }

    fn step(&mut self) -> Result<Option<Snapshot>, RecordError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let n = self.places.len();
        let mut snapshot = Snapshot {
            t: 0.0,
            bodies: vec![BodyState::default(); n],
        };
        let mut seen = vec![false; n];
        for i in 0..n {
            let Some(row) = self.row()? else {
                return Ok(None);
            };
            if i == 0 {
                snapshot.t = row.t;
                if row.t < self.last_t {
                    return Err(self.wrong(format!("{} s after {} s", row.t, self.last_t)));
                }
            } else if row.t != snapshot.t {
                return Err(self.wrong(format!("{i} bodies at {} s, {n} before", snapshot.t)));
            }
            let Some(&place) = self.places.get(&row.body) else {
                let reason = format!("body `{}` is not in the first step", row.body);
                return Err(self.wrong(reason));
            };
            if std::mem::replace(&mut seen[place], true) {
                return Err(self.wrong(format!("body `{}` twice at {} s", row.body, row.t)));
            }
            snapshot.bodies[place] = row.state;
        }
        self.last_t = snapshot.t;
        Ok(Some(snapshot))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Snapshot, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step().transpose();
        self.done = !matches!(step, Some(Ok(_)));
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_testing::Random;

    fn read(text: &str) -> Result<(Vec<String>, Vec<Snapshot>), RecordError> {
        let states = open(Path::new("run.csv"), std::io::Cursor::new(text.to_owned()))?;
        let names = states.names.clone();
        let snapshots = states.collect::<Result<_, _>>()?;
        Ok((names, snapshots))
    }

    fn line(t: f64, name: &str) -> String {
        format!("{t},{name},1,2,3,1,0,0,0,0,0,0,0,0,-9.5e-3\n")
    }

    #[test]
    fn a_run_that_died_in_the_middle_of_a_line_keeps_its_whole_steps() {
        let mut text = format!("{BODY_COLUMNS}\n");
        for t in [0.0, 0.1, 0.2] {
            text += &(line(t, "a") + &line(t, "\"b,c\""));
        }
        let (names, snapshots) = read(&text).unwrap();
        assert_eq!(names, ["a", "b,c"]);
        assert_eq!(snapshots.len(), 3);
        assert_eq!(snapshots[2].bodies[1].twist.angular.z, -9.5e-3);
        let (_, cut) = read(&text[..text.len() - 3]).unwrap();
        assert_eq!(cut.len(), 2);
        let inside_the_name = text.rfind("b,c").unwrap() + 1;
        assert_eq!(read(&text[..inside_the_name]).unwrap().1.len(), 2);
    }

    #[test]
    fn an_impact_has_two_states_at_one_time() {
        let mut text = format!("{BODY_COLUMNS}\n");
        for t in [0.0, 0.0, 0.1, 0.2, 0.2] {
            text += &(line(t, "a") + &line(t, "b"));
        }
        let (names, snapshots) = read(&text).unwrap();
        assert_eq!(names, ["a", "b"]);
        let times: Vec<f64> = snapshots.iter().map(|s| s.t).collect();
        assert_eq!(times, [0.0, 0.0, 0.1, 0.2, 0.2]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let head = format!("{BODY_COLUMNS}\n{}{}", line(0.0, "a"), line(0.0, "b"));
        for (rest, expected) in [
            (
                line(0.1, "a") + &line(0.2, "b"),
                "run.csv:5: 1 bodies at 0.1 s, 2 before",
            ),
            (
                line(0.1, "a") + &line(0.1, "a"),
                "run.csv:5: body `a` twice",
            ),
            (
                line(0.1, "c"),
                "run.csv:4: body `c` is not in the first step",
            ),
            (line(-1.0, "a"), "run.csv:4: -1 s after 0 s"),
            ("1,a,3\n".into(), "run.csv:4: 3 fields instead of 15"),
            (
                line(0.1, "a").replace(",3,", ",NaN,"),
                "run.csv:4: `z` is `NaN`",
            ),
        ] {
            let message = read(&(head.clone() + &rest)).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        for text in ["", "t,x\n", "\n\n"] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, RecordError::NotATrajectory { .. }));
        }
        let error = read(&format!("{BODY_COLUMNS}\n")).unwrap_err();
        assert!(matches!(error, RecordError::Truncated { .. }));
    }

    #[test]
    fn damaged_and_truncated_files_are_refused_or_read_but_never_panic() {
        let mut text = format!("{BODY_COLUMNS}\n");
        for t in [0.0, 0.1, 0.2] {
            text += &(line(t, "a") + &line(t, "\"b,\"\"c\""));
        }
        let mut random = Random::new(7);
        let mut refused = 0;
        for round in 0..20_000 {
            let mut bytes = text.clone().into_bytes();
            if round % 4 == 0 {
                bytes.truncate(random.below(bytes.len()));
            } else {
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
            }
            let states = open(Path::new("run.csv"), std::io::Cursor::new(bytes));
            let result = states.and_then(|states| states.collect::<Result<Vec<_>, _>>());
            refused += usize::from(result.is_err());
        }
        assert!(refused > 5000, "{refused}");
    }
}
