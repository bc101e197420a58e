//! The rows of docs/ROWS.md: what the documents say, and what shows it here.

/// One row.
pub(super) struct Claim {
    pub(super) id: String,
    pub(super) about: String,
    /// Tests and commands, or `open`.
    pub(super) shown: String,
    pub(super) figure: String,
}

impl Claim {
    pub(super) fn is_open(&self) -> bool {
        self.shown == "open"
    }

    /// S0, S1, S2, S3 or TR.
    pub(super) fn document(&self) -> &str {
        if self.id.starts_with("TR") {
            "TR"
        } else {
            &self.id[..2]
        }
    }
}

/// All rows, in the order of the page that was there when the program was built.
pub(super) fn read() -> Vec<Claim> {
    const PAGE: &str = include_str!("../../shipped/ROWS.md");
    let row = |line: &str| {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split(" | ")
            .map(str::trim)
            .collect();
        let &[id, about, shown, ref rest @ ..] = cells.as_slice() else {
            return None;
        };
        let known = id.starts_with("TR") || (id.starts_with('S') && id.contains('-'));
        known.then(|| Claim {
            id: id.into(),
            about: about.into(),
            shown: shown.into(),
            figure: rest.join(" | "),
        })
    };
    PAGE.lines()
        .filter(|l| l.starts_with("| "))
        .filter_map(row)
        .collect()
}
