//! The README and the book show what the program prints: every command is run, in order, in a folder for each page, and its output compared.
//! `STICKSLIP_BLESS=1 cargo test --profile checked -p stickslip-cli --test pages` writes the program's words into the pages.
//!
//! In a page, a block `toml push.toml` (or `json …`, `csv …`) is a file, written before the commands below it; `text` and `console` blocks with `$` lines are
//! sessions. Known commands are `stickslip …` (also as `cargo run --release -- …`), with `|| echo "exit code $?"` behind those that are to fail,
//! and `head -N FILE`. What is not to be run stands in `sh` blocks.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use support::{folder, program, root};

/// What a command is worth whose output is shown as it stood, but for numbers that differ from run to run: times of the clock.
fn steady(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |k: usize| {
            words
                .get(k)
                .is_some_and(|w| w.trim_start_matches('(').parse::<f64>().is_ok())
        };
        let unit = |k: usize| {
            words
                .get(k + 1)
                .map_or("", |w| w.trim_end_matches([',', ';', ')']))
        };
        let duration = |k: &usize| {
            let after_in = *k > 0 && words[*k - 1] == "in";
            number(*k) && (["µs", "ms"].contains(&unit(*k)) || after_in && unit(*k) == "s")
        };
        let shown = |k: usize| {
            if duration(&k) || k > 0 && duration(&(k - 1)) {
                "*"
            } else {
                words[k]
            }
        };
        let steady: Vec<&str> = (0..words.len())
            .map(shown)
            .filter(|w| !w.is_empty())
            .collect();
        steady.join(" ")
    };
    let lines: Vec<String> = text.trim_end().lines().map(line).collect();
    lines.join("\n")
}

/// Words of a command line; quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for c in line.chars() {
        match quote {
            Some(q) if q == c => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == ' ' => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// What a shell would show for a command in this folder.
fn printed(command: &str, place: &Path) -> String {
    const FAILS: &str = " || echo \"exit code $?\"";
    let (line, fails) = match command.strip_suffix(FAILS) {
        Some(line) => (line, true),
        None => (command, false),
    };
    if let Some(rest) = line.strip_prefix("head -") {
        let (count, file) = rest.split_once(' ').expect("a count and a file");
        let text = std::fs::read_to_string(place.join(file)).expect(file);
        let count = count.parse().expect("a count");
        return text
            .lines()
            .take(count)
            .fold(String::new(), |all, line| all + line + "\n");
    }
    let ours = ["stickslip ", "cargo run --release -- "];
    let rest = ours.iter().find_map(|p| line.strip_prefix(p));
    let rest = rest.unwrap_or_else(|| {
        panic!("`{command}` cannot be run: what is not to be run stands in a block `sh`")
    });
    let output = program()
        .args(words(rest))
        .current_dir(place)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    // How far a run has come is told now and then on a slow machine, and is no part of what it says.
    let is_progress = |line: &str| {
        line.trim_start()
            .split_once(" %  ")
            .is_some_and(|(n, _)| n.parse::<u32>().is_ok())
    };
    let told = text(output.stderr);
    let mut shown = text(output.stdout);
    shown.extend(told.split_inclusive('\n').filter(|line| !is_progress(line)));
    assert_eq!(output.status.success(), !fails, "{command}: {shown}");
    if fails {
        let _ = writeln!(shown, "exit code {}", output.status.code().expect("a code"));
    }
    shown
}

/// One page, gone through from top to bottom.
#[derive(Default)]
struct Gone {
    text: String,
    commands: usize,
    files: usize,
    wrong: Vec<String>,
}

impl Gone {
    fn through(page: &str, place: &Path) -> Self {
        let mut gone = Self::default();
        let mut lines = page.split_inclusive('\n');
        while let Some(line) = lines.next() {
            gone.text.push_str(line);
            let Some(info) = line
                .trim_end()
                .strip_prefix("```")
                .filter(|i| !i.is_empty())
            else {
                continue;
            };
            let block: String = lines
                .by_ref()
                .take_while(|l| !l.starts_with("```"))
                .collect();
            let file = info.split(' ').nth(1);
            if let Some(file) = file {
                std::fs::write(place.join(file), &block).expect(file);
                gone.files += 1;
            }
            if ["text", "console"].contains(&info) && block.starts_with("$ ") {
                gone.session(&block, place);
            } else {
                gone.text.push_str(&block);
            }
            gone.text.push_str("```\n");
        }
        gone
    }

    fn session(&mut self, block: &str, place: &Path) {
        let parts = block.strip_prefix("$ ").unwrap_or(block).split("\n$ ");
        for part in parts {
            let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
            let real = printed(command, place);
            self.commands += 1;
            let _ = write!(
                self.text,
                "$ {command}\n{}",
                if steady(shown) == steady(&real) {
                    shown
                } else {
                    &real
                }
            );
            if !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            if steady(shown) != steady(&real) {
                self.wrong
                    .push(format!("$ {command}\nshown:\n{shown}\nreal:\n{real}"));
            }
        }
    }
}

/// The README, then the chapters of the book in the order of its summary.
fn pages() -> Vec<PathBuf> {
    let book = root().join("docs/book/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    let (_, links) = summary.split_once("](").expect("a link to a chapter");
    let links = links.split("](").filter_map(|rest| rest.split(')').next());
    let chapters = links.map(|name| book.join(name));
    std::iter::once(root().join("README.md"))
        .chain(chapters)
        .collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).expect("a file");
        }
    }
}

#[test]
fn pages_show_real_output() {
    let bless = std::env::var_os("STICKSLIP_BLESS").is_some();
    let (mut commands, mut wrong) = (0, Vec::new());
    for page in pages() {
        let place = folder();
        for shipped in ["scenes", "problems"] {
            copy(&root().join(shipped), &place.path().join(shipped));
        }
        let name = page.file_name().expect("a name").display().to_string();
        let text = std::fs::read_to_string(&page).expect(&name);
        let gone = Gone::through(&text, place.path());
        println!("{name}: {} commands, {} files", gone.commands, gone.files);
        commands += gone.commands;
        if bless && gone.text != text {
            std::fs::write(&page, &gone.text).expect("written");
        }
        wrong.extend(gone.wrong.iter().map(|w| format!("{name}: {w}")));
    }
    println!("{commands} commands compared");
    assert!(commands >= 40, "only {commands} commands on the pages");
    assert!(bless || wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is compared is what matters: a changed figure is seen, a changed duration is not.
#[test]
fn durations_differ_and_nothing_else() {
    let line = "  800 steps of 0.01 s to t = 8 s in 158.3 ms (197.9 µs a step)";
    let other = "  800 steps of 0.01 s to t = 8 s in 1.02 s (1.2 ms a step)";
    assert_eq!(steady(line), steady(other));
    assert_ne!(steady(line), steady(&line.replace("800", "801")));
    assert_ne!(steady(line), steady(&line.replace("t = 8 s", "t = 9 s")));
    assert_eq!(steady("judged in 20.9 ms"), steady("judged in 2.11 s"));
    assert_ne!(steady("worst 4.3e-14 m/s"), steady("worst 4.4e-14 m/s"));
    let page = "```console\n$ stickslip schema --nonsense || echo \"exit code $?\"\nwrong\n```\n";
    let gone = Gone::through(page, folder().path());
    assert_eq!((gone.commands, gone.wrong.len()), (1, 1));
    assert!(gone.text.contains("exit code 2\n```\n"), "{}", gone.text);
}

#[test]
fn the_scene_of_the_readme_runs() {
    let page = std::fs::read_to_string(root().join("README.md")).expect("the page");
    let scene = page
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("a scene");
    let place = folder();
    let file = support::write(&place, "scene.toml", scene);
    let json = support::stickslip(&["run", &file, "--set", "speed=3", "--json"])
        .exits(0)
        .json();
    assert_eq!(json["certified"], true);
}
