/**
 * Handles `/api/events/{id}/attachments`, `/api/events/{id}/attachments/{name}` and `/api/attachments/{sha256}`.
 *
 * Invariant: at most one chunk of a content is in memory. Each chunk is a read of its own, so a slow client holds no
 * descriptor.
 */
import type { App } from '../app.ts';
import type { Received, Upload } from '../attachments.ts';
import { TUNING } from '../contract.ts';
import { parseDigest } from '../digest.ts';
import { Failure } from '../error.ts';
import type { AttachmentFile } from '../store/attachments.ts';
import { fileCode } from '../store/failure.ts';
import { attachmentName, mediaType } from './attachment-names.ts';
import { readChunks } from './body.ts';
import { checkDigest, declaredDigest } from './content-digest.ts';
import { hasEtag } from './etag.ts';
import { eventId } from './events.ts';
import type { Exchange } from './exchange.ts';
import { taken } from './frames.ts';
import { encodingOf } from './inflate.ts';
import { type Part, wantedPart } from './range.ts';
import { attachment, attachmentNotModified, kept, ok, rangeNotSatisfiable } from './reply.ts';

/** `PUT /api/events/{id}/attachments/{name}` (rules ATT-01 to ATT-05). */
export async function putAttachment(app: App, exchange: Exchange): Promise<void> {
  const { head, response } = exchange;
  const segments = head.path.split('/');
  const name = attachmentName(segments.at(-1)!);
  const event = eventId(segments.at(-3)!);
  await app.awaitEvent(event);
  const isThere = await app.store.json({ kind: 'has_event', id: event }, response);
  if (isThere === undefined) throw new Failure('not_found');
  const type = mediaType(head);
  if (encodingOf(head) !== 'identity') throw new Failure('unsupported_encoding');
  const declared = declaredDigest(head);
  const upload = await app.attachments.begin(head.contentLength);
  try {
    const received = await receive(exchange, upload);
    checkDigest(declared, received.receivedSha256);
    const stored = await app.attachments.keep(received, { event, name, mediaType: type });
    kept(exchange, stored, type);
  } finally {
    await upload.end();
  }
}

/** Receives the bytes of a body, and pauses it during writes. */
async function receive(exchange: Exchange, upload: Upload): Promise<Received> {
  const { request } = exchange;
  await readChunks(exchange, (chunk, fail) => {
    const failWith = (error: unknown): void => {
      fail(new Failure(error instanceof Failure ? error.code : 'internal', membersOf(error), true));
    };
    try {
      const written = upload.take(chunk);
      if (written === undefined) return;
      request.pause();
      written.then(() => request.resume(), failWith);
    } catch (error) {
      failWith(error);
    }
  });
  return upload.finish();
}

function membersOf(error: unknown): Failure['members'] {
  return error instanceof Failure ? error.members : {};
}

/** `GET /api/events/{id}/attachments` (rule ATT-06). */
export async function getAttachments(app: App, exchange: Exchange): Promise<void> {
  const event = eventId(exchange.head.path.split('/').at(-2)!);
  const json = await app.store.json({ kind: 'list_attachments', event }, exchange.response);
  if (json === undefined) throw new Failure('not_found');
  ok(exchange, json);
}

/** `GET /api/attachments/{sha256}` (rules ATT-07 and ATT-08). */
export async function getAttachment(app: App, exchange: Exchange): Promise<void> {
  const { head, response } = exchange;
  const text = head.path.split('/').at(-1)!;
  const sha256 = parseDigest(text);
  if (sha256 === undefined) throw new Failure('not_found');
  const found = await app.store.json({ kind: 'attachment_file', sha256 }, response);
  if (found === undefined) throw new Failure('not_found');
  const file = JSON.parse(Buffer.from(found).toString()) as AttachmentFile;
  const etag = `"${text}"`;
  if (hasEtag(head.headers.get('if-none-match') ?? [], etag)) {
    attachmentNotModified(exchange, etag);
    return;
  }
  const files = app.store.attachmentFiles;
  const isWhole = await files.has(sha256, file.size).catch((error: unknown) => {
    throw new Failure(fileCode(error));
  });
  if (!isWhole) {
    app.log.error({ sha256: text }, 'the file of an attachment is not there');
    throw new Failure('not_found');
  }
  const part: Part = head.method === 'GET' ? wantedPart(head, etag, file.size) : 'whole';
  if (part === 'nothing') {
    rangeNotSatisfiable(exchange, file.size);
    return;
  }
  const { first, last } = part === 'whole' ? { first: 0, last: file.size - 1 } : part;
  if (!attachment(exchange, file, etag, part)) return;
  await sendContent(app, exchange, (start, length) => files.read(sha256, start, length), first, last + 1);
}

/** Sends the bytes of a content from `start` up to `end`; reads a chunk when the client has taken the previous one. */
async function sendContent(
  app: App,
  { response }: Exchange,
  read: (start: number, length: number) => Promise<Buffer>,
  start: number,
  end: number,
): Promise<void> {
  const { socket } = response;
  let release = (): void => {};
  response.once('close', () => release());
  try {
    for (let at = start; at < end; ) {
      const bytes = await read(at, Math.min(end - at, TUNING.attachment_chunk_bytes));
      if (response.destroyed) return;
      at += bytes.length;
      release();
      if (socket !== null) release = app.answers.hold(socket, bytes.length, bytes);
      if (!response.write(bytes) && !response.destroyed) await taken(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    // Destroying the response shows the client that the end is missing.
    response.destroy();
    app.logFailure(error, 'an attachment was not read');
  }
}
