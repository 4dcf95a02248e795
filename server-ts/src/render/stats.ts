/** Renders the rows of the statistics as JSON text (rules STA-01 to STA-03, GET-08). */
import { type FlatRow, type Member, members, renderList, renderMembers } from '../render.ts';
import { formatTimestamp } from '../timestamp.ts';

/** The effective hours, in Unix milliseconds; the end is exclusive (rule STA-05). */
interface UsedRange {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

interface StatsRows {
  readonly totals: FlatRow;
  readonly sessions: FlatRow;
  readonly tools: readonly FlatRow[];
  readonly agents: readonly FlatRow[];
  readonly models: readonly FlatRow[];
  readonly eventTypes: readonly FlatRow[];
  readonly branches: readonly FlatRow[];
  readonly range: UsedRange;
}

export function renderStats(rows: StatsRows): string {
  const [first, ...others] = members(rows.totals);
  return renderMembers([
    first!,
    ...members(rows.sessions),
    ...others,
    ['tools', renderList(rows.tools)],
    ['agents', renderList(rows.agents)],
    ['models', renderList(rows.models)],
    ['event_types', renderList(rows.eventTypes)],
    ['branches', renderList(rows.branches)],
    ...used(rows.range),
  ]);
}

/** Renders the statistics of tools. `name_id` joins a tool with the agents that called it and is not shown. */
export function renderTools(tools: readonly FlatRow[], agents: readonly FlatRow[], range: UsedRange): string {
  const agentsOf = Map.groupBy(agents, (row) => row.name_id);
  const list = tools.map(({ name_id, ...tool }) => {
    const callers = (agentsOf.get(name_id) ?? []).map(({ name_id: _, ...caller }) => caller);
    return renderMembers([...members(tool), ['by_agent', renderList(callers)]]);
  });
  return renderMembers([['tools', `[${list.join(',')}]`], ...used(range)]);
}

export function renderCosts(
  timeline: readonly FlatRow[],
  projects: readonly FlatRow[],
  models: readonly FlatRow[],
  range: UsedRange,
): string {
  return renderMembers([
    ['timeline', renderList(timeline.map(({ hour: _, ...bucket }) => bucket))],
    ['by_project', renderList(projects)],
    ['by_model', renderList(models)],
    ...used(range),
  ]);
}

export function renderCounts(lists: readonly (readonly [kind: string, rows: readonly FlatRow[]])[]): string {
  return renderMembers(lists.map(([kind, rows]) => [kind, renderList(rows)]));
}

/** Returns the members for the effective `since` and `until`, if any (rule STA-05). */
function used({ since, until }: UsedRange): Member[] {
  return Object.entries({ since, until }).flatMap(([name, time]): Member[] =>
    time === undefined ? [] : [[name, `"${formatTimestamp(time)}"`]],
  );
}
