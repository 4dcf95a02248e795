/**
 * Forwards stored events to another server (rules FWD-01 to FWD-09).
 *
 * Reads the stored events in their order, sends a batch, and raises the cursor after its acknowledgement. Invariants:
 * one batch is in memory at a time. Ingest never waits for the forwarder.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Receiver } from '../config/index.ts';
import { TUNING } from '../contract.ts';
import type { Log } from '../log.ts';
import type { ForwardBatch, ForwardCursor } from '../store/forwarding.ts';
import type { Store } from '../store/index.ts';
import { UNREACHABLE } from './answer.ts';
import { Sender } from './sender.ts';

/** The state of the forwarding, for `/metrics` and `/api/health`. */
export interface ForwardStatus {
  /** Number of ids that wait. */
  readonly waiting: number;
  /** Number of acknowledged events since the start. */
  readonly events: number;
  /** Number of refused events since the start. */
  readonly refused: number;
  /** Number of events since the start that were deleted first. */
  readonly lost: number;
  /** Number of failed requests since the start. */
  readonly failures: number;
  /** Time of the last acknowledgement in Unix milliseconds; 0 before the first. */
  readonly lastMs: number;
  /** Why the last request failed; `undefined` when it did not. */
  readonly failure: string | undefined;
}

/** What follows a batch. */
type Next =
  /** The next batch; at once when more events wait. */
  | { readonly kind: 'batch'; readonly isFollowed: boolean }
  /** The same events in two batches, instead of one of this many. */
  | { readonly kind: 'halves'; readonly count: number }
  /** The same events, after at least this time; half of this many when the request did not arrive. */
  | { readonly kind: 'retry'; readonly afterS: number; readonly halved?: number | undefined };

/** The forwarder; one per server with `--forward`. */
export class Forwarder {
  readonly host: string;
  private readonly store: Store;
  private readonly cursor: ForwardCursor;
  private readonly log: Log;
  private readonly sender: Sender;
  private readonly ended = new AbortController();
  private events = 0;
  private refused = 0;
  private failures = 0;
  private lastMs = 0;
  private failure: string | undefined;
  /** Continues a loop that waits for an event. */
  private wake: (() => void) | undefined;

  /** Creates a forwarder of a store, which has its cursor. */
  constructor(receiver: Receiver, token: string | undefined, store: Store, cursor: ForwardCursor, log: Log) {
    this.host = receiver.host;
    this.store = store;
    this.cursor = cursor;
    this.log = log;
    this.sender = new Sender(receiver, token, log);
  }

  /** The current state. */
  get status(): ForwardStatus {
    const { events, refused, failures, lastMs, failure, cursor } = this;
    const waiting = cursor.waiting(this.store.newest);
    return { waiting, events, refused, lost: cursor.lost, failures, lastMs, failure };
  }

  /** Call after every commit. */
  published(): void {
    this.wake?.();
  }

  /** Ends the forwarding; a request in progress is dropped. */
  close(): void {
    this.ended.abort();
    this.sender.close();
    this.wake?.();
  }

  /** Forwards events until the end. */
  async run(): Promise<void> {
    let most = TUNING.forward_batch_events;
    let failures = 0;
    let lost = 0;
    while (!this.ended.signal.aborted) {
      if (this.cursor.acknowledged >= this.store.newest) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        this.wake = undefined;
        await this.pause(TUNING.forward_pause_ms);
        continue;
      }
      const next = await this.forward(most);
      lost = this.reportLosses(lost);
      if (next.kind === 'batch') {
        most = Math.min(2 * most, TUNING.forward_batch_events);
        failures = 0;
        if (!next.isFollowed) await this.pause(TUNING.forward_pause_ms);
      } else if (next.kind === 'halves') {
        most = Math.ceil(next.count / 2);
      } else {
        const { afterS, halved } = next;
        // A link may be too slow for a large batch, or reset the connection.
        if (halved !== undefined) most = Math.ceil(halved / 2);
        await this.pause(Math.max(backOffMs(failures), afterS * 1000));
        failures += 1;
      }
    }
  }

  /** Sends the next batch, and raises the cursor when the receiver has it. */
  private async forward(most: number): Promise<Next> {
    let batch: ForwardBatch;
    try {
      batch = await this.store.forwardBatch(this.cursor.acknowledged, most);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.ended.signal.aborted) this.log.warn({ reason }, 'a read failed');
      return { kind: 'retry', afterS: 0 };
    }
    const { body, ids, cursor, isFollowed } = batch;
    const [first] = ids;
    if (first === undefined) {
      // Deletions took the ids.
      this.cursor.acknowledge(cursor);
      return { kind: 'batch', isFollowed };
    }
    const answer = await this.sender.send(body, ids.length);
    if (this.ended.signal.aborted) return { kind: 'retry', afterS: 0 };
    switch (answer.kind) {
      case 'refused':
        return ids.length > 1 ? { kind: 'halves', count: ids.length } : this.acknowledged(batch, [first]);
      case 'stored':
        return this.acknowledged(
          batch,
          answer.refused.flatMap((place) => ids[place] ?? []),
        );
      case 'failed': {
        const { failure, retryAfterS: afterS = 0 } = answer;
        this.failed(failure);
        return { kind: 'retry', afterS, halved: failure === UNREACHABLE ? ids.length : undefined };
      }
    }
  }

  private acknowledged({ ids, cursor, isFollowed }: ForwardBatch, refused: readonly number[]): Next {
    this.cursor.acknowledge(cursor);
    if (refused.length > 0) {
      this.log.warn({ events: refused.length, first_id: refused[0] }, 'the receiver refused events');
    }
    this.events += ids.length - refused.length;
    this.refused += refused.length;
    this.lastMs = nowMs();
    if (this.failure !== undefined) {
      const { waiting } = this.status;
      this.log.info({ to: this.host, waiting }, 'forwarding works again');
    }
    this.failure = undefined;
    return { kind: 'batch', isFollowed };
  }

  /** Counts a failed request. Only a new reason is a log line, since a receiver may be away for days. */
  private failed(failure: string): void {
    this.failures += 1;
    if (this.failure !== failure) {
      this.log.warn({ to: this.host, failure }, 'forwarding failed and is repeated');
    }
    this.failure = failure;
  }

  /** Reports new losses; returns the number of all losses. */
  private reportLosses(known: number): number {
    const { lost } = this.cursor;
    if (lost > known) {
      this.log.warn({ events: lost - known }, 'retention deleted events that were not forwarded');
    }
    return lost;
  }

  /** Waits for this time, or until the end. */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.ended.signal, ref: false }).catch(() => {});
  }
}

/**
 * Returns the wait after this many failures in a row. It doubles each time. A random part of it, at least half, counts,
 * so that many senders do not return at once.
 */
function backOffMs(failures: number): number {
  const most = Math.min(TUNING.forward_retry_ms * 2 ** Math.min(failures, 20), TUNING.forward_retry_most_ms);
  return (most * (1 + Math.random())) / 2;
}
