//! The whole file is one: whatever is altered in it at random, in a row, a text or a byte, `check` refuses it, or nothing that
//! it prints has changed. And what a file leaves out it must announce.

use parquet::basic::{Compression, Type as Physical, ZstdLevel};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::TypePtr;
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use stickslip::dynamics::check::{Judgement, Report, check, check_file};
use stickslip::dynamics::scene::Override;
use stickslip::dynamics::simulate::{header, simulate, to_the_end};
use stickslip::prelude::*;
use stickslip::record::parquet::Paths;
use stickslip::record::{Every, Frame, Header, ParquetWriter, Recorder, Snapshot, Trajectory};
use stickslip_testing::{Random, setting};

/// A ball that bounces beside a box that slides, and a pendulum.
const SCENE: &str = r#"
[step]
h = 0.01
until = 0.16
[material]
friction = 0.3
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "ball"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [0, 0, 0.15]
velocity = [0, 0, -1]
restitution = 0.5
[[body]]
name = "box"
shape = { box = { size = [0.2, 0.2, 0.2] } }
mass = 2
position = [1, 0, 0.1]
velocity = [0.3, 0, 0]
[[body]]
name = "bob"
shape = { ball = { radius = 0.05 } }
mass = 1
position = [-1, 0, 1]
[[joint]]
type = "hinge"
name = "pivot"
bodies = ["world", "bob"]
anchor = [-1, 0.3, 1]
axis = [1, 0, 0]
"#;

/// The run of that scene, recorded.
fn record(recorder: impl Recorder, every: u64) {
    let given = Override::new("step.accept", "0");
    let scene = Scene::parse(SCENE, "three.toml", &[given]).expect("a scene");
    let mut world = World::from_scene(&scene).expect("a world");
    let head = header(&scene, &world);
    let mut thinned = Every::new(every, recorder);
    let until = scene.step.until;
    let outcome = simulate(&mut world, &head, until, &mut thinned, &mut to_the_end);
    assert!(outcome.expect("a run").certified());
}

/// The values of a column.
#[derive(Clone)]
enum Cells {
    Int(Vec<i64>),
    Real(Vec<f64>),
    Text(Vec<ByteArray>),
    Flag(Vec<bool>),
}

/// One file, as any program could read and write it.
#[derive(Clone)]
struct Table {
    schema: TypePtr,
    names: Vec<String>,
    texts: Vec<KeyValue>,
    columns: Vec<Cells>,
    rows: usize,
}

impl Table {
    fn read(path: &Path) -> Self {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let about = reader.metadata().file_metadata();
        let columns = about.schema_descr().columns().iter();
        let mut table = Self {
            schema: about.schema_descr().root_schema_ptr(),
            names: columns.clone().map(|c| c.name().to_owned()).collect(),
            texts: about.key_value_metadata().cloned().unwrap_or_default(),
            columns: columns
                .map(|c| match c.physical_type() {
                    Physical::INT64 => Cells::Int(Vec::new()),
                    Physical::DOUBLE => Cells::Real(Vec::new()),
                    Physical::BYTE_ARRAY => Cells::Text(Vec::new()),
                    _ => Cells::Flag(Vec::new()),
                })
                .collect(),
            rows: 0,
        };
        for k in 0..reader.num_row_groups() {
            let group = reader.get_row_group(k).unwrap();
            let n = group.metadata().num_rows() as usize;
            table.rows += n;
            for (i, cells) in table.columns.iter_mut().enumerate() {
                match (group.get_column_reader(i).unwrap(), cells) {
                    (ColumnReader::Int64ColumnReader(mut r), Cells::Int(values)) => {
                        r.read_records(n, None, None, values).unwrap();
                    }
                    (ColumnReader::DoubleColumnReader(mut r), Cells::Real(values)) => {
                        r.read_records(n, None, None, values).unwrap();
                    }
                    (ColumnReader::ByteArrayColumnReader(mut r), Cells::Text(values)) => {
                        r.read_records(n, None, None, values).unwrap();
                    }
                    (ColumnReader::BoolColumnReader(mut r), Cells::Flag(values)) => {
                        r.read_records(n, None, None, values).unwrap();
                    }
                    _ => unreachable!("a column is of its type"),
                }
            }
        }
        table
    }

    fn write(&self, path: &Path) {
        let zstd = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
        let properties = WriterProperties::builder()
            .set_compression(zstd)
            .set_key_value_metadata(Some(self.texts.clone()))
            .build();
        let file = File::create(path).unwrap();
        let mut writer =
            SerializedFileWriter::new(file, self.schema.clone(), Arc::new(properties)).unwrap();
        if self.rows > 0 {
            let mut group = writer.next_row_group().unwrap();
            for cells in &self.columns {
                let mut column = group.next_column().unwrap().unwrap();
                match cells {
                    Cells::Int(v) => column.typed::<Int64Type>().write_batch(v, None, None),
                    Cells::Real(v) => column.typed::<DoubleType>().write_batch(v, None, None),
                    Cells::Text(v) => column.typed::<ByteArrayType>().write_batch(v, None, None),
                    Cells::Flag(v) => column.typed::<BoolType>().write_batch(v, None, None),
                }
                .unwrap();
                column.close().unwrap();
            }
            group.close().unwrap();
        }
        writer.close().unwrap();
    }

    /// Rows in this order.
    fn take(&mut self, order: &[usize]) {
        fn pick<T: Clone>(values: &mut Vec<T>, order: &[usize]) {
            *values = order.iter().map(|&k| values[k].clone()).collect();
        }
        for cells in &mut self.columns {
            match cells {
                Cells::Int(values) => pick(values, order),
                Cells::Real(values) => pick(values, order),
                Cells::Text(values) => pick(values, order),
                Cells::Flag(values) => pick(values, order),
            }
        }
        self.rows = order.len();
    }

    /// One cell; what was altered.
    fn alter_cell(&mut self, random: &mut Random) -> String {
        let (k, row) = (random.below(self.columns.len()), random.below(self.rows));
        match &mut self.columns[k] {
            Cells::Int(values) => values[row] ^= 1 << random.below(8),
            Cells::Real(values) => {
                values[row] = f64::from_bits(values[row].to_bits() ^ (1 << random.below(64)));
            }
            Cells::Text(values) => {
                let mut text = values[row].data().to_vec();
                match random.below(3) {
                    0 => text.push(b'x'),
                    1 if !text.is_empty() => _ = text.pop(),
                    _ => {
                        let other = values[random.below(values.len())].data();
                        let same = other == text.as_slice();
                        text = if same { b"y".to_vec() } else { other.to_vec() };
                    }
                }
                values[row] = ByteArray::from(text);
            }
            Cells::Flag(values) => values[row] = !values[row],
        }
        format!("row {row} of {}", self.names[k])
    }

    /// A row goes, comes twice, or changes its place with the next.
    fn alter_rows(&mut self, random: &mut Random) -> String {
        let row = random.below(self.rows);
        let mut order: Vec<usize> = (0..self.rows).collect();
        match random.below(3) {
            0 => _ = order.remove(row),
            1 => order.insert(row, row),
            _ => order.swap(row, (row + 1) % self.rows),
        }
        self.take(&order);
        format!("the order of rows at {row}")
    }
}

/// One letter of a text is another, is missing or is there twice.
fn alter_text(text: &str, random: &mut Random) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return "x".into();
    }
    let at = random.below(letters.len());
    let mut altered = letters.clone();
    match random.below(3) {
        0 => altered[at] = char::from(32 + random.below(95) as u8),
        1 => _ = altered.remove(at),
        _ => altered.insert(at, letters[at]),
    }
    altered.into_iter().collect()
}

/// One of the values in JSON is another.
fn alter_json(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let k = random.below(fields.len());
            if let Some((_, field)) = fields.iter_mut().nth(k) {
                alter_json(field, random);
            }
        }
        Value::Array(items) if !items.is_empty() && random.below(2) == 0 => {
            let k = random.below(items.len());
            alter_json(&mut items[k], random);
        }
        Value::Array(items) => match items.pop() {
            Some(_) => {}
            None => items.push("x=1".into()),
        },
        Value::String(text) => *text = alter_text(text, random),
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let x = number.as_f64().unwrap_or(0.0);
            let whole = number.as_u64();
            *value = match whole {
                Some(n) => (n ^ (1 << random.below(5))).into(),
                None => (x * if random.below(2) == 0 {
                    1.0 + 1e-12
                } else {
                    2.0
                })
                .into(),
            };
        }
        _ => *value = "x".into(),
    }
}

/// Alters one thing in the tables and says what.
fn alter(tables: &mut [Table], random: &mut Random) -> String {
    let k = random.below(tables.len());
    match random.below(5) {
        0 | 1 => format!("table {k}, {}", tables[k].alter_cell(random)),
        2 => format!("table {k}, {}", tables[k].alter_rows(random)),
        3 => {
            let pair = random.below(tables[k].texts.len());
            let text = tables[k].texts[pair].value.clone().unwrap_or_default();
            let altered = alter_text(&text, random);
            let key = tables[k].texts[pair].key.clone();
            // In this table alone, or in all: units and names of tables are each one's own.
            let alone = random.below(2) == 0;
            for (j, table) in tables.iter_mut().enumerate() {
                if j == k || !alone {
                    let pairs = table.texts.iter_mut().filter(|p| p.key == key);
                    pairs.for_each(|p| p.value = Some(altered.clone()));
                }
            }
            format!("table {k}, text {key}, alone: {alone}")
        }
        _ => {
            let key = ["stickslip.header", "stickslip.summary"][random.below(2)];
            let find = |table: &Table| {
                let pair = table.texts.iter().find(|p| p.key == key);
                pair.and_then(|p| p.value.clone()).unwrap_or_default()
            };
            let mut value: Value = serde_json::from_str(&find(&tables[0])).expect("JSON");
            alter_json(&mut value, random);
            for table in tables.iter_mut() {
                let pairs = table.texts.iter_mut().filter(|p| p.key == key);
                pairs.for_each(|p| p.value = Some(value.to_string()));
            }
            format!("{key}: {value}")
        }
    }
}

/// What `check` prints is made of these.
fn printed(answer: &(Header, Report)) -> String {
    let (h, report) = answer;
    let header = (&h.method, h.h, h.cone, h.tolerance, h.accept, &h.version);
    format!("{header:?} {report:?}")
}

#[test]
fn what_is_altered_is_refused_or_nothing_printed_changes() {
    let count = setting("STICKSLIP_ALTER", 600);
    let mut random = Random::new(20_261_117);
    let (mut unreadable, mut invalid, mut same) = (0, 0, 0);
    for every in [1, 3] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run.parquet");
        record(ParquetWriter::new(&path), every);
        let honest = check_file(&path).unwrap();
        assert!(honest.1.valid(), "{:?}", honest.1.findings);
        let paths = Paths::new(&path).tables;
        let bytes: Vec<Vec<u8>> = paths.iter().map(|p| std::fs::read(p).unwrap()).collect();
        let tables: Vec<Table> = paths.iter().map(|p| Table::read(p)).collect();
        assert!(tables.iter().all(|t| t.rows > 0));
        // Another program's copy of the tables is as good as ours.
        tables.iter().zip(&paths).for_each(|(t, p)| t.write(p));
        assert_eq!(printed(&check_file(&path).unwrap()), printed(&honest));
        for round in 0..count / 2 {
            let what = if round % 4 == 0 {
                let k = random.below(4);
                let mut bad = bytes[k].clone();
                // Every other one in the footer, where texts and structure are.
                let tail = if round % 8 == 0 { bad.len() } else { 6000 };
                let at = bad.len() - 1 - random.below(tail.min(bad.len()));
                bad[at] ^= 1 << random.below(8);
                for (file, path) in bytes.iter().zip(&paths) {
                    std::fs::write(path, file).unwrap();
                }
                std::fs::write(&paths[k], bad).unwrap();
                format!("byte {at} of file {k}")
            } else {
                let mut altered = tables.clone();
                let what = alter(&mut altered, &mut random);
                altered.iter().zip(&paths).for_each(|(t, p)| t.write(p));
                what
            };
            match check_file(&path) {
                Err(_) => unreadable += 1,
                Ok((_, report)) if !report.valid() => invalid += 1,
                Ok(answer) => {
                    assert_eq!(printed(&answer), printed(&honest), "every {every}: {what}");
                    same += 1;
                }
            }
        }
    }
    eprintln!("{unreadable} unreadable, {invalid} not valid, {same} with the same words");
    assert!(invalid > count / 10 && same < count / 4);
}

/// A run in memory, with something done to it, written anew with all that is derived.
fn forged(every: u64, change: impl FnOnce(&mut Trajectory)) -> Report {
    let mut run = Trajectory::new();
    record(&mut run, every);
    change(&mut run);
    if let Some(summary) = &run.summary
        && run.header.every == 1
    {
        let hash = run.state_hash();
        let summary = stickslip::record::Summary {
            hash,
            ..summary.clone()
        };
        run.summary = Some(summary);
    }
    let in_memory = check(&run).expect("a scene");
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("forged.parquet");
    run.replay(&mut ParquetWriter::new(&path)).expect("written");
    let report = check_file(&path).expect("a trajectory").1;
    assert_eq!(in_memory.findings, report.findings);
    report
}

/// Takes frames `k` to `k + n − 1` out, and gives the next one its start.
fn cut(run: &mut Trajectory, k: usize, n: usize) {
    let end = run.frames[k + n - 1].step.clone();
    run.frames.drain(k..k + n);
    run.frames[k].start = Some(Snapshot {
        t: end.t,
        bodies: end.bodies,
    });
}

#[test]
fn a_hole_must_be_announced() {
    let says = |report: &Report, words: &str| {
        let found = report.findings.iter().any(|f| f.what.contains(words));
        assert!(found, "{words}: {:?}", report.findings);
        assert_eq!(report.judgement(), Judgement::NotValid);
    };
    assert_eq!(forged(1, |_| {}).judgement(), Judgement::Valid);
    let whole = forged(1, |_| {});
    assert_eq!((whole.judged(), whole.absent), (16, 0));
    for n in [1, 2, 5] {
        says(
            &forged(1, |run| cut(run, 6, n)),
            "missing, though the header",
        );
    }
    // Announced as another thinning than it is.
    says(
        &forged(1, |run| run.header.every = 2),
        "neither one in 2 nor the last",
    );
    says(
        &forged(2, |run| run.header.every = 1),
        "missing, though the header",
    );
    says(
        &forged(2, |run| run.header.every = 3),
        "neither one in 3 nor the last",
    );
    says(&forged(2, |run| cut(run, 3, 1)), "beyond the one in 2");
    let thinned = forged(2, |_| {});
    assert_eq!(
        (thinned.judged() + unjudged(&thinned), thinned.absent),
        (8, 8)
    );
    // The end of a run is where it says, and where its scene says.
    says(
        &forged(1, |run| _ = run.frames.pop()),
        "not the one the run ended with",
    );
    let shortened = |run: &mut Trajectory| {
        run.frames.truncate(10);
        let last: &Frame = run.frames.last().unwrap();
        let (steps, t) = (last.step.step, last.step.t);
        let summary = run.summary.as_mut().unwrap();
        (summary.steps, summary.t) = (steps, t);
    };
    says(&forged(1, shortened), "says that it came to its end");
}

fn unjudged(report: &Report) -> u64 {
    report.unjudged.iter().map(|(_, count)| count).sum()
}

/// Where steps are left out nobody can see what was compressed: such a step is not judged, and the file is not called valid for it.
#[test]
fn what_a_thinned_file_gives_back_is_not_judged() {
    let mut whole = Trajectory::new();
    record(&mut whole, 1);
    let gives = |frame: &Frame| frame.step.contacts.iter().any(|c| c.restituted > 0.0);
    let bounce = whole.frames.iter().position(gives).expect("a bounce");
    let thinned = forged(bounce as u64, |_| {});
    assert_eq!(thinned.judgement(), Judgement::NotJudged);
    assert_eq!(unjudged(&thinned), 1);
    // A run without steps is nothing to be judged.
    let nothing = forged(1, |run| {
        run.frames.truncate(1);
        run.summary = None;
    });
    assert_eq!(
        (nothing.judgement(), nothing.judged()),
        (Judgement::NotJudged, 0)
    );
}

#[test]
fn what_the_header_claims_is_compared_with_the_scene() {
    let not_valid = |change: fn(&mut Header)| {
        let report = forged(1, |run| change(&mut run.header));
        assert_eq!(report.judgement(), Judgement::NotValid);
    };
    not_valid(|h| h.until = 0.2);
    not_valid(|h| h.solver = "lemke".into());
    not_valid(|h| h.tolerance = 1e6);
    not_valid(|h| h.accept = 1e6);
    not_valid(|h| h.joints[0].push('x'));
    // What is no override or no copy of a file is not passed over in silence.
    let refused = |change: fn(&mut Header)| {
        let mut run = Trajectory::new();
        record(&mut run, 1);
        change(&mut run.header);
        check(&run).expect_err("refused").to_string()
    };
    let message = refused(|h| h.overrides.push("step.h 0.02".into()));
    assert!(message.contains("no KEY=VALUE"), "{message}");
    let message = refused(|h| h.files.push(("part.stl".into(), "a".into())));
    assert!(message.contains("copy of `part.stl`"), "{message}");
    // The order of contacts is part of the record.
    let report = forged(1, |run| {
        let frame = run.frames.iter_mut().find(|f| f.step.contacts.len() > 1);
        frame.expect("two contacts").step.contacts.swap(0, 1);
    });
    assert_eq!(report.judgement(), Judgement::NotValid);
}
