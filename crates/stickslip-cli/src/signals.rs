//! Signals that ask work to end: a run ends after the step at hand, and a second one ends the program at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip_console::Failure;

/// Has one come?
pub(crate) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// From now on they do not end the program by themselves.
    pub(crate) fn watch() -> Result<Self, Failure> {
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds no other before it and only leaves its mark.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&came))
                .and_then(|_| flag::register(signal, Arc::clone(&came)))
                .map_err(|e| Failure::Work(format!("signals cannot be watched: {e}")))?;
        }
        Ok(Self(came))
    }

    pub(crate) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
