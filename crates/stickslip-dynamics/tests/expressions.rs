//! Formulas: values against closed forms, and derivatives against closed forms and against finite
//! differences of formulas made at random.

use std::collections::BTreeMap;

use stickslip_dynamics::expression::{
    Expression, ExpressionError, Function, Jet, MAX_ITEMS, Scope, resolve,
};
use stickslip_testing::Random;

fn function(text: &str) -> Function {
    let formula = Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    formula
        .bind(&Scope::default().with_time())
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refused(text: &str) -> ExpressionError {
    Expression::parse(text)
        .and_then(|formula| formula.bind(&Scope::default().with_time()))
        .expect_err(text)
}

fn close(found: f64, exact: f64) -> bool {
    (found - exact).abs() <= 1e-12 * exact.abs().max(1.0)
}

#[test]
fn precedence_and_functions() {
    for (text, exact) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("+3 - +2", 1.0),
        ("2*-3", -6.0),
        ("1e3 + 1.5e-1 + .5 + 2.", 1002.65),
        ("1 < 2", 1.0),
        ("2 < 1", 0.0),
        ("2 <= 2", 1.0),
        ("3 > 2", 1.0),
        ("2 >= 3", 0.0),
        ("1 + 1 < 3", 1.0),
        ("mod(7, 3)", 1.0),
        ("mod(-1, 3)", 2.0),
        ("mod(1, -3)", -2.0),
        ("mod(-1e-30, 1)", 0.0),
        ("if(1, 2, 3)", 2.0),
        ("if(0, 1/0, 3)", 3.0),
        ("if(1 > 2, 2, 3)", 3.0),
        ("abs(-2)", 2.0),
        ("min(1, 2) + 10*max(1, 2)", 21.0),
        ("floor(-1.5)", -2.0),
        ("sqrt(9)", 3.0),
        ("0^0", 1.0),
    ] {
        assert_eq!(function(text).as_constant(), Some(exact), "{text}");
    }
    for (text, exact) in [
        ("sin(pi/6)", 0.5),
        ("cos(pi/3)", 0.5),
        ("tan(pi/4)", 1.0),
        ("exp(ln(3))", 3.0),
        ("4*atan(1)", std::f64::consts::PI),
        ("asin(1) + acos(1)", std::f64::consts::FRAC_PI_2),
    ] {
        assert!(close(function(text).value(0.0), exact), "{text}");
    }
}

#[test]
fn constants_are_folded() {
    assert_eq!(
        function("2*pi*3").as_constant(),
        Some(6.0 * std::f64::consts::PI)
    );
    assert_eq!(function("t").as_constant(), None);
    assert_eq!(function("0*t").as_constant(), None);
}

/// Derivatives against closed forms, at many times.
#[test]
fn derivatives_of_closed_forms() {
    type Exact = fn(f64) -> [f64; 3];
    let cases: [(&str, Exact); 12] = [
        ("sin(3*t)", |t| {
            let (s, c) = libm::sincos(3.0 * t);
            [s, 3.0 * c, -9.0 * s]
        }),
        ("cos(t^2)", |t| {
            let (s, c) = libm::sincos(t * t);
            [c, -2.0 * t * s, -2.0 * s - 4.0 * t * t * c]
        }),
        ("tan(t/3)", |t| {
            let f = libm::tan(t / 3.0);
            let d = (1.0 + f * f) / 3.0;
            [f, d, 2.0 * f * d / 3.0]
        }),
        ("exp(-2*t)", |t| {
            let f = libm::exp(-2.0 * t);
            [f, -2.0 * f, 4.0 * f]
        }),
        ("ln(1 + t)", |t| {
            [
                libm::log(1.0 + t),
                1.0 / (1.0 + t),
                -1.0 / ((1.0 + t) * (1.0 + t)),
            ]
        }),
        ("sqrt(1 + t^2)", |t| {
            let f = (1.0 + t * t).sqrt();
            [f, t / f, 1.0 / (f * f * f)]
        }),
        ("t^5 - 2*t^3 + t", |t| {
            let t2 = t * t;
            let value = t2 * t2 * t - 2.0 * t2 * t + t;
            [
                value,
                5.0 * t2 * t2 - 6.0 * t2 + 1.0,
                20.0 * t2 * t - 12.0 * t,
            ]
        }),
        ("1/(1 + t)", |t| {
            let f = 1.0 / (1.0 + t);
            [f, -f * f, 2.0 * f * f * f]
        }),
        ("(1 + t)^t", |t| {
            let (u, f) = (1.0 + t, libm::pow(1.0 + t, t));
            let w = libm::log(u) + t / u;
            [f, f * w, f * (w * w + 1.0 / u + 1.0 / (u * u))]
        }),
        ("asin(t/4)", |t| {
            let d = 1.0 / (16.0 - t * t).sqrt();
            [libm::asin(t / 4.0), d, t * d * d * d]
        }),
        ("acos(t/4)", |t| {
            let d = -1.0 / (16.0 - t * t).sqrt();
            [libm::acos(t / 4.0), d, t * d * d * d]
        }),
        ("atan(2*t)", |t| {
            let d = 2.0 / (1.0 + 4.0 * t * t);
            [libm::atan(2.0 * t), d, -4.0 * t * d * d]
        }),
    ];
    let mut random = Random::new(5);
    for (text, exact) in cases {
        let f = function(text);
        for _ in 0..200 {
            let t = random.between(0.0, 3.0);
            let Jet {
                value,
                rate,
                second,
            } = f.jet(t);
            let [e0, e1, e2] = exact(t);
            let right = close(value, e0) && close(rate, e1) && close(second, e2);
            assert!(right, "{text} at {t}: {:?} but {:?}", f.jet(t), exact(t));
        }
    }
}

/// A random smooth formula of t, and its nesting.
fn smooth(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => "t".to_owned(),
            1 => format!("{:.3}", random.between(0.1, 2.0)),
            _ => format!("{:.3}*t", random.between(-2.0, 2.0)),
        };
    }
    let a = smooth(random, depth - 1);
    let b = smooth(random, depth - 1);
    match random.below(10) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a})*({b})"),
        3 => format!("({a})/(2 + sin({b}))"),
        4 => format!("sin({a})"),
        5 => format!("cos({a})"),
        6 => format!("sqrt(1 + ({a})^2)"),
        7 => format!("exp(-({a})^2)"),
        8 => format!("atan({a})"),
        _ => format!("(1 + ({a})^2)^(0.5*sin({b}))"),
    }
}

/// The second derivative is the derivative of the first, and the first that of the value, to what
/// central differences can show.
#[test]
fn derivatives_of_random_formulas() {
    let mut random = Random::new(7);
    let d = 1e-5;
    for _ in 0..2000 {
        let text = smooth(&mut random, 3);
        let f = function(&text);
        let t = random.between(-1.0, 1.0);
        let (before, here, after) = (f.jet(t - d), f.jet(t), f.jet(t + d));
        let scale = [before, here, after]
            .iter()
            .flat_map(|j| [j.value.abs(), j.rate.abs(), j.second.abs()])
            .fold(1.0, f64::max);
        let rate = (after.value - before.value) / (2.0 * d);
        let second = (after.rate - before.rate) / (2.0 * d);
        // Central differences are off by d²/6 times the third and fourth derivatives, which are
        // estimated from how the second changes.
        let third = (after.second - before.second).abs() / (2.0 * d);
        let fourth = (after.second - 2.0 * here.second + before.second).abs() / (d * d);
        let rounding = 1e-8 * scale;
        assert!(
            (rate - here.rate).abs() < d * d * third + rounding,
            "{text} at {t}"
        );
        assert!(
            (second - here.second).abs() < d * d * fourth + rounding,
            "{text} at {t}"
        );
    }
}

#[test]
fn corners_take_the_derivative_from_the_right() {
    let at_corner = |text: &str, t: f64| {
        let jet = function(text).jet(t);
        (jet.value, jet.rate)
    };
    assert_eq!(at_corner("abs(t - 1)", 1.0), (0.0, 1.0));
    assert_eq!(at_corner("abs(1 - t)", 1.0), (0.0, 1.0));
    assert_eq!(at_corner("max(t, 2 - t)", 1.0), (1.0, 1.0));
    assert_eq!(at_corner("min(t, 2 - t)", 1.0), (1.0, -1.0));
    assert_eq!(at_corner("mod(t, 1)", 3.0), (0.0, 1.0));
    assert_eq!(at_corner("if(t < 1, t, 5*t)", 1.0), (5.0, 5.0));
    assert_eq!(at_corner("floor(t)", 1.5), (1.0, 0.0));
    assert_eq!(at_corner("sqrt(0*t)", 1.0), (0.0, 0.0));
}

/// A period that changes in time: mod(t², 1 + t) = t² − n (1 + t) between its jumps.
#[test]
fn remainder_of_a_moving_period() {
    let f = function("mod(t^2, 1 + t)");
    let t: f64 = 2.7;
    let n = (t * t / (1.0 + t)).floor();
    let jet = f.jet(t);
    assert!(close(jet.value, t * t - n * (1.0 + t)));
    assert!(close(jet.rate, 2.0 * t - n));
    assert!(close(jet.second, 2.0));
}

#[test]
fn errors_point_at_their_place() {
    for (text, span, part) in [
        ("1 +", 3..3, "expected a number"),
        ("2 $ 3", 2..3, "unexpected character"),
        ("sin 3", 0..3, "is a function"),
        ("foo(3)", 0..3, "unknown function"),
        ("2 + speed", 4..9, "unknown name"),
        ("3 4", 2..3, "expected an operator"),
        ("1 + 2/0", 5..6, "not a finite number"),
        ("sqrt(1 - 2)", 0..4, "not a finite number"),
        ("i", 0..1, "`count`"),
        ("max(1, 2, 3)", 0..3, "takes 2 arguments"),
        ("()", 1..2, "expected a number"),
        ("é", 0..2, "unexpected character"),
    ] {
        let error = refused(text);
        assert_eq!(error.span, span, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
    let long = "1+".repeat(MAX_ITEMS) + "1";
    assert!(refused(&long).message.contains("more than 10000"));
    assert!(refused(&" ".repeat(2 << 20)).message.contains("longer"));
}

#[test]
fn too_many_intermediate_results_are_refused() {
    let text = "t+(".repeat(70) + "t" + &")".repeat(70);
    assert!(refused(&text).message.contains("intermediate"));
    let text = "t+(".repeat(40) + "t" + &")".repeat(40);
    assert_eq!(function(&text).value(1.0), 41.0);
}

fn formulas(pairs: &[(&str, &str)]) -> BTreeMap<String, Expression> {
    let parsed = pairs.iter().map(|(name, text)| {
        let formula = Expression::parse(text).expect("a formula");
        ((*name).to_owned(), formula)
    });
    parsed.collect()
}

#[test]
fn parameters_are_resolved_in_any_order() {
    let values = resolve(&formulas(&[
        ("a", "b + c"),
        ("b", "2*c"),
        ("c", "d^2"),
        ("d", "3"),
    ]))
    .expect("values");
    assert_eq!(values["a"], 27.0);
    assert_eq!(values["b"], 18.0);
}

#[test]
fn rings_of_parameters_are_shown() {
    let (name, error) = resolve(&formulas(&[
        ("a", "b"),
        ("b", "1 + c"),
        ("c", "2*b"),
        ("z", "1"),
    ]))
    .expect_err("a ring");
    assert_eq!(name, "b");
    assert_eq!(error.span, 4..5);
    assert!(error.message.ends_with("b -> c -> b"), "{error}");
}

#[test]
fn index_and_parameters_are_bound() {
    let parameters = BTreeMap::from([("gap".to_owned(), 0.5)]);
    let scope = Scope::new(&parameters).with_index(3.0);
    let formula = Expression::parse("15.5 + i*(1 + gap)").expect("a formula");
    assert_eq!(formula.number(&scope), Ok(20.0));
    let moving = Expression::parse("i*t").expect("a formula");
    assert!(moving.number(&scope.with_time()).is_err());
    let bound = moving.bind(&scope.with_time()).expect("a function");
    assert_eq!(
        bound.jet(2.0),
        Jet {
            value: 6.0,
            rate: 3.0,
            second: 0.0
        }
    );
}

/// A function printed and read again is the same function, piece by piece.
#[test]
fn functions_print_as_formulas() {
    let mut random = Random::new(11);
    for _ in 0..2000 {
        let text = smooth(&mut random, 4);
        let f = function(&text);
        assert_eq!(function(&f.to_string()), f, "{text} printed as {f}");
    }
    for text in [
        "t - (1 - t) - -2",
        "t/(t/2)/-3",
        "(-t)^2",
        "-t^2",
        "t^-2",
        "(t^2)^3",
        "t^2^t",
        "(t < 1)*(t >= 0.5) <= (t > 2)",
        "if(t < 1, 1/0, -1/0)",
        "mod(t, -0.0)",
        "1e300*t + 1e-300",
        "-(-(t + 1))",
    ] {
        let f = function(text);
        assert_eq!(function(&f.to_string()), f, "{text} printed as {f}");
    }
    let long = "t + ".repeat(4_000) + "t";
    assert_eq!(function(&long).to_string(), long);
}
