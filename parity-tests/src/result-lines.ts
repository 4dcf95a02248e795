/** Reads the result lines that a server with `--stdin` writes to stdout (rule PRO-13). */
import assert from 'node:assert/strict';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { until } from './scenario.ts';

/** One line. A batch of lines has the first two numbers, a frame has the third. */
export interface ResultLine {
  readonly event: 'batch' | 'failure';
  readonly first_line?: number;
  readonly last_line?: number;
  readonly frame?: number;
  readonly received?: number;
  readonly ids?: readonly number[];
  readonly duplicates?: number;
  readonly rejected?: readonly { index: number; line?: number; errors: readonly string[] }[];
  readonly revision?: string;
  readonly code?: string;
}

/** The sums over all batches. */
export interface Sums {
  readonly received: number;
  readonly ids: readonly number[];
  readonly duplicates: number;
  /** Line and problems of each rejected line. */
  readonly rejected: readonly string[];
}

/** Returns the complete lines so far, as text, without the ready line. */
export function resultTexts(server: RunningServer): string[] {
  return server.stdout().split('\n').slice(1, -1);
}

export function resultLines(server: RunningServer): ResultLine[] {
  return resultTexts(server).map((text) => JSON.parse(text) as ResultLine);
}

/** Waits until the results reach this line of the input. */
export function resultsUpTo(server: RunningServer, line: number): Promise<void> {
  return until(() => {
    const last = resultTexts(server).at(-1);
    return last !== undefined && (JSON.parse(last) as ResultLine).last_line! >= line;
  }, `the result of line ${line}`);
}

/** Checks that every line of the input is in exactly one result, and the results are in order. */
export function requireWhole(lines: readonly ResultLine[], count: number): void {
  let next = 1;
  for (const line of lines) {
    assert.equal(line.first_line, next);
    assert.ok(line.last_line! >= next);
    next = line.last_line! + 1;
  }
  assert.equal(next, count + 1, 'the last line has a result');
}

export function sumsOf(lines: readonly ResultLine[]): Sums {
  return {
    received: lines.reduce((sum, line) => sum + (line.received ?? 0), 0),
    ids: lines.flatMap((line) => line.ids ?? []),
    duplicates: lines.reduce((sum, line) => sum + (line.duplicates ?? 0), 0),
    rejected: lines.flatMap((line) =>
      (line.rejected ?? []).map((one) => `${one.line} ${one.errors.join('; ')}`),
    ),
  };
}
