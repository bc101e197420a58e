//! Every reader of the product, by name: bytes in, an answer or an error out, never a panic.
//!
//! Shared by the fuzz targets of this folder and by the seeded test `readers` of `stickslip-verify`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use stickslip::dynamics::check::check_file;
use stickslip::dynamics::expression::{Expression, Scope};
use stickslip::dynamics::scene::{Files, Override, Scene};
use stickslip::dynamics::simulate::{header, simulate, to_the_end};
use stickslip::prelude::World;
use stickslip::record::parquet::Paths;
use stickslip::record::{ParquetWriter, csv};
use stickslip::{geometry, planar, problems};

/// A reader: the name of its fuzz target, and what it does with bytes.
pub(crate) type Reader = (&'static str, fn(&[u8]));

/// All of them.
pub(crate) const READERS: [Reader; 16] = [
    ("scene", scene),
    ("urdf", urdf),
    ("mjcf", mjcf),
    ("setting", setting),
    ("expression", expression),
    ("stl", stl),
    ("obj", obj),
    ("heights_csv", heights_csv),
    ("heights_png", heights_png),
    ("trajectory_parquet", trajectory_parquet),
    ("trajectory_csv", trajectory_csv),
    ("fclib", fclib),
    ("lcp_json", lcp_json),
    ("step_json", step_json),
    ("matrix_market", matrix_market),
    ("planar_state", planar_state),
];

/// Larger scenes are read but not built: a fuzzer is to try many.
const MOST_BODIES: usize = 40;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads, builds and steps once.
fn play(scene: &Scene) {
    if scene.bodies.len() > MOST_BODIES {
        return;
    }
    if let Ok(mut world) = World::from_scene(scene) {
        let _ = world.step();
    }
}

/// A model on its own, as the scene of it: read, built, and one step taken.
fn model(bytes: &[u8], file: &str) {
    let text = text(bytes);
    let files = BTreeMap::from([(file.to_owned(), text.as_bytes().into())]);
    let scene = format!(
        "[step]\nh = 0.01\nuntil = 1\n[[include]]\nfile = \"{file}\"\nany-inertia = true\noverlaps = \"ignore\"\n"
    );
    if let Ok(scene) = Scene::parse_with(&scene, "scene.toml", &[], Files::copies(files)) {
        play(&scene);
    }
}

/// A URDF model.
pub(crate) fn urdf(bytes: &[u8]) {
    model(bytes, "model.urdf");
}

/// An MJCF model.
pub(crate) fn mjcf(bytes: &[u8]) {
    model(bytes, "model.xml");
}

/// A scene file: read, built, and one step taken.
pub(crate) fn scene(bytes: &[u8]) {
    let files = Files::copies(BTreeMap::new());
    if let Ok(scene) = Scene::parse_with(&text(bytes), "scene.toml", &[], files) {
        play(&scene);
    }
}

/// `--set KEY=VALUE` on a small scene.
pub(crate) fn setting(bytes: &[u8]) {
    const SCENE: &str = "[step]\nh = 0.01\nuntil = 0.1\n[[body]]\nname = \"ball\"\nshape = { ball = { radius = 1 } }\nmass = 1\n";
    if let Some(given) = Override::from_option(&text(bytes)) {
        let files = Files::copies(BTreeMap::new());
        if let Ok(scene) = Scene::parse_with(SCENE, "scene.toml", &[given], files) {
            play(&scene);
        }
    }
}

/// A formula, evaluated.
pub(crate) fn expression(bytes: &[u8]) {
    if let Ok(formula) = Expression::parse(&text(bytes)) {
        let _ = formula.number(&Scope::default());
        let _ = formula.bind(&Scope::default().with_time());
    }
}

/// A mesh as STL, binary or text.
pub(crate) fn stl(bytes: &[u8]) {
    let _ = geometry::mesh::stl::read(bytes, 1.0);
}

/// A mesh as OBJ.
pub(crate) fn obj(bytes: &[u8]) {
    let _ = geometry::mesh::obj::read(bytes, 1.0);
}

fn heights(file: &str, bytes: &[u8]) {
    let scene = format!(
        "[step]\nh = 0.01\nuntil = 0.1\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
         shape = {{ height-field = {{ file = \"{file}\", spacing = [0.1, 0.1] }} }}\n"
    );
    let files = Files::copies(BTreeMap::from([(file.to_owned(), bytes.into())]));
    if let Ok(scene) = Scene::parse_with(&scene, "scene.toml", &[], files) {
        play(&scene);
    }
}

/// A height field as a table of numbers.
pub(crate) fn heights_csv(bytes: &[u8]) {
    heights("heights.csv", bytes);
}

/// A height field as a picture.
pub(crate) fn heights_png(bytes: &[u8]) {
    heights("heights.png", bytes);
}

/// Readers that want a file get one.
fn through_file(ending: &str, bytes: &[u8], read: impl Fn(&Path)) {
    let file = tempfile::Builder::new().suffix(ending).tempfile();
    if let Ok(mut file) = file
        && file.write_all(bytes).and_then(|()| file.flush()).is_ok()
    {
        read(file.path());
    }
}

/// A short run with a joint, for the tables beside the one that is given.
const PENDULUM: &str = "[step]\nh = 0.01\nuntil = 0.03\n\
    [[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = { half-space = { normal = [0, 0, 1] } }\n\
    [[body]]\nname = \"bob\"\nshape = { ball = { radius = 0.5 } }\nmass = 1\nposition = [0, 0, 0.5]\n\
    [[joint]]\nname = \"pin\"\ntype = \"hinge\"\nbodies = [\"world\", \"bob\"]\nanchor = [1, 0, 0.5]\naxis = [0, 1, 0]\n";

/// The tables of that run: bodies, contacts, steps, joints.
pub(crate) fn tables() -> Option<[Vec<u8>; 4]> {
    let files = Files::copies(BTreeMap::new());
    let scene = Scene::parse_with(PENDULUM, "pendulum.toml", &[], files).ok()?;
    let mut world = World::from_scene(&scene).ok()?;
    let place = tempfile::tempdir().ok()?;
    let path = place.path().join("run.parquet");
    let (head, until) = (header(&scene, &world), scene.step.until);
    let mut file = ParquetWriter::new(&path);
    simulate(&mut world, &head, until, &mut file, &mut to_the_end).ok()?;
    let [a, b, c, d] = Paths::new(&path)
        .tables
        .map(|table| std::fs::read(table).ok());
    Some([a?, b?, c?, d?])
}

/// A trajectory as Parquet, checked: the first byte says which table it is, the others are good ones.
pub(crate) fn trajectory_parquet(bytes: &[u8]) {
    static GOOD: OnceLock<Option<[Vec<u8>; 4]>> = OnceLock::new();
    let (Some(good), Some((&which, table))) = (GOOD.get_or_init(tables), bytes.split_first())
    else {
        return;
    };
    let Ok(place) = tempfile::tempdir() else {
        return;
    };
    let path = place.path().join("run.parquet");
    for (k, file) in Paths::new(&path).tables.iter().enumerate() {
        let given = usize::from(which) % 4 == k;
        let written = std::fs::write(file, if given { table } else { &good[k] });
        if written.is_err() {
            return;
        }
    }
    let _ = check_file(&path);
}

/// A trajectory as CSV.
pub(crate) fn trajectory_csv(bytes: &[u8]) {
    through_file(".csv", bytes, |path| {
        let _ = csv::read_csv(path).map(Iterator::count);
    });
}

/// A contact problem as FCLIB's HDF5.
pub(crate) fn fclib(bytes: &[u8]) {
    if let Ok(problem) = problems::fclib::read(bytes) {
        let _ = problem.into_local();
    }
}

/// A (mixed) LCP as JSON.
pub(crate) fn lcp_json(bytes: &[u8]) {
    let _ = problems::json::lcp::read(&text(bytes));
}

/// The problem of a step as JSON, or an LCP by its type; a small step is solved.
pub(crate) fn step_json(bytes: &[u8]) {
    if let Ok(problem) = problems::stored::StoredProblem::from_json(&text(bytes))
        && let problems::stored::StoredProblem::Step(file) = &problem
        && file.problem.contacts.len() <= 4
    {
        let _ = problem.solve("newton", 1e-8);
    }
}

/// A matrix or vector as Matrix Market.
pub(crate) fn matrix_market(bytes: &[u8]) {
    let _ = problems::matrix_market::read(&text(bytes));
}

/// A planar state as TOML or JSON, solved.
pub(crate) fn planar_state(bytes: &[u8]) {
    let text = text(bytes);
    for state in [
        planar::State::from_toml(&text),
        planar::State::from_json(&text),
    ] {
        if let Ok(state) = state
            && state.contacts.len() <= 12
        {
            let _ = planar::solve(&state, &planar::Options::default());
        }
    }
}
