//! `/api/stats`, `/api/stats/tools`, `/api/stats/cost`, `/api/filter-options`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use rusqlite::{Connection, Row};

use crate::app::App;
use crate::field::Field;
use crate::http::parameters::Parameters;
use crate::http::{Request, reply};
use crate::render::{self, Lines};
use crate::store::cost::Cost;
use crate::store::query::Cutoffs;
use crate::store::totals::{Stats, StatsFilter};
use crate::timestamp::format_timestamp;

/// `GET /api/stats` (rule STA-01).
pub async fn get_stats(State(app): State<Arc<App>>, request: Request) -> reply::Reply {
    let (filter, cutoffs) = (stats_filter(&request.parameters), app.cutoffs());
    let json = app.store.read(Cost::Bounded, move |connection| {
        totals_json(&*connection.unchecked_transaction()?, &filter, cutoffs)
    });
    Ok(reply::ok(json.await?))
}

/// The statistics as JSON text, within the caller's transaction; also the payload of the stream's `stats` frames (rule STR-06).
pub(crate) fn totals_json(
    connection: &Connection,
    filter: &StatsFilter,
    cutoffs: Cutoffs,
) -> rusqlite::Result<Vec<u8>> {
    let stats = Stats::new(connection, filter)?;
    let (active, total) = stats.sessions(cutoffs)?;
    let mut json = Vec::new();
    stats.totals(|row| {
        render::row_members(&mut json, row, 1, Lines::AsSent)?;
        json.extend_from_slice(
            format!(",\"active_sessions\":{active},\"total_sessions\":{total},").as_bytes(),
        );
        // The rest of the same row, as the members that follow.
        let mut rest = Vec::new();
        render::row_members(&mut rest, row, row.as_ref().column_count(), Lines::AsSent)?;
        let first = json.iter().position(|&byte| byte == b',').unwrap_or(0);
        json.extend_from_slice(&rest[first + 1..]);
        Ok(())
    })?;
    let lists = [("tools", Field::ToolName), ("models", Field::Model), ("event_types", Field::EventType)];
    for (name, kind) in lists.into_iter().chain([("branches", Field::Branch)]) {
        list(&mut json, name, |row| stats.counts(kind, row))?;
        if name == "tools" {
            list(&mut json, "agents", |row| stats.agents(row))?;
        }
    }
    finish(&mut json, filter);
    Ok(json)
}

/// `GET /api/stats/tools` (rule STA-02).
pub async fn get_tools(State(app): State<Arc<App>>, request: Request) -> reply::Reply {
    let filter = stats_filter(&request.parameters);
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let stats = Stats::new(&snapshot, &filter)?;
        let mut agents: HashMap<i64, Vec<u8>> = HashMap::new();
        stats.tool_agents(|row| {
            let of_tool = agents.entry(row.get("name_id")?).or_default();
            of_tool.push(if of_tool.is_empty() { b'[' } else { b',' });
            of_tool.extend_from_slice(b"{\"name\":");
            render::string(of_tool, &row.get::<_, String>("name")?);
            of_tool.extend_from_slice(b",\"count\":");
            render::integer(of_tool, row.get("count")?);
            of_tool.push(b'}');
            Ok(())
        })?;
        let mut json = b"{\"tools\":[".to_vec();
        stats.tools(|row| {
            if json.last() == Some(&b'}') {
                json.push(b',');
            }
            // The last column only names the tool for its agents.
            render::row_members(&mut json, row, row.as_ref().column_count() - 1, Lines::AsSent)?;
            json.extend_from_slice(b",\"by_agent\":");
            let of_tool = agents.get(&row.get("name_id")?);
            json.extend_from_slice(of_tool.map_or(b"[", Vec::as_slice));
            json.extend_from_slice(b"]}");
            Ok(())
        })?;
        json.push(b']');
        finish(&mut json, &filter);
        Ok(json)
    });
    Ok(reply::ok(json.await?))
}

/// `GET /api/stats/cost` (rule STA-03).
pub async fn get_costs(State(app): State<Arc<App>>, request: Request) -> reply::Reply {
    let (filter, limit) = (stats_filter(&request.parameters), request.parameters.limit());
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let stats = Stats::new(&snapshot, &filter)?;
        let mut json = b"{\"timeline\":[".to_vec();
        stats.timeline(limit, |row| {
            if json.last() == Some(&b'}') {
                json.push(b',');
            }
            let mut members = Vec::new();
            render::row_object(&mut members, row, Lines::AsSent)?;
            // The first column only orders the buckets.
            let first = members.iter().position(|&byte| byte == b',').unwrap_or(0);
            json.push(b'{');
            json.extend_from_slice(&members[first + 1..]);
            Ok(())
        })?;
        json.push(b']');
        list(&mut json, "by_project", |row| stats.costs(Field::Project, row))?;
        list(&mut json, "by_model", |row| stats.costs(Field::Model, row))?;
        finish(&mut json, &filter);
        Ok(json)
    });
    Ok(reply::ok(json.await?))
}

/// `GET /api/filter-options` (rule GET-08).
pub async fn get_filter_options(State(app): State<Arc<App>>, _: Request) -> reply::Reply {
    let json = app.store.read(Cost::Bounded, move |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let stats = Stats::new(&snapshot, &StatsFilter::default())?;
        let mut json = Vec::new();
        for kind in Field::NAME_KINDS {
            match kind {
                Field::AgentType => list(&mut json, kind.name(), |row| stats.agents(row))?,
                _ => list(&mut json, kind.name(), |row| stats.counts(kind, row))?,
            }
        }
        json.push(b'}');
        Ok(json)
    });
    Ok(reply::ok(json.await?))
}

fn stats_filter(parameters: &Parameters) -> StatsFilter {
    StatsFilter {
        agent_type: parameters.text("agent_type").map(str::to_owned),
        since: parameters.number("since"),
    }
}

/// Appends a member that is a list of rows; the first member opens the object.
fn list<E>(
    json: &mut Vec<u8>,
    name: &str,
    each: impl FnOnce(&mut dyn FnMut(&Row<'_>) -> rusqlite::Result<()>) -> Result<(), E>,
) -> Result<(), E> {
    json.push(if json.is_empty() { b'{' } else { b',' });
    render::string(json, name);
    json.push(b':');
    render::list(json, each)
}

/// Ends the object, with the `since` that was used (rule STA-05).
fn finish(json: &mut Vec<u8>, filter: &StatsFilter) {
    if let Some(since) = filter.used_since() {
        json.extend_from_slice(b",\"since\":");
        render::string(json, &format_timestamp(since));
    }
    json.push(b'}');
}
