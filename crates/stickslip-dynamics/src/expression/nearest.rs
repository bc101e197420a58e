//! The known name closest to one that was mistyped.

/// The member of `known` closest to `word`, if any is close enough to be what was meant: at most one
/// edit (a letter added, dropped, changed, or two swapped) per three letters, letter case and the
/// choice between `-` and `_` aside; or else one that begins alike, as `vel` and `velocity`, or
/// `bodies` and `body`. Ties go to the first in the list.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| -> Vec<char> {
        let lower = s.chars().take(64).flat_map(char::to_lowercase);
        lower.map(|c| if c == '_' { '-' } else { c }).collect()
    };
    let word = plain(word);
    let mut best: Option<(usize, &str)> = None;
    let mut alike = None;
    for candidate in known {
        let target = plain(candidate);
        let allowed = (word.len().max(target.len()) / 3).max(1);
        let distance = edits(&word, &target);
        let closer = best.is_none_or(|(d, _)| distance < d);
        if distance <= allowed && distance < target.len() && closer {
            best = Some((distance, candidate));
        }
        let common = word.iter().zip(&target).take_while(|(a, b)| a == b).count();
        if common >= 3 && (common == word.len() || 4 * common >= 3 * target.len()) {
            alike = alike.or(Some(candidate));
        }
    }
    best.map(|(_, candidate)| candidate).or(alike)
}

/// The number of single-letter edits, or swaps of neighbours, that turn `a` into `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before_last = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j - 1] + change).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_word_that_was_meant() {
        let known = ["mass", "motion", "angular-velocity", "friction", "h"];
        assert_eq!(nearest("masss", known), Some("mass"));
        assert_eq!(nearest("mtoion", known), Some("motion"));
        assert_eq!(nearest("angular_velocity", known), Some("angular-velocity"));
        assert_eq!(nearest("Friction", known), Some("friction"));
        assert_eq!(nearest("fric", known), Some("friction"));
        assert_eq!(nearest("motions_of_it", known), Some("motion"));
        assert_eq!(nearest("bodies", ["title", "body"]), Some("body"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", known), None);
    }
}
