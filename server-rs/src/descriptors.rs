//! Shares out the process's file descriptors (rule HTT-12).
//!
//! Invariant: descriptors for the store and the runtime are kept back, so that only connections are refused when
//! descriptors are short.

use std::sync::LazyLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::contract::LIMITS;

/// What the process may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Connections of clients at the same time.
    pub connections: usize,
    /// Refused connections that wait for their clients to read the refusal.
    pub refusals: usize,
    /// Reading connections to the database.
    pub readers: usize,
}

/// The plan of this process.
pub static PLAN: LazyLock<Plan> = LazyLock::new(|| plan(raise_limit()));

/// The plan for a limit of descriptors; `None` is no limit.
pub fn plan(limit: Option<u64>) -> Plan {
    let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(LIMITS.reserved_descriptors));
    let connections = usize::try_from(left).unwrap_or(usize::MAX).min(LIMITS.connections);
    if connections < LIMITS.least_connections {
        return Plan { connections: LIMITS.least_connections, refusals: 0, readers: LIMITS.least_readers };
    }
    Plan { connections, refusals: LIMITS.lingering_refusals, readers: LIMITS.readers }
}

/// Raises the soft limit to the hard limit, as Node does by itself. The limit that holds from now on.
fn raise_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // A system may refuse the hard limit where it is infinite; the soft limit holds then.
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(_) => current,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_descriptors_back() {
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
