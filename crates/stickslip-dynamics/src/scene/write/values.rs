//! Numbers, vectors, functions of time and friction as TOML has them, and the lines they stand on.

use std::fmt::Write as _;

use glam::{DMat3, DQuat, DVec3};
use stickslip_model::Friction;

use crate::expression::Function;
use crate::scene::Curve;

/// The text so far.
pub(super) struct Lines(pub(super) String);

impl Lines {
    pub(super) fn open(&mut self, header: &str) {
        let _ = writeln!(self.0, "\n{header}");
    }

    /// A vector, unless it is zero, which is the default.
    pub(super) fn put_vector(&mut self, key: &str, value: DVec3) {
        if value.to_array().map(f64::to_bits) != [0; 3] {
            self.put(key, &vector(value));
        }
    }

    pub(super) fn put(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.0, "{key} = {value}");
    }
}

/// A number in the shortest form that reads back to the same bits.
pub(super) fn number(value: f64) -> String {
    format!("{value:?}")
}

pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

pub(super) fn vector(v: DVec3) -> String {
    let [x, y, z] = v.to_array().map(number);
    format!("[{x}, {y}, {z}]")
}

pub(super) fn matrix(m: DMat3) -> String {
    let [x, y, z] = [m.row(0), m.row(1), m.row(2)].map(vector);
    format!("[{x}, {y}, {z}]")
}

pub(super) fn function(f: &Function) -> String {
    if let Some(table) = f.as_table() {
        let (times, values) = (numbers(&table.times), numbers(&table.values));
        let repeat = if table.repeats { ", repeat = true" } else { "" };
        return format!("{{ t = {times}, value = {values}{repeat} }}");
    }
    match f.as_constant() {
        Some(value) => number(value),
        None => format!("\"{f}\""),
    }
}

/// A quaternion, scalar first.
pub(super) fn quaternion(q: DQuat) -> String {
    let [s, x, y, z] = [q.w, q.x, q.y, q.z].map(number);
    format!("[{s}, {x}, {y}, {z}]")
}

pub(super) fn functions(f: &[Function; 3]) -> String {
    let [x, y, z] = f.each_ref().map(function);
    format!("[{x}, {y}, {z}]")
}

/// Coefficients, or the curve that stands for them.
pub(super) fn friction_of(given: Friction, curve: Option<&Curve>) -> String {
    match curve {
        Some(Curve::Stribeck {
            stick,
            slide,
            speed,
        }) => {
            let [stick, slide, speed] = [*stick, *slide, *speed].map(number);
            format!("{{ static = {stick}, kinetic = {slide}, speed = {speed} }}")
        }
        Some(Curve::Table { speeds, values }) => {
            let (speeds, values) = (numbers(speeds), numbers(values));
            format!("{{ speeds = {speeds}, values = {values} }}")
        }
        None => friction(given),
    }
}

fn friction(given: Friction) -> String {
    if given.stick == given.slide {
        return number(given.stick);
    }
    let (sticking, sliding) = (number(given.stick), number(given.slide));
    format!("{{ static = {sticking}, kinetic = {sliding} }}")
}

pub(super) fn numbers(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|x| number(*x)).collect();
    format!("[{}]", values.join(", "))
}
