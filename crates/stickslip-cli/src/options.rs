//! What several commands do with their options.

use stickslip::dynamics::scene::Override;
use stickslip::prelude::Scene;
use stickslip_console::Failure;

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

/// The scene's title, or its file where it has none.
pub(crate) fn title_of(scene: &Scene) -> &str {
    if scene.title.is_empty() {
        &scene.file
    } else {
        &scene.title
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
