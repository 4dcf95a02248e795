/** Renders the ladders as Markdown, for the terminal and for docs/growth.md. */
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { SHORT_NAMES } from '../report/names.ts';
import type { Climbed, LaddersResult, RungFigures } from './climb.ts';
import { measuredOn, mib, short, spread, whole } from './shared.ts';

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

/** The columns of each server. */
const COLUMNS: Readonly<Record<string, (figures: RungFigures) => string>> = {
  'CPU µs per event': ({ cpu_us_per_event }) => spread(cpu_us_per_event, short),
  'events/s': ({ events_per_s }) => spread(events_per_s, whole),
  'p99 ms': ({ p99_ms }) => spread(p99_ms, short),
  'peak MiB': ({ peak_rss_bytes: peak }) => (peak === null ? '—' : mib(peak)),
};

function sectionOf(ladder: Climbed, hasPlots: boolean): string[] {
  const { title, unit, servers } = ladder;
  const ofEach = TARGET_NAMES.flatMap((name) =>
    Object.entries(COLUMNS).map((column) => [name, column] as const),
  );
  const head = [
    `${unit[0]!.toUpperCase()}${unit.slice(1)}`,
    ...ofEach.map(([name, [about]]) => `${SHORT_NAMES[name]}: ${about}`),
  ];
  const rows = servers.rs.map(({ rung }, index) => [
    whole(rung),
    ...ofEach.map(([name, [, cellOf]]) => cellOf(servers[name][index]!)),
  ]);
  return [
    `## ${title}`,
    ...(hasPlots ? [`![CPU time per event against the number of ${unit}](${plotPath(ladder)})`] : []),
    `${TARGET_NAMES.map((name) => `${SHORT_NAMES[name]} ${growthOf(servers[name])}`).join('; ')}.`,
    markdownTable({ head, rows }, []),
  ];
}

/** Compares the last rung with the first. */
function growthOf(rungs: readonly RungFigures[]): string {
  const [first, last] = [rungs[0]!, rungs.at(-1)!];
  const times = (name: 'cpu_us_per_event' | 'events_per_s', about: string) => {
    const [before, after] = [first[name], last[name]];
    if (before === null || after === null) return [];
    return [`${(after.median / before.median).toFixed(2)} times the ${about}`];
  };
  const growth = [...times('cpu_us_per_event', 'CPU per event'), ...times('events_per_s', 'throughput')];
  return `from ${whole(first.rung)} to ${whole(last.rung)}: ${growth.join(', ')}`;
}
