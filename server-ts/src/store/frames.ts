/**
 * Reads a page of events as frames of the stream.
 *
 * Runs in a reader's thread. Only server-ts has this file: Rust renders frames where it reads them.
 */
import { type EventRow, idOf, ROW, renderFrame } from '../render.ts';
import { searchEvents } from './event-search.ts';
import type { EventFilter, Queries } from './query.ts';
import type { Frames } from './read.ts';

/** Number of bytes after which a page of frames ends. */
const PAGE_BYTES = 1 << 20;

/** Reads up to `limit` events that fit into a page. Renders each as a frame once, for all clients. */
export function readFrames(queries: Queries, filter: EventFilter): Frames {
  const ids: number[] = [];
  const ends: number[] = [];
  const names: [string, string, string][] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  const { scannedTo } = searchEvents(queries, 'readable', filter, filter.limit, (row: EventRow) => {
    const chunk = Buffer.from(renderFrame(row));
    chunks.push(chunk);
    length += chunk.length;
    ids.push(idOf(row));
    ends.push(length);
    names.push([String(row[ROW.session_id]), String(row[ROW.agent_type]), String(row[ROW.event_type])]);
    return length < PAGE_BYTES;
  });
  // A long chunk has memory of its own already.
  const bytes = chunks.length === 1 && length > PAGE_BYTES ? chunks[0]! : Buffer.allocUnsafeSlow(length);
  if (bytes !== chunks[0]) chunks.reduce((at, chunk) => at + chunk.copy(bytes, at), 0);
  return { bytes, ids: Float64Array.from(ids), ends: Uint32Array.from(ends), names, scannedTo };
}
