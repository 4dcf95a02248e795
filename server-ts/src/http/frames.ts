/**
 * Writes server-sent events to one client at its own pace; only this module writes their framing (rules STR-07 and
 * STR-08).
 *
 * The format is that of <https://html.spec.whatwg.org/multipage/server-sent-events.html>. It writes only when the
 * client has taken the previous bytes, so a slow client costs one chunk (rule STR-08). Other modules decide when
 * there is a frame to send.
 */
import type { ServerResponse } from 'node:http';
import { LIMITS } from '../contract.ts';
import type { Next } from '../hub.ts';
import type { Change } from '../slots.ts';
import type { AnswerRoom } from './answer-room.ts';
import type { SendQueues } from './send-queues.ts';

/** Bytes written before the next check of the client's send queue. */
const SLICE_BYTES = 1 << 16;

const HEARTBEAT = ': heartbeat\n\n';

/** A source of frames; returns `idle` after this many milliseconds without a frame. */
interface FrameFeed {
  next(idleMs: number): Promise<Next>;
}

/** Writes a frame without an event name; the JSON text has no line break. */
export function frame(json: string): string {
  return `data: ${json}\n\n`;
}

/**
 * Returns the reconnection time as a field for the front of the first frame (rule SYN-02). Some clients report an
 * event that holds only this field as a message without data.
 */
export function retryField(): string {
  return `retry: ${LIMITS.stream_retry_ms}\n`;
}

/** Writes a frame for each change, in order (rule SYN-02). */
export function invalidateFrames(changes: readonly Change[], epoch: string): string {
  const frames = changes.map(({ topic, revision }) => {
    return `event: invalidate\n${frame(JSON.stringify({ topic: topic.name, revision: String(revision), epoch }))}`;
  });
  return frames.join('');
}

/**
 * Writes `opening` if present, then frames until the feed ends. It writes each frame once the client has taken the
 * previous ones.
 */
export async function sendFrames(
  response: ServerResponse,
  feed: FrameFeed,
  opening: string | undefined,
  heartbeatMs: number,
  queues: SendQueues,
  answers: AnswerRoom,
): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  const stallMs = heartbeatMs * LIMITS.stalled_heartbeats;
  const queue = queues.add(socket, stallMs);
  // Node's own timer: it restarts whenever the socket sends a byte of the queue (rule STR-08).
  socket.setTimeout(stallMs);
  socket.on('timeout', () => {
    if (socket.writableLength > 0) socket.destroy();
  });
  let chunk: string | Uint8Array | undefined = opening;
  for (;;) {
    if (chunk !== undefined) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const release = answers.hold(socket, bytes.buffer.byteLength, bytes.buffer);
      for (let at = 0; at < bytes.length && !response.destroyed; at += SLICE_BYTES) {
        const slice = bytes.subarray(at, at + SLICE_BYTES);
        const turn = queues.turn(slice.length);
        if (turn !== undefined) await turn;
        const isTaken = response.write(slice);
        if (!isTaken && !response.destroyed) await taken(response);
        await queue.room(SLICE_BYTES);
      }
      release();
    }
    const next = await feed.next(heartbeatMs);
    if (next === 'end') return;
    chunk = next === 'idle' ? HEARTBEAT : next;
  }
}

/**
 * Resolves once the client has taken the written bytes or has disconnected. Removes its listeners: a stream waits so
 * often that leaked listeners would take minutes to clean up.
 */
export function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
