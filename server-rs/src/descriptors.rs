//! Divides the process's file descriptors between its parts (rule HTT-12).
//!
//! Invariant: the plan reserves descriptors for the store and the runtime. When descriptors run out, the server
//! refuses connections and nothing else fails.

use std::sync::LazyLock;

use crate::contract::{LIMITS, TUNING};
use crate::platform::raise_descriptor_limit;

/// The descriptors of each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Largest number of concurrent client connections.
    pub connections: usize,
    /// Refused connections that wait until the client reads the refusal.
    pub refusals: usize,
    /// Database connections for reading.
    pub readers: usize,
}

/// Returns the number of readers for this `--max-metadata-bytes`. Each may hold a page of megabytes (rule GET-10).
pub fn readers_for(plan: &Plan, max_metadata_bytes: usize) -> usize {
    let is_large = max_metadata_bytes > TUNING.large_metadata_bytes;
    if is_large { plan.readers.min(TUNING.least_readers) } else { plan.readers }
}

/// The plan of this process.
pub static PLAN: LazyLock<Plan> = LazyLock::new(|| plan(raise_descriptor_limit()));

/// Returns the plan for a descriptor limit; `None` means no limit.
pub fn plan(limit: Option<u64>) -> Plan {
    let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(LIMITS.reserved_descriptors));
    let connections = usize::try_from(left).unwrap_or(usize::MAX).min(LIMITS.connections);
    if connections < LIMITS.least_connections {
        return Plan { connections: LIMITS.least_connections, refusals: 0, readers: TUNING.least_readers };
    }
    Plan { connections, refusals: TUNING.lingering_refusals, readers: TUNING.readers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_reserves_descriptors_for_the_store() {
        let full = |connections| Plan { connections, refusals: 16, readers: 4 };
        let least = Plan { connections: 4, refusals: 0, readers: 2 };
        for (limit, expected) in [
            (None, full(1024)),
            (Some(1 << 20), full(1024)),
            (Some(1120), full(1024)),
            (Some(1024), full(928)),
            (Some(100), full(4)),
            (Some(99), least),
            (Some(64), least),
            (Some(0), least),
        ] {
            assert_eq!(plan(limit), expected, "{limit:?}");
        }
    }
}
