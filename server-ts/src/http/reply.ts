/**
 * Makes every answer; no other module chooses a status or headers.
 *
 * An answer closes its connection where a rule says so, and after HTTP/1.0. It also closes it when the unread body is
 * too long to drop or has no known length. Over 250 lines because it makes every answer of the server, most of them in
 * a few lines.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Kept } from '../attachments.ts';
import { httpDate } from '../clock.ts';
import { FORMATS, LIMITS, METRICS, VOCABULARY } from '../contract.ts';
import { digestHex } from '../digest.ts';
import { type ErrorCode, errorSpec, Failure } from '../error.ts';
import type { Outcomes } from '../event.ts';
import { backupJson, batchJson, failureJson, singleJson } from '../render/outcomes.ts';
import { exportResponse, status as statusMessage } from '../render/telemetry.ts';
import type { AttachmentFile } from '../store/attachments.ts';
import type { Backup } from '../store/backups.ts';
import { type Request, statusCode } from '../telemetry/otlp.ts';
import { disposition } from './attachment-names.ts';
import type { Exchange } from './exchange.ts';
import { waitsForContinue } from './head.ts';
import type { Answer } from './negotiation.ts';
import type { Part } from './range.ts';
import { endWhenStalled } from './send-queues.ts';

/** Node's record of `Expect`. */
type ExpectingResponse = ServerResponse & { _expect_continue?: boolean };

type Header = string | number;
type Headers = Readonly<Record<string, Header>>;

const JSON_TYPE = 'application/json; charset=utf-8';
/** The statuses that vary with `Accept` where it selects the format (rule HTT-13). */
const VARYING: ReadonlySet<number> = new Set([200, 304, 406]);
/** The statuses whose rows may be stale (rule CLU-10). */
const STALE: ReadonlySet<number> = new Set([200, 304]);
const JSON_ONLY: Headers = { 'content-type': JSON_TYPE };

/** Sends 200 with JSON text, as text or as bytes. */
export function ok(exchange: Exchange, json: string | Uint8Array): void {
  freeOnceSent(exchange, json);
  answer(exchange, 200, JSON_ONLY, json);
}

/** Sends 200 with a page in the selected format (rule FMT-08). */
export function rows(exchange: Exchange, bytes: Uint8Array): void {
  freeOnceSent(exchange, bytes);
  answer(exchange, 200, { 'content-type': mediaTypeOf(exchange) }, bytes);
}

/** Bytes from which on a response's memory is freed at once. */
const LONG_BYTES = 1 << 20;

/**
 * Frees the memory of a long response once the system has it or the client is gone, since V8 may keep it for long. It has
 * no other user.
 */
function freeOnceSent({ response }: Exchange, body: string | Uint8Array): void {
  if (typeof body === 'string' || body.length < LONG_BYTES) return;
  response.once('close', () => (body.buffer as ArrayBuffer).transfer(0));
}

/** Counts bytes of an answer in the room until the client has taken them or is gone (rule HTT-15). */
function holdUntilSent({ response, answers }: Exchange, body: string | Uint8Array, length: number): void {
  const { socket } = response;
  if (socket === null || length < LIMITS.answer_room_least_bytes) return;
  const memory = typeof body === 'string' ? response : body.buffer;
  response.once('close', answers.hold(socket, length, memory));
}

/** Returns the value of `Content-Type` for the selected media type (rule HTT-13). */
function mediaTypeOf({ answer: chosen }: Exchange): string {
  return chosen === undefined ? JSON_TYPE : contentType(chosen);
}

function contentType({ format, mediaType }: Answer): string {
  return `${mediaType}${FORMATS[format].answer_suffix}`;
}

/**
 * Sends the responses to typed calls, if any. `ms` is their time in milliseconds without the work of the methods (rule
 * RPC-07).
 */
export function rpc(exchange: Exchange, responses: string | Uint8Array | undefined, ms: number): void {
  const timing = { 'server-timing': `lib;dur=${ms.toFixed(3)}` };
  if (responses === undefined) answer(exchange, 204, timing, undefined);
  else {
    freeOnceSent(exchange, responses);
    answer(exchange, 200, { 'content-type': mediaTypeOf(exchange), ...timing }, responses);
  }
}

/** Sends the answer to one event (rules ING-01 to ING-03). */
export function single(exchange: Exchange, outcomes: Outcomes): void {
  throwRejected(outcomes);
  answer(exchange, outcomes.ids[0] === 0 ? 200 : 201, JSON_ONLY, singleJson(outcomes));
}

/** Sends the answer to a batch (rules ING-04 and ING-05). */
export function batch(exchange: Exchange, outcomes: Outcomes, withResults: boolean): void {
  answer(exchange, 201, JSON_ONLY, batchJson(outcomes, withResults));
}

/** Sends the answer to a backup (rule BAK-07). */
export function backup(exchange: Exchange, { file, copied }: Backup): void {
  const { bytes, newestId, attachments, sequence } = copied;
  answer(exchange, 201, JSON_ONLY, backupJson(file, bytes, newestId, attachments, sequence));
}

/** Responds to an agent's hook with 200 `{}`, so the agent continues unchanged (rule HOK-01). */
export function hook(exchange: Exchange, outcomes: Outcomes): void {
  throwRejected(outcomes);
  ok(exchange, '{}');
}

/** Sends the answer to telemetry, with its rejected records (rule OTL-01). */
export function telemetry(
  exchange: Exchange,
  { rejected: member }: Request,
  rejected: readonly (readonly [reason: string, count: number])[],
): void {
  const chosen = exchange.telemetry!;
  answer(
    exchange,
    200,
    { 'content-type': contentType(chosen) },
    exportResponse(chosen.format, member, rejected),
  );
}

/** Sends the answer to refused telemetry (rule OTL-01). The status 429 makes a client wait. */
function telemetryFailure(exchange: Exchange, { code, members, close }: Failure, chosen: Answer): void {
  const { status, text } = errorSpec(code);
  const used = code === 'overloaded' ? 429 : status;
  const reason = members.reason === undefined ? '' : `: ${String(members.reason)}`;
  const body = statusMessage(chosen.format, statusCode(used), `${code}: ${text}${reason}`);
  answer(exchange, used, { 'content-type': contentType(chosen), ...failureHeaders(code) }, body, close);
}

function throwRejected(outcomes: Outcomes): void {
  const [rejected] = outcomes.rejected;
  if (rejected !== undefined) throw new Failure('invalid_event', { details: rejected.errors });
}

/** Sends 200 with a snapshot and its tag (rule SYN-05). */
export function snapshot(exchange: Exchange, data: string | Uint8Array, etag: string): void {
  freeOnceSent(exchange, data);
  answer(exchange, 200, { 'content-type': mediaTypeOf(exchange), ...tagHeaders(etag) }, data);
}

/** Returns the headers for the tag of a snapshot. A cache must revalidate before each use (rule SYN-05). */
function tagHeaders(etag: string): Headers {
  return { etag, 'cache-control': 'no-cache' };
}

/** Sends 304: the client holds the state of this tag (rule SYN-06). */
export function notModified(exchange: Exchange, etag: string): void {
  answer(exchange, 304, tagHeaders(etag), undefined);
}

/** Sends 200 with a file of the dashboard (rule PAG-01). */
export function page(exchange: Exchange, mediaType: string, text: string): void {
  const headers = { 'content-type': `${mediaType}; charset=utf-8`, ...VOCABULARY.page_headers };
  answer(exchange, 200, headers, text);
}

/** Sends 200 with a file of the page of measurements (rule BEN-05). */
export function benchPage(exchange: Exchange, mediaType: string, text: string): void {
  const headers = { 'content-type': `${mediaType}; charset=utf-8`, ...VOCABULARY.bench_page_headers };
  answer(exchange, 200, headers, text);
}

/** Sends the health answer, with 503 while writes fail (rule HEA-01). */
export function health(exchange: Exchange, json: string, degraded: boolean): void {
  answer(exchange, degraded ? 503 : 200, JSON_ONLY, json);
}

/** Sends the answer to a stored attachment (rule ATT-01). */
export function kept(exchange: Exchange, { isNew, sha256, size }: Kept, mediaType: string): void {
  const json = JSON.stringify({ sha256: digestHex(sha256), size, media_type: mediaType });
  answer(exchange, isNew ? 201 : 200, JSON_ONLY, json);
}

/**
 * Sends the head of 200 or 206 with bytes of an attachment (rules ATT-07 and ATT-08). Returns whether the caller sends
 * the bytes.
 */
export function attachment(exchange: Exchange, file: AttachmentFile, etag: string, part: Part): boolean {
  const { response, head } = exchange;
  if (!canBegin(exchange)) return false;
  const { name, size, mediaType } = file;
  const headers: Record<string, Header> = {
    'content-type': mediaType,
    'content-length': size,
    'content-disposition': disposition(name, mediaType),
    etag,
    'accept-ranges': 'bytes',
    ...VOCABULARY.attachment_headers,
  };
  if (typeof part === 'object') {
    headers['content-length'] = part.last - part.first + 1;
    headers['content-range'] = `bytes ${part.first}-${part.last}/${size}`;
  }
  const isPart = typeof part === 'object';
  writeHead(exchange, isPart ? 206 : 200, headers, isLast(exchange) || !canDropBody(exchange));
  endWhenStalled(exchange.response);
  if (head.method === 'HEAD') response.end();
  return head.method !== 'HEAD';
}

/** Sends 304: the client holds the attachment. */
export function attachmentNotModified(exchange: Exchange, etag: string): void {
  const headers = { etag, 'cache-control': VOCABULARY.attachment_headers['cache-control'] };
  answer(exchange, 304, headers, undefined);
}

/** Sends 416: the range contains no byte. */
export function rangeNotSatisfiable(exchange: Exchange, size: number): void {
  const code = 'range_not_satisfiable';
  const headers = { 'content-type': JSON_TYPE, 'content-range': `bytes */${size}` };
  refuse(exchange, new Failure(code), errorSpec(code).status, headers);
}

/** Sends 200 with the number of bytes that the sink dropped (rule BEN-02). */
export function sink(exchange: Exchange, length: number): void {
  ok(exchange, `{"bytes":${length}}`);
}

/** Sends 200 with the bytes of the request, in the pieces that arrived (rule BEN-03). */
export function echo(exchange: Exchange, pieces: readonly Uint8Array[]): void {
  const { response } = exchange;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (!begin(exchange, 200, { 'content-type': 'application/octet-stream', 'content-length': length })) return;
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** Sends the bytes in one form, and the milliseconds that encoding took (rule BEN-04). */
export function blob(exchange: Exchange, body: string | Uint8Array, mediaType: string, took: number): void {
  const timing = `encode;dur=${took.toFixed(3)}`;
  const headers = { 'content-type': mediaType, 'cache-control': 'no-store', 'server-timing': timing };
  answer(exchange, 200, headers, body);
}

/** Sends the answer to a failure (rule HTT-01). `allow` belongs to 405. */
export function failure(exchange: Exchange, failed: Failure, allow?: string): void {
  const { code } = failed;
  if (exchange.telemetry !== undefined) {
    countRefusal(exchange, code);
    telemetryFailure(exchange, failed, exchange.telemetry);
    return;
  }
  const headers: Record<string, Header> = { 'content-type': JSON_TYPE, ...failureHeaders(code) };
  if (allow !== undefined) headers.allow = allow;
  refuse(exchange, failed, errorSpec(code).status, headers);
}

/** Sends 503 with the code of a fault, also where the code's own status is another one (rule HEA-02). */
export function notReady(exchange: Exchange, code: ErrorCode): void {
  const headers = { 'content-type': JSON_TYPE, ...failureHeaders(code) };
  refuse(exchange, new Failure(code), 503, headers);
}

/** Sends a failure as JSON, and counts it (rule MTR-03). */
function refuse(exchange: Exchange, failed: Failure, status: number, headers: Headers): void {
  countRefusal(exchange, failed.code);
  answer(exchange, status, headers, failureJson(failed), failed.close);
}

function countRefusal(exchange: Exchange, code: ErrorCode): void {
  if (canBegin(exchange)) exchange.meters.countRefusal(code);
}

/** Sends 200 with the counts of the server (rule MTR-01). */
export function metrics(exchange: Exchange, text: string): void {
  answer(exchange, 200, { 'content-type': METRICS.content_type }, text);
}

/** Sends 204 with `Allow` (rule HTT-04). */
export function options(exchange: Exchange, allow: string): void {
  answer(exchange, 204, { allow }, undefined);
}

/** Sends 204 to a preflight (rule SEC-05). */
export function preflight(exchange: Exchange): void {
  const headers = {
    'access-control-allow-methods': VOCABULARY.security.allow_methods,
    'access-control-allow-headers': VOCABULARY.security.allow_headers,
    'access-control-max-age': String(LIMITS.preflight_max_age_s),
  };
  answer(exchange, 204, headers, undefined);
}

/** Sends 303 to the dashboard, with the cookie (rule SEC-07). */
export function signedIn(exchange: Exchange, cookie: string): void {
  answer(exchange, 303, { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' }, '');
}

/** Sends the head of a stream, in either mode; the caller writes frames until it ends the response (rule STR-10). */
export function stream(exchange: Exchange): void {
  open(exchange, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}

/** Sends the head of rows in several pages, with a tag for a snapshot; the caller writes the rows (rule FMT-09). */
export function exported(exchange: Exchange, etag?: string): void {
  const tag = etag === undefined ? {} : tagHeaders(etag);
  open(exchange, { 'content-type': mediaTypeOf(exchange), ...tag });
  endWhenStalled(exchange.response);
}

/** Sends the head of an answer of unknown length. */
function open(exchange: Exchange, given: Headers): void {
  const { response, head } = exchange;
  const headers: Record<string, Header> = { ...given };
  if (!head.isHttp10 && head.method !== 'HEAD') headers['transfer-encoding'] = 'chunked';
  writeHead(exchange, 200, headers, isLast(exchange) || !canDropBody(exchange));
  if (head.method === 'HEAD') response.end();
  else response.flushHeaders();
}

/** Returns a whole answer in bytes, for a connection that the server reads no request from. */
export function rawFailure(code: ErrorCode): Buffer {
  const json = Buffer.from(failureJson(new Failure(code)));
  const headers: Headers = {
    'content-type': JSON_TYPE,
    ...failureHeaders(code),
    connection: 'close',
    'content-length': json.length,
    date: httpDate(),
  };
  return Buffer.concat([rawHead(errorSpec(code).status, headers), json]);
}

function rawHead(status: number, headers: Headers): Buffer {
  const list = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${list.join('')}\r\n`);
}

function failureHeaders(code: ErrorCode): Headers {
  const headers: Record<string, Header> = {};
  const { retry_after_s: retryAfter } = errorSpec(code);
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter;
  if (code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  if (code === 'unsupported_encoding') headers['accept-encoding'] = 'gzip, zstd';
  return headers;
}

/** Sends a complete answer; `undefined` means no body. */
function answer(
  exchange: Exchange,
  status: number,
  headers: Headers,
  body: string | Uint8Array | undefined,
  close = false,
): void {
  const { response, head } = exchange;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const lengths = body === undefined ? headers : { ...headers, 'content-length': length };
  if (!begin(exchange, status, lengths, close)) return;
  if (body === undefined || head.method === 'HEAD') response.end();
  else {
    holdUntilSent(exchange, body, length);
    response.end(body);
  }
  if (response.writableLength > 0) endWhenStalled(exchange.response);
}

/** Writes the head of a complete answer; returns whether the body may follow. */
function begin(exchange: Exchange, status: number, headers: Headers, close = false): boolean {
  if (!canBegin(exchange)) return false;
  writeHead(exchange, status, headers, close || isLast(exchange) || !canDropBody(exchange));
  return true;
}

/** Returns whether no answer has begun and the client is there. */
function canBegin({ response }: Exchange): boolean {
  return !response.headersSent && !response.destroyed;
}

function writeHead(exchange: Exchange, status: number, headers: Headers, close: boolean): void {
  const { response, origin, meters, routePlace, methodPlace, startedMs } = exchange;
  meters.countRequest(routePlace, methodPlace, status, performance.now() - startedMs);
  const list: Header[] = [];
  for (const name in headers) list.push(name, headers[name]!);
  if (exchange.staleness !== undefined && STALE.has(status)) {
    const stale = exchange.staleness();
    if (stale !== undefined) list.push('cluster-stale', stale);
  }
  if (origin !== undefined) list.push('access-control-allow-origin', origin);
  const varies = exchange.hasChoice && VARYING.has(status);
  if (varies || origin !== undefined) {
    list.push('vary', varies ? (origin === undefined ? 'Accept' : 'Accept, Origin') : 'Origin');
  }
  list.push('date', httpDate());
  response.sendDate = false;
  // Otherwise Node adds its own `connection` and `keep-alive` headers.
  response.removeHeader('connection');
  if (close) {
    response.shouldKeepAlive = false;
    list.push('connection', 'close');
  } else {
    // Otherwise Node closes the connection of a client that expected `100 Continue` and did not receive it.
    (response as ExpectingResponse)._expect_continue = false;
  }
  response.writeHead(status, list as string[]);
}

/** Returns whether the connection closes because of the request itself or because the server drains. */
function isLast({ request, response, head, isDraining }: Exchange): boolean {
  if (head.isHttp10 || isDraining()) return true;
  const options = request.headers.connection?.toLowerCase().split(',') ?? [];
  return !response.shouldKeepAlive || options.some((option) => option.trim() === 'close');
}

/** Returns whether the rest of the body is read and dropped after the answer (rule HTT-10). */
function canDropBody({ head, bodyTaken }: Exchange): boolean {
  // The answer must not depend on whether the body has already arrived.
  if (bodyTaken || head.contentLength === 0) return true;
  const isShort = head.contentLength !== undefined && head.contentLength <= LIMITS.drain_body_bytes;
  return isShort && !waitsForContinue(head);
}
