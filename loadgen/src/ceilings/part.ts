/** The ceiling of one part of a server, and the table of all parts. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { CeilingFigures } from './ceiling.ts';

/** One line of the table. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** Figures by server. A server is absent when only the other server has the part. */
  readonly servers: Partial<Record<TargetName, CeilingFigures>>;
}

/** Returns the table of all parts as Markdown. */
export function ceilingTable(parts: readonly Part[]): string {
  const lines = [
    '| Part | Rust events/s | TypeScript events/s | Rust CPU µs | TypeScript CPU µs |',
    '|---|--:|--:|--:|--:|',
  ];
  for (const { title, servers } of parts) {
    const speed = (target: TargetName) => {
      const figure = servers[target]?.events_per_s.median;
      return figure === undefined ? '—' : Math.round(figure).toLocaleString('en-US');
    };
    const cpu = (target: TargetName) => servers[target]?.cpu_us_per_event.median.toFixed(2) ?? '—';
    lines.push(`| ${title} | ${speed('rs')} | ${speed('ts')} | ${cpu('rs')} | ${cpu('ts')} |`);
  }
  return `${lines.join('\n')}\n`;
}
