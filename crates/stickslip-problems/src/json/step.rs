//! The problem of a step in JSON: bodies and blocks of any law, with their names; read and written.
//!
//! The one format that holds every step: joints, limits, motors, springs and restitution beside cones or pyramids.
//! `docs/solvers.md` describes it key by key. Numbers are written in the fewest digits that come back to the same bits; a
//! bound that is not there is `null`, since JSON has no infinity.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use stickslip_solvers::problem::{
    Action, Arm, Arms, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};

/// The problem of a step, what its bodies and blocks are called, and impulses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepFile {
    /// What it is, in a few words.
    pub name: String,
    /// Where it comes from.
    pub note: String,
    /// The problem.
    pub problem: ContactProblem,
    /// A name for each body, or nothing.
    pub bodies: Vec<String>,
    /// A name for each block, or nothing.
    pub blocks: Vec<String>,
    /// Impulses of the run: those that solve it, or those that a refused step was started from; or nothing.
    pub impulses: Vec<DVec3>,
}

/// The word under `type`.
pub const TYPE: &str = "step";

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BodyEntry {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// 1/m, 1/kg.
    inverse_mass: f64,
    /// I⁻¹ row by row, 1/(kg m²).
    inverse_inertia: [[f64; 3]; 3],
    /// v and ω without impulses, m/s and rad/s.
    linear: [f64; 3],
    angular: [f64; 3],
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BlockEntry {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    law: LawEntry,
    /// The directions n, t₁, t₂.
    frame: [[f64; 3]; 3],
    arms: Vec<ArmEntry>,
    b: [f64; 3],
    #[serde(default, skip_serializing_if = "is_zero")]
    compliance: [f64; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    impulse: Option<[f64; 3]>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ArmEntry {
    body: usize,
    sign: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lever: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "is_force")]
    by: By,
    /// The wrench of the unit impulse along the first direction, by "row": force and torque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wrench: Option<[[f64; 3]; 2]>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    #[default]
    Force,
    Torque,
    Row,
}

/// A bound of each row; `null` where there is none.
type Bounds = [Option<f64>; 3];

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum LawEntry {
    Unilateral,
    Cone {
        mu: f64,
    },
    Pyramid {
        mu: f64,
        directions: usize,
    },
    Bounded {
        lo: Bounds,
        hi: Bounds,
    },
    Disc {
        radius: f64,
        directions: Option<usize>,
    },
    Soft {
        mu: f64,
    },
    Moments {
        of: usize,
        spin: bool,
        roll: f64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    note: String,
    bodies: Vec<BodyEntry>,
    blocks: Vec<BlockEntry>,
}

fn is_zero(v: &[f64; 3]) -> bool {
    v.iter().all(|x| x.to_bits() == 0)
}

fn is_force(by: &By) -> bool {
    *by == By::Force
}

/// Reads a file's text.
///
/// # Errors
/// One sentence with the place: line and column where the text is no JSON of this form, body or block (with its name) where
/// its numbers are no problem.
pub fn read(text: &str) -> Result<StepFile, String> {
    let file: FileEntry = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if file.kind != TYPE {
        return Err(format!("type \"{}\"; expected \"{TYPE}\"", file.kind));
    }
    let mut out = StepFile {
        name: file.name,
        note: file.note,
        ..StepFile::default()
    };
    let n_b = file.bodies.len();
    for (i, body) in file.bodies.into_iter().enumerate() {
        let what = place("bodies", i, &body.name);
        let inertia = DMat3::from_cols_array_2d(&body.inverse_inertia).transpose();
        if !is_inverse_mass(body.inverse_mass, &inertia) {
            return Err(format!(
                "{what}: inverse_mass must be >= 0 and inverse_inertia symmetric without negative eigenvalues"
            ));
        }
        out.problem.inverse_mass.push(InverseMass {
            mass: body.inverse_mass,
            inertia,
        });
        out.problem.nu_free.push(Twist {
            linear: body.linear.into(),
            angular: body.angular.into(),
        });
        out.bodies.push(body.name);
    }
    let mut impulses = Vec::new();
    for (i, block) in file.blocks.into_iter().enumerate() {
        let what = place("blocks", i, &block.name);
        let at = |e: String| format!("{what}: {e}");
        let contact = block.contact(n_b).map_err(at)?;
        contact.validate(n_b).map_err(at)?;
        out.problem.contacts.push(contact);
        impulses.extend(block.impulse.map(DVec3::from_array));
        out.blocks.push(block.name);
    }
    let n = out.problem.contacts.len();
    if !impulses.is_empty() && impulses.len() != n {
        let told = impulses.len();
        return Err(format!(
            "{told} of {n} blocks have an impulse; expected all or none"
        ));
    }
    out.impulses = impulses;
    out.problem.validate()?;
    Ok(out)
}

/// Where in the file, for people.
fn place(list: &str, i: usize, name: &str) -> String {
    if name.is_empty() {
        format!("{list}[{i}]")
    } else {
        format!("{list}[{i}] ({name})")
    }
}

/// 1/m ≥ 0, I⁻¹ symmetric and positive semidefinite, all to rounding.
fn is_inverse_mass(mass: f64, inertia: &DMat3) -> bool {
    const INERTIA_ROUNDING: f64 = 1e-9;
    let entries = inertia.to_cols_array();
    if !(mass >= 0.0 && mass.is_finite() && inertia.is_finite()) {
        return false;
    }
    let size = entries.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if size == 0.0 {
        return true;
    }
    let a = *inertia * (1.0 / size);
    let e = |i: usize, j: usize| a.col(j)[i];
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let symmetric = pairs
        .iter()
        .all(|&(i, j)| (e(i, j) - e(j, i)).abs() <= INERTIA_ROUNDING);
    let minor = |&(i, j): &(usize, usize)| e(i, i) * e(j, j) - e(i, j) * e(j, i);
    symmetric
        && (0..3).all(|i| e(i, i) >= -INERTIA_ROUNDING)
        && pairs.iter().all(|p| minor(p) >= -INERTIA_ROUNDING)
        && a.determinant() >= -INERTIA_ROUNDING
}

impl BlockEntry {
    fn contact(&self, n_b: usize) -> Result<ContactBlock, String> {
        let rows = self.arms.iter().any(|arm| arm.by == By::Row);
        if self.arms.len() > 2 && !rows {
            let n = self.arms.len();
            return Err(format!("{n} arms; a block entry on two bodies at most"));
        }
        if self.arms.len() > Arms::MOST {
            let n = self.arms.len();
            return Err(format!("{n} arms; a row on four bodies at most"));
        }
        let mut arms = [None; Arms::MOST];
        for (k, arm) in self.arms.iter().enumerate() {
            if arm.body >= n_b {
                return Err(format!(
                    "arms[{k}]: body {} of {n_b} does not exist",
                    arm.body
                ));
            }
            if arm.sign.abs() != 1.0 {
                return Err(format!("arms[{k}]: sign {}; expected 1 or -1", arm.sign));
            }
            let (action, lever) = match (arm.by, arm.lever) {
                (By::Force, None) => return Err(format!("arms[{k}]: a force needs its lever")),
                (By::Force, Some(lever)) => (Action::Force, lever),
                (By::Torque, lever) => (Action::Torque, lever.unwrap_or_default()),
                (By::Row, lever) => {
                    let [force, torque] =
                        (arm.wrench).ok_or_else(|| format!("arms[{k}]: a row needs its wrench"))?;
                    let (force, torque) = (force.into(), torque.into());
                    (Action::Row { force, torque }, lever.unwrap_or_default())
                }
            };
            arms[k] = Some(Arm {
                body: arm.body,
                lever: lever.into(),
                sign: arm.sign,
                action,
            });
        }
        Ok(ContactBlock {
            frame: self.frame.map(DVec3::from_array),
            arms: Arms::four(arms),
            b: self.b.into(),
            compliance: self.compliance.into(),
            law: self.law.law(),
        })
    }
}

impl LawEntry {
    fn law(&self) -> Law {
        let bounds = |b: Bounds, none: f64| DVec3::from_array(b.map(|x| x.unwrap_or(none)));
        match *self {
            Self::Unilateral => Law::Unilateral,
            Self::Cone { mu } => Law::Cone { mu },
            Self::Pyramid { mu, directions } => Law::Pyramid { mu, directions },
            Self::Bounded { lo, hi } => Law::Bounded {
                lo: bounds(lo, f64::NEG_INFINITY),
                hi: bounds(hi, f64::INFINITY),
            },
            Self::Disc { radius, directions } => Law::Disc { radius, directions },
            Self::Soft { mu } => Law::Soft { mu },
            Self::Moments { of, spin, roll } => Law::Moments { of, spin, roll },
        }
    }

    fn of(law: &Law) -> Self {
        let bounds = |b: DVec3| b.to_array().map(|x| x.is_finite().then_some(x));
        match *law {
            Law::Unilateral => Self::Unilateral,
            Law::Cone { mu } => Self::Cone { mu },
            Law::Pyramid { mu, directions } => Self::Pyramid { mu, directions },
            Law::Bounded { lo, hi } => Self::Bounded {
                lo: bounds(lo),
                hi: bounds(hi),
            },
            Law::Disc { radius, directions } => Self::Disc { radius, directions },
            Law::Soft { mu } => Self::Soft { mu },
            Law::Moments { of, spin, roll } => Self::Moments { of, spin, roll },
        }
    }
}

impl StepFile {
    /// What a block is called.
    #[must_use]
    pub fn block_name(&self, i: usize) -> String {
        match self.blocks.get(i) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("block {i}"),
        }
    }

    /// The text of the file, a line for each body and block.
    ///
    /// # Errors
    /// One sentence where the problem is not well posed: JSON holds finite numbers only.
    pub fn write(&self) -> Result<String, String> {
        self.problem.validate()?;
        if let Some(i) = self.impulses.iter().position(|p| !p.is_finite()) {
            return Err(format!("the impulse of block {i} is not finite"));
        }
        let line = |v: serde_json::Result<String>| v.map_err(|e| e.to_string());
        let name_of = |names: &[String], i: usize| names.get(i).cloned().unwrap_or_default();
        let ContactProblem {
            inverse_mass,
            nu_free,
            contacts,
            floors: _,
        } = &self.problem;
        let mut bodies = Vec::new();
        for (i, (mass, nu)) in inverse_mass.iter().zip(nu_free).enumerate() {
            bodies.push(line(serde_json::to_string(&BodyEntry {
                name: name_of(&self.bodies, i),
                inverse_mass: mass.mass,
                inverse_inertia: mass.inertia.transpose().to_cols_array_2d(),
                linear: nu.linear.into(),
                angular: nu.angular.into(),
            }))?);
        }
        let mut blocks = Vec::new();
        for (i, contact) in contacts.iter().enumerate() {
            let entry = |arm: &Arm| ArmEntry {
                body: arm.body,
                sign: arm.sign,
                lever: Some(arm.lever.into()),
                by: match arm.action {
                    Action::Force => By::Force,
                    Action::Torque => By::Torque,
                    Action::Row { .. } => By::Row,
                },
                wrench: match arm.action {
                    Action::Row { force, torque } => Some([force.into(), torque.into()]),
                    Action::Force | Action::Torque => None,
                },
            };
            blocks.push(line(serde_json::to_string(&BlockEntry {
                name: name_of(&self.blocks, i),
                law: LawEntry::of(&contact.law),
                frame: contact.frame.map(|d| d.to_array()),
                arms: contact.arms.iter().flatten().map(entry).collect(),
                b: contact.b.into(),
                compliance: contact.compliance.into(),
                impulse: self.impulses.get(i).map(DVec3::to_array),
            }))?);
        }
        let list = |lines: &[String]| {
            let indented = lines.iter().map(|l| format!("\n  {l}"));
            indented.collect::<Vec<_>>().join(",")
        };
        Ok(format!(
            "{{\"type\": \"{TYPE}\",\n\"name\": {},\n\"note\": {},\n\"bodies\": [{}],\n\"blocks\": [{}]}}\n",
            line(serde_json::to_string(&self.name))?,
            line(serde_json::to_string(&self.note))?,
            list(&bodies),
            list(&blocks)
        ))
    }
}
