/** What was spent today and this week, by project, by model and by agent. */
import { signal } from '@preact/signals';
import type { Cost, Session, SessionPage, Spent, Stats } from './api.ts';
import {
  byCost,
  type Costs,
  costsOfSession,
  costsOfSpent,
  costsOfStats,
  isSpent,
  NO_COST,
  sumOfCosts,
} from './costs.ts';
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

export async function pullSpending(now: Date, zone: string | null, signal: AbortSignal): Promise<Spending> {
  const [today, week] = [sinceOf('today', now, zone), sinceOf('week', now, zone)];
  const costSince = (from: string) => getJson<Cost>(`/api/stats/cost?since=${from}&limit=1`, signal);
  const sumsSince = (from: string, agent?: string) => {
    const query = new URLSearchParams({ since: from, ...(agent !== undefined && { agent_type: agent }) });
    return getJson<Stats>(`/api/stats?${query}`, signal);
  };
  const expense = async (name: string | null, agent?: string) => {
    const [ofToday, ofWeek] = await Promise.all([sumsSince(today, agent), sumsSince(week, agent)]);
    return { name, today: costsOfStats(ofToday), week: costsOfStats(ofWeek), agents: ofWeek.agents };
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
  return sumOfCosts(sessions.map(costsOfSession));
}

/** Joins the lists of today and of the week, which contains today. */
export function joined(today: readonly Spent[], week: readonly Spent[]): Expense[] {
  const byName = new Map(today.map((one) => [one.name, costsOfSpent(one)]));
  return spentOnly(
    week.map((one) => ({ name: one.name, today: byName.get(one.name) ?? NO_COST, week: costsOfSpent(one) })),
  );
}

/** Returns what has cost something or has tokens without a price, the most expensive first. */
function spentOnly(list: readonly Expense[]): Expense[] {
  return list.filter(({ week }) => isSpent(week)).sort((one, other) => byCost(one.week, other.week));
}
