/**
 * Codecs without a server: runs the programs of both languages, each codec in a fresh process.
 *
 * Invariants: both programs get the same events from one file. Every codec finds the same number of fields in them.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Buildable } from '@twin-ingest/testkit/servers/build.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../analyse/statistics.ts';
import { BenchFailure } from '../failure.ts';
import { type Figures, FigureValues } from './figure.ts';

export interface AloneProgram extends Buildable {
  readonly command: readonly string[];
}

const RS_EXAMPLE = TARGETS.rs.artefact.replace(/[^/]+$/, 'examples/codecs');
const TS_SOURCE = fileURLToPath(new URL('./alone-main.ts', import.meta.url));

export const ALONE_PROGRAMS: Readonly<Record<TargetName, AloneProgram>> = {
  rs: {
    command: [RS_EXAMPLE],
    artefact: RS_EXAMPLE,
    sources: [...TARGETS.rs.sources, 'server-rs/examples/codecs'],
    build: 'rust:codecs',
  },
  ts: { command: [process.execPath, TS_SOURCE], artefact: TS_SOURCE, sources: [], build: null },
};

/** The line that a program prints for one step of one size. */
export interface Step {
  readonly codec: string;
  readonly step: string;
  readonly count: number;
  readonly bytes: number;
  readonly fields: number;
  readonly ns: readonly number[];
}

export interface AloneRun {
  /** Path of a file with one event a line. */
  readonly events: string;
  readonly codec: string;
  readonly counts: readonly number[];
  readonly seconds: number;
  readonly wrapper: readonly string[];
  readonly lifetime: Lifetime;
}

const MOST_OUTPUT = 256 * 1024 * 1024;

export async function runAlone(name: TargetName, run: AloneRun): Promise<Step[]> {
  const { events, codec, counts, seconds, wrapper, lifetime } = run;
  const [command, ...first] = [...wrapper, ...ALONE_PROGRAMS[name].command];
  const flags = [
    '--events',
    events,
    '--codec',
    codec,
    '--counts',
    counts.join(),
    '--seconds',
    String(seconds),
  ];
  const options = { signal: lifetime.signal, maxBuffer: MOST_OUTPUT };
  const running = promisify(execFile)(command!, [...first, ...flags], options);
  const { stdout } = await lifetime.orInterrupted(running).catch((error: Error & { stderr?: string }) => {
    if (lifetime.signal.aborted) throw error;
    throw new BenchFailure('generator_failed', `${codec} alone, ${name}: ${error.stderr || error.message}`);
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
}

/** Returns the steps of several processes as figures, with one value for each process. */
export function stepFigures(
  steps: readonly Step[],
  of: { readonly events: number; readonly json_bytes: number },
): Figures {
  const values = new FigureValues();
  for (const { ns, bytes } of steps) {
    const sorted = ns.map((one) => one / 1000).sort((a, b) => a - b);
    const mean_us = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
    values.add({
      ...of,
      bytes,
      mean_us,
      p50_us: quantile(sorted, 0.5),
      p95_us: quantile(sorted, 0.95),
      p99_us: quantile(sorted, 0.99),
      events_per_s: (of.events / mean_us) * 1e6,
      mb_per_s: bytes / mean_us,
    });
  }
  return values.all();
}

/** Throws if two codecs or languages read different numbers of fields. */
export function checkFields(steps: readonly Step[]): void {
  for (const [count, found] of Map.groupBy(steps, (step) => step.count)) {
    const odd = found.find(({ fields }) => fields !== found[0]!.fields);
    if (odd === undefined) continue;
    const problem = `${found[0]!.codec} reads ${found[0]!.fields} fields of ${count}, ${odd.codec} ${odd.fields}`;
    throw new BenchFailure('parity_difference', problem);
  }
}
