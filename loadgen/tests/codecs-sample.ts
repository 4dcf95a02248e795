/** A made-up result part `codecs` with a few rows of one server, for the tests of goals and reports. */
import type { CodecRow, CodecsResult } from '../src/codecs/result.ts';
import { sampleSync } from './sync-sample.ts';

export const codecRow = (
  scenario: CodecRow['scenario'],
  parameters: CodecRow['parameters'],
  figures: CodecRow['figures'],
): CodecRow => ({ scenario, server: 'rs', parameters, figures });

export function sampleCodecs(): CodecsResult {
  const { environment, placement, servers } = sampleSync();
  const ingest = (format: string, cpu: readonly number[], batch = 50) =>
    codecRow(
      'ingest',
      { payload: 'real', batch, format, path: 'ingest' },
      { server_cpu_us_per_event: cpu, events_per_s: [100_000, 110_000] },
    );
  return {
    schema_version: 1,
    created_at: '2026-11-25T08:00:00.000Z',
    took_s: 250,
    flags: [],
    seed: 1,
    size: 'default',
    recorded: false,
    environment,
    placement,
    servers,
    rows: [
      ingest('json', [4, 5]),
      ingest('protobuf', [2, 2.5]),
      ingest('json', [3, 3], 1_000),
      codecRow('raw', { size: 1_000_000, path: 'sink' }, { mb_per_s: [900, 900] }),
      codecRow('pipe', { format: 'ndjson' }, { events_per_s: [100_000] }),
      codecRow('pipe', { format: 'protobuf' }, { events_per_s: [160_000] }),
    ],
    warnings: [],
  };
}
