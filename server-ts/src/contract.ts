/**
 * Embeds the files of `contract/`, so that both servers share their facts.
 *
 * Invariant: no fact is typed a second time here; this file only names the files. `pnpm contract:update` writes the
 * modules of `contract/`. A specifier that ends in `?text` gives a file's text (build.ts and tests/load-sql.ts resolve
 * it).
 */
import claudeCodeAgent from '../../contract/agents/claude-code.json' with { type: 'json' };
import codexAgent from '../../contract/agents/codex.json' with { type: 'json' };
import geminiCliAgent from '../../contract/agents/gemini-cli.json' with { type: 'json' };
import genAiAgent from '../../contract/agents/gen-ai.json' with { type: 'json' };
import cluster from '../../contract/cluster.json' with { type: 'json' };
import fields from '../../contract/fields.json' with { type: 'json' };
import file from '../../contract/file.sql?text';
import formats from '../../contract/formats.json' with { type: 'json' };
import claudeCode from '../../contract/hooks/claude-code.json' with { type: 'json' };
import codex from '../../contract/hooks/codex.json' with { type: 'json' };
import openHour from '../../contract/loads/0002_open_hour.sql?text';
import schemaSql from '../../contract/migrations/0001_init.sql?text';
import openapi from '../../contract/openapi.json?text';
import otlp from '../../contract/otlp.json' with { type: 'json' };
import pragmas from '../../contract/pragmas.sql?text';
import commonSecrets from '../../contract/redact/secrets.json?text';
import rpc from '../../contract/rpc.json?text';
import schema from '../../contract/schema.json' with { type: 'json' };
import version from '../../contract/VERSION?text';
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

/** The event that a hook becomes (rule HOK-02). */
export interface HookEntry {
  readonly event_type: string;
  readonly status?: string;
  readonly same?: Same;
}

/** The subject of an event; two events with the same subject are duplicates (rule OTL-09). */
export interface Same {
  readonly kind: string;
  readonly key: string;
}

/** The source of an event's field in the hook's payload. */
export interface HookField {
  readonly field: string;
  readonly key: string;
  readonly take?: string;
  readonly default?: string;
  /** The hooks that have the field; absent means all hooks. */
  readonly hooks?: readonly string[];
}

/** Effect of a hook on the waits of its session (rule WAI-01). */
interface HookWaits {
  readonly ends?: 'agent' | 'session';
  readonly reminds?: boolean;
  readonly begins?: readonly {
    readonly reason: string;
    readonly key?: string;
    readonly values?: readonly string[];
  }[];
}

/** A file of `hooks/`. */
export interface HookSpec {
  /** The key that holds the hook's name. */
  readonly name_key: string;
  readonly agent_type: string;
  readonly source: string;
  readonly fields: readonly HookField[];
  /** Keys at the start of a large payload's summary (rule HOK-03). */
  readonly summary_keys: readonly string[];
  readonly hooks: Readonly<Record<string, HookEntry>>;
  /** The entry for every other hook. */
  readonly other: HookEntry;
  readonly waits: Readonly<Record<string, HookWaits>>;
}

/** The files `hooks/*.json`, by the last segment of their routes. */
export const HOOK_FILES: Readonly<Record<string, HookSpec>> = {
  'claude-code': claudeCode as HookSpec,
  codex: codex as HookSpec,
};

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
  readonly agents: readonly string[];
  readonly messages: Readonly<Record<string, readonly OtlpField[]>>;
  readonly reasons: readonly string[];
  /** How to correct a path that is almost an address (rule OTL-13). */
  readonly wrong_path: string;
  /** The `google.rpc.Status` code for each HTTP status. */
  readonly status_codes: Readonly<Record<string, number>>;
}

export const OTLP = otlp as unknown as OtlpSpec;

/** The source of an event's field in a record (rule OTL-07). */
export interface AgentField {
  readonly field: string;
  readonly keys: readonly string[];
  readonly plus?: readonly string[];
  readonly less?: readonly string[];
}

/** The event that an agent's record becomes. */
export interface AgentEntry {
  readonly when?: Readonly<Record<string, string>>;
  readonly event_type: string;
  readonly status?: {
    readonly key: string;
    readonly error?: readonly string[];
    readonly error_unless?: readonly string[];
  };
  readonly same?: Same;
  readonly fields?: readonly AgentField[];
}

type AgentEntries = Readonly<Record<string, 'noise' | readonly ('noise' | AgentEntry)[]>>;

/** Mapping of an agent's telemetry (rules OTL-05 to OTL-09). */
export interface AgentSpec {
  readonly agent_type: string;
  readonly scopes: readonly string[];
  readonly services: readonly string[];
  readonly attribute_prefix?: string;
  readonly agent_type_keys?: readonly string[];
  readonly name_keys: readonly string[];
  readonly name_prefix: string;
  readonly dropped_keys: readonly string[];
  readonly fields: readonly AgentField[];
  readonly event_id: readonly string[];
  readonly logs: AgentEntries;
  readonly spans: AgentEntries;
}

/** The mappings by the names of their files. */
export const AGENT_FILES: Readonly<Record<string, AgentSpec>> = {
  'claude-code': claudeCodeAgent as unknown as AgentSpec,
  codex: codexAgent as unknown as AgentSpec,
  'gemini-cli': geminiCliAgent as unknown as AgentSpec,
  'gen-ai': genAiAgent as unknown as AgentSpec,
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
