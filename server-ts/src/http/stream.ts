/**
 * `GET /api/stream`: server-sent events by the WHATWG rules
 * (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
 *
 * Writes only when the client has taken what came before, so what a slow one costs is one chunk.
 */
import type { ServerResponse } from 'node:http';
import type { App } from '../app.ts';
import { nowMs } from '../clock.ts';
import { LIMITS, PARAMETERS } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Subscription } from '../hub.ts';
import type { StreamFilter } from '../ring.ts';
import { formatTimestamp } from '../timestamp.ts';
import { headerOf } from './head.ts';
import { type Parameters, readInteger } from './parameters.ts';
import { type Exchange, stream } from './reply.ts';

const HEARTBEAT = ': heartbeat\n\n';
const RESET = frame('{"type":"reset"}');

/** `GET /api/stream` (rules STR-01 to STR-10). */
export async function openStream(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const header = headerOf(exchange.head, 'last-event-id');
  const cursor =
    header === undefined
      ? parameters.number('after')
      : readInteger(PARAMETERS.after!, header, 'Last-Event-ID');
  if (exchange.head.method === 'HEAD') {
    stream(exchange);
    return;
  }
  const newest = app.store.newest;
  const { epoch } = app.store;
  const otherEpoch = (parameters.text('epoch') ?? epoch) !== epoch;
  const isReset = otherEpoch || (cursor !== undefined && cursor > newest);
  const filter: StreamFilter = {
    sessionId: parameters.text('session_id'),
    agentType: parameters.text('agent_type'),
    eventType: parameters.text('event_type'),
  };
  const subscription = app.hub.subscribe(filter, isReset ? newest : (cursor ?? newest));
  if (subscription === undefined) {
    throw new Failure('stream_limit', { max_clients: app.config.maxStreamClients });
  }
  const connected = { type: 'connected', timestamp: formatTimestamp(nowMs()), epoch, last_id: newest };
  const opening = frame(JSON.stringify(connected)) + (isReset ? RESET : '');
  const { response } = exchange;
  response.once('close', () => subscription.close());
  stream(exchange);
  try {
    await sendFrames(response, subscription, opening, app.config.heartbeatMs);
  } catch (error) {
    app.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'stream failed');
  } finally {
    subscription.close();
    response.end();
  }
}

/** A frame that is no event. */
export function frame(json: string): string {
  return `data: ${json}\n\n`;
}

/** Writes frames until the subscription ends, the next one only once the client has taken those before it. */
export async function sendFrames(
  response: ServerResponse,
  subscription: Pick<Subscription, 'next'>,
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
    const next = await subscription.next(heartbeatMs);
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
