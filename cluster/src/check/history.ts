/**
 * The history of a run: what was sent, acknowledged, read and streamed, in the order in which the checker saw it.
 *
 * Invariant: `sent` is in the history before the first byte of its request, and `acknowledged` after the last byte of
 * the answer. So an answer that precedes a request in the history precedes it in time.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A row: its id, its `event_id`, and a digest of all its fields. */
export type Row = readonly [id: number, event_id: string, digest: string];

/** Where an attachment is: the id of its event, and its name. */
export type AttachmentPlace = readonly [id: number, name: string];

export type Entry =
  | {
      readonly kind: 'begin';
      readonly seed: number;
      readonly faults: number;
      readonly members: readonly string[];
    }
  | {
      readonly kind: 'sent';
      /** Number of the attempt; unique in the history. */
      readonly request: number;
      readonly node: string;
      /** The copy of the node, which changes when its database is deleted. */
      readonly copy: number;
      readonly event_ids: readonly string[];
    }
  | {
      readonly kind: 'acknowledged';
      readonly request: number;
      /** The ids of new events, in the order of `event_ids` when there is no duplicate. */
      readonly ids: readonly number[];
      readonly duplicates: number;
    }
  /** An attempt without an acknowledgement. Its events may be stored. */
  | { readonly kind: 'unknown'; readonly request: number; readonly why: string }
  | { readonly kind: 'refused'; readonly request: number; readonly why: string }
  | {
      readonly kind: 'asked';
      readonly read: number;
      readonly node: string;
      readonly copy: number;
      /** Of the client that moves between nodes; absent for a reader of one node. */
      readonly min_seq?: number | undefined;
    }
  | { readonly kind: 'read'; readonly read: number; readonly newest: number; readonly total: number }
  | { readonly kind: 'moved'; readonly node: string; readonly after: number }
  /** A node whose copy was behind the client. */
  | { readonly kind: 'reset'; readonly node: string; readonly after: number }
  | { readonly kind: 'streamed'; readonly node: string; readonly id: number; readonly event_id: string }
  | { readonly kind: 'fault'; readonly fault: string; readonly on: string }
  | { readonly kind: 'healed'; readonly fault: string; readonly recovered_ms: number }
  /** A node that did not accept events in time, or whose copy did not become equal. */
  | { readonly kind: 'stuck'; readonly node: string; readonly why: string }
  /** The rows of a copy after one id, up to another one. */
  | {
      readonly kind: 'copy';
      readonly node: string;
      readonly after: number;
      readonly upto: number;
      readonly rows: readonly Row[];
    }
  | {
      readonly kind: 'attaching';
      readonly node: string;
      readonly place: AttachmentPlace;
      readonly sha256: string;
    }
  | { readonly kind: 'attached'; readonly node: string; readonly place: AttachmentPlace }
  | {
      readonly kind: 'attachment_refused';
      readonly node: string;
      readonly place: AttachmentPlace;
      readonly why: string;
    }
  /** The attachments of a copy, each with the SHA-256 of the bytes that it answered. */
  | {
      readonly kind: 'attachments';
      readonly node: string;
      readonly found: readonly (readonly [place: AttachmentPlace, sha256: string])[];
    }
  /** All copies were read up to this id. `statistics` are digests, or whole texts where they differ. */
  | {
      readonly kind: 'checked';
      readonly upto: number;
      readonly statistics: Readonly<Record<string, string>>;
    };

export type Timed = Entry & {
  /** Milliseconds since the begin of the run. */
  readonly at: number;
};

/** Writes a history to a file, one JSON object a line, and passes each entry on. */
export class History {
  readonly path: string;
  private readonly file: number;
  private readonly begun = performance.now();
  private isClosed = false;
  private readonly onEntry: (entry: Timed) => void;

  constructor(path: string, onEntry: (entry: Timed) => void) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.file = openSync(path, 'w', 0o600);
    this.onEntry = onEntry;
  }

  /** Adds an entry. After the close, which an interrupt brings early, there is no file for it. */
  add(entry: Entry): void {
    if (this.isClosed) return;
    const timed = { at: Math.round(performance.now() - this.begun), ...entry };
    writeSync(this.file, `${JSON.stringify(timed)}\n`);
    this.onEntry(timed);
  }

  close(): void {
    this.isClosed = true;
    closeSync(this.file);
  }
}

/** Returns all entries of a file. */
export function readHistory(path: string): Timed[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Timed);
}
