//! The shared collection of problems.

use std::path::PathBuf;
use stickslip_testing::shared;

/// Files with the ending `ext` in a folder of the shared collection, sorted; `None`, recorded as passed over, where the
/// collection is absent.
pub(crate) fn shared_files(folder: &str, ext: &str) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(shared(folder)?).expect("a folder that can be read");
    let mut files: Vec<_> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == ext))
        .collect();
    files.sort();
    Some(files)
}
