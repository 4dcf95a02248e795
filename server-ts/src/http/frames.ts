/**
 * Server-sent events on the wire, by the WHATWG rules
 * (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), to one client at its own pace.
 *
 * Writes only when the client has taken what came before, so what a slow one costs is one chunk (rule STR-08).
 * Knows nothing of what the frames say.
 */
import type { ServerResponse } from 'node:http';
import { LIMITS } from '../contract.ts';
import type { Next } from '../hub.ts';

const HEARTBEAT = ': heartbeat\n\n';

/** What gives frames; `idle` after this many milliseconds without any. */
export interface FrameFeed {
  next(idleMs: number): Promise<Next>;
}

/** A frame without a name; the JSON text has no line break. */
export function frame(json: string): string {
  return `data: ${json}\n\n`;
}

/** A frame of an event with a name. */
export function namedFrame(name: string, json: string): string {
  return `event: ${name}\n${frame(json)}`;
}

/** How long a client waits before it connects again. */
export function retryFrame(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** Writes frames until the feed ends, the next one only once the client has taken those before it. */
export async function sendFrames(
  response: ServerResponse,
  feed: FrameFeed,
  opening: string,
  heartbeatMs: number,
): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  // Node's own timer: it starts anew whenever the socket takes a byte of what waits (rule STR-08).
  socket.setTimeout(heartbeatMs * LIMITS.stalled_heartbeats);
  socket.on('timeout', () => {
    if (socket.writableLength > 0) socket.destroy();
  });
  let chunk: string | Uint8Array = opening;
  for (;;) {
    if (!response.write(chunk) && !response.destroyed) await taken(response);
    const next = await feed.next(heartbeatMs);
    if (next === 'end') return;
    chunk = next === 'idle' ? HEARTBEAT : next;
  }
}

/**
 * Resolves once the client has taken what was written, or is gone. Leaves no listener behind: a stream waits so
 * often that they would be a leak, and that ending it would take minutes.
 */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
