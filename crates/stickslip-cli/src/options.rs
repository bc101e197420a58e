//! What several commands do with their options.

use std::path::Path;
use stickslip::dynamics::scene::Override;
use stickslip::prelude::Scene;
use stickslip::record::files::{check_folder, check_plain};
use stickslip_console::Failure;
use stickslip_plot::PlotError;

/// A flag, the scene's key that it sets, and what was given.
type Flag<'a> = (&'a str, &'a str, &'a Option<String>);

/// Settings of the command line as overrides of the scene's keys: `--set KEY=VALUE`, then flags with keys of their own.
pub(crate) fn overrides(set: &[String], flags: &[Flag]) -> Result<Vec<Override>, Failure> {
    let parsed = set.iter().map(|option| {
        Override::from_option(option)
            .ok_or_else(|| Failure::Input(format!("--set {option}: expected KEY=VALUE")))
    });
    let mut overrides = parsed.collect::<Result<Vec<_>, _>>()?;
    for &(flag, key, value) in flags {
        let given = value.as_ref();
        overrides.extend(given.map(|v| Override::by_flag(flag, key, v.clone())));
    }
    Ok(overrides)
}

/// So many numbers with commas between, the value of an option.
pub(crate) fn numbers<const N: usize>(option: &str, text: &str) -> Result<[f64; N], Failure> {
    let parsed: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    let given = parsed.ok().and_then(|list| <[f64; N]>::try_from(list).ok());
    given.ok_or_else(|| {
        Failure::Input(format!(
            "{option} {text}: expected {N} numbers with commas between"
        ))
    })
}

/// Refuses an output that cannot be, before anything is computed for it.
pub(crate) fn writable(path: &Path) -> Result<(), Failure> {
    check_plain(path)
        .and_then(|()| check_folder(path))
        .map_err(|e| Failure::unwritten(path, e))
}

/// The same for a picture, whose ending says what it is.
pub(crate) fn paintable(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    if !ending.is_some_and(|e| e == "svg" || e == "png") {
        return Err(unpainted(PlotError::Ending(path.display().to_string())));
    }
    writable(path)
}

/// Of a picture that could not be written.
pub(crate) fn unpainted(error: PlotError) -> Failure {
    match error {
        PlotError::Io { path, error } => Failure::unwritten(Path::new(&path), error),
        other @ PlotError::Ending(_) => Failure::Input(other.to_string()),
    }
}

/// The scene's title, or its file where it has none.
pub(crate) fn title_of(scene: &Scene) -> &str {
    if scene.title.is_empty() {
        &scene.file
    } else {
        &scene.title
    }
}

/// A word of a command line: in quotes where a shell would take it for several.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A number to six digits.
pub(crate) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    let rounded = rounded + 0.0;
    let size = rounded.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_are_counted_and_read() {
        assert_eq!(numbers("--x", "1, -2e3,0.5").ok(), Some([1.0, -2e3, 0.5]));
        for text in ["1,2", "1,2,3,4", "1,b,3", "", "1,,3"] {
            let error = numbers::<3>("--x", text).expect_err("no three numbers");
            let wanted = format!("--x {text}: expected 3 numbers with commas between");
            assert_eq!(error.to_string(), wanted);
        }
    }
}
