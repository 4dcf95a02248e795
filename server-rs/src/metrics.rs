//! Writes what the server counts in Prometheus' text format (rules MTR-01 to MTR-05).
//!
//! `metrics.json` holds the families with their names, help texts, labels and buckets. The library `prometheus` writes
//! the text. Invariant: a scrape changes no number.

use prometheus::TextEncoder;
use prometheus::proto::{Bucket, Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

use crate::contract::{FamilySpec, METRICS, ROUTES, VERSION};
use crate::error::ErrorCode;
use crate::histogram::Histogram;
use crate::meters::Meters;

const DAY_SECONDS: f64 = 86_400.0;

/// What a scrape reads from the parts of the server.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each is the family of its name")]
pub struct Readings {
    pub runtime: &'static str,
    pub attachments_bytes: u64,
    pub database_bytes: u64,
    pub wal_bytes: u64,
    pub disk_free_bytes: u64,
    pub disk_size_bytes: u64,
    pub queue_events: usize,
    pub queue_limit_events: usize,
    pub is_ready: bool,
    pub retention_limit_bytes: u64,
    pub retention_limit_days: u64,
    pub retention_used_bytes: u64,
    pub event_clients: usize,
    pub invalidate_clients: usize,
    pub forward_events: u64,
    pub forward_failures: u64,
    pub forward_last_ms: i64,
    pub forward_lost_events: u64,
    pub forward_refused_events: u64,
    pub forward_waiting_events: u64,
    pub start_time_ms: i64,
}

/// A series: the values of its labels, and its value.
enum Series<'a> {
    Number(Vec<&'a str>, f64),
    Histogram(Vec<&'a str>, &'a Histogram),
}

/// Returns the text of all families that have a series, in the order of `metrics.json`.
pub fn metrics_text(meters: &Meters, readings: &Readings) -> String {
    let families = METRICS.families.iter().map(|spec| family(spec, series_of(&spec.name, meters, readings)));
    let families: Vec<MetricFamily> = families.filter(|family| !family.get_metric().is_empty()).collect();
    // The encoder refuses only families without a series.
    TextEncoder::new().encode_to_string(&families).unwrap_or_default()
}

fn series_of<'a>(name: &str, meters: &'a Meters, readings: &'a Readings) -> Vec<Series<'a>> {
    let plain = |value: u64| vec![Series::Number(Vec::new(), value as f64)];
    match name {
        "ingest_attachments_bytes" => plain(readings.attachments_bytes),
        "ingest_build_info" => {
            vec![Series::Number(vec![*VERSION, readings.runtime, env!("CARGO_PKG_VERSION")], 1.0)]
        }
        "ingest_checkpoint_duration_seconds" => one(&meters.checkpoint_durations),
        "ingest_commit_duration_seconds" => one(&meters.commit_durations),
        "ingest_database_bytes" => plain(readings.database_bytes),
        "ingest_disk_free_bytes" => plain(readings.disk_free_bytes),
        "ingest_disk_size_bytes" => plain(readings.disk_size_bytes),
        "ingest_events_total" => events(meters),
        "ingest_forward_events_total" => plain(readings.forward_events),
        "ingest_forward_failures_total" => plain(readings.forward_failures),
        "ingest_forward_last_success_time_seconds" => {
            vec![Series::Number(Vec::new(), readings.forward_last_ms as f64 / 1000.0)]
        }
        "ingest_forward_lost_events_total" => plain(readings.forward_lost_events),
        "ingest_forward_refused_events_total" => plain(readings.forward_refused_events),
        "ingest_forward_waiting_events" => plain(readings.forward_waiting_events),
        "ingest_group_events" => one(&meters.group_events),
        "ingest_http_request_duration_seconds" => durations(meters),
        "ingest_http_requests_total" => requests(meters),
        "ingest_queue_events" => plain(readings.queue_events as u64),
        "ingest_queue_limit_events" => plain(readings.queue_limit_events as u64),
        "ingest_ready" => plain(u64::from(readings.is_ready)),
        "ingest_refusals_total" => refusals(meters),
        "ingest_retention_deleted_events_total" => plain(meters.deletions().0),
        "ingest_retention_limit_bytes" => plain(readings.retention_limit_bytes),
        "ingest_retention_limit_seconds" => {
            vec![Series::Number(Vec::new(), readings.retention_limit_days as f64 * DAY_SECONDS)]
        }
        "ingest_retention_steps_total" => plain(meters.deletions().1),
        "ingest_retention_used_bytes" => plain(readings.retention_used_bytes),
        "ingest_stream_clients" => {
            let clients = [readings.event_clients, readings.invalidate_clients];
            let modes = METRICS.values.mode.iter().zip(clients);
            modes.map(|(mode, count)| Series::Number(vec![mode.as_str()], count as f64)).collect()
        }
        "ingest_stream_delivery_lag_seconds" => one(&meters.delivery_lags),
        "ingest_wal_bytes" => plain(readings.wal_bytes),
        "ingest_webhook_notices_total" => notices(meters),
        "process_start_time_seconds" => {
            vec![Series::Number(Vec::new(), readings.start_time_ms as f64 / 1000.0)]
        }
        _ => Vec::new(),
    }
}

fn one(histogram: &Histogram) -> Vec<Series<'_>> {
    vec![Series::Histogram(Vec::new(), histogram)]
}

fn events(meters: &Meters) -> Vec<Series<'_>> {
    let values = &METRICS.values;
    let labels =
        values.outcome.iter().flat_map(|outcome| values.source.iter().map(move |source| (outcome, source)));
    let counted = labels.zip(meters.events());
    counted
        .map(|((outcome, source), count)| {
            Series::Number(vec![outcome.as_str(), source.as_str()], count as f64)
        })
        .collect()
}

fn notices(meters: &Meters) -> Vec<Series<'_>> {
    let counted = METRICS.values.result.iter().zip(meters.notices());
    counted.map(|(result, count)| Series::Number(vec![result.as_str()], count as f64)).collect()
}

fn refusals(meters: &Meters) -> Vec<Series<'_>> {
    let counted = ErrorCode::ALL.iter().zip(meters.refusals());
    sorted(counted.map(|(code, count)| Series::Number(vec![code.as_str()], count as f64)).collect())
}

fn durations(meters: &Meters) -> Vec<Series<'_>> {
    let used = meters.request_durations().iter().enumerate().filter(|(_, histogram)| !histogram.is_empty());
    sorted(used.map(|(route, histogram)| Series::Histogram(vec![route_name(route)], histogram)).collect())
}

fn requests(meters: &Meters) -> Vec<Series<'_>> {
    static STATUSES: std::sync::LazyLock<Vec<String>> =
        std::sync::LazyLock::new(|| METRICS.values.status.iter().map(u16::to_string).collect());
    let series = meters.requests().map(|(route, method, status, count)| {
        let method = METRICS.values.method.get(method).unwrap_or(&METRICS.other);
        Series::Number(vec![method.as_str(), route_name(route), STATUSES[status].as_str()], count as f64)
    });
    sorted(series.collect())
}

fn route_name(route: usize) -> &'static str {
    ROUTES.routes.get(route).map_or(METRICS.other.as_str(), |route| route.path.as_str())
}

/// Orders series by the bytes of the values of their labels.
fn sorted(mut series: Vec<Series<'_>>) -> Vec<Series<'_>> {
    series.sort_by(|a, b| a.labels().cmp(b.labels()));
    series
}

impl<'a> Series<'a> {
    fn labels(&self) -> &[&'a str] {
        match self {
            Self::Number(labels, _) | Self::Histogram(labels, _) => labels,
        }
    }
}

fn family(spec: &FamilySpec, series: Vec<Series<'_>>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(spec.name.clone());
    family.set_help(spec.help.clone());
    family.set_field_type(match spec.kind.as_str() {
        "counter" => MetricType::COUNTER,
        "histogram" => MetricType::HISTOGRAM,
        _ => MetricType::GAUGE,
    });
    family.set_metric(series.into_iter().map(|series| metric(spec, &series)).collect());
    family
}

fn metric(spec: &FamilySpec, series: &Series<'_>) -> Metric {
    let pairs = spec.labels.iter().zip(series.labels()).map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.clone());
        pair.set_value((*value).to_owned());
        pair
    });
    let mut metric = Metric::from_label(pairs.collect());
    match series {
        Series::Number(_, value) if spec.kind == "counter" => {
            let mut counter = Counter::default();
            counter.set_value(*value);
            metric.set_counter(counter);
        }
        Series::Number(_, value) => {
            let mut gauge = Gauge::default();
            gauge.set_value(*value);
            metric.set_gauge(gauge);
        }
        Series::Histogram(_, histogram) => {
            let cumulative = histogram.cumulative();
            let bounds = spec.buckets.as_deref().unwrap_or_default();
            let buckets = bounds.iter().zip(&cumulative).map(|(bound, count)| {
                let mut bucket = Bucket::default();
                bucket.set_upper_bound(*bound);
                bucket.set_cumulative_count(*count);
                bucket
            });
            let mut values = prometheus::proto::Histogram::default();
            values.set_bucket(buckets.collect());
            values.set_sample_count(cumulative.last().copied().unwrap_or(0));
            values.set_sample_sum(histogram.sum());
            metric.set_histogram(values);
        }
    }
    metric
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_series_once_something_was_counted() {
        let meters = Meters::new();
        meters.count_request(0, 0, 200, std::time::Duration::from_millis(1));
        let readings = Readings {
            runtime: "rust",
            attachments_bytes: 0,
            database_bytes: 0,
            wal_bytes: 0,
            disk_free_bytes: 0,
            disk_size_bytes: 0,
            queue_events: 0,
            queue_limit_events: 0,
            is_ready: true,
            retention_limit_bytes: 0,
            retention_limit_days: 0,
            retention_used_bytes: 0,
            event_clients: 0,
            invalidate_clients: 0,
            forward_events: 0,
            forward_failures: 0,
            forward_last_ms: 0,
            forward_lost_events: 0,
            forward_refused_events: 0,
            forward_waiting_events: 0,
            start_time_ms: 0,
        };
        let text = metrics_text(&meters, &readings);
        for spec in &METRICS.families {
            assert!(text.contains(&format!("# TYPE {} {}\n", spec.name, spec.kind)), "{}", spec.name);
        }
        assert!(text.contains("ingest_http_requests_total{method=\"GET\",route=\"/\",status=\"200\"} 1\n"));
        assert!(text.contains("ingest_http_request_duration_seconds_bucket{route=\"/\",le=\"0.001\"} 1\n"));
    }
}
