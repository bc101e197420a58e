//! How the numbers of an MJCF file are meant: `<compiler>`, and orientations in their five forms.

use crate::mjcf::defaults::Look;
use crate::place::Outcome;
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};
use stickslip_geometry::Pose;
use stickslip_geometry::pose::exp;

/// Settings of `<compiler>`.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// rad for each unit of an angle.
    pub(crate) angle: f64,
    /// The axes of Euler angles, lower case where they turn along.
    sequence: [char; 3],
    pub(crate) autolimits: bool,
    pub(crate) mesh_folder: String,
    strip_path: bool,
    /// Is an inertia taken from the shapes although `<inertial>` is there; or never?
    pub(crate) from_geoms: Option<bool>,
    pub(crate) total_mass: Option<f64>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            angle: std::f64::consts::PI / 180.0,
            sequence: ['x', 'y', 'z'],
            autolimits: true,
            mesh_folder: String::new(),
            strip_path: false,
            from_geoms: None,
            total_mass: None,
        }
    }
}

impl Compiler {
    /// Takes the settings of one `<compiler>` over.
    pub(crate) fn read(&mut self, element: &Element) -> Outcome<()> {
        if let Some(angle) = element.get("angle") {
            self.angle = match angle.value.as_str() {
                "degree" => std::f64::consts::PI / 180.0,
                "radian" => 1.0,
                other => {
                    let message = format!("`angle` is `degree` or `radian`, not `{other}`");
                    return Err(angle.error(message));
                }
            };
        }
        if let Some(sequence) = element.get("eulerseq") {
            let letters: Vec<char> = sequence.value.chars().collect();
            let known = |c: &char| "xyzXYZ".contains(*c);
            match <[char; 3]>::try_from(letters) {
                Ok(three) if three.iter().all(known) => self.sequence = three,
                _ => {
                    let message = "`eulerseq` is three of x, y, z, X, Y, Z";
                    return Err(sequence.error(message));
                }
            }
        }
        if let Some(limits) = element.get("autolimits") {
            self.autolimits = limits.flag()?;
        }
        if let Some(strip) = element.get("strippath") {
            self.strip_path = strip.flag()?;
        }
        if let Some(from) = element.get("inertiafromgeom") {
            self.from_geoms = match from.value.as_str() {
                "auto" => None,
                _ => Some(from.flag()?),
            };
        }
        if let Some(total) = element.get("settotalmass") {
            self.total_mass = Some(total.number()?).filter(|m| *m > 0.0);
        }
        let folder = element.get("meshdir").or_else(|| element.get("assetdir"));
        element.know(&["assetdir"]);
        if let Some(folder) = folder {
            self.mesh_folder.clone_from(&folder.value);
        }
        Ok(())
    }

    /// The name of a mesh file beside the model.
    pub(crate) fn mesh_file(&self, file: &str) -> String {
        let file = match (self.strip_path, file.rsplit_once(['/', '\\'])) {
            (true, Some((_, name))) => name,
            _ => file,
        };
        crate::files::join(&self.mesh_folder, file)
    }

    /// The pose of an element: `pos`, and its orientation in whichever form it is given.
    pub(crate) fn pose(&self, element: &Element, look: &Look<'_, '_>) -> Outcome<Pose> {
        let position = match look.get(element, "pos") {
            Some(pos) => pos.vector()?,
            None => DVec3::ZERO,
        };
        Ok(Pose {
            position,
            orientation: self.orientation(element, look)?.unwrap_or_default(),
        })
    }

    /// The orientation of an element, if it gives one.
    pub(crate) fn orientation(
        &self,
        element: &Element,
        look: &Look<'_, '_>,
    ) -> Outcome<Option<DQuat>> {
        let forms = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let mut given = forms.iter().filter_map(|form| look.get(element, form));
        let Some(form) = given.next() else {
            return Ok(None);
        };
        // What the element says itself counts before what its class says.
        if let Some(second) = given.next()
            && element.peek(&second.name).is_some() == element.peek(&form.name).is_some()
        {
            let message = format!("`{}` beside `{}`: give one", second.name, form.name);
            return Err(second.error(message));
        }
        let turn = match form.name.as_str() {
            "quat" => {
                let [s, x, y, z] = form.exactly()?;
                let q = DQuat::from_xyzw(x, y, z, s);
                if q.length() < 1e-12 {
                    return Err(form.error("`quat` must not be zero"));
                }
                q
            }
            "axisangle" => {
                let [x, y, z, angle] = form.exactly()?;
                let Some(axis) = DVec3::new(x, y, z).try_normalize() else {
                    return Err(form.error("the axis of `axisangle` must not be zero"));
                };
                exp(axis * (angle * self.angle))
            }
            "euler" => self.euler(form.vector()?),
            "xyaxes" => {
                let six: [f64; 6] = form.exactly()?;
                let (x, y) = (DVec3::from_slice(&six), DVec3::from_slice(&six[3..]));
                let x = x.try_normalize();
                let y = x.and_then(|x| (y - x * x.dot(y)).try_normalize());
                let (Some(x), Some(y)) = (x, y) else {
                    return Err(form.error("`xyaxes` must be two directions"));
                };
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
            }
            _ => along(form.direction()?),
        };
        let turn = turn / turn.length();
        Ok(Some(turn / turn.length()))
    }

    /// The turn of three Euler angles, in the file's unit.
    pub(crate) fn euler(&self, angles: DVec3) -> DQuat {
        let mut turn = DQuat::IDENTITY;
        for (letter, angle) in self.sequence.iter().zip((angles * self.angle).to_array()) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let one = exp(axis * angle);
            // Lower case: about axes that have turned along.
            turn = if letter.is_ascii_lowercase() {
                turn * one
            } else {
                one * turn
            };
        }
        turn
    }
}

/// The least turn that takes z to a unit vector.
pub(crate) fn along(direction: DVec3) -> DQuat {
    let axis = DVec3::Z.cross(direction);
    let sine = axis.length();
    if sine < 1e-10 {
        return if direction.z > 0.0 {
            DQuat::IDENTITY
        } else {
            DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)
        };
    }
    exp(axis / sine * libm::atan2(sine, direction.z))
}
