//! What to say of a text that is no TOML, where the usual slip is seen in the line: the library tells what it expected, not what was meant.

use std::ops::Range;

/// Entries of a scene that may come several times.
const SEVERAL: [&str; 10] = [
    "body", "contact", "force", "frame", "gear", "include", "joint", "motor", "pair", "spring",
];

/// The library's message, or a better one, and what to write instead.
pub(super) fn explained(text: &str, span: &Range<usize>, found: &str) -> (String, Option<String>) {
    let plain = format!("this is not TOML: {found}");
    let Some((line, at)) = line_of(text, span.start) else {
        return (plain, None);
    };
    if found.starts_with("duplicate key") {
        return match header(line) {
            Some(name) if SEVERAL.contains(&name) => (
                format!("[{name}] stands here for the second time"),
                Some(format!(
                    "write [[{name}]], with two brackets, for each of them"
                )),
            ),
            _ => (plain, None),
        };
    }
    (plain, help(line, at, found, text.get(span.clone())))
}

/// What to write instead.
fn help(line: &str, at: usize, found: &str, marked: Option<&str>) -> Option<String> {
    if let Some(number) = decimal_comma(line, at) {
        let point = number.replace(',', ".");
        return Some(format!("the decimal point is a point: {point}"));
    }
    if found.starts_with("invalid mantissa") || found.starts_with("invalid fraction") {
        return Some("numbers have digits on both sides of the point: 0.5, 5.0".into());
    }
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    if !line.contains('=') && key.contains(':') {
        let key = key.split(':').next().unwrap_or_default().trim();
        return Some(format!("keys and values have `=` between them: {key} = …"));
    }
    if value.trim_start().starts_with('(') {
        return Some("vectors stand in square brackets: [0, 0, 1]".into());
    }
    if found.starts_with("string values must be quoted") {
        let marked = marked.map(str::trim).filter(|marked| !marked.is_empty())?;
        let is_number = |word: &str| word.parse::<f64>().is_ok();
        if marked.contains(' ') && marked.split_whitespace().all(is_number) {
            let items: Vec<&str> = marked.split_whitespace().collect();
            return Some(format!(
                "items have commas between them: {}",
                items.join(", ")
            ));
        }
        let formula = marked.starts_with(|c: char| c.is_ascii_digit() || "-+(".contains(c));
        let what = if formula {
            "formulas"
        } else {
            "texts and formulas"
        };
        return Some(format!("{what} stand in quotes: \"{marked}\""));
    }
    None
}

/// The line of a byte of the text, and where in the line it is.
fn line_of(text: &str, at: usize) -> Option<(&str, usize)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |n| n + 1);
    let line = text[start..].lines().next()?;
    Some((line, (at - start).min(line.len())))
}

/// The name in `[name]`.
fn header(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('[')?;
    rest.split(']').next().map(str::trim)
}

/// A number such as `0,5` before a place of a line, which is no pair of items: it stands in no brackets.
fn decimal_comma(line: &str, at: usize) -> Option<&str> {
    let bytes = line.as_bytes();
    let digit = |k: usize| bytes.get(k).is_some_and(u8::is_ascii_digit);
    let mut depth = 0;
    let mut comma = None;
    for (k, byte) in bytes.iter().enumerate().take(at + 1) {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b',' if depth == 0 && k > 0 && digit(k - 1) && digit(k + 1) => comma = Some(k),
            _ => {}
        }
    }
    let comma = comma?;
    let start = (0..comma).rev().take_while(|&k| digit(k)).last()?;
    let end = (comma + 1..bytes.len()).take_while(|&k| digit(k)).last()?;
    line.get(start..=end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_between_items_is_none_of_a_decimal() {
        let of = |line: &'static str| decimal_comma(line, line.len());
        assert_eq!(of("friction = 0,5"), Some("0,5"));
        assert_eq!(of("shape = { ball = { radius = 12,25 } }"), Some("12,25"));
        assert_eq!(of("position = [1,2,3]"), None);
        assert_eq!(of("a = { x = 1, y = 2 }"), None);
        assert_eq!(of(""), None);
    }
}
