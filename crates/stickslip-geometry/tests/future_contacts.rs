//! Properties of the narrow phase over random poses of all pairs: the gaps are the shapes' own, their
//! rates are those of the rows, no pair that closes is left without a candidate, and none that misses is
//! stopped.

use glam::DVec3;
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Candidate, Moving, Pose, Shape, Twist};

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }
    fn pose(&mut self, spread: f64) -> Pose {
        Pose {
            position: self.vector() * spread,
            orientation: exp(self.vector() * 3.0),
        }
    }
    fn shape(&mut self) -> Shape {
        if self.roll() < 0.0 {
            Shape::Ball {
                radius: 0.4 + 0.2 * self.roll(),
            }
        } else {
            Shape::Box {
                half: DVec3::splat(0.4) + self.vector() * 0.2,
            }
        }
    }
    fn twist(&mut self, size: f64) -> Twist {
        Twist {
            linear: self.vector() * size,
            angular: self.vector() * size,
        }
    }
}

fn moving<'a>(shape: &'a Shape, start: Pose, nu: &Twist, h: f64) -> Moving<'a> {
    Moving {
        shape,
        start,
        pose: start,
        end: start.moved(nu, h),
    }
}

fn contacts(a: &Moving, b: &Moving) -> Vec<Candidate> {
    let mut out = Vec::new();
    future_contacts(a, b, &mut out);
    out
}

/// A random pair, moved along the line of centres until its separation is `gap`.
fn pair_at(dice: &mut Dice, gap: f64) -> Option<(Shape, Pose, Shape, Pose)> {
    let (a, b) = (dice.shape(), dice.shape());
    let pose_a = dice.pose(0.5);
    let away = dice.vector().try_normalize()?;
    let orientation = dice.pose(0.0).orientation;
    let at = |d: f64| Pose {
        position: pose_a.position + away * d,
        orientation,
    };
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if separation(&a, &pose_a, &b, &at(middle)) < gap {
            low = middle;
        } else {
            high = middle;
        }
    }
    let pose_b = at(high);
    Some((a, pose_a, b, pose_b))
}

#[test]
fn the_smallest_gap_is_the_separation_of_the_shapes() {
    let mut dice = Dice(1);
    let (mut worst, mut most, mut seen) = (0.0_f64, 0, 0);
    for gap in [1e-2, 1e-4, 1e-8, 1e-12, 0.0, -1e-10, -1e-6] {
        for _ in 0..2000 {
            let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, gap) else {
                continue;
            };
            // Approaching, so that the pair is a candidate at every gap.
            let nu = Twist {
                linear: (pose_a.position - pose_b.position) * 10.0,
                ..Twist::default()
            };
            let found = contacts(
                &moving(&a, pose_a, &Twist::default(), 0.01),
                &moving(&b, pose_b, &nu, 0.01),
            );
            let smallest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            let truth = separation(&a, &pose_a, &b, &pose_b);
            most = most.max(found.len());
            seen += 1;
            // Rows beside the deepest one may lie deeper along their own normal, never shallower.
            worst = worst.max(smallest - truth);
        }
    }
    assert!(seen > 13_000);
    assert!(
        worst < 1e-14,
        "a gap is larger than the separation by {worst:e}"
    );
    assert!(most <= 24, "{most} candidates for one pair");
}

#[test]
fn gaps_change_at_the_rate_of_their_rows() {
    let mut dice = Dice(2);
    let (mut worst, mut worst_of_edges, mut seen) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..20_000 {
        let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, 1e-3) else {
            continue;
        };
        let (nu_a, nu_b) = (dice.twist(1.0), dice.twist(1.0));
        let eps = 1e-7;
        let at = |s: f64| {
            let (pa, pb) = (pose_a.moved(&nu_a, s), pose_b.moved(&nu_b, s));
            // A common approach decides which rows there are; it is the same for both sides.
            let toward = Twist {
                linear: (pa.position - pb.position) * 2.0,
                ..Twist::default()
            };
            contacts(
                &moving(&a, pa, &Twist::default(), 0.01),
                &moving(&b, pb, &toward, 0.01),
            )
        };
        let (before, now, after) = (at(-eps), at(0.0), at(eps));
        for c in &now {
            // Points where an edge crosses the border of a face are not material points.
            let crossing_of_a_border = c.feature.0 >> 24 == 3 && c.feature.0 >> 20 & 3 != 0;
            let same =
                |list: &[Candidate]| list.iter().find(|k| k.feature == c.feature).map(|k| k.gap);
            let (Some(g0), Some(g1)) = (same(&before), same(&after)) else {
                continue;
            };
            if crossing_of_a_border {
                continue;
            }
            let row = c
                .normal
                .dot(nu_b.at(c.point - pose_b.position) - nu_a.at(c.point - pose_a.position));
            let error = ((g1 - g0) / (2.0 * eps) - row).abs();
            if c.feature.0 >> 24 == 3 {
                worst_of_edges = worst_of_edges.max(error);
            } else {
                worst = worst.max(error);
            }
            seen += 1;
        }
    }
    assert!(seen > 20_000, "{seen}");
    assert!(worst < 1e-5, "worst difference of rates {worst:e}");
    // Two edges that do not cross yet: the row's point is the end of the edge, and the rate is off by the
    // gap (1e-3 m here) times the turn (up to 3.5 rad/s).
    assert!(
        worst_of_edges < 4e-3,
        "worst difference of rates of edges {worst_of_edges:e}"
    );
}

#[test]
fn a_pair_that_closes_within_the_step_always_has_a_candidate() {
    let mut dice = Dice(3);
    let mut closing = 0;
    for _ in 0..100_000 {
        let (a, b) = (dice.shape(), dice.shape());
        let (pose_a, pose_b) = (dice.pose(1.5), dice.pose(1.5));
        if separation(&a, &pose_a, &b, &pose_b) < 0.0 {
            continue;
        }
        let (nu_a, nu_b) = (dice.twist(20.0), dice.twist(2.0));
        let (ma, mb) = (
            moving(&a, pose_a, &nu_a, 0.02),
            moving(&b, pose_b, &nu_b, 0.02),
        );
        if separation(&a, &ma.end, &b, &mb.end) < 0.0 {
            closing += 1;
            assert!(
                !contacts(&ma, &mb).is_empty(),
                "{a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
        }
    }
    assert!(closing > 1000, "{closing}");
}

#[test]
fn nothing_passes_through_a_thin_plate() {
    let plate = Shape::Box {
        half: DVec3::new(1.0, 1.0, 0.0005),
    };
    for bullet in [
        Shape::Ball { radius: 0.01 },
        Shape::Box {
            half: DVec3::splat(0.01),
        },
    ] {
        let start = Pose::at(DVec3::new(0.1, 0.2, 0.5));
        let nu = Twist {
            linear: DVec3::new(0.0, 0.0, -1000.0),
            ..Twist::default()
        };
        let found = contacts(
            &moving(&plate, Pose::IDENTITY, &Twist::default(), 0.01),
            &moving(&bullet, start, &nu, 0.01),
        );
        let first = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((first - 0.4895).abs() < 1e-12, "{first}");
        assert!(found.iter().all(|c| (c.normal - DVec3::Z).length() < 1e-15));
    }
}

#[test]
fn what_flies_past_is_not_stopped() {
    // Falling beside a box; two balls that miss each other by a millimetre at 100 m/s.
    let tower = Shape::Box {
        half: DVec3::new(0.5, 0.5, 1.0),
    };
    let down = Twist {
        linear: DVec3::new(0.0, 0.0, -50.0),
        ..Twist::default()
    };
    for part in [
        Shape::Ball { radius: 0.1 },
        Shape::Box {
            half: DVec3::splat(0.1),
        },
    ] {
        let start = Pose::at(DVec3::new(0.601, 0.0, 1.3));
        let found = contacts(
            &moving(&tower, Pose::IDENTITY, &Twist::default(), 0.01),
            &moving(&part, start, &down, 0.01),
        );
        for c in found {
            let closing = c.gap + c.normal.dot(down.linear) * 0.01;
            assert!(closing >= 0.0, "{part:?} would be stopped: {c:?}");
        }
    }
    let ball = Shape::Ball { radius: 0.1 };
    let fast = Twist {
        linear: DVec3::X * 100.0,
        ..Twist::default()
    };
    let found = contacts(
        &moving(&ball, Pose::IDENTITY, &Twist::default(), 0.01),
        &moving(&ball, Pose::at(DVec3::new(-0.5, 0.201, 0.0)), &fast, 0.01),
    );
    for c in found {
        assert!(c.gap + c.normal.dot(fast.linear) * 0.01 >= -1e-12, "{c:?}");
    }
}

#[test]
fn a_box_on_a_box_has_four_rows_where_they_are_alike_and_eight_where_they_are_turned() {
    let cube = Shape::Box {
        half: DVec3::splat(0.5),
    };
    let still = Twist::default();
    let on = |turn: f64| Pose {
        position: DVec3::Z,
        orientation: exp(DVec3::Z * turn),
    };
    for (turn, rows) in [(0.0, 4), (std::f64::consts::FRAC_PI_4, 8)] {
        let found = contacts(
            &moving(&cube, Pose::IDENTITY, &still, 0.01),
            &moving(&cube, on(turn), &still, 0.01),
        );
        assert_eq!(found.len(), rows, "turned by {turn}");
        for c in found {
            assert!(c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-15);
        }
    }
}
