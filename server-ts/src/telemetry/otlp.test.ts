import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOf, messageOf, requestOf, statusCode } from './otlp.ts';

test('the tables match otlp.json', () => {
  const attributes = fieldOf(messageOf('LogRecord'), 6);
  assert.equal(attributes?.name, 'attributes');
  assert.equal(attributes?.isList, true);
  assert.equal(attributes?.wireType, 2);
  assert.equal(attributes?.message, messageOf('KeyValue'));
  assert.equal(fieldOf(messageOf('AnyValue'), 5)?.message, messageOf('ArrayValue'));
  assert.equal(fieldOf(messageOf('LogRecord'), 2), undefined);
  assert.equal(fieldOf(messageOf('LogRecord'), 1_000_000), undefined);
  assert.equal(requestOf('/v1/traces').rejected, 'rejectedSpans');
  assert.deepEqual([429, 599].map(statusCode), [8, 2]);
});

test('an unknown message type stops the start', () => {
  assert.throws(() => messageOf('Nothing'), /no message Nothing/);
});
