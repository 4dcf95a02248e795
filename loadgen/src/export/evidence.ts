/**
 * The figures that close a caveat, each as a sentence; `null` when the result does not hold them.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRICS } from '../metrics.ts';
import { type Measurement, measurementNamed, type Result } from '../result.ts';
import {
  formatDuration,
  formatMedian,
  formatRatio,
  formatSummary,
  formatValue,
  group,
  percent,
} from './format.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { headlineOf, isCompared, rowSentence, rowsOf } from './rows.ts';
import {
  askedOf,
  dashboardLines,
  driftColumn,
  driftKeys,
  driftText,
  limitLines,
  openMeasurements,
  shareOfLimit,
} from './series.ts';

export const evidence = {
  rounds(result: Result): string | null {
    const headline = headlineOf(result);
    if (headline?.workload === undefined || headline.workload === null) return null;
    const { comparison } = headline;
    const compared = comparison?.throughput_events_per_s ?? null;
    const floor = compared?.noise_floor ?? null;
    const interval =
      compared === null ? '' : `, ratio ${formatRatio(compared)} from ${compared.pairs.length} pairs`;
    return (
      `${headline.workload.rounds} rounds a server, A B B A${spanOf(headline)}${interval}, ` +
      `noise floor of throughput ${floor === null ? 'not known from so few' : percent(floor)}.`
    );
  },

  files(result: Result): string | null {
    const stored = storedOf(result);
    if (stored === 0) return null;
    const system = result.environment.database_file_system ?? 'an unknown file system';
    return `Files on ${system} for both; ${group(stored)} rows were found in them after the servers had stopped.`;
  },

  stream(result: Result): string | null {
    const stream = measurementNamed(result, 'stream');
    if (stream === undefined) return null;
    const clients = stream.workload?.stream_clients ?? 0;
    return `${clients} clients attached, ${askedOf(stream)}. ${perServer(result, stream, 'stream_lag_p99_ms')}`;
  },

  soak(result: Result): string | null {
    const soak = measurementNamed(result, 'soak');
    if (soak === undefined) return null;
    const drifts = driftKeys(soak).map((key) => {
      const each = serversIn(result).map(
        (name) => `${SHORT_NAMES[name]} ${driftText(key, soak.servers[name]?.drift?.[key])}`,
      );
      return `${driftColumn(key).label}: ${each.join('; ')}`;
    });
    const length = soak.workload?.duration_s ?? null;
    return [
      `${length === null ? 'Run' : formatDuration(length)} a server${length !== null && length < ASKED_SOAK_S ? ', of the 30 min that were asked for' : ''}.`,
      `${drifts.join('. ')}.`,
      ...dashboardLines(soak),
    ].join(' ');
  },

  limit(result: Result, said: string): string | null {
    const headline = headlineOf(result);
    const lines = headline === undefined ? [] : limitLines(result, headline);
    return lines.length === 0 ? null : `${said} ${lines.join(' ')}`;
  },

  runtimeLag(result: Result): string | null {
    const soak = measurementNamed(result, 'soak');
    const each = serversIn(result).flatMap((name) => {
      const lags = (soak?.rounds ?? [])
        .filter((round) => round.target === name)
        .flatMap((round) => round.timeline.lag_ms.filter((lag) => lag !== null));
      if (lags.length === 0) return [];
      const most = lags.reduce((found, lag) => Math.max(found, lag), 0);
      return [`${SHORT_NAMES[name]} at most ${formatValue(most, 'ms')} in ${group(lags.length)} samples`];
    });
    if (each.length === 0) return null;
    return (
      `No pause is blamed unmeasured: a request that touches no database, sent once a second, waited during the soak ` +
      `${each.join(', ')}; a pause between two of them is in the latencies alone.`
    );
  },

  openLatency(result: Result): string | null {
    const open = openMeasurements(result);
    if (open.length === 0) return null;
    const each = open.map(
      (measurement) =>
        `asked ${askedOf(measurement)}: ${serversIn(result)
          .map((name) => `${SHORT_NAMES[name]} ${median(measurement, name, 'latency_p99_ms')}`)
          .join(', ')}`,
    );
    return `p99 of an open loop, from the moment a request was due, on a clock of microseconds: ${each.join('; ')}.`;
  },

  start(result: Result): string | null {
    const startup = measurementNamed(result, 'startup');
    if (startup === undefined) return null;
    const starts = Math.min(...Object.values(startup.servers).map((server) => server.starts_ms?.length ?? 0));
    return `Programs are started directly, ${starts} times each, until ready. ${perServer(result, startup, 'start_ms')}`;
  },

  size(result: Result): string | null {
    const each = serversIn(result).map((name) => {
      const { own_bytes, with_runtime_bytes } = result.servers[name]!.deployed;
      return `${SHORT_NAMES[name]} ${formatValue(own_bytes, 'bytes')} and ${formatValue(with_runtime_bytes, 'bytes')} with its runtime`;
    });
    return each.length === 0 ? null : `What is deployed is weighed: ${each.join(', ')}.`;
  },

  events(result: Result): string | null {
    const headline = headlineOf(result);
    if (headline === undefined || headline.rounds.length === 0) return null;
    const seconds = headline.rounds.map(({ measured }) => measured.duration_ms / 1000);
    const events = headline.rounds.reduce((sum, { measured }) => sum + measured.received_events, 0);
    const row = measurementNamed(result, 'seed');
    const kept =
      row === undefined
        ? ''
        : ` The old row is kept beside it: ${perServer(result, row, 'throughput_events_per_s')}`;
    return `${group(events)} events in rounds of at least ${formatDuration(Math.min(...seconds))}.${kept}`;
  },

  warmUp(result: Result): string | null {
    const rounds = (headlineOf(result)?.rounds ?? []).filter(({ warm_up }) => warm_up.steady !== null);
    if (rounds.length === 0) return null;
    const steady = rounds.filter(({ warm_up }) => warm_up.steady === true).length;
    const events = headlineOf(result)?.workload?.warmup_events ?? null;
    const warmed =
      events === null
        ? 'Every round is warmed up for four seconds at its rate'
        : `Every round is warmed up with ${group(events)} events`;
    return `${warmed}; in ${steady} of ${rounds.length} two parts in a row agreed within 5 %.`;
  },

  audit(result: Result): string | null {
    const rounds = result.measurements.flatMap((measurement) => measurement.rounds);
    if (rounds.length === 0) return null;
    const same = rounds.filter(({ audit }) => audit.expected_digest === audit.stored_digest).length;
    return (
      `In this run the rows of ${same} of ${rounds.length} rounds were, in content, those that were acknowledged ` +
      `(${group(storedOf(result))} rows). The cases of parity-tests are no part of it: \`pnpm parity\` holds both servers against them.`
    );
  },

  promises(
    result: Result,
    fields: readonly ('durability' | 'synchronous' | 'journal_mode')[],
  ): string | null {
    const each = serversIn(result).map((name) => {
      const { health } = result.servers[name]!;
      return `${SHORT_NAMES[name]} ${fields.map((field) => `${field} ${health[field]}`).join(', ')}`;
    });
    if (each.length === 0) return null;
    const power = measurementNamed(result, 'power');
    const beside =
      power === undefined ? '' : ` With power: ${perServer(result, power, 'throughput_events_per_s')}`;
    return `Read from each server; a difference ends the run: ${each.join('; ')}.${beside}`;
  },

  database(result: Result): string | null {
    const each = serversIn(result).map((name) => {
      const { health } = result.servers[name]!;
      const pragmas = Object.entries(health.pragmas).map(([key, value]) => `${key} ${value}`);
      return `SQLite ${health.sqlite_version} (${pragmas.join(', ')})`;
    });
    const headline = headlineOf(result);
    const shares = serversIn(result).flatMap((name) => {
      const share = headline === undefined ? null : shareOfLimit(result, headline, name);
      return share === null ? [] : [`${SHORT_NAMES[name]} ${percent(share)}`];
    });
    if (each.length === 0) return null;
    const limit = shares.length === 0 ? '' : ` Share of what each takes in bulk: ${shares.join(', ')}.`;
    const [first] = each;
    const same = each.every((one) => one === first);
    const apart = serversIn(result).map((name, i) => `${SHORT_NAMES[name]} ${each[i]}`);
    const said = same ? `The same for every server: ${first}` : `Not the same: ${apart.join('; ')}`;
    return `Read from the connection of each server. ${said}.${limit}`;
  },
};

/** What the ancestor's report called for. */
const ASKED_SOAK_S = 30 * 60;

/** "TypeScript 12 ms, Rust 8 ms. Rust’s … is lower …" */
function perServer(result: Result, measurement: Measurement, key: string): string {
  const metric = METRICS.find((candidate) => candidate.key === key);
  if (metric === undefined) throw new RangeError(`there is no metric ${key}`);
  const values = serversIn(result).map(
    (name) => `${SHORT_NAMES[name]} ${formatSummary(measurement.servers[name]?.metrics[key], metric.unit)}`,
  );
  const row = rowsOf(result, measurement).find((candidate) => candidate.key === key);
  const sentence = isCompared(result) && row !== undefined ? ` ${rowSentence(row)}` : '';
  return `${metric.label}: ${values.join(', ')}.${sentence}`;
}

function median(measurement: Measurement, name: TargetName, key: string): string {
  return formatMedian(measurement.servers[name]?.metrics[key], 'ms');
}

/** How much of the run lies between the first and the last round. */
function spanOf({ rounds }: Measurement): string {
  const at = rounds.map(({ at_s }) => at_s);
  if (at.length < 2) return '';
  return `, spread over ${formatDuration(Math.max(...at) - Math.min(...at))} of the run`;
}

function storedOf(result: Result): number {
  const rounds = result.measurements.flatMap((measurement) => measurement.rounds);
  return rounds.reduce((sum, { audit }) => sum + audit.stored_events, 0);
}
