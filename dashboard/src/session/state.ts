/** The session whose page is shown: its events, the timeline made of them, and what is folded. */
import { computed, signal } from '@preact/signals';
import type { Row, Session } from '../api.ts';
import { sessionPage } from '../route.ts';
import { now_ms } from '../time.ts';
import { linesOf } from './lines.ts';
import { allOf, sumsOf, type Turn, timesOf, turnsOf } from './turns.ts';

/** Most events on the page: the newest of the session. */
export const MOST_ROWS = 20_000;
/** Number of items up to which all turns are open at first; above it only the newest one is. */
const OPEN_ITEMS = 400;

interface Loaded {
  readonly session: Session;
  /** Newest first. */
  readonly rows: readonly Row[];
  /** Whether older events exist that are not loaded. */
  readonly hasOlder: boolean;
  /** Whether events are still loading. */
  readonly isLoading: boolean;
}

const loaded = signal<Loaded | null>(null);
/** The id of a session that does not exist. */
const missing = signal<string | null>(null);
/** Invariant: never the data of another session than that of the address. */
export const page = computed(() => (loaded.value?.session.id === sessionPage.value ? loaded.value : null));
export const isMissing = computed(() => sessionPage.value !== null && missing.value === sessionPage.value);
/** Keys of turns and lanes that the user has opened or folded. */
const folds = signal<ReadonlyMap<string, boolean>>(new Map());
/** Whether steps without a meaning for most users are shown. */
export const withSteps = signal(false);
/** The key of the line with the keyboard cursor. */
export const cursorKey = signal<string | null>(null);

export const turns = computed(() => turnsOf(page.value?.rows ?? []));
const itemCount = computed(() => turns.value.reduce((sum, turn) => sum + allOf(turn).length, 0));
export const lines = computed(() => {
  const isSmall = itemCount.value <= OPEN_ITEMS;
  const last = turns.value.at(-1);
  const isOpen = (key: string, turn: Turn) =>
    folds.value.get(key) ?? (key.includes(' ') || isSmall || turn === last);
  return linesOf(turns.value, isOpen, withSteps.value);
});
export const openKeys = computed(() => {
  const below = new Set<string>();
  lines.value.forEach((line, i) => {
    const next = lines.value[i + 1];
    if (next !== undefined && next.kind !== 'turn' && line.kind !== 'item') below.add(line.key);
  });
  return below;
});

const hasOpenWait = computed(() =>
  turns.value.some((turn) => allOf(turn).some(({ wait }) => wait !== null && wait[1] === null)),
);

/** The sums of all turns. Only an open wait makes them change with time. */
export const totals = computed(() => {
  const now = hasOpenWait.value ? now_ms.value : 0;
  const times = turns.value.map((turn) => timesOf(turn, now));
  return {
    ...sumsOf(turns.value.flatMap(allOf)),
    waited: times.reduce((sum, { waited }) => sum + waited, 0),
    worked: times.reduce((sum, { worked }) => sum + worked, 0),
  };
});

export function fold(key: string, isOpen: boolean): void {
  folds.value = new Map(folds.value).set(key, isOpen);
}

export function foldAll(isOpen: boolean): void {
  folds.value = new Map(turns.value.map(({ number }) => [`t${number}`, isOpen]));
}

/** Adds an answer; `isReset`: it does not continue the loaded rows. */
export function takePage(answer: Loaded, isReset: boolean): void {
  const before = loaded.value;
  const isSame = before?.session.id === answer.session.id;
  if (!isSame) {
    folds.value = new Map();
    cursorKey.value = null;
  }
  const goesOn = isSame && !isReset;
  const rows = goesOn ? [...answer.rows, ...before.rows] : answer.rows;
  missing.value = null;
  loaded.value = {
    ...answer,
    rows: rows.slice(0, MOST_ROWS),
    hasOlder: rows.length > MOST_ROWS || (goesOn ? before.hasOlder : answer.hasOlder),
  };
}

export function takeMissing(id: string): void {
  missing.value = id;
}
