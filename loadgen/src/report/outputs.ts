/** Everything that a run leaves: summary, raw data, a line of history, the report as one HTML file, the table on stdout. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Options } from '../plan/options.ts';
import { type Plan, UNFINISHED } from '../plan/plan.ts';
import { addToHistory } from '../result/history.ts';
import { resultJson, writeResult } from '../result/json.ts';
import type { Measurement, RawResult, Result } from '../result/result.ts';
import { summaryOf } from '../result/summary.ts';
import type { Progress } from '../run/progress.ts';
import { terminalReport } from './terminal.ts';

const REPORT = resolve(ROOT, '.bench/benchmark-report.html');
const RAW = resolve(ROOT, '.bench/benchmark-raw.json');

export async function writeOutputs(
  result: RawResult,
  { out }: Plan,
  { json }: Options,
  progress: Progress,
): Promise<void> {
  const raw = `${JSON.stringify(result)}\n`;
  const facts = { sha256: createHash('sha256').update(raw).digest('hex'), bytes: Buffer.byteLength(raw) };
  const summary = summaryOf(result, facts);
  await writeResult(summary, out);
  await write(RAW, raw);
  await addToHistory(summary);
  // Loaded when it is needed: the plots take seconds to load, and a run that fails has none.
  const { htmlReport } = await import('./html.ts');
  await write(REPORT, htmlReport(result));
  process.stdout.write(json ? resultJson(summary) : terminalReport(summary));
  progress.say(`written: ${out}`);
  progress.say(`raw data: ${RAW}`);
  progress.say(`report: ${REPORT}`);
}

/** What was measured when the run was interrupted. */
export function printPartial(result: Result): void {
  process.stdout.write(
    `PARTIAL: the run was interrupted, and no result was written.\n\n${terminalReport(result)}`,
  );
}

/** What was measured before a run fails is not lost; no result is made of this. */
export async function keepUnfinished(measurements: readonly Measurement[]): Promise<void> {
  await write(UNFINISHED, `${JSON.stringify(measurements)}\n`);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
