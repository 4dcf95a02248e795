/**
 * Keeps the newest frames of the stream, bounded by bytes and shared by all clients.
 *
 * Holds every event between two ids. So a cursor inside can continue without a gap, and a cursor outside is detected.
 */
import { TUNING } from './contract.ts';
import type { Frames } from './store/read.ts';

/** Only these events; an absent member matches any event. */
export interface StreamFilter {
  readonly sessionId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly eventType?: string | undefined;
}

interface Frame {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly sessionId: string;
  readonly agentType: string;
  readonly eventType: string;
}

/** Frames are handed out in pieces of about this many bytes. */
const CHUNK_BYTES = 65_536;

/** The bytes of the next frames after a cursor, the new cursor, and the id of the first frame; 0 when there is none. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly cursor: number;
  readonly first: number;
}

export class Ring {
  /** Frames of every event with `from` < id <= `to`, oldest first. */
  private frames: Frame[] = [];
  /** The newest piece, which many clients want one after the other. */
  private last: (Piece & { readonly after: number; readonly filter: StreamFilter }) | undefined;
  private bytes = 0;
  private from = 0;
  to = 0;

  /** Drops all frames: from now on it holds the events after this id. */
  restart(newest: number): void {
    this.frames = [];
    this.last = undefined;
    this.bytes = 0;
    this.from = newest;
    this.to = newest;
  }

  /** Returns the next frames after a cursor; `undefined` when the cursor is before the ring. */
  framesAfter(cursor: number, filter: StreamFilter): Piece | undefined {
    if (cursor < this.from) return undefined;
    const { last } = this;
    if (last !== undefined && last.after === cursor && isSame(last.filter, filter)) return last;
    const parts: Uint8Array[] = [];
    let length = 0;
    let reached = cursor;
    let first = 0;
    for (let at = this.indexAfter(cursor); at < this.frames.length && length < CHUNK_BYTES; at++) {
      const frame = this.frames[at]!;
      reached = frame.id;
      if (!matches(frame, filter)) continue;
      if (parts.length === 0) first = frame.id;
      parts.push(frame.bytes);
      length += frame.bytes.length;
    }
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
    this.last = { after: cursor, filter, bytes, cursor: reached, first };
    return this.last;
  }

  /** Adds the page after `to`. */
  append(frames: Frames): void {
    this.last = undefined;
    let start = 0;
    frames.ids.forEach((id, at) => {
      const end = frames.ends[at]!;
      const [sessionId, agentType, eventType] = frames.names[at]!;
      this.frames.push({ id, bytes: frames.bytes.subarray(start, end), sessionId, agentType, eventType });
      start = end;
    });
    this.bytes += frames.bytes.length;
    this.to = frames.scannedTo;
    let drop = 0;
    while (this.bytes > TUNING.stream_tail_bytes && drop < this.frames.length) {
      this.bytes -= this.frames[drop]!.bytes.length;
      this.from = this.frames[drop]!.id;
      drop++;
    }
    if (drop > 0) this.frames.splice(0, drop);
  }

  /** Returns the index of the first frame after a cursor. */
  private indexAfter(cursor: number): number {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.frames[middle]!.id <= cursor) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isSame(one: StreamFilter, other: StreamFilter): boolean {
  return (
    one.sessionId === other.sessionId &&
    one.agentType === other.agentType &&
    one.eventType === other.eventType
  );
}

function matches(frame: Frame, filter: StreamFilter): boolean {
  return (
    (filter.sessionId === undefined || filter.sessionId === frame.sessionId) &&
    (filter.agentType === undefined || filter.agentType === frame.agentType) &&
    (filter.eventType === undefined || filter.eventType === frame.eventType)
  );
}
