//! Handles `/api/sessions`, `/api/sessions/{id}` and `/api/sessions/{id}/dismiss`.

use std::sync::Arc;

use axum::extract::State;
use http::Uri;
use rusqlite::Connection;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::http::exchange::Exchange;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::render::{Page, Place, render_session};
use crate::store::cost::Cost;
use crate::store::event_search::list_events;
use crate::store::query::EventFilter;
use crate::store::session_query::{self, Cutoffs, SessionFilter};
use crate::text::percent_decode;

/// `GET /api/sessions` (rule SES-01).
pub async fn list_sessions(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    Ok(reply::ok(read_sessions(&app, &exchange.parameters).await?))
}

/// Reads the page of sessions for these parameters, as JSON text (rule RPC-05).
pub(crate) async fn read_sessions(app: &App, parameters: &Parameters) -> Result<Vec<u8>, Failure> {
    let text = |parameter: Parameter| parameters.text(parameter).map(str::to_owned);
    let filter = SessionFilter {
        status: text(Parameter::SessionStatus),
        exclude_status: text(Parameter::ExcludeStatus),
        agent_type: text(Parameter::AgentType),
        project: text(Parameter::Project),
        since: parameters.number(Parameter::Since),
        cursor: parameters.text(Parameter::SessionCursor).and_then(Place::parse),
    };
    let (limit, cutoffs) = (parameters.limit(Parameter::Limit), app.cutoffs());
    let json =
        app.store.read(Cost::Unbounded, move |connection| sessions_json(connection, &filter, cutoffs, limit));
    Ok(json.await?)
}

/// Returns a page of sessions as JSON text.
pub(crate) fn sessions_json(
    connection: &Connection,
    filter: &SessionFilter,
    cutoffs: Cutoffs,
    limit: u64,
) -> rusqlite::Result<Vec<u8>> {
    let mut page = Page::new("sessions");
    let next = session_query::list_sessions(connection, filter, cutoffs, limit, |row| page.placed_row(row))?;
    Ok(page.finish_at(next.as_ref()))
}

/// `GET /api/sessions/{id}` (rule SES-04).
pub async fn get_session(State(app): State<Arc<App>>, uri: Uri, exchange: Exchange) -> reply::Reply {
    let encoded = uri.path().rsplit('/').next().unwrap_or_default();
    Ok(reply::ok(
        read_session(&app, &session_id(encoded)?, exchange.parameters.limit(Parameter::Limit)).await?,
    ))
}

/// `POST /api/sessions/{id}/dismiss` (rule WAI-05).
pub async fn dismiss_session(State(app): State<Arc<App>>, uri: Uri, exchange: Exchange) -> reply::Reply {
    let session_id = session_id(uri.path().rsplit('/').nth(1).unwrap_or_default())?;
    if let Some(agent_type) = waiting_agent_type(&app, &session_id).await? {
        app.ingest.dismissal(&session_id, &agent_type, app.admission.ticket()).await?;
    }
    Ok(reply::ok(read_session(&app, &session_id, exchange.parameters.limit(Parameter::Limit)).await?))
}

/// Returns the `agent_type` of a session that shows a wait.
async fn waiting_agent_type(app: &App, session_id: &str) -> Result<Option<String>, Failure> {
    let (session_id, cutoffs) = (session_id.to_owned(), app.cutoffs());
    let found = app.store.read(Cost::Unbounded, move |connection| {
        let mut found = None;
        session_query::get_session(connection, &session_id, cutoffs, |row| {
            let reason: Option<String> = row.get("waiting_reason")?;
            found = reason.is_some().then(|| row.get("agent_type")).transpose()?;
            Ok(())
        })?;
        Ok(found)
    });
    Ok(found.await?)
}

/// Decodes the id of a session in a path, once.
pub(crate) fn session_id(encoded: &str) -> Result<String, Failure> {
    let decoded = percent_decode(encoded, false).filter(|id| !id.contains('\0'));
    Ok(decoded.ok_or(Failure::new(ErrorCode::NotFound))?.to_string())
}

async fn read_session(app: &App, session_id: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    let (session_id, cutoffs) = (session_id.to_owned(), app.cutoffs());
    let json = app.store.read(Cost::Unbounded, move |connection| {
        // One read transaction, so that the events match the session's counts.
        session_json(&*connection.unchecked_transaction()?, &session_id, cutoffs, limit)
    });
    json.await?.ok_or(Failure::new(ErrorCode::NotFound))
}

/// Returns a session with its newest events as JSON text, within the caller's transaction; `None` when it has no
/// event.
pub(crate) fn session_json(
    connection: &Connection,
    session_id: &str,
    cutoffs: Cutoffs,
    limit: u64,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let filter = EventFilter { session_id: Some(session_id.to_owned()), ..EventFilter::default() };
    render_session(
        &|row| session_query::get_session(connection, session_id, cutoffs, row).map(drop),
        &|row| list_events(connection, &filter, limit, row).map(drop),
    )
}
