/**
 * Handles `/api/rpc` and `/api/rpc/schema`: reads the calls, runs them one after the other, and answers (rule
 * RPC-01).
 */
import type { App } from '../app.ts';
import type { RoutePath } from '../contract/routes.ts';
import { LIMITS, ROUTE_OF, RPC_TEXT, TUNING } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import { batchJson, failureJson } from '../render/outcomes.ts';
import { batchBody } from '../rpc/batches.ts';
import { readCalls } from '../rpc/index.ts';
import type { Options } from '../rpc/options.ts';
import { Problem } from '../rpc/problem.ts';
import { type Refusal, refusalOf } from '../rpc/refusal.ts';
import { freeResult, type Response, writeResponses } from '../rpc/responses.ts';
import type { Calls, Reading, Work } from '../rpc/work.ts';
import { ReadFailed } from '../store/reader.ts';
import { topicNamed } from '../topics.ts';
import { readBody } from './body.ts';
import { readEvents } from './events.ts';
import type { Exchange } from './exchange.ts';
import { optionParameters, type Parameters } from './parameters.ts';
import { ok, rpc } from './reply.ts';
import { readSessions } from './sessions.ts';
import { readSnapshot } from './snapshot.ts';
import { readStats } from './stats.ts';

/** `GET /api/rpc/schema` (rule RPC-04). */
export function getSchema(_app: App, exchange: Exchange): void {
  ok(exchange, RPC_TEXT);
}

/** `POST /api/rpc` (rules RPC-01 to RPC-07). */
export async function postRpc(app: App, exchange: Exchange): Promise<void> {
  const { bench, maxBodyBytes } = app.config;
  const limit = bench ? LIMITS.bench_body_bytes : maxBodyBytes;
  // Each call that stores events takes its own room.
  const { bytes, format, ticket } = await readBody(app, exchange, 0, limit);
  let body = bytes;
  try {
    const answer = exchange.answer!.format;
    const reading: Reading = { hasBench: bench, keepsMinusZero: answer === 'msgpack' };
    let ms = 0;
    let calls: Calls;
    if (body.length > TUNING.large_body_bytes) {
      await ticket.takeTurn();
      const job = { body: body as Uint8Array as Uint8Array<ArrayBuffer>, format, answer, reading };
      const result = await app.callReader.read(job);
      ticket.endTurn();
      ms = result.ms;
      if (result.kind === 'answer') {
        rpc(exchange, result.bytes, ms);
        return;
      }
      body = Buffer.from(result.body.buffer, 0, result.body.length);
      calls = result.calls;
    } else {
      const start = performance.now();
      calls = readCalls(body, format, reading);
      ms = performance.now() - start;
    }
    const responses: Response[] = [];
    const room = new Room(calls.isBatch ? LIMITS.rpc_batch_bytes : Number.POSITIVE_INFINITY);
    for (const { id, work } of calls.calls) {
      // The client disconnected, so its remaining calls do not run.
      if (exchange.response.destroyed) return;
      const isKnown = work.kind === 'refused' || work.kind === 'echo';
      // Without a response, a call takes no room.
      if (id === undefined) await run(app, exchange, body, work);
      else if (isKnown) responses.push({ id, result: await run(app, exchange, body, work) });
      else if (room.left === 0) responses.push({ id, result: tooLarge() });
      else {
        const isRead = work.kind !== 'ingest';
        if (calls.isBatch && room.used > TUNING.large_body_bytes && isRead) await ticket.takeResults();
        const result = await run(app, exchange, body, work);
        const kept = isRead ? room.takeFitting(result) : room.take(result);
        if (result instanceof Uint8Array && kept !== result) freeResult(result);
        responses.push({ id, result: kept, isOwn: isRead });
      }
    }
    const start = performance.now();
    const written = writeResponses(responses, calls.isBatch, answer);
    rpc(exchange, written, ms + performance.now() - start);
  } finally {
    ticket.release();
    app.buffers.give(body.buffer);
  }
}

/**
 * The bytes that the results of a batch may still have. What the body of the request holds needs no room (rule RPC-01).
 */
class Room {
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  /** The bytes of the results so far. */
  get used(): number {
    return LIMITS.rpc_batch_bytes - this.left;
  }

  /** Takes room for a result that the client must get: its events are stored. */
  take(result: Response['result']): Response['result'] {
    this.left = Math.max(this.left - bytesOf(result), 0);
    return result;
  }

  /** Takes room for a result, or refuses the result that does not fit. */
  takeFitting(result: Response['result']): Response['result'] {
    const fits = bytesOf(result) <= this.left;
    const taken = this.take(result);
    return fits ? taken : tooLarge();
  }
}

function bytesOf(result: Response['result']): number {
  return typeof result === 'string' || result instanceof Uint8Array ? Buffer.byteLength(result) : 0;
}

/** Returns the refusal of a call whose result has no room (rule RPC-01). */
function tooLarge(): Refusal {
  return unable(new Failure('answer_too_large', { limit: LIMITS.rpc_batch_bytes }));
}

/** Returns the result of a call as JSON text; throws the reason otherwise. */
async function run(app: App, exchange: Exchange, body: Buffer, work: Work): Promise<Response['result']> {
  try {
    switch (work.kind) {
      case 'refused':
        return work.refusal;
      case 'echo':
        return work.result;
      case 'ingest':
        return await ingest(app, body.subarray(work.start, work.end), work.format);
      case 'events':
        return await readEvents(app, exchange, await awaitOptions(app, '/api/events', 0, work.options));
      case 'stats':
        return await readStats(app, exchange, await awaitOptions(app, '/api/stats', 0, work.options));
      case 'sessions':
        return await readSessions(app, exchange, await awaitOptions(app, '/api/sessions', 0, work.options));
      case 'snapshot': {
        const parameters = await awaitOptions(app, '/api/snapshot/{topic}', 1, work.options);
        const topic = topicNamed(work.topic);
        if (topic === undefined) throw new Failure('not_found');
        return await readSnapshot(app, exchange, topic, parameters);
      }
    }
  } catch (error) {
    if (error instanceof BadOption) return refusalOf(error.problem);
    if (error instanceof Failure) return unable(error);
    if (error instanceof ReadFailed) {
      if (!error.isDropped) app.log.error({ code: error.code, reason: error.message }, 'read failed');
      return unable(new Failure(error.code));
    }
    throw error;
  }
}

/** Stores the events of a call as a batch (rule RPC-05). */
async function ingest(app: App, events: Buffer, format: Format): Promise<string> {
  const batch = batchBody(events, format, app.buffers);
  const ticket = app.admission.ticket();
  try {
    return batchJson(await app.ingest.batch(batch, format, 'rpc', ticket), false);
  } finally {
    ticket.release();
  }
}

/** An invalid option. */
class BadOption extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Reads the options of a route, and waits for the sequence that they name (rule CLU-09). */
async function awaitOptions(app: App, path: RoutePath, index: number, options: Options): Promise<Parameters> {
  const parameters = parametersOf(path, index, options);
  await app.awaitSequence(parameters.number('min_seq'));
  return parameters;
}

/** Reads the options of a route, the argument at this index; throws the first invalid option (rule RPC-05). */
function parametersOf(path: RoutePath, index: number, options: Options): Parameters {
  try {
    return optionParameters(ROUTE_OF[path], options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { parameter, message } = error.members;
    throw new BadOption(new Problem(String(message)).under(String(parameter)).under(index));
  }
}

/** Returns the refusal of a method that failed. */
function unable(failure: Failure): Refusal {
  return { error: 'server_error', data: failureJson(failure) };
}
