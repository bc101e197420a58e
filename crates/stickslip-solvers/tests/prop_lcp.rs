//! Random copositive mixed LCPs: Lemke must solve every one (Anitescu and Potra; rows S0-22, S0-23).

use stickslip_solvers::lcp::MixedLcp;
use stickslip_solvers::lemke::Lemke;
use stickslip_solvers::random::Random;
use stickslip_solvers::sparse::SparseMatrix;

/// Mixed LCP in (x, y, z) with M positive definite, F and H arbitrary, N copositive:
///
/// ```text
///   M x − Fᵀ y − Hᵀ z = k      (rows of x)
///   F x               = 0      (rows of y; some of them repeated: redundant joints)
///   0 ≤ z ⟂ H x + N z + b ≥ 0,  b ≥ 0.
/// ```
///
/// z = (p_n, β, σ) for `contacts` pyramids of four directions: H has rows for p_n and β, N the coupling
/// with σ and μ, which is copositive. A third of the problems is degenerate (b = 0 and contacts twice).
fn random_mixed(random: &mut Random, n_x: usize, n_y: usize, contacts: usize) -> MixedLcp {
    let degenerate = random.below(3) == 0;
    let n_z = 6 * contacts;
    let n = n_x + n_y + n_z;
    let mut entries = Vec::new();
    let mut q = vec![0.0; n];
    // M = A Aᵀ + 0.1 I.
    let a: Vec<f64> = (0..n_x * n_x).map(|_| random.signed()).collect();
    for i in 0..n_x {
        for j in 0..n_x {
            let mut v: f64 = (0..n_x).map(|k| a[i * n_x + k] * a[j * n_x + k]).sum();
            if i == j {
                v += 0.1;
            }
            entries.push((i, j, v));
        }
        q[i] = random.signed();
    }
    let mut joint = vec![0.0; n_x];
    for r in 0..n_y {
        // Every third equation repeats the one before.
        if r % 3 != 2 {
            for v in &mut joint {
                *v = random.signed();
            }
        }
        for (j, &v) in joint.iter().enumerate() {
            entries.push((n_x + r, j, v));
            entries.push((j, n_x + r, -v));
        }
    }
    let z0 = n_x + n_y;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for c in 0..contacts {
        if c == 0 || !(degenerate && random.below(2) == 0) {
            rows = (0..3)
                .map(|_| (0..n_x).map(|_| random.signed()).collect())
                .collect();
        }
        let mu = random.unit();
        let sigma = z0 + 6 * c + 5;
        for k in 0..5 {
            // p_n, +t1, +t2, −t1, −t2.
            let (row, sign) = match k {
                0 => (&rows[0], 1.0),
                1 => (&rows[1], 1.0),
                2 => (&rows[2], 1.0),
                3 => (&rows[1], -1.0),
                _ => (&rows[2], -1.0),
            };
            let z = z0 + 6 * c + k;
            for (j, &v) in row.iter().enumerate() {
                entries.push((z, j, sign * v));
                entries.push((j, z, -sign * v));
            }
            if k == 0 {
                entries.push((sigma, z, mu));
                q[z] = if degenerate { 0.0 } else { random.unit() };
            } else {
                entries.push((z, sigma, 1.0));
                entries.push((sigma, z, -1.0));
            }
        }
    }
    MixedLcp {
        m: SparseMatrix::from_triplets(n, n, &entries).expect("in range"),
        q,
        n_eq: z0,
    }
}

#[test]
fn lemke_solves_every_copositive_mixed_lcp() {
    let count = std::env::var("STICKSLIP_LCP_COUNT")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(3000);
    let mut random = Random::new(31);
    let mut lemke = Lemke::default();
    let (mut failures, mut largest) = (0, 0);
    for k in 0..count {
        let contacts = 1 + random.below(if k % 50 == 0 { 20 } else { 6 });
        let n_x = 2 + random.below(if k % 50 == 0 { 40 } else { 12 });
        let n_y = random.below(n_x / 2 + 1);
        let problem = random_mixed(&mut random, n_x, n_y, contacts);
        largest = largest.max(problem.q.len());
        match lemke.solve(&problem) {
            Ok(solution) if solution.residual <= 1e-8 => {}
            other => {
                failures += 1;
                let what = other
                    .map(|s| s.residual.to_string())
                    .unwrap_or_else(|e| e.to_string());
                println!("problem {k} ({n_x}, {n_y}, {contacts}): {what}");
            }
        }
    }
    println!("{count} problems of up to {largest} rows, {failures} failures");
    assert_eq!(failures, 0);
}

#[test]
fn a_copositive_problem_without_a_solution_returns_its_ray() {
    // M = [[0, 1], [−1, 0]] is copositive; q = (−1, −1): w₂ = −z₁ − 1 < 0 always.
    let problem = MixedLcp {
        m: SparseMatrix::from_dense(2, 2, &[0.0, 1.0, -1.0, 0.0]),
        q: vec![-1.0, -1.0],
        n_eq: 0,
    };
    match Lemke::default().solve(&problem) {
        Err(stickslip_solvers::lcp::LcpError::Ray { direction, .. }) => {
            assert!(direction.iter().all(|&v| v >= 0.0));
            assert!(direction.iter().any(|&v| v > 0.0));
        }
        other => panic!("{other:?}"),
    }
}
