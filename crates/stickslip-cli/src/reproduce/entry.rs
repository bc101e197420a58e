//! What an entry is, what it gives, and what several entries need.

use stickslip::dynamics::scene::Override;
use stickslip::dynamics::simulate::header;
use stickslip::prelude::{Outcome, Scene, World, simulate};
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
    /// Printed beside ours.
    pub(super) lines: Vec<Line>,
    /// Pictures as SVG, each with its caption.
    pub(super) figures: Vec<(String, String)>,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

/// One statement: what was printed, what we find.
pub(super) struct Line {
    pub(super) what: String,
    pub(super) printed: String,
    pub(super) ours: String,
    /// `None` where the documents print nothing to compare with.
    pub(super) good: Option<bool>,
}

impl Shown {
    /// A number against a printed (or derived) one, to a tolerance in its own unit.
    pub(super) fn compare(&mut self, what: &str, printed: f64, ours: f64, within: f64, unit: &str) {
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        };
        self.lines.push(Line {
            what: what.into(),
            printed: format!("{}{unit}", number(printed)),
            ours: format!("{}{unit} (within {})", number(ours), number(within)),
            good: Some((ours - printed).abs() <= within),
        });
    }

    /// A number that must not be above a bound.
    pub(super) fn at_most(&mut self, what: &str, bound: f64, ours: f64, unit: &str) {
        self.claim(
            what,
            &format!("at most {} {unit}", number(bound)),
            format!("{} {unit}", number(ours)),
            ours <= bound,
        );
    }

    /// A statement in words.
    pub(super) fn claim(&mut self, what: &str, printed: &str, ours: String, good: bool) {
        self.lines.push(Line {
            what: what.into(),
            printed: printed.into(),
            ours,
            good: Some(good),
        });
    }

    /// What nothing printed can be held against.
    pub(super) fn tell(&mut self, what: &str, printed: &str, ours: String) {
        self.lines.push(Line {
            what: what.into(),
            printed: printed.into(),
            ours,
            good: None,
        });
    }

    pub(super) fn plot(&mut self, caption: &str, plot: &Plot) {
        self.drawing(caption, &plot.drawing());
    }

    pub(super) fn drawing(&mut self, caption: &str, drawing: &Drawing) {
        self.figures.push((caption.into(), drawing.svg()));
    }
}

/// How an entry came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Every comparison holds.
    Reproduced,
    /// Shown, with nothing printed to compare with.
    Shown,
    /// Some comparison does not hold.
    Differs,
    /// It could not be computed.
    Failed,
}

impl Judgement {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Shown => "shown",
            Self::Differs => "DIFFERS",
            Self::Failed => "FAILED",
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
        match &self.shown {
            Err(_) => Judgement::Failed,
            Ok(shown) if shown.lines.iter().any(|l| l.good == Some(false)) => Judgement::Differs,
            Ok(shown) if shown.lines.iter().any(|l| l.good == Some(true)) => Judgement::Reproduced,
            Ok(_) => Judgement::Shown,
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
    let mut trajectory = Trajectory::new();
    let header = header(&scene, &world);
    let outcome = simulate(
        &mut world,
        &header,
        scene.step.until,
        &mut trajectory,
        &mut |_| {},
    )
    .map_err(|e| e.to_string())?;
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
            include_str!(concat!("../../../../scenes/", $name, ".toml")),
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
