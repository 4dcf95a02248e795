/**
 * Titles of sessions: the project and the first prompt, or the start time. The end of their folders
 * distinguishes projects of one name.
 *
 * The list of sessions has no prompts. They are fetched one after the other, only for listed sessions, and once: a
 * first prompt does not change.
 */
import { computed, signal } from '@preact/signals';
import type { EventPage, Row, Session } from './api.ts';
import { sessions } from './figures.ts';
import { dateTime, legible, timeOfDay } from './format.ts';
import { wholePage } from './long-search.ts';
import { labelsOf } from './paths.ts';
import { getJson } from './request.ts';
import { pathIn } from './session/path.ts';
import { isHidden, summaryOf } from './summary.ts';
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
    const prompt = await firstPrompt(id, signal);
    asked.value = new Map(asked.value).set(id, last_event_id);
    if (prompt !== undefined) prompts.value = new Map(prompts.value).set(id, summaryOf(prompt));
  }
}

/** Fetches the first prompt that is readable: a hook has the text, telemetry may hide it. */
async function firstPrompt(id: string, signal: AbortSignal): Promise<Row | undefined> {
  for (const filter of [{ source_event: 'UserPromptSubmit' }, { event_type: 'user_prompt' }]) {
    const query = new URLSearchParams({ session_id: id, ...filter, order: 'asc' });
    const { events } = await wholePage('events', query, 1, signal);
    notePath(id, pathIn(events));
    if (events[0] !== undefined && !isHidden(events[0])) return events[0];
  }
  return undefined;
}

/** The folders by session id; null for a session whose events name none. */
const paths = signal<ReadonlyMap<string, string | null>>(new Map());
const labels = computed(() => labelsOf([...paths.value.values()].filter((path) => path !== null)));

function notePath(id: string, path: string | null): void {
  if (path !== null || !paths.value.has(id)) paths.value = new Map(paths.value).set(id, path);
}

/** Fetches the folders of all loaded sessions with a project, once for each. */
export async function pullPaths(signal: AbortSignal): Promise<void> {
  for (const { session } of sessions.peek() ?? []) {
    if (session.project === null || paths.peek().has(session.id)) continue;
    const query = new URLSearchParams({ session_id: session.id, source: 'hook', order: 'asc', limit: '1' });
    const { events } = await getJson<EventPage>(`/api/events?${query}`, signal);
    notePath(session.id, pathIn(events));
  }
}

export function pathOf(id: string): string | null {
  return paths.value.get(id) ?? null;
}

/** Returns the known folders of a project, in the order of their newest sessions. */
export function foldersOf(project: string): string[] {
  const known = (sessions.value ?? []).filter(({ session }) => session.project === project);
  return [...new Set(known.flatMap(({ session: { id } }) => pathOf(id) ?? []))];
}

/** Whether two folders end alike. */
export const hasTwins = computed(() => [...labels.value.values()].some((label) => label.includes('/')));

/** Returns the project's name, longer where another project ends with the same. */
export function projectOf({ id, project }: Pick<Session, 'id' | 'project'>): string | null {
  const path = pathOf(id);
  const label = path === null ? undefined : labels.value.get(path);
  // A session may have moved to another folder since.
  return label !== undefined && project !== null && label.endsWith(project) ? label : project;
}

export function titleOf(session: Session): string {
  const { id, agent_type, started_at } = session;
  const prompt = prompts.value.get(id);
  const what = prompt === undefined || prompt === '' ? `began ${clock(new Date(started_at))}` : prompt;
  return legible(`${projectOf(session) ?? agent_type} · ${what}`, MOST);
}

/** Formats `14:02`, with the day when it differs. */
export function clock(at: Date): string {
  const isRecent = serverNow() - at.getTime() < DAY_MS / 2;
  return isRecent ? timeOfDay(at).slice(0, 5) : dateTime(at).slice(0, 16);
}
