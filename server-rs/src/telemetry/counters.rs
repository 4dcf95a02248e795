//! Counts what agents send (rule OTL-11).
//!
//! Memory is bounded by the agents of `agents.json`, one entry for all others, and the list of reasons.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::contract::LIMITS;
use crate::telemetry::agents::{AGENTS, Agent};
use crate::telemetry::otlp::{REASONS, Signal};
use crate::timestamp::format_timestamp;

/// Reasons to reject a record, in the order of `otlp.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is said by its name")]
pub enum Reason {
    UnknownAgent,
    UnknownEvent,
    NoSession,
    TooLarge,
    Invalid,
}

const REASON_COUNT: usize = 5;
/// The agent type of records from unknown agents.
const UNKNOWN: &str = "unknown";

/// Counts of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is said by its name")]
pub struct AgentTally {
    pub logs: u64,
    pub spans: u64,
    pub points: u64,
    pub stored: u64,
    pub duplicates: u64,
    pub noise: u64,
    ignored: [u64; REASON_COUNT],
}

/// Counts of a request, by the indices of its agents; the last entry counts all others.
#[derive(Debug, Clone)]
pub struct Tally {
    agents: Vec<AgentTally>,
}

impl Tally {
    /// Starts with zero counts.
    pub fn new() -> Self {
        Self { agents: vec![AgentTally::default(); AGENTS.len() + 1] }
    }

    /// Returns the counts of an agent.
    pub fn of(&mut self, agent: Option<&Agent>) -> &mut AgentTally {
        let place = agent.map_or(AGENTS.len(), |agent| agent.place);
        &mut self.agents[place]
    }

    /// Returns the rejected records by reason, without reasons that did not occur.
    pub fn rejected(&self) -> Vec<(&'static str, u64)> {
        let sum = |place: usize| self.agents.iter().map(|agent| agent.ignored[place]).sum();
        let reasons = REASONS.iter().enumerate().map(|(place, reason)| (*reason, sum(place)));
        reasons.filter(|(_, count)| *count > 0).collect()
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentTally {
    /// Counts records of a signal.
    pub fn count(&mut self, signal: Signal, records: u64) {
        match signal {
            Signal::Logs => self.logs += records,
            Signal::Metrics => self.points += records,
            Signal::Spans => self.spans += records,
        }
    }

    /// Counts a record that was rejected.
    pub fn ignore(&mut self, reason: Reason) {
        self.ignored[reason as usize] += 1;
    }

    fn is_empty(&self) -> bool {
        self.logs + self.spans + self.points == 0
    }

    fn add(&mut self, other: &Self) {
        self.logs += other.logs;
        self.spans += other.spans;
        self.points += other.points;
        self.stored += other.stored;
        self.duplicates += other.duplicates;
        self.noise += other.noise;
        self.ignored.iter_mut().zip(other.ignored).for_each(|(sum, count)| *sum += count);
    }

    fn json(&self, agent_type: &str, last_at: i64) -> Value {
        let reasons = REASONS.iter().zip(self.ignored).filter(|(_, count)| *count > 0);
        let ignored: Map<String, Value> =
            reasons.map(|(reason, count)| ((*reason).to_owned(), count.into())).collect();
        json!({
            "agent_type": agent_type,
            "last_at": format_timestamp(last_at),
            "logs": self.logs,
            "spans": self.spans,
            "points": self.points,
            "stored": self.stored,
            "duplicates": self.duplicates,
            "noise": self.noise,
            "ignored": ignored,
        })
    }
}

/// Counts of all agents since the start.
#[derive(Debug)]
pub struct Counters {
    grpc_connections: AtomicU64,
    /// Requests without a record.
    without_records: AtomicU64,
    /// Requests at paths that are almost addresses, and the newest of these paths.
    wrong_paths: Mutex<(u64, Option<String>)>,
    /// The time of each agent's last request, and its counts.
    agents: Mutex<Vec<(i64, AgentTally)>>,
}

impl Counters {
    /// Starts with zero counts.
    pub fn new() -> Self {
        let agents = vec![(0, AgentTally::default()); AGENTS.len() + 1];
        Self {
            grpc_connections: AtomicU64::new(0),
            without_records: AtomicU64::new(0),
            wrong_paths: Mutex::new((0, None)),
            agents: Mutex::new(agents),
        }
    }

    /// Counts a connection of gRPC; returns whether it is the first one (rule OTL-12).
    pub fn count_grpc(&self) -> bool {
        self.grpc_connections.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Counts a request at a path that is almost an address; returns whether it is the first one (rule OTL-13).
    pub fn count_wrong_path(&self, path: &str) -> bool {
        let mut wrong_paths = self.wrong_paths.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = path.get(..LIMITS.shown_bytes).unwrap_or(path);
        *wrong_paths = (wrong_paths.0 + 1, Some(shown.to_owned()));
        wrong_paths.0 == 1
    }

    /// Adds an answered request; returns whether it is the first one without a record (rule OTL-14).
    pub fn add(&self, tally: &Tally, now_ms: i64) -> bool {
        if tally.agents.iter().all(AgentTally::is_empty) {
            return self.without_records.fetch_add(1, Ordering::Relaxed) == 0;
        }
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        for ((last_at, sum), sent) in agents.iter_mut().zip(&tally.agents) {
            if !sent.is_empty() {
                *last_at = now_ms;
                sum.add(sent);
            }
        }
        false
    }

    /// Returns the member `telemetry` of the health answer.
    pub fn json(&self) -> Value {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let names = AGENTS.iter().map(|agent| &*agent.spec.agent_type).chain([UNKNOWN]);
        let sent = names.zip(agents.iter()).filter(|(_, (_, tally))| !tally.is_empty());
        let agents: Vec<Value> = sent.map(|(name, (last_at, tally))| tally.json(name, *last_at)).collect();
        let (wrong_paths, last) = self.wrong_paths.lock().unwrap_or_else(PoisonError::into_inner).clone();
        json!({
            "grpc_connections": self.grpc_connections.load(Ordering::Relaxed),
            "wrong_paths": wrong_paths,
            "last_wrong_path": last,
            "without_records": self.without_records.load(Ordering::Relaxed),
            "agents": agents,
        })
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_match_the_file_and_its_order() {
        let ours = [
            (Reason::UnknownAgent, "unknown_agent"),
            (Reason::UnknownEvent, "unknown_event"),
            (Reason::NoSession, "no_session"),
            (Reason::TooLarge, "too_large"),
            (Reason::Invalid, "invalid"),
        ];
        assert_eq!(REASONS.len(), REASON_COUNT);
        for (reason, name) in ours {
            assert_eq!(REASONS[reason as usize], name);
        }
    }

    #[test]
    fn agents_without_records_are_not_shown() {
        let counters = Counters::new();
        let mut tally = Tally::new();
        tally.of(Some(&AGENTS[1])).count(Signal::Spans, 2);
        tally.of(Some(&AGENTS[1])).noise += 2;
        tally.of(None).count(Signal::Logs, 1);
        tally.of(None).ignore(Reason::UnknownAgent);
        counters.add(&tally, 0);
        counters.add(&tally, 1000);
        assert_eq!(tally.rejected(), [("unknown_agent", 1)]);
        let expected = r#"{"grpc_connections":0,"wrong_paths":0,"last_wrong_path":null,"without_records":0,"agents":[{"agent_type":"codex","last_at":"1970-01-01T00:00:01.000Z","logs":0,"spans":4,"points":0,"stored":0,"duplicates":0,"noise":4,"ignored":{}},{"agent_type":"unknown","last_at":"1970-01-01T00:00:01.000Z","logs":2,"spans":0,"points":0,"stored":0,"duplicates":0,"noise":0,"ignored":{"unknown_agent":2}}]}"#;
        assert_eq!(counters.json().to_string(), expected);
    }
}
