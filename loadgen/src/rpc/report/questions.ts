/** The short tables about typed calls, one for each question. Invariant: a table without rows is left out. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { group } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Figures } from '../figure.ts';
import { type Parameters, type RpcResult, rowWhere, type ScenarioName } from '../result.ts';
import { IN_FLIGHT } from '../sizes.ts';
import { ORIGINAL_TYPES, SCALAR_TYPES, TEXT_TYPES } from '../values.ts';
import * as cell from './cells.ts';
import { type Find, largeTable, livezTable, referenceTable, type Titled, tableOf } from './large.ts';
import { rpcServers } from './tables.ts';

const USUAL = { client: 'checked', format: 'json', in_flight: 1 };

/** Returns the short tables, each of one server or of both. */
export function rpcTables(result: RpcResult): Titled[] {
  const servers = rpcServers(result);
  const finder = (server: TargetName): Find => {
    return (scenario, parameters) => rowWhere(result, scenario, server, parameters)?.figures;
  };
  const each = (tableOf: (find: Find, name: string) => Titled) =>
    servers.map((server) => tableOf(finder(server), SHORT_NAMES[server]));
  const lengths = [
    ...new Set(
      result.rows.flatMap(({ scenario, parameters }) =>
        scenario === 'sequences' ? [Number(parameters.length)] : [],
      ),
    ),
  ].sort((one, other) => one - other);
  const all = [
    ...each(scalarTable),
    ...each((find, name) => matrix(`Sequences, ${name}: round trips/s`, cell.rateWithMargin, lengths, find)),
    ...each((find, name) => matrix(`Sequences, ${name}: library, µs`, cell.library, lengths, find)),
    ...each((find, name) =>
      matrix(`Sequences, ${name}: library, share of the round trip`, cell.share, lengths, find),
    ),
    ...each((find, name) => clientTable(name, lengths, find)),
    ...each((find, name) => stringsTable(name, lengths, find)),
    ...each((find, name) => formatTable(name, lengths, find)),
    referenceTable(servers, finder),
    largeTable(servers, finder),
    livezTable(servers, finder),
  ];
  return all.filter(({ table }) => table.rows.length > 0);
}

function scalarTable(find: Find, name: string): Titled {
  const head = [
    'Type',
    'round trips/s',
    'samples',
    'p50',
    'p95',
    'p99',
    'library',
    'p95',
    'share',
    'bytes',
    'server CPU',
  ];
  const rows = SCALAR_TYPES.map((type) => {
    const found = find('scalars', { type, ...USUAL });
    const times = (['p50_us', 'p95_us', 'p99_us'] as const).map((key) => cell.microseconds(key)(found));
    return [
      type,
      cell.rateWithMargin(found),
      cell.count('samples')(found),
      ...times,
      cell.library(found),
      cell.microseconds('lib_p95_us')(found),
      cell.share(found),
      cell.bytes(found),
      cell.microseconds('server_cpu_us')(found),
    ];
  });
  return { title: `One value, ${name}: times in µs, bytes each way`, table: tableOf(head, rows) };
}

function matrix(
  title: string,
  text: (figures: Figures | undefined) => string,
  lengths: readonly number[],
  find: Find,
): Titled {
  const rows = lengths.map((length) => [
    group(length),
    ...ORIGINAL_TYPES.map((type) => text(find('sequences', { type, length, ...USUAL }))),
  ]);
  return { title, table: tableOf(['Length', ...ORIGINAL_TYPES], rows) };
}

interface Case {
  readonly label: string;
  readonly scenario: ScenarioName;
  readonly at: Parameters;
}

/** Returns one case for each type as a single value, then one for each type and length. */
function casesOf(types: readonly string[], lengths: readonly number[]): Case[] {
  return [
    ...types.map((type): Case => ({ label: type, scenario: 'scalars', at: { type } })),
    ...types.flatMap((type) =>
      lengths.map(
        (length): Case => ({
          label: `${group(length)} × ${type}`,
          scenario: 'sequences',
          at: { type, length },
        }),
      ),
    ),
  ];
}

/** Returns the table of clients. Leaves out cases with only the usual call. */
function clientTable(name: string, lengths: readonly number[], find: Find): Titled {
  const several = [
    { ...USUAL, in_flight: IN_FLIGHT },
    { ...USUAL, client: 'raw', in_flight: IN_FLIGHT },
  ];
  const ways = [{ ...USUAL, client: 'unchecked' }, { ...USUAL, client: 'raw' }, ...several];
  const rows = casesOf(SCALAR_TYPES, lengths).flatMap(({ label, scenario, at }) => {
    const others = ways.map((way) => cell.rateWithMargin(find(scenario, { ...at, ...way })));
    if (others.every((text) => text === cell.NONE)) return [];
    return [[label, cell.rateWithMargin(find(scenario, { ...at, ...USUAL })), ...others]];
  });
  const head = [
    'Case',
    'checked',
    'unchecked',
    'raw',
    `${IN_FLIGHT} in flight`,
    `${IN_FLIGHT} in flight, raw`,
  ];
  return {
    title: `Checks of the client, and calls in flight, ${name}: round trips/s`,
    table: tableOf(head, rows),
  };
}

function stringsTable(name: string, lengths: readonly number[], find: Find): Titled {
  const rows = casesOf(TEXT_TYPES, lengths).flatMap(({ label, scenario, at }) => {
    const [same, random] = ['identical', 'random'].map((strings) =>
      find(scenario, { ...at, ...USUAL, strings }),
    );
    if (random === undefined) return [];
    return [
      [
        label,
        cell.rateWithMargin(same),
        cell.rateWithMargin(random),
        cell.library(same),
        cell.library(random),
        cell.bytes(same),
        cell.bytes(random),
      ],
    ];
  });
  const head = ['Case', 'identical', 'random', 'library, identical', 'random', 'bytes, identical', 'random'];
  return {
    title: `Identical and random strings, ${name}: round trips/s, library in µs`,
    table: tableOf(head, rows),
  };
}

/** Returns the table of formats, with the cases that were measured with MessagePack. */
function formatTable(name: string, lengths: readonly number[], find: Find): Titled {
  const rows = casesOf(ORIGINAL_TYPES, lengths).flatMap(({ label, scenario, at }) => {
    const [json, msgpack] = ['json', 'msgpack'].map((format) => find(scenario, { ...at, ...USUAL, format }));
    if (msgpack === undefined) return [];
    return [
      [
        label,
        cell.rateWithMargin(json),
        cell.rateWithMargin(msgpack),
        cell.ratioCell('calls_per_s', msgpack, json),
        cell.library(json),
        cell.library(msgpack),
        cell.ratioCell('received_bytes', msgpack, json),
      ],
    ];
  });
  const head = [
    'Case',
    'JSON',
    'MessagePack',
    'rate vs JSON',
    'library, JSON',
    'MessagePack',
    'bytes vs JSON',
  ];
  return { title: `JSON and MessagePack, ${name}: round trips/s, library in µs`, table: tableOf(head, rows) };
}
