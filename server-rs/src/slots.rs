//! Keeps what one client has not been notified of: one slot per topic, with the newest revision (rule SYN-04).
//!
//! Pure: no clock, no socket. What must stay true: what a client costs is its number of topics, however slow it is,
//! and it is never told a revision twice or one below what it was told (rule SYN-04).

/// One client's slots, by the places of its topics.
#[derive(Debug)]
pub struct Slots(Vec<Slot>);

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    newest: Option<i64>,
    told: Option<i64>,
}

impl Slots {
    /// Slots of this many topics, of which nothing was told yet.
    pub fn new(topics: usize) -> Self {
        Self(vec![Slot::default(); topics])
    }

    /// Puts the revision of the topic at this place in, unless a newer one is there.
    pub fn offer(&mut self, at: usize, revision: i64) {
        if let Some(slot) = self.0.get_mut(at) {
            slot.newest = slot.newest.max(Some(revision));
        }
    }

    /// What is due, in the order of the topics; each counts as told once it is taken from here.
    pub fn take(&mut self) -> impl Iterator<Item = (usize, i64)> {
        self.0.iter_mut().enumerate().filter_map(|(at, slot)| {
            let due = slot.newest.filter(|_| slot.newest > slot.told)?;
            slot.told = slot.newest;
            Some((at, due))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of topics with revisions.
    type Pairs = &'static [(usize, i64)];

    /// Offers in turn, then what is due.
    fn due(slots: &mut Slots, offers: Pairs) -> Vec<(usize, i64)> {
        for (at, revision) in offers {
            slots.offer(*at, *revision);
        }
        slots.take().collect()
    }

    #[test]
    fn keeps_the_newest_of_each_topic_until_it_is_taken() {
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
    fn what_was_not_taken_stays_due() {
        let mut slots = Slots::new(2);
        slots.offer(0, 1);
        slots.offer(1, 1);
        assert_eq!(slots.take().next(), Some((0, 1)));
        slots.offer(1, 2);
        assert_eq!(slots.take().collect::<Vec<_>>(), [(1, 2)]);
    }
}
