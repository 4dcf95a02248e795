/**
 * A whole result of `bench:sync` for the tests of reports. It is the committed one, which has a row of every scenario,
 * but one goal is missed, and one scenario was not measured.
 */
import { readFileSync } from 'node:fs';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { warningOf } from '../src/analyse/warnings.ts';
import { suiteFile } from '../src/result/files.ts';
import type { SyncResult, SyncRow } from '../src/sync/result.ts';

const COMMITTED = JSON.parse(readFileSync(`${ROOT}${suiteFile('sync')}`, 'utf8')) as SyncResult;

export function sampleSync(): SyncResult {
  const { environment } = COMMITTED;
  return {
    ...COMMITTED,
    environment: { ...environment, commit: 'c0ffee0000000000000000000000000000000000', dirty: false },
    rows: COMMITTED.rows.map(slow),
    skipped: [{ scenario: 'page', server: 'rs', reason: 'no Chromium: $CHROMIUM_BIN or chromium on PATH' }],
    warnings: [warningOf('wide_spread', 'open_ms varied by up to 60 %')],
  };
}

/** Returns the row. Round trips of Rust take at least a second, which misses their goals. */
function slow(row: SyncRow): SyncRow {
  const { p50_ms } = row.figures;
  if (row.server !== 'rs' || p50_ms === undefined) return row;
  return { ...row, figures: { ...row.figures, p50_ms: { ...p50_ms, median: p50_ms.median + 1000 } } };
}
