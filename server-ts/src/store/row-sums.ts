/**
 * Sums up stored rows, as the statistics and the sessions have them. A check compares these sums, and a deletion subtracts
 * them (rules RET-06 and BAK-06).
 *
 * Sums are BigInt: they may pass 2^53-1.
 */
import { LIMITS } from '../contract.ts';
import { type FieldName, NAME_KINDS } from '../field.ts';
import { MEASURES, type Measure, NUMBERS, OF_SESSIONS, OF_STATS, pick, WORDS } from '../figure.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, Numbered } from './connection.ts';
import { ALL_TIME, EVERY_EVENT, openQuarter, quarterOf } from './stats.ts';

/** Columns of `select_event_figures.sql`. */
export const [ID, TIME, SESSION, EVENT_ID, LATE, NUMBERS_AT] = [0, 1, 2, 3, 4, 5] as const;
const COMPUTED_COST = NUMBERS_AT + NUMBERS.length;
const NAMES = COMPUTED_COST + 1;

/** The largest integer of SQLite, where sums stop (rule STA-06). */
const LARGEST = 9_223_372_036_854_775_807n;

/** The largest number of an event. */
const MOST_OF_EVENT = BigInt(LIMITS.max_integer);

/** A value of a row that was read with `safeIntegers`. */
export type Value = bigint | string | Buffer | null;

/** The events of a sum: those of a sum without a tool, and the calls and the steps of a tool. */
type Group = Measure['over'][number];

/** The sums of some rows. */
export class RowSums {
  /** By key of a session, and by figure. */
  readonly sessions = new Map<number, bigint[]>();
  /** By quarter of an hour, name and agent, joined by a space, and by figure. */
  readonly stats = new Map<string, bigint[]>();
  /** The quarter whose sums are not in those of all time. */
  private readonly openQuarter: number;
  /** The name ids of the words that figures ask for. */
  private readonly words: ReadonlyMap<string, number | undefined>;
  private readonly step: number | undefined;

  constructor(db: Connection) {
    const name = db.prepare<unknown[]>(inOrder(QUERIES.selectName)).pluck();
    this.openQuarter = openQuarter(db);
    this.words = new Map(
      WORDS.map(([field, word]) => [`${field} ${word}`, name.get(field, word) as number | undefined]),
    );
    this.step = name.get('event_type', 'plan_step') as number | undefined;
  }

  /** Adds a row of `select_event_figures.sql`. */
  add(row: readonly Value[]): void {
    const names = namesOf(row);
    const isStep = this.step !== undefined && names[NAME_KINDS.indexOf('event_type')] === this.step;
    const agent = names[NAME_KINDS.indexOf('agent_type')] ?? 0;
    const quarter = quarterOf(timeOfRow(row));
    const figures = MEASURES.map((one) => this.measured(one, row, names));
    const session = Number(row[SESSION]);
    const ofSession = this.sessions.get(session) ?? noExactSums();
    this.sessions.set(session, ofSession);
    add(ofSession, figures, 'events');
    for (const when of quarter === this.openQuarter ? [quarter] : [quarter, ALL_TIME]) {
      this.addStats(when, EVERY_EVENT, agent, figures, 'events');
      for (const [at, name] of names.entries()) {
        const kind = NAME_KINDS[at];
        if (name === undefined || kind === 'agent_type') continue;
        const ofTool = isStep ? 'steps' : 'calls';
        this.addStats(when, name, agent, figures, kind === 'tool_name' ? ofTool : 'events');
      }
    }
  }

  /** Returns a figure of a row. */
  private measured(
    { kind, of, without, words }: Measure,
    row: readonly Value[],
    names: readonly (number | undefined)[],
  ): bigint {
    const numberOf = (one: FieldName | 'computed'): bigint | null =>
      row[one === 'computed' ? COMPUTED_COST : NUMBERS_AT + NUMBERS.indexOf(one)] as bigint | null;
    if (kind === 'sum') {
      if (without.some((one) => numberOf(one) !== null)) return 0n;
      const sum = of.reduce((sum, one) => sum + (numberOf(one) ?? 0n), 0n);
      return sum < MOST_OF_EVENT ? sum : MOST_OF_EVENT;
    }
    const hasWords = words.every(([field, word]) => {
      const id = this.words.get(`${field} ${word}`);
      return id !== undefined && names[(NAME_KINDS as readonly string[]).indexOf(field)] === id;
    });
    return of.every((one) => numberOf(one) !== null) && hasWords ? 1n : 0n;
  }

  private addStats(
    quarter: number,
    name: number,
    agent: number,
    figures: readonly bigint[],
    group: Group,
  ): void {
    const key = `${quarter} ${name} ${agent}`;
    const sums = this.stats.get(key) ?? noExactSums();
    this.stats.set(key, sums);
    add(sums, figures, group);
  }
}

/** Visits the figures of the rows from `first` to `last`, of one session unless it is null. */
export function figuresOf(
  db: Connection,
  first: number,
  last: number,
  session: number | null,
): IterableIterator<readonly Value[]> {
  const select = new Numbered(db, QUERIES.selectEventFigures, true, true);
  return select.iterate(first, last, session) as IterableIterator<readonly Value[]>;
}

/** Returns the name ids of a row, in the order of the kinds. */
export function namesOf(row: readonly Value[]): readonly (number | undefined)[] {
  return row.slice(NAMES).map((name) => (name === null ? undefined : Number(name)));
}

/** Returns the time of a row, in Unix milliseconds. */
export function timeOfRow(row: readonly Value[]): number {
  return Number(row[TIME]);
}

/**
 * Takes the rows that a client deletes next out of all sums: the rows from `first` to `last`, of one session unless it is
 * null. Adds the ids of names that lost a sum to `unused`.
 */
export function subtractRows(
  db: Connection,
  first: number,
  last: number,
  session: number | null,
  unused: Set<number>,
): void {
  const sums = new RowSums(db);
  for (const row of figuresOf(db, first, last, session)) sums.add(row);
  const fromStats = new Numbered(db, QUERIES.subtractFromStats, true);
  const deleteStats = new Numbered(db, QUERIES.deleteStats);
  for (const [key, figures] of sums.stats) {
    const [quarter, name, agent] = key.split(' ').map(Number) as [number, number, number];
    const left = fromStats.get(quarter, name, agent, ...pick(figures, OF_STATS)) as
      | readonly [number]
      | undefined;
    if (left === undefined || left[0] > 0) continue;
    deleteStats.run(quarter, name, agent);
    unused.add(name).add(agent);
  }
  const fromSession = new Numbered(db, QUERIES.subtractFromSession);
  for (const [key, figures] of sums.sessions) fromSession.run(key, ...pick(figures, OF_SESSIONS));
}

/** Deletes those of these names that no sum and no session has. */
export function deleteUnusedNames(db: Connection, unused: ReadonlySet<number>): void {
  if (unused.size > 0) new Numbered(db, QUERIES.deleteUnusedNames).run(JSON.stringify([...unused]));
}

function noExactSums(): bigint[] {
  return MEASURES.map(() => 0n);
}

/** Adds figures; a sum stops at the largest integer (rule STA-06). */
function add(sums: bigint[], figures: readonly bigint[], group: Group): void {
  for (const [at, { over }] of MEASURES.entries()) {
    if (!over.includes(group)) continue;
    const sum = sums[at]! + figures[at]!;
    sums[at] = sum > LARGEST ? LARGEST : sum;
  }
}
