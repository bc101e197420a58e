//! The files a run is recorded to.

use crate::options::{quoted, title_of};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickslip::prelude::{Scene, World};
use stickslip::record::csv::{contacts_path, joints_path};
use stickslip::record::files::check_plain;
use stickslip::record::parquet::{Paths, left_at};
use stickslip::record::{CsvWriter, Lock, ParquetWriter, RecordError, Tee};
use stickslip_console::{Failure, time};
use stickslip_view::PageWriter;

/// What is to be written.
pub(super) struct Outputs<'a> {
    pub(super) files: &'a [PathBuf],
    /// The scene's own file, which must stay.
    pub(super) scene: &'a Path,
    /// Contacts and joints beside a CSV.
    pub(super) contacts: bool,
    pub(super) joints: bool,
    /// Begin anew where a run was killed that could go on?
    pub(super) overwrite: bool,
    /// Time between saves of a Parquet file.
    pub(super) save_every: Duration,
}

impl Outputs<'_> {
    /// A writer for each file; refuses endings that are not known and files that would be written over.
    pub(super) fn recorder(&self, scene: &Scene, world: &World) -> Result<Tee<'static>, Failure> {
        let mut tee = Tee::new();
        let mut written: Vec<PathBuf> = Vec::new();
        for path in self.files {
            check_name(path)?;
            check_place(path)?;
            // What is written beside it counts too.
            let mut files = vec![path.clone()];
            tee = match ending(path).as_str() {
                "parquet" => {
                    self.check_left(path)?;
                    files.extend(Paths::new(path).tables.into_iter().skip(1));
                    tee.with(ParquetWriter::new(path).save_every(self.save_every))
                }
                "csv" => {
                    files.extend(self.contacts.then(|| contacts_path(path)));
                    files.extend(self.joints.then(|| joints_path(path)));
                    tee.with(self.csv(path))
                }
                "html" => tee.with(PageWriter::new(
                    path,
                    title_of(scene),
                    world.model().clone(),
                )),
                _ => {
                    return Err(Failure::Input(format!(
                        "{}: what to write is told by the ending, which must be .parquet, .csv or .html",
                        path.display()
                    )));
                }
            };
            for file in files {
                self.check_free(&file, &written)?;
                written.push(file);
            }
        }
        self.check_flags()?;
        Ok(tee)
    }

    /// Refuses to begin where a run was killed: what it saved would be lost.
    fn check_left(&self, path: &Path) -> Result<(), Failure> {
        let Some(t) = left_at(path).filter(|_| !self.overwrite) else {
            return Ok(());
        };
        let file = path.display().to_string();
        Err(Failure::Input(format!(
            "{file}: a run that was killed is here, saved to t = {} s\nhelp: `stickslip run --resume {}` goes on with it; with --overwrite a new one takes its place",
            time(t),
            quoted(&file)
        )))
    }

    fn csv(&self, path: &Path) -> CsvWriter {
        let mut csv = CsvWriter::new(path);
        if self.contacts {
            csv = csv.with_contacts();
        }
        if self.joints {
            csv = csv.with_joints();
        }
        csv
    }

    /// Refuses to write over the scene or over what this run writes.
    fn check_free(&self, file: &Path, written: &[PathBuf]) -> Result<(), Failure> {
        let refuse = |why: &str| Err(Failure::Input(format!("{}: {why}", file.display())));
        if same_file(self.scene, file) {
            return refuse("the scene would be overwritten");
        }
        if written.iter().any(|other| same_file(other, file)) {
            return refuse("this file would be written twice");
        }
        Ok(())
    }

    /// Refuses flags of a CSV where none is written.
    fn check_flags(&self) -> Result<(), Failure> {
        let any_csv = self.files.iter().any(|path| ending(path) == "csv");
        for (asked, flag) in [(self.contacts, "--contacts"), (self.joints, "--joints")] {
            if asked && !any_csv {
                return Err(Failure::Input(format!(
                    "{flag}: needs an output that ends in .csv (a .parquet has them anyway)"
                )));
            }
        }
        Ok(())
    }
}

/// Refuses what is no plain file and what another run is writing, before any output is begun.
fn check_place(path: &Path) -> Result<(), Failure> {
    check_plain(path).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?;
    match Lock::holder_of(path) {
        Some(id) => Err(Failure::Record(RecordError::Taken {
            path: path.to_path_buf(),
            process: Some(id),
        })),
        None => Ok(()),
    }
}

/// Refuses a name that another run would use for what it writes beside its own.
fn check_name(path: &Path) -> Result<(), Failure> {
    let stem = path.file_stem().map(Path::new).map(ending);
    let sister = stem.filter(|stem| ["contacts", "steps", "joints"].contains(&stem.as_str()));
    match sister.filter(|_| ending(path) == "parquet") {
        Some(sister) => Err(Failure::Input(format!(
            "{}: files of {sister} have such names, beside those of the bodies; choose another",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// The ending of a file's name, in small letters.
fn ending(path: &Path) -> String {
    let ending = path.extension().and_then(|e| e.to_str());
    ending.unwrap_or_default().to_ascii_lowercase()
}

pub(super) fn is_parquet(path: &Path) -> bool {
    ending(path) == "parquet"
}

/// Do two paths lead to one file, however they are written? A file that is not there yet counts by its folder and name.
fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        std::fs::canonicalize(path).ok().or_else(|| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    a == b || matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}
