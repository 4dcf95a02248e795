import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportResponse, status } from './telemetry.ts';

const hexOf = (bytes: string | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString('hex');

test('a complete success is the empty message', () => {
  assert.equal(exportResponse('json', 'rejectedSpans', []), '{}');
  assert.equal(exportResponse('protobuf', 'rejectedSpans', []).length, 0);
});

test('a partial success has counts and reasons', () => {
  const rejected = [
    ['unknown_event', 2],
    ['invalid', 1],
  ] as const;
  assert.equal(
    exportResponse('json', 'rejectedSpans', rejected),
    '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"2 unknown_event, 1 invalid"}}',
  );
  const bytes = Buffer.concat([
    Buffer.from('0a1e0803121a', 'hex'),
    Buffer.from('2 unknown_event, 1 invalid'),
  ]);
  assert.equal(hexOf(exportResponse('protobuf', 'rejectedSpans', rejected)), bytes.toString('hex'));
  assert.equal(
    hexOf(exportResponse('protobuf', 'r', [['x', 300]])),
    '0a0a08ac021205333030 2078'.replace(' ', ''),
  );
});

test('a status has a code and a message', () => {
  assert.equal(status('json', 8, 'a'), '{"code":8,"message":"a"}');
  assert.equal(hexOf(status('protobuf', 8, 'a')), '0808120161');
});
