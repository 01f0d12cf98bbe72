//! Which numbers belong together (union-find, with paths halved).

/// Sets of the numbers from 0 to below the length.
#[derive(Debug, Default)]
pub(crate) struct Unions(Vec<u32>);

impl Unions {
    /// So many sets of one number each.
    pub(crate) fn of(count: usize) -> Self {
        Self((0..).take(count).collect())
    }

    /// One more number, alone.
    pub(crate) fn add(&mut self) -> u32 {
        // There are not more of them than pixels; what does not fit goes to the last one.
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(number);
        number
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The least number of the set.
    pub(crate) fn first(&mut self, number: u32) -> u32 {
        let mut at = number;
        loop {
            let next = self.0[at as usize];
            if next == at {
                return at;
            }
            let over = self.0[next as usize];
            self.0[at as usize] = over;
            at = over;
        }
    }

    /// Makes one set of both; gives its least number.
    pub(crate) fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.first(one), self.first(other));
        let (least, most) = (one.min(other), one.max(other));
        self.0[most as usize] = least;
        least
    }
}
