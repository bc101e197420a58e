//! The table of last resorts.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::{Begin, LARGE, NEAR, SMALL, Stage, Table};
use crate::auto::profile::Need::{MoreThan, Not, ScalesApart, Smooth, Steeper, Step, UpTo};
use crate::engines::homotopy::HomotopySettings;
use crate::problem::residual::STEEP;
use glam::DVec3;

/// Most contacts for which stages are tried that take many times as long as the others together. (No figure.)
const FEWEST: usize = 6;
/// Sweeps of Gauss-Seidel among the last stages. (No figure.)
const LATE_SWEEPS: usize = 250;
/// Factor between the scales of impulses from which on both are tried. (No figure.)
const APART: f64 = 30.0;
/// First compliance of the proximal method from impulses that are not nearly right. (No figure.)
const FAR: f64 = 1.0;

/// What is left: slow, and needed seldom.
pub const LAST: Table = Table {
    name: "last",
    patches: false,
    stages: &[
        heavy("heavy-newton", |c, p| c.newton_by_heavy_bodies(p)),
        heavy("heavy-interior-point", |c, p| c.interior_by_heavy_bodies(p)),
        heavy("heavy-homotopy", |c, p| c.homotopy_by_heavy_bodies(p)),
        heavy("heavy-proximal", |c, p| c.proximal_by_heavy_bodies(p)),
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
            name: "proximal-far",
            when: &[Not(&[Smooth])],
            from: Begin::Best,
            run: |chain, p| chain.proximal(FAR, p),
            rule: false,
            why: "pyramids and discs have no paths; more compliance at first, for impulses that are not nearly right",
        },
        Stage {
            name: "proximal-again",
            when: &[Not(&[Smooth]), MoreThan(LARGE)],
            from: Begin::Last,
            run: |chain, p| chain.proximal(FAR, p),
            rule: false,
            why: "the same from where it stalled, compliant anew: planar piles of 18 to 22 rows that collapse on pyramids, one of them unsolved without",
        },
        Stage {
            name: "proximal-with-paths",
            when: &[Smooth],
            from: Begin::Best,
            run: |chain, p| chain.proximal_with_paths(NEAR, p),
            rule: false,
            why: "where Newton fails on a compliant problem its path is followed: the compliance bounds its stiffness",
        },
        Stage {
            name: "sweeps-250",
            when: &[],
            from: Begin::Best,
            run: |chain, p| chain.sweeps_then_newton(LATE_SWEEPS, p),
            rule: false,
            why: "Gauss-Seidel gets somewhere from everywhere, and Newton finishes: nine of 20,000 random problems, all of which later stages answer too",
        },
        Stage {
            name: "homotopy-more-paths",
            when: &[Smooth, MoreThan(SMALL), UpTo(LARGE)],
            from: Begin::Best,
            run: |chain, p| chain.homotopy(&HomotopySettings::ALL_PATHS, p),
            rule: false,
            why: "all paths, where there are too many contacts for the stages below",
        },
        Stage {
            name: "pyramids-8",
            when: &[Smooth, UpTo(FEWEST)],
            from: Begin::Scratch,
            run: |chain, p| chain.pyramids(p),
            rule: false,
            why: "a start from Lemke's answer on pyramids of eight directions: 21 of 20,000 random problems",
        },
        Stage {
            name: "friction-from-one",
            when: &[Smooth, UpTo(FEWEST), Step, Steeper(STEEP)],
            from: Begin::Last,
            run: |chain, p| chain.by_friction(p),
            rule: false,
            why: "steep cones from μ = 1 to the true ones: with the law measured by its parts, 10 of 20,000 random problems with \
              μ up to 1e6 are left, 708 before",
        },
    ],
};

const fn heavy(name: &'static str, run: fn(&mut Chain<'_>, &mut Vec<DVec3>) -> Verdict) -> Stage {
    Stage {
        name,
        when: &[Smooth, ScalesApart(APART)],
        from: Begin::Best,
        run,
        rule: false,
        why: "masses over decades: impulses measured by the heavy bodies; Newton finishes on the natural scale",
    }
}
