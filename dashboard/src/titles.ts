/**
 * Titles of sessions: the project and the first prompt, or the start time.
 *
 * The list of sessions has no prompts. They are fetched one after the other, only for listed sessions, and once: a
 * first prompt does not change.
 */
import { computed, signal } from '@preact/signals';
import type { Session } from './api.ts';
import { sessions } from './figures.ts';
import { dateTime, legible, timeOfDay } from './format.ts';
import { wholePage } from './long-search.ts';
import { summaryOf } from './summary.ts';
import { serverNow } from './time.ts';

const DAY_MS = 86_400_000;
const MOST = 120;

/** Number of listed sessions. */
export const listedCount = signal(0);
/** The first prompts by session id. */
const prompts = signal<ReadonlyMap<string, string>>(new Map());
/** The newest event of each session when its prompt was fetched. */
const asked = signal<ReadonlyMap<string, number>>(new Map());

/** Listed sessions whose prompt was never fetched. */
export const unasked = computed(() => listed().some(({ id }) => !asked.value.has(id)));

function listed(): Session[] {
  const all = sessions.value ?? [];
  // In the order of the list: sessions that need an answer come first.
  const [first, others] = [true, false].map((isFirst) =>
    all.filter(({ status }) => (status === 'waiting') === isFirst),
  );
  return [...first!, ...others!].slice(0, listedCount.value).map(({ session }) => session);
}

export async function pullPrompts(signal: AbortSignal): Promise<void> {
  for (const { id, last_event_id } of listed()) {
    if (prompts.value.has(id) || asked.value.get(id) === last_event_id) continue;
    const query = new URLSearchParams({
      session_id: id,
      event_type: 'user_prompt',
      order: 'asc',
    });
    const { events } = await wholePage('events', query, 1, signal);
    asked.value = new Map(asked.value).set(id, last_event_id);
    if (events[0] !== undefined) prompts.value = new Map(prompts.value).set(id, summaryOf(events[0]));
  }
}

export function titleOf({ id, project, agent_type, started_at }: Session): string {
  const prompt = prompts.value.get(id);
  const what = prompt === undefined || prompt === '' ? `began ${clock(new Date(started_at))}` : prompt;
  return legible(`${project ?? agent_type} · ${what}`, MOST);
}

/** Formats `14:02`, with the day when it differs. */
export function clock(at: Date): string {
  const isRecent = serverNow() - at.getTime() < DAY_MS / 2;
  return isRecent ? timeOfDay(at).slice(0, 5) : dateTime(at).slice(0, 16);
}
