//! Decides which chunks of the bucket belong to no upload any more (rule CLU-17). Pure.
//!
//! A kill in the middle of an upload leaves chunks that no object names. So does an upload that is in progress. Only time
//! tells the two apart.

use std::collections::HashMap;

/// Chunks without an object, and when this server saw them first.
#[derive(Debug, Default)]
pub struct Leftovers {
    seen: HashMap<String, u64>,
}

impl Leftovers {
    /// Takes the chunks that have no object now; returns those that had none for `most_ms`.
    pub fn overdue(&mut self, found: &[String], now_ms: u64, most_ms: u64) -> Vec<String> {
        let first = |id: &String| self.seen.get(id).copied().unwrap_or(now_ms);
        self.seen = found.iter().map(|id| (id.clone(), first(id))).collect();
        let is_overdue = |id: &&String| self.seen.get(*id).is_some_and(|first| now_ms - first >= most_ms);
        found.iter().filter(is_overdue).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_overdue_once_they_had_no_object_for_long() {
        let mut leftovers = Leftovers::default();
        let ids = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(leftovers.overdue(&ids(&["a", "b"]), 1000, 100), ids(&[]));
        assert_eq!(leftovers.overdue(&ids(&["a", "c"]), 1099, 100), ids(&[]));
        // The object of b came meanwhile, so a later leftover of this id is new.
        assert_eq!(leftovers.overdue(&ids(&["c", "a", "b"]), 1100, 100), ids(&["a"]));
        assert_eq!(leftovers.overdue(&ids(&["c", "b"]), 1199, 100), ids(&["c"]));
        assert_eq!(leftovers.overdue(&ids(&["b"]), 1200, 100), ids(&["b"]));
    }
}
