//! Where the report goes: opened before anything is computed, written at the end.

use super::entry::Done;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use stickslip_console::Failure;

/// The files and the folder of a report.
pub(super) struct Places {
    page: (PathBuf, File),
    json: File,
    /// Path of the JSON.
    pub(super) beside: PathBuf,
    figures: Option<PathBuf>,
}

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |e| Failure::unwritten(path, e)
}

/// Opens a file to write, with the folders it lies in; what it holds stays until there is something better.
fn open(path: &Path) -> Result<File, Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(cannot(folder))?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(cannot(path))
}

fn replace(mut file: File, path: &Path, text: &str) -> Result<(), Failure> {
    file.set_len(0)
        .and_then(|()| file.write_all(text.as_bytes()))
        .map_err(cannot(path))
}

impl Places {
    pub(super) fn open(page: &Path, figures: Option<&Path>) -> Result<Self, Failure> {
        let beside = page.with_extension("json");
        if beside == page {
            return Err(Failure::Input(format!(
                "{}: the page needs another ending, .json is written beside it",
                page.display()
            )));
        }
        if let Some(folder) = figures {
            std::fs::create_dir_all(folder).map_err(cannot(folder))?;
        }
        Ok(Self {
            page: (page.to_owned(), open(page)?),
            json: open(&beside)?,
            beside,
            figures: figures.map(Path::to_owned),
        })
    }

    /// Writes everything; figures as PNG where they can be.
    pub(super) fn write(
        self,
        page: &str,
        json: &str,
        done: &[Done],
        png: bool,
    ) -> Result<(), Failure> {
        replace(self.page.1, &self.page.0, page)?;
        replace(self.json, &self.beside, json)?;
        let Some(folder) = self.figures else {
            return Ok(());
        };
        for done in done {
            let Ok(shown) = &done.shown else {
                continue;
            };
            for (k, figure) in shown.figures.iter().enumerate() {
                let name = format!("{}-{}", done.entry.id, k + 1);
                let (ending, bytes) = match &figure.drawing {
                    Some(drawing) if png => ("png", drawing.png(2.0)),
                    _ => ("svg", figure.svg.clone().into_bytes()),
                };
                let path = folder.join(format!("{name}.{ending}"));
                std::fs::write(&path, bytes).map_err(cannot(&path))?;
            }
        }
        Ok(())
    }
}
