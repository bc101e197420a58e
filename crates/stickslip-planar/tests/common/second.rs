//! The second method: guess the mode of every contact, and ask a linear program for the accelerations of that guess.
//!
//! Written from the equations of motion (3) in the plain coordinates (a_x, a_y, α), without the geometry of the crate:
//! no cones, no flats, no c-intervals. It only shares the data of the state.

use super::simplex::{Optimum, Program};
use stickslip_planar::{ContactKind, Solutions, State};

/// One contact that the velocity keeps.
struct KeptContact {
    normal: [f64; 3],
    tangent: [f64; 3],
    h: f64,
    drift: f64,
    slip: f64,
    mu: f64,
    mu_stick: f64,
}

/// Accelerations of one mode, as far as the probing directions show them: points of the set and directions without end.
pub(crate) struct ModeSet {
    pub(crate) mode: String,
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) rays: Vec<[f64; 3]>,
    /// How well the points are known, relative: pushes of 1e6 times the load cost as many digits.
    pub(crate) error: f64,
}

pub(crate) struct Second {
    rows: Vec<KeptContact>,
    m: f64,
    inertia: f64,
    force: [f64; 3],
    /// Size of accelerations, for tolerances.
    size: f64,
}

const TOL: f64 = 1e-10;

impl Second {
    pub(crate) fn new(state: &State) -> Self {
        let [v_x, v_y, omega] = state.velocity;
        let inertia = state.m * state.rho * state.rho;
        let mut rows = Vec::new();
        let mut size = state.force[0].abs().max(state.force[1].abs()) / state.m;
        size = size.max((state.force[2] / inertia).abs());
        let speed = v_x.abs() + v_y.abs() + omega.abs();
        for c in &state.contacts {
            // Velocity of the body's point at the contact: v + ω z × (-r).
            let point = [v_x + omega * c.r[1], v_y - omega * c.r[0]];
            let normal_velocity = point[0] * c.n[0] + point[1] * c.n[1];
            assert!(normal_velocity > -1e-9 * (1.0 + speed), "a collision");
            if normal_velocity > 1e-9 * speed {
                continue;
            }
            let t = [c.n[1], -c.n[0]];
            let slip = point[0] * t[0] + point[1] * t[1];
            let n_r = c.n[0] * c.r[0] + c.n[1] * c.r[1];
            let mut h = omega * omega * n_r;
            match c.kind {
                // z × n = (-n_y, n_x).
                ContactKind::A => {
                    h += 2.0 * omega * (-c.n[1] * point[0] + c.n[0] * point[1]);
                }
                ContactKind::Arc { body, obstacle } => {
                    let turn = body * slip - omega;
                    h += body * slip * slip - 2.0 * omega * slip - turn * turn / (body + obstacle);
                }
                _ => {}
            }
            let t_r = t[0] * c.r[0] + t[1] * c.r[1];
            rows.push(KeptContact {
                normal: [c.n[0], c.n[1], c.n[0] * c.r[1] - c.n[1] * c.r[0]],
                tangent: [t[0], t[1], t[0] * c.r[1] - t[1] * c.r[0]],
                h,
                drift: omega * omega * t_r,
                slip: if slip.abs() <= 1e-9 * speed {
                    0.0
                } else {
                    slip
                },
                mu: c.mu,
                mu_stick: c.mu_static.unwrap_or(c.mu),
            });
            size = size.max(h.abs()).max((omega * omega * t_r).abs());
        }
        Self {
            rows,
            m: state.m,
            inertia,
            force: state.force,
            size: if size > 0.0 { size } else { 1.0 },
        }
    }

    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// Acceleration per unit of a generalised force, in units of the problem's size.
    fn per_force(&self, f: [f64; 3]) -> [f64; 3] {
        [f[0] / self.m, f[1] / self.m, f[2] / self.inertia]
    }

    /// Accelerations caused by the unit pushes that a mode allows.
    fn pushes(&self, mode: &str) -> Vec<[f64; 3]> {
        let mut pushes = Vec::new();
        let mut push = |row: &KeptContact, mu: f64, friction: f64| {
            // Normal force with friction; friction alone where the coefficient is infinite.
            let (normal, along) = if mu.is_infinite() && friction != 0.0 {
                (0.0, friction)
            } else if friction == 0.0 {
                (1.0, 0.0)
            } else {
                (1.0, friction * mu)
            };
            let f = [0, 1, 2].map(|i| normal * row.normal[i] + along * row.tangent[i]);
            pushes.push(self.per_force(f));
        };
        for (row, letter) in self.rows.iter().zip(mode.chars()) {
            match letter {
                'l' => push(row, row.mu, 1.0),
                'r' => push(row, row.mu, -1.0),
                'f' => {
                    push(row, row.mu_stick, 1.0);
                    push(row, row.mu_stick, -1.0);
                    if row.mu_stick.is_infinite() {
                        push(row, row.mu_stick, 0.0);
                    }
                }
                _ => {}
            }
        }
        // Unit length: only directions matter.
        for p in &mut pushes {
            let length = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            *p = p.map(|x| x / length);
        }
        pushes
    }

    /// The linear program of a mode; unknowns are the pushes (in units of `size`) and then the slacks.
    fn program(&self, mode: &str, pushes: &[[f64; 3]]) -> Program {
        let free = self.per_force(self.force).map(|x| x / self.size);
        let mut lines: Vec<(Vec<f64>, f64, f64)> = Vec::new();
        let mut line = |direction: [f64; 3], offset: f64, slack: f64| {
            let length = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let d = direction.map(|x| x / length);
            let offset = offset / (length * self.size);
            let at_free = (0..3).map(|i| d[i] * free[i]).sum::<f64>();
            let coefficients = pushes
                .iter()
                .map(|p| (0..3).map(|i| d[i] * p[i]).sum())
                .collect();
            // d·a + offset - slack s = 0 with s ≥ 0; slack 0 for an equality.
            lines.push((coefficients, slack, -(at_free + offset)));
        };
        for (row, letter) in self.rows.iter().zip(mode.chars()) {
            line(row.normal, row.h, if letter == 's' { 1.0 } else { 0.0 });
            if row.slip == 0.0 && letter != 's' {
                let slack = match letter {
                    'r' => 1.0,
                    'l' => -1.0,
                    _ => 0.0,
                };
                line(row.tangent, row.drift, slack);
            }
        }
        let slacks = lines.iter().filter(|l| l.1 != 0.0).count();
        let mut program = Program::new(pushes.len() + slacks, TOL);
        let mut next = pushes.len();
        for (mut coefficients, slack, rhs) in lines {
            coefficients.resize(pushes.len() + slacks, 0.0);
            if slack != 0.0 {
                coefficients[next] = -slack;
                next += 1;
            }
            program.equal(&coefficients, rhs);
        }
        program
    }

    /// Every mode that has an acceleration, with what the directions show of its set.
    pub(crate) fn modes(&self, directions: &[[f64; 3]]) -> Vec<ModeSet> {
        let letters: Vec<&str> = self
            .rows
            .iter()
            .map(|r| match r.slip {
                s if s > 0.0 => "sr",
                s if s < 0.0 => "sl",
                _ => "sflr",
            })
            .collect();
        let total: usize = letters.iter().map(|l| l.len()).product();
        let free = self.per_force(self.force);
        let mut sets = Vec::new();
        for number in 0..total {
            let mut rest = number;
            let mode: String = letters
                .iter()
                .map(|l| {
                    let letter = l.as_bytes()[rest % l.len()];
                    rest /= l.len();
                    char::from(letter)
                })
                .collect();
            let pushes = self.pushes(&mode);
            let program = self.program(&mode, &pushes);
            if !program.feasible() || self.repeats(&mode, &program, &pushes) {
                continue;
            }
            let objectives: Vec<Vec<f64>> = directions
                .iter()
                .map(|d| {
                    let mut objective: Vec<f64> = pushes
                        .iter()
                        .map(|p| (0..3).map(|i| d[i] * p[i]).sum())
                        .collect();
                    objective.resize(program.columns(), 0.0);
                    objective
                })
                .collect();
            let place = |x: &[f64], from: [f64; 3]| {
                let mut a = from;
                for (p, &amount) in pushes.iter().zip(x) {
                    for i in 0..3 {
                        a[i] += amount * self.size * p[i];
                    }
                }
                a
            };
            let mut set = ModeSet {
                mode,
                points: Vec::new(),
                rays: Vec::new(),
                error: 1e-6,
            };
            for optimum in program.maximise(&objectives) {
                if let Optimum::At(x) | Optimum::Unbounded(x, _) = &optimum {
                    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                    set.error = set.error.max(1e-10 * largest);
                }
                match optimum {
                    Optimum::Infeasible => {}
                    Optimum::At(x) => set.points.push(place(&x, free)),
                    Optimum::Unbounded(x, d) => {
                        set.points.push(place(&x, free));
                        let ray = place(&d, [0.0; 3]).map(|r| r / self.size);
                        // Forces that grow without end but cancel to rounding are inner forces, not a motion.
                        let length = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                        if length(&ray) > 1e-8 * length(&d) {
                            set.rays.push(ray);
                        }
                    }
                }
            }
            sets.push(set);
        }
        sets
    }

    /// Whether a contact that the mode calls separating never separates: the other letters of that contact then give
    /// the same accelerations, split by the way it slides, and are looked at in their turn.
    fn repeats(&self, mode: &str, program: &Program, pushes: &[[f64; 3]]) -> bool {
        let free = self.per_force(self.force).map(|x| x / self.size);
        let gaps = self
            .rows
            .iter()
            .zip(mode.chars())
            .filter(|(_, l)| *l == 's');
        for (row, _) in gaps {
            let length = row.normal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let d = row.normal.map(|x| x / length);
            let mut objective: Vec<f64> = pushes
                .iter()
                .map(|p| (0..3).map(|i| d[i] * p[i]).sum())
                .collect();
            objective.resize(program.columns(), 0.0);
            if let Optimum::At(x) = &program.maximise(std::slice::from_ref(&objective))[0] {
                let start: f64 = (0..3).map(|i| d[i] * free[i]).sum();
                let widest: f64 = x.iter().zip(&objective).map(|(x, c)| x * c).sum();
                if start + widest + row.h / (length * self.size) <= 1e-9 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the forces of `mode` can give the acceleration `a`, and the motion fits the mode.
    fn allows(&self, mode: &str, a: [f64; 3], tol: f64) -> bool {
        let big = a.iter().fold(self.size, |m, x| m.max(x.abs()));
        for (row, letter) in self.rows.iter().zip(mode.chars()) {
            let dot = |d: [f64; 3]| (0..3).map(|i| d[i] * a[i]).sum::<f64>();
            let length = |d: [f64; 3]| d.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let gap = (dot(row.normal) + row.h) / (big * length(row.normal));
            let slide = (dot(row.tangent) + row.drift) / (big * length(row.tangent));
            let fits = match letter {
                's' => gap >= -tol,
                _ if gap.abs() > tol => false,
                _ if row.slip != 0.0 => (row.slip > 0.0) == (letter == 'r'),
                'f' => slide.abs() <= tol,
                'l' => slide <= tol,
                _ => slide >= -tol,
            };
            if !fits {
                return false;
            }
        }
        let free = self.per_force(self.force);
        self.reaches(mode, [0, 1, 2].map(|i| (a[i] - free[i]) / big), tol)
    }

    /// Whether pushes of `mode` add up to the acceleration `target`.
    fn reaches(&self, mode: &str, target: [f64; 3], tol: f64) -> bool {
        let pushes = self.pushes(mode);
        let mut program = Program::new(pushes.len(), tol);
        for i in 0..3 {
            let coefficients: Vec<f64> = pushes.iter().map(|p| p[i]).collect();
            program.equal(&coefficients, target[i]);
        }
        program.feasible()
    }

    /// The differences between this method and `answer`, in words; none if they agree.
    pub(crate) fn differences(&self, answer: &Solutions, directions: &[[f64; 3]]) -> Vec<String> {
        let mut differences = Vec::new();
        for (i, set) in answer.sets.iter().enumerate() {
            for &vertex in &set.vertices {
                if !self.allows(&set.mode, vertex, 1e-7) {
                    differences.push(format!(
                        "set {i}: mode {} does not allow {vertex:?}",
                        set.mode
                    ));
                }
            }
            for &ray in &set.rays {
                if !self.reaches(&set.mode, ray, 1e-7) {
                    differences.push(format!("set {i}: mode {} has no ray {ray:?}", set.mode));
                }
            }
        }
        for set in self.modes(directions) {
            let held = answer.sets.iter().any(|ours| {
                set.points
                    .iter()
                    .all(|&p| holds(&ours.vertices, &ours.rays, p, self.size, set.error))
                    && set.rays.iter().all(|&r| holds_ray(&ours.rays, r))
            });
            if !held {
                differences.push(format!(
                    "mode {}: {:?} rays {:?} lies in no set of ours",
                    set.mode, set.points, set.rays
                ));
            }
        }
        differences
    }
}

/// Whether p lies in conv(vertices) + cone(rays), by linear programming.
fn holds(vertices: &[[f64; 3]], rays: &[[f64; 3]], p: [f64; 3], size: f64, error: f64) -> bool {
    let big = p
        .iter()
        .chain(vertices.iter().flatten())
        .fold(size, |m, x| m.max(x.abs()));
    if let ([only], []) = (vertices, rays) {
        return (0..3).all(|i| (only[i] - p[i]).abs() <= error * big);
    }
    let columns = vertices.len() + rays.len();
    let mut program = Program::new(columns, 0.1 * error);
    for i in 0..3 {
        let row: Vec<f64> = vertices
            .iter()
            .map(|v| (v[i] - p[i]) / big)
            .chain(rays.iter().map(|r| r[i]))
            .collect();
        // Rows of rounding errors only are no constraint.
        if row.iter().any(|x| x.abs() > 1e-7) {
            program.equal(&row, 0.0);
        }
    }
    let ones: Vec<f64> = (0..columns)
        .map(|j| if j < vertices.len() { 1.0 } else { 0.0 })
        .collect();
    program.equal(&ones, 1.0);
    program.feasible()
}

fn holds_ray(rays: &[[f64; 3]], r: [f64; 3]) -> bool {
    let length = r.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut program = Program::new(rays.len(), 1e-7);
    for i in 0..3 {
        let row: Vec<f64> = rays.iter().map(|ray| ray[i]).collect();
        program.equal(&row, r[i] / length);
    }
    program.feasible()
}
