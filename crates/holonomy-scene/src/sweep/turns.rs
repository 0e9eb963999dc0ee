//! Points of a sweep side by side, as many as there is memory for.
//!
//! All of them share one budget ([`memory::Shared`]). A point that finds too little left is run
//! once more when no other is, with all of the budget for itself; only what does not even fit then
//! is refused. So which points are refused does not depend on how many run at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};

use rayon::ThreadPool;

use crate::memory::Shared;
use crate::{Error, memory};

/// Where a point runs.
pub(super) struct Place<'a, Kept> {
    /// What the last point that ran here left for the next.
    pub kept: &'a mut Option<Kept>,
    /// Whether no other runs now.
    pub alone: bool,
}

/// Runs all `items`, up to `at_once` at a time, and gives what came of them in their order. `run`
/// is to return [`Error::TooLarge`] of one that has no room beside others.
///
/// # Errors
/// The first that `run` returns, and threads that cannot be started.
pub(super) fn run_all<Kept: Send, Done: Send>(
    pool: &ThreadPool,
    at_once: usize,
    items: &[usize],
    run: impl Fn(usize, Place<Kept>) -> Result<Done, Error> + Sync,
) -> Result<Vec<Done>, Error> {
    let at_once = at_once.clamp(1, items.len().max(1));
    let budget = memory::free_for(at_once);
    let kept: Vec<Mutex<Option<Kept>>> = (0..at_once).map(|_| Mutex::new(None)).collect();
    // Those beside each other hold it for reading, one that is alone for writing. Waiting is left
    // to threads of their own: a thread of the pool may be asked to run one point within another,
    // which would then wait for itself.
    let others = RwLock::new(());
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<(usize, Result<Done, Error>)>> = Mutex::new(Vec::with_capacity(items.len()));
    let attempt = |slot: usize, item: usize, alone: bool| {
        let mut kept = locked(&kept[slot]);
        let kept: &mut Option<Kept> = &mut kept;
        pool.install(|| budget.within(slot, || run(item, Place { kept, alone })))
    };
    let one = |slot: usize, item: usize| {
        let beside = others.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        match attempt(slot, item, at_once == 1) {
            Err(Error::TooLarge { .. }) => drop(beside),
            finished => return finished,
        }
        let _alone = others.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        empty(&kept, &budget);
        attempt(slot, item, true)
    };
    let work = |slot: usize| {
        while !failed.load(Ordering::SeqCst) {
            let i = next.fetch_add(1, Ordering::SeqCst);
            let Some(&item) = items.get(i) else { break };
            let finished = one(slot, item);
            if finished.is_err() {
                failed.store(true, Ordering::SeqCst);
            }
            locked(&done).push((i, finished));
        }
    };
    let work = &work;
    std::thread::scope(|scope| {
        let start = |slot| std::thread::Builder::new().spawn_scoped(scope, move || work(slot));
        // One that can be started is enough.
        let started: Vec<_> = (0..at_once).map(start).collect();
        match started.into_iter().collect::<Result<Vec<_>, _>>() {
            Err(error) if next.load(Ordering::SeqCst) == 0 => {
                failed.store(true, Ordering::SeqCst);
                Err(Error::Choice(format!("cannot start {at_once} threads: {error}\n  fix: use fewer")))
            }
            _ => Ok(()),
        }
    })?;
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, finished)| finished).collect()
}

/// Frees what was kept for next points, and the memory that was held for it.
fn empty<Kept>(kept: &[Mutex<Option<Kept>>], budget: &Shared) {
    kept.iter().for_each(|kept| *locked(kept) = None);
    budget.release_all();
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs items that need so much of a budget of 10, and says which were refused, and how many
    /// ran at a time at most.
    fn refused(needs: &[u64], at_once: usize) -> (Vec<usize>, usize) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build().unwrap();
        let items: Vec<usize> = (0..needs.len()).collect();
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let run = |item: usize, place: Place<()>| match memory::ensure(needs[item] << 50, String::new, "") {
            Err(error) if !place.alone => Err(error),
            Err(_) => Ok(Some(item)),
            Ok(()) => {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(2));
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(None)
            }
        };
        let refused = memory::with_free(10 << 50, || run_all(&pool, at_once, &items, run)).unwrap();
        (refused.into_iter().flatten().collect(), most.into_inner())
    }

    /// Each looked at what was free for itself: several at a time did not fit that fitted one after
    /// the other, and failed.
    #[test]
    fn what_fits_alone_is_run_however_many_run_at_a_time() {
        let needs = [3, 6, 11, 2, 9, 10, 1, 6, 12, 4, 4, 4];
        for at_once in [1, 2, 3, 8] {
            let (refused, most) = refused(&needs, at_once);
            assert_eq!(refused, [2, 8], "{at_once} at a time");
            assert!(most <= at_once, "{most}");
        }
        // And no more of them at a time than there is room for.
        assert_eq!(refused(&[10; 6], 4), (vec![], 1));
    }
}
