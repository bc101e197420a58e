//! What ran: stages by their names, with what they took.

mod common;

use common::box_stack;
use stickslip_solvers::auto::Auto;
use stickslip_solvers::problem::Law;
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::selecting_solver_by_name;
use stickslip_solvers::solver::ContactSolver;
use stickslip_solvers::trace::Watch;

#[test]
fn a_step_is_traced_stage_by_stage() {
    let problem = box_stack(3, &Law::Cone { mu: 0.5 });
    let mut auto = Auto::default();
    let cold = auto.solve(&problem, None, 1e-10).expect("rests");
    let runs = auto.trace().runs();
    assert_eq!(runs.len(), 1, "{}", auto.trace());
    assert_eq!((runs[0].table, runs[0].stage), ("cold", "newton-from-zero"));
    assert_eq!(cold.stage, "newton-from-zero");
    assert!(runs[0].won && runs[0].residual <= 1e-10);
    assert_eq!(runs[0].contacts, problem.contacts.len());
    assert_eq!(runs[0].effort.iterations, cold.iterations);
    assert!(runs[0].effort.factorisations > 0);
    // No clock is read unless somebody looks on.
    assert!(runs[0].seconds.is_none());

    let mut auto = Auto::default();
    let warm = auto.solve(&problem, Some(&cold.impulses), 1e-10);
    assert_eq!(warm.expect("rests").stage, "last-impulses");
    assert_eq!(auto.trace().runs()[0].table, "warm");
    assert_eq!(auto.trace().runs()[0].effort.factorisations, 0);
    assert!(auto.trace().to_string().contains("last-impulses"));
}

/// The same problem with its own answer as guess has that answer, in no iterations; with another guess, or changed, it is solved.
#[test]
fn an_answer_handed_back_is_the_answer() {
    for boxes in [1, 2, 6] {
        let mut problem = box_stack(boxes, &Law::Cone { mu: 0.5 });
        let mut auto = Auto::default();
        let first = auto.solve(&problem, None, 1e-9).expect("rests");
        let again = auto.solve(&problem, Some(&first.impulses), 1e-9);
        let again = again.expect("rests");
        assert_eq!((again.stage, again.iterations), ("answered", 0));
        assert_eq!(again.impulses, first.impulses);
        assert_eq!(auto.trace().runs().len(), 1, "{}", auto.trace());

        let mut other = first.impulses.clone();
        other[0] *= 1.5;
        let solved = auto.solve(&problem, Some(&other), 1e-9).expect("rests");
        assert!(solved.iterations > 0);
        problem.contacts[0].b.x -= 0.1;
        let changed = auto.solve(&problem, Some(&solved.impulses), 1e-9);
        assert!(changed.expect("lifts").iterations > 0);
    }
}

#[test]
fn stages_can_be_left_out() {
    let problem = box_stack(3, &Law::Cone { mu: 0.5 });
    let solve = |without: &[&str]| {
        let mut auto = Auto::default().without(without);
        auto.solve(&problem, None, 1e-10).expect("rests").stage
    };
    assert_eq!(solve(&[]), "newton-from-zero");
    assert_eq!(solve(&["newton-from-zero"]), "relaxation");
    assert_eq!(solve(&["warm/newton-from-zero"]), "newton-from-zero");
    let fewer = ["cold/newton-from-zero", "cold/relaxation"];
    assert_eq!(solve(&fewer), "interior-point");
}

/// Each stage of every table left out in turn, on warm and cold steps of several sizes and on stored problems, by one solver
/// after the other: what is left starts from impulses of its own problem, whatever was solved before.
#[test]
fn any_stage_can_be_left_out_of_any_problem() {
    use stickslip_solvers::auto::plans::TABLES;
    let law = Law::Cone { mu: 0.5 };
    let stages = TABLES.iter().flat_map(|t| t.stages.iter().map(|s| s.name));
    for left_out in stages {
        let mut auto = Auto::default().without(&[left_out]);
        for levels in [1, 8, 3] {
            let problem = box_stack(levels, &law);
            let cold = auto.solve(&problem, None, 1e-10);
            let cold = cold.unwrap_or_else(|e| panic!("{left_out}: {e}"));
            let warm = auto.solve(&problem, Some(&cold.impulses), 1e-10);
            warm.unwrap_or_else(|e| panic!("{left_out}, warm: {e}"));
            let mut local = LocalProblem::default();
            local.assemble(&problem);
            let stored = auto.solve_local(&local, &[], 1e-10);
            stored.unwrap_or_else(|e| panic!("{left_out}, stored: {e}"));
        }
    }
}

#[test]
fn a_watch_collects_traces_with_times_and_changes_no_answer() {
    let problem = box_stack(4, &Law::Cone { mu: 0.5 });
    let mut local = LocalProblem::default();
    local.assemble(&problem);
    let unwatched = Auto::default().solve(&problem, None, 1e-10).expect("rests");
    let watch = Watch::start();
    let watched = Auto::default().solve(&problem, None, 1e-10).expect("rests");
    assert_eq!(unwatched, watched);
    Auto::default()
        .solve_local(&local, &[], 1e-10)
        .expect("rests");
    let traces = watch.take();
    assert_eq!(traces.len(), 2);
    assert!(traces.iter().all(|t| t.runs().iter().any(|r| r.won)));
    assert!(traces[0].runs()[0].seconds.is_some());
    assert_eq!(traces[1].runs()[0].stage, "dense-newton");
    assert!(watch.take().is_empty());
    drop(watch);
    let mut auto = Auto::default();
    auto.solve(&problem, None, 1e-10).expect("rests");
    assert!(auto.trace().runs()[0].seconds.is_none());
}

#[test]
fn where_a_solver_has_no_stages_those_of_the_rule_are_shown() {
    let problem = box_stack(2, &Law::Cone { mu: 0.5 });
    let mut solver = selecting_solver_by_name("nsgs").expect("listed");
    solver.solve(&problem, None, 1e-10).expect("rests");
    assert_eq!(solver.trace().runs()[0].stage, "newton-from-zero");
}
