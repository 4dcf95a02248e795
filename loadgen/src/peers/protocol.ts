/**
 * How a batch of events becomes bytes of a peer's protocol, and how its answers are counted.
 *
 * Invariant: every protocol carries the same events, byte for byte. An answer that refuses an event is an error.
 */
import { batchBody, type Range, singleBody } from '../load/bodies.ts';
import type { Pool } from '../load/pool.ts';

export interface Protocol {
  /** Returns the text that opens a connection. */
  readonly greeting?: (connection: number) => string;
  readonly request: (pool: Pool, range: Range, connection: number) => Buffer;
  /** What ends the head of an answer. */
  readonly headEnd: '\r\n' | '\r\n\r\n';
  /** Reads the head of an answer; throws when the answer refuses. */
  readonly answer: (head: string, batch: number) => Answer;
}

/** Bytes after the head, acknowledged events, and the text that the server wants to receive. */
type Answer = readonly [length: number, events: number, reply?: string];

const LINE_END = Buffer.from('\r\n');
/** Stream of JetStream, subject and key of Redis. */
export const STREAM = 'events';

export const INGEST = http('/api/events/batch', 'application/json', batchBody);

export const JSON_LINES = http(
  '/insert/jsonline?_stream_fields=agent_type,project&_msg_field=metadata.path',
  'application/stream+json',
  eachEvent(Buffer.from('\n'), () => ''),
);

export const RESP: Protocol = {
  request: eachEvent(
    LINE_END,
    ({ length }) =>
      `*5\r\n$4\r\nXADD\r\n$${STREAM.length}\r\n${STREAM}\r\n$1\r\n*\r\n$1\r\ne\r\n$${length}\r\n`,
  ),
  headEnd: '\r\n',
  answer(head) {
    if (!head.startsWith('$')) throw new Error(head);
    return [Number(head.slice(1)) + LINE_END.length, 1];
  },
};

const ID_KEY = '"event_id":"';
/** Length of a UUID as text. */
const ID_CHARACTERS = 36;

/** The NATS protocol. The `event_id` is the id that JetStream deduplicates by. */
export const JETSTREAM: Protocol = {
  greeting: (connection) =>
    `CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nSUB _INBOX.${connection} 1\r\n`,
  request: eachEvent(LINE_END, (event, connection) => {
    const at = event.indexOf(ID_KEY) + ID_KEY.length;
    const headers = `NATS/1.0\r\nNats-Msg-Id: ${event.toString('latin1', at, at + ID_CHARACTERS)}\r\n\r\n`;
    const sizes = `${headers.length} ${headers.length + event.length}`;
    return `HPUB ${STREAM} _INBOX.${connection} ${sizes}\r\n${headers}`;
  }),
  headEnd: '\r\n',
  answer(head) {
    if (head.startsWith('-ERR')) throw new Error(head);
    if (head === 'PING') return [0, 0, 'PONG\r\n'];
    if (!head.startsWith('MSG ')) return [0, 0];
    return [Number(head.slice(head.lastIndexOf(' ') + 1)) + LINE_END.length, 1];
  },
};

/** Returns the function that writes a range of events. `before` returns the text before an event. */
function eachEvent(
  after: Buffer,
  before: (event: Buffer, connection: number) => string,
): Protocol['request'] {
  return (pool, { first, count }, connection) => {
    const pieces = Array.from({ length: count }, (_, index) => {
      const event = singleBody(pool, first + index);
      return [Buffer.from(before(event, connection)), event, after];
    });
    return Buffer.concat(pieces.flat());
  };
}

function http(path: string, type: string, bodyOf: Protocol['request']): Protocol {
  return {
    request(...batch) {
      const body = bodyOf(...batch);
      const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), body]);
    },
    headEnd: '\r\n\r\n',
    answer(head, batch) {
      if (!head.startsWith('HTTP/1.1 2')) throw new Error(head.split('\r\n')[0]);
      const length = head.startsWith('HTTP/1.1 204') ? '0' : /^content-length: *(\d+)/im.exec(head)?.[1];
      if (length === undefined) throw new Error('an answer has no content-length');
      return [Number(length), batch];
    },
  };
}

/**
 * Returns the function that reads the answers of one connection, in pieces. It returns the number of events that a
 * piece acknowledges, and keeps the bytes of an incomplete answer for the next piece. `batch` is the number of events in
 * a request; `write` sends what the server wants.
 */
export function answerReader({ headEnd, answer }: Protocol, batch: number, write: (text: string) => void) {
  let kept: Buffer = Buffer.alloc(0);
  return (piece: Buffer): number => {
    const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    let from = 0;
    let acknowledged = 0;
    for (let end = bytes.indexOf(headEnd); end >= 0; end = bytes.indexOf(headEnd, from)) {
      const [length, events, reply] = answer(bytes.toString('latin1', from, end), batch);
      const body = end + headEnd.length;
      if (body + length > bytes.length) break;
      if (reply !== undefined) write(reply);
      acknowledged += events;
      from = body + length;
    }
    // JetStream refuses a message in the body of an answer.
    if (bytes.includes('"error"')) throw new Error(bytes.toString());
    kept = bytes.subarray(from);
    return acknowledged;
  };
}
