//! `stickslip run --resume OUT.parquet`: the file knows its scene and where the run stood.

use super::outputs::is_parquet;
use super::{Args, Run};
use std::path::Path;
use stickslip::dynamics::check::world_in;
use stickslip::record::{Every, ParquetWriter, Reader, RecordError, Resumed};
use stickslip_console::{Failure, Verdict};

impl Args {
    /// Goes on with the run that was to write `file`; what is to lie beside it is made from it afterwards.
    pub(super) fn go_on(&self, file: &Path) -> Result<Verdict, Failure> {
        if let Some(path) = self.output.iter().find(|path| is_parquet(path)) {
            return Err(Failure::Input(format!(
                "-o {}: a run that goes on has its Parquet file; made from it can be a .csv or .html",
                path.display()
            )));
        }
        let verdict = match ParquetWriter::resume(file) {
            Ok(resumed) => self.rest(file, resumed)?,
            Err(RecordError::Unresumable { reason, .. })
                if !self.output.is_empty() && is_parquet(file) && file.is_file() =>
            {
                eprintln!("note: {}: {reason}", file.display());
                Verdict::Good
            }
            Err(e) => return Err(e.into()),
        };
        if !self.output.is_empty() {
            self.make_from(file)?;
        }
        Ok(verdict)
    }

    /// The steps that are left.
    fn rest(&self, file: &Path, resumed: Resumed) -> Result<Verdict, Failure> {
        let Resumed {
            writer,
            header,
            memory,
        } = resumed;
        let writer = writer.save_every(self.save_every);
        let (scene, world) = world_in(&header)?;
        // A wrong ending is told now, not after the run.
        self.outputs(file).recorder(&scene, &world)?;
        self.tell_of_others(file);
        let (recorder, memory) = match memory {
            None => {
                eprintln!("note: the run died before its first step was saved: it begins anew");
                (Every::new(header.every, writer), None)
            }
            Some(memory) => {
                let damaged = || {
                    Failure::Record(RecordError::Damaged {
                        path: file.to_path_buf(),
                        reason: "what the run remembered is no such thing".into(),
                    })
                };
                let resumed = Every::resume(header.every, writer, &memory).ok_or_else(damaged)?;
                (resumed.0, Some(resumed.1))
            }
        };
        self.finish(Run {
            scene: &scene,
            world,
            recorder,
            memory,
            written: &[file.to_path_buf()],
        })
    }

    /// What has the run's name and is not made anew may have been begun by it.
    fn tell_of_others(&self, file: &Path) {
        let beside = ["csv", "html"].map(|ending| file.with_extension(ending));
        let stays = |path: &&std::path::PathBuf| path.exists() && !self.output.contains(path);
        for path in beside.iter().filter(stays) {
            let name = path.display();
            eprintln!("note: {name} stays as it is; -o {name} makes it from the whole run");
        }
    }

    /// Tables and pages of what is in the file, through the writers that a run has.
    fn make_from(&self, file: &Path) -> Result<(), Failure> {
        let mut reader = Reader::open(file)?;
        let (scene, world) = world_in(&reader.header)?;
        let mut outputs = self.outputs(file).recorder(&scene, &world)?;
        reader.play(&mut outputs)?;
        for warning in reader.warnings.iter().chain(&reader.seal().warning()) {
            eprintln!("note: {warning}");
        }
        for path in &self.output {
            eprintln!("written {}", path.display());
        }
        Ok(())
    }
}
