//! A forger against the judge: steps that are physically wrong by more than ten times what the judge allows, of forty-five kinds, with
//! random numbers, and improved by the judge's own answer: a lie is changed a little, kept where the judge minds it less, and
//! changed again. None may pass.

mod kinds;
mod moments;
mod rebounds;
mod step;

use kinds::{KINDS, Kind};
use step::{Forged, TOLERANCE};
use stickslip_random::Random;
use stickslip_testing::setting;

/// How much wronger than the bounds a forgery must be to count.
const WRONG: f64 = 10.0;

/// How often a lie is improved.
const CLIMBS: usize = 40;

/// How much the judge minds a step: above 1 he refuses it. `None` where it is not wrong enough to count.
fn minded(step: &Forged) -> Option<f64> {
    let c = step.judged();
    let bound = c.bound(TOLERANCE).max(step.allowed);
    // A pair that overlaps is allowed what the certificate says, and half of what is thinnest on the way.
    if step.wrong.is_nan() || step.wrong <= WRONG * bound || step.wrong <= WRONG * c.allowed {
        return None;
    }
    let minded =
        [c.rounding, c.needs / TOLERANCE].map(|m| if m.is_nan() { f64::INFINITY } else { m });
    Some(minded[0].max(minded[1]).max(step.rebound().0))
}

/// One forgery, improved; the least that the judge minds it, with the numbers of it.
fn climb(kind: &Kind, random: &mut Random) -> Option<(f64, Vec<f64>)> {
    let (_, n, make) = kind;
    let mut x: Vec<f64> = (0..*n).map(|_| random.unit()).collect();
    let mut best = minded(&make(&x))?;
    for round in 0..CLIMBS {
        let reach = libm::pow(10.0, -4.0 * round as f64 / CLIMBS as f64);
        let mut y = x.clone();
        let k = random.below(*n);
        y[k] = (y[k] + reach * random.signed()).clamp(0.0, 1.0);
        if let Some(now) = minded(&make(&y))
            && now <= best
        {
            (x, best) = (y, now);
        }
    }
    Some((best, x))
}

#[test]
fn no_forgery_passes() {
    let count: usize = setting("STICKSLIP_FORGERIES", 1500);
    let mut random = Random::new(setting("STICKSLIP_SEED", 1));
    let only: String = setting("STICKSLIP_FORGERY", String::new());
    let mut kinds = KINDS.to_vec();
    kinds.retain(|(name, ..)| name.contains(&only));
    let mut made = vec![0; kinds.len()];
    let mut passed = Vec::new();
    for k in 0..count {
        let kind = k % kinds.len();
        let Some((minded, x)) = (0..50).find_map(|_| climb(&kinds[kind], &mut random)) else {
            continue;
        };
        made[kind] += 1;
        if minded <= 1.0 {
            passed.push(format!("{}: {x:?}", kinds[kind].0));
        }
    }
    for ((name, ..), made) in kinds.iter().zip(made) {
        assert!(made > 0, "no forgery of the kind \"{name}\"");
    }
    assert!(passed.is_empty(), "{} passed: {:#?}", passed.len(), passed);
}

/// What a forger once found stays refused: rods that lie on each other at 4.5e-4 and 4.4e-6 rad, held beside the place where they cross along a normal that
/// leans so that both rods are opposite along it.
#[test]
fn what_once_passed_is_refused() {
    let name = "a rod rests along a rod along a tilted normal";
    let (.., make) = KINDS.iter().find(|k| k.0 == name).expect("a kind");
    let found = [
        [
            0.009_119_947_170_000_963,
            0.163_797_233_275_131_82,
            0.622_200_377_267_150_3,
            0.938_827_280_824_282_5,
            0.488_602_713_807_074_4,
            0.500_507_391_862_833_9,
        ],
        [
            0.0,
            1.0,
            0.353_687_674_951_569_44,
            0.109_983_414_910_394_08,
            0.999_528_325_572_687_1,
            0.499_595_589_550_995_1,
        ],
    ];
    for x in found {
        let step = make(&x);
        let judged = step.judged();
        assert!(minded(&step).is_some_and(|m| m > 1.0), "{judged:?}");
    }
}

/// The same steps without their lies pass: the forger's own mechanics are not what the judge minds.
#[test]
fn honest_steps_of_the_same_make_pass() {
    let honest = |name: &str, x: &[f64]| {
        let kind = KINDS.iter().find(|k| k.0 == name).expect("a kind");
        kind.2(x).judged()
    };
    for (name, x) in [
        (
            "a ball glides above a table",
            [0.5, 0.5, 0.5, 0.9, 0.5, 0.5].as_slice(),
        ),
        ("momentum out of nothing", &[0.5, 0.3, 0.1, 0.0]),
    ] {
        let c = honest(name, x);
        // What is left of the lie there is its impulse of zero, or a rounding.
        assert!(c.needs <= TOLERANCE, "{name}: {c:?}");
    }
    for angle in [1e-8, 1e-6, 1e-4, 1e-2, 1.0] {
        let c = kinds::balanced(angle).judged();
        assert!(c.needs <= TOLERANCE && c.rounding <= 1.0, "{angle}: {c:?}");
    }
    for x in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let mut steps: Vec<Forged> = (rebounds::KINDS.iter())
            .map(|make| make(&[x, 1.0 - x, x * x, x, 0.5, 0.5]))
            .collect();
        let lawful = rebounds::lawful(&[x, 1.0 - x, x * x, x]);
        assert!(lawful.rebound().0 <= 1.0 && lawful.wrong == 0.0, "{x}");
        steps.push(lawful);
        for step in &steps {
            let mut all = step.judged_past();
            all.push(step.judged());
            let holds = all
                .iter()
                .all(|c| c.needs <= TOLERANCE && c.rounding <= 1.0);
            assert!(holds && step.rebound().1 <= 1.0, "{x}: {all:?}");
        }
    }
    for rolling in [false, true] {
        let c = moments::lawful(rolling).judged();
        assert!(c.needs <= TOLERANCE && c.rounding <= 1.0, "{c:?}");
    }
}
