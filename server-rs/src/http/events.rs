//! Handles `/api/events`, `/api/events/batch` and `/api/events/{id}`.

use std::sync::Arc;

use axum::extract::State;
use http::Uri;

use crate::admission::Ticket;
use crate::app::App;
use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::field::Field;
use crate::formats::Format;
use crate::http::body::read_body;
use crate::http::exchange::Exchange;
use crate::http::exports::export_body;
use crate::http::negotiation::Answer;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::meters::EventSource;
use crate::render::{self, Page};
use crate::store::cost::{Cost, cost_of};
use crate::store::event_pages::read_page;
use crate::store::exports::Export;
use crate::store::query::{self, EventFilter, NO_BOUND, Order};
use crate::store::time_search::{TimeCursor, list_by_time};

/// `POST /api/events` (rules ING-01 to ING-03).
pub async fn post_event(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let (body, format, ticket) = events_body(&app, &exchange, 1).await?;
    let outcome = app.ingest.single(body, format, ticket).await?;
    reply::single(&outcome, app.store.newest_id())
}

/// `POST /api/events/batch` (rules ING-04 to ING-06).
pub async fn post_batch(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let (body, format, ticket) = events_body(&app, &exchange, app.config.max_batch_events).await?;
    let outcomes = app.ingest.batch(body, format, EventSource::Events, ticket).await?;
    let with_results = exchange.parameters.text(Parameter::Results) == Some("1");
    Ok(reply::batch(&outcomes, app.store.newest_id(), with_results))
}

/// Reads a body of at most this many events. Returns its bytes, its format, and the ticket that holds its room.
pub(crate) async fn events_body(
    app: &App,
    exchange: &Exchange,
    most_events: usize,
) -> Result<(Vec<u8>, Format, Ticket), Failure> {
    read_body(exchange, app.config.max_body_bytes, most_events, app.admission.ticket()).await
}

/// `GET /api/events` (rules GET-01 to GET-05, FMT-08 and FMT-09).
pub async fn list_events(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    if exchange.parameters.text(Parameter::OrderBy).is_some() {
        return Ok(reply::rows(read_by_time(&app, &exchange.parameters).await?, Answer::JSON));
    }
    let filter = event_filter(&exchange.parameters);
    let (limit, answer, cost) =
        (exchange.parameters.limit(Parameter::Limit), exchange.answer, cost_of(&filter));
    if answer.format.is_export() {
        let read = app.store.read_or_search(cost, move |connection| {
            let beginning = connection.unchecked_transaction()?;
            let newest = query::newest_revision(&beginning)?;
            let mut export = Export::new(filter, newest, limit, answer.format, None)?;
            let first = export.read(&beginning)?;
            Ok((export, first))
        });
        let (export, first) = read.await?;
        return Ok(reply::rows(export_body(&app, export, cost, first), answer));
    }
    let page = app
        .store
        .read_or_search(cost, move |connection| read_page(connection, &filter, limit, answer.format));
    Ok(reply::rows(page.await?.bytes, answer))
}

/// Reads the page of events for these parameters, as JSON text (rule RPC-05).
pub(crate) async fn read_events(app: &App, parameters: &Parameters) -> Result<Vec<u8>, Failure> {
    if parameters.text(Parameter::OrderBy).is_some() {
        return read_by_time(app, parameters).await;
    }
    let (filter, limit) = (event_filter(parameters), parameters.limit(Parameter::Limit));
    let page = app.store.read_or_search(cost_of(&filter), move |connection| {
        read_page(connection, &filter, limit, Format::Json)
    });
    Ok(page.await?.bytes)
}

/// Reads the page of events in the order of their times, as JSON text (rule GET-15).
async fn read_by_time(app: &App, parameters: &Parameters) -> Result<Vec<u8>, Failure> {
    let (filter, limit) = (event_filter(parameters), parameters.limit(Parameter::Limit));
    let cursor = parameters.text(Parameter::Cursor).and_then(TimeCursor::parse);
    let json = app.store.read(Cost::Unbounded, move |connection| {
        let mut page = Page::new("events");
        let next = list_by_time(connection, &filter, limit, cursor, &mut |row| page.row(row))?;
        Ok(page.finish_at(next.as_ref()))
    });
    Ok(json.await?)
}

/// Returns the filter that these parameters describe.
pub(crate) fn event_filter(parameters: &Parameters) -> EventFilter {
    let ascending =
        parameters.number(Parameter::After).is_some() || parameters.text(Parameter::Order) == Some("asc");
    let filters = Field::NAME_KINDS.into_iter().chain(Field::TEXT_FILTERS);
    let wanted =
        filters.filter_map(|field| Some((field, parameters.text(field.query_parameter()?)?.to_owned())));
    EventFilter {
        session_id: parameters.text(Parameter::SessionId).map(str::to_owned),
        fields: wanted.collect(),
        text: parameters.text(Parameter::Q).map(str::to_owned),
        searches_whole: parameters.text(Parameter::Whole).is_some(),
        since: parameters.number(Parameter::Since),
        until: parameters.number(Parameter::Until),
        late: None,
        above: parameters.number(Parameter::After).unwrap_or(0),
        below: parameters.number(Parameter::Before).unwrap_or(NO_BOUND),
        order: if ascending { Order::OldestFirst } else { Order::NewestFirst },
    }
}

/// `GET /api/events/{id}` (rule GET-06).
pub async fn get_event(State(app): State<Arc<App>>, uri: Uri, _: Exchange) -> reply::Reply {
    // Takes the path as sent, since routes decode nothing (rule HTT-03).
    let id = event_id(uri.path().rsplit('/').next().unwrap_or_default())?;
    let json = app.store.read(Cost::Bounded, move |connection| {
        let mut json = Vec::new();
        let found = query::get_event(connection, id, |row| {
            render::row_object(&mut json, row, render::LineBreaks::AsSent)
        })?;
        Ok(found.then_some(json))
    });
    Ok(reply::ok(json.await?.ok_or(Failure::new(ErrorCode::NotFound))?))
}

/// Parses the id of an event in a path: one spelling per number.
pub(crate) fn event_id(text: &str) -> Result<i64, Failure> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain).ok_or(Failure::new(ErrorCode::NotFound))
}
