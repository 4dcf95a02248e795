/**
 * What a run of points leaves: a file of JSON and a table.
 *
 * What must stay true: a file that is there stays whole until the new one is; no folder of the machine is in it.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import CliTable from 'cli-table3';
import type { Environment } from '../environment.ts';
import { formatValue, ratioDigits } from '../export/format.ts';
import type { Placement } from '../placement.ts';
import type { Point, Values } from './point.ts';

export interface PointsResult {
  readonly schema_version: 1;
  /** ISO 8601, when the last value was there. */
  readonly created_at: string;
  readonly flags: readonly string[];
  readonly environment: Environment;
  readonly placement: Placement;
  /** Servers that were measured although their sources are newer. */
  readonly stale: readonly TargetName[];
  readonly points: readonly Point[];
}

const LABELS: Readonly<Record<TargetName, string>> = { rs: 'Rust', ts: 'TypeScript' };

/** Writes beside the file first, so that an interruption leaves the old result whole. */
export async function writePoints(result: PointsResult, file: string): Promise<void> {
  const text = JSON.stringify(result, null, 2).replace(/\[\n[^[\]{}"]+\]/g, (list) =>
    list.replace(/\s+/g, ''),
  );
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${text}\n`);
  await rename(draft, file);
}

/** Median, and the smallest and largest value where they differ; the last column is the ratio of the medians. */
export function pointsTable(points: readonly Point[], targets: readonly TargetName[]): string {
  const both = targets.length > 1;
  const table = new CliTable({
    head: ['Point', ...targets.map((name) => LABELS[name]), ...(both ? ['Rust / TypeScript'] : [])],
    style: { head: [], border: [], compact: true },
  });
  for (const { title, unit, servers } of points) {
    const cells = targets.map((name) => cell(servers[name], unit));
    table.push([title, ...cells, ...(both ? [ratio(servers.rs, servers.ts)] : [])]);
  }
  return `${table.toString()}\n`;
}

function cell(values: Values | undefined, unit: Point['unit']): string {
  if (values === undefined) return '—';
  const shown = (value: number) =>
    unit === 'ratio' ? ratioDigits(value) : formatValue(value, unit).replace(' events/s', '/s');
  const { median, min, max } = values;
  return min === max ? shown(median) : `${shown(median)} [${shown(min)} – ${shown(max)}]`;
}

function ratio(rs: Values | undefined, ts: Values | undefined): string {
  return rs === undefined || ts === undefined || ts.median === 0 ? '—' : ratioDigits(rs.median / ts.median);
}
