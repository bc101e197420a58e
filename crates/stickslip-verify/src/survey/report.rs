//! What a survey came to: family by family, and one by one what did not end or was slow.

use super::one::{Ran, State};

/// A scene and what became of it.
pub struct Entry {
    /// The family's name.
    pub family: &'static str,
    /// The scene's.
    pub title: String,
    /// What became of it.
    pub ran: Ran,
}

/// A step is slow where it takes so many times its scene's median step, and more than [`SLOW`].
const RATIO: f64 = 50.0;

/// s.
const SLOW: f64 = 1.0;

/// How many of the slowest scenes are named.
const NAMED: usize = 8;

/// The whole account, as text.
#[must_use]
pub fn text(entries: &[Entry]) -> String {
    let mut lines = vec![format!(
        "{:<14} {:>6} {:>6} {:>12} {:>8} {:>9} {:>10} {:>10} {:>9}",
        "family",
        "scenes",
        "ended",
        "approximate",
        "divided",
        "steps",
        "median ms",
        "worst ms",
        "CPU s"
    )];
    let mut families: Vec<&'static str> = Vec::new();
    for entry in entries {
        if !families.contains(&entry.family) {
            families.push(entry.family);
        }
    }
    for family in families {
        let of: Vec<&Ran> = entries
            .iter()
            .filter(|e| e.family == family)
            .map(|e| &e.ran)
            .collect();
        lines.push(row(family, &of));
    }
    let all: Vec<&Ran> = entries.iter().map(|e| &e.ran).collect();
    lines.push(row("all", &all));
    lines.push(states(&all));
    add_unfinished(entries, &mut lines);
    add_approximate(entries, &mut lines);
    add_slow(entries, &mut lines);
    lines.join("\n")
}

/// One row of the table. Approximate: steps, and in how many scenes; divided: steps.
fn row(name: &str, of: &[&Ran]) -> String {
    let count = |is: fn(&Ran) -> bool| of.iter().filter(|r| is(r)).count();
    let sum = |what: fn(&Ran) -> u64| of.iter().map(|r| what(r)).sum::<u64>();
    let mut medians: Vec<f64> = of.iter().map(|r| r.median).collect();
    medians.sort_by(f64::total_cmp);
    let median = medians.get(medians.len() / 2).copied().unwrap_or(0.0);
    let worst = of.iter().map(|r| r.slowest).fold(0.0, f64::max);
    let approximate = format!(
        "{} in {}",
        sum(|r| r.approximate),
        count(|r| r.approximate > 0)
    );
    format!(
        "{name:<14} {:>6} {:>6} {approximate:>12} {:>8} {:>9} {:>10.2} {:>10.1} {:>9.1}",
        of.len(),
        count(|r| r.state == State::Ended),
        sum(|r| r.divided),
        sum(|r| r.steps),
        1e3 * median,
        1e3 * worst,
        of.iter().map(|r| r.seconds).sum::<f64>(),
    )
}

/// `ended 997, refused 2, limit 1 of 1000 scenes`.
fn states(of: &[&Ran]) -> String {
    let counts = State::ALL.map(|state| (state, of.iter().filter(|r| r.state == state).count()));
    let words: Vec<String> = counts
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(state, n)| format!("{} {n}", state.word()))
        .collect();
    format!("{} of {} scenes", words.join(", "), of.len())
}

/// What did not end, worst first, with the first lines of why.
fn add_unfinished(entries: &[Entry], lines: &mut Vec<String>) {
    let mut failed: Vec<&Entry> = entries
        .iter()
        .filter(|e| e.ran.state != State::Ended)
        .collect();
    failed.sort_by_key(|e| std::cmp::Reverse(e.ran.state));
    for Entry { title, ran, .. } in failed {
        let why: Vec<&str> = ran.message.lines().map(str::trim).take(3).collect();
        lines.push(format!(
            "  {:<8} {title}: {}",
            ran.state.word(),
            why.join(" | ")
        ));
    }
}

fn add_approximate(entries: &[Entry], lines: &mut Vec<String>) {
    for Entry { title, ran, .. } in entries.iter().filter(|e| e.ran.approximate > 0) {
        lines.push(format!(
            "  approximate {title}: {} of {} steps, worst {:.1e} m/s",
            ran.approximate, ran.steps, ran.worst_residual
        ));
    }
}

/// Scenes with a step that is slow, and the slowest scenes.
fn add_slow(entries: &[Entry], lines: &mut Vec<String>) {
    let slow = |ran: &Ran| ran.slowest > SLOW && ran.slowest > RATIO * ran.median;
    for Entry { title, ran, .. } in entries.iter().filter(|e| slow(&e.ran)) {
        let (worst, times) = (ran.slowest, ran.slowest / ran.median);
        let at = ran.slowest_at;
        lines.push(format!(
            "  slow step {title}: {worst:.2} s at t = {at:.6} s, {times:.0} times the median"
        ));
    }
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by(|a, b| b.ran.seconds.total_cmp(&a.ran.seconds));
    for Entry { title, ran, .. } in order.iter().take(NAMED) {
        let Ran { seconds, steps, .. } = ran;
        lines.push(format!(
            "  slowest {title}: {seconds:.1} s for {steps} steps"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_and_failures_named() {
        let entry = |title: &str, state: State, approximate: u64| {
            let mut ran = Ran::without_steps(state, "first\nsecond");
            (ran.approximate, ran.worst_residual) = (approximate, 2e-7);
            Entry {
                family: "stack",
                title: title.into(),
                ran,
            }
        };
        let entries = [
            entry("stack-1", State::Ended, 0),
            entry("stack-2", State::Refused, 0),
            entry("stack-3", State::Ended, 4),
            entry("stack-4", State::Panic, 0),
        ];
        let text = text(&entries);
        assert!(
            text.contains("ended 2, refused 1, panic 1 of 4 scenes"),
            "{text}"
        );
        assert!(text.contains("4 in 1"), "{text}");
        let panic = text
            .find("panic    stack-4: first | second")
            .expect("named");
        assert!(
            panic < text.find("refused  stack-2").expect("named"),
            "worst first\n{text}"
        );
        assert!(
            text.contains("approximate stack-3: 4 of 0 steps, worst 2.0e-7 m/s"),
            "{text}"
        );
    }
}
