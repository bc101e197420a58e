//! The environment variables of the project against the page that lists them.

use crate::pages::text;
use crate::{files, root, shown};
use std::collections::{BTreeMap, BTreeSet};

/// The page that lists them, a row for each.
pub const PAGE: &str = "docs/testing.md";

/// Variables that the source names and the page does not, or the other way about.
#[must_use]
pub fn wrong_variables() -> Vec<String> {
    let (used, listed) = (used(), listed(&text(&root().join(PAGE))));
    let missing = used.iter().filter(|(name, _)| !listed.contains(*name));
    let idle = listed.iter().filter(|name| !used.contains_key(*name));
    missing
        .map(|(name, place)| format!("{place} uses {name}, which {PAGE} does not list"))
        .chain(idle.map(|name| format!("{PAGE} lists {name}, which nothing uses")))
        .collect()
}

/// Names in quotes of Rust and Python sources, and those of `process.env` in the scripts of the browser, each with a place.
fn used() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in files() {
        let ending = path.extension().and_then(|e| e.to_str());
        let before = match ending {
            Some("rs" | "py") => "\"",
            Some("mjs" | "js") => "process.env.",
            _ => continue,
        };
        for name in names_after(&text(&path), before) {
            found.entry(name).or_insert_with(|| shown(&path));
        }
    }
    // A name that stands for one nobody sets.
    found.remove("STICKSLIP_SETTING_THAT_NOBODY_SETS");
    found
}

/// The first cells of the page's tables.
fn listed(page: &str) -> BTreeSet<String> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .flat_map(|row| names_after(row.split('`').next().unwrap_or_default(), ""))
        .collect()
}

/// Words that begin with the project's prefix, right after `before`.
fn names_after(text: &str, before: &str) -> Vec<String> {
    // Put together here, so that this file does not name one.
    let start = format!("{before}{}_", "STICKSLIP");
    text.match_indices(&start)
        .map(|(at, _)| {
            let name = &text[at + before.len()..];
            let end = name.find(|c: char| !(c.is_ascii_uppercase() || c == '_'));
            name[..end.unwrap_or(name.len())].to_string()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_count() {
        let (a, b) = (format!("{}_A", "STICKSLIP"), format!("{}_B_C", "STICKSLIP"));
        let source = format!("// {a}=1\nlet x = var(\"{b}\");");
        assert_eq!(names_after(&source, "\""), [b.as_str()]);
        let page = format!("text `{a}`\n| `{b}` | meaning of `{a}` |\n");
        assert_eq!(listed(&page), BTreeSet::from([b]));
    }
}
