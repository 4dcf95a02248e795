/**
 * Handles `GET /api/snapshot/{topic}`: the state of a topic, its tag, the changes since a revision, and the wait for
 * a revision (rules SYN-05 to SYN-08).
 *
 * When the newest id in memory determines the answer, the handler does not read the database.
 */
import type { App } from '../app.ts';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import { type Format, isExport } from '../formats/index.ts';
import type { KnownRevisions, SnapshotRead } from '../store/read.ts';
import { parseTopic, type Topic } from '../topics.ts';
import { etagOf, knownRevisions } from './etag.ts';
import type { Exchange } from './exchange.ts';
import { sendExport } from './exports.ts';
import type { Parameters } from './parameters.ts';
import { notModified, snapshot } from './reply.ts';

const PREFIX = '/api/snapshot/';

/** `GET /api/snapshot/{topic}` (rules SYN-05 to SYN-08). */
export async function getSnapshot(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const topic = parseTopic(exchange.head.path.slice(PREFIX.length));
  if (topic === undefined) throw new Failure('not_found');
  await waited(app, exchange, parameters.number('wait'));
  // The client has disconnected.
  if (exchange.response.destroyed) return;
  const { epoch } = app.store;
  const known = knownRevisions(exchange.head.headers.get('if-none-match') ?? [], epoch);
  const { newest } = app.store;
  if (topic.kind !== 'session' && (known === 'any' || known.includes(String(newest)))) {
    notModified(exchange, etagOf(epoch, newest));
    return;
  }
  const read = snapshotRead(topic, exchange.answer!.format, epoch, parameters, known);
  const found = await app.store.snapshot(read, exchange.response);
  if (found === undefined) throw new Failure('not_found');
  const etag = etagOf(epoch, found.revision);
  const { data, next } = found;
  if (data === undefined) notModified(exchange, etag);
  else if (typeof data !== 'string' && isExport(exchange.answer!.format)) {
    await sendExport(app, exchange, { bytes: data, next }, etag);
  } else snapshot(exchange, data, etag);
}

/** Reads the state of a topic, as JSON text (rule RPC-05). */
export async function readSnapshot(
  app: App,
  exchange: Exchange,
  topic: Topic,
  parameters: Parameters,
): Promise<string | Uint8Array> {
  await waited(app, exchange, parameters.number('wait'));
  const read = snapshotRead(topic, 'json', app.store.epoch, parameters, []);
  const found = await app.store.snapshot(read, exchange.response);
  if (found?.data === undefined) throw new Failure('not_found');
  return found.data;
}

function snapshotRead(
  topic: Topic,
  format: Format,
  epoch: string,
  parameters: Parameters,
  known: KnownRevisions,
): SnapshotRead {
  return {
    kind: 'snapshot',
    topic,
    format,
    epoch,
    limit: parameters.number('limit')!,
    since: parameters.number('since_revision'),
    isReset: (parameters.text('epoch') ?? epoch) !== epoch,
    known,
  };
}

/** Waits until the newest id is at least `revision`, the time is over, or the client or the server closes. */
async function waited(app: App, exchange: Exchange, revision: number | undefined): Promise<void> {
  if (revision === undefined || app.store.newest >= revision) return;
  const { response } = exchange;
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  response.once('close', onClose);
  await app.invalidations.reached(revision, LIMITS.snapshot_wait_ms, gone.signal);
  response.off('close', onClose);
}
