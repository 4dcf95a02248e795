//! Handles `/api/series`.

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::field::Field;
use crate::http::events::event_filter;
use crate::http::exchange::Exchange;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::render::series::render_series;
use crate::store::cost::Cost;
use crate::store::series::read_series;
use crate::store::series_filter::{Bucket, SeriesFilter, has_sums};
use crate::zones::{Zone, find_zone};

/// Returns the zone of the buckets. The parameter has a default and is checked (rule GET-07).
fn zone_of(parameters: &Parameters) -> Result<Zone, Failure> {
    parameters.text(Parameter::Tz).and_then(find_zone).ok_or(Failure::new(ErrorCode::InvalidParameter))
}

/// `GET /api/series` (rules SER-01 to SER-06).
pub async fn get_series(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let parameters = &exchange.parameters;
    let by = parameters.text(Parameter::By);
    let filter = SeriesFilter {
        events: event_filter(parameters),
        bucket: Bucket::parse(parameters.text(Parameter::Bucket)),
        zone: zone_of(parameters)?,
        by: Field::NAME_KINDS.into_iter().find(|kind| Some(kind.name()) == by),
        with_durations: parameters.text(Parameter::Durations) == Some("1"),
    };
    let cost = match filter.events.text {
        _ if has_sums(&filter) => Cost::Bounded,
        Some(_) => Cost::Search,
        None => Cost::Unbounded,
    };
    let series = app.store.read_or_search(cost, move |connection| read_series(connection, &filter));
    Ok(reply::ok(render_series(&series.await?)))
}
