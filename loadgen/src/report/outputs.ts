/** Everything that a run leaves: the result, the report as one HTML file, and the table on stdout. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Options } from '../plan/options.ts';
import { type Plan, UNFINISHED } from '../plan/plan.ts';
import { resultJson, writeResult } from '../result/json.ts';
import type { Measurement, Result } from '../result/result.ts';
import type { Progress } from '../run/progress.ts';
import { terminalReport } from './terminal.ts';

const REPORT = resolve(ROOT, '.bench/benchmark-report.html');

export async function writeOutputs(
  result: Result,
  { out }: Plan,
  { json }: Options,
  progress: Progress,
): Promise<void> {
  await writeResult(result, out);
  // Loaded when it is needed: the plots take seconds to load, and a run that fails has none.
  const { htmlReport } = await import('./html.ts');
  await write(REPORT, htmlReport(result));
  process.stdout.write(json ? resultJson(result) : terminalReport(result));
  progress.say(`written: ${out}`);
  progress.say(`report: ${REPORT}`);
}

/** What was measured before a run fails is not lost; no result is made of this. */
export async function keepUnfinished(measurements: readonly Measurement[]): Promise<void> {
  await write(UNFINISHED, `${JSON.stringify(measurements)}\n`);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
