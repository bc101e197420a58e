//! The step size control: how long the next step is, and what is known of the event before it.

use stickslip_model::stored;

/// Memory of the step size control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Control {
    /// Length of the next step, s; zero before the first.
    pub(super) next: f64,
    /// Inner steps done, accepted or not.
    pub(crate) inner: u64,
    /// An event is known to come by then, s; zero where none is known.
    pub(super) event_by: f64,
    /// What a step across it can be wrong by for each second of its length, m/s.
    pub(super) event_rate: f64,
    /// Length of the step that met it, s.
    pub(super) usual: f64,
    /// Collisions in a row that let no time pass.
    pub(super) stalled: usize,
    /// What events have used up of the wanted error, m.
    pub(super) spent: f64,
    /// Steps in a row of which the run would take too many.
    pub(super) crawled: usize,
}

stored!(Control {
    next,
    inner,
    event_by,
    event_rate,
    usual,
    stalled,
    spent,
    crawled
});

impl Control {
    /// A step across an event that ends at `by` can be wrong by `estimate`, and that is too much.
    pub(super) fn encloses(&mut self, by: f64, h: f64, estimate: f64) {
        if self.event_by == 0.0 {
            self.usual = h;
        }
        self.event_by = by;
        self.event_rate = estimate / h;
    }

    /// A step of length `h` across an event is accepted; it can be wrong by `estimate`.
    pub(super) fn crossed(&mut self, h: f64, estimate: f64) {
        self.next = self.usual.max(4.0 * h);
        self.spent += estimate;
        self.no_event_known();
    }

    /// The event that was enclosed is passed.
    pub(super) const fn no_event_known(&mut self) {
        (self.event_by, self.usual) = (0.0, 0.0);
    }
}
