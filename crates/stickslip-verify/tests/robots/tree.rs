//! Bodies and joints of a scene in the coordinates of other codes: M = Σ Jᵀ M_b J, with J column by column.

use serde_json::Value;
use std::collections::BTreeMap;
use stickslip::dynamics::scene::{Anchor, Axes, AxisHold, Body, Joint, Mass, Mobility, Scene};
use stickslip::geometry::Pose;
use stickslip::prelude::{DMat3, DVec3};

/// A column of the Jacobian: the motion of each body at a unit rate.
struct Column {
    /// (v of the centre of mass, ω) of each body.
    motion: Vec<(DVec3, DVec3)>,
    armature: f64,
}

pub(crate) struct Tree {
    masses: Vec<(f64, DMat3)>,
    centres: Vec<DVec3>,
    columns: Vec<Column>,
}

fn pose_of(body: &Body) -> Pose {
    Pose {
        position: body.position,
        orientation: body.orientation,
    }
}

impl Tree {
    /// `local`: shifts of free bodies are along their own axes, at their frame's origin.
    pub(crate) fn new(scene: &Scene, dofs: &[Value], local: bool) -> Self {
        let moving: Vec<&Body> = scene
            .bodies
            .iter()
            .filter(|b| b.motion == Mobility::Free)
            .collect();
        let number: BTreeMap<&str, usize> = moving
            .iter()
            .enumerate()
            .map(|(k, b)| (b.name.as_str(), k))
            .collect();
        let masses = moving.iter().map(|body| {
            let Mass::Given { mass, inertia, .. } = body.mass else {
                panic!("a mass");
            };
            (mass, pose_of(body).turned(&inertia))
        });
        let mut tree = Self {
            masses: masses.collect(),
            centres: moving.iter().map(|b| b.position).collect(),
            columns: Vec::new(),
        };
        for dof in dofs {
            let name = dof[1].as_str().expect("a name");
            let column = match dof[0].as_str() {
                Some("joint") => tree.of_joint(scene, &number, name),
                _ => tree.of_base(
                    scene,
                    &number,
                    name,
                    dof[2].as_u64().expect("which") as usize,
                    local,
                ),
            };
            tree.columns.push(column);
        }
        tree
    }

    /// The bodies that hang on this one, itself included.
    fn below(scene: &Scene, number: &BTreeMap<&str, usize>, root: usize) -> Vec<usize> {
        let mut found = vec![root];
        let mut next = 0;
        while next < found.len() {
            for joint in &scene.joints {
                let ends = joint
                    .bodies
                    .each_ref()
                    .map(|b| number.get(b.as_str()).copied());
                if ends[0] == Some(found[next])
                    && let Some(child) = ends[1].filter(|c| !found.contains(c))
                {
                    found.push(child);
                }
            }
            next += 1;
        }
        found
    }

    fn column(&self, bodies: &[usize], point: DVec3, v: DVec3, w: DVec3, armature: f64) -> Column {
        let mut motion = vec![(DVec3::ZERO, DVec3::ZERO); self.masses.len()];
        for &k in bodies {
            motion[k] = (v + w.cross(self.centres[k] - point), w);
        }
        Column { motion, armature }
    }

    /// A shift or a turn of a body that moves freely, about its own frame.
    fn of_base(
        &self,
        scene: &Scene,
        number: &BTreeMap<&str, usize>,
        name: &str,
        k: usize,
        local: bool,
    ) -> Column {
        let frame = scene
            .frames
            .iter()
            .find(|f| f.name == name)
            .expect("a frame");
        let body = number[frame.body.as_str()];
        let on = scene
            .bodies
            .iter()
            .find(|b| b.name == frame.body)
            .expect("a body");
        let pose = pose_of(on).then(&frame.pose);
        let bodies = Self::below(scene, number, body);
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][k % 3];
        let turned = pose.orientation * axis;
        if k >= 3 {
            return self.column(&bodies, pose.position, DVec3::ZERO, turned, 0.0);
        }
        let v = if local { turned } else { axis };
        self.column(&bodies, pose.position, v, DVec3::ZERO, 0.0)
    }

    /// The rate of one of a joint's coordinates. Joints that stand for several have their names joined, with a minus where the
    /// coordinate is counted the other way round.
    fn of_joint(&self, scene: &Scene, number: &BTreeMap<&str, usize>, name: &str) -> Column {
        let parts = |joint: &Joint| -> Vec<(String, f64)> {
            let all = joint.name.replace(" - ", " + -");
            let part = |part: &str| match part.strip_prefix('-') {
                Some(rest) => (rest.to_owned(), -1.0),
                None => (part.to_owned(), 1.0),
            };
            all.split(" + ").map(part).collect()
        };
        let found = scene.joints.iter().find_map(|joint| {
            let parts = parts(joint);
            let place = parts.iter().position(|(part, _)| part == name)?;
            Some((joint, parts, place))
        });
        let (joint, parts, place) = found.unwrap_or_else(|| panic!("a joint {name}"));
        let ends = joint.bodies.each_ref().map(|name| {
            let body = scene.bodies.iter().find(|b| b.name == *name);
            body.map_or(Pose::IDENTITY, pose_of)
        });
        let (Anchor::Bodies(anchors), Axes::BodyFrames(frames)) = (joint.anchor, joint.frame)
        else {
            panic!("anchors on the bodies");
        };
        let a = ends[0].orientation * frames[0];
        let b = ends[1].orientation * frames[1];
        let point = ends[1].to_world(anchors[1]);
        let free: Vec<usize> = (0..6)
            .filter(|&k| joint.axes[k].hold == AxisHold::Free)
            .collect();
        // R = R_x R_y R_z: about the first frame's x, the second frame's z, and across both.
        let (x, z) = (a * DVec3::X, b * DVec3::Z);
        let y = match free.len() {
            1 => a * DVec3::Y,
            // With rz locked, the second frame's own y.
            _ if !free.contains(&5) => b * DVec3::Y,
            _ => z.cross(x).try_normalize().expect("no gimbal lock"),
        };
        // Shifts in the order of their axes may not be that of the names; here there is one at most.
        let axis = free[place];
        let direction = parts[place].1
            * match axis {
                0 => a * DVec3::X,
                1 => a * DVec3::Y,
                2 => a * DVec3::Z,
                3 => x,
                4 => y,
                _ => z,
            };
        let bodies = Self::below(scene, number, number[joint.bodies[1].as_str()]);
        let armature = joint.axes[axis].armature;
        if axis < 3 {
            self.column(&bodies, point, direction, DVec3::ZERO, armature)
        } else {
            self.column(&bodies, point, DVec3::ZERO, direction, armature)
        }
    }

    pub(crate) fn mass_matrix(&self) -> Vec<Vec<f64>> {
        let n = self.columns.len();
        let mut matrix = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                let both = self.columns[i]
                    .motion
                    .iter()
                    .zip(&self.columns[j].motion)
                    .zip(&self.masses);
                matrix[i][j] = both
                    .map(|(((v, w), (u, o)), (m, inertia))| m * v.dot(*u) + w.dot(*inertia * *o))
                    .sum();
            }
            matrix[i][i] += self.columns[i].armature;
        }
        matrix
    }

    pub(crate) fn centre_of_mass(&self) -> DVec3 {
        let total: f64 = self.masses.iter().map(|m| m.0).sum();
        let moments = self.masses.iter().zip(&self.centres).map(|(m, c)| *c * m.0);
        moments.sum::<DVec3>() / total
    }

    pub(crate) fn gravity(&self, g: DVec3) -> Vec<f64> {
        let of = |column: &Column| {
            let both = column.motion.iter().zip(&self.masses);
            both.map(|((v, _), (m, _))| v.dot(g) * m).sum()
        };
        self.columns.iter().map(of).collect()
    }
}
