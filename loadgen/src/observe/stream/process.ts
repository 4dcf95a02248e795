/**
 * The process with the stream clients: it runs all clients of a round and handles one command of its parent at a time.
 *
 * Invariant: during a measurement it only reads bytes, counts and hashes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../../failure.ts';
import { serve } from '../../run/serve.ts';
import type { StreamSample } from '../sample.ts';
import { LagRecorder, StreamClient } from './client.ts';
import { storedPayloads } from './stored-payloads.ts';

export type Command =
  | { readonly kind: 'connect'; readonly url: string; readonly clients: number; readonly patience_ms: number }
  | { readonly kind: 'mark' }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'until'; readonly last_id: number; readonly patience_ms: number }
  | { readonly kind: 'finish'; readonly file: string };

export type Reply =
  | { readonly kind: 'done' }
  | { readonly kind: 'used'; readonly cpu_us: number }
  | { readonly kind: 'finished'; readonly sample: StreamSample; readonly problems: readonly string[] };

async function act(crowd: Crowd, command: Command): Promise<Reply> {
  switch (command.kind) {
    case 'connect':
      crowd.connect(command.url, command.clients);
      await crowd.wait('connected', (client) => client.after >= 0, command.patience_ms);
      return { kind: 'done' };
    case 'mark':
      crowd.mark();
      return { kind: 'done' };
    case 'cpu':
      return { kind: 'used', cpu_us: crowd.cpu_us() };
    case 'until': {
      const { last_id, patience_ms } = command;
      await crowd.wait(`seen id ${last_id}`, (client) => client.last >= last_id, patience_ms);
      return { kind: 'done' };
    }
    case 'finish':
      return crowd.finish(command.file);
  }
}

/** Milliseconds between two looks at the clients while the parent waits for them. */
const POLL_MS = 5;

class Crowd {
  readonly #clients: StreamClient[] = [];
  #lag: LagRecorder | null = null;
  #cpu = process.cpuUsage();

  connect(url: string, count: number): void {
    for (let number = 1; number <= count; number++) {
      const client = new StreamClient(`client ${number}`);
      this.#clients.push(client);
      client.connect(url);
    }
  }

  mark(): void {
    this.#cpu = process.cpuUsage();
    this.#lag = new LagRecorder(Date.now());
    for (const client of this.#clients) client.recorder = this.#lag;
  }

  cpu_us(): number {
    const used = process.cpuUsage(this.#cpu);
    return used.user + used.system;
  }

  /**
   * Waits until `reached` is true for every client. Fails with the late clients when a stream ends before, or when no
   * event arrives for `patience_ms`.
   */
  async wait(what: string, reached: (client: StreamClient) => boolean, patience_ms: number): Promise<void> {
    let [frames, since] = [this.#frames(), performance.now()];
    for (;;) {
      const late = this.#clients.filter((client) => !reached(client));
      if (late.length === 0) return;
      const fail = (why: string) => {
        const message = `${late.length} of ${this.#clients.length} stream clients have not ${what} ${why}`;
        const problems = late.map((client) => client.ended ?? `stopped at id ${client.last}`);
        throw new BenchFailure('stream_differs', message, [...problems, ...this.#problems()]);
      };
      if (late.some((client) => client.ended !== null)) fail('before their stream ended');
      if (frames !== this.#frames()) [frames, since] = [this.#frames(), performance.now()];
      else if (performance.now() - since > patience_ms) fail(`and got nothing for ${patience_ms} ms`);
      await sleep(POLL_MS);
    }
  }

  finish(file: string): Reply {
    const clients_cpu_us = this.cpu_us();
    for (const client of this.#clients) client.close();
    const stored = storedPayloads(file, new Set(this.#clients.map((client) => client.after)));
    const problems = this.#problems();
    const complete = this.#clients.filter((client, i) => {
      const wanted = stored.get(client.after)!;
      const same = client.frames === wanted.count && client.digest() === wanted.digest;
      if (!same && client.problem === null)
        problems.push(
          `client ${i + 1} got ${client.frames} frames of ${wanted.count} rows, not the same bytes`,
        );
      return same && client.problem === null;
    });
    const sample: StreamSample = {
      clients: this.#clients.length,
      frames: this.#frames(),
      complete_clients: complete.length,
      lag: this.#lag?.lag() ?? null,
      clients_cpu_us,
    };
    return { kind: 'finished', sample, problems };
  }

  #frames(): number {
    return this.#clients.reduce((sum, client) => sum + client.frames, 0);
  }

  #problems(): string[] {
    return this.#clients.flatMap((client) => client.problem ?? []);
  }
}

const crowd = new Crowd();
serve<Command, Reply>((command) => act(crowd, command));
