/** Tests the differences between two servers that prevent a comparison. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchFailure, type FailureCode } from '../src/failure.ts';
import { checkSameSettings, type Health } from '../src/verify/health.ts';
import { compareSmoke, type Exchange } from '../src/verify/smoke.ts';

const fails = (code: FailureCode, text: RegExp) => (error: unknown) =>
  error instanceof BenchFailure &&
  error.code === code &&
  text.test([error.message, ...error.details].join('\n'));

const health: Health = {
  runtime: 'rust',
  version: '0.1.0',
  contract: '1.0.0',
  durability: 'process',
  sqlite_version: '3.54.1',
  journal_mode: 'wal',
  synchronous: 'NORMAL',
  compile_options: ['THREADSAFE=1'],
  pragmas: { page_size: 4096 },
};

test('servers that promise different things are not compared', () => {
  checkSameSettings(
    new Map([
      ['rs', health],
      ['ts', { ...health, runtime: 'node', version: '0.2.0' }],
    ]),
  );
  const full = { ...health, synchronous: 'FULL' };
  assert.throws(
    () =>
      checkSameSettings(
        new Map([
          ['rs', health],
          ['ts', full],
        ]),
      ),
    fails('health_differs', /rs NORMAL, ts FULL/),
  );
});

test('an answer that differs in body, status or content type is shown from both', () => {
  const exchange: Exchange = {
    name: 'row',
    request: 'GET /api/events/1',
    status: 200,
    contentType: 'a',
    body: '{"id":1}',
  };
  compareSmoke(
    new Map([
      ['rs', [exchange]],
      ['ts', [{ ...exchange }]],
    ]),
  );
  for (const other of [{ body: '{"id":2}' }, { status: 201 }, { contentType: 'b' }]) {
    const both = new Map([
      ['rs', [exchange]],
      ['ts', [{ ...exchange, ...other }]],
    ]);
    assert.throws(
      () => compareSmoke(both),
      fails('parity_difference', /GET \/api\/events\/1\nrs: 200 a .*\nts: /),
    );
  }
});
