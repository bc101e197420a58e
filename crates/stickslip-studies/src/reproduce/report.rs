//! The report: one HTML page with everything inside, and the same as JSON.

use super::entry::{Done, Judgement, Line, number};
use super::rows::Claim;
use serde_json::{Value, json};
use std::fmt::Write as _;
use stickslip_view::page::escape;

pub(super) struct Report<'a> {
    pub(super) rows: &'a [&'a Claim],
    pub(super) done: &'a [Done],
    pub(super) quick: bool,
    pub(super) seconds: f64,
}

const DOCUMENTS: [(&str, &str); 5] = [
    ("S0", "LCP methods for rigid bodies"),
    ("S1", "The vibrating plate"),
    ("S2", "All accelerations of a planar body"),
    ("S3", "dvc3d"),
    ("TR", "Traps in the documents"),
];

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1f2933; --quiet: #5f6b7a; --line: #d9dfe6; --paper: #fff; --good: #007a58; --bad: #b3261e; --odd: #9a5b00; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --quiet: #9aa7b5; --line: #303944; --paper: #14181d; --good: #3ecf9e; --bad: #ff8a80; --odd: #f0b35e; --accent: #56b4e9; } }
body { max-width: 1080px; margin: 0 auto; padding: 20px; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, Roboto, sans-serif; }
h1 { font-size: 26px; } h2 { margin-top: 40px; border-bottom: 1px solid var(--line); } h3 { margin: 28px 0 4px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; } th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; overflow-wrap: break-word; border-bottom: 1px solid var(--line); }
td:first-child { min-width: 4.5em; } th { color: var(--quiet); font-weight: 600; } code { font-size: 13px; overflow-wrap: anywhere; }
.word { font-weight: 600; white-space: nowrap; } .reproduced, .verified { color: var(--good); } .WRONG, .FAILED, .no { color: var(--bad); } .differs, .because { color: var(--odd); } .open, .quiet { color: var(--quiet); } .tested, .shown { color: var(--accent); }
figure { margin: 14px 0; } figure img { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); border-radius: 8px; } figcaption { color: var(--quiet); font-size: 13px; }
a { color: var(--accent); } .source { color: var(--quiet); font-size: 12px; white-space: nowrap; border: 1px solid var(--line); border-radius: 6px; padding: 0 5px; } .n { white-space: nowrap; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; font-size: 14px; } dd { margin: 0; }
@media (max-width: 640px) {
  body { padding: 14px; }
  table, tbody, tr, td { display: block; } tr:has(th) { display: none; } td { border: 0; padding: 1px 0; } tr { padding: 6px 0; border-bottom: 1px solid var(--line); }
  td:first-child { font-weight: 600; } td:empty { display: none; } td[data-is]::before { content: attr(data-is) ': '; color: var(--quiet); } td[data-is] .source { display: none; }
}
";

impl Report<'_> {
    /// The entry that shows a row.
    fn entry_of(&self, row: &Claim) -> Option<&Done> {
        self.done
            .iter()
            .find(|d| d.entry.rows.contains(&row.id.as_str()))
    }

    /// `reproduced` and the like for a row that an entry shows, `tested` for one that only a test shows, or `open`.
    fn word(&self, row: &Claim) -> &'static str {
        match self.entry_of(row) {
            Some(done) => done.judgement_of(Some(&row.id)).word(),
            None if row.is_open() => "open",
            None => "tested",
        }
    }

    fn count(&self, word: &str) -> usize {
        self.rows.iter().filter(|r| self.word(r) == word).count()
    }

    pub(super) fn summary(&self) -> String {
        let judged = Judgement::ALL.map(|j| format!("{} {}", self.count(j.word()), j.word()));
        format!(
            "{} rows: {}, {} shown by tests alone, {} open",
            self.rows.len(),
            judged.join(", "),
            self.count("tested"),
            self.count("open")
        )
    }

    pub(super) fn json(&self) -> Value {
        let entries: Vec<Value> = self
            .done
            .iter()
            .map(|d| {
                let (lines, figures, notes, failure) = match &d.shown {
                    Ok(shown) => {
                        let lines: Vec<Value> = shown.lines.iter().map(json_of).collect();
                        let figures: Vec<&String> = shown.figures.iter().map(|f| &f.caption).collect();
                        (json!(lines), json!(figures), json!(shown.notes), Value::Null)
                    }
                    Err(e) => (json!([]), json!([]), json!([]), json!(e)),
                };
                json!({ "id": d.entry.id, "title": d.entry.title, "rows": d.entry.rows, "by_hand": d.entry.by_hand,
                        "verdict": d.judgement().word(), "seconds": d.seconds, "lines": lines, "figures": figures,
                        "notes": notes, "failure": failure })
            })
            .collect();
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|r| {
                json!({ "id": r.id, "about": r.about, "verdict": self.word(r), "entry": self.entry_of(r).map(|d| d.entry.id),
                        "shown_by": r.shown, "figure": r.figure })
            })
            .collect();
        json!({ "version": env!("CARGO_PKG_VERSION"), "quick": self.quick, "seconds": self.seconds, "rows": rows, "entries": entries })
    }

    pub(super) fn html(&self) -> String {
        let mut out =
            String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
        let _ = writeln!(
            out,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>stickslip: the documents reproduced</title>\n\
             <style>{STYLE}</style></head><body>\n<h1>The documents reproduced</h1>\n<p>{}. Made by stickslip {} in {:.0} s{}.</p>",
            self.summary(),
            env!("CARGO_PKG_VERSION"),
            self.seconds,
            if self.quick { ", quick" } else { "" }
        );
        out.push_str("<dl>");
        for j in Judgement::ALL {
            let _ = write!(
                out,
                "<dt class=\"word {0}\">{0}</dt><dd>{1}</dd>",
                j.word(),
                j.meaning()
            );
        }
        out.push_str("</dl>\n");
        for (document, name) in DOCUMENTS {
            let rows: Vec<&&Claim> = self
                .rows
                .iter()
                .filter(|r| r.document() == document)
                .collect();
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(out, "<h2>{document}: {name}</h2>");
            for done in self
                .done
                .iter()
                .filter(|d| d.entry.rows[0].starts_with(document))
            {
                self.section(&mut out, done);
            }
            out.push_str("<h3>Rows</h3>\n<table><tr><th>row</th><th>about</th><th>verdict</th><th>shown by</th><th>figure</th></tr>\n");
            for row in rows {
                let word = self.word(row);
                let by = match self.entry_of(row) {
                    Some(done) => format!(
                        "<a href=\"#{}\">{}</a>",
                        done.entry.id,
                        escape(done.entry.title)
                    ),
                    None => spans(&row.shown),
                };
                let _ = writeln!(
                    out,
                    "<tr><td>{}</td><td>{}</td><td class=\"word {word}\">{word}</td><td data-is=\"shown by\">{by}</td><td>{}</td></tr>",
                    escape(&row.id),
                    escape(&row.about),
                    spans(&row.figure)
                );
            }
            out.push_str("</table>\n");
        }
        out.push_str("</body></html>\n");
        out
    }

    fn section(&self, out: &mut String, done: &Done) {
        let (entry, word) = (done.entry, done.judgement().word());
        let _ = writeln!(
            out,
            "<section id=\"{}\"><h3>{} <span class=\"word {word}\">{word}</span></h3>\n<p class=\"quiet\">{} · by hand: <code>{}</code> · {:.1} s</p>",
            entry.id,
            escape(entry.title),
            entry.rows.join(", "),
            escape(entry.by_hand),
            done.seconds
        );
        match &done.shown {
            Err(e) => {
                let _ = writeln!(
                    out,
                    "<p class=\"no\">It could not be computed: {}</p>",
                    escape(e)
                );
            }
            Ok(shown) => {
                if !shown.lines.is_empty() {
                    table(out, &shown.lines);
                }
                for note in &shown.notes {
                    let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escape(note));
                }
                for figure in &shown.figures {
                    let data = stickslip_plot::base64(figure.svg.as_bytes());
                    let _ = writeln!(
                        out,
                        "<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{data}\"><figcaption>{0}</figcaption></figure>",
                        escape(&figure.caption)
                    );
                }
            }
        }
        debug_assert!(done.judgement() != Judgement::Failed || done.shown.is_err());
        out.push_str("</section>\n");
    }
}

/// A line with its numbers as numbers.
fn json_of(l: &Line) -> Value {
    let value = |v: &super::entry::Value| json!({ "text": v.text, "number": v.number });
    json!({ "what": l.what, "rows": l.rows, "source": l.source.word(), "expected": value(&l.expected),
            "ours": value(&l.ours), "unit": l.unit, "tolerance": l.within,
            "verdict": l.judgement().word(), "because": l.reason() })
}

/// The lines of an entry.
fn table(out: &mut String, lines: &[Line]) {
    out.push_str("<table><tr><th>what</th><th>expected</th><th>ours</th><th>verdict</th></tr>\n");
    for l in lines {
        let word = l.judgement().word();
        let mark = match l.holds {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "",
        };
        let within = l.within.map_or(String::new(), |w| {
            format!(" <span class=\"quiet\">within {}</span>", number(w))
        });
        let because = l.reason().map_or(String::new(), |b| {
            format!(
                "<div class=\"because\">differs, because {}</div>",
                escape(b)
            )
        });
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td data-is=\"{source}\">{} <span class=\"source\">{source}</span></td>\
             <td data-is=\"ours\">{}{within}{because}</td><td class=\"word {word}\">{mark} {word}</td></tr>",
            escape(&l.what),
            unbroken(&l.expected.text),
            unbroken(&l.ours.text),
            source = l.source.word(),
        );
    }
    out.push_str("</table>\n");
}

/// Text in which no number is broken at the end of a line.
fn unbroken(text: &str) -> String {
    let word = |w: &str| {
        let number = w.contains(|c: char| c.is_ascii_digit()) && w.len() < 24;
        let w = escape(w);
        if number {
            format!("<span class=\"n\">{w}</span>")
        } else {
            w
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Text with `code` in backticks.
fn spans(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(k, part)| {
            if k % 2 == 1 {
                format!("<code>{}</code>", escape(part))
            } else {
                escape(part)
            }
        })
        .collect()
}
