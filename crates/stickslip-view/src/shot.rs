//! A picture of one moment without a browser: flat-shaded faces, what is hidden first, forces on top.

use crate::ViewError;
use crate::camera::Camera;
use crate::film::{Actor, Extent, Film, LinkKind};
use crate::order::{self, hull};
use crate::pieces::{shaded, world};
use crate::solid::{Look, Part};
use glam::DVec3;
use std::collections::BTreeMap;
use stickslip_model::Mode;
use stickslip_plot::colour::{self, Colour, GREY, INK};
use stickslip_plot::{Anchor, Drawing, Point, Stroke};

/// What a picture shows, and from where.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotOptions {
    /// Width, pixels at 100 %.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Direction of the eye about z, from the x axis, degrees.
    pub azimuth: f64,
    /// Height of the eye, degrees.
    pub elevation: f64,
    /// Arrows for the forces at contacts?
    pub forces: bool,
    /// A line with title and time?
    pub caption: bool,
    /// Frame everything that ever moves (and not only what is there at this time)?
    pub whole: bool,
    /// Names of bodies (or of families, `box` for `box[0]`, `box[1]`, …) that are drawn as if of glass, to see what is
    /// inside or behind.
    pub glass: Vec<String>,
    /// Other times that are drawn as well, s.
    pub also: Vec<f64>,
    /// All moments over each other in one view (and not each in a view of its own, beside the others)?
    pub overlay: bool,
}

impl Default for ShotOptions {
    fn default() -> Self {
        Self {
            width: 800.0,
            height: 600.0,
            azimuth: -60.0,
            elevation: 15.0,
            forces: true,
            caption: true,
            whole: false,
            glass: Vec::new(),
            also: Vec::new(),
            overlay: false,
        }
    }
}

pub(crate) const LIGHT: DVec3 = DVec3::new(-0.349, -0.388, 0.853);
/// Nothing nearer to the eye is drawn, in parts of the distance to what is looked at.
const NEAR: f64 = 1e-3;
const SKY: Colour = Colour::rgb(0xf4f6f9);
const FIXED: Colour = Colour::rgb(0xb4bbc4);
const BODIES: [Colour; 7] = [
    Colour::rgb(0xdbc499),
    Colour::rgb(0x99bfa8),
    Colour::rgb(0xbdadd6),
    Colour::rgb(0xdbadad),
    Colour::rgb(0x9eb5c7),
    Colour::rgb(0xc7c98f),
    Colour::rgb(0xb2a399),
];

pub(crate) struct Painter<'a, 'b> {
    pub(crate) film: &'a Film<'b>,
    pub(crate) frame: usize,
    pub(crate) camera: Camera,
    width: f64,
    pub(crate) height: f64,
}

impl Film<'_> {
    /// The frame nearest to time t, drawn; with other times in the options each moment has a view of its own, from the same
    /// place, or all of them share one (`overlay`).
    ///
    /// # Errors
    /// A time outside the trajectory, or a name that no body has.
    pub fn shot(&self, t: f64, options: &ShotOptions) -> Result<Drawing, ViewError> {
        let frame = self.frame_at(t)?;
        let has = |name: &&String| self.actors.iter().any(|a| is_named(&a.name, name));
        let also = options.also.iter().map(|t| self.frame_at(*t));
        let also = also.collect::<Result<Vec<usize>, _>>()?;
        if let Some(name) = options.glass.iter().find(|n| !has(n)) {
            return Err(ViewError::NoBody { name: name.clone() });
        }
        let mut moments: Vec<usize> = also.into_iter().chain([frame]).collect();
        moments.sort_unstable();
        moments.dedup();
        let seen = if options.whole {
            0..self.frames().len()
        } else {
            moments[0]..moments[moments.len() - 1] + 1
        };
        let mut extent = self.extent(seen);
        if options.forces {
            // Over each other only the last has its arrows: those of all could not be told apart.
            let with_arrows = if options.overlay { 1 } else { moments.len() };
            for &frame in moments.iter().rev().take(with_arrows) {
                self.hold_arrows(frame, &mut extent);
            }
        }
        Ok(match moments.split_last() {
            Some((&last, before)) if options.overlay || before.is_empty() => {
                self.painter(last, &extent, options).draw(options, before)
            }
            _ => self.views(&moments, &extent, options),
        })
    }

    /// The run from one time to another as a moving picture: an animated PNG with so many pictures a second of watching, `speed` times as fast as
    /// the run, one pixel a unit.
    ///
    /// # Errors
    /// As [`Film::shot`].
    pub fn moving(
        &self,
        span: [f64; 2],
        pace: Pace,
        options: &ShotOptions,
    ) -> Result<Vec<u8>, ViewError> {
        let [first, last] = [self.frame_at(span[0])?, self.frame_at(span[1])?];
        let count = ((span[1] - span[0]) * pace.rate / pace.speed)
            .floor()
            .max(0.0) as usize;
        let frames =
            (0..=count).map(|k| self.frame_at(span[0] + k as f64 * pace.speed / pace.rate));
        let frames = frames.collect::<Result<Vec<usize>, _>>()?;
        let extent = self.extent(first..last + 1);
        let drawings = frames
            .into_iter()
            .map(|frame| self.painter(frame, &extent, options).draw(options, &[]));
        Ok(Drawing::moving_png(
            drawings,
            1.0,
            (1000.0 / pace.rate).round() as u16,
        ))
    }

    /// Makes room for the arrows of a frame; for the longest of an impact no more than the radius of what is seen.
    fn hold_arrows(&self, frame: usize, extent: &mut Extent) {
        let (scale, most) = (self.arrow_scale(), extent.radius());
        for contact in &self.frames()[frame].step.contacts {
            if self.bears(contact) {
                let arrow = self.shown_force(frame, contact).1 * scale;
                extent.add(contact.contact.point + arrow.clamp_length_max(most));
            }
        }
    }

    /// Draws a frame as it is seen when all of `extent` is in sight.
    pub(crate) fn painter(
        &self,
        frame: usize,
        extent: &Extent,
        options: &ShotOptions,
    ) -> Painter<'_, '_> {
        let (width, height) = (options.width, options.height);
        let camera = Camera::around(
            extent,
            options.azimuth.to_radians(),
            options.elevation.to_radians(),
            width / height,
        );
        Painter {
            film: self,
            frame,
            camera,
            width,
            height,
        }
    }
}

/// How fast a moving picture is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Pictures a second of watching.
    pub rate: f64,
    /// Seconds of the run in a second of watching.
    pub speed: f64,
}

impl Painter<'_, '_> {
    /// The frame, and what stood elsewhere in others.
    pub(crate) fn draw(&self, options: &ShotOptions, also: &[usize]) -> Drawing {
        let frames: Vec<usize> = also.iter().copied().chain([self.frame]).collect();
        let when = self.film.words_of(&frames);
        let title = format!("{}, {when}", self.film.title);
        let mut drawing = self.untitled(options, also, title);
        if options.caption {
            drawing.text(
                [12.0, 22.0],
                14.0,
                Anchor::Start,
                INK,
                &cut(&self.film.title),
            );
            self.say_when(&mut drawing, &when);
        }
        drawing
    }

    /// One of several views: with its time, without the title.
    pub(crate) fn view(&self, options: &ShotOptions) -> Drawing {
        let when = self.film.words_of(&[self.frame]);
        let mut drawing = self.untitled(options, &[], when.clone());
        if options.caption {
            self.say_when(&mut drawing, &when);
        }
        drawing
    }

    fn say_when(&self, drawing: &mut Drawing, when: &str) {
        drawing.text([12.0, self.height - 12.0], 13.0, Anchor::Start, GREY, when);
    }

    fn untitled(&self, options: &ShotOptions, also: &[usize], title: String) -> Drawing {
        let mut drawing = Drawing::new(self.width, self.height, title);
        drawing.rectangle([0.0, 0.0], [self.width, self.height], SKY);
        let planes = self.planes();
        for k in 0..planes.len() {
            self.plane(&mut drawing, &planes, k);
        }
        // Shadows fall on what lies below the light.
        if let Some(floor) = planes.iter().find(|p| p.0.dot(LIGHT) > 0.2) {
            self.shadows(&mut drawing, *floor);
        }
        let tints = tints(self.film, &options.glass);
        let mut pieces = self.pieces(self.frame, &tints);
        for &frame in also {
            let elsewhere = |k: usize| {
                self.film.actors[k].mass.is_some()
                    || self.film.pose(frame, k) != self.film.pose(self.frame, k)
            };
            pieces.extend(self.pieces_of(frame, &tints, elsewhere));
        }
        let (silhouettes, marks): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
        let size = [self.width, self.height];
        for k in order::far_to_near(&silhouettes, size, self.camera.eye(), |p| self.ray(p)) {
            for mark in &marks[k] {
                mark.paint(&mut drawing);
            }
        }
        self.links(&mut drawing);
        if options.forces {
            self.forces(&mut drawing);
        }
        drawing
    }

    pub(crate) fn place(&self, point: DVec3) -> Option<Point> {
        let seen = self.camera.see(point);
        let half = 0.5 * self.height;
        (seen.depth > NEAR * self.camera.distance)
            .then_some([0.5 * self.width + half * seen.x, half * (1.0 - seen.y)])
    }

    /// The plane in front of the eye beyond which points have a place: its normal, away from the eye, and a point of it.
    fn near(&self) -> (DVec3, DVec3) {
        let back = self.camera.axes()[2];
        let near = self.camera.eye() - back * (1.01 * NEAR * self.camera.distance);
        (-back, near)
    }

    /// What of a polygon, or of a line of two points, is in front of the eye.
    pub(crate) fn in_front(&self, corners: &[DVec3]) -> Vec<DVec3> {
        cut_by(corners, self.near())
    }

    /// Direction from the eye through a point of the picture: the inverse of `place`.
    fn ray(&self, point: Point) -> DVec3 {
        let [right, up, back] = self.camera.axes();
        let half = 0.5 * self.height;
        let tan = libm::tan(0.5 * self.camera.angle);
        let (x, y) = ((point[0] - 0.5 * self.width) / half, 1.0 - point[1] / half);
        (right * x + up * y) * tan - back
    }

    /// Half-spaces whose surface the eye is above: normal, a point of the surface.
    fn planes(&self) -> Vec<(DVec3, DVec3)> {
        let plane = |(k, actor): (usize, &Actor)| match &actor.look {
            Look::Plane { normal, offset } => {
                let pose = self.film.pose(self.frame, k);
                Some((pose.orientation * *normal, pose.to_world(*normal * *offset)))
            }
            Look::Solid(_) => None,
        };
        let actors = self.film.actors.iter().enumerate();
        actors
            .filter_map(plane)
            .filter(|(normal, point)| normal.dot(self.camera.eye() - *point) > 0.0)
            .collect()
    }

    /// A grid on a plane around what is looked at, as far as no other plane hides it.
    fn plane(&self, drawing: &mut Drawing, planes: &[(DVec3, DVec3)], k: usize) {
        let (normal, point) = planes[k];
        let axis = if normal.x.abs() < 0.9 {
            DVec3::X
        } else {
            DVec3::Y
        };
        let across = axis.cross(normal).try_normalize().unwrap_or(DVec3::Y);
        let along = normal.cross(across);
        let target = self.camera.target;
        let foot = target - normal * normal.dot(target - point);
        let reach = 0.68 * self.camera.distance;
        // In front of the eye, and above the other planes.
        let others = planes.iter().enumerate().filter(|(i, _)| *i != k);
        let bounds: Vec<(DVec3, DVec3)> = others.map(|(_, p)| *p).chain([self.near()]).collect();
        let seen = |corners: Vec<DVec3>| -> Vec<Point> {
            let cut = bounds.iter().fold(corners, |c, p| cut_by(&c, *p));
            cut.iter().filter_map(|c| self.place(*c)).collect()
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(a, b)| foot + (across * a + along * b) * reach);
        drawing.polygon(&seen(corners.to_vec()), Colour::rgb(0xe6eaef));
        let cell = libm::pow(10.0, libm::round(libm::log10(self.camera.distance / 12.0)));
        let (u, v) = ((foot - point).dot(across), (foot - point).dot(along));
        let line = Stroke::new(Colour::rgb(0xcbd2da), 0.8);
        let lines = (reach / cell) as i64;
        for k in -lines..=lines {
            for (first, second, start) in [(across, along, u), (along, across, v)] {
                // Grid lines stay with the plane, not with the camera.
                let at = ((start / cell).round() + k as f64) * cell - start;
                if at.abs() > reach {
                    continue;
                }
                let ends = [-reach, reach].map(|b| foot + first * at + second * b);
                if let [a, b, ..] = seen(ends.to_vec())[..] {
                    drawing.line(a, b, line);
                }
            }
        }
    }

    fn shadows(&self, drawing: &mut Drawing, (normal, point): (DVec3, DVec3)) {
        let fall = |p: DVec3| p - LIGHT * (normal.dot(p - point) / normal.dot(LIGHT));
        for (k, part) in self.parts() {
            let pose = self.film.pose(self.frame, k);
            let mesh = &self.film.meshes.list[part.mesh];
            let below = |p: &DVec3| self.place(fall(world(&pose, part, *p)));
            let outline = hull(mesh.corners.iter().filter_map(below).collect());
            drawing.polygon(&outline, Colour::rgb(0xcfd5dc));
        }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, &Part)> {
        self.film.actors.iter().enumerate().flat_map(|(k, actor)| {
            let parts: &[Part] = match &actor.look {
                Look::Solid(parts) => parts,
                Look::Plane { .. } => &[],
            };
            parts.iter().map(move |p| (k, p))
        })
    }

    /// Joints as pins with a line to the centre of each body, springs as zigzags.
    fn links(&self, drawing: &mut Drawing) {
        let stroke = Stroke::new(INK.with_opacity(0.8), 1.3);
        for link in &self.film.links {
            let ends = self.film.ends(self.frame, link);
            let [Some(a), Some(b)] = ends.map(|e| self.place(e)) else {
                continue;
            };
            if link.kind == LinkKind::Joint {
                for (body, end) in link.bodies.iter().zip([a, b]) {
                    let centre =
                        body.and_then(|k| self.place(self.film.pose(self.frame, k).position));
                    if let Some(centre) = centre {
                        drawing.line(centre, end, stroke);
                    }
                }
                drawing.circle(b, 3.0, INK);
                continue;
            }
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let turns = 12;
            let points: Vec<Point> = (0..=turns)
                .map(|k| {
                    let part = f64::from(k) / f64::from(turns);
                    let side = if k == 0 || k == turns {
                        0.0
                    } else {
                        0.06 * f64::from(1 - 2 * (k % 2))
                    };
                    [a[0] + part * dx - side * dy, a[1] + part * dy + side * dx]
                })
                .collect();
            drawing.polyline(&points, stroke);
            drawing.circle(a, 2.2, INK);
            drawing.circle(b, 2.2, INK);
        }
    }

    fn forces(&self, drawing: &mut Drawing) {
        let scale = self.film.arrow_scale();
        for contact in &self.film.frames()[self.frame].step.contacts {
            let colour = match contact.mode {
                _ if !self.film.bears(contact) => continue,
                Mode::Slide => colour::SLIDE,
                Mode::Open | Mode::Stick => colour::STICK,
            };
            let (_, force) = self.film.shown_force(self.frame, contact);
            let from = contact.contact.point;
            if let (Some(a), Some(b)) = (self.place(from), self.place(from + force * scale)) {
                drawing.circle(a, 1.8, colour);
                drawing.arrow(a, b, Stroke::new(colour, 1.4));
            }
        }
    }
}

/// A colour that a body was given.
fn own(colour: [f64; 3]) -> Colour {
    let [r, g, b] = colour.map(|x| (x * 255.0).round() as u8);
    Colour { r, g, b, a: 255 }
}

/// A body's own colour; else one for each family of names (`box[0]`, `box[1]`, …), lighter and darker in turn.
fn tints(film: &Film<'_>, glass: &[String]) -> Vec<Colour> {
    let mut families: BTreeMap<&str, (Colour, usize)> = BTreeMap::new();
    let mut out = Vec::new();
    for actor in &film.actors {
        if let Some(colour) = actor.colour {
            out.push(own(colour));
            continue;
        }
        if actor.mass.is_none() {
            out.push(FIXED);
            continue;
        }
        let family = actor.name.split('[').next().unwrap_or_default();
        let next = BODIES[families.len() % BODIES.len()];
        let (colour, count) = families.entry(family).or_insert((next, 0));
        out.push(shaded(*colour, [1.0, 1.14, 0.88][*count % 3]));
        *count += 1;
    }
    for (tint, actor) in out.iter_mut().zip(&film.actors) {
        if glass.iter().any(|name| is_named(&actor.name, name)) {
            *tint = tint.with_opacity(0.12);
        }
    }
    out
}

/// Is this the body of that name, or one of the family?
fn is_named(body: &str, name: &str) -> bool {
    body == name || body.split('[').next() == Some(name)
}

pub(crate) fn cut(title: &str) -> String {
    if title.chars().count() > 90 {
        title.chars().take(89).chain(['…']).collect()
    } else {
        title.to_owned()
    }
}

/// The part of a polygon (or a line, as one with two corners) that lies above a plane.
fn cut_by(corners: &[DVec3], (normal, point): (DVec3, DVec3)) -> Vec<DVec3> {
    let side = |p: DVec3| normal.dot(p - point);
    let mut out = Vec::with_capacity(corners.len() + 1);
    for (k, &p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let (s, t) = (side(p), side(q));
        if s >= 0.0 {
            out.push(p);
        }
        let closes = corners.len() == 2 && k == 1;
        if !closes && ((s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0)) {
            out.push(p + (q - p) * (s / (s - t)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_cuts_polygons_and_lines() {
        let square =
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        let plane = (DVec3::X, DVec3::X * 0.25);
        let cut = cut_by(&square, plane);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|p| p.x >= 0.25));
        let line = cut_by(&square[..2], plane);
        assert_eq!(line, [DVec3::X * 0.25, DVec3::X]);
        assert!(cut_by(&square, (DVec3::X, DVec3::X * 2.0)).is_empty());
    }

    #[test]
    fn a_colour_of_a_scene_is_one_of_a_picture() {
        assert_eq!(own([1.0, 0.5, 0.0]).hex(), "#ff8000");
    }
}
