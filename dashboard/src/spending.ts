/** What was spent today and this week, by project, by model and by agent. */
import { signal } from '@preact/signals';
import type { Cost, Session, SessionPage, Spent, Stats } from './api.ts';
import type { Costs } from './cost-text.ts';
import { sinceOf } from './range.ts';
import { getJson } from './request.ts';
import { hasTwins } from './titles.ts';

export const GROUPS = ['project', 'model', 'agent'] as const;
export type Group = (typeof GROUPS)[number];

export interface Expense {
  readonly name: string | null;
  readonly today: Costs;
  readonly week: Costs;
}

export interface Spending extends Readonly<Record<Group | 'all', readonly Expense[]>> {
  /** The newest sessions of this week, while projects of one name have several folders. */
  readonly sessions: readonly Session[];
  /** The beginning of today, as text. */
  readonly today: string;
}

export const spending = signal<Spending | null>(null);

/** Number of agents whose cost is fetched: one request for each, since no list has it. */
const MOST_AGENTS = 8;
const MOST_SESSIONS = 100;
export const NO_COST: Costs = { reported: 0, computed: 0 };

export async function pullSpending(now: Date, zone: string | null, signal: AbortSignal): Promise<Spending> {
  const [today, week] = [sinceOf('today', now, zone), sinceOf('week', now, zone)];
  const costSince = (from: string) => getJson<Cost>(`/api/stats/cost?since=${from}&limit=1`, signal);
  const sumsSince = (from: string, agent?: string) => {
    const query = new URLSearchParams({ since: from, ...(agent !== undefined && { agent_type: agent }) });
    return getJson<Stats>(`/api/stats?${query}`, signal);
  };
  const expense = async (name: string | null, agent?: string) => {
    const [ofToday, ofWeek] = await Promise.all([sumsSince(today, agent), sumsSince(week, agent)]);
    return { name, today: costOfAll(ofToday), week: costOfAll(ofWeek), agents: ofWeek.agents };
  };
  const newest = hasTwins.peek()
    ? (await getJson<SessionPage>(`/api/sessions?since=${week}&limit=${MOST_SESSIONS}`, signal)).sessions
    : [];
  const [ofToday, ofWeek, all] = await Promise.all([costSince(today), costSince(week), expense(null)]);
  const agents: Expense[] = [];
  const names = all.agents.flatMap(({ name }) => name ?? []).slice(0, MOST_AGENTS);
  // One after the other: a browser has few connections.
  for (const name of names) agents.push(await expense(name, name));
  return {
    sessions: newest,
    today,
    all: [all],
    project: joined(ofToday.by_project, ofWeek.by_project),
    model: joined(ofToday.by_model, ofWeek.by_model),
    agent: spentOnly(agents),
  };
}

/** Returns the cost of sessions, each counted whole, by folder. Those that are active today count today. */
export function byFolder(
  sessions: readonly Session[],
  today: string,
  folderOf: (session: Session) => string | null,
): ReadonlyMap<string, Expense> {
  const known = sessions.filter((session) => folderOf(session) !== null);
  return new Map(
    [...Map.groupBy(known, (session) => folderOf(session)!)].map(([name, of]) => [
      name,
      { name, today: sumOfSessions(of.filter((one) => one.last_event_at >= today)), week: sumOfSessions(of) },
    ]),
  );
}

function sumOfSessions(sessions: readonly Session[]): Costs {
  return {
    reported: sessions.reduce((sum, { total_cost_usd }) => sum + total_cost_usd, 0),
    computed: sessions.reduce((sum, { total_computed_cost_usd }) => sum + total_computed_cost_usd, 0),
  };
}

/** Joins the lists of today and of the week, which contains today. */
export function joined(today: readonly Spent[], week: readonly Spent[]): Expense[] {
  const byName = new Map(today.map((one) => [one.name, costsOf(one)]));
  return spentOnly(
    week.map((one) => ({ name: one.name, today: byName.get(one.name) ?? NO_COST, week: costsOf(one) })),
  );
}

function costOfAll({ total_cost_usd, total_computed_cost_usd }: Stats): Costs {
  return { reported: total_cost_usd, computed: total_computed_cost_usd };
}

function costsOf({ cost_usd, computed_cost_usd }: Spent): Costs {
  return { reported: cost_usd, computed: computed_cost_usd };
}

const sumOf = ({ reported, computed }: Costs) => reported + computed;

/** Returns what has cost something, the most expensive first. */
function spentOnly(list: readonly Expense[]): Expense[] {
  return list.filter(({ week }) => sumOf(week) > 0).sort((a, b) => sumOf(b.week) - sumOf(a.week));
}
