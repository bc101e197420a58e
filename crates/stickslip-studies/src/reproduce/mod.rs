//! `stickslip reproduce`: the figures, tables and numbered claims of the documents, made again.
//!
//! To add an entry: write a function that gives `Shown` in the file of its document, and list it in that file's
//! `ENTRIES` with the rows of docs/ROWS.md it shows. Rows that no entry shows appear by their tests, or as open.

mod entry;
mod places;
mod report;
mod rows;
mod s0;
mod s0_impacts;
mod s0_painleve;
mod s0_piles;
mod s1;
mod s1_fields;
mod s1_plate;
mod s1_studies;
mod s2;
mod s3;
mod s3_nonconvex;
mod s3_scenes;

use entry::{Done, Effort, Entry, Judgement};
use places::Places;
use rows::Claim;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_console::{Failure, Verdict, print, print_as, seconds};

/// Make the figures, tables and claims of the documents again, each beside what was printed
///
/// Writes one HTML report with everything inside, and the same as JSON beside it. Rows that are not built yet are
/// listed as open.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  stickslip reproduce --quick -o report.html
  stickslip reproduce box-stack S0-10 --figures pictures
  stickslip reproduce --list

Exit status: 0, 1 where something is not as it should be or could not be computed, 2 for bad input. What differs from
the document for a reason that is known is told with it.")]
pub struct Args {
    /// Entries by their id, or rows such as S0-10 or S2 (default: all)
    ids: Vec<String>,
    /// Coarser and shorter: under 3 minutes
    #[arg(long)]
    quick: bool,
    /// Report to write; the JSON is written beside it
    #[arg(short, long, value_name = "FILE", default_value = "reproduce.html")]
    output: PathBuf,
    /// Write the figures as files into this folder too
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// How to write them: svg or png (figures of planar bodies are SVG always)
    #[arg(long, value_name = "FORMAT", value_parser = ["svg", "png"], default_value = "svg", requires = "figures")]
    figures_as: String,
    /// List the entries and the rows they show
    #[arg(long)]
    list: bool,
    /// Print the JSON too
    #[arg(long)]
    json: bool,
}

/// All entries, document by document.
fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        s0::ENTRIES,
        s0_impacts::ENTRIES,
        s1::ENTRIES,
        s1_plate::ENTRIES,
        s1_studies::ENTRIES,
        s2::ENTRIES,
        s3::ENTRIES,
        s3_nonconvex::ENTRIES,
        s3_scenes::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

impl Args {
    /// Makes what was asked for and writes the report.
    pub fn run(self) -> Result<Verdict, Failure> {
        let rows = rows::read();
        if self.list {
            let line = |e: &Entry| format!("{:<18} {}  [{}]", e.id, e.title, e.rows.join(" "));
            print(&entries().map(line).collect::<Vec<_>>().join("\n"))?;
            return Ok(Verdict::Good);
        }
        let wanted = self.chosen(&rows)?;
        // Before anything is computed: what cannot be written is said at once.
        let places = Places::open(&self.output, self.figures.as_deref())?;
        let effort = if self.quick {
            Effort::Quick
        } else {
            Effort::Full
        };
        let begun = Instant::now();
        let done = wanted
            .iter()
            .map(|entry| self.made(entry, effort))
            .collect::<Result<Vec<Done>, _>>()?;
        let everything = self.ids.is_empty();
        let listed: Vec<&Claim> = rows
            .iter()
            .filter(|r| everything || done.iter().any(|d| d.entry.rows.contains(&r.id.as_str())))
            .collect();
        let report = report::Report {
            rows: &listed,
            done: &done,
            quick: self.quick,
            seconds: begun.elapsed().as_secs_f64(),
        };
        let json = report.json();
        let beside = places.beside.display().to_string();
        let png = self.figures_as == "png";
        places.write(&report.html(), &format!("{json:#}\n"), &done, png)?;
        let page = self.output.display();
        print_as(
            self.json,
            || json,
            || format!("{}\n{page}\n{beside}", report.summary()),
        )?;
        let bad = |d: &Done| matches!(d.judgement(), Judgement::Wrong | Judgement::Failed);
        Ok(Verdict::of(!done.iter().any(bad)))
    }

    /// Makes one entry and says how it came out.
    fn made(&self, entry: &'static Entry, effort: Effort) -> Result<Done, Failure> {
        let start = Instant::now();
        let shown = (entry.run)(effort);
        let result = Done {
            entry,
            shown,
            seconds: start.elapsed().as_secs_f64(),
        };
        if !self.json {
            print(&format!(
                "{:<18} {:<12} {:>9}  {}",
                entry.id,
                result.judgement().word(),
                seconds(result.seconds),
                entry.title
            ))?;
        }
        Ok(result)
    }

    /// The entries that were asked for.
    fn chosen(&self, rows: &[Claim]) -> Result<Vec<&'static Entry>, Failure> {
        let names = |entry: &Entry, id: &str| {
            entry.id == id
                || entry
                    .rows
                    .iter()
                    .any(|r| r.eq_ignore_ascii_case(id) || r.split('-').next() == Some(id))
        };
        for id in &self.ids {
            if entries().any(|e| names(e, id)) {
                continue;
            }
            let row = rows.iter().find(|r| r.id.eq_ignore_ascii_case(id));
            return Err(Failure::Input(match row {
                Some(row) if row.is_open() => format!("{id} is open: nothing shows it yet"),
                Some(row) => format!(
                    "{id} is shown by {}, not by an entry of this command",
                    row.shown
                ),
                None => format!(
                    "{id}: neither an entry nor a row; `stickslip reproduce --list` lists the entries"
                ),
            }));
        }
        let asked = |e: &&Entry| self.ids.is_empty() || self.ids.iter().any(|id| names(e, id));
        Ok(entries().filter(asked).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_names_of_their_own_and_rows_that_exist() {
        let rows = rows::read();
        let mut ids: Vec<&str> = entries().map(|e| e.id).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|w| w[0] != w[1]), "{ids:?}");
        for entry in entries() {
            assert!(!entry.rows.is_empty(), "{}", entry.id);
            for row in entry.rows {
                assert!(
                    rows.iter().any(|r| r.id == *row),
                    "{}: no row {row}",
                    entry.id
                );
            }
        }
    }

    /// What a command of the program shows is shown here too.
    #[test]
    fn rows_shown_by_a_command_have_an_entry() {
        for row in rows::read() {
            let command = row.shown.split('`').any(|s| s.starts_with("stickslip "));
            let entry = entries().any(|e| e.rows.contains(&row.id.as_str()));
            assert!(entry || !command, "{}: {}", row.id, row.shown);
        }
    }

    #[test]
    fn every_row_is_in_the_report() {
        let rows = rows::read();
        let listed: Vec<&Claim> = rows.iter().collect();
        let report = report::Report {
            rows: &listed,
            done: &[],
            quick: true,
            seconds: 0.0,
        };
        let (html, json) = (report.html(), report.json());
        assert_eq!(json["rows"].as_array().map(Vec::len), Some(rows.len()));
        assert_eq!(rows.len(), 231);
        for row in &rows {
            assert!(html.contains(&format!("<td>{}</td>", row.id)), "{}", row.id);
        }
    }
}
