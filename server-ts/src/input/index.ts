/**
 * Reads events from standard input, in addition to HTTP (rules PRO-12 to PRO-14).
 *
 * Node reads and writes in its thread pool; this thread finds and checks batches; all run concurrently. Invariant:
 * batches enter the writer's queue in input order, and their result lines leave in that order.
 */
import type { App } from '../app.ts';
import { fill, VOCABULARY } from '../contract.ts';
import type { Outcomes } from '../event.ts';
import type { Format } from '../formats/index.ts';
import { BATCH_BYTES, type Batch, Broken } from './batch.ts';
import { type Framing, framingOf } from './framing.ts';
import { Results } from './results.ts';

/** Largest number of bytes that wait for the search for batches. */
const READ_AHEAD_BYTES = 2 * BATCH_BYTES;

/** Largest size of checked batches that are not stored yet: four long batches, or more short ones. */
const IN_FLIGHT_BYTES = 4 * BATCH_BYTES;

/** The least share of `IN_FLIGHT_BYTES` that a batch takes. */
const LEAST_BYTES = 8 * 1024;

/** The end of the input: `clean` at its end or after a stop, `broken` after a frame that is cut off or too long. */
export type Ended = 'clean' | 'broken';

/** Standard input as a source of events. */
export class Input {
  /** Resolves when the input has ended, its events are stored and all result lines are written. */
  readonly ended: Promise<Ended>;
  private readonly app: App;
  private readonly format: Format;
  private readonly framing: Framing;
  private readonly results = new Results();
  private readonly stored = new Set<Promise<unknown>>();
  private inFlight = 0;
  private isAtEnd = false;
  private isStopped = false;
  private wake: () => void = () => {};

  private constructor(app: App, format: Format) {
    this.app = app;
    this.format = format;
    this.framing = framingOf(format, app.config, app.buffers);
    const onEnd = (): void => {
      this.isAtEnd = true;
      this.wake();
    };
    process.stdin.on('data', (piece: Buffer) => this.push(piece)).on('end', onEnd);
    // An error counts as the end: no more bytes can arrive.
    process.stdin.on('error', onEnd);
    this.ended = this.run();
  }

  /** Starts to read. */
  static start(app: App, format: Format): Input {
    return new Input(app, format);
  }

  /** Stops reading. Resolves as `ended` does, after all complete batches. */
  async stop(): Promise<void> {
    process.stdin.pause();
    this.isStopped = true;
    this.wake();
    await this.ended;
  }

  private push(piece: Buffer): void {
    this.framing.push(piece);
    if (this.framing.ready() === undefined) return;
    if (this.framing.length > READ_AHEAD_BYTES) process.stdin.pause();
    this.wake();
  }

  private async run(): Promise<Ended> {
    try {
      await this.takeAll();
      return 'clean';
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      process.stdin.pause();
      const failed = Promise.reject(error.failure);
      await this.results.add(error.place, failed);
      return 'broken';
    } finally {
      await this.results.written();
    }
  }

  private async takeAll(): Promise<void> {
    for (;;) {
      await this.takeWhole();
      if (this.isStopped || this.isAtEnd) break;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // Bytes that Node has already read arrived before the stop.
    if (!this.isAtEnd) {
      const rest = process.stdin.read() as Buffer | null;
      if (rest !== null) this.framing.push(rest);
    } else if (!this.isStopped) {
      this.framing.end();
    }
    await this.takeWhole();
  }

  /** Queues the complete batches. */
  private async takeWhole(): Promise<void> {
    for (let length = this.framing.ready(); length !== undefined; length = this.framing.ready()) {
      const part = Math.min(Math.max(length, LEAST_BYTES), BATCH_BYTES);
      while (this.inFlight + part > IN_FLIGHT_BYTES) await Promise.race(this.stored);
      // Lines that arrived in the meantime are part of the batch.
      const batch = this.framing.take();
      const isLow = this.framing.length <= READ_AHEAD_BYTES;
      if (isLow && !this.isStopped && process.stdin.isPaused()) process.stdin.resume();
      if (batch !== undefined) await this.queue(batch, part);
    }
  }

  /** Checks a batch and puts it into the writer's queue, once there is room. */
  private async queue({ body, place, tooLong }: Batch, part: number): Promise<void> {
    const { admission, config, ingest, log } = this.app;
    const ticket = admission.unboundedTicket();
    await ticket.holdBytes(body.length);
    await ticket.endBody(body.length, config.maxBatchEvents);
    let stored!: Promise<Outcomes>;
    const queued = new Promise<void>((resolve) => {
      stored = ingest.batch(body, this.format, 'stdin', ticket, resolve);
    });
    this.inFlight += part;
    const settled = stored
      .catch((error: unknown) => log.debug({ reason: String(error) }, 'batch failed'))
      .finally(() => {
        ticket.release();
        this.inFlight -= part;
        this.stored.delete(settled);
      });
    this.stored.add(settled);
    await this.results.add(place, refuseLines(stored, tooLong, config.maxBodyBytes));
    await Promise.race([queued, settled]);
  }
}

/** Marks lines that are too long with the problem of rule PRO-14. */
async function refuseLines(
  stored: Promise<Outcomes>,
  tooLong: readonly number[],
  limit: number,
): Promise<Outcomes> {
  const outcomes = await stored;
  if (tooLong.length === 0) return outcomes;
  const message = fill(VOCABULARY.field_messages.max_bytes, { limit });
  const rejected = outcomes.rejected.map((one) =>
    tooLong.includes(one.line!) ? { ...one, errors: [{ field: 'body' as const, message }] } : one,
  );
  return { ...outcomes, rejected };
}
