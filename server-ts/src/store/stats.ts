/**
 * Sums up the effects of a group of events on the statistics (rules STA-01 to STA-06). The sums are deltas per name and
 * agent.
 *
 * Invariant: the sums of all time have those of every hour except the open one, which is the newest. A reader of all time
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
/** The hour of the sums over all time but the open hour. It is above every hour. */
export const ALL_TIME = 1_000_000_000_000_000;

/** Returns the hour whose sums are not in those of all time yet. */
export function openHour(db: Connection): number {
  return Number(db.prepare(QUERIES.selectOpenHour).pluck().get());
}

/** The sums of one agent by name. */
export type StatsOfAgent = Map<number, Sums>;

export class StatsDeltas {
  private readonly db: Connection;
  private readonly upsert: Statement;
  private readonly addRare: Numbered;
  private readonly closeHour: Statement;
  private readonly updateOpenHour: Statement;
  /** By agent, then by name; both are name ids. */
  private readonly agents = new Map<number, Map<number, Sums>>();
  /** `undefined` before the first group, and after a rollback. */
  private openHour: number | undefined;

  constructor(db: Connection) {
    this.db = db;
    this.closeHour = db.prepare(inOrder(QUERIES.addHourToAllTime));
    this.updateOpenHour = db.prepare(inOrder(QUERIES.updateOpenHour));
    this.upsert = db.prepare(inOrder(QUERIES.upsertStats));
    this.addRare = new Numbered(db, QUERIES.addRareFiguresToStats);
  }

  /** Returns the sums of one agent, to add events to. */
  ofAgent(agentType: number): StatsOfAgent {
    let names = this.agents.get(agentType);
    if (names === undefined) {
      names = new Map();
      this.agents.set(agentType, names);
    }
    return names;
  }

  /** Adds an event to the sums of its tool. A step counts only as an event, since it is not a call (rule STA-02). */
  addTool(
    names: StatsOfAgent,
    name: number,
    agentType: number,
    figures: Sums,
    isStep: boolean,
    hour: number,
  ): void {
    const sums = this.sumsOf(names, name, agentType, figures, hour);
    if (isStep) addStep(sums, figures);
    else addCall(sums, figures);
  }

  /** Adds an event to the sums of a name. */
  add(names: StatsOfAgent, name: number, agentType: number, figures: Sums, hour: number): void {
    addEvent(this.sumsOf(names, name, agentType, figures, hour), figures);
  }

  /** Returns the sums of a name, which have room for these figures. */
  private sumsOf(names: StatsOfAgent, name: number, agentType: number, figures: Sums, hour: number): Sums {
    let sums = names.get(name);
    if (sums === undefined) {
      sums = noSums();
      names.set(name, sums);
    } else if (!hasRoom(sums, figures)) {
      this.writeOne(name, agentType, sums, hour);
      sums.fill(0);
    }
    return sums;
  }

  /** Writes the sums; `hour` is the Unix second of its start. */
  write(hour: number): void {
    for (const [agentType, names] of this.agents) {
      for (const [name, sums] of names) this.writeOne(name, agentType, sums, hour);
    }
    this.agents.clear();
  }

  /** Drops the sums of a group that was rolled back. */
  forget(): void {
    this.agents.clear();
    this.openHour = undefined;
  }

  /** Closes the open hour when a later one begins, which is then open. Returns the open hour. */
  private open(hour: number): number {
    let open = this.openHour ?? openHour(this.db);
    if (hour > open) {
      this.closeHour.run(ALL_TIME, open);
      this.updateOpenHour.run(hour);
      open = hour;
    }
    this.openHour = open;
    return open;
  }

  private writeOne(name: number, agentType: number, sums: Sums, hour: number): void {
    // After the clock was set back, the sums of this hour are in those of all time already.
    const buckets = this.open(hour) === hour ? [hour] : [hour, ALL_TIME];
    for (const bucket of buckets) {
      this.upsert.run(bucket, name, agentType, ...pick(sums, USUAL_OF_STATS));
      // A separate statement, so that rows without rare figures cost no more.
      if (RARE_OF_STATS.some((figure) => sums[figure]! > 0))
        this.addRare.run(bucket, name, agentType, ...pick(sums, RARE_OF_STATS));
    }
  }
}
