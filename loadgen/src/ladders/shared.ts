/** What the ladders and the peers share: figures of a process, their summaries, their texts, and the result as a file. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Summary, summarise } from '../analyse/statistics.ts';
import { readEnvironment } from '../observe/environment.ts';
import { probe } from '../observe/probe.ts';
import { takenText } from '../report/conditions.ts';

/** Runs `work`. Returns its result with the CPU time of the process meanwhile; `null` where the system has no figure. */
export async function withCost<T extends object>(pid: number, work: () => Promise<T>) {
  const before = await probe(pid);
  const result = await work();
  const { cpu_us, peak_rss_bytes } = await probe(pid);
  const used_us = cpu_us === null || before.cpu_us === null ? null : cpu_us - before.cpu_us;
  return {
    ...result,
    peak_rss_bytes,
    cpuPer: (events: number) => (used_us === null ? null : used_us / events),
  };
}

/** Summarises each figure over all samples; `null` for a figure that no sample has. */
export function summaries<Name extends string>(samples: readonly Readonly<Record<Name, number | null>>[]) {
  const names = Object.keys(samples[0]!) as Name[];
  const found = names.map((name) => [name, summarise(samples.flatMap((sample) => sample[name] ?? []))]);
  return Object.fromEntries(found) as Readonly<Record<Name, Summary | null>>;
}

export type Provenance = ReturnType<typeof provenance>;

/** Returns when and where a result is measured. */
export function provenance() {
  return { measured_on: new Date().toISOString().slice(0, 10), environment: readEnvironment() };
}

/** Returns the date, commit and machine of a result as a sentence. */
export function measuredOn({ measured_on, environment }: Provenance): string {
  return takenText({ created_at: measured_on, environment });
}

/** Writes a result as JSON, and its report to stdout. */
export async function finish(file: string, result: object, report: string) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${report}\n`);
  say(`written: ${file}`);
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Formats a summary as "4.3 (4.0–4.5)". */
export function spread(summary: Summary | null, format: (value: number) => string): string {
  if (summary === null) return '—';
  const { median, min, max } = summary;
  return `${format(median)} (${format(min)}–${format(max)})`;
}

export const whole = (value: number) => Math.round(value).toLocaleString('en-US');
export const mib = (bytes: number) => whole(bytes / (1 << 20));
/** Formats a number with one decimal below 100. */
export const short = (value: number) => (value >= 100 ? whole(value) : value.toFixed(1));
