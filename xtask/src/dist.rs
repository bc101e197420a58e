//! `cargo xtask dist`: the program as an archive to give away: stripped, with the licences of all that is inside, and a checksum.
//!
//! The archive depends on its contents alone: no times, no owners. It is a tar of plain files, packed by gzip.

use crate::ci::{cargo, finish, target};
use miniz_oxide::deflate::compress_to_vec;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::root;

/// The program as it is given away.
const PROGRAM: &str = "stickslip-cli";

/// What the archive may have, bytes.
const MOST: usize = 6_000_000;

pub(crate) fn make() -> Result<(), String> {
    let host = host()?;
    cargo(
        &["build", "--profile", "dist", "--locked", "-p", PROGRAM],
        &[],
    )?;
    let built = target()
        .join("dist")
        .join(format!("stickslip{}", std::env::consts::EXE_SUFFIX));
    let name = format!("stickslip-{}-{host}", env!("CARGO_PKG_VERSION"));
    let mut files = vec![(
        format!("{name}/stickslip{}", std::env::consts::EXE_SUFFIX),
        read(&built)?,
        true,
    )];
    for page in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        files.push((format!("{name}/{page}"), read(&root().join(page))?, false));
    }
    for scene in ["box_stack", "sliding_box", "ladder", "pendulum"] {
        let file = format!("scenes/{scene}.toml");
        files.push((format!("{name}/{file}"), read(&root().join(&file))?, false));
    }
    let licences = third_party()?;
    files.push((
        format!("{name}/THIRD-PARTY.md"),
        licences.into_bytes(),
        false,
    ));
    let packed = gzip(&tar(&files)?);
    let folder = target().join("archives");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let archive = folder.join(format!("{name}.tar.gz"));
    write(&archive, &packed)?;
    let sum = Sha256::digest(&packed)
        .iter()
        .fold(String::new(), |all, b| all + &format!("{b:02x}"));
    write(
        &folder.join(format!("{name}.tar.gz.sha256")),
        format!("{sum}  {name}.tar.gz\n").as_bytes(),
    )?;
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    println!(
        "{} ({:.1} MB; the program {:.1} MB)\n{sum}",
        archive.display(),
        megabytes(packed.len()),
        megabytes(files[0].1.len())
    );
    if packed.len() > MOST {
        return Err(format!(
            "the archive has {} bytes, and {MOST} are the most",
            packed.len()
        ));
    }
    try_it(&archive, &name)
}

/// Unpacks the archive elsewhere, as its user would, and runs the program.
fn try_it(archive: &Path, name: &str) -> Result<(), String> {
    let place = target().join("archives").join("tried");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    finish(
        Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .current_dir(&place),
    )?;
    let inside = place.join(name);
    finish(
        Command::new(inside.join("stickslip"))
            .args(["run", "scenes/sliding_box.toml"])
            .current_dir(&inside),
    )
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The machine's name, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String, String> {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|l| l.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc does not say its host".into())
}

/// Names, versions and licences of everything that is linked into the program, and the texts that they ship.
fn third_party() -> Result<String, String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            &host()?,
        ])
        .current_dir(root())
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let linked = linked(&metadata, PROGRAM);
    let mut text = String::from(
        "# Licences of what is inside\n\nstickslip itself is MIT or Apache-2.0, at your choice. The program contains:\n\n| package | licence |\n|---|---|\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]).filter(|p| linked.contains(word(&p["id"]))) {
        let (name, version) = (word(&package["name"]), word(&package["version"]));
        if name.starts_with("stickslip") {
            continue;
        }
        let _ = writeln!(text, "| {name} {version} | {} |", word(&package["license"]));
        for licence in licence_texts(Path::new(word(&package["manifest_path"]))) {
            texts
                .entry(licence)
                .or_default()
                .push(format!("{name} {version}"));
        }
    }
    for (licence, packages) in texts {
        let _ = write!(
            text,
            "\n## {}\n\n```text\n{}\n```\n",
            packages.join(", "),
            licence.trim().replace("```", "'''")
        );
    }
    Ok(text)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Ids of the packages that a program is linked from: itself, and what it needs but for builds and tests.
fn linked<'m>(metadata: &'m Value, program: &str) -> BTreeSet<&'m str> {
    let first = list(&metadata["packages"]).find(|p| p["name"] == program);
    let mut open: VecDeque<&str> = first.map(|p| word(&p["id"])).into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop_front() {
        if !found.insert(id) {
            continue;
        }
        let node = list(&metadata["resolve"]["nodes"]).find(|n| n["id"] == id);
        for needed in node.into_iter().flat_map(|n| list(&n["deps"])) {
            if list(&needed["dep_kinds"]).any(|k| k["kind"].is_null()) {
                open.push_back(word(&needed["pkg"]));
            }
        }
    }
    found
}

/// The licences that a package ships, at its root and in the folders of C code inside it.
fn licence_texts(manifest: &Path) -> Vec<String> {
    let folder = manifest.parent().unwrap_or(manifest);
    let inner = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path());
    let folders = std::iter::once(folder.to_path_buf()).chain(inner.filter(|p| p.is_dir()));
    let files = folders.flat_map(|f| {
        std::fs::read_dir(f)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
    });
    let is_licence = |path: &PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
                .iter()
                .any(|w| name.starts_with(w))
    };
    let mut files: Vec<PathBuf> = files.filter(is_licence).collect();
    files.sort();
    files
        .iter()
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .collect()
}

/// Files as a tar (ustar), in the order given: name, contents, may be run.
fn tar(files: &[(String, Vec<u8>, bool)]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for (name, bytes, runs) in files {
        let mut head = [0u8; 512];
        if name.len() > 100 {
            return Err(format!("{name}: too long a name for an archive"));
        }
        let mode = if *runs { "0000755" } else { "0000644" };
        let fields = [
            (0, name.clone()),
            (100, mode.into()),
            (108, "0000000".into()),
            (116, "0000000".into()),
            (124, format!("{:011o}", bytes.len())),
            (136, "00000000000".into()),
            (148, "        ".into()),
            (156, "0".into()),
            (257, "ustar\0".into()),
            (263, "00".into()),
        ];
        for (at, field) in &fields {
            head[*at..at + field.len()].copy_from_slice(field.as_bytes());
        }
        let sum: u32 = head.iter().map(|b| u32::from(*b)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(head);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    Ok(out)
}

/// Packed by gzip, without a time.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    out.extend(compress_to_vec(bytes, 10));
    out.extend(crc32fast::hash(bytes).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_everybody() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32fast::hash(b""), 0);
    }

    /// The archive is what tar and gzip of the system read, and the same whenever it is made.
    #[test]
    fn other_programs_unpack_it() {
        let files = [
            ("a/run".to_string(), b"#!/bin/sh\n".to_vec(), true),
            ("a/empty".to_string(), Vec::new(), false),
            ("a/b/text".to_string(), vec![b'x'; 1000], false),
        ];
        let packed = gzip(&tar(&files).expect("short names"));
        assert_eq!(packed, gzip(&tar(&files).expect("short names")));
        let place = std::env::temp_dir().join(format!("stickslip-dist-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a folder");
        write(&place.join("a.tar.gz"), &packed).expect("written");
        let done = Command::new("tar")
            .args(["-xzf", "a.tar.gz"])
            .current_dir(&place)
            .status();
        if done.is_ok_and(|s| s.success()) {
            for (name, bytes, _) in &files {
                assert_eq!(
                    read(&place.join(name)).as_deref(),
                    Ok(bytes.as_slice()),
                    "{name}"
                );
            }
        } else {
            panic!("tar does not read it");
        }
        let _ = std::fs::remove_dir_all(&place);
        assert!(tar(&[("x".repeat(101), Vec::new(), false)]).is_err());
    }

    /// Every package inside is named with a licence, and most ship its text; C code inside a package too.
    #[test]
    fn licences_of_all_that_is_inside_are_told() {
        let text = third_party().expect("cargo's own account");
        for inside in ["| glam ", "| faer ", "| parquet ", "| zstd-sys "] {
            assert!(text.contains(inside), "{inside}");
        }
        for outside in ["| proptest ", "| insta ", "| stickslip", "|  |"] {
            assert!(!text.contains(outside), "{outside}");
        }
        assert!(text.contains("Permission is hereby granted") && text.contains("Apache License"));
    }

    /// What only builds or tests need is not inside.
    #[test]
    fn what_is_linked_is_told_from_what_builds() {
        let metadata: Value = serde_json::json!({
            "packages": [{ "id": "p", "name": "prog" }],
            "resolve": { "nodes": [
                { "id": "p", "deps": [{ "pkg": "a", "dep_kinds": [{ "kind": null }] }, { "pkg": "b", "dep_kinds": [{ "kind": "build" }] }] },
                { "id": "a", "deps": [{ "pkg": "c", "dep_kinds": [{ "kind": "dev" }, { "kind": null }] }] },
                { "id": "c", "deps": [{ "pkg": "p", "dep_kinds": [{ "kind": null }] }] },
            ] },
        });
        assert_eq!(
            linked(&metadata, "prog").into_iter().collect::<Vec<_>>(),
            ["a", "c", "p"]
        );
    }
}
