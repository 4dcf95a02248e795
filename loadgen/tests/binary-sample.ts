/** A made-up result part `binary` with a few rows of one server, for the tests of goals and reports. */
import type { BinaryResult, BinaryRow } from '../src/binary/result.ts';
import { ORIGINAL_BYTES } from '../src/binary/sizes.ts';
import { sampleSync } from './sync-sample.ts';

export const transferRow = (
  method: string,
  took_ms: readonly number[],
  bytes = ORIGINAL_BYTES,
): BinaryRow => ({
  scenario: 'transfer',
  server: 'rs',
  parameters: { bytes, method },
  figures: { took_ms, block_ms: took_ms, received_bytes: [bytes, bytes], encode_ms: [0.1, 0.2] },
});

export function sampleBinary(): BinaryResult {
  const { environment, placement, servers } = sampleSync();
  return {
    schema_version: 1,
    created_at: '2026-11-25T11:00:00.000Z',
    took_s: 250,
    flags: [],
    size: 'default',
    browser: '156.0',
    environment,
    placement,
    servers,
    methods: [
      { name: 'raw-array-buffer', title: 'raw, arrayBuffer()', form: 'raw' },
      { name: 'raw-bytes', title: 'raw, bytes()', form: 'raw' },
      { name: 'base64-from-base64', title: 'base64, Uint8Array.fromBase64', form: 'base64' },
      { name: 'numbers', title: 'number array in JSON', form: 'numbers' },
    ],
    rows: [
      transferRow('raw-array-buffer', [18, 22]),
      transferRow('raw-bytes', [10, 14]),
      transferRow('base64-from-base64', [50, 50]),
      transferRow('numbers', [400, 440]),
      {
        scenario: 'livez',
        server: 'rs',
        parameters: { load: 'echo', bytes: 67_108_864 },
        figures: {
          requests: [900, 800],
          p50_ms: [1, 2],
          p99_ms: [8, 10],
          max_ms: [12, 45.5],
          mb_per_s: [700],
        },
      },
    ],
    warnings: [],
  };
}
