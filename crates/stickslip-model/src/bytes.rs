//! Records as bytes and back, to the bit: what a world remembers, for one that goes on elsewhere.
//!
//! Numbers are little-endian; lists and texts have their length (u64) before them; an option has a byte that says whether it is
//! there; a structure is its fields one after the other. There is no self-description: whoever stores bytes says beside them
//! which version of the program wrote them.

use crate::certificate::Certificate;
use crate::joint::{Along, JointImpulse};
use crate::step::{BodyState, Contact, ContactImpulse, Friction, Kind, Mode, StepRecord, Wrench};
use glam::{DQuat, DVec3};
use stickslip_geometry::{Feature, Pose, Twist};

/// What can be written as bytes and read again.
pub trait Stored: Sized {
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes its bytes from the front; `None` where they end too early or cannot be such a thing.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// A structure as its fields, one after the other; fields after a semicolon are not stored and have this value when read.
#[macro_export]
macro_rules! stored {
    ($type:ty { $($field:ident),+ $(,)? $(; $($unstored:ident = $value:expr),+ $(,)?)? }) => {
        impl $crate::bytes::Stored for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::bytes::Stored::put(&self.$field, out);)+
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(Self {
                    $($field: $crate::bytes::Stored::take(from)?,)+
                    $($($unstored: $value,)+)?
                })
            }
        }
    };
}

macro_rules! numbers {
    ($($type:ty),+) => {
        $(impl Stored for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        })+
    };
}

numbers!(u8, u32, u64, f64);

/// One of a few, as its number.
macro_rules! one_of {
    ($type:ty: $($value:path),+) => {
        impl Stored for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let all = [$($value),+];
                // There are fewer than 256 of them, and each is one of all.
                out.push(all.iter().position(|v| v == self).unwrap_or(usize::MAX) as u8);
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                [$($value),+].get(u8::take(from)? as usize).copied()
            }
        }
    };
}

one_of!(bool: NO, YES);
one_of!(Mode: Mode::Open, Mode::Stick, Mode::Slide);
one_of!(Along: Along::Start, Along::Middle);
one_of!(Kind: Kind::Step, Kind::Compression, Kind::Decompression, Kind::Extrapolated, Kind::Part, Kind::Leaving, Kind::LeavingPart);

const NO: bool = false;
const YES: bool = true;

impl Stored for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from)?.try_into().ok()
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for item in self {
            item.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        // Nothing takes less than a byte: a length beyond the bytes that are left is no length.
        let length = usize::take(from).filter(|n| *n <= from.len())?;
        (0..length).map(|_| T::take(from)).collect()
    }
}

impl Stored for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let length = usize::take(from)?;
        let (text, rest) = from.split_at_checked(length)?;
        *from = rest;
        Self::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Stored> Stored for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        if bool::take(from)? {
            T::take(from).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<T: Stored + Copy + Default, const N: usize> Stored for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for item in self {
            item.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut all = [T::default(); N];
        for item in &mut all {
            *item = T::take(from)?;
        }
        Some(all)
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl Stored for DVec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Self::from_array(Stored::take(from)?))
    }
}

impl Stored for DQuat {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Self::from_array(Stored::take(from)?))
    }
}

impl Stored for Feature {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u32::take(from).map(Self)
    }
}

stored!(Pose {
    position,
    orientation
});
stored!(Twist { linear, angular });
stored!(BodyState { pose, twist });
stored!(Wrench { force, torque });
stored!(Friction { stick, slide });
stored!(Contact {
    bodies,
    pieces,
    feature,
    point,
    normal,
    gap,
    friction
});
stored!(ContactImpulse {
    contact,
    impulse,
    moment,
    restituted,
    mode,
    directions
});
stored!(JointImpulse {
    along,
    coordinates,
    hold,
    motor,
    friction,
    linear,
    angular
});
stored!(Certificate {
    residuals,
    penetration,
    speed,
    rounding,
    floor,
    needs,
    allowed
});
stored!(StepRecord {
    step,
    t,
    h,
    kind,
    bodies,
    contacts,
    joints,
    certificate,
    energy,
    solver,
    iterations
});

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> StepRecord {
        let contact = Contact {
            bodies: [0, 1],
            pieces: [2, 3],
            feature: Feature(7),
            point: DVec3::new(0.1, -0.0, f64::MIN_POSITIVE),
            normal: DVec3::Z,
            gap: 1e-300,
            friction: Friction::same(0.3),
        };
        StepRecord {
            step: 5,
            t: 0.05,
            kind: Kind::Part,
            bodies: vec![BodyState::default(); 2],
            contacts: vec![ContactImpulse {
                contact,
                impulse: DVec3::X,
                moment: DVec3::Y,
                restituted: 0.5,
                mode: Mode::Slide,
                directions: 8,
            }],
            joints: vec![JointImpulse {
                along: Along::Middle,
                ..JointImpulse::default()
            }],
            solver: "auto".into(),
            ..StepRecord::default()
        }
    }

    #[test]
    fn a_record_comes_back_to_the_bit() {
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        record().put(&mut bytes);
        let mut rest = &bytes[..];
        let back = StepRecord::take(&mut rest).expect("a record");
        assert!(rest.is_empty());
        back.put(&mut again);
        assert_eq!((back, again), (record(), bytes));
    }

    #[test]
    fn bytes_that_end_too_early_are_no_record() {
        let mut bytes = Vec::new();
        record().put(&mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(StepRecord::take(&mut &bytes[..end]), None, "{end} bytes");
        }
        // A length that no memory holds, and a kind that there is not.
        assert_eq!(Vec::<f64>::take(&mut &[0xff; 8][..]), None);
        assert_eq!(Kind::take(&mut &[Kind::ALL.len() as u8][..]), None);
    }
}
