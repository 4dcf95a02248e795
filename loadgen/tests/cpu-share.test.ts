/** Tests the CPU time between two samples as a share of a core. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuShares } from '../src/observe/cpu-share.ts';

test('the growth of CPU time over the interval, none for the first look and where nothing was said', () => {
  const t_ms = [0, 500, 1500, 2500, 2500];
  const cpu_us = [1_000, 251_000, 2_251_000, null, 3_000_000];
  assert.deepEqual(cpuShares({ t_ms, cpu_us }), [null, 0.5, 2, null, null]);
});
