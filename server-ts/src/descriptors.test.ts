import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from './descriptors.ts';

test('the plan reserves descriptors for the store', () => {
  const full = (connections: number) => ({ connections, refusals: 16, readers: 4 });
  const least = { connections: 4, refusals: 0, readers: 2 };
  const cases = [
    [undefined, full(1024)],
    [1 << 20, full(1024)],
    [1120, full(1024)],
    [1024, full(928)],
    [100, full(4)],
    [99, least],
    [64, least],
    [0, least],
  ] as const;
  for (const [limit, expected] of cases) assert.deepEqual(plan(limit), expected, String(limit));
});
