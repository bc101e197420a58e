//! How large is my error, and which h should I use? The scene is run with h, h/2, h/4 … and the answers are compared.
//!
//! With v_k the quantity at h/2ᵏ and d_k = v_{k+1} − v_k the observed order is p_k = log₂(|d_k|/|d_{k+1}|), and
//! Richardson's value v* = v_K + d_{K−1}/(2ᵖ − 1). The error of the scene's own h is |v_0 − v*|, and the bar adds what v* itself is
//! not sure of: the change from the v* of one halving less, and the last difference where the orders are not settled.

mod events;
mod facets;
pub(crate) mod quantity;

pub use events::{Event, OrderAtEvent};
pub use quantity::{COMPONENTS, Quantity, QuantityError};

use crate::error::StepError;
use crate::methods::Method;
use crate::scene::{Scene, SceneError};
use crate::simulate::steps_until;
use crate::world::World;
use events::Watch;
use stickslip_model::{BodyState, Cone};

/// What is to be studied.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Halvings of h; at least 3.
    pub halvings: usize,
    /// What is looked at; the coordinate that is known worst where `None`.
    pub quantity: Option<Quantity>,
    /// The error for which h is recommended, m (or the quantity's unit); a tenth of the present one where `None`.
    pub wanted: Option<f64>,
    /// Also run pyramids of 4, 8, 16 and 32 directions.
    pub directions: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            halvings: 5,
            quantity: None,
            wanted: None,
            directions: true,
        }
    }
}

/// One run of the ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Step, s.
    pub h: f64,
    /// Records of the run.
    pub steps: u64,
    /// The quantity at the end.
    pub value: f64,
    /// p_k, from this rung and the two coarser ones.
    pub order: Option<f64>,
}

/// The error bar of the answer at the scene's own h, in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// By the step: |v_0 − v*| and what v* is not sure of.
    pub step: f64,
    /// By the cone: the pyramid's answer against the exact cone's; 0 for the exact one.
    pub cone: f64,
    /// By facets that stand for a curved surface, in meshes and hulls; 0 where all shapes are exact. `None` where the scene with
    /// moved facets cannot be run.
    pub geometry: Option<f64>,
    /// By gaps linearised over the step: against the implicit method at the same h. It is a part of `step`.
    pub linearisation: Option<f64>,
}

impl Bar {
    /// The whole.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.step + self.cone + self.geometry.unwrap_or(0.0)
    }
}

/// What the study came to.
#[derive(Clone, Debug)]
pub struct Study {
    /// What was looked at.
    pub quantity: Quantity,
    /// The ladder, h falling.
    pub rungs: Vec<Rung>,
    /// The order used for extrapolation.
    pub order: f64,
    /// v*.
    pub extrapolated: f64,
    /// What v* is not sure of.
    pub uncertainty: f64,
    /// Is the ladder in the asymptotic range: do the last two orders agree with a whole one, or are the answers the same number? Where not,
    /// v* is the last answer, and its uncertainty the larger of the last two changes.
    pub asymptotic: bool,
    /// The error of the scene's own h.
    pub bar: Bar,
    /// By how much facets may miss the surfaces they stand for, m.
    pub sagitta: f64,
    /// Answers of pyramids at the scene's own h: directions and value.
    pub directions: Vec<(usize, f64)>,
    /// The answer of the exact cone at the scene's own h.
    pub exact_cone: f64,
    /// The error wanted and the h recommended for it, s; `None` where the ladder does not say (it is not in the asymptotic range), or no step alone
    /// gives that error.
    pub recommended: (f64, Option<f64>),
    /// Where the ladder of this quantity is not settled: what can be said of the coordinates of the free bodies.
    pub others: Option<Others>,
    /// Events of the finest run, with the order before and after.
    pub events: Vec<OrderAtEvent>,
}

/// Coordinates of free bodies, by whether their ladders are in the asymptotic range.
#[derive(Clone, Debug, PartialEq)]
pub struct Others {
    /// How many there are.
    pub all: usize,
    /// How many of them are settled.
    pub settled: usize,
    /// Of these the one with the largest error at the scene's own h, and that error, m.
    pub worst: Option<(Quantity, f64)>,
}

/// Why there is no study.
#[derive(Debug, thiserror::Error)]
pub enum ConvergeError {
    /// The scene cannot be built.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// A step could not be certified.
    #[error("with h = {h} s: {error}")]
    Step {
        /// The step size, s.
        h: f64,
        /// Why.
        error: StepError,
    },
    /// The quantity is none of the scene's.
    #[error("{0}")]
    Quantity(#[from] QuantityError),
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
}

/// A run to the end.
struct Run {
    world: World,
    steps: u64,
    /// States at the times of the coarsest grid, in the order of the bodies' names: their numbers are those of one world.
    samples: Vec<Vec<BodyState>>,
    events: Vec<Event>,
}

/// Studies a scene; `progress` is told of each run that is done.
///
/// # Errors
/// [`ConvergeError`] where a run cannot be done, or the quantity is none.
pub fn converge(
    scene: &Scene,
    settings: &Settings,
    progress: &mut dyn FnMut(&str),
) -> Result<Study, ConvergeError> {
    if !(3..=16).contains(&settings.halvings) {
        let message = format!("{} halvings: from 3 to 16 are needed", settings.halvings);
        return Err(ConvergeError::Setting(message));
    }
    // The end is to be a grid point of every rung.
    let until = scene.step.until;
    let coarse = until / steps_until(scene.step.h, until) as f64;
    let mut runs = Vec::new();
    for k in 0..=settings.halvings {
        let h = coarse / f64::from(1u32 << k);
        runs.push(run(scene, h, 1 << k, scene.step.method, scene.step.cone)?);
        progress(&format!("h = {h} s"));
    }
    let last = runs.len() - 1;
    let quantity = match &settings.quantity {
        Some(q) => q.clone(),
        None => Quantity::least_known(&runs[last - 1].world, &runs[last].world),
    };
    let mut values = Vec::new();
    for r in &runs {
        values.push(quantity.of(&r.world)?);
    }
    let mut study = ladder(quantity, coarse, &runs, &values);
    study.events = events::orders(
        &runs[last - 2].samples,
        &runs[last - 1].samples,
        &runs[last],
        coarse,
    );

    let other = Other { scene, coarse };
    other.add_bar(&mut study, values[0], progress)?;
    if settings.directions && has_friction(scene) {
        study.directions = other.pyramids(&study.quantity, progress)?;
    }
    study.recommended = recommended(&study, settings.wanted, coarse, rounding(&values));
    if !study.asymptotic {
        study.others = Some(others(coarse, &runs)?);
    }
    Ok(study)
}

/// Runs at the scene's own h that differ in something else: the cone, the method, the facets.
struct Other<'a> {
    scene: &'a Scene,
    /// The scene's own step, s.
    coarse: f64,
}

impl Other<'_> {
    fn value(&self, quantity: &Quantity, method: Method, cone: Cone) -> Result<f64, ConvergeError> {
        let run = run(self.scene, self.coarse, 1, method, cone)?;
        quantity.of(&run.world).map_err(Into::into)
    }

    /// The parts of the error bar beside the step's own; `value` is the scene's answer.
    fn add_bar(
        &self,
        study: &mut Study,
        value: f64,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), ConvergeError> {
        let step = &self.scene.step;
        study.exact_cone = match step.cone {
            Cone::Quadratic => value,
            _ => self.value(&study.quantity, step.method, Cone::Quadratic)?,
        };
        study.bar.cone = (value - study.exact_cone).abs();
        if step.method == Method::StewartTrinkle {
            let implicit = self
                .value(&study.quantity, Method::Implicit, step.cone)
                .ok();
            study.bar.linearisation = implicit.map(|v| (value - v).abs());
            progress("the implicit method");
        }
        study.sagitta = facets::sagitta(self.scene);
        study.bar.geometry = if study.sagitta > 0.0 {
            let other = self.with_facets_moved(&study.quantity);
            progress("facets moved by their sagitta");
            other.map(|v| (value - v).abs())
        } else {
            Some(0.0)
        };
        Ok(())
    }

    /// The answer with facets moved by their sagitta to one side, or the other where that does not run.
    fn with_facets_moved(&self, quantity: &Quantity) -> Option<f64> {
        [-1.0, 1.0].into_iter().find_map(|side| {
            let scene = facets::moved(self.scene, side)?;
            let run = run(&scene, self.coarse, 1, scene.step.method, scene.step.cone).ok()?;
            quantity.of(&run.world).ok()
        })
    }

    /// Answers of pyramids: directions and value.
    fn pyramids(
        &self,
        quantity: &Quantity,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<(usize, f64)>, ConvergeError> {
        let mut pyramids = Vec::new();
        for n in [4, 8, 16, 32] {
            let value = self.value(quantity, self.scene.step.method, Cone::Pyramid(n))?;
            pyramids.push((n, value));
            progress(&format!("{n} directions"));
        }
        Ok(pyramids)
    }
}

/// Goes through the coordinates of the free bodies: which of them the runs do agree on.
fn others(coarse: f64, runs: &[Run]) -> Result<Others, ConvergeError> {
    let (mut all, mut settled) = (0, 0);
    let mut worst: Option<(Quantity, f64)> = None;
    for quantity in Quantity::coordinates(&runs[0].world) {
        let values = runs.iter().map(|run| quantity.of(&run.world));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        all += 1;
        let study = ladder(quantity, coarse, runs, &values);
        if study.asymptotic {
            settled += 1;
            if worst.as_ref().is_none_or(|w| study.bar.step > w.1) {
                worst = Some((study.quantity, study.bar.step));
            }
        }
    }
    Ok(Others {
        all,
        settled,
        worst,
    })
}

/// The error wanted (a tenth of the present one unless told) and the h for it, s.
fn recommended(
    study: &Study,
    wanted: Option<f64>,
    coarse: f64,
    rounding: f64,
) -> (f64, Option<f64>) {
    let bar = &study.bar;
    let wanted = wanted.unwrap_or(0.1 * bar.total());
    // Only the step's part falls with h.
    let fixed = bar.cone + bar.geometry.unwrap_or(0.0);
    let left = (wanted - fixed).max(0.0);
    let factor = if bar.step > 2.0 * rounding {
        libm::pow(0.8 * left / bar.step, 1.0 / study.order)
    } else {
        1.0
    };
    let h = coarse * factor;
    (wanted, (study.asymptotic && h > 0.0).then_some(h))
}

/// Below this two answers are the same number.
fn rounding(values: &[f64]) -> f64 {
    let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    1e-12 * (1.0 + size)
}

fn has_friction(scene: &Scene) -> bool {
    scene.bodies.iter().any(|b| b.material.friction.stick > 0.0)
        || scene
            .contact_overrides
            .iter()
            .any(|c| c.friction.is_some_and(|f| f.stick > 0.0))
}

/// Orders, Richardson's value and the bar of the step.
fn ladder(quantity: Quantity, coarse: f64, runs: &[Run], values: &[f64]) -> Study {
    let last = values.len() - 1;
    let d: Vec<f64> = values.windows(2).map(|w| w[1] - w[0]).collect();
    let floor = rounding(values);
    let order_at = |k: usize| {
        let (a, b) = (d[k - 2].abs(), d[k - 1].abs());
        (a > floor && b > floor).then(|| libm::log2(a / b))
    };
    let rungs: Vec<Rung> = (0..=last)
        .map(|k| Rung {
            h: coarse / f64::from(1u32 << k),
            steps: runs[k].steps,
            value: values[k],
            order: if k >= 2 { order_at(k) } else { None },
        })
        .collect();
    // A whole order that the last two observed ones support, else one.
    let seen = [rungs[last].order, rungs[last - 1].order];
    let settled = |p: f64| seen.iter().all(|o| o.is_some_and(|o| (o - p).abs() < 0.3));
    let order = [4.0, 3.0, 2.0]
        .into_iter()
        .find(|&p| settled(p))
        .unwrap_or(1.0);
    let smooth = settled(order);
    let richardson = |k: usize| values[k] + d[k - 1] / (libm::exp2(order) - 1.0);
    let best = if smooth {
        richardson(last)
    } else {
        values[last]
    };
    // The larger of the last two changes: one alone may be small by chance.
    let change = |k: usize| {
        if smooth {
            (richardson(k) - richardson(k - 1)).abs()
        } else {
            d[k - 1].abs().max(d[k - 2].abs())
        }
    };
    let uncertainty = floor + change(last).max(change(last - 1));
    Study {
        quantity,
        rungs,
        order,
        extrapolated: best,
        uncertainty,
        asymptotic: smooth || d[last - 1].abs() <= floor,
        bar: Bar {
            step: (values[0] - best).abs() + uncertainty,
            ..Bar::default()
        },
        sagitta: 0.0,
        directions: Vec::new(),
        exact_cone: values[0],
        recommended: (0.0, None),
        others: None,
        events: Vec::new(),
    }
}

/// Runs a scene with another step, keeping the states at every `every`th grid point.
fn run(
    scene: &Scene,
    h: f64,
    every: u64,
    method: Method,
    cone: Cone,
) -> Result<Run, ConvergeError> {
    let mut scene = scene.clone();
    (scene.step.h, scene.step.method, scene.step.cone) = (h, method, cone);
    // Steps of a given length are compared here, not of a wanted error.
    scene.step.error = f64::INFINITY;
    let mut world = World::from_scene(&scene)?;
    let named = world.model().bodies_by_name();
    let by_name = |world: &World| named.iter().map(|&k| world.states()[k]).collect();
    let (mut samples, mut watch) = (vec![by_name(&world)], Watch::default());
    let mut next = every;
    while !world.reached(scene.step.until) {
        world
            .step()
            .map_err(|error| ConvergeError::Step { h, error })?;
        watch.look(&world);
        // A grid point: after an impact there, if there is one.
        if world.time() >= next as f64 * h * (1.0 - 1e-12) {
            samples.push(by_name(&world));
            next += every;
        }
    }
    Ok(Run {
        steps: world.steps(),
        world,
        samples,
        events: watch.events,
    })
}
