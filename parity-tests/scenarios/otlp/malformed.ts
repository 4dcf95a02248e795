/**
 * Tests each fault of rule FMT-06 in each message of `otlp.json`, on each path to it. The server refuses it with its
 * reason, and stores and counts no record. A valid record precedes each fault.
 */
import assert from 'node:assert/strict';
import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import {
  OTLP_MESSAGES,
  OTLP_REQUESTS,
  type OtlpField,
  otlpProtobuf,
} from '@twin-ingest/testkit/otlp/protobuf.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import OTLP from '../../../contract/otlp.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };
import { postOtlp, requireAnswer, telemetryOf } from '../../src/otlp-client.ts';
import { NOTHING_COUNTED } from '../../src/otlp-telemetry.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

interface Fault {
  readonly name: string;
  readonly bytes: Buffer;
  readonly reason: keyof typeof VOCABULARY.format_messages;
}

const WIRE_TYPES: Readonly<Record<string, number>> = { int64: 0, bool: 0, enum: 0, fixed64: 1, double: 1 };
/** Number of levels that reaches an array in a map in an array. */
const MOST_LEVELS = 12;

export async function everyFault(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const valid = otlpProtobuf(
    '/v1/logs',
    otlpRequest({
      scope: 'com.anthropic.claude_code',
      logs: [{ attributes: { 'session.id': 's', 'event.name': 'user_prompt' } }],
    }),
  );
  let count = 0;
  for (const [path, { message }] of Object.entries(OTLP_REQUESTS)) {
    const front = path === '/v1/logs' ? valid : Buffer.alloc(0);
    for (const { name, way } of waysFrom(message))
      for (const fault of faultsOf(name)) {
        const body = Buffer.concat([
          front,
          way.reduceRight((inner, number) => delimited(number, inner), fault.bytes),
        ]);
        const reply = await postOtlp(client, 'protobuf', path, body);
        const what = `${path} ${way.join('.')} ${name}: ${fault.name}`;
        const reason = VOCABULARY.format_messages[fault.reason];
        const message = `invalid_protobuf: ${VOCABULARY.errors.invalid_protobuf.text}: ${reason}`;
        requireAnswer(reply, 'protobuf', 400, { code: OTLP.status_codes['400'], message }, what);
        count++;
      }
  }
  assert.deepEqual(await telemetryOf(client), NOTHING_COUNTED);
  assert.equal((await client.get('/api/events')).text, '{"events":[],"next":null,"scanned_to":0}');
  assert.equal(server.stderr().split('\n').filter(Boolean).length, 1, server.stderr());
  context.note(`${count} bodies`);
}

/** Returns each message with the field numbers that lead to it. A recursive message is included once more. */
function waysFrom(message: string, way: readonly number[] = [], seen: readonly string[] = []): Way[] {
  const ways: Way[] = [{ name: message, way }];
  if (way.length === MOST_LEVELS || seen.filter((one) => one === message).length > 1) return ways;
  for (const [number, , type] of OTLP_MESSAGES[message]!) {
    const inner = type.replace('[]', '');
    if (inner in OTLP_MESSAGES) ways.push(...waysFrom(inner, [...way, number], [...seen, message]));
  }
  return ways;
}

interface Way {
  readonly name: string;
  readonly way: readonly number[];
}

function faultsOf(message: string): Fault[] {
  const fields = OTLP_MESSAGES[message]!;
  const unknown = 100;
  return [
    { name: 'a tag without its end', bytes: Buffer.from('80', 'hex'), reason: 'truncated' },
    { name: 'a varint without its end', bytes: head(unknown, 0, 'ff'), reason: 'truncated' },
    { name: 'four of eight bytes', bytes: head(unknown, 1, '00000000'), reason: 'truncated' },
    { name: 'three of four bytes', bytes: head(unknown, 5, '000000'), reason: 'truncated' },
    { name: 'a length above what is left', bytes: head(unknown, 2, '0261'), reason: 'truncated' },
    { name: 'a length of 4 GiB', bytes: head(unknown, 2, 'ffffffff0f'), reason: 'truncated' },
    { name: 'a varint of eleven bytes', bytes: head(unknown, 0, `${'80'.repeat(10)}01`), reason: 'varint' },
    { name: 'a varint of 65 bits', bytes: head(unknown, 0, `${'ff'.repeat(9)}02`), reason: 'varint' },
    { name: 'a tag of 65 bits', bytes: Buffer.from(`${'ff'.repeat(9)}02`, 'hex'), reason: 'tag' },
    { name: 'the field 0', bytes: head(0, 0, '00'), reason: 'field' },
    { name: 'a field above the limit', bytes: head(LIMITS.max_field_number + 1, 0, '00'), reason: 'field' },
    ...[3, 4, 6, 7].map(
      (type): Fault => ({
        name: `the wire type ${type}`,
        bytes: head(unknown, type, ''),
        reason: 'wire_type',
      }),
    ),
    ...fields.flatMap(fieldFaults),
  ];
}

function fieldFaults([number, name, type]: OtlpField): Fault[] {
  const own = WIRE_TYPES[type] ?? 2;
  const faults: Fault[] = [0, 1, 2, 5]
    .filter((other) => other !== own)
    .map((other) => ({
      name: `${name} with the wire type ${other}`,
      bytes: head(number, other, '0000000000000000'),
      reason: 'field_type',
    }));
  if (type === 'string')
    for (const bytes of ['c328', 'c080', 'eda080', 'e282', 'f4908080', 'ff'])
      faults.push({
        name: `${name} of the bytes ${bytes}`,
        bytes: delimited(number, Buffer.from(bytes, 'hex')),
        reason: 'utf8',
      });
  return faults;
}

function delimited(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function head(number: number, wireType: number, hex: string): Buffer {
  return Buffer.concat([varint(number * 8 + wireType), Buffer.from(hex, 'hex')]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}
