//! Renders the rows of the statistics as JSON text (rules STA-01 to STA-03, GET-08).

use std::collections::HashMap;

use super::{LineBreaks, Rows, array, column, columns_without, finish, list, member};

/// The rows of the statistics.
pub(crate) struct StatsRows<'a> {
    pub totals: Rows<'a>,
    pub sessions: Rows<'a>,
    pub tools: Rows<'a>,
    pub agents: Rows<'a>,
    pub models: Rows<'a>,
    pub event_types: Rows<'a>,
    pub branches: Rows<'a>,
    /// The start of the effective range, in Unix milliseconds (rule STA-05).
    pub since: Option<i64>,
    /// Its end, exclusive.
    pub until: Option<i64>,
}

/// Renders the statistics (rule STA-01).
pub(crate) fn render_stats(rows: &StatsRows<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut out = Vec::new();
    (rows.totals)(&mut |totals| {
        column(&mut out, 0, totals, 0, LineBreaks::AsSent)?;
        (rows.sessions)(&mut |sessions| columns_without(&mut out, 0, sessions, ""))?;
        for at in 1..totals.as_ref().column_count() {
            column(&mut out, 0, totals, at, LineBreaks::AsSent)?;
        }
        Ok(())
    })?;
    list(&mut out, "tools", rows.tools)?;
    list(&mut out, "agents", rows.agents)?;
    list(&mut out, "models", rows.models)?;
    list(&mut out, "event_types", rows.event_types)?;
    list(&mut out, "branches", rows.branches)?;
    Ok(finish(out, rows.since, rows.until))
}

/// Renders tools with the agents that called them (rule STA-02). `name_id` joins the two and is not shown.
pub(crate) fn render_tools(
    tools: Rows<'_>,
    agents: Rows<'_>,
    since: Option<i64>,
    until: Option<i64>,
) -> rusqlite::Result<Vec<u8>> {
    let mut agents_of: HashMap<Option<i64>, Vec<u8>> = HashMap::new();
    agents(&mut |row| {
        let list = agents_of.entry(row.get("name_id")?).or_default();
        list.push(if list.is_empty() { b'[' } else { b',' });
        let opening = list.len();
        columns_without(list, opening, row, "name_id")?;
        list.push(b'}');
        Ok(())
    })?;
    let mut out = Vec::new();
    member(&mut out, 0, "tools");
    array(&mut out, tools, |out, row| {
        let opening = out.len();
        columns_without(out, opening, row, "name_id")?;
        member(out, opening, "by_agent");
        let agents = agents_of.get(&row.get("name_id")?);
        out.extend_from_slice(agents.map_or(b"[", Vec::as_slice));
        out.extend_from_slice(b"]}");
        Ok(())
    })?;
    Ok(finish(out, since, until))
}

/// Renders the cost by hour, project and model (rule STA-03). `hour` orders the buckets and is not shown.
pub(crate) fn render_costs(
    timeline: Rows<'_>,
    projects: Rows<'_>,
    models: Rows<'_>,
    since: Option<i64>,
    until: Option<i64>,
) -> rusqlite::Result<Vec<u8>> {
    let mut out = Vec::new();
    member(&mut out, 0, "timeline");
    array(&mut out, timeline, |out, row| {
        let opening = out.len();
        columns_without(out, opening, row, "hour")?;
        out.push(b'}');
        Ok(())
    })?;
    list(&mut out, "by_project", projects)?;
    list(&mut out, "by_model", models)?;
    Ok(finish(out, since, until))
}

/// Renders the names of each kind, ordered by number of events (rule GET-08).
pub(crate) fn render_counts<'a>(
    lists: impl IntoIterator<Item = (&'a str, Rows<'a>)>,
) -> rusqlite::Result<Vec<u8>> {
    let mut out = Vec::new();
    for (kind, rows) in lists {
        list(&mut out, kind, rows)?;
    }
    Ok(finish(out, None, None))
}
