/**
 * Sums up the effects of a group of events on the statistics (rules STA-01 to STA-06). The sums are deltas per name and
 * agent.
 *
 * Invariant: the sums of all time have those of every hour except the open one, which is the newest. A reader of all time
 * adds both (decision 94). Belongs to the writer's thread. Sums are exact numbers: they are written before one would pass 2^53-1 (rule
 * STA-06).
 */
import { LIMITS } from '../contract.ts';
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

class StatsDelta {
  eventCount = 0;
  callCount = 0;
  errorCount = 0;
  durationCount = 0;
  durationMs = 0;
  tokensIn = 0;
  tokensOut = 0;
  costNanos = 0;
  computedCostNanos = 0;
}

/** The figures of the current event; computed once, then added to its session and under each of its names. */
export class Figures {
  isError = false;
  /** Whether it is a `plan_step`. */
  isStep = false;
  /** NaN when absent, like `costNanos`. */
  durationMs = Number.NaN;
  tokensIn = 0;
  tokensOut = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  costNanos = Number.NaN;
  computedCostNanos = 0;
}

/** The sums of one agent by name. */
export type StatsOfAgent = Map<number, StatsDelta>;

export class StatsDeltas {
  private readonly db: Connection;
  private readonly upsert: Statement;
  private readonly addComputedCost: Numbered;
  private readonly closeHour: Statement;
  private readonly updateOpenHour: Statement;
  /** By agent, then by name; both are name ids. */
  private readonly agents = new Map<number, Map<number, StatsDelta>>();
  /** `undefined` before the first group, and after a rollback. */
  private openHour: number | undefined;

  constructor(db: Connection) {
    this.db = db;
    this.closeHour = db.prepare(inOrder(QUERIES.addHourToAllTime));
    this.updateOpenHour = db.prepare(inOrder(QUERIES.updateOpenHour));
    this.upsert = db.prepare(inOrder(QUERIES.upsertStats));
    this.addComputedCost = new Numbered(db, QUERIES.addComputedCostToStats);
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

  /** Counts an event under its tool. A step counts only as an event, since it is not a call (rule STA-02). */
  addTool(names: StatsOfAgent, name: number, agentType: number, event: Figures, hour: number): void {
    if (event.isStep) this.deltaOf(names, name).eventCount++;
    else this.add(names, name, agentType, event, hour).callCount++;
  }

  /** Counts an event under a name; returns the changed sums. */
  add(names: StatsOfAgent, name: number, agentType: number, event: Figures, hour: number): StatsDelta {
    const delta = this.deltaOf(names, name);
    const hasDuration = !Number.isNaN(event.durationMs);
    const durationMs = delta.durationMs + (hasDuration ? event.durationMs : 0);
    const tokensIn = delta.tokensIn + event.tokensIn;
    const tokensOut = delta.tokensOut + event.tokensOut;
    const costNanos = delta.costNanos + (Number.isNaN(event.costNanos) ? 0 : event.costNanos);
    const computedCostNanos = delta.computedCostNanos + event.computedCostNanos;
    if (Math.max(durationMs, tokensIn, tokensOut, costNanos, computedCostNanos) > LIMITS.max_integer) {
      this.writeOne(name, agentType, delta, hour);
      names.set(name, new StatsDelta());
      return this.add(names, name, agentType, event, hour);
    }
    delta.eventCount++;
    if (event.isError) delta.errorCount++;
    if (hasDuration) delta.durationCount++;
    delta.durationMs = durationMs;
    delta.tokensIn = tokensIn;
    delta.tokensOut = tokensOut;
    delta.costNanos = costNanos;
    delta.computedCostNanos = computedCostNanos;
    return delta;
  }

  private deltaOf(names: StatsOfAgent, name: number): StatsDelta {
    let delta = names.get(name);
    if (delta === undefined) {
      delta = new StatsDelta();
      names.set(name, delta);
    }
    return delta;
  }

  /** Writes the sums; `hour` is the Unix second of its start. */
  write(hour: number): void {
    for (const [agentType, names] of this.agents) {
      for (const [name, delta] of names) this.writeOne(name, agentType, delta, hour);
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

  private writeOne(name: number, agentType: number, delta: StatsDelta, hour: number): void {
    // After the clock was set back, the sums of this hour are in those of all time already.
    const buckets = this.open(hour) === hour ? [hour] : [hour, ALL_TIME];
    for (const bucket of buckets) {
      this.upsert.run(
        bucket,
        name,
        agentType,
        delta.eventCount,
        delta.callCount,
        delta.errorCount,
        delta.durationCount,
        delta.durationMs,
        delta.tokensIn,
        delta.tokensOut,
        delta.costNanos,
      );
      // A separate statement, so that rows without computed cost cost no more.
      const { computedCostNanos } = delta;
      if (computedCostNanos > 0) this.addComputedCost.run(computedCostNanos, bucket, name, agentType);
    }
  }
}
