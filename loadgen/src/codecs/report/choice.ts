/**
 * Which format and which transport to use: the figures of docs/choosing-a-format.md. The advice around them is written
 * by hand.
 */

import { markdownTable } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { CodecsResult } from '../result.ts';
import { type Column, cellsOf, tableOfLines } from './cells.ts';
import { codecsServers } from './tables.ts';
import { conditionsText } from './text.ts';

const CPU = 'server_cpu_us_per_event';
const FORMATS = ['json', 'ndjson', 'msgpack', 'protobuf', 'arrow'];
const TRANSPORTS = { tcp: 'TCP', socket: 'Unix socket', stdin: 'standard input' };

export function choiceOfFormat(codecs: CodecsResult): string {
  const { figure, share } = cellsOf(codecs);
  const servers = codecsServers(codecs);
  const [first] = servers;
  const formats: Column[] = [
    ...servers.map((server) => ({
      head: `Store, ${SHORT_NAMES[server]}`,
      cell: figure('ingest', server, CPU, { batch: 1_000, path: 'ingest' }),
    })),
    ...servers.map((server) => ({
      head: `Answer, ${SHORT_NAMES[server]}`,
      cell: figure('read', server, CPU, { rows: 1_000, path: 'read' }),
    })),
    {
      head: 'Client reads it in Node',
      cell: figure('read', first!, 'decode_us_per_event', { rows: 1_000, path: 'read' }),
    },
    { head: 'Body against JSON', cell: share(first!, { what: 'body' }) },
    { head: 'Answer against JSON', cell: share(first!, { what: 'answer', rows: 1_000 }) },
  ];
  const transports: Column[] = servers.flatMap((server) => [
    {
      head: `${SHORT_NAMES[server]}, events/s`,
      cell: figure('transport', server, 'events_per_s'),
    },
    { head: `${SHORT_NAMES[server]}, CPU`, cell: figure('transport', server, CPU) },
  ]);
  const small: Column[] = servers.flatMap((server) => [
    {
      head: `${SHORT_NAMES[server]}, events/s`,
      cell: figure('messages', server, 'events_per_s'),
    },
    { head: `${SHORT_NAMES[server]}, p50`, cell: figure('messages', server, 'p50_ms') },
  ]);
  return [
    'CPU of the server per real event, in batches of 1,000 and answers of 1,000; bytes of the same events:',
    markdownTable(
      tableOfLines(
        'Format',
        FORMATS.map((format) => ({ label: format, at: { format, payload: 'real' } })),
        formats,
      ),
    ),
    'Transports, in batches of 1 KB, eight at a time; a pipe takes the next batch before the last is stored:',
    markdownTable(
      tableOfLines(
        'Transport',
        Object.entries(TRANSPORTS).map(([transport, label]) => ({
          label,
          at: { size: 1_000, format: 'ndjson', transport },
        })),
        transports,
      ),
    ),
    'One small event in each request, in JSON, one request after the other:',
    markdownTable(
      tableOfLines(
        'Transport',
        (['tcp', 'socket'] as const).map((transport) => ({
          label: TRANSPORTS[transport],
          at: { format: 'json', in_flight: 1, transport },
        })),
        small,
      ),
    ),
    conditionsText(codecs),
  ].join('\n\n');
}
