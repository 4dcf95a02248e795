/**
 * The HTTP client of scenarios: sends requests of a well-behaved client over keep-alive connections.
 *
 * Several requests may be in flight at once, each on its own connection.
 */
import { type Answer, announcesClose, Connection, compose } from './http-client.ts';
import type { Header } from './http-parser.ts';

export interface Reply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly text: string;
  /** Parses the body as JSON. */
  json<T>(): T;
}

/**
 * The server closed the connection, stayed silent or sent a malformed answer. The request may or may not have taken
 * effect.
 */
export class NoReplyError extends Error {
  readonly answer: Exclude<Answer, { kind: 'response' }>;
  constructor(answer: Exclude<Answer, { kind: 'response' }>) {
    super(`no reply: ${answer.kind}`);
    this.name = 'NoReplyError';
    this.answer = answer;
  }
}

/** The body of an answer to `POST /api/events` or `/api/events/batch`. */
export interface Ingested {
  readonly received: number;
  readonly ids: readonly number[];
  readonly duplicates: number;
  /** The revision of the topic `events` that includes the request's events (ING-11, SYN-01). */
  readonly revision: string;
}

export class ApiClient {
  readonly #at: number | string;
  readonly #host: string;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();

  /** Takes a port, or the path of a Unix domain socket. `host` is the value of the Host header. */
  constructor(at: number | string, host = typeof at === 'string' ? 'localhost' : `127.0.0.1:${at}`) {
    this.#at = at;
    this.#host = host;
  }

  get(path: string): Promise<Reply> {
    return this.send('GET', path, undefined, []);
  }

  post(path: string, content: unknown): Promise<Reply> {
    return this.send('POST', path, Buffer.from(JSON.stringify(content)), []);
  }

  /** Stores events and returns the answer, which must be 201. */
  async ingest(events: readonly unknown[], query = ''): Promise<Ingested> {
    const reply = await this.post(`/api/events/batch${query}`, { events });
    if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status} ${reply.text}`);
    return reply.json<Ingested>();
  }

  /** Sends a JSON body, unless `headers` has another `content-type`. */
  async send(
    method: string,
    path: string,
    body: Buffer | undefined,
    headers: readonly Header[],
    deadlineMs = 15_000,
  ): Promise<Reply> {
    const all: Header[] = [['host', this.#host]];
    const saysType = headers.some(([name]) => name === 'content-type');
    if (body && !saysType) all.push(['content-type', 'application/json']);
    if (body) all.push(['content-length', String(body.length)]);
    all.push(...headers);
    const outgoing = compose(method, path, all, body ?? Buffer.alloc(0));
    const connection = await this.#take();
    this.#busy.add(connection);
    const answer = await connection.exchange(outgoing, deadlineMs);
    this.#busy.delete(connection);
    if (answer.kind !== 'response') {
      connection.close();
      throw new NoReplyError(answer);
    }
    const { response } = answer;
    if (announcesClose(response)) connection.close();
    else this.#idle.push(connection);
    const { status, headers: received, body: bytes } = response;
    const text = bytes.toString();
    return { status, headers: received, body: bytes, text, json: <T>() => JSON.parse(text) as T };
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Closes the connections of all requests in flight; these reject. */
  abort(): void {
    for (const connection of this.#busy) connection.close();
  }

  async #take(): Promise<Connection> {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.reusable) return one;
      one.close();
    }
    return Connection.open(this.#at);
  }
}

/** Returns a valid event; `fields` override the required fields. */
export function event(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { session_id: 'session', agent_type: 'agent', event_type: 'tool_use', ...fields };
}
