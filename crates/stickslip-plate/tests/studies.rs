//! The studies of the plate paper, with coarse steps: what they find.

use stickslip_plate::studies::{
    Effort, Study, cone_error, lift_off, nearer_axis, solve_time, steady_velocity, step_size,
};

fn quick(run: stickslip_plate::studies::Run) -> Study {
    let study = run(Effort::Quick).unwrap_or_else(|e| panic!("{e}"));
    println!("{}", study.text());
    assert!(!study.findings.is_empty() && !study.plots.is_empty());
    for row in &study.rows {
        assert_eq!(row.len(), study.columns.len());
    }
    study
}

#[test]
fn the_velocity_tends_to_the_formula() {
    let study = quick(steady_velocity);
    let off = |k: usize| study.rows[k][2] / study.rows[k][3] - 1.0;
    assert!(off(0) > 0.2, "much faster at first: {}", off(0));
    assert!(off(30).abs() < 0.05, "{}", off(30));
}

#[test]
fn more_directions_make_the_error_smaller() {
    let study = quick(cone_error);
    for pair in study.rows.windows(2) {
        assert!(pair[1][1] < pair[0][1], "{} directions", pair[1][0]);
    }
    // 1/n_d, not 1/n_d²: from 8 to 64 directions the error falls about eightfold.
    let fall = study.rows[1][1] / study.rows[4][1];
    assert!((3.0..16.0).contains(&fall), "{fall}");
}

#[test]
fn the_error_is_of_first_order_in_the_step() {
    let study = quick(step_size);
    let (first, last) = (&study.rows[0], &study.rows[3]);
    for k in [1, 2] {
        assert!(first[k] / last[k] > 4.0, "{} {}", first[k], last[k]);
    }
}

#[test]
fn nearer_axes_hold_the_part() {
    let study = quick(nearer_axis);
    let stuck = |d: f64| {
        let row = study.rows.iter().find(|r| (r[0] - d).abs() < 1e-9);
        row.map_or(f64::NAN, |r| r[3])
    };
    assert!(
        stuck(0.05) < 0.02 && stuck(0.01) > 0.5,
        "{} {}",
        stuck(0.05),
        stuck(0.01)
    );
}

#[test]
fn far_parts_are_thrown_off() {
    let study = quick(lift_off);
    assert_eq!(study.rows[0][1], 0.0);
    assert!(study.rows[40][1] > 0.1);
}

#[test]
fn the_lcp_grows_with_its_directions() {
    let study = quick(solve_time);
    assert!(study.rows.iter().all(|r| r[1] == 12.0 + 3.0 * r[0]));
}
