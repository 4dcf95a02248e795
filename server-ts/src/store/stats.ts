/**
 * Sums up the effects of a group of events on the statistics (rules STA-01 to STA-06). The sums are deltas per
 * quarter of an hour, name and agent.
 *
 * Invariant: the sums of all time have those of every quarter except the open one, which is the newest. A reader of all time
 * adds both (decision 94). Belongs to the writer's thread. Sums are exact numbers: they are written before one would pass 2^53-1 (rule
 * STA-06).
 */
import {
  addCall,
  addEvent,
  addStep,
  hasRoom,
  noSums,
  pick,
  RARE_OF_STATS,
  type Sums,
  USUAL_OF_STATS,
} from '../figure.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, Numbered, type Statement } from './connection.ts';

/** The name id of the sums over every event. */
export const EVERY_EVENT = 0;
/** The quarter of the sums over all time but the open quarter. It is above every quarter. */
export const ALL_TIME = 1_000_000_000_000_000;

/** The length of a quarter of an hour, in milliseconds and in seconds. */
export const QUARTER_MS = 900_000;
const QUARTER_S = QUARTER_MS / 1000;

/** Returns the start of a time's quarter of an hour: from Unix milliseconds to Unix seconds. */
export function quarterOf(ms: number): number {
  return Math.floor(ms / QUARTER_MS) * QUARTER_S;
}

/** Returns the quarter whose sums are not in those of all time yet. */
export function openQuarter(db: Connection): number {
  return Number(db.prepare(QUERIES.selectOpenQuarter).pluck().get());
}

/** The sums of one agent in one quarter, by name. */
export interface StatsRows {
  readonly quarter: number;
  readonly agentType: number;
  readonly names: Map<number, Sums>;
}

export class StatsDeltas {
  private readonly db: Connection;
  private readonly upsert: Statement;
  private readonly addRare: Numbered;
  private readonly closeQuarter: Statement;
  private readonly updateOpenQuarter: Statement;
  /** By quarter, then by agent. */
  private readonly quarters = new Map<number, Map<number, StatsRows>>();
  private last: StatsRows | undefined;
  /** `undefined` before the first group, and after a rollback. */
  private openQuarter: number | undefined;

  constructor(db: Connection) {
    this.db = db;
    this.closeQuarter = db.prepare(inOrder(QUERIES.addQuarterToAllTime));
    this.updateOpenQuarter = db.prepare(inOrder(QUERIES.updateOpenQuarter));
    this.upsert = db.prepare(inOrder(QUERIES.upsertStats));
    this.addRare = new Numbered(db, QUERIES.addRareFiguresToStats);
  }

  /** Returns the sums of one agent in one quarter, to add events to. */
  rowsOf(quarter: number, agentType: number): StatsRows {
    const { last } = this;
    if (last !== undefined && last.quarter === quarter && last.agentType === agentType) return last;
    const agents = this.quarters.get(quarter) ?? new Map<number, StatsRows>();
    this.quarters.set(quarter, agents);
    const rows = agents.get(agentType) ?? { quarter, agentType, names: new Map() };
    agents.set(agentType, rows);
    this.last = rows;
    return rows;
  }

  /** Adds an event to the sums of its tool. A step counts only as an event, since it is not a call (rule STA-02). */
  addTool(rows: StatsRows, name: number, figures: Sums, isStep: boolean): void {
    const sums = this.sumsOf(rows, name, figures);
    if (isStep) addStep(sums, figures);
    else addCall(sums, figures);
  }

  /** Adds an event to the sums of a name. */
  add(rows: StatsRows, name: number, figures: Sums): void {
    addEvent(this.sumsOf(rows, name, figures), figures);
  }

  /** Returns the sums of a name, which have room for these figures. */
  private sumsOf(rows: StatsRows, name: number, figures: Sums): Sums {
    let sums = rows.names.get(name);
    if (sums === undefined) {
      sums = noSums();
      rows.names.set(name, sums);
    } else if (!hasRoom(sums, figures)) {
      this.writeOne(rows, name, sums, this.open(rows.quarter));
      sums.fill(0);
    }
    return sums;
  }

  /** Writes the group's sums. */
  write(): void {
    const open = this.open(Math.max(...this.quarters.keys()));
    for (const agents of this.quarters.values()) {
      for (const rows of agents.values()) {
        for (const [name, sums] of rows.names) this.writeOne(rows, name, sums, open);
      }
    }
    this.clear();
  }

  /** Drops the sums of a group that was rolled back. */
  forget(): void {
    this.clear();
    this.openQuarter = undefined;
  }

  private clear(): void {
    this.quarters.clear();
    this.last = undefined;
  }

  /** Closes the open quarter when a later one begins, which is then open. Returns the open quarter. */
  private open(quarter: number): number {
    let open = this.openQuarter ?? openQuarter(this.db);
    if (quarter > open) {
      this.closeQuarter.run(ALL_TIME, open);
      this.updateOpenQuarter.run(quarter);
      open = quarter;
    }
    this.openQuarter = open;
    return open;
  }

  private writeOne({ quarter, agentType }: StatsRows, name: number, sums: Sums, open: number): void {
    // The sums of an earlier quarter are in those of all time already.
    for (const one of quarter === open ? [quarter] : [quarter, ALL_TIME]) {
      this.upsert.run(one, name, agentType, ...pick(sums, USUAL_OF_STATS));
      // A separate statement, so that rows without rare figures cost no more.
      if (RARE_OF_STATS.some((figure) => sums[figure]! > 0))
        this.addRare.run(one, name, agentType, ...pick(sums, RARE_OF_STATS));
    }
  }
}
