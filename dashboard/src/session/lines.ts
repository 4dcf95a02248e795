/**
 * The lines of the timeline: turns, lanes and items as one list, without what is folded, and their positions.
 *
 * Pure. Invariant: a line's height depends only on its content and the width of the page.
 */
import type { Row } from '../api.ts';
import { isHidden } from '../summary.ts';
import { type Item, waitedIn } from './items.ts';
import { isLane, type Lane, type Turn } from './turns.ts';

export type Line =
  | { readonly kind: 'turn'; readonly key: string; readonly turn: Turn; readonly row: Row | null }
  | {
      readonly kind: 'lane';
      readonly key: string;
      readonly turn: Turn;
      readonly lane: Lane;
      readonly row: Row;
    }
  | {
      readonly kind: 'item';
      readonly key: string;
      readonly turn: Turn;
      readonly item: Item;
      readonly row: Row;
    };

/** Steps that say something to a person; all others are shown on request. */
const TELLING = /compact|permission|model|task|worktree|elicitation|denied|dismissed|mode_changed/i;

/** Returns the lines from the top. `folds` holds the keys of turns and lanes that differ from the default. */
export function linesOf(
  turns: readonly Turn[],
  isOpen: (key: string, turn: Turn) => boolean,
  withSteps: boolean,
): Line[] {
  return turns.flatMap((turn) => {
    const key = `t${turn.number}`;
    const head: Line = { kind: 'turn', key, turn, row: turn.prompt?.row ?? turn.answer?.row ?? null };
    if (!isOpen(key, turn)) return [head];
    const itemLine = (item: Item): Line[] =>
      withSteps || isTelling(item)
        ? [{ kind: 'item', key: `i${item.row.id}`, turn, item, row: item.row }]
        : [];
    const below = turn.steps.flatMap((step): Line[] => {
      if (!isLane(step)) return itemLine(step);
      const laneKey = `${key} ${step.id}`;
      const row = step.items[0]!.row;
      const lane: Line = { kind: 'lane', key: laneKey, turn, lane: step, row };
      return isOpen(laneKey, turn) ? [lane, ...step.items.flatMap(itemLine)] : [lane];
    });
    return [head, ...below];
  });
}

function isTelling({ kind, row, isError, wait }: Item): boolean {
  if (kind !== 'event' || isError || wait !== null) return true;
  if (row.event_type !== 'plan_step') return !isHidden(row);
  return TELLING.test(row.source_event ?? '') || row.source === 'api';
}

/** Returns the top of each line, and the height of all as the last entry. */
export function topsOf(lines: readonly Line[], heightOf: (line: Line) => number): Float64Array {
  const tops = new Float64Array(lines.length + 1);
  lines.forEach((line, i) => {
    tops[i + 1] = tops[i]! + heightOf(line);
  });
  return tops;
}

/** Returns the index of the line at a position. */
export function lineAt(tops: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Bar {
  /** From 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'model' | 'tool' | 'event' | 'wait' | 'lane';
}

/** Returns the bars of a line within its turn: the work, and over it the wait. */
export function barsOf(line: Line, now: number): Bar[] {
  const { start, end } = line.turn;
  const last = Math.max(end, start + 1);
  const share = (at: number) => Math.min(1, Math.max(0, (at - start) / (last - start)));
  const bar = (kind: Bar['kind'], from: number, to: number): Bar => ({
    kind,
    from: share(from),
    to: share(to),
  });
  if (line.kind === 'turn') return [];
  if (line.kind === 'lane') return [bar('lane', line.lane.start, line.lane.end)];
  const { item } = line;
  const wait = waitedIn(item, now);
  const work = bar(item.kind, item.start, item.end ?? last);
  return wait === null ? [work] : [work, bar('wait', ...wait)];
}

/** Returns the ids of the events of the line of an event, and those of the lines around it. */
export function neighboursOf(
  lines: readonly Line[],
  id: number,
): { rows: readonly Row[]; newer?: number; older?: number } {
  const withRow = lines.filter(({ row }) => row !== null);
  const at = withRow.findIndex((line) => rowsOf(line).some((row) => row.id === id));
  if (at < 0) return { rows: [] };
  return {
    rows: rowsOf(withRow[at]!),
    ...(at > 0 && { older: withRow[at - 1]!.row!.id }),
    ...(at < withRow.length - 1 && { newer: withRow[at + 1]!.row!.id }),
  };
}

function rowsOf(line: Line): readonly Row[] {
  if (line.kind === 'item') return line.item.rows;
  if (line.kind === 'lane') return [line.row];
  const { prompt, answer } = line.turn;
  return [...(prompt?.rows ?? []), ...(answer?.rows ?? [])];
}
