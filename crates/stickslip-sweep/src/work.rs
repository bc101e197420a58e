//! All runs of a sweep, or a part of them, on all cores.

use crate::error::SweepError;
use crate::folder::Folder;
use crate::row::RunRow;
use crate::sweep::{Keep, Sweep};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often it is asked whether somebody wants to end it.
const LOOK: Duration = Duration::from_millis(50);

/// Which of the runs are done here: those whose number leaves `index` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 0.
    pub index: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Part {
    /// All of it.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Reads `3/40`: the third of forty.
    ///
    /// # Errors
    /// Where it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(k, n)| {
            Some((
                k.trim().parse::<usize>().ok()?,
                n.trim().parse::<usize>().ok()?,
            ))
        });
        match numbers {
            Some((k, of)) if (1..=of).contains(&k) => Ok(Self { index: k - 1, of }),
            _ => Err("expected a part such as 3/40, the third of forty".into()),
        }
    }

    const fn has(self, run: usize) -> bool {
        run % self.of == self.index
    }
}

/// How far a sweep has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are done, those found done before included.
    pub done: usize,
    /// Those found done before.
    pub found: usize,
    /// Those that did not come to their end.
    pub failed: usize,
    /// All of this part.
    pub of: usize,
}

/// Does every run of the part that is not done yet. `progress` hears of each, from any thread; `interrupted` is asked from this one, now and
/// then: when it says so, runs at hand are dropped and no other is begun. The rows of the whole sweep that are done then, in the order of its points, and how far this part came.
///
/// # Errors
/// Where a row or a trajectory cannot be written, or a run done twice ended in different states.
pub fn work(
    sweep: &Sweep,
    folder: &Folder,
    (part, keep, threads): (Part, Keep, usize),
    progress: &(dyn Fn(Progress) + Sync),
    interrupted: &dyn Fn() -> bool,
) -> Result<(Vec<RunRow>, Progress), SweepError> {
    if keep != Keep::Nothing {
        folder.make_trajectories()?;
    }
    let runs = sweep.points().len();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed);
    let rows: Mutex<Vec<Option<RunRow>>> = Mutex::new(vec![None; runs]);
    let of = (0..runs).filter(|&run| part.has(run)).count();
    let state = Mutex::new(Progress {
        of,
        ..Progress::default()
    });
    let worker = |_working: Sender<()>| -> Result<(), SweepError> {
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs || stopped() {
                return Ok(());
            }
            let done = one(sweep, folder, (run, part, keep), &stopped);
            let done = done.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            let Some((row, found)) = done else {
                continue;
            };
            if part.has(run) {
                let mut state = state.lock().unwrap_or_else(|e| e.into_inner());
                state.done += 1;
                state.found += usize::from(found);
                state.failed += usize::from(!row.state.ended());
                progress(*state);
            }
            rows.lock().unwrap_or_else(|e| e.into_inner())[run] = Some(row);
        }
    };
    std::thread::scope(|scope| {
        let (working, ended) = channel::<()>();
        let begin = |working: Sender<()>| scope.spawn(|| worker(working));
        let workers = (0..threads.max(1)).map(|_| begin(working.clone()));
        let workers: Vec<_> = workers.collect();
        drop(working);
        // Until the last of them has ended.
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            stop.fetch_or(interrupted(), Ordering::Relaxed);
        }
        let ended = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect::<Result<Vec<()>, _>>()
    })?;
    let rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
    let state = state.into_inner().unwrap_or_else(|e| e.into_inner());
    Ok((rows.into_iter().flatten().collect(), state))
}

/// The row of a run, and whether it was there; `None` where it is not, and belongs to another part or was interrupted.
fn one(
    sweep: &Sweep,
    folder: &Folder,
    (run, part, keep): (usize, Part, Keep),
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<(RunRow, bool)>, SweepError> {
    let prepared = sweep.prepare(&sweep.points()[run]);
    let found = folder.row(&prepared.key);
    // A run whose trajectory is wanted only now is done once more, to the same bits.
    let lacks = |row: &RunRow| keep.wants(row.state) && !folder.has_trajectory(&row.key);
    if !part.has(run) || found.as_ref().is_some_and(|row| !lacks(row)) {
        return Ok(found.map(|row| (row, true)));
    }
    let Some(row) = sweep.run(&prepared, (keep, folder.path()), interrupted)? else {
        return Ok(found.map(|row| (row, true)));
    };
    folder.put(&row)?;
    Ok(Some((found.unwrap_or(row), false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_cover_everything_once() {
        for bad in ["", "0/3", "4/3", "1", "a/b", "1/0", "-1/3"] {
            assert!(Part::parse(bad).is_err(), "{bad}");
        }
        let parts: Vec<Part> = (1..=7)
            .map(|k| Part::parse(&format!("{k}/7")).expect("a part"))
            .collect();
        for run in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.has(run)).count(), 1);
        }
    }
}
