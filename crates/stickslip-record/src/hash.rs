//! One number for a whole run: SHA-256 over every state.

use crate::recorder::state_numbers;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use stickslip_model::bytes::Stored;
use stickslip_model::{BodyState, JointImpulse, stored};

/// A running SHA-256 over all states of a run.
///
/// The bytes that are hashed, all little-endian: once, the number of bodies (u64) and for each, in the order of
/// names, its name's length in bytes (u64) and UTF-8 bytes; then for every state, step 0 included and thinning
/// not regarded, the step number (u64) and for each body in the order of names the bits of x, y, z,
/// qs, qx, qy, qz, vx, vy, vz, wx, wy, wz; then for each joint and each spring of the record the bits of its six
/// coordinates, whose turns are part of the state (there are none in the initial record). The sign of a zero is dropped (−0 hashes as 0), since it
/// depends on the order of additions that mean the same; every other difference of a single bit,
/// and q against −q, gives another hash.
#[derive(Clone, Debug)]
pub struct StateHash {
    sha: Sha,
    /// Numbers of the bodies in the order of their names.
    by_name: Vec<usize>,
}

stored!(StateHash { sha, by_name });

/// SHA-256 over what has come so far, which can be stored and gone on with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sha(pub(crate) Sha256);

impl Stored for Sha {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.0.serialize());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let length = SerializedState::<Sha256>::default().len();
        let (bytes, rest) = from.split_at_checked(length)?;
        let state = SerializedState::<Sha256>::try_from(bytes).ok()?;
        *from = rest;
        Sha256::deserialize(&state).ok().map(Self)
    }
}

fn hash_numbers<const N: usize>(sha: &mut Sha256, numbers: [f64; N]) {
    // −0 + 0 = +0; all other numbers are unchanged.
    let bytes = numbers.map(|x| (x + 0.0).to_bits().to_le_bytes());
    sha.update(bytes.as_flattened());
}

/// 64 hexadecimal digits.
pub(crate) fn hex(digest: impl IntoIterator<Item = u8>) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl StateHash {
    /// Starts with the names of the bodies, in the model's order.
    #[must_use]
    pub fn new<S: AsRef<str>>(names: &[S]) -> Self {
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by_key(|&k| names[k].as_ref());
        let mut sha = Sha256::new();
        sha.update((names.len() as u64).to_le_bytes());
        for &k in &by_name {
            let bytes = names[k].as_ref().as_bytes();
            sha.update((bytes.len() as u64).to_le_bytes());
            sha.update(bytes);
        }
        let sha = Sha(sha);
        Self { sha, by_name }
    }

    /// Adds one state of the run, with the bodies in the model's order.
    pub fn update(&mut self, step: u64, bodies: &[BodyState], joints: &[JointImpulse]) {
        let sha = &mut self.sha.0;
        sha.update(step.to_le_bytes());
        for body in self.by_name.iter().filter_map(|&k| bodies.get(k)) {
            hash_numbers(sha, state_numbers(body));
        }
        for joint in joints {
            hash_numbers(sha, joint.coordinates);
        }
    }

    /// The hash of all states so far, 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(self.sha.0.clone().finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn state(x: f64) -> BodyState {
        let mut state = BodyState::default();
        state.pose.position = DVec3::new(x, 0.25, -3.0);
        state
    }

    fn hash(names: &[&str], states: &[(u64, &[BodyState])]) -> String {
        let mut hash = StateHash::new(names);
        for (step, bodies) in states {
            hash.update(*step, bodies, &[]);
        }
        hash.hex()
    }

    #[test]
    fn a_turn_of_a_joint_is_part_of_the_state() {
        let with = |coordinates| {
            let mut hash = StateHash::new(&["wheel"]);
            let joint = JointImpulse {
                coordinates,
                ..JointImpulse::default()
            };
            hash.update(1, &[state(1.0)], &[joint]);
            hash.hex()
        };
        let turned = [0.0, 0.0, 0.0, std::f64::consts::TAU, 0.0, 0.0];
        assert_ne!(with([0.0; 6]), with(turned));
    }

    #[test]
    fn the_hash_is_that_of_the_documented_bytes() {
        // Computed with Python's hashlib and struct from the description above.
        let ours = hash(&["ball"], &[(0, &[state(1.5)]), (1, &[state(-0.0)])]);
        assert_eq!(ours, PYTHON);
    }

    #[test]
    fn one_bit_or_one_name_changes_it_and_the_sign_of_zero_does_not() {
        let one = hash(&["ball"], &[(0, &[state(1.5)])]);
        assert_ne!(one, hash(&["ball"], &[(0, &[state(1.5f64.next_up())])]));
        assert_ne!(one, hash(&["bell"], &[(0, &[state(1.5)])]));
        assert_ne!(one, hash(&["ball"], &[(1, &[state(1.5)])]));
        assert_eq!(
            hash(&["ball"], &[(0, &[state(-0.0)])]),
            hash(&["ball"], &[(0, &[state(0.0)])])
        );
        // Names are delimited: "a", "bc" is not "ab", "c".
        let two = [state(1.0), state(2.0)];
        assert_ne!(
            hash(&["a", "bc"], &[(0, &two)]),
            hash(&["ab", "c"], &[(0, &two)])
        );
    }

    #[test]
    fn the_order_in_which_bodies_stand_does_not_enter() {
        let (a, b) = (state(1.0), state(2.0));
        let one = hash(&["a", "b"], &[(0, &[a, b]), (1, &[b, b])]);
        assert_eq!(one, hash(&["b", "a"], &[(0, &[b, a]), (1, &[b, b])]));
        assert_ne!(one, hash(&["b", "a"], &[(0, &[a, b]), (1, &[b, b])]));
    }

    #[test]
    fn a_hash_that_was_stored_goes_on_to_the_same_number() {
        let states: Vec<BodyState> = (0..40).map(|k| state(f64::from(k))).collect();
        let mut whole = StateHash::new(&["ball"]);
        // At every place, in the middle of a block of SHA-256 or not.
        for (k, one) in (0..).zip(&states) {
            let mut bytes = Vec::new();
            whole.put(&mut bytes);
            let mut rest = &bytes[..];
            let mut again = StateHash::take(&mut rest).expect("a hash");
            assert!(rest.is_empty());
            for hash in [&mut whole, &mut again] {
                hash.update(k, std::slice::from_ref(one), &[]);
            }
            assert_eq!(whole.hex(), again.hex());
            assert!(StateHash::take(&mut &bytes[1..]).is_none());
        }
    }

    const PYTHON: &str = "b7d9f41a385e25c30c0573d1d6794ef86e552f3c7ebe789cdaf411a825e5b786";
}
