//! A picture of one moment without a browser: flat-shaded faces, the far ones first, forces on top.

use crate::ViewError;
use crate::camera::Camera;
use crate::film::{Film, LinkKind};
use crate::solid::{Look, Part};
use glam::DVec3;
use std::collections::BTreeMap;
use stickslip_certify::Mode;
use stickslip_geometry::Pose;
use stickslip_plot::colour::{self, Colour, GREY, INK};
use stickslip_plot::{Anchor, Drawing, Point, Stroke, Style};

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
        }
    }
}

const LIGHT: DVec3 = DVec3::new(-0.349, -0.388, 0.853);
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

/// Added to the distance of what is fixed, m.
const SCENERY: f64 = 1e9;

/// Something to be painted, with its distance from the eye.
struct Paint {
    depth: f64,
    mark: Mark,
    style: Style,
}

enum Mark {
    Polygon(Vec<Point>),
    Line(Vec<Point>),
    Disc(Point, f64),
}

struct Painter<'a, 'b> {
    film: &'a Film<'b>,
    frame: usize,
    camera: Camera,
    width: f64,
    height: f64,
}

impl Film<'_> {
    /// The frame nearest to time t, drawn.
    ///
    /// # Errors
    /// A time outside the trajectory.
    pub fn shot(&self, t: f64, options: &ShotOptions) -> Result<Drawing, ViewError> {
        let frame = self.frame_at(t)?;
        let frames = if options.whole {
            0..self.frames().len()
        } else {
            frame..frame + 1
        };
        let (width, height) = (options.width, options.height);
        let camera = Camera::around(
            &self.extent(frames),
            options.azimuth.to_radians(),
            options.elevation.to_radians(),
            width / height,
        );
        let painter = Painter {
            film: self,
            frame,
            camera,
            width,
            height,
        };
        Ok(painter.draw(options))
    }
}

impl Painter<'_, '_> {
    fn draw(&self, options: &ShotOptions) -> Drawing {
        let time = self.film.frames()[self.frame].step.t;
        let mut drawing = Drawing::new(
            self.width,
            self.height,
            format!("{}, t = {time} s", self.film.title),
        );
        drawing.rectangle([0.0, 0.0], [self.width, self.height], SKY);
        let mut floor = None;
        for (k, actor) in self.film.actors.iter().enumerate() {
            if let Look::Plane { normal, offset } = &actor.look {
                let pose = self.film.pose(self.frame, k);
                let plane = (pose.orientation * *normal, pose.to_world(*normal * *offset));
                self.plane(&mut drawing, plane);
                // Shadows fall on what lies below the light.
                if plane.0.dot(LIGHT) > 0.2 {
                    floor = floor.or(Some(plane));
                }
            }
        }
        if let Some(floor) = floor {
            self.shadows(&mut drawing, floor);
        }
        let mut paints = self.bodies();
        // Stable: what is equally far stays in the order of the bodies.
        paints.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        for paint in &paints {
            match (&paint.mark, paint.style.stroke) {
                (Mark::Polygon(points), _) => drawing.polygon(points, paint.style),
                (Mark::Disc(centre, radius), _) => drawing.circle(*centre, *radius, paint.style),
                (Mark::Line(points), Some(stroke)) => drawing.polyline(points, stroke),
                (Mark::Line(_), None) => {}
            }
        }
        self.links(&mut drawing);
        if options.forces {
            self.forces(&mut drawing);
        }
        if options.caption {
            let words = format!("t = {} s", (time * 1e6).round() / 1e6);
            drawing.text(
                [12.0, self.height - 12.0],
                13.0,
                Anchor::Start,
                GREY,
                &words,
            );
            drawing.text(
                [12.0, 22.0],
                14.0,
                Anchor::Start,
                INK,
                &cut(&self.film.title),
            );
        }
        drawing
    }

    fn place(&self, point: DVec3) -> Option<Point> {
        let seen = self.camera.see(point);
        let half = 0.5 * self.height;
        (seen.depth > 1e-3 * self.camera.distance)
            .then_some([0.5 * self.width + half * seen.x, half * (1.0 - seen.y)])
    }

    /// A grid on the plane around what is looked at, if the eye is above it.
    fn plane(&self, drawing: &mut Drawing, (normal, point): (DVec3, DVec3)) {
        if normal.dot(self.camera.eye() - point) <= 0.0 {
            return;
        }
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
        let corners: Vec<Point> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .iter()
            .filter_map(|&(a, b)| self.place(foot + (across * a + along * b) * reach))
            .collect();
        if corners.len() == 4 {
            drawing.polygon(&corners, Colour::rgb(0xe6eaef));
        }
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
                let ends = [-reach, reach].map(|b| self.place(foot + first * at + second * b));
                if let [Some(a), Some(b)] = ends {
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

    fn parts(&self) -> impl Iterator<Item = (usize, &Part)> {
        self.film.actors.iter().enumerate().flat_map(|(k, actor)| {
            let parts: &[Part] = match &actor.look {
                Look::Solid(parts) => parts,
                Look::Plane { .. } => &[],
            };
            parts.iter().map(move |p| (k, p))
        })
    }

    /// Faces that look at the eye, each with a thin outline of its own colour, and the sharp edges between them.
    fn bodies(&self) -> Vec<Paint> {
        let tints = tints(self.film);
        let eye = self.camera.eye();
        let mut paints = Vec::new();
        for (k, part) in self.parts() {
            let pose = self.film.pose(self.frame, k);
            let mesh = &self.film.meshes.list[part.mesh];
            let middle = world(&pose, part, DVec3::ZERO);
            if mesh.is_ball() {
                self.ball(&mut paints, &pose, part, tints[k]);
                continue;
            }
            for triangle in mesh.corners.chunks_exact(3) {
                let corners =
                    [triangle[0], triangle[1], triangle[2]].map(|p| world(&pose, part, p));
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let (Some(normal), centre) = (
                    normal.try_normalize(),
                    (corners[0] + corners[1] + corners[2]) / 3.0,
                ) else {
                    continue;
                };
                if normal.dot(eye - centre) <= 0.0 {
                    continue;
                }
                let light = 0.5 + 0.18 * (0.5 + 0.5 * normal.z) + 0.4 * normal.dot(LIGHT).max(0.0);
                let fill = shaded(tints[k], light);
                let points: Vec<Point> = corners.iter().filter_map(|c| self.place(*c)).collect();
                if points.len() == 3 {
                    // A face may stand before another of its body by less than rounding: the body's middle decides first.
                    let depth = self.depth(k, middle, centre);
                    let style = Style {
                        fill: Some(fill),
                        stroke: Some(Stroke::new(fill, 0.6)),
                    };
                    paints.push(Paint {
                        depth,
                        mark: Mark::Polygon(points),
                        style,
                    });
                }
            }
            for edge in mesh.edges.chunks_exact(2) {
                let ends = [edge[0], edge[1]].map(|p| world(&pose, part, p));
                let seen: Vec<Point> = ends.iter().filter_map(|e| self.place(*e)).collect();
                let centre = 0.5 * (ends[0] + ends[1]);
                // An edge on the far side is hidden by the body itself.
                if seen.len() == 2
                    && (centre - middle).dot(eye - middle)
                        > -0.35 * (centre - middle).length() * (eye - middle).length()
                {
                    let depth = self.depth(k, middle, centre) - 1e-6;
                    let style = Stroke::new(Colour::rgb(0x24374d).with_opacity(0.55), 0.7).into();
                    paints.push(Paint {
                        depth,
                        mark: Mark::Line(seen),
                        style,
                    });
                }
            }
        }
        paints
    }

    /// By which a face is sorted, m: mostly by its body. What is fixed is scenery, large and of many pieces: it comes
    /// first, face by face, and what moves is painted over it.
    fn depth(&self, body: usize, middle: DVec3, centre: DVec3) -> f64 {
        let face = self.camera.see(centre).depth;
        if self.film.actors[body].mass.is_none() {
            return SCENERY + face;
        }
        0.8 * self.camera.see(middle).depth + 0.2 * face
    }

    /// A ball: discs that grow lighter towards the light, and the three circles in which the planes of its axes cut
    /// it, which show how it turns.
    fn ball(&self, paints: &mut Vec<Paint>, pose: &Pose, part: &Part, tint: Colour) {
        let (centre, radius) = (world(pose, part, DVec3::ZERO), part.scale.x);
        let seen = self.camera.see(centre);
        let Some(at) = self.place(centre).filter(|_| seen.depth > radius) else {
            return;
        };
        let half_height = 0.5 * self.height / libm::tan(0.5 * self.camera.angle);
        let size = half_height * radius / libm::sqrt(seen.depth * seen.depth - radius * radius);
        let [right, up, _] = self.camera.axes();
        let (x, y) = (LIGHT.dot(right), LIGHT.dot(up));
        const DISCS: usize = 6;
        for k in 0..DISCS {
            let part = k as f64 / DISCS as f64;
            let middle = [at[0] + 0.8 * part * size * x, at[1] - 0.8 * part * size * y];
            paints.push(Paint {
                depth: seen.depth,
                mark: Mark::Disc(middle, size * (1.0 - part)),
                style: shaded(tint, 0.66 + 0.4 * part).into(),
            });
        }
        let eye = self.camera.eye();
        let stroke = Stroke::new(INK.with_opacity(0.4), 0.8);
        for (u, v) in [
            (DVec3::X, DVec3::Y),
            (DVec3::Y, DVec3::Z),
            (DVec3::Z, DVec3::X),
        ] {
            let mut run: Vec<Point> = Vec::new();
            for k in 0..=32 {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(k) / 32.0);
                let point = world(pose, part, u * cos + v * sin);
                match self
                    .place(point)
                    .filter(|_| (point - centre).dot(eye - point) > 0.0)
                {
                    Some(place) => run.push(place),
                    None => line(paints, seen.depth, &mut run, stroke),
                }
            }
            line(paints, seen.depth, &mut run, stroke);
        }
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
                Mode::Open => continue,
                Mode::Stick => colour::STICK,
                Mode::Slide => colour::SLIDE,
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

/// Paints the run so far, and begins a new one.
fn line(paints: &mut Vec<Paint>, depth: f64, run: &mut Vec<Point>, stroke: Stroke) {
    let points = std::mem::take(run);
    if points.len() > 1 {
        paints.push(Paint {
            depth,
            mark: Mark::Line(points),
            style: stroke.into(),
        });
    }
}

fn world(pose: &Pose, part: &Part, point: DVec3) -> DVec3 {
    pose.to_world(part.pose.to_world(point * part.scale))
}

fn shaded(colour: Colour, light: f64) -> Colour {
    let shade = |c: u8| (f64::from(c) * light).round().clamp(0.0, 255.0) as u8;
    Colour {
        r: shade(colour.r),
        g: shade(colour.g),
        b: shade(colour.b),
        a: colour.a,
    }
}

/// One colour for each family of names (`box[0]`, `box[1]`, …), lighter and darker in turn.
fn tints(film: &Film<'_>) -> Vec<Colour> {
    let mut families: BTreeMap<&str, (Colour, usize)> = BTreeMap::new();
    let mut out = Vec::new();
    for actor in &film.actors {
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
    out
}

fn cut(title: &str) -> String {
    if title.chars().count() > 90 {
        title.chars().take(89).chain(['…']).collect()
    } else {
        title.to_owned()
    }
}

/// The convex outline of points (Andrew's monotone chain).
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let turn = |o: Point, a: Point, b: Point| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    };
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while out.len() > 1 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut outline = chain(&mut points.iter().copied());
    outline.extend(chain(&mut points.iter().rev().copied()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_points_is_convex() {
        let square = vec![
            [0.0, 0.0],
            [1.0, 0.0],
            [0.5, 0.5],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.0],
        ];
        assert_eq!(hull(square).len(), 4);
        assert!(hull(vec![[1.0, 1.0]]).len() < 2);
    }
}
