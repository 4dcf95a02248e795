/** The tables of 10,000 and of 100,000 nested dicts, and helpers for all tables of typed calls. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { ratioDigits } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import type { Figures } from '../figure.ts';
import type { Parameters, ScenarioName } from '../result.ts';
import * as cell from './cells.ts';

export interface Titled {
  readonly title: string;
  readonly table: Table;
}

/** Returns the figures of a row of one server. */
export type Find = (scenario: ScenarioName, parameters: Parameters) => Figures | undefined;
type Finder = (server: TargetName) => Find;

/** Returns a table without the lines that have no value. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): Table {
  return { head, rows: rows.filter(([, ...cells]) => cells.some((text) => text !== cell.NONE)) };
}

export function referenceTable(servers: readonly TargetName[], finder: Finder): Titled {
  const rows = servers.flatMap((server) =>
    ['identical', 'random'].map((strings) => {
      const [own, bytes, text] = ['server', 'bytes', 'text'].map((what) =>
        finder(server)('reference', { strings, what }),
      );
      const ratio =
        own?.lib_p50_us === undefined || bytes?.p50_us === undefined ? null : own.lib_p50_us / bytes.p50_us;
      return [
        `${SHORT_NAMES[server]}, ${strings}`,
        cell.milliseconds('lib_p50_us')(own),
        cell.milliseconds('p50_us')(bytes),
        ratio === null ? cell.NONE : ratioDigits(ratio),
        cell.milliseconds('p50_us')(text),
        cell.milliseconds('lib_p95_us')(own),
        cell.milliseconds('p95_us')(bytes),
      ];
    }),
  );
  const head = [
    'Strings',
    'library p50',
    'plain JSON p50',
    'times',
    'text alone p50',
    'library p95',
    'plain JSON p95',
  ];
  const title =
    '10,000 nested dicts, ms: the library, and serde_json (typed) or JSON.parse and JSON.stringify of the same bytes';
  return { title, table: tableOf(head, rows) };
}

export function largeTable(servers: readonly TargetName[], finder: Finder): Titled {
  const rows = servers.flatMap((server) =>
    ['identical', 'random'].map((strings) => {
      const found = finder(server)('large', { strings, what: 'calls' });
      return [
        `${SHORT_NAMES[server]}, ${strings}`,
        cell.count('calls')(found),
        cell.milliseconds('p50_us', 0)(found),
        cell.milliseconds('lib_us', 0)(found),
        cell.mebibytes('sent_bytes')(found),
        cell.mebibytes('rss_before_bytes')(found),
        cell.mebibytes('rss_peak_bytes')(found),
        cell.mebibytes('rss_after_bytes')(found),
      ];
    }),
  );
  const head = [
    'Strings',
    'calls',
    'p50, ms',
    'library, ms',
    'sent, MiB',
    'RSS before',
    'highest',
    '10 s after',
  ];
  return {
    title: '100,000 nested dicts: calls, and memory of the server in MiB',
    table: tableOf(head, rows),
  };
}

export function livezTable(servers: readonly TargetName[], finder: Finder): Titled {
  const rows = servers.flatMap((server) =>
    ['identical', 'random'].map((strings) => {
      const cells = ['livez, idle', 'livez, meanwhile'].flatMap((what) => {
        const found = finder(server)('large', { strings, what });
        return (['p50_us', 'p99_us', 'max_us'] as const).map((key) => cell.milliseconds(key)(found));
      });
      return [`${SHORT_NAMES[server]}, ${strings}`, ...cells];
    }),
  );
  const head = ['Strings', 'idle p50', 'p99', 'maximum', 'meanwhile p50', 'p99', 'maximum'];
  return {
    title: 'GET /livez of another client during calls of 100,000 nested dicts, ms',
    table: tableOf(head, rows),
  };
}
