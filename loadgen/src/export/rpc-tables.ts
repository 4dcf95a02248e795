/**
 * What readers see of typed calls as tables: goals, and a short table for each question.
 *
 * Invariant: no verdict is typed here, what was not measured says so, and a table without rows is left out.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Figures } from '../rpc/figure.ts';
import { type Goal, type GoalUnit, outcomeOf } from '../rpc/goal.ts';
import { GOALS } from '../rpc/goals.ts';
import { type Parameters, type RpcResult, rowWhere, type ScenarioName } from '../rpc/rpc-result.ts';
import { ORIGINAL_TYPES, SCALAR_TYPES, TEXT_TYPES } from '../rpc/values.ts';
import { group, NOT_MEASURED, percent, ratioDigits } from './format.ts';
import { SHORT_NAMES } from './names.ts';
import type { Table } from './rows.ts';
import * as cell from './rpc-cells.ts';

const COLUMNS: readonly TargetName[] = ['rs', 'ts'];
const USUAL = { client: 'checked', format: 'json', in_flight: 1 };

export const RPC_TITLE = 'Typed calls';

export const RPC_READING =
  'Round trips per second of POST /api/rpc by the typed caller of client-ts in a process of its own, over one kept ' +
  'connection, with its checks on and identical strings unless a table says otherwise. After "±" is half of the 95 % ' +
  'interval of the mean; a sample is all calls of at least 20 ms. Library is Server-Timing: reading, checking and ' +
  'writing the call in the server, mean and standard deviation. Its share is of the mean round trip. ' +
  'Raw sends the same bytes over plain sockets and reads no value. Each pair has fresh processes, in the order A B B A.';

export interface Titled {
  readonly title: string;
  readonly table: Table;
}

export function rpcServers({ servers }: RpcResult): readonly TargetName[] {
  return COLUMNS.filter((name) => servers[name] !== undefined);
}

export function rpcGoalTable(result: RpcResult): Table {
  const servers = rpcServers(result);
  return {
    head: ['Goal', 'native-calls', 'asked', ...servers.map((name) => SHORT_NAMES[name])],
    rows: GOALS.map((goal) => [
      goal.title,
      goal.prior.figure,
      askedText(goal),
      ...servers.map((name) => {
        const { found, share, isMet } = outcomeOf(goal, result, name);
        if (found === null) return NOT_MEASURED;
        const verdict = share === null || isMet === null ? 'stated' : verdictText(share, isMet);
        return `${rpcGoalText(found, goal.unit)}, ${verdict}`;
      }),
    ]),
  };
}

function askedText({ better, goal, unit }: Goal): string {
  return goal === null ? cell.NONE : `${better === 'higher' ? '≥' : '≤'} ${rpcGoalText(goal, unit)}`;
}

function verdictText(share: number, isMet: boolean): string {
  return isMet ? 'met' : `missed by ${percent(Math.abs(1 - share))}`;
}

export function rpcGoalText(value: number, unit: GoalUnit): string {
  if (unit === 'times') return `${ratioDigits(value)} times`;
  return unit === 'ms' ? `${value.toFixed(1)} ms` : `${group(Math.round(value))} ${unit}`;
}

/** The short tables, each of one server or of both. */
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

type Find = (scenario: ScenarioName, parameters: Parameters) => Figures | undefined;

/** Lines without any figure are left out. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): Table {
  return { head, rows: rows.filter(([, ...cells]) => cells.some((text) => text !== cell.NONE)) };
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
      cell.samples(found),
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

/** One value of each type, then each length of each. */
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

/** Only cases of which something else than the usual call was measured. */
function clientTable(name: string, lengths: readonly number[], find: Find): Titled {
  const several = [
    { ...USUAL, in_flight: 8 },
    { ...USUAL, client: 'raw', in_flight: 8 },
  ];
  const ways = [{ ...USUAL, client: 'unchecked' }, { ...USUAL, client: 'raw' }, ...several];
  const rows = casesOf(SCALAR_TYPES, lengths).flatMap(({ label, scenario, at }) => {
    const others = ways.map((way) => cell.rateWithMargin(find(scenario, { ...at, ...way })));
    if (others.every((text) => text === cell.NONE)) return [];
    return [[label, cell.rateWithMargin(find(scenario, { ...at, ...USUAL })), ...others]];
  });
  const head = ['Case', 'checked', 'unchecked', 'raw', '8 in flight', '8 in flight, raw'];
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

/** Where MessagePack was measured. */
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

type Finder = (server: TargetName) => Find;

function referenceTable(servers: readonly TargetName[], finder: Finder): Titled {
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

function largeTable(servers: readonly TargetName[], finder: Finder): Titled {
  const rows = servers.flatMap((server) =>
    ['identical', 'random'].map((strings) => {
      const found = finder(server)('large', { strings, what: 'calls' });
      return [
        `${SHORT_NAMES[server]}, ${strings}`,
        cell.microseconds('calls')(found),
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

function livezTable(servers: readonly TargetName[], finder: Finder): Titled {
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
