//! Handles `/api/stats`, `/api/stats/tools`, `/api/stats/cost` and `/api/filter-options`.

use std::sync::Arc;

use axum::extract::State;
use rusqlite::Connection;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::error::Failure;
use crate::field::Field;
use crate::http::exchange::Exchange;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::render::stats::{StatsRows, render_costs, render_counts, render_stats, render_tools};
use crate::render::{Rows, Visit};
use crate::store::cost::Cost;
use crate::store::session_query::Cutoffs;
use crate::store::totals::{StatsFilter, Totals};

/// `GET /api/stats` (rule STA-01).
pub async fn get_stats(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    Ok(reply::ok(read_stats(&app, &exchange.parameters).await?))
}

/// Reads the statistics for these parameters, as JSON text (rule RPC-05).
pub(crate) async fn read_stats(app: &App, parameters: &Parameters) -> Result<Vec<u8>, Failure> {
    let (filter, cutoffs) = (stats_filter(parameters), app.cutoffs());
    let json = app.store.read(Cost::Bounded, move |connection| {
        stats_json(&*connection.unchecked_transaction()?, &filter, cutoffs)
    });
    Ok(json.await?)
}

/// Returns the statistics as JSON text, within the caller's transaction. They are also the payload of the
/// stream's `stats` frames (rule STR-06).
pub(crate) fn stats_json(
    connection: &Connection,
    filter: &StatsFilter,
    cutoffs: Cutoffs,
) -> rusqlite::Result<Vec<u8>> {
    let totals = Totals::new(connection, filter)?;
    render_stats(&StatsRows {
        totals: &|row| totals.totals(row),
        sessions: &|row| totals.session_totals(cutoffs, row),
        tools: &|row| totals.calls(row),
        agents: &|row| totals.agents(row),
        models: &|row| totals.counts(Field::Model, row),
        event_types: &|row| totals.counts(Field::EventType, row),
        branches: &|row| totals.counts(Field::Branch, row),
        since: filter.used_since(),
        until: filter.used_until(),
    })
}

/// `GET /api/stats/tools` (rule STA-02).
pub async fn get_tools(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let filter = stats_filter(&exchange.parameters);
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let totals = Totals::new(&snapshot, &filter)?;
        render_tools(
            &|row| totals.tools(row),
            &|row| totals.tool_agents(row),
            filter.used_since(),
            filter.used_until(),
        )
    });
    Ok(reply::ok(json.await?))
}

/// `GET /api/stats/cost` (rule STA-03).
pub async fn get_costs(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let (filter, limit) =
        (stats_filter(&exchange.parameters), exchange.parameters.limit(Parameter::TimelineLimit));
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let totals = Totals::new(&snapshot, &filter)?;
        render_costs(
            &|row| totals.cost_timeline(limit, row),
            &|row| totals.costs(Field::Project, row),
            &|row| totals.costs(Field::Model, row),
            filter.used_since(),
            filter.used_until(),
        )
    });
    Ok(reply::ok(json.await?))
}

/// `GET /api/filter-options` (rule GET-08).
pub async fn get_filter_options(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let totals = Totals::new(&snapshot, &StatsFilter::default())?;
        let counts = Field::NAME_KINDS.map(|kind| {
            let totals = &totals;
            move |row: Visit<'_>| match kind {
                Field::AgentType => totals.agents(row),
                _ => totals.counts(kind, row),
            }
        });
        let lists = Field::NAME_KINDS.iter().zip(&counts);
        render_counts(lists.map(|(kind, rows)| (kind.name(), rows as Rows<'_>)))
    });
    Ok(reply::ok(json.await?))
}

fn stats_filter(parameters: &Parameters) -> StatsFilter {
    StatsFilter {
        agent_type: parameters.text(Parameter::AgentType).map(str::to_owned),
        since: parameters.number(Parameter::Since),
        until: parameters.number(Parameter::Until),
    }
}
