/**
 * Appends one line for each run to `.bench/history.jsonl`: the machine, the commit, and the medians and ratios of its
 * loads.
 *
 * The project does not read this file. It shows people and their scripts how a ratio changes from commit to commit.
 */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CLAIMED } from '../analyse/warnings.ts';
import type { Measurement, Result } from './result.ts';

const KEYS = [...CLAIMED, 'latency_p99_ms', 'start_ms', 'idle_rss_bytes'];

export async function addToHistory(file: string, result: Result): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${JSON.stringify(lineOf(result))}\n`);
}

function lineOf({ created_at, took_s, flags, environment, measurements, raw }: Result): object {
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
  const figures = KEYS.flatMap((key) => {
    const medians = Object.entries(servers).flatMap(([name, { metrics }]) =>
      metrics[key] ? [[name, metrics[key].median] as const] : [],
    );
    const found = comparison?.[key];
    const ratio = found ? { ratio: [found.low, found.ratio, found.high] } : {};
    return medians.length === 0 ? [] : [[key, { ...Object.fromEntries(medians), ...ratio }] as const];
  });
  return Object.fromEntries(figures);
}
