/**
 * Embeds the files of `contract/`, so that both servers share their facts.
 *
 * What must stay true: no fact is typed a second time here; this file only names the files.
 * A specifier that ends in `?text` gives a file's text (build.ts and tests/load-sql.ts resolve it).
 */
import config from '../../contract/config.json' with { type: 'json' };
import fields from '../../contract/fields.json' with { type: 'json' };
import claudeCode from '../../contract/hooks/claude-code.json' with { type: 'json' };
import limits from '../../contract/limits.json' with { type: 'json' };
import migration1 from '../../contract/migrations/0001_init.sql?text';
import openapi from '../../contract/openapi.json?text';
import pragmas from '../../contract/pragmas.sql?text';
import deleteEventKeyBlocks from '../../contract/queries/delete_event_key_blocks.sql?text';
import deleteEventKeyRun from '../../contract/queries/delete_event_key_run.sql?text';
import deleteEventKeyTail from '../../contract/queries/delete_event_key_tail.sql?text';
import deleteSessionWait from '../../contract/queries/delete_session_wait.sql?text';
import deleteSessionWaits from '../../contract/queries/delete_session_waits.sql?text';
import insertEvent from '../../contract/queries/insert_event.sql?text';
import insertEventKeyBlock from '../../contract/queries/insert_event_key_block.sql?text';
import insertEventKeyRun from '../../contract/queries/insert_event_key_run.sql?text';
import insertEventKeyTail from '../../contract/queries/insert_event_key_tail.sql?text';
import insertName from '../../contract/queries/insert_name.sql?text';
import selectAgents from '../../contract/queries/select_agents.sql?text';
import selectCalls from '../../contract/queries/select_calls.sql?text';
import selectCostTimeline from '../../contract/queries/select_cost_timeline.sql?text';
import selectCosts from '../../contract/queries/select_costs.sql?text';
import selectCounts from '../../contract/queries/select_counts.sql?text';
import selectEpoch from '../../contract/queries/select_epoch.sql?text';
import selectEvent from '../../contract/queries/select_event.sql?text';
import selectEventBlock from '../../contract/queries/select_event_block.sql?text';
import selectEventKeyBlock from '../../contract/queries/select_event_key_block.sql?text';
import selectEventKeyRuns from '../../contract/queries/select_event_key_runs.sql?text';
import selectEventKeyTail from '../../contract/queries/select_event_key_tail.sql?text';
import selectEventSpan from '../../contract/queries/select_event_span.sql?text';
import selectEventsNewest from '../../contract/queries/select_events_newest.sql?text';
import selectEventsOldest from '../../contract/queries/select_events_oldest.sql?text';
import selectFirstEventKeyTail from '../../contract/queries/select_first_event_key_tail.sql?text';
import selectLastEventId from '../../contract/queries/select_last_event_id.sql?text';
import selectLastKeyedEventId from '../../contract/queries/select_last_keyed_event_id.sql?text';
import selectLastSessionKey from '../../contract/queries/select_last_session_key.sql?text';
import selectName from '../../contract/queries/select_name.sql?text';
import selectSession from '../../contract/queries/select_session.sql?text';
import selectSessionKey from '../../contract/queries/select_session_key.sql?text';
import selectSessionRevision from '../../contract/queries/select_session_revision.sql?text';
import selectSessionTotals from '../../contract/queries/select_session_totals.sql?text';
import selectSessions from '../../contract/queries/select_sessions.sql?text';
import selectToolAgents from '../../contract/queries/select_tool_agents.sql?text';
import selectTools from '../../contract/queries/select_tools.sql?text';
import selectTotals from '../../contract/queries/select_totals.sql?text';
import updateEventKeyRun from '../../contract/queries/update_event_key_run.sql?text';
import updateLastKeyedEventId from '../../contract/queries/update_last_keyed_event_id.sql?text';
import updateNothing from '../../contract/queries/update_nothing.sql?text';
import upsertEventBlock from '../../contract/queries/upsert_event_block.sql?text';
import upsertEventSpan from '../../contract/queries/upsert_event_span.sql?text';
import upsertHour from '../../contract/queries/upsert_hour.sql?text';
import upsertSession from '../../contract/queries/upsert_session.sql?text';
import upsertSessionWait from '../../contract/queries/upsert_session_wait.sql?text';
import upsertStats from '../../contract/queries/upsert_stats.sql?text';
import routes from '../../contract/routes.json' with { type: 'json' };
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
  /** The parameter without which it must not be given. */
  readonly needs?: string;
  /** Of topics: their list as it would be given. */
  readonly default?: number | string;
}

export interface RouteSpec {
  readonly path: string;
  readonly methods: readonly string[];
  /** The media type of its answer. */
  readonly produces: string;
  /** Keys of `PARAMETERS`, in the order in which they are checked. */
  readonly parameters: readonly string[];
  /** Open without a token (rule SEC-06). */
  readonly free?: boolean;
}

export const ROUTES: readonly RouteSpec[] = routes.routes;
export const PARAMETERS = routes.parameters as Readonly<Record<string, ParameterSpec>>;

/** What a hook of an agent becomes (rule HOK-02). */
export interface HookEntry {
  readonly event_type: string;
  readonly status?: string;
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

interface HookSpec {
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

export const CLAUDE_CODE = claudeCode as HookSpec;

export interface OptionSpec {
  readonly name: string;
  readonly env: string;
  readonly type: 'text' | 'integer' | 'choice' | 'list';
  readonly default: string | number | readonly string[] | null;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The option whose value this one must reach. */
  readonly at_least?: string;
  readonly choices?: readonly string[];
  readonly value: string;
  readonly help: string;
}

export const CONFIG_SPEC = config as Omit<typeof config, 'options'> & {
  readonly options: readonly OptionSpec[];
};

/** The steps from an empty file to the newest schema: step N leads from schema N - 1 to N. */
export const MIGRATIONS: readonly string[] = [migration1];
/** The schema that the last step leads to; `user_version` in the file. */
export const SCHEMA_VERSION = MIGRATIONS.length;

export const QUERIES = {
  deleteEventKeyBlocks,
  deleteEventKeyRun,
  deleteEventKeyTail,
  deleteSessionWait,
  deleteSessionWaits,
  insertEvent,
  insertEventKeyBlock,
  insertEventKeyRun,
  insertEventKeyTail,
  insertName,
  selectAgents,
  selectCalls,
  selectCostTimeline,
  selectCosts,
  selectCounts,
  selectEpoch,
  selectEvent,
  selectEventBlock,
  selectEventKeyBlock,
  selectEventKeyRuns,
  selectEventKeyTail,
  selectEventSpan,
  selectEventsNewest,
  selectEventsOldest,
  selectFirstEventKeyTail,
  selectLastEventId,
  selectLastKeyedEventId,
  selectLastSessionKey,
  selectName,
  selectSession,
  selectSessionKey,
  selectSessionRevision,
  selectSessionTotals,
  selectSessions,
  selectToolAgents,
  selectTools,
  selectTotals,
  updateEventKeyRun,
  updateLastKeyedEventId,
  updateNothing,
  upsertEventBlock,
  upsertEventSpan,
  upsertHour,
  upsertSession,
  upsertSessionWait,
  upsertStats,
} as const satisfies Record<string, string>;

/** A message with its `{names}` filled in. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
