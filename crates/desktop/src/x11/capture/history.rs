//! Which parts of a picture changed, generation by generation.

use std::collections::VecDeque;

use crate::backend::Rect;

/// Changes that are remembered. A reader that is further behind is told that all can differ.
const CHANGES_KEPT: usize = 64;

/// Rectangles that one change, or one answer, has at most; beyond that they are joined into the one around them.
const RECTS_KEPT: usize = 32;

/// The changes of one picture, newest last.
#[derive(Debug)]
pub(super) struct History {
    /// The generation that the oldest change kept was made to.
    base: u64,
    changes: VecDeque<(u64, Vec<Rect>)>,
}

impl History {
    /// Begins with a picture that nothing is known to differ from.
    pub(super) fn new(generation: u64) -> Self {
        Self {
            base: generation,
            changes: VecDeque::new(),
        }
    }

    /// The present generation.
    pub(super) fn generation(&self) -> u64 {
        self.changes
            .back()
            .map_or(self.base, |(generation, _)| *generation)
    }

    /// Notes that `rects` changed on the way to `generation`, which must be greater than any before.
    pub(super) fn record(&mut self, generation: u64, rects: Vec<Rect>) {
        if self.changes.len() == CHANGES_KEPT
            && let Some((oldest, _)) = self.changes.pop_front()
        {
            self.base = oldest;
        }
        self.changes.push_back((generation, at_most(rects)));
    }

    /// What can differ between `generation` and now; `None` where that generation is not remembered.
    pub(super) fn since(&self, generation: u64) -> Option<Vec<Rect>> {
        let known = generation == self.base || self.changes.iter().any(|(at, _)| *at == generation);
        known.then(|| {
            let later = self.changes.iter().filter(|(at, _)| *at > generation);
            at_most(later.flat_map(|(_, rects)| rects).copied().collect())
        })
    }
}

fn at_most(rects: Vec<Rect>) -> Vec<Rect> {
    if rects.len() <= RECTS_KEPT {
        return rects;
    }
    around(&rects).into_iter().collect()
}

/// The smallest rectangle that holds all of them; none where there are none.
pub(super) fn around(rects: &[Rect]) -> Option<Rect> {
    let left = rects.iter().map(|rect| rect.x).min()?;
    let top = rects.iter().map(|rect| rect.y).min()?;
    let right = rects
        .iter()
        .map(|rect| rect.x.saturating_add_unsigned(rect.w))
        .max()?;
    let bottom = rects
        .iter()
        .map(|rect| rect.y.saturating_add_unsigned(rect.h))
        .max()?;
    Some(Rect {
        x: left,
        y: top,
        w: right.abs_diff(left),
        h: bottom.abs_diff(top),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i32) -> Rect {
        Rect { x, y: 0, w: 1, h: 1 }
    }

    #[test]
    fn changes_since_a_generation_are_those_after_it() {
        let mut history = History::new(5);
        assert_eq!(history.since(5), Some(vec![]));
        history.record(7, vec![at(1)]);
        history.record(9, vec![at(2)]);
        assert_eq!(history.generation(), 9);
        assert_eq!(history.since(5), Some(vec![at(1), at(2)]));
        assert_eq!(history.since(7), Some(vec![at(2)]));
        assert_eq!(history.since(9), Some(vec![]));
        for unknown in [0, 4, 6, 8, 10, u64::MAX] {
            assert_eq!(history.since(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn what_is_long_ago_is_forgotten_and_many_become_one() {
        let mut history = History::new(0);
        for n in 1..=100 {
            history.record(n, vec![at(n as i32)]);
        }
        assert_eq!(history.since(35), None);
        assert_eq!(
            history.since(36),
            Some(vec![Rect {
                x: 37,
                y: 0,
                w: 64,
                h: 1
            }])
        );
        assert_eq!(history.since(98), Some(vec![at(99), at(100)]));
    }
}
