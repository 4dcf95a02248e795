/**
 * Logs sent requests and the server's acknowledgements, one JSON object a line.
 *
 * Invariant: a line is on disk (fsync) before its content can take effect. `sent` is written before the first byte of
 * the request, `acknowledged` after the last byte of the answer. A reader of the log may rely on both after any
 * crash.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface SentLine {
  readonly kind: 'sent';
  /** Number of the request; unique in the log. */
  readonly request: number;
  readonly event_ids: readonly string[];
}

export interface AcknowledgedLine {
  readonly kind: 'acknowledged';
  readonly request: number;
  /** The ids that the server assigned, in the order of `event_ids`. */
  readonly ids: readonly number[];
}

export type LogLine = SentLine | AcknowledgedLine;

export class DeliveryLog {
  readonly #file: number;

  /** Appends to the file; creates a missing file. */
  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600);
  }

  append(line: LogLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Returns all lines of a log, except an incomplete line at the end, which had no effect. */
export function readLog(path: string): LogLine[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map((line, index) => {
    const value = JSON.parse(line) as { kind?: unknown; request?: unknown };
    if (typeof value.request !== 'number' || (value.kind !== 'sent' && value.kind !== 'acknowledged')) {
      throw new Error(`${path}, line ${index + 1} is no line of a delivery log`);
    }
    return value as LogLine;
  });
}
