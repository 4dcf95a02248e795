/**
 * The process that holds the invalidation clients. It executes the orders of its parent.
 *
 * Invariant: during a load it only reads and records.
 */
import { encode } from '../analyse/histogram.ts';
import { serve } from '../run/serve.ts';
import { InvalidationClient } from './invalidation-client.ts';
import { type Acknowledged, countFalls, waitsOf } from './staleness.ts';

export type CrowdOrder =
  | {
      readonly kind: 'connect';
      readonly url: string;
      readonly path: string;
      readonly clients: number;
      /** Number of these clients that never read. */
      readonly stalled: number;
      readonly patience_ms: number;
    }
  /** The findings and the CPU time count from here on. */
  | { readonly kind: 'mark' }
  /** Replies once every reading client has received that revision, or after `patience_ms`. */
  | {
      readonly kind: 'finish';
      readonly acknowledged: readonly Acknowledged[];
      readonly newest: number;
      readonly patience_ms: number;
    };

export type CrowdReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'finished'; readonly found: CrowdFindings };

export interface CrowdFindings {
  /** Compressed histogram in microseconds; empty without clients. */
  readonly waits: string;
  /** Number of acknowledged revisions that a client never received, nor a newer one. Sum over all clients. */
  readonly missed: number;
  /** Number of clients that never received the last state. */
  readonly behind: number;
  /** Number of received chunks that reported `events`. Sum over all clients. */
  readonly notified: number;
  /** Number of times a client received a revision older than its previous one. */
  readonly older: number;
  /** The distinct reasons why streams of clients ended. */
  readonly ended: readonly string[];
  /** CPU time of this process from `mark` to `finish`. */
  readonly cpu_us: number;
}

class Crowd {
  #readers: InvalidationClient[] = [];
  #stalled: InvalidationClient[] = [];
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
      (i < stalled ? this.#stalled : this.#readers).push(new InvalidationClient(url, path, manner, heard));
    }
    if (await this.#all((client) => client.newest >= 0, patience_ms)) return { kind: 'done' };
    throw new Error(`not every client is connected: ${this.#ended().join('; ') || 'no frame came'}`);
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

  /** Resolves to whether every reading client fulfils `isSo` within `patience_ms`. */
  #all(isSo: (client: InvalidationClient) => boolean, patience_ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (found: boolean) => {
        clearTimeout(timer);
        this.#onHeard = () => undefined;
        resolve(found);
      };
      const timer = setTimeout(() => settle(false), patience_ms);
      // A client that fulfils the condition is not checked again.
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

const crowd = new Crowd();
serve<CrowdOrder, CrowdReply>((order) => crowd.carryOut(order));
