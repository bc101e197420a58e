//! Problems that several tests share.
#![allow(dead_code)]

use glam::{DMat3, DVec3};
use stickslip_solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};
use stickslip_solvers::random::Random;

pub(crate) const FRAME_Z: [DVec3; 3] = [DVec3::Z, DVec3::X, DVec3::Y];

/// A box of mass `m` and half sizes `half`, as inverse mass.
pub(crate) fn box_mass(m: f64, half: DVec3) -> InverseMass {
    let s = half * half * 4.0;
    let i = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (m / 12.0);
    InverseMass {
        mass: 1.0 / m,
        inertia: DMat3::from_diagonal(DVec3::new(1.0 / i.x, 1.0 / i.y, 1.0 / i.z)),
    }
}

/// `n` unit boxes stacked on the ground, four contacts between neighbours, at rest under gravity
/// over a step h = 0.01 s: 4n contacts, six-fold redundant.
pub(crate) fn box_stack(n: usize, law: &Law) -> ContactProblem {
    let h = 0.01;
    let mass = box_mass(1.0, DVec3::splat(0.5));
    let mut problem = ContactProblem {
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
                arms: [Some(upper), lower],
                b: DVec3::ZERO,
                compliance: DVec3::ZERO,
                law: law.clone(),
            });
        }
    }
    problem
}

/// A right-handed orthonormal frame whose normal is the direction of `n`.
pub(crate) fn frame(n: DVec3) -> [DVec3; 3] {
    let n = n / n.length();
    let other = if n.x.abs() < 0.7 { DVec3::X } else { DVec3::Y };
    let t1 = n.cross(other);
    let t1 = t1 / t1.length();
    [n, t1, n.cross(t1)]
}

/// Random bodies and contacts: masses over `decades` decades, levers of order one, some contacts
/// between two bodies, some doubled (degenerate).
pub(crate) fn random_problem(
    random: &mut Random,
    n_c: usize,
    decades: f64,
    law: &mut dyn FnMut(&mut Random) -> Law,
) -> ContactProblem {
    let n_b = 1 + random.below(n_c.min(3));
    let mut problem = ContactProblem::default();
    for _ in 0..n_b {
        let m = random.decade(-decades / 2.0, decades / 2.0);
        let half = DVec3::new(
            0.2 + random.unit(),
            0.2 + random.unit(),
            0.2 + random.unit(),
        );
        problem.inverse_mass.push(box_mass(m, half));
        problem.nu_free.push(Twist {
            linear: random.vec3(),
            angular: random.vec3(),
        });
    }
    for i in 0..n_c {
        if i > 0 && random.below(6) == 0 {
            let again = problem.contacts[i - 1].clone();
            problem.contacts.push(again);
            continue;
        }
        let a = random.below(n_b);
        let b = random.below(n_b);
        let arm = |body: usize, sign: f64, random: &mut Random| Arm {
            body,
            lever: random.vec3(),
            sign,
            action: Action::Force,
        };
        let first = arm(a, 1.0, random);
        let second = (b != a).then(|| arm(b, -1.0, random));
        // Open contacts too: gap over step up to 1 m/s, often exactly zero.
        let gap = if random.below(2) == 0 {
            0.0
        } else {
            random.unit()
        };
        problem.contacts.push(ContactBlock {
            frame: frame(random.vec3() + DVec3::Z * 0.5),
            arms: [Some(first), second],
            b: DVec3::new(gap, 0.0, 0.0),
            compliance: DVec3::ZERO,
            law: law(random),
        });
    }
    problem
}

/// A coefficient of friction: zero, ordinary or up to ten.
pub(crate) fn random_mu(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => 0.0,
        1 => random.unit(),
        2 => random.decade(-2.0, 1.0),
        _ => 10.0 * random.unit(),
    }
}

/// Files with the ending `ext` in a folder of the shared collection, sorted; None, with a word, where
/// the collection is absent. STICKSLIP_SHARED names another place.
pub(crate) fn shared_files(folder: &str, ext: &str) -> Option<Vec<std::path::PathBuf>> {
    let root = std::env::var_os("STICKSLIP_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        println!("passed over: no {folder} in the shared collection");
        return None;
    };
    let mut files: Vec<_> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == ext))
        .collect();
    files.sort();
    Some(files)
}
