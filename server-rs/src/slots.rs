//! Keeps unreported revisions of one client's topics: the newest revision of each topic (rule SYN-04).
//!
//! Pure: no clock, no socket. Invariants: the memory of a client depends only on the number of its topics. A
//! client never receives the same revision twice, and never a lower one (rule SYN-04).

/// One client's revisions, by the positions of its topics.
#[derive(Debug)]
pub struct Slots(Vec<Slot>);

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    newest: Option<i64>,
    reported: Option<i64>,
}

impl Slots {
    /// Creates the revisions of this many topics, none reported yet.
    pub fn new(topics: usize) -> Self {
        Self(vec![Slot::default(); topics])
    }

    /// Records the revision of the topic at this position, unless a newer one is recorded.
    pub fn offer(&mut self, at: usize, revision: i64) {
        if let Some(slot) = self.0.get_mut(at) {
            slot.newest = slot.newest.max(Some(revision));
        }
    }

    /// Returns the due topics in order; each counts as reported once it is taken.
    pub fn take(&mut self) -> impl Iterator<Item = (usize, i64)> {
        self.0.iter_mut().enumerate().filter_map(|(at, slot)| {
            let due = slot.newest.filter(|_| slot.newest > slot.reported)?;
            slot.reported = slot.newest;
            Some((at, due))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of topics with revisions.
    type Pairs = &'static [(usize, i64)];

    /// Records the offers in turn, then returns the due topics.
    fn due(slots: &mut Slots, offers: Pairs) -> Vec<(usize, i64)> {
        for (at, revision) in offers {
            slots.offer(*at, *revision);
        }
        slots.take().collect()
    }

    #[test]
    fn slots_keep_the_newest_revision_of_each_topic_until_it_is_taken() {
        let mut slots = Slots::new(3);
        let table: [(Pairs, Pairs); 8] = [
            (&[], &[]),
            (&[(1, 0), (0, 5)], &[(0, 5), (1, 0)]),
            (&[(1, 0), (0, 5)], &[]),
            (&[(0, 6), (0, 9), (0, 7)], &[(0, 9)]),
            (&[(0, 8)], &[]),
            (&[(2, 1), (1, 1)], &[(1, 1), (2, 1)]),
            (&[(3, 1)], &[]),
            (&[(2, i64::MAX)], &[(2, i64::MAX)]),
        ];
        for (offers, expected) in table {
            assert_eq!(due(&mut slots, offers), expected, "{offers:?}");
        }
    }

    #[test]
    fn a_revision_that_is_not_taken_stays_due() {
        let mut slots = Slots::new(2);
        slots.offer(0, 1);
        slots.offer(1, 1);
        assert_eq!(slots.take().next(), Some((0, 1)));
        slots.offer(1, 2);
        assert_eq!(slots.take().collect::<Vec<_>>(), [(1, 2)]);
    }
}
