/**
 * How a batch of events becomes bytes of a peer's protocol, and how its answers are counted.
 *
 * Invariant: every protocol carries the same events, byte for byte. An answer that refuses an event is an error.
 */
import { batchBody, type Range, singleBody } from '../load/bodies.ts';
import type { Pool } from '../load/pool.ts';

export interface Protocol {
  /** Returns the text that opens a connection; empty for protocols without a greeting. */
  greeting(connection: number): string;
  request(pool: Pool, range: Range, connection: number): Buffer;
  /** What ends the head of an answer. */
  readonly headEnd: '\r\n' | '\r\n\r\n';
  /** Returns what the head of an answer says. Throws when it refuses. */
  answer(head: string): Answer;
}

interface Answer {
  /** Number of bytes after the head. */
  readonly length: number;
  /** Number of acknowledged events: all of the request, or the number of answers. */
  readonly events: 'all' | number;
  /** Text that the server wants to receive. */
  readonly reply?: string;
}

const LINE_END = '\r\n';
/** Stream of JetStream, subject and key of Redis. */
export const STREAM = 'events';

export const PROTOCOLS = {
  ingest: http('/api/events/batch', 'application/json', batchBody),
  jsonline: http(
    '/insert/jsonline?_stream_fields=agent_type,project&_msg_field=metadata.path',
    'application/stream+json',
    eachEvent((event) => ['', event, '\n']),
  ),
  jetstream: {
    greeting: (connection) =>
      `CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nSUB ${inbox(connection)} 1\r\n`,
    request: eachEvent(published),
    headEnd: LINE_END,
    answer(head) {
      if (head.startsWith('-ERR')) throw new Error(head);
      if (head === 'PING') return { length: 0, events: 0, reply: 'PONG\r\n' };
      if (!head.startsWith('MSG ')) return { length: 0, events: 0 };
      return { length: Number(head.slice(head.lastIndexOf(' ') + 1)) + LINE_END.length, events: 1 };
    },
  },
  resp: {
    greeting: () => '',
    request: eachEvent((event) => [
      `*5\r\n$4\r\nXADD\r\n$${STREAM.length}\r\n${STREAM}\r\n$1\r\n*\r\n$1\r\ne\r\n$${event.length}\r\n`,
      event,
      LINE_END,
    ]),
    headEnd: LINE_END,
    answer(head) {
      if (!head.startsWith('$')) throw new Error(head);
      return { length: Number(head.slice(1)) + LINE_END.length, events: 1 };
    },
  },
} as const satisfies Readonly<Record<string, Protocol>>;

export type ProtocolName = keyof typeof PROTOCOLS;

/** Returns the function that writes a range, where each event has bytes before and after it. */
function eachEvent(
  around: (event: Buffer, connection: number) => readonly [before: string, event: Buffer, after: string],
): Protocol['request'] {
  return (pool, { first, count }, connection) => {
    const pieces = Array.from({ length: count }, (_, index) => {
      const [before, event, after] = around(singleBody(pool, first + index), connection);
      return [Buffer.from(before), event, Buffer.from(after)];
    });
    return Buffer.concat(pieces.flat());
  };
}

function http(path: string, type: string, bodyOf: Protocol['request']): Protocol {
  return {
    greeting: () => '',
    request(...batch) {
      const body = bodyOf(...batch);
      const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), body]);
    },
    headEnd: '\r\n\r\n',
    answer(head) {
      if (!head.startsWith('HTTP/1.1 2')) throw new Error(head.split(LINE_END)[0]);
      const length = /^content-length: *(\d+)/im.exec(head)?.[1];
      // 204 has no body. Without a length, any other answer could not be told from the next one.
      if (length === undefined && !head.startsWith('HTTP/1.1 204')) throw new Error('no content-length');
      return { length: Number(length ?? 0), events: 'all' };
    },
  };
}

function inbox(connection: number): string {
  return `_INBOX.${connection}`;
}

const ID_KEY = Buffer.from('"event_id":"');
/** Length of a UUID as text. */
const ID_CHARACTERS = 36;

/** Returns a message with its `event_id` as the id that JetStream deduplicates by (NATS protocol, `HPUB`). */
function published(event: Buffer, connection: number): readonly [string, Buffer, string] {
  const at = event.indexOf(ID_KEY) + ID_KEY.length;
  const headers = `NATS/1.0\r\nNats-Msg-Id: ${event.toString('latin1', at, at + ID_CHARACTERS)}\r\n\r\n`;
  const sizes = `${headers.length} ${headers.length + event.length}`;
  return [`HPUB ${STREAM} ${inbox(connection)} ${sizes}\r\n${headers}`, event, LINE_END];
}

/**
 * Returns the function that reads the answers of one connection, in pieces. It returns the number of events that a
 * piece acknowledges, and keeps the bytes of an incomplete answer for the next piece. `batch` is the number of events in
 * a request; `write` sends what the server asks for.
 */
export function answerReader(
  { headEnd, answer }: Protocol,
  batch: number,
  write: (text: string) => void,
): (piece: Buffer) => number {
  let kept: Buffer = Buffer.alloc(0);
  return (piece) => {
    const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    let from = 0;
    let acknowledged = 0;
    for (let end = bytes.indexOf(headEnd); end >= 0; end = bytes.indexOf(headEnd, from)) {
      const { length, events, reply } = answer(bytes.toString('latin1', from, end));
      const body = end + headEnd.length;
      if (body + length > bytes.length) break;
      if (reply !== undefined) write(reply);
      const content = bytes.subarray(body, body + length);
      // JetStream refuses a message in the body of an answer.
      if (content.includes('"error"')) throw new Error(content.toString());
      acknowledged += events === 'all' ? batch : events;
      from = body + length;
    }
    kept = bytes.subarray(from);
    return acknowledged;
  };
}
