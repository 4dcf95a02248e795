//! Writes what the server counts in Prometheus' text format (rules MTR-01 to MTR-05).
//!
//! `metrics.json` holds the families with their names, help texts, labels and buckets. The library `prometheus` writes
//! the text. Invariant: a scrape changes no number.

use prometheus::TextEncoder;
use prometheus::proto::{Bucket, Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

use crate::contract::metrics::{Family, FamilySpec, MetricKind};
use crate::contract::{METRICS, ROUTES, VERSION};
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
    let families = Family::ALL.into_iter().map(|name| family(name.spec(), series_of(name, meters, readings)));
    let families: Vec<MetricFamily> = families.filter(|family| !family.get_metric().is_empty()).collect();
    // The encoder refuses only families without a series.
    TextEncoder::new().encode_to_string(&families).unwrap_or_default()
}

fn series_of<'a>(family: Family, meters: &'a Meters, readings: &'a Readings) -> Vec<Series<'a>> {
    let plain = |value: u64| vec![Series::Number(Vec::new(), value as f64)];
    match family {
        Family::IngestAttachmentsBytes => plain(readings.attachments_bytes),
        Family::IngestBuildInfo => {
            vec![Series::Number(vec![*VERSION, readings.runtime, env!("CARGO_PKG_VERSION")], 1.0)]
        }
        Family::IngestCheckpointDurationSeconds => one(&meters.checkpoint_durations),
        Family::IngestCommitDurationSeconds => one(&meters.commit_durations),
        Family::IngestDatabaseBytes => plain(readings.database_bytes),
        Family::IngestDiskFreeBytes => plain(readings.disk_free_bytes),
        Family::IngestDiskSizeBytes => plain(readings.disk_size_bytes),
        Family::IngestEventsTotal => events(meters),
        Family::IngestForwardEventsTotal => plain(readings.forward_events),
        Family::IngestForwardFailuresTotal => plain(readings.forward_failures),
        Family::IngestForwardLastSuccessTimeSeconds => {
            vec![Series::Number(Vec::new(), readings.forward_last_ms as f64 / 1000.0)]
        }
        Family::IngestForwardLostEventsTotal => plain(readings.forward_lost_events),
        Family::IngestForwardRefusedEventsTotal => plain(readings.forward_refused_events),
        Family::IngestForwardWaitingEvents => plain(readings.forward_waiting_events),
        Family::IngestGroupEvents => one(&meters.group_events),
        Family::IngestHttpRequestDurationSeconds => durations(meters),
        Family::IngestHttpRequestsTotal => requests(meters),
        Family::IngestQueueEvents => plain(readings.queue_events as u64),
        Family::IngestQueueLimitEvents => plain(readings.queue_limit_events as u64),
        Family::IngestReady => plain(u64::from(readings.is_ready)),
        Family::IngestRefusalsTotal => refusals(meters),
        Family::IngestRetentionDeletedEventsTotal => plain(meters.deletions().0),
        Family::IngestRetentionLimitBytes => plain(readings.retention_limit_bytes),
        Family::IngestRetentionLimitSeconds => {
            vec![Series::Number(Vec::new(), readings.retention_limit_days as f64 * DAY_SECONDS)]
        }
        Family::IngestTimesIgnoredTotal => plain(meters.ignored_times()),
        Family::IngestRetentionStepsTotal => plain(meters.deletions().1),
        Family::IngestRetentionUsedBytes => plain(readings.retention_used_bytes),
        Family::IngestStreamClients => {
            let clients = [readings.event_clients, readings.invalidate_clients];
            let modes = METRICS.values.mode.iter().zip(clients);
            modes.map(|(mode, count)| Series::Number(vec![*mode], count as f64)).collect()
        }
        Family::IngestStreamDeliveryLagSeconds => one(&meters.delivery_lags),
        Family::IngestWalBytes => plain(readings.wal_bytes),
        Family::IngestWebhookNoticesTotal => notices(meters),
        Family::ProcessStartTimeSeconds => {
            vec![Series::Number(Vec::new(), readings.start_time_ms as f64 / 1000.0)]
        }
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
    counted.map(|((outcome, source), count)| Series::Number(vec![*outcome, *source], count as f64)).collect()
}

fn notices(meters: &Meters) -> Vec<Series<'_>> {
    let counted = METRICS.values.result.iter().zip(meters.notices());
    counted.map(|(result, count)| Series::Number(vec![*result], count as f64)).collect()
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
        Series::Number(vec![*method, route_name(route), STATUSES[status].as_str()], count as f64)
    });
    sorted(series.collect())
}

fn route_name(route: usize) -> &'static str {
    ROUTES.get(route).map_or(METRICS.other, |route| route.path)
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
    family.set_name(spec.name.to_owned());
    family.set_help(spec.help.to_owned());
    family.set_field_type(match spec.kind {
        MetricKind::Counter => MetricType::COUNTER,
        MetricKind::Gauge => MetricType::GAUGE,
        MetricKind::Histogram => MetricType::HISTOGRAM,
    });
    family.set_metric(series.into_iter().map(|series| metric(spec, &series)).collect());
    family
}

fn metric(spec: &FamilySpec, series: &Series<'_>) -> Metric {
    let pairs = spec.labels.iter().zip(series.labels()).map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).to_owned());
        pair.set_value((*value).to_owned());
        pair
    });
    let mut metric = Metric::from_label(pairs.collect());
    match series {
        Series::Number(_, value) if spec.kind == MetricKind::Counter => {
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
            let buckets = spec.buckets.iter().zip(&cumulative).map(|(bound, count)| {
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
        for family in Family::ALL {
            let kind = format!("{:?}", family.spec().kind).to_lowercase();
            assert!(text.contains(&format!("# TYPE {} {kind}\n", family.as_str())), "{family:?}");
        }
        assert!(text.contains("ingest_http_requests_total{method=\"GET\",route=\"/\",status=\"200\"} 1\n"));
        assert!(text.contains("ingest_http_request_duration_seconds_bucket{route=\"/\",le=\"0.001\"} 1\n"));
    }
}
