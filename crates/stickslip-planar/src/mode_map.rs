//! The force-torque plane split into regions of constant mode.
//!
//! Two of the three components of the applied force vary over a window, the third stays as in the state. At rest the
//! regions are polygons; they are found by halving squares until all four corners and the middle of a square agree.

use crate::solve::{Options, Solutions, Status, solve};
use crate::state::{State, StateError};
use std::collections::BTreeMap;

/// A component of the applied force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// F_x, N.
    ForceX,
    /// F_y, N.
    ForceY,
    /// τ, N m.
    Torque,
}

impl Axis {
    fn index(self) -> usize {
        match self {
            Self::ForceX => 0,
            Self::ForceY => 1,
            Self::Torque => 2,
        }
    }

    /// This component of the state's own load.
    pub(crate) fn of(self, state: &State) -> f64 {
        state.force[self.index()]
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::ForceX => "F_x (N)",
            Self::ForceY => "F_y (N)",
            Self::Torque => "torque (N m)",
        }
    }
}

impl std::str::FromStr for Axis {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fx" => Ok(Self::ForceX),
            "fy" => Ok(Self::ForceY),
            "torque" => Ok(Self::Torque),
            _ => Err(format!("expected fx, fy or torque, found \"{text}\"")),
        }
    }
}

/// Which window of the force-torque space to map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapOptions {
    /// Horizontal component and its range.
    pub x: (Axis, [f64; 2]),
    /// Vertical component and its range.
    pub y: (Axis, [f64; 2]),
    /// The window is halved this many times along each side everywhere.
    pub coarse: u32,
    /// And this many times where modes change.
    pub fine: u32,
}

impl MapOptions {
    /// F_x against torque in a window of a few times the state's own force.
    #[must_use]
    pub fn for_state(state: &State) -> Self {
        let force = libm::hypot(state.force[0], state.force[1]);
        let force = if force > 0.0 { force } else { 9.81 * state.m };
        let arm = state
            .contacts
            .iter()
            .map(|c| libm::hypot(c.r[0], c.r[1]))
            .fold(state.rho, f64::max);
        Self {
            x: (Axis::ForceX, [-2.0 * force, 2.0 * force]),
            y: (Axis::Torque, [-2.0 * force * arm, 2.0 * force * arm]),
            coarse: 5,
            fine: 9,
        }
    }

    /// The range this window would have along another component: forces share one range.
    #[must_use]
    pub fn range(&self, axis: Axis) -> [f64; 2] {
        if axis == Axis::Torque {
            self.y.1
        } else {
            self.x.1
        }
    }
}

/// One kind of answer and how much of the window has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeRegion {
    /// The modes of all solutions, `none`, or `collision`; a continuous set is marked with `~`.
    pub label: String,
    /// Fraction of the window's area.
    pub fraction: f64,
}

/// A square of the map: place and side in units of the finest squares, and its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    /// Left edge.
    pub i: u32,
    /// Lower edge.
    pub j: u32,
    /// Side.
    pub side: u32,
    /// Number of its region in [`ModeMap::regions`].
    pub region: usize,
}

/// The map.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeMap {
    /// What was asked for.
    pub options: MapOptions,
    /// The regions, largest first.
    pub regions: Vec<ModeRegion>,
    /// Squares that tile the window.
    pub squares: Vec<Square>,
    /// Number of states solved.
    pub solved: usize,
    /// Fraction of the window in finest squares, where a boundary passes: the area fractions are no better than this.
    pub unresolved: f64,
}

/// The label of an answer.
#[must_use]
pub fn label(answer: &Solutions) -> String {
    match answer.status() {
        Status::Collision => "collision".into(),
        Status::None => "none".into(),
        _ => {
            let mut words: Vec<String> = answer
                .sets
                .iter()
                .map(|s| {
                    let mode = if s.mode.is_empty() { "free" } else { &s.mode };
                    format!("{}{mode}", if s.region.is_point() { "" } else { "~" })
                })
                .collect();
            // Rest first, then in the order of the answer.
            words.sort_by_key(|word| word.chars().any(|letter| letter != 'f'));
            words.join(" | ")
        }
    }
}

struct Mapper<'a> {
    state: State,
    options: &'a MapOptions,
    settings: &'a Options,
    size: u32,
    known: BTreeMap<(u32, u32), usize>,
    labels: Vec<String>,
    squares: Vec<Square>,
}

impl Mapper<'_> {
    /// The region at a point of the finest square (i, j). The points mirror each other in the middle of the window, and
    /// lie off the squares' middles, so that they seldom fall on the lines where modes change.
    fn region(&mut self, i: u32, j: u32) -> Result<usize, StateError> {
        if let Some(&region) = self.known.get(&(i, j)) {
            return Ok(region);
        }
        let at = |[lo, hi]: [f64; 2], k: u32, offset: f64| {
            let half = 0.5 * f64::from(self.size);
            let place = f64::from(k) + 0.5 - half;
            let out = if place < 0.0 { -offset } else { offset };
            0.5 * (lo + hi) + 0.5 * (hi - lo) * (place + out) / half
        };
        self.state.force[self.options.x.0.index()] = at(self.options.x.1, i, 0.1283);
        self.state.force[self.options.y.0.index()] = at(self.options.y.1, j, 0.0861);
        let name = label(&solve(&self.state, self.settings)?);
        let region = match self.labels.iter().position(|l| *l == name) {
            Some(region) => region,
            None => {
                self.labels.push(name);
                self.labels.len() - 1
            }
        };
        self.known.insert((i, j), region);
        Ok(region)
    }

    fn split(&mut self, i: u32, j: u32, side: u32, coarse: u32) -> Result<(), StateError> {
        let corner = self.region(i, j)?;
        let half = side / 2;
        if half == 0 {
            self.squares.push(Square {
                i,
                j,
                side,
                region: corner,
            });
            return Ok(());
        }
        if side <= coarse {
            // The corners, and the four squares about the middle.
            let (last, before) = (side - 1, half - 1);
            let mut same = true;
            for (a, b) in [
                (last, 0),
                (0, last),
                (last, last),
                (before, before),
                (half, before),
                (before, half),
                (half, half),
            ] {
                same = same && self.region(i + a, j + b)? == corner;
            }
            if same {
                self.squares.push(Square {
                    i,
                    j,
                    side,
                    region: corner,
                });
                return Ok(());
            }
        }
        for (a, b) in [(0, 0), (half, 0), (0, half), (half, half)] {
            self.split(i + a, j + b, half, coarse)?;
        }
        Ok(())
    }
}

/// Maps the modes of `state` over a window of applied forces.
///
/// # Errors
/// Where the state or the window is not valid.
pub fn mode_map(
    state: &State,
    settings: &Options,
    options: &MapOptions,
) -> Result<ModeMap, StateError> {
    let bad = |message: &str| StateError::Value {
        what: "window".into(),
        message: message.into(),
    };
    if options.x.0 == options.y.0 {
        return Err(bad("the two axes must be different components"));
    }
    for [lo, hi] in [options.x.1, options.y.1] {
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            return Err(bad(&format!(
                "a range needs two finite numbers, the smaller first; found {lo} and {hi}"
            )));
        }
    }
    if options.coarse > options.fine || options.fine > 12 {
        return Err(bad(
            "at most 12 halvings, the coarse ones no more than the fine",
        ));
    }
    // Whether the velocity closes a contact does not depend on the force.
    let first = solve(state, settings)?;
    if let Some((i, speed)) = first.colliding.first() {
        return Err(StateError::Value {
            what: "v".into(),
            message: format!(
                "points into the surface of contact {} ({:e} m/s): an impact comes first, whatever the force",
                i + 1,
                -speed
            ),
        });
    }
    let size = 1 << options.fine;
    let mut mapper = Mapper {
        state: state.clone(),
        options,
        settings,
        size,
        known: BTreeMap::new(),
        labels: Vec::new(),
        squares: Vec::new(),
    };
    mapper.split(0, 0, size, size >> options.coarse)?;
    let whole = f64::from(size) * f64::from(size);
    let mut areas = vec![0.0; mapper.labels.len()];
    let mut smallest = 0.0;
    for s in &mapper.squares {
        areas[s.region] += f64::from(s.side) * f64::from(s.side) / whole;
        if s.side == 1 {
            smallest += 1.0 / whole;
        }
    }
    let mut order: Vec<usize> = (0..areas.len()).collect();
    order.sort_by(|&a, &b| areas[b].total_cmp(&areas[a]));
    let mut rank = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old] = new;
    }
    for s in &mut mapper.squares {
        s.region = rank[s.region];
    }
    Ok(ModeMap {
        options: options.clone(),
        regions: order
            .iter()
            .map(|&i| ModeRegion {
                label: mapper.labels[i].clone(),
                fraction: areas[i],
            })
            .collect(),
        squares: mapper.squares,
        solved: mapper.known.len(),
        unresolved: smallest,
    })
}
