/** Everything a run leaves: the result, the reports that were asked for, and the table on stdout. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Options } from '../options/types.ts';
import { type Plan, UNFINISHED } from '../plan.ts';
import type { Progress } from '../progress.ts';
import type { Measurement, Result } from '../result.ts';
import { htmlReport } from './html.ts';
import { resultJson, writeResult } from './json.ts';
import { pullRequestMarkdown } from './markdown.ts';
import { terminalReport } from './terminal.ts';

export async function writeOutputs(
  result: Result,
  plan: Plan,
  options: Options,
  progress: Progress,
): Promise<void> {
  await writeResult(result, plan.out);
  if (options.md !== undefined) await write(options.md, pullRequestMarkdown(result));
  if (options.html !== undefined) await write(options.html, htmlReport(result));
  process.stdout.write(options.json ? resultJson(result) : terminalReport(result));
  for (const file of [plan.out, options.md, options.html]) {
    if (file !== undefined) progress.say(`written: ${file}`);
  }
}

/** A run of an hour that fails in its last minute shall not leave nothing; no result is made of this. */
export async function keepUnfinished(measurements: readonly Measurement[]): Promise<void> {
  await write(UNFINISHED, `${JSON.stringify(measurements)}\n`);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFile(file, text);
}
