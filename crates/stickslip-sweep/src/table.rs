//! The table of a sweep as text: a CSV of all, its first rows for people, and rows as JSON.

use crate::folder::columns;
use crate::row::{RunRow, State};
use crate::sweep::Sweep;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use stickslip::record::parquet::{Cells, TableColumn};

/// The columns that lead to a run and say what it cost, which a glance does not need.
const BESIDE: [&str; 6] = ["steps", "worst", "hash", "seconds", "why", "key"];

/// All of it, with units in the names of columns: `box.x [m]`.
pub(crate) fn csv(columns: &[TableColumn]) -> String {
    let heads: Vec<String> = columns.iter().map(|c| quoted(&head(c))).collect();
    let mut text = heads.join(",");
    for row in 0..columns.first().map_or(0, height) {
        let cells = columns
            .iter()
            .map(|column| quoted(&cell(column, row, false)));
        let cells: Vec<String> = cells.collect();
        let _ = write!(text, "\n{}", cells.join(","));
    }
    text.push('\n');
    text
}

/// The first rows, in columns: parameters, results, and how runs ended where not all are certified.
#[must_use]
pub fn first_rows(sweep: &Sweep, rows: &[RunRow], most: usize) -> Vec<String> {
    let shown = &rows[..rows.len().min(most)];
    // Where nothing is asked, how runs ended is all there is to know.
    let good = shown.iter().all(|row| row.state == State::Certified) && !sweep.asked.is_empty();
    let mut columns = columns(sweep, shown);
    columns.retain(|column| {
        let name = column.name.as_str();
        let beside = BESIDE.contains(&name) || (good && name == "state");
        !beside
    });
    let mut lines = vec![String::from(" "); shown.len() + 1];
    for column in &columns {
        let cells = (0..shown.len()).map(|row| cell(column, row, true));
        let cells: Vec<String> = std::iter::once(head(column)).chain(cells).collect();
        let wide = cells.iter().map(|c| c.chars().count()).max().unwrap_or(0);
        for (line, cell) in lines.iter_mut().zip(&cells) {
            let _ = write!(line, "  {cell:>wide$}");
        }
    }
    lines
}

/// A row as an object: parameters and results by their names, and what the table says of the run.
#[must_use]
pub fn json_rows(sweep: &Sweep, rows: &[RunRow]) -> Vec<Value> {
    let columns = columns(sweep, rows);
    let value = |cells: &Cells, row: usize| match cells {
        Cells::Real(cells) => json!(cells[row]),
        Cells::Int(cells) => json!(cells[row]),
        Cells::Text(cells) => json!(cells[row]),
    };
    let object = |row: usize| {
        let each = columns.iter();
        let pairs = each.map(|column| (column.name.clone(), value(&column.cells, row)));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    (0..rows.len()).map(object).collect()
}

fn height(column: &TableColumn) -> usize {
    match &column.cells {
        Cells::Real(cells) => cells.len(),
        Cells::Int(cells) => cells.len(),
        Cells::Text(cells) => cells.len(),
    }
}

fn head(column: &TableColumn) -> String {
    match column.unit.as_str() {
        "" => column.name.clone(),
        unit => format!("{} [{unit}]", column.name),
    }
}

/// A cell, empty where there is nothing; numbers to six digits where they are only looked at.
fn cell(column: &TableColumn, row: usize, short: bool) -> String {
    let real = |x: f64| {
        let rounded = format!("{x:.5e}").parse().ok().filter(|_| short);
        let x: f64 = rounded.unwrap_or(x);
        if x == 0.0 || (1e-4..1e15).contains(&x.abs()) {
            x.to_string()
        } else {
            format!("{x:e}")
        }
    };
    let found = match &column.cells {
        Cells::Real(cells) => cells[row].map(real),
        Cells::Int(cells) => cells[row].map(|n| n.to_string()),
        Cells::Text(cells) => cells[row].clone(),
    };
    found.unwrap_or_default()
}

/// A field of a CSV.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_text_that_every_program_reads() {
        let column = |name: &str, unit: &str, cells| TableColumn {
            name: name.into(),
            unit: unit.into(),
            cells,
        };
        let columns = [
            column("mu", "", Cells::Real(vec![Some(0.1), Some(0.25)])),
            column("box.x", "m", Cells::Real(vec![Some(1e-7), None])),
            column("steps", "", Cells::Int(vec![Some(100), Some(0)])),
            column(
                "why",
                "",
                Cells::Text(vec![None, Some("no, \"never\"".into())]),
            ),
        ];
        let text = "mu,box.x [m],steps,why\n0.1,1e-7,100,\n0.25,,0,\"no, \"\"never\"\"\"\n";
        assert_eq!(csv(&columns), text);
    }
}
