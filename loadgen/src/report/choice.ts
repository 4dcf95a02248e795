/**
 * The README's answer to "Which server should I ship?": six rows, and one sentence for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ProgramFacts } from '../../plain/facts.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { commitOf } from './conditions.ts';
import { type Design, designOf } from './design.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { bullets, markdownTable, markdownText, metricTable } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';
import { type Row, rowsOf, sizeRows } from './rows.ts';
import { isDifference, verdictText } from './verdict.ts';

/** The rate of the table's open loop, in events/s. */
const RATE = 10_000;
const AT_RATE = `at ${group(RATE)} events/s`;
/** Difference of CPU time, in cores, above which the choice of a server matters. */
const NOTICED_CORES = 0.1;

/** The rows of the table. Each has a value of both servers. */
type Choice = Readonly<Record<'cpu' | 'latency' | 'throughput' | 'memory' | 'start' | 'size', Row>> & {
  /** CPU time per event with one event per request; `null` when the run did not measure it. */
  readonly singleCpu: Row | null;
};

export function choiceSection(result: Result, programs: readonly ProgramFacts[] | null): string {
  const choice = choiceOf(result);
  if (choice === null) throw new Error('the comparison lacks starts, the closed loop or the open loop');
  const { cpu, latency, throughput, memory, start, size } = choice;
  const design = designOf(result);
  return `${[
    metricTable(result, [cpu, latency, throughput, memory, start, size], ['ratio', 'meaning']),
    bullets(answers(result).map(({ reader, text }) => `**${reader}:** ${markdownText(text)}`)),
    ...(design.table.rows.length === 0 ? [] : designText(design, programs)),
    markdownText(conditions(result)),
    warningLine(result),
  ].join('\n\n')}\n`;
}

/** Returns one answer for each reader; none when the run lacks a necessary figure. */
export function answers(result: Result): { readonly reader: string; readonly text: string }[] {
  const choice = choiceOf(result);
  if (choice === null) return [];
  return [
    { reader: 'You run coding agents', text: forAgents(choice) },
    { reader: 'You build an app', text: forApps(choice, result) },
    { reader: 'You ask "Node or Rust?"', text: forBackends(choice) },
  ];
}

function designText({ table, sentences }: Design, programs: readonly ProgramFacts[] | null): string[] {
  const rows = [...table.rows, ...(programs === null ? [] : programRows(programs))];
  return [
    'The same load on a plain server of each language, as a tutorial would write it, and on these servers:',
    markdownTable({ head: table.head, rows }),
    bullets(sentences.map(markdownText)),
  ];
}

/** Returns lines, dependencies and build time of each program, in the columns of the design table. */
function programRows(programs: readonly ProgramFacts[]): string[][] {
  const facts = (['plain-ts', 'ts', 'plain-rs', 'rs'] as const).map(
    (name) => programs.find((one) => one.name === name)!,
  );
  return [
    ['Lines of code (and of SQL)', ...facts.map((one) => `${group(one.lines)} (${group(one.sql_lines)})`)],
    [
      'Dependencies, direct (and all)',
      ...facts.map(({ dependencies: { direct, all } }) => `${direct} (${all})`),
    ],
    ['Clean build', ...facts.map(({ clean_build_s: s }) => (s === null ? 'none' : formatDuration(s)))],
  ];
}

/** Returns the rows; `null` when the run lacks one. */
function choiceOf(result: Result): Choice | null {
  const row = (measurement: Measurement | undefined, key: string): Row | null => {
    const found = rowsOf(result, measurement).find((one) => one.key === key);
    return found?.summaries.rs && found.summaries.ts ? found : null;
  };
  const open = measurementNamed(result, `open_${RATE}`);
  const saturated = headlineOf(result);
  const cpu = row(open, 'server_cpu_us_per_event');
  const latency = row(open, 'latency_p99_ms');
  const throughput = row(saturated, 'throughput_events_per_s');
  const memory = row(saturated, 'idle_rss_bytes');
  const start = row(measurementNamed(result, 'startup'), 'start_ms');
  if (!cpu || !latency || !throughput || !memory || !start) return null;
  return {
    cpu: { ...cpu, label: `${cpu.label} ${AT_RATE}` },
    latency: { ...latency, label: `${latency.label} ${AT_RATE}` },
    throughput,
    memory,
    start,
    size: sizeRows(result).find(({ key }) => key === 'deployed_with_runtime_bytes')!,
    singleCpu: row(measurementNamed(result, 'single'), 'server_cpu_us_per_event'),
  };
}

function forAgents({ memory }: Choice): string {
  return (
    `either server will do. Agents send far fewer than ${group(RATE)} events/s. ` +
    `${verdictText(memory)} TypeScript needs no Rust compiler to build.`
  );
}

function forApps({ start, size }: Choice, { servers }: Result): string {
  const ships = (name: TargetName) =>
    `${SHORT_NAMES[name]} adds ${shown(size, name)} with its runtime and starts in ${shown(start, name)}`;
  const own = formatValue(servers.ts!.deployed.own_bytes, 'bytes');
  return (
    `ship ${SHORT_NAMES[order(size).less]}. ${ships('rs')}; ${ships('ts')}. ` +
    `An app that ships Node already adds ${own} for TypeScript.`
  );
}

/**
 * Returns the answer about rates: above which one CPU time differs noticeably, and how much each server takes at
 * saturation.
 */
function forBackends({ cpu, singleCpu, latency, throughput }: Choice): string {
  const { less, more } = order(throughput);
  const end =
    `At saturation ${SHORT_NAMES[less]} takes ${rounded(median(throughput, less))} events/s, ` +
    `${SHORT_NAMES[more]} ${rounded(median(throughput, more))}.`;
  const p99 = `p99 is ${shown(latency, 'rs')} with Rust and ${shown(latency, 'ts')} with TypeScript`;
  const from = noticedFrom(cpu);
  if (from === null) return `${AT_RATE} the rate does not decide. There, ${p99}. ${end}`;
  const { less: cheap, more: dear } = order(cpu);
  const alone = singleCpu !== null && order(singleCpu).more === dear ? noticedFrom(singleCpu) : null;
  const also = alone === null ? '' : ` With one event in each request it is ${rounded(alone)} events/s.`;
  return (
    `the choice matters from ${rounded(from)} events/s on. There ${SHORT_NAMES[dear]} takes a tenth of ` +
    `a core more than ${SHORT_NAMES[cheap]}, at the CPU time per event of ${group(RATE)} events/s in batches.${also} ` +
    `At ${group(RATE)} events/s ${p99}. ${end}`
  );
}

/** Returns the rate at which one server uses `NOTICED_CORES` more than the other; `null` without a difference. */
function noticedFrom(cpu: Row): number | null {
  const { less, more } = order(cpu);
  const difference_us = median(cpu, more) - median(cpu, less);
  return isDifference(cpu) && difference_us > 0 ? (NOTICED_CORES * 1e6) / difference_us : null;
}

function conditions({ environment, created_at, ...result }: Result): string {
  const workload = headlineOf(result)!.workload!;
  return (
    `Medians, in parentheses the smallest and the largest; ratios of neighbouring slices with their 95 % interval. ` +
    `${created_at.slice(0, 10)}, ${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ` +
    `commit ${commitOf({ environment }).slice(0, 7)}: ${workload.rounds} rounds, batches of ${workload.batch_size} generated events.`
  );
}

function warningLine({ placement, environment, measurements, warnings }: Result): string {
  const count = [...warnings, ...measurements.flatMap((one) => one.warnings)].length;
  if (count === 0) return 'The run has no warnings.';
  const shared = placement.pinned
    ? ''
    : `Server and load generator shared ${environment.cpu_cores} cores, so the CPU time is the sounder figure. `;
  return `${shared}Read the [${count} warnings of the run](docs/benchmark-results.md#warnings) before you quote a figure.`;
}

function order(row: Row): { readonly less: TargetName; readonly more: TargetName } {
  return median(row, 'rs') <= median(row, 'ts') ? { less: 'rs', more: 'ts' } : { less: 'ts', more: 'rs' };
}

function median({ summaries }: Row, name: TargetName): number {
  return summaries[name]!.median;
}

function shown(row: Row, name: TargetName): string {
  return formatValue(median(row, name), row.unit);
}

/** Formats a rate with two digits, for prose. The table has more digits. */
function rounded(value: number): string {
  return `about ${group(Number(value.toPrecision(2)))}`;
}
