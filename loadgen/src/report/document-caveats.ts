/** What the figures do not say, however well they were measured. */
import { measurementNamed, type Result } from '../result/result.ts';
import { commitOf } from './conditions.ts';
import { group } from './format.ts';
import { markdownText } from './markdown-table.ts';
import { serversIn } from './names.ts';

export function caveatLines(result: Result): string[] {
  const { environment, placement } = result;
  const soak = measurementNamed(result, 'soak')?.workload?.duration_s ?? null;
  return [
    `One machine with ${environment.cpu_cores} cores; another has other ratios.`,
    markdownText(`${placement.reason} Where cores are shared, CPU per event is the sounder figure.`),
    'Latencies of a closed loop are those of a full queue; only the open loop says what a client sees.',
    'What a server puts off until after its last answer is in no CPU time; it shows when it stops and in its write-ahead log.',
    `The files are young: a database of about ${mostStored(result)} rows says little about one of a hundred million.`,
    soak === null
      ? 'Without a soak nothing is said about leaks.'
      : `A soak of ${Math.round(soak / 60)} min sees fast leaks, not slow ones.`,
    ...(soak === null
      ? []
      : [
          'A soak has one round a server: its figures have no interval, and nothing is said of their ratios.',
        ]),
    ...(result.measurements.some(({ workload }) => (workload?.stream_clients ?? 0) > 0)
      ? ['Stream lag is taken from a clock of whole milliseconds.']
      : []),
    'Sizes are those of the servers; what a desktop shell adds around them was not measured.',
    ...(serversIn(result).length < 2 ? ['One server was measured alone; nothing is compared.'] : []),
    markdownText(`Figures hold for commit ${commitOf(result)}.`),
  ];
}

function mostStored(result: Result): string {
  const stored = result.measurements.map(
    ({ audited_events, workload }) => audited_events / (workload?.rounds ?? 1),
  );
  return group(Math.round(Math.max(0, ...stored) / serversIn(result).length));
}
