/**
 * The README's answer to "Which server should I ship?": six rows, and one sentence for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the two results. The rows at a fixed
 * rate come from the open loop of docs/performance, all others from the last comparison.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { commitOf, warningsOf } from './conditions.ts';
import { formatValue, group } from './format.ts';
import { metricTable } from './markdown.ts';
import { bullets, markdownText } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';
import { type Row, rowsOf, sizeRows } from './rows.ts';
import { isDifference, shortVerdict } from './verdict.ts';

/** Where the rows at a fixed rate come from. */
export const OPEN_FILE = 'docs/performance/open.json';
const OPEN = 'open_10000';
/** CPU time that a reader notices: the choice matters where the servers differ by more. */
const NOTICED_CORES = 0.1;

interface Choice {
  readonly start: Row;
  readonly memory: Row;
  readonly cpu: Row;
  readonly latency: Row;
  readonly throughput: Row;
  readonly size: Row;
  /** CPU time per event where each event is a request of its own; a comparison may leave it out. */
  readonly singleCpu: Row | undefined;
  readonly rate: number;
}

/** Table, sentences, and what was measured when, as Markdown. */
export function choiceSection(result: Result, open: Result): string {
  const choice = choiceOf(result, open);
  const { start, memory, cpu, latency, throughput, size } = choice;
  return `${[
    metricTable(result, [start, memory, cpu, latency, throughput, size], ['ratio', 'meaning']),
    '',
    bullets([
      sentence('You run coding agents', forAgents(choice)),
      sentence('You build an app', forApps(choice, result)),
      sentence('You ask "Node or Rust?"', forBackends(choice)),
    ]),
    '',
    markdownText(conditions(result, open)),
    '',
    warningLine(result),
  ].join('\n')}\n`;
}

function choiceOf(result: Result, open: Result): Choice {
  const startup = found(measurementNamed(result, 'startup'), 'no starts in the comparison');
  const headline = found(headlineOf(result), 'no throughput in the comparison');
  const atRate = found(measurementNamed(open, OPEN), `no ${OPEN} in ${OPEN_FILE}`);
  const single = measurementNamed(result, 'single');
  const rate = atRate.workload?.rate;
  if (rate?.kind !== 'fixed') throw new Error(`${OPEN} of ${OPEN_FILE} has no fixed rate`);
  const at = `at ${group(rate.events_per_s)} events/s`;
  const cpu = rowOf(open, atRate, 'server_cpu_us_per_event');
  const latency = rowOf(open, atRate, 'latency_p99_ms');
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

function sentence(reader: string, text: string): string {
  return `**${reader}:** ${markdownText(text)}`;
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

/** From which rate on the difference of CPU time is noticed, and from which on one server alone keeps up. */
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
    `a core more than ${SHORT_NAMES[cheap]}, at the CPU time per event of the row above, in batches.${also} ` +
    `At ${group(rate)} events/s ${p99}. ${end}`
  );
}

/** The rate at which one server takes `NOTICED_CORES` more than the other; `null` where their CPU time does not differ. */
function noticedFrom(cpu: Row): { dear: TargetName; cheap: TargetName; events_per_s: number } | null {
  const cheap = lower(cpu);
  const dear = cheap === 'rs' ? 'ts' : 'rs';
  const difference_us = median(cpu, dear) - median(cpu, cheap);
  if (!isDifference(cpu.comparison) || difference_us === 0) return null;
  return { dear, cheap, events_per_s: (NOTICED_CORES * 1e6) / difference_us };
}

function conditions(result: Result, open: Result): string {
  const { workload } = found(measurementNamed(open, OPEN), `no ${OPEN}`);
  const preload = headlineOf(result)?.workload?.preload_events ?? 0;
  const machine = ({ environment, created_at }: Result) =>
    `${created_at.slice(0, 10)}, ${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, commit ${commitOf({ environment }).slice(0, 7)}`;
  return (
    `Medians, in parentheses the smallest and the largest round; ratios with their 95 % interval. ` +
    `The two rows at a fixed rate: ${machine(open)}, open loop, batches of ${workload?.batch_size} small events, ` +
    `a file of ${group(workload?.preload_events ?? 0)} events. All others: ${machine(result)}, ${preload === 0 ? 'an empty file' : `a file of ${group(preload)} events`}.`
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

/** Figures in prose have two digits; the table has the rest. */
function about(row: Row, name: TargetName): string {
  return rounded(median(row, name));
}

function rounded(value: number): string {
  return `about ${group(Number(value.toPrecision(2)))}`;
}
