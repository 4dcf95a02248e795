/**
 * Encodes events for `POST /api/events` and `/api/events/batch`, and decodes answers of every format.
 *
 * `contract/fields.json` defines the layouts. Knows nothing of HTTP.
 */
import { decodeArrow } from './arrow.ts';
import type { Format, RequestFormat } from './format.ts';
import { decodeNdjson, jsonBatch, jsonEvent, ndjsonBatch, type TextEvent } from './json.ts';
import { decodeMsgpack, encodeMsgpack, msgpackBatch } from './msgpack.ts';
import { decodeEventPage, decodeSnapshot, encodeEvent, protobufBatch } from './protobuf.ts';

export type { TextEvent } from './json.ts';

/** Returns the body of `POST /api/events`. */
export function eventBody(format: RequestFormat, event: TextEvent): Buffer {
  switch (format) {
    case 'json':
    case 'ndjson':
      return Buffer.from(jsonEvent(event));
    case 'msgpack':
      return encodeMsgpack(event);
    case 'protobuf':
      return encodeEvent(event);
  }
}

/** Returns the body of `POST /api/events/batch`. */
export function batchBody(format: RequestFormat, events: readonly TextEvent[]): Buffer {
  switch (format) {
    case 'json':
      return Buffer.from(jsonBatch(events));
    case 'ndjson':
      return Buffer.from(ndjsonBatch(events));
    case 'msgpack':
      return msgpackBatch(events);
    case 'protobuf':
      return protobufBatch(events);
  }
}

/** Decodes an answer to a JSON value. Protobuf bytes do not name their message type, so the caller passes it. */
export function decodeAnswer(format: Format, body: Buffer, message: 'page' | 'snapshot'): unknown {
  switch (format) {
    case 'json':
      return JSON.parse(body.toString()) as unknown;
    case 'ndjson':
      return decodeNdjson(body);
    case 'msgpack':
      return decodeMsgpack(body);
    case 'protobuf':
      return message === 'page' ? decodeEventPage(body) : decodeSnapshot(body);
    case 'arrow':
      return decodeArrow(body);
  }
}
