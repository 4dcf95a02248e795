/**
 * Makes the items of a session from its events: model calls, tool calls, and events that belong to none.
 *
 * Pure. Invariant: every event is in exactly one item.
 */
import type { Row } from '../api.ts';
import { toolOf } from '../columns.ts';
import { isObject } from '../hook-summary.ts';
import { type Interval, intervalOf, timeOf } from './interval.ts';

export interface Item {
  readonly kind: 'model' | 'tool' | 'event';
  /** The event that determines its state. */
  readonly row: Row;
  /** All events, in the order of their times. */
  readonly rows: readonly Row[];
  /** The model or the tool; null for an event. */
  readonly name: string | null;
  /** The `agent_id` of a subagent; null for the main agent. */
  readonly lane: string | null;
  readonly start: number;
  /** Null while no event has ended it. */
  readonly end: number | null;
  /** The wait for the user; its end is null while the user has not answered. */
  readonly wait: readonly [number, number | null] | null;
  readonly isError: boolean;
}

/** Tools whose call is a question to the user. */
const ASKING: readonly (string | null)[] = ['AskUserQuestion', 'ExitPlanMode'];
const ENDS: readonly (string | null)[] = ['PostToolUse', 'PostToolUseFailure', 'PermissionDenied'];
const REQUESTS: readonly (string | null)[] = ['PermissionRequest', 'Elicitation'];
const MODEL_ERROR = /\.api_(error|refusal|retries_exhausted)$/;

/** Returns the items in the order of their starts. */
export function itemsOf(rows: readonly Row[]): Item[] {
  const ordered = rows.toSorted((a, b) => timeOf(a) - timeOf(b) || a.id - b.id);
  const calls = new Map<string, Row[]>();
  /** Calls without an end yet, by lane and tool. */
  const open = new Map<string, Row[]>();
  const models: Row[] = [];
  const events: Row[] = [];
  for (const row of ordered) {
    if (isModel(row)) models.push(row);
    else if (row.call_id !== null) {
      const call = calls.get(row.call_id) ?? [];
      call.push(row);
      calls.set(row.call_id, call);
      if (row.source_event === 'PreToolUse') open.set(keyOf(row), call);
    } else if (row.source_event === 'PermissionRequest' && open.has(keyOf(row)))
      open.get(keyOf(row))!.push(row);
    else events.push(row);
  }
  const nextIn = nextOf(ordered);
  return [
    ...[...calls.values()].map(toolItem),
    ...modelItems(models),
    ...events.map((row) =>
      toolOf(row) !== null && row.event_type === 'tool_use' ? toolItem([row]) : eventItem(row, nextIn),
    ),
  ].sort((a, b) => a.start - b.start || a.row.id - b.row.id);
}

/** Some requests for permission have no `call_id`: they belong to the newest call of that tool. */
function keyOf(row: Row): string {
  return `${row.agent_id}\n${toolOf(row)}`;
}

function isModel({ event_type, source_event }: Row): boolean {
  if (event_type === 'llm_request' || event_type === 'llm_response') return true;
  return event_type === 'error' && MODEL_ERROR.test(source_event ?? '');
}

function laneOf(rows: readonly Row[]): string | null {
  return rows.find(({ agent_id }) => agent_id !== null)?.agent_id ?? null;
}

const isBad = ({ status }: Row) => status === 'error' || status === 'timeout';

function toolItem(rows: readonly Row[]): Item {
  const result = rows.find(({ event_type }) => event_type === 'tool_use');
  const ended =
    result ??
    rows.find(({ source_event }) => ENDS.includes(source_event)) ??
    rows.find((row) => /\.tool\.execution$/.test(row.source_event ?? '') || isBad(row));
  const intervals = rows.map(intervalOf);
  // The hook says when the call began. Durations are rounded.
  const began = rows.find(({ source_event }) => source_event === 'PreToolUse');
  const start = began === undefined ? Math.min(...intervals.map(([from]) => from)) : timeOf(began);
  const end = ended === undefined ? null : Math.max(start, intervalOf(ended)[1]);
  const row = ended ?? rows.findLast(({ source }) => source === 'hook') ?? rows.at(-1)!;
  const name = rows.map(toolOf).find((tool) => tool !== null) ?? null;
  const isError = rows.some(isBad);
  return {
    kind: 'tool',
    row,
    rows,
    name,
    lane: laneOf(rows),
    start,
    end,
    wait: waitOf(rows, name, start, end),
    isError,
  };
}

/** Returns when the agent waited for the user before or during the call. */
function waitOf(rows: readonly Row[], name: string | null, start: number, end: number | null): Item['wait'] {
  if (ASKING.includes(name)) return [start, end];
  const span = rows.find(({ source_event }) => /\.blocked_on_user$/.test(source_event ?? ''));
  if (span !== undefined && isByUser(span)) return intervalOf(span);
  const asked = rows.find(({ source_event }) => source_event === 'PermissionRequest');
  const decided = rows.find((row) => /\.tool_decision$/.test(row.source_event ?? '') && isByUser(row));
  if (asked === undefined) return decided === undefined ? null : [start, Math.max(start, timeOf(decided))];
  const from = timeOf(asked);
  if (decided !== undefined) return [from, Math.max(from, timeOf(decided))];
  if (end === null) return [from, null];
  // The result's duration is that of the run alone.
  const ran = rows.find(({ event_type, duration_ms }) => event_type === 'tool_use' && duration_ms !== null);
  return [from, Math.max(from, ran === undefined ? end : intervalOf(ran)[0])];
}

/** Returns whether the user decided, and neither a setting nor a hook. */
function isByUser({ metadata }: Row): boolean {
  const source = isObject(metadata) ? metadata.source : undefined;
  return typeof source === 'string' && /^user/i.test(source);
}

/**
 * Joins requests and responses of models. A response belongs to the request with the same `call_id`, otherwise to the
 * newest one of its lane that began before it ended. An agent may report only one of the two.
 */
function modelItems(rows: readonly Row[]): Item[] {
  const open: Row[][] = [];
  const groups: Row[][] = [];
  for (const row of rows.toSorted((a, b) => intervalOf(a)[1] - intervalOf(b)[1] || a.id - b.id)) {
    const isAnswer = row.event_type !== 'llm_request';
    const at = open.findLastIndex(
      ([other]) => (other!.event_type === 'llm_request') === isAnswer && isSame(other!, row),
    );
    const group = at < 0 ? [] : open.splice(at, 1)[0]!;
    group.push(row);
    if (at >= 0) continue;
    groups.push(group);
    // A failed request has no response.
    if (isAnswer || !isBad(row)) open.push(group);
    if (open.length > 8) open.shift();
  }
  return groups.map(modelItem);
}

function isSame(a: Row, b: Row): boolean {
  if (a.agent_id !== b.agent_id) return false;
  if (a.call_id !== null && b.call_id !== null) return a.call_id === b.call_id;
  const [request, answer] = a.event_type === 'llm_request' ? [a, b] : [b, a];
  const [asked, gone] = intervalOf(request);
  const [from, to] = intervalOf(answer);
  // Without a duration of its own an answer only follows its request.
  return asked <= to && (answer.duration_ms === null || gone >= from);
}

function modelItem(rows: readonly Row[]): Item {
  const row = rows.find(({ event_type }) => event_type !== 'llm_request') ?? rows[0]!;
  const intervals = rows.map(intervalOf);
  return {
    kind: 'model',
    row,
    rows,
    name: rows.find(({ model }) => model !== null)?.model ?? null,
    lane: laneOf(rows),
    start: Math.min(...intervals.map(([from]) => from)),
    end: Math.max(...intervals.map(([, to]) => to)),
    wait: null,
    isError: rows.some(isBad),
  };
}

function eventItem(row: Row, next: (row: Row) => number | null): Item {
  const at = timeOf(row);
  const wait = REQUESTS.includes(row.source_event) ? ([at, next(row)] as const) : null;
  return {
    kind: 'event',
    row,
    rows: [row],
    name: null,
    lane: row.agent_id,
    start: at,
    end: at,
    wait,
    isError: isBad(row),
  };
}

/** The next event of an agent ends its wait, as in rule WAI-02. */
function nextOf(ordered: readonly Row[]): (row: Row) => number | null {
  return (row) => {
    const at = ordered.indexOf(row);
    const next = ordered.find(
      (other, i) =>
        i > at &&
        other.agent_id === row.agent_id &&
        other.source === 'hook' &&
        other.source_event !== 'Notification',
    );
    return next === undefined ? null : timeOf(next);
  };
}

/** Returns the wait as an interval; one without an end lasts until `now`. */
export function waitedIn({ wait }: Item, now: number): Interval | null {
  return wait === null ? null : [wait[0], Math.max(wait[0], wait[1] ?? now)];
}
