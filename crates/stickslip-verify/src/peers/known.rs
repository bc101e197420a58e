//! Scenes of the folder `scenes` whose answer is known: how far off each engine is.

use super::measure::Quality;
use super::page::Ran;
use stickslip::prelude::DVec3;

/// Something that is asked of every engine's run of a scene.
pub struct Question {
    /// The scene's file, below `scenes` and without its ending.
    pub scene: &'static str,
    /// What is asked, with its unit.
    pub asks: &'static str,
    /// The answer from a run.
    pub answer: fn(&Ran) -> f64,
}

const fn question(scene: &'static str, asks: &'static str, answer: fn(&Ran) -> f64) -> Question {
    Question {
        scene,
        asks,
        answer,
    }
}

/// All of them; those of a scene stand together.
pub const QUESTIONS: [Question; 6] = [
    question(
        "sliding_box",
        "sliding box: distance off, m (of 0.408)",
        |r| (slid(&r.quality).x - STOPS).abs(),
    ),
    question("sliding_box", "the same: off to the side, m", |r| {
        slid(&r.quality).y.abs()
    }),
    question(
        "incline_stick",
        "on a slope at 0.99 of the friction angle: creep in 4 s, m",
        |r| crept(&r.quality),
    ),
    question(
        "box_stack",
        "ten boxes dropped from 15 m: farthest from its place, m",
        |r| farthest(&r.quality),
    ),
    question(
        "gallery/thousand_balls",
        "1,000 balls in a bin: ms a step",
        |r| 1e3 * r.mean(),
    ),
    question(
        "gallery/thousand_balls",
        "the same: deepest overlap, m",
        |r| r.quality.overlap,
    ),
];

/// v²/(2 μ g) of 2 m/s and μ = 0.5, m.
const STOPS: f64 = 4.0 / (2.0 * 0.5 * 9.81);

/// Where the sliding box ends: along its first velocity (30° from x) and across it, m.
fn slid(quality: &Quality) -> DVec3 {
    let (cos, sin) = (0.75f64.sqrt(), 0.5);
    let end = last(quality).first().copied().unwrap_or(DVec3::NAN);
    DVec3::new(cos * end.x + sin * end.y, cos * end.y - sin * end.x, 0.0)
}

/// From t = 1 s to the end, m.
fn crept(quality: &Quality) -> f64 {
    let start = quality.places.iter().find(|(t, _)| *t > 1.0 - 1e-9);
    match (start, last(quality).first()) {
        (Some((_, start)), Some(end)) => (*end - start[0]).length(),
        _ => f64::NAN,
    }
}

/// Boxes of 1 m, the k-th should stand at z = k + 1/2.
fn farthest(quality: &Quality) -> f64 {
    let off = |(k, p): (usize, &DVec3)| (*p - DVec3::Z * (k as f64 + 0.5)).length();
    last(quality)
        .iter()
        .enumerate()
        .map(off)
        .fold(0.0, f64::max)
}

fn last(quality: &Quality) -> &[DVec3] {
    quality.places.last().map_or(&[], |(_, places)| places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[(f64, &[DVec3])]) -> Quality {
        Quality {
            places: places.iter().map(|(t, p)| (*t, p.to_vec())).collect(),
            ..Quality::default()
        }
    }

    #[test]
    fn answers_of_places_that_are_known() {
        let way = DVec3::new(0.75f64.sqrt(), 0.5, 0.0);
        let aside = DVec3::new(-0.5, 0.75f64.sqrt(), 0.0);
        let end = slid(&at(&[(11.0, &[0.4 * way + 0.01 * aside])]));
        assert!((end - DVec3::new(0.4, 0.01, 0.0)).length() < 1e-15, "{end}");
        let creeping = at(&[
            (0.0, &[DVec3::X]),
            (1.0, &[DVec3::ZERO]),
            (5.0, &[DVec3::Z * 0.003]),
        ]);
        assert_eq!(crept(&creeping), 0.003);
        let stack = [0.5, 1.5, 2.25].map(|z| DVec3::Z * z);
        assert_eq!(farthest(&at(&[(8.0, &stack)])), 0.25);
    }
}
