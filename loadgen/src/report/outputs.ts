/** Writes the outputs of a run: summary, raw data, a line of history, the report as one HTML file, the tables on stdout. */
import { hash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readableJson, rounded, writeChecked } from '../result/json.ts';
import type { RawResult, Result } from '../result/result.ts';
import type { Progress } from '../run/progress.ts';
import { terminalReport } from './terminal.ts';

/**
 * Writes the summary to the file `out`, and all else to the folder `scratch`. Without files the result is only
 * printed. `json`: stdout has the summary instead of the tables.
 */
export async function writeOutputs(
  result: RawResult,
  files: { readonly out: string; readonly scratch: string } | null,
  json: boolean,
  progress: Progress,
): Promise<void> {
  if (files === null) {
    process.stdout.write(json ? readableJson(summaryOf(result, null)) : terminalReport(result));
    return;
  }
  const { out, scratch } = files;
  // Imported only here: loading the plots takes seconds, and a failed run needs no report.
  const { htmlReport } = await import('./html.ts');
  const [raw, report] = [`${JSON.stringify(result)}\n`, htmlReport(result)];
  const [sha256, report_sha256] = [hash('sha256', raw), hash('sha256', report)];
  const hashes = { sha256, bytes: Buffer.byteLength(raw), report_sha256 };
  const summary = summaryOf(result, hashes);
  const text = readableJson(summary);
  await writeChecked(text, out);
  const [rawFile, reportFile] = [join(scratch, 'benchmark-raw.json'), join(scratch, 'benchmark-report.html')];
  await mkdir(scratch, { recursive: true });
  await writeFile(rawFile, raw);
  await appendFile(join(scratch, 'history.jsonl'), `${JSON.stringify(historyOf(summary))}\n`);
  await writeFile(reportFile, report);
  process.stdout.write(json ? text : terminalReport(summary));
  progress.say(`written: ${out}`);
  progress.say(`raw data: ${rawFile}`);
  progress.say(`report: ${reportFile}`);
}

export function printPartial(result: Result): void {
  process.stdout.write(
    `PARTIAL: the run was interrupted, and no result was written. Its last round was not audited.\n\n${terminalReport(result)}`,
  );
}

/** Makes the summary, which the repository keeps: without raw data, and warnings have only their code and message. */
function summaryOf(result: RawResult, raw: Result['raw']): Result {
  const seen = ({ warnings }: Pick<Result, 'warnings'>) =>
    warnings.map(({ code, message }) => ({ code, message }));
  const measurements = result.measurements.map(({ slices: _, processes: __, ...rest }) => ({
    ...rest,
    warnings: seen(rest),
  }));
  const ceilings = result.ceilings.map((one) => ({ ...one, samples: [] }));
  return rounded({ ...result, raw, measurements, ceilings, warnings: seen(result) });
}

/** Makes the line of a run in the history, which shows how medians and ratios change from commit to commit. */
function historyOf({ created_at, took_s, flags, environment, measurements, raw }: Result): object {
  const { cpu_model, cpu_cores, commit, dirty } = environment;
  const figures = measurements.map(({ name, servers, comparison }) => {
    const medians = Object.entries(servers).map(([server, { metrics }]) => {
      const own = Object.entries(metrics).map(([key, summary]) => [key, summary?.median ?? null]);
      return [server, Object.fromEntries(own)];
    });
    return [name, { medians: Object.fromEntries(medians), ratios: comparison ?? null }];
  });
  const run = { created_at, took_s, flags, cpu_model, cpu_cores, commit, dirty, raw_sha256: raw?.sha256 };
  return { ...run, measurements: Object.fromEntries(figures) };
}
