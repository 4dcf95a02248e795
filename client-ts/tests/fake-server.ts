/** A server state that the test advances: fetches wait until the test answers them, one by one. */

import { FakeClock, settle } from '@twin-ingest/testkit/fake-clock.ts';
import { Sync } from '../src/sync.ts';
import type { Known, Phase, Snapshot, SyncOptions } from '../src/sync-options.ts';

export interface Pull {
  readonly known: Known | null;
  readonly signal: AbortSignal;
  /** Answers the fetch. `more` has further members of the answer. */
  answer(revision: string, epoch?: string, more?: object): Promise<void>;
  unchanged(): Promise<void>;
  fail(): Promise<void>;
}

export class FakeServer {
  readonly clock = new FakeClock();
  /** Fetches without an answer, the oldest first. */
  readonly pulls: Pull[] = [];
  readonly applied: string[] = [];
  readonly errors: Phase[] = [];
  readonly sync: Sync<string>;
  /** Number of applies that are to fail. */
  failApply = 0;
  #hear: (heard: unknown) => void = () => {};

  constructor(options: Partial<SyncOptions<string>> = {}) {
    this.sync = new Sync<string>({
      topic: 'events',
      clock: this.clock,
      random: () => 1,
      subscribe: async (hear) => {
        this.#hear = hear;
        return () => {
          this.#hear = () => {};
        };
      },
      fetch: (known, signal) => this.#fetch(known, signal),
      apply: ({ epoch, revision }, isReset) => {
        if (this.failApply > 0) {
          this.failApply--;
          throw new Error('apply');
        }
        this.applied.push(`${isReset ? 'reset ' : ''}${epoch}:${revision}`);
      },
      onError: (phase) => this.errors.push(phase),
      ...options,
    });
  }

  /** Returns a started `Sync` with this state applied. */
  static async at(revision: string, options: Partial<SyncOptions<string>> = {}): Promise<FakeServer> {
    const server = new FakeServer(options);
    const started = server.sync.start();
    await settle();
    await server.pulls[0]!.answer(revision);
    await started;
    server.applied.length = 0;
    // Ends the pause after the first fetch.
    await server.clock.pass(1000);
    return server;
  }

  invalidate(revision: unknown, epoch: unknown = 'a', topic: unknown = 'events', reset = false): void {
    this.#hear({ topic, revision, epoch, reset });
  }

  #fetch(known: Known | null, signal: AbortSignal): Promise<Snapshot<string> | null> {
    return new Promise((resolve, reject) => {
      const over = async (settled: () => void) => {
        this.pulls.splice(this.pulls.indexOf(pull), 1);
        settled();
        await settle();
      };
      const pull: Pull = {
        known,
        signal,
        answer: (revision, epoch = 'a', more = {}) =>
          over(() => resolve({ epoch, revision, ...more, data: revision })),
        unchanged: () => over(() => resolve(null)),
        fail: () => over(() => reject(new Error('fetch'))),
      };
      this.pulls.push(pull);
    });
  }
}
