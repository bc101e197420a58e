//! CSV: the bodies for people and plots, the forces of contacts and joints beside them when asked.
//!
//! Numbers are the shortest decimals that read back as the same f64. Names are quoted by RFC 4180
//! where they need it. Rows reach the file in whole steps, at least once a second.

mod read;
mod rows;

pub use read::read_csv;

use crate::error::RecordError;
use crate::files::{Lock, check_plain};
use crate::header::{Header, Summary};
use crate::parquet::check_joints;
use crate::recorder::{Recorder, Start, check_step, state_numbers};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{ContactImpulse, StepRecord};

/// Rows are written when this much has gathered, or after [`FLUSH_TIME`].
const FLUSH_BYTES: usize = 1 << 18;
/// See [`FLUSH_BYTES`].
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// First line of the bodies' CSV.
pub const BODY_COLUMNS: &str = "t,body,x,y,z,qs,qx,qy,qz,vx,vy,vz,wx,wy,wz";
/// First line of the contacts' CSV.
pub const CONTACT_COLUMNS: &str = "t,body_a,body_b,feature,x,y,z,nx,ny,nz,gap,fx,fy,fz,mode";
/// First line of the joints' CSV.
pub const JOINT_COLUMNS: &str = "t,joint,x,y,z,rx,ry,rz,fx,fy,fz,tx,ty,tz";

/// Writes `run.csv` and, when asked, `run.contacts.csv` and `run.joints.csv` beside it.
#[derive(Debug)]
pub struct CsvWriter {
    bodies: Table,
    contacts: Option<Table>,
    joints: Option<Table>,
    /// Names of the bodies, quoted where needed.
    quoted: Vec<String>,
    names: Vec<String>,
    joint_names: Vec<String>,
    /// The step that was asked for, s.
    h: f64,
    last: Option<(u64, f64)>,
    /// Held from `start` to `finish`.
    lock: Option<Lock>,
}

#[derive(Debug)]
struct Table {
    path: PathBuf,
    file: Option<File>,
    rows: String,
    /// Bytes of the file that are whole steps.
    whole: u64,
    flushed: Instant,
}

impl CsvWriter {
    /// Bodies go to `path`; nothing is written before the run starts.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            bodies: Table::new(path.into()),
            contacts: None,
            joints: None,
            quoted: Vec::new(),
            names: Vec::new(),
            joint_names: Vec::new(),
            h: 0.0,
            last: None,
            lock: None,
        }
    }

    /// Contacts with their forces go beside the bodies: `run.contacts.csv` for `run.csv`.
    #[must_use]
    pub fn with_contacts(mut self) -> Self {
        self.contacts = Some(Table::new(contacts_path(&self.bodies.path)));
        self
    }

    /// Joints and springs with their forces go beside the bodies: `run.joints.csv` for `run.csv`.
    #[must_use]
    pub fn with_joints(mut self) -> Self {
        let path = joints_path(&self.bodies.path);
        self.joints = Some(Table::new(path));
        self
    }

    fn write_step(&mut self, h: f64, step: &StepRecord) -> Result<(), RecordError> {
        // No time passes in an impact: its forces are means over the step that was asked for.
        let h = if h > 0.0 { h } else { self.h };
        for (name, state) in self.quoted.iter().zip(&step.bodies) {
            let rows = &mut self.bodies.rows;
            // Writing to a String cannot fail.
            let _ = write!(rows, "{:?},{name}", step.t);
            for x in state_numbers(state) {
                let _ = write!(rows, ",{x:?}");
            }
            rows.push('\n');
        }
        self.bodies.flush(false)?;
        if let Some(table) = &mut self.contacts {
            let h = if step.h > 0.0 { step.h } else { h };
            for contact in &step.contacts {
                write_contact(&mut table.rows, &self.quoted, step.t, h, contact);
            }
            table.flush(false)?;
        }
        if let Some(table) = &mut self.joints {
            for (name, done) in self.joint_names.iter().zip(&step.joints) {
                let (f, torque) = (done.linear / h, done.angular / h);
                let loads = f.to_array().into_iter().chain(torque.to_array());
                let _ = write!(table.rows, "{:?},{}", step.t, quoted(name));
                for x in done.coordinates.into_iter().chain(loads) {
                    let _ = write!(table.rows, ",{x:?}");
                }
                table.rows.push('\n');
            }
            table.flush(false)?;
        }
        self.last = Some((step.step, step.t));
        Ok(())
    }
}

impl Recorder for CsvWriter {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        header.validate()?;
        check_step(&header.bodies, initial)?;
        self.lock = None;
        let lock = Lock::take(&self.bodies.path)?;
        self.names.clone_from(&header.bodies);
        self.quoted = header.bodies.iter().map(|name| quoted(name)).collect();
        self.bodies.create(BODY_COLUMNS)?;
        if let Some(table) = &mut self.contacts {
            table.create(CONTACT_COLUMNS)?;
        }
        self.joint_names.clone_from(&header.joints);
        if let Some(table) = &mut self.joints {
            table.create(JOINT_COLUMNS)?;
        }
        self.lock = Some(lock);
        self.h = header.h;
        self.write_step(header.h, initial)
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        let (last, t) = self.last.ok_or(RecordError::Order("record before start"))?;
        let after = |t: f64| step.t > t || (step.kind.is_impact() && step.t == t);
        if step.step <= last || !after(t) || !after(before.t) {
            return Err(RecordError::Inconsistent {
                step: step.step,
                reason: format!("ends at {} s, after step {last} at {t} s", step.t),
            });
        }
        check_step(&self.names, step)?;
        check_joints(&self.joint_names, step)?;
        self.write_step(step.t - before.t, step)
    }

    fn finish(&mut self, _: &Summary) -> Result<(), RecordError> {
        let contacts = self.contacts.as_mut().map_or(Ok(()), |t| t.flush(true));
        let joints = self.joints.as_mut().map_or(Ok(()), |t| t.flush(true));
        let result = self.bodies.flush(true).and(contacts).and(joints);
        self.lock = None;
        result
    }
}

impl Drop for CsvWriter {
    fn drop(&mut self) {
        // A run that was not finished keeps its last rows if the disk allows; there is nobody to tell.
        let others = [self.contacts.as_mut(), self.joints.as_mut()];
        for table in others.into_iter().chain([Some(&mut self.bodies)]) {
            let _ = table.map(|t| t.flush(true));
        }
    }
}

impl Table {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            rows: String::new(),
            whole: 0,
            flushed: Instant::now(),
        }
    }

    fn create(&mut self, columns: &str) -> Result<(), RecordError> {
        let file = check_plain(&self.path).and_then(|()| File::create(&self.path));
        self.file = Some(file.map_err(RecordError::io(&self.path))?);
        self.whole = 0;
        self.rows.clear();
        self.rows.push_str(columns);
        self.rows.push('\n');
        self.flushed = Instant::now();
        Ok(())
    }

    fn flush(&mut self, now: bool) -> Result<(), RecordError> {
        let due = self.rows.len() >= FLUSH_BYTES || self.flushed.elapsed() >= FLUSH_TIME;
        if let Some(file) = self.file.as_mut().filter(|_| now || due) {
            file.write_all(self.rows.as_bytes()).map_err(|error| {
                // What was written of a step goes again: the file holds whole steps, and these rows can be tried once more.
                let _ = file.set_len(self.whole);
                let _ = file.seek(SeekFrom::Start(self.whole));
                RecordError::io(&self.path)(error)
            })?;
            self.whole += self.rows.len() as u64;
            self.rows.clear();
            self.flushed = Instant::now();
        }
        Ok(())
    }
}

/// One row of the contacts' table: the mean force on body b over a step of length `h`.
fn write_contact(rows: &mut String, names: &[String], t: f64, h: f64, ci: &ContactImpulse) {
    let c = &ci.contact;
    let [n, t1, t2] = contact_frame(c.normal);
    let force = (n * ci.impulse.x + t1 * ci.impulse.y + t2 * ci.impulse.z) / h;
    let [a, b] = c.bodies.map(|i| names[i].as_str());
    let _ = write!(rows, "{t:?},{a},{b},{}", c.feature.0);
    for v in [c.point, c.normal] {
        let _ = write!(rows, ",{:?},{:?},{:?}", v.x, v.y, v.z);
    }
    let (f, mode) = (force, ci.mode.name());
    let _ = writeln!(rows, ",{:?},{:?},{:?},{:?},{mode}", c.gap, f.x, f.y, f.z);
}

/// `run.contacts.csv` for `run.csv`.
#[must_use]
pub fn contacts_path(path: &Path) -> PathBuf {
    path.with_extension("contacts.csv")
}

/// `run.joints.csv` for `run.csv`.
#[must_use]
pub fn joints_path(path: &Path) -> PathBuf {
    path.with_extension("joints.csv")
}

/// A field as RFC 4180 wants it: in quotes if it has a comma, a quote or a line break.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{STATE, Tee};
    use crate::states::{Snapshot, States};
    use crate::testing;
    use crate::trajectory::{Trajectory, same_start};
    use glam::DVec3;
    use stickslip_geometry::Feature;
    use stickslip_model::{Contact, Friction, Mode};

    #[test]
    fn the_columns_are_the_contract() {
        assert_eq!(BODY_COLUMNS, format!("t,body,{}", STATE.join(",")));
    }

    #[test]
    fn only_names_that_need_quotes_get_them() {
        assert_eq!(quoted("box[0]"), "box[0]");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn the_contact_table_lies_beside_the_bodies() {
        let path = contacts_path(Path::new("out/run.csv"));
        assert_eq!(path, Path::new("out/run.contacts.csv"));
    }

    #[test]
    fn every_number_and_name_comes_back_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let names = ["a,b", "box[0]", "say \"hi\"", "two\r\nlines", "µ"];
        let mut run = Trajectory::new();
        let csv = CsvWriter::new(&path).with_contacts();
        testing::run(&names, 30, &mut Tee::new().with(csv).with(&mut run));
        let back = States::open(&path).unwrap();
        assert_eq!(back.names, names);
        let back: Vec<Snapshot> = back.collect::<Result<_, _>>().unwrap();
        assert_eq!(back.len(), run.frames.len());
        for (snapshot, frame) in back.iter().zip(&run.frames) {
            let before = Start {
                t: snapshot.t,
                bodies: &snapshot.bodies,
            };
            assert!(same_start(before, frame.step.t, &frame.step.bodies));
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("t,body,x,y,z,qs,qx,qy,qz,vx,vy,vz,wx,wy,wz\n0.0,\"a,b\","));

        // One row of the contacts by hand: the force on body b in the world, in newtons.
        let contacts = std::fs::read_to_string(contacts_path(&path)).unwrap();
        let rows: usize = run.frames.iter().map(|f| f.step.contacts.len()).sum();
        assert_eq!(
            contacts.matches(",open\n").count()
                + contacts.matches(",stick\n").count()
                + contacts.matches(",slide\n").count(),
            rows
        );
        let level = ContactImpulse {
            contact: Contact {
                bodies: [1, 4],
                pieces: [0, 0],
                feature: Feature(7),
                point: DVec3::new(1.0, 2.0, 0.0),
                normal: DVec3::Z,
                gap: -1e-12,
                friction: Friction::default(),
            },
            impulse: DVec3::new(0.5, 0.25, -0.125),
            moment: DVec3::ZERO,
            restituted: 0.0,
            directions: 0,
            mode: Mode::Stick,
        };
        let mut row = String::new();
        let quoted: Vec<String> = names.iter().map(|n| quoted(n)).collect();
        write_contact(&mut row, &quoted, 0.5, 0.25, &level);
        assert_eq!(
            row,
            "0.5,box[0],µ,7,1.0,2.0,0.0,0.0,0.0,1.0,-1e-12,1.0,-0.5,2.0,stick\n"
        );
    }
}
