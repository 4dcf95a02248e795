//! Reads the telemetry of agents as events (rules OTL-01 to OTL-10).
//!
//! Invariant: records above the event limit are counted and take no memory (rule ING-09).

/// The messages of OTLP.
pub mod otlp;
/// Checks Protobuf requests.
pub mod otlp_check;
/// Reads messages within a body.
pub mod message;
/// Reads values of fields.
pub mod value;
/// Reads JSON values in one pass.
mod json_values;
/// Writes attributes as JSON text.
pub mod values;
/// The agents of records.
pub mod agents;
/// The records of a request.
pub mod records;
/// Counts received telemetry.
pub mod counters;
/// Maps records to events.
pub mod mapping;

use crate::error::{ErrorCode, Failure};
use crate::event::Event;
use crate::formats::Format;
use agents::{Agent, agent_of};
use counters::{Reason, Tally};
use mapping::{NoEvent, Parents, map_record};
use otlp::{Request, Signal};
use records::{Group, Item, Records};

/// The events of a request.
#[derive(Debug, Default)]
pub struct Telemetry {
    /// The texts of all events, one after the other.
    pub body: String,
    /// The events, with their whole metadata.
    pub events: Vec<Event>,
    /// The agent of each event.
    pub agents: Vec<&'static Agent>,
    /// Counts of the request.
    pub tally: Tally,
}

/// Reads a request of at most `max_events` events; further events are counted but not kept (rule ING-09).
pub fn read_telemetry(
    request: &'static Request,
    format: Format,
    body: Vec<u8>,
    max_events: usize,
) -> Result<Telemetry, Failure> {
    let records = Records::read(format, body, request)?;
    let mut parents = Parents::default();
    if request.signal == Signal::Spans {
        records.walk(|group, item| {
            let wants =
                agent_of(&group.scope, &group.resource, None).is_some_and(|agent| agent.wants_parents);
            if let (Item::Record(place), true) = (item, wants)
                && !place.is_too_large()
            {
                parents.note(&place.read());
            }
        })?;
    }
    let mut telemetry = Telemetry::default();
    let mut is_too_large = false;
    records.walk(|group, item| {
        if !is_too_large {
            telemetry.take(group, &item, request.signal, &parents);
            is_too_large = telemetry.agents.len() > max_events;
        }
    })?;
    if is_too_large { Err(Failure::new(ErrorCode::BatchTooLarge)) } else { Ok(telemetry) }
}

impl Telemetry {
    fn take(&mut self, group: &Group, item: &Item<'_>, signal: Signal, parents: &Parents) {
        let (scope, resource) = (&group.scope, &group.resource);
        let place = match item {
            Item::Points(count) => {
                return self.tally.of(agent_of(scope, resource, None)).count(signal, *count);
            }
            Item::Record(place) => place,
        };
        let record = (!place.is_too_large()).then(|| place.read());
        let agent = agent_of(scope, resource, record.as_ref().map(|record| &record.attributes));
        let tally = self.tally.of(agent);
        tally.count(signal, 1);
        match (record, agent) {
            (None, _) => tally.ignore(Reason::TooLarge),
            (_, None) => tally.ignore(Reason::UnknownAgent),
            (Some(record), Some(agent)) => match map_record(&record, group, parents, agent, &mut self.body) {
                Err(NoEvent::Noise) => tally.noise += 1,
                Err(NoEvent::Rejected(reason)) => tally.ignore(reason),
                Ok(event) => {
                    self.events.push(event);
                    self.agents.push(agent);
                }
            },
        }
    }
}
