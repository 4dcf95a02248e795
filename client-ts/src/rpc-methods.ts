/** Generated from `contract/rpc.json` by `pnpm contract:update`: methods, types and messages of typed calls. */
import type {
  BatchResult,
  EventPage,
  EventsQuery,
  OutgoingEvent,
  SessionPage,
  SessionsQuery,
  SnapshotQuery,
  StateSnapshot,
  Stats,
  StatsQuery,
} from './contract.ts';

/** The dictionary `dict`. */
export interface Dict {
  readonly str: string;
  readonly d: number;
  readonly b: boolean;
}

/** The dictionary `nestedDict`. */
export interface NestedDict {
  readonly topStr: string;
  readonly topD: number;
  readonly topB: boolean;
  readonly nested: Dict;
}

/** The methods of a server (contract, "Typed calls"). */
export interface Rpc {
  readonly events: {
    ingest(events: readonly OutgoingEvent[]): Promise<BatchResult>;
    query(options?: EventsQuery): Promise<EventPage>;
  };
  readonly stats: {
    get(options?: StatsQuery): Promise<Stats>;
  };
  readonly sessions: {
    list(options?: SessionsQuery): Promise<SessionPage>;
  };
  readonly snapshot: {
    get(topic: string, options?: SnapshotQuery): Promise<StateSnapshot>;
  };
  /** Only on a server with `--bench` (RPC-06). */
  readonly echo: {
    long(value: number): Promise<number>;
    double(value: number): Promise<number>;
    boolean(value: boolean): Promise<boolean>;
    DOMString(value: string): Promise<string>;
    dict(value: Dict): Promise<Dict>;
    nestedDict(value: NestedDict): Promise<NestedDict>;
    longs(values: readonly number[]): Promise<readonly number[]>;
    doubles(values: readonly number[]): Promise<readonly number[]>;
    booleans(values: readonly boolean[]): Promise<readonly boolean[]>;
    DOMStrings(values: readonly string[]): Promise<readonly string[]>;
    dicts(values: readonly Dict[]): Promise<readonly Dict[]>;
    nestedDicts(values: readonly NestedDict[]): Promise<readonly NestedDict[]>;
  };
}

/** The members of each dictionary, in order. */
export const DICTIONARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dict: { str: 'DOMString', d: 'double', b: 'boolean' },
  nestedDict: { topStr: 'DOMString', topD: 'double', topB: 'boolean', nested: 'dict' },
};

/**
 * For each method: the type of each argument and whether it is optional, and the type of the result unless a schema
 * defines it.
 */
export const METHODS: Readonly<
  Record<string, readonly [params: readonly (readonly [string, boolean])[], result: string | null]>
> = {
  // biome-ignore format: one method a line
  'events.ingest': [[['sequence<any>', false]], null],
  // biome-ignore format: one method a line
  'events.query': [[['options', true]], null],
  // biome-ignore format: one method a line
  'stats.get': [[['options', true]], null],
  // biome-ignore format: one method a line
  'sessions.list': [[['options', true]], null],
  // biome-ignore format: one method a line
  'snapshot.get': [[['DOMString', false], ['options', true]], null],
  // biome-ignore format: one method a line
  'echo.long': [[['long', false]], 'long'],
  // biome-ignore format: one method a line
  'echo.double': [[['double', false]], 'double'],
  // biome-ignore format: one method a line
  'echo.boolean': [[['boolean', false]], 'boolean'],
  // biome-ignore format: one method a line
  'echo.DOMString': [[['DOMString', false]], 'DOMString'],
  // biome-ignore format: one method a line
  'echo.dict': [[['dict', false]], 'dict'],
  // biome-ignore format: one method a line
  'echo.nestedDict': [[['nestedDict', false]], 'nestedDict'],
  // biome-ignore format: one method a line
  'echo.longs': [[['sequence<long>', false]], 'sequence<long>'],
  // biome-ignore format: one method a line
  'echo.doubles': [[['sequence<double>', false]], 'sequence<double>'],
  // biome-ignore format: one method a line
  'echo.booleans': [[['sequence<boolean>', false]], 'sequence<boolean>'],
  // biome-ignore format: one method a line
  'echo.DOMStrings': [[['sequence<DOMString>', false]], 'sequence<DOMString>'],
  // biome-ignore format: one method a line
  'echo.dicts': [[['sequence<dict>', false]], 'sequence<dict>'],
  // biome-ignore format: one method a line
  'echo.nestedDicts': [[['sequence<nestedDict>', false]], 'sequence<nestedDict>'],
};

export const MESSAGES = {
  params: 'must be an array of arguments',
  missing: 'is required',
  unexpected: 'must not be given',
  long: 'must be an integer from -2147483648 to 2147483647',
  double: 'must be a finite number',
  boolean: 'must be a boolean',
  string: 'must be well-formed text',
  dictionary: 'must be an object',
  sequence: 'must be an array of at most 200000 items',
  option: 'must be a string, or a number where it is an integer',
} as const;

/** Largest number of items of a sequence. */
export const SEQUENCE_ITEMS = 200000;
