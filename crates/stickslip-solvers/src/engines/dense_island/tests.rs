use super::*;
use crate::problem::Law;
use crate::problem::delassus::Delassus;
use crate::problem::residual::GlobalResidual;
use crate::random::Random;

/// R Rᵀ + δI, blocks of a random 3n×6 R: contacts of one body, made a little compliant.
pub(in crate::engines::dense_island) fn random_problem(
    random: &mut Random,
    n: usize,
    mu: f64,
) -> LocalProblem {
    let r: Vec<[DVec3; 2]> = (0..3 * n).map(|_| [random.vec3(), random.vec3()]).collect();
    let entry = |a: usize, b: usize| {
        let shift = if a == b { 0.1 } else { 0.0 };
        r[a][0].dot(r[b][0]) + r[a][1].dot(r[b][1]) + shift
    };
    let mut entries = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let column = |c: usize| {
                let at = |a: usize| entry(3 * i + a, 3 * j + c);
                DVec3::new(at(0), at(1), at(2))
            };
            entries.push((i, j, DMat3::from_cols(column(0), column(1), column(2))));
        }
    }
    LocalProblem {
        delassus: Delassus::from_blocks(n, entries),
        q: (0..n).map(|_| random.vec3()).collect(),
        laws: vec![Law::Cone { mu }; n],
    }
}

#[test]
fn what_is_called_solved_is_solved() {
    let mut random = Random::new(4);
    let mut memory = Memory::default();
    let mut solved = 0;
    for k in 0..600 {
        let n = 2 + k % (MAX_CONTACTS - 1);
        let problem = random_problem(&mut random, n, [0.1, 0.3, 0.8][k % 3]);
        let members: Vec<usize> = (0..n).collect();
        let mut p = vec![DVec3::ZERO; n];
        if solve(&problem, &members, 1e-10, &mut p, &mut memory).is_some() {
            solved += 1;
            let r = GlobalResidual::new(&problem, &p).siconos();
            assert!(r <= 1e-10, "{n}: {r:e}");
        }
    }
    // Without a line search some are left to the chain.
    assert!(solved >= 500, "{solved} of 600");
}
