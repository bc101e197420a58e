//! The table of last resorts.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::last::Scale;
use crate::auto::plans::{Begin, LARGE, NEAR, SMALL, Stage, Table};
use crate::auto::profile::Need::{
    self, MassesApart, MoreThan, ScalesApart, Smooth, Steeper, Step, UpTo,
};
use crate::engines::homotopy::HomotopySettings;
use crate::problem::residual::STEEP;
use glam::DVec3;

/// Most contacts for which all combinations of modes are tried: 6⁶ are 46,656.
const MAX_MODE_CONTACTS: usize = 6;
/// Factor between the scales of impulses from which on both are tried.
const APART: f64 = 30.0;
/// First compliance of the proximal method from impulses that are not nearly right. (No figure.)
const FAR: f64 = 1.0;

/// What is left: slow, and needed seldom.
pub const LAST: Table = Table {
    name: "last",
    stages: &[
        heavy("heavy-newton", |c, p| c.newton_on(Scale::HEAVY, p)),
        heavy("heavy-interior-point", |c, p| {
            c.interior_on(Scale::HEAVY, p)
        }),
        heavy("heavy-homotopy", |c, p| c.homotopy_on(Scale::HEAVY, p)),
        heavy("heavy-proximal", |c, p| c.proximal_on(Scale::HEAVY, p)),
        heavy("between-newton", |c, p| c.newton_on(Scale::BETWEEN, p)),
        heavy("between-interior-point", |c, p| {
            c.interior_on(Scale::BETWEEN, p)
        }),
        heavy("between-homotopy", |c, p| c.homotopy_on(Scale::BETWEEN, p)),
        heavy("between-proximal", |c, p| c.proximal_on(Scale::BETWEEN, p)),
        Stage {
            name: "homotopy-all-paths",
            when: &[Smooth, MoreThan(LARGE)],
            from: Begin::Table,
            run: |chain, p| chain.homotopy(&HomotopySettings::ALL_PATHS, p),
            rule: false,
            why: "large piles without symmetry: where one path turns back, another may not",
        },
        Stage {
            name: "homotopy",
            when: &[Smooth, UpTo(LARGE)],
            from: Begin::Table,
            run: |chain, p| chain.homotopy(&HomotopySettings::ONE_PATH, p),
            rule: false,
            why: "passes the folds that stop the interior point; fewer contacts have other stages before all paths are tried",
        },
        Stage {
            name: "proximal-from-path",
            when: &[Smooth],
            from: Begin::Last,
            run: |chain, p| chain.proximal(NEAR, p),
            rule: false,
            why: "the end of the path may be nearly right",
        },
        Stage {
            name: "proximal-far",
            when: &[],
            from: Begin::Best,
            run: |chain, p| chain.proximal(FAR, p),
            rule: false,
            why: "more compliance at first, for impulses that are not nearly right",
        },
        Stage {
            name: "proximal-with-paths",
            when: &[Smooth],
            from: Begin::Best,
            run: |chain, p| chain.proximal_with_paths(NEAR, p),
            rule: false,
            why: "where Newton fails on a compliant problem its path is followed: the compliance bounds its stiffness",
        },
        sweeps("sweeps-50", Begin::Best, |c, p| c.sweeps_then_newton(50, p)),
        sweeps("sweeps-250", Begin::Sweeps, |c, p| {
            c.sweeps_then_newton(200, p)
        }),
        sweeps("sweeps-1250", Begin::Sweeps, |c, p| {
            c.sweeps_then_newton(1000, p)
        }),
        sweeps("sweeps-6250", Begin::Sweeps, |c, p| {
            c.sweeps_then_newton(5000, p)
        }),
        Stage {
            name: "homotopy-more-paths",
            when: &[Smooth, MoreThan(SMALL), UpTo(LARGE)],
            from: Begin::Best,
            run: |chain, p| chain.homotopy(&HomotopySettings::ALL_PATHS, p),
            rule: false,
            why: "all paths, where there are too many contacts for the stages below",
        },
        pyramids(
            "pyramids-8",
            "a start from Lemke's answer on pyramids of eight directions",
        ),
        pyramids("pyramids-16", PYRAMIDS_AGAIN),
        pyramids("pyramids-32", PYRAMIDS_AGAIN),
        Stage {
            name: "modes",
            when: FEWEST,
            from: Begin::Best,
            run: |chain, p| chain.modes(p),
            rule: false,
            why: "every combination of open, stick and slide, on pyramids of eight directions in place of the cones",
        },
        Stage {
            name: "friction-from-one",
            when: &[Smooth, UpTo(MAX_MODE_CONTACTS), Step, Steeper(STEEP)],
            from: Begin::Last,
            run: |chain, p| chain.by_friction(p),
            rule: false,
            why: "steep cones from μ = 1 to the true ones: with the law measured by its parts, 10 of 20,000 random problems with \
              μ up to 1e6 are left, 708 before",
        },
        Stage {
            name: "masses-from-equal",
            when: &[Smooth, UpTo(MAX_MODE_CONTACTS), Step, MassesApart(APART)],
            from: Begin::Last,
            run: |chain, p| chain.by_masses(p),
            rule: false,
            why: "masses over decades from equal ones to the true ones",
        },
    ],
};

const FEWEST: &[Need] = &[Smooth, UpTo(MAX_MODE_CONTACTS)];

const PYRAMIDS_AGAIN: &str = "meant for more directions; as it stands it repeats the row before, for the laws that it would \
                              change are pyramids by then";

const fn heavy(name: &'static str, run: fn(&mut Chain<'_>, &mut Vec<DVec3>) -> Verdict) -> Stage {
    Stage {
        name,
        when: &[Smooth, ScalesApart(APART)],
        from: Begin::Best,
        run,
        rule: false,
        why: "masses over decades: impulses measured by the heavy bodies, or half way; Newton finishes on the natural scale",
    }
}

const fn sweeps(
    name: &'static str,
    from: Begin,
    run: fn(&mut Chain<'_>, &mut Vec<DVec3>) -> Verdict,
) -> Stage {
    Stage {
        name,
        when: &[],
        from,
        run,
        rule: false,
        why: "Gauss-Seidel in growing portions, Newton after each",
    }
}

const fn pyramids(name: &'static str, why: &'static str) -> Stage {
    Stage {
        name,
        when: FEWEST,
        from: Begin::Scratch,
        run: |chain, p| chain.pyramids(p),
        rule: false,
        why,
    }
}
