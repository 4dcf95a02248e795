/** Figures with a row a measurement and both servers in each: how high they are, and where each server's marks lie. */
import type * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Measurement } from '../../result/result.ts';

const MARGINS = { marginTop: 12, marginBottom: 44, marginLeft: 108 };

function heightOf(rows: number): number {
  return Math.max(280, 90 + rows * 17);
}

/** What is left out above and below a tick, so that it is ten pixels high whatever the height of its row. */
export function insetOf(rows: number): number {
  return ((heightOf(rows) - MARGINS.marginTop - MARGINS.marginBottom) / rows - 10) / 2;
}

/** A row a measurement, high enough for both servers. */
export function rowsOptions(measurements: readonly Measurement[]): Plot.PlotOptions {
  return {
    ...MARGINS,
    height: heightOf(measurements.length),
    y: { type: 'band', label: null, domain: measurements.map(shortTitle), padding: 0 },
  };
}

export function offset(servers: readonly TargetName[], name: TargetName): number {
  return servers.length < 2 ? 0 : name === servers[0] ? -4 : 4;
}

/** Room is short next to a plot, so the name: `open_50_percent` as "open 50 %". */
export function shortTitle({ name }: Measurement): string {
  return name.replace(/_percent$/, ' %').replaceAll('_', ' ');
}
