//! `<joint>` and `<freejoint>`.

use super::{Around, Reader};
use crate::mjcf::defaults::Look;
use crate::model::{Freedom, Model, Way};
use crate::place::{Outcome, Regard};
use crate::xml::{Attribute, Element};
use glam::DVec3;

impl Reader<'_, '_> {
    pub(super) fn joint(
        &self,
        element: &Element,
        model: &mut Model,
        around: Around,
    ) -> Outcome<()> {
        let look = self.defaults.look(element, around.class)?;
        let link = &model.links[around.link];
        let name = match element.get("name") {
            Some(name) => name.value.clone() + around.suffix,
            None => match link.freedoms.len() {
                0 => format!("{} joint", link.name),
                n => format!("{} joint {}", link.name, n + 1),
            },
        };
        if model.find(&name).is_some() {
            return Err(element.error(format!("a second joint has the name `{name}`")));
        }
        let kind = match element.tag.as_str() {
            "freejoint" => None,
            _ => look.get(element, "type"),
        };
        let way = match (element.tag.as_str(), kind.map(|k| k.value.as_str())) {
            ("freejoint", _) | (_, Some("free")) => Way::Free,
            (_, None | Some("hinge")) => Way::Hinge,
            (_, Some("slide")) => Way::Slide,
            (_, Some("ball")) => Way::Ball,
            (_, Some(other)) => {
                let message = format!("unknown kind of joint `{other}`");
                let fault = kind.map_or_else(|| element.error(&message), |k| k.error(&message));
                return Err(fault.with_help("known are hinge, slide, ball and free"));
            }
        };
        let others = &link.freedoms;
        let alone = matches!(way, Way::Free) || others.iter().any(|f| f.way == Way::Free);
        if alone && !(others.is_empty() && link.parent == crate::model::WORLD) {
            let message = "a free joint is the only one of a body at the top";
            return Err(element.error(message));
        }
        let vector =
            |name: &str, other: DVec3| look.get(element, name).map_or(Ok(other), Attribute::vector);
        let axis = match look.get(element, "axis") {
            Some(axis) => axis.direction()?,
            None => DVec3::Z,
        };
        let anchor = around.pose.to_world(vector("pos", DVec3::ZERO)?);
        let axis = around.pose.orientation * axis;
        let mut freedom = Freedom::new(name, element.place.clone(), way, anchor, axis);
        if way != Way::Free {
            self.properties(element, &look, &mut freedom)?;
        }
        model.links[around.link].freedoms.push(freedom);
        Ok(())
    }

    fn properties(
        &self,
        element: &Element,
        look: &Look<'_, '_>,
        freedom: &mut Freedom,
    ) -> Outcome<()> {
        let not_negative = |name: &str| {
            look.get(element, name)
                .map_or(Ok(0.0), Attribute::not_negative)
        };
        let number = |name: &str| look.get(element, name).map_or(Ok(0.0), Attribute::number);
        let unit = match freedom.way {
            Way::Hinge | Way::Ball => self.compiler.angle,
            Way::Slide | Way::Free => 1.0,
        };
        freedom.damping = not_negative("damping")?;
        freedom.friction = not_negative("frictionloss")?;
        freedom.armature = not_negative("armature")?;
        freedom.stiffness = not_negative("stiffness")?;
        freedom.zero = number("ref")? * unit;
        freedom.rest = number("springref")? * unit;
        freedom.limits = self
            .range(element, look, ["range", "limited"])?
            .map(|r| r.map(|x| x * unit));
        let forces = self.range(element, look, ["actuatorfrcrange", "actuatorfrclimited"])?;
        if let Some(range) = forces {
            freedom.effort = self.largest(element, "actuatorfrcrange", range);
        }
        if freedom.way == Way::Ball {
            let idle = [
                ("damping", freedom.damping),
                ("stiffness", freedom.stiffness),
                ("armature", freedom.armature),
                ("frictionloss", freedom.friction),
            ];
            let limited = freedom.limits.take().is_some();
            for name in idle
                .iter()
                .filter(|i| i.1 > 0.0)
                .map(|i| i.0)
                .chain(limited.then_some("range"))
            {
                let place = look.get(element, name).map_or(&element.place, |a| &a.place);
                let what = format!("`{name}` of <joint>");
                self.note(place, what, "not on a ball joint", Regard::NotUnderstood);
            }
            (freedom.damping, freedom.stiffness) = (0.0, 0.0);
            (freedom.armature, freedom.friction) = (0.0, 0.0);
        }
        Ok(())
    }

    /// A range that counts: by its own word, else where `autolimits` is on and the range is there.
    pub(super) fn range(
        &self,
        element: &Element,
        look: &Look<'_, '_>,
        [range, limited]: [&str; 2],
    ) -> Outcome<Option<[f64; 2]>> {
        let given = look.get(element, range);
        let counts = match look.get(element, limited) {
            Some(word) if word.value != "auto" => word.flag()?,
            _ => self.compiler.autolimits && given.is_some(),
        };
        let (Some(given), true) = (given, counts) else {
            return Ok(None);
        };
        let [lo, hi] = given.exactly()?;
        if lo >= hi {
            let message = format!("`{range}` is reversed: {lo} is not below {hi}");
            return Err(given.error(message));
        }
        Ok(Some([lo, hi]))
    }

    /// The largest force of a range, which must be the same both ways.
    pub(super) fn largest(&self, element: &Element, name: &str, [lo, hi]: [f64; 2]) -> f64 {
        let largest = hi.max(-lo);
        if lo != -hi {
            let what = format!("`{name}` of <{}>", element.tag);
            let why = format!("forces are limited to {largest} both ways");
            let place = element.peek(name).map_or(&element.place, |a| &a.place);
            self.note(place, what, &why, Regard::Changed);
        }
        largest
    }
}
