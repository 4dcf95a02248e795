/**
 * Generates malformed batches of any size. Most break a rule at their very end, so that a server must read the whole
 * batch.
 *
 * The contract defines each answer: BOD-01, FMT-02, FMT-04, FMT-06, ING-09.
 */
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import type { RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };

type Fault = keyof typeof VOCABULARY.format_messages;

export interface HostileBody {
  readonly name: string;
  readonly bytes: Buffer;
  /** The start of the answer's text. */
  readonly answer: string;
}

/** The default of `--max-batch-events`. */
const BATCH_EVENTS = CONFIG.options.find(({ name }) => name === 'max-batch-events')!.default;

/** Returns the malformed bodies of a format. Each has at most `size` bytes, and at most a thousand bytes less. */
export function hostileBodies(format: RequestFormat, size: number): HostileBody[] {
  switch (format) {
    case 'json':
      return jsonBodies(size);
    case 'ndjson':
      return ndjsonBodies(size);
    case 'msgpack':
      return msgpackBodies(size);
    case 'protobuf':
      return protobufBodies(size);
  }
}

function jsonBodies(size: number): HostileBody[] {
  const answer = refused('invalid_json');
  const body = (name: string, prefix: string, unit: string, suffix: string | Buffer): HostileBody => ({
    name,
    bytes: filled(size, Buffer.from(prefix), Buffer.from(unit), Buffer.from(suffix as string)),
    answer,
  });
  return [
    body('arrays in arrays', '{"events":', '[', ''),
    body('empty objects', '{"events":[', '{},', '}'),
    body('digits', '{"events":[', '0,', ']'),
    body('digits of another member', '{"x":[', '0,', ']'),
    body('arrays side by side', '{"x":[', `${'['.repeat(120)}${']'.repeat(120)},`, ']'),
    body('escapes', '{"events":["', '\\u0000', '\\x"]}'),
    body('empty arrays', '{"x":[', '[],', ']'),
    body('white space', '{"events":[', ' ', '}'),
    body('names of members', '{"x":{', '"a":0,', '"a"}}'),
    body('empty names of the batch', '{', '"":0,', '"a"}'),
    body('names with an escape of the batch', '{', '"\\n":0,', '"a"}'),
    body('names of code points of the batch', '{', '"\\u0065":0,', '"a"}'),
    body('names with an escape of one event', '{"events":[{', '"\\n":0,', '"a"}]}'),
    body('names of code points of one event', '{"events":[{', '"\\u0061":0,', '"a"}]}'),
    body('digits of one event', '{"events":[{"metadata":[', '0,', ']}]}'),
    body('wrong UTF-8 at the end', '{"events":["', 'a', Buffer.from('ff225d7d', 'hex')),
    body('valid events', '{"events":[', `${VALID_EVENT},`, '{]}'),
  ];
}

const VALID_EVENT = `{"session_id":"s","agent_type":"a","event_type":"tool_use","metadata":{"text":"${'x'.repeat(900)}"}}`;

function ndjsonBodies(size: number): HostileBody[] {
  const body = (
    name: string,
    unit: string | Buffer,
    answer: string,
    suffix: string | Buffer = '',
    prefix = '',
  ): HostileBody => ({
    name,
    bytes: filled(size, Buffer.from(prefix), Buffer.from(unit as string), Buffer.from(suffix as string)),
    answer,
  });
  const rejected = '{"received":0,"ids":[],"duplicates":0,"rejected":[{"index":0,"line":1,"errors":["body: ';
  const notJson = `${rejected}${VOCABULARY.field_messages.json_line}"]}`;
  const tooLarge = (events: number): string =>
    `${refused('batch_too_large').slice(0, -1)},"limit":${BATCH_EVENTS},"actual":${events}}`;
  const half = Math.floor(size / 2);
  return [
    body('empty lines', '\n', '{"received":0,"ids":[],"duplicates":0,"rejected":[],'),
    body('lines of white space', ' \n', '{"received":0,"ids":[],"duplicates":0,"rejected":[],'),
    body('one line of white space', ' ', '{"received":0,"ids":[],"duplicates":0,"rejected":[],'),
    body('short lines of broken JSON', '{\n', tooLarge(half)),
    body('short lines of digits', '0\n', tooLarge(half)),
    body('short lines that are not UTF-8', Buffer.from('ff0a', 'hex'), tooLarge(half)),
    body('long lines of broken JSON', `{"metadata":"${'x'.repeat(900)}\n`, notJson),
    body('one line of arrays in arrays', '[', notJson),
    body('one line of digits', '0,', notJson, ']', '['),
    body('one line of members', '"":0,', notJson, '}', '{'),
    body('one line of names with an escape', '"\\n":0,', notJson, '}', '{'),
    body('one line with wrong UTF-8 at its end', 'a', notJson, Buffer.from('ff', 'hex')),
    body(
      'broken lines with wrong UTF-8 in the last one',
      `{"metadata":"${'é'.repeat(450)}\n`,
      notJson,
      Buffer.from('c3', 'hex'),
    ),
  ];
}

function msgpackBodies(size: number): HostileBody[] {
  const body = (name: string, fault: Fault, bytes: Buffer): HostileBody => ({
    name,
    bytes,
    answer: refused('invalid_msgpack', fault),
  });
  /** Returns one map with the member `key`, an array of many `unit` and one `last`. */
  const array = (key: Buffer, unit: string, last: string): Buffer => {
    const [one, end] = [hex(unit), hex(last)];
    const count = Math.floor((size - 20) / one.length);
    return Buffer.concat([
      hex('81'),
      key,
      hex('dd'),
      counted(count + 1),
      Buffer.alloc(count * one.length, one),
      end,
    ]);
  };
  const events = hex('a66576656e7473');
  const other = hex('a178');
  const pairs = Math.floor((size - 20) / 3);
  /** Returns `prefix`, then a map of pairs of an empty name and a zero. The last pair has no name. */
  const map = (prefix: string): Buffer => {
    const count = Math.floor((size - 20) / 2);
    const zeros = Buffer.alloc(2 * count, hex('a000'));
    return Buffer.concat([hex(prefix), hex('df'), counted(count + 1), zeros, hex('0000')]);
  };
  return [
    body('arrays in arrays', 'depth', filled(size, Buffer.concat([hex('81'), events]), hex('91'), hex('c0'))),
    body(
      'maps of many pairs, one in the other',
      'depth',
      filled(
        size,
        Buffer.concat([hex('81'), other]),
        Buffer.concat([hex('df'), counted(size >> 3), hex('a161')]),
        hex(''),
      ),
    ),
    body(
      'a map of more pairs than bytes',
      'truncated',
      filled(size, Buffer.concat([hex('81'), other, hex('df'), counted(size)]), hex('00'), hex('')),
    ),
    body('events that are nil', 'reserved', array(events, 'c0', 'c1')),
    body('events that are empty maps', 'reserved', array(events, '80', 'c1')),
    body('events with an empty name', 'reserved', array(events, '81a0c0', 'c1')),
    body('empty names of the batch', 'key', map('')),
    body('empty names of one event', 'key', map(`81${events.toString('hex')}91`)),
    body('names with a length of one byte', 'reserved', array(other, '81d90161c0', 'c1')),
    body('empty arrays in arrays', 'reserved', array(other, '9190', 'c1')),
    body('empty arrays with a count of two bytes', 'reserved', array(other, 'dc0000', 'c1')),
    body(
      'binary data longer than the body',
      'binary',
      filled(size, Buffer.concat([hex('81'), other, hex('c6ffffffff')]), hex('00'), hex('')),
    ),
    body(
      'a text longer than the body',
      'truncated',
      filled(size, Buffer.concat([hex('81'), other, hex('dbffffffff')]), hex('61'), hex('')),
    ),
    body('nils of another member', 'reserved', array(other, 'c0', 'c1')),
    body('empty texts', 'reserved', array(other, 'a0', 'c1')),
    body('texts with a length of one byte', 'reserved', array(other, 'd900', 'c1')),
    body('short texts with wrong UTF-8 in the last one', 'utf8', array(other, 'a161', 'a1ff')),
    body('integers of nine bytes', 'reserved', array(other, 'cfffffffffffffffff', 'c1')),
    body(
      'doubles, the last of which is NaN',
      'finite',
      array(other, 'cb3ff0000000000000', 'cb7ff8000000000000'),
    ),
    body('deep arrays side by side', 'reserved', array(other, `${'91'.repeat(120)}c0`, 'c1')),
    body(
      'one text with wrong UTF-8 at its end',
      'utf8',
      filled(size, Buffer.concat([hex('81'), other, hex('db'), counted(size - 8)]), hex('61'), hex('ff')),
    ),
    body(
      'pairs of one name',
      'key',
      Buffer.concat([
        hex('81'),
        other,
        hex('df'),
        counted(pairs + 1),
        Buffer.alloc(3 * pairs, hex('a16100')),
        hex('0000'),
      ]),
    ),
  ];
}

function protobufBodies(size: number): HostileBody[] {
  const body = (name: string, fault: Fault, bytes: Buffer): HostileBody => ({
    name,
    bytes,
    answer: refused('invalid_protobuf', fault),
  });
  const batch = (unit: string, last: string): Buffer => filled(size, NOTHING, hex(unit), hex(last));
  const event = (unit: string, last: string): Buffer => {
    const fields = filled(size - 10, NOTHING, hex(unit), hex(last));
    return Buffer.concat([hex('0a'), varint(fields.length), fields]);
  };
  return [
    body('groups', 'wire_type', batch('0b', '')),
    body('empty events', 'truncated', batch('0a00', '0a05')),
    body('events of one empty text', 'truncated', batch('0a020a00', '0a05')),
    body('events of one text, the last of which is not UTF-8', 'utf8', batch('0a030a0161', '0a030a01ff')),
    body('lengths of ten bytes', 'truncated', batch(`0a${'80'.repeat(9)}00`, '0a05')),
    body('tags of ten bytes', 'tag', batch(`8a${'80'.repeat(8)}0000`, '0a05')),
    body(
      'unknown varints of ten bytes',
      'varint',
      batch(`a006${'ff'.repeat(9)}01`, `a006${'ff'.repeat(10)}01`),
    ),
    body('unknown varints of one byte', 'wire_type', batch('a00600', 'a306')),
    body('unknown empty fields', 'truncated', batch('a20600', 'a20605')),
    body('tags of five bytes', 'field', batch('f8ffffff0f00', '0000')),
    body('unknown varints in an event', 'wire_type', event('a00600', 'a306')),
    body('unknown empty fields in an event', 'truncated', event('a20600', 'a20605')),
    body('one empty text many times', 'truncated', event('0a00', '0a05')),
    body('one text many times, the last of which is not UTF-8', 'utf8', event('0a0161', '0a01ff')),
    body('one number many times', 'field_type', event('5800', '5d00')),
    body('one text with wrong UTF-8 at its end', 'utf8', oneText(size)),
    body('valid events, the last of which is cut', 'truncated', batch(VALID_MESSAGE, '0a7f')),
  ];
}

/** Returns an event that consists of one long `session_id`. */
function oneText(size: number): Buffer {
  const text = filled(size - 20, NOTHING, hex('61'), hex('ff'));
  const field = Buffer.concat([hex('0a'), varint(text.length), text]);
  return Buffer.concat([hex('0a'), varint(field.length), field]);
}

const VALID_MESSAGE = batchBody('protobuf', [
  { session_id: 's', agent_type: 'a', event_type: 'tool_use', metadata: `"${'x'.repeat(900)}"` },
]).toString('hex');

const NOTHING = Buffer.alloc(0);

/** Returns the prefix, as many units as fit, and the suffix. */
function filled(size: number, prefix: Buffer, unit: Buffer, suffix: Buffer): Buffer {
  const count = Math.floor((size - prefix.length - suffix.length) / unit.length);
  return Buffer.concat([prefix, Buffer.alloc(count * unit.length, unit), suffix]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}

/** Returns a MessagePack count of four bytes, big-endian. */
function counted(count: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
}

function varint(length: number): Buffer {
  const bytes: number[] = [];
  let value = length;
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** Returns the start of a refusal. A refusal without further members has nothing after it. */
function refused(code: keyof typeof VOCABULARY.errors, fault?: Fault): string {
  const reason = fault === undefined ? {} : { reason: VOCABULARY.format_messages[fault] };
  return JSON.stringify({ error: VOCABULARY.errors[code].text, code, ...reason });
}
