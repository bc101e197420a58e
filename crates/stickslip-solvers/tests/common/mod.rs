//! Problems that several tests share.
#![allow(dead_code)]

use glam::DVec3;
use stickslip_solvers::problem::generate::{box_mass, frame};
use stickslip_solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};

pub(crate) const FRAME_Z: [DVec3; 3] = [DVec3::Z, DVec3::X, DVec3::Y];

/// `n` unit boxes stacked on the ground, four contacts between neighbours, at rest under gravity
/// over a step h = 0.01 s: 4n contacts, six-fold redundant.
pub(crate) fn box_stack(n: usize, law: &Law) -> ContactProblem {
    let h = 0.01;
    let mass = box_mass(1.0, DVec3::splat(0.5));
    let mut problem = ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![mass; n],
        nu_free: vec![
            Twist {
                linear: DVec3::new(0.0, 0.0, -9.81 * h),
                angular: DVec3::ZERO,
            };
            n
        ],
        contacts: Vec::new(),
    };
    for level in 0..n {
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let upper = Arm {
                body: level,
                lever: DVec3::new(x, y, -0.5),
                sign: 1.0,
                action: Action::Force,
            };
            let lower = (level > 0).then(|| Arm {
                body: level - 1,
                lever: DVec3::new(x, y, 0.5),
                sign: -1.0,
                action: Action::Force,
            });
            problem.contacts.push(ContactBlock {
                frame: FRAME_Z,
                arms: [Some(upper), lower].into(),
                b: DVec3::ZERO,
                compliance: DVec3::ZERO,
                law: law.clone(),
            });
        }
    }
    problem
}

/// Centres of a planar pile of `n` rows of unit balls.
pub(crate) fn planar_pile(n: usize) -> Vec<DVec3> {
    let mut centres = Vec::new();
    for row in 0..n {
        for k in 0..n - row {
            let x = k as f64 + 0.5 * row as f64;
            centres.push(DVec3::new(x, 0.0, 0.5 + row as f64 * 0.75f64.sqrt()));
        }
    }
    centres
}

/// Centres of a pyramid of `n` square layers of unit balls.
pub(crate) fn square_pile(n: usize) -> Vec<DVec3> {
    let mut centres = Vec::new();
    for layer in 0..n {
        let place = |k: usize| k as f64 + 0.5 * layer as f64;
        let z = 0.5 + layer as f64 * 0.5f64.sqrt();
        for i in 0..n - layer {
            centres.extend((0..n - layer).map(|j| DVec3::new(place(i), place(j), z)));
        }
    }
    centres
}

/// Unit balls of 1 kg that touch each other and the ground, at rest under gravity over a step of 0.01 s.
pub(crate) fn pile(centres: &[DVec3], law: &Law) -> ContactProblem {
    let inverse = 1.0 / (0.4 * 0.25);
    let ball = InverseMass {
        mass: 1.0,
        inertia: glam::DMat3::from_diagonal(DVec3::splat(inverse)),
    };
    let falling = Twist {
        linear: DVec3::new(0.0, 0.0, -9.81 * 0.01),
        angular: DVec3::ZERO,
    };
    let mut problem = ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![ball; centres.len()],
        nu_free: vec![falling; centres.len()],
        contacts: Vec::new(),
    };
    let arm = |body: usize, lever: DVec3, sign: f64| Arm {
        body,
        lever,
        sign,
        action: Action::Force,
    };
    let mut push = |frame: [DVec3; 3], arms: [Option<Arm>; 2]| {
        problem.contacts.push(ContactBlock {
            frame,
            arms: arms.into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: law.clone(),
        });
    };
    for (a, &x) in centres.iter().enumerate() {
        if x.z < 0.6 {
            push(FRAME_Z, [Some(arm(a, DVec3::Z * -0.5, 1.0)), None]);
        }
        for (b, &y) in centres.iter().enumerate() {
            let d = y - x;
            if b > a && d.length() < 1.0 + 1e-9 {
                let n = d / d.length();
                push(
                    frame(n),
                    [Some(arm(b, n * -0.5, 1.0)), Some(arm(a, n * 0.5, -1.0))],
                );
            }
        }
    }
    problem
}
