/**
 * Writes the outputs of a run: summary, raw data, a line of history, the report as one HTML file, the table on stdout.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options } from '../plan/options.ts';
import type { Plan } from '../plan/plan.ts';
import { addToHistory } from '../result/history.ts';
import { readableJson, writeChecked } from '../result/json.ts';
import type { RawResult, Result } from '../result/result.ts';
import { summaryOf } from '../result/summary.ts';
import type { Progress } from '../run/progress.ts';
import { quickReport, terminalReport } from './terminal.ts';

export interface Outputs {
  /** File for the summary. */
  readonly out: Plan['out'];
  /** Folder for all other files; `null`: the result is only printed. */
  readonly scratch: string | null;
}

export async function writeOutputs(
  result: RawResult,
  { out, scratch }: Outputs,
  { json }: Options,
  progress: Progress,
): Promise<void> {
  if (scratch === null)
    return void process.stdout.write(json ? readableJson(summaryOf(result, null)) : quickReport(result));
  const [rawFile, reportFile] = [join(scratch, 'benchmark-raw.json'), join(scratch, 'benchmark-report.html')];
  const raw = `${JSON.stringify(result)}\n`;
  const facts = { sha256: createHash('sha256').update(raw).digest('hex'), bytes: Buffer.byteLength(raw) };
  const summary = summaryOf(result, facts);
  const text = readableJson(summary);
  await writeChecked(text, out);
  await write(rawFile, raw);
  await addToHistory(join(scratch, 'history.jsonl'), summary);
  // Imported only here: loading the plots takes seconds, and a failed run needs no report.
  const { htmlReport } = await import('./html.ts');
  await write(reportFile, htmlReport(result));
  process.stdout.write(json ? text : terminalReport(summary));
  progress.say(`written: ${out}`);
  progress.say(`raw data: ${rawFile}`);
  progress.say(`report: ${reportFile}`);
}

/** Prints what an interrupted run has measured so far. */
export function printPartial(result: Result, isWritten: boolean): void {
  const report = isWritten ? terminalReport(result) : quickReport(result);
  process.stdout.write(`PARTIAL: the run was interrupted, and no result was written.\n\n${report}`);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
