/**
 * Sums up what a group of events means for the statistics: deltas per name and agent, of all time and of the hour
 * (rules STA-01 to STA-06).
 *
 * Belongs to the writer's thread. Sums are numbers and exact: before one would pass 2^53-1 what was gathered
 * is written out (rule STA-06).
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';

/** The name that stands for every event. */
export const EVERY_EVENT = 0;
/** The hour that stands for all time. */
const ALL_TIME = -1;

class StatsDelta {
  eventCount = 0;
  errorCount = 0;
  durationCount = 0;
  durationMs = 0;
  tokensIn = 0;
  tokensOut = 0;
  costNanos = 0;
}

/** The figures of the event in hand; filled in once, then added to its session and under each of its names. */
export class Figures {
  isError = false;
  /** NaN when it says none, as `costNanos`. */
  durationMs = Number.NaN;
  tokensIn = 0;
  tokensOut = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  costNanos = Number.NaN;
}

/** The rows of one agent by name. */
export type StatsOfAgent = Map<number, StatsDelta>;

export class StatsDeltas {
  private readonly upsert: Statement;
  /** By agent, then by name; both are numbers of `names`. */
  private readonly agents = new Map<number, Map<number, StatsDelta>>();

  constructor(db: Connection) {
    this.upsert = db.prepare(inOrder(QUERIES.upsertStats));
  }

  /** The rows of one agent, to add events to. */
  ofAgent(agentType: number): StatsOfAgent {
    let names = this.agents.get(agentType);
    if (names === undefined) {
      names = new Map();
      this.agents.set(agentType, names);
    }
    return names;
  }

  add(names: StatsOfAgent, name: number, agentType: number, event: Figures, hour: number): void {
    let delta = names.get(name);
    if (delta === undefined) {
      delta = new StatsDelta();
      names.set(name, delta);
    }
    const hasDuration = !Number.isNaN(event.durationMs);
    const durationMs = delta.durationMs + (hasDuration ? event.durationMs : 0);
    const tokensIn = delta.tokensIn + event.tokensIn;
    const tokensOut = delta.tokensOut + event.tokensOut;
    const costNanos = delta.costNanos + (Number.isNaN(event.costNanos) ? 0 : event.costNanos);
    if (Math.max(durationMs, tokensIn, tokensOut, costNanos) > LIMITS.max_integer) {
      this.writeOne(name, agentType, delta, hour);
      names.set(name, new StatsDelta());
      this.add(names, name, agentType, event, hour);
      return;
    }
    delta.eventCount++;
    if (event.isError) delta.errorCount++;
    if (hasDuration) delta.durationCount++;
    delta.durationMs = durationMs;
    delta.tokensIn = tokensIn;
    delta.tokensOut = tokensOut;
    delta.costNanos = costNanos;
  }

  /** Writes what was gathered; `hour` in Unix seconds of its beginning. */
  write(hour: number): void {
    for (const [agentType, names] of this.agents) {
      for (const [name, delta] of names) this.writeOne(name, agentType, delta, hour);
    }
    this.agents.clear();
  }

  forget(): void {
    this.agents.clear();
  }

  private writeOne(name: number, agentType: number, delta: StatsDelta, hour: number): void {
    for (const bucket of [ALL_TIME, hour]) {
      this.upsert.run(
        bucket,
        name,
        agentType,
        delta.eventCount,
        delta.errorCount,
        delta.durationCount,
        delta.durationMs,
        delta.tokensIn,
        delta.tokensOut,
        delta.costNanos,
      );
    }
  }
}
