//! The velocity field of a plate: where parts go, from every place.

use rayon::prelude::*;
use stickslip::dynamics::scene::Mobility;
use stickslip::prelude::*;

/// How a field is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Starting places along each side of the square.
    pub cells: usize,
    /// Half of the side of the square, m, about the plate's origin.
    pub half: f64,
    /// Steps in a period.
    pub steps: usize,
    /// Periods that a part is given to settle. After each period it is put back to its start, with the velocity over the
    /// plate that it has got, so that the velocity found belongs to the place.
    pub settle: usize,
    /// Periods over which velocity and place are then averaged.
    pub average: usize,
    /// Threads; the answer does not depend on it.
    pub threads: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            cells: 41,
            half: 0.06,
            steps: 300,
            settle: 12,
            average: 2,
            threads: 1,
        }
    }
}

/// What a part does that started at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where it started, m, plate's frame.
    pub start: DVec2,
    /// Its mean place while it was watched, m, plate's frame.
    pub place: DVec2,
    /// Its mean velocity, m/s, plate's frame.
    pub velocity: DVec2,
    /// Fractions of the time that it slides, sticks and is in the air.
    pub slide: f64,
    /// Sticking: some contact carries and none slides.
    pub stick: f64,
    /// In the air: no contact carries.
    pub air: f64,
    /// By how much the mean velocity of its last period differs from that of the period before, m/s.
    pub change: f64,
}

/// The field of a plate.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// How it was measured.
    pub sampling: Sampling,
    /// Period of the plate, s.
    pub period: f64,
    /// Row by row, from the lower left (least x and y).
    pub places: Vec<Place>,
}

/// Why there is no field.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// The scene is no plate with a part.
    #[error("{0}")]
    NoPlate(String),
    /// The scene's world cannot be built.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// A step that was not certified.
    #[error("from ({x} m, {y} m): {error}")]
    Step {
        /// Where the part started.
        x: f64,
        /// Where the part started.
        y: f64,
        /// Why.
        error: StepError,
    },
    /// A number that makes no sense.
    #[error("{0}")]
    Sampling(String),
}

/// The plate and the part of a scene.
struct Cast<'s> {
    scene: &'s Scene,
    plate: usize,
    part: usize,
    /// The plate at t = 0.
    pose: BodyState,
    /// The part's origin over the plate at the start, along the plate's z, m.
    height: f64,
}

impl<'s> Cast<'s> {
    fn of(scene: &'s Scene) -> Result<Self, FieldError> {
        let only = |what: &str, is: &dyn Fn(&Mobility) -> bool| {
            let mut found = (0..scene.bodies.len()).filter(|&k| is(&scene.bodies[k].motion));
            match (found.next(), found.next()) {
                (Some(k), None) => Ok(k),
                (None, _) => Err(FieldError::NoPlate(format!("the scene has no {what}"))),
                _ => Err(FieldError::NoPlate(format!(
                    "the scene has more than one {what}"
                ))),
            }
        };
        let plate = only("body with a prescribed motion", &|m| {
            matches!(m, Mobility::Prescribed(_))
        })?;
        let part = only("free body", &|m| matches!(m, Mobility::Free))?;
        let world = World::from_scene(scene)?;
        let state = |k: usize| {
            let name = &scene.bodies[k].name;
            world
                .body(name)
                .copied()
                .ok_or_else(|| FieldError::NoPlate(format!("no body \"{name}\"")))
        };
        let (pose, part_state) = (state(plate)?, state(part)?);
        Ok(Self {
            scene,
            plate,
            part,
            height: lowest_on_plate(scene, plate, part, &pose, &part_state),
            pose,
        })
    }

    /// The world of a part that starts at a place, at rest on the plate.
    fn world_at(&self, start: DVec2, h: f64) -> Result<World, FieldError> {
        let mut scene = self.scene.clone();
        scene.step.h = h;
        let (pose, twist) = (&self.pose.pose, &self.pose.twist);
        let place = pose.to_world(start.extend(self.height));
        let body = &mut scene.bodies[self.part];
        body.position = place;
        body.velocity = twist.at(place - pose.position);
        if !body.shape.is_particle() {
            body.angular_velocity = twist.angular;
        }
        Ok(World::from_scene(&scene)?)
    }
}

/// The height of the part's origin, in the plate's frame, at which it touches a half-space; as the scene has it on any
/// other shape.
fn lowest_on_plate(
    scene: &Scene,
    plate: usize,
    part: usize,
    pose: &BodyState,
    state: &BodyState,
) -> f64 {
    let as_given = pose.pose.to_body(state.pose.position).z;
    match &scene.bodies[plate].shape {
        Shape::HalfSpace { normal, .. } if *normal == DVec3::Z => {
            let up = pose.pose.orientation * DVec3::Z;
            let body = &scene.bodies[part];
            let at_origin = Pose {
                position: DVec3::ZERO,
                orientation: state.pose.orientation,
            };
            let below = body.shape.support(&at_origin, -up);
            scene.bodies[plate].shape.support(&Pose::IDENTITY, DVec3::Z) + below
        }
        _ => as_given,
    }
}

/// The period of a scene's one prescribed body, s, where its motion is of sinusoids and tables; a formula does not tell.
///
/// # Errors
/// [`FieldError`] where the scene is no plate with a part, or its motion does not tell its period.
pub fn period_of(scene: &Scene) -> Result<f64, FieldError> {
    let cast = Cast::of(scene)?;
    let unknown = || FieldError::NoPlate("the motion does not tell its period".into());
    let Mobility::Prescribed(motion) = &scene.bodies[cast.plate].motion else {
        return Err(unknown());
    };
    let formulas = motion.position.iter().chain(&motion.rotation);
    if !formulas
        .chain([&motion.angle])
        .all(|f| f.as_constant().is_some())
    {
        return Err(unknown());
    }
    let mut periods: Vec<f64> = motion
        .accelerations
        .iter()
        .map(|a| 1.0 / a.frequency)
        .collect();
    if let Some(table) = &motion.table {
        let (times, _) = table.rows();
        periods.push(times[times.len() - 1] - times[0]);
    }
    let longest = periods.iter().copied().fold(0.0, f64::max);
    // The least multiple of the longest that all others divide.
    (1..=100)
        .map(|k| longest * f64::from(k))
        .find(|t| {
            periods
                .iter()
                .all(|p| (t / p - (t / p).round()).abs() < 1e-9)
        })
        .filter(|t| *t > 0.0)
        .ok_or_else(unknown)
}

/// The world of a scene's one free body, put to a place of its one prescribed body and at rest on it, with steps of h.
///
/// # Errors
/// [`FieldError`] where the scene is no plate with a part.
pub fn world_at(scene: &Scene, start: DVec2, h: f64) -> Result<World, FieldError> {
    Cast::of(scene)?.world_at(start, h)
}

impl Field {
    /// Measures the field of the one prescribed body of a scene with its one free body. `done` is called after each
    /// place, from any thread.
    ///
    /// # Errors
    /// [`FieldError`]: a scene that is no plate with a part, or a step that could not be certified.
    pub fn measure(
        scene: &Scene,
        period: f64,
        sampling: &Sampling,
        done: &(dyn Fn() + Sync),
    ) -> Result<Self, FieldError> {
        check(period, sampling)?;
        let cast = Cast::of(scene)?;
        let n = sampling.cells;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(sampling.threads)
            .build()
            .map_err(|e| FieldError::Sampling(format!("{} threads: {e}", sampling.threads)))?;
        // Each place is a world of its own, and they are put together in their order: threads change nothing.
        let places = pool.install(|| {
            (0..n * n)
                .into_par_iter()
                .map(|k| {
                    let at = |i: usize| sampling.half * (2.0 * i as f64 / (n - 1) as f64 - 1.0);
                    let place = watch(&cast, DVec2::new(at(k % n), at(k / n)), period, sampling);
                    done();
                    place
                })
                .collect::<Result<Vec<Place>, FieldError>>()
        })?;
        Ok(Self {
            sampling: *sampling,
            period,
            places,
        })
    }

    /// The table: names and units of its columns, and a row for each place.
    #[must_use]
    pub fn columns() -> [(&'static str, &'static str); 10] {
        [
            ("x0", "m"),
            ("y0", "m"),
            ("x", "m"),
            ("y", "m"),
            ("vx", "m/s"),
            ("vy", "m/s"),
            ("slide", ""),
            ("stick", ""),
            ("air", ""),
            ("change", "m/s"),
        ]
    }

    /// The numbers of one place, in the order of [`Field::columns`].
    #[must_use]
    pub fn row(place: &Place) -> [f64; 10] {
        [
            place.start.x,
            place.start.y,
            place.place.x,
            place.place.y,
            place.velocity.x,
            place.velocity.y,
            place.slide,
            place.stick,
            place.air,
            place.change,
        ]
    }
}

fn check(period: f64, s: &Sampling) -> Result<(), FieldError> {
    let bad = |what: &str| Err(FieldError::Sampling(what.into()));
    if !(period > 0.0 && period.is_finite()) {
        return bad("the period must be a positive time");
    }
    if !(s.half > 0.0 && s.half.is_finite()) {
        return bad("the square must have a positive side");
    }
    if s.cells < 2 || s.cells > 10_000 {
        return bad("a side of the square has 2 to 10,000 starting places");
    }
    if s.steps < 10 || s.average < 1 || s.threads < 1 {
        return bad("a period has at least 10 steps, and at least one period is averaged");
    }
    Ok(())
}

/// One part from its start to its mean velocity.
fn watch(cast: &Cast, start: DVec2, period: f64, sampling: &Sampling) -> Result<Place, FieldError> {
    let mut world = cast.world_at(start, period / sampling.steps as f64)?;
    let index = |k: usize| world.index(&cast.scene.bodies[k].name);
    let (Some(plate), Some(part)) = (index(cast.plate), index(cast.part)) else {
        return Err(FieldError::NoPlate("a body is gone".into()));
    };
    let place = |world: &World| {
        let states = world.states();
        let pose = &states[plate].pose;
        pose.to_body(states[part].pose.position).truncate()
    };
    let (mut before, mut change, mut velocity, mut sum) =
        (DVec2::ZERO, 0.0, DVec2::ZERO, DVec2::ZERO);
    let mut modes = [0_usize; 3];
    for period_number in 0..sampling.settle + sampling.average {
        // Back to the start, with the velocity over the plate that it has got: the plate is as it was.
        if period_number > 0 {
            put_back(&mut world, plate, part, start)?;
        }
        let (from, watched) = (place(&world), period_number >= sampling.settle);
        for _ in 0..sampling.steps {
            let now = place(&world);
            let step = world.step();
            let record = step.map_err(|error| FieldError::Step {
                x: start.x,
                y: start.y,
                error,
            })?;
            if watched {
                modes[mode(&record.contacts) as usize] += 1;
                sum += (now + place(&world)) * 0.5;
            }
        }
        let mean = (place(&world) - from) / period;
        (change, before) = ((mean - before).length(), mean);
        if watched {
            velocity += mean / sampling.average as f64;
        }
    }
    let count = (sampling.steps * sampling.average) as f64;
    let fraction = |mode: Mode| modes[mode as usize] as f64 / count;
    Ok(Place {
        start,
        place: sum / count,
        velocity,
        slide: fraction(Mode::Slide),
        stick: fraction(Mode::Stick),
        air: fraction(Mode::Open),
        change,
    })
}

/// Moves the part along the plate to a place of it; its height, its turn and its velocity over the plate are kept.
fn put_back(world: &mut World, plate: usize, part: usize, place: DVec2) -> Result<(), FieldError> {
    let mut states = world.states().to_vec();
    let carrier = states[plate];
    let carried = |at: DVec3| carrier.twist.at(at - carrier.pose.position);
    let old = states[part].pose.position;
    let new = carrier
        .pose
        .to_world(place.extend(carrier.pose.to_body(old).z));
    states[part].pose.position = new;
    states[part].twist.linear += carried(new) - carried(old);
    let (step, t) = (world.steps(), world.time());
    world
        .restore(step, t, &states)
        .map_err(|e| FieldError::Sampling(e.to_string()))
}

/// What a part does: it slides if a contact slides, sticks if one carries and none slides.
fn mode(contacts: &[ContactImpulse]) -> Mode {
    let has = |mode: Mode| contacts.iter().any(|c| c.mode == mode);
    if has(Mode::Slide) {
        Mode::Slide
    } else if has(Mode::Stick) {
        Mode::Stick
    } else {
        Mode::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{self, Part};

    fn small(threads: usize) -> Sampling {
        Sampling {
            cells: 3,
            half: 0.03,
            steps: 60,
            settle: 6,
            average: 1,
            threads,
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let plate = library::by_name("sink").unwrap();
        let measure = |threads| {
            Field::measure(
                &plate.scene(Part::Particle),
                plate.period,
                &small(threads),
                &|| (),
            )
            .unwrap()
            .places
        };
        assert_eq!(measure(1), measure(3));
    }

    #[test]
    fn fields_do_what_their_names_say() {
        let radial = |name: &str| {
            let plate = library::by_name(name).unwrap();
            let field = Field::measure(
                &plate.scene(Part::Particle),
                plate.period,
                &small(2),
                &|| (),
            )
            .unwrap();
            let p = &field.places[8];
            (
                p.place.dot(p.velocity),
                p.place.perp_dot(p.velocity),
                p.velocity,
            )
        };
        assert!(radial("sink").0 < -1e-4);
        assert!(radial("source").0 > 1e-4);
        assert!(radial("circle").1 > 1e-4);
        let (inward, round, _) = radial("whirlpool");
        assert!(inward < -1e-4 && round.abs() > 0.5 * inward.abs());
        let (_, _, v) = radial("saddle");
        assert!(v.x * v.y < 0.0);
        let (_, _, v) = radial("line-sink");
        assert!(v.x < -1e-3 && v.y.abs() < 1e-3 * v.x.abs());
        let (_, _, v) = radial("shear");
        assert!(v.x > 1e-3 && v.y.abs() < 1e-2 * v.x);
    }

    #[test]
    fn periods_are_the_common_one() {
        let plate = library::by_name("sink").unwrap();
        let mut scene = plate.scene(Part::Particle);
        assert!((period_of(&scene).unwrap() - plate.period).abs() < 1e-15);
        if let Mobility::Prescribed(motion) = &mut scene.bodies[0].motion {
            motion.accelerations[0].frequency = 22.0;
        }
        assert!((period_of(&scene).unwrap() - 1.0 / 11.0).abs() < 1e-15);
        let rocking = library::by_name("rocking").unwrap().scene(Part::Particle);
        assert!(period_of(&rocking).is_err());
    }

    #[test]
    fn scenes_without_a_plate_are_refused() {
        let text =
            "[step]\nh = 0.1\nuntil = 1\n[[body]]\nname = \"a\"\nshape = \"point\"\nmass = 1\n";
        let scene = Scene::parse(text, "a.toml", &[]).unwrap();
        let error = Field::measure(&scene, 0.1, &small(1), &|| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the scene has no body with a prescribed motion"
        );
    }
}
