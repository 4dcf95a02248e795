/** Renders the ladders as Markdown, for the terminal and for docs/growth.md. Shares its texts and files with the peers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT, TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Summary } from '../analyse/statistics.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { SHORT_NAMES } from '../report/names.ts';
import type { Climbed, LaddersResult, RungFigures } from './climb.ts';

/** Returns the path of a ladder's plot, as docs/growth.md names it. */
export function plotPath({ name }: Climbed): string {
  return `growth/${name}.svg`;
}

export function laddersReport(result: LaddersResult, hasPlots: boolean): string {
  return [
    `${measuredOn(result)} Medians of three slices (smallest to largest). The generator ran on the same cores.`,
    ...result.ladders.flatMap((ladder) => sectionOf(ladder, hasPlots)),
  ].join('\n\n');
}

/** Returns the date, commit and machine of a result as a sentence. */
export function measuredOn({
  measured_on,
  environment: { cpu_model, cpu_cores, commit },
}: Omit<LaddersResult, 'ladders'>): string {
  const at = commit === null ? '' : ` at commit ${commit.slice(0, 7)}`;
  return `Measured on ${measured_on}${at}, on ${cpu_cores} cores of ${cpu_model ?? 'an unknown processor'}.`;
}

/** Writes a result as JSON to `out`, by default below `.bench/`, and its report to stdout. */
export async function finish(name: string, out: string | undefined, result: object, report: string) {
  const shown = out ?? `.bench/${name}.json`;
  const file = out ?? join(ROOT, shown);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${report}\n`);
  say(`written: ${shown}`);
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function sectionOf(ladder: Climbed, hasPlots: boolean): string[] {
  const { title, unit, servers } = ladder;
  const head = [
    capital(unit),
    ...TARGET_NAMES.flatMap((name) => COLUMNS.map((of) => `${SHORT_NAMES[name]}: ${of}`)),
  ];
  const rows = servers.rs.map(({ rung }, i) => [
    rung.toLocaleString('en-US'),
    ...TARGET_NAMES.flatMap((name) => cellsOf(servers[name][i]!)),
  ]);
  return [
    `## ${title}`,
    ...(hasPlots ? [`![CPU time per event against the number of ${unit}](${plotPath(ladder)})`] : []),
    `${TARGET_NAMES.map((name) => `${SHORT_NAMES[name]} ${growthOf(servers[name])}`).join('; ')}.`,
    markdownTable({ head, rows }, []),
  ];
}

const COLUMNS = ['CPU µs per event', 'events/s', 'p99 ms', 'peak MiB'] as const;

function cellsOf({
  cpu_us_per_event: cpu,
  events_per_s,
  p99_ms,
  peak_rss_bytes: peak,
}: RungFigures): string[] {
  return [
    cpu === null ? '—' : spread(cpu, short),
    spread(events_per_s, whole),
    spread(p99_ms, short),
    peak === null ? '—' : mib(peak),
  ];
}

/** Compares the last rung with the first. */
function growthOf(rungs: readonly RungFigures[]): string {
  const [first, last] = [rungs[0]!, rungs.at(-1)!];
  const cpu =
    first.cpu_us_per_event === null || last.cpu_us_per_event === null
      ? ''
      : `${(last.cpu_us_per_event.median / first.cpu_us_per_event.median).toFixed(2)} times the CPU per event, `;
  const rate = (last.events_per_s.median / first.events_per_s.median).toFixed(2);
  return `from ${whole(first.rung)} to ${whole(last.rung)}: ${cpu}${rate} times the throughput`;
}

/** Formats a summary as "4.3 (4.0–4.5)". */
export function spread({ median, min, max }: Summary, format: (value: number) => string): string {
  return `${format(median)} (${format(min)}–${format(max)})`;
}

export const whole = (value: number) => Math.round(value).toLocaleString('en-US');
export const mib = (bytes: number) => whole(bytes / (1 << 20));
/** Formats a number with one decimal below 100. */
export const short = (value: number) => (value >= 100 ? whole(value) : value.toFixed(1));
const capital = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;
