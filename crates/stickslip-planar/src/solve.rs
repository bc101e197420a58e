//! All accelerations of a state: the procedure of section 5.4.2.

use crate::cone::Cone;
use crate::contact::Frame;
use crate::flats::{Flat, all_subsets, closed_subsets};
use crate::kinematics::Problem;
use crate::line::{self, Outcome};
use crate::modes::strict_mode;
use crate::notes::{Note, notes};
use crate::plane;
use crate::region::Region;
use crate::state::{State, StateError};
use crate::trace::{Hypothesis, Piece, Place, Reason, Verdict};
use crate::vec3::{V3, ZERO, norm, scale, sub};

/// Settings of [`solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Relative tolerance to which signs are decided: a number smaller than this times the size of its terms is zero.
    /// Raise it for states typed with few digits.
    pub tolerance: f64,
    /// Normal and sliding velocities up to this speed, m/s, count as zero, and so does the whole velocity of a slower
    /// body. Zero for exact states; raise it for states that come out of a simulation.
    pub rest_speed: f64,
    /// Most contacts that are accepted; those the velocity breaks do not count.
    pub max_contacts: usize,
    /// Try every subset of contacts, as the document does, and not only those that can add a solution.
    pub exhaustive: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            rest_speed: 0.0,
            max_contacts: 64,
            exhaustive: false,
        }
    }
}

/// Most contacts for which every subset is tried.
pub const EXHAUSTIVE_CAP: usize = 20;

/// A set of legal accelerations with the same contact modes: one point, or a continuous set.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// One letter for each active contact: `s` separates, `f` keeps its place, `l` and `r` slide (or start to slide) to
    /// -t and +t with t = (n_y, -n_x). Read off the motion itself, in the set's interior.
    pub mode: String,
    /// The set in the coordinates (x, y, q = ρθ), m/s².
    pub region: Region,
    /// Corners as (a_x, a_y, α), m/s² and rad/s².
    pub vertices: Vec<[f64; 3]>,
    /// Directions (a_x, a_y, α) in which the set has no end, of unit length.
    pub rays: Vec<[f64; 3]>,
}

impl Solution {
    /// The acceleration (a_x, a_y, α) where it is a single one.
    #[must_use]
    pub fn acceleration(&self) -> Option<[f64; 3]> {
        self.region.is_point().then(|| self.vertices[0])
    }
}

/// How many sets of contacts there are and how many were looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubsetCount {
    /// Active contacts, k: there are 2^k - 1 sets of them.
    pub contacts: usize,
    /// Hypotheses tried.
    pub tried: usize,
}

impl SubsetCount {
    /// 2^k - 1, or `None` where it does not fit.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        match self.contacts {
            64 => Some(u64::MAX),
            k => Some(1_u64.checked_shl(k as u32)? - 1),
        }
    }

    /// 2^k - 1 in words.
    #[must_use]
    pub fn total_text(&self) -> String {
        match self.total() {
            Some(total) if self.contacts <= 40 => total.to_string(),
            _ => format!("2^{} - 1", self.contacts),
        }
    }
}

/// Everything Newton's and Coulomb's laws say about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Solutions {
    /// The solution sets; none of them lies inside another.
    pub sets: Vec<Solution>,
    /// Contacts that the velocity neither breaks nor closes, by number in the state.
    pub active: Vec<usize>,
    /// Contacts that the velocity breaks; they carry no force.
    pub separating: Vec<usize>,
    /// Second-variation terms of the active contacts for the unnormalised rows, m/s².
    pub h: Vec<f64>,
    /// Sliding velocities of the active contacts along t = (n_y, -n_x), m/s.
    pub slip: Vec<f64>,
    /// Contacts that the velocity closes, with their normal velocity in m/s. Where there are any, the state is a
    /// collision and there is no answer in accelerations.
    pub colliding: Vec<(usize, f64)>,
    /// What was tried.
    pub hypotheses: Vec<Hypothesis>,
    /// How much there was to try.
    pub subsets: SubsetCount,
    /// What is special about the state.
    pub notes: Vec<Note>,
    /// The relative tolerance that was used: that of the options, but for [`Note::NearSingular`].
    pub tolerance: f64,
}

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The velocity points into a surface: an impact must come first.
    Collision,
    /// No acceleration is legal.
    None,
    /// Exactly one acceleration is legal.
    Unique,
    /// Finitely many accelerations are legal.
    Several,
    /// Infinitely many accelerations are legal.
    Continuum,
}

impl Status {
    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::None => "none",
            Self::Unique => "unique",
            Self::Several => "several",
            Self::Continuum => "continuum",
        }
    }
}

impl Solutions {
    /// `options` with the tolerance that was used.
    pub(crate) fn options(&self, options: &Options) -> Options {
        Options {
            tolerance: self.tolerance,
            ..options.clone()
        }
    }

    /// The answer in one word.
    #[must_use]
    pub fn status(&self) -> Status {
        if !self.colliding.is_empty() {
            return Status::Collision;
        }
        match self.sets.as_slice() {
            [] => Status::None,
            sets if sets.iter().any(|s| !s.region.is_point()) => Status::Continuum,
            [_] => Status::Unique,
            _ => Status::Several,
        }
    }
}

/// All accelerations that Newton's and Coulomb's laws allow in `state`.
///
/// "None" is a strong word, so it is said only with a second look: where another tolerance finds solutions the state is
/// flagged [`Note::NearSingular`]. A body at rest always has a solution (without sliding velocities the laws cannot be
/// inconsistent); if one fell between the tolerances, it is taken from the nearest tolerance that finds it.
///
/// # Errors
/// Where the state is not valid, or has more contacts than the cap.
pub fn solve(state: &State, options: &Options) -> Result<Solutions, StateError> {
    let mut answer = attempt(state, options)?;
    if answer.status() != Status::None {
        return Ok(answer);
    }
    for factor in [10.0, 0.1, 100.0, 0.01, 1000.0, 1e-3] {
        let tolerance = (options.tolerance * factor).min(0.05);
        let other = Options {
            tolerance,
            ..options.clone()
        };
        let mut second = attempt(state, &other)?;
        if second.status() == Status::None {
            continue;
        }
        let at_rest = norm(state.generalised_velocity()) <= options.rest_speed;
        if at_rest {
            second.notes.push(Note::NearSingular);
            return Ok(second);
        }
        answer.notes.push(Note::NearSingular);
        break;
    }
    Ok(answer)
}

fn attempt(state: &State, options: &Options) -> Result<Solutions, StateError> {
    state.validate()?;
    let tolerance = options.tolerance;
    if !(tolerance > 0.0 && tolerance < 0.1) {
        return Err(StateError::Value {
            what: "tolerance".into(),
            message: format!("must be between 0 and 0.1, is {tolerance}"),
        });
    }
    if !(options.rest_speed >= 0.0 && options.rest_speed.is_finite()) {
        return Err(StateError::Value {
            what: "rest speed".into(),
            message: format!("must be zero or more, is {}", options.rest_speed),
        });
    }
    let problem = Problem::new(state, options);
    let k = problem.active.len();
    // Before anything that takes longer with every pair of contacts.
    if options.exhaustive && k > EXHAUSTIVE_CAP {
        return Err(StateError::TooManySubsets { found: k });
    }
    if k > options.max_contacts {
        return Err(StateError::TooManyContacts {
            found: k,
            cap: options.max_contacts,
        });
    }
    let mut answer = Solutions {
        sets: Vec::new(),
        active: problem.active.iter().map(|c| c.index).collect(),
        separating: problem.separating.clone(),
        h: problem.active.iter().map(|c| c.h).collect(),
        slip: problem.active.iter().map(|c| c.slip).collect(),
        colliding: problem.colliding.clone(),
        hypotheses: Vec::new(),
        subsets: SubsetCount {
            contacts: k,
            tried: 0,
        },
        notes: notes(state, &problem),
        tolerance,
    };
    if !problem.colliding.is_empty() {
        return Ok(answer);
    }
    let mut found = Vec::new();
    zero_reaction(&problem, &mut found);
    zero_net_force(&problem, &mut found);
    let (subsets, refused) = if options.exhaustive {
        all_subsets(&problem)
    } else {
        (closed_subsets(&problem), Vec::new())
    };
    let frames: Vec<Frame> = problem
        .active
        .iter()
        .map(|c| state.contacts[c.index].frame(state.rho))
        .collect();
    answer.subsets.tried = subsets.len() + refused.len();
    for (kept, flat) in subsets {
        let mut outcomes = Vec::new();
        match &flat {
            Flat::Plane => plane::solve(&problem, &frames, &kept, &mut outcomes),
            Flat::Line(line) => line::solve(&problem, &kept, line, &mut outcomes),
            Flat::Point(a) => outcomes.push((Place::Corner, at_point(&problem, &kept, *a))),
        }
        found.push((kept, flat.dimension_of_normals(), outcomes));
    }
    for kept in refused {
        let outcome = (Place::Corner, Err(Reason::Inconsistent));
        found.push((kept, 0, vec![outcome]));
    }
    collect(state, &problem, found, &mut answer);
    Ok(answer)
}

/// Hypotheses before the solution sets are numbered: contacts, dimension of the normal space, outcomes.
type Found = Vec<(Vec<usize>, usize, Vec<Outcome>)>;

/// Step 1: does the free acceleration violate any contact?
fn zero_reaction(problem: &Problem, found: &mut Found) {
    let a = problem.free_acceleration();
    let result = match problem.pushed_through(a, &[]) {
        Some(j) => Err(Reason::PushesThrough(problem.active[j].index)),
        None => Ok(Region::point(a)),
    };
    found.push((Vec::new(), 0, vec![(Place::ZeroReaction, result)]));
}

/// Step 2: can the contacts with h_i = 0 cancel the applied force, on the edges that oppose sliding?
fn zero_net_force(problem: &Problem, found: &mut Found) {
    if problem.active.is_empty() {
        return;
    }
    let kept: Vec<usize> = (0..problem.active.len())
        .filter(|&i| problem.gap_sign(i, ZERO) == 0)
        .collect();
    let result = match problem.pushed_through(ZERO, &kept) {
        Some(j) => Err(Reason::NegativeH(problem.active[j].index)),
        None => at_point(problem, &kept, ZERO),
    };
    found.push((kept, 0, vec![(Place::ZeroNetForce, result)]));
}

/// Whether forces at the contacts `kept` can give the acceleration `a`, and no other contact forbids it.
///
/// A contact that stands still for the moment but starts to slide under `a` has one legal edge only; for zero net force
/// on a turning body that is the term ω² r·v_f, which section 5.4.3 leaves to the reader.
fn at_point(problem: &Problem, kept: &[usize], a: V3) -> Result<Region, Reason> {
    let mut edges: Vec<V3> = Vec::with_capacity(2 * kept.len());
    for &i in kept {
        problem.active[i].push_edges(problem.way(i, a), &mut edges);
    }
    let reaction = sub(scale(a, problem.m), problem.force);
    let slack = problem.m * problem.slack(a);
    if !Cone::new(&edges, problem.tol).contains(reaction, slack) {
        return Err(Reason::OutsideCone);
    }
    match problem.pushed_through(a, kept) {
        Some(j) => Err(Reason::PushesThrough(problem.active[j].index)),
        None => Ok(Region::point(a)),
    }
}

/// Keeps the sets that lie in no other, numbers them and writes down what became of every piece.
fn collect(state: &State, problem: &Problem, found: Found, answer: &mut Solutions) {
    let regions: Vec<&Region> = found
        .iter()
        .flat_map(|(_, _, outcomes)| outcomes)
        .filter_map(|(_, result)| result.as_ref().ok())
        .collect();
    let slack_at = |r: &Region| {
        let size = r
            .vertices
            .iter()
            .map(|&v| norm(v))
            .fold(problem.a_scale, f64::max);
        10.0 * problem.tol * size
    };
    // A region is dropped where another covers it; of two equal ones the first stays.
    let mut maximal: Vec<&Region> = Vec::new();
    for &region in &regions {
        let slack = slack_at(region);
        if maximal.iter().any(|known| known.covers(region, slack)) {
            continue;
        }
        maximal.retain(|known| !region.covers(known, slack));
        maximal.push(region);
    }
    let mut sets: Vec<Solution> = maximal
        .into_iter()
        .map(|region| Solution::new(state, problem, region.clone()))
        .collect();
    sets.sort_by_key(|set| mode_order(&set.mode));
    sets.dedup_by(|b, a| same_point(state, problem, a, b));
    answer.hypotheses = found
        .iter()
        .map(|(kept, dimension, outcomes)| Hypothesis {
            contacts: kept.iter().map(|&i| problem.active[i].index).collect(),
            dimension: *dimension,
            pieces: outcomes
                .iter()
                .map(|(place, result)| Piece {
                    place: place.clone(),
                    verdict: match result {
                        Ok(region) => Verdict::Solution(holder(&sets, region, slack_at(region))),
                        Err(reason) => Verdict::Rejected(*reason),
                    },
                })
                .collect(),
        })
        .collect();
    answer.sets = sets;
}

/// The number of the set that holds `region`, or that is nearest to it.
fn holder(sets: &[Solution], region: &Region, slack: f64) -> usize {
    let holds = |s: &Solution| s.region.covers(region, 2.0 * slack);
    sets.iter().position(holds).unwrap_or_else(|| {
        let distance = |s: &Solution| norm(sub(s.region.vertices[0], region.vertices[0]));
        let nearest =
            (0..sets.len()).min_by(|&a, &b| distance(&sets[a]).total_cmp(&distance(&sets[b])));
        nearest.unwrap_or(0)
    })
}

/// Whether two points are one. The accelerations of one mode form a convex set, so that two of its points without the
/// segment between them are one point, found twice with different rounding errors. Where ρ is large beside the levers
/// those errors are large in q = ρθ, but not in what the contacts see of it.
fn same_point(state: &State, problem: &Problem, a: &Solution, b: &Solution) -> bool {
    let (Some(_), Some(_), true) = (a.acceleration(), b.acceleration(), a.mode == b.mode) else {
        return false;
    };
    let weight = (state.longest_lever() / state.rho).min(1.0);
    let mut d = sub(a.region.vertices[0], b.region.vertices[0]);
    d[2] *= weight;
    let size = norm(a.region.vertices[0]).max(problem.a_scale);
    norm(d) <= 1e3 * problem.tol * size
}

/// Solutions are listed by mode in the order s, f, l, r.
fn mode_order(mode: &str) -> Vec<usize> {
    mode.chars()
        .map(|letter| "sflr".find(letter).unwrap_or(4))
        .collect()
}

impl Solution {
    fn new(state: &State, problem: &Problem, region: Region) -> Self {
        // Adding zero turns -0 into 0.
        let vertices = region
            .vertices
            .iter()
            .map(|v| [v[0] + 0.0, v[1] + 0.0, v[2] / state.rho + 0.0])
            .collect();
        let rays = region
            .rays
            .iter()
            .map(|r| {
                let ray = [r[0] + 0.0, r[1] + 0.0, r[2] / state.rho + 0.0];
                scale(ray, 1.0 / norm(ray))
            })
            .collect();
        Self {
            mode: strict_mode(problem, region.interior(problem.a_scale)),
            region,
            vertices,
            rays,
        }
    }
}
