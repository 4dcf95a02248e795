/**
 * Embeds the files of `contract/`, so that both servers share their facts.
 *
 * Invariant: no fact is typed a second time here; this file only names the files. `pnpm contract:update` writes the
 * modules of `contract/`. A specifier that ends in `?text` gives a file's text (build.ts and tests/load-sql.ts resolve
 * it).
 */
import agents from '../../contract/agents.json' with { type: 'json' };
import cluster from '../../contract/cluster.json' with { type: 'json' };
import fields from '../../contract/fields.json' with { type: 'json' };
import file from '../../contract/file.sql?text';
import formats from '../../contract/formats.json' with { type: 'json' };
import schemaSql from '../../contract/migrations/0001_init.sql?text';
import openapi from '../../contract/openapi.json?text';
import otlp from '../../contract/otlp.json' with { type: 'json' };
import pragmas from '../../contract/pragmas.sql?text';
import models from '../../contract/prices/models.json?text';
import priceNames from '../../contract/prices/names.json?text';
import commonSecrets from '../../contract/redact/secrets.json?text';
import rpc from '../../contract/rpc.json?text';
import schema from '../../contract/schema.json' with { type: 'json' };
import version from '../../contract/VERSION?text';
import zones from '../../contract/zones.json?text';
import server from '../package.json' with { type: 'json' };
import type { FormatName } from './contract/routes.ts';

export { LIMITS, TUNING } from './contract/limits.ts';
export { METRICS } from './contract/metrics.ts';
export { PARAMETERS, type ParameterSpec, ROUTE_OF, ROUTES, type RouteSpec } from './contract/routes.ts';
export { VOCABULARY } from './contract/vocabulary.ts';

export const FIELDS_FILE = fields;
/** The file of `--redact` that is inside of the program (rule RED-01). */
export const COMMON_SECRETS: string = commonSecrets;
export const OPENAPI: string = openapi;
/** `prices/models.json`; `prices` parses it. */
export const PRICES: string = models;
/** `prices/names.json`; `price-names` parses it. */
export const PRICE_NAMES: string = priceNames;
/** `zones.json`; `zones` parses it. */
export const ZONES: string = zones;
export const CONTRACT_VERSION: string = version.trim();
export const SERVER_VERSION: string = server.version;
/** The oldest Node that runs the server, such as 22.15: the first with zstd. */
export const OLDEST_NODE: string = server.engines.node.replace('>=', '');
export const PRAGMAS: string = pragmas;
/** The pragmas of a new file, before `PRAGMAS` (rule RET-07). */
export const FILE_PRAGMAS: string = file;
/**
 * The pragmas that `/api/health` reports: those of the file in their order, then values that SQLite alone knows (rule
 * HEA-01).
 */
export const REPORTED_PRAGMAS: readonly string[] = [
  ...[...pragmas.matchAll(/^PRAGMA (\w+)/gm)].map(([, name]) => name!),
  'synchronous',
  'page_size',
];

/** `schema.json`. */
export interface SchemaFacts {
  /** `user_version` of a database with `SCHEMA_SQL`. */
  readonly number: number;
  /** Tables, and columns as `table.column`, that dumps of earlier schemas may have. */
  readonly dropped: readonly string[];
  /** The name in earlier schemas of a column, both as `table.column`. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** A format of the contract. */
export interface FormatSpec {
  /** The primary media type first, then the aliases. */
  readonly media_types: readonly string[];
  /** The one parameter that `Content-Type` may have, with its only valid value. */
  readonly parameter?: { readonly name: string; readonly value: string };
  /** Suffix of the media type in a response. */
  readonly answer_suffix: string;
}

/** The messages of a stream (rules CLU-03 and CLU-11). */
export const CLUSTER = cluster as {
  readonly headers: Readonly<Record<'wait' | 'truncated' | 'change', string>>;
  readonly changes: Readonly<
    Record<
      string,
      { readonly members: Readonly<Record<string, string>>; readonly optional?: readonly string[] }
    >
  >;
};

export const FORMATS = formats.formats as Readonly<Record<FormatName, FormatSpec>>;

/** The methods and types of typed calls, as the server sends them. */
export const RPC_TEXT: string = rpc;

/** The content of `rpc.json`, which refers to types by name. */
interface RpcSpec {
  readonly dictionaries: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly methods: Readonly<
    Record<
      string,
      {
        readonly params: readonly {
          readonly type: string;
          /** The route whose query parameters are the options. */
          readonly parameters_of?: string;
          readonly optional?: boolean;
        }[];
        readonly bench?: boolean;
      }
    >
  >;
}

export const RPC = JSON.parse(rpc) as RpcSpec;

/** The mappings of agents; `mapping` compiles them. */
export const AGENTS_FILE: unknown = agents;

/** A field of an OTLP message: its number in Protobuf, its name in JSON, its type. */
type OtlpField = readonly [number: number, name: string, type: string];

/** The request of an OTLP path. */
export interface OtlpRequest {
  readonly message: string;
  readonly signal: string;
  /** The response member that counts rejected records. */
  readonly rejected: string;
}

interface OtlpSpec {
  readonly requests: Readonly<Record<string, OtlpRequest>>;
  readonly messages: Readonly<Record<string, readonly OtlpField[]>>;
  readonly reasons: readonly string[];
  /** How to correct a path that is almost an address (rule OTL-13). */
  readonly wrong_path: string;
  /** The `google.rpc.Status` code for each HTTP status. */
  readonly status_codes: Readonly<Record<string, number>>;
}

export const OTLP = otlp as unknown as OtlpSpec;

/** The schema of a new file (rule STO-10). */
export const SCHEMA_SQL: string = schemaSql;
export const SCHEMA: SchemaFacts = schema;

/** Returns a message with its `{names}` filled in. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
