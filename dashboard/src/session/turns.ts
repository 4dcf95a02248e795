/**
 * Divides the items of a session into turns, and each turn into the main agent's items and the lanes of subagents.
 *
 * A turn begins with a prompt of the user. Pure. Invariant: every item is in exactly one turn, or is its prompt or
 * its answer.
 */
import type { Row } from '../api.ts';
import { type Costs, costsOfRow, sumOfCosts } from '../costs.ts';
import { isObject } from '../hook-summary.ts';
import { isHidden, summaryOf } from '../summary.ts';
import { unionOf } from './interval.ts';
import { type Item, itemsOf, waitedIn } from './items.ts';

export interface Lane {
  readonly id: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly items: readonly Item[];
}

export interface Turn {
  /** Counts from 1; 0: what came before the first prompt. */
  readonly number: number;
  readonly prompt: Item | null;
  readonly answer: Item | null;
  readonly start: number;
  readonly end: number;
  /** The items of the main agent, and lanes, by their start. */
  readonly steps: readonly (Item | Lane)[];
  readonly sums: Sums;
}

export interface Sums extends Costs {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly errors: number;
}

/** The same prompt as a hook and as telemetry, in milliseconds. */
const SAME_PROMPT_MS = 3000;

/** Returns the turns, oldest first. */
export function turnsOf(rows: readonly Row[]): Turn[] {
  const groups: { prompt: Item | null; items: Item[] }[] = [];
  for (const item of itemsOf(rows)) {
    const last = groups.at(-1);
    if (isPrompt(item)) {
      if (last?.prompt && isSame(last.prompt, item)) last.prompt = merged(last.prompt, item);
      else groups.push({ prompt: item, items: [] });
    } else if (last === undefined) groups.push({ prompt: null, items: [item] });
    else last.items.push(item);
  }
  const isCounted = groups[0]?.prompt === null ? 0 : 1;
  return groups.map(({ prompt, items }, i) => turnOf(i + isCounted, prompt, items));
}

function isPrompt({ row, kind, lane }: Item): boolean {
  return (
    kind === 'event' &&
    lane === null &&
    (row.event_type === 'user_prompt' || row.source_event === 'UserPromptSubmit')
  );
}

/** Whether a prompt is the one before, from another source. A model call may begin before the hook arrives. */
function isSame(before: Item, { row, start }: Item): boolean {
  return (
    start - before.start < SAME_PROMPT_MS &&
    before.rows.every(({ source }) => source !== row.source) &&
    (isHidden(row) || isHidden(before.row) || summaryOf(row) === summaryOf(before.row))
  );
}

/** Joins two items of one text; the one that is readable determines it. */
function merged(a: Item, b: Item): Item {
  const [first, other] = isHidden(a.row) ? [b, a] : [a, b];
  return { ...first, rows: [...first.rows, ...other.rows], start: Math.min(a.start, b.start) };
}

function turnOf(number: number, prompt: Item | null, all: readonly Item[]): Turn {
  const [answer, items] = withoutAnswer(all);
  const main = items.filter(({ lane }) => lane === null);
  const lanes = [...Map.groupBy(items, ({ lane }) => lane)].flatMap(([id, of]) =>
    id === null ? [] : laneOf(id, of),
  );
  const start = prompt?.start ?? items[0]?.start ?? answer!.start;
  // What follows the answer is idle time, such as the end of the session.
  const working = all.filter(({ kind, row }) => kind !== 'event' || row.event_type !== 'session_end');
  const last = working.findLast(({ row, lane }) => lane === null && isStop(row)) ?? null;
  const ends = last === null ? working : working.filter((item) => item === last || item.kind !== 'event');
  return {
    number,
    prompt,
    answer,
    start,
    end: Math.max(start, ...ends.map(endOf)),
    steps: [...main, ...lanes].sort((a, b) => a.start - b.start),
    sums: sumsOf(all),
  };
}

const isStop = ({ source_event }: Row) => source_event === 'Stop' || source_event === 'StopFailure';

function endOf({ start, end }: Item): number {
  return end ?? start;
}

/** Takes the last answer out of the items, with its repetitions: an agent reports it as several events. */
function withoutAnswer(items: readonly Item[]): [Item | null, readonly Item[]] {
  const answers = items.filter(isAnswer);
  const answer = answers.findLast(({ row }) => isStop(row)) ?? answers.at(-1);
  if (answer === undefined) return [null, items];
  const text = summaryOf(answer.row);
  const lastWork = items.findLastIndex(({ kind, lane }) => kind === 'tool' && lane === null);
  const same = items.filter(
    (item, i) =>
      item === answer ||
      (i > lastWork && isAnswer(item) && (isHidden(item.row) || summaryOf(item.row) === text)),
  );
  const others = same.filter((item) => item !== answer).flatMap(({ rows }) => rows);
  return [{ ...answer, rows: [...answer.rows, ...others] }, items.filter((item) => !same.includes(item))];
}

function isAnswer({ kind, lane, row }: Item): boolean {
  if (kind !== 'event' || lane !== null || row.source_event === 'Notification') return false;
  return row.event_type === 'response' || row.source_event === 'StopFailure';
}

function laneOf(id: string, items: readonly Item[]): Lane {
  const names = items.flatMap(({ rows }) =>
    rows.map(({ metadata }) => (isObject(metadata) ? metadata.agent_type : null)),
  );
  const name = names.find((one) => typeof one === 'string' && one !== '');
  return {
    id,
    name: typeof name === 'string' ? name : id,
    start: items[0]!.start,
    end: Math.max(...items.map(endOf)),
    items,
  };
}

export function sumsOf(items: readonly Item[]): Sums {
  return {
    ...sumOfCosts(items.flatMap(({ rows }) => rows.map(costsOfRow))),
    modelCalls: items.filter(({ kind }) => kind === 'model').length,
    toolCalls: items.filter(({ kind }) => kind === 'tool').length,
    errors: items.filter(({ isError }) => isError).length,
  };
}

export function isLane(step: Item | Lane): step is Lane {
  return 'items' in step;
}

/** Returns all items of a turn, with those of its lanes. */
export function allOf({ steps, prompt, answer }: Turn): Item[] {
  const inner = steps.flatMap((step) => (isLane(step) ? step.items : step));
  return [prompt, ...inner, answer].filter((item) => item !== null);
}

/** Returns how long a turn waited for the user and how long it worked, in milliseconds. */
export function timesOf(turn: Turn, now: number): { readonly waited: number; readonly worked: number } {
  const waits = allOf(turn).flatMap((item) => {
    const wait = waitedIn(item, now);
    return wait === null ? [] : [wait];
  });
  const waited = unionOf(waits);
  // A wait without an answer is the end of the turn so far.
  const end = Math.max(turn.end, ...waits.map(([, to]) => to));
  return { waited, worked: Math.max(0, end - turn.start - waited) };
}
