//! A bounded number of places for peers of whom nothing is known at first.
//!
//! ```text
//! enter ─▶ waiting ── settle ──▶ settled ── drop ──▶ free
//!             └── the oldest gives way to a newcomer ──▶ evicted
//! ```
//!
//! Whoever has not shown yet that it is a client only waits, and does not keep anybody out: where all places are taken, a
//! newcomer gets the place of the one that has waited longest. A settled one is never evicted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Places of one kind; clones are the same places.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Mutex<Taken>>);

/// Invariant: `settled + waiting.len() <= max`.
#[derive(Debug)]
struct Taken {
    max: usize,
    settled: usize,
    /// By number, so the first has waited longest.
    waiting: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// A place, until it is dropped or evicted.
#[derive(Debug)]
pub(crate) struct Place {
    places: Places,
    number: u64,
    settled: bool,
    evicted: CancellationToken,
}

/// Every place is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// The place went to somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Evicted;

impl Places {
    /// So many places, all free.
    pub(crate) fn new(max: usize) -> Self {
        Self(Arc::new(Mutex::new(Taken {
            max,
            settled: 0,
            waiting: BTreeMap::new(),
            next: 0,
        })))
    }

    /// Takes a free place, or that of the one that has waited longest.
    ///
    /// # Errors
    /// There is neither.
    pub(crate) fn enter(&self) -> Result<Place, Full> {
        let mut taken = self.taken();
        let gives_way = if taken.settled + taken.waiting.len() < taken.max {
            None
        } else {
            let (_, longest) = taken.waiting.pop_first().ok_or(Full)?;
            Some(longest)
        };
        let number = taken.next;
        taken.next += 1;
        let evicted = CancellationToken::new();
        taken.waiting.insert(number, evicted.clone());
        drop(taken);
        if let Some(evicted) = gives_way {
            evicted.cancel();
        }
        Ok(Place {
            places: self.clone(),
            number,
            settled: false,
            evicted,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // No change of it stops half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Makes the place its holder's until it is dropped.
    ///
    /// # Errors
    /// It has been evicted, and has to end.
    pub(crate) fn settle(&mut self) -> Result<(), Evicted> {
        if self.settled {
            return Ok(());
        }
        let mut taken = self.places.taken();
        taken.waiting.remove(&self.number).ok_or(Evicted)?;
        taken.settled += 1;
        drop(taken);
        self.settled = true;
        Ok(())
    }

    /// Returns when the place has gone to somebody else; never once it is settled. Cancel safe.
    pub(crate) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if self.settled {
            taken.settled -= 1;
        } else {
            // One that was evicted is not in there any more.
            taken.waiting.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_has_waited_longest_gives_way() {
        let places = Places::new(2);
        let mut first = places.enter().unwrap();
        let second = places.enter().unwrap();
        let mut third = places.enter().unwrap();
        assert!(first.evicted.is_cancelled());
        assert!(!second.evicted.is_cancelled() && !third.evicted.is_cancelled());
        assert_eq!(first.settle(), Err(Evicted));
        // That the evicted one ends frees nothing.
        drop(first);
        assert_eq!(third.settle(), Ok(()));
        let mut fourth = places.enter().unwrap();
        assert!(second.evicted.is_cancelled());
        assert_eq!(fourth.settle(), Ok(()));
        assert_eq!(places.enter().unwrap_err(), Full);
        drop(third);
        assert!(places.enter().is_ok());
        assert!(!fourth.evicted.is_cancelled());
    }

    #[test]
    fn to_settle_twice_takes_one_place() {
        let places = Places::new(2);
        let mut place = places.enter().unwrap();
        assert_eq!(place.settle(), Ok(()));
        assert_eq!(place.settle(), Ok(()));
        assert!(places.enter().is_ok());
        drop(place);
        let taken = places.taken();
        assert_eq!((taken.settled, taken.waiting.len()), (0, 0));
    }

    /// Any order of entering, settling and leaving, beside a list that says what has to come out.
    #[test]
    fn the_bound_holds_and_the_settled_stay_in_any_order_of_events() {
        let mut state = 1_u64;
        // Knuth's MMIX numbers; the upper bits are the good ones.
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let (mut refused, mut evictions) = (0, 0);
        for round in 0..300 {
            let max = round % 7;
            let places = Places::new(max);
            // With each place, whether it has been evicted; the oldest is first.
            let mut held: Vec<(Place, bool)> = Vec::new();
            for _ in 0..200 {
                match random(5) {
                    0..=2 => {
                        let live = held.iter().filter(|(_, evicted)| !evicted).count();
                        let oldest = held
                            .iter()
                            .position(|(place, evicted)| !evicted && !place.settled);
                        let entered = places.enter();
                        assert_eq!(entered.is_err(), live == max && oldest.is_none());
                        refused += usize::from(entered.is_err());
                        if let Ok(place) = entered {
                            if live == max {
                                held[oldest.unwrap()].1 = true;
                                evictions += 1;
                            }
                            held.push((place, false));
                        }
                    }
                    3 if !held.is_empty() => {
                        let index = random(held.len());
                        let (place, evicted) = &mut held[index];
                        assert_eq!(place.settle().is_err(), *evicted);
                    }
                    _ if !held.is_empty() => drop(held.remove(random(held.len()))),
                    _ => {}
                }
                for (place, evicted) in &held {
                    assert_eq!(place.evicted.is_cancelled(), *evicted);
                }
                let taken = places.taken();
                let live = held.iter().filter(|(_, evicted)| !evicted).count();
                assert_eq!(taken.settled + taken.waiting.len(), live);
                assert_eq!(
                    taken.settled,
                    held.iter().filter(|(place, _)| place.settled).count()
                );
                assert!(live <= max);
            }
        }
        assert!(refused > 100 && evictions > 100, "{refused} {evictions}");
    }
}
