/** What stands beside the targets: the noise floors of each measurement, what its generator took, and its doubts. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Measurement } from '../result.ts';
import { formatValue, percent } from './format.ts';
import { markdownTable } from './markdown-table.ts';
import type { Measured } from './target-rows.ts';

const COMPARED = ['small', 'real', 'single', 'power', 'open'] as const;

const HEAD = [
  'Measurement',
  'Noise floor: events/s',
  'CPU per event',
  'p99',
  'Generator',
  'its CPU per event: Rust',
  'TypeScript',
  'Reasons to distrust',
];

/** As Markdown. A floor is the largest change between two rounds of one server side by side (decision 9). */
export function noiseTable(measured: Measured): string {
  const rows = COMPARED.flatMap((file) =>
    (measured[file]?.measurements ?? [])
      .filter(({ rounds }) => rounds.length > 0)
      .map((measurement) => cellsOf(file, measurement)),
  );
  return markdownTable({ head: HEAD, rows }, [0, 4, 7]);
}

function cellsOf(file: string, { name, comparison, servers, driver, warnings }: Measurement): string[] {
  const floor = (metric: string): string => {
    const found = comparison?.[metric]?.noise_floor ?? null;
    return found === null ? '—' : percent(found);
  };
  const generator = (server: TargetName): string => {
    const found = servers[server]?.metrics.generator_cpu_us_per_event ?? null;
    return found === null ? '—' : formatValue(found.median, 'us');
  };
  return [
    file === 'open' ? `${file}, ${name}` : file,
    ...['throughput_events_per_s', 'server_cpu_us_per_event', 'latency_p99_ms'].map(floor),
    driver === null ? '—' : `${driver.name} ${driver.version}`,
    generator('rs'),
    generator('ts'),
    warnings.map(({ message }) => message).join('; ') || '—',
  ];
}
