//! The folder of a sweep: `sweep.json` says what it is, `runs/ab/KEY.json` is a run that is done, `trajectories` holds those that are
//! kept, `runs.parquet` and `runs.csv` are the table of all. Files are written beside their place and renamed: what is there is whole.

use crate::error::SweepError;
use crate::row::RunRow;
use crate::sweep::{Description, Sweep, same_bits, trajectory};
use crate::table;
use std::fs;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use stickslip::record::files;
use stickslip::record::parquet::{Cells, SWEEP_NOTE, TableColumn, write_table};

const ABOUT: &str = "sweep.json";

/// Where the rows of a sweep are kept.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    limited: bool,
    size: Size,
}

/// Values and results of each row.
#[derive(Clone, Copy, Debug)]
struct Size {
    values: usize,
    results: usize,
}

impl Size {
    const fn of(sweep: &Description) -> Self {
        Self {
            values: sweep.parameters.len(),
            results: sweep.of.len(),
        }
    }
}

/// A sweep as it was found in a folder.
#[derive(Debug)]
pub struct Stored {
    /// What it is.
    pub description: Description,
    /// Its rows that are done, in the order of their files.
    pub rows: Vec<RunRow>,
}

impl Folder {
    /// Takes a folder for a sweep: an empty one, one that is made, or one in which the same sweep was begun.
    ///
    /// # Errors
    /// Where it holds anything else.
    pub fn open(path: &Path, sweep: &Sweep) -> Result<Self, SweepError> {
        let about = path.join(ABOUT);
        let folder = Self {
            path: path.to_path_buf(),
            limited: sweep.limit.is_some(),
            size: Size::of(sweep.description()),
        };
        if !about.is_file() {
            if path.exists() && !path.is_dir() {
                return Err(folder.taken("there is a file of this name".into()));
            }
            fs::create_dir_all(path).map_err(SweepError::io(path))?;
            if folder.holds_others()? && !about.is_file() {
                let reason = "something else than a sweep is in this folder";
                return Err(folder.taken(reason.into()));
            }
            let text = serde_json::to_string_pretty(sweep.description()).unwrap_or_default();
            files::replace(&about, text.as_bytes()).map_err(SweepError::io(&about))?;
        }
        // Another sweep may have been begun here in the same moment.
        let found = description(path)?;
        folder.check_same(&found, sweep.description())?;
        Ok(folder)
    }

    /// Is there anything but what a sweep that was killed in its first moment leaves, or another part that begins right now?
    fn holds_others(&self) -> Result<bool, SweepError> {
        let ours = |name: &str| name.starts_with(ABOUT) && name.ends_with(files::UNFINISHED);
        let entries = sorted(&self.path)?;
        let mut names = entries.iter().map(|path| path.file_name());
        Ok(names.any(|name| !name.and_then(|n| n.to_str()).is_some_and(ours)))
    }

    fn taken(&self, reason: String) -> SweepError {
        SweepError::Taken {
            path: self.path.clone(),
            reason,
        }
    }

    fn check_same(&self, found: &Description, wanted: &Description) -> Result<(), SweepError> {
        let differs = [
            (
                found.version != wanted.version,
                "was done by another version",
            ),
            (
                found.scene != wanted.scene,
                "is of another scene, or of one that has changed",
            ),
            (found.set != wanted.set, "has other settings"),
            (
                found.parameters != wanted.parameters,
                "has other parameters",
            ),
            (
                found.points != wanted.points,
                "has other values of its parameters",
            ),
            (found.of != wanted.of, "asks for other results"),
            (found.limit != wanted.limit, "has another limit"),
        ];
        match differs.iter().find(|(differs, _)| *differs) {
            Some((_, how)) => Err(self.taken(format!("it holds a sweep that {how}"))),
            None => Ok(()),
        }
    }

    fn row_path(&self, key: &str) -> PathBuf {
        self.path
            .join("runs")
            .join(&key[..2])
            .join(format!("{key}.json"))
    }

    /// The row of a run that is done; what is no row of this sweep counts as none.
    #[must_use]
    pub fn row(&self, key: &str) -> Option<RunRow> {
        read_row(&self.row_path(key), self.size).filter(|row| row.key == key)
    }

    /// Is the trajectory of a run kept?
    pub(crate) fn has_trajectory(&self, key: &str) -> bool {
        trajectory(&self.path, key).is_file()
    }

    /// Keeps a row. A run that was done before must have ended in the same states.
    ///
    /// # Errors
    /// Where it has not, or the row cannot be written.
    pub fn put(&self, row: &RunRow) -> Result<(), SweepError> {
        if let Some(first) = self.row(&row.key) {
            return same_bits(&first, row, self.limited);
        }
        let path = self.row_path(&row.key);
        let parent = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(parent).map_err(SweepError::io(parent))?;
        let text = serde_json::to_string(row).unwrap_or_default();
        files::replace(&path, text.as_bytes()).map_err(SweepError::io(&path))
    }

    /// Makes room for trajectories.
    pub(crate) fn make_trajectories(&self) -> Result<(), SweepError> {
        let path = trajectory(&self.path, "");
        let folder = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).map_err(SweepError::io(folder))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `runs.parquet` and the same as text, `runs.csv`, from these rows; the path of the first.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write_table(&self, sweep: &Sweep, rows: &[RunRow]) -> Result<PathBuf, SweepError> {
        let path = self.path.join("runs.parquet");
        let about = serde_json::to_string(sweep.description()).unwrap_or_default();
        let columns = columns(sweep, rows);
        write_table(&path, &columns, &[(SWEEP_NOTE, about)])?;
        let text = path.with_extension("csv");
        files::replace(&text, table::csv(&columns).as_bytes()).map_err(SweepError::io(&text))?;
        Ok(path)
    }
}

impl Stored {
    /// Reads the folder of a sweep.
    ///
    /// # Errors
    /// Where there is none.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let description = description(path)?;
        let size = Size::of(&description);
        let groups = sorted(&path.join("runs"))?;
        let mut rows = Vec::new();
        for group in groups.iter().filter(|group| group.is_dir()) {
            let files = sorted(group)?;
            rows.extend(files.iter().filter_map(|file| read_row(file, size)));
        }
        Ok(Self { description, rows })
    }
}

fn description(path: &Path) -> Result<Description, SweepError> {
    let about = path.join(ABOUT);
    let text = fs::read_to_string(&about).map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            SweepError::Input(format!("{}: there is no sweep here", path.display()))
        }
        _ => SweepError::io(&about)(e),
    })?;
    serde_json::from_str(&text).map_err(|e| SweepError::Taken {
        path: path.to_path_buf(),
        reason: format!("its {ABOUT} is not that of a sweep ({e})"),
    })
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(SweepError::io(folder))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(SweepError::io(folder))?.path());
    }
    paths.sort();
    Ok(paths)
}

fn read_row(path: &Path, size: Size) -> Option<RunRow> {
    let whole = path.extension().is_some_and(|e| e == "json");
    let file = whole.then(|| files::open_plain(path).ok())??;
    let row: RunRow = serde_json::from_reader(BufReader::new(file)).ok()?;
    let fits = row.values.len() == size.values && row.results.len() == size.results;
    fits.then_some(row)
}

/// The table: a column for each parameter by its name, how the run ended, and a column for each result.
pub(crate) fn columns(sweep: &Sweep, rows: &[RunRow]) -> Vec<TableColumn> {
    let column = |name: &str, unit: &str, cells| TableColumn {
        name: name.into(),
        unit: unit.into(),
        cells,
    };
    let text = |of: &dyn Fn(&RunRow) -> Option<String>| Cells::Text(rows.iter().map(of).collect());
    let real = |of: &dyn Fn(&RunRow) -> Option<f64>| Cells::Real(rows.iter().map(of).collect());
    let mut all = Vec::new();
    for (k, (key, _)) in sweep.parameters.iter().enumerate() {
        let number = |row: &RunRow| row.values[k].parse::<f64>().ok();
        let cells = if rows.iter().all(|row| number(row).is_some()) {
            real(&number)
        } else {
            text(&|row| Some(row.values[k].clone()))
        };
        all.push(column(key, "", cells));
    }
    let steps = rows.iter().map(|row| i64::try_from(row.steps).ok());
    all.extend([
        column("state", "", text(&|row| Some(row.state.name().into()))),
        column("steps", "", Cells::Int(steps.collect())),
        column("worst", "m/s", real(&|row| Some(row.worst))),
        column("hash", "", text(&|row| Some(row.hash.clone()))),
        column("seconds", "s", real(&|row| Some(row.seconds))),
    ]);
    for (k, asked) in sweep.asked.iter().enumerate() {
        let cells = real(&|row| row.results.get(k).copied().flatten());
        all.push(column(&asked.name, asked.unit(), cells));
    }
    all.push(column("why", "", text(&|row| row.why.clone())));
    all.push(column("key", "", text(&|row| Some(row.key.clone()))));
    all
}
