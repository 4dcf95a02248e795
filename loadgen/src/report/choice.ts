/**
 * The README's answer to "Which server should I ship?": six rows, and one sentence for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ProgramFacts } from '../../plain/facts.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { commitOf, warningsOf } from './conditions.ts';
import { type Design, designOf } from './design.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { metricTable } from './markdown.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';
import { isCompared, type Row, rowsOf, sizeRows } from './rows.ts';
import { isDifference, shortVerdict } from './verdict.ts';

const OPEN = 'open_10000';
/** Difference of CPU time, in cores, above which the choice of a server matters. */
const NOTICED_CORES = 0.1;

interface Choice {
  readonly start: Row;
  readonly memory: Row;
  readonly cpu: Row;
  readonly latency: Row;
  readonly throughput: Row;
  readonly size: Row;
  /** CPU time per event with one event per request; `undefined` when the run did not measure it. */
  readonly singleCpu: Row | undefined;
  readonly rate: number;
}

/** Returns the section as Markdown: table, answers, design and language, and conditions. */
export function choiceSection(result: Result, programs: readonly ProgramFacts[] | null): string {
  const { start, memory, cpu, latency, throughput, size } = choiceOf(result);
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
  const choice = isCompared(result) && isComplete(result) ? choiceOf(result) : null;
  if (choice === null) return [];
  return [
    { reader: 'You run coding agents', text: forAgents(choice) },
    { reader: 'You build an app', text: forApps(choice, result) },
    { reader: 'You ask "Node or Rust?"', text: forBackends(choice) },
  ];
}

/** Returns whether both servers have every figure that the answers need. */
function isComplete(result: Result): boolean {
  const needed: readonly (readonly [Measurement | undefined, readonly string[]])[] = [
    [measurementNamed(result, 'startup'), ['start_ms']],
    [headlineOf(result), ['idle_rss_bytes', 'throughput_events_per_s']],
    [measurementNamed(result, OPEN), ['server_cpu_us_per_event', 'latency_p99_ms']],
  ];
  return needed.every(([one, keys]) =>
    keys.every((key) => one?.servers.rs?.metrics[key] && one.servers.ts?.metrics[key]),
  );
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
    ...PROGRAMS.map((name) =>
      cell(
        found(
          programs.find((one) => one.name === name),
          `no facts of ${name}`,
        ),
      ),
    ),
  ];
  return [
    row('Lines of code (and of SQL)', ({ lines, sql_lines }) => `${group(lines)} (${group(sql_lines)})`),
    row('Dependencies, direct (and all)', ({ dependencies: { direct, all } }) => `${direct} (${all})`),
    row('Clean build', ({ clean_build_s }) =>
      clean_build_s === null ? 'none' : formatDuration(clean_build_s),
    ),
  ];
}

function choiceOf(result: Result): Choice {
  const startup = found(measurementNamed(result, 'startup'), 'no starts in the comparison');
  const headline = found(headlineOf(result), 'no throughput in the comparison');
  const atRate = found(measurementNamed(result, OPEN), `no ${OPEN} in the comparison`);
  const single = measurementNamed(result, 'single');
  const rate = atRate.workload?.rate;
  if (rate?.kind !== 'fixed') throw new Error(`${OPEN} has no fixed rate`);
  const at = `at ${group(rate.events_per_s)} events/s`;
  const cpu = rowOf(result, atRate, 'server_cpu_us_per_event');
  const latency = rowOf(result, atRate, 'latency_p99_ms');
  return {
    start: rowOf(result, startup, 'start_ms'),
    memory: rowOf(result, headline, 'idle_rss_bytes'),
    cpu: { ...cpu, label: `${cpu.label} ${at}` },
    latency: { ...latency, label: `${latency.label} ${at}` },
    throughput: rowOf(result, headline, 'throughput_events_per_s'),
    size: found(
      sizeRows(result).find(({ key }) => key === 'deployed_with_runtime_bytes'),
      'no sizes',
    ),
    singleCpu: single && rowOf(result, single, 'server_cpu_us_per_event'),
    rate: rate.events_per_s,
  };
}

function rowOf(result: Result, measurement: Measurement, key: string): Row {
  return found(
    rowsOf(result, measurement).find((row) => row.key === key),
    `no ${key} in ${measurement.name}`,
  );
}

function found<T>(value: T | undefined, problem: string): T {
  if (value === undefined) throw new Error(problem);
  return value;
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
  const alone = singleCpu === undefined ? null : noticedFrom(singleCpu);
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
  const headline = headlineOf({ measurements: result.measurements });
  const { workload } = found(headline, 'no throughput');
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

function median({ summaries, label }: Row, name: TargetName): number {
  return found(summaries[name]?.median, `no ${label} of ${SHORT_NAMES[name]}`);
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
