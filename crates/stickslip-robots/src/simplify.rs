//! Links without mass, and freedoms that are no single joint: the model is changed into one that bodies and joints can be.

use crate::combine::combine;
use crate::model::{Configuration, Inertial, Link, Model, WORLD, Way};
use crate::place::{Note, Outcome, Regard, RobotError};
use std::collections::BTreeSet;
use stickslip_geometry::Pose;

/// Links between axes that do not meet at right angles get this part of the mass of what they carry.
pub const SHARE: f64 = 1e-3;

/// The link with whose body each link moves: the nearest above it (or itself) that has freedoms, or the world.
pub(crate) fn carriers(model: &Model) -> Vec<usize> {
    let mut carriers: Vec<usize> = Vec::with_capacity(model.links.len());
    for (k, link) in model.links.iter().enumerate() {
        let carried = link.freedoms.is_empty() && k != WORLD;
        carriers.push(if carried { carriers[link.parent] } else { k });
    }
    carriers
}

/// Which links are no part of a robot: the world, and what stands on it with nothing that moves on the same base.
pub(crate) fn scenery(model: &Model, carriers: &[usize]) -> Vec<bool> {
    let mut bases: Vec<usize> = Vec::with_capacity(model.links.len());
    for (k, link) in model.links.iter().enumerate() {
        let is_base = k == WORLD || link.parent == WORLD;
        bases.push(if is_base { k } else { bases[link.parent] });
    }
    let mut still = vec![true; model.links.len()];
    for (base, carrier) in bases.iter().zip(carriers) {
        still[*base] &= *carrier == WORLD;
    }
    bases.iter().map(|base| still[*base]).collect()
}

/// Mass of each carrier with all it carries, in its own frame.
pub(crate) fn masses(model: &Model, carriers: &[usize]) -> Vec<Inertial> {
    let placed = on_carriers(model, carriers);
    let mut sums = vec![Inertial::default(); model.links.len()];
    for (k, link) in model.links.iter().enumerate() {
        if let Some(inertial) = &link.inertial {
            let sum = &mut sums[carriers[k]];
            *sum = sum.with(&inertial.placed(&placed[k]));
        }
    }
    sums
}

/// The pose of each link on its carrier.
pub(crate) fn on_carriers(model: &Model, carriers: &[usize]) -> Vec<Pose> {
    let mut placed: Vec<Pose> = Vec::with_capacity(model.links.len());
    for (k, link) in model.links.iter().enumerate() {
        placed.push(if carriers[k] == k {
            Pose::IDENTITY
        } else {
            placed[link.parent].then(&link.pose)
        });
    }
    placed
}

/// Makes every link that moves have a mass: leaves without one become frames, others are joined with what they carry.
pub(crate) fn weigh(model: &mut Model, at: &mut Configuration) -> Outcome<()> {
    loop {
        let carriers = carriers(model);
        let masses = masses(model, &carriers);
        let is_light = |&k: &usize| k != WORLD && carriers[k] == k && masses[k].mass == 0.0;
        // From the leaves up: what hangs on a link may become part of it.
        let Some(light) = (0..model.links.len()).rev().find(is_light) else {
            return Ok(());
        };
        let children: Vec<usize> = (0..model.links.len())
            .filter(|&k| carriers[k] == k && k != WORLD && carriers[model.links[k].parent] == light)
            .collect();
        let floats = model.links[light]
            .freedoms
            .iter()
            .any(|f| f.way == Way::Free);
        let touches = |k: usize| carriers[k] == light && !model.links[k].geoms.is_empty();
        let bare = !(0..model.links.len()).any(touches);
        match children.as_slice() {
            _ if floats => return Err(massless(model, light, "floats")),
            [] => settle(model, at, light),
            [one] if bare => join(model, at, light, *one, &carriers),
            _ => return Err(massless(model, light, "carries others by joints")),
        }
    }
}

fn massless(model: &Model, light: usize, what: &str) -> Box<RobotError> {
    let link = &model.links[light];
    let message = format!("link `{}` has no mass and {what}", link.name);
    let help = "give it an <inertial>; a base that is to stay where it is needs --fixed-base";
    RobotError::new(&link.place, message).with_help(help)
}

/// A leaf without mass stays where it starts on its parent.
fn settle(model: &mut Model, at: &mut Configuration, light: usize) {
    let link = &mut model.links[light];
    let mut pose = link.pose;
    let both = link.freedoms.drain(..).zip(at.0[light].drain(..));
    let mut names = Vec::new();
    for (freedom, at) in both {
        pose = pose.then(&freedom.motion(&at));
        names.push(freedom.name);
    }
    link.pose = pose;
    model.notes.push(Note {
        place: link.place.clone(),
        what: format!("joint `{}`", names.join("`, `")),
        why: format!(
            "link `{}` has no mass and nothing hangs on it: it stays where it starts",
            link.name
        ),
        regard: Regard::Changed,
    });
    forget(model, &names);
}

/// What acts on freedoms that are no more goes with them.
fn forget(model: &mut Model, names: &[String]) {
    let gone = |name: &String| names.contains(name);
    let mut lost = Vec::new();
    model.actuators.retain(|a| {
        let keep = !gone(&a.joint);
        if !keep {
            lost.push((a.place.clone(), format!("actuator `{}`", a.name)));
        }
        keep
    });
    model.couplings.retain(|c| {
        let keep = !gone(&c.joint) && !c.of.as_ref().is_some_and(gone);
        if !keep {
            lost.push((c.place.clone(), format!("`{}`", c.name)));
        }
        keep
    });
    let note = |(place, what)| Note {
        place,
        what,
        why: "its joint does not move".into(),
        regard: Regard::Changed,
    };
    model.notes.extend(lost.into_iter().map(note));
}

/// A link without mass between two joints: P₁ J₁ P₂ J₂ = (P₁P₂)(P₂⁻¹J₁P₂) J₂ are freedoms of the link it carries.
fn join(model: &mut Model, at: &mut Configuration, light: usize, child: usize, carriers: &[usize]) {
    let placed = on_carriers(model, carriers);
    let between = placed[model.links[child].parent].then(&model.links[child].pose);
    let back = between.inverse();
    let mut freedoms = std::mem::take(&mut model.links[light].freedoms);
    let mut places = std::mem::take(&mut at.0[light]);
    // Its own frame stays where it starts.
    let start = freedoms.iter().zip(&places);
    let moved = start.fold(Pose::IDENTITY, |pose, (f, at)| pose.then(&f.motion(at)));
    for freedom in &mut freedoms {
        freedom.anchor = back.to_world(freedom.anchor);
        freedom.axis = back.orientation * freedom.axis;
    }
    freedoms.append(&mut model.links[child].freedoms);
    places.append(&mut at.0[child]);
    let (parent, pose) = (model.links[light].parent, model.links[light].pose);
    let link = &mut model.links[child];
    link.parent = parent;
    link.pose = pose.then(&between);
    link.freedoms = freedoms;
    at.0[child] = places;
    model.links[light].pose = pose.then(&moved);
    let (link, child) = (&model.links[light], &model.links[child]);
    model.notes.push(Note {
        place: link.place.clone(),
        what: format!("link `{}`", link.name),
        why: format!(
            "it has no mass: its joint and the next move `{}`, its own frame stays where it starts",
            child.name
        ),
        regard: Regard::Changed,
    });
}

/// Freedoms that are no single joint get links between them, each with a share of the mass they carry; returns their numbers.
pub(crate) fn split(model: &mut Model, at: &mut Configuration) -> BTreeSet<usize> {
    let carriers = carriers(model);
    let masses = masses(model, &carriers);
    let old = std::mem::take(&mut model.links);
    let places = std::mem::take(&mut at.0);
    let mut number = Vec::with_capacity(old.len());
    let mut kept = vec![1.0; old.len()];
    let mut added = BTreeSet::new();
    for (k, (mut link, mut at_link)) in old.into_iter().zip(places).enumerate() {
        if k != WORLD {
            link.parent = number[link.parent];
        }
        let movable = link.freedoms.len() > 1 && combine(&link.freedoms).is_none();
        if movable {
            model.notes.push(Note {
                place: link.place.clone(),
                what: format!("joints of `{}`", link.name),
                why: format!(
                    "their axes do not meet at right angles (or the second turns too far): links between them get {SHARE} of the mass each"
                ),
                regard: Regard::Changed,
            });
        }
        while movable && link.freedoms.len() > 1 {
            let freedom = link.freedoms.remove(0);
            let first = at_link.remove(0);
            kept[k] -= SHARE;
            let share = Inertial {
                mass: masses[k].mass * SHARE,
                inertia: masses[k].inertia * SHARE,
                ..masses[k]
            };
            let between = Link {
                name: format!("{} ({})", link.name, freedom.name),
                place: freedom.place.clone(),
                parent: link.parent,
                pose: std::mem::take(&mut link.pose),
                freedoms: vec![freedom],
                inertial: Some(share),
                geoms: Vec::new(),
                colour: None,
            };
            link.parent = model.links.len();
            added.insert(link.parent);
            model.links.push(between);
            at.0.push(vec![first]);
        }
        if let Some(inertial) = &mut link.inertial {
            inertial.mass *= kept[carriers[k]];
            inertial.inertia *= kept[carriers[k]];
        }
        number.push(model.links.len());
        model.links.push(link);
        at.0.push(at_link);
    }
    for pair in &mut model.excluded {
        *pair = pair.map(|k| number[k]);
    }
    for closure in &mut model.closures {
        closure.links = closure.links.map(|k| number[k]);
    }
    added
}
