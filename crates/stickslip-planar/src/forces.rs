//! The contact forces behind an acceleration: often a whole set of them.

use crate::kinematics::Problem;
use crate::solve::Options;
use crate::state::State;
use crate::vec3::{V3, axpy, cross, dot, norm, scale, solve3, sub};

/// The force of one contact on the body, N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The contact's number in the state.
    pub contact: usize,
    /// Along n_0, zero or more.
    pub normal: f64,
    /// Along t = (n_y, -n_x).
    pub friction: f64,
}

/// All contact forces that give one acceleration: any mean of the `vertices` plus any positive sum of the `rays`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceSet {
    /// Corner distributions; each lists every contact that the motion keeps.
    pub vertices: Vec<Vec<ContactForce>>,
    /// Inner forces: they add up to nothing and can be added in any amount (wedging, squeezing).
    pub rays: Vec<Vec<ContactForce>>,
    /// False where there were too many contacts to list all corners.
    pub complete: bool,
}

impl ForceSet {
    /// Whether the laws leave only one distribution.
    #[must_use]
    pub fn unique(&self) -> bool {
        self.complete && self.vertices.len() == 1 && self.rays.is_empty()
    }

    /// One distribution in the middle of the set.
    #[must_use]
    pub fn middle(&self) -> Vec<ContactForce> {
        let mut middle = self.vertices.first().cloned().unwrap_or_default();
        let share = 1.0 / self.vertices.len().max(1) as f64;
        for (i, force) in middle.iter_mut().enumerate() {
            force.normal = self.vertices.iter().map(|v| v[i].normal).sum::<f64>() * share;
            force.friction = self.vertices.iter().map(|v| v[i].friction).sum::<f64>() * share;
        }
        middle
    }
}

/// Most friction edges for which all corners are listed.
const EDGES_CAP: usize = 12;

/// One generator of the reaction and whose it is.
struct Edge {
    vector: V3,
    slot: usize,
    normal: f64,
    friction: f64,
}

/// The contact forces that give the body of `state` the acceleration `a` = (a_x, a_y, ρα), a corner of a solution set.
#[must_use]
pub fn forces(state: &State, options: &Options, a: V3) -> ForceSet {
    let problem = Problem::new(state, options);
    let kept: Vec<usize> = (0..problem.active.len())
        .filter(|&i| problem.gap_sign(i, a) == 0)
        .collect();
    let edges = edges(&problem, &kept, a);
    let reaction = sub(scale(a, problem.m), problem.force);
    let slack = 100.0 * problem.m * problem.slack(a);
    let blank: Vec<ContactForce> = kept
        .iter()
        .map(|&i| ContactForce {
            contact: problem.active[i].index,
            normal: 0.0,
            friction: 0.0,
        })
        .collect();
    let mut set = ForceSet {
        vertices: Vec::new(),
        rays: Vec::new(),
        complete: edges.len() <= EDGES_CAP,
    };
    if norm(reaction) <= slack && edges.is_empty() {
        set.vertices.push(blank);
        return set;
    }
    let compose = |subset: &[usize], amounts: &[f64]| {
        let mut forces = blank.clone();
        for (&e, &amount) in subset.iter().zip(amounts) {
            forces[edges[e].slot].normal += amount * edges[e].normal;
            forces[edges[e].slot].friction += amount * edges[e].friction;
        }
        forces
    };
    // Corners: the reaction as a non-negative sum of independent edges (Caratheodory). A corner on fewer edges than a
    // basis shows up in several bases.
    let size = norm(reaction).max(slack);
    for_each_independent(&edges, |subset| {
        let Some(amounts) = express(&edges, subset, reaction, slack) else {
            return true;
        };
        let least = -1e-7 * size;
        let sizes = subset.iter().map(|&e| norm(edges[e].vector));
        if amounts.iter().zip(sizes).all(|(x, s)| x * s >= least) {
            let amounts: Vec<f64> = amounts.iter().map(|x| x.max(0.0)).collect();
            push_new(&mut set.vertices, compose(subset, &amounts), 1e-6 * size);
        }
        // Without hope of a complete list one corner is enough.
        set.complete || set.vertices.is_empty()
    });
    if set.complete {
        // Extreme inner forces: an edge against a positive sum of independent others with smaller numbers.
        for_each_independent(&edges, |subset| {
            for against in 0..edges.len() {
                if subset.iter().any(|&e| e >= against) {
                    continue;
                }
                let target = scale(edges[against].vector, -1.0);
                let floor = 1e-9 * norm(target);
                if let Some(amounts) = express(&edges, subset, target, floor)
                    && amounts.iter().all(|&x| x > 1e-9)
                {
                    let mut all = subset.to_vec();
                    all.push(against);
                    let mut amounts = amounts;
                    amounts.push(1.0);
                    let ray = normalised(compose(&all, &amounts));
                    if let Some(ray) = ray {
                        push_new(&mut set.rays, ray, 1e-9);
                    }
                }
            }
            true
        });
    }
    set
}

fn edges(problem: &Problem, kept: &[usize], a: V3) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (slot, &i) in kept.iter().enumerate() {
        let contact = &problem.active[i];
        let mut push = |normal: f64, friction: f64| {
            let vector = axpy(scale(contact.row, normal), friction, contact.v_f);
            edges.push(Edge {
                vector,
                slot,
                normal,
                friction,
            });
        };
        let way = problem.way(i, a);
        let mu = match way {
            0 => contact.friction.stick,
            _ => contact.friction.slide,
        };
        if mu.is_infinite() {
            if way <= 0 {
                push(0.0, 1.0);
            }
            if way >= 0 {
                push(0.0, -1.0);
            }
            if way == 0 {
                push(1.0, 0.0);
            }
        } else {
            if way <= 0 || mu == 0.0 {
                push(1.0, mu);
            }
            if way >= 0 && mu > 0.0 {
                push(1.0, -mu);
            }
        }
    }
    edges
}

/// Calls `visit` for every independent set of one, two or three edges until it returns false.
fn for_each_independent(edges: &[Edge], mut visit: impl FnMut(&[usize]) -> bool) {
    let unit = |i: usize| scale(edges[i].vector, 1.0 / norm(edges[i].vector));
    for i in 0..edges.len() {
        if !visit(&[i]) {
            return;
        }
        for j in i + 1..edges.len() {
            let w = cross(unit(i), unit(j));
            if norm(w) <= 1e-9 {
                continue;
            }
            if !visit(&[i, j]) {
                return;
            }
            for k in j + 1..edges.len() {
                if dot(w, unit(k)).abs() > 1e-9 && !visit(&[i, j, k]) {
                    return;
                }
            }
        }
    }
}

/// The coefficients of `p` in the independent edges `subset`, or `None` where p is farther than `slack` from their span.
fn express(edges: &[Edge], subset: &[usize], p: V3, slack: f64) -> Option<Vec<f64>> {
    let e = |i: usize| edges[subset[i]].vector;
    match subset.len() {
        1 => {
            let x = dot(p, e(0)) / dot(e(0), e(0));
            (norm(axpy(p, -x, e(0))) <= slack).then(|| vec![x])
        }
        2 => {
            let w = cross(e(0), e(1));
            let square = dot(w, w);
            let on_plane = dot(p, w).abs() <= slack * square.sqrt();
            on_plane.then(|| {
                vec![
                    dot(cross(p, e(1)), w) / square,
                    dot(cross(e(0), p), w) / square,
                ]
            })
        }
        _ => {
            // Rows of the system are the components of the edges.
            let rows = [0, 1, 2].map(|i| [e(0)[i], e(1)[i], e(2)[i]]);
            solve3(rows, p, 0.0).map(|x| x.to_vec())
        }
    }
}

fn normalised(mut forces: Vec<ContactForce>) -> Option<Vec<ContactForce>> {
    let size = forces
        .iter()
        .map(|f| f.normal.abs().max(f.friction.abs()))
        .fold(0.0, f64::max);
    if size <= 1e-9 {
        return None;
    }
    for f in &mut forces {
        f.normal /= size;
        f.friction /= size;
    }
    Some(forces)
}

fn push_new(list: &mut Vec<Vec<ContactForce>>, forces: Vec<ContactForce>, slack: f64) {
    let close = |a: &[ContactForce], b: &[ContactForce]| {
        a.iter().zip(b).all(|(x, y)| {
            (x.normal - y.normal).abs() <= slack && (x.friction - y.friction).abs() <= slack
        })
    };
    if !list.iter().any(|known| close(known, &forces)) {
        list.push(forces);
    }
}
