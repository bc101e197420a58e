//! Limits of time and of work for what a thread solves, both off by default.
//!
//! Every method looks once in each of its outer iterations (a Newton step, a sweep, a pivot, a step along a path) whether a
//! limit is reached, and ends with the best it has as if it had no iterations left. Nothing goes on in the background. Without a
//! limit of time no clock is read, and answers do not depend on time; work is counted, so that a limit of work gives one answer
//! everywhere.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What is left of the work allowed.
    static WORK: Cell<Option<usize>> = const { Cell::new(None) };
    /// What is left of the work allowed from outside: no limit within lifts it.
    static ALLOWED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Limits what this thread solves as long as it lives; the limit before it holds again afterwards.
#[derive(Debug)]
pub struct Limit {
    before: (Option<Instant>, Option<usize>),
}

impl Limit {
    /// From now, for so many seconds. A limit that is already there is not prolonged; a number that is no length of time
    /// (or longer than the clock counts) limits nothing.
    #[must_use]
    pub fn seconds(seconds: f64) -> Self {
        let before = (UNTIL.get(), ALLOWED.get());
        let length = Duration::try_from_secs_f64(seconds).ok();
        let until = length.and_then(|length| Instant::now().checked_add(length));
        UNTIL.set(sooner(before.0, until));
        Self { before }
    }

    /// From now, for so much work, in contacts factored: a factorisation of a system of n contacts counts n. It ends at the same place
    /// on every machine. A limit that is already there is not prolonged.
    #[must_use]
    pub fn work(contacts: usize) -> Self {
        let before = (UNTIL.get(), ALLOWED.get());
        ALLOWED.set(sooner(before.1, Some(contacts)));
        Self { before }
    }

    /// Is the time over, or the work done?
    #[must_use]
    pub fn is_reached(&self) -> bool {
        reached()
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        UNTIL.set(self.before.0);
        ALLOWED.set(self.before.1);
    }
}

/// The limit that is reached first.
fn sooner<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Limits the work of this thread as long as it lives, in contacts factored: a factorisation of a system of n contacts counts
/// n. The limit before it holds again afterwards, less what was spent of this one.
#[derive(Debug)]
pub(crate) struct WorkLimit {
    before: Option<usize>,
    granted: Option<usize>,
}

impl WorkLimit {
    /// So much from now on; None: as much as it takes.
    pub(crate) fn of(work: Option<usize>) -> Self {
        Self {
            before: WORK.replace(work),
            granted: work,
        }
    }
}

impl Drop for WorkLimit {
    fn drop(&mut self) {
        let spent = match (self.granted, WORK.get()) {
            (Some(granted), Some(left)) => granted - left.min(granted),
            _ => 0,
        };
        WORK.set(self.before.map(|before| before.saturating_sub(spent)));
    }
}

/// Counts the factorisation of a system of so many contacts.
pub(crate) fn spend(contacts: usize) {
    for limit in [&WORK, &ALLOWED] {
        limit.set(limit.get().map(|left| left.saturating_sub(contacts)));
    }
}

/// Is a limit of this thread, if it has one, reached?
pub(crate) fn reached() -> bool {
    WORK.get() == Some(0)
        || ALLOWED.get() == Some(0)
        || UNTIL.get().is_some_and(|until| Instant::now() >= until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_and_the_limit_before_holds_again() {
        spend(10);
        assert!(!reached());
        let outer = WorkLimit::of(Some(100));
        {
            let _inner = WorkLimit::of(None);
            spend(1000);
            assert!(!reached());
        }
        {
            let _inner = WorkLimit::of(Some(50));
            spend(60);
            assert!(reached());
        }
        assert!(!reached());
        spend(49);
        assert!(!reached());
        spend(7);
        assert!(reached());
        drop(outer);
        assert!(!reached());
    }

    #[test]
    fn work_allowed_from_outside_is_not_lifted_within() {
        let outer = Limit::work(100);
        let within = WorkLimit::of(None);
        spend(60);
        assert!(!reached());
        {
            // What is spent under a smaller one counts for that only: the larger one holds again as it was.
            let inner = Limit::work(10);
            spend(10);
            assert!(inner.is_reached());
        }
        spend(39);
        assert!(!outer.is_reached());
        spend(1);
        assert!(outer.is_reached());
        drop(within);
        assert!(outer.is_reached());
        drop(outer);
        assert!(!reached());
    }

    #[test]
    fn a_limit_ends_with_its_guard_and_is_not_prolonged_by_an_inner_one() {
        assert!(!reached());
        {
            let outer = Limit::seconds(0.0);
            assert!(outer.is_reached());
            let inner = Limit::seconds(1e9);
            assert!(inner.is_reached());
            drop(inner);
            assert!(outer.is_reached());
        }
        assert!(!reached());
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(!Limit::seconds(nonsense).is_reached());
        }
    }
}
