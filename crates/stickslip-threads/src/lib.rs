//! Threads that a piece of work may be divided among, with the same bits on any number.
//!
//! A thread works alone unless it was allowed more ([`Allowed`]): no number goes through every method. What is divided is a list
//! of parts ([`each`]), each of them done by one thread and left in its place. Which thread does which part is chance; whoever
//! divides sees to it that no part depends on another, and puts results together in the order of the parts.
//!
//! Helpers belong to the thread that divides: they sleep until there is work, and end with it. It never waits for one that has not begun:
//! on a machine that others use too, what nobody has taken it does itself.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::cell::{Cell, RefCell};
use std::sync::{Mutex, PoisonError};

/// Most threads that are ever used.
pub const MOST: usize = 1024;

thread_local! {
    static ALLOWED: Cell<usize> = const { Cell::new(1) };
    /// The helpers of this thread, itself among them, once it has needed them.
    static HELPERS: RefCell<Option<ThreadPool>> = const { RefCell::new(None) };
}

/// What this thread does may be divided among so many threads, itself among them, as long as this lives; what was allowed before
/// holds again afterwards.
#[derive(Debug)]
#[must_use]
pub struct Allowed {
    before: usize,
}

impl Allowed {
    /// From now on.
    pub fn threads(threads: usize) -> Self {
        Self {
            before: ALLOWED.replace(threads.clamp(1, MOST)),
        }
    }
}

impl Drop for Allowed {
    fn drop(&mut self) {
        ALLOWED.set(self.before);
    }
}

/// On how many threads this one may divide its work.
#[must_use]
pub fn allowed() -> usize {
    ALLOWED.get()
}

/// Has this thread helpers? They are found when they are first needed: those of the pool it works in, or as many as there are cores, or as are
/// allowed now if that is more. False where the system has no threads to give.
fn has_helpers() -> bool {
    if rayon_core::current_thread_index().is_some() {
        return true;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = ThreadPoolBuilder::new()
        .num_threads(cores.max(allowed()))
        .thread_name(|k| format!("stickslip {k}"))
        .use_current_thread()
        .build();
    let found = pool.is_ok();
    HELPERS.set(pool.ok());
    found
}

/// Parts for each thread: whoever has done one takes the next.
const PARTS: usize = 4;

/// How many parts to make of so many things, none of them with much fewer than `least`; one for who works alone.
#[must_use]
pub fn parts(things: usize, least: usize) -> usize {
    match allowed() {
        1 => 1,
        threads => (things / least.max(1)).clamp(1, PARTS * threads),
    }
}

/// Does `work` on each of the parts, which it is given with their numbers, on as many threads as are allowed. Parts are begun in their
/// order; whoever does one works alone.
pub fn each<T: Send>(parts: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    let helpers = allowed().min(parts.len()).saturating_sub(1);
    if helpers == 0 || !has_helpers() {
        for (k, part) in parts.iter_mut().enumerate() {
            work(k, part);
        }
        return;
    }
    let queue = Mutex::new(parts.iter_mut().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        while let Some((k, part)) = next() {
            work(k, part);
        }
    };
    rayon_core::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| take());
        }
        let _alone = Allowed::threads(1);
        take();
    });
}

/// Makes `out` the list of what `make` gives for 0..n, in this order, on as many threads as are allowed; parts of it have about `least`
/// things or more.
pub fn fill<T: Clone + Default + Send>(
    out: &mut Vec<T>,
    n: usize,
    least: usize,
    make: impl Fn(usize) -> T + Sync,
) {
    out.clear();
    let parts = parts(n, least);
    if parts == 1 {
        out.extend((0..n).map(make));
        return;
    }
    out.resize(n, T::default());
    let share = n.div_ceil(parts);
    let mut runs: Vec<&mut [T]> = out.chunks_mut(share).collect();
    each(&mut runs, |k, run| {
        for (i, target) in run.iter_mut().enumerate() {
            *target = make(k * share + i);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_holds_as_long_as_its_guard() {
        assert_eq!(allowed(), 1);
        let outer = Allowed::threads(3);
        assert_eq!(allowed(), 3);
        {
            let _inner = Allowed::threads(0);
            assert_eq!(allowed(), 1);
        }
        assert_eq!(allowed(), 3);
        let elsewhere = std::thread::spawn(allowed).join();
        assert_eq!(elsewhere.ok(), Some(1));
        drop(outer);
        assert_eq!(allowed(), 1);
    }

    #[test]
    fn every_part_is_done_once_and_nobody_divides_further() {
        for threads in [1, 2, 3, 8] {
            let _allowed = Allowed::threads(threads);
            for n in [0, 1, 2, 7, 100] {
                let mut parts = vec![0; n];
                each(&mut parts, |k, part| {
                    assert!(n < 2 || threads == 1 || allowed() == 1);
                    *part += k + 1;
                });
                let wanted: Vec<usize> = (1..=n).collect();
                assert_eq!(parts, wanted);
            }
            assert_eq!(allowed(), threads);
        }
    }

    #[test]
    fn lists_are_filled_in_order() {
        let mut list = vec![7; 3];
        for threads in [1, 2, 5] {
            let _allowed = Allowed::threads(threads);
            for n in [0, 1, 10, 1000] {
                fill(&mut list, n, 3, |k| 2 * k);
                let wanted: Vec<usize> = (0..n).map(|k| 2 * k).collect();
                assert_eq!(list, wanted);
            }
        }
    }

    #[test]
    fn who_works_alone_makes_one_part() {
        assert_eq!(parts(1000, 1), 1);
        let _allowed = Allowed::threads(2);
        let made = [0, 9, 10, 19, 20, 1000].map(|n| parts(n, 10));
        assert_eq!(made, [1, 1, 1, 1, 2, 8]);
    }

    #[test]
    fn a_panic_of_a_helper_is_not_lost() {
        let _allowed = Allowed::threads(4);
        let panics = std::panic::catch_unwind(|| {
            each(&mut [0; 16], |k, _| assert!(k != 9, "the ninth"));
        });
        assert!(panics.is_err());
        assert_eq!(allowed(), 4);
    }
}
