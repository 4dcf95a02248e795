/** The drift of the fixture's soak: one of each verdict, independent of its made-up timeline. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../src/analyse/drift.ts';

export function driftOf(target: TargetName): Record<string, Drift> {
  const drift = (slope: number, tolerance: number, verdict: Drift['verdict']): Drift => ({
    slope_per_hour: verdict === 'not_enough_samples' ? null : slope,
    low: verdict === 'not_enough_samples' ? null : slope - tolerance / 4,
    high: verdict === 'not_enough_samples' ? null : slope + tolerance / 4,
    confidence: 0.95,
    samples: 600,
    tolerance_per_hour: tolerance,
    verdict,
  });
  const mebibyte = 1024 * 1024;
  return {
    rss_bytes:
      target === 'rs'
        ? drift(mebibyte, 8 * mebibyte, 'stable')
        : drift(31 * mebibyte, 8 * mebibyte, 'rising'),
    wal_bytes: drift(0, 16 * mebibyte, 'stable'),
    file_descriptors: drift(0, 10, 'stable'),
    lag_ms: target === 'rs' ? drift(0.1, 5, 'stable') : drift(0, 5, 'not_enough_samples'),
  };
}
