/**
 * The process that sends: slices of requests over HTTP, and streams into a server's standard input.
 *
 * Invariants: bodies are made before the clock starts, and only the ids in them change. Each event has its own id. A
 * response that is not 2xx, or differs from the expected one, fails the order.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../analyse/statistics.ts';
import { writeUuid } from '../load/uuid.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/helper.ts';
import { type Address, Exchange, type Reply } from './exchange.ts';
import { type Piped, type PipeOrder, runPipe } from './pipe.ts';

/** A request with a body, or a `GET` without one. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Offsets of the ids in the body. Each id is overwritten before the body is sent. */
  readonly ids: readonly number[];
  readonly events: number;
  /**
   * The check of the response: the number of received events, the number of received bytes, a body of the same length,
   * or none.
   */
  readonly answer: 'received' | 'bytes' | 'same' | 'any';
}

/** Requests that later orders refer to by `key`. They replace the requests of an earlier `prepare`. */
export type Prepared = ReadonlyMap<string, readonly Request[]>;

/** Each of `window` connections sends its next request after its previous response. */
export interface Slice {
  readonly address: Address;
  readonly key: string;
  readonly window: number;
  /** The slice ends after so many seconds or requests; the other is `null`. */
  readonly seconds: number | null;
  readonly requests: number | null;
}

export interface Sliced {
  readonly requests: number;
  /** Numbers of events that were sent, and that responses acknowledged. */
  readonly events: number;
  readonly acknowledged: number;
  readonly bytes_sent: number;
  readonly bytes_read: number;
  readonly duration_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly cpu_us: number;
  /** Body of the last response. */
  readonly body: Uint8Array;
}

export type LoadOrders = Readonly<{
  prepare(requests: Prepared): void;
  slice(order: Slice): Promise<Sliced>;
  pipe(order: PipeOrder): Promise<Piped>;
}>;

/** After closing more connections than this, wait until the server has noticed. */
const MANY = 100;
const CLOSE_MS = 200;

/** PRNG seed of the ids that are sent. */
const ID_SEED = 0x5eed;

/** A request as bytes. Each connection has its own copy, because it overwrites the ids while other connections send. */
interface Copy {
  readonly bytes: Buffer;
  readonly ids: readonly number[];
  readonly request: Request;
}

export function serveOrders(): void {
  const load = new Load();
  const orders: LoadOrders = {
    prepare: (requests) => load.prepare(requests),
    slice: (order) => load.slice(order),
    pipe: (order) => load.pipe(order),
  };
  serve(orders);
}

class Load {
  #requests: Prepared = new Map();
  readonly #copies = new Map<string, Copy[][]>();
  #connections: Exchange[] = [];
  #address = '';
  #nextId = 0;

  prepare(requests: Prepared): void {
    this.#requests = requests;
    this.#copies.clear();
  }

  pipe(order: PipeOrder): Promise<Piped> {
    return runPipe(order, (bytes, ids) => this.#stamp(bytes, ids));
  }

  async slice({ address, key, window, seconds, requests }: Slice): Promise<Sliced> {
    const exchanges = await this.#connect(address, window);
    const copies = this.#copiesOf(key, window);
    const cpu = process.cpuUsage();
    const started_ms = nowMs();
    const latencies: number[] = [];
    const sums = { events: 0, acknowledged: 0, bytes_sent: 0, bytes_read: 0 };
    let begun = 0;
    let body: Uint8Array = new Uint8Array();
    const isOver = () => (requests === null ? nowMs() - started_ms >= seconds! * 1000 : begun >= requests);
    const worker = async (number: number) => {
      const own = copies[number]!;
      for (let turn = number; !isOver(); turn++) {
        begun++;
        const { bytes, ids, request } = own[turn % own.length]!;
        this.#stamp(bytes, ids);
        const from_ms = nowMs();
        const reply = await exchanges[number]!.send(bytes, request.answer === 'any');
        latencies.push(nowMs() - from_ms);
        sums.acknowledged += acknowledged(request, reply);
        sums.events += request.events;
        sums.bytes_sent += request.body.length;
        sums.bytes_read += reply.bytes;
        body = reply.body;
      }
    };
    await Promise.all(exchanges.map((_, i) => worker(i)));
    const duration_ms = nowMs() - started_ms;
    const used = process.cpuUsage(cpu);
    latencies.sort((a, b) => a - b);
    return {
      ...sums,
      requests: latencies.length,
      duration_ms,
      p50_ms: quantile(latencies, 0.5),
      p95_ms: quantile(latencies, 0.95),
      p99_ms: quantile(latencies, 0.99),
      cpu_us: used.user + used.system,
      body,
    };
  }

  async #connect(address: Address, window: number): Promise<Exchange[]> {
    const key = JSON.stringify([address, window]);
    if (this.#address !== key) {
      for (const connection of this.#connections) connection.close();
      // The server may still count the closed connections and refuse new ones.
      if (this.#connections.length > MANY) await sleep(CLOSE_MS);
      this.#connections = Array.from({ length: window }, () => new Exchange(address));
      this.#address = key;
      await Promise.all(this.#connections.map((connection) => connection.opened()));
    }
    return this.#connections;
  }

  #copiesOf(key: string, window: number): Copy[][] {
    const copies = this.#copies.get(key) ?? [];
    const requests = this.#requests.get(key);
    if (requests === undefined) throw new Error(`nothing was prepared as ${key}`);
    while (copies.length < window) copies.push(requests.map(prepare));
    this.#copies.set(key, copies);
    return copies;
  }

  /** Overwrites the ids in `bytes` with new ones. */
  #stamp(bytes: Buffer, ids: readonly number[]): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const at of ids) writeUuid(view, at, ID_SEED, this.#nextId++);
  }
}

function prepare(request: Request): Copy {
  const bytes = requestBytes(request);
  const headLength = bytes.length - request.body.length;
  return { bytes, ids: request.ids.map((at) => headLength + at), request };
}

/** Returns the head and the body of a request. */
export function requestBytes({ method, path, headers, body }: Request): Buffer {
  const length = method === 'POST' ? { 'content-length': String(body.length) } : {};
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** Returns the number of events that the response acknowledges. Throws if the response is not the expected one. */
function acknowledged({ answer, path, body, events }: Request, { status, bytes, body: text }: Reply): number {
  const said = text.toString('latin1', 0, 200);
  if (status < 200 || status > 299) throw new Error(`${path} answered ${status} ${said}`);
  if (answer === 'any') return 0;
  if (answer === 'same') {
    if (bytes !== body.length) throw new Error(`${path} answered ${bytes} bytes to ${body.length}`);
    return 0;
  }
  const [, name, number] = /^\{"(received|bytes)":(\d+)/.exec(said) ?? [];
  const wanted = answer === 'bytes' ? body.length : events;
  if (name !== answer || Number(number) !== wanted)
    throw new Error(`${path} answered ${said}, not ${wanted} ${answer}`);
  return answer === 'received' ? wanted : 0;
}
