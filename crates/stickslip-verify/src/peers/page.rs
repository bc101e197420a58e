//! What came of a comparison: tables, and plots of cost against accuracy.

use super::known::QUESTIONS;
use super::measure::Quality;
use super::statistics::{exponent, median, p90};
use super::{PEERS, Peer};
use stickslip_plot::{Axis, Plot};

/// What an engine's program printed, and what its states show.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Steps done.
    pub steps: u64,
    /// Seconds on a processor for them, and for the median and the slowest one.
    pub cpu: f64,
    /// s.
    pub median: f64,
    /// s.
    pub worst: f64,
    /// Contacts at most.
    pub contacts: u64,
    /// Did it come to its end?
    pub ended: bool,
    /// Ours alone: the worst residual of the law, m/s.
    pub residual: f64,
    /// Ours alone: steps that are approximate.
    pub approximate: u64,
    /// What its states show.
    pub quality: Quality,
}

impl Ran {
    /// Mean time of a step, s.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.cpu / self.steps as f64
    }
}

/// What became of an engine on a scene.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ran, to its end or not.
    Ran(Box<Ran>),
    /// The scene has something that the engine has not.
    Lacks(String),
    /// It was killed, or printed nothing that can be read.
    Broke(String),
}

/// A scene, and what became of each engine that was asked, in the order of [`PEERS`].
pub struct Row {
    /// The scene's name.
    pub scene: String,
    /// By engine and setting.
    pub outcomes: Vec<(&'static Peer, Outcome)>,
}

impl Row {
    fn ran(&self, peer: &Peer) -> Option<&Ran> {
        let found = self.outcomes.iter().find(|(p, _)| *p == peer);
        match found {
            Some((_, Outcome::Ran(ran))) if ran.steps > 0 => Some(ran),
            _ => None,
        }
    }

    /// Does it rest by our run? Then the impulses of a certificate hold it, and every speed at its end is an error.
    fn rests(&self) -> bool {
        let ours = self.ran(&PEERS[0]);
        ours.is_some_and(|r| r.ended && r.approximate == 0 && r.quality.rests())
    }
}

/// All that ran with a setting, with the rows they belong to.
fn of<'a>(rows: &'a [Row], peer: &'a Peer) -> impl Iterator<Item = (&'a Row, &'a Ran)> {
    rows.iter()
        .filter_map(move |row| row.ran(peer).map(|ran| (row, ran)))
}

/// The settings that were asked for.
fn asked(rows: &[Row]) -> Vec<&'static Peer> {
    let there = |peer: &&Peer| {
        rows.iter()
            .any(|r| r.outcomes.iter().any(|(p, _)| p == peer))
    };
    PEERS.iter().filter(there).collect()
}

/// A number in a table: three digits, without an exponent where that is shorter.
fn number(x: f64) -> String {
    match x.abs() {
        _ if x.is_nan() => "-".into(),
        0.0 => "0".into(),
        a if a < 1e-2 => format!("{x:.1e}"),
        a if a < 10.0 => format!("{x:.2}"),
        a if a < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|s| (*s).to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}{body}", line(&head))
}

/// How many times the others' time a step of ours takes, for both tolerances.
#[must_use]
pub fn ratios(rows: &[Row]) -> String {
    let others = asked(rows).into_iter().filter(|p| p.engine != "stickslip");
    let mut lines = Vec::new();
    for other in others {
        let mut cells = vec![other.name.to_owned()];
        for ours in &PEERS[..2] {
            let both = of(rows, other).filter_map(|(row, r)| Some((row.ran(ours)?, r)));
            let ratios: Vec<f64> = both.map(|(o, r)| o.mean() / r.mean()).collect();
            let faster = ratios.iter().filter(|&&r| r < 1.0).count();
            let shown = [median(&ratios), p90(&ratios)].map(number);
            cells.extend(shown);
            cells.push(format!("{faster} of {}", ratios.len()));
        }
        lines.push(cells);
    }
    let head = [
        "ours over",
        "median",
        "p90",
        "ours faster",
        "at 1e-4 m/s: median",
        "p90",
        "ours faster",
    ];
    table(&head, &lines)
}

/// Cost and accuracy of each setting: medians over the scenes that it ran.
#[must_use]
pub fn accuracy(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for peer in asked(rows) {
        let ran: Vec<(&Row, &Ran)> = of(rows, peer).collect();
        let sane = || ran.iter().filter(|(_, r)| !r.quality.nonsense);
        let costs: Vec<f64> = ran.iter().map(|(_, r)| 1e6 * r.mean()).collect();
        let overlaps: Vec<f64> = sane().map(|(_, r)| r.quality.overlap).collect();
        let still = || sane().filter(|(row, r)| row.rests() && r.ended);
        let creeps: Vec<f64> = still().map(|(_, r)| r.quality.creep()).collect();
        let left = still().filter(|(_, r)| r.quality.moved > 0.1).count();
        let gains = sane().filter(|(_, r)| r.quality.gain > GAIN).count();
        let most = sane().max_by(|a, b| a.1.quality.gain.total_cmp(&b.1.quality.gain));
        let most = most.map_or("none".to_owned(), |(row, r)| {
            format!("{} in {}", number(r.quality.gain), row.scene)
        });
        lines.push(vec![
            peer.name.to_owned(),
            format!(
                "{} of {}",
                ran.iter().filter(|(_, r)| r.ended).count(),
                ran.len()
            ),
            number(median(&costs)),
            number(median(&overlaps)),
            number(p90(&overlaps)),
            number(overlaps.iter().copied().fold(0.0, f64::max)),
            number(median(&creeps)),
            number(creeps.iter().copied().fold(0.0, f64::max)),
            format!("{left} of {}", creeps.len()),
            format!("{gains}; most {most}"),
        ]);
    }
    let head = [
        "",
        "end",
        "µs a step",
        "overlap, m",
        "p90",
        "most",
        "creep, m/s",
        "most",
        "that rest move away",
        "gain energy",
    ];
    table(&head, &lines)
}

/// A rise of the energy that counts, as a part of the energy of the scene.
const GAIN: f64 = 1e-3;

/// Growth of the mean step with contacts, and how far the slowest step is from the median one.
#[must_use]
pub fn growth(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for peer in asked(rows) {
        // By our contacts, for all: the others count theirs in other ways.
        let points: Vec<(f64, f64)> = of(rows, peer)
            .filter_map(|(row, r)| {
                let contacts = row.ran(&PEERS[0])?.contacts;
                (contacts >= 8).then(|| (contacts as f64, r.mean()))
            })
            .collect();
        let spread: Vec<f64> = of(rows, peer).map(|(_, r)| r.worst / r.median).collect();
        lines.push(vec![
            peer.name.to_owned(),
            number(exponent(&points)),
            points.len().to_string(),
            number(median(&spread)),
            number(p90(&spread)),
        ]);
    }
    let head = [
        "",
        "exponent of the mean step",
        "scenes",
        "worst over median step: median",
        "p90",
    ];
    table(&head, &lines)
}

/// The certificates of our runs.
#[must_use]
pub fn certificates(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for peer in &PEERS[..2] {
        let ran: Vec<&Ran> = of(rows, peer).map(|(_, r)| r).collect();
        let residuals: Vec<f64> = ran.iter().map(|r| r.residual).collect();
        let steps: u64 = ran.iter().map(|r| r.steps).sum();
        let approximate: u64 = ran.iter().map(|r| r.approximate).sum();
        lines.push(vec![
            peer.name.to_owned(),
            steps.to_string(),
            approximate.to_string(),
            number(median(&residuals)),
            number(residuals.iter().copied().fold(0.0, f64::max)),
        ]);
    }
    let head = [
        "",
        "steps",
        "approximate",
        "worst residual, m/s: median scene",
        "most",
    ];
    table(&head, &lines)
}

/// Mean step of every engine on every scene, µs.
#[must_use]
pub fn times(rows: &[Row]) -> String {
    let peers = asked(rows);
    let mut head = vec!["µs a step", "contacts"];
    head.extend(peers.iter().map(|p| p.name));
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let contacts = row.ran(&PEERS[0]).map_or(0, |r| r.contacts);
            let mut cells = vec![row.scene.clone(), contacts.to_string()];
            cells.extend(peers.iter().map(|p| {
                row.ran(p).map_or("-".into(), |r| {
                    let cut = if r.ended { "" } else { " (cut)" };
                    format!("{}{cut}", number(1e6 * r.mean()))
                })
            }));
            cells
        })
        .collect();
    table(&head, &lines)
}

/// The scenes whose answer is known, by every engine.
#[must_use]
pub fn known(rows: &[Row]) -> String {
    let peers = asked(rows);
    let mut head = vec![""];
    head.extend(peers.iter().map(|p| p.name));
    let mut lines = Vec::new();
    for question in &QUESTIONS {
        let Some(row) = rows.iter().find(|row| row.scene == question.scene) else {
            continue;
        };
        let mut cells = vec![question.asks.to_owned()];
        cells.extend(peers.iter().map(|p| {
            row.ran(p).map_or("-".into(), |r| {
                let cut = if r.ended { "" } else { " (cut)" };
                format!("{}{cut}", number((question.answer)(r)))
            })
        }));
        lines.push(cells);
    }
    table(&head, &lines)
}

/// What was not run and why, a line for each engine and scene; and runs with numbers that are none.
#[must_use]
pub fn left_out(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for row in rows {
        for (peer, outcome) in &row.outcomes {
            let scene = &row.scene;
            match outcome {
                Outcome::Lacks(what) => {
                    lines.push(format!("- {} has not what {scene} has: {what}", peer.name));
                }
                Outcome::Broke(why) => lines.push(format!("- {} on {scene}: {why}", peer.name)),
                Outcome::Ran(ran) if ran.quality.nonsense => {
                    lines.push(format!(
                        "- {} on {scene}: states that are not finite",
                        peer.name
                    ));
                }
                Outcome::Ran(_) => {}
            }
        }
    }
    let what = format!("{} runs were left out or broke.\n", lines.len());
    lines.insert(0, what);
    lines.join("\n") + "\n"
}

/// The whole account: five tables and a list, as Markdown.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    format!(
        "## Cost\n\n{}\n## Accuracy\n\n{}\n## Growth\n\n{}\n## Certificates\n\n{}\n## Scene by scene\n\n{}\n## Left out\n\n{}",
        ratios(rows),
        accuracy(rows),
        growth(rows),
        certificates(rows),
        times(rows),
        left_out(rows),
    )
}

/// Overlaps and speeds below these are drawn there.
const FLOOR: f64 = 1e-17;

/// Cost against overlap, and cost against creep of what should rest: a point for each scene and setting.
#[must_use]
pub fn plots(rows: &[Row]) -> [(&'static str, Plot); 2] {
    let cost = || Axis::log("a step", "µs of CPU");
    let mut overlap = Plot::new("Overlap and cost, scene by scene")
        .x(cost())
        .y(Axis::log("deepest overlap", "m"));
    let mut creep = Plot::new("Speed of what should rest, and cost")
        .x(cost())
        .y(Axis::log("speed at the end", "m/s"));
    for peer in asked(rows) {
        let sane = || of(rows, peer).filter(|(_, r)| !r.quality.nonsense);
        let at = |r: &Ran, y: f64| (1e6 * r.mean(), y.max(FLOOR));
        let overlaps: Vec<_> = sane().map(|(_, r)| at(r, r.quality.overlap)).collect();
        let still = sane().filter(|(row, r)| row.rests() && r.ended);
        let creeps: Vec<_> = still.map(|(_, r)| at(r, r.quality.creep())).collect();
        overlap = overlap.points(peer.name, &overlaps);
        creep = creep.points(peer.name, &creeps);
    }
    [("peers-overlap", overlap), ("peers-creep", creep)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(mean: f64, contacts: u64, overlap: f64, speed: f64) -> Outcome {
        Outcome::Ran(Box::new(Ran {
            steps: 10,
            cpu: 10.0 * mean,
            median: mean,
            worst: 4.0 * mean,
            contacts,
            ended: true,
            quality: Quality {
                overlap,
                speeds: vec![0.0, speed],
                ..Quality::default()
            },
            ..Ran::default()
        }))
    }

    /// Three scenes of 10, 100 and 1000 contacts; ours takes contacts² ns, Rapier 100 contacts ns. One breaks, one lacks.
    fn rows() -> Vec<Row> {
        [10u64, 100, 1000]
            .map(|n| Row {
                scene: format!("scene-{n}"),
                outcomes: vec![
                    (&PEERS[0], ran(1e-9 * (n * n) as f64, n, 0.0, 0.0)),
                    (&PEERS[2], ran(1e-7 * n as f64, n, 1e-3 * n as f64, 2e-4)),
                    (
                        &PEERS[4],
                        Outcome::Lacks("a coefficient of restitution".into()),
                    ),
                    (&PEERS[6], Outcome::Broke("killed".into())),
                ],
            })
            .into()
    }

    #[test]
    fn tables_hold_what_was_measured() {
        let rows = rows();
        // Ratios n²/(100 n) = 0.1, 1, 10: median 1, p90 1 + 0.8·9.
        let told = ratios(&rows);
        assert!(
            told.contains("| Rapier | 1.00 | 8.20 | 1 of 3 | - | - | 0 of 0 |"),
            "{told}"
        );
        let told = growth(&rows);
        assert!(
            told.contains("| stickslip | 2.00 | 3 | 4.00 | 4.00 |"),
            "{told}"
        );
        assert!(
            told.contains("| Rapier | 1.00 | 3 | 4.00 | 4.00 |"),
            "{told}"
        );
        let told = accuracy(&rows);
        let line = "| Rapier | 3 of 3 | 10.0 | 0.10 | 0.82 | 1.00 | 2.0e-4 | 2.0e-4 | 0 of 3 | 0; most 0 in scene-1000 |";
        assert!(told.contains(line), "{told}");
        assert!(
            told.contains("| stickslip | 3 of 3 | 10.0 | 0 | 0 | 0 | 0 | 0 |"),
            "{told}"
        );
    }

    #[test]
    fn every_table_has_as_many_cells_in_each_line_as_in_its_head() {
        let rows = rows();
        for page in [
            ratios(&rows),
            accuracy(&rows),
            growth(&rows),
            certificates(&rows),
            times(&rows),
        ] {
            let bars: Vec<usize> = page.lines().map(|l| l.matches('|').count()).collect();
            assert!(
                bars.len() > 2 && bars.iter().all(|n| *n == bars[0]),
                "{page}"
            );
        }
    }

    #[test]
    fn what_did_not_run_is_listed() {
        let told = left_out(&rows());
        assert!(told.starts_with("6 runs were left out or broke."), "{told}");
        assert!(
            told.contains("- MuJoCo has not what scene-10 has: a coefficient of restitution"),
            "{told}"
        );
        assert!(told.contains("- Bullet on scene-1000: killed"), "{told}");
    }

    #[test]
    fn what_moves_in_ours_is_not_said_to_rest() {
        let mut rows = rows();
        for row in &mut rows {
            row.outcomes[0].1 = ran(1e-6, 10, 0.0, 1e-3);
        }
        assert!(
            accuracy(&rows).contains("| - | 0 | 0 of 0 |"),
            "{}",
            accuracy(&rows)
        );
    }
}
