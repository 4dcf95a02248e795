/**
 * Writes the result lines to stdout, in the order of the batches (rule PRO-13).
 *
 * Invariant: a parent that does not read delays only these lines, and then the reading of standard input.
 * `process.stdout` would block the main thread, so a thread of Node's pool writes.
 */
import { write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Failure } from '../error.ts';
import type { Outcomes } from '../event.ts';
import { batchJson, failureJson } from '../render/outcomes.ts';
import type { Place } from './batch.ts';

const STDOUT = 1;
const writeTo = promisify(write);

/** Largest number of results that wait for earlier ones. */
const WAITING = 64;

/** Largest number of UTF-16 code units in lines that wait for writing. */
const WAITING_LENGTH = 1 << 20;

/** Milliseconds before the next try when a non-blocking descriptor is full. */
const FULL_MS = 5;

/** Results in the order of their batches. */
export class Results {
  private waiting = 0;
  /** The end of the queue of results. */
  private tail: Promise<void> = Promise.resolve();
  private text = '';
  private writing: Promise<void> | undefined;
  private isOpen = true;

  /** Adds the next result; waits for room while too many results wait. */
  async add(place: Place, stored: Promise<Outcomes>): Promise<void> {
    // Awaited from the start, so that a rejection is never unhandled.
    const line = lineOf(place, stored);
    while (this.waiting >= WAITING) await this.tail;
    this.waiting++;
    this.tail = this.tail.then(async () => {
      await this.put(await line);
      this.waiting--;
    });
  }

  /** Resolves when all added results are written. */
  async written(): Promise<void> {
    await this.tail;
    await this.writing;
  }

  private async put(line: string): Promise<void> {
    this.text += line;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
    });
    if (this.text.length > WAITING_LENGTH) await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.text !== '') {
      const bytes = Buffer.from(this.text);
      this.text = '';
      let at = 0;
      while (this.isOpen && at < bytes.length) at += await this.writeSome(bytes.subarray(at));
    }
  }

  /** Returns the number of bytes written. */
  private async writeSome(bytes: Buffer): Promise<number> {
    try {
      return (await writeTo(STDOUT, bytes)).bytesWritten;
    } catch (error) {
      // The parent may have made the descriptor non-blocking.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') await sleep(FULL_MS);
      // A parent that has closed its end needs no lines; its events are stored in any case.
      else this.isOpen = false;
      return 0;
    }
  }
}

/** Returns the line of a batch once its result is known. */
async function lineOf(place: Place, stored: Promise<Outcomes>): Promise<string> {
  try {
    return batchLine(place, await stored);
  } catch (error) {
    return failureLine(place, error instanceof Failure ? error : new Failure('internal'));
  }
}

/** Returns the line of a stored batch. */
export function batchLine(place: Place, outcomes: Outcomes): string {
  if (place.kind === 'frame') return line('batch', place, batchJson(outcomes, false));
  const rejected = outcomes.rejected.map((one) => ({ ...one, line: place.first - 1 + one.line! }));
  return line('batch', place, batchJson({ ...outcomes, rejected }, false));
}

/** Returns the line of a failed batch. */
export function failureLine(place: Place, failure: Failure): string {
  return line('failure', place, failureJson(failure));
}

/** Returns the members of an object, after the kind of the line and the place of the batch. */
function line(event: string, place: Place, object: string): string {
  const at =
    place.kind === 'lines'
      ? `"first_line":${place.first},"last_line":${place.last}`
      : `"frame":${place.number}`;
  return `{"event":"${event}",${at},${object.slice(1)}\n`;
}
