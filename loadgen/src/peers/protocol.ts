/**
 * How a batch of events becomes bytes of a peer's protocol, and how its answers are counted.
 *
 * Invariant: every protocol carries the same events, byte for byte. An answer that refuses an event is an error.
 */
import { batchBody, type Range, singleBody } from '../load/bodies.ts';
import type { Pool } from '../load/pool.ts';

export type ProtocolName = 'ingest' | 'jsonline' | 'jetstream' | 'resp';

/** Reads the next piece of the answers of one connection. Returns the number of events that it acknowledges. */
export type AnswerReader = (chunk: Buffer) => number;

export interface Protocol {
  /** Returns the text that opens a connection; empty for protocols without a greeting. */
  greeting(connection: number): string;
  request(pool: Pool, range: Range, connection: number): Buffer;
  /** `batch` is the number of events in a request; `write` answers the server's own questions. */
  reader(batch: number, write: (text: string) => void): AnswerReader;
}

const LINE_END = Buffer.from('\r\n');
/** Stream of JetStream, subject and key of Redis. */
export const STREAM = 'events';
const NEW_LINE = Buffer.from('\n');

export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  ingest: http('/api/events/batch', 'application/json', batchBody),
  jsonline: http(
    '/insert/jsonline?_stream_fields=agent_type,project&_msg_field=metadata.path',
    'application/stream+json',
    (pool, range) => Buffer.concat(eventsOf(pool, range).flatMap((event) => [event, NEW_LINE])),
  ),
  jetstream: {
    greeting: (connection) =>
      `CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nSUB ${inbox(connection)} 1\r\n`,
    request(pool, range, connection) {
      return Buffer.concat(eventsOf(pool, range).flatMap((event) => published(event, connection)));
    },
    reader: (_, write) => pieceReader((bytes, from) => jetStreamAnswer(bytes, from, write)),
  },
  resp: {
    greeting: () => '',
    request(pool, range) {
      const before = `*5\r\n$4\r\nXADD\r\n$${STREAM.length}\r\n${STREAM}\r\n$1\r\n*\r\n$1\r\ne\r\n$`;
      return Buffer.concat(
        eventsOf(pool, range).flatMap((event) => [
          Buffer.from(`${before}${event.length}\r\n`),
          event,
          LINE_END,
        ]),
      );
    },
    reader: () => pieceReader(respAnswer),
  },
};

function eventsOf(pool: Pool, { first, count }: Range): Buffer[] {
  return Array.from({ length: count }, (_, index) => singleBody(pool, first + index));
}

function http(path: string, type: string, body: (pool: Pool, range: Range) => Buffer): Protocol {
  return {
    greeting: () => '',
    request(pool, range) {
      const sent = body(pool, range);
      const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${sent.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), sent]);
    },
    reader: (batch) => pieceReader((bytes, from) => httpAnswer(bytes, from, batch)),
  };
}

function inbox(connection: number): string {
  return `_INBOX.${connection}`;
}

/** Length of a UUID as text. */
const ID_CHARACTERS = 36;
const ID_KEY = Buffer.from('"event_id":"');

/** Returns a message with its `event_id` as the id that JetStream deduplicates by (NATS protocol, `HPUB`). */
function published(event: Buffer, connection: number): Buffer[] {
  const at = event.indexOf(ID_KEY) + ID_KEY.length;
  const id = event.toString('latin1', at, at + ID_CHARACTERS);
  const headers = `NATS/1.0\r\nNats-Msg-Id: ${id}\r\n\r\n`;
  const total = headers.length + event.length;
  const line = `HPUB ${STREAM} ${inbox(connection)} ${headers.length} ${total}\r\n`;
  return [Buffer.from(line + headers), event, LINE_END];
}

interface Answer {
  readonly end: number;
  readonly events: number;
}

/**
 * Keeps the bytes of an incomplete answer for the next piece. `answerAt` returns the end of the answer and its number
 * of events; `null` when it is not complete.
 */
function pieceReader(answerAt: (bytes: Buffer, from: number) => Answer | null): AnswerReader {
  let kept: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    let from = 0;
    let events = 0;
    while (from < bytes.length) {
      const answer = answerAt(bytes, from);
      if (answer === null) break;
      from = answer.end;
      events += answer.events;
    }
    kept = bytes.subarray(from);
    return events;
  };
}

function httpAnswer(bytes: Buffer, from: number, events: number): Answer | null {
  const body = bytes.indexOf('\r\n\r\n', from);
  if (body < 0) return null;
  const head = bytes.toString('latin1', from, body);
  if (!/^HTTP\/1\.1 2/.test(head)) throw new Error(head.split('\r\n')[0]);
  const isEmpty = /^HTTP\/1\.1 204/.test(head);
  const length = isEmpty ? '0' : /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer has no content-length');
  return whole(bytes, body + 4 + Number(length), events);
}

function respAnswer(bytes: Buffer, from: number): Answer | null {
  const line = bytes.indexOf(LINE_END, from);
  if (line < 0) return null;
  const text = bytes.toString('latin1', from, line);
  if (!text.startsWith('$')) throw new Error(text);
  return whole(bytes, line + 2 + Number(text.slice(1)) + 2, 1);
}

function jetStreamAnswer(bytes: Buffer, from: number, write: (text: string) => void): Answer | null {
  const line = bytes.indexOf(LINE_END, from);
  if (line < 0) return null;
  const text = bytes.toString('latin1', from, line);
  if (text.startsWith('-ERR')) throw new Error(text);
  if (text === 'PING') write('PONG\r\n');
  if (!text.startsWith('MSG ')) return { end: line + 2, events: 0 };
  const found = whole(bytes, line + 2 + Number(text.slice(text.lastIndexOf(' ') + 1)) + 2, 1);
  const answer = found === null ? '' : bytes.toString('latin1', line + 2, found.end - 2);
  if (answer.includes('"error"')) throw new Error(answer);
  return found;
}

/** Returns the answer with this end; `null` when the bytes end before. */
function whole(bytes: Buffer, end: number, events: number): Answer | null {
  return end > bytes.length ? null : { end, events };
}
