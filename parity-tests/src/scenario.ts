/**
 * Defines scenarios: tests in code, for behaviour beyond one request and its answer.
 *
 * A scenario runs once per server, or once with both. It fails by throwing, mostly from node:assert.
 */
import { join } from 'node:path';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import { type RunningServer, type StartOptions, startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { AttackClass } from './attack-classes.ts';
import type { FaultClass } from './fault-classes.ts';
import type { Streams } from './jetstream.ts';
import type { Options } from './options.ts';

export interface Scenario {
  readonly name: string;
  /** The rules of contract/rules that the scenario tests. */
  readonly rules: readonly string[];
  /** The faults of `src/fault-classes.ts` that the scenario injects. `pnpm test:faults` runs these scenarios. */
  readonly faults?: readonly FaultClass[];
  /** The attacks of `src/attack-classes.ts` that the scenario makes. `pnpm test:attack` runs these scenarios. */
  readonly attacks?: readonly AttackClass[];
  /** `each`: runs once for each server. `both`: runs once with the two servers. */
  readonly uses: 'each' | 'both';
  /** Whether it mostly waits, so that it runs concurrently with everything else. */
  readonly waits?: boolean;
  /** Whether it has bounds of time or memory, so that it runs last, alone, and with one server after the other. */
  readonly measures?: boolean;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

export interface ScenarioFile {
  readonly name: string;
  readonly about: string;
  /** Whether `--store jetstream` runs it, with streams for its servers. */
  readonly sharesStreams?: boolean;
  readonly scenarios: readonly Scenario[];
}

/** Thrown by `skip`: this machine cannot run the scenario. */
export class SkippedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SkippedError';
  }
}

export class ScenarioContext {
  readonly target: TargetName;
  /** Folder of this scenario only, which is removed afterwards. */
  readonly folder: string;
  readonly options: Options;
  readonly notes: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #streams: Streams | undefined;
  readonly #closers: (() => unknown)[] = [];

  /** With `streams`, every server that `start` starts shares the stream of its database. */
  constructor(target: TargetName, folder: string, options: Options, streams?: Streams) {
    this.target = target;
    this.folder = folder;
    this.options = options;
    this.#streams = streams;
    if (streams !== undefined) this.#closers.push(() => streams.delete());
  }

  /** The server that is not `target`. */
  get other(): TargetName {
    return this.target === 'rs' ? 'ts' : 'rs';
  }

  /** Returns the path of a database file of this name in the private folder. */
  db(name = 'events.db'): string {
    return join(this.folder, name);
  }

  /** Starts a server, of this runtime unless `target` names another. It ends with the scenario at the latest. */
  async start(options: StartOptions & { target?: TargetName; db?: string } = {}): Promise<RunningServer> {
    const { target = this.target, db = this.db(), flags = [], ...rest } = options;
    const all = ['--db', db, ...flags, ...(this.#streams?.flagsFor(db) ?? [])];
    const server = await startServer(target, { cwd: this.folder, ...rest, flags: all });
    this.#closers.push(() => server.kill());
    await this.#streams?.untilFollowing(server);
    return server;
  }

  client(server: RunningServer): ApiClient {
    const client = new ApiClient(server.port);
    this.#closers.push(() => client.close());
    return client;
  }

  async stream(server: RunningServer, query = '', lastEventId?: number): Promise<SseClient> {
    const headers = lastEventId === undefined ? [] : ([['last-event-id', String(lastEventId)]] as const);
    const client = await SseClient.open(server.port, `/api/stream${query}`, headers);
    this.#closers.push(() => client.close());
    return client;
  }

  /** Registers a function for the end of the scenario. The functions run in reverse order. */
  atEnd(work: () => unknown): void {
    this.#closers.push(work);
  }

  /** Adds to a number of the result, such as the kills of a long run. */
  count(what: string, number = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + number;
  }

  /** Adds a line to the report. */
  note(text: string): void {
    this.notes.push(text);
  }

  skip(reason: string): never {
    throw new SkippedError(reason);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.reverse()) await closer();
  }
}

/** Waits until a condition holds. For conditions that no event reports. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 10_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
