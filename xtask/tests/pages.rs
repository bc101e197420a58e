//! The pages of the project say what is true.

use xtask::{crates, pages, variables};

fn good(mistakes: Vec<String>) {
    assert!(mistakes.is_empty(), "\n{}\n", mistakes.join("\n"));
}

#[test]
fn pages_name_only_what_exists() {
    good(pages::missing_paths());
}

#[test]
fn every_variable_of_the_environment_is_listed() {
    good(variables::wrong_variables());
}

#[test]
fn only_the_gate_knows_the_judge() {
    good(crates::judges_of_their_own_steps());
}

#[test]
fn crates_use_only_those_above_them() {
    good(crates::wrong_dependencies());
}

#[test]
fn crates_are_ready_to_be_published() {
    good(crates::unready_crates());
}

#[test]
fn every_relative_link_leads_somewhere() {
    good(pages::broken_links());
}

#[test]
fn no_file_names_a_place_on_one_machine() {
    good(pages::machine_paths());
}

#[test]
fn every_row_is_there_and_names_tests_and_commands_that_exist() {
    good(pages::wrong_rows());
}

#[test]
fn the_tests_and_commands_of_the_project_are_found() {
    let (tests, commands) = (pages::all_tests(), pages::all_commands());
    assert!(tests.contains("xtask::the_tests_and_commands_of_the_project_are_found"));
    assert!(tests.contains("verify::the_stack_stands"));
    assert!(commands.contains("run") && commands.contains("check"));
}
