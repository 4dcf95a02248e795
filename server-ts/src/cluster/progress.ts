/** Knows how far this server has followed the stream, and which messages were duplicates (rules CLU-04 and CLU-07). */
import { TUNING } from '../contract.ts';
import type { Log } from '../log.ts';
import type { Attached } from '../store/attachments.ts';

/** The state of the copy, for `/api/health`. */
export interface ClusterStatus {
  /** The newest sequence in the copy. */
  readonly applied: number;
  /** Number of messages that the server knows of and that the copy lacks. */
  readonly waiting: number;
  /** Why the copy does not follow the stream; `undefined` while it does. */
  readonly failure: string | undefined;
}

interface Waiter {
  readonly isReady: () => boolean;
  readonly resolve: () => void;
}

/** The progress of the copy. The follower raises it, and requests wait for it. */
export class Progress {
  private sequence: number;
  private readonly log: Log;
  /** The newest sequences whose event was stored before, in ascending order. */
  private readonly duplicates = new Set<number>();
  /** The newest sequences whose change deleted something, and the numbers of events. */
  private readonly deletions = new Map<number, number>();
  /** The newest sequences whose change adds an attachment, and what became of it. */
  private readonly attachments = new Map<number, Attached>();
  private readonly waiters = new Set<Waiter>();
  private readonly followers = new Set<Waiter>();
  private waiting = 0;
  private reason: string | undefined = 'connecting';

  /** Starts at a sequence. */
  constructor(sequence: number, log: Log) {
    this.sequence = sequence;
    this.log = log;
  }

  /** The newest sequence in the copy. */
  get applied(): number {
    return this.sequence;
  }

  /** Why the copy does not follow the stream; `undefined` while it does. */
  get failure(): string | undefined {
    return this.reason;
  }

  /** The current state. */
  get status(): ClusterStatus {
    return { applied: this.sequence, waiting: this.waiting, failure: this.reason };
  }

  /** Waits until the copy follows the stream; rejects when the signal aborts. */
  following(signal: AbortSignal): Promise<void> {
    return waitFor(this.followers, () => this.reason === undefined, signal);
  }

  /** Records that the copy follows the stream, which has so many messages behind it. */
  begin(waiting: number): void {
    this.waiting = waiting;
    this.fail(undefined);
  }

  /** Records that the copy has the messages up to a sequence, and which of them were duplicates. */
  advance(sequence: number, duplicates: Iterable<number>, waiting: number): void {
    for (const duplicate of duplicates) this.duplicates.add(duplicate);
    for (const oldest of this.duplicates) {
      if (this.duplicates.size <= TUNING.cluster_known_duplicates) break;
      this.duplicates.delete(oldest);
    }
    this.waiting = waiting;
    this.sequence = sequence;
    wake(this.waiters);
  }

  /** Records what the change of a message deleted. It precedes the `advance` to this message. */
  noteDeletion(sequence: number, events: number): void {
    note(this.deletions, sequence, events);
  }

  /** Returns the number of events that the change of an applied message deleted; `undefined` when it deleted nothing. */
  deleted(sequence: number): number | undefined {
    return this.deletions.get(sequence);
  }

  /** Records what became of the attachment of a message. It precedes the `advance` to this message. */
  noteAttachment(sequence: number, attached: Attached): void {
    note(this.attachments, sequence, attached);
  }

  /** Returns what became of the attachment of an applied message; `undefined` when it adds none. */
  attached(sequence: number): Attached | undefined {
    return this.attachments.get(sequence);
  }

  /** Whether the copy follows the stream, and has every message that the server knows of. */
  get isCurrent(): boolean {
    return this.reason === undefined && this.waiting === 0;
  }

  /** Waits until the copy has a sequence; rejects when the signal aborts. */
  reached(sequence: number, signal: AbortSignal): Promise<void> {
    return waitFor(this.waiters, () => this.sequence >= sequence, signal);
  }

  /** Returns whether the event of an applied message was stored before. */
  isDuplicate(sequence: number): boolean {
    return this.duplicates.has(sequence);
  }

  /** Records why the copy does not follow the stream. A new reason is a log line. */
  fail(failure: string | undefined): void {
    if (this.reason === failure) return;
    this.reason = failure;
    wake(this.followers);
    if (failure !== undefined) this.log.warn({ failure }, 'the copy does not follow its stream');
    else this.log.info({ applied: this.sequence }, 'the copy follows its stream');
  }
}

/** Records the effect of a message, and forgets the oldest one. */
function note<T>(effects: Map<number, T>, sequence: number, effect: T): void {
  effects.set(sequence, effect);
  for (const oldest of effects.keys()) {
    if (effects.size <= TUNING.cluster_known_duplicates) break;
    effects.delete(oldest);
  }
}

/** Waits until `wake` finds the condition; rejects when the signal aborts. */
function waitFor(waiters: Set<Waiter>, isReady: () => boolean, signal: AbortSignal): Promise<void> {
  if (isReady()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const waiter = { isReady, resolve };
    waiters.add(waiter);
    const onAbort = (): void => {
      if (waiters.delete(waiter)) reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Continues the waits whose condition holds. */
function wake(waiters: Set<Waiter>): void {
  for (const waiter of waiters) {
    if (waiter.isReady() && waiters.delete(waiter)) waiter.resolve();
  }
}
