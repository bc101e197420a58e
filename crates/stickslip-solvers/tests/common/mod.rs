//! Problems that several tests share.
#![allow(dead_code)]

use glam::DVec3;
use stickslip_solvers::generate::box_mass;
use stickslip_solvers::problem::{Action, Arm, ContactBlock, ContactProblem, Law, Twist};

pub(crate) const FRAME_Z: [DVec3; 3] = [DVec3::Z, DVec3::X, DVec3::Y];

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
