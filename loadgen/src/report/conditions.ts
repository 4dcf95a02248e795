/** The conditions of the figures and all warnings: one fact for each line. */

import type { Warning } from '../analyse/warning.ts';
import { ADVICE } from '../analyse/warnings.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { Measurement, Result } from '../result/result.ts';
import { formatDuration, group } from './format.ts';
import { askedOf } from './series.ts';

export function runConditions(result: Result): string[] {
  const { environment } = result;
  const health = (result.servers.rs ?? result.servers.ts)?.health;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      [`Node ${environment.node_version}`, ...builtBy(environment)].join(', '),
    ...(health === undefined
      ? []
      : [
          `SQLite ${health.sqlite_version}, journal_mode ${health.journal_mode}, synchronous ${health.synchronous}, ` +
            `durability ${health.durability}, ${environment.database_file_system ?? 'unknown file system'}`,
        ]),
    // An installed package has a version and no commit.
    environment.commit === null && health !== undefined
      ? `twin-ingest ${health.version}`
      : `commit ${commitOf(result)}`,
  ];
}

function builtBy({ rustc_version, commit }: Result['environment']): string[] {
  if (rustc_version !== null) return [rustc_version];
  return commit === null ? [] : ['no rustc'];
}

export function commitOf({ environment }: Pick<Result, 'environment'>): string {
  return `${environment.commit ?? 'unknown'}${environment.dirty === true ? ' with uncommitted changes' : ''}`;
}

/** Returns the conditions of one measurement: rounds, size and load. */
export function workloadLine(measurement: Measurement): string {
  const { workload, driver, payload } = measurement;
  if (workload === null) return `${measurement.order.length} starts, each a fresh process and database`;
  const size = [
    ...(workload.events === null ? [] : [`${group(workload.events)} events a round`]),
    ...(workload.duration_s === null ? [] : [`slices of ${formatDuration(workload.duration_s)}`]),
  ].join(' or ');
  const source =
    payload === null
      ? []
      : [payload.source === 'corpus' ? 'events of a corpus' : `generated events, seed ${payload.seed}`];
  return [
    `rounds: ${workload.rounds} of ${workload.slices} ${workload.slices === 1 ? 'slice' : 'slices'} per server, ${size}`,
    ...source,
    workload.batch_size === 1 ? 'one event a request' : `batches of ${workload.batch_size}`,
    // k6 opens one connection for each request in flight.
    ...(driver?.name === 'k6' ? ['connections as needed'] : [`${workload.connections} connections`]),
    ...(driver === null ? [] : [driverText(driver)]),
    ...(workload.rate === null ? [] : [`asked ${askedOf(measurement)}`]),
    ...(workload.stream_clients === 0 ? [] : [`${workload.stream_clients} stream clients`]),
    `durability ${workload.durability}`,
  ].join(', ');
}

/** Returns text such as "open loop (k6 1.8.1), latency from sending". */
function driverText({ model, name, version, latency_from }: DriverFacts): string {
  return `${model} loop (${name} ${version}), latency from ${latency_from === 'due' ? 'when a request was due' : 'sending'}`;
}

/** Explanation of the figures for readers. */
export const READING =
  'medians, in parentheses minimum and maximum; ratios are of neighbouring slices, with their 95 % interval; fresh processes and databases each round';

export interface NamedWarning extends Warning {
  /** Name of the measurement; `null` for a warning about the whole run. */
  readonly measurement: string | null;
}

export function warningsOf(result: Result): NamedWarning[] {
  return [
    ...result.warnings.map((warning) => ({ ...warning, ...ADVICE[warning.code], measurement: null })),
    ...result.measurements.flatMap(({ name, warnings }) =>
      warnings.map((warning) => ({ ...warning, ...ADVICE[warning.code], measurement: name })),
    ),
  ];
}

/**
 * Returns where a kind of warning occurred. It prints the common end of the messages once, such as "batch: 3.1 %;
 * single: 4.3 % of the cores' time".
 */
export function seenText(found: readonly NamedWarning[]): string {
  const words = found.map(({ message }) => message.split(' '));
  const end = commonEnd(words);
  const seen = found.map(({ measurement }, i) => {
    const own = words[i]!.slice(0, words[i]!.length - end).join(' ');
    return measurement === null ? own : `${measurement}: ${own}`;
  });
  return [seen.join('; '), ...words[0]!.slice(words[0]!.length - end)].join(' ').replace(/\.$/, '');
}

/** Common ends of at most this many words are repeated, which is easier to read. */
const LEAST_COMMON_WORDS = 5;

/** Returns the number of words at the end to print once. The first common word is excluded, since it may be a unit. */
function commonEnd(lists: readonly (readonly string[])[]): number {
  const shortest = Math.min(...lists.map(({ length }) => length));
  let shared = 0;
  while (shared < shortest && new Set(lists.map((list) => list.at(-1 - shared))).size === 1) shared++;
  return lists.length > 1 && shared > LEAST_COMMON_WORDS ? shared - 1 : 0;
}
