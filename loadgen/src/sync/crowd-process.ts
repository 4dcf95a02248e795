/**
 * The process of the invalidation clients: it holds them all and carries out its parent's orders.
 *
 * Invariant: during a load it only reads and records.
 */
import { encode } from '../analyse/histogram.ts';
import { RawClient } from './raw-client.ts';
import { type Acknowledged, waitsOf } from './staleness.ts';

export type CrowdOrder =
  | {
      readonly kind: 'connect';
      readonly url: string;
      readonly path: string;
      readonly clients: number;
      /** Of these, so many never read. */
      readonly stalled: number;
      readonly patience_ms: number;
    }
  /** From here on what is heard counts, and CPU time. */
  | { readonly kind: 'mark' }
  /** Once every client that reads has heard of that revision; or what it waited for in vain. */
  | {
      readonly kind: 'finish';
      readonly acknowledged: readonly Acknowledged[];
      readonly newest: number;
      readonly patience_ms: number;
    };

export type CrowdReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'finished'; readonly found: CrowdFindings }
  | { readonly kind: 'failed'; readonly message: string };

export interface CrowdFindings {
  /** Compressed, of microseconds; of no clients it is empty. */
  readonly waits: string;
  /** Acknowledged revisions that a client never heard of, nor of a newer one. */
  readonly missed: number;
  /** Clients that never heard of the last state. */
  readonly behind: number;
  /** Chunks that reported `events`, over all clients. */
  readonly notified: number;
  /** Revisions that were older than one the same client had heard of. */
  readonly older: number;
  /** Why clients' streams ended, each reason once. */
  readonly ended: readonly string[];
  /** From the mark to the finish. */
  readonly cpu_us: number;
}

export function serveCrowd(): void {
  const crowd = new Crowd();
  process.on('message', async (message) => {
    let reply: CrowdReply;
    try {
      reply = await crowd.carryOut(message as CrowdOrder);
    } catch (error) {
      reply = { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
    }
    process.send!(reply);
  });
}

class Crowd {
  #readers: RawClient[] = [];
  #stalled: RawClient[] = [];
  #cpu = process.cpuUsage();
  #onHeard: () => void = () => undefined;

  async carryOut(order: CrowdOrder): Promise<CrowdReply> {
    switch (order.kind) {
      case 'connect':
        return this.#connect(order);
      case 'mark':
        for (const client of this.#readers) {
          client.heard.splice(0, client.heard.length - 1);
          client.heard_ms.splice(0, client.heard_ms.length - 1);
        }
        this.#cpu = process.cpuUsage();
        return { kind: 'done' };
      case 'finish':
        return this.#finish(order);
    }
  }

  async #connect({
    url,
    path,
    clients,
    stalled,
    patience_ms,
  }: Extract<CrowdOrder, { kind: 'connect' }>): Promise<CrowdReply> {
    const heard = () => this.#onHeard();
    for (let i = 0; i < clients; i++) {
      const manner = i < stalled ? 'stalled' : 'reads';
      (i < stalled ? this.#stalled : this.#readers).push(new RawClient(url, path, manner, heard));
    }
    if (await this.#all((client) => client.newest >= 0, patience_ms)) return { kind: 'done' };
    const ended = this.#ended();
    return {
      kind: 'failed',
      message: `not every client is connected: ${ended.join('; ') || 'no frame came'}`,
    };
  }

  async #finish(order: Extract<CrowdOrder, { kind: 'finish' }>): Promise<CrowdReply> {
    const { acknowledged, newest, patience_ms } = order;
    await this.#all((client) => client.newest >= newest, patience_ms);
    const used = process.cpuUsage(this.#cpu);
    const { histogram, missed } = waitsOf(acknowledged, this.#readers);
    const behind = this.#readers.filter((client) => client.newest < newest).length;
    const notified = this.#readers.reduce((sum, { heard }) => sum + heard.length, 0);
    const older = this.#readers.reduce((sum, { heard }) => sum + countFalls(heard), 0);
    const ended = this.#ended();
    for (const client of [...this.#readers, ...this.#stalled]) client.close();
    this.#readers = [];
    this.#stalled = [];
    const cpu_us = used.user + used.system;
    const waits = encode(histogram);
    return { kind: 'finished', found: { waits, missed, behind, notified, older, ended, cpu_us } };
  }

  /** Whether it is true of every client that reads before `patience_ms` are over. */
  #all(isSo: (client: RawClient) => boolean, patience_ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (found: boolean) => {
        clearTimeout(timer);
        this.#onHeard = () => undefined;
        resolve(found);
      };
      const timer = setTimeout(() => settle(false), patience_ms);
      // Those that it is true of stay so.
      let rest = this.#readers;
      this.#onHeard = () => {
        rest = rest.filter((client) => !isSo(client));
        if (rest.length === 0) settle(true);
        else if (rest.every(({ ended }) => ended !== null)) settle(false);
      };
      this.#onHeard();
    });
  }

  #ended(): string[] {
    return [...new Set([...this.#readers, ...this.#stalled].flatMap(({ ended }) => ended ?? []))];
  }
}

/** How often a value is smaller than the one before. */
export function countFalls(values: readonly number[]): number {
  return values.filter((value, i) => i > 0 && value < values[i - 1]!).length;
}
