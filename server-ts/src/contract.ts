/**
 * Embeds the files of `contract/`, so that both servers share their facts.
 *
 * What must stay true: no fact is typed a second time here; this file only names the files.
 * Over 250 lines because every file gets its type here.
 * A specifier that ends in `?text` gives a file's text (build.ts and tests/load-sql.ts resolve it).
 */
import claudeCodeAgent from '../../contract/agents/claude-code.json' with { type: 'json' };
import codexAgent from '../../contract/agents/codex.json' with { type: 'json' };
import geminiCliAgent from '../../contract/agents/gemini-cli.json' with { type: 'json' };
import genAiAgent from '../../contract/agents/gen-ai.json' with { type: 'json' };
import config from '../../contract/config.json' with { type: 'json' };
import fields from '../../contract/fields.json' with { type: 'json' };
import formats from '../../contract/formats.json' with { type: 'json' };
import claudeCode from '../../contract/hooks/claude-code.json' with { type: 'json' };
import codex from '../../contract/hooks/codex.json' with { type: 'json' };
import limits from '../../contract/limits.json' with { type: 'json' };
import migration1 from '../../contract/migrations/0001_init.sql?text';
import openapi from '../../contract/openapi.json?text';
import otlp from '../../contract/otlp.json' with { type: 'json' };
import pragmas from '../../contract/pragmas.sql?text';
import routes from '../../contract/routes.json' with { type: 'json' };
import rpc from '../../contract/rpc.json?text';
import version from '../../contract/VERSION?text';
import vocabulary from '../../contract/vocabulary.json' with { type: 'json' };
import server from '../package.json' with { type: 'json' };

export const VOCABULARY = vocabulary;
export const LIMITS = limits;
export const FIELDS_FILE = fields;
export const OPENAPI: string = openapi;
export const CONTRACT_VERSION: string = version.trim();
export const SERVER_VERSION: string = server.version;
export const PRAGMAS: string = pragmas;
/** What the health answer asks of SQLite: those pragmas in their order, and what no pragma file can say (rule HEA-01). */
export const REPORTED_PRAGMAS: readonly string[] = [
  ...[...pragmas.matchAll(/^PRAGMA (\w+)/gm)].map(([, name]) => name!),
  'synchronous',
  'page_size',
];

/** Status and text of an error code as `vocabulary.json` has them. */
export interface ErrorSpec {
  readonly status: number;
  readonly text: string;
  /** Seconds, for `Retry-After`. */
  readonly retry_after_s?: number;
}

/** A query parameter as `routes.json` describes it. */
export interface ParameterSpec {
  /** As it stands in the query string. */
  readonly name: string;
  readonly type: 'text' | 'choice' | 'timestamp' | 'integer' | 'topics';
  /** Of a choice: the values, or the list of the vocabulary that holds them. */
  readonly values?: readonly string[] | string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The maximum where the answer is an export (rule FMT-09). */
  readonly export_maximum?: number;
  /** The parameter without which it must not be given. */
  readonly needs?: string;
  /** Of topics: their list as it would be given. */
  readonly default?: number | string;
}

type FormatName = keyof typeof formats.formats;

/** What the contract says of a format. */
export interface FormatSpec {
  /** Its media type, then the aliases. */
  readonly media_types: readonly string[];
  /** The one parameter that `Content-Type` may have, with its only value. */
  readonly parameter?: { readonly name: string; readonly value: string };
  /** What follows the media type of an answer. */
  readonly answer_suffix: string;
}

export const FORMATS = formats.formats as Readonly<Record<FormatName, FormatSpec>>;

export interface RouteSpec {
  readonly path: string;
  readonly methods: readonly string[];
  /** The media type of its answer. */
  readonly produces: string;
  /** The formats among which `Accept` chooses the answer to GET, or to POST where there is no GET (rule HTT-13). */
  readonly formats?: readonly FormatName[];
  /** The formats of the bodies that it reads (rule BOD-02). */
  readonly reads?: readonly FormatName[];
  /** Keys of `PARAMETERS`, in the order in which they are checked. */
  readonly parameters: readonly string[];
  /** Open without a token (rule SEC-06). */
  readonly free?: boolean;
  /** Exists with `--bench` alone (rule BEN-01). */
  readonly bench?: boolean;
}

/** The methods and types of typed calls, as they are served. */
export const RPC_TEXT: string = rpc;

/** `rpc.json`, whose types are names. */
interface RpcSpec {
  readonly dictionaries: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly methods: Readonly<
    Record<
      string,
      {
        readonly params: readonly {
          readonly type: string;
          /** The route whose query parameters the options are. */
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

/** What a hook of an agent becomes (rule HOK-02). */
export interface HookEntry {
  readonly event_type: string;
  readonly status?: string;
  readonly same?: Same;
}

/** What an event is about; two events about the same thing are one (rule OTL-09). */
export interface Same {
  readonly kind: string;
  readonly key: string;
}

/** Where a field of the event stands in the hook's payload. */
export interface HookField {
  readonly field: string;
  readonly key: string;
  readonly take?: string;
  readonly default?: string;
  /** The hooks that have it; of all where there is no list. */
  readonly hooks?: readonly string[];
}

/** What a hook means for the waits of its session (rule WAI-01). */
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
  /** The key of the hook's name. */
  readonly name_key: string;
  readonly agent_type: string;
  readonly source: string;
  readonly fields: readonly HookField[];
  /** What a summary of a large payload begins with (rule HOK-03). */
  readonly summary_keys: readonly string[];
  readonly hooks: Readonly<Record<string, HookEntry>>;
  /** Of a hook that is none of these. */
  readonly other: HookEntry;
  readonly waits: Readonly<Record<string, HookWaits>>;
}

/** `hooks/*.json`, by the last segment of their routes. */
export const HOOK_FILES: Readonly<Record<string, HookSpec>> = {
  'claude-code': claudeCode as HookSpec,
  codex: codex as HookSpec,
};

/** A field of a message of OTLP: its number in Protobuf, its name in JSON, its type. */
type OtlpField = readonly [number: number, name: string, type: string];

/** What a path of OTLP takes. */
export interface OtlpRequest {
  readonly message: string;
  readonly signal: string;
  /** The member of an answer that counts what was rejected. */
  readonly rejected: string;
}

interface OtlpSpec {
  readonly requests: Readonly<Record<string, OtlpRequest>>;
  readonly agents: readonly string[];
  readonly messages: Readonly<Record<string, readonly OtlpField[]>>;
  readonly reasons: readonly string[];
  /** The code of a `google.rpc.Status` for each status of HTTP. */
  readonly status_codes: Readonly<Record<string, number>>;
}

export const OTLP = otlp as unknown as OtlpSpec;

/** Where a field of an event stands in a record (rule OTL-07). */
export interface AgentField {
  readonly field: string;
  readonly keys: readonly string[];
  readonly plus?: readonly string[];
  readonly less?: readonly string[];
}

/** What a record of an agent becomes. */
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

/** What an agent's telemetry becomes (rules OTL-05 to OTL-09). */
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

export interface OptionSpec {
  readonly name: string;
  readonly env: string;
  /** A switch takes no value on the command line; its variable is `true` or `false`. */
  readonly type: 'text' | 'integer' | 'choice' | 'list' | 'switch';
  readonly default: string | number | readonly string[] | null;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The option whose value this one must reach. */
  readonly at_least?: string;
  readonly choices?: readonly string[];
  /** The switch that must not be on where this option is given. */
  readonly excludes?: string;
  /** Nothing for a switch. */
  readonly value?: string;
  readonly help: string;
}

export const CONFIG_SPEC = config as Omit<typeof config, 'options'> & {
  readonly options: readonly OptionSpec[];
};

/** The steps from an empty file to the newest schema: step N leads from schema N - 1 to N. */
export const MIGRATIONS: readonly string[] = [migration1];
/** The schema that the last step leads to; `user_version` in the file. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** A message with its `{names}` filled in. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
