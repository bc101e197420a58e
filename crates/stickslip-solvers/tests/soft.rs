//! Contacts that bear moments: random problems, all modes of a planar contact by enumeration, and who takes them.

use glam::DVec3;
use stickslip_solvers::problem::generate::{box_mass, frame, random_mu, random_problem};
use stickslip_solvers::problem::residual::{of_step, w_bar};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, ContactProblem, Law, Twist};
use stickslip_solvers::registry::SOLVERS;
use stickslip_solvers::solver_by_name;
use stickslip_testing::{Random, setting};

/// Gives contact `of` moments with these lengths: a radius (0 for no torsion), ℓ, and rolling resistance over ℓ.
fn soften(problem: &mut ContactProblem, of: usize, radius: f64, length: f64, roll: f64) {
    let block = &mut problem.contacts[of];
    let [n, t1, t2] = block.frame;
    block.law = Law::Soft {
        mu: block.law.friction(),
    };
    let mut arms = block.arms.clone();
    for arm in arms.iter_mut().flatten() {
        arm.action = Action::Torque;
    }
    let row = if radius > 0.0 { radius } else { length };
    problem.contacts.push(ContactBlock {
        frame: [n * row, t1 * length, t2 * length],
        arms,
        b: DVec3::ZERO,
        compliance: DVec3::ZERO,
        law: Law::Moments {
            of,
            spin: radius > 0.0,
            roll,
        },
    });
}

/// One to four contacts on one to three bodies, most of them with moments whose lengths go over three decades.
#[test]
fn auto_solves_small_problems_with_moments() {
    let count = setting("STICKSLIP_SMALL_COUNT", 2000);
    let mut random = Random::new(2024);
    let mut auto = solver_by_name("auto").expect("solver");
    let mut unsolved = Vec::new();
    let mut stages = std::collections::BTreeMap::new();
    for k in 0..count {
        let n_c = 1 + k % 4;
        let mut law = |r: &mut Random| Law::Cone { mu: random_mu(r) };
        let mut problem = random_problem(&mut random, n_c, 2.0, &mut law);
        for of in 0..n_c {
            let torsion = random.below(3) > 0;
            let radius = if torsion {
                random.decade(-3.0, 0.0)
            } else {
                0.0
            };
            let roll = if random.below(3) > 0 {
                random.decade(-3.0, 0.0)
            } else {
                0.0
            };
            if radius > 0.0 || roll > 0.0 {
                soften(&mut problem, of, radius, 0.3, roll);
            }
        }
        match auto.solve(&problem, None, 1e-10) {
            Ok(solved) => {
                let size =
                    |(c, p): (&ContactBlock, &DVec3)| w_bar(c, &problem.inverse_mass) * p.length();
                let sizes = problem.contacts.iter().zip(&solved.impulses).map(size);
                let rounding = 16.0 * f64::EPSILON * sizes.fold(0.0, f64::max);
                let judged = of_step(&problem, &solved.impulses, &mut Vec::new()).0;
                assert!(
                    judged <= rounding.max(1e-10) * (1.0 + 1e-9),
                    "problem {k}: {judged:e}"
                );
                *stages.entry(solved.stage).or_insert(0) += 1;
            }
            Err(e) => unsolved.push(format!("{k}: {e}")),
        }
    }
    println!("{count} problems: {stages:?}, unsolved {}", unsolved.len());
    assert!(
        unsolved.is_empty(),
        "{} unsolved: {unsolved:#?}",
        unsolved.len()
    );
}

/// A box on one contact in the plane of x and z: rows of the normal, of the slip along x and of rolling about y. Every mode of it
/// (open; stick or slide to either side, with or without rolling to either side) is a linear system: the answer is one that holds.
#[test]
fn a_planar_contact_is_in_one_of_its_modes() {
    let mut random = Random::new(31);
    let mut auto = solver_by_name("auto").expect("solver");
    let mut seen = [0; 10];
    for k in 0..3000 {
        let (mu, roll, length) = (random.unit(), random.decade(-2.0, 0.0), 0.2 + random.unit());
        let arm = Arm {
            body: 0,
            lever: DVec3::new(random.signed(), 0.0, -random.unit()),
            sign: 1.0,
            action: Action::Force,
        };
        let mut problem = ContactProblem {
            inverse_mass: vec![box_mass(0.5 + random.unit(), DVec3::new(0.3, 0.4, 0.5))],
            nu_free: vec![Twist {
                linear: DVec3::new(random.signed(), 0.0, random.signed() - 0.5),
                angular: DVec3::new(0.0, random.signed(), 0.0),
            }],
            contacts: vec![ContactBlock {
                frame: [DVec3::Z, DVec3::X, DVec3::Y],
                arms: [Some(arm), None].into(),
                b: DVec3::ZERO,
                compliance: DVec3::ZERO,
                law: Law::Cone { mu },
            }],
            floors: Vec::new(),
        };
        soften(&mut problem, 0, 0.0, length, roll);
        // Unit impulses of the three rows and what they give each of them: D, and q.
        let rates = |nu: &[Twist]| {
            let (u, w) = (
                problem.contacts[0].velocity(nu),
                problem.contacts[1].velocity(nu),
            );
            DVec3::new(u.x, u.y, w.z)
        };
        let q = rates(&problem.nu_free);
        let column = |p: DVec3| {
            let mut nu = problem.nu_free.clone();
            problem.add_impulse(&problem.contacts[0], DVec3::new(p.x, p.y, 0.0), &mut nu);
            problem.add_impulse(&problem.contacts[1], DVec3::new(0.0, 0.0, p.z), &mut nu);
            rates(&nu) - q
        };
        let d = glam::DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let mut lawful = Vec::new();
        if q.x >= 0.0 {
            lawful.push((0, q));
        }
        // A row is held (0), or its impulse is s times the bound: s = ±1, against motion.
        let signs = [0.0, 1.0, -1.0];
        for (i, &slide) in signs.iter().enumerate() {
            for (j, &rolls) in signs.iter().enumerate() {
                let t = glam::DMat3::from_cols(
                    DVec3::new(1.0, slide * mu, rolls * roll),
                    if slide == 0.0 { DVec3::Y } else { DVec3::ZERO },
                    if rolls == 0.0 { DVec3::Z } else { DVec3::ZERO },
                );
                // Rows that are held vanish; the others' unknowns are absent.
                let mut a = d * t;
                for (row, sign) in [(1, slide), (2, rolls)] {
                    if sign != 0.0 {
                        for c in 0..3 {
                            a.col_mut(c)[row] = 0.0;
                        }
                        a.col_mut(row)[row] = 1.0;
                    }
                }
                let right = -DVec3::new(
                    q.x,
                    if slide == 0.0 { q.y } else { 0.0 },
                    if rolls == 0.0 { q.z } else { 0.0 },
                );
                if a.determinant().abs() < 1e-12 {
                    continue;
                }
                let p = t * (a.inverse() * right);
                let u = d * p + q;
                let rounding = 1e-12;
                let held = |s: f64, p: f64, most: f64, u: f64| {
                    if s == 0.0 {
                        p.abs() <= most + rounding
                    } else {
                        s * u <= rounding
                    }
                };
                let lawful_here = p.x >= -rounding
                    && held(slide, p.y, mu * p.x, u.y)
                    && held(rolls, p.z, roll * p.x, u.z);
                if lawful_here {
                    lawful.push((1 + 3 * i + j, u));
                }
            }
        }
        let solved = auto.solve(&problem, None, 1e-11).expect("an answer");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        let u = rates(&nu);
        let mode = lawful.iter().find(|(_, other)| other.distance(u) < 1e-9);
        let Some((mode, _)) = mode else {
            panic!("problem {k}: {u} is none of {lawful:?}");
        };
        seen[*mode] += 1;
    }
    assert!(seen.iter().all(|&n| n > 0), "every mode is met: {seen:?}");
}

#[test]
fn others_refuse_moments_with_a_word() {
    let mut random = Random::new(3);
    let mut problem = random_problem(&mut random, 2, 1.0, &mut |_| Law::Cone { mu: 0.5 });
    for of in 0..2 {
        soften(&mut problem, of, 0.1, 0.3, 0.05);
    }
    for entry in SOLVERS {
        let mut solver = solver_by_name(entry.name).expect("solver");
        match solver.solve(&problem, None, 1e-9) {
            Ok(_) => assert_eq!(entry.name, "auto"),
            Err(e) => assert!(
                e.to_string().ends_with("contact 0 bears moments; use auto"),
                "{e}"
            ),
        }
    }
}

#[test]
fn moments_belong_to_one_soft_contact_before_them() {
    let mut random = Random::new(4);
    let good = {
        let mut problem = random_problem(&mut random, 2, 1.0, &mut |_| Law::Cone { mu: 0.5 });
        soften(&mut problem, 1, 0.1, 0.3, 0.05);
        problem
    };
    assert_eq!(good.validate(), Ok(()));
    let refused = |change: &dyn Fn(&mut ContactProblem)| {
        let mut problem = good.clone();
        change(&mut problem);
        problem.validate().expect_err("refused")
    };
    let last = good.contacts.len() - 1;
    assert!(
        refused(&|p| p.contacts[1].law = Law::Cone { mu: 0.5 })
            .contains("no soft contact before it")
    );
    assert!(refused(&|p| _ = p.contacts.pop()).contains("no block has its moments"));
    assert!(
        refused(&|p| {
            let again = p.contacts[last].clone();
            p.contacts.push(again);
        })
        .contains("or has others")
    );
    assert!(refused(&|p| p.contacts[last].frame[1] *= 2.0).contains("perpendicular"));
    assert!(
        refused(
            &|p| if let Law::Moments { roll, .. } = &mut p.contacts[last].law {
                *roll = -1.0;
            }
        )
        .contains("rolling resistance")
    );
    // A frame that is one to begin with.
    let [n, t1, _] = frame(DVec3::ONE);
    assert!(n.dot(t1).abs() < 1e-15);
}

/// Forty balls in a chain with torsion and rolling at every contact: above the size of dense systems.
#[test]
fn a_long_chain_with_moments_is_solved() {
    let mut problem = ContactProblem::default();
    let n = 40;
    let mut random = Random::new(5);
    for body in 0..n {
        problem.inverse_mass.push(box_mass(1.0, DVec3::splat(0.1)));
        problem.nu_free.push(Twist {
            linear: random.vec3() * 0.1 - DVec3::Z * 0.1,
            angular: random.vec3(),
        });
        let arm = |body: usize, lever: DVec3, sign: f64| {
            Some(Arm {
                body,
                lever,
                sign,
                action: Action::Force,
            })
        };
        let below = (body > 0)
            .then(|| arm(body - 1, DVec3::Z * 0.1, -1.0))
            .flatten();
        problem.contacts.push(ContactBlock {
            frame: [DVec3::Z, DVec3::X, DVec3::Y],
            arms: [below, arm(body, DVec3::Z * -0.1, 1.0)].into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Cone { mu: 0.4 },
        });
    }
    for of in 0..n {
        soften(&mut problem, of, 0.02, 0.08, 0.05);
    }
    let mut auto = solver_by_name("auto").expect("solver");
    let solved = auto.solve(&problem, None, 1e-9).expect("an answer");
    assert!(of_step(&problem, &solved.impulses, &mut Vec::new()).0 <= 1e-9);
}
