import assert from 'node:assert/strict';
import test from 'node:test';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { encodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import { compose } from '@twin-ingest/testkit/http/http-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import RPC from '../../contract/rpc.json' with { type: 'json' };
import { attachmentUpload } from '../src/differential/attachment-uploads.ts';
import { callRequest } from '../src/differential/calls.ts';
import { comparable, isUndecodable } from '../src/differential/compare.ts';
import { normaliseHeader } from '../src/differential/normalise.ts';

type Format = Parameters<typeof mediaTypeOf>[0];

/** Returns an answer of this format in the compared form. */
function compared(format: Format, body: Buffer, path = '/api/events'): string {
  const sent = compose('GET', path, [], Buffer.alloc(0));
  const headers = [['content-type', mediaTypeOf(format)]] as const;
  const response = { version: '1.1', status: 200, reason: '', headers, body, interim: [] };
  return comparable({ kind: 'response', response }, false, false, sent);
}

function msgpackPage(id: number, time: string): Buffer {
  return encodeMsgpack({ events: [{ id, created_at: `2026-02-18T18:06:41.${time}Z` }], next: null });
}

test('answers in MessagePack may differ in created_at alone', () => {
  const one = compared('msgpack', msgpackPage(1, '231'));
  assert.equal(compared('msgpack', msgpackPage(1, '232')), one);
  assert.notEqual(compared('msgpack', msgpackPage(2, '231')), one);
});

/** An event with `id` (field 19) and `created_at` (field 21) of one byte each, in a page. */
function protobufPage(id: number, time: number): Buffer {
  return Buffer.from([0x0a, 6, 0x98, 1, id, 0xa8, 1, time]);
}

test('answers in Protobuf may differ in created_at alone', () => {
  const one = compared('protobuf', protobufPage(1, 1));
  assert.equal(compared('protobuf', protobufPage(1, 2)), one);
  assert.notEqual(compared('protobuf', protobufPage(2, 1)), one);
});

test('snapshots in Protobuf may differ in epoch and created_at alone', () => {
  const snapshot = (epoch: string, time: number, revision = 7): string => {
    const page = protobufPage(1, time);
    const head = Buffer.from(`\x0a\x01e\x12\x01${epoch}\x18${String.fromCharCode(revision)}\x32`);
    const body = Buffer.concat([head, Buffer.from([page.length]), page]);
    return compared('protobuf', body, '/api/snapshot/events?limit=1');
  };
  assert.equal(snapshot('b', 2), snapshot('a', 1));
  assert.notEqual(snapshot('a', 1, 8), snapshot('a', 1));
});

test('lines of NDJSON may differ in created_at alone', () => {
  const line = (id: number, time: string): Buffer =>
    Buffer.from(`{"id":${id},"created_at":"2026-02-18T18:06:41.${time}Z"}\n`);
  const one = compared('ndjson', line(1, '231'));
  assert.equal(compared('ndjson', line(1, '232')), one);
  assert.notEqual(compared('ndjson', line(2, '231')), one);
});

test('an answer that does not match its format is undecodable', () => {
  assert.ok(isUndecodable(compared('arrow', Buffer.from('x'))));
  assert.ok(isUndecodable(compared('arrow', Buffer.alloc(0))));
  assert.ok(isUndecodable(compared('protobuf', Buffer.from([0x0a, 9]))));
  assert.ok(!isUndecodable(compared('protobuf', Buffer.alloc(0))));
});

test('bytes of attachments are compared exactly for every media type', () => {
  const path = '/api/attachments/00';
  assert.ok(!isUndecodable(compared('arrow', Buffer.from('x'), path)));
  const time = (digit: string): string =>
    compared('json', Buffer.from(`{"created_at":"2026-02-18T18:06:41.23${digit}Z"}`), path);
  assert.notEqual(time('1'), time('2'));
});

test('only the duration of a Server-Timing may differ', () => {
  const one = normaliseHeader('server-timing', 'lib;dur=0.123');
  assert.equal(normaliseHeader('server-timing', 'lib;dur=12.345'), one);
  for (const other of ['db;dur=0.123', 'lib;dur=1', 'lib;dur=', 'lib;dur=0.123, x;dur=0.123'])
    assert.notEqual(normaliseHeader('server-timing', other), one, other);
});

/** Returns bodies of random calls as texts, one byte a character. */
function callBodies(count: number): string[] {
  const random = seededRandom(1);
  const all = Array.from({ length: count }, () => callRequest(random));
  return all.filter((one) => one.method === 'POST').map((one) => one.body.toString('latin1'));
}

test('random calls use every method, in both formats', () => {
  const bodies = callBodies(2_000);
  for (const method of Object.keys(RPC.methods)) {
    assert.ok(
      bodies.some((body) => body.includes(`"method":"${method}"`)),
      method,
    );
    const inMsgpack = `\xa6method${String.fromCharCode(0xa0 | method.length)}${method}`;
    assert.ok(
      bodies.some((body) => body.includes(inMsgpack)),
      `${method} in MessagePack`,
    );
  }
});

test('most random calls in JSON are JSON', () => {
  const texts = callBodies(2_000).filter((body) => body.includes('"method"'));
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  assert.ok(texts.filter(isJson).length > texts.length / 2);
});

test('names and contents of random uploads recur', () => {
  const random = seededRandom(1);
  const all = Array.from({ length: 2_000 }, () => attachmentUpload(random));
  const uploads = all.filter((one) => one.method === 'PUT');
  const targets = new Set(uploads.map((one) => one.head.toString('latin1').split(' ')[1]));
  assert.ok(targets.size < uploads.length / 2);
  const bodies = new Set(uploads.map((one) => one.body.toString('latin1')));
  assert.ok(bodies.size < uploads.length / 4);
});
