//! The picture of a convergence study: errors over the step, on logarithmic axes.

use stickslip::dynamics::converge::Study;
use stickslip_plot::{Axis, Plot};

/// Distance of each run from Richardson's value over h, with what that value is not sure of and the slope it assumes.
#[must_use]
pub fn order_plot(s: &Study) -> Plot {
    let errors: Vec<(f64, f64)> = s
        .rungs
        .iter()
        .map(|r| (r.h, (r.value - s.extrapolated).abs()))
        .filter(|e| e.1 > 0.0)
        .collect();
    let bars: Vec<(f64, f64, f64)> = errors.iter().map(|&(h, e)| (h, e, s.uncertainty)).collect();
    let (first, last) = (s.rungs[0].h, s.rungs[s.rungs.len() - 1].h);
    let guide = |h: f64| s.bar.step * whole_power(h / first, s.order);
    Plot::new(format!("{} against the step", s.quantity.name()))
        .x(Axis::log("step h", "s"))
        .y(Axis::log(
            "distance from Richardson's value",
            s.quantity.unit(),
        ))
        .line("observed", &errors)
        .error_bars("what Richardson's value is not sure of", &bars)
        .line(
            &format!("slope {}", s.order),
            &[(first, guide(first)), (last, guide(last))],
        )
        .dashed()
}

/// x to a whole power.
fn whole_power(x: f64, power: f64) -> f64 {
    (0..power as u32).fold(1.0, |y, _| y * x)
}
