/**
 * The README's answer to "Which server should I ship?": six rows, and one sentence for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ProgramFacts } from '../../plain/facts.ts';
import { headlineOf, measurementNamed, type Rate, type Result } from '../result/result.ts';
import { commitOf, warningsOf } from './conditions.ts';
import { type Design, designOf } from './design.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { metricTable } from './markdown.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';
import { type Row, rowsOf, sizeRows } from './rows.ts';
import { isDifference, shortVerdict } from './verdict.ts';

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
    '',
    bullets(answers(result).map(({ reader, text }) => `**${reader}:** ${markdownText(text)}`)),
    '',
    ...(design === null ? [] : [designText(design, programs), '']),
    markdownText(conditions(result)),
    '',
    warningLine(result),
  ].join('\n')}\n`;
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

function designText({ table, sentences }: Design, programs: readonly ProgramFacts[] | null): string {
  return [
    'The same load on a plain server of each language, as a tutorial would write it, and on these servers:',
    '',
    markdownTable({
      head: table.head,
      rows: [...table.rows, ...(programs === null ? [] : programRows(programs))],
    }),
    '',
    bullets(sentences.map(markdownText)),
  ].join('\n');
}

const PROGRAMS: readonly ProgramFacts['name'][] = ['plain-ts', 'ts', 'plain-rs', 'rs'];

/** Returns lines, dependencies and build time of each program, in the columns of the design table. */
function programRows(programs: readonly ProgramFacts[]): string[][] {
  const row = (label: string, cell: (facts: ProgramFacts) => string) => [
    label,
    ...PROGRAMS.map((name) => cell(programs.find((one) => one.name === name)!)),
  ];
  return [
    row('Lines of code (and of SQL)', ({ lines, sql_lines }) => `${group(lines)} (${group(sql_lines)})`),
    row('Dependencies, direct (and all)', ({ dependencies: { direct, all } }) => `${direct} (${all})`),
    row('Clean build', ({ clean_build_s }) =>
      clean_build_s === null ? 'none' : formatDuration(clean_build_s),
    ),
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
  const row = measurement && rowsOf(result, measurement).find((one) => one.key === key);
  return row?.summaries.rs && row.summaries.ts ? row : null;
}

function forAgents({ memory, rate }: Choice): string {
  return (
    `either server will do. Agents send far fewer than ${group(rate)} events/s. ` +
    `${shortVerdict(memory.key, memory.label, memory.comparison)} TypeScript needs no Rust compiler to build.`
  );
}

function forApps({ start, size }: Choice, result: Result): string {
  const own = result.servers.ts?.deployed.own_bytes;
  const ships = (name: TargetName) =>
    `${SHORT_NAMES[name]} adds ${shown(size, name)} with its runtime and starts in ${shown(start, name)}`;
  return (
    `ship ${SHORT_NAMES[lower(size)]}. ${ships('rs')}; ${ships('ts')}.` +
    (own === undefined
      ? ''
      : ` An app that ships Node already adds ${formatValue(own, 'bytes')} for TypeScript.`)
  );
}

/**
 * Returns the answer about rates: above which one CPU time differs noticeably, and how much each server takes at
 * saturation.
 */
function forBackends({ cpu, singleCpu, latency, throughput, rate }: Choice): string {
  const less = lower(throughput);
  const more = less === 'rs' ? 'ts' : 'rs';
  const end = `At saturation ${SHORT_NAMES[less]} takes ${about(throughput, less)} events/s, ${SHORT_NAMES[more]} ${about(throughput, more)}.`;
  const p99 = `p99 is ${shown(latency, 'rs')} with Rust and ${shown(latency, 'ts')} with TypeScript`;
  const from = noticedFrom(cpu);
  if (from === null) return `at ${group(rate)} events/s the rate does not decide. There, ${p99}. ${end}`;
  const { dear, cheap, events_per_s } = from;
  const alone = singleCpu && noticedFrom(singleCpu);
  const also =
    alone?.dear === dear
      ? ` With one event in each request it is ${rounded(alone.events_per_s)} events/s.`
      : '';
  return (
    `the choice matters from ${rounded(events_per_s)} events/s on. There ${SHORT_NAMES[dear]} takes a tenth of ` +
    `a core more than ${SHORT_NAMES[cheap]}, at the CPU time per event of ${group(rate)} events/s in batches.${also} ` +
    `At ${group(rate)} events/s ${p99}. ${end}`
  );
}

/**
 * Returns the rate at which one server uses `NOTICED_CORES` more than the other; `null` when their CPU time does not
 * differ.
 */
function noticedFrom(cpu: Row): { dear: TargetName; cheap: TargetName; events_per_s: number } | null {
  const cheap = lower(cpu);
  const dear = cheap === 'rs' ? 'ts' : 'rs';
  const difference_us = median(cpu, dear) - median(cpu, cheap);
  if (!isDifference(cpu.comparison) || difference_us === 0) return null;
  return { dear, cheap, events_per_s: (NOTICED_CORES * 1e6) / difference_us };
}

function conditions({ environment, created_at, ...result }: Result): string {
  const workload = headlineOf(result)?.workload;
  return (
    `Medians, in parentheses the smallest and the largest; ratios of neighbouring slices with their 95 % interval. ` +
    `${created_at.slice(0, 10)}, ${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ` +
    `commit ${commitOf({ environment }).slice(0, 7)}: ${workload?.rounds} rounds, batches of ${workload?.batch_size} generated events.`
  );
}

function warningLine(result: Result): string {
  const { placement, environment } = result;
  const count = warningsOf(result).length;
  if (count === 0) return 'The run has no warnings.';
  const shared = placement.pinned
    ? ''
    : `Server and load generator shared ${environment.cpu_cores} cores, so the CPU time is the sounder figure. `;
  return `${shared}Read the [${count} warnings of the run](docs/benchmark-results.md#warnings) before you quote a figure.`;
}

function lower(row: Row): TargetName {
  return median(row, 'rs') <= median(row, 'ts') ? 'rs' : 'ts';
}

function median({ summaries }: Row, name: TargetName): number {
  return summaries[name]!.median;
}

function shown(row: Row, name: TargetName): string {
  return formatValue(median(row, name), row.unit);
}

/** Returns a median with two digits, for prose. The table has more digits. */
function about(row: Row, name: TargetName): string {
  return rounded(median(row, name));
}

function rounded(value: number): string {
  return `about ${group(Number(value.toPrecision(2)))}`;
}
