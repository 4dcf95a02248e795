/**
 * Answers "Which server should I ship?" by six rows, and by one line for each reader.
 *
 * Invariant: every figure, and every server that a sentence names, follows from the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { measurementNamed, type Result } from '../result/result.ts';
import { formatMedian, formatValue, group } from './format.ts';
import { SHORT_NAMES } from './names.ts';
import { headlineRows, isDifference, isUnsure, metricRows, type Row, verdictText } from './rows.ts';

/** Difference of CPU time, in cores, above which the choice of a server matters. */
const NOTICED_CORES = 0.1;

/** The six rows, by their labels in the headline. */
const LABELS = {
  cpu: 'CPU per event, 10,000/s',
  latency: 'Latency p99, 10,000/s',
  throughput: 'Throughput',
  memory: 'Idle RSS',
  start: 'Start (spawn to ready)',
  size: 'Deployed size with runtime',
} as const;

type Choice = Readonly<Record<keyof typeof LABELS, Row>>;

/** Returns one line for each reader; none when the run lacks one of the six rows. */
export function answersOf(result: Result): string[] {
  const choice = choiceOf(result);
  if (choice === null) return [];
  const { memory, start, size } = choice;
  const ships = (name: TargetName) =>
    `${SHORT_NAMES[name]} adds ${shown(size, name)} with its runtime and starts in ${shown(start, name)}`;
  const own = formatValue(result.servers.ts!.deployed.own_bytes, 'bytes');
  const values = `Idle, Rust holds ${shown(memory, 'rs')} and TypeScript ${shown(memory, 'ts')}.`;
  return [
    'You run coding agents: either server will do. Agents send far fewer than 10,000 events/s. ' +
      `${isUnsure(memory) ? values : verdictText(memory)} TypeScript needs no Rust compiler to build.`,
    `You build an app: ship ${SHORT_NAMES[ascending(size)[0]]}. ${ships('rs')}; ${ships('ts')}. ` +
      `An app that ships Node already adds ${own} for TypeScript.`,
    `You ask "Node or Rust?": ${rateText(choice, result)}`,
  ];
}

/** Returns the rate above which CPU time differs noticeably, and how much each server takes at saturation. */
function rateText({ cpu, latency, throughput }: Choice, result: Result): string {
  const [less, more] = ascending(throughput);
  const [cheap, dear] = ascending(cpu);
  const end =
    `p99 is ${shown(latency, 'rs')} with Rust and ${shown(latency, 'ts')} with TypeScript. ` +
    `At saturation ${SHORT_NAMES[less]} takes ${rounded(median(throughput, less))} events/s, ` +
    `${SHORT_NAMES[more]} ${rounded(median(throughput, more))}.`;
  /** Returns the rate at which the cheaper server saves `NOTICED_CORES`; `null` if it never does. */
  const noticedFrom = (row: Row | undefined) => {
    const isCounted = row !== undefined && (isDifference(row) || isUnsure(row));
    const saved_us = isCounted ? median(row, dear) - median(row, cheap) : 0;
    return saved_us > 0 ? rounded((NOTICED_CORES * 1e6) / saved_us) : null;
  };
  const begin = isUnsure(cpu) ? 'this run has too few rounds to be sure. In it ' : '';
  const from = noticedFrom(cpu);
  if (from === null) return `${begin}the rate does not decide at 10,000 events/s. There, ${end}`;
  const [single] = metricRows(measurementNamed(result, 'single'), ['server_cpu_us_per_event']);
  const rate = noticedFrom(single);
  return (
    `${begin}the choice matters from ${from} events/s on. There ${SHORT_NAMES[dear]} takes a tenth of a core ` +
    `more than ${SHORT_NAMES[cheap]}, at the CPU time per event of 10,000 events/s in batches. ` +
    `${rate === null ? '' : `With one event in each request it is ${rate} events/s. `}At 10,000 events/s ${end}`
  );
}

/** Returns the six rows; `null` when the run lacks one, or one of its values. */
export function choiceOf(result: Result): Choice | null {
  const headline = headlineRows(result);
  const rows = Object.entries(LABELS).map(
    ([name, label]) => [name, headline.find((row) => row.label === label)] as const,
  );
  const isWhole = rows.every(([, row]) => row?.summaries.rs && row.summaries.ts);
  return isWhole ? (Object.fromEntries(rows) as Choice) : null;
}

/** Returns the servers, that with the lower median first. */
function ascending(row: Row): readonly [lower: TargetName, higher: TargetName] {
  return median(row, 'rs') <= median(row, 'ts') ? ['rs', 'ts'] : ['ts', 'rs'];
}

function median({ summaries }: Row, name: TargetName): number {
  return summaries[name]?.median ?? 0;
}

function shown({ summaries, unit }: Row, name: TargetName): string {
  return formatMedian(summaries[name], unit);
}

/** Formats a rate with two digits, for prose. The table has more digits. */
function rounded(value: number): string {
  return `about ${group(Number(value.toPrecision(2)))}`;
}
