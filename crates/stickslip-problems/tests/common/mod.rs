//! The shared collection of problems.

/// Files with the ending `ext` in a folder of the shared collection, sorted; None, with a word, where
/// the collection is absent. STICKSLIP_SHARED names another place.
pub(crate) fn shared_files(folder: &str, ext: &str) -> Option<Vec<std::path::PathBuf>> {
    let root = std::env::var_os("STICKSLIP_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        println!("passed over: no {folder} in the shared collection");
        return None;
    };
    let mut files: Vec<_> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == ext))
        .collect();
    files.sort();
    Some(files)
}
