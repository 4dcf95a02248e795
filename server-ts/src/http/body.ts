/**
 * Reads a request's body within its limits of size and time (rules BOD-02 to BOD-04, HTT-09 to HTT-11). The ingest
 * pipeline checks whether it is well-formed.
 *
 * The bytes lie in memory of `buffers`, so that the writer's thread can read them without a copy.
 */
import type { Ticket } from '../admission.ts';
import type { App } from '../app.ts';
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import type { Exchange } from './exchange.ts';
import { waitsForContinue } from './head.ts';
import { encodingOf, inflate } from './inflate.ts';
import { contentFormat } from './negotiation.ts';

/** A body, its format and its ticket. The caller gives the bytes back to `buffers`. */
interface Body {
  readonly bytes: Buffer;
  readonly format: Format;
  readonly ticket: Ticket;
}

/**
 * Reads and inflates a body of at most `mostEvents` events and `limit` bytes. The caller releases the ticket after
 * the answer.
 */
export async function readBody(
  app: App,
  exchange: Exchange,
  mostEvents: number,
  limit = app.config.maxBodyBytes,
): Promise<Body> {
  const { head } = exchange;
  const format = contentFormat(head, exchange.route!);
  const encoding = encodingOf(head);
  const declared = head.contentLength;
  if (encoding === 'identity' && declared !== undefined && declared > limit) {
    throw new Failure('payload_too_large', { limit, actual: declared }, true);
  }
  // Incompressible data grows, so a compressed body may be slightly over the limit (rule BOD-04).
  const longest = encoding === 'identity' ? limit : limit + LIMITS.compressed_extra_bytes;
  const ticket = app.admission.ticket();
  try {
    const expected = declared === undefined ? undefined : Math.min(declared, longest);
    await ticket.startBody(expected);
    let bytes = await receive(exchange, app.buffers, { limit, longest }, ticket);
    const { length } = bytes;
    if (encoding !== 'identity') {
      await ticket.takeTurn();
      bytes = await inflate(bytes, encoding, limit, app.buffers);
    }
    try {
      await ticket.holdBytes(bytes.length);
      await ticket.endBody(length, mostEvents);
    } catch (error) {
      app.buffers.give(bytes.buffer);
      throw error;
    }
    return { bytes, format, ticket };
  } catch (error) {
    ticket.release();
    throw error;
  }
}

interface Limits {
  /** The limit that an error reports to the client. */
  readonly limit: number;
  /** The limit that reading applies. */
  readonly longest: number;
}

/** Receives the bytes as sent. Pauses when there is no room for more. */
async function receive(
  exchange: Exchange,
  buffers: Buffers,
  { limit, longest }: Limits,
  ticket: Ticket,
): Promise<Buffer> {
  const { request, head } = exchange;
  const declared = head.contentLength;
  const isKnown = declared !== undefined && declared <= longest;
  let whole: Buffer | undefined;
  let chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  let growing: Promise<void> | undefined;
  /** Reads no further until `work` is done. */
  const pauseFor = async (work: Promise<void>, fail: Fail): Promise<void> => {
    request.pause();
    try {
      await work;
      if (!isDone) request.resume();
    } catch {
      if (!isDone) fail(new Failure('overloaded', {}, true));
    }
  };
  const take: TakeChunk = (chunk, fail) => {
    if (length + chunk.length > longest) {
      fail(new Failure('payload_too_large', { limit }, true));
      return;
    }
    // What has not arrived takes little memory.
    if (isKnown && whole === undefined && length + chunk.length > LIMITS.drain_body_bytes) {
      whole = buffers.bytes(declared);
      let at = 0;
      for (const early of chunks) at += early.copy(whole, at);
      chunks = [];
    }
    if (whole === undefined) chunks.push(chunk);
    else chunk.copy(whole, length);
    length += chunk.length;
    const held = ticket.holdBytes(length);
    if (held !== undefined) growing = pauseFor(held, fail).finally(() => (growing = undefined));
  };
  /** Pauses whenever another request waits for bytes, unless this body is the oldest. */
  const watch = async (fail: Fail): Promise<void> => {
    while (!isDone && (await ticket.pressed())) await (growing ?? pauseFor(ticket.holdStill(), fail));
  };
  try {
    await readChunks(exchange, take, (fail) => void watch(fail));
    return whole ?? buffers.concat(chunks, length);
  } catch (error) {
    if (whole !== undefined) buffers.give(whole.buffer);
    throw error;
  } finally {
    isDone = true;
  }
}

/** Stops reading a body with a failure. */
type Fail = (error: Failure) => void;

/** Takes the next bytes of a body. */
type TakeChunk = (chunk: Buffer, fail: Fail) => void;

/**
 * Calls `take` with the bytes of a body as they arrive, within the time limits; resolves at the end of the body. Calls
 * `watch` before the first byte.
 */
export async function readChunks(
  exchange: Exchange,
  take: TakeChunk,
  watch?: (fail: Fail) => void,
): Promise<void> {
  const { request, response, head } = exchange;
  // The client disconnected while the request waited for room.
  if (request.destroyed) throw new Failure('bad_request', {}, true);
  exchange.bodyTaken = true;
  if (waitsForContinue(head) && head.contentLength !== 0) response.writeContinue();

  return new Promise((resolve, reject) => {
    const settle = (settleWith: () => void): void => {
      clearTimeout(idle);
      clearTimeout(total);
      request.off('data', onData).off('end', onEnd).off('close', onLost).off('error', onLost);
      settleWith();
    };
    const fail = (error: Error): void => {
      exchange.bodyTaken = false;
      settle(() => reject(error));
      // The connection's lingering close drops bytes that still arrive.
      request.on('error', () => {}).pause();
    };
    const onTimeout = (): void => fail(new Failure('request_timeout', {}, true));
    const idle = setTimeout(onTimeout, LIMITS.body_idle_timeout_ms);
    const total = setTimeout(onTimeout, LIMITS.request_timeout_ms);
    // The body's framing is broken, or the client disconnected.
    const onLost = (): void => fail(new Failure('bad_request', {}, true));
    const onData = (chunk: Buffer): void => {
      idle.refresh();
      take(chunk, fail);
    };
    const onEnd = (): void => {
      if (isTooMuch(request.rawTrailers)) onLost();
      else settle(resolve);
    };
    request.on('data', onData).on('end', onEnd).on('close', onLost).on('error', onLost);
    watch?.(fail);
  });
}

/** Returns whether trailers exceed their limits (rule HTT-08). */
function isTooMuch(rawTrailers: readonly string[]): boolean {
  const bytes = rawTrailers.reduce((sum, text) => sum + text.length + ': '.length, 0);
  return bytes > LIMITS.trailer_bytes || rawTrailers.length / 2 > LIMITS.header_count;
}
