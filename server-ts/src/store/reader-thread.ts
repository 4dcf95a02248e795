/**
 * A thread that reads: the answer is made here (`answer`), so that the main thread only passes bytes on.
 *
 * The other half is `reader`. Only this side has this file: threads of Node share nothing.
 */
import type { MessagePort } from 'node:worker_threads';
import { renderFrame } from '../render.ts';
import { json, snapshot } from './answer.ts';
import { openConnection } from './connection.ts';
import { storeCode } from './failure.ts';
import { type EventFilter, Queries } from './query.ts';
import type { Read, ReaderData, ReadResult } from './reader.ts';

/** Frames of one page stop after this many bytes. */
const PAGE_BYTES = 1 << 20;

/** The thread: answers reads one after the other. */
export function runReader(port: MessagePort, data: ReaderData): void {
  const db = openConnection({ ...data, readonly: true });
  const queries = new Queries(db, data.sessionTimeoutMinutes);
  port.on('message', (read: Read | 'close') => {
    if (read === 'close') {
      db.close();
      port.close();
      return;
    }
    let result: ReadResult;
    try {
      result = queries.consistently(() => answer(queries, read));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      result = { kind: 'failed', code: storeCode(error), reason };
    }
    port.postMessage(result, buffersOf(result));
  });
}

function answer(queries: Queries, read: Read): ReadResult {
  switch (read.kind) {
    case 'snapshot': {
      const found = snapshot(queries, read);
      if (found === undefined) return { kind: 'snapshot', snapshot: undefined };
      const { revision, json: text } = found;
      return { kind: 'snapshot', snapshot: { revision, json: text === undefined ? undefined : utf8(text) } };
    }
    case 'session_revisions':
      return {
        kind: 'revisions',
        revisions: Float64Array.from(read.ids, (id) => queries.sessionRevision(id)),
      };
    case 'events_after':
      return frames(queries, read.filter);
    case 'health':
      return {
        kind: 'health',
        epoch: queries.epoch(),
        sqliteVersion: queries.sqliteVersion(),
        journalMode: String(queries.pragma('journal_mode')),
        synchronous: queries.pragma('synchronous') === 2 ? 'full' : 'normal',
      };
    case 'quick_check':
      return { kind: 'checked', found: queries.quickCheck() };
    default: {
      const text = json(queries, read);
      return { kind: 'json', bytes: text === undefined ? undefined : utf8(text) };
    }
  }
}

/** As many rows as fit into a page, each rendered as a frame once, for whoever it is sent to. */
function frames(queries: Queries, filter: EventFilter): ReadResult {
  const ids: number[] = [];
  const ends: number[] = [];
  const names: [string, string, string][] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  let more = false;
  for (const row of queries.events(filter, filter.limit + 1)) {
    if (ids.length === filter.limit || length >= PAGE_BYTES) {
      more = true;
      break;
    }
    const chunk = Buffer.from(renderFrame(row));
    chunks.push(chunk);
    length += chunk.length;
    ids.push(row[0]);
    ends.push(length);
    names.push([row[3], row[4], row[5]]);
  }
  const bytes = Buffer.allocUnsafeSlow(length);
  chunks.reduce((at, chunk) => at + chunk.copy(bytes, at), 0);
  return { kind: 'frames', bytes, ids: Float64Array.from(ids), ends: Uint32Array.from(ends), names, more };
}

/** Text as bytes that own their memory, so that it can be handed to the main thread. */
function utf8(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 0, 'utf8');
  return bytes;
}

function buffersOf(result: ReadResult): ArrayBuffer[] {
  switch (result.kind) {
    case 'json':
      return result.bytes === undefined ? [] : [result.bytes.buffer as ArrayBuffer];
    case 'snapshot':
      return result.snapshot?.json === undefined ? [] : [result.snapshot.json.buffer as ArrayBuffer];
    case 'revisions':
      return [result.revisions.buffer as ArrayBuffer];
    case 'frames':
      return [result.bytes, result.ids, result.ends].map((view) => view.buffer as ArrayBuffer);
    default:
      return [];
  }
}
