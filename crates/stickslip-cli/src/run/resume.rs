//! `stickslip run --resume OUT.parquet`: the file knows its scene and where the run stood.

use super::{Args, Run};
use std::path::Path;
use stickslip::dynamics::check::scene_in;
use stickslip::prelude::World;
use stickslip::record::{Every, ParquetWriter, RecordError, Resumed};
use stickslip_console::{Failure, Verdict};

impl Args {
    /// Goes on with the run that was to write `file`.
    pub(super) fn go_on(&self, file: &Path) -> Result<Verdict, Failure> {
        let Resumed {
            writer,
            header,
            memory,
        } = ParquetWriter::resume(file)?;
        let writer = writer.save_every(self.save_every);
        let scene = scene_in(&header)?;
        let world = World::from_scene(&scene)?;
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
}
