/**
 * A server of one pair: a fresh process with a fresh file, and the count of events that were sent.
 *
 * Invariant: a run fails unless the file holds as many events as were sent and acknowledged.
 */
import { dirname, join } from 'node:path';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { BenchFailure } from '../failure.ts';
import { cpuBetween, probe, threadTimes } from '../observe/probe.ts';
import { Host, type Launch } from '../run/host.ts';
import type { Address } from './exchange.ts';
import type { FigureKey } from './figure.ts';
import type { Slice, Sliced } from './load-process.ts';
import type { Loader } from './loader.ts';

export const TRANSPORTS = ['tcp', 'socket'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** The server accepts bodies of 10 MB, and stores metadata of that size without truncation. */
const MOST_BYTES = '16777216';

/** Flags of every server of this suite. */
export const SERVER_FLAGS: readonly string[] = [
  ...['--max-metadata-bytes', MOST_BYTES],
  ...['--max-body-bytes', MOST_BYTES],
  ...['--max-batch-events', '20000'],
];
const SOCKET = 'ingest.sock';
/** Flags of a measured server. */
export const BENCH_FLAGS: readonly string[] = [...SERVER_FLAGS, '--bench', '--socket', SOCKET];

export type SliceFigures = Partial<Record<FigureKey, number | null>>;

export class BenchServer {
  readonly #host: Host;
  readonly #loader: Loader;
  #events = 0;
  #acknowledged = 0;

  private constructor(host: Host, loader: Loader) {
    this.#host = host;
    this.#loader = loader;
  }

  static async start(name: TargetName, launch: Launch, loader: Loader): Promise<BenchServer> {
    return new BenchServer(await Host.start(name, launch, { flags: BENCH_FLAGS }), loader);
  }

  get url(): string {
    return this.#host.url;
  }

  address(transport: Transport): Address {
    if (transport === 'tcp') return { port: this.#host.port };
    return { path: join(dirname(this.#host.database), SOCKET) };
  }

  /** Runs one slice, and measures the CPU time of the server. `counts` is whether the server stores the events. */
  async slice(
    order: Omit<Slice, 'address'>,
    transport: Transport,
    counts: boolean,
  ): Promise<{ readonly sliced: Sliced; readonly figures: SliceFigures }> {
    const { pid } = this.#host;
    const ran = await threadTimes(pid);
    const sliced = await this.#loader.slice({ ...order, address: this.address(transport) });
    const cpu_ms = cpuBetween(ran, await threadTimes(pid));
    if (counts) {
      this.#events += sliced.events;
      this.#acknowledged += sliced.acknowledged;
    }
    const { events, duration_ms, bytes_sent, bytes_read, p50_ms, p95_ms, p99_ms, cpu_us } = sliced;
    const { rss_bytes } = await probe(pid);
    return {
      sliced,
      figures: {
        p50_ms,
        p95_ms,
        p99_ms,
        events_per_s: (events / duration_ms) * 1000,
        mb_per_s: (bytes_sent === 0 ? bytes_read : bytes_sent) / duration_ms / 1000,
        server_cpu_us_per_event: cpu_ms === null ? null : (cpu_ms * 1000) / events,
        client_cpu_us_per_event: cpu_us / events,
        rss_bytes,
      },
    };
  }

  /** Stops the server, and compares the number of events in its file. */
  async end(): Promise<void> {
    await this.#host.stop();
    checkCounts(this.#host.name, this.#host.database, this.#events, this.#acknowledged);
    await this.#host.discard();
  }
}

export function checkCounts(name: TargetName, database: string, events: number, acknowledged: number): void {
  const db = new Database(database, { readonly: true, fileMustExist: true });
  const stored = Number(db.prepare('SELECT count(*) FROM events').pluck().get());
  db.close();
  if (stored === events && acknowledged === events) return;
  const found = `${events} events were sent, ${acknowledged} acknowledged, ${stored} stored`;
  throw new BenchFailure('audit_failed', `${name}: ${found}`);
}
