//! Files damaged at random, for every reader of the product: an answer or an error, never a panic.

#[path = "../../../fuzz/readers.rs"]
mod readers;

use stickslip::dynamics::simulate::{header, simulate, to_the_end};
use stickslip::prelude::World;
use stickslip::problems::stored::file_of_step;
use stickslip::record::CsvWriter;
use stickslip_testing::{Random, setting};
use stickslip_verify::{root, world_of};

/// Damaged files tried for each reader: 2,000, or `STICKSLIP_FUZZ`.
fn tries() -> usize {
    setting("STICKSLIP_FUZZ", 2000)
}

/// Good files of one folder with this ending, in the order of their names.
fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = root().join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder of the project")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no .{ending} in {}", folder.display());
    paths
        .iter()
        .map(|p| std::fs::read(p).expect("a file"))
        .collect()
}

/// A short run, as the product writes it.
fn trajectory() -> Vec<u8> {
    let (scene, mut world) = world_of("pendulum.toml", &["step.until=0.05".into()]);
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("run.csv");
    let head = header(&scene, &world);
    let mut writer = CsvWriter::new(&path);
    simulate(&mut world, &head, 0.05, &mut writer, &mut to_the_end).expect("a run");
    std::fs::read(path).expect("the file of the run")
}

/// The problem of a step as the product writes it: FCLIB, or JSON where the cone is a pyramid.
fn problem(cone: &str) -> Vec<u8> {
    let (_, mut world) = world_of("sliding_box.toml", &[format!("step.cone={cone}")]);
    world.step().expect("a step");
    file_of(&world)
}

/// The last step of a run as a file.
fn file_of(world: &World) -> Vec<u8> {
    file_of_step(&world.problem_file("a step".into(), "for a test".into()))
        .expect("a file")
        .1
}

/// A step with joints, limits and round cones.
fn joints() -> Vec<u8> {
    let (_, mut world) = world_of("ragdolls.toml", &[]);
    world.step().expect("a step");
    file_of(&world)
}

/// Good files for a reader to start from.
fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let text = |words: &[&str]| words.iter().map(|w| w.as_bytes().to_vec()).collect();
    match reader {
        "scene" => files("scenes", "toml"),
        "urdf" => files("scenes/robots", "urdf"),
        "mjcf" => files("scenes/robots", "xml"),
        "setting" => text(&["step.h=0.02", "body.mass=[1, 2]", "material.friction=0.3"]),
        "expression" => text(&["if(mod(t, 0.1) < 0.05, sin(3*t)^2, -abs(t)/2)", "min(1, max(t, 2))"]),
        "stl" => text(&[
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
        ])
        .into_iter()
        .chain([binary_stl()])
        .collect(),
        "obj" => files("scenes/meshes", "obj"),
        "heights_csv" => files("scenes/meshes", "csv"),
        "heights_png" => vec![png()],
        "trajectory_parquet" => {
            let tables = readers::tables().expect("a run");
            let marked = (0..).zip(tables).map(|(k, table)| [vec![k], table].concat());
            marked.collect()
        }
        "trajectory_csv" => vec![trajectory()],
        "fclib" => vec![problem("quadratic")],
        "lcp_json" => vec![problem("pyramid:4")],
        "step_json" => files("problems", "json").into_iter().chain([joints()]).collect(),
        "matrix_market" => text(&[
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2.0\n2 2 3.0\n3 3 1e0\n3 1 -0.5\n",
            "%%MatrixMarket matrix array real general\n3 1\n1.0\n-2.5\n3e-3\n",
        ]),
        "planar_state" => files("scenes/planar", "toml"),
        other => panic!("no seeds for {other}"),
    }
}

/// Two triangles.
fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(2_u32.to_le_bytes());
    for z in [0.0_f32, 1.0] {
        for x in [0.0, 0.0, 1.0, 0.0, 0.0, z, 1.0, 0.0, z, 0.0, 1.0, z] {
            bytes.extend(x.to_le_bytes());
        }
        bytes.extend([0, 0]);
    }
    bytes
}

/// A grey picture of 3 × 3 points, stored without compression.
fn png() -> Vec<u8> {
    let rows: Vec<u8> = (0..3).flat_map(|k| [0, 10 * k, 40, 90]).collect();
    // zlib: header, one stored block, Adler-32.
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in &rows {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    let length = rows.len() as u16;
    let mut data = vec![0x78, 0x01, 1];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    data.extend(&rows);
    data.extend((b << 16 | a).to_be_bytes());
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], body: &[u8]| {
        out.extend((body.len() as u32).to_be_bytes());
        let marked = [kind, body].concat();
        let mut crc = u32::MAX;
        for &byte in &marked {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
            }
        }
        out.extend(&marked);
        out.extend((!crc).to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 3, 0, 0, 0, 3, 8, 0, 0, 0, 0]);
    chunk(b"IDAT", &data);
    chunk(b"IEND", &[]);
    out
}

/// One to four injuries: a byte changed, a piece cut out, doubled or moved, the end cut off, a number made huge.
fn damaged(random: &mut Random, good: &[u8]) -> Vec<u8> {
    const PIECES: [&[u8]; 12] = [
        b"nan",
        b"-inf",
        b"1e308",
        b"-1",
        b"999999999999999999999",
        b"\0\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"{",
        b"]",
        b"\"",
        b"\n",
        b",",
    ];
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(3) {
        let n = bytes.len();
        let at = random.below(n + 1);
        let to = (at + random.below(24)).min(n);
        match random.below(6) {
            0 if at < n => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..to)),
            2 => {
                let piece = bytes[at..to].to_vec();
                let place = random.below(n + 1);
                bytes.splice(place..place, piece);
            }
            3 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..to, piece.iter().copied());
            }
            4 if random.below(4) == 0 => bytes.truncate(at),
            _ if at < n => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    bytes
}

#[test]
fn no_reader_panics_on_a_damaged_file() {
    for (k, (name, read)) in readers::READERS.iter().enumerate() {
        let good = seeds(name);
        for seed in &good {
            read(seed);
        }
        let mut random = Random::new(17 + k as u64);
        for _ in 0..tries() {
            let seed = &good[random.below(good.len())];
            read(&damaged(&mut random, seed));
        }
    }
}

/// The seeds are what the readers read: a test of damage done to nonsense would say nothing.
#[test]
fn the_files_to_be_damaged_are_good() {
    use stickslip::{geometry::mesh, planar::State, problems};
    for seed in seeds("planar_state") {
        State::from_toml(&String::from_utf8_lossy(&seed)).expect("a state");
    }
    mesh::stl::read(&binary_stl(), 1.0).expect("an STL");
    problems::fclib::read(&seeds("fclib")[0]).expect("an FCLIB file");
    problems::json::lcp::read(&String::from_utf8_lossy(&seeds("lcp_json")[0])).expect("an LCP");
    for seed in seeds("step_json") {
        let text = String::from_utf8_lossy(&seed);
        problems::stored::StoredProblem::from_json(&text).expect("a step or an LCP");
    }
    for seed in seeds("matrix_market") {
        problems::matrix_market::read(&String::from_utf8_lossy(&seed)).expect("a matrix");
    }
}
