//! What stages work with, kept from problem to problem.

use crate::auto::bearing::Bearing;
use crate::auto::mend::Mender;
use crate::coupling::SystemMemory;
use crate::engines::compliant::Compliant;
use crate::engines::conjugate::Conjugate;
use crate::engines::homotopy::Homotopy;
use crate::engines::interior_point::InteriorPoint;
use crate::engines::newton::Newton;
use crate::engines::nsgs::Nsgs;
use crate::engines::proximal::Proximal;
use crate::engines::soft::SoftNewton;
use crate::lcp::pyramid::LemkeContact;
use crate::problem::Twist;
use crate::trace::Trace;
use glam::DVec3;

/// What the stages work with, kept from problem to problem: memory, and no settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Kit {
    pub(super) newton: Newton,
    pub(super) nsgs: Nsgs,
    pub(super) conjugate: Conjugate,
    pub(super) interior_point: InteriorPoint,
    pub(super) homotopy: Homotopy,
    pub(super) compliant: Compliant,
    pub(super) proximal: Proximal,
    pub(super) soft: SoftNewton,
    pub(super) lemke: LemkeContact,
    /// Made when it is first needed: it solves by an `auto` of its own.
    pub(super) mender: Option<Mender>,
    pub(super) bearing: Option<Bearing>,
    /// System of the cones inside pyramids.
    pub(super) cones: SystemMemory,
    pub(super) u: Vec<DVec3>,
    pub(super) nu: Vec<Twist>,
    /// Impulses that the stages hand on, the best when the table was begun, where the last stage began, and where the last
    /// sweeps ended.
    pub(super) p: Vec<DVec3>,
    pub(super) opening: Vec<DVec3>,
    pub(super) began: Vec<DVec3>,
    pub(super) swept: Vec<DVec3>,
    pub(super) trace: Trace,
    /// Names of stages that are left out: `stage`, or `table/stage`.
    pub(super) without: Vec<String>,
}

impl Kit {
    pub(super) fn leaves_out(&self, table: &str, stage: &str) -> bool {
        self.without.iter().any(|name| {
            let (of, name) = name.split_once('/').unwrap_or((table, name));
            of == table && name == stage
        })
    }
}
