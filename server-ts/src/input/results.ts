/**
 * Writes the result lines to stdout, in the order of the batches (rule PRO-13).
 *
 * Invariant: a parent that does not read delays these lines, and then the reading of standard input, and nothing else.
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

/** How many results may wait for earlier ones. */
const WAITING = 64;

/** How many UTF-16 code units of lines may wait to be written. */
const WAITING_LENGTH = 1 << 20;

/** How long to wait before the next try, in milliseconds, when a non-blocking descriptor has no room. */
const FULL_MS = 5;

/** Results in the order of their batches. */
export class Results {
  private waiting = 0;
  /** The last result's turn. */
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

  /** Resolves when all results that were added are written. */
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

  /** How many bytes were written. */
  private async writeSome(bytes: Buffer): Promise<number> {
    try {
      return (await writeTo(STDOUT, bytes)).bytesWritten;
    } catch (error) {
      // The parent may have made the descriptor non-blocking.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') await sleep(FULL_MS);
      // A parent that has closed its end does not want the lines; its events are stored all the same.
      else this.isOpen = false;
      return 0;
    }
  }
}

/** The line of a batch, once it is stored or is known not to be. */
async function lineOf(place: Place, stored: Promise<Outcomes>): Promise<string> {
  try {
    return batchLine(place, await stored);
  } catch (error) {
    return failureLine(place, error instanceof Failure ? error : new Failure('internal'));
  }
}

/** The line of a batch that is stored. */
export function batchLine(place: Place, outcomes: Outcomes): string {
  if (place.kind === 'frame') return line('batch', place, batchJson(outcomes, false));
  const rejected = outcomes.rejected.map((one) => ({ ...one, line: place.first - 1 + one.line! }));
  return line('batch', place, batchJson({ ...outcomes, rejected }, false));
}

/** The line of a batch that is not stored. */
export function failureLine(place: Place, failure: Failure): string {
  return line('failure', place, failureJson(failure));
}

/** The members of an object, after the kind of the line and the place of the batch. */
function line(event: string, place: Place, object: string): string {
  const at =
    place.kind === 'lines'
      ? `"first_line":${place.first},"last_line":${place.last}`
      : `"frame":${place.number}`;
  return `{"event":"${event}",${at},${object.slice(1)}\n`;
}
