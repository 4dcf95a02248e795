/**
 * Embeds the files of `contract/`, so that both servers share their facts.
 *
 * Invariant: no fact is typed a second time here; this file only names the files. Over 250 lines because every file
 * gets its type here. A specifier that ends in `?text` gives a file's text (build.ts and tests/load-sql.ts resolve
 * it).
 */
import agents from '../../contract/agents.json' with { type: 'json' };
import cluster from '../../contract/cluster.json' with { type: 'json' };
import config from '../../contract/config.json' with { type: 'json' };
import fields from '../../contract/fields.json' with { type: 'json' };
import file from '../../contract/file.sql?text';
import formats from '../../contract/formats.json' with { type: 'json' };
import limits from '../../contract/limits.json' with { type: 'json' };
import openHour from '../../contract/loads/0002_open_hour.sql?text';
import metrics from '../../contract/metrics.json' with { type: 'json' };
import schemaSql from '../../contract/migrations/0001_init.sql?text';
import openapi from '../../contract/openapi.json?text';
import otlp from '../../contract/otlp.json' with { type: 'json' };
import pragmas from '../../contract/pragmas.sql?text';
import commonSecrets from '../../contract/redact/secrets.json?text';
import routes from '../../contract/routes.json' with { type: 'json' };
import rpc from '../../contract/rpc.json?text';
import schema from '../../contract/schema.json' with { type: 'json' };
import version from '../../contract/VERSION?text';
import vocabulary from '../../contract/vocabulary.json' with { type: 'json' };
import server from '../package.json' with { type: 'json' };

export const VOCABULARY = vocabulary;
export const LIMITS = limits;
export const FIELDS_FILE = fields;
/** The file of `--redact` that is inside of the program (rule RED-01). */
export const COMMON_SECRETS: string = commonSecrets;
export const OPENAPI: string = openapi;
export const CONTRACT_VERSION: string = version.trim();
export const SERVER_VERSION: string = server.version;
/** The oldest Node that runs the server, such as 22.14: the first with the Node-API of the native SQLite module. */
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
}

/** Status and text of an error code, from `vocabulary.json`. */
export interface ErrorSpec {
  readonly status: number;
  readonly text: string;
  /** Seconds for the header `Retry-After`. */
  readonly retry_after_s?: number;
}

/** One family of `metrics.json`. */
export interface FamilySpec {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, without infinity. */
  readonly buckets?: readonly number[];
}

/** The content of `metrics.json`. */
interface MetricsSpec {
  readonly content_type: string;
  /** Replaces a method or a path that is in no list. */
  readonly other: string;
  readonly values: {
    readonly method: readonly string[];
    readonly status: readonly number[];
    readonly outcome: readonly string[];
    readonly source: readonly string[];
    readonly mode: readonly string[];
    readonly result: readonly string[];
  };
  readonly families: readonly FamilySpec[];
}

export const METRICS: MetricsSpec = metrics;

/** A query parameter as `routes.json` describes it. */
export interface ParameterSpec {
  /** Name in the query string. */
  readonly name: string;
  readonly type: 'text' | 'choice' | 'timestamp' | 'integer' | 'topics';
  /** For a choice: the values, or the name of their list in the vocabulary. */
  readonly values?: readonly string[] | string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The most UTF-8 bytes of a text. */
  readonly bytes?: number;
  /** The maximum for an export (rule FMT-09). */
  readonly export_maximum?: number;
  /** Whether a request must have it. */
  readonly required?: boolean;
  /** The parameter that this one requires. */
  readonly needs?: string;
  /** The default value. For topics it is a list, as in a query string. */
  readonly default?: number | string;
}

type FormatName = keyof typeof formats.formats;

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

export interface RouteSpec {
  readonly path: string;
  readonly methods: readonly string[];
  /** The media type of its response. */
  readonly produces: string;
  /** Formats that `Accept` selects from, for GET, or for POST where there is no GET (rule HTT-13). */
  readonly formats?: readonly FormatName[];
  /** Formats of the bodies that it reads (rule BOD-02). */
  readonly reads?: readonly FormatName[];
  /** Keys of `PARAMETERS`, in the order of their checks. */
  readonly parameters: readonly string[];
  /** Lists of methods that have their own parameters, and refuse all others. */
  readonly own_parameters?: Readonly<Record<string, readonly string[]>>;
  /** Whether it needs no token (rule SEC-06). */
  readonly free?: boolean;
  /** Whether it exists with `--bench` alone (rule BEN-01). */
  readonly bench?: boolean;
}

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

export const ROUTES = routes.routes as readonly RouteSpec[];
export const PARAMETERS = routes.parameters as Readonly<Record<string, ParameterSpec>>;

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

export interface OptionSpec {
  readonly name: string;
  readonly env: string;
  /** A switch takes no value on the command line; its variable is `true` or `false`. */
  readonly type: 'text' | 'integer' | 'choice' | 'list' | 'switch';
  readonly default: string | number | readonly string[] | null;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The option whose value is the lower bound of this value. */
  readonly at_least?: string;
  readonly choices?: readonly string[];
  /** The switch that excludes this option. */
  readonly excludes?: string;
  /** The option that this one requires. */
  readonly needs?: string;
  /** The value that names a file inside of the program. */
  readonly builtin?: string;
  /** The placeholder of the value in the help; absent for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** A command: work on a database without a server (rule PRO-15). */
export interface CommandSpec {
  readonly name: 'backup' | 'restore' | 'dump' | 'load' | 'verify';
  /** The name of its one argument; null for a command without one. */
  readonly operand: string | null;
  /** The options that have an effect on it. */
  readonly options: readonly string[];
  readonly help: string;
}

export const CONFIG_SPEC = config as unknown as Omit<typeof config, 'commands' | 'options'> & {
  readonly commands: readonly CommandSpec[];
  readonly options: readonly OptionSpec[];
};

/** The schema of a new file (rule STO-10). */
export const SCHEMA_SQL: string = schemaSql;
/** What follows the rows of a dump whose schema is below each number, in their order (rule BAK-05). */
export const LOADS: readonly (readonly [number, string])[] = [[2, openHour]];
export const SCHEMA: SchemaFacts = schema;

/** Returns a message with its `{names}` filled in. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
