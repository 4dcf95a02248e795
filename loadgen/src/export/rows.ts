/**
 * The rows of the comparison, shared by every table: the seed's columns, with ratio and interval beside.
 */
import { METRICS } from '../metrics.ts';
import type { Result } from '../result.ts';
import { formatDelta, formatRatio, formatSummary } from './format.ts';

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function comparisonTable(result: Result): Table {
  const { rs, ts } = result.servers;
  const servers = [ts, rs].filter((server) => server !== undefined);
  const compared = result.ratios !== undefined;
  return {
    head: [
      'Metric',
      ...servers.map((server) => server.label),
      ...(compared ? ['Delta', 'Ratio (Rust / TypeScript)'] : []),
    ],
    rows: METRICS.map((metric) => [
      metric.label,
      ...servers.map((server) => formatSummary(server.metrics[metric.key], metric.unit)),
      ...(compared ? [formatDelta(result.ratios![metric.key]), formatRatio(result.ratios![metric.key])] : []),
    ]),
  };
}

/** What the figures were measured with, one fact a line. */
export function conditions(result: Result): string[] {
  const { flags, environment, payload } = result;
  const health = (result.servers.rs ?? result.servers.ts)!.health;
  const events = payload.source === 'corpus' ? `corpus ${flags.corpus}` : `generated, seed ${payload.seed}`;
  const changed = environment.dirty === true ? ' with uncommitted changes' : '';
  return [
    `rounds per server: ${flags.rounds}, each of ${flags.events.toLocaleString('en-US')} events (${events}), batches of ${flags.batch_size}, ` +
      `${flags.concurrency} connections, closed loop, fresh process and database each round; ` +
      `medians, ± half of what lies between minimum and maximum`,
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `SQLite ${health.sqlite_version}, journal_mode ${health.journal_mode}, synchronous ${health.synchronous}, ` +
      `durability ${health.durability}, ${environment.database_file_system ?? 'unknown file system'}`,
    `commit ${environment.commit ?? 'unknown'}${changed}`,
  ];
}
