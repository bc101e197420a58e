//! Scenes whose motion is known in closed form: what error bars and methods are measured with.

/// A scene and the exact value of one coordinate at its end.
#[derive(Clone, Debug)]
pub struct Exact {
    /// What it shows.
    pub name: String,
    /// The scene file.
    pub scene: String,
    /// The quantity, as `converge` names it.
    pub quantity: &'static str,
    /// Its exact value at the end.
    pub value: f64,
    /// What kind of motion.
    pub family: Family,
}

/// Kinds of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A box slides, and may stop.
    Slide,
    /// A ball slides and then rolls.
    Roll,
    /// A ball bounces.
    Bounce,
    /// Motion under a force of time, without contact.
    Driven,
    /// Two bodies collide.
    Collide,
}

const G: f64 = 9.81;

/// The whole suite: twenty-one scenes.
#[must_use]
pub fn suite() -> Vec<Exact> {
    let mut all = Vec::new();
    for (v, mu) in [(2.0, 0.3), (1.0, 0.5), (1.5, 0.2), (3.0, 0.2)] {
        all.push(sliding(v, mu));
    }
    for (v, w, mu) in [(2.0, 0.0, 0.3), (1.0, -40.0, 0.2), (0.0, 30.0, 0.4)] {
        all.push(rolling(v, w, mu));
    }
    for (beta, mu) in [(0.5, 0.3), (0.8, 0.1)] {
        all.push(slope(beta, mu));
    }
    for beta in [0.2, 0.4] {
        all.push(rolling_slope(beta));
    }
    for (e, until) in [(0.8, 1.0), (0.5, 1.05), (0.0, 1.0), (0.9, 2.2), (0.7, 0.9)] {
        all.push(bounce(e, until));
    }
    for (force, omega) in [(20.0, 1.0), (5.0, 7.0)] {
        all.push(driven(force, omega));
    }
    for (e, m) in [(1.0, 1.0), (0.5, 2.0), (0.0, 0.7)] {
        all.push(collision(e, m));
    }
    all
}

/// Sliding box on level ground: stops after v²/(2μg).
#[must_use]
pub fn sliding(v: f64, mu: f64) -> Exact {
    let t = f64::min(1.0, v / (mu * G));
    Exact {
        name: format!("box sliding at {v} m/s, friction {mu}"),
        scene: format!(
            "{}[material]\nfriction = {mu}\n{GROUND}{}position = [0, 0, 0.05]\nvelocity = [{v}, 0, 0]\n",
            head(G, 0.0, 0.01, 1.0),
            body("box = { size = [0.3, 0.3, 0.1] }"),
        ),
        quantity: "body.x",
        value: v * t - 0.5 * mu * G * t * t,
        family: Family::Slide,
    }
}

/// Ball thrown along the ground with the spin w about y: rolls once the slip is gone.
#[must_use]
pub fn rolling(v: f64, w: f64, mu: f64) -> Exact {
    let r = 0.1;
    let slip = v - w * r;
    let t = f64::min(1.0, 2.0 * slip.abs() / (7.0 * mu * G));
    let a = -mu * G * slip.signum();
    Exact {
        name: format!("ball at {v} m/s with spin {w} rad/s, friction {mu}"),
        scene: format!(
            "{}[material]\nfriction = {mu}\n{GROUND}{}position = [0, 0, {r}]\nvelocity = [{v}, 0, 0]\nangular-velocity = [0, {w}, 0]\n",
            head(G, 0.0, 0.01, 1.0),
            body(&format!("ball = {{ radius = {r} }}")),
        ),
        quantity: "body.x",
        value: v * t + 0.5 * a * t * t + (v + a * t) * (1.0 - t),
        family: Family::Roll,
    }
}

/// Box on a slope it cannot hold on: gravity is tilted, the slope is level.
#[must_use]
pub fn slope(beta: f64, mu: f64) -> Exact {
    Exact {
        name: format!("box slipping down {beta} rad, friction {mu}"),
        scene: format!(
            "{}[material]\nfriction = {mu}\n{GROUND}{}position = [0, 0, 0.05]\n",
            head(G, beta, 0.01, 1.0),
            body("box = { size = [0.3, 0.3, 0.1] }"),
        ),
        quantity: "body.x",
        value: 0.5 * G * (libm::sin(beta) - mu * libm::cos(beta)),
        family: Family::Slide,
    }
}

/// Ball rolling down a slope.
#[must_use]
pub fn rolling_slope(beta: f64) -> Exact {
    Exact {
        name: format!("ball rolling down {beta} rad"),
        scene: format!(
            "{}[material]\nfriction = 0.5\n{GROUND}{}position = [0, 0, 0.1]\n",
            head(G, beta, 0.01, 1.0),
            body("ball = { radius = 0.1 }"),
        ),
        quantity: "body.x",
        value: 0.5 * 5.0 / 7.0 * G * libm::sin(beta),
        family: Family::Roll,
    }
}

/// Ball dropped from 1 m.
#[must_use]
pub fn bounce(e: f64, until: f64) -> Exact {
    let mut start = (2.0 / G).sqrt();
    let mut speed = G * start;
    let mut height = 1.0 - 0.5 * G * until * until;
    while until > start {
        speed *= e;
        let s = until - start;
        height = (speed * s - 0.5 * G * s * s).max(0.0);
        let flight = 2.0 * speed / G;
        if s <= flight || flight < 1e-12 {
            break;
        }
        start += flight;
    }
    Exact {
        name: format!("ball bouncing with e = {e} until {until} s"),
        scene: format!(
            "{}[material]\nrestitution = {e}\n{GROUND}{}position = [0, 0, 1.1]\n",
            head(G, 0.0, 0.01, until),
            body("ball = { radius = 0.1 }"),
        ),
        quantity: "body.z",
        value: height + 0.1,
        family: Family::Bounce,
    }
}

/// Ball driven by F cos ωt in free space.
#[must_use]
pub fn driven(force: f64, omega: f64) -> Exact {
    Exact {
        name: format!("ball driven by {force} cos({omega} t)"),
        scene: format!(
            "{}{}\n[[force]]\nbody = \"body\"\nforce = [\"{force}*cos({omega}*t)\", \"0\", \"0\"]\n",
            head(0.0, 0.0, 0.01, 1.0),
            body("ball = { radius = 0.1 }"),
        ),
        quantity: "body.x",
        value: force * (1.0 - libm::cos(omega)) / (omega * omega),
        family: Family::Driven,
    }
}

/// Ball of mass m at 1 m/s strikes one of 1 kg at rest, 0.3 m away.
#[must_use]
pub fn collision(e: f64, m: f64) -> Exact {
    let after = (1.0 + e) * m / (1.0 + m);
    Exact {
        name: format!("ball of {m} kg strikes another, e = {e}"),
        scene: format!(
            "{}[material]\nrestitution = {e}\n{}position = [0.5, 0, 0]\n[[body]]\nname = \"first\"\nshape = {{ ball = {{ radius = 0.1 }} }}\nmass = {m}\nvelocity = [1, 0, 0]\n",
            head(0.0, 0.0, 0.013, 1.0),
            body("ball = { radius = 0.1 }"),
        ),
        quantity: "body.x",
        value: 0.5 + after * 0.7,
        family: Family::Collide,
    }
}

const GROUND: &str = "[[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = { half-space = { normal = [0, 0, 1] } }\n";

fn head(g: f64, beta: f64, h: f64, until: f64) -> String {
    let (x, z) = (g * libm::sin(beta), -g * libm::cos(beta));
    format!("gravity = [{x:?}, 0, {z:?}]\n[step]\nh = {h}\nuntil = {until}\n")
}

fn body(shape: &str) -> String {
    format!("[[body]]\nname = \"body\"\nshape = {{ {shape} }}\nmass = 1.0\n")
}
