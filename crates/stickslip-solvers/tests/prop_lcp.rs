//! Random copositive mixed LCPs: Lemke must solve every one (Anitescu and Potra; rows S0-22, S0-23).

use stickslip_solvers::SparseMatrix;
use stickslip_solvers::lcp::lemke::Lemke;
use stickslip_solvers::lcp::{LcpError, MixedLcp};
use stickslip_testing::{Random, setting};

/// Mixed LCP in (x, y, z) with M positive definite, F of deficient rank, N copositive:
///
/// ```text
///   M x − Fᵀ y − Hᵀ z = k      (rows of x)
///   F x               = 0      (rows of y; every third a combination of those before: redundant joints)
///   0 ≤ z ⟂ H x + N z + b ≥ 0,  b ≥ 0.
/// ```
///
/// z = (p_n, β, σ) contact after contact, with none, two or four directions of friction: H has rows for p_n and β, N
/// the coupling with σ and μ, which is copositive. Degenerate problems have b = 0 and contacts twice. About `size`
/// unknowns.
fn random_mixed(random: &mut Random, size: usize, degenerate: bool) -> MixedLcp {
    let n_x = 2 + random.below((size / 2).saturating_sub(1).max(1));
    let n_y = random.below(n_x.min((size - n_x) / 2) + 1);
    let mut entries = Vec::new();
    // M = A Aᵀ + 0.1 I.
    let a: Vec<f64> = (0..n_x * n_x).map(|_| random.signed()).collect();
    let mut q = Vec::new();
    for i in 0..n_x {
        for j in 0..n_x {
            let mut v: f64 = (0..n_x).map(|k| a[i * n_x + k] * a[j * n_x + k]).sum();
            if i == j {
                v += 0.1;
            }
            entries.push((i, j, v));
        }
        q.push(random.signed());
    }
    let mut joints: Vec<Vec<f64>> = Vec::new();
    for r in 0..n_y {
        let joint = if r % 3 == 1 {
            let weights: Vec<f64> = joints.iter().map(|_| random.signed()).collect();
            (0..n_x)
                .map(|j| joints.iter().zip(&weights).map(|(f, w)| w * f[j]).sum())
                .collect()
        } else {
            (0..n_x).map(|_| random.signed()).collect()
        };
        joints.push(joint);
    }
    for (r, joint) in joints.iter().enumerate() {
        q.push(0.0);
        for (j, &v) in joint.iter().enumerate() {
            entries.push((n_x + r, j, v));
            entries.push((j, n_x + r, -v));
        }
    }
    let n_eq = n_x + n_y;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while q.len() < size {
        if rows.is_empty() || !(degenerate && random.below(2) == 0) {
            rows = (0..3)
                .map(|_| (0..n_x).map(|_| random.signed()).collect())
                .collect();
        }
        // p_n alone, (p_n, ±t1, σ) or (p_n, ±t1, ±t2, σ), as many as there is room for.
        let tangents = match size - q.len() {
            1..4 => 0,
            4..6 => random.below(2),
            _ => random.below(3),
        };
        let normal = q.len();
        let mut push = |row: &[f64], sign: f64, b: f64| {
            let z = q.len();
            for (j, &v) in row.iter().enumerate() {
                entries.push((z, j, sign * v));
                entries.push((j, z, -sign * v));
            }
            q.push(b);
        };
        let b = if degenerate { 0.0 } else { random.unit() };
        push(&rows[0], 1.0, b);
        for tangent in &rows[1..=tangents] {
            push(tangent, 1.0, 0.0);
            push(tangent, -1.0, 0.0);
        }
        if tangents > 0 {
            let sigma = q.len();
            entries.push((sigma, normal, random.unit()));
            for beta in normal + 1..sigma {
                entries.push((beta, sigma, 1.0));
                entries.push((sigma, beta, -1.0));
            }
            q.push(0.0);
        }
    }
    let n = q.len();
    MixedLcp {
        m: SparseMatrix::from_triplets(n, n, &entries).expect("in range"),
        q,
        n_eq,
    }
}

#[test]
fn lemke_solves_every_copositive_mixed_lcp() {
    let count: usize = setting("STICKSLIP_LCP_COUNT", 3000);
    let mut random = Random::new(31);
    let mut lemke = Lemke::default();
    let (mut failures, mut smallest, mut largest) = (0, usize::MAX, 0);
    let (mut pivots, mut restarted, mut worst) = (0, 0, 0.0f64);
    for k in 0..count {
        // 5 to 200, small ones more often.
        let size = (5.0 * random.decade(0.0, libm::log10(40.2))) as usize;
        let problem = random_mixed(&mut random, size, k % 3 == 0);
        smallest = smallest.min(problem.q.len());
        largest = largest.max(problem.q.len());
        match lemke.solve(&problem) {
            Ok(solution) if solution.residual <= 1e-8 => {
                pivots += solution.iterations;
                restarted += usize::from(solution.iterations > 10 * size + 100);
                worst = worst.max(solution.residual);
            }
            other => {
                failures += 1;
                let what = other
                    .map(|s| s.residual.to_string())
                    .unwrap_or_else(|e| e.to_string());
                println!("problem {k} ({size} rows, {} free): {what}", problem.n_eq);
            }
        }
    }
    println!(
        "{count} problems of {smallest} to {largest} rows, {failures} failures; {pivots} pivots, {restarted} long paths, \
         largest residual {worst:.1e}"
    );
    assert_eq!(failures, 0);
}

/// Positive semidefinite problems are solved or refuted: many of these random ones have no feasible point.
#[test]
fn rays_of_semidefinite_problems_prove_that_there_is_no_solution() {
    // Equations that contradict each other: x + y = 1 twice, and the second time as 2.
    for (second, agree) in [(-1.0, true), (-2.0, false)] {
        let problem = MixedLcp {
            m: SparseMatrix::from_dense(3, 3, &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
            q: vec![-1.0, second, -1.0],
            n_eq: 2,
        };
        match Lemke::default().solve(&problem) {
            Ok(_) => assert!(agree),
            Err(LcpError::Ray { infeasible, .. }) => assert!(infeasible && !agree),
            other => panic!("{other:?}"),
        }
    }
    // Some z are of size 1e8, and their rounding with them.
    let mut lemke = Lemke::default();
    lemke.settings.tolerance = 1e-7;
    let mut random = Random::new(7);
    let (mut solved, mut refuted) = (0, 0);
    for _ in 0..500 {
        // M = [[A Aᵀ, −Bᵀ], [B, 0]] with A of low rank; some q are out of reach.
        let (n, m) = (1 + random.below(6), 1 + random.below(6));
        let a: Vec<f64> = (0..n).map(|_| random.signed()).collect();
        let mut entries = Vec::new();
        for i in 0..n {
            for j in 0..n {
                entries.push((i, j, a[i] * a[j]));
            }
            for j in 0..m {
                let b = random.signed();
                entries.push((n + j, i, b));
                entries.push((i, n + j, -b));
            }
        }
        let problem = MixedLcp {
            m: SparseMatrix::from_triplets(n + m, n + m, &entries).expect("in range"),
            q: (0..n + m).map(|_| random.signed()).collect(),
            n_eq: 0,
        };
        match lemke.solve(&problem) {
            Ok(_) => solved += 1,
            Err(LcpError::Ray {
                infeasible: true,
                direction,
                ..
            }) => {
                assert!(problem.is_refuted_by(&direction));
                refuted += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    println!("{solved} solved, {refuted} refuted");
    assert!(solved > 50 && refuted > 50);
}
