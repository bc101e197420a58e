//! The page: one HTML file with the renderer and the run inside, nothing to fetch.

use crate::ViewError;
use crate::film::{Film, Link, LinkKind};
use crate::pack::{Block, Pack, rounded};
use crate::sample::Sample;
use crate::solid::Look;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::path::PathBuf;
use stickslip_model::{ContactImpulse, Mode, Model, StepRecord};
use stickslip_record::files::{check_plain, replace};
use stickslip_record::header::cone_to_string;
use stickslip_record::{Header, Lock, RecordError, Recorder, Start, Summary};

/// Bytes of a page in which a run is rounded or thinned no further.
const ROOM: usize = 28_000_000;

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/style.css");
const SCRIPTS: [&str; 13] = [
    include_str!("../page/numbers.js"),
    include_str!("../page/data.js"),
    include_str!("../page/vector.js"),
    include_str!("../page/shaders.js"),
    include_str!("../page/renderer.js"),
    include_str!("../page/camera.js"),
    include_str!("../page/stage.js"),
    include_str!("../page/quantities.js"),
    include_str!("../page/save.js"),
    include_str!("../page/plots.js"),
    include_str!("../page/panel.js"),
    include_str!("../page/scales.js"),
    include_str!("../page/main.js"),
];

impl Film<'_> {
    /// The page as HTML text, below 30 MB: a long run of many bodies is rounded and thinned until it fits, and
    /// the page says so.
    #[must_use]
    pub fn page(&self) -> String {
        self.page_within(ROOM)
    }

    /// The page in about so many bytes.
    #[must_use]
    pub fn page_within(&self, room: usize) -> String {
        html(&self.title, &self.packed(room), None, false)
    }

    /// The page of this run with another one over it, as if of glass, to compare the two.
    #[must_use]
    pub fn page_beside(&self, other: &Film<'_>) -> String {
        let [first, second] = [self, other].map(|film| film.packed(ROOM / 2));
        html(&self.title, &first, Some(&second), false)
    }

    /// The page of a run that goes on: it asks whoever served it for what is new, at `events` and `run` beside its own address.
    #[must_use]
    pub fn live_page(&self) -> String {
        html(&self.title, &self.live(), None, true)
    }

    /// What such a page asks for: all that there is of the run, as JSON.
    #[must_use]
    pub fn live_data(&self) -> String {
        let Packed { about, data } = self.live();
        json!({ "about": about, "data": data }).to_string()
    }

    /// A run that has no end yet is live.
    fn live(&self) -> Packed {
        let mut packed = self.packed(ROOM);
        packed.about["live"] = json!(self.trajectory.summary.is_none());
        packed
    }

    /// The run in about so many bytes, as the page reads it.
    fn packed(&self, room: usize) -> Packed {
        let mut notes = self.trajectory.warnings.clone();
        let steps = self.frames().windows(2);
        let most = steps.map(|w| w[1].step.step - w[0].step.step).max();
        if let Some(most) = most.filter(|n| *n > 1) {
            let what = if self.kept_one_in > 1 {
                "is shown on this page"
            } else {
                "was recorded"
            };
            notes.push(format!(
                "one in {most} steps {what}: the plots do not show what happened between them"
            ));
        }
        let (blocks, contacts_every) = blocks(self, room, &mut notes);
        let mut pack = Pack::default();
        for block in &blocks {
            pack.add(block);
        }
        let (list, data) = pack.finish();
        let about = about(self, &list, &notes, contacts_every);
        Packed { about, data }
    }
}

/// A run as the page reads it: what is known of it, and its arrays.
struct Packed {
    about: Value,
    data: String,
}

fn html(title: &str, run: &Packed, second: Option<&Packed>, live: bool) -> String {
    let second = second.map_or(String::new(), |second| {
        format!(
            "<script type=\"application/json\" id=\"about-second\">{}</script>\n<script type=\"text/plain\" id=\"data-second\">{}</script>\n",
            json_in_html(&second.about),
            second.data
        )
    });
    // A page from a file asks nobody for anything.
    let connect = if live { "; connect-src 'self'" } else { "" };
    filled(&[
        ("style", STYLE),
        ("title", &escape(&short(title))),
        ("script", &SCRIPTS.join("\n")),
        ("data", &run.data),
        ("about", &json_in_html(&run.about)),
        ("second", &second),
        ("connect", connect),
    ])
}

/// The page with its places filled in one pass: what is put in may hold anything, also what looks like a place.
fn filled(parts: &[(&str, &str)]) -> String {
    let mut out =
        String::with_capacity(PAGE.len() + parts.iter().map(|p| p.1.len()).sum::<usize>());
    for (k, piece) in PAGE.split("{{").enumerate() {
        match piece.split_once("}}").filter(|_| k > 0) {
            Some((name, rest)) => {
                out.extend(parts.iter().find(|p| p.0 == name).map(|p| p.1));
                out.push_str(rest);
            }
            None => out.push_str(piece),
        }
    }
    out
}

/// A title for the window.
fn short(title: &str) -> String {
    if title.chars().count() > 120 {
        title.chars().take(119).chain(['…']).collect()
    } else {
        title.to_owned()
    }
}

/// Text as text of an HTML element.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// JSON that may stand in a script element: no `<` ends it, and U+2028 ends no line.
fn json_in_html(value: &Value) -> String {
    let text = value.to_string();
    text.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn about(film: &Film<'_>, blocks: &Value, notes: &[String], contacts_every: usize) -> Value {
    let header = &film.trajectory.header;
    let summary = film.trajectory.summary.as_ref();
    let vector = |v: DVec3| json!([v.x, v.y, v.z]);
    let quaternion = |q: DQuat| json!([q.w, q.x, q.y, q.z]);
    let bodies: Vec<Value> = film
        .actors
        .iter()
        .map(|actor| {
            let mut body = json!({ "name": actor.name, "mass": actor.mass });
            if let Some(colour) = actor.colour {
                body["colour"] = json!(colour);
            }
            if let Some(inertia) = actor.inertia {
                body["inertia"] = json!(inertia.transpose().to_cols_array());
            }
            match &actor.look {
                Look::Plane { normal, offset } => body["plane"] = json!({ "normal": vector(*normal), "offset": offset }),
                Look::Solid(parts) => {
                    body["radius"] = json!(actor.radius);
                    body["parts"] = parts
                        .iter()
                        .map(|p| {
                            json!({ "mesh": p.mesh, "scale": vector(p.scale), "at": vector(p.pose.position),
                                    "turn": quaternion(p.pose.orientation) })
                        })
                        .collect();
                }
            }
            body
        })
        .collect();
    let links: Vec<Value> = film
        .links
        .iter()
        .map(|l| {
            json!({ "name": l.name, "spring": l.kind == LinkKind::Spring, "bodies": l.bodies,
                    "places": [vector(l.places[0]), vector(l.places[1])] })
        })
        .collect();
    let meshes: Vec<Value> = film
        .meshes
        .list
        .iter()
        .map(|m| json!({ "corners": m.corners.len(), "edges": m.edges.len() }))
        .collect();
    let all = film.extent(0..film.frames().len());
    json!({
        "title": film.title,
        "scene": header.scene_file,
        "version": header.version,
        "h": header.h,
        "tolerance": header.tolerance,
        "cone": cone_to_string(header.cone),
        "method": header.method,
        "solver": header.solver,
        "steps": summary.map(|s| s.steps),
        "certified": summary.map(|s| s.certified),
        "approximate": summary.map(|s| json!({ "count": s.approximate.count, "worst": s.approximate.worst, "t": s.approximate.t })),
        "divided": summary.map(|s| s.divided),
        "leaving": summary.map(|s| s.leaving),
        "failure": summary.and_then(|s| s.failure.clone()),
        "until": header.until,
        "reached": film.frames().last().map(|f| f.step.t),
        "frames": film.frames().len(),
        "contacts_every": contacts_every,
        "notes": notes,
        "arrow": film.arrow_scale(),
        "extent": { "low": vector(all.low), "high": vector(all.high), "radius": all.radius() },
        "size": film.size(),
        "bodies": bodies,
        "meshes": meshes,
        "links": links,
        "blocks": blocks,
    })
}

/// All arrays of the page, and of how many frames one has its contacts.
fn blocks(film: &Film<'_>, room: usize, notes: &mut Vec<String>) -> (Vec<Block>, usize) {
    // Base64 takes four bytes for three; the scripts take a little.
    let room = room.saturating_sub(200_000) / 4 * 3;
    let (exact, short) = (23, 16);
    let mut blocks = meshes(film);
    blocks.extend(series(film));
    blocks.push(by_link(film, "link_force", |f, l| film.link_force(f, l)));
    blocks.push(by_link(film, "link_torque", |f, l| film.link_torque(f, l)));

    let mut pose = poses(film, exact);
    if size(&pose) > room / 2 {
        pose = poses(film, short);
        notes.push("orientations are rounded to 5 digits on this page".into());
    }
    blocks.extend(pose);

    let twist = twists(film);
    if size(&blocks) + size(&twist) <= room * 6 / 10 {
        blocks.extend(twist);
    } else {
        notes.push("velocities are difference quotients of the positions on this page".into());
    }

    let left = room.saturating_sub(size(&blocks));
    let mut every = 1;
    let mut rows = contacts(film, every, exact, true);
    if size(&rows) > left {
        rows = contacts(film, every, short, false);
        notes.push("contacts that carry no force are left out, and forces rounded to 5 digits, on this page".into());
    }
    while size(&rows) > left && every < film.frames().len() {
        // A little more than the sizes say, for thinned contacts compress less well.
        every = (every * size(&rows))
            .div_ceil(left.max(1))
            .max(every + 1)
            .min(film.frames().len());
        rows = contacts(film, every, short, false);
    }
    if every > 1 {
        notes.push(format!(
            "contacts are shown for one of {every} recorded steps on this page"
        ));
    }
    blocks.extend(rows);
    (blocks, every)
}

fn size(blocks: &[Block]) -> usize {
    blocks.iter().map(Block::size).sum()
}

fn meshes(film: &Film<'_>) -> Vec<Block> {
    let flat = |pick: fn(&crate::Mesh) -> &Vec<DVec3>| -> Vec<f32> {
        let points = film.meshes.list.iter().flat_map(pick);
        points
            .flat_map(|p| p.to_array().map(|x| x as f32))
            .collect()
    };
    vec![
        Block::f32("corners", &flat(|m| &m.corners)),
        Block::f32("normals", &flat(|m| &m.normals)),
        Block::f32("edges", &flat(|m| &m.edges)),
    ]
}

/// What the plots under the view show, one number a frame.
fn series(film: &Film<'_>) -> Vec<Block> {
    let tolerance = film.trajectory.header.tolerance;
    let each = |value: &dyn Fn(&StepRecord) -> f64| -> Vec<f32> {
        film.frames()
            .iter()
            .map(|f| value(&f.step) as f32)
            .collect()
    };
    let times: Vec<f64> = film.frames().iter().map(|f| f.step.t).collect();
    let steps: Vec<f64> = film.frames().iter().map(|f| f.step.step as f64).collect();
    let active = |s: &StepRecord| s.contacts.iter().filter(|c| film.bears(c)).count() as f64;
    vec![
        Block::f64("t", &times),
        Block::f64("step", &steps),
        Block::f32("energy", &each(&|s| s.energy)),
        Block::f32("penetration", &each(&|s| s.certificate.penetration)),
        Block::f32("residual", &each(&|s| s.certificate.worst_of_law().1)),
        Block::f32("bound", &each(&|s| s.certificate.bound(tolerance))),
        Block::f32("candidates", &each(&|s| s.contacts.len() as f64)),
        Block::f32("active", &each(&active)),
    ]
}

/// What joints and springs do to their second bodies, `[component][frame][link]`.
fn by_link(film: &Film<'_>, name: &'static str, of: impl Fn(usize, &Link) -> DVec3) -> Block {
    let (frames, links) = (film.frames().len(), film.links.len());
    let mut out = vec![0.0f32; 3 * frames * links];
    for f in 0..frames {
        for (l, link) in film.links.iter().enumerate() {
            for (k, value) in of(f, link).to_array().into_iter().enumerate() {
                out[(k * frames + f) * links + l] = value as f32;
            }
        }
    }
    Block::f32(name, &out)
}

/// An array `[component][frame][body]`.
fn by_body<const N: usize>(
    film: &Film<'_>,
    numbers: impl Fn(&stickslip_model::BodyState) -> [f64; N],
) -> Vec<f32> {
    let (frames, bodies) = (film.frames().len(), film.actors.len());
    let mut out = vec![0.0; N * frames * bodies];
    for (f, frame) in film.frames().iter().enumerate() {
        for (b, body) in frame.step.bodies.iter().enumerate() {
            for (k, value) in numbers(body).into_iter().enumerate() {
                out[(k * frames + f) * bodies + b] = value as f32;
            }
        }
    }
    out
}

fn poses(film: &Film<'_>, bits: u32) -> Vec<Block> {
    let place = by_body(film, |b| b.pose.position.to_array());
    let mut turn = by_body(film, |b| {
        let q = b.pose.orientation;
        [q.w, q.x, q.y, q.z]
    });
    for value in &mut turn {
        *value = rounded(*value, bits);
    }
    vec![Block::f32("place", &place), Block::f32("turn", &turn)]
}

fn twists(film: &Film<'_>) -> Vec<Block> {
    let twist = by_body(film, |b| {
        let (v, w) = (b.twist.linear, b.twist.angular);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    });
    vec![Block::f32("twist", &twist)]
}

/// The contacts of one of `every` frames (and of the last), one after the other, with the force as it is shown.
fn contacts(film: &Film<'_>, every: usize, bits: u32, open: bool) -> Vec<Block> {
    let last = film.frames().len() - 1;
    let shown = |f: usize| f.is_multiple_of(every) || f == last;
    let mut first = vec![0u32];
    let mut rows: Vec<(usize, &ContactImpulse)> = Vec::new();
    for (f, frame) in film.frames().iter().enumerate() {
        if shown(f) {
            let wanted = |c: &&ContactImpulse| open || film.bears(c);
            rows.extend(frame.step.contacts.iter().filter(wanted).map(|c| (f, c)));
        }
        first.push(rows.len() as u32);
    }
    let column = |value: &dyn Fn(usize, &ContactImpulse) -> f64| -> Vec<f32> {
        rows.iter()
            .map(|(f, c)| rounded(value(*f, c) as f32, bits))
            .collect()
    };
    let vector = |value: &dyn Fn(usize, &ContactImpulse) -> DVec3| -> Vec<f32> {
        let component = |k: usize| column(&|f, c| value(f, c).to_array()[k]);
        [component(0), component(1), component(2)].concat()
    };
    let numbers = |value: &dyn Fn(&ContactImpulse) -> usize| -> Vec<u32> {
        rows.iter().map(|(_, c)| value(c) as u32).collect()
    };
    let modes: Vec<u8> = rows
        .iter()
        .map(|(_, c)| match c.mode {
            Mode::Stick if film.bears(c) => 1,
            Mode::Slide if film.bears(c) => 2,
            Mode::Open | Mode::Stick | Mode::Slide => 0,
        })
        .collect();
    let friction = |_: usize, c: &ContactImpulse| {
        let friction = c.contact.friction;
        if c.mode == Mode::Slide {
            friction.slide
        } else {
            friction.stick
        }
    };
    let on = |f: usize, c: &ContactImpulse| film.shown_force(f, c).0;
    // Most runs have no contact that bears a moment.
    let bears = rows.iter().any(|(_, c)| c.moment != DVec3::ZERO);
    let moments = bears.then(|| Block::f32("moment", &vector(&|f, c| film.shown_moment(f, c))));
    let blocks = [
        Block::u32("first", &first),
        Block::u32("body_a", &numbers(&|c| c.contact.bodies[0])),
        Block::u32("body_b", &numbers(&|c| c.contact.bodies[1])),
        Block::u32(
            "on",
            &rows
                .iter()
                .map(|(f, c)| on(*f, c) as u32)
                .collect::<Vec<_>>(),
        ),
        Block::u8("mode", &modes),
        Block::f32("point", &vector(&|_, c| c.contact.point)),
        // Into the body on which the force is shown.
        Block::f32(
            "normal",
            &vector(&|f, c| {
                if on(f, c) == c.contact.bodies[0] {
                    -c.contact.normal
                } else {
                    c.contact.normal
                }
            }),
        ),
        Block::f32("force", &vector(&|f, c| film.shown_force(f, c).1)),
        Block::f32("gap", &column(&|_, c| c.contact.gap)),
        Block::f32("mu", &column(&friction)),
    ];
    blocks.into_iter().chain(moments).collect()
}

/// Records a run and writes its page at the end. A long run is thinned as it goes on: what is held does not grow with it.
pub struct PageWriter {
    path: PathBuf,
    title: String,
    model: Model,
    sample: Sample,
    /// Held from `start` to `finish`.
    lock: Option<Lock>,
}

impl PageWriter {
    /// A page of a run of this model.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, title: impl Into<String>, model: Model) -> Self {
        Self {
            path: path.into(),
            title: title.into(),
            model,
            sample: Sample::default(),
            lock: None,
        }
    }

    fn failed(&self, source: std::io::Error) -> RecordError {
        RecordError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

impl Recorder for PageWriter {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        self.lock = None;
        // A place that cannot be written is found before the run, not after it: the lock lies there too.
        check_plain(&self.path).map_err(|e| self.failed(e))?;
        self.lock = Some(Lock::take(&self.path)?);
        self.sample = Sample::default();
        self.sample.start(header, initial)
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        self.sample.record(before, step)
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        self.sample.finish(summary)?;
        let film = Film::of(&self.model, &self.sample)
            .map_err(|e: ViewError| self.failed(std::io::Error::other(e)))?;
        let page = film.titled(&self.title).page();
        let written = replace(&self.path, page.as_bytes()).map_err(|e| self.failed(e));
        self.lock = None;
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_the_script() {
        let text =
            json_in_html(&json!({ "name": "</script><script>alert(1)</script>\u{2028}\"'" }));
        assert!(!text.contains('<') && !text.contains('\u{2028}'), "{text}");
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            back["name"],
            "</script><script>alert(1)</script>\u{2028}\"'"
        );
    }

    #[test]
    fn titles_are_text() {
        assert_eq!(escape("<b>\"&"), "&lt;b&gt;&quot;&amp;");
        assert_eq!(short(&"x".repeat(10_000)).chars().count(), 120);
    }
}
