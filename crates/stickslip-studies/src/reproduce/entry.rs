//! What an entry is, what it gives, and what several entries need.

use stickslip::dynamics::scene::Override;
use stickslip::dynamics::simulate::simulate_in_memory;
use stickslip::prelude::{Outcome, Scene, World};
use stickslip::record::Trajectory;
use stickslip_plot::{Drawing, Plot};

/// How much to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Seconds.
    Quick,
    /// Minutes.
    Full,
}

impl Effort {
    /// One value for each.
    pub(super) fn of<T>(self, quick: T, full: T) -> T {
        if self == Self::Quick { quick } else { full }
    }
}

/// Something of the documents that is made again.
pub(super) struct Entry {
    /// Name on the command line.
    pub(super) id: &'static str,
    /// What it is.
    pub(super) title: &'static str,
    /// Rows of docs/ROWS.md that it shows.
    pub(super) rows: &'static [&'static str],
    /// Which command or scene shows the same by hand.
    pub(super) by_hand: &'static str,
    /// Makes it.
    pub(super) run: fn(Effort) -> Result<Shown, String>,
}

/// What an entry gives.
#[derive(Default)]
pub(super) struct Shown {
    /// The expected beside ours.
    pub(super) lines: Vec<Line>,
    /// Pictures.
    pub(super) figures: Vec<Figure>,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
    /// Rows that the lines to come are about.
    rows: &'static [&'static str],
}

/// A picture and what it shows.
pub(super) struct Figure {
    pub(super) caption: String,
    pub(super) svg: String,
    /// The same to be drawn otherwise; planar figures are SVG alone.
    pub(super) drawing: Option<Drawing>,
}

/// Where that comes from which ours is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The document says so.
    Printed,
    /// Not in the document: a closed form or theory.
    Derived,
    /// A bound of our own.
    Bound,
}

impl Source {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Derived => "derived",
            Self::Bound => "our bound",
        }
    }
}

/// A number, or words.
pub(super) struct Value {
    pub(super) text: String,
    pub(super) number: Option<f64>,
}

impl Value {
    fn words(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            number: None,
        }
    }

    fn number(x: f64, unit: &str) -> Self {
        let text = format!("{} {unit}", number(x));
        Self {
            text: text.trim_end().into(),
            number: Some(x),
        }
    }
}

/// One statement: what is expected, what we find.
pub(super) struct Line {
    pub(super) what: String,
    /// Rows it is about; none: all of its entry.
    pub(super) rows: &'static [&'static str],
    pub(super) source: Source,
    pub(super) expected: Value,
    pub(super) ours: Value,
    pub(super) unit: String,
    /// How far ours may be off, in the unit.
    pub(super) within: Option<f64>,
    /// `None` where nothing can be judged.
    pub(super) holds: Option<bool>,
    /// Why it may differ, where that is known.
    pub(super) because: Option<&'static str>,
}

impl Line {
    /// How a line came out.
    pub(super) fn judgement(&self) -> Judgement {
        match (self.holds, self.because) {
            (None, _) => Judgement::Shown,
            (Some(true), _) if self.source == Source::Printed => Judgement::Reproduced,
            (Some(true), _) => Judgement::Verified,
            (Some(false), Some(_)) => Judgement::Differs,
            (Some(false), None) => Judgement::Wrong,
        }
    }

    /// Why it differs, where it does.
    pub(super) fn reason(&self) -> Option<&'static str> {
        self.because.filter(|_| self.holds == Some(false))
    }
}

impl Shown {
    /// The lines to come are about these rows of the entry.
    pub(super) fn about(&mut self, rows: &'static [&'static str]) {
        self.rows = rows;
    }

    fn line(&mut self, source: Source, what: &str, expected: Value, ours: Value) -> &mut Line {
        self.lines.push(Line {
            what: what.into(),
            rows: self.rows,
            source,
            expected,
            ours,
            unit: String::new(),
            within: None,
            holds: None,
            because: None,
        });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    /// A number against an expected one, to a tolerance in its own unit.
    pub(super) fn compare(
        &mut self,
        source: Source,
        what: &str,
        expected: f64,
        ours: f64,
        within: f64,
        unit: &str,
    ) {
        let [theirs, found] = [expected, ours].map(|x| Value::number(x, unit));
        let line = self.line(source, what, theirs, found);
        line.unit = unit.into();
        line.within = Some(within);
        line.holds = Some((ours - expected).abs() <= within);
    }

    /// A number that must not be above a bound of ours.
    pub(super) fn at_most(&mut self, what: &str, bound: f64, ours: f64, unit: &str) {
        let mut limit = Value::number(bound, unit);
        limit.text = format!("at most {}", limit.text);
        let line = self.line(Source::Bound, what, limit, Value::number(ours, unit));
        line.unit = unit.into();
        line.holds = Some(ours <= bound);
    }

    /// A statement in words.
    pub(super) fn claim(
        &mut self,
        source: Source,
        what: &str,
        expected: &str,
        ours: impl Into<String>,
        holds: bool,
    ) {
        let line = self.line(source, what, Value::words(expected), Value::words(ours));
        line.holds = Some(holds);
    }

    /// Printed and ours, side by side: nothing to judge.
    pub(super) fn tell(&mut self, what: &str, printed: &str, ours: impl Into<String>) {
        self.line(
            Source::Printed,
            what,
            Value::words(printed),
            Value::words(ours),
        );
    }

    /// Why the line just added may differ.
    pub(super) fn because(&mut self, reason: &'static str) {
        if let Some(line) = self.lines.last_mut() {
            line.because = Some(reason);
        }
    }

    pub(super) fn plot(&mut self, caption: &str, plot: &Plot) {
        self.drawing(caption, &plot.drawing());
    }

    pub(super) fn drawing(&mut self, caption: &str, drawing: &Drawing) {
        self.svg(caption, drawing.svg());
        if let Some(figure) = self.figures.last_mut() {
            figure.drawing = Some(drawing.clone());
        }
    }

    pub(super) fn svg(&mut self, caption: &str, svg: String) {
        self.figures.push(Figure {
            caption: caption.into(),
            svg,
            drawing: None,
        });
    }

    /// The judgement of the lines about a row; of all lines where none is about it alone.
    pub(super) fn judgement_of(&self, row: Option<&str>) -> Judgement {
        let about = |l: &&Line| row.is_some_and(|r| l.rows.contains(&r));
        let chosen: Vec<&Line> = self.lines.iter().filter(about).collect();
        let chosen = if chosen.is_empty() {
            self.lines.iter().collect()
        } else {
            chosen
        };
        let all = chosen.iter().map(|l| l.judgement());
        all.max().unwrap_or(Judgement::Shown)
    }
}

/// How an entry, a row or a line came out; of several the last in this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judgement {
    /// Shown, with nothing to compare with.
    Shown,
    /// Agrees with theory, or keeps our bounds; the document prints nothing.
    Verified,
    /// Agrees with what the document prints.
    Reproduced,
    /// Differs from what is printed, for a known reason.
    Differs,
    /// Some comparison does not hold, and should.
    Wrong,
    /// It could not be computed.
    Failed,
}

impl Judgement {
    pub(super) const ALL: [Self; 6] = [
        Self::Reproduced,
        Self::Verified,
        Self::Shown,
        Self::Differs,
        Self::Wrong,
        Self::Failed,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Verified => "verified",
            Self::Shown => "shown",
            Self::Differs => "differs",
            Self::Wrong => "WRONG",
            Self::Failed => "FAILED",
        }
    }

    /// What the word means.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Reproduced => "agrees with what the document prints",
            Self::Verified => {
                "agrees with a closed form, or keeps a bound of our own; the document prints nothing to hold it against"
            }
            Self::Shown => "made again, with nothing to judge by",
            Self::Differs => "is not what the document prints, for the reason given",
            Self::Wrong => "should agree and does not",
            Self::Failed => "could not be computed",
        }
    }
}

/// An entry that was run.
pub(super) struct Done {
    pub(super) entry: &'static Entry,
    pub(super) shown: Result<Shown, String>,
    pub(super) seconds: f64,
}

impl Done {
    pub(super) fn judgement(&self) -> Judgement {
        self.judgement_of(None)
    }

    pub(super) fn judgement_of(&self, row: Option<&str>) -> Judgement {
        match &self.shown {
            Err(_) => Judgement::Failed,
            Ok(shown) => shown.judgement_of(row),
        }
    }
}

/// A number for people: up to six digits.
pub(super) fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.2e}");
    }
    let digits = (5.0 - libm::floor(libm::log10(size))).clamp(0.0, 8.0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A run in memory.
pub(super) struct Played {
    pub(super) world: World,
    pub(super) trajectory: Trajectory,
    pub(super) outcome: Outcome,
    pub(super) title: String,
}

/// Runs a scene text with some keys set.
pub(super) fn play(
    name: &str,
    text: &str,
    set: &[(&str, String)],
    threads: usize,
) -> Result<Played, String> {
    let overrides: Vec<Override> = set
        .iter()
        .map(|(key, value)| Override::new(*key, value.clone()))
        .collect();
    let scene = Scene::parse(text, name, &overrides).map_err(|e| e.to_string())?;
    let mut world = World::from_scene(&scene).map_err(|e| e.to_string())?;
    world.set_threads(threads);
    let (trajectory, outcome) =
        simulate_in_memory(&scene, &mut world).map_err(|e| e.to_string())?;
    if let Some(failure) = &outcome.failure {
        return Err(format!("{name}: {failure}"));
    }
    Ok(Played {
        world,
        trajectory,
        outcome,
        title: scene.title,
    })
}

impl Played {
    /// Position of a body in the last frame, m.
    pub(super) fn end_of(&self, body: &str) -> Result<stickslip::prelude::DVec3, String> {
        let state = self
            .world
            .body(body)
            .ok_or_else(|| format!("no body {body}"))?;
        Ok(state.pose.position)
    }

    /// Where a body stands in the frames.
    pub(super) fn index_of(&self, body: &str) -> Result<usize, String> {
        let names = &self.trajectory.header.bodies;
        names
            .iter()
            .position(|n| n == body)
            .ok_or_else(|| format!("no body {body}"))
    }

    pub(super) fn film(&self) -> Result<stickslip_view::Film<'_>, String> {
        let film = stickslip_view::Film::new(self.world.model(), &self.trajectory)
            .map_err(|e| e.to_string())?;
        Ok(film.titled(&self.title))
    }
}

/// A scene of the project, inside the program.
macro_rules! scene {
    ($name:literal) => {
        (
            concat!("scenes/", $name, ".toml"),
            include_str!(concat!("../../shipped/scenes/", $name, ".toml")),
        )
    };
}
pub(super) use scene;

/// Slope of log y against log x by least squares.
pub(super) fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|p| (libm::log(p.0), libm::log(p.1)))
        .collect();
    let n = logs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|l| l.0), mean(&|l| l.1));
    mean(&|l| (l.0 - x) * (l.1 - y)) / mean(&|l| (l.0 - x) * (l.0 - x))
}
