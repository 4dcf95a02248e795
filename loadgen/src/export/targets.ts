/**
 * The table of docs/performance.md: what each server was to reach, and what the committed measurements say.
 *
 * What must stay true: every figure comes from a file in docs/performance, none from hand; a target counts as reached
 * by its median.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { limitTable } from '../limit/part.ts';
import { commitOf, runConditions } from './conditions.ts';
import { bullets, markdownText } from './markdown-table.ts';
import { noiseTable } from './target-noise.ts';
import { type Figure, MEASURED_FILES, type Measured, ROWS, type Row } from './target-rows.ts';

/** The targets, and below them the ceilings and what the measurements were made under, as Markdown. */
export function targetsTable(measured: Measured): string {
  const head =
    '| | Rust | must / stretch | | TypeScript | must / stretch | |\n| --- | ---: | ---: | --- | ---: | ---: | --- |';
  const { small, limits } = measured;
  return [
    head,
    ...ROWS.map((row) => rowOf(row, measured)),
    '',
    ...(limits === undefined
      ? []
      : ['The ceilings of the small events (`pnpm bench:limit`):', '', limitTable(limits.parts)]),
    'Noise floors, generators and doubts of each:',
    '',
    noiseTable(measured),
    '',
    bullets(
      [...runConditions(small).slice(0, -1), ...originsOf(measured)].map((line) => markdownText(`${line}.`)),
    ),
  ].join('\n');
}

/** Which commit each file was measured on and when, those of one commit and day together. */
function originsOf(measured: Measured): string[] {
  const names = new Map<string, string[]>();
  for (const name of MEASURED_FILES) {
    const file = measured[name];
    if (file?.environment === undefined || file.created_at === undefined) continue;
    const origin = `commit ${commitOf({ environment: file.environment })}, ${file.created_at.slice(0, 10)}`;
    names.set(origin, [...(names.get(origin) ?? []), name]);
  }
  return [...names].map(([origin, files]) => `${files.join(', ')}: ${origin}`);
}

function rowOf(row: Row, measured: Measured): string {
  const cells = (server: TargetName, targets: readonly [number, number] | undefined): string => {
    if (targets === undefined) return 'the same file | | |';
    const figure = row.of(measured, server);
    const [must, stretch] = targets;
    if (figure === undefined) return `— | ${number(must)} / ${number(stretch)} | not measured |`;
    return `${shown(row, figure)} | ${number(must)} / ${number(stretch)} | ${verdict(row, figure.median, must, stretch)} |`;
  };
  return `| ${row.title}${row.unit === 'of it' || row.unit.endsWith('/s') ? '' : `, ${row.unit}`} | ${cells('rs', row.rs)} ${cells('ts', row.ts)}`;
}

function shown({ unit }: Row, { median, min, max }: Figure): string {
  const one = (value: number): string =>
    unit.endsWith('/s') ? number(Math.round(value)) : number(Number(value.toPrecision(3)));
  return min === max ? one(median) : `**${one(median)}** [${one(min)}, ${one(max)}]`;
}

function verdict({ more }: Row, median: number, must: number, stretch: number): string {
  const reaches = (target: number): boolean => (more ? median >= target : median <= target);
  if (reaches(stretch)) return 'stretch';
  if (reaches(must)) return 'must';
  const off = more ? 1 - median / must : median / must - 1;
  return `missed by ${number(Number((off * 100).toPrecision(2)))} %`;
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
