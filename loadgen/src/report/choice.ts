/**
 * The README's answer to "Which server should I ship?": six rows, and one sentence for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ProgramFacts } from '../../plain/facts.ts';
import { headlineOf, measurementNamed, type Rate, type Result } from '../result/result.ts';
import { commitOf } from './conditions.ts';
import { type Design, designOf } from './design.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { bullets, markdownTable, markdownText, metricTable } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';
import { type Row, rowsOf, sizeRows } from './rows.ts';
import { isDifference, verdictText } from './verdict.ts';

const OPEN = 'open_10000';
/** Difference of CPU time, in cores, above which the choice of a server matters. */
const NOTICED_CORES = 0.1;

/** The rows of the table, each with its measurement and its metric; `headline` is the closed loop that is shown first. */
const ROWS = {
  cpu: [OPEN, 'server_cpu_us_per_event'],
  latency: [OPEN, 'latency_p99_ms'],
  throughput: ['headline', 'throughput_events_per_s'],
  memory: ['headline', 'idle_rss_bytes'],
  start: ['startup', 'start_ms'],
} as const;

/** Rows with a value of each server. */
interface Choice extends Readonly<Record<keyof typeof ROWS | 'size', Row>> {
  /** CPU time per event with one event per request; `null` when the run did not measure it. */
  readonly singleCpu: Row | null;
  readonly rate: number;
}

/** Returns the section as Markdown: table, answers, design and language, and conditions. */
export function choiceSection(result: Result, programs: readonly ProgramFacts[] | null): string {
  const choice = choiceOf(result);
  if (typeof choice === 'string') throw new Error(choice);
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
  if (typeof choice === 'string') return [];
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

/** Returns the rows of both servers, or what the run lacks. */
function choiceOf(result: Result): Choice | string {
  const rows: Partial<Record<keyof typeof ROWS, Row>> = {};
  for (const [name, [where, key]] of Object.entries(ROWS)) {
    const row = rowOf(result, where, key);
    if (row === null)
      return `no ${where === 'startup' ? 'starts' : where} in the comparison, or no ${key} in it`;
    rows[name as keyof typeof ROWS] = row;
  }
  const { cpu, latency, ...others } = rows as Record<keyof typeof ROWS, Row>;
  const rate = measurementNamed(result, OPEN)!.workload!.rate as Extract<Rate, { kind: 'fixed' }>;
  const at = `at ${group(rate.events_per_s)} events/s`;
  return {
    ...others,
    cpu: { ...cpu, label: `${cpu.label} ${at}` },
    latency: { ...latency, label: `${latency.label} ${at}` },
    size: sizeRows(result).find(({ key }) => key === 'deployed_with_runtime_bytes')!,
    singleCpu: rowOf(result, 'single', 'server_cpu_us_per_event'),
    rate: rate.events_per_s,
  };
}

/** Returns a row with a value of each server; `null` when one is missing. */
function rowOf(result: Result, where: string, key: string): Row | null {
  const measurement = where === 'headline' ? headlineOf(result) : measurementNamed(result, where);
  const row = rowsOf(result, measurement).find((one) => one.key === key);
  return row?.summaries.rs && row.summaries.ts ? row : null;
}

function forAgents({ memory, rate }: Choice): string {
  return (
    `either server will do. Agents send far fewer than ${group(rate)} events/s. ` +
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
function forBackends({ cpu, singleCpu, latency, throughput, rate }: Choice): string {
  const { less, more } = order(throughput);
  const end =
    `At saturation ${SHORT_NAMES[less]} takes ${rounded(median(throughput, less))} events/s, ` +
    `${SHORT_NAMES[more]} ${rounded(median(throughput, more))}.`;
  const p99 = `p99 is ${shown(latency, 'rs')} with Rust and ${shown(latency, 'ts')} with TypeScript`;
  const from = noticedFrom(cpu);
  if (from === null) return `at ${group(rate)} events/s the rate does not decide. There, ${p99}. ${end}`;
  const { less: cheap, more: dear } = order(cpu);
  const alone = singleCpu !== null && order(singleCpu).more === dear ? noticedFrom(singleCpu) : null;
  const also = alone === null ? '' : ` With one event in each request it is ${rounded(alone)} events/s.`;
  return (
    `the choice matters from ${rounded(from)} events/s on. There ${SHORT_NAMES[dear]} takes a tenth of ` +
    `a core more than ${SHORT_NAMES[cheap]}, at the CPU time per event of ${group(rate)} events/s in batches.${also} ` +
    `At ${group(rate)} events/s ${p99}. ${end}`
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

/** Returns the servers in the order of their medians. */
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
