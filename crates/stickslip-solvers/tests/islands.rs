//! Steps of several islands: each is solved as if it were alone.

use glam::{DMat3, DVec3};
use stickslip_solvers::auto::Auto;
use stickslip_solvers::problem::generate::{frame, random_problem};
use stickslip_solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};
use stickslip_solvers::solver::{ContactSolver, SolveError};
use stickslip_testing::Random;

/// Both problems as one, contacts in turn; where each contact came from.
fn joined(a: &ContactProblem, b: &ContactProblem) -> (ContactProblem, Vec<(usize, usize)>) {
    let mut whole = ContactProblem::default();
    for part in [a, b] {
        whole.inverse_mass.extend_from_slice(&part.inverse_mass);
        whole.nu_free.extend_from_slice(&part.nu_free);
    }
    let mut from = Vec::new();
    for i in 0..a.contacts.len().max(b.contacts.len()) {
        for (k, part) in [a, b].into_iter().enumerate() {
            let Some(contact) = part.contacts.get(i) else {
                continue;
            };
            let mut contact = contact.clone();
            for arm in contact.arms.iter_mut().flatten() {
                arm.body += k * a.inverse_mass.len();
            }
            whole.contacts.push(contact);
            from.push((k, i));
        }
    }
    (whole, from)
}

#[test]
fn what_else_is_in_the_step_does_not_change_a_bit() {
    let mut random = Random::new(23);
    let mut law = |random: &mut Random| Law::Cone {
        mu: random.decade(-1.0, 0.5),
    };
    let (mut alone, mut together) = (Auto::default(), Auto::default());
    for round in 0..300 {
        let (n_a, n_b) = (1 + random.below(4), 1 + random.below(4));
        let a = random_problem(&mut random, n_a, 2.0, &mut law);
        let b = random_problem(&mut random, n_b, 2.0, &mut law);
        let guess = |random: &mut Random, n| -> Vec<DVec3> {
            let warm = round % 2 == 1;
            let at = |_| if warm { random.vec3() } else { DVec3::ZERO };
            (0..n).map(at).collect()
        };
        let guesses = [guess(&mut random, n_a), guess(&mut random, n_b)];
        let (whole, from) = joined(&a, &b);
        let start: Vec<DVec3> = from.iter().map(|&(k, i)| guesses[k][i]).collect();
        let of_whole = together.solve(&whole, Some(&start), 1e-10).expect("solved");
        let own = [(&a, &guesses[0]), (&b, &guesses[1])]
            .map(|(p, g)| alone.solve(p, Some(g), 1e-10).expect("solved"));
        for (p, &(k, i)) in of_whole.impulses.iter().zip(&from) {
            assert_eq!(*p, own[k].impulses[i], "round {round}");
        }
        let worst = own[0].residual.max(own[1].residual);
        assert_eq!(of_whole.residual, worst, "round {round}");
    }
}

#[test]
fn a_ray_names_the_contacts_of_the_whole_step() {
    let body = InverseMass {
        mass: 1.0,
        inertia: DMat3::IDENTITY,
    };
    let contact = |body, normal: DVec3, gap_rate: f64| ContactBlock {
        frame: frame(normal),
        arms: [
            Some(Arm {
                body,
                lever: DVec3::ZERO,
                sign: 1.0,
                action: Action::Force,
            }),
            None,
        ]
        .into(),
        b: DVec3::X * gap_rate,
        compliance: DVec3::ZERO,
        law: Law::Cone { mu: 0.5 },
    };
    // A ball that lands, and between its contact and another's a part in a vice that closes at 2 m/s.
    let problem = ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![body; 2],
        nu_free: vec![Twist::default(); 2],
        contacts: vec![
            contact(0, DVec3::Z, -1.0),
            contact(1, DVec3::X, -1.0),
            contact(1, DVec3::NEG_X, -1.0),
        ],
    };
    match Auto::default().solve(&problem, None, 1e-10) {
        Err(SolveError::Ray { contacts, .. }) => assert_eq!(contacts, [1, 2]),
        other => panic!("{other:?}"),
    }
}
