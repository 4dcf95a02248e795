/** DATA: the questions of readers about formats and transports, each answered by one short table. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { group } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import type { CodecsResult, Parameters, ScenarioName } from '../result.ts';
import { type Column, cellsOf, type Line, tableOfLines } from './cells.ts';

export interface Question {
  readonly title: string;
  readonly table: Table;
}

const ALL_FORMATS = ['json', 'ndjson', 'msgpack', 'protobuf', 'arrow'];
const SMALL = 1_000;
const LARGE = 1_000_000;

export function questionsOf(result: CodecsResult, servers: readonly TargetName[]): Question[] {
  const { figure, versus, share } = cellsOf(result);
  const each = (columns: (server: TargetName, name: string) => readonly Column[]) =>
    servers.flatMap((server) => columns(server, SHORT_NAMES[server]));
  const formats = (more: Parameters = {}) =>
    ALL_FORMATS.map((format) => ({ label: format, at: { format, ...more } }));
  const CPU = 'server_cpu_us_per_event';
  const perServer = (lines: readonly Line[], columns: (server: TargetName) => readonly Column[]) => {
    const tables = servers.map((server) => {
      const named = lines.map(({ label, at }) => ({ label: `${SHORT_NAMES[server]}, ${label}`, at }));
      return tableOfLines('Case', named, columns(server));
    });
    return { head: tables[0]!.head, rows: tables.flatMap(({ rows }) => rows) };
  };
  const rate = (scenario: ScenarioName, server: TargetName, transport: string): Column => ({
    head: transport,
    cell: figure(scenario, server, 'events_per_s', { transport }),
  });
  const cpu = (scenario: ScenarioName, server: TargetName, transport: string): Column => ({
    head: `${transport} CPU`,
    cell: figure(scenario, server, CPU, { transport }),
  });
  const all: readonly Question[] = [
    {
      title: 'Which codec is fast, without a server? Events/s of 1 MB of real events',
      table: tableOfLines(
        'Codec',
        [...ALL_FORMATS, 'json reference'].map((codec) => ({
          label: codec,
          at: { codec, payload: 'real', size: LARGE },
        })),
        each((server, name) =>
          ['encode', 'decode'].map((step) => ({
            head: `${name} ${step}`,
            cell: figure('codec', server, 'events_per_s', { step }),
          })),
        ),
      ),
    },
    {
      title: 'How fast is Arrow, without a server? MB/s of 100,000 rows; a decode alone reads no value',
      table: tableOfLines(
        'Step',
        ['events', 'procwire'].flatMap((schema) =>
          ['encode', 'sum and group', 'all'].map((step) => ({
            label: `${schema}, ${step}`,
            at: { schema, step, rows: 100_000 },
          })),
        ),
        each((server, name) => [{ head: name, cell: figure('arrow', server, 'mb_per_s') }]),
      ),
    },
    {
      title: 'How large is it? Bytes against JSON',
      table: tableOfLines(
        'Format',
        formats(),
        [
          ['body, real', { what: 'body', payload: 'real' }],
          ['body, no metadata', { what: 'body', payload: 'small bare' }],
          ['answer, real', { what: 'answer', rows: 1_000, payload: 'real' }],
          ['answer, no metadata', { what: 'answer', rows: 1_000, payload: 'small bare' }],
        ].map(([head, more]) => ({ head: head as string, cell: share(servers[0]!, more as Parameters) })),
      ),
    },
    {
      title: 'What does it cost to store? Real events over TCP, four batches at a time, CPU per event',
      table: perServer(
        [50, 1_000].flatMap((batch) =>
          formats({ payload: 'real', batch, path: 'ingest' }).map(({ label, at }) => ({
            label: `${group(batch)} in ${label}`,
            at,
          })),
        ),
        (server) => [
          { head: 'server CPU', cell: figure('ingest', server, CPU) },
          { head: 'client CPU', cell: figure('ingest', server, 'client_cpu_us_per_event') },
          { head: 'vs JSON', cell: versus('ingest', server, CPU, { format: 'json' }) },
          { head: 'vs true raw', cell: versus('ingest', server, CPU, { path: 'sink' }) },
        ],
      ),
    },
    {
      title: 'What does it cost to read? 1,000 real events in one answer, CPU per event',
      table: perServer(formats({ payload: 'real', rows: 1_000, path: 'read' }), (server) => [
        { head: 'server CPU', cell: figure('read', server, CPU) },
        { head: 'vs JSON', cell: versus('read', server, CPU, { format: 'json' }) },
        { head: 'vs true raw', cell: versus('read', server, CPU, { path: 'echo' }) },
        { head: 'client reads', cell: figure('read', server, 'decode_us_per_event') },
      ]),
    },
    {
      title: 'How fast are bytes that no server reads? MB/s, one request after the other',
      table: tableOfLines(
        'Case',
        [LARGE, 10 * LARGE].flatMap((size) => {
          const label = (what: string) => `${group(size / LARGE)} MB ${what}`;
          return [
            { label: label('discarded'), at: { size, path: 'sink' } },
            { label: label('echoed'), at: { size, path: 'echo' } },
            { label: label('of text in JSON, stored'), at: { size, payload: 'procwire', format: 'json' } },
            { label: label('of events in JSON, stored'), at: { size, payload: 'real', format: 'json' } },
          ];
        }),
        each((server, name) => [{ head: name, cell: figure('raw', server, 'mb_per_s') }]),
      ),
    },
    {
      title: 'Which transport? Events/s and CPU per event in batches of 1 KB and 1 MB; none is not read',
      table: perServer(
        [SMALL, LARGE].flatMap((size) =>
          [...ALL_FORMATS, 'none'].map((format) => ({
            label: `${size === SMALL ? '1 KB' : '1 MB'} ${format}`,
            at: { size, format },
          })),
        ),
        (server) => [
          ...['tcp', 'socket', 'stdin'].map((transport) => rate('transport', server, transport)),
          ...['tcp', 'socket', 'stdin'].map((transport) => cpu('transport', server, transport)),
        ],
      ),
    },
    {
      title: 'How many small messages? Events/s and p99 with one event in each request, in JSON',
      table: perServer(
        [
          ...[100, 500, 1_000].map((at_once) => ({
            label: `${group(at_once)} at once`,
            at: { format: 'json', at_once },
          })),
          ...[1, 8, 64, 1_000].map((in_flight) => ({
            label: `${group(in_flight)} in flight`,
            at: { format: 'json', in_flight },
          })),
        ],
        (server) => [
          ...['tcp', 'socket'].map((transport) => rate('messages', server, transport)),
          ...['tcp', 'socket'].map((transport) => ({
            head: `${transport} p99`,
            cell: figure('messages', server, 'p99_ms', { transport }),
          })),
        ],
      ),
    },
    {
      title: 'How many small events fit through one pipe, stored?',
      table: perServer(formats(), (server) => [
        { head: 'events/s', cell: figure('pipe', server, 'events_per_s') },
        { head: 'server CPU', cell: figure('pipe', server, CPU) },
      ]),
    },
  ];
  return all.filter(({ table }) => table.rows.length > 0);
}
