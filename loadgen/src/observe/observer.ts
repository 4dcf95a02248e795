/**
 * Samples a server at intervals during a load: memory, CPU time, write-ahead log, open files and event-loop lag.
 *
 * Invariants: a sample is cheap, since it is taken in the parent during the measurement. A failed sample is left out
 * and not estimated. A value that the system does not report is `null`.
 */
import { readdir, stat } from 'node:fs/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { Client } from 'undici';
import { probe } from './probe.ts';
import type { Timeline } from './sample.ts';

const COLUMNS = ['t_ms', 'rss_bytes', 'cpu_us', 'wal_bytes', 'file_descriptors', 'lag_ms'] as const;

/** One sample. `lag_ms` is set when `/livez` answers, and otherwise stays `null`. */
type Row = { -readonly [Column in keyof Timeline]: Timeline[Column][number] };

/**
 * Samples the server from now on. The returned function stops it and returns the samples. It discards an unfinished
 * sample. The write-ahead log is next to `database`. The event-loop lag is measured at `lag_url`; `null`: not at all.
 */
export function observe(
  { pid, database }: Readonly<{ pid: number; database: string }>,
  lag_url: string | null,
  interval_ms: number,
  lifetime: Lifetime,
): () => Timeline {
  const client = lag_url === null ? null : new Client(lag_url);
  const rows: Row[] = [];
  const begun = performance.now();
  let [looking, waiting] = [false, false];

  /**
   * Measures the event-loop lag: the time that `GET /livez`, which reads no database, takes on a persistent connection.
   * Returns `null` when the previous request still waits, so that one stall is one long wait, or when this one fails.
   * Every server is measured in this way, since the runtimes' own figures could not be compared.
   */
  const askLag = async (): Promise<number | null> => {
    if (client === null || waiting) return null;
    waiting = true;
    const from = performance.now();
    try {
      const { statusCode, body } = await client.request({ method: 'GET', path: '/livez' });
      await body.dump();
      return statusCode === 200 ? performance.now() - from : null;
    } catch {
      return null;
    } finally {
      waiting = false;
    }
  };
  const look = async () => {
    if (looking) return;
    looking = true;
    const t_ms = performance.now() - begun;
    // The request is sent first, so that reading files does not delay it.
    const answered = askLag();
    const [{ rss_bytes, cpu_us }, log, files] = await Promise.all([
      probe(pid),
      // The log does not exist before the first write.
      stat(`${database}-wal`).catch(() => null),
      readdir(`/proc/${pid}/fd`).catch(() => null),
    ]);
    looking = false;
    const [wal_bytes, file_descriptors] = [log?.size ?? null, files?.length ?? null];
    const row: Row = { t_ms, rss_bytes, cpu_us, wal_bytes, file_descriptors, lag_ms: null };
    rows.push(row);
    row.lag_ms = await answered;
  };

  const timer = setInterval(look, interval_ms);
  // The timer must not keep the process alive.
  timer.unref();
  void look();
  const release = lifetime.add(async () => {
    clearInterval(timer);
    await client?.destroy();
  });
  return () => {
    void release();
    const columns = COLUMNS.map((column) => [column, rows.map((row) => row[column])]);
    return Object.fromEntries(columns) as unknown as Timeline;
  };
}
