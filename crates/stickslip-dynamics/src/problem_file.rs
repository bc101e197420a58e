//! The problem of the last step with the names of its bodies and blocks, for a file.

use crate::world::World;
use stickslip_problems::json::step::StepFile;

impl World {
    /// The problem that was solved in the last step, with its impulses; or, if that step was refused, the problem that could
    /// not be solved, with those it was started from. `name` and `note` say what it is and where it comes from.
    ///
    /// Joints are in it as in the last of their rounds: b is such that u = Wᵀν + b + C p is what the coordinates say at the
    /// motion found, with a compliance C that is negligible there.
    #[must_use]
    pub fn problem_file(&self, name: String, note: String) -> StepFile {
        let (model, stepper) = (&self.setup.model, &self.stepper);
        let assembly = &stepper.trial.assembly;
        let body = |i: usize| &model.bodies[i].name;
        let contacts = stepper.contacts.list.iter().map(|c| {
            let [a, b] = c.bodies.map(body);
            format!("\"{a}\" with \"{b}\"")
        });
        let contacts: Vec<String> = contacts.collect();
        let given_back = assembly.restituting().iter();
        let given_back =
            given_back.filter_map(|&k| Some(format!("restitution of {}", contacts.get(k)?)));
        let moments = assembly.bearing_moments();
        let moments = moments.filter_map(|k| Some(format!("moments of {}", contacts.get(k)?)));
        let mut blocks: Vec<String> = (contacts.iter().cloned())
            .chain(given_back)
            .chain(moments)
            .chain(stepper.trial.joints.block_names(model))
            .collect();
        let problem = self.problem().clone();
        if blocks.len() != problem.contacts.len() {
            blocks.clear();
        }
        // A step that ended before a solver was asked has impulses of another problem, or none.
        let started = assembly.impulses.len() == problem.contacts.len();
        StepFile {
            name,
            note,
            problem,
            bodies: assembly
                .entered()
                .iter()
                .map(|&i| body(i).clone())
                .collect(),
            blocks,
            impulses: if started {
                assembly.impulses.clone()
            } else {
                Vec::new()
            },
        }
    }
}
