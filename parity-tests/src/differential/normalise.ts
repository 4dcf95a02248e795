/**
 * Defines in one place which values may differ between two servers (rule LAW).
 *
 * Each entry has its reason. All other bytes must be equal.
 */

import { type ArrowRows, decodeArrow } from '@twin-ingest/testkit/codecs/arrow.ts';
import type { Format } from '@twin-ingest/testkit/codecs/format.ts';
import { valueSpans } from '@twin-ingest/testkit/codecs/protobuf.ts';
import CONTRACT from '../../../contract/fields.json' with { type: 'json' };

interface Allowed {
  readonly keys: readonly string[];
  readonly reason: string;
}

const ALLOWED: readonly Allowed[] = [
  {
    keys: ['created_at', 'time', 'timestamp'],
    reason: 'each server reads its clock when it commits or connects',
  },
  {
    keys: ['started_at', 'last_event_at', 'live_at', 'ended_at', 'waiting_since', 'bucket'],
    reason: 'derived from created_at or time',
  },
  { keys: ['last_at'], reason: 'each server reads its clock when it answers telemetry' },
  { keys: ['uptime', 'pid'], reason: 'of the process' },
  { keys: ['db_bytes', 'wal_bytes'], reason: 'when a checkpoint ran is a matter of time' },
  { keys: ['disk_free_bytes'], reason: 'the disk is shared' },
  { keys: ['epoch'], reason: 'a UUID made with the database' },
  { keys: ['runtime', 'version'], reason: 'names the runtime and its version' },
];

/**
 * Matches values of these keys that are times, as text or numbers. A client's own text is longer or has another form.
 */
const VALUE = new RegExp(
  `("(?:${ALLOWED.flatMap((one) => one.keys).join('|')})":)("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"|"[0-9a-f-]{36}"|"rust"|"node"|"\\d+\\.\\d+\\.\\d+"|\\d+)`,
  'g',
);

/** Matches the time in a cursor (rules GET-15 and SES-01). The number in it must be equal. */
const CURSOR = /("(?:next|scanned_to)":")\d{12,13}(\.\d+(?:\.late)?")/g;

/** Matches the epoch in the tag of a snapshot. The revision in it must be equal. */
const TAG = /^(W\/")[0-9a-f-]{36}(-\d+")$/;

/** Matches the duration of the work (rule RPC-07). */
const DURATION = /^(lib;dur=)\d+\.\d{3}$/;

/** Removes the values that may differ from a header. */
export function normaliseHeader(name: string, value: string): string {
  if (name === 'server-timing') return value.replace(DURATION, '$1*');
  return name === 'etag' ? value.replace(TAG, '$1*$2') : value;
}

/** Matches a MessagePack string. The length is in its first byte up to 31, otherwise in the next one. */
const STRING = new RegExp(
  `([\\xa0-\\xbf](?:${ALLOWED.flatMap((one) => one.keys).join('|')}))(\\xb8[\\dT:.Z-]{24}|\\xd9\\x24[0-9a-f-]{36})`,
  'g',
);

/** Matches the time in a cursor as a MessagePack string of up to 31 bytes. */
const CURSOR_STRING = /([\xa0-\xbf](?:next|scanned_to)[\xa0-\xbf])\d{12,13}/g;

const CREATED_AT = CONTRACT.server_columns.created_at.protobuf;
const TIME = CONTRACT.server_columns.time.protobuf;
/** Paths of field numbers that lead to the same values in Protobuf. */
const PATHS: Readonly<Record<Message, readonly (readonly number[])[]>> = {
  page: [
    [1, CREATED_AT],
    [1, TIME],
  ],
  snapshot: [[2], [6, 1, CREATED_AT], [6, 1, TIME]],
};

/** The message type of a Protobuf answer. */
export type Message = 'page' | 'snapshot';

/** Removes the values that may differ from a JSON body. */
export function normaliseBody(body: string): string {
  return body.replace(VALUE, '$1"*"').replace(CURSOR, '$1*$2');
}

/**
 * Returns a body of any format as text, without the values that may differ. For Arrow this is the schema's metadata
 * and the rows, since its bytes may differ. Throws for a body that does not match its format.
 */
export function normaliseFormat(format: Format, body: Buffer, message: Message): string {
  switch (format) {
    case 'json':
    case 'ndjson':
      return normaliseBody(body.toString('latin1'));
    case 'msgpack':
      return body.toString('latin1').replace(STRING, '$1*').replace(CURSOR_STRING, '$1*');
    case 'protobuf':
      return withoutSpans(
        body,
        PATHS[message].flatMap((path) => valueSpans(body, path)),
      );
    case 'arrow':
      return arrowText(decodeArrow(body));
  }
}

function withoutSpans(body: Buffer, spans: readonly (readonly [number, number])[]): string {
  const copy = Buffer.from(body);
  for (const [start, end] of spans) copy.fill('*', start, end);
  return copy.toString('latin1');
}

function arrowText({ metadata, batches }: ArrowRows): string {
  const { epoch, ...rest } = metadata;
  const lines = batches.flatMap((rows) => [
    `a batch of ${rows.length} rows`,
    ...rows.map(({ created_at, time, ...row }) =>
      JSON.stringify({ ...row, created_at: typeof created_at, time: typeof time }),
    ),
  ]);
  return [JSON.stringify({ ...rest, epoch: typeof epoch }), ...lines].join('\n');
}
