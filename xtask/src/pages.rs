//! Checks of the project's pages. Each gives what is wrong, one line for each mistake; an empty list is good.

use crate::{files, root, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A page's text, or nothing where it cannot be read.
pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// What stands between backticks, outside fenced blocks.
#[must_use]
pub fn code_spans(page: &str) -> Vec<String> {
    let mut spans = Vec::new();
    for line in outside_fences(page) {
        // The parts with an odd number lie between two backticks.
        let parts: Vec<&str> = line.split('`').collect();
        for k in (1..parts.len().saturating_sub(1)).step_by(2) {
            spans.push(parts[k].to_string());
        }
    }
    spans
}

fn outside_fences(page: &str) -> Vec<&str> {
    let mut fenced = false;
    page.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fence && !fenced
        })
        .collect()
}

/// Does a code span look like a path of this project? A slash, or the name of a file at the root.
fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let ending = [".md", ".toml", ".rs", ".json", ".svg", ".lock"];
    !span.is_empty()
        && span.chars().all(plain)
        && !span.starts_with('/')
        && !span.starts_with("..")
        && (span.contains('/') || ending.iter().any(|e| span.ends_with(e)))
}

/// Pages that tell of the past: what they name may be gone.
const PAST: [&str; 2] = ["CHANGELOG.md", "docs/measurements.md"];

/// Paths that the pages name in backticks and that do not exist. Pages at the root name files of the project only; those in
/// `docs` name files of users too, so that there a path counts if it begins with a folder of the project.
#[must_use]
pub fn missing_paths() -> Vec<String> {
    let mut wrong = Vec::new();
    for path in files() {
        let page = shown(&path);
        let in_docs = page.starts_with("docs/");
        let counts = |span: &String| {
            let first = span.split('/').next().unwrap_or_default();
            is_path(span) && (!in_docs || (span.contains('/') && root().join(first).is_dir()))
        };
        let is_page = page.ends_with(".md") && (in_docs || !page.contains('/'));
        if !is_page || PAST.contains(&page.as_str()) {
            continue;
        }
        let spans = code_spans(&text(&path)).into_iter().filter(counts);
        wrong.extend(
            spans
                .filter(|span| !root().join(span).exists())
                .map(|span| format!("{page} names `{span}`, which does not exist")),
        );
    }
    wrong
}

/// Relative links of all Markdown pages that lead nowhere.
#[must_use]
pub fn broken_links() -> Vec<String> {
    let mut wrong = Vec::new();
    for path in files()
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
    {
        let page = text(path);
        for line in outside_fences(&page) {
            for target in line
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
            {
                let outside = target.contains("://") || target.starts_with("mailto:");
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                if outside {
                    continue;
                }
                let to = if file.is_empty() {
                    path.clone()
                } else {
                    path.parent().unwrap_or(path).join(file)
                };
                if !to.exists() {
                    wrong.push(format!(
                        "{}: the link to {target} leads nowhere",
                        shown(path)
                    ));
                } else if !anchor.is_empty() && !anchors(&text(&to)).contains(anchor) {
                    wrong.push(format!(
                        "{}: no heading #{anchor} in {}",
                        shown(path),
                        shown(&to)
                    ));
                }
            }
        }
    }
    wrong
}

/// The anchors that headings get: lower case, spaces to hyphens, punctuation dropped.
fn anchors(page: &str) -> BTreeSet<String> {
    outside_fences(page)
        .iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_')
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

/// Files that name a place on somebody's machine.
#[must_use]
pub fn machine_paths() -> Vec<String> {
    // Put together here, so that this file does not name them.
    let homes = ["home", "root", "Users", "work"].map(|home| format!("/{home}/"));
    let mut wrong = Vec::new();
    for path in files() {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue; // not a text
        };
        for (k, line) in text.lines().enumerate() {
            let begins = |home: &String| {
                line.match_indices(home.as_str()).any(|(at, _)| {
                    // A path begins here, and is not the middle of a relative one or of an address.
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/]}".contains(c))
                })
            };
            if homes.iter().any(begins) {
                wrong.push(format!(
                    "{}:{}: a path of one machine: {line}",
                    shown(&path),
                    k + 1
                ));
            }
        }
    }
    wrong
}

/// What is wrong with docs/ROWS.md: rows missing or twice, tests, commands or files that do not exist.
#[must_use]
pub fn wrong_rows() -> Vec<String> {
    let mut wrong = Vec::new();
    let page = text(&root().join("docs/ROWS.md"));
    let (tests, commands) = (all_tests(), all_commands());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in page
        .lines()
        .filter(|l| l.starts_with("| S") || l.starts_with("| TR"))
    {
        let cells: Vec<&str> = line.split(" | ").collect();
        let id = cells[0].trim_start_matches("| ").trim().to_string();
        *seen.entry(id.clone()).or_default() += 1;
        if cells.len() != 4 {
            wrong.push(format!("{id}: {} columns instead of 4", cells.len()));
            continue;
        }
        let shown_by = code_spans(cells[2]);
        if cells[2].trim() == "open" {
            continue;
        }
        if shown_by.is_empty() {
            wrong.push(format!("{id}: neither open nor shown by anything"));
        }
        if cells[3].trim_matches([' ', '|']).is_empty() {
            wrong.push(format!("{id}: no figure"));
        }
        wrong.extend(
            shown_by
                .iter()
                .filter_map(|span| unknown(span, &tests, &commands))
                .map(|e| format!("{id}: {e}")),
        );
    }
    for (letter, count) in [("S0-", 56), ("S1-", 49), ("S2-", 56), ("S3-", 50)] {
        for k in 1..=count {
            expect_once(&seen, &format!("{letter}{k:02}"), &mut wrong);
        }
    }
    for k in 1..=20 {
        expect_once(&seen, &format!("TR{k}"), &mut wrong);
    }
    if seen.len() != 231 {
        wrong.push(format!("{} rows instead of 211 and 20 traps", seen.len()));
    }
    wrong
}

fn expect_once(seen: &BTreeMap<String, usize>, id: &str, wrong: &mut Vec<String>) {
    match seen.get(id) {
        Some(1) => {}
        Some(n) => wrong.push(format!("{id} is there {n} times")),
        None => wrong.push(format!("{id} is missing")),
    }
}

/// Why a code span of the table shows nothing: `crate::test`, `stickslip command …`, `cargo …` are known.
fn unknown(span: &str, tests: &BTreeSet<String>, commands: &BTreeSet<String>) -> Option<String> {
    let words: Vec<&str> = span.split_whitespace().collect();
    for word in &words {
        if word.starts_with("scenes/") && !root().join(word).exists() {
            return Some(format!("{word} does not exist"));
        }
    }
    match words.as_slice() {
        ["cargo", ..] => None,
        ["stickslip", command, ..] if commands.contains(*command) => None,
        ["stickslip", command, ..] => Some(format!("`stickslip {command}` is no command")),
        [test] if tests.contains(*test) => None,
        _ => Some(format!(
            "`{span}` is neither a test (crate::name) nor a command"
        )),
    }
}

/// Every test as `crate::name`, the crate without `stickslip-`.
#[must_use]
pub fn all_tests() -> BTreeSet<String> {
    let mut tests = BTreeSet::new();
    for path in files()
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
    {
        let place = shown(path);
        let folder = match place.strip_prefix("crates/") {
            Some(rest) => rest.split('/').next().unwrap_or_default().to_string(),
            None => place.split('/').next().unwrap_or_default().to_string(),
        };
        let short = folder.strip_prefix("stickslip-").unwrap_or(&folder);
        let mut marked = false;
        for line in text(path).lines().map(str::trim) {
            if line == "#[test]" {
                marked = true;
            } else if let Some(rest) = line.strip_prefix("fn ") {
                if marked {
                    let name = rest.split('(').next().unwrap_or_default();
                    tests.insert(format!("{short}::{name}"));
                }
                marked = false;
            }
        }
    }
    tests
}

/// The commands of the program, from its source.
#[must_use]
pub fn all_commands() -> BTreeSet<String> {
    let source = text(&root().join("crates/stickslip-cli/src/lib.rs"));
    let list = source.split("enum Command {").nth(1).unwrap_or_default();
    list.split('}')
        .next()
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.trim().split_once('('))
        .map(|(name, _)| name.to_lowercase())
        .collect()
}
