/**
 * The contents of a report, independent of its layout: terminal, documents and HTML page show the same sections.
 *
 * Invariants: everything follows from the result. A sentence calls a server cheaper or faster only where the interval
 * of the ratio excludes 1. The words of a line before its first colon are its label.
 */
import { type Comparison, MOST_BETWEEN_HALVES } from '../analyse/statistics.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { SMOKE } from '../verify/smoke.ts';
import { answersOf } from './choice.ts';
import { commitOf, factsOf, parametersOf, READING, warningLines } from './conditions.ts';
import { formatMedian, formatRatio, formatValue, group, percent } from './format.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { designPart, loadsPart, openPart, soakPart } from './parts.ts';
import { headlineRows, isDifference, type Row, type Section, tableOf, verdictText } from './rows.ts';

/** Returns the sections of the report. A section without rows and lines is not shown. */
export function reportOf(result: Result) {
  const headline = headlineRows(result);
  const soak = measurementNamed(result, 'soak');
  const parity = `Parity: before the measurement both servers answered ${SMOKE.length} of ${SMOKE.length} requests alike and as the contract asks.`;
  return {
    answers: { title: 'Which server', lines: answersOf(result) } as Section,
    environment: { title: 'Environment', lines: factsOf(result) },
    workload: { title: 'Workload Parameters', table: parametersOf(result), lines: [] },
    /** The headline, and one sentence for each difference. */
    results: {
      title: 'Results',
      table: tableOf(result, headline, 'delta', 'ratio'),
      lines: [...(serversIn(result).length > 1 ? differences(headline) : []), READING],
    },
    /** What was measured in addition, in the order in which it is shown. */
    parts: [
      designPart(result),
      loadsPart(result),
      openPart(result),
      ...(soak === undefined ? [] : [soakPart(result, soak)]),
    ],
    /** How far the figures can be trusted: parity, halves, intervals, generators, ceilings. */
    analysis: {
      title: 'Analysis',
      lines: [parity, ...agreement(headline), ...precision(result), ...ceilingLines(result)],
    },
    caveats: { title: 'Caveats', lines: caveatsOf(result, soak) },
    warnings: { title: 'Warnings', lines: warningLines(result) },
  };
}

/** Returns one sentence for each difference, and one that lists the rows of each other verdict. */
function differences(headline: readonly Row[]): string[] {
  const others = Map.groupBy(
    headline.filter((row) => !isDifference(row)),
    ({ comparison }) => {
      if (comparison === null) return 'Not compared';
      return comparison.verdict === 'too_few_rounds' ? 'Too few rounds to say' : 'No difference shown';
    },
  );
  return [
    ...headline.filter(isDifference).map((row) => `${row.label}: ${verdictText(row)}`),
    ...[...others].map(([verdict, rows]) => `${verdict}: ${rows.map(({ label }) => label).join('; ')}.`),
  ];
}

/** Returns a sentence such as "Odd and even rounds agree within 10 % in 7 of 7 ratios of the headline." */
function agreement(headline: readonly Row[]): string[] {
  const halves = headline.filter(({ comparison }) => comparison?.split_half);
  if (halves.length === 0) return [];
  const differ = halves.filter(({ comparison }) => !comparison!.split_half!.agree).map(({ label }) => label);
  const share = `${halves.length - differ.length} of ${halves.length} ratios of the headline`;
  const others = differ.length === 0 ? '' : ` They differ in ${differ.join('; ')}.`;
  return [`Odd and even rounds agree within ${percent(MOST_BETWEEN_HALVES)} in ${share}.${others}`];
}

/** Returns how well the ratios of the closed loop are known, and which ratios each generator gives. */
function precision(result: Result): string[] {
  const headline = headlineOf(result);
  const known = ratiosText(headline, ({ low, high, ratio }) => `±${percent((high - low) / 2 / ratio)}`);
  if (known === null) return [];
  const other = ratiosText(measurementNamed(result, 'autocannon'), formatRatio);
  const both = `Rust over TypeScript with wrk: ${ratiosText(headline, formatRatio)}. With autocannon, in the same processes: ${other}.`;
  return [
    `The ratios of the closed loop are known to ${known} (goal ±5 %).`,
    ...(other === null ? [] : [both, generatorText(result)]),
  ];
}

/** Returns in which ratios the two generators agree, and what they cost where they do not. */
function generatorText(result: Result): string {
  const [wrk, autocannon] = [headlineOf(result)!, measurementNamed(result, 'autocannon')!];
  const agrees = (key: string) => {
    const [a, b] = [wrk.comparison![key]!, autocannon.comparison![key]!];
    return a.low <= b.high && b.low <= a.high;
  };
  const { true: same = [], false: other = [] } = Object.groupBy(
    Object.keys(RATIOS),
    (key) => `${agrees(key)}`,
  );
  const named = (keys: readonly string[]) =>
    keys.map((key) => RATIOS[key as keyof typeof RATIOS]).join(' and ');
  const cost = ({ servers }: Measurement) =>
    formatMedian(servers.rs!.metrics.generator_cpu_us_per_event, 'us');
  const lost = result.placement.pinned ? '' : ', which the servers lack on shared cores';
  const costs = `For an event of Rust autocannon takes ${cost(autocannon)} of CPU time and wrk ${cost(wrk)}${lost}.`;
  return [
    ...(same.length > 0
      ? [`The generator does not decide the ratio: in ${named(same)} the two intervals overlap.`]
      : []),
    ...(other.length > 0 ? [`In ${named(other)} the two intervals do not overlap. ${costs}`] : []),
  ].join(' ');
}

const RATIOS = { throughput_events_per_s: 'throughput', server_cpu_us_per_event: 'CPU per event' };

/** Returns text such as "±3.7 % in throughput and ±2.3 % in CPU per event"; `null` without both intervals. */
function ratiosText(load: Measurement | undefined, format: (found: Comparison) => string): string | null {
  const { throughput_events_per_s: throughput, server_cpu_us_per_event: cpu } = load?.comparison ?? {};
  if (!throughput || !cpu || throughput.interval === 'none') return null;
  return `${format(throughput)} in throughput and ${format(cpu)} in CPU per event`;
}

/** Returns one line for each ceiling, such as "Batches, next to a bulk insert ...: Rust reaches 57 % of ...". */
function ceilingLines(result: Result): string[] {
  return result.ceilings.flatMap(({ group_events, servers: ceilings }, index) => {
    const load = result.measurements.find(({ ceiling }) => ceiling === index);
    const shares = serversIn(result).flatMap((name) => {
      const ceiling = ceilings[name]?.events_per_s.median;
      const reached = load?.servers[name]?.metrics.throughput_events_per_s?.median;
      if (!ceiling || !reached) return [];
      return `${SHORT_NAMES[name]} reaches ${percent(reached / ceiling)} of ${formatValue(ceiling, 'events_per_s')}`;
    });
    const bulk = `next to a bulk insert without HTTP, ${group(group_events)} in a transaction`;
    return shares.length === 0 ? [] : `${load!.title}, ${bulk}: ${shares.join('; ')}.`;
  });
}

function caveatsOf(result: Result, soak: Measurement | undefined): string[] {
  const stored = result.measurements.map(
    ({ audited_events, workload }) => audited_events / (workload?.rounds ?? 1),
  );
  const rows = Math.round(Math.max(0, ...stored) / serversIn(result).length);
  return [
    `One machine with ${result.environment.cpu_cores} cores; another has other ratios.`,
    'A closed loop keeps the queue full; only the open loop says what a client waits.',
    'Work that a server puts off until after its last answer is in no CPU time; it shows when it stops and in its write-ahead log.',
    `The files are young: about ${group(rows)} rows say little about a hundred million.`,
    soak === undefined
      ? 'This run has no soak, so it says nothing about leaks. pnpm bench:soak is one.'
      : `A soak of ${Math.round(soak.workload!.duration_s! / 60)} min sees fast leaks, not slow ones; it has one round a server.`,
    `Figures hold for commit ${commitOf(result)}.`,
  ];
}
