/**
 * Samples a server at intervals during a load: memory, CPU time, write-ahead log, open files and event-loop lag.
 *
 * Invariants: a sample is cheap, since it is taken in the parent during the measurement. A failed sample is left out
 * and not estimated. A value that the system does not report is `null`.
 */
import { stat } from 'node:fs/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { Client } from 'undici';
import { countFileDescriptors, createProbe } from './probe.ts';
import type { Timeline } from './sample.ts';

export interface Observed {
  readonly pid: number;
  /** Path of the database; its write-ahead log is next to it. */
  readonly database: string;
  /** Address of the server, to measure its event-loop lag; `null`: not measured. */
  readonly lag_url: string | null;
  readonly interval_ms: number;
  readonly lifetime: Lifetime;
}

export interface Observer {
  /** Largest size of the write-ahead log so far, in bytes; `null` when no log was found. */
  readonly walPeak: number | null;
  /** Starts to keep samples. `t_ms` counts from here. */
  begin(): void;
  /** Stops sampling and returns the samples. Discards an unfinished sample. Can be called again. */
  stop(): Timeline;
}

/** One sample. `lag_ms` is set when `/livez` answers, and otherwise stays `null`. */
type Row = { -readonly [Column in keyof Timeline]: Timeline[Column][number] };

export function observe({ pid, database, lag_url, interval_ms, lifetime }: Observed): Observer {
  const probe = createProbe();
  const lag = lag_url === null ? null : eventLoopLag(lag_url);
  const rows: Row[] = [];
  let begun = Number.POSITIVE_INFINITY;
  let [looking, stopped] = [false, false];
  let walPeak: number | null = null;

  const look = async () => {
    if (looking) return;
    looking = true;
    const at = performance.now();
    // The request is sent first, so that reading files does not delay it.
    const answered = at < begun ? null : (lag?.ask() ?? null);
    const figures = [probe(pid), walBytes(database), countFileDescriptors(pid)] as const;
    const [{ rss_bytes, cpu_us }, wal_bytes, file_descriptors] = await Promise.all(figures);
    looking = false;
    if (stopped) return;
    if (wal_bytes !== null) walPeak = Math.max(walPeak ?? 0, wal_bytes);
    if (at < begun) return;
    const row: Row = { t_ms: at - begun, rss_bytes, cpu_us, wal_bytes, file_descriptors, lag_ms: null };
    rows.push(row);
    void answered?.then((lag_ms) => {
      if (!stopped) row.lag_ms = lag_ms;
    });
  };

  const timer = setInterval(look, interval_ms);
  // The timer must not keep the process alive.
  timer.unref();
  void look();

  const stop = () => {
    stopped = true;
    clearInterval(timer);
    void lag?.close();
    release();
    return timelineOf(rows);
  };
  const release = lifetime.add(async () => void stop());
  return {
    get walPeak() {
      return walPeak;
    },
    begin() {
      begun = performance.now();
      void look();
    },
    stop,
  };
}

/**
 * Measures the event-loop lag of a server: the time that `GET /livez` takes on a persistent connection. The endpoint
 * reads no database.
 *
 * Every server is measured in this way, since the runtimes' own figures could not be compared. Invariant: one request
 * at a time, so that one stall is one long wait.
 */
function eventLoopLag(url: string) {
  const client = new Client(url);
  let waiting = false;
  return {
    /** Returns milliseconds; `null` when the previous request still waits, or when this one fails. */
    async ask(): Promise<number | null> {
      if (waiting) return null;
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
    },
    close: () => client.destroy(),
  };
}

/** Returns the size of the write-ahead log; `null` when it does not exist, such as before the first write. */
async function walBytes(database: string): Promise<number | null> {
  const found = await stat(`${database}-wal`).catch(() => null);
  return found === null ? null : found.size;
}

function timelineOf(rows: readonly Row[]): Timeline {
  return {
    t_ms: rows.map((row) => row.t_ms),
    rss_bytes: rows.map((row) => row.rss_bytes),
    cpu_us: rows.map((row) => row.cpu_us),
    wal_bytes: rows.map((row) => row.wal_bytes),
    file_descriptors: rows.map((row) => row.file_descriptors),
    lag_ms: rows.map((row) => row.lag_ms),
  };
}
