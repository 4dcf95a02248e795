/** Tests OTLP requests in both forms, with known bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otlpRequest } from '../src/otlp/description.ts';
import { encodeMessage, otlpAnswer, otlpProtobuf } from '../src/otlp/protobuf.ts';

test('a description becomes the objects of OTLP/JSON', () => {
  const log = { timeUnixNano: '1', body: 'b', attributes: { n: 1, d: 0.5, l: [true, null], m: { k: 'v' } } };
  assert.deepEqual(otlpRequest({ resource: { 'service.name': 's' }, scope: 'x', logs: [log] }), {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 's' } }] },
        scopeLogs: [
          {
            scope: { name: 'x' },
            logRecords: [
              {
                timeUnixNano: '1',
                body: { stringValue: 'b' },
                attributes: [
                  { key: 'n', value: { intValue: '1' } },
                  { key: 'd', value: { doubleValue: 0.5 } },
                  { key: 'l', value: { arrayValue: { values: [{ boolValue: true }, {}] } } },
                  {
                    key: 'm',
                    value: { kvlistValue: { values: [{ key: 'k', value: { stringValue: 'v' } }] } },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  assert.deepEqual(otlpRequest({ metrics: [['sum', 2]] }), {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ sum: { dataPoints: [{}, {}] } }] }] }],
  });
  const exact = { kvlistValue: { values: [] } };
  assert.deepEqual(otlpRequest({ spans: [{ attributes: { a: exact } }] }), {
    resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: [{ key: 'a', value: exact }] }] }] }],
  });
});

test('a request in Protobuf has the numbers and wire types of opentelemetry-proto', () => {
  const span = {
    traceId: '0102',
    startTimeUnixNano: '1',
    attributes: { n: -1, d: 1.5 },
    status: { code: 2 },
  };
  const hex = otlpProtobuf('/v1/traces', otlpRequest({ spans: [span] })).toString('hex');
  const attributes = `4a100a016e120b18ffffffffffffffffff014a0e0a01641209`;
  assert.equal(hex, `0a37123512330a020102390100000000000000${attributes}21000000000000f83f7a021802`);
  assert.equal(encodeMessage('AnyValue', { boolValue: false }).toString('hex'), '1000');
  assert.equal(encodeMessage('AnyValue', { bytesValue: 'AQI=' }).toString('hex'), '3a020102');
  assert.throws(() => encodeMessage('Scope', { version: '1' }), /Scope has no version/);
});

test('an answer in Protobuf is a Status, or an accepted request', () => {
  assert.equal(otlpAnswer({}).toString('hex'), '');
  assert.equal(otlpAnswer({ code: 3, message: 'no' }).toString('hex'), '080312026e6f');
  const partialSuccess = { rejectedSpans: '2', errorMessage: 'no' };
  assert.equal(otlpAnswer({ partialSuccess }).toString('hex'), '0a06080212026e6f');
});
