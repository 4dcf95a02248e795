/**
 * Handles `GET /api/stream`: every event after a cursor, and the statistics at an interval (rules STR-01 to STR-10).
 *
 * `invalidations` handles the mode that only reports changed topics. `frames` handles framing and pace.
 */
import type { App } from '../app.ts';
import { nowMs } from '../clock.ts';
import { PARAMETERS, VOCABULARY } from '../contract.ts';
import { Failure } from '../error.ts';
import type { StreamFilter } from '../ring.ts';
import { formatTimestamp } from '../timestamp.ts';
import type { Exchange } from './exchange.ts';
import { frame, sendFrames } from './frames.ts';
import { openInvalidations } from './invalidations.ts';
import { invalid, type Parameters, readInteger } from './parameters.ts';
import { stream } from './reply.ts';

const RESET = frame('{"type":"reset"}');

/** `GET /api/stream` (rules STR-01 to STR-10, and SYN-02 for its other mode). */
export function openStream(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const isInvalidate = parameters.text('mode') === 'invalidate';
  return (isInvalidate ? openInvalidations : openEvents)(app, exchange, parameters);
}

async function openEvents(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const [header, ...more] = exchange.head.headers.get('last-event-id') ?? [];
  if (more.length > 0) throw invalid('Last-Event-ID', VOCABULARY.parameter_messages.twice);
  const cursor =
    header === undefined
      ? parameters.number('after')
      : readInteger(PARAMETERS.after, header, 'Last-Event-ID');
  if (exchange.head.method === 'HEAD') {
    stream(exchange);
    return;
  }
  const { epoch } = app.store;
  const otherEpoch = (parameters.text('epoch') ?? epoch) !== epoch;
  const isReset = otherEpoch || (cursor !== undefined && (await app.isBeyond(cursor)));
  // The client may be gone after the wait for its cursor.
  if (exchange.response.destroyed) return;
  const newest = app.store.newest;
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
    await sendFrames(response, subscription, opening, app.config.heartbeatMs, app.sendQueues, app.answers);
  } catch (error) {
    app.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'stream failed');
  } finally {
    subscription.close();
    response.end();
  }
}

/** Makes the `stats` frame of all clients once per interval, while a client is connected (rule STR-06). */
export async function publishStats(app: App): Promise<void> {
  if (app.hub.clients === 0) return;
  try {
    const stats = await app.store.json({ kind: 'stats', filter: {} });
    if (stats === undefined) return;
    const payload = Buffer.from(stats).toString('utf8');
    app.hub.broadcast(Buffer.from(frame(`{"type":"stats","payload":${payload}}`)));
  } catch (error) {
    app.logFailure(error, 'statistics failed');
  }
}
