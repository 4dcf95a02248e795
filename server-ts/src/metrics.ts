/**
 * Writes what the server counts in Prometheus' text format (rules MTR-01 to MTR-05).
 *
 * `metrics.json` holds the families with their names, help texts, labels and buckets. The library `prom-client` writes
 * the text. Invariant: a scrape changes no number.
 */
import type { Metric, Registry } from 'prom-client';
import { FAMILIES, type FamilyName, type FamilySpec } from './contract/metrics.ts';
import { CONTRACT_VERSION, METRICS, ROUTES, SERVER_VERSION } from './contract.ts';
import type { Histogram } from './histogram.ts';
import type { Meters } from './meters.ts';

const DAY_SECONDS = 86_400;

/** What a scrape reads from the parts of the server. */
export interface Readings {
  readonly runtime: string;
  readonly attachmentsBytes: number;
  readonly databaseBytes: number;
  readonly walBytes: number;
  readonly diskFreeBytes: number;
  readonly diskSizeBytes: number;
  readonly queueEvents: number;
  readonly queueLimitEvents: number;
  readonly isReady: boolean;
  readonly retentionLimitBytes: number;
  readonly retentionLimitDays: number;
  readonly retentionUsedBytes: number;
  readonly eventClients: number;
  readonly invalidateClients: number;
  readonly forwardEvents: number;
  readonly forwardFailures: number;
  readonly forwardLastMs: number;
  readonly forwardLostEvents: number;
  readonly forwardRefusedEvents: number;
  readonly forwardWaitingEvents: number;
  readonly startTimeMs: number;
}

/** A series: the values of its labels, and its value. */
type Series = readonly [labels: readonly string[], value: number | Histogram];

/** Returns the text of all families that have a series, in the order of `metrics.json`. */
export async function metricsText(meters: Meters, readings: Readings): Promise<string> {
  // Loaded here, since most servers are never scraped.
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  const texts: Promise<string>[] = [];
  const families: readonly FamilySpec[] = Object.values(FAMILIES);
  for (const spec of families) {
    const series = seriesOf(spec.name, meters, readings);
    if (series.length > 0) texts.push(familyText(registry, spec, series));
  }
  return `${(await Promise.all(texts)).join('\n')}\n`;
}

function seriesOf(name: FamilyName, meters: Meters, readings: Readings): readonly Series[] {
  switch (name) {
    case 'ingest_attachments_bytes':
      return one(readings.attachmentsBytes);
    case 'ingest_build_info':
      return [[[CONTRACT_VERSION, readings.runtime, SERVER_VERSION], 1]];
    case 'ingest_checkpoint_duration_seconds':
      return one(meters.checkpointDurations);
    case 'ingest_commit_duration_seconds':
      return one(meters.commitDurations);
    case 'ingest_database_bytes':
      return one(readings.databaseBytes);
    case 'ingest_disk_free_bytes':
      return one(readings.diskFreeBytes);
    case 'ingest_disk_size_bytes':
      return one(readings.diskSizeBytes);
    case 'ingest_events_total':
      return meters.events().map(([outcome, source, count]) => [[outcome, source], count]);
    case 'ingest_forward_events_total':
      return one(readings.forwardEvents);
    case 'ingest_forward_failures_total':
      return one(readings.forwardFailures);
    case 'ingest_forward_last_success_time_seconds':
      return one(readings.forwardLastMs / 1000);
    case 'ingest_forward_lost_events_total':
      return one(readings.forwardLostEvents);
    case 'ingest_forward_refused_events_total':
      return one(readings.forwardRefusedEvents);
    case 'ingest_forward_waiting_events':
      return one(readings.forwardWaitingEvents);
    case 'ingest_group_events':
      return one(meters.groupEvents);
    case 'ingest_http_request_duration_seconds':
      return durations(meters);
    case 'ingest_http_requests_total':
      return requests(meters);
    case 'ingest_queue_events':
      return one(readings.queueEvents);
    case 'ingest_queue_limit_events':
      return one(readings.queueLimitEvents);
    case 'ingest_ready':
      return one(readings.isReady ? 1 : 0);
    case 'ingest_refusals_total':
      return sorted([...meters.refusals()].map(([code, count]) => [[code], count]));
    case 'ingest_retention_deleted_events_total':
      return one(meters.deletedEvents);
    case 'ingest_retention_limit_bytes':
      return one(readings.retentionLimitBytes);
    case 'ingest_retention_limit_seconds':
      return one(readings.retentionLimitDays * DAY_SECONDS);
    case 'ingest_retention_steps_total':
      return one(meters.deletionSteps);
    case 'ingest_retention_used_bytes':
      return one(readings.retentionUsedBytes);
    case 'ingest_stream_clients': {
      const clients = [readings.eventClients, readings.invalidateClients];
      return METRICS.values.mode.map((mode, place) => [[mode], clients[place]!]);
    }
    case 'ingest_stream_delivery_lag_seconds':
      return one(meters.deliveryLags);
    case 'ingest_times_ignored_total':
      return one(meters.ignoredTimes);
    case 'ingest_wal_bytes':
      return one(readings.walBytes);
    case 'ingest_webhook_notices_total':
      return [...meters.notices()].map(([result, count]) => [[result], count]);
    case 'process_start_time_seconds':
      return one(readings.startTimeMs / 1000);
  }
}

function one(value: number | Histogram): readonly Series[] {
  return [[[], value]];
}

function durations(meters: Meters): readonly Series[] {
  return sorted(
    meters.requestDurations.flatMap((histogram, route) =>
      histogram.isEmpty ? [] : [[[routeName(route)], histogram] as const],
    ),
  );
}

function requests(meters: Meters): readonly Series[] {
  const { method: methods, status: statuses } = METRICS.values;
  return sorted(
    meters.requests().map(([route, method, status, count]) => {
      return [[methods[method] ?? METRICS.other, routeName(route), String(statuses[status])], count];
    }),
  );
}

function routeName(route: number): string {
  return ROUTES[route]?.path ?? METRICS.other;
}

/** Orders series by the values of their labels, which are ASCII. */
function sorted(series: readonly Series[]): readonly Series[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...series].sort(([a], [b]) => {
    return a.map((value, place) => compare(value, b[place]!)).find((order) => order !== 0) ?? 0;
  });
}

function familyText(registry: Registry, spec: FamilySpec, series: readonly Series[]): Promise<string> {
  const { name, help, type } = spec;
  const values = series.flatMap((one) => samplesOf(spec, one));
  // The metrics of the library count by themselves; this one has the values that the server has counted.
  const metric = { name, get: () => Promise.resolve({ name, help, type, values }) };
  registry.registerMetric(metric as unknown as Metric);
  return registry.getSingleMetricAsString(name);
}

/** One line of a family, as the library takes it. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Name of the line, if it is not that of the family. */
  readonly metricName?: string;
}

function samplesOf({ name, labels: names, buckets }: FamilySpec, [labels, value]: Series): Sample[] {
  const pairs = Object.fromEntries(names.map((label, place) => [label, labels[place]!]));
  if (typeof value === 'number') return [{ labels: pairs, value }];
  const cumulative = value.cumulative();
  const bounds = [...buckets!.map(String), '+Inf'];
  return [
    ...bounds.map((le, place) => {
      return { labels: { ...pairs, le }, value: cumulative[place]!, metricName: `${name}_bucket` };
    }),
    { labels: pairs, value: value.sum, metricName: `${name}_sum` },
    { labels: pairs, value: cumulative.at(-1)!, metricName: `${name}_count` },
  ];
}
