/**
 * Writes the outputs of a run: summary, raw data, a line of history, the report as one HTML file, the table on stdout.
 */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLAIMED } from '../analyse/warnings.ts';
import type { Options } from '../plan/options.ts';
import type { Plan } from '../plan/plan.ts';
import { readableJson, rounded, writeChecked } from '../result/json.ts';
import type { Measurement, RawFile, RawResult, Result } from '../result/result.ts';
import type { Progress } from '../run/progress.ts';
import { quickReport, terminalReport } from './terminal.ts';

export interface Outputs {
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
  const raw = `${JSON.stringify(result)}\n`;
  const facts = { sha256: createHash('sha256').update(raw).digest('hex'), bytes: Buffer.byteLength(raw) };
  const summary = summaryOf(result, facts);
  const text = readableJson(summary);
  await writeChecked(text, out);
  const [rawFile, reportFile] = [join(scratch, 'benchmark-raw.json'), join(scratch, 'benchmark-report.html')];
  await mkdir(scratch, { recursive: true });
  await writeFile(rawFile, raw);
  await appendFile(join(scratch, 'history.jsonl'), `${JSON.stringify(historyOf(summary))}\n`);
  // Imported only here: loading the plots takes seconds, and a failed run needs no report.
  const { htmlReport } = await import('./html.ts');
  await writeFile(reportFile, htmlReport(result));
  process.stdout.write(json ? text : terminalReport(summary));
  progress.say(`written: ${out}`);
  progress.say(`raw data: ${rawFile}`);
  progress.say(`report: ${reportFile}`);
}

export function printPartial(result: Result, isWritten: boolean): void {
  const report = isWritten ? terminalReport(result) : quickReport(result);
  process.stdout.write(`PARTIAL: the run was interrupted, and no result was written.\n\n${report}`);
}

/** Significant digits of a figure in the summary, more than any interval supports. */
const DIGITS = 4;

/** Makes the summary, which the repository keeps: without raw data, and warnings have only their code and message. */
function summaryOf(result: RawResult, raw: RawFile | null): Result {
  const seen = ({ warnings }: Pick<Result, 'warnings'>) =>
    warnings.map(({ code, message }) => ({ code, message }));
  const measurements = result.measurements.map(({ slices: _, processes: __, ...rest }) => ({
    ...rest,
    warnings: seen(rest),
  }));
  const ceilings = result.ceilings.map((one) => ({ ...one, samples: [] }));
  return rounded({ ...result, raw, measurements, ceilings, warnings: seen(result) }, DIGITS);
}

const HISTORY_KEYS = [...CLAIMED, 'latency_p99_ms', 'start_ms', 'idle_rss_bytes'];

/**
 * Makes the line of a run for the history: the machine, the commit, and the medians and ratios of its loads.
 *
 * The project does not read the history. It shows people and their scripts how a ratio changes from commit to commit.
 */
function historyOf({ created_at, took_s, flags, environment, measurements, raw }: Result): object {
  const { cpu_model, cpu_cores, platform, arch, commit, dirty } = environment;
  return {
    created_at,
    took_s,
    flags,
    machine: { cpu_model, cpu_cores, platform, arch },
    commit,
    dirty,
    raw_sha256: raw?.sha256 ?? null,
    measurements: Object.fromEntries(measurements.map((one) => [one.name, figuresOf(one)])),
  };
}

function figuresOf({ servers, comparison }: Measurement): object {
  const figures = HISTORY_KEYS.flatMap((key) => {
    const medians = Object.entries(servers).flatMap(([name, { metrics }]) =>
      metrics[key] ? [[name, metrics[key].median] as const] : [],
    );
    const found = comparison?.[key];
    const ratio = found ? { ratio: [found.low, found.ratio, found.high] } : {};
    return medians.length === 0 ? [] : [[key, { ...Object.fromEntries(medians), ...ratio }] as const];
  });
  return Object.fromEntries(figures);
}
