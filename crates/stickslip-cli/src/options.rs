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

/// The scene's title, or its file where it has none.
pub(crate) fn title_of(scene: &Scene) -> &str {
    if scene.title.is_empty() {
        &scene.file
    } else {
        &scene.title
    }
}
